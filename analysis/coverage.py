"""What a run never saw: sources, effects, kinds of event, endings, actions, parts and tie-breaks that nobody met.

What never happened in n independent setups happens, at 95 %, in less than 3/n of them (Hanley and Lippman-Hand
1983): a rule that no game tried is a rule that nobody tested.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from analysis.intervals import Measure, Tally, in_batches, ratios, rule_of_three
from analysis.payouts import CHOICE_KINDS
from analysis.seats import ACTION, PART, columns_of
from simulator.game import EVENT_KINDS

BATCH = 20_000
"""Games in memory at a time."""

_ENDS = ("", "_low", "_high", "_n")
_IN_GAME = (
    Measure("offered", pl.col("offered"), pl.lit(1)),
    Measure("paid", pl.col("paid") & pl.col("open"), pl.col("open")),
    Measure("climbed", pl.col("climbed") & pl.col("open"), pl.col("open")),
    Measure("effect", pl.col("effect"), pl.col("paid")),
    Measure("vp", pl.col("vp"), pl.col("paid")),
)


def covered(
    games: pl.LazyFrame,
    seats: pl.LazyFrame | None,
    events: pl.LazyFrame | None,
    catalogue: pl.LazyFrame,
    about: Mapping[str, Any],
) -> pl.DataFrame:
    """One row each thing that a game could show: `what` it is, its `name`, and the `share` of games that showed it.

    `about` is the run's experiment, which declares `kinds`, `endings` and `tie_stages`; without `seats` or `events`
    their rows are missing. The share of `share_n` games (of those that offered a source, for its payment; of those
    that paid it, for the choice between effect and VP) has a 95 % interval over setups, by the rule of three
    where it is 0. What could not happen in any game, as the payment of a source that no game offered, has no row.
    Rows of what never happened come first.
    """
    rows = [*_of_games(games, about)]
    if seats is not None:
        rows += _of_seats(seats, games)
    if events is not None:
        rows += [*_of_kinds(events, games, about["kinds"]), *_of_sources(events, games, catalogue)]
    schema = {"what": pl.String, "name": pl.String, "source": pl.String}
    table = pl.DataFrame(rows, schema_overrides=schema, infer_schema_length=None)
    never = (pl.col("share").fill_null(0) == 0).alias("never")
    return table.with_columns(never).sort(~pl.col("never"), maintain_order=True)


def _row(what: str, name: str, cell: Mapping[str, Any], measure: str, setups: float) -> dict[str, Any]:
    row: dict[str, Any] = {"what": what, "name": name, "source": None} | {
        f"share{end}": cell[f"{measure}{end}"] for end in _ENDS
    }
    if row["share"] == 0:
        row["share_high"] = float(rule_of_three(setups))
    return row


def _shares(
    frame: pl.LazyFrame, games: pl.LazyFrame, found: Sequence[tuple[str, str, pl.Expr]]
) -> list[dict[str, Any]]:
    """The rows (what, name, whether a game had it) from a frame of games."""
    if not found:
        return []
    measures = [Measure(str(place), happened, pl.lit(1)) for place, (_, _, happened) in enumerate(found)]
    cell = ratios(frame, (), measures).row(0, named=True)
    setups = games.select(pl.col("setup").n_unique()).collect(engine="streaming").item()
    return [_row(what, name, cell, str(place), setups) for place, (what, name, _) in enumerate(found)]


def _of_games(games: pl.LazyFrame, about: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = [("ending", name, pl.col("ending") == name) for name in about.get("endings", ())]
    found += [
        ("tie-break", name, (pl.col("tie_stage") == stage).cast(pl.Boolean))
        for stage, name in enumerate(about.get("tie_stages", ()))
        if stage > 0
    ]
    return _shares(games, games, found)


def _of_seats(seats: pl.LazyFrame, games: pl.LazyFrame) -> list[dict[str, Any]]:
    columns = [
        (what, name, f"{prefix}{name}")
        for what, prefix in (("action", ACTION), ("part of the score", PART))
        for name in columns_of(seats, prefix)
    ]
    had = seats.group_by("game").agg((pl.col(column) != 0).any() for _, _, column in columns)
    frame = games.select("game", "setup").join(had, on="game")
    return _shares(frame, games, [(what, name, pl.col(column)) for what, name, column in columns])


def _of_kinds(events: pl.LazyFrame, games: pl.LazyFrame, kinds: Sequence[str]) -> list[dict[str, Any]]:
    own = [kind for kind in kinds if kind not in EVENT_KINDS]
    names = [*EVENT_KINDS, *own]
    had = events.group_by("game").agg((pl.col("kind") == kind).any().alias(kind) for kind in names)
    frame = (
        games.select("game", "setup")
        .join(had, on="game", how="left")
        .with_columns(pl.col(*names).fill_null(False))
    )
    return _shares(frame, games, [("kind of event", kind, pl.col(kind)) for kind in names])


def _of_sources(events: pl.LazyFrame, games: pl.LazyFrame, catalogue: pl.LazyFrame) -> list[dict[str, Any]]:
    """Of each source: offered at all (if it can be), paid where it was, and either choice where it was paid."""
    sources = catalogue.select("source", "name", "kind", "offered").collect()
    kind, amount = pl.col("kind"), pl.col("amount")
    pays = (kind == "paid") & (amount >= 0)
    lives = events.group_by("source").agg((kind == "offered").any().alias("offered"))
    always = lives.filter(~pl.col("offered")).select("source").collect(engine="streaming")["source"]
    tally = Tally(("source",), _IN_GAME)
    for table, happened in in_batches(BATCH, games, events):
        had = happened.group_by("game", "source").agg(
            offered=(kind == "offered").any(),
            paid=pays.any(),
            climbed=((kind == "step") & (amount > 0)).any(),
            effect=(pays & (amount == 0)).any(),
            vp=(pays & (amount > 0)).any(),
        )
        frame = (
            table.select("game", "setup")
            .join(sources.lazy().select("source", hidden=~pl.col("offered")), how="cross")
            .join(had, on=["game", "source"], how="left")
            .with_columns(pl.col("offered", "paid", "climbed", "effect", "vp").fill_null(False))
            .with_columns(
                open=pl.col("offered") | pl.col("hidden") | pl.col("source").is_in(always.implode())
            )
        )
        tally.add(frame.collect(engine="streaming").lazy())
    setups = {row["source"]: row for row in tally.added().iter_rows(named=True)}
    rows = []
    for cell in tally.estimates().join(sources, on="source", maintain_order="right").iter_rows(named=True):
        asked = []
        if cell["offered_right"] and cell["source"] not in set(always):
            asked.append(("offered", "source offered"))
        asked.append(("climbed", "track climbed") if cell["kind"] == "track" else ("paid", "source paid"))
        if cell["kind"] in CHOICE_KINDS:
            asked += [("effect", "effect chosen"), ("vp", "VP chosen")]
        rows += [
            _row(what, cell["name"], cell, measure, setups[cell["source"]][f"{measure}|setups"])
            | {"source": cell["source"]}
            for measure, what in asked
            if cell[f"{measure}_n"]
        ]
    return rows
