"""How long offers wait: by hand, and where the truth is planted."""

import numpy as np
import polars as pl
import pytest

from analysis.time_to_pay import time_tables

Happened = tuple[int, int, int, int, str, str, int]
"""game, turn, round, seat, kind, source, amount"""


def waits(
    events: list[Happened], turns: list[int], rounds: int = 2, own: str = "h"
) -> dict[str, pl.DataFrame]:
    names = ["game", "turn", "round", "seat", "kind", "source", "amount"]
    games = range(len(turns))
    return time_tables(
        pl.LazyFrame(events, schema=names, orient="row"),
        pl.LazyFrame({"game": games, "setup": games, "turns": turns, "rounds": rounds}),
        pl.LazyFrame({"source": ["a", "b", own], "offered": [True, True, False]}),
    )


def offered(game: int, turn: int, source: str = "a", seat: int = -1) -> Happened:
    return (game, turn, 1, seat, "offered", source, 0)


def test_unpaid_offers_are_censored_at_the_end_of_the_game() -> None:
    events = [offered(0, 0), offered(1, 0), (0, 3, 1, 1, "paid", "a", 5)]
    found = waits(events, [10, 10])
    row = found["source"].row(0, named=True)
    assert (row["one_in"], row["one_in_n"], row["turns"], row["turns_q75"], row["turns_n"]) == (
        2,
        2,
        3,
        None,
        2,
    )
    assert found["curve"].filter(pl.col("time").is_in([2, 3, 10])).select("time", "share", "n").rows() == [
        (2, 0.0, 2), (3, 0.5, 2), (10, 0.5, 1),
    ]  # fmt: skip


def test_a_game_that_ends_early_says_nothing_about_later_turns() -> None:
    events = [offered(0, 0), offered(1, 0), (1, 6, 2, 0, "paid", "a", 5)]
    row = waits(events, [4, 10])["source"].row(0, named=True)
    assert (row["turns"], row["turns_q75"], row["rounds"]) == (6, 6, 1)


def test_an_offer_that_lapses_leaves_then() -> None:
    events = [offered(0, 2), (0, 5, 1, -1, "lapsed", "a", 0), offered(1, 0), (1, 9, 2, 0, "paid", "a", 1)]
    curve = waits(events, [20, 20])["curve"]
    assert curve.filter(pl.col("time").is_in([3, 4, 9])).select("time", "share", "n").rows() == [
        (3, 0.0, 2), (4, 0.0, 1), (9, 1.0, 1),
    ]  # fmt: skip


def test_time_runs_from_the_offer_and_to_the_first_payment() -> None:
    events = [offered(0, 4), (0, 11, 2, 1, "paid", "a", 0), (0, 13, 2, 0, "paid", "a", 7)]
    events.append((0, 15, 2, 1, "paid", "a", 0))
    row = waits(events, [20])["source"].row(0, named=True)
    assert (row["turns"], row["rounds"], row["one_in"]) == (7, 1, 1)


def test_a_loss_is_no_payment() -> None:
    row = waits([offered(0, 0), (0, 2, 1, 1, "paid", "a", -1)], [9])["source"].row(0, named=True)
    assert (row["paid"], row["one_in"], row["one_in_low"] > 1) == (0, None, True)


def test_a_secret_card_is_paid_by_its_own_seat_alone() -> None:
    events = [offered(0, 0, seat=0), offered(0, 0, seat=1), (0, 2, 1, 1, "paid", "a", 3)]
    row = waits(events, [9])["source"].row(0, named=True)
    assert (row["one_in"], row["one_in_n"]) == (2, 2)


def test_what_nobody_offers_is_open_from_the_first_turn_and_a_hands_card_is_left_out() -> None:
    events = [(0, 2, 1, 1, "paid", "b", 3), (0, 2, 1, 1, "paid", "h", 3)]
    found = waits(events, [8, 8])["source"]
    assert found.select("source", "one_in_n", "one_in", "turns").rows() == [("b", 2, 2, 2)]


def test_final_scoring_pays_at_the_end() -> None:
    row = waits([offered(0, 1), (0, 9, 2, 1, "paid", "a", 3)], [9])["source"].row(0, named=True)
    assert row["turns"] == 8


def test_the_median_is_that_of_offers_that_stand_until_they_are_paid() -> None:
    """Each turn pays an open offer with 0.1: half by turn 7; games that end at random would shorten it to 4."""
    rng = np.random.default_rng(3)
    wait, end = rng.geometric(0.1, 3000), rng.integers(1, 15, 3000)
    events = [offered(game, 0) for game in range(3000)]
    events += [(g, int(wait[g]), 1, 0, "paid", "a", 1) for g in range(3000) if wait[g] <= end[g]]
    row = waits(events, [int(each) for each in end])["source"].row(0, named=True)
    assert row["turns_low"] <= 7 <= row["turns_high"]
    assert row["turns_high"] - row["turns_low"] <= 2
    assert row["turns_q25"] == 3
    assert row["one_in"] == pytest.approx(3000 / (wait <= end).sum())


def test_a_run_that_offers_nothing_has_no_waits() -> None:
    assert waits([(0, 2, 1, 1, "paid", "h", 3)], [8]) == {}
