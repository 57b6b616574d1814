"""What a row of star cards measures, whether it is a legal constellation, and every legal row of a hand.

This is the yardstick: plain planar geometry of the whole row in whole numbers, one way for every row.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from simulator.game import CardFaults, UserError
from simulator.games.ilumeia.star_cards import (
    ANCHORS,
    CORNERS,
    EDGE,
    LEVELS,
    PLACES,
    Point,
    StarCard,
    degrees,
    mirrored,
    read_star_cards,
    star_cards_path,
    transition_star,
    turned,
)

METRICS: Final = (
    "cards", "stars", "flames", "centrals", "ends", "diagonals", "transitions",
    "comets", "comets_enclosed", "comets_open", "areas", "middle", "outer",
    "outer_most", "outer_least", "flame_diagonals", "symmetric_horizontal", "symmetric_vertical",
)  # fmt: skip
"""Every metric of a row, in the order in which `measure` gives them."""

LONGEST: Final = 11
"""The largest hand limit of the rulebook, so the most cards of a constellation (IL-22, IL-39)."""

_WIDTH: Final = 2 * EDGE
_COMPASS: Final = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
"""The eight directions of lines, counter-clockwise from the east."""
_EAST: Final = 0
_WEST: Final = 4

Walk = list[Point]


def measure(
    cards: Mapping[str, StarCard], row: Sequence[str], *, allow_even_axis: bool = False
) -> dict[str, Any]:
    """Every metric of a row by name, then `row`, `legal` and `broken` (the clauses it breaks).

    A row need not be legal. A transition counts once, joined or open, and is a line of its star. A row of
    more than 11 cards is measured and breaks IL-22. `allow_even_axis` lets an even number of cards be
    vertically symmetric (ruling g18). Raises UserError for an empty row, an unknown id or an id twice.
    """
    shapes = [_shape(card) for card in oriented(cards, row)]
    walks = _bounded_faces(shapes)
    upper, lower = sum(shape.upper for shape in shapes), sum(shape.lower for shape in shapes)
    middle, comets = sum(shape.middle for shape in shapes), sum(len(shape.comets) for shape in shapes)
    anchors = [(x + place * _WIDTH, y) for place, shape in enumerate(shapes) for x, y in shape.comets]
    enclosed = sum(any(_inside(anchor, walk) for walk in walks) for anchor in anchors)
    joints = sum(len(_joined(left, right)) for left, right in pairwise(shapes))
    broken = broken_clauses([(shape.left, shape.right) for shape in shapes])
    return {
        "cards": len(shapes),
        "stars": upper + middle + lower,
        "flames": sum(shape.flames for shape in shapes),
        "centrals": sum(shape.centrals for shape in shapes),
        "ends": sum(shape.ends for shape in shapes),
        "diagonals": sum(shape.diagonals for shape in shapes),
        "transitions": sum(len(shape.left) + len(shape.right) for shape in shapes) - joints,
        "comets": comets,
        "comets_enclosed": enclosed,
        "comets_open": comets - enclosed,
        "areas": len(walks),
        "middle": middle,
        "outer": upper + lower,
        "outer_most": max(upper, lower),
        "outer_least": min(upper, lower),
        "flame_diagonals": sum(shape.flame_diagonals for shape in shapes),
        "symmetric_horizontal": all(shape.drawing == shape.mirrored_y for shape in shapes),
        "symmetric_vertical": (allow_even_axis or len(shapes) % 2 == 1)
        and [shape.drawing for shape in shapes] == [shape.mirrored_x for shape in reversed(shapes)],
        "row": " ".join(row),
        "legal": not broken,
        "broken": broken,
    }


def measure_rows(cards_path: Path | None, rows: Sequence[str]) -> list[dict[str, Any]]:
    """What each row of ids ("w1 w2 w3r") measures, with the cards of a file, a folder or the default set."""
    cards = cards_at(cards_path)
    return [measure(cards, row.split()) for row in rows]


def cards_at(cards_path: Path | None) -> dict[str, StarCard]:
    """The star cards of a file, a folder or the default set, by id; raises CardFaults."""
    cards, faults = read_star_cards(star_cards_path(cards_path))
    if faults:
        raise CardFaults(faults)
    return cards


def oriented(cards: Mapping[str, StarCard], row: Sequence[str]) -> list[StarCard]:
    """The cards of a row as they lie, those marked `r` turned; raises UserError naming a wrong id."""
    if not row:
        raise UserError("the row is empty; give the ids of its cards, as in 'w1 w2 w3r'")
    lying: list[StarCard] = []
    place_of: dict[str, int] = {}
    for place, name in enumerate(row, start=1):
        card = cards.get(name.removesuffix("r"))
        if card is None:
            hint = f"; the nearest id is {_nearest_id(name.removesuffix('r'), cards)!r}" if cards else ""
            raise UserError(f"row '{' '.join(row)}': there is no card {name!r} (place {place}){hint}")
        if card.id in place_of:
            both = f"at places {place_of[card.id]} and {place}"
            raise UserError(f"row '{' '.join(row)}': card {card.id!r} stands {both}, expected each card once")
        place_of[card.id] = place
        lying.append(turned(card) if name.endswith("r") else card)
    return lying


def _nearest_id(name: str, ids: Iterable[str]) -> str:
    """The id most like a name, of several the first: s001 for s1."""
    return min(ids, key=lambda known: (-difflib.SequenceMatcher(None, name, known).ratio(), known))


def enclosed_areas(lying: Sequence[StarCard]) -> list[Walk]:
    """The closed walk around each enclosed area of a row; the centre of the first card is (0, 0)."""
    return _bounded_faces([_shape(card) for card in lying])


def broken_clauses(sides: Sequence[tuple[str, str]]) -> list[str]:
    """The clauses that a row with these (left, right) transitions breaks: IL-18, IL-19, IL-22.

    A single card always breaks IL-19, as it has a transition, which stays open.
    """
    broken = []
    if any(not right or right != left for (_, right), (left, _) in pairwise(sides)):
        broken.append("IL-18")
    if sides[0][0] or sides[-1][1]:
        broken.append("IL-19")
    if len(sides) > LONGEST:
        broken.append("IL-22")
    return broken


def legal_rows(cards: Mapping[str, StarCard], hand: Sequence[str]) -> Iterator[list[str]]:
    """Every legal row of a hand, by trying all: ids from left to right, `r` marks a turned card.

    A row and the same row turned by 180 degrees are one, given with its earlier card of the hand at the
    left. A card that looks the same turned is never marked.
    """
    ways = []
    for position, name in enumerate(hand):
        card = cards[name]
        ways.append((position, name, card.left, card.right))
        if turned(card) != card:
            ways.append((position, name + "r", turned(card).left, turned(card).right))

    def extended(row: list[str], used: list[int], right: str) -> Iterator[list[str]]:
        for position, name, left, next_right in ways:
            if left != right or position in used:
                continue
            if next_right:
                yield from extended([*row, name], [*used, position], next_right)
            elif used[0] < position:
                yield [*row, name]

    for position, name, left, right in ways:
        if not left:
            yield from extended([name], [position], right)


# One card of a row, and the faces of the whole row


@dataclass(frozen=True)
class _Shape:
    """What measuring needs of one card as it lies; the counts add up over a row."""

    places: tuple[Point, ...]
    around: tuple[dict[int, int], ...]
    """By star: direction of each line -> the star at its other end."""
    left: str
    right: str
    left_stars: Mapping[str, int]
    """By level: the star in which that transition ends."""
    right_stars: Mapping[str, int]
    comets: tuple[Point, ...]
    drawing: StarCard
    """Stars, lines and transitions only, which is all that symmetry looks at (IL-51)."""
    mirrored_x: StarCard
    mirrored_y: StarCard
    upper: int
    middle: int
    lower: int
    flames: int
    centrals: int
    ends: int
    diagonals: int
    flame_diagonals: int


@lru_cache(maxsize=4096)
def _shape(card: StarCard) -> _Shape:
    number = {star: index for index, star in enumerate(card.stars)}
    around: list[dict[int, int]] = [{} for _ in card.stars]
    for a, b in card.lines:
        (ax, ay), (bx, by) = PLACES[a], PLACES[b]
        direction = _COMPASS.index(((bx > ax) - (bx < ax), (by > ay) - (by < ay)))
        around[number[a]][direction] = number[b]
        around[number[b]][(direction + 4) % 8] = number[a]
    drawing = StarCard("", card.stars, (), card.lines, card.left, card.right, ())
    on_level = [sum(PLACES[star][1] == y for star in card.stars) for y in LEVELS.values()]
    diagonal_ends = [b if a == "C" else a for a, b in card.lines if "C" in (a, b) and {a, b} & set(CORNERS)]

    def stars_at(side: str, levels: str) -> dict[str, int]:
        return {level: number[transition_star(card.stars, side, level) or ""] for level in levels}

    return _Shape(
        places=tuple(PLACES[star] for star in card.stars),
        around=tuple(around),
        left=card.left,
        right=card.right,
        left_stars=stars_at("left", card.left),
        right_stars=stars_at("right", card.right),
        comets=tuple(ANCHORS[comet] for comet in card.comets),
        drawing=drawing,
        mirrored_x=mirrored(drawing, (-1, 1)),
        mirrored_y=mirrored(drawing, (1, -1)),
        upper=on_level[0],
        middle=on_level[1],
        lower=on_level[2],
        flames=len(card.flames),
        centrals=int("C" in card.stars),
        ends=sum(degree == 1 for degree in degrees(card).values()),
        diagonals=len(diagonal_ends),
        flame_diagonals=sum(end in card.flames for end in diagonal_ends),
    )


def _joined(left: _Shape, right: _Shape) -> list[str]:
    """Levels on which two neighbours have a transition each; the others of an illegal joint stay open."""
    return [level for level in left.right if level in right.left]


def _bounded_faces(shapes: Sequence[_Shape]) -> list[Walk]:
    """The enclosed areas of a row, each as the closed walk around it.

    Following every line once in each direction and always taking the sharpest left turn goes round every
    face once, a bounded one counter-clockwise, the outside of each connected part clockwise. Open
    transitions enclose nothing and are left out.
    """
    places: list[Point] = []
    around: list[dict[int, int]] = []
    first: list[int] = []
    for position, shape in enumerate(shapes):
        first.append(len(places))
        places += [(x + position * _WIDTH, y) for x, y in shape.places]
        around += [{way: first[-1] + star for way, star in lines.items()} for lines in shape.around]
    for position, (left, right) in enumerate(pairwise(shapes)):
        for level in _joined(left, right):
            west = first[position] + left.right_stars[level]
            east = first[position + 1] + right.left_stars[level]
            around[west][_EAST], around[east][_WEST] = east, west

    walks = []
    walked: set[tuple[int, int]] = set()
    for start, lines in enumerate(around):
        for start_way in lines:
            star, way = start, start_way
            walk: Walk = []
            while (star, way) not in walked:
                walked.add((star, way))
                walk.append(places[star])
                star = around[star][way]
                way += 3  # the reverse direction is way + 4; look clockwise from there
                while way % 8 not in around[star]:
                    way -= 1
                way %= 8
            if _twice_area(walk) > 0:
                walks.append(walk)
    return walks


def _twice_area(walk: Walk) -> int:
    """Twice the area that a walk encloses, positive if it goes counter-clockwise."""
    return sum(ax * by - bx * ay for (ax, ay), (bx, by) in _sides(walk))


def _inside(point: Point, walk: Walk) -> bool:
    """Whether a ray from the point to the right crosses the walk an odd number of times.

    A line that the walk goes along in both directions counts twice and so drops out. No star stands at the
    height of an anchor, so the ray meets no corner of a walk.
    """
    px, py = point
    inside = False
    for (ax, ay), (bx, by) in _sides(walk):
        if (ay > py) != (by > py):
            # The line meets the ray's height at ax + (py - ay) (bx - ax) / (by - ay).
            reach = (py - ay) * (bx - ax) - (px - ax) * (by - ay)
            inside ^= reach > 0 if by > ay else reach < 0
    return inside


def _sides(walk: Walk) -> Iterator[tuple[Point, Point]]:
    return zip(walk, [*walk[1:], *walk[:1]], strict=True)
