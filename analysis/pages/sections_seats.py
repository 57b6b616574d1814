"""Who wins: from which seat, with which bot, against which other."""

from __future__ import annotations

from analysis.frames import Row, Tables
from analysis.pages import figures
from analysis.pages.columns import Column, across, figure, table
from analysis.words import percent

RESULT_COLUMNS = (
    Column("Win share", "win_share"),
    Column("Fair share", "fair"),
    Column("Mean score", "score", "mean"),
    Column("Mean rank", "rank", "mean"),
)


def seat_section(tables: Tables, race: bool) -> Row:
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
    if tables["by_bot"].height > 1:
        shown.append(table("By seat and bot", [seat, bot, *columns], placed["by_seat_and_bot"], folded=True))
        if tables["by_seat_and_bot"].height == tables["by_seat"].height:
            note += (
                " In this run each bot keeps its seat, so a difference between seats may be one between bots."
            )
    return {
        "title": "Seat shares",
        "note": note,
        "figures": [figure(*figures.wins(tables))],
        "tables": shown,
    }


def bot_section(tables: Tables, race: bool) -> Row:
    drawn, shown = [], []
    worth = tables["worth"]
    if worth["elo"].null_count() < worth.height:
        drawn.append(figure(*figures.worth(worth)))
    if tables["against"].height:
        drawn.append(figure(*figures.against(tables["against"])))
    columns = [
        Column("Bot", "bot", "text"),
        Column("First among one of each", "worth", "rate", "if nobody ties"),
        Column("Elo above the mean", "elo", "mean difference", "400 points are odds of ten to one"),
        Column("Games", "games", "count"),
    ]
    shown.append(table("Strength", columns, [row | {"games": row["worth_n"]} for row in worth.to_dicts()]))
    line = ("Bot", "bot", "bot")
    for measure, kind, caption in (
        ("ahead", "rate", "How often the bot of the row ends ahead of that of the column (equal ranks half)"),
        ("difference", "rate difference", "How much more of the win the bot of the row takes"),
    ):
        shown.append(table(caption, *across(tables["against"], "other", measure, str, kind, line)))
    whole = "the winner" if race else "all ranks"
    note = (
        f"Strength is fitted to {whole} of all games together (Davidson–Luce: Plackett and Luce's model with ties); "
        "intervals take all rotations of a setup as one unit."
    )
    if tables["tied"].height:
        columns = [
            Column("Seats that tie", "seats", "count"),
            Column("Among equals", "tied", "rate", "the chance of it where all are of one strength"),
            Column("Weight of the tie", "delta", "mean", "the delta of Davidson and Luce"),
        ]
        shown.append(table("Ties between bots", columns, tables["tied"].to_dicts()))
    for tie in tables["tied"].filter(seats=2).to_dicts() if tables["tied"].height else ():
        note += f" Two bots of one strength would tie in {percent(tie, 'tied')} of their meetings."
    if worth["elo"].null_count() == worth.height:
        note += (
            " Here some bots always or never end ahead of the others: no finite strength is the likeliest, so "
            "none is told."
        )
    return {"title": "Bots against each other", "note": note, "figures": drawn, "tables": shown}
