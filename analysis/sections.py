"""The sections of a report: each takes its tables and gives figures and tables that the page's template shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import markupsafe
import polars as pl

from analysis import charts
from analysis.columns import Column, across, table
from analysis.summary import MANY, Row, Tables, families, heading, plural, race_sentence, words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from analysis.compare import Compared
    from analysis.report import Measured


BY: tuple[tuple[str, Callable[[Any], str]], ...] = (("bot", str), ("seat", "seat {}".format))
"""By what most tables stand too, and how its values are written."""

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
    Column("Example", "example", "example", "first game in which it paid"),
)
RESULT_COLUMNS = (
    Column("Win share", "win_share"),
    Column("Fair share", "fair"),
    Column("Mean score", "score", "mean"),
    Column("Mean rank", "rank", "mean"),
)
SPREAD_COLUMNS = tuple(
    Column(label, key, "mean")
    for label, key in (
        ("Least", "least"),
        ("5 %", "q05"),
        ("25 %", "q25"),
        ("Median", "q50"),
        ("75 %", "q75"),
        ("95 %", "q95"),
        ("Most", "most"),
        ("Deviation", "spread"),
    )
)


def _figure(drawn: Figure, description: str) -> Row:
    # Matplotlib escapes every text that it writes into an SVG.
    return {"svg": markupsafe.Markup(charts.svg(drawn)), "description": description}


def sections(measured: Measured) -> list[Row]:
    """All sections in their order; of what a run did not keep or its game does not have there is none."""
    tables, race = measured.tables, bool(measured.run["race"])
    found = []
    if "payouts" in tables:
        found.append(_payout_section(measured))
    if "pacing" in tables:
        found += _pacing_sections(tables["pacing"])
    found.append(_race_section(tables["ties"]) if race else _tie_section(tables["ties"]))
    if "seats" in tables:
        found.append(_seat_section(tables["seats"], race))
    if "scores" in tables:
        found.append(_score_section(tables["scores"]))
    found.append(_length_section(tables["length"]))
    if "actions" in tables and tables["actions"]["actions"].height:
        found.append(_action_section(tables["actions"]))
    if "payments" in tables:
        found.append(_payment_section(measured))
    if "strength" in tables and tables["strength"]["source"].height:
        found.append(_strength_section(measured))
    if "kinds" in tables or "columns" in tables:
        found.append(_declared_section(measured))
    for place, section in enumerate(found):
        section["id"] = f"section-{place + 1}"
        section["tables"] = [each for each in section["tables"] if each["rows"]]
    return found


def _payout_section(measured: Measured) -> Row:
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
            _figure(
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
                _figure(
                    charts.round_grid(of_round, title, in_rounds),
                    f"{title}; the table by round has the numbers.",
                )
            )
        if rows["effect_n"].sum():
            title = f"{plural(family).capitalize()}: the effect or the VP?"
            figures.append(
                _figure(charts.choice_dots(rows, title), f"{title} Share of winners that took the effect.")
            )
    rest = sources.filter(
        ~pl.col("source").is_in([s for f, r in alone.items() if r.height >= MANY for s in r["source"]])
        & (pl.col("offered") > 0)
    )
    if rest.height:
        title = "Other paying places: how often they pay a seat in a game"
        figures.append(_figure(charts.payout_dots(rest, title), f"{title}. Dots with 95 % intervals."))
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
        figures.append(_figure(drawn, f"{title}; the table has the numbers."))
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


def _pacing_sections(tables: Tables) -> list[Row]:
    sections = []
    for (source, name), steps in tables["step"].group_by("source", "name", maintain_order=True):
        rounds, turns = (tables[key].filter(source=source) for key in ("round", "turn"))
        title = f"{name}: seats on each step or above"
        drawn = _figure(
            charts.track_pace(rounds, turns, title), f"{title}, by the end of each round and by own turn."
        )
        lines: list[Row] = []
        for row in steps.sort("step").iter_rows(named=True):
            of_step = rounds.filter(step=row["step"])
            by_round = {
                f"round {each['round']}{suffix}": each[f"reached{suffix}"]
                for each in of_step.iter_rows(named=True)
                for suffix in ("", "_low", "_high", "_n")
            }
            lines.append(row | by_round)
        columns = [
            Column("Step", "step", "count"),
            *(
                Column(f"By end of round {number}", f"round {number}")
                for number in rounds["round"].unique().sort()
            ),
            Column(
                "Median own turn", "median_turn", "mean", "by which half of the seats would have reached it"
            ),
            Column("Median round", "median_round", "count"),
            Column("Never", "never"),
        ]
        note = (
            "Shares by round are of all seats. The curve by turn counts the end of a game as censoring "
            "(Kaplan and Meier): the pace if games went on. It ends where fewer than 2 % of the seats are "
            "still at risk."
        )
        sections.append(
            {
                "title": f"Track pacing: {name}",
                "note": note,
                "figures": [drawn],
                "tables": [table(f"{name}: steps", columns, lines)],
            }
        )
    return sections


def _race_section(tables: Tables) -> Row:
    several = tables["drawn"]["players"].n_unique() > 1
    columns = [
        *([Column("Players", "players", "count")] if several else []),
        Column("Drawn by", "outcome", "text"),
        Column("Share of games", "share"),
    ]
    lines = [row | {"outcome": row["ending"] or "any ending"} for row in tables["drawn"].to_dicts()]
    return {
        "title": "Ties",
        "note": race_sentence(tables["drawn"]),
        "figures": [],
        "tables": [table("Drawn games", columns, [line for line in lines if line["share"] or several])],
    }


def _tie_section(tables: Tables) -> Row:
    section: Row = {"title": "Tie frequency", "note": "", "figures": [], "tables": []}
    for (players,), margins in tables["margins"].group_by("players", maintain_order=True):
        title = f"How far ahead the winner is, {players} players"
        section["figures"].append(
            _figure(charts.margin_bars(margins, title), f"{title}: share of games by margin in points.")
        )
    players = [Column("Players", "players", "count")] if tables["margins"]["players"].n_unique() > 1 else []
    section["tables"] = [
        table(
            "What decides a game",
            [*players, Column("Outcome", "outcome", "text"), Column("Share of games", "share")],
            tables["outcomes"].to_dicts(),
        ),
        table(
            "Near ties: won by at most so many points",
            [*players, Column("Points", "margin", "count"), Column("Share of games", "share")],
            tables["near"].to_dicts(),
        ),
        table(
            "Margins",
            [*players, Column("Points", "label", "text"), Column("Share of games", "share")],
            tables["margins"].to_dicts(),
            folded=True,
        ),
    ]
    return section


def _seat_section(tables: Tables, race: bool) -> Row:
    by_bot = tables["by_bot"] if tables["by_bot"].height > 1 else None
    title = "Who wins: share of the wins, 95 % interval"
    seat, bot = Column("Seat", "place", "text"), Column("Bot", "bot", "text")
    placed = {
        name: [row | {"place": f"seat {row['seat']}"} for row in tables[name].to_dicts()]
        for name in ("by_seat", "by_seat_and_bot")
    }
    columns = RESULT_COLUMNS[: 2 if race else None]
    shown = [
        table("By seat", [seat, *columns], placed["by_seat"]),
        table("By bot", [bot, *columns], tables["by_bot"].to_dicts()),
    ]
    note = (
        "Seat 0 starts. A tied win counts 1/k for each of the k seats that share it. "
        "All rotations of a setup are one unit."
    )
    if by_bot is not None:
        shown.append(table("By seat and bot", [seat, bot, *columns], placed["by_seat_and_bot"], folded=True))
        if tables["by_seat_and_bot"].height == tables["by_seat"].height:
            note += (
                " In this run each bot keeps its seat, so a difference between seats may be one between bots."
            )
    return {
        "title": "Seat shares",
        "note": note,
        "figures": [_figure(charts.win_shares(tables["by_seat"], by_bot, title), f"{title}.")],
        "tables": shown,
    }


def _score_section(tables: Tables) -> Row:
    title = "Where the points come from"
    figures = []
    if tables["parts"].height:
        figures.append(
            _figure(
                charts.part_dots(tables["parts_by_bot"], title),
                f"{title}: mean points a seat of each part, by bot.",
            )
        )
    drawn = charts.histogram(
        tables["distribution"], "score", "How seats score", "points at the end of the game"
    )
    figures.append(_figure(drawn, "Distribution of the scores of all seats."))
    part = Column("Part", "title", "text")
    numbers = [
        Column("Mean points", "mean", "mean"),
        Column("Share of all points", "share"),
        Column("Seats", "n", "count"),
    ]
    by_seat = [row | {"place": f"seat {row['seat']}"} for row in tables["parts_by_seat"].to_dicts()]
    shown = [
        table("Parts of the score", [part, *numbers], tables["parts"].to_dicts()),
        table(
            "Parts by bot",
            [part, Column("Bot", "bot", "text"), *numbers],
            tables["parts_by_bot"].to_dicts(),
            filter=True,
            folded=True,
        ),
        table(
            "Parts by seat",
            [part, Column("Seat", "place", "text"), *numbers],
            by_seat,
            filter=True,
            folded=True,
        ),
        table(
            "Spread of the scores by bot",
            [Column("Bot", "bot", "text"), *SPREAD_COLUMNS],
            tables["spread_by_bot"].to_dicts(),
        ),
    ]
    return {"title": "Scores by part", "note": "", "figures": figures, "tables": shown}


def _length_section(tables: Tables) -> Row:
    drawn = charts.histogram(tables["turns"], "turns", "How long games take", "turns of all seats")
    spread = [Column("Length", "length", "text"), Column("Mean", "mean", "mean"), *SPREAD_COLUMNS]
    shown = [table("Turns and rounds", spread, tables["spread"].to_dicts())]
    for key, head, kind in (("players", "Players", "count"), ("ending", "Ending", "text")):
        rows = tables[f"by_{key}"]
        if rows[key].n_unique() > 1:
            shown.append(
                table(
                    f"Turns and rounds by {head.lower()}", [Column(head, key, kind), *spread], rows.to_dicts()
                )
            )
    shown.append(
        table(
            "Endings",
            [Column("Ending", "ending", "text"), Column("Share of games", "share")],
            [row | {"ending": words(row["ending"])} for row in tables["endings"].to_dicts()],
        )
    )
    notes = []
    if tables["spread"].height > 2:
        notes.append("Own turns of the winner: of seats that win alone, where turns go round from seat 0.")
    if (tables["endings"]["share"] == 0).any():
        notes.append("An ending that no game had is bounded by the rule of three: 3 divided by the setups.")
    return {
        "title": "Length",
        "note": " ".join(notes),
        "figures": [_figure(drawn, "Distribution of the number of turns.")],
        "tables": shown,
    }


def _action_section(tables: Tables) -> Row:
    figures = []
    for key, _ in BY:
        title = f"What seats do, by {key}: percent of their actions"
        rows = tables[f"by_{key}"].with_columns(
            (pl.lit("seat ") + pl.col("seat").cast(pl.String)).alias("seat")
            if key == "seat"
            else pl.col("bot"),
            pl.col("action").str.replace_all("_", " "),
        )
        figures.append(
            _figure(
                charts.stacked_shares(rows, key, "action", title), f"{title}; the tables have the numbers."
            )
        )
    line = ("Action", "action", "action")
    shown = [
        table(
            "Actions",
            [
                Column("Action", "action", "text"),
                Column("Times a seat and game", "mean", "mean"),
                Column("Share of all actions", "share"),
                Column("Seats", "n", "count"),
            ],
            tables["actions"].to_dicts(),
        ),
    ]
    for key, label in BY:
        rows = tables[f"by_{key}"]
        shown += [
            table(f"Share of all actions, by {key}", *across(rows, key, "share", label, line=line)),
            table(
                f"Times a seat and game, by {key}",
                *across(rows, key, "mean", label, "mean", line=line),
                folded=True,
            ),
        ]
    return {"title": "Actions", "note": "", "figures": figures, "tables": shown}


def _payment_section(measured: Measured) -> Row:
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
            _figure(
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
)


def _strength_section(measured: Measured) -> Row:
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
                figures.append(_figure(drawn, f"{title}, with 95 % intervals; the table has all."))
        columns = [
            Column(f"Source ({kind})", "name", "text", sentence) if each.key == "name" else each
            for each in STRENGTH_COLUMNS
        ]
        if rows["name"].n_unique() < rows.height or rows["title"].equals(rows["name"]):
            columns = [each for each in columns if each.key != "title"] or columns
        shown.append(
            table(caption, columns, rows.to_dicts(), filter=True, folded=place >= MOST_STRENGTH_FIGURES)
        )
    note = (
        "Strong seats get strong cards: a seat that does well has more to choose from and more to pay with, so "
        "that much of what a card seems worth is the seat's. Each source is therefore compared with all sources "
        "of the same kind of event at the same seat, with the same bot and in the same span of rounds; within "
        "its group with those of its group alone. What is left is a hint where to look, not the worth of a "
        "card: that takes a run with the card changed."
    )
    return {"title": "Strength of sources", "note": note, "figures": figures, "tables": shown}


def _declared_section(measured: Measured) -> Row:
    tables, sentences = measured.tables, measured.run["columns"]
    figures: list[Row] = []
    shown: list[Row] = []
    if "kinds" in tables:
        kinds = tables["kinds"]
        title = "How often: share of the seats still playing that had it, by round"
        rows = kinds["kinds_by_round"].drop_nulls("seats")
        labels = [measured.rounds.label(first) for first in rows["round"].unique().sort()]
        drawn = charts.round_lines(rows, "kind", "seats", labels, title)
        figures.append(_figure(drawn, f"{title}; the table has the numbers."))
        line = ("Event", "kind", "kind")
        columns = [
            Column("Event", "kind", "text"),
            Column("Times a seat and game", "mean", "mean"),
            Column("Seats", "seats", "rate", "of the seats had it at least once in a game"),
            Column("Turns", "turns", "rate", "share of all turns with one"),
            Column("Wins: with", "with", "rate", "mean share of the win of seats that had it"),
            Column("Wins: without", "without", "rate", "mean share of the win of the other seats"),
            Column("Difference", "difference", "rate difference", "in percentage points"),
        ]
        lines = [
            row | {"kind note": sentences["kinds"].get(row["kind"], "")} for row in kinds["kinds"].to_dicts()
        ]
        shown.append(table("Events of this game's own", columns, lines))
        shown.append(
            table(
                "Share of the seats still playing that had it, by round",
                *across(kinds["kinds_by_round"], "round", "seats", measured.rounds.label, line=line),
                folded=True,
            )
        )
        for key, label in BY:
            for what, caption, kind in (
                ("seats", "Share of the seats that had it", "rate"),
                ("mean", "Times a seat and game", "mean"),
            ):
                rows = kinds[f"kinds_by_{key}"]
                shown.append(
                    table(
                        f"{caption}, by {key}", *across(rows, key, what, label, kind, line=line), folded=True
                    )
                )
    if "columns" in tables:
        own = tables["columns"]
        columns = [
            Column("At the end of the game", "column", "text"),
            Column("Mean of a seat", "mean", "mean"),
            Column("Share of seats", "share"),
        ]
        lines = [
            row | {"column note": sentences["seats"].get(row["column"], "")}
            for row in own["columns"].to_dicts()
        ]
        shown.append(table("Columns of this game's own", columns, lines))
        for key, label in BY:
            for what, caption, kind in (
                ("mean", "Mean of a seat", "mean"),
                ("share", "Share of seats", "rate"),
            ):
                rows = own[f"columns_by_{key}"].drop_nulls(what)
                shown.append(
                    table(
                        f"{caption}, by {key}",
                        *across(
                            rows, key, what, label, kind, line=("At the end of the game", "column", "column")
                        ),
                    )
                )
    note = (
        "What this game counts beside the common columns. The seats with and without an event are compared as "
        "they are: who has more of it may be the stronger, longer or luckier player, and the event no cause."
    )
    return {"title": "Of this game alone", "note": note, "figures": figures, "tables": shown}


def comparison_sections(compared: Compared) -> list[Row]:
    """A section for each table of runs side by side."""
    labels = [run["label"] for run in compared.runs]
    found = []
    for place, (name, rows) in enumerate(compared.tables.items()):
        kind = "rate" if rows["rate"].all() else "mean"
        columns = [
            Column("What", "what", "text"),
            *(Column(label, f"run{number}", kind) for number, label in enumerate(labels)),
        ]
        if "difference" in rows.columns:
            how = "within setups" if compared.paired else "of independent runs"
            columns.append(
                Column("Difference", "difference", f"{kind} difference", f"second less first, {how}")
            )
        marks = pl.concat(
            rows.select(
                pl.col("what").alias("title"),
                pl.lit(label).alias("run"),
                *(
                    pl.col(f"run{number}{end}").cast(pl.Float64).alias(f"mean{end}")
                    for end in ("", "_low", "_high")
                ),
            )
            for number, label in enumerate(labels)
        ).drop_nulls("mean")
        drawn = charts.run_dots(marks, name, "run", kind == "rate")
        found.append(
            {
                "id": f"section-{place + 1}",
                "title": name,
                "note": "",
                "figures": [_figure(drawn, f"{name}, with 95 % intervals; the table has the numbers.")],
                "tables": [table(name, columns, rows.to_dicts())],
            }
        )
    return found
