"""The games that a report names as examples: the right ones, found by a plain look at every game."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from analysis import examples, seats, ties
from simulator.store import Run, load
from tests.analysis.synthetic import write_race, write_run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return load(write_run(tmp_path_factory.mktemp("runs") / "base", games=200))


@pytest.fixture(scope="module")
def games(run: Run) -> pl.DataFrame:
    return run.games.collect()


def test_outliers_are_the_games_at_the_ends_and_of_equals_the_lowest_number(
    run: Run, games: pl.DataFrame
) -> None:
    found = examples.outliers(run.games, run.seats, race=False)
    rows = games.rows(named=True)
    longest = sorted(rows, key=lambda row: (-row["turns"], row["game"]))[:3]
    narrow = sorted((row for row in rows if row["margin"] > 0), key=lambda row: (row["margin"], row["game"]))[
        :3
    ]
    best = sorted(
        run.seats.collect().rows(named=True), key=lambda row: (-row["score"], row["game"], row["seat"])
    )[:3]

    def of(what: str, *columns: str) -> list[tuple[int, ...]]:
        return found.filter(pl.col("what").str.starts_with(what)).select(columns).rows()

    assert of("longest", "value", "example") == [(row["turns"], row["game"]) for row in longest]
    assert of("narrowest", "value", "example") == [(row["margin"], row["game"]) for row in narrow]
    assert of("most points", "value", "seat", "example") == [
        (row["score"], row["seat"], row["game"]) for row in best
    ]
    tied = {game for (game,) in of("tied on points", "example")}
    assert tied
    assert tied <= set(games.filter(pl.col("margin") == 0)["game"])


def test_a_race_has_no_margins_but_its_drawn_games(tmp_path: Path) -> None:
    run = load(write_race(tmp_path / "run", games=200))
    found = examples.outliers(run.games, run.seats, race=True)
    assert not any("points" in what for what in found["what"])
    drawn = run.games.filter(pl.col("tie_stage") == -1).collect()
    named = found.filter(pl.col("what").str.starts_with("drawn"))["example"]
    assert 0 < named.len() <= 3
    assert set(named) <= set(drawn["game"])


def test_every_bin_holds_what_it_says_and_names_its_first_game(run: Run, games: pl.DataFrame) -> None:
    found = examples.bins(run.games, "turns")
    assert 1 < found.height <= examples.MOST_BINS
    for row in found.iter_rows(named=True):
        within = games.filter(pl.col("turns").is_between(row["least"], row["most"]))
        assert row["share"] == pytest.approx(within.height / games.height)
        assert row["share_low"] <= row["share"] <= row["share_high"]
        assert row["share_n"] == games.height
        assert row["example"] == within["game"].min()
    assert found["share"].sum() == pytest.approx(1)


@pytest.mark.parametrize(("turns", "bins"), [([7, 7], ["7"]), ([0, 19], None), ([1, 41], None)])
def test_bins_are_never_too_many_and_never_none(turns: list[int], bins: list[str] | None) -> None:
    frame = pl.LazyFrame({"game": [0, 1], "setup": [0, 1], "turns": turns})
    found = examples.bins(frame, "turns")
    assert found.height <= examples.MOST_BINS
    assert bins is None or found["bin"].to_list() == bins
    assert found.filter(pl.col("share") > 0)["example"].to_list() == sorted({0, len(set(turns)) - 1})


def fours(*strays: int) -> pl.LazyFrame:
    """Games of which all but the strays last a multiple of 4 turns."""
    turns = [84 + 4 * (game % 23) for game in range(2000)] + list(strays)
    return pl.LazyFrame({"game": range(len(turns)), "setup": range(len(turns)), "turns": turns})


@pytest.mark.parametrize("strays", [(), (137,), (81,), (137, 138, 190)])
def test_bins_of_lengths_in_steps_hold_equally_many_steps_in_spite_of_a_stray(
    strays: tuple[int, ...],
) -> None:
    found = examples.bins(fours(*strays), "turns")
    assert 10 <= found.height <= examples.MOST_BINS
    assert (found["least"] % 4 == 0).all()
    assert ((found["most"] - found["least"] + 1) == 8).all()
    whole = found.filter(pl.col("least") >= 84, pl.col("most") <= 172)["share"]
    assert whole.max() - whole.min() < 0.002
    assert found["share"].sum() == pytest.approx(1)
    assert found["bin"][0] == f"{found['least'][0]}–{found['most'][0]}"


def test_a_run_that_often_ends_between_the_steps_keeps_them_apart() -> None:
    found = examples.bins(fours(*range(101, 161)), "turns")
    assert set(found["most"] - found["least"] + 1) == {5}, "of 89 lengths at most 20 bins"


def test_climbers_are_sought_only_as_far_as_needed_but_always_found(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examples, "BATCH", 8)
    top = (
        run.seats.select("game", "seat")
        .join(
            run.events.filter((pl.col("kind") == "step") & (pl.col("source") == "vvibon"))
            .group_by("game", "seat")
            .agg(pl.col("amount").max()),
            on=["game", "seat"],
            how="left",
        )
        .with_columns(pl.col("amount").fill_null(0))
        .collect()
    )
    steps = pl.DataFrame(
        [{"source": "vvibon", "step": step, "never": (top["amount"] < step).mean()} for step in range(1, 10)]
    )
    for row in examples.climbs(run.events, run.games, run.seats, steps).iter_rows(named=True):
        assert row["reached_example"] == top.filter(pl.col("amount") >= row["step"])["game"].min()
        assert row["never_example"] == top.filter(pl.col("amount") < row["step"])["game"].min()


def test_the_first_event_of_each_source_is_found(run: Run) -> None:
    found = examples.first_events(run.events, ("kind", "source"))
    events = run.events.collect()
    assert found.height == events.select("kind", "source").unique().height
    for kind, source, example in found.head(40).iter_rows():
        assert events.filter(kind=kind, source=source)["game"].min() == example


def test_endings_and_ties_name_their_first_game(run: Run, games: pl.DataFrame) -> None:
    endings = seats.endings(run.games, ("never",))
    assert endings.row(0, named=True)["example"] is None
    for row in endings.tail(-1).iter_rows(named=True):
        assert row["example"] == games.filter(ending=row["ending"])["game"].min()
    near = ties.near_ties(run.games)
    for row in near.iter_rows(named=True):
        assert row["example"] == games.filter(pl.col("margin") <= row["margin"])["game"].min()
