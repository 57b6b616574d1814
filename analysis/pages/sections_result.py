"""How games end: the sections on ties, ties against chance, and scores."""

from __future__ import annotations

import polars as pl

from analysis.frames import Row, Tables
from analysis.pages import charts, figures
from analysis.pages.columns import EXAMPLE, SPREAD_COLUMNS, Column, figure, table
from analysis.summary import race_sentence
from analysis.words import decimal, heading, words


def race_section(tables: Tables) -> Row:
    several = tables["drawn"]["players"].n_unique() > 1
    columns = [
        *([Column("Players", "players", "count")] if several else []),
        Column("Drawn by", "outcome", "text"),
        Column("Share of games", "share"),
        EXAMPLE,
    ]
    lines = [row | {"outcome": row["ending"] or "any ending"} for row in tables["drawn"].to_dicts()]
    return {
        "title": "Ties",
        "note": race_sentence(tables["drawn"]),
        "figures": [],
        "tables": [table("Drawn games", columns, [line for line in lines if line["share"] or several])],
    }


def tie_section(tables: Tables) -> Row:
    section: Row = {"title": "Tie frequency", "note": "", "figures": [], "tables": []}
    for (players,), margins in tables["margins"].group_by("players", maintain_order=True):
        section["figures"].append(figure(*figures.margins(margins, int(str(players)))))
    players = [Column("Players", "players", "count")] if tables["margins"]["players"].n_unique() > 1 else []
    share = (Column("Share of games", "share"), EXAMPLE)
    section["tables"] = [
        table(
            "What decides a game",
            [*players, Column("Outcome", "outcome", "text"), *share],
            tables["outcomes"].to_dicts(),
        ),
        table(
            "Near ties: won by at most so many points",
            [*players, Column("Points", "margin", "count"), *share],
            tables["near"].to_dicts(),
        ),
        table(
            "Margins",
            [*players, Column("Points", "label", "text"), *share],
            tables["margins"].to_dicts(),
            folded=True,
        ),
    ]
    return section


def chance_section(tables: Tables) -> Row:
    rows = tables["independent"]
    several = rows["players"].n_unique() > 1
    players = [Column("Players", "players", "count")] if several else []
    lines = [
        row | {"within": "tied on points" if row["margin"] == 0 else f"won by at most {row['margin']}"}
        for row in rows.to_dicts()
    ]
    drawn = []
    for (count,), of_count in rows.group_by("players", maintain_order=True):
        title = "Close games, and how many independent scores would give" + (
            f", {count} players" if several else ""
        )
        within = (
            pl.when(pl.col("margin") == 0).then(pl.lit("tied")).otherwise(pl.format("at most {}", "margin"))
        )
        dots = pl.concat(
            of_count.select(
                within.alias("title"),
                pl.lit(label).alias("run"),
                *(pl.col(f"{key}{end}").alias(f"mean{end}") for end in ("", "_low", "_high")),
            )
            for key, label in (("share", "games"), ("independent", "independent scores"))
        )
        told = figures.each(dots.filter(run="games"), "title", "mean")
        chance = figures.each(dots.filter(run="independent scores"), "title", "mean")
        said = f"{title}, with 95 % intervals. Games: {told}. Independent scores: {chance}."
        drawn.append(figure(charts.run_dots(dots, title, "run", True), said))
    shown = [
        table(
            "Close games against chance",
            [
                *players,
                Column("Games", "within", "text"),
                Column("Share of games", "share"),
                Column("Independent scores", "independent", "rate", "if each seat scored by itself"),
                Column("Ratio", "ratio", "mean", "below 1 the game drives seats apart, above 1 together"),
            ],
            lines,
        )
    ]
    if tables["tie_breaks"].height:
        shown.append(
            table(
                "Each tie-break",
                [
                    *players,
                    Column("Tie-break", "name", "text"),
                    Column("Games that come to it", "came"),
                    Column("It decides", "decides", "rate", "of the games that come to it"),
                ],
                tables["tie_breaks"].to_dicts(),
            )
        )
    note = (
        "Independent scores are drawn seat by seat from all scores of its bot: as close as games would be if the "
        "seats never met."
    )
    return {"title": "Ties against chance", "note": note, "figures": drawn, "tables": shown}


def score_section(tables: Tables, spends: str) -> Row:
    title = "Where the points come from"
    drawn = []
    if tables["parts"].height:
        told = figures.ends(tables["parts"], "title", "mean", decimal)
        said = f"{title}: mean points a seat of each part, by bot. Of all seats: {told}."
        drawn.append(figure(charts.part_dots(tables["parts_by_bot"], title), said))
    scores = figures.spread(
        tables["distribution"], "score", "How seats score", "points at the end of the game"
    )
    drawn.append(figure(*scores))
    part = Column("Part", "title", "text")
    numbers = [
        Column("Mean points", "mean", "mean"),
        Column("Share of all points", "share"),
        Column(f"Points per {words(spends)}", "per_spent", "mean", "of all that the seats spent"),
        Column("Seats", "n", "count"),
    ]
    by_seat = [row | {"place": f"seat {row['seat']}"} for row in tables["parts_by_seat"].to_dicts()]
    shown = []
    if "spending" in tables:
        columns = [
            Column("Bot", "bot", "text"),
            Column(f"{heading(spends)} spent in a game", "spent", "mean"),
            Column(f"Points per {words(spends)}", "per_spent", "mean"),
        ]
        lines = [row | {"bot": row["bot"] or "all"} for row in tables["spending"].to_dicts()]
        shown.append(table(f"Points for what seats spend: {words(spends)}", columns, lines))
    shown += [
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
            [Column("Bot", "bot", "text"), *SPREAD_COLUMNS, Column("Seats", "n", "count")],
            tables["spread_by_bot"].to_dicts(),
        ),
        table(
            "Seats by their points",
            [Column("Points", "bin", "text"), Column("Share of seats", "share"), EXAMPLE],
            tables["bins"].to_dicts(),
            folded=True,
        ),
    ]
    return {"title": "Scores by part", "note": "", "figures": drawn, "tables": shown}
