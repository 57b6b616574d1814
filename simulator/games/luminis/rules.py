"""The numbers of the rulebook as `rules.toml` gives them, typed and checked against each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Final

from simulator import rulebook
from simulator.documents import Document
from simulator.games.luminis.model import MAX_SEATS

FEWEST_PLAYERS: Final = 2


@dataclass(frozen=True)
class Rules:
    """Every value of `rules.toml` by its name; what each means stands beside it in that file."""

    spires_shown: tuple[int, ...]
    """For 2, 3, 4 and 5 players."""
    piles: tuple[int, ...]
    """For 2, 3, 4 and 5 players."""
    start_cards: tuple[int, ...]
    """By seat."""
    hand_limit: int
    temporary_factor: int
    any_lower: bool
    advanced: bool
    turn_limit: int
    marks: Mapping[str, str]
    """By name: S stated, D deduced, I inferred, R ruled."""


NAMES: Final = tuple(field.name for field in fields(Rules) if field.name != "marks")


def read_rules(own: Document, default: Document) -> Rules | None:
    """The rules of a designer's file, the default where it is silent; None (and faults in `own`) if wrong."""
    found = rulebook.read_values(own, default, NAMES)
    if found is None:
        return None
    values, marks = found
    rules = Rules(**values, marks=marks)
    faults = list(_disagreements(rules))
    for name, problem, expected in faults:
        own.fault((name, "value"), problem, expected)
    return None if faults else rules


def _disagreements(rules: Rules) -> Iterator[tuple[str, str, str]]:
    """Name, problem and expectation of each list that has not one number for each player count or seat."""
    counts = MAX_SEATS - FEWEST_PLAYERS + 1
    for name, wanted, each in (
        ("spires_shown", counts, f"one for each of {FEWEST_PLAYERS} to {MAX_SEATS} players"),
        ("piles", counts, f"one for each of {FEWEST_PLAYERS} to {MAX_SEATS} players"),
        ("start_cards", MAX_SEATS, "one for each seat"),
    ):
        found = len(getattr(rules, name))
        if found != wanted:
            yield name, f"{found} items", f"{wanted}, {each}"
