"""The steps of the tracks: by hand, and where the truth is planted."""

import numpy as np
import polars as pl
import pytest

from analysis.pacing import pacing_tables
from analysis.steps import positions, step_tables

Happened = tuple[int, int, int, str, str, int]
"""game, turn, seat, kind, source, amount; in their order within a turn"""


def climbed(
    events: list[Happened],
    turns: list[int],
    scores: tuple[int, int] = (10, 10),
    race: bool = False,
    backwards: bool = False,
) -> dict[str, pl.DataFrame]:
    """Games of two seats, each its own setup."""
    names = ["game", "turn", "seat", "kind", "source", "amount"]
    games = range(len(turns))
    happened = pl.LazyFrame(events, schema=names, orient="row").with_row_index("step_in_turn")
    seats = pl.LazyFrame(
        [(game, seat, "ab"[seat], scores[seat]) for game in games for seat in (0, 1)],
        schema=["game", "seat", "bot", "score"],
        orient="row",
    )
    return step_tables(
        happened.reverse() if backwards else happened,
        pl.LazyFrame({"game": games, "setup": games, "players": 2, "turns": turns}),
        seats,
        pl.LazyFrame({"source": ["t", "u", "c"], "kind": ["track", "track", "claim"]}),
        race,
    )


def step(game: int, turn: int, to: int, track: str = "t") -> Happened:
    return (game, turn, turn % 2, "step", track, to)


def pay(game: int, turn: int, amount: int, track: str = "t") -> Happened:
    return (game, turn, turn % 2, "paid", track, amount)


def test_a_step_that_is_jumped_was_not_stood_on() -> None:
    found = climbed([step(0, 0, 2), step(0, 1, 1), step(0, 3, 2)], [8])["landing"]
    assert found.select("step", "landed", "landed_n").rows() == [(1, 0.5, 2), (2, 1, 2)]


def test_a_seat_that_did_not_come_so_far_did_not_jump() -> None:
    found = climbed([step(0, 0, 2), step(0, 1, 1)], [8])["landing"]
    assert found.select("step", "landed", "landed_n").rows() == [(1, 0.5, 2), (2, 1, 1)]


def test_a_seat_stands_on_a_step_for_its_own_turns_until_the_next() -> None:
    # Seat 0 in its turns 1 and 4, seat 1 from its turn 2 to the end, turn 5.
    found = climbed([step(0, 0, 1), step(0, 6, 2), step(0, 3, 1)], [10])["landing"]
    first = found.row(0, named=True)
    assert (first["dwell"], first["dwell_n"], first["stayed"]) == (3, 2, 0.5)
    assert found.row(1, named=True)["dwell"] is None


def test_a_step_back_and_up_again_is_no_landing() -> None:
    found = climbed([step(0, 0, 2), step(0, 2, 1), step(0, 4, 2), step(0, 6, 3)], [8])
    assert found["landing"].select("step", "landed").rows() == [(1, 0), (2, 1), (3, 1)]
    assert found["landing"]["dwell"].to_list() == [None, 3, None]
    assert found["order"].select("step", "order", "vp_n").rows() == [(2, 1, 1), (3, 1, 1)]


def test_the_pay_of_a_step_is_what_its_track_pays_behind_it_in_the_same_turn() -> None:
    events = [
        pay(0, 0, 9), step(0, 0, 1), pay(0, 0, 2), pay(0, 0, 8, "u"), step(0, 0, 2), pay(0, 0, 3), pay(0, 0, 1),
        pay(0, 2, 7), step(0, 4, 3), (0, 4, 1, "paid", "t", 5), step(0, 1, 1), pay(0, 1, 4),
    ]  # fmt: skip
    found = climbed(events, [8])["landing"]
    assert found.select("step", "pays", "vp", "dead").rows() == [
        (1, 1, 3, None), (2, 1, 4, None), (3, 0, None, "never paid"),
    ]  # fmt: skip


def test_events_are_taken_as_they_happened_wherever_their_rows_stand() -> None:
    events = [step(0, 0, 1), pay(0, 0, 2), step(0, 2, 3), pay(0, 2, 5), step(0, 2, 4)]
    forwards, backwards = (climbed(events, [8], backwards=each)["landing"] for each in (False, True))
    assert forwards.equals(backwards)


def test_what_another_seat_is_paid_in_that_turn_is_no_pay_of_the_step() -> None:
    found = climbed([step(0, 4, 1), (0, 4, 1, "paid", "t", 5)], [8])
    assert found["landing"]["vp"].to_list() == [None]
    assert found["order"]["vp"].to_list() == [0]


def test_a_step_is_dead_if_nobody_stands_on_it() -> None:
    found = climbed([step(0, 0, 2), pay(0, 0, 0), step(0, 2, 3), pay(0, 2, 1)], [8])["landing"]
    assert found["dead"].to_list() == ["nobody stood on it", None, None]


def test_a_track_that_pays_nothing_has_no_steps_dead_for_it() -> None:
    found = climbed([step(0, 0, 1), step(0, 2, 2)], [8])["landing"]
    assert found["dead"].to_list() == [None, None]
    assert found["pays"].to_list() == [None, None]


def test_who_comes_first_gets_what_the_first_gets() -> None:
    events = [
        step(0, 0, 1), pay(0, 0, 5), step(0, 1, 1), pay(0, 1, 2),
        step(1, 1, 1), pay(1, 1, 5), step(1, 2, 1), pay(1, 2, 2),
        step(2, 2, 1), pay(2, 2, 5),
    ]  # fmt: skip
    found = climbed(events, [8, 8, 8])
    assert found["order"].select("order", "vp", "vp_n").rows() == [(1, 5, 3), (2, 2, 2)]
    assert found["first"].select("seat", "first", "fair", "first_n").rows() == [
        (0, pytest.approx(2 / 3), 0.5, 3), (1, pytest.approx(1 / 3), 0.5, 3),
    ]  # fmt: skip
    # Each time first is 3 above the least: twice in three games for seat 0, once for seat 1.
    assert found["bonus"].select("seat", "bonus", "bonus_n").rows() == [(0, 2, 3), (1, 1, 3)]


def test_the_order_of_two_landings_in_one_turn_is_that_of_their_events() -> None:
    found = climbed([(0, 3, 1, "step", "t", 1), (0, 3, 0, "step", "t", 1)], [8])["first"]
    assert found.select("seat", "first").rows() == [(0, 0), (1, 1)]


def test_the_share_of_the_score_counts_everything_that_the_track_paid() -> None:
    events = [step(0, 0, 1), pay(0, 0, 4), pay(0, 2, 1), (0, 9, 0, "paid", "t", 1), (0, 3, 1, "paid", "c", 7)]
    found = climbed(events, [9], scores=(12, 8))
    assert found["share"].select("source", "share", "points").rows() == [("t", 0.3, 3)]
    assert found["share_by_bot"].select("bot", "share", "points").rows() == [("a", 0.5, 6), ("b", 0, 0)]


def test_a_race_has_no_points_to_share() -> None:
    assert not {"share", "bonus"} & set(climbed([step(0, 0, 1)], [8], race=True))


def test_what_nobody_climbs_has_no_steps() -> None:
    assert climbed([pay(0, 0, 4)], [8]) == {}


def test_dwell_is_found_where_games_end_too_soon_to_see_it() -> None:
    """A seat leaves its step with 1/5 a turn, half by its third; most games are over by then."""
    rng = np.random.default_rng(6)
    games = 4000
    leaves, own_turns = rng.geometric(0.2, games), rng.integers(1, 9, games)
    events = [step(game, 0, 1) for game in range(games)]
    events += [step(g, 2 * int(leaves[g]), 2) for g in range(games) if leaves[g] < own_turns[g]]
    row = climbed(events, [2 * int(each) for each in own_turns])["landing"].row(0, named=True)
    assert row["dwell_low"] <= 4 <= row["dwell_high"]
    assert row["dwell"] == 4
    assert row["stayed"] == pytest.approx((leaves >= own_turns).mean())


def test_a_quantile_is_the_lowest_step_with_so_many_seats_on_it_or_below() -> None:
    reached = pl.DataFrame(
        {"source": "t", "round": 1, "step": [1, 2], "reached": [0.5, 0.25], "reached_n": 8},
    )
    row = positions(reached).row(0, named=True)
    assert [row[name] for name in ("q05", "q25", "q50", "q75", "q95", "mean")] == [0, 0, 0, 1, 2, 0.75]


def test_positions_are_quantiles_of_the_highest_step_by_the_end_of_each_round() -> None:
    rng = np.random.default_rng(2)
    highest = rng.integers(0, 6, (200, 2))
    rows = [
        (game, 1 + seat, seat, int(each), 1)
        for game in range(200)
        for seat in (0, 1)
        for each in range(1, highest[game, seat] + 1)
    ]
    events = pl.LazyFrame(rows, schema=["game", "turn", "seat", "amount", "round"], orient="row")
    games = pl.LazyFrame({"game": range(200), "setup": range(200), "players": 2, "turns": 8, "rounds": 2})
    seats = pl.LazyFrame({"game": np.repeat(np.arange(200), 2), "seat": [0, 1] * 200})
    happened = events.with_columns(kind=pl.lit("step"), source=pl.lit("t"))
    found = positions(
        pacing_tables(happened, games, seats, pl.LazyFrame({"source": ["t"], "kind": ["track"]}))["round"]
    )
    row = found.row(0, named=True)
    for q in (0.05, 0.25, 0.5, 0.75, 0.95):
        assert row[f"q{100 * q:02.0f}"] == np.quantile(highest, q, method="inverted_cdf")
    assert row["mean"] == pytest.approx(highest.mean())
    assert (found["round"].to_list(), row["n"]) == ([1, 2], 400)
