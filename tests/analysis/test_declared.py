"""What a game counts beside the common columns: by hand, and in made-up races of which the truth is known."""

from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from analysis import declared
from tests.analysis.synthetic import write_race

Tables = dict[str, pl.DataFrame]


def by_hand(
    events: list[tuple[int, int, int, int, str]], wins: list[int], kinds: tuple[str, ...] = ("trimmed",)
) -> Tables:
    """Games of two seats with 8 turns in 4 rounds; events are (game, turn, round, seat, kind)."""
    games = range(len(wins))
    return declared.kind_tables(
        pl.LazyFrame(events, schema=["game", "turn", "round", "seat", "kind"], orient="row"),
        pl.LazyFrame({"game": games, "setup": games, "turns": 8, "rounds": 4}),
        pl.LazyFrame(
            {
                "game": [game for game in games for _ in range(2)],
                "seat": [0, 1] * len(wins),
                "bot": ["ann", "bob"] * len(wins),
                "win_share": [float(seat == winner) for winner in wins for seat in (0, 1)],
            }
        ),
        kinds,
    )


def test_times_seats_and_turns_are_counted_apart() -> None:
    events = [
        (0, 2, 2, 0, "trimmed"),
        (0, 2, 2, 0, "trimmed"),
        (0, 5, 3, 0, "trimmed"),
        (1, 1, 1, 1, "other"),
    ]
    row = by_hand(events, [0, 1])["kinds"].row(0, named=True)
    assert (row["kind"], row["mean"], row["mean_n"]) == ("trimmed", 0.75, 4)
    assert row["seats"] == 0.25, "one of four seats, however often"
    assert (row["turns"], row["turns_n"]) == (2 / 16, 16)


def test_the_wins_of_the_seats_with_and_without_are_compared() -> None:
    events = [(0, 1, 1, 0, "trimmed"), (1, 1, 1, 0, "trimmed"), (2, 1, 1, 1, "trimmed")]
    row = by_hand(events, [0, 1, 0])["kinds"].row(0, named=True)
    assert (row["with"], row["with_n"]) == (pytest.approx(1 / 3), 3)
    assert (row["without"], row["without_n"]) == (pytest.approx(2 / 3), 3)
    assert row["difference"] == pytest.approx(-1 / 3)
    assert row["difference_low"] < -1 / 3 < row["difference_high"]


def test_what_every_seat_has_is_compared_with_nothing() -> None:
    events = [(game, 0, 1, seat, "dealt") for game in range(3) for seat in (0, 1)]
    row = by_hand(events, [0, 1, 0], ("dealt",))["kinds"].row(0, named=True)
    assert (row["seats"], row["with"], row["without"], row["difference"]) == (1.0, 0.5, None, None)


def test_a_kind_that_never_happens_has_a_row() -> None:
    found = by_hand([(0, 1, 1, 0, "trimmed")], [0, 1], ("trimmed", "stolen"))
    assert found["kinds"]["kind"].to_list() == ["trimmed", "stolen"]
    assert found["kinds"].row(1, named=True)["mean"] == 0.0
    assert found["kinds_by_seat"].select("kind", "seat", "mean").rows() == [
        ("trimmed", 0, 0.5), ("trimmed", 1, 0.0), ("stolen", 0, 0.0), ("stolen", 1, 0.0),
    ]  # fmt: skip


def test_what_happens_to_nobody_is_no_seats() -> None:
    row = by_hand([(0, 1, 1, -1, "trimmed")], [0])["kinds"].row(0, named=True)
    assert (row["mean"], row["seats"], row["turns"]) == (0.0, 0.0, 1 / 8)


@pytest.fixture(scope="module")
def race(tmp_path_factory: pytest.TempPathFactory) -> tuple[pl.LazyFrame, ...]:
    folder = write_race(tmp_path_factory.mktemp("race") / "run", games=900)
    return tuple(pl.scan_parquet(folder / name / "*.parquet") for name in ("events", "games", "seats"))


def test_only_those_still_playing_are_asked_by_round(race: tuple[pl.LazyFrame, ...]) -> None:
    events, games, seats = race
    found = declared.kind_tables(events, games, seats, ("drawn", "trimmed"))["kinds_by_round"]
    drawn = found.filter(kind="drawn").sort("round")
    playing = games.select("rounds").collect()["rounds"]
    assert drawn["seats_n"].to_list() == [3 * int((playing >= first).sum()) for first in drawn["round"]]
    assert drawn["seats"][0] == pytest.approx(0.75, abs=0.05), "a draw in at least one of two turns"
    trimmed = dict(found.filter(kind="trimmed").select("round", "seats").iter_rows())
    assert trimmed[1] == pytest.approx(1 / 6, abs=0.03), "seat 2, in round 2 of half of its games"
    assert all(share == 0 for first, share in trimmed.items() if first > 1)


def test_seats_are_told_apart(race: tuple[pl.LazyFrame, ...]) -> None:
    rows = declared.kind_tables(*race, ("trimmed",))["kinds_by_seat"].to_dicts()
    assert [row["seats"] for row in rows[:2]] == [0.0, 0.0]
    assert rows[2]["seats_low"] < 0.5 < rows[2]["seats_high"]


def test_batches_change_no_number(race: tuple[pl.LazyFrame, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = declared.kind_tables(*race, ("drawn", "trimmed"))
    monkeypatch.setattr(declared, "BATCH", 150)
    for name, table in declared.kind_tables(*race, ("drawn", "trimmed")).items():
        assert_frame_equal(table, whole[name], abs_tol=1e-12)


def test_own_columns_are_means_and_what_is_0_or_1_is_a_share(tmp_path: Path) -> None:
    seats = pl.LazyFrame(
        {
            "game": [0, 0, 1, 1], "seat": [0, 1, 0, 1], "bot": ["ann", "bob"] * 2, "score": 0, "rank": 1,
            "win_share": 0.5, "score_a": 0, "did_a": 0, "cards": [3, 5, 5, 7], "dead": [1, 0, 0, 0],
        }
    )  # fmt: skip
    games = pl.LazyFrame({"game": [0, 1], "setup": [0, 1]})
    own = declared.own_columns(seats)
    assert own == ["cards", "dead"]
    found = declared.column_tables(seats, games, own)
    assert found["columns"].select("column", "mean", "share").rows() == [
        ("cards", 5.0, None),
        ("dead", None, 0.25),
    ]
    assert found["columns_by_seat"].select("seat", "column", "mean", "share").rows() == [
        (0, "cards", 4.0, None), (0, "dead", None, 0.5), (1, "cards", 6.0, None), (1, "dead", None, 0.0),
    ]  # fmt: skip
    assert found["columns_by_bot"].filter(column="cards")["mean"].to_list() == [4.0, 6.0]
