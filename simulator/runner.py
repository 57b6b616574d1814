"""An experiment, cut in chunks, played through joblib and written as it goes.

`python -m simulator.runner --warm MODULE:GAME` compiles a game's rules and ends; without a name, those of all games.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

from simulator import store
from simulator.experiment import Experiment, OptionError, Prepared, prepare
from simulator.faults import usable
from simulator.game import Game, UserError
from simulator.games import GAMES

if sys.platform != "win32":
    import fcntl

SLICE = 1024
"""Games that a kernel plays in one go: few enough that progress moves and a stop is quick, a third of a second;
so many that what each column of a slice costs in Python, whatever its length, is little."""

_PARTS, _SMALLEST, LARGEST = 64, 1_000, 10_000
"""About how many parts a run has, and the games in a part at least and at most.

At most, because each worker holds a part in memory: 8 kB a game of 150 events while it is written.
"""


class Interrupted(KeyboardInterrupt):
    """A run was interrupted; its folder has whole parts only."""

    def __init__(self, folder: Path, done: int, parts: int):
        self.folder = folder
        super().__init__(
            f"interrupted with {done} of {parts} parts written; "
            f"go on with: counterpoise run --out {folder} --resume"
        )


def run(
    experiment: Experiment,
    out: str | Path | None = None,
    *,
    workers: int | None = None,
    resume: bool = False,
    progress: bool | None = None,
    chunk: int | None = None,
) -> store.Run:
    """Play an experiment and store it in the folder `out`, by default `runs/<game>-<fingerprint>`.

    `workers` are threads (default: one a core); rows do not depend on them nor on `chunk`, the games in a
    part. With `resume` the parts that are there stay. `progress` shows a bar, by default on a terminal.
    Raises UserError, OSError (full disk, unwritable folder) or Interrupted; whole parts stay in all cases.
    """
    return play(prepare(experiment), out, workers=workers, resume=resume, progress=progress, chunk=chunk)


def play(
    prepared: Prepared,
    out: str | Path | None = None,
    *,
    workers: int | None = None,
    resume: bool = False,
    progress: bool | None = None,
    chunk: int | None = None,
) -> store.Run:
    """As `run`, for an experiment that is prepared already."""
    for option, value in (("workers", workers), ("chunk", chunk)):
        if value is not None and value < 1:
            raise OptionError(option, f"{value} are none, expected 1 or more")
    record = prepared.record
    folder = (
        usable(out) if out is not None else Path("runs") / f"{record['game']}-{record['fingerprint'][:8]}"
    )
    with _alone_in(folder):
        return _play_in(folder, prepared, resume, chunk, workers, progress)


def _play_in(
    folder: Path,
    prepared: Prepared,
    resume: bool,
    chunk: int | None,
    workers: int | None,
    progress: bool | None,
) -> store.Run:
    experiment = prepared.experiment
    record = _open(folder, prepared, resume, chunk)
    todo = [number for number in store.parts(record) if not store.part_is_whole(folder, record, number)]
    if prepared.games != experiment.games and todo:
        _say(
            f"{experiment.games:,} games rounded up to {prepared.games:,}: "
            f"each setup is played in all {experiment.players} rotations"
        )
    if todo and prepared.games_a_setup > 1 and len(set(experiment.bots)) == 1:
        _say(
            "all seats hold the same bot, so the rotations of a setup differ in its noise alone: "
            f"{prepared.games // prepared.games_a_setup:,} setups; --seating fixed plays as many as games"
        )
    if todo:
        warm(prepared.game)
    began = time.monotonic()
    if todo:
        _play_parts(folder, prepared, record, todo, workers, progress)
    games = sum(len(store.part_games(record, number)) for number in todo)
    return replace(store.load(folder), played=games, seconds=time.monotonic() - began)


def _say(sentence: str) -> None:
    print(f"counterpoise: {sentence}", file=sys.stderr, flush=True)


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Make the folder and lock it against other processes; the lock is the system's and leaves no file."""
    if not folder.exists():
        folder.mkdir(parents=True, exist_ok=True)
    if sys.platform == "win32":  # it has no flock
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(f"{folder} is being played by another process") from None
        except OSError:  # a file system without locks
            pass
        yield
    finally:
        os.close(descriptor)


def _open(folder: Path, prepared: Prepared, resume: bool, chunk: int | None) -> store.Record:
    """Make the run folder, or check that the one that is there is of the same experiment; its record."""
    games, setup = prepared.games, prepared.games_a_setup
    size = chunk or min(max(games // _PARTS, _SMALLEST), LARGEST)
    record = prepared.record | {"chunk": -(-size // setup) * setup}
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        if not resume:
            raise UserError(f"{folder} is in the way; name another --out, or go on with it by --resume")
        store.clean(folder)
        if any(folder.iterdir()):
            old = store.read_record(folder)
            if chunk is None:
                record["chunk"] = old["chunk"]
            kept = (*store.DECIDES, "bots", "games", "keep", "chunk")
            differing = [key for key in kept if old[key] != record[key]]
            if differing:
                raise UserError(f"{folder} is a run of another experiment: {', '.join(differing)} differ")
    store.create(folder, record, prepared.design.sources)
    return record


def _play_parts(
    folder: Path,
    prepared: Prepared,
    record: store.Record,
    todo: list[int],
    workers: int | None,
    progress: bool | None,
) -> None:
    import joblib  # only here: who has a game told need not wait for it

    total = sum(len(store.part_games(record, number)) for number in todo)
    stop = threading.Event()

    def attempt(number: int) -> Exception | None:
        """What went wrong with a part. Nothing else comes back: memory must not grow with the games."""
        try:
            _play_part(folder, prepared, record, number, advance, stop)
        except Exception as problem:
            stop.set()
            return problem
        return None

    with _stopped_by_signals(stop), _progress_bar(total, progress) as advance:
        parallel = joblib.Parallel(
            n_jobs=min(workers or joblib.cpu_count(), len(todo)),
            prefer="threads",
            batch_size=1,
            return_as="generator_unordered",
        )
        # A stop lets all workers end with the slice they are at, so that none writes once this returns.
        problems = [each for each in parallel(joblib.delayed(attempt)(number) for number in todo) if each]
    if problems:
        raise problems[0]
    if stop.is_set():
        done = sum(store.part_file(folder, "games", number).is_file() for number in store.parts(record))
        raise Interrupted(folder, done, len(store.parts(record)))


def _play_part(
    folder: Path,
    prepared: Prepared,
    record: store.Record,
    number: int,
    advance: Callable[[int], None],
    stop: threading.Event,
) -> None:
    """Play one part's games and write them, unless told to stop."""
    layout = store.Layout(prepared.game, prepared.design.sources, record["bots"], record["keep"])
    frames: dict[str, list[Any]] = {table: [] for table in layout.tables}
    games = store.part_games(record, number)
    for first in range(games.start, games.stop, SLICE):
        if stop.is_set():
            return
        plan = prepared.plan(first, min(first + SLICE, games.stop))
        played = prepared.game.play(prepared.design, plan, record["keep"] == "events")
        for table, frame in layout.frames(played, plan).items():
            frames[table].append(frame)
        advance(len(plan.game))
    store.write_part(folder, number, frames)


@contextmanager
def _stopped_by_signals(stop: threading.Event) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM set `stop`; a second one is obeyed at once."""
    if threading.current_thread() is not threading.main_thread():  # only that one is sent signals
        yield
        return
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [signal.getsignal(each) for each in signals]

    def restore() -> None:
        for each, handler in zip(signals, before, strict=True):
            signal.signal(each, handler)

    def obey(signal_number: int, frame: FrameType | None) -> None:
        stop.set()
        restore()

    for each in signals:
        signal.signal(each, obey)
    try:
        yield
    finally:
        restore()


@contextmanager
def _progress_bar(total: int, shown: bool | None) -> Iterator[Callable[[int], None]]:
    """A bar with games per second and the time left on stderr; by default only on a terminal."""
    if not (sys.stderr.isatty() if shown is None else shown):
        yield lambda games: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} games"),
        TextColumn("{task.fields[speed]:,.0f} games/s"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    began = time.monotonic()
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=total, speed=0)

        def advance(games: int) -> None:
            bar.advance(task, games)
            seconds = time.monotonic() - began
            bar.update(task, speed=bar.tasks[0].completed / max(seconds, 1e-9))

        yield advance


def warm(game: Game) -> None:
    """Compile a game's rules, the first time, in a process of its own, and say so.

    A process that compiles runs its kernels 12 to 15 % slower than one that loads them from the disk.
    """
    from simulator.compiled import is_warm, mark_warm

    if is_warm(game.name):
        return
    _say(f"compiling the rules of {game.title}; this takes up to a minute, once")
    began = time.monotonic()
    place = GAMES[game.name]
    command = [sys.executable, "-m", "simulator.runner", "--warm", place]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        _compile(place)  # where no such process can be started; else this shows what is wrong
    mark_warm(game.name)
    _say(f"compiled in {time.monotonic() - began:.0f} s")


def _compile(place: str) -> None:
    """Play one setup of each kind that compiles another signature."""
    module, attribute = place.split(":")
    game: Game = getattr(import_module(module), attribute)
    GAMES.setdefault(game.name, place)
    prepared = prepare(Experiment.of(game.name, games=1))
    for keep_events in (True, False):
        game.play(prepared.design, prepared.plan(0, 1), keep_events)


if __name__ == "__main__":
    if sys.argv[1:2] != ["--warm"]:
        sys.exit(
            "usage: python -m simulator.runner --warm [MODULE:GAME ...], without any: all games of the house"
        )
    if sys.argv[2:]:
        for each in sys.argv[2:]:
            _compile(each)
    else:
        from concurrent.futures import ProcessPoolExecutor

        with ProcessPoolExecutor() as pool:
            list(pool.map(_compile, GAMES.values()))
