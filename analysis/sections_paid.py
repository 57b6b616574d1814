"""What pays: the sections on payout rates, payments and the strength of sources."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from analysis import charts
from analysis.columns import EXAMPLE, Column, across, figure, table
from analysis.frames import Row
from analysis.measured import Measured
from analysis.words import MANY, families, heading, plural, words

MOST_STRENGTH_FIGURES, AT_THE_ENDS = 3, 15
"""Kinds of event whose sources get a figure, and how many sources of either end stand in it."""

SOURCE_COLUMNS = (
    Column("Source", "name", "text"),
    Column("Group", "title", "text"),
    Column("Kind", "kind", "text"),
    Column("Offered", "offered", "count", "games (for secret cards: hands) that offered it"),
    Column("Reachable", "reachable", "count", "of these, within reach of at least one seat"),
    Column("Paid", "paid", "count", "of these, paid to at least one seat"),
    Column("P(paid | offered)", "paid_offered"),
    Column("P(paid | reachable)", "paid_reachable"),
    Column("Seat: P(paid | offered)", "seat_paid_offered", "rate", "of the seats it was open to"),
    Column(
        "Seat: P(paid | reachable)", "seat_paid_reachable", "rate", "of the seats that had it within reach"
    ),
    Column("Unwon", "unwon", "rate", "share of offers that nobody won"),
    Column("VP a payout", "vp", "mean", "everything paid for it in a game in which it paid"),
    Column("VP at once", "vp_first", "mean", "the first payment alone"),
    Column("VP later", "vp_later", "mean", "all further payments"),
    Column("VP lost by others", "vp_lost", "mean"),
    Column("Effect chosen", "effect", "rate", "of the winners who chose between effect and VP"),
    Column("Wins: effect", "win_share_effect", "rate", "mean share of the win of seats that took the effect"),
    Column("Wins: VP", "win_share_vp", "rate", "mean share of the win of seats that took the VP"),
    Column("Wins: paid", "win_share_paid", "rate", "mean share of the win of seats that it paid"),
    Column("Example", "example", "game", "first game in which it paid"),
)


def payout_section(measured: Measured) -> Row:
    tables, race, in_rounds = measured.tables["payouts"], measured.run["race"], measured.rounds.label
    sources = tables["source"]
    figures, grids = [], []
    alone = families(sources)
    for family, rows in alone.items():
        if rows.height < MANY or rows["offered"].sum() == 0:
            continue
        of_round = tables["round"].filter(pl.col("source").is_in(rows["source"].to_list()))
        title = f"{plural(family).capitalize()}: how often each is paid, of the games that offered it"
        figures.append(
            figure(
                charts.payout_dots(rows, title),
                f"{title}. Dots with 95 % intervals; the table below has the numbers.",
            )
        )
        if of_round["round"].n_unique() > 1:
            order = rows.sort("group", "paid_offered", descending=[False, True], maintain_order=True).select(
                "source"
            )
            of_round = order.join(of_round, on="source", maintain_order="left")
            title = f"{plural(family).capitalize()}: percent paid by the round of the offer"
            grids.append(
                figure(
                    charts.round_grid(of_round, title, in_rounds),
                    f"{title}; the table by round has the numbers.",
                )
            )
        if rows["effect_n"].sum():
            title = f"{plural(family).capitalize()}: the effect or the VP?"
            figures.append(
                figure(charts.choice_dots(rows, title), f"{title} Share of winners that took the effect.")
            )
    rest = sources.filter(
        ~pl.col("source").is_in([s for f, r in alone.items() if r.height >= MANY for s in r["source"]])
        & (pl.col("offered") > 0)
    )
    if rest.height:
        title = "Other paying places: how often they pay a seat in a game"
        figures.append(figure(charts.payout_dots(rest, title), f"{title}. Dots with 95 % intervals."))
    lines = [row | {"name note": row["text"]} for row in sources.to_dicts()]
    several = tables["round"].filter(pl.col("round").n_unique().over("source") > 1)
    points = ("vp", "vp_first", "vp_later", "vp_lost", "win_share_paid")
    columns = [column for column in SOURCE_COLUMNS if not race or column.key not in points]
    shown = [
        table("All sources", columns, lines, filter=True),
        *_offer_tables(measured),
        table(
            "P(paid | offered) by the round of the offer",
            *across(several, "round", "paid_offered", in_rounds),
            filter=True,
        ),
        table(
            "Share of all offers first paid in each round",
            *across(tables["paid_round"], "round", "first_paid", in_rounds),
            filter=True,
            folded=True,
        ),
        table(
            "P(a seat is paid | offered to it), by seat",
            *across(tables["seat"], "seat", "seat_paid_offered", lambda s: f"seat {s}"),
            filter=True,
            folded=True,
        ),
        table(
            "P(a seat is paid | within its reach), by seat",
            *across(tables["seat"], "seat", "seat_paid_reachable", lambda s: f"seat {s}"),
            filter=True,
            folded=True,
        ),
        table(
            "P(a seat is paid | offered to it), by bot",
            *across(tables["bot"], "bot", "seat_paid_offered", str),
            filter=True,
        ),
        table(
            "P(a seat is paid | within its reach), by bot",
            *across(tables["bot"], "bot", "seat_paid_reachable", str),
            filter=True,
            folded=True,
        ),
    ]
    if tables["players"]["players"].n_unique() > 1:
        shown.append(
            table(
                "P(paid | offered) by number of players",
                *across(tables["players"], "players", "paid_offered", lambda p: f"{p} players"),
                filter=True,
            )
        )
    whole = [
        column
        for column in columns
        if column.key in ("paid_offered", "paid_reachable", "unwon", "vp", "vp_first", "vp_later")
    ]
    for key, column in (("group", "title"), ("kind", "kind")):
        shown.append(
            table(f"By {key}", [Column(key.capitalize(), column, "text"), *whole], tables[key].to_dicts())
        )
    note = (
        "One unit is an offer: one source in one game, or one secret card in one hand. Within reach means "
        "that at the start of its own action turn a seat could win it. A source that is always open counts "
        "as offered in every game."
    )
    if sources["effect_n"].sum():
        note += " The win shares of those who chose an effect or VP compare the seats, not the choice."
    return {
        "title": "Payout rates",
        "note": note,
        "figures": figures + grids + _offer_figures(measured),
        "tables": shown,
    }


def _offer_figures(measured: Measured) -> list[Row]:
    """Of a race, who wins by what was on offer together: shares that add up to one."""
    if not measured.run["race"]:
        return []
    figures = []
    for (family,), rows in _combinations(measured).group_by("family", maintain_order=True):
        title = f"{plural(str(family)).capitalize()}: who wins, by what was on offer together (%)"
        bars = rows.select("together", "title", pl.col("paid").fill_null(0).alias("share"))
        drawn = charts.stacked_shares(bars, "together", "title", title)
        figures.append(figure(drawn, f"{title}; the table has the numbers."))
    return figures


def _combinations(measured: Measured) -> pl.DataFrame:
    """The rows of combinations with one in words: `Blue spires × 2 · Red spires × 1`."""
    rows = measured.tables["offers"]["combination"] if "offers" in measured.tables else pl.DataFrame()
    if rows.is_empty():
        return pl.DataFrame(schema={"family": pl.String})
    numbered = pl.format("{} × {}", "title", "number").filter(pl.col("number") > 0).str.join(" · ")
    return rows.with_columns(numbered.over("family", "combination").alias("together"))


def _offer_tables(measured: Measured) -> list[Row]:
    if "offers" not in measured.tables:
        return []
    race = measured.run["race"]
    columns = [
        Column("Group", "title", "text"),
        Column("Share of the wins" if race else "Share of what was paid", "paid", "rate", "of its family"),
        Column("Share of the offers", "offered", "rate", "of its family"),
    ]
    shown = []
    for (family,), rows in measured.tables["offers"]["group"].group_by("family", maintain_order=True):
        caption = f"{plural(str(family)).capitalize()}: which group {'wins' if race else 'is paid'}"
        shown.append(table(caption, columns, rows.to_dicts()))
    for (family,), rows in _combinations(measured).group_by("family", maintain_order=True):
        caption = f"{plural(str(family)).capitalize()}: paid by what was on offer together"
        of_group, lines = across(rows, "title", "paid", str, line=("Offered", "combination", "together"))
        whole = {row["together"]: row for row in rows.to_dicts()}
        wide = [
            *of_group,
            Column("None of them", "nothing"),
            Column("Turns", "turns", "mean"),
        ]
        shown.append(table(caption, wide, [whole[line["name"]] | line for line in lines]))
    return shown


def payment_section(measured: Measured) -> Row:
    tables, sentences = measured.tables["payments"], measured.run["columns"]["events"]
    figures = []
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
        figures.append(
            figure(
                charts.stacked_shares(named, "line", "payment", title),
                f"{title}; the tables have the numbers.",
            )
        )
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
    return {"title": "Payment mix", "note": note, "figures": figures, "tables": shown}


STRENGTH_COLUMNS = (
    Column("Source", "name", "text"),
    Column("Group", "title", "text"),
    Column("Seats", "win_share_n", "count", "seats of a game that had it, however often"),
    Column("Share of the win", "win_share", "rate", "of these seats"),
    Column("Expected", "expected", "rate", "of all events of this kind, at the same seat, bot and round"),
    Column("Above expectation", "difference", "rate difference", "in percentage points"),
    Column("Within its group", "in_group", "rate difference", "above the sources of its own group alone"),
    Column(
        "Stands out", "stands_out", "text", "at a false discovery rate of 5 % over all sources of the kind"
    ),
    EXAMPLE,
)


def strength_section(measured: Measured) -> Row:
    whole = measured.tables["strength"]["source"]
    figures, shown = [], []
    for place, ((kind,), rows) in enumerate(whole.group_by("kind", maintain_order=True)):
        sentence = measured.run["columns"]["kinds"].get(kind, "")
        caption = f"Share of the win of those who had: {words(str(kind))}"
        if place < MOST_STRENGTH_FIGURES:
            ends = rows.filter(pl.col("difference_low").is_not_null())
            if ends.height > 2 * AT_THE_ENDS:
                ends = pl.concat([ends.head(AT_THE_ENDS), ends.tail(AT_THE_ENDS)])
            title = f"{heading(str(kind))}: who wins more, and less, than expected"
            if ends.height:
                drawn = charts.difference_dots(ends, title, "percentage points of the win above expectation")
                figures.append(figure(drawn, f"{title}, with 95 % intervals; the table has all."))
        columns = [
            Column(f"Source ({kind})", "name", "text", sentence) if each.key == "name" else each
            for each in STRENGTH_COLUMNS
        ]
        if rows["name"].n_unique() < rows.height or rows["title"].equals(rows["name"]):
            columns = [each for each in columns if each.key != "title"] or columns
        shown.append(
            table(caption, columns, rows.to_dicts(), filter=True, folded=place >= MOST_STRENGTH_FIGURES)
        )
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
    return {"title": "Strength of sources", "note": note, "figures": figures, "tables": shown}
