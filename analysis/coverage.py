"""What a run never saw: sources, effects, kinds of event, endings, actions, parts and tie-breaks that nobody met.

What never happened in n independent setups happens, at 95 %, in less than 3/n of them (Hanley and Lippman-Hand
1983): a rule that no game tried is a rule that nobody tested.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from polars import selectors

from analysis.intervals import Measure, Tally, coded, in_batches, in_words, ratios, rule_of_three
from analysis.payouts import CHOICE_KINDS, never_offered
from analysis.seats import ACTION, PART, columns_of
from analysis.words import FAMILY
from simulator.game import EVENT_KINDS

BATCH = 20_000
"""Games in memory at a time."""

_ENDS = ("", "_low", "_high", "_n")
_IN_GAME = (
    Measure("offered", pl.col("offered"), pl.col("games")),
    Measure("paid", pl.col("paid_open"), pl.col("open")),
    Measure("climbed", pl.col("climbed_open"), pl.col("open")),
    Measure("effect", pl.col("effect"), pl.col("paid")),
    Measure("vp", pl.col("vp"), pl.col("paid")),
)
_FIRST = tuple(measure.name for measure in _IN_GAME)


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
    The `example` is the first game that showed it. Rows of what never happened come first.
    """
    rows = [*_of_games(games, about)]
    if seats is not None:
        rows += _of_seats(seats, games)
    if events is not None:
        rows += [*_of_kinds(events, games, about["kinds"]), *_of_sources(events, games, catalogue)]
    schema = {"what": pl.String, "name": pl.String, "source": pl.String, "example": pl.Int64}
    table = pl.DataFrame(rows, schema_overrides=schema, infer_schema_length=None)
    never = (pl.col("share").fill_null(0) == 0).alias("never")
    return table.with_columns(never).sort(~pl.col("never"), maintain_order=True)


def clauses_covered(
    shown: pl.DataFrame, catalogue: pl.LazyFrame, clauses: Mapping[str, Sequence[str]]
) -> pl.DataFrame:
    """One row a clause of the rules that leaves a trace: `shown_by` which rows of `covered`, and its `share`.

    The share is that of the row with the largest: so many games and perhaps more applied the clause. It is null where
    nothing could show the clause in this run. Clauses that `never` were applied come first.
    """
    known = catalogue.select("source", "group", sort="kind", family=FAMILY).collect()
    rows = shown.join(known, on="source", how="left", maintain_order="left")
    found = []
    for clause, traces in clauses.items():
        there = pl.concat(_traced(rows, trace) for trace in traces).sort(
            "share", descending=True, nulls_last=True
        )
        best = there.row(0, named=True) if there.height else {}
        found.append(
            {"clause": clause, "shown_by": ", ".join(traces)}
            | {f"share{end}": best.get(f"share{end}") for end in _ENDS}
        )
    kinds = {"clause": pl.String, "shown_by": pl.String, "share_n": pl.Int64}
    kinds |= dict.fromkeys(("share", "share_low", "share_high"), pl.Float64)
    table = pl.DataFrame(found, schema=kinds)
    return table.with_columns(never=pl.col("share") == 0).sort(
        ~pl.col("never"), maintain_order=True, nulls_last=True
    )


def _traced(rows: pl.DataFrame, trace: str) -> pl.DataFrame:
    """The rows that show a trace such as `action: pass`."""
    what, _, which = trace.partition(": ")
    of_kind = rows.filter(what=what)
    if not which:
        return of_kind
    names = pl.any_horizontal(pl.col("name", "source", "group", "sort", "family").eq_missing(which))
    return of_kind.filter(names)


def _row(
    what: str, name: str, cell: Mapping[str, Any], measure: str, setups: float, example: int | None
) -> dict[str, Any]:
    row: dict[str, Any] = {"what": what, "name": name, "source": None} | {
        f"share{end}": cell[f"{measure}{end}"] for end in _ENDS
    }
    if row["share"] == 0:
        row["share_high"] = float(rule_of_three(setups))
    return row | {"example": example}


def _shares(
    frame: pl.LazyFrame, games: pl.LazyFrame, found: Sequence[tuple[str, str, pl.Expr]]
) -> list[dict[str, Any]]:
    """The rows (what, name, whether a game had it) from a frame of games."""
    if not found:
        return []
    measures = [Measure(str(place), happened, pl.lit(1)) for place, (_, _, happened) in enumerate(found)]
    # One row a game is little to keep, and it is asked twice.
    kept = frame.select("game", "setup", *(each.total.alias(each.name) for each in measures))
    table = kept.collect(engine="streaming")
    names = [Measure(each.name, pl.col(each.name), each.count) for each in measures]
    cell = ratios(table.lazy(), (), names).row(0, named=True)
    first = table.select(
        pl.col("game").cast(pl.Int64).filter(pl.col(each.name)).min().alias(each.name) for each in names
    )
    setups = games.select(pl.col("setup").n_unique()).collect(engine="streaming").item()
    return [
        _row(what, name, cell, str(place), setups, first[str(place)].item())
        for place, (what, name, _) in enumerate(found)
    ]


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
    always = never_offered(events)
    stands = ~pl.col("offered") | pl.col("source").is_in(always.implode())
    known = coded(sources.lazy().select("source", stands=stands))
    tally = Tally(("source",), _IN_GAME)
    firsts: list[pl.DataFrame] = []
    tells = coded(events.filter(kind.is_in(["offered", "paid", "step"])))
    for table, happened in in_batches(BATCH, games, tells):
        had = happened.group_by("game", "source").agg(
            offered=(kind == "offered").any(),
            paid=pays.any(),
            climbed=((kind == "step") & (amount > 0)).any(),
            effect=(pays & (amount == 0)).any(),
            vp=(pays & (amount > 0)).any(),
        )
        is_open = pl.col("stands") | pl.col("offered")
        by_setup = (
            had.join(known, on="source")
            .join(table.select("game", "setup"), on="game")
            .group_by("setup", "source")
            .agg(
                pl.col("offered", "paid", "effect", "vp").sum().cast(pl.Int64),
                (pl.col("paid", "climbed") & is_open).sum().cast(pl.Int64).name.suffix("_open"),
                *(pl.col("game").filter(pl.col(name)).min().alias(f"first {name}") for name in _FIRST),
            )
            .collect(engine="streaming")
        )
        firsts.append(by_setup.group_by("source").agg(pl.col("^first .*$").min()))
        frame = (
            table.group_by("setup")
            .agg(games=pl.len().cast(pl.Int64))
            .join(known, how="cross")
            .join(by_setup.lazy(), on=["setup", "source"], how="left")
            .with_columns(selectors.integer().fill_null(0))
            .with_columns(open=pl.when("stands").then("games").otherwise("offered"))
        )
        tally.add(frame)
    setups = {row["source"]: row for row in tally.added().iter_rows(named=True)}
    first = in_words(pl.concat(firsts).lazy()).group_by("source").agg(pl.col("^first .*$").min()).collect()
    examples = {row["source"]: row for row in first.iter_rows(named=True)}
    rows = []
    for cell in tally.estimates().join(sources, on="source", maintain_order="right").iter_rows(named=True):
        asked = []
        if cell["offered_right"] and cell["source"] not in set(always):
            asked.append(("offered", "source offered"))
        asked.append(("climbed", "track climbed") if cell["kind"] == "track" else ("paid", "source paid"))
        if cell["kind"] in CHOICE_KINDS:
            asked += [("effect", "effect chosen"), ("vp", "VP chosen")]
        rows += [
            _row(
                what,
                cell["name"],
                cell,
                measure,
                setups[cell["source"]][f"{measure}|setups"],
                examples.get(cell["source"], {}).get(f"first {measure}"),
            )
            | {"source": cell["source"]}
            for measure, what in asked
            if cell[f"{measure}_n"]
        ]
    return rows
