"""Tension: by hand, by a naive twin, and where the truth is planted."""

from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest

from analysis import tension

Payment = tuple[int, int, int, int]
"""game, turn, seat, points"""


def run(
    payments: list[Payment], turns: list[int], wins: list[list[float]], setup: list[int] | None = None
) -> tuple[pl.LazyFrame, pl.LazyFrame, pl.LazyFrame]:
    """Events, games and seats; `wins` are the shares of the win by seat of each game."""
    games, players = range(len(turns)), len(wins[0])
    happened = pl.LazyFrame(payments, schema=["game", "turn", "seat", "amount"], orient="row")
    table = pl.LazyFrame({"game": games, "setup": setup or list(games), "players": players, "turns": turns})
    places = pl.LazyFrame(
        [(game, seat, wins[game][seat]) for game in games for seat in range(players)],
        schema=["game", "seat", "win_share"],
        orient="row",
    )
    return happened.with_columns(kind=pl.lit("paid"), source=pl.lit("a")), table, places


SOURCES = pl.LazyFrame({"source": ["a", "t", "u"], "kind": ["card", "track", "track"]})


def tables(
    payments: list[Payment], turns: list[int], wins: list[list[float]], setup: list[int] | None = None
) -> dict[str, pl.DataFrame]:
    return tension.tension_tables(*run(payments, turns, wins, setup), SOURCES, race=False)


def test_a_game_is_followed_turn_by_turn_to_final_scoring() -> None:
    """After each turn 0:3, 1:3, 5:3, 5:4, then 7:4."""
    payments = [(0, 0, 1, 3), (0, 1, 0, 1), (0, 2, 0, 4), (0, 3, 1, 1), (0, 4, 0, 2)]
    row = tables(payments, [4], [[1, 0]])["games"].row(0, named=True)
    assert (row["lead_changes"], row["lead_change"]) == (1, 0.25)
    assert (row["behind"], row["drama"], row["drama_most"]) == (0.5, 2.5, 3)
    assert (row["settled"], row["at_the_end"]) == (0.75, 0)
    assert (row["threshold"], row["decisiveness"]) == (3, 0)


def test_the_game_is_decisive_once_the_winner_leads_by_more_than_anybody_else_ever_did() -> None:
    payments = [(0, 0, 1, 2), (0, 1, 0, 4), (0, 2, 0, 1)]
    row = tables(payments, [10], [[1, 0]])["games"].row(0, named=True)
    assert (row["threshold"], row["decisiveness"]) == (2, 0.7)


def test_shares_of_the_turns_have_bounds_between_0_and_1() -> None:
    payments = [(0, 0, 0, 1), (1, 9, 0, 1)]
    row = tables(payments, [10, 10], [[1, 0], [1, 0]])["games"].row(0, named=True)
    for name, value in (("decisiveness", 0.45), ("settled", 0.55)):
        assert row[name] == pytest.approx(value)
        assert 0 <= row[f"{name}_low"] < value < row[f"{name}_high"] <= 1


def test_a_lead_that_is_shared_in_between_has_not_changed() -> None:
    payments = [(0, 0, 0, 2), (0, 1, 1, 2), (0, 2, 0, 1), (0, 3, 1, 5)]
    row = tables(payments, [4], [[0, 1]])["games"].row(0, named=True)
    assert row["lead_changes"] == 1


def test_a_lead_taken_by_final_scoring_is_a_change_and_settles_at_the_end() -> None:
    row = tables([(0, 0, 0, 2), (0, 6, 1, 5)], [6], [[0, 1]])["games"].row(0, named=True)
    assert (row["lead_changes"], row["settled"], row["at_the_end"]) == (1, 1, 1)


def test_a_game_won_by_a_tie_break_is_settled_at_the_end() -> None:
    row = tables([(0, 0, 0, 2), (0, 1, 1, 2)], [6], [[0, 1]])["games"].row(0, named=True)
    assert (row["settled"], row["at_the_end"]) == (1, 1)


def test_a_loss_takes_points_away() -> None:
    row = tables([(0, 0, 0, 5), (0, 1, 1, 3), (0, 2, 0, -4)], [3], [[0, 1]])["games"].row(0, named=True)
    assert (row["lead_changes"], row["drama_most"]) == (1, 5)


def test_shared_games_are_left_out() -> None:
    found = tables([(0, 0, 0, 5), (1, 0, 0, 5)], [4, 4], [[1, 0], [0.5, 0.5]])
    assert found["games"]["lead_changes_n"].item() == 1
    assert tables([(0, 0, 0, 5)], [4], [[0.5, 0.5]]) == {}


def test_uncertainty_is_the_entropy_of_the_place_from_which_winners_come() -> None:
    # Seat 0 leads from the first turn on; it wins three games of four.
    payments = [(game, 0, 0, 1) for game in range(4)]
    course = tables(payments, [10] * 4, [[1, 0], [1, 0], [1, 0], [0, 1]])["course"]
    entropy = -(0.75 * np.log2(0.75) + 0.25 * np.log2(0.25))
    assert course["uncertainty"].to_list() == pytest.approx([entropy] * 11)
    assert course["leader_wins"].to_list() == [0.75] * 11
    assert course["lead"].to_list() == [1] * 11


def test_a_tenth_of_few_turns_is_the_next_whole_turn() -> None:
    course = tables([(0, 0, 0, 1), (0, 2, 0, 2), (0, 5, 0, 4)], [5], [[1, 0]])["course"]
    assert course["lead"].to_list() == [1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 7]


def test_where_nobody_leads_everything_is_open() -> None:
    course = tables([(0, 8, 2, 1), (1, 8, 0, 1)], [10, 10], [[0, 0, 1], [1, 0, 0]])["course"]
    before, after = course.filter(pl.col("tenth") < 9), course.filter(pl.col("tenth") >= 9)
    assert before["uncertainty"].to_list() == pytest.approx([1] * 8)
    assert before["leader_wins"].to_list() == pytest.approx([1 / 3] * 8)
    assert after["uncertainty"].to_list() == [0] * 3


def test_a_race_is_followed_by_the_steps_on_all_its_tracks_and_steps_back_count_for_nothing() -> None:
    rows = [(0, 0, 0, "t", 2), (0, 1, 1, "u", 1), (0, 2, 0, "t", 0), (0, 3, 1, "t", 3), (0, 3, 1, "a", 9)]
    events = pl.LazyFrame(rows, schema=["game", "turn", "seat", "source", "amount"], orient="row")
    _, games, seats = run([], [4], [[0, 1]])
    row = tension.tension_tables(events.with_columns(kind=pl.lit("step")), games, seats, SOURCES, race=True)
    found = row["games"].row(0, named=True)
    assert (found["drama_most"], found["behind"], found["lead_changes"]) == (2, 0.75, 1)
    assert row["course"].filter(tenth=10)["lead"].item() == 2
    assert row["course"]["tenth"].to_list() == list(range(1, 11)), "a race has no final scoring"


def test_a_race_without_a_track_has_no_standing_before_its_end() -> None:
    assert tension.tension_tables(*run([(0, 1, 0, 1)], [4], [[1, 0]]), SOURCES, race=True) == {}


def naive(payments: list[Payment], game: int, turns: int, players: int, winner: int) -> dict[str, Any]:
    """The measures of one game, written down as they are told."""
    standings = []
    for turn in range(turns):
        points = [
            sum(p for g, t, s, p in payments if (g, s) == (game, seat) and t <= turn)
            for seat in range(players)
        ]
        standings.append(points)
    final = [sum(p for g, _, s, p in payments if (g, s) == (game, seat)) for seat in range(players)]

    def alone(points: list[int]) -> int | None:
        return points.index(max(points)) if points.count(max(points)) == 1 else None

    leaders = [leader for leader in map(alone, [*standings, final]) if leader is not None]
    gaps = [max(points) - points[winner] for points in standings if max(points) > points[winner]]
    leads = [(alone(points), sorted(points)[-1] - sorted(points)[-2]) for points in standings]
    threshold = max([lead for leader, lead in leads if leader not in (None, winner)], default=0)
    beyond = [turn for turn, (leader, lead) in enumerate(leads) if leader == winner and lead > threshold]
    lost = [turn for turn, (leader, _) in enumerate(leads) if leader != winner]
    at_end = alone(final) != winner or (bool(lost) and lost[-1] == turns - 1)
    return {
        "lead_changes": sum(one != other for one, other in pairwise(leaders)),
        "behind": len(gaps),
        "gap": sum(gaps),
        "drama_most": max(gaps, default=0),
        "threshold": threshold,
        "decisiveness": (turns - 1 - beyond[0]) / turns if beyond else 0,
        "settled": 1 if at_end else (lost[-1] + 2 if lost else 1) / turns,
        "at_the_end": at_end,
    }


def test_the_measures_are_those_of_a_naive_twin(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    turns = [int(turn) for turn in rng.integers(3, 15, 40)]
    payments = [
        (game, int(rng.integers(0, turns[game] + 1)), int(rng.integers(0, 3)), int(rng.integers(-1, 5)))
        for game in range(40)
        for _ in range(12)
    ]
    winners = rng.integers(0, 3, 40)
    wins = [[float(seat == winner) for seat in range(3)] for winner in winners]
    expected = pl.DataFrame(
        [naive(payments, game, turns[game], 3, int(winners[game])) for game in range(40)]
    ).mean()
    for cells in (4_000_000, 200):
        monkeypatch.setattr(tension, "CELLS", cells)
        found = tables(payments, turns, wins)["games"].row(0, named=True)
        for name in ("lead_changes", "drama_most", "threshold", "decisiveness", "settled", "at_the_end"):
            assert found[name] == pytest.approx(expected[name].item()), name
        assert found["behind"] == pytest.approx(expected["behind"].item() * 40 / sum(turns))
        assert found["drama"] == pytest.approx(expected["gap"].item() / expected["behind"].item())


def test_intervals_of_uncertainty_hold_what_they_promise() -> None:
    rng = np.random.default_rng(8)
    truth = -(0.7 * np.log2(0.7) + 0.3 * np.log2(0.3))
    setups, inside = 150, 0
    for _ in range(200):
        # Setups of two games in which both winners come from one place.
        first = 2.0 * (rng.random(setups) < 0.7)
        numbers = pl.DataFrame(
            {
                "setup": range(setups), "players": 2, "tenth": 1, "games": 2, "lead": 1,
                "place0": first, "place1": 2 - first,
            }
        )  # fmt: skip
        row = tension._course(numbers).row(0, named=True)
        inside += row["uncertainty_low"] <= truth <= row["uncertainty_high"]
    assert 0.92 <= inside / 200 <= 0.98
