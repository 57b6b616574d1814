"""Several runs of one game side by side: what they share and how they differ, and for two by how much."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from analysis import declared, examples, offers, otherwise, payments, seats, ties
from analysis.decisions import chance_of_mean, false_discoveries
from analysis.frames import Frames, Row, plain, rounded
from analysis.intervals import Measure, differences, never_seen, ratios, setup_totals
from analysis.measured import FACTS, Compared, Progress
from analysis.pages.columns import Column
from analysis.pages.figures import BINS, FAIR
from analysis.rounds import rounds_of
from analysis.strength import LEVEL
from analysis.words import heading, number, percent, words
from simulator.game import EVENT_KINDS, UserError
from simulator.store import kept_tables

if TYPE_CHECKING:
    from simulator.store import Run

SCHEMA = 2
"""Version of the JSON, described in `REPORT.md`; it rises when a key goes or comes to mean something else."""

MOST_SENTENCES = 4
"""Differences of one table that the summary tells."""

PAIRED = ("seed", "players", "games", "seating")
"""Runs that agree in these share the chance of every setup, so that their difference is one within setups."""

_one = pl.lit(1)


@dataclass(frozen=True)
class Comparison:
    """One or several measures that are looked up in every run: a row a measure, or a row a cell of `by`."""

    table: str
    measures: tuple[Measure, ...]
    frame: Callable[[Run], pl.LazyFrame]
    by: tuple[str, ...] = ()
    row: str = "{}"
    """How a row is called: by the name of its measure, or by its cell."""
    rare: bool = False
    """Of what happens in some games only: each run names the first, and what never happened is bounded."""

    def rows(self, runs: Sequence[Run], paired: bool) -> Iterator[Row]:
        """For each row `what` it is, `rate`, the number of each run as `run0`, `run1` ... and `difference`."""
        if not self.measures:
            return
        totals = [
            setup_totals(self.frame(run), self.by, self.measures).collect(engine="streaming") for run in runs
        ]
        again = [
            Measure(each.name, pl.col(f"{each.name}|total"), pl.col(f"{each.name}|count"), each.rate)
            for each in self.measures
        ]
        found = [ratios(each.lazy(), self.by, again) for each in totals]
        firsts: list[Row] = []
        if self.rare:
            game = pl.col("game").cast(pl.Int64)
            first = [
                game.filter(each.total.cast(pl.Boolean)).min().alias(each.name) for each in self.measures
            ]
            firsts = [
                self.frame(run).select(first).collect(engine="streaming").row(0, named=True) for run in runs
            ]
            for measure in again:
                found = [
                    never_seen(each, measure.name, run.games) for each, run in zip(found, runs, strict=True)
                ]
        further = [differences(totals[0], totals[1], self.by, again, paired)] if len(runs) == 2 else []
        cells = (
            pl.concat([each.select(self.by) for each in found]).unique().sort(self.by) if self.by else [()]
        )
        for cell in cells.iter_rows() if isinstance(cells, pl.DataFrame) else cells:
            key = dict(zip(self.by, cell, strict=True))
            for measure in self.measures:
                name = cell[0] if cell else measure.name
                row: Row = {"what": self.row.format(name), "rate": measure.rate}
                for place, rows in enumerate((*found, *further)):
                    there = rows.filter(**key) if key else rows
                    numbers = there.row(0, named=True) if there.height else {}
                    label = f"run{place}" if place < len(runs) else "difference"
                    if label == "difference":
                        basis = (
                            numbers.get(f"{measure.name}{part}") for part in ("", "_variance", "_freedom")
                        )
                        value, variance, freedom = (math.nan if each is None else each for each in basis)
                        row["p"] = float(chance_of_mean(value, variance, freedom))
                    row |= {
                        f"{label}{suffix}": numbers.get(f"{measure.name}{suffix}")
                        for suffix in (
                            ("", "_low", "_high", "_n") if place < len(runs) else ("", "_low", "_high")
                        )
                    }
                row |= {f"run{place}_example": each[measure.name] for place, each in enumerate(firsts)}
                yield row


def compare(runs: Sequence[Run], progress: Progress | None = None) -> Compared:
    """The runs side by side; UserError if they are not of one game."""
    games = dict.fromkeys(run.experiment["game"] for run in runs)
    if len(games) > 1:
        raise UserError(f"runs of {', '.join(games)} can't stand side by side, expected one game")
    facts = [
        {"label": label, "folder": str(run.path)}
        | {key: run.experiment.get(key) for key in ("games", *FACTS)}
        for label, run in zip(labels(runs), runs, strict=True)
    ]
    for fact, run in zip(facts, runs, strict=True):
        fact["setups"] = run.games.select(pl.col("setup").n_unique()).collect(engine="streaming").item()
    tables = side_by_side(runs, progress)
    paired = are_paired(runs)
    games_to_read = {"Games that stand out": otherwise.outliers(runs)}
    if paired and len(runs) == 2:
        changed = otherwise.deals(runs)
        if changed.height:
            games_to_read["Deals that went otherwise"] = changed.with_columns(rounded())
    return Compared(facts, paired, tables, Frames(games_to_read), _summary(facts, paired, tables))


def _summary(facts: list[Row], paired: bool, tables: dict[str, pl.DataFrame]) -> list[dict[str, str]]:
    """What differs, table by table: of two runs where the screening says so, of more the range."""
    found = []
    if len(facts) == 2:
        how = (
            "setup by setup, for both take their chance from the same seed"
            if paired
            else "as independent runs"
        )
        text = (
            f"The second, {facts[1]['label']}, less the first, {facts[0]['label']}, compared {how}. Of the differences "
            "told here one in twenty is expected to be chance (Benjamini and Hochberg over all of this page)."
        )
        found.append({"topic": "Differences", "text": text})
    for name, table in tables.items():
        if name == BINS:
            continue  # the mean length stands there already
        sentences = []
        for row in table.iter_rows(named=True):
            write = percent if row["rate"] else number
            if len(facts) == 2:
                if row["q"] is not None and row["q"] <= LEVEL:
                    ends = [write({"x": row[f"run{place}"]}, "x") for place in (0, 1)]
                    kind = "rate difference" if row["rate"] else "mean difference"
                    cell = Column("", "difference", kind).cell(row)
                    sentences.append(f"{row['what']} {ends[0]} → {ends[1]}, {cell['text']} ({cell['note']})")
            elif known := [
                row[f"run{place}"] for place in range(len(facts)) if row[f"run{place}"] is not None
            ]:
                ends = [write({"x": each}, "x") for each in (min(known), max(known))]
                if ends[0] != ends[1]:
                    sentences.append(f"{row['what']} {ends[0]} to {ends[1]}")
        most = "; ".join(sentences[:MOST_SENTENCES]) + (
            "; and others" if len(sentences) > MOST_SENTENCES else ""
        )
        nothing = "nothing stands out" if len(facts) == 2 else "all alike"
        text = most or nothing
        found.append({"topic": name, "text": f"{text[0].upper()}{text[1:]}."})
    return found


def as_json(compared: Compared) -> str:
    """The numbers as JSON: `schema`, `runs`, `paired`, `summary`, `tables`, `examples`.

    A table's rows are as in `side_by_side`; those of the examples as in `otherwise`.
    """
    content: Row = {
        "schema": SCHEMA,
        "runs": compared.runs,
        "paired": compared.paired,
        "summary": compared.summary,
    }
    for key, frames in (("tables", compared.tables), ("examples", compared.examples)):
        content[key] = {
            name: [plain(row) for row in rows.iter_rows(named=True)] for name, rows in frames.items()
        }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def write(runs: Sequence[Run], out: Path, progress: Progress | None = None) -> Path:
    """Write the page `out` and its numbers beside it, under the same name with .json; the page's path."""
    # Matplotlib and the page's other libraries load only when a page is drawn.
    from analysis.pages.page import as_comparison_page

    compared = compare(runs, progress)
    numbers = out.with_suffix(".json")
    out.parent.mkdir(parents=True, exist_ok=True)
    numbers.write_text(as_json(compared), encoding="utf-8")
    out.write_text(as_comparison_page(compared, numbers.name), encoding="utf-8")
    return out


def side_by_side(runs: Sequence[Run], progress: Progress | None = None) -> Frames:
    """Tables by name, each with a row a thing compared: `run0`, `run1` ... with bounds and n, in their order.

    Of two runs also `difference`, the second less the first: within setups if `are_paired`, else of independent
    ones; its `q` is its p adjusted over all rows of all tables (Benjamini and Hochberg). Of what happens in some
    games only, the first of each run is `run0_example`, `run1_example` ... What only some of the runs kept is left
    out.
    """
    paired = are_paired(runs)
    tables: dict[str, list[Row]] = {}
    asked = list(_comparisons(runs))
    for place, comparison in enumerate(asked):
        if progress:
            progress(place, len(asked), comparison.table)
        tables.setdefault(comparison.table, []).extend(comparison.rows(runs, paired))
    found = {name: pl.DataFrame(rows, infer_schema_length=None) for name, rows in tables.items() if rows}
    if progress:
        progress(len(asked), len(asked), "the page")
    if len(runs) == 2:
        found = _screened(found)
    return Frames({name: table.with_columns(rounded()) for name, table in found.items()})


def _screened(tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The tables with `q` instead of `p`."""
    q = false_discoveries(np.concatenate([table["p"].to_numpy() for table in tables.values()]))
    ends = np.cumsum([table.height for table in tables.values()])[:-1]
    return {
        name: table.with_columns(pl.Series("q", of_table, nan_to_null=True)).drop("p")
        for (name, table), of_table in zip(tables.items(), np.split(q, ends), strict=True)
    }


def are_paired(runs: Sequence[Run]) -> bool:
    """True if the runs play the same setups: equal seed, players, number of games and seating."""
    return all(len({run.experiment[key] for run in runs}) == 1 for key in PAIRED)


def _comparisons(runs: Sequence[Run]) -> Iterator[Comparison]:
    kept = set.intersection(*(set(kept_tables(run.experiment["keep"])) for run in runs))
    about = runs[0].experiment
    yield Comparison("Length", _means("turns", "rounds"), lambda run: run.games)
    if "seats" in kept:
        length = (Measure("own turns of the winner", pl.col("length"), _one, rate=False),)
        yield Comparison("Length", length, lambda run: seats.winners_turns(run.games, run.seats))
    endings = dict.fromkeys(ending for run in runs for ending in _endings(run))
    yield Comparison(
        "Endings",
        tuple(Measure(words(name), pl.col("ending") == name, _one) for name in endings),
        lambda run: run.games,
        rare=True,
    )
    yield Comparison(BINS, tuple(_spans(runs)), lambda run: run.games, rare=True)
    yield Comparison("Ties", tuple(_ties(about["race"])), lambda run: run.games, rare=True)
    if "seats" in kept:
        won, name = Measure("win_share", pl.col("win_share"), _one), "Share of the wins"
        if len({run.experiment["players"] for run in runs}) > 1:
            # A fifth of the wins of five seats is as fair as half of those of two.
            won = Measure("win_share", pl.col("win_share") * pl.col("players"), _one, rate=False)
            name = FAIR
        yield Comparison(f"{name} by seat", (won,), _seated, ("seat",), "seat {}")
        yield Comparison(f"{name} by bot", (won,), _seated, ("bot",))
    if "events" in kept:
        yield from _of_offers(runs)
    if "seats" in kept:
        names = _common([seats.columns_of(run.seats, seats.ACTION) for run in runs])
        whole = seats.all_actions(runs[0].seats.select(f"{seats.ACTION}{name}" for name in names))
        actions = (Measure(words(name), pl.col(seats.ACTION + name), whole) for name in names)
        yield Comparison("Share of all actions", tuple(actions), _seated)
    paid_with = _common([run.experiment["payments"] for run in runs])
    if "events" in kept and paid_with:
        yield Comparison("Payment mix", tuple(payments.measures(paid_with)), _payments)
    if "events" in kept:
        own = [kind for kind in about["kinds"] if kind not in EVENT_KINDS]
        times = tuple(Measure(words(kind), pl.col(kind), pl.col("players"), rate=False) for kind in own)
        if own:
            yield Comparison("Times a seat and game", times, lambda run: _counted(run, own))
    if "seats" in kept:
        columns = _common([declared.own_columns(run.seats) for run in runs])
        binary = set.intersection(*(declared.binary(run.seats, columns) for run in runs))
        means = _means(*(name for name in columns if name not in binary))
        shares = (Measure(words(name), pl.col(name), _one) for name in columns if name in binary)
        yield Comparison("At the end, mean of a seat", means, _seated)
        yield Comparison("At the end, share of seats", tuple(shares), _seated)


def _common(names: Sequence[Sequence[str]]) -> list[str]:
    """The names that all runs have; one may be from before a column was there."""
    return [name for name in names[0] if all(name in others for others in names)]


def _means(*names: str) -> tuple[Measure, ...]:
    return tuple(Measure(words(name), pl.col(name), _one, rate=False) for name in names)


def _endings(run: Run) -> list[str]:
    seen = run.games.select(pl.col("ending").unique().sort()).collect(engine="streaming")["ending"].to_list()
    return [*run.experiment.get("endings", ()), *seen]


def _spans(runs: Sequence[Run]) -> Iterator[Measure]:
    """The same spans of turns for all runs, at most `examples.MOST_BINS`."""
    turns = pl.col("turns").cast(pl.Int64)
    ends = [
        run.games.select(turns.min().alias("low"), turns.max().alias("high"))
        .collect(engine="streaming")
        .row(0)
        for run in runs
    ]
    low, high = min(least for least, _ in ends), max(most for _, most in ends)
    width = -(-(high - low + 1) // examples.MOST_BINS)
    for least in range(low, high + 1, width):
        most = least + width - 1
        label = f"{least}" if width == 1 else f"{least}–{most}"
        yield Measure(label, turns.is_between(least, most), _one)


def _ties(race: bool) -> Iterator[Measure]:
    shared = pl.col("tie_stage") == ties.SHARED
    if race:
        yield Measure("nobody finishes, all share", shared, _one)
        return
    yield Measure("tied on points", pl.col("tied_on_points") > 1, _one)
    yield Measure("shared after every tie-break", shared, _one)
    yield Measure("won by at most one point", pl.col("margin") <= 1, _one)


def _seated(run: Run) -> pl.LazyFrame:
    return run.seats.join(run.games.select("game", "setup", "players"), on="game")


def _of_offers(runs: Sequence[Run]) -> Iterator[Comparison]:
    """Shares of groups, where all runs have the same."""
    families = [offers.families(run.catalogue) for run in runs]
    for family in families[0]:
        if all(family in others for others in families):
            paid = tuple(each for each in family.measures() if each.name.startswith("paid|"))
            named = tuple(
                Measure(heading(each.name.partition("|")[2]), each.total, each.count, each.rate)
                for each in paid
            )
            what = "wins" if runs[0].experiment["race"] else "payouts"

            def counted(run: Run, family: offers.Family = family) -> pl.LazyFrame:
                return offers.counted(run.events, run.games, run.catalogue, family)

            yield Comparison(f"Share of the {what} by group: {words(family.name)}", named, counted)


def _payments(run: Run) -> pl.LazyFrame:
    frames = (run.events, run.games, run.seats, run.catalogue)
    return payments.paid_with(*frames, run.experiment["payments"], rounds_of(run.games))


def _counted(run: Run, kinds: Sequence[str]) -> pl.LazyFrame:
    counts = run.events.group_by("game").agg((pl.col("kind") == kind).sum().alias(kind) for kind in kinds)
    return run.games.join(counts, on="game", how="left").with_columns(pl.col(*kinds).fill_null(0))


# Which run is which


def labels(runs: Sequence[Run]) -> list[str]:
    """A name for each run: what it has otherwise than the others, as `players=3, rules.any_lower=true`.

    Where that tells too little, its folder is named too.
    """
    options = [_options(run.experiment) for run in runs]
    keys = dict.fromkeys(key for each in options for key in each)
    values = {key: [_value(run, each, key) for run, each in zip(runs, options, strict=True)] for key in keys}
    differing = [key for key in keys if len(set(values[key])) > 1]
    # Whole setups round the games up: their number tells runs apart only where nothing else does.
    for told in ([key for key in differing if key != "games"], differing):
        found = [", ".join(f"{key}={values[key][place]}" for key in told) for place in range(len(runs))]
        if len(set(found)) == len(found):
            return found
    folders = [run.path.name for run in runs]
    names = folders if len(set(folders)) == len(folders) else [str(run.path) for run in runs]
    return [f"{name}: {label}" if label else name for name, label in zip(names, found, strict=True)]


def _options(about: Mapping[str, Any]) -> Row:
    bots = list(about["bots"])
    alike = len(set(bots)) == 1
    plain = {key: about[key] for key in ("players", "games", "seed", "seating", "cards")}
    return plain | {"bots": bots[0] if alike else ",".join(bots)} | dict(about["settings"])


def _value(run: Run, options: Row, key: str) -> str:
    """The value of an option as it is written on the command line; of a setting left out, that of the design."""
    if key in options:
        value = options[key]
        return value if isinstance(value, str) else "default" if value is None else json.dumps(value)
    found: Any = run.experiment["design"]
    for part in key.split("."):
        if isinstance(found, list):
            found = next((each for each in found if isinstance(each, dict) and each.get("id") == part), None)
        else:
            found = found.get(part) if isinstance(found, dict) else None
    return "default" if found is None or isinstance(found, dict | list) else json.dumps(found).strip('"')
