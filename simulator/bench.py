"""How fast a game plays on this machine: compile time, games per second, memory, share of writing.

Every measure is taken in a fresh process: `python -m simulator.bench GAME PLACE PLAYERS GAMES WORKERS` plays and prints
what it saw as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import joblib

from simulator import runner
from simulator.experiment import Experiment, prepare
from simulator.game import Design, Plan, Played, UserError
from simulator.games import GAMES, game

_ALONE = 4_000
"""Games on one thread; with all cores each worker plays two full parts, the most that it ever holds."""


def bench(name: str, players: int | None = None) -> dict[str, str]:
    """What each measure came to, in words, for a game with its default bots: four, or as many as it seats."""
    title, allowed = game(name).title, game(name).players
    seats = players or min(4, max(allowed))
    if seats not in allowed:
        raise UserError(
            f"{title} has no table of {seats} players, expected one of {', '.join(map(str, allowed))}"
        )
    with tempfile.TemporaryDirectory(prefix="counterpoise-") as cache:
        environment = os.environ | {"COUNTERPOISE_CACHE": cache}
        warm = [sys.executable, "-m", "simulator.runner", "--warm", GAMES[name]]
        first, _ = _timed(warm, environment)
        again, _ = _timed(warm, environment)
        cores = joblib.cpu_count()
        one = _seen(name, seats, _ALONE, 1, environment)
        many = _seen(name, seats, 2 * cores * runner.LARGEST, cores, environment)
    return {
        "game": f"{title}, {one['players']} players, bots {one['bots']}, everything kept",
        "first compile": f"{first:.1f} s",
        "warm start": f"{again:.1f} s to load the rules and play one setup",
        "1 thread": _speed(one),
        f"{cores} threads": f"{_speed(many)}, {many['speed'] / one['speed']:.2f} times one thread",
        "peak memory": f"{many['peak'] / 2**20:,.0f} MiB with {cores} threads and the largest parts",
        "writing": f"{one['writing']:.1%} of the time on one thread",
    }


def _speed(seen: Mapping[str, Any]) -> str:
    return f"{seen['speed']:,.0f} games/s, {seen['decisions']:,.0f} decisions/s ({seen['games']:,} games)"


def _timed(command: list[str], environment: Mapping[str, str]) -> tuple[float, str]:
    began = time.perf_counter()
    child = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if child.returncode != 0:
        raise UserError(f"the measured process failed: {child.stderr.strip().splitlines()[-1:]}")
    return time.perf_counter() - began, child.stdout


def _seen(
    name: str, players: int, games: int, workers: int, environment: Mapping[str, str]
) -> dict[str, Any]:
    command = [sys.executable, "-m", "simulator.bench", name, GAMES[name]]
    command += [str(number) for number in (players, games, workers)]
    seen: dict[str, Any] = json.loads(_timed(command, environment)[1])
    return seen


def _play(name: str, players: int, games: int, workers: int) -> dict[str, Any]:
    """Play as `run` does, with a clock around the game's own part."""
    prepared = prepare(Experiment.of(name, players=players, games=games))
    lock = threading.Lock()
    inside, decisions = 0.0, 0

    def clocked(design: Design, plan: Plan, keep_events: bool) -> Played:
        nonlocal inside, decisions
        began = time.perf_counter()
        played = prepared.game.play(design, plan, keep_events)
        with lock:
            inside += time.perf_counter() - began
            decisions += played.decisions
        return played

    prepared.game.play(prepared.design, prepared.plan(0, 1), True)  # loads the machine code
    watched = replace(prepared, game=replace(prepared.game, play=clocked))
    with tempfile.TemporaryDirectory(prefix="counterpoise-") as folder:
        run = runner.play(watched, folder, workers=workers, progress=False, chunk=runner.LARGEST)
    return {
        "players": prepared.experiment.players,
        "bots": ", ".join(prepared.experiment.bots),
        "games": run.played,
        "speed": run.played / run.seconds,
        "decisions": decisions / run.seconds,
        "writing": 1 - inside / (run.seconds * workers),
        "peak": _peak_memory(),
    }


def _peak_memory() -> int:
    """The most memory that this process ever held, in bytes; 0 where the system doesn't say."""
    try:
        import resource
    except ImportError:
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


if __name__ == "__main__":
    GAMES.setdefault(sys.argv[1], sys.argv[2])
    print(json.dumps(_play(sys.argv[1], *map(int, sys.argv[3:]))))
