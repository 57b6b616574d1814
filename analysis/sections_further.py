"""Sections of a report beside the first ones: waits, steps, tension, ties against chance, bots, what never happened."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from analysis import charts
from analysis.columns import SPREAD_COLUMNS, Column, across, figure, table
from analysis.frames import Row, Tables
from analysis.measured import Measured
from analysis.words import percent, words

MOST_DOTS = 60
"""Sources in one figure."""

TENSION = (
    ("lead_changes", "Lead changes", "mean", "a game: the sole leader is another than the last one"),
    ("lead_change", "Lead changes a turn", "mean", "Browne's lead change"),
    ("behind", "Turns behind", "rate", "share of turns after which the later winner is behind"),
    ("drama", "Drama", "mean", "how far the later winner is behind then"),
    ("drama_most", "Largest gap made up", "mean", "a game, 0 if the winner never was behind"),
    ("threshold", "Largest lead lost", "mean", "that a seat had which did not win"),
    ("decisiveness", "Turns left once beyond it", "rate", "share of the turns; a decisive game ends soon"),
    ("settled", "Settled after", "rate", "share of the turns after which the winner leads alone for good"),
    ("at_the_end", "Settled at the end", "rate", "games that only final scoring or a tie-break settles"),
)
SPREADS = {
    "lead_changes": "Lead changes",
    "gap_most": "Largest gap made up",
    "settled": "Settled after (share of the turns)",
}


def further_sections(measured: Measured) -> list[Row]:
    """The sections that a run has tables for."""
    tables, race = measured.tables, bool(measured.run["race"])
    found = []
    if "waits" in tables:
        found.append(_wait_section(tables["waits"], race))
    if "steps" in tables:
        found += _step_sections(measured)
    if "tension" in tables:
        found.append(_tension_section(tables["tension"], race))
    if tables["ties"].get("independent", pl.DataFrame()).height:
        found.append(_chance_section(tables["ties"]))
    if "bots" in tables:
        found.append(_bot_section(tables["bots"], race))
    found.append(_coverage_section(tables["coverage"]["games"]))
    return found


def _wait_section(tables: Tables, race: bool) -> Row:
    rows = tables["source"]
    title = "How long offers wait: turns of all seats until half of them have paid"
    ends = (pl.col(f"turns{end}").cast(pl.Float64).alias(f"mean{end}") for end in ("", "_low", "_high"))
    dots = rows.filter(pl.col("turns") > 0).sort("turns", "source").head(MOST_DOTS)
    dots = dots.select(pl.col("name").alias("title"), *ends)
    drawn = [figure(charts.run_dots(dots, title, "run", False), f"{title}.")] if dots.height else []
    columns = [
        Column("Source", "name", "text"),
        Column("1 in", "one_in", "mean", "one in so many offers pays"),
        Column("Turns: a quarter", "turns_q25", "count", "by which a quarter of the offers have paid"),
        Column("Turns: half", "turns", "mean"),
        Column("Turns: three quarters", "turns_q75", "count"),
        Column("Rounds: half", "rounds", "mean", "rounds after that of the offer"),
        Column("Rounds: three quarters", "rounds_q75", "count"),
    ]
    note = (
        "From the offer to the first payment; 0 is the same turn or round. Offers that lapse or are open at the "
        "end of the game have waited at least so long (Kaplan and Meier): the times are those of offers that stand "
        "until they are paid. A dash is a time that too few offers reach."
    )
    if not race:
        note += " VP per energy is not told: games do not declare what a payment of points costs."
    return {
        "title": "Time to pay",
        "note": note,
        "figures": drawn,
        "tables": [table("How long offers wait", columns, rows.to_dicts(), filter=True)],
    }


def _step_sections(measured: Measured) -> list[Row]:
    tables, positions = measured.tables["steps"], measured.tables["pacing"]["position"]
    sections = []
    for (source, name), steps in tables["landing"].group_by("source", "name", maintain_order=True):
        of = {key: rows.filter(source=source) for key, rows in tables.items()}
        lines = steps.with_columns(pl.format("step {}", "step").alias("line")).to_dicts()
        columns = [
            Column("Step", "line", "text"),
            Column("Stood on", "landed", "rate", "of the seats that came so far; the others jumped it"),
            Column("Own turns on it", "dwell", "mean", "until half of the seats have left it"),
            Column("Stayed to the end", "stayed", "rate", "of the seats that stood on it"),
            Column("Pays", "pays", "rate", "of the landings brought VP or another reward"),
            Column("VP", "vp", "mean", "of the landings that pay"),
            Column("Dead", "dead", "text"),
        ]
        shown = [table(f"{name}: each step", columns, lines)]
        spread = [column for column in SPREAD_COLUMNS if column.key.startswith("q")]
        shown.append(
            table(
                f"{name}: the step on which seats stand at the end of each round",
                [Column("Round", "round", "count"), Column("Mean", "mean", "mean"), *spread],
                positions.filter(source=source).to_dicts(),
                folded=True,
            )
        )
        line = ("Step", "step", "line")
        for key, label, measure, kind, caption in (
            ("order", "came {}.", "vp", "mean", "VP by the order in which seats come to a step"),
            ("first", "seat {}", "first", "rate", "share of the games in which each seat came first"),
        ):
            by = "order" if key == "order" else "seat"
            rows = of[key].with_columns(pl.format("step {}", "step").alias("line"))
            if key == "order":
                # Steps that pay everybody alike say nothing about the order.
                rows = rows.filter(pl.col("vp").n_unique().over("step") > 1)
            if rows.height:
                shown.append(
                    table(
                        f"{name}: {caption}",
                        *across(rows, by, measure, label.format, kind, line),
                        folded=True,
                    )
                )
        shown += _point_tables(str(name), of)
        sections.append(
            {
                "title": f"The steps of {name}",
                "note": (
                    "A step is dead if nobody stands on it, or if it never pays on a track that does. Own turns "
                    "count the end of the game as censoring (Kaplan and Meier)."
                ),
                "figures": [],
                "tables": shown,
            }
        )
    return sections


def _point_tables(name: str, of: Mapping[str, pl.DataFrame]) -> list[Row]:
    """What a track pays, of games with points."""
    if "share" not in of:
        return []
    numbers = [Column("Share of all points", "share"), Column("Points a seat", "points", "mean")]
    early = Column("Order bonus", "bonus", "mean", "points a game above the least that its steps ever pay")
    bonus = of["bonus"].select("seat", pl.col("^bonus.*$"))
    by_seat = of["share_by_seat"].join(bonus, on="seat", how="left", maintain_order="left")
    return [
        table(
            f"{name}: points by bot", [Column("Bot", "bot", "text"), *numbers], of["share_by_bot"].to_dicts()
        ),
        table(
            f"{name}: points by seat",
            [Column("Seat", "place", "text"), *numbers, early],
            [row | {"place": f"seat {row['seat']}"} for row in by_seat.to_dicts()],
        ),
    ]


def _tension_section(tables: Tables, race: bool) -> Row:
    several = tables["games"]["players"].n_unique() > 1
    players = [Column("Players", "players", "count")] if several else []
    figures = []
    for (count,), course in tables["course"].group_by("players", maintain_order=True):
        names = {"leader_wins": "the leader wins", "uncertainty": "uncertainty"}
        lines = pl.concat(
            course.select(
                pl.col("tenth").alias("round"),
                pl.lit(label).alias("line"),
                *(pl.col(f"{key}{end}").alias(f"share{end}") for end in ("", "_low", "_high")),
            )
            for key, label in names.items()
        )
        labels = [_when(tenth) for tenth in course["tenth"].sort()]
        title = "How open the game is, by the share of the turns played"
        title += f", {count} players" if several else ""
        drawn = charts.round_lines(lines, "line", "share", labels, title)
        figures.append(figure(drawn, f"{title}; the table has the numbers."))
    whole = tables["games"].to_dicts()
    course_rows = [
        row | {"when": _when(row["tenth"])}
        for row in tables["course"].to_dicts()
    ]  # fmt: skip
    shown = [
        table(
            "Tension",
            [*players, *(Column(label, key, kind, hint) for key, label, kind, hint in TENSION)],
            whole,
        ),
        table(
            "Spread over the games",
            [
                *players,
                Column("Measure", "what", "text"),
                *SPREAD_COLUMNS[:-1],
                Column("Games", "n", "count"),
            ],
            [row | {"what": SPREADS[row["measure"]]} for row in tables["spread"].to_dicts()],
        ),
        table(
            "As the game goes on",
            [
                *players,
                Column("Turns played", "when", "text"),
                Column("The leader wins", "leader_wins", "rate", "seats that share the lead count 1/k each"),
                Column(
                    "Uncertainty",
                    "uncertainty",
                    "mean",
                    "1: the winner comes from every place alike; 0: decided",
                ),
                Column("Lead", "lead", "mean", "of the first over the second"),
            ],
            course_rows,
        ),
    ]
    what = "steps on the tracks, as a race has no points before its end" if race else "points paid so far"
    note = (
        f"The lead, drama and decisiveness of Browne (Evolutionary Game Design, 2011), of what lies on the table: "
        f"{what}. Uncertainty is the entropy of the place from which the winner comes. Games that several seats win "
        "are left out."
    )
    return {"title": "Tension", "note": note, "figures": figures, "tables": shown}


def _when(tenth: int) -> str:
    return f"{10 * tenth} %" if tenth <= 10 else "after final scoring"


def _chance_section(tables: Tables) -> Row:
    rows = tables["independent"]
    several = rows["players"].n_unique() > 1
    players = [Column("Players", "players", "count")] if several else []
    lines = [
        row | {"within": "tied on points" if row["margin"] == 0 else f"won by at most {row['margin']}"}
        for row in rows.to_dicts()
    ]
    figures = []
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
        figures.append(figure(charts.run_dots(dots, title, "run", True), f"{title}, with 95 % intervals."))
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
    return {"title": "Ties against chance", "note": note, "figures": figures, "tables": shown}


def _bot_section(tables: Tables, race: bool) -> Row:
    figures, shown = [], []
    worth = tables["worth"]
    if worth["elo"].null_count() < worth.height:
        title = "Strength of the bots: the chance to be first among one of each"
        dots = worth.select(
            pl.col("bot").alias("title"),
            *(pl.col(f"worth{end}").alias(f"mean{end}") for end in ("", "_low", "_high")),
        )
        figures.append(figure(charts.run_dots(dots, title, "run", True), f"{title}, with 95 % intervals."))
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
    for tie in tables["tied"].filter(seats=2).to_dicts() if tables["tied"].height else ():
        note += f" Two bots of one strength would tie in {percent(tie, 'tied')} of their meetings."
    if worth["elo"].null_count() == worth.height:
        note += (
            " Here some bots always or never end ahead of the others: no finite strength is the likeliest, so "
            "none is told."
        )
    return {"title": "Bots against each other", "note": note, "figures": figures, "tables": shown}


def _coverage_section(rows: pl.DataFrame) -> Row:
    counts = rows.group_by("what", maintain_order=True).agg(
        pl.len().alias("things"), pl.col("never").sum().cast(pl.Int64).alias("nevers")
    )
    lines = [
        row | {"name": words(row["name"]) if row["source"] is None else row["name"]}
        for row in rows.to_dicts()
    ]  # fmt: skip
    columns = [
        Column("What", "what", "text"),
        Column("Name", "name", "text"),
        Column("Share of games", "share", "rate", "n: games in which it could happen"),
    ]
    shown = [
        table("Never seen", columns, [line for line in lines if line["never"]], filter=True),
        table(
            "How much was seen",
            [
                Column("What", "what", "text"),
                Column("Of these", "things", "count"),
                Column("Never seen", "nevers", "count"),
            ],
            counts.to_dicts(),
        ),
        table("All of it", columns, lines, filter=True, folded=True),
    ]
    note = (
        "What no game showed is bounded by the rule of three: less than 3 divided by the setups in which it could "
        "happen. A source is paid at any payment that is no loss. Clauses of the rules are not counted: games do "
        "not record them."
    )
    if "effect chosen" in counts["what"]:
        note += " Effect and VP are chosen in a game that paid the source 0, or more, at some time."
    return {"title": "Coverage: what never happened", "note": note, "figures": [], "tables": shown}
