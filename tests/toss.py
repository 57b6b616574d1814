"""A coin-toss race: the smallest whole game, in plain numpy; runner, store and command line are tested on it.

In turn, each seat tosses. Heads moves it up a track of `rules.goal` steps. The first at the top wins; the
others of the same round may equal it, then the seat with more `luck` among the cards wins, or they share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from simulator.faults import nearest
from simulator.game import Design, Fault, Game, Plan, Played, Source, UserError

DATA = Path(__file__).parent / "toss_data"
OFFERED, REACHABLE, PAID, STEP, LAPSED, CHEERED = range(6)
PRIZE, TRACK = range(2)
ENDINGS = ("goal", "last_round")
GAME_COLUMNS = (
    "rounds",
    "turns",
    "ending",
    "winners",
    "top_score",
    "margin",
    "tied_on_points",
    "tie_stage",
    "lead_changes",
)
RULES = {"rules.goal": 3, "rules.rounds": 8}


def read(cards: Path | None, settings: Mapping[str, Any], players: int) -> Design:
    rules = dict(RULES)
    if cards is not None:
        rules["rules.goal"] = int((cards / "goal.txt").read_text(encoding="utf-8"))
    for key, value in settings.items():
        if key not in rules:
            raise UserError(f"no setting {key!r}, expected {nearest(key, rules)}")
        rules[key] = value
    tables = np.array([tuple(rules.values())], dtype=[("goal", "i8"), ("rounds", "i8")])
    sources = (
        Source("prize", "The prize", "prize", "instant", "reach the top"),
        Source("track", "The track", "track", "track", "one step for heads", offered=False),
    )
    return Design(tables, sources, {"rules": rules}, ("goal.txt",))


def faults(cards: Path | None) -> list[Fault]:
    text = (cards / "goal.txt").read_text(encoding="utf-8") if cards else "3"
    return [] if text.strip().isdigit() else [Fault("goal.txt", 1, "goal", repr(text), "a whole number")]


def play(design: Design, plan: Plan, keep_events: bool) -> Played:
    goal, rounds = (int(value) for value in design.tables[0])
    games: dict[str, list[int]] = {name: [] for name in GAME_COLUMNS}
    seats: dict[str, list[int]] = {name: [] for name in ("score", "rank", "score_steps", "did_toss", "heads")}
    events: list[tuple[int, ...]] = []
    for game, setup, bots in zip(plan.game, plan.setup, plan.bots, strict=True):
        chance = np.random.default_rng([plan.seed, setup])
        noise = np.random.default_rng([plan.seed, game, 1])
        steps = [0] * plan.players
        events.append((game, 0, 0, 1, -1, OFFERED, PRIZE, 0, 0))
        turn, top = 0, False
        for round_number in range(1, rounds + 1):
            for seat in range(plan.players):
                aim, jitter = plan.weights[bots[seat]]
                if chance.random() < 0.5 + aim + jitter * (noise.random() - 0.5):
                    steps[seat] += 1
                    events.append((game, turn, 0, round_number, seat, STEP, TRACK, steps[seat], 1))
                    events.append((game, turn, 1, round_number, seat, PAID, TRACK, 1, 0))
                if steps[seat] == goal and not top:
                    events.append((game, turn, 2, round_number, seat, REACHABLE, PRIZE, 0, 0))
                    events.append((game, turn, 3, round_number, seat, PAID, PRIZE, 0, 0))
                    top = True
                turn += 1
            if top:
                break
        if not top:
            events.append((game, turn - 1, 9, round_number, -1, LAPSED, PRIZE, 0, 0))
        order = sorted(steps, reverse=True)
        winners = [seat for seat in range(plan.players) if steps[seat] == order[0]]
        games["rounds"].append(round_number)
        games["turns"].append(turn)
        games["ending"].append(0 if top else 1)
        games["winners"].append(sum(1 << seat for seat in winners))
        games["top_score"].append(order[0])
        games["margin"].append(order[0] - order[1])
        games["tied_on_points"].append(len(winners))
        games["tie_stage"].append(-1 if len(winners) > 1 else 0)
        games["lead_changes"].append(0)
        for seat in range(plan.players):
            seats["score"].append(steps[seat])
            seats["rank"].append(1 + sum(other > steps[seat] for other in steps))
            seats["score_steps"].append(steps[seat])
            seats["did_toss"].append(round_number)
            seats["heads"].append(steps[seat])
    names = ("game", "turn", "step_in_turn", "round", "seat", "kind", "source", "amount", "cheers")
    columns = np.array(events, dtype=np.int64).T
    return Played(
        {name: np.array(column) for name, column in games.items()},
        {name: np.array(column).reshape(-1, plan.players) for name, column in seats.items()},
        dict(zip(names, columns, strict=True)) if keep_events else {},
        decisions=sum(games["turns"]),
    )


def narrate(design: Design, plan: Plan, bots: Sequence[str]) -> str:
    played = play(design, plan, True)
    return f"# Game {plan.game[0]}\n\n{', '.join(bots)} make {len(played.events['game'])} events.\n"


def build_cards(seed: int, folder: Path) -> None:
    (folder / "goal.txt").write_text(f"{2 + seed % 3}\n", encoding="utf-8")


def measure(cards: Path | None, rows: Sequence[str]) -> list[dict[str, Any]]:
    return [{"row": row, "tosses": len(row.split())} for row in rows]


def draw(cards: Path | None, row: str) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1, 1))
    figure.text(0.5, 0.5, row)
    return figure


GAME = Game(
    name="toss",
    title="Toss",
    players=(2, 3, 4),
    data=DATA,
    endings=ENDINGS,
    parts=("steps",),
    actions=("toss",),
    tie_stages=("points",),
    features=("aim", "noise"),
    own_kinds={"cheered": "Somebody cheered."},
    seat_columns={"heads": "The heads that the seat tossed."},
    event_columns={"cheers": "1 for a step, for which somebody cheers."},
    spends="heads",
    read=read,
    faults=faults,
    play=play,
    narrate=narrate,
    build_cards=build_cards,
    measure=measure,
    draw=draw,
)
