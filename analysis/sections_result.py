"""How games end: the sections on ties, seats and scores."""

from __future__ import annotations

from analysis import charts
from analysis.columns import EXAMPLE, SPREAD_COLUMNS, Column, figure, table
from analysis.frames import Row, Tables
from analysis.summary import race_sentence

RESULT_COLUMNS = (
    Column("Win share", "win_share"),
    Column("Fair share", "fair"),
    Column("Mean score", "score", "mean"),
    Column("Mean rank", "rank", "mean"),
)


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
        title = f"How far ahead the winner is, {players} players"
        section["figures"].append(
            figure(charts.margin_bars(margins, title), f"{title}: share of games by margin in points.")
        )
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


def seat_section(tables: Tables, race: bool) -> Row:
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
        "figures": [figure(charts.win_shares(tables["by_seat"], by_bot, title), f"{title}.")],
        "tables": shown,
    }


def score_section(tables: Tables) -> Row:
    title = "Where the points come from"
    figures = []
    if tables["parts"].height:
        figures.append(
            figure(
                charts.part_dots(tables["parts_by_bot"], title),
                f"{title}: mean points a seat of each part, by bot.",
            )
        )
    drawn = charts.histogram(
        tables["distribution"], "score", "How seats score", "points at the end of the game"
    )
    figures.append(figure(drawn, "Distribution of the scores of all seats."))
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
        table(
            "Seats by their points",
            [Column("Points", "bin", "text"), Column("Share of seats", "share"), EXAMPLE],
            tables["bins"].to_dicts(),
            folded=True,
        ),
    ]
    return {"title": "Scores by part", "note": "", "figures": figures, "tables": shown}
