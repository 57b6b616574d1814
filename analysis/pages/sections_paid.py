"""What pays: how often what is offered comes within reach and is paid, and what was on offer together."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from analysis.frames import Row
from analysis.measured import Measured
from analysis.pages import charts, figures
from analysis.pages.columns import EXAMPLE, Column, across, figure, table
from analysis.words import MANY, families, plural

SOURCE_COLUMNS = (
    Column("Source", "name", "text"),
    Column("Group", "title", "text"),
    Column("Kind", "kind", "text"),
    Column("Offered", "offered", "count", "games (for secret cards: hands) that offered it"),
    Column("Reachable", "reachable", "count", "of these, within reach of at least one seat"),
    Column("Paid", "paid", "count", "of these, paid to at least one seat"),
    Column("P(paid | offered)", "paid_offered"),
    Column(
        "Drawn together",
        "paid_offered_shrunk",
        "rate",
        "the same drawn to those of its family, fair to rank by",
    ),
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


POINTS = ("vp", "vp_first", "vp_later", "vp_lost", "win_share_paid")
"""Columns of which a race knows nothing: what it pays is the win."""

NOTE = (
    "One unit is an offer: one source in one game, or one secret card in one hand. Within reach means that at the "
    "start of its own action turn a seat could win it. A source that is always open counts as offered in every game."
)
RACE_NOTE = (
    " The first to finish wins, so in each game at most one source wins. P(wins | reachable) stays below 100 % even "
    "so: several may be within reach of a seat, which takes one of them, and another seat may come first."
)


def payout_section(measured: Measured) -> Row:
    tables, race = measured.tables["payouts"], bool(measured.run["race"])
    sources = tables["source"]
    drawn, grids = [], []
    alone = families(sources)
    for family, rows in alone.items():
        if rows.height < MANY or rows["offered"].sum() == 0:
            continue
        what = plural(family)
        drawn.append(figure(*figures.payouts(rows, what, race)))
        of_round = tables["round"].filter(pl.col("source").is_in(rows["source"].to_list()))
        if of_round["round"].n_unique() > 1:
            order = rows.sort("group", "paid_offered", descending=[False, True], maintain_order=True).select(
                "source"
            )
            of_round = order.join(of_round, on="source", maintain_order="left")
            title = f"{what.capitalize()}: percent {'won with' if race else 'paid'} by the round of the offer"
            cells = of_round.with_columns(
                pl.concat_str(
                    "name",
                    pl.lit(" of "),
                    pl.col("round").map_elements(measured.rounds.label, return_dtype=pl.String),
                ).alias("cell")
            )
            said = (
                f"{title}: {figures.ends(cells, 'cell', 'paid_offered')}; the table by round has the numbers."
            )
            grids.append(figure(charts.round_grid(of_round, title, measured.rounds.label), said))
        if rows["effect_n"].sum():
            title = f"{what.capitalize()}: the effect or the VP?"
            said = f"{title} Share of winners that took the effect: {figures.ends(rows, 'name', 'effect')}."
            drawn.append(figure(charts.choice_dots(rows, title), said))
    rest = sources.filter(
        ~pl.col("source").is_in([s for f, r in alone.items() if r.height >= MANY for s in r["source"]])
        & (pl.col("offered") > 0)
    )
    if rest.height:
        title = "Other paying places: how often they pay a seat in a game"
        said = f"{title}. Dots with 95 % intervals: {figures.ends(rest, 'name', 'paid_offered')}."
        drawn.append(figure(charts.payout_dots(rest, title), said))
    note = NOTE + (RACE_NOTE if race else "")
    if sources["effect_n"].sum():
        note += " The win shares of those who chose an effect or VP compare the seats, not the choice."
    return {
        "title": "What wins" if race else "Payout rates",
        "note": note,
        "figures": drawn + grids + _offer_figures(measured),
        "tables": _payout_tables(measured),
    }


def _payout_tables(measured: Measured) -> list[Row]:
    tables, race, in_rounds = measured.tables["payouts"], bool(measured.run["race"]), measured.rounds.label
    sources = tables["source"]
    lines = [row | {"name note": row["text"]} for row in sources.to_dicts()]
    several = tables["round"].filter(pl.col("round").n_unique().over("source") > 1)
    columns = [column for column in SOURCE_COLUMNS if not race or column.key not in POINTS]
    if race:
        columns = [_of_race(column) for column in columns]
    pays = "wins" if race else "is paid"
    paid = "wins" if race else "paid"
    shown = [
        table("All sources", columns, lines, filter=True),
        *_offer_tables(measured),
        table(
            f"P({paid} | offered) by the round of the offer",
            *across(several, "round", "paid_offered", in_rounds),
            filter=True,
        ),
        table(
            f"Share of all offers {'won with' if race else 'first paid'} in each round",
            *across(tables["paid_round"], "round", "first_paid", in_rounds),
            filter=True,
            folded=True,
        ),
    ]
    for by in ("seat", "bot"):
        for key, given in (("offered", "offered to it"), ("reachable", "within its reach")):
            cells = across(tables[by], by, f"seat_paid_{key}", "seat {}".format if by == "seat" else str)
            folded = by == "seat" or key == "reachable"
            shown.append(table(f"P(a seat {pays} | {given}), by {by}", *cells, filter=True, folded=folded))
    if tables["players"]["players"].n_unique() > 1:
        shown.append(
            table(
                f"P({paid} | offered) by number of players",
                *across(tables["players"], "players", "paid_offered", lambda p: f"{p} players"),
                filter=True,
            )
        )
    whole = [
        column
        for column in columns
        if column.key in ("paid_offered", "paid_reachable", "unwon", "vp", "vp_first", "vp_later")
    ]
    for key, name in (("group", "title"), ("kind", "kind")):
        if tables[key].height > 1:
            shown.append(
                table(f"By {key}", [Column(key.capitalize(), name, "text"), *whole], tables[key].to_dicts())
            )
    return shown


def _of_race(column: Column) -> Column:
    """The column in the words of a race, where what is paid is the win."""
    label = column.label.replace("P(paid", "P(wins").replace("Paid", "Won with")
    hint = column.hint.replace("paid to at least one seat", "a seat won with it")
    return replace(column, label=label, hint=hint.replace("first game in which it paid", "first game it won"))


def _offer_figures(measured: Measured) -> list[Row]:
    """Of a race, who wins by what was on offer together: shares that add up to one."""
    if not measured.run["race"]:
        return []
    found = []
    for (family,), rows in _combinations(measured).group_by("family", maintain_order=True):
        title = f"{plural(str(family)).capitalize()}: who wins, by what was on offer together (%)"
        bars = rows.select("together", "title", pl.col("paid").fill_null(0).alias("share"))
        if not (bars["share"] > 0).any():
            continue  # nobody won
        said = f"{title}; {figures.by_part(bars, 'together', 'title')}."
        found.append(figure(charts.stacked_shares(bars, "together", "title", title), said))
    return found


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
        caption = f"{plural(str(family)).capitalize()}: {'who wins' if race else 'paid'}, by what was on offer together"
        of_group, lines = across(rows, "title", "paid", str, line=("Offered", "combination", "together"))
        whole = {row["together"]: row for row in rows.to_dicts()}
        wide = [
            *of_group,
            Column("None of them", "nothing"),
            Column("Turns", "turns", "mean"),
            EXAMPLE,
        ]
        shown.append(table(caption, wide, [whole[line["name"]] | line for line in lines]))
    return shown
