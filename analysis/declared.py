"""What a game counts beside the common columns: its own kinds of event, and its own columns of the seats."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from analysis.intervals import Measure, Tally, differences, in_batches, ratios, setup_totals
from analysis.rounds import rounds_of
from analysis.seats import ACTION, PART
from simulator.store import SEATS

BATCH = 50_000
"""Games in memory at a time."""

_one = pl.lit(1)
_SUFFIXES = ("", "_low", "_high", "_n")


def kind_tables(
    events: pl.LazyFrame, games: pl.LazyFrame, seats: pl.LazyFrame, kinds: Sequence[str]
) -> dict[str, pl.DataFrame]:
    """How often each of the kinds happens, in the order given.

    `kinds`: the `mean` number of events a seat and game, the share of `seats` that had one in a game, the share
    of `turns` (of all seats) with one; the mean share of the win of the seats `with` one and `without`, and the
    `difference` of the two (over setups, in which both vary together). The last compares seats, not the event.
    `kinds_by_seat`, `kinds_by_bot`: `mean` and `seats` in each cell.
    `kinds_by_round`: the share of the `seats` still playing that had one in that span of rounds.
    """
    spans = rounds_of(games)
    per_seat = [measure for kind in kinds for measure in _per_seat(kind)]
    per_round = [
        Measure(f"{kind}|{first}", pl.col(f"{kind}|{first}"), pl.col("rounds") >= first)
        for kind in kinds
        for first in spans.firsts
    ]
    wins = [Measure(kind, pl.col("win_share"), _one) for kind in kinds]
    tallies = {key: Tally(by, tuple(per_seat)) for key, by in _KEYS.items()}
    rounds = Tally((), tuple(per_round))
    turns = Tally((), tuple(Measure(kind, pl.col(kind), pl.col("turns")) for kind in kinds))
    shares = {had: Tally((), tuple(_wins(kinds, had))) for had in (True, False)}
    totals: dict[bool, list[pl.DataFrame]] = {True: [], False: []}
    own = events.filter(pl.col("kind").is_in(list(kinds)))
    for table, happened, places in in_batches(BATCH, games, own, seats):
        frame = _seats_with(happened, table, places, kinds, spans.first_of(), spans.firsts)
        for tally in (*tallies.values(), rounds):
            tally.add(frame)
        for had, measures in ((had, _wins(kinds, had)) for had in totals):
            shares[had].add(frame)
            totals[had].append(setup_totals(frame, (), measures).collect())
        of_game = happened.group_by("game").agg(
            pl.col("turn").filter(pl.col("kind") == kind).n_unique().alias(kind) for kind in kinds
        )
        turns.add(table.join(of_game, on="game", how="left").with_columns(pl.col(*kinds).fill_null(0)))
    found = {key: tally.estimates() for key, tally in tallies.items()}
    beside = {
        "turns": turns.estimates(),
        "with": shares[True].estimates(),
        "without": shares[False].estimates(),
        "difference": differences(pl.concat(totals[False]), pl.concat(totals[True]), (), wins, paired=True),
    }
    by_round = rounds.estimates().row(0, named=True)
    tables = {
        key: pl.DataFrame(
            [
                {name: cell[name] for name in _KEYS[key]} | {"kind": kind} | _cell(cell, kind)
                for kind in kinds
                for cell in rows.iter_rows(named=True)
            ]
        )
        for key, rows in found.items()
    }
    extra = [
        {
            f"{what}{suffix}": row.get(f"{kind}{suffix}")
            for what, row in ((what, rows.row(0, named=True)) for what, rows in beside.items())
            for suffix in _SUFFIXES[: 3 if what == "difference" else 4]
        }
        for kind in kinds
    ]
    tables["kinds"] = pl.concat(
        [tables["kinds"], pl.DataFrame(extra, infer_schema_length=None)], how="horizontal"
    )
    tables["kinds_by_round"] = pl.DataFrame(
        [
            {"kind": kind, "round": first}
            | {f"seats{suffix}": by_round[f"{kind}|{first}{suffix}"] for suffix in _SUFFIXES}
            for kind in kinds
            for first in spans.firsts
        ]
    )
    return tables


_KEYS: dict[str, tuple[str, ...]] = {"kinds": (), "kinds_by_seat": ("seat",), "kinds_by_bot": ("bot",)}


def _per_seat(kind: str) -> tuple[Measure, Measure]:
    return (
        Measure(f"{kind}|mean", pl.col(kind), _one, rate=False),
        Measure(f"{kind}|seats", pl.col(kind) > 0, _one),
    )


def _cell(cell: dict[str, object], kind: str) -> dict[str, object]:
    return {
        f"{what}{suffix}": cell[f"{kind}|{what}{suffix}"]
        for what in ("mean", "seats")
        for suffix in _SUFFIXES
    }


def _wins(kinds: Sequence[str], had: bool) -> list[Measure]:
    return [
        Measure(kind, pl.col("win_share") * ((pl.col(kind) > 0) == had), (pl.col(kind) > 0) == had)
        for kind in kinds
    ]


def _seats_with(
    happened: pl.LazyFrame,
    games: pl.LazyFrame,
    seats: pl.LazyFrame,
    kinds: Sequence[str],
    span: pl.Expr,
    firsts: Sequence[int],
) -> pl.LazyFrame:
    """One row a seat: how often each kind happened to it, and in which spans of rounds `KIND|FIRST` at all."""
    is_kind = {kind: pl.col("kind") == kind for kind in kinds}
    columns = {kind: is_it.sum().cast(pl.Int64) for kind, is_it in is_kind.items()} | {
        f"{kind}|{first}": (is_it & (pl.col("round") == first)).any()
        for kind, is_it in is_kind.items()
        for first in firsts
    }
    per_seat = happened.with_columns(span).group_by("game", "seat").agg(**columns)
    return (
        seats.select("game", "seat", "bot", "win_share")
        .join(games.select("game", "setup", "rounds"), on="game")
        .join(per_seat, on=["game", "seat"], how="left")
        .with_columns(pl.col(*columns).fill_null(strategy="zero"))
        .collect(engine="streaming")
        .lazy()
    )


def own_columns(seats: pl.LazyFrame) -> list[str]:
    """The columns of the seats that only this game has."""
    names = seats.collect_schema().names()
    return [name for name in names if name not in SEATS and not name.startswith((PART, ACTION))]


def binary(seats: pl.LazyFrame, columns: Sequence[str]) -> set[str]:
    """Which of the columns are never other than 0 or 1, so that their mean is a share."""
    ends = (pl.concat_list(pl.col(name).min(), pl.col(name).max()).alias(name) for name in columns)
    found = seats.select(ends).collect(engine="streaming").row(0, named=True)
    return {name for name, (least, most) in found.items() if least >= 0 and most <= 1}


def column_tables(
    seats: pl.LazyFrame, games: pl.LazyFrame, columns: Sequence[str]
) -> dict[str, pl.DataFrame]:
    """The game's own `columns` of the seats, also `columns_by_seat` and `columns_by_bot`.

    One row a cell and `column`: its `mean`; of a column that is never other than 0 or 1 its `share` instead.
    """
    shares = binary(seats, columns)
    frame = seats.join(games.select("game", "setup"), on="game")
    measures = [Measure(name, pl.col(name), _one, rate=name in shares) for name in columns]
    tables = {}
    for key, by in (("columns", ()), ("columns_by_seat", ("seat",)), ("columns_by_bot", ("bot",))):
        cells = ratios(frame, by, measures).iter_rows(named=True)
        rows = [
            {name: cell[name] for name in by}
            | {"column": column}
            | {
                f"{what}{suffix}": cell[f"{column}{suffix}"]
                if (what == "share") == (column in shares)
                else None
                for what in ("mean", "share")
                for suffix in _SUFFIXES
            }
            for cell in cells
            for column in columns
        ]
        tables[key] = pl.DataFrame(rows, infer_schema_length=None)
    return tables
