"""A report's tables as one HTML page that needs nothing else: figures first, then tables that sort."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import jinja2
import markupsafe
import polars as pl

from analysis import charts
from analysis.summary import MANY, Row, Tables, decimal, families, percentage, plural

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from analysis.report import Measured


@dataclass(frozen=True)
class Column:
    """A column of a table on the page: where its numbers are and how they are written."""

    label: str
    key: str
    kind: str = "rate"  # text, count, rate, mean, example
    hint: str = ""

    def cell(self, row: Row) -> Row:
        """`text` to read, `note` (interval and n) and `sort`, the value to sort by."""
        value = row.get(self.key)
        if value is None:
            return {"text": "—", "note": "", "sort": "", "kind": self.kind}
        if self.kind == "text":
            return {
                "text": str(value),
                "note": row.get(f"{self.key} note", ""),
                "sort": str(value),
                "kind": "text",
            }
        if self.kind in ("count", "example"):
            return {
                "text": f"{value:,}" if self.kind == "count" else str(value),
                "note": "",
                "sort": value,
                "kind": self.kind,
            }
        text = f"{percentage(value)} %" if self.kind == "rate" else decimal(value)
        low, high, units = (row.get(f"{self.key}_{part}") for part in ("low", "high", "n"))
        write_bound = percentage if self.kind == "rate" else decimal
        note = f"{write_bound(low)}–{write_bound(high)}" if low is not None and high is not None else ""
        if self.kind == "mean" and not note and (low is not None or high is not None):
            note = f"{decimal(low)}–{decimal(high)}"
        if units is not None:
            note += f"{' · ' if note else ''}n {units:,}"
        return {"text": text, "note": note, "sort": value, "kind": self.kind}


def table(caption: str, columns: Sequence[Column], rows: Iterable[Row], **extra: Any) -> Row:
    """A table as the template takes it."""
    cells = [[column.cell(row) for column in columns] for row in rows]
    return {"caption": caption, "columns": columns, "rows": cells} | extra


def across(
    rows: pl.DataFrame, key: str, measure: str, label: Callable[[Any], str], kind: str = "rate"
) -> tuple[list[Column], list[Row]]:
    """The rows with one column for each value of `key`, one line a source."""
    values = rows[key].unique().sort().to_list()
    columns = [
        Column("Source", "name", "text"),
        *(Column(label(value), f"{value}", kind) for value in values),
    ]
    lines: dict[str, Row] = {}
    for row in rows.iter_rows(named=True):
        line = lines.setdefault(row["source"], {"name": row["name"]})
        line |= {f"{row[key]}{suffix}": row[f"{measure}{suffix}"] for suffix in ("", "_low", "_high", "_n")}
    return columns, list(lines.values())


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


def as_page(measured: Measured) -> str:
    """The report as one HTML page that needs nothing else."""
    source = files("analysis").joinpath("report.html.j2").read_text(encoding="utf-8")
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    tables = measured.tables
    sections = []
    if "payouts" in tables:
        sections.append(_payout_section(tables["payouts"]))
        sections += _pacing_sections(tables["pacing"])
    sections.append(_tie_section(measured))
    if "seats" in tables:
        sections += [_seat_section(tables["seats"]), _score_section(tables["scores"])]
    sections.append(_length_section(tables["length"]))
    for place, section in enumerate(sections):
        section["id"] = f"section-{place + 1}"
    explain = f"counterpoise explain --run {shlex.quote(measured.folder)} --game"
    return environment.from_string(source).render(
        run=measured.run,
        summary=measured.summary,
        left_out=measured.left_out,
        sections=sections,
        explain=explain,
    )


def _figure(drawn: Figure, description: str) -> Row:
    # Matplotlib escapes every text that it writes into an SVG.
    return {"svg": markupsafe.Markup(charts.svg(drawn)), "description": description}


def _payout_section(tables: Tables) -> Row:
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
                _figure(charts.round_grid(of_round, title), f"{title}; the table by round has the numbers.")
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
    shown = [
        table("All sources", SOURCE_COLUMNS, lines, filter=True),
        table(
            "P(paid | offered) by the round of the offer",
            *across(several, "round", "paid_offered", lambda r: f"round {r}"),
            filter=True,
        ),
        table(
            "Share of all offers first paid in each round",
            *across(tables["paid_round"], "round", "first_paid", lambda r: f"round {r}"),
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
        for column in SOURCE_COLUMNS
        if column.key in ("paid_offered", "paid_reachable", "unwon", "vp", "vp_first", "vp_later")
    ]
    for key, column in (("group", "title"), ("kind", "kind")):
        shown.append(
            table(f"By {key}", [Column(key.capitalize(), column, "text"), *whole], tables[key].to_dicts())
        )
    note = (
        "One unit is an offer: one source in one game, or one secret card in one hand. Within reach means "
        "that at the start of its own action turn a seat could win it. A source that is always open counts "
        "as offered in every game. The win shares of those who chose an effect or VP compare the seats, not "
        "the choice."
    )
    return {"title": "Payout rates", "note": note, "figures": figures + grids, "tables": shown}


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


def _tie_section(measured: Measured) -> Row:
    section: Row = {"title": "Tie frequency", "note": "", "figures": [], "tables": []}
    if measured.race:
        race = "This game is a race: the winner scores 1 and nobody else anything, so ties cannot occur."
        return section | {"note": race}
    tables = measured.tables["ties"]
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


def _seat_section(tables: Tables) -> Row:
    by_bot = tables["by_bot"] if tables["by_bot"].height > 1 else None
    title = "Who wins: share of the wins, 95 % interval"
    seat, bot = Column("Seat", "place", "text"), Column("Bot", "bot", "text")
    placed = {
        name: [row | {"place": f"seat {row['seat']}"} for row in tables[name].to_dicts()]
        for name in ("by_seat", "by_seat_and_bot")
    }
    shown = [
        table("By seat", [seat, *RESULT_COLUMNS], placed["by_seat"]),
        table("By bot", [bot, *RESULT_COLUMNS], tables["by_bot"].to_dicts()),
    ]
    note = (
        "Seat 1 starts. A tied win counts 1/k for each of the k seats that share it. "
        "All rotations of a setup are one unit."
    )
    if by_bot is not None:
        shown.append(
            table("By seat and bot", [seat, bot, *RESULT_COLUMNS], placed["by_seat_and_bot"], folded=True)
        )
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
    shown = [
        table("Turns and rounds", spread, tables["spread"].to_dicts()),
        table(
            "Endings",
            [Column("Ending", "ending", "text"), Column("Share of games", "share")],
            tables["endings"].to_dicts(),
        ),
    ]
    return {
        "title": "Length",
        "note": "",
        "figures": [_figure(drawn, "Distribution of the number of turns.")],
        "tables": shown,
    }
