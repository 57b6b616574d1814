"""Groups against each other: by hand, and in made-up races of which the truth is known."""

from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from analysis import offers
from tests.analysis.synthetic import write_race

CATALOGUE = pl.LazyFrame(
    [
        ("spire.b1", "Blue", True),
        ("spire.b2", "Blue", True),
        ("spire.r1", "Red", True),
        ("spire.r2", "Red", True),
        ("claim.a", "Claims", True),
        ("spire.own", "Blue", False),
        ("card.b", "Blue", False),
        ("track", "Track", False),
    ],
    schema=["source", "group", "offered"],
    orient="row",
)

Event = tuple[int, int, str, str, int]


def tables(events: list[Event], games: int, turns: int = 8) -> dict[str, pl.DataFrame]:
    """Of games in setups of their own; events are (game, seat, kind, source, amount)."""
    happened = pl.LazyFrame(events, schema=["game", "seat", "kind", "source", "amount"], orient="row")
    numbers = range(games)
    table = pl.LazyFrame({"game": numbers, "setup": numbers, "players": 2, "turns": turns})
    return offers.offer_tables(happened, table, CATALOGUE)


def shown(game: int, *spires: str) -> list[Event]:
    return [(game, -1, "offered", f"spire.{spire}", 0) for spire in spires]


def test_only_offered_sources_of_several_groups_compete() -> None:
    assert [(each.name, each.groups) for each in offers.families(CATALOGUE)] == [("spire", ("Blue", "Red"))]


def test_a_group_has_its_share_of_the_payouts_and_of_the_offers() -> None:
    events = [event for game in range(4) for event in shown(game, "b1", "r1", "r2")]
    events += [(game, 0, "paid", "spire.r1", 1) for game in (0, 1)] + [(2, 1, "paid", "spire.b1", 1)]
    rows = {row["group"]: row for row in tables(events, 4)["group"].to_dicts()}
    assert (rows["Blue"]["paid"], rows["Red"]["paid"]) == (pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert (rows["Blue"]["offered"], rows["Red"]["offered"]) == (pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert (rows["Red"]["paid_n"], rows["Red"]["offered_n"]) == (3, 12)


def test_a_source_counts_once_a_game_and_a_loss_and_a_card_of_the_hand_never() -> None:
    events = [event for game in range(2) for event in (*shown(game, "b1", "r1"), *shown(game, "r1"))]
    events += [(0, seat, "paid", "spire.r1", 3) for seat in (0, 1, 1)]
    events += [(1, 0, "paid", "spire.b1", 2), (1, 0, "paid", "spire.r1", -2)]
    events += [(1, 0, "paid", "card.b", 0), (1, 0, "paid", "spire.own", 0)]
    rows = {row["group"]: row for row in tables(events, 2)["group"].to_dicts()}
    assert (rows["Red"]["paid"], rows["Red"]["paid_n"], rows["Red"]["offered_n"]) == (0.5, 2, 4)


def test_payouts_are_told_by_what_was_on_offer_together() -> None:
    events = [event for game in range(4) for event in shown(game, "b1", "r1", "r2")]
    events += shown(4, "b1", "b2") + shown(5, "b1", "b2")
    events += [(0, 0, "paid", "spire.r1", 1), (1, 0, "paid", "spire.b1", 1), (2, 0, "paid", "spire.b1", 1)]
    events += [(4, 0, "paid", "spire.b2", 1)]
    rows = tables(events, 6)["combination"].to_dicts()
    assert [(row["combination"], row["group"], row["number"], row["games"]) for row in rows] == [
        ("1|2", "Blue", 1, 4), ("1|2", "Red", 2, 4), ("2|0", "Blue", 2, 2), ("2|0", "Red", 0, 2),
    ]  # fmt: skip
    assert [row["paid"] for row in rows] == [0.5, 0.25, 0.5, None]
    assert [row["nothing"] for row in rows] == [0.25, 0.25, 0.5, 0.5]
    assert {row["turns"] for row in rows} == {8.0}


def test_what_every_game_offers_alike_has_no_combinations() -> None:
    events = [event for game in range(4) for event in shown(game, "b1", "r1")]
    found = tables(events, 4)
    assert found["combination"].is_empty()
    assert found["group"].height == 2


def test_a_secret_offer_makes_no_combination() -> None:
    events = [event for game in range(4) for event in shown(game, "b1", "r1")]
    events += [(game, game % 2, "offered", "spire.b2", 0) for game in range(2)]
    found = tables(events, 4)
    assert found["combination"].is_empty()
    assert found["group"].filter(group="Blue")["offered"].item() == pytest.approx(6 / 10)


def test_only_the_most_frequent_combinations_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offers, "MOST_COMBINATIONS", 1)
    events = [event for game in range(3) for event in shown(game, "b1", "r1")] + shown(3, "b1", "b2")
    assert tables(events, 4)["combination"]["combination"].unique().to_list() == ["1|1"]


@pytest.fixture(scope="module")
def race(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pl.LazyFrame]:
    folder = write_race(tmp_path_factory.mktemp("race") / "run", games=3000)
    names = ("events", "games", "seats")
    frames = {name: pl.scan_parquet(folder / name / "*.parquet") for name in names}
    return frames | {"catalogue": pl.scan_parquet(folder / "catalogue.parquet")}


def test_in_a_race_the_shares_are_those_it_was_made_with(race: dict[str, pl.LazyFrame]) -> None:
    found = offers.offer_tables(race["events"], race["games"], race["catalogue"])
    for row in found["combination"].to_dicts():
        numbers = [int(number) for number in row["combination"].split("|")]
        ease = [numbers[0], numbers[1], 2 * numbers[2]]
        true = 0.96 * ease[("Blue", "Green", "Red").index(row["group"].split()[0])] / sum(ease)
        if row["number"]:
            margin = 1.5 * (row["paid_high"] - row["paid_low"]) / 2
            assert abs(row["paid"] - true) < margin, row
    assert found["group"]["paid"].sum() == pytest.approx(1)
    red = found["group"].filter(group="Red spires").row(0, named=True)
    assert red["paid_low"] > red["offered_high"]


def test_batches_change_no_number(
    race: dict[str, pl.LazyFrame], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole = offers.offer_tables(race["events"], race["games"], race["catalogue"])
    monkeypatch.setattr(offers, "BATCH", 500)
    for name, table in offers.offer_tables(race["events"], race["games"], race["catalogue"]).items():
        assert_frame_equal(table, whole[name], abs_tol=1e-12)
