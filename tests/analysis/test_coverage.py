"""What a run never saw: by hand."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from analysis.coverage import clauses_covered, covered
from simulator.experiment import Experiment
from simulator.games import GAMES
from simulator.games import game as find_game
from simulator.runner import run as play

ABOUT: dict[str, Any] = {
    "kinds": ["offered", "reachable", "paid", "step", "lapsed", "stolen"],
    "endings": ["spire", "stalemate"],
    "tie_stages": ["points", "cards", "gems"],
}
SOURCES = pl.LazyFrame(
    [
        ("choice", "Choice", "ability", True), ("never", "Never", "claim", True), ("open", "Open", "always", True),
        ("hand", "Hand", "card", False), ("ladder", "Ladder", "track", False), ("bag", "Bag", "claim", True),
    ],
    schema=["source", "name", "kind", "offered"], orient="row",
)  # fmt: skip
Happened = tuple[int, str, str, int]
"""game, kind, source, amount"""


def seen(
    events: list[Happened] | None, games: int = 4, seats: bool = True
) -> dict[tuple[str, str], dict[str, Any]]:
    """Games of setups of two; nobody passes, and only in game 1 is a point scored in cards."""
    numbers = range(games)
    table = pl.LazyFrame(
        {"game": numbers, "setup": [number // 2 for number in numbers], "ending": "spire", "tie_stage": 0}
    )
    places = pl.LazyFrame(
        {
            "game": numbers, "seat": 0, "did_draw": 1, "did_pass": 0,
            "score_cards": [int(number == 1) for number in numbers],
        }
    )  # fmt: skip
    happened = None
    if events is not None:
        types = {"game": pl.Int64, "kind": pl.String, "source": pl.String, "amount": pl.Int64}
        happened = pl.LazyFrame(events, schema=types, orient="row")
    found = covered(table, places if seats else None, happened, SOURCES, ABOUT)
    return {(row["what"], row["name"]): row for row in found.to_dicts()}


def share(row: dict[str, Any]) -> tuple[float, int, bool]:
    return row["share"], row["share_n"], row["never"]


def test_endings_tie_breaks_actions_and_parts_that_nobody_met_are_named() -> None:
    rows = seen([])
    assert share(rows["ending", "spire"]) == (1, 4, False)
    assert share(rows["ending", "stalemate"]) == (0, 4, True)
    assert share(rows["tie-break", "gems"]) == (0, 4, True)
    assert share(rows["action", "pass"]) == (0, 4, True)
    assert share(rows["part of the score", "cards"]) == (0.25, 4, False)
    assert ("tie-break", "points") not in rows


def test_what_never_happened_is_bounded_by_three_over_the_setups() -> None:
    rows = seen([(game, "offered", "bag", 0) for game in range(40)], games=200)
    assert rows["ending", "stalemate"]["share_high"] == 0.03
    # Only 20 setups offered the bag.
    assert (rows["source paid", "Bag"]["share_high"], rows["source paid", "Bag"]["share_n"]) == (0.15, 40)


def test_a_source_can_pay_only_in_games_that_offer_it() -> None:
    rows = seen([(0, "offered", "bag", 0), (1, "offered", "bag", 0), (1, "paid", "bag", 0)])
    assert share(rows["source offered", "Bag"]) == (0.5, 4, False)
    assert share(rows["source paid", "Bag"]) == (0.5, 2, False)


def test_a_source_that_no_game_offered_is_never_offered_and_nothing_else() -> None:
    rows = seen([(0, "offered", "bag", 0)])
    assert share(rows["source offered", "Never"]) == (0, 4, True)
    assert ("source paid", "Never") not in rows


def test_what_pays_without_an_offer_is_open_in_every_game() -> None:
    rows = seen(
        [(0, "paid", "open", 3), (2, "paid", "hand", 0), (1, "step", "ladder", 2), (3, "step", "ladder", 0)]
    )
    assert share(rows["source paid", "Open"]) == (0.25, 4, False)
    assert share(rows["source paid", "Hand"]) == (0.25, 4, False)
    assert share(rows["track climbed", "Ladder"]) == (0.25, 4, False)
    assert not {("source offered", name) for name in ("Open", "Hand", "Ladder")} & set(rows)


def test_a_card_of_the_hand_that_nobody_placed_is_never_paid() -> None:
    rows = seen([(0, "offered", "bag", 0)])
    assert share(rows["source paid", "Hand"]) == (0, 4, True)
    assert share(rows["track climbed", "Ladder"]) == (0, 4, True)


def test_a_loss_pays_nobody() -> None:
    rows = seen([(0, "paid", "hand", -1)])
    assert share(rows["source paid", "Hand"]) == (0, 4, True)


def test_the_first_game_that_showed_a_thing_is_its_example() -> None:
    rows = seen(
        [(game, "offered", "choice", 0) for game in (1, 2, 3)]
        + [
            (3, "paid", "choice", 0),
            (2, "paid", "choice", 5),
            (3, "step", "ladder", 1),
            (2, "step", "ladder", 0),
        ]
    )
    examples = {key: row["example"] for key, row in rows.items()}
    assert examples["source offered", "Choice"] == 1
    assert (examples["source paid", "Choice"], examples["VP chosen", "Choice"]) == (2, 2)
    assert (examples["effect chosen", "Choice"], examples["track climbed", "Ladder"]) == (3, 3)
    assert (examples["ending", "spire"], examples["part of the score", "cards"]) == (0, 1)
    assert examples["kind of event", "paid"] == 2
    assert examples["action", "pass"] is None


def test_effects_that_nobody_chose_are_named() -> None:
    rows = seen([(game, kind, "choice", 4) for game in (0, 1, 2) for kind in ("offered", "paid")])
    assert share(rows["effect chosen", "Choice"]) == (0, 3, True)
    assert share(rows["VP chosen", "Choice"]) == (1, 3, False)


def test_kinds_of_event_count_by_game() -> None:
    rows = seen([(0, "stolen", "hand", 1), (0, "stolen", "hand", 1), (2, "stolen", "hand", 1)])
    assert share(rows["kind of event", "stolen"]) == (0.5, 4, False)
    assert share(rows["kind of event", "lapsed"]) == (0, 4, True)


def test_what_never_happened_comes_first() -> None:
    nevers = [row["never"] for row in seen([]).values()]
    assert nevers == sorted(nevers, reverse=True)


def test_a_run_that_kept_its_games_alone_tells_of_these() -> None:
    assert {what for what, _ in seen(None, seats=False)} == {"ending", "tie-break"}
    assert {what for what, _ in seen(None)} == {"ending", "tie-break", "action", "part of the score"}


def test_a_clause_was_applied_at_least_as_often_as_its_most_frequent_trace() -> None:
    rows = pl.DataFrame(
        [
            ("action", "draw", None, 0.5, 0.4, 0.6, 100), ("action", "pass", None, 0.0, 0.0, 0.03, 100),
            ("source paid", "Choice", "p.choice", 0.2, 0.1, 0.3, 90),
            ("source paid", "Other", "p.other", 0.0, 0.0, 0.1, 80),
            ("effect chosen", "Choice", "p.choice", 0.7, 0.6, 0.8, 18),
        ],
        schema=["what", "name", "source", "share", "share_low", "share_high", "share_n"], orient="row",
    )  # fmt: skip
    sources = pl.LazyFrame(
        {"source": ["p.choice", "p.other"], "group": ["red", "blue"], "kind": ["ability", "final"]}
    )
    clauses = {
        "1": ["action: draw", "action: pass"], "2": ["action: pass"], "3": ["source paid: p"],
        "4": ["source paid: blue"], "5": ["source paid: ability", "effect chosen"], "6": ["action: fly"],
    }  # fmt: skip
    found = clauses_covered(rows, sources, clauses)
    told = {
        row["clause"]: (row["share"], row["share_high"], row["share_n"], row["never"])
        for row in found.to_dicts()
    }
    assert told == {
        "1": (0.5, 0.6, 100, False), "2": (0.0, 0.03, 100, True), "3": (0.2, 0.3, 90, False),
        "4": (0.0, 0.1, 80, True), "5": (0.7, 0.8, 18, False), "6": (None, None, None, None),
    }  # fmt: skip
    assert found["clause"].to_list() == ["2", "4", "1", "3", "5", "6"]


@pytest.mark.parametrize("game", GAMES)
def test_every_declared_clause_has_a_trace_that_a_game_can_leave(game: str, tmp_path: Path) -> None:
    played = play(
        Experiment(game=game, players=3, games=12, bots=("balanced",) * 3, seed=3),
        tmp_path / "run",
        workers=1,
    )
    shown = covered(played.games, played.seats, played.events, played.catalogue, played.experiment)
    clauses = {trace: [trace] for traces in find_game(game).clauses.values() for trace in traces}
    found = clauses_covered(shown, played.catalogue, clauses)
    assert found.filter(pl.col("share").is_null())["clause"].to_list() == []
