"""Payout rates: counted by hand, by a naive twin, and whatever the batches."""

from collections import defaultdict
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from analysis import payouts
from tests.analysis.synthetic import write_run

Frames = tuple[pl.LazyFrame, pl.LazyFrame, pl.LazyFrame, pl.LazyFrame]


def frames(folder: Path) -> Frames:
    tables = [pl.scan_parquet(folder / name / "*.parquet") for name in ("events", "games", "seats")]
    return tables[0], tables[1], tables[2], pl.scan_parquet(folder / "catalogue.parquet")


def by_hand(
    events: list[tuple[int, int, int, str, str, int]],
    kinds: dict[str, str],
    games: int = 2,
    own: tuple[str, ...] = (),
    rounds: int = 4,
) -> Frames:
    """Games of two seats, each its own setup; events are (game, round, seat, kind, source, amount).

    Nobody offers the sources `own`.
    """
    happened = pl.LazyFrame(
        events, schema=["game", "round", "seat", "kind", "source", "amount"], orient="row"
    )
    table = pl.LazyFrame(
        {"game": range(games), "setup": range(games), "players": [2] * games, "rounds": [rounds] * games}
    )
    seats = pl.LazyFrame(
        {
            "game": [game for game in range(games) for _ in range(2)],
            "seat": [0, 1] * games,
            "bot": ["ann", "bob"] * games,
            "win_share": [1.0, 0.0] * games,
        }
    )
    rows = [(source, source, "planet", kind, "", source not in own) for source, kind in kinds.items()]
    return (
        happened,
        table,
        seats,
        pl.LazyFrame(rows, schema=["source", "name", "group", "kind", "text", "offered"], orient="row"),
    )


def of_source(run: Frames, source: str) -> dict[str, object]:
    return payouts.payouts(*run).filter(source=source).row(0, named=True)


def test_an_offer_is_counted_once_for_all_seats_and_paid_if_one_seat_was_paid() -> None:
    run = by_hand(
        [
            (0, 1, -1, "offered", "c", 0),
            (0, 1, 0, "reachable", "c", 0),
            (0, 1, 0, "paid", "c", 3),
            (0, 1, 1, "reachable", "c", 0),
            (0, 2, 1, "paid", "c", 5),
            (1, 1, -1, "offered", "c", 0),
            (1, 1, 1, "reachable", "c", 0),
            (1, 1, -1, "lapsed", "c", 0),
        ],
        {"c": "claim"},
    )
    row = of_source(run, "c")
    assert (row["offered"], row["reachable"], row["paid"], row["lapsed"]) == (2, 2, 1, 1)
    assert (row["paid_offered"], row["paid_reachable"], row["unwon"]) == (0.5, 0.5, 0.5)
    assert (row["seats_reachable"], row["seats_paid"], row["payments"]) == (3, 2, 2)
    assert (row["seat_paid_offered"], row["seat_paid_offered_n"]) == (0.5, 4)
    assert row["seat_paid_reachable"] == pytest.approx(2 / 3)
    assert (row["vp"], row["vp_first"], row["vp_later"]) == (8.0, 8.0, 0.0)
    assert row["example"] == 0


def test_a_loss_to_an_attack_is_no_payout() -> None:
    run = by_hand(
        [
            (0, 1, -1, "offered", "a", 0),
            (0, 1, 0, "paid", "a", 0),
            (0, 2, 1, "paid", "a", -2),
            (1, 1, -1, "offered", "a", 0),
        ],
        {"a": "ability"},
    )
    row = of_source(run, "a")
    assert (row["paid"], row["seats_paid"], row["payments"]) == (1, 1, 1)
    assert (row["vp"], row["vp_lost"]) == (0.0, 2.0)


def test_the_first_payment_tells_the_effect_from_the_vp_and_later_ones_are_apart() -> None:
    run = by_hand(
        [
            (0, 1, -1, "offered", "a", 0),
            (0, 1, 0, "paid", "a", 0),
            (0, 2, 0, "used", "a", 0),
            (0, 2, 0, "paid", "a", 2),
            (0, 3, 0, "paid", "a", 2),
            (1, 1, -1, "offered", "a", 0),
            (1, 1, 1, "paid", "a", 6),
        ],
        {"a": "ability"},
    )
    row = of_source(run, "a")
    assert (row["effect"], row["effect_n"]) == (0.5, 2)
    assert (row["win_share_effect"], row["win_share_vp"]) == (1.0, 0.0)
    assert (row["vp"], row["vp_first"], row["vp_later"]) == (5.0, 3.0, 2.0)


def test_a_reward_that_is_no_choice_has_no_effect_share() -> None:
    run = by_hand([(0, 1, -1, "offered", "f", 0), (0, 1, 0, "paid", "f", 0)], {"f": "final"})
    assert of_source(run, "f")["effect"] is None


def test_a_secret_card_is_an_offer_to_its_seat_alone() -> None:
    run = by_hand(
        [
            (0, 1, 0, "offered", "s", 0),
            (0, 1, 1, "offered", "s", 0),
            (0, 4, 1, "paid", "s", 7),
            (1, 1, 0, "offered", "s", 0),
        ],
        {"s": "providence"},
    )
    row = of_source(run, "s")
    assert (row["offered"], row["paid"]) == (3, 1)
    assert (row["seat_paid_offered_n"], row["seats_paid"]) == (3, 1)


def test_what_is_paid_was_within_reach() -> None:
    run = by_hand([(0, 1, -1, "offered", "c", 0), (0, 1, 0, "paid", "c", 1)], {"c": "claim"})
    row = of_source(run, "c")
    assert (row["reachable"], row["seats_reachable"]) == (1, 1)


def test_a_source_that_no_event_offers_is_open_to_all_in_every_game() -> None:
    run = by_hand([(0, 1, 0, "step", "t", 1), (0, 1, 0, "paid", "t", 1)], {"t": "track", "unseen": "claim"})
    assert of_source(run, "t")["offered"] == 2
    assert payouts.payouts(*run, by="round").select("source", "round", "paid_offered_n").rows() == [
        ("t", 1, 2)
    ]
    assert of_source(run, "t")["seat_paid_offered_n"] == 4
    unseen = of_source(run, "unseen")
    assert (unseen["offered"], unseen["paid_offered"], unseen["example"]) == (0, None, None)


def test_what_some_event_offers_is_not_open_in_every_game() -> None:
    kinds = {"late": ("paid", "offered"), "track": ("step", "paid"), "hand": ("offered",)}
    events = [(source, kind) for source, of_source in kinds.items() for kind in of_source]
    found = payouts.never_offered(pl.LazyFrame(events, schema=["source", "kind"], orient="row"))
    assert found.to_list() == ["track"]


def test_rounds_of_offer_and_of_payment_are_told_apart() -> None:
    events, kinds = [(game, 1, -1, "offered", "c", 0) for game in range(4)], {"c": "claim"}
    events += [(0, 3, 1, "paid", "c", 1), (0, 2, 0, "paid", "c", 1), (1, 3, 0, "paid", "c", 1)]
    tables = payouts.payout_tables(*by_hand(sorted(events), kinds, games=4))
    assert tables["round"].select("round", "paid_offered", "paid_offered_n").rows() == [(1, 0.5, 4)]
    assert tables["paid_round"].select("round", "first_paid").rows() == [
        (1, 0.0), (2, 0.25), (3, 0.25), (4, 0.0),
    ]  # fmt: skip


def test_many_rounds_are_told_in_spans() -> None:
    events = [(game, 1, -1, "offered", "c", 0) for game in range(4)]
    events += [(0, 3, 1, "paid", "c", 1), (1, 4, 0, "paid", "c", 1), (2, 24, 0, "paid", "c", 1)]
    found = payouts.payouts(*by_hand(sorted(events), {"c": "claim"}, 4, rounds=24), by="paid_round")
    shares = {row["round"]: row["first_paid"] for row in found.to_dicts()}
    assert list(shares) == list(range(1, 25, 2))
    assert (shares[3], shares[23], sum(shares.values())) == (0.5, 0.25, 0.75)


def test_what_nobody_offers_has_no_payout_rate() -> None:
    events = [
        (0, 1, -1, "offered", "c", 0),
        (0, 1, 0, "paid", "card", 0),
        (0, 1, 0, "step", "track", 1),
        (0, 2, 0, "paid", "c", 1),
    ]
    kinds = {"c": "claim", "card": "card", "track": "track"}
    tables = payouts.payout_tables(*by_hand(events, kinds, own=("card", "track")))
    assert tables["source"]["source"].to_list() == ["c"]
    assert tables["kind"]["kind"].to_list() == ["claim"]
    assert tables["group"].select("paid_offered", "paid_offered_n").rows() == [(1.0, 1)]


def test_a_misspelt_source_of_an_event_is_an_error() -> None:
    run = by_hand([(0, 1, -1, "offered", "typo", 0)], {"c": "claim"})
    with pytest.raises(pl.exceptions.PolarsError, match="typo"):
        payouts.payouts(*run)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Frames:
    return frames(write_run(tmp_path_factory.mktemp("runs") / "run", games=600))


@pytest.fixture(scope="module")
def tables(run: Frames) -> dict[str, pl.DataFrame]:
    return payouts.payout_tables(*run)


def test_a_naive_count_agrees(run: Frames, tables: dict[str, pl.DataFrame]) -> None:
    events, _, seats, _ = (frame.collect() for frame in run)
    bot = {(game, seat): name for game, seat, name in seats.select("game", "seat", "bot").iter_rows()}
    offers: dict[str, set[tuple[int, int]]] = defaultdict(set)
    reached, won = defaultdict(set), defaultdict(set)
    for game, seat, kind, source, amount in events.select(
        "game", "seat", "kind", "source", "amount"
    ).iter_rows():
        if kind == "offered":
            offers[source].add((game, seat))
        if kind == "reachable" or (kind == "paid" and amount >= 0):
            reached[source].add((game, seat))
        if kind == "paid" and amount >= 0:
            won[source].add((game, seat))
    for row in tables["source"].filter(pl.col("offered") > 0).iter_rows(named=True):
        source = row["source"]
        units = offers[source] or {(game, -1) for game in range(600)}

        def met(cells: set[tuple[int, int]], units: set[tuple[int, int]] = units) -> int:
            return sum(
                any((game, s) in cells for s in ([seat] if seat >= 0 else range(4))) for game, seat in units
            )

        assert row["offered"] == len(units), source
        assert row["reachable"] == met(reached[source]), source
        assert row["paid"] == met(won[source]), source
    for row in tables["bot"].filter(source="prophecy.meculog_3").iter_rows(named=True):
        paid = sum(bot[cell] == row["bot"] for cell in won["prophecy.meculog_3"])
        assert row["seat_paid_offered"] * row["seat_paid_offered_n"] == pytest.approx(paid)


def test_the_size_of_the_batches_changes_no_number(
    run: Frames, tables: dict[str, pl.DataFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(payouts, "CELLS", 79 * 4 * 70)
    for name, table in payouts.payout_tables(*run).items():
        assert_frame_equal(table, tables[name], check_row_order=False, abs_tol=1e-12)


def test_setups_of_unlike_sizes_give_the_same_shares(run: Frames, tables: dict[str, pl.DataFrame]) -> None:
    events, games, seats, catalogue = run
    uneven = games.with_columns(pl.when(pl.col("game") < 8).then(0).otherwise("setup").alias("setup"))
    found = payouts.payouts(events, uneven, seats, catalogue)
    same = ["offered", "paid", "paid_offered", "vp", "seat_paid_reachable", "win_share_paid"]
    assert_frame_equal(found.select(same), tables["source"].select(same))
    assert not found["paid_offered_low"].equals(tables["source"]["paid_offered_low"])


def test_the_shares_of_seats_and_bots_average_to_that_of_the_source(tables: dict[str, pl.DataFrame]) -> None:
    whole = tables["source"].select("source", "seats_paid").filter(pl.col("seats_paid") > 0).sort("source")
    paid = (pl.col("seat_paid_offered") * pl.col("seat_paid_offered_n")).sum().round().cast(pl.Int64)
    for name in ("seat", "bot"):
        found = tables[name].group_by("source").agg(paid.alias("seats_paid")).filter(pl.col("seats_paid") > 0)
        assert found.sort("source").equals(whole)
