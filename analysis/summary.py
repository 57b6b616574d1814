"""The report in a minute: sentences with their numbers."""

from __future__ import annotations

import polars as pl

from analysis.frames import Row, Tables
from analysis.intervals import rule_of_three
from analysis.words import MANY, families, heading, number, percent, plural, words

WIDE = 0.1
"""A rate with a wider interval is told as uncertain."""


def summary(tables: dict[str, Tables], race: bool) -> list[dict[str, str]]:
    """What a designer reads in a minute: sentences (`text`) by `topic`, with their numbers."""
    found: list[tuple[str, str]] = []
    if "payouts" in tables:
        sources = tables["payouts"]["source"]
        for family, rows in (families(sources) or {"source": sources}).items():
            if rows.height >= MANY and rows["offered"].sum() > 0:
                found.append((plural(family).capitalize(), _payout_sentence(rows, family)))
        if sources["offered"].sum() > 0:
            found.append(("Uncertain", _uncertain_sentence(sources.filter(pl.col("offered") > 0))))
    if race and "offers" in tables:
        for (family,), rows in tables["offers"]["group"].group_by("family", maintain_order=True):
            found.append((f"{heading(str(family))} wins", _group_sentence(rows)))
    if "pacing" in tables and tables["pacing"]["step"].height:
        for (name,), steps in tables["pacing"]["step"].group_by("name", maintain_order=True):
            found.append((str(name), _pace_sentence(steps.sort("step"))))
    ties = race_sentence(tables["ties"]["drawn"]) if race else _tie_sentence(tables["ties"])
    found.append(("Ties", ties))
    if "seats" in tables:
        found.append(("Seats", _seat_sentence(tables["seats"]["by_seat"])))
        if tables["seats"]["by_bot"].height > 1:
            found.append(("Bots", _bot_sentence(tables["seats"]["by_bot"])))
    if "scores" in tables:
        found.append(("Scores", _score_sentence(tables["scores"])))
    length = {row["length"]: row for row in tables["length"]["spread"].to_dicts()}
    turns = length["turns"]
    found.append(
        (
            "Length",
            f"A game takes {number(turns, 'mean')} turns of all seats on average (nine in ten take "
            f"{turns['q05']:g} to {turns['q95']:g}) and {number(length['rounds'], 'mean')} rounds."
            + (_winner_sentence(length.get("own turns of the winner")) if race else ""),
        )
    )
    if "actions" in tables and tables["actions"]["actions"].height:
        found.append(("Actions", _action_sentence(tables["actions"]["actions"])))
    if "payments" in tables and tables["payments"]["whole"].height:
        found.append(("Payments", _payment_sentence(tables["payments"]["whole"])))
    if "strength" in tables and tables["strength"]["source"].height:
        found.append(("Strength", _strength_sentence(tables["strength"]["source"])))
    if "kinds" in tables:
        found.append(("Seats that had it in a game", _kind_sentence(tables["kinds"]["kinds"])))
    return [{"topic": topic, "text": text} for topic, text in found]


def _payout_sentence(rows: pl.DataFrame, family: str) -> str:
    offered = rows.filter(pl.col("offered") > 0).sort("paid_offered", "source", descending=[True, False])
    best, worst = offered.row(0, named=True), offered.row(-1, named=True)
    never = offered.filter(pl.col("paid") == 0)
    text = (
        f"The most paid is {best['name']}, in {percent(best, 'paid_offered', 'offers')}; "
        f"the least paid {worst['name']}, in {percent(worst, 'paid_offered', 'offers')}."
    )
    if offered.height > 1 and best["paid_offered_low"] <= worst["paid_offered_high"]:
        text += " Their intervals overlap: this run may not tell them apart."
    if never.height:
        bound = float(rule_of_three(never["offered"].max()))  # type: ignore[arg-type]
        names = ", ".join(never["name"].head(3)) + (" and others" if never.height > 3 else "")
        text += (
            f" {never.height} of {offered.height} {plural(family)} never paid ({names}); were all offers "
            f"independent, the most offered of them would pay in less than {100 * bound:.2g} % "
            "(95 %, rule of three)."
        )
    unseen = rows.height - offered.height
    return text + (f" {unseen} of {rows.height} were never offered." if unseen else "")


def _uncertain_sentence(sources: pl.DataFrame) -> str:
    width = pl.col("paid_offered_high") - pl.col("paid_offered_low")
    ranked = sources.with_columns(width=width).sort("width", "source", descending=[True, False])
    wide, widest = ranked.filter(pl.col("width") > WIDE).height, ranked.row(0, named=True)
    which = f"{widest['name']} {percent(widest, 'paid_offered', 'offers')}"
    have = {0: "none has an interval", 1: "1 has an interval"}.get(wide, f"{wide} have intervals")
    more = "; four times the games would about halve them" if wide else ""
    return (
        f"Of {ranked.height} payout rates {have} wider than {100 * WIDE:g} points, the widest {which}{more}."
    )


def _pace_sentence(steps: pl.DataFrame) -> str:
    last = steps.row(-1, named=True)
    halves = steps.filter(pl.col("median_round").is_not_null() & pl.col("median_turn").is_not_null())
    if halves.is_empty():
        pace = "Not even the first step is reached by half of the seats"
    else:
        far = halves.row(-1, named=True)
        turns = number(far, "median_turn")
        pace = f"Half of the seats stand on step {far['step']} or higher by their own turn {turns}"
    return f"{pace}; {percent(last, 'never', 'seats')} never reach the last step, {last['step']}."


def race_sentence(drawn: pl.DataFrame) -> str:
    """How a race can end without a winner, and how often it does."""
    text = "This game is a race: the first to finish wins alone, so ties cannot happen, except that all seats share "
    text += "the win of a game that nobody finishes."
    for (players,), rows in drawn.group_by("players", maintain_order=True):
        who = f" With {players} players" if drawn["players"].n_unique() > 1 else " Here"
        whole, *endings = rows.to_dicts()
        if whole["share"]:
            by = ", ".join(f"{words(row['ending'])} {percent(row, 'share')}" for row in endings)
            text += f"{who} {percent(whole, 'share', 'games')} are drawn so: {by}."
        else:
            text += (
                f"{who} none of {whole['share_n']:,} games is: less than {100 * whole['share_high']:.2g} % are "
                "(95 %, rule of three)."
            )
    return text


def _group_sentence(rows: pl.DataFrame) -> str:
    ranked = rows.sort("paid", "group", descending=[True, False]).to_dicts()
    shares = [
        f"{row['title']} {percent(row, 'paid')}, {percent(row | {'offered_low': None}, 'offered')} of the offers"
        for row in ranked
    ]
    return f"Share of the wins: {'; '.join(shares)}."


def _winner_sentence(row: Row | None) -> str:
    if row is None or row["mean"] is None:
        return ""
    return f" The winner takes {number(row, 'mean')} own turns, nine in ten {row['q05']:g} to {row['q95']:g}."


def _action_sentence(rows: pl.DataFrame) -> str:
    most = rows.sort("share", "action", descending=[True, False]).head(4).to_dicts()
    shares = ", ".join(f"{words(row['action'])} {percent(row, 'share')}" for row in most)
    return f"Of all actions that seats take: {shares}."


def _payment_sentence(rows: pl.DataFrame) -> str:
    shares = ", ".join(f"{row['payment']} {percent(row, 'share')}" for row in rows.to_dicts())
    return f"What is paid with, of {rows['share_n'][0]:,} in all: {shares}."


def _strength_sentence(rows: pl.DataFrame) -> str:
    sentences = []
    for (kind,), of_kind in rows.group_by("kind", maintain_order=True):
        out = of_kind.filter(pl.col("stands_out").is_not_null())
        text = f"{out.height} of {of_kind.height} sources stand out ({words(str(kind))})"
        if out.height:
            best = out.row(0, named=True)
            text += f", most of all {best['name']} by {100 * best['difference']:+.1f} points of the win"
        sentences.append(text)
        if len(sentences) == 2:
            break
    return "; ".join(sentences) + "; strong seats get strong cards, so these are hints."


def _kind_sentence(rows: pl.DataFrame) -> str:
    return ", ".join(f"{words(row['kind'])} {percent(row, 'seats')}" for row in rows.to_dicts()) + "."


def _tie_sentence(tables: Tables) -> str:
    rows = tables["outcomes"]
    sentences = []
    for players, of_count in rows.group_by("players", maintain_order=True):
        found = {row["outcome"]: row for row in of_count.to_dicts()}
        near = tables["near"].filter(players=players[0], margin=1).row(0, named=True)
        who = f"With {players[0]} players, " if rows["players"].n_unique() > 1 else ""
        sentences.append(
            f"{who}{percent(found['tied on points'], 'share', 'games')} end tied on points, "
            f"{percent(found['shared'], 'share')} stay shared after every tie-break, and "
            f"{percent(near, 'share')} end with at most one point between the best two."
        )
    return " ".join(sentences)


def _seat_sentence(by_seat: pl.DataFrame) -> str:
    shares = ", ".join(f"seat {row['seat']} {percent(row, 'win_share')}" for row in by_seat.to_dicts())
    off = [f"seat {row['seat']}" for row in by_seat.to_dicts() if _off_fair(row)]
    verdict = f"off the fair share: {', '.join(off)}" if off else "no interval excludes the fair share"
    return f"Share of the wins: {shares}, of {by_seat['win_share_n'][0]:,} games; {verdict}."


def _bot_sentence(by_bot: pl.DataFrame) -> str:
    ranked = by_bot.sort("win_share", "bot", descending=[True, False])
    best, worst = ranked.row(0, named=True), ranked.row(-1, named=True)
    return (
        f"The strongest, {best['bot']}, wins {percent(best, 'win_share', 'seats')}; "
        f"the weakest, {worst['bot']}, {percent(worst, 'win_share', 'seats')}."
    )


def _score_sentence(tables: Tables) -> str:
    spread = tables["spread"].row(0, named=True)
    nine_in_ten = f"nine in ten score {spread['q05']:g} to {spread['q95']:g}"
    text = f"A seat scores {spread['q50']:g} points at the median ({nine_in_ten})."
    most = [
        f"{part['title']} {number(part, 'mean')}, {percent(part, 'share')} of all points"
        for part in tables["parts"].sort("mean", "part", descending=[True, False]).head(2).to_dicts()
    ]
    return text + (f" The largest parts: {'; '.join(most)}." if most else "")


def _off_fair(row: Row) -> bool:
    return (
        row["win_share_low"] is not None and not row["win_share_low"] <= row["fair"] <= row["win_share_high"]
    )
