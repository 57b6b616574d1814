"""The sections of a report: each takes its tables and gives figures and tables that the page's template shows."""

from __future__ import annotations

from analysis.frames import Row
from analysis.measured import Measured
from analysis.pages.sections_course import action_section, example_section, length_section, tension_section
from analysis.pages.sections_own import coverage_section, declared_section
from analysis.pages.sections_paid import payout_section
from analysis.pages.sections_result import chance_section, race_section, score_section, tie_section
from analysis.pages.sections_seats import bot_section, seat_section
from analysis.pages.sections_tracks import track_sections
from analysis.pages.sections_verdicts import verdict_section
from analysis.pages.sections_worth import payment_section, strength_section, wait_section


def sections(measured: Measured) -> list[Row]:
    """All sections in their order; of what a run did not keep or its game does not have there is none."""
    return numbered(
        {
            "In short": [verdict_section(measured)],
            "What pays": _what_pays(measured),
            "How it goes": _how_it_goes(measured),
            "Who wins": _who_wins(measured),
            "And else": _what_else(measured),
        }
    )


def numbered(parts: dict[str, list[Row]]) -> list[Row]:
    """The sections one after the other, each with its `part`, an `id` and what it is called in `short`."""
    found: list[Row] = []
    for part, several in parts.items():
        for section in several:
            section |= {"part": part, "id": f"section-{len(found) + 1}"}
            section.setdefault("short", section["title"])
            section["tables"] = [each for each in section["tables"] if each["rows"]]
            found.append(section)
    return found


def _what_pays(measured: Measured) -> list[Row]:
    tables = measured.tables
    found: list[Row] = []
    if "payouts" in tables:
        found.append(payout_section(measured))
    if "waits" in tables:
        found.append(wait_section(measured))
    if "payments" in tables:
        found.append(payment_section(measured))
    if "strength" in tables and tables["strength"]["source"].height:
        found.append(strength_section(measured))
    return found


def _how_it_goes(measured: Measured) -> list[Row]:
    tables = measured.tables
    found: list[Row] = []
    if "pacing" in tables:
        found += track_sections(tables["pacing"], tables.get("steps"))
    found.append(length_section(tables["length"]))
    if "tension" in tables:
        found.append(tension_section(tables["tension"], bool(measured.run["race"])))
    if "actions" in tables and tables["actions"]["actions"].height:
        found.append(action_section(tables["actions"]))
    return found


def _who_wins(measured: Measured) -> list[Row]:
    tables, race = measured.tables, bool(measured.run["race"])
    found = [race_section(tables["ties"]) if race else tie_section(tables["ties"])]
    if "independent" in tables["ties"] and tables["ties"]["independent"].height:
        found.append(chance_section(tables["ties"]))
    if "seats" in tables:
        found.append(seat_section(tables["seats"], race))
    if "bots" in tables:
        found.append(bot_section(tables["bots"], race))
    if "scores" in tables:
        found.append(score_section(tables["scores"], measured.run["spends"]))
    return found


def _what_else(measured: Measured) -> list[Row]:
    tables = measured.tables
    found = []
    if "kinds" in tables or "columns" in tables:
        found.append(declared_section(measured))
    return [*found, coverage_section(measured), example_section(tables["examples"])]
