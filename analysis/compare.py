"""Several runs of one game side by side: what they share and how they differ, and for two by how much."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from analysis import declared, examples, offers, otherwise, payments, seats, ties
from analysis.decisions import chance_of_mean, false_discoveries
from analysis.frames import Frames, Row, plain, rounded
from analysis.intervals import (
    Measure,
    coded,
    differences,
    in_batches,
    in_words,
    never_seen,
    ratios,
    setup_totals,
)
from analysis.measured import FACTS, Compared, Progress, numbers_beside
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

LONGEST_LABEL = 32
"""Characters of a run's name that a legend and a column's head can hold."""

NO_CAUSE = ("games", "seed")
"""Options that change only chance, which the intervals count."""

PAIRED = ("seed", "players", "games", "seating", "engine")
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
    names: Mapping[Any, str] = field(default_factory=dict)
    """How cells are called that have another name than their own."""
    changed: frozenset[Any] | None = None
    """The cells that the runs set otherwise: where this is known, each row says whether it is `changed`."""

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
                row: Row = {"what": self.row.format(self.names.get(name, name)), "rate": measure.rate}
                if self.changed is not None:
                    row["changed"] = name in self.changed
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
    options = differing(runs)
    facts = [
        {
            "label": label,
            "folder": str(run.path),
            "differs": {key: each[place] for key, each in options.items()},
        }
        | {key: run.experiment.get(key) for key in ("games", *FACTS)}
        for place, (label, run) in enumerate(zip(labels(runs), runs, strict=True))
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
    two = len(facts) == 2
    tell = _change if two else partial(_range, [fact["label"] for fact in facts])
    first = [{"topic": "Differences", "text": _what_is_compared(facts, paired)}]
    found: list[dict[str, str]] = []
    quiet: list[str] = []
    for name, table in tables.items():
        if name == BINS:
            continue  # the mean length stands there already
        rows = list(table.iter_rows(named=True))
        others = [row for row in rows if not row.get("changed")]
        if changed := [tell(row, with_n=True) for row in rows if row.get("changed")]:
            text = f"{name}, whether it stands out or not: {'; '.join(changed)}."
            first.append({"topic": "Changed", "text": text})
        if two:
            others = [row for row in others if row["q"] is not None and row["q"] <= LEVEL]
        sentences = [tell(row) for row in others if not _written_alike(row, len(facts))]
        most = "; ".join(sentences[:MOST_SENTENCES]) + (
            "; and others" if len(sentences) > MOST_SENTENCES else ""
        )
        if most:
            found.append({"topic": name, "text": f"{most[0].upper()}{most[1:]}."})
        else:
            quiet.append(f"{name[0].lower()}{name[1:]}")
    if quiet:
        what = "Nothing else stands out" if two else "Alike"
        found.append({"topic": what, "text": f"In {'; '.join(quiet)}."})
    return first + found


def _what_is_compared(facts: list[Row], paired: bool) -> str:
    """What the runs differ in, and how many games of each are compared how."""
    causes = [key for key in facts[0]["differs"] if key not in NO_CAUSE]
    in_what = ""
    if causes:
        either = {1: "", 2: ": a difference may come from either"}.get(
            len(causes), ": a difference may come from any of these"
        )
        in_what = (
            f"They differ in {' and '.join(filter(None, (', '.join(causes[:-1]), causes[-1])))}{either}. "
        )
    named = [f"{fact['label']} ({fact['games']:,} games)" for fact in facts]
    if len(facts) != 2:
        return f"{in_what}The least and the most of {', '.join(named)}, each with its run."
    how = "setup by setup, for both take their chance from the same seed" if paired else "as independent runs"
    return (
        f"{in_what}The second, {named[1]}, less the first, {named[0]}, compared {how}. Of the differences "
        "told here one in twenty is expected to be chance (Benjamini and Hochberg over all of this page)."
    )


def _written(row: Row, key: str) -> str:
    return (percent if row["rate"] else number)(row, key)


def _written_alike(row: Row, runs: int) -> bool:
    """True if a reader sees no difference between the numbers of the runs."""
    known = [f"run{place}" for place in range(runs) if row[f"run{place}"] is not None]
    return len({_written({"rate": row["rate"], key: row[key]}, key) for key in known}) < 2


def _change(row: Row, with_n: bool = False) -> str:
    """`turns 45.3 → 46.1, +0.80 (+0.30 to +1.30)`, and behind it of how many games if asked."""
    ends = [_written({"rate": row["rate"], "x": row[f"run{place}"]}, "x") for place in (0, 1)]
    cell = Column("", "difference", "rate difference" if row["rate"] else "mean difference").cell(row)
    note = f" ({cell['note']})" if cell["note"] else ""
    of = " of {:,} and {:,} games".format(*(row[f"run{place}_n"] or 0 for place in (0, 1))) if with_n else ""
    return f"{row['what']} {ends[0]} → {ends[1]}, {cell['text']}{note}{of}"


def _range(labels: Sequence[str], row: Row, with_n: bool = False) -> str:
    """`turns 45.3 (44.8–45.8, players=2) to 88.6 (88.3–89.0, players=5)`, with the number of games if asked."""
    known = [place for place in range(len(labels)) if row[f"run{place}"] is not None]
    told = []
    for pick in (min, max):
        place = pick(known, key=lambda place: row[f"run{place}"])
        text, bracket, bounds = _written(row, f"run{place}").partition(" (")
        of = f"{row[f'run{place}_n']:,} games of " if with_n else ""
        told.append(f"{text} ({f'{bounds[:-1]}, ' if bracket else ''}{of}{labels[place]})")
    return f"{row['what']} {told[0]} to {told[1]}"


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
    numbers = numbers_beside(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    numbers.write_text(as_json(compared), encoding="utf-8")
    out.write_text(as_comparison_page(compared, numbers.name), encoding="utf-8")
    return out


def side_by_side(runs: Sequence[Run], progress: Progress | None = None) -> Frames:
    """Tables by name, each with a row a thing compared: `run0`, `run1` ... with bounds and n, in their order.

    Of two runs also `difference`, the second less the first: within setups if `are_paired`, else of independent
    ones; its `q` is its p adjusted over all rows of all tables (Benjamini and Hochberg). Of what happens in some
    games only, the first of each run is `run0_example`, `run1_example` ... Sources of which a setting differs are
    `changed` and come first. What only some of the runs kept is left out.
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
    return Frames({name: _ordered(table.with_columns(rounded())) for name, table in found.items()})


def _ordered(table: pl.DataFrame) -> pl.DataFrame:
    """The table as it is; one of sources with the changed ones first, then what stands out most, then by name."""
    if "changed" not in table.columns:
        return table
    q = ["q"] if "q" in table.columns else []
    return table.sort(
        pl.col("changed").not_(), *q, pl.col("what").str.to_lowercase(), "what", nulls_last=True
    )


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
    counts = pl.concat(run.games.group_by(turns.alias("value")).agg(pl.len().alias("rows")) for run in runs)
    values = counts.group_by("value").agg(pl.col("rows").sum()).collect(engine="streaming")
    begins = examples.spans(values).begins
    for least in begins:
        most = least + begins.step - 1
        label = f"{least}" if begins.step == 1 else f"{least}–{most}"
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
    """How often each source is paid, and shares of groups, where all runs have the same."""
    race = runs[0].experiment["race"]
    titles = _titles(runs)
    keys = [key for key in differing(runs) if key not in OPTIONS]
    set_otherwise = {part for key in keys for part in key.split(".")}
    yield Comparison(
        f"{'Wins' if race else 'Paid'}, of the games that offered it",
        (Measure("paid", pl.col("paid"), pl.col("offered")),),
        _offered,
        ("source",),
        names=titles,
        changed=frozenset(each for each in titles if each.rpartition(".")[2] in set_otherwise),
    )
    families = [offers.families(run.catalogue) for run in runs]
    for family in families[0]:
        if all(family in others for others in families):
            paid = tuple(each for each in family.measures() if each.name.startswith("paid|"))
            named = tuple(
                Measure(heading(each.name.partition("|")[2]), each.total, each.count, each.rate)
                for each in paid
            )
            what = "wins" if race else "payouts"

            def counted(run: Run, family: offers.Family = family) -> pl.LazyFrame:
                return offers.counted(run.events, run.games, run.catalogue, family)

            yield Comparison(f"Share of the {what} by group: {words(family.name)}", named, counted)


def _titles(runs: Sequence[Run]) -> dict[str, str]:
    """Sources by id with their names, of the first run that has them; two of one name have their ids behind it."""
    known = pl.concat([run.catalogue.select("source", "name").collect() for run in runs])
    names = dict(known.unique("source", keep="first", maintain_order=True).iter_rows())
    times = Counter(names.values())
    return {each: name if times[name] == 1 else f"{name} ({each})" for each, name in names.items()}


def _offered(run: Run) -> pl.LazyFrame:
    """One row a source and setup: in how many games an event `offered` the source, in how many of them it `paid`."""
    offered, paid = pl.col("kind") == "offered", (pl.col("kind") == "paid") & (pl.col("amount") >= 0)
    parts = []
    for games, events in in_batches(offers.BATCH, run.games, run.events):
        cells = (
            coded(events.filter(offered | paid).select("game", "source", offered=offered, paid=paid))
            .group_by("game", "source")
            .agg(pl.col("offered", "paid").any())
            .filter("offered")
            .join(games.select("game", "setup"), on="game")
        )
        of_setups = cells.group_by("source", "setup").agg(pl.col("offered", "paid").sum())
        parts.append(in_words(of_setups).collect(engine="streaming"))
    return pl.concat(parts).lazy()


def _payments(run: Run) -> pl.LazyFrame:
    frames = (run.events, run.games, run.seats, run.catalogue)
    return payments.paid_with(*frames, run.experiment["payments"], rounds_of(run.games))


def _counted(run: Run, kinds: Sequence[str]) -> pl.LazyFrame:
    counts = run.events.group_by("game").agg((pl.col("kind") == kind).sum().alias(kind) for kind in kinds)
    return run.games.join(counts, on="game", how="left").with_columns(pl.col(*kinds).fill_null(0))


# Which run is which


OPTIONS = ("players", "games", "seed", "seating", "cards", "bots")
"""What a run is told beside its settings."""


def labels(runs: Sequence[Run]) -> list[str]:
    """A name for each run: what it has otherwise than the others, as `players=3, rules.any_lower=true`.

    Where that tells too little, its folder is named too; where it gets longer than `LONGEST_LABEL`, the folder alone.
    """
    options = differing(runs)
    folders = _folders(runs)
    # Whole setups round the games up: their number tells runs apart only where nothing else does.
    for told in ([key for key in options if key != "games"], options):
        found = [", ".join(f"{key}={options[key][place]}" for key in told) for place in range(len(runs))]
        if len(set(found)) == len(found):
            break
    else:
        found = [f"{name}: {label}" if label else name for name, label in zip(folders, found, strict=True)]
    return folders if max(map(len, found)) > LONGEST_LABEL and len(set(folders)) > 1 else found


def _folders(runs: Sequence[Run]) -> list[str]:
    """The folders by their names, with as many of those above as tell them apart."""
    parts = [run.path.parts for run in runs]
    for depth in range(1, max(map(len, parts))):
        names = [str(Path(*each[-depth:])) for each in parts]
        if len(set(names)) == len(names):
            return names
    return [str(run.path) for run in runs]


def differing(runs: Sequence[Run]) -> dict[str, list[str]]:
    """The options in which the runs differ, each with its value in every run as the command line writes it."""
    options = [_options(run.experiment) for run in runs]
    keys = dict.fromkeys(key for each in options for key in each)
    values = {key: [_value(run, each, key) for run, each in zip(runs, options, strict=True)] for key in keys}
    return {key: each for key, each in values.items() if len(set(each)) > 1}


def _options(about: Mapping[str, Any]) -> Row:
    bots = list(about["bots"])
    alike = len(set(bots)) == 1
    told = {key: about[key] for key in OPTIONS} | {"bots": bots[0] if alike else ",".join(bots)}
    return told | dict(about["settings"])


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
