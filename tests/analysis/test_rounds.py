"""Spans of rounds: none is lost, and few rounds stay as they are."""

import polars as pl
import pytest

from analysis.rounds import MOST, Rounds, rounds_of


def of(rounds: list[int]) -> Rounds:
    return rounds_of(pl.LazyFrame({"rounds": rounds}))


def test_few_rounds_stand_one_by_one() -> None:
    rounds = of([3, 4, 4])
    assert rounds.firsts == rounds.ends == [1, 2, 3, 4]
    assert [rounds.label(first) for first in rounds.firsts] == ["round 1", "round 2", "round 3", "round 4"]


@pytest.mark.parametrize("usual", [13, 24, 25, 60, 151])
def test_many_rounds_stand_in_spans_that_hold_each_round_once(usual: int) -> None:
    rounds = of([usual] * 95 + [400] * 5)
    assert 6 <= len(rounds.firsts) <= MOST
    numbers = pl.DataFrame({"round": range(1, 401)}).with_columns(rounds.first_of().alias("first"))
    assert numbers["first"].unique().sort().to_list() == rounds.firsts
    last = numbers.group_by("first").agg(pl.col("round").max()).sort("first")
    assert last["round"].to_list() == rounds.ends
    lengths = numbers["first"].value_counts().sort("first")["count"].to_list()
    assert len(set(lengths[:-1])) == 1


def test_a_span_says_which_rounds_it_holds() -> None:
    rounds = of([24] * 95 + [100] * 5)
    labels = [rounds.label(first) for first in rounds.firsts]
    assert (labels[0], labels[1], labels[-1]) == ("rounds 1–2", "rounds 3–4", "from round 23")


def test_a_long_game_among_short_ones_lies_in_the_last_span() -> None:
    rounds = of([4] * 99 + [40])
    assert [rounds.label(first) for first in rounds.firsts] == [
        "round 1", "round 2", "round 3", "from round 4",
    ]  # fmt: skip
