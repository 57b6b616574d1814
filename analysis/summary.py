"""The report in a minute: sentences with their numbers."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from analysis.decisions import chances_of_band, holm
from analysis.frames import Row, Sentence, Tables
from analysis.intervals import rule_of_three, trials_worth
from analysis.verdicts import ABOVE, BELOW, OPEN, WITHIN
from analysis.words import MANY, families, heading, number, percent, percentage, plural, words

UNFAIR = 0.05
"""The chance of naming a single seat wrongly."""

MORE = 4
"""Times the games of this run: what they would settle is worth a word."""

NO_BREAK = "\N{NO-BREAK SPACE}"

WIDE = 0.1
"""A rate with a wider interval is told as uncertain."""


def summary(tables: dict[str, Tables], about: Row) -> tuple[list[Sentence], list[Sentence]]:
    """What a designer reads in a minute, and further details: sentences (`text`) by `topic`, with their numbers."""
    race = about["race"]
    minute, details = _verdict_sentences(tables["verdicts"]["bands"]), []
    if "payouts" in tables:
        of_payouts = list(_of_payouts(tables["payouts"]["source"], race))
        minute += of_payouts[:1]
        details += of_payouts[1:]
    if race and "offers" in tables:
        for (family,), rows in tables["offers"]["group"].group_by("family", maintain_order=True):
            minute.append((f"{heading(str(family))} wins", _group_sentence(rows)))
    if "pacing" in tables and tables["pacing"]["step"].height:
        for (name,), steps in tables["pacing"]["step"].group_by("name", maintain_order=True):
            minute.append((str(name), _pace_sentence(steps.sort("step"), race)))
    ties = race_sentence(tables["ties"]["drawn"]) if race else _tie_sentence(tables["ties"])
    minute.append(("Ties", ties))
    if "seats" in tables:
        minute.append(("Seats", _seat_sentence(tables["seats"]["by_seat"])))
        if tables["seats"]["by_bot"].height > 1:
            minute.append(("Bots", _bot_sentence(tables["seats"]["by_bot"])))
    if "scores" in tables:
        minute.append(("Scores", _score_sentence(tables["scores"], about["spends"])))
    if "tension" in tables:
        minute += [("Tension", text) for text in _tension_sentences(tables["tension"], race)]
    minute.append(("Length", _length_sentence(tables["length"]["spread"], race)))
    if "strength" in tables and tables["strength"]["source"].height:
        minute.append(("Strength", _strength_sentence(tables["strength"]["source"])))
    minute.append(("Never seen", _coverage_sentence(tables["coverage"])))
    if "actions" in tables and tables["actions"]["actions"].height:
        details.append(("Actions", _action_sentence(tables["actions"]["actions"])))
    if "payments" in tables and tables["payments"]["whole"].height:
        details.append(("Payments", _payment_sentence(tables["payments"]["whole"])))
    if "kinds" in tables:
        details.append(("This game's own events", _kind_sentence(tables["kinds"]["kinds"])))
    told = [[{"topic": topic, "text": text} for topic, text in part] for part in (minute, details)]
    return told[0], told[1]


def _of_payouts(sources: pl.DataFrame, race: bool) -> Iterator[tuple[str, str]]:
    """A sentence for each large family of sources, the largest first, and one on how well their rates are known."""
    for family, rows in (families(sources) or {"source": sources}).items():
        if rows.height >= MANY and rows["offered"].sum() > 0:
            yield plural(family).capitalize(), _payout_sentence(rows, family, race)
    if sources["offered"].sum() > 0:
        yield "Precision", _precision_sentence(sources.filter(pl.col("offered") > 0))


def _length_sentence(spread: pl.DataFrame, race: bool) -> str:
    length = {row["length"]: row for row in spread.to_dicts()}
    turns = length["turns"]
    return (
        f"A game takes {number(turns, 'mean')} turns of all seats on average (nine in ten take "
        f"{turns['q05']:g} to {turns['q95']:g}) and {number(length['rounds'], 'mean')} rounds."
        + (_winner_sentence(length.get("own turns of the winner")) if race else "")
    )


def _verdict_sentences(rows: pl.DataFrame) -> list[tuple[str, str]]:
    """What is out of its band, what within, and what this run can't tell."""
    topics = {
        "Out of its band": pl.col("verdict").is_in([ABOVE, BELOW]),
        "Within its band": pl.col("verdict") == WITHIN,
        "Uncertain": pl.col("verdict") == OPEN,
    }
    found = []
    for topic, asked in topics.items():
        sentences = [
            text
            for _, family in rows.group_by("family", maintain_order=True)
            if (text := _family_sentence(family.filter(asked), family.height))
        ]
        if sentences:
            text = "; ".join(sentences)
            found.append((topic, f"{text[0].upper()}{text[1:]}."))
    return found


def _family_sentence(rows: pl.DataFrame, members: int) -> str:
    """Rates of a family that share a verdict, of so many members: each of a few, or the ends of many."""
    if rows.is_empty():
        return ""
    first = rows.row(0, named=True)
    band = f"{percentage(first['least'])} to {percentage(first['most'])}{NO_BREAK}%"
    if first["source"] is None:
        told = ", ".join(f"{row['name']} {percent(row, 'value')}{_side(row)}" for row in rows.to_dicts())
        text = f"{told} of {first['value_n']:,} games (band {band})"
    else:
        ranked = rows.sort("value", "name")
        ends = dict.fromkeys(_named(ranked.row(place, named=True)) for place in (0, -1))
        text = f"{rows.height} of {members} {first['family']} ({' to '.join(ends)}; band {band})"
    if first["verdict"] != OPEN:
        return text
    soon = rows.filter(pl.col("times") <= MORE).height
    more = f"; {MORE} times the games would settle {soon} of these, were the true rates those seen"
    return text + (more if soon else "")


def _side(row: Row) -> str:
    return f", {row['verdict']}," if row["verdict"] in (ABOVE, BELOW) else ""


def _named(row: Row) -> str:
    return f"{row['name']} {percent(row, 'value')}"


def _payout_sentence(rows: pl.DataFrame, family: str, race: bool) -> str:
    offered = rows.filter(pl.col("offered") > 0).sort(
        "paid_offered_shrunk", "source", descending=[True, False]
    )
    best, worst = offered.row(0, named=True), offered.row(-1, named=True)
    never = offered.filter(pl.col("paid") == 0)
    text = (
        f"{best['name']} {'wins' if race else 'is paid'} most often, in {percent(best, 'paid_offered', 'offers')}; "
        f"{worst['name']} least, in {percent(worst, 'paid_offered', 'offers')}."
    )
    if offered.height > 1:
        text += _overlap(best, worst, "paid_offered")
    if never.height:
        bound = float(rule_of_three(never["offered"].max()))  # type: ignore[arg-type]
        names = ", ".join(never["name"].head(3)) + (" and others" if never.height > 3 else "")
        text += (
            f" {never.height} of {offered.height} {plural(family)} never paid ({names}); were all offers "
            f"independent, the most offered of them would pay in less than {percentage(bound)} % "
            "(95 %, rule of three)."
        )
    unseen = rows.height - offered.height
    return text + (f" {unseen} of {rows.height} were never offered." if unseen else "")


def _precision_sentence(sources: pl.DataFrame) -> str:
    width = pl.col("paid_offered_high") - pl.col("paid_offered_low")
    ranked = sources.with_columns(width=width).sort("width", "source", descending=[True, False])
    wide, widest = ranked.filter(pl.col("width") > WIDE).height, ranked.row(0, named=True)
    which = f"{widest['name']} {percent(widest, 'paid_offered', 'offers')}"
    have = {0: "none has an interval", 1: "1 has an interval"}.get(wide, f"{wide} have intervals")
    more = "; four times the games would about halve them" if wide else ""
    return (
        f"Of {ranked.height} payout rates {have} wider than {100 * WIDE:g} points, the widest {which}{more}."
    )


def _pace_sentence(steps: pl.DataFrame, race: bool) -> str:
    if race:
        return _race_pace_sentence(steps)
    last = steps.row(-1, named=True)
    halves = steps.filter(pl.col("median_round").is_not_null() & pl.col("median_turn").is_not_null())
    if halves.is_empty():
        pace = "Not even the first step is reached by half of the seats"
    else:
        far = halves.row(-1, named=True)
        turns = number(far, "median_turn")
        pace = (
            f"If games went on, half of the seats would stand on step {far['step']} by their own turn {turns}"
        )
    return f"{pace}; {percent(last, 'never', 'seats')} never reach the last step, {last['step']}."


def _race_pace_sentence(steps: pl.DataFrame) -> str:
    """Plain shares: who finishes ends the others' climb, so how far they would have come is not to be known."""
    *before, last = steps.to_dicts()
    never = [f"{percent(row, 'never', 'seats')} never reach step {row['step']}" for row in before[-1:]]
    return "; ".join([*never, f"{percent(last, 'never', 'seats')} not the last, {last['step']}"]) + "."


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
                f"{who} none of {whole['share_n']:,} games is: less than {percentage(whole['share_high'])} % are "
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
        text = f"{out.height} of {of_kind.height} sources stand{'s' if out.height == 1 else ''} out ({words(str(kind))})"
        if out.height:
            best = out.row(0, named=True)
            text += f", most of all {best['name']} by {_points(best, 'difference_shrunk')} of the win in "
            text += f"{best['win_share_n']:,} seats"
            if best["in_group"] is not None:
                text += f", beside others of its group by {_points(best, 'in_group')}"
        sentences.append(text)
        if len(sentences) == 2:
            break
    return "; ".join(sentences) + ". Strong seats get strong cards, so these are hints."


def _points(row: Row, name: str) -> str:
    by, low, high = (
        "…" if row[f"{name}{end}"] is None else f"{100 * row[f'{name}{end}']:+.1f}".replace("-", "−")
        for end in ("", "_low", "_high")
    )
    return f"{by} points ({low} to {high})"


def _kind_sentence(rows: pl.DataFrame) -> str:
    shares = ", ".join(f"{words(row['kind'])} {percent(row, 'seats')}" for row in rows.to_dicts())
    return f"Of {rows['seats_n'][0]:,} seats so many have one at least once in a game: {shares}."


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
    share, low, high, fair = (
        by_seat[name].cast(pl.Float64).to_numpy()
        for name in ("win_share", "win_share_low", "win_share_high", "fair")
    )
    unfair = holm(chances_of_band(share, trials_worth(share, low, high), fair, fair)[1]) <= UNFAIR
    sides = []
    for word, there in (("less", unfair & (share < fair)), ("more", unfair & (share > fair))):
        if there.any():
            who, win = ("seats", "win") if there.sum() > 1 else ("seat", "wins")
            sides.append(
                f"{who} {', '.join(str(seat) for seat in by_seat.filter(there)['seat'])} {win} {word}"
            )
    known = (
        f"{' and '.join(sides)}, at 5 % for all seats together" if sides else "no seat is off it for certain"
    )
    return (
        f"Share of the wins: {shares}, of {by_seat['win_share_n'][0]:,} games; a fair share is "
        f"{percentage(fair[0])}{NO_BREAK}%, and {known}."
    )


def _bot_sentence(by_bot: pl.DataFrame) -> str:
    ranked = by_bot.sort("win_share", "bot", descending=[True, False])
    best, worst = ranked.row(0, named=True), ranked.row(-1, named=True)
    return (
        f"The strongest, {best['bot']}, wins {percent(best, 'win_share', 'seats')}; "
        f"the weakest, {worst['bot']}, {percent(worst, 'win_share', 'seats')}."
        + _overlap(best, worst, "win_share")
    )


def _overlap(best: Row, worst: Row, name: str) -> str:
    apart = best[f"{name}_low"] is not None and best[f"{name}_low"] > worst[f"{name}_high"]
    return "" if apart else " Their intervals overlap: this run may not tell them apart."


def _score_sentence(tables: Tables, spends: str) -> str:
    spread = tables["spread"].row(0, named=True)
    nine_in_ten = f"nine in ten score {spread['q05']:g} to {spread['q95']:g}"
    text = f"A seat scores {spread['q50']:g} points at the median ({nine_in_ten})."
    most = [
        f"{part['title']} {number(part, 'mean')}, {percent(part, 'share')} of all points"
        for part in tables["parts"].sort("mean", "part", descending=[True, False]).head(2).to_dicts()
    ]
    if "spending" in tables:
        whole = tables["spending"].row(0, named=True)
        text += f" Each {words(spends)} that a seat spends comes to {number(whole, 'per_spent')} points."
    return text + (f" The largest parts: {'; '.join(most)}." if most else "")


def _tension_sentences(tables: Tables, race: bool) -> Iterator[str]:
    """One sentence a player count."""
    course = tables["course"]
    for row in tables["games"].iter_rows(named=True):
        half = course.filter(players=row["players"], tenth=5).row(0, named=True)
        who = f"With {row['players']} players the" if tables["games"].height > 1 else "The"
        yield (
            f"{who} lead changes {number(row, 'lead_changes')} times in a game. Who leads at half-time wins "
            f"{percent(half, 'leader_wins', 'games')}; the winner leads for good after "
            f"{percent(row, 'settled')} of the turns"
            + (
                f", and in {percent(row, 'at_the_end')} of the games only the very end shows it."
                if not race
                else "."
            )
        )


def _coverage_sentence(tables: Tables) -> str:
    rows = tables["games"]
    never = rows.filter("never")
    if never.is_empty():
        return f"All {rows.height} sources, effects, endings and actions that could happen did."
    told = [f"{words(row['what'])} {words(row['name'])}" for row in never.head(3).to_dicts()]
    more = f" and {never.height - 3} more" if never.height > 3 else ""
    clauses = tables.get("clauses")
    unused = clauses.filter("never")["clause"].to_list() if clauses is not None else []
    rules = f" Clauses of the rules that no game applied: {', '.join(unused)}." if unused else ""
    most = max(never["share_high"].drop_nulls().to_list(), default=1.0)
    return (
        f"{never.height} of {rows.height} things that could happen never did: {', '.join(told)}{more}. Each happens "
        f"in less than {percentage(most)}{NO_BREAK}% of the games that allow it (95 %, rule of three).{rules}"
    )
