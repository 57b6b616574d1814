"""Star cards: their notation in `star_cards.csv`, the geometry of one card, and what can be wrong with it.

A card is a drawing over a 3x3 lattice of places; every count is derived from the drawing. A transition
runs along its level from the edge to the nearest star of that level; cards stand 3 apart in a row, so
the joint of two neighbours is one straight line between those two stars.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Final

from simulator.card_files import Row, read_rows
from simulator.faults import nearest
from simulator.game import Fault, UserError

DATA: Final = Path(__file__).parent / "data"
FILE_NAME: Final = "star_cards.csv"
FULL_SET: Final = 216
LONGEST_ID: Final = 40

COLUMNS: Final = ("id", "stars", "lines", "left", "right", "comets")

Point = tuple[int, int]
"""x to the right and y upward from the centre of the card, both in units of 1/UNIT of a lattice step."""
Line = tuple[str, str]

UNIT: Final = 20
"""Whole numbers for all of the drawing: the anchors' 0.55 and 0.7 are 11/20 and 14/20."""
EDGE: Final = 30
"""x of a card's right edge."""

PLACES: Final[Mapping[str, Point]] = {
    "NW": (-20, 20), "N": (0, 20), "NE": (20, 20),
    "W": (-20, 0), "C": (0, 0), "E": (20, 0),
    "SW": (-20, -20), "S": (0, -20), "SE": (20, -20),
}  # fmt: skip
CORNERS: Final = ("NW", "NE", "SW", "SE")
ANCHORS: Final[Mapping[str, Point]] = {"nw": (-11, 14), "ne": (11, 14), "sw": (-11, -14), "se": (11, -14)}
LEVELS: Final[Mapping[str, int]] = {"u": 20, "m": 0, "l": -20}
"""y of each level."""

_PLACE_AT: Final = {point: place for place, point in PLACES.items()}
_PLACE_ORDER: Final = {place: order for order, place in enumerate(PLACES)}
_LEVEL_ORDER: Final = "uml".index
_ANCHOR_AT: Final = {point: anchor for anchor, point in ANCHORS.items()}
_LEVEL_AT: Final = {y: level for level, y in LEVELS.items()}


@dataclass(frozen=True)
class StarCard:
    """One star card; each field in the order of the notation, so that equal drawings are equal cards."""

    id: str
    stars: tuple[str, ...]
    flames: tuple[str, ...]
    """Those of the stars that are flame stars."""
    lines: tuple[Line, ...]
    left: str
    """Levels of the transitions on the left edge, some of "uml" in that order."""
    right: str
    comets: tuple[str, ...]


def star_card(
    id: str, stars: Iterable[str], flames: Iterable[str], lines: Iterable[Line], left: Iterable[str],
    right: Iterable[str], comets: Iterable[str],
) -> StarCard:  # fmt: skip
    """The card of these parts, given in any order."""
    return StarCard(
        id,
        tuple(sorted(set(stars), key=_PLACE_ORDER.__getitem__)),
        tuple(sorted(set(flames), key=_PLACE_ORDER.__getitem__)),
        tuple(sorted({_line(a, b) for a, b in lines}, key=_line_order)),
        "".join(sorted(set(left), key=_LEVEL_ORDER)),
        "".join(sorted(set(right), key=_LEVEL_ORDER)),
        tuple(sorted(set(comets), key=list(ANCHORS).index)),
    )


def _line(a: str, b: str) -> Line:
    return (a, b) if _PLACE_ORDER[a] < _PLACE_ORDER[b] else (b, a)


def _line_order(line: Line) -> tuple[int, int]:
    return _PLACE_ORDER[line[0]], _PLACE_ORDER[line[1]]


# One card's geometry


@lru_cache(maxsize=4096)
def mirrored(card: StarCard, across: tuple[int, int]) -> StarCard:
    """The card with its x and y multiplied by `across`, each 1 or -1; the id stays."""
    x_sign, y_sign = across

    def place(name: str) -> str:
        x, y = PLACES[name]
        return _PLACE_AT[x * x_sign, y * y_sign]

    def anchor(name: str) -> str:
        x, y = ANCHORS[name]
        return _ANCHOR_AT[x * x_sign, y * y_sign]

    left, right = ([_LEVEL_AT[LEVELS[level] * y_sign] for level in side] for side in (card.left, card.right))
    if x_sign < 0:
        left, right = right, left
    return star_card(
        card.id, map(place, card.stars), map(place, card.flames),
        ((place(a), place(b)) for a, b in card.lines), left, right, map(anchor, card.comets),
    )  # fmt: skip


def turned(card: StarCard) -> StarCard:
    """The card turned by 180 degrees; equal to the card itself if the drawing is the same either way up."""
    return mirrored(card, (-1, -1))


def transition_star(stars: Sequence[str], side: str, level: str) -> str | None:
    """The star in which a transition on that side ("left" or "right") and level ends, None without one."""
    on_level = [place for place in stars if PLACES[place][1] == LEVELS[level]]
    if not on_level:
        return None
    nearest = min if side == "left" else max
    return nearest(on_level, key=lambda place: PLACES[place][0])


def transitions(card: StarCard) -> Iterator[tuple[str, str, str]]:
    """Side, level and star of each transition of a card."""
    for side, levels in (("left", card.left), ("right", card.right)):
        for level in levels:
            star = transition_star(card.stars, side, level)
            assert star is not None, f"card {card.id} has a transition on a level without a star"
            yield side, level, star


def degrees(card: StarCard) -> dict[str, int]:
    """How many lines meet in each star; a transition is a line to another star (ruling g3)."""
    count = dict.fromkeys(card.stars, 0)
    for a, b in card.lines:
        count[a] += 1
        count[b] += 1
    for _, _, star in transitions(card):
        count[star] += 1
    return count


def line_problem(a: str, b: str, stars: Sequence[str]) -> str | None:
    """Why no line may join places a and b on a card with these stars, None if one may."""
    (ax, ay), (bx, by) = PLACES[a], PLACES[b]
    if a == b:
        return "joins a star with itself"
    for end in (a, b):
        if end not in stars:
            return f"ends at {end}, where no star stands"
    if max(abs(ax - bx), abs(ay - by)) == UNIT:
        return None
    if ax != bx and ay != by:
        return "joins neither neighbours nor two places of one row or column"
    middle = _PLACE_AT[(ax + bx) // 2, (ay + by) // 2]
    return f"passes through the star at {middle}" if middle in stars else None


def cross(first: tuple[Point, Point], second: tuple[Point, Point]) -> bool:
    """Whether two segments cross in a point inside both."""

    def side(origin: Point, towards: Point, point: Point) -> int:
        (ox, oy), (tx, ty), (px, py) = origin, towards, point
        return (tx - ox) * (py - oy) - (ty - oy) * (px - ox)

    (a, b), (c, d) = first, second
    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


def line_segment(line: Line) -> tuple[Point, Point]:
    """The two ends of a line."""
    return PLACES[line[0]], PLACES[line[1]]


def transition_segment(side: str, level: str, star: str) -> tuple[Point, Point]:
    """The star and the point of the edge that a transition joins."""
    return PLACES[star], (-EDGE if side == "left" else EDGE, LEVELS[level])


# The notation


def read_star_cards(path: Path) -> tuple[dict[str, StarCard], list[Fault]]:
    """The cards of a file by id, in its order, and every fault; a card with a fault is left out."""
    rows, faults = read_rows(path, COLUMNS)
    cards: dict[str, StarCard] = {}
    for row in rows:
        card = _Reading(row).card() if row.cells else None
        if card is not None and not row.faults:
            cards[card.id] = card
        faults += row.faults
    return cards, faults


def set_faults(cards: Mapping[str, StarCard], file: str) -> list[Fault]:
    """The faults of a whole set to play with, beyond those of its single cards."""
    faults = []
    if len(cards) != FULL_SET:
        faults.append(Fault(file, 1, "cards", f"{len(cards)} readable cards", f"exactly {FULL_SET}"))
    if cards and all(card.left and card.right for card in cards.values()):
        problem = "every card has transitions on both sides, so no constellation can be closed"
        faults.append(Fault(file, 1, "cards", problem, "cards with an edge that has none"))
    return faults


def star_cards_path(cards: Path | None) -> Path:
    """Where the star cards of a set lie: a file, a folder that may leave them as they are, None: default."""
    default = DATA / FILE_NAME
    if cards is None:
        return default
    if cards.is_dir():
        own = cards / FILE_NAME
        return own if own.exists() else default
    if not cards.exists():
        raise UserError(f"there is no card file or folder {cards}")
    return cards


def write_star_cards(path: Path, cards: Mapping[str, StarCard]) -> None:
    """Write cards in the notation, one row a card."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(notation(card) for card in cards.values())


def notation(card: StarCard) -> dict[str, str]:
    """The cells of a card's row, by column."""
    return {
        "id": card.id,
        "stars": " ".join(place + "*" * (place in card.flames) for place in card.stars),
        "lines": " ".join(f"{a}-{b}" for a, b in card.lines),
        "left": " ".join(card.left),
        "right": " ".join(card.right),
        "comets": " ".join(card.comets),
    }


class _Reading:
    """One row being read, with the faults found in it."""

    def __init__(self, row: Row):
        self.cells, self.faults, self.fault = row.cells, row.faults, row.fault

    def card(self) -> StarCard:
        """The card of a row; what is wrong in it is noted and left out."""
        cells = self.cells
        name = self.id(cells["id"])
        starred = cells["stars"].split()
        stars = self.names("stars", [token.removesuffix("*") for token in starred], list(PLACES))
        flames = [token[:-1] for token in starred if token.endswith("*") and token[:-1] in stars]
        if not 1 <= len(starred) <= 7:
            self.fault("stars", f"{len(starred)} stars", "1 to 7")
        lines = self.lines(cells["lines"].split(), stars)
        left, right = (self.names(side, cells[side].split(), list(LEVELS)) for side in ("left", "right"))
        count = len(cells["left"].split()) + len(cells["right"].split())
        if not 1 <= count <= 4:
            self.fault("left and right", f"{count} transitions", "1 to 4 on both sides together")
        for side, levels in (("left", left), ("right", right)):
            for level in [level for level in levels if transition_star(stars, side, level) is None]:
                self.fault(side, f"transition {level} has no star on its level", f"a star on level {level}")
                levels.remove(level)
        comets = self.names("comets", cells["comets"].split(), list(ANCHORS))
        if len(comets) > 2:
            self.fault("comets", f"{len(comets)} comets", "at most 2")
        card = star_card(name, stars, flames, lines, left, right, comets)
        self.drawing(card)
        return card

    def id(self, name: str) -> str:
        if not name:
            self.fault("id", "is missing", "a unique id")
        elif len(name.split()) > 1:
            self.fault("id", f"{name!r} has a space", "an id without spaces")
        elif not name.isprintable() or len(name) > LONGEST_ID or set(name) & set("/\\"):
            expected = f"at most {LONGEST_ID} printable characters, no slashes"
            self.fault("id", f"{name[:LONGEST_ID]!r} can't name a card", expected)
        elif name.endswith("r"):
            self.fault("id", f"{name!r} ends in r, the mark of a turned card", "another last letter")
        return name

    def names(self, field: str, tokens: Iterable[str], known: Sequence[str]) -> list[str]:
        """Those of the tokens that are known and new, a fault for each of the others."""
        found: list[str] = []
        for token in tokens:
            if token not in known:
                self.fault(field, f"unknown name {token!r}", nearest(token, known))
            elif token in found:
                self.fault(field, f"{token} stands twice", "each once")
            else:
                found.append(token)
        return found

    def lines(self, tokens: Iterable[str], stars: Sequence[str]) -> list[Line]:
        found: list[Line] = []
        for token in tokens:
            ends = token.split("-")
            if len(ends) != 2:
                self.fault("lines", f"{token!r} is no line", "two places as in NW-C")
                continue
            unknown = [end for end in ends if end not in PLACES]
            for end in unknown:
                self.fault("lines", f"unknown name {end!r} in {token}", nearest(end, PLACES))
            if unknown:
                continue
            problem = line_problem(ends[0], ends[1], stars)
            line = _line(ends[0], ends[1])
            if problem:
                self.fault("lines", f"{token} {problem}", "a line between two stars, past no third one")
            elif line in found:
                self.fault("lines", f"{token} stands twice", "each line once")
            else:
                found.append(line)
        return found

    def drawing(self, card: StarCard) -> None:
        """The faults that only the whole drawing shows: crossings and stars without a line."""
        for first, second in combinations(card.lines, 2):
            if cross(line_segment(first), line_segment(second)):
                problem = f"{'-'.join(first)} and {'-'.join(second)} cross"
                self.fault("lines", problem, "lines that meet in stars only")
        for side, level, star in transitions(card):
            for line in card.lines:
                if cross(line_segment(line), transition_segment(side, level, star)):
                    problem = f"{'-'.join(line)} crosses the {side} transition {level}, which runs to {star}"
                    self.fault("lines", problem, "lines that meet in stars only")
        if any(fault.field in ("lines", "left", "right") for fault in self.faults):
            return  # a star without a line may only follow from these
        for star, degree in degrees(card).items():
            if degree == 0:
                self.fault("stars", f"no line meets {star}", "at least one line or transition at each star")
