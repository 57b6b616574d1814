"""Cards: their notation in `cards.csv`, and what can be wrong with one of them."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from simulator.card_files import Row, id_problem, read_rows
from simulator.faults import nearest, shown
from simulator.game import Fault
from simulator.games.luminis.model import Arrow, Colour, Level
from simulator.games.luminis.rules import Rules

DATA: Final = Path(__file__).parent / "data"
FILE_NAME: Final = "cards.csv"

COLOURS: Final = tuple(colour.name.lower() for colour in Colour)
LETTERS: Final = tuple(colour[0] for colour in COLOURS)
ARROWS: Final = tuple(arrow.name for arrow in Arrow)
LEVELS: Final = {"I": 1, "II": 2, "III": 3, "IV": 4}
"""The levels by their Roman numerals."""
_DIGITS: Final = {str(level): level for level in LEVELS.values()}
MOST: Final = 30
"""Resources of one colour in one field: twice what a spire costs."""

Triple = tuple[int, int, int]
"""Resources: blue, green, red."""
Problem = Callable[[str, str], None]
"""Takes note of what is wrong and what is expected."""


@dataclass(frozen=True)
class Card:
    """A card of any level (LU-5); the defaults are what an empty cell stands for."""

    id: str
    level: int
    cost: Triple = (0, 0, 0)
    centre: Triple = (0, 0, 0)
    local: Triple = (0, 0, 0)
    arrows: frozenset[str] = frozenset()
    """Some of W, E, NW, N, NE: where the local resources go."""
    pictogram: bool = False
    bonus: bool = False
    line: int = field(default=0, compare=False)
    """Where it stands in its file."""


@dataclass(frozen=True)
class CardSet:
    """All cards and rule values of a set, read and checked; cards in the order of their file."""

    cards: tuple[Card, ...]
    rules: Rules
    content: Mapping[str, Any]
    """JSON-ready: every value that decides a game."""
    reconstructed: tuple[str, ...]
    """The files with values that no rulebook prints."""


# The notation


def level(value: Any, problem: Problem) -> int:
    """A level written as I to IV or 1 to 4."""
    found = LEVELS.get(str(value)) or _DIGITS.get(str(value))
    if found is None:
        problem("is missing" if value == "" else shown(value), "I, II, III or IV")
    return found or int(Level.I)


def number(value: Any, problem: Problem) -> int:
    """How many resources of a colour."""
    if type(value) is int and 0 <= value <= MOST:
        return value
    problem(shown(value), f"a whole number from 0 to {MOST}")
    return 0


def resources(value: Any, problem: Problem) -> Triple:
    """Resources written as numbers and the first letters of their colours, such as `2b 1g`."""
    found: dict[str, int] = {}
    expected = f"1 to {MOST} and one of {', '.join(LETTERS)}, such as 2b"
    if not isinstance(value, str):
        problem(shown(value), expected)
        return 0, 0, 0
    for token in value.split():
        parts = re.fullmatch(r"([0-9]{1,2})([a-z])", token)
        if parts is None or parts[2] not in LETTERS or not 1 <= int(parts[1]) <= MOST:
            problem(shown(token), expected)
        elif parts[2] in found:
            problem(f"{parts[2]} stands twice", "each colour once")
        else:
            found[parts[2]] = int(parts[1])
    blue, green, red = (found.get(letter, 0) for letter in LETTERS)
    return blue, green, red


def arrows(value: Any, problem: Problem) -> frozenset[str]:
    """Arrows written as compass points, such as `W N NE`."""
    found: list[str] = []
    if not isinstance(value, str):
        problem(shown(value), f"some of {' '.join(ARROWS)}")
        return frozenset()
    for token in value.split():
        if token in ("S", "SW", "SE"):
            problem(f"{token} points down", "one of " + ", ".join(ARROWS))
        elif token not in ARROWS:
            problem(f"unknown arrow {shown(token)}", nearest(token, ARROWS))
        elif token in found:
            problem(f"{token} stands twice", "each arrow once")
        else:
            found.append(token)
    return frozenset(found)


def flag(value: Any, problem: Problem) -> bool:
    """`yes` or nothing; true or false in a setting."""
    if isinstance(value, bool):
        return value
    if value not in ("yes", ""):
        problem(shown(value), "yes or nothing" if isinstance(value, str) else "true or false")
    return bool(value == "yes")


FIELDS: Final[Mapping[str, Callable[[Any, Problem], Any]]] = {
    "level": level,
    "cost": resources,
    "centre": resources,
    "local": resources,
    "arrows": arrows,
    "pictogram": flag,
    "bonus": flag,
}
"""How each field of a card but its id is read, from a cell or from a setting."""
RESOURCES: Final = tuple(name for name, reader in FIELDS.items() if reader is resources)
COLUMNS: Final = ("id", *FIELDS)


def read_cards(path: Path) -> tuple[dict[str, Card], list[Fault]]:
    """The cards of a file by id, in its order, and every fault; a card with a fault is left out."""
    rows, faults = read_rows(path, COLUMNS)
    cards = {}
    for row in rows:
        card = _card(row)
        if card is not None and not row.faults:
            cards[card.id] = card
        faults += row.faults
    return cards, faults


def _card(row: Row) -> Card | None:
    if not row.cells:
        return None
    wrong = id_problem(row.cells["id"])
    if wrong is not None:
        row.fault("id", *(wrong if row.cells["id"] else ("is missing", "an id of its own")))
    values = {name: reader(row.cells[name], partial(row.fault, name)) for name, reader in FIELDS.items()}
    card = Card(row.cells["id"], **values, line=row.line)
    if row.faults:
        return None
    if any(card.local) and not card.arrows:
        row.fault("arrows", "local resources without an arrow", f"some of {' '.join(ARROWS)}")
    if card.arrows and not any(card.local):
        row.fault("local", "arrows without local resources", "resources such as 2b")
    return card


def changed(card: Card, keys: tuple[str, ...], value: Any, problem: Problem) -> Card:
    """The card with a field, or the resources of one colour in a field, set to a value."""
    name, *colour = keys
    found: Any
    if colour:
        found = list(getattr(card, name))
        found[COLOURS.index(colour[0])] = number(value, problem)
        found = tuple(found)
    else:
        found = FIELDS[name](value, problem)
    return replace(card, **{name: found})


def write_cards(path: Path, cards: Iterable[Card]) -> None:
    """Write cards in the notation, one row a card."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(notation(card) for card in cards)


def notation(card: Card) -> dict[str, str]:
    """The cells of a card's row, by column."""
    return {
        "id": card.id,
        "level": roman(card.level),
        **{name: letters(getattr(card, name)) for name in RESOURCES},
        "arrows": compass(card.arrows),
        "pictogram": "yes" if card.pictogram else "",
        "bonus": "yes" if card.bonus else "",
    }


def content(card: Card) -> dict[str, Any]:
    """The values of a card, JSON-ready."""
    return {
        "id": card.id,
        "level": card.level,
        **{name: dict(zip(COLOURS, getattr(card, name), strict=True)) for name in RESOURCES},
        "arrows": compass(card.arrows),
        "pictogram": card.pictogram,
        "bonus": card.bonus,
    }


def roman(level: int) -> str:
    """The numeral of a level."""
    return list(LEVELS)[level - 1]


def letters(amounts: Triple) -> str:
    """Resources in the notation, such as `2b 1g`."""
    return " ".join(f"{count}{letter}" for count, letter in zip(amounts, LETTERS, strict=True) if count)


def compass(arrows: Iterable[str]) -> str:
    """Arrows in the notation, such as `W N NE`."""
    return " ".join(sorted(arrows, key=ARROWS.index))
