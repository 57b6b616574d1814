"""What payments are made of: by hand, against statsmodels, and in made-up races of which the truth is known."""

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm
from polars.testing import assert_frame_equal

from analysis import payments
from analysis.intervals import ratios
from analysis.rounds import Rounds
from tests.analysis.synthetic import write_race

WITH = ("local", "temporary")


def by_hand(rows: list[tuple[int, int, int, str, str, int, int]], games: int = 2) -> dict[str, pl.DataFrame]:
    """The tables of games of two seats; rows are (game, round, seat, kind, source, local, temporary)."""
    names = ["game", "round", "seat", "kind", "source", "local", "temporary"]
    numbers = range(games)
    return payments.payment_tables(
        pl.LazyFrame(rows, schema=names, orient="row"),
        pl.LazyFrame({"game": numbers, "setup": numbers, "rounds": 3}),
        pl.LazyFrame(
            {
                "game": [game for game in numbers for _ in range(2)],
                "seat": [0, 1] * games,
                "bot": ["ann", "bob"] * games,
            }
        ),
        pl.LazyFrame({"source": ["b", "a", "t"], "group": ["Level I", "Level II", "Level I"]}),
        WITH,
    )


def test_the_mix_is_a_ratio_of_sums_and_only_payments_count() -> None:
    found = by_hand(
        [
            (0, 1, 0, "paid", "a", 1, 3),
            (0, 2, 1, "paid", "a", 0, 0),
            (1, 1, 0, "paid", "b", 6, 0),
            (1, 1, 0, "drawn", "b", 99, 99),
        ]
    )
    assert found["whole"].select("payment", "share", "share_n", "mean").rows() == [
        ("local", 0.7, 10, pytest.approx(7 / 3)),
        ("temporary", 0.3, 10, 1.0),
    ]
    assert found["bot"].filter(bot="bob")["share"].to_list() == [None, None], "nothing was paid by it"
    assert found["round"].filter(payment="local").select("round", "share").rows() == [(1, 0.7), (2, None)]


def test_groups_stand_in_the_order_of_the_catalogue() -> None:
    found = by_hand(
        [(0, 1, 0, "paid", "a", 1, 3), (0, 1, 0, "paid", "b", 1, 1), (1, 1, 1, "paid", "t", 3, 1)]
    )
    assert found["group"].filter(payment="local").select("group", "share").rows() == [
        ("Level I", pytest.approx(4 / 6)),
        ("Level II", 0.25),
    ]


def test_the_interval_is_that_of_a_ratio_clustered_by_setup() -> None:
    """The ratio is the mean of the shares, weighted with what was paid."""
    rng = np.random.default_rng(2)
    setup = np.repeat(np.arange(60), 4)
    local = rng.poisson(3 + 2 * rng.random(60)[setup])
    whole = local + rng.poisson(4, setup.size) + 1
    frame = pl.LazyFrame({"setup": setup, "local": local, "temporary": whole - local})
    found = ratios(frame, (), payments.measures(WITH)).row(0, named=True)
    fit = sm.WLS(local / whole, np.ones(setup.size), weights=whole).fit(
        cov_type="cluster", cov_kwds={"groups": setup, "df_correction": True}
    )
    half = (found["local_high"] - found["local_low"]) / 2
    assert found["local"] == pytest.approx(float(fit.params[0]))
    assert half == pytest.approx(float(fit.bse[0]) * 2.001, rel=0.03)


@pytest.fixture(scope="module")
def race(tmp_path_factory: pytest.TempPathFactory) -> tuple[pl.LazyFrame, ...]:
    folder = write_race(tmp_path_factory.mktemp("race") / "run", games=900)
    frames = [pl.scan_parquet(folder / name / "*.parquet") for name in ("events", "games", "seats")]
    return (*frames, pl.scan_parquet(folder / "catalogue.parquet"))


def test_in_a_race_each_group_is_paid_as_it_was_made(race: tuple[pl.LazyFrame, ...]) -> None:
    found = payments.payment_tables(*race, WITH)["group"].filter(payment="local")
    shares = dict(found.select("group", "share").iter_rows())
    assert shares == {
        "Blue spires": 1.0, "Green spires": 1.0, "Red spires": 1.0, "Level I": 0.25, "Level II": 0.75,
    }  # fmt: skip


def test_rounds_are_spans_and_add_up_to_the_whole(race: tuple[pl.LazyFrame, ...]) -> None:
    found = payments.payment_tables(*race, WITH)
    local = found["round"].filter(payment="local")
    assert local["round"].to_list() == list(range(1, 19, 2))
    assert local["share_n"].sum() == found["whole"]["share_n"][0]
    paid = payments.paid_with(*race, WITH, Rounds(2, 9, 19)).collect()
    assert paid["round"].unique().sort().to_list() == list(range(1, 19, 2))


def test_batches_change_no_number(race: tuple[pl.LazyFrame, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = payments.payment_tables(*race, WITH)
    monkeypatch.setattr(payments, "BATCH", 200)
    for name, table in payments.payment_tables(*race, WITH).items():
        assert_frame_equal(table, whole[name], abs_tol=1e-12)
