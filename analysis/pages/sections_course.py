"""How games go: how long they take, how open they are, what seats do, and which games to read."""

from __future__ import annotations

import polars as pl

from analysis.frames import Row, Tables
from analysis.pages import charts, figures
from analysis.pages.columns import BY, EXAMPLE, SPREAD_COLUMNS, Column, across, figure, table
from analysis.words import words

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


def tension_section(tables: Tables, race: bool) -> Row:
    several = tables["games"]["players"].n_unique() > 1
    players = [Column("Players", "players", "count")] if several else []
    drawn = []
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
        first, last = (course.filter(tenth=tenth).to_dicts() for tenth in (1, 9))
        said = "; ".join(
            f"after {_when(row['tenth'])} of the turns the leader wins {figures.share(row['leader_wins'])}"
            for row in (*first, *last)
            if row["leader_wins"] is not None
        )
        drawn.append(figure(charts.round_lines(lines, "line", "share", labels, title), f"{title}: {said}."))
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
                Column("Game of the most", "most_example", "game", "the first game that had so much"),
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
    return {"title": "Tension", "note": note, "figures": drawn, "tables": shown}


def _when(tenth: int) -> str:
    return f"{10 * tenth} %" if tenth <= 10 else "after final scoring"


def length_section(tables: Tables) -> Row:
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
            [Column("Ending", "ending", "text"), Column("Share of games", "share"), EXAMPLE],
            [row | {"ending": words(row["ending"])} for row in tables["endings"].to_dicts()],
        )
    )
    shown.append(
        table(
            "Games by their turns",
            [Column("Turns", "bin", "text"), Column("Share of games", "share"), EXAMPLE],
            tables["turn_bins"].to_dicts(),
            folded=True,
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
        "figures": [
            figure(*figures.spread(tables["turns"], "turns", "How long games take", "turns of all seats"))
        ],
        "tables": shown,
    }


def example_section(tables: Tables) -> Row:
    columns = [
        Column("What", "what", "text"),
        Column("Value", "value", "count"),
        Column("Seat", "seat", "count"),
        Column("Game", "example", "game", "the button copies the command that tells it turn by turn"),
    ]
    note = (
        "The games at either end, those with the lowest numbers first where several are alike. Each is one "
        "game and no rule: it shows how such a game comes about, not how often."
    )
    shown = [table("Games that stand out", columns, tables["outliers"].to_dicts())]
    return {"title": "Games to read", "note": note, "figures": [], "tables": shown}


def action_section(tables: Tables) -> Row:
    drawn = []
    for key, _ in BY:
        title = f"What seats do, by {key}: percent of their actions"
        rows = tables[f"by_{key}"].with_columns(
            (pl.lit("seat ") + pl.col("seat").cast(pl.String)).alias("seat")
            if key == "seat"
            else pl.col("bot"),
            pl.col("action").str.replace_all("_", " "),
        )
        said = f"{title}; {figures.by_part(rows, key, 'action')}."
        drawn.append(figure(charts.stacked_shares(rows, key, "action", title), said))
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
    return {"title": "Actions", "note": "", "figures": drawn, "tables": shown}
