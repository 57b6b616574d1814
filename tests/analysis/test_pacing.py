"""Track pacing: when seats reach steps, by hand."""

from pathlib import Path

import polars as pl
import pytest

from analysis.pacing import pacing_tables
from tests.analysis.synthetic import write_run


def climbed(
    events: list[tuple[int, int, int, int, int]], turns: list[int], rounds: int = 2
) -> dict[str, pl.DataFrame]:
    """Pacing of games of two seats with so many turns; events are (game, turn, round, seat, step)."""
    games = range(len(turns))
    happened = pl.LazyFrame(events, schema=["game", "turn", "round", "seat", "amount"], orient="row")
    return pacing_tables(
        happened.with_columns(kind=pl.lit("step"), source=pl.lit("t")),
        pl.LazyFrame({"game": games, "setup": games, "players": 2, "turns": turns, "rounds": rounds}),
        pl.LazyFrame({"game": [game for game in games for _ in range(2)], "seat": [0, 1] * len(turns)}),
        pl.LazyFrame({"source": ["t", "c"], "kind": ["track", "claim"]}),
    )


def test_the_share_counts_all_seats_also_those_that_never_moved() -> None:
    found = climbed([(0, 0, 1, 0, 1), (0, 5, 2, 1, 1)], [8, 8])["round"]
    assert found.select("step", "round", "reached", "reached_n").rows() == [(1, 1, 0.25, 4), (1, 2, 0.5, 4)]


def test_a_step_that_is_jumped_over_counts_as_reached() -> None:
    found = climbed([(0, 0, 1, 0, 3)], [8])["step"]
    assert found.select("step", "never").rows() == [(1, 0.5), (2, 0.5), (3, 0.5)]


def test_a_step_back_takes_nothing_away() -> None:
    found = climbed([(0, 0, 1, 0, 2), (0, 2, 1, 0, 0), (0, 4, 2, 0, 1)], [8])["round"]
    assert found.filter(step=2)["reached"].to_list() == [0.5, 0.5]


def test_turns_are_the_seats_own_and_the_end_of_a_game_is_censoring() -> None:
    # Game 0 ends after 2 turns a seat and nobody moves; in game 1 both seats step in their third turn.
    curve = climbed([(1, 4, 2, 0, 1), (1, 5, 2, 1, 1)], [4, 8])["turn"]
    assert curve.select("time", "share", "n").rows() == [(0, 0.0, 4), (1, 0.0, 4), (2, 0.0, 4), (3, 1.0, 2)]


def test_the_median_is_the_first_turn_by_which_half_have_come() -> None:
    events = [(game, 2 * turn + seat, 1, seat, 1) for game, turn, seat in [(0, 1, 0), (0, 2, 1), (1, 4, 0)]]
    row = climbed(events, [12, 12])["step"].row(0, named=True)
    assert (row["median_turn"], row["median_round"], row["never"]) == (3, 1, 0.25)


def test_exactly_half_is_half() -> None:
    row = climbed([(0, 0, 1, 0, 1), (0, 5, 2, 1, 1)], [8, 8])["step"].row(0, named=True)
    assert row["median_round"] == 2


def test_of_many_rounds_the_ends_of_spans_are_told_and_the_median_round_stays_exact() -> None:
    events = [(0, 10, 6, 0, 1), (0, 13, 7, 1, 1)]
    found = climbed(events, [40, 40], rounds=20)
    assert found["round"].select("round", "reached").rows()[:5] == [
        (2, 0.0), (4, 0.0), (6, 0.25), (8, 0.5), (10, 0.5),
    ]  # fmt: skip
    assert found["step"]["median_round"].item() == 7


def test_a_median_that_is_never_reached_is_null() -> None:
    row = climbed([(0, 0, 1, 0, 1)], [8, 8])["step"].row(0, named=True)
    assert (row["median_turn"], row["median_round"]) == (None, None)


def test_a_run_without_a_track_has_no_pacing() -> None:
    assert climbed([(0, 0, 1, 0, 0)], [8])["step"].is_empty()


def test_curves_rise_and_lie_in_their_bands(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", games=200)
    tables = [pl.scan_parquet(folder / name / "*.parquet") for name in ("events", "games", "seats")]
    found = pacing_tables(*tables, pl.scan_parquet(folder / "catalogue.parquet"))
    assert found["step"].select("source", pl.len().over("source")).unique().sort("source").rows() == [
        ("amp_r", 5),
        ("vvibon", 9),
    ]
    turn = found["turn"]
    assert turn.select((pl.col("share").diff().over("source", "step") >= 0).all()).item()
    assert turn.select(pl.col("share").is_between(pl.col("low") - 1e-12, pl.col("high") + 1e-12).all()).item()
    medians = found["step"].drop_nulls("median_turn")
    assert medians.select((pl.col("median_turn_low") <= pl.col("median_turn")).all()).item()
    assert medians["median_turn"].is_in(range(1, 28)).all()
    assert found["step"].filter(source="vvibon")["never"].is_sorted()


@pytest.mark.parametrize("step", [1, 2])
def test_a_lower_step_is_never_reached_later(step: int) -> None:
    found = climbed([(0, 3, 1, 1, 2), (1, 6, 2, 0, 1)], [8, 8])["round"]
    lower, higher = (found.filter(step=each)["reached"] for each in (step, 2))
    assert (lower >= higher).all()
