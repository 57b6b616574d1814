"""What offers are worth: how long they wait, what is paid for them, and how those fare who had them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from analysis.frames import Row
from analysis.measured import Measured
from analysis.pages import charts, figures
from analysis.pages.columns import EXAMPLE, Column, across, figure, table
from analysis.words import heading, words

MOST_DOTS = 60
"""Sources in one figure."""


def wait_section(measured: Measured) -> Row:
    rows, race = measured.tables["waits"]["source"], bool(measured.run["race"])
    pays = "wins" if race else "pays"
    title = f"How long offers wait: turns of all seats until half of them have {'won' if race else 'paid'}"
    bounds = (pl.col(f"turns{end}").cast(pl.Float64).alias(f"mean{end}") for end in ("", "_low", "_high"))
    dots = rows.filter(pl.col("turns") > 0).sort("turns", "source").head(MOST_DOTS)
    dots = dots.select(pl.col("name").alias("title"), *bounds)
    drawn = []
    if dots.height:
        said = f"{title}: {figures.ends(dots, 'title', 'mean', '{:g} turns'.format)}."
        drawn.append(figure(charts.run_dots(dots, title, "run", False), said))
    columns = [
        Column("Source", "name", "text"),
        Column("1 in", "one_in", "mean", f"one in so many offers {pays}"),
        Column("Turns: a quarter", "turns_q25", "count", "by which a quarter of the offers have"),
        Column("Turns: half", "turns", "mean"),
        Column("Turns: three quarters", "turns_q75", "count"),
        Column("Rounds: half", "rounds", "mean", "rounds after that of the offer"),
        Column("Rounds: three quarters", "rounds_q75", "count"),
        Column(f"{pays.capitalize()} in", "example", "game", f"the first game in which it {pays}"),
    ]
    note = (
        f"From the offer until it {pays}; 0 is the same turn or round. Offers that lapse or are open at the end of "
        "the game have waited at least so long (Kaplan and Meier): the times are those of offers that stand until "
        f"they {pays.removesuffix('s')}. A dash is a time that too few offers reach."
    )
    if spends := measured.run["spends"]:
        note += (
            f" What is paid for what seats spend, points per {words(spends)}, stands under “Scores by part”."
        )
    first = dict(measured.tables["payouts"]["source"].select("source", "example").iter_rows())
    lines = [row | {"example": first.get(row["source"])} for row in rows.to_dicts()]
    return {
        "title": "Time to win" if race else "Time to pay",
        "note": note,
        "figures": drawn,
        "tables": [table("How long offers wait", columns, lines, filter=True)],
    }


def payment_section(measured: Measured) -> Row:
    tables, sentences = measured.tables["payments"], measured.run["columns"]["events"]
    drawn = []
    places: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
        ("group", "what was paid for", str),
        ("round", "round", measured.rounds.label),
        ("bot", "bot", str),
    )
    shown = [
        table(
            "What payments are made of",
            [
                Column("Paid with", "payment", "text"),
                Column("Share", "share"),
                Column("In one payment", "mean", "mean"),
            ],
            [row | {"payment note": sentences.get(row["payment"], "")} for row in tables["whole"].to_dicts()],
        )
    ]
    for key, what, label in places:
        rows = tables[key]
        name = "title" if key == "group" else key
        if rows.is_empty() or rows[key].n_unique() < 2:
            continue
        title = f"What payments are made of, by {what} (%)"
        named = rows.with_columns(pl.Series("line", [label(each) for each in rows[name]]))
        said = f"{title}; {figures.by_part(named, 'line', 'payment')}."
        drawn.append(figure(charts.stacked_shares(named, "line", "payment", title), said))
        line = (heading(key), "line", "line")
        shown += [
            table(f"Share of what was paid, by {what}", *across(named, "payment", "share", str, line=line)),
            table(
                f"In one payment, by {what}",
                *across(named, "payment", "mean", str, "mean", line=line),
                folded=True,
            ),
        ]
    note = "Shares are of all resources paid (n), with the setup as the unit of their intervals."
    return {"title": "Payment mix", "note": note, "figures": drawn, "tables": shown}


MOST_STRENGTH_FIGURES, AT_THE_ENDS = 3, 15
"""Kinds of event whose sources get a figure, and how many sources of either end stand in it."""

STRENGTH_COLUMNS = (
    Column("Source", "name", "text"),
    Column("Group", "title", "text"),
    Column("Seats", "win_share_n", "count", "seats of a game that had it, however often"),
    Column("Share of the win", "win_share", "rate", "of these seats"),
    Column("Expected", "expected", "rate", "of all events of this kind, at the same seat, bot and round"),
    Column("Above expectation", "difference", "rate difference", "in percentage points"),
    Column(
        "Drawn together",
        "difference_shrunk",
        "rate difference",
        "to the others of the kind: so they are ranked",
    ),
    Column("Within its group", "in_group", "rate difference", "above the sources of its own group alone"),
    Column(
        "Stands out", "stands_out", "text", "at a false discovery rate of 5 % over all sources of the kind"
    ),
    EXAMPLE,
)


def strength_section(measured: Measured) -> Row:
    whole = measured.tables["strength"]["source"]
    drawn, shown = [], []
    texts = _texts(measured)
    for place, ((kind,), rows) in enumerate(whole.group_by("kind", maintain_order=True)):
        sentence = measured.run["columns"]["kinds"].get(kind, "")
        caption = f"Share of the win of the seats that had an event “{words(str(kind))}” of each source"
        if place < MOST_STRENGTH_FIGURES:
            ends = rows.filter(pl.col("difference_low").is_not_null())
            if ends.height > 2 * AT_THE_ENDS:
                ends = pl.concat([ends.head(AT_THE_ENDS), ends.tail(AT_THE_ENDS)])
            title = f"{heading(str(kind))}: who wins more, and less, than expected"
            if ends.height:
                label = "percentage points of the win above expectation"
                said = (
                    f"{title}, with 95 % intervals: {figures.ends(ends, 'name', 'difference', figures.points)}; "
                    f"{ends['stands_out'].count()} of {ends.height} stand out. The table has all."
                )
                drawn.append(figure(charts.difference_dots(ends, title, label), said))
        lines = [row | {"name note": texts.get(row["source"], "")} for row in rows.to_dicts()]
        columns = [
            Column(f"Source ({kind})", "name", "text", sentence) if each.key == "name" else each
            for each in STRENGTH_COLUMNS
        ]
        if rows["name"].n_unique() < rows.height or rows["title"].equals(rows["name"]):
            columns = [each for each in columns if each.key != "title"] or columns
        shown.append(table(caption, columns, lines, filter=True, folded=place >= MOST_STRENGTH_FIGURES))
    sorts = measured.tables["strength"]["sort"]
    if sorts.height:
        columns = [
            Column("Event", "kind", "text"),
            Column("Group", "title", "text"),
            Column("Sort", "sort", "text"),
            Column("Seats", "win_share_n", "count", "that had one of the sort, once a source"),
            Column("Share of the win", "win_share", "rate", "of these seats"),
            Column("Within the group", "in_group", "rate difference", "above all sources of the group"),
        ]
        caption = "By sort of source: what a sort goes with, beside the others of its group"
        shown.insert(0, table(caption, columns, sorts.to_dicts()))
    note = (
        "Strong seats get strong cards: a seat that does well has more to choose from and more to pay with, so "
        "that much of what a card seems worth is the seat's. Each source is therefore compared with all sources "
        "of the same kind of event at the same seat, with the same bot and in the same span of rounds; within "
        "its group with those of its group alone. What is left is a hint where to look, not the worth of a "
        "card: that takes a run with the card changed."
    )
    return {
        "title": "Strength of sources",
        "short": "Strength",
        "note": note,
        "figures": drawn,
        "tables": shown,
    }


def _texts(measured: Measured) -> dict[str, str]:
    """What each source asks and pays, in words."""
    for section in ("strength", "payouts"):
        rows = measured.tables[section]["source"] if section in measured.tables else pl.DataFrame()
        if "text" in rows.columns:
            return dict(rows.select("source", pl.col("text").fill_null("")).iter_rows())
    return {}
