"""Which rates lie in their band: the verdicts, and what they take into account."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from analysis import notebook, report, summary
from analysis.intervals import wilson
from analysis.pages.drawing import svg
from analysis.verdicts import Band, read_bands, verdicts
from simulator.game import UserError
from simulator.store import load
from tests.analysis.synthetic import write_run


def rates(shares: list[float], n: int, **columns: Any) -> pl.DataFrame:
    """A table of rates `x` of n independent units."""
    low, high = wilson(np.array(shares) * n, n)
    return pl.DataFrame(columns | {"x": shares, "x_low": low, "x_high": high, "x_n": [n] * len(shares)})


def renamed(table: pl.DataFrame, rate: str) -> pl.DataFrame:
    return table.rename({f"x{end}": f"{rate}{end}" for end in ("", "_low", "_high", "_n")})


def tables(
    seats: list[float] | None = None,
    prophecies: list[float] | None = None,
    tied: float = 0.025,
    n: int = 100_000,
) -> dict[str, dict[str, pl.DataFrame]]:
    outcomes = rates([tied], n, players=[4], stage=[None])
    found = {"ties": {"outcomes": renamed(outcomes, "share")}}
    if seats:
        by_seat = rates(seats, n, seat=range(len(seats)), fair=[1 / len(seats)] * len(seats))
        found["seats"] = {"by_seat": renamed(by_seat, "win_share")}
    if prophecies:
        numbers = range(len(prophecies))
        source = rates(
            prophecies,
            n,
            source=[f"prophecy.{number}" for number in numbers],
            name=[f"Prophecy {number}" for number in numbers],
            offered=[n] * len(prophecies),
        )
        found["payouts"] = {"source": renamed(source, "paid_offered")}
    return found


def told(table: pl.DataFrame, family: str) -> list[str]:
    return table.filter(family=family)["verdict"].to_list()


def test_seats_near_their_fair_share_are_within_and_others_above_or_below() -> None:
    found = verdicts(tables(seats=[0.25, 0.27, 0.23, 0.25]), race=False, alike=True)
    assert told(found, "seats") == ["within", "above", "below", "within"]


def test_few_games_call_nothing_balanced() -> None:
    found = verdicts(tables(seats=[0.25] * 4, n=400), race=False, alike=True)
    assert told(found, "seats") == ["open"] * 4


def test_a_significant_but_small_advantage_is_balanced() -> None:
    # Off the fair share for certain, and for certain by less than a point.
    found = verdicts(tables(seats=[0.254, 0.246, 0.25, 0.25], n=400_000), race=False, alike=True)
    assert found.filter(family="seats")["value_low"][0] > 0.25
    assert told(found, "seats")[0] == "within"


def test_seats_of_different_bots_that_never_move_are_not_judged() -> None:
    assert told(verdicts(tables(seats=[0.3, 0.2, 0.2, 0.3]), race=False, alike=False), "seats") == []


PAYOUTS = {"prophecies": Band(0.15, 0.4)}


def test_each_of_many_must_be_clearer_than_one_alone() -> None:
    # Holm multiplies by the number of rates: forty alike against one of five.
    one = tables(prophecies=[0.404] + [0.3] * 4, n=40_000)
    alone = verdicts(one, False, True, PAYOUTS).filter(name="Prophecy 0").row(0, named=True)
    many = tables(prophecies=[0.404] * 40, n=40_000)
    among = verdicts(many, False, True, PAYOUTS).filter(name="Prophecy 0").row(0, named=True)
    assert among["p_outside"] == pytest.approx(min(1.0, 8 * alone["p_outside"]))


def test_a_family_of_sources_is_judged_if_its_band_is_named() -> None:
    content = tables(prophecies=[0.1, 0.2, 0.3, 0.39, 0.6])
    found = verdicts(content, False, True, PAYOUTS)
    assert told(found, "prophecies") == ["below", "within", "within", "within", "above"]
    assert dict(found.select("family", "named").unique().iter_rows()) == {"ties": False, "prophecies": True}
    assert told(verdicts(content, race=False, alike=True), "prophecies") == []
    own = verdicts(content, False, True, {"prophecies": Band(0.05, 0.7), "ties": Band(0.03, 0.04)})
    assert told(own, "prophecies") == ["within"] * 5
    assert told(own, "ties") == ["below"]


def test_a_band_of_what_is_not_there_names_the_nearest() -> None:
    with pytest.raises(UserError, match=r"no family 'prophecy' .* prophecies"):
        verdicts(tables(prophecies=[0.3] * 5), race=False, alike=True, bands={"prophecy": Band(0.1, 0.2)})


def test_a_race_is_judged_by_its_seats_and_how_often_nobody_wins() -> None:
    content = tables(seats=[0.5, 0.5], prophecies=[0.2] * 5)
    drawn = rates([0.0, 0.0], 1000, players=[2, 2], ending=[None, "stalemate"])
    content["ties"] = {"drawn": renamed(drawn, "share").with_columns(share_high=pl.lit(3 / 1000))}
    found = verdicts(content, race=True, alike=True)
    assert found["family"].to_list() == ["seats", "seats", "draws"]
    # (1 - 0.01) ** 1000: what was never seen counts as so many games as its bound tells.
    assert found.filter(family="draws")["p_within"].item() == pytest.approx(0.99**1000)


def test_so_many_times_the_games_settle_an_open_rate() -> None:
    few = verdicts(tables(tied=0.03, n=400), race=False, alike=True).filter(family="ties").row(0, named=True)
    assert few["verdict"] == "open"
    for times, verdict in ((0.7, "open"), (1.4, "within")):
        n = round(400 * few["times"] * times)
        found = verdicts(tables(tied=0.03, n=n), race=False, alike=True)
        assert told(found, "ties") == [verdict]


def test_bands_are_read_as_the_command_line_and_python_write_them() -> None:
    given = {"seats": "0.02", "ties": "0.01:0.04", "prophecies": (0.5, 0.95)}
    expected = {"seats": Band(-0.02, 0.02), "ties": Band(0.01, 0.04), "prophecies": Band(0.5, 0.95)}
    assert read_bands(given) == expected
    assert read_bands({"seats": 0.02}) == {"seats": Band(-0.02, 0.02)}


@pytest.mark.parametrize(
    ("family", "band"),
    [
        ("ties", "0.4:0.1"), ("ties", "0.1"), ("ties", "1:4 %"), ("ties", "0.1:1.5"), ("ties", (0.1, 0.2, 0.3)),
        ("seats", "0.1:0.2"), ("seats", 0), ("seats", "nan"), ("ties", "nan:1"), ("ties", None),
    ],
)  # fmt: skip
def test_what_is_no_band_is_refused(family: str, band: Any) -> None:
    with pytest.raises(UserError, match=f"is no band of the {family}, expected"):
        read_bands({family: band})


def test_the_verdicts_of_a_notebook_are_those_of_the_report(tmp_path: Path) -> None:
    run = load(write_run(tmp_path / "run", games=200))
    found = notebook.verdicts(run)
    assert found["bands"].equals(report.measure(run).tables["verdicts"]["bands"])
    assert found["bands"].equals(notebook.section(run, "verdicts")["bands"])
    own = notebook.verdicts(run, {"providences": Band(0.0, 0.5)})
    assert "Providences" in svg(own.figure("providences"))
    with pytest.raises(UserError, match="no family 'seat'"):
        found.figure("seat")


def test_a_misspelt_band_is_told_before_anything_is_measured(tmp_path: Path) -> None:
    run = load(write_run(tmp_path / "run", games=20))
    told: list[str] = []
    with pytest.raises(UserError, match=r"no family 'prophecys' .* prophecies"):
        report.measure(run, {"prophecys": Band(0.1, 0.2)}, lambda done, of, what: told.append(what))
    assert told == []


def test_a_run_that_kept_games_alone_has_its_ties_judged(tmp_path: Path) -> None:
    found = notebook.verdicts(load(write_run(tmp_path / "run", games=40, keep="games")))
    assert found["bands"]["family"].to_list() == ["ties"]


def test_a_few_offers_that_all_paid_are_no_more_trials_than_they_are() -> None:
    # 7 of 7 at a true 40 % is a chance of 0.16 %; with four others that is no certain "above" at 5 setups.
    found = verdicts(tables(prophecies=[1.0] + [0.3] * 11, n=5), False, True, PAYOUTS)
    assert found.filter(name="Prophecy 0")["p_outside"].item() == pytest.approx(12 * 2 * 0.4**5)


def test_times_ask_only_against_those_that_are_still_open_on_their_side() -> None:
    few = verdicts(tables(prophecies=[0.41] * 4 + [0.3], n=4000), False, True, PAYOUTS)
    many = verdicts(tables(prophecies=[0.41] * 4 + [0.3] * 36, n=4000), False, True, PAYOUTS)
    assert many["times"].drop_nulls().max() > few["times"].drop_nulls().max()  # type: ignore[operator]
    n = int(4000 * 1.3 * many["times"].drop_nulls().max())  # type: ignore[operator]
    found = verdicts(tables(prophecies=[0.41] * 4 + [0.3] * 36, n=n), False, True, PAYOUTS)
    assert told(found, "prophecies").count("above") == 4


def test_the_summary_names_seats_that_are_off_the_fair_share_for_certain_alone() -> None:
    def told(shares: list[float], n: int) -> str:
        return summary._seat_sentence(tables(seats=shares, n=n)["seats"]["by_seat"])

    shares = [0.24, 0.24, 0.25, 0.27]
    assert "and seats 0, 1 win less and seat 3 wins more, at 5 % for all seats together." in told(
        shares, 100_000
    )
    assert "and no seat is off it for certain." in told(shares, 500)
