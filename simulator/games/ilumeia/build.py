"""The seeded generator of the reconstructed star cards.

The printed cards are not known. What is generated meets everything that the rulebook says of them, and
the plan below is tuned so that random hands behave as a playable game needs (section 7 of the rules page):
how often a hand holds a legal constellation, how many stars, flames and comets it reaches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, TypeVar

import numpy as np

from simulator.game import UserError
from simulator.games.ilumeia.measure import measure
from simulator.games.ilumeia.star_cards import (
    ANCHORS,
    CORNERS,
    FULL_SET,
    LEVELS,
    PLACES,
    UNIT,
    Line,
    StarCard,
    cross,
    degrees,
    line_problem,
    line_segment,
    mirrored,
    star_card,
    transition_segment,
    transitions,
    turned,
)

DEFAULT_SEED: Final = 1
"""The seed of the shipped set."""

# The plan. A side is named by its transitions as they lie when the card is turned so that the side is at
# the right. Side p meets the side that is p upside down, so u and l, um and ml must be equally common.

ENDS: Final[Mapping[str, int]] = {"m": 34, "u": 21, "l": 21, "ul": 9, "um": 4, "ml": 4, "uml": 4}
"""Cards with transitions on one side only, which close a constellation: 45 % of the set."""
BRIDGES: Final[Mapping[tuple[str, str], int]] = {
    ("m", "m"): 15, ("u", "l"): 15, ("u", "u"): 5, ("l", "l"): 5, ("m", "u"): 13, ("m", "l"): 13,
    ("uml", "m"): 6, ("uml", "u"): 5, ("uml", "l"): 5,
    ("ul", "ul"): 2, ("ul", "m"): 4, ("ul", "u"): 3, ("ul", "l"): 3,
    ("um", "ml"): 3, ("um", "u"): 3, ("ml", "l"): 3,
    ("um", "l"): 4, ("ml", "u"): 4, ("um", "m"): 4, ("ml", "m"): 4,
}  # fmt: skip
"""Cards with transitions on both sides."""

SIZES: Final[Mapping[int, int]] = {1: 8, 2: 20, 3: 38, 4: 50, 5: 50, 6: 34, 7: 16}
"""Stars on a card -> cards: 4.3 on average, as 29 stars on 7 cards in the rulebook's example suggest."""
FLAMES: Final[Mapping[int, int]] = {0: 154, 1: 50, 2: 10, 3: 2}
"""Flame stars on a card -> cards: most constellations of 4 to 6 cards have one or two, few have five."""
COMETS: Final[Mapping[int, int]] = {0: 106, 1: 78, 2: 32}
"""Comets on a card -> cards: seven in a constellation are rare."""
INSIDE: Final = 3.0
"""How strongly comets prefer the inside of an area."""
APART: Final = 0.15
"""Chance that a sketch is left in two parts; few of these find a line for each star."""
LONG_LINES_LAST: Final = 0.7
"""Chance that a line across an empty place waits for all the others."""
CENTRAL: Final = 130
"""Cards with a central star."""
END_STARS: Final = (0.8, 0.16, 0.04)
"""Chance that 0, 1, 2 end stars are aimed at."""
AREAS: Final = (0.6, 0.3, 0.1)
"""Chance that 0, 1, 2 enclosed areas are aimed at."""
DIAGONALS: Final = (0.1, 0.35, 0.3, 0.17, 0.08)
"""Chance that 0 to 4 diagonals are aimed at on a card with a central star."""
TRIES: Final = 24
"""Drawings of which the one nearest to its aims becomes the card."""


@dataclass(frozen=True)
class Family:
    """End cards of one drawing and its mirror images, so that symmetric constellations occur in play."""

    side: str
    cards: int
    size: int
    central: bool


FAMILIES: Final = (
    Family("m", 7, 3, True),
    Family("m", 7, 5, False),
    Family("ul", 4, 4, False),
    Family("u", 5, 3, True),
    Family("u", 5, 4, False),
    Family("u", 5, 5, True),
)
"""Families with u get as many cards with l, mirrored; the others are drawn alike above and below."""
UPRIGHT: Final[Mapping[tuple[str, str], int]] = {("m", "m"): 14, ("u", "l"): 15, ("ul", "ul"): 2}
"""Of the bridges, those whose left and right halves mirror each other: the middle of a symmetric row."""

Mirror = tuple[int, int]
_LEFT_RIGHT: Final[Mirror] = (-1, 1)
_UP_DOWN: Final[Mirror] = (1, -1)
_UPSIDE_DOWN: Final = {"u": "l", "m": "m", "l": "u"}

Item = TypeVar("Item")


def build_star_cards(seed: int) -> dict[str, StarCard]:
    """A full set of reconstructed star cards by id, the same for the same seed on every machine."""
    if seed < 0:
        raise UserError(f"the seed of a card set is {seed}, expected 0 or more")
    rng = np.random.default_rng(seed)
    while True:
        drawings = _drawings(rng)
        if _covers_every_count(drawings):
            break
    drawings = _with_flames(rng, drawings)
    drawings = _with_comets(rng, drawings)
    drawings = [turned(card) if rng.random() < 0.5 else card for card in _shuffled(rng, drawings)]
    named = [replace(card, id=f"s{number:03d}") for number, card in enumerate(drawings, start=1)]
    return {card.id: card for card in named}


# Stars, lines and transitions


@dataclass(frozen=True)
class Aims:
    """What a drawing should have; sides and symmetry are met, the counts as nearly as can be."""

    sides: tuple[str, str]
    mirror: Mirror | None
    size: int
    central: bool
    ends: int
    areas: int
    diagonals: int


def _drawings(rng: np.random.Generator) -> list[StarCard]:
    """The whole set, without flame stars and comets."""
    ends, sizes, central = Counter(ENDS), Counter(SIZES), CENTRAL
    drawings: list[StarCard] = []
    for family in FAMILIES:
        alike = _upside_down(family.side) == family.side
        mirror = _UP_DOWN if alike else None
        aims = _aims(rng, (family.side, ""), mirror, family.size, family.central)
        drawing = _drawing(rng, replace(aims, ends=0, diagonals=min(aims.diagonals, 2)), set(drawings))
        for member in (drawing,) if alike else (drawing, mirrored(drawing, _UP_DOWN)):
            drawings += [member] * family.cards
            ends[member.right] -= family.cards
            sizes[family.size] -= family.cards
            central -= family.central * family.cards

    cards: list[tuple[tuple[str, str], Mirror | None]] = []
    for end, count in ends.items():
        cards += [((end, ""), None)] * count
    for sides, count in BRIDGES.items():
        upright = UPRIGHT.get(sides, 0)
        cards += [(sides, _LEFT_RIGHT)] * upright + [(sides, None)] * (count - upright)
    # Cards with many levels in use need several stars, so they choose first.
    cards = sorted(_shuffled(rng, cards), key=lambda card: -len(_levels_in_use(card[0])))
    centrals = _shuffled(rng, [number < central for number in range(len(cards))])
    for (sides, mirror), has_central in zip(cards, centrals, strict=True):
        fitting = [size for size in sizes.elements() if size >= len(_levels_in_use(sides))]
        size = fitting[int(rng.random() * len(fitting))]
        sizes[size] -= 1
        drawings.append(_drawing(rng, _aims(rng, sides, mirror, size, has_central), set(drawings)))
    return drawings


def _aims(
    rng: np.random.Generator, sides: tuple[str, str], mirror: Mirror | None, size: int, central: bool
) -> Aims:
    ends, areas, diagonals = _pick(rng, END_STARS), _pick(rng, AREAS), _pick(rng, DIAGONALS)
    return Aims(sides, mirror, size, central, ends, areas, diagonals if central else 0)


def _drawing(rng: np.random.Generator, aims: Aims, earlier: Set[StarCard]) -> StarCard:
    """The sketch nearest to its aims, preferably unlike the earlier cards.

    A mirrored card may get one star fewer than aimed at, and a card may get a central star or lose it,
    where there is no drawing otherwise.
    """
    best: StarCard | None = None
    best_cost = float("inf")
    tries = 0
    while best is None or tries < TRIES:
        if tries and tries % TRIES == 0:
            aims = replace(aims, central=not aims.central, diagonals=0)
        tries += 1
        card = _sketch(rng, aims)
        if card is None:
            continue
        metrics = measure({"": card}, [""])
        cost = 3.0 * abs(metrics["ends"] - aims.ends) + 1.0 * abs(metrics["areas"] - aims.areas)
        cost += 1.5 * abs(metrics["diagonals"] - aims.diagonals) + 4.0 * abs(metrics["stars"] - aims.size)
        cost += 3.0 * any(image in earlier for image in _images(card))
        if cost < best_cost:
            best, best_cost = card, cost
    return best


def _sketch(rng: np.random.Generator, aims: Aims) -> StarCard | None:
    """One attempt at a card, None if the stars don't come out or one is left without a line."""
    stars = _stars(rng, aims)
    if not aims.size - (aims.mirror is not None) <= len(stars) <= aims.size:
        return None
    right, left = aims.sides[0], _upside_down(aims.sides[1])
    bare = star_card("", stars, (), (), left, right, ())
    card = star_card("", stars, (), _lines(rng, bare, aims), left, right, ())
    return card if all(degrees(card).values()) else None


def _stars(rng: np.random.Generator, aims: Aims) -> set[str]:
    """Places of stars: the central one as aimed at, one on each level in use, then up to the size."""
    groups = [group for group in _shuffled(rng, _mirror_groups(aims.mirror)) if group != ("C",)]
    if aims.diagonals > 2:
        groups.sort(key=lambda group: group[0] not in CORNERS)
    stars = {"C"} if aims.central else set()
    for level in sorted(_levels_in_use(aims.sides)):
        on_level = {place for place, (_, y) in PLACES.items() if y == LEVELS[level]}
        if not on_level & stars:
            stars.update(next(group for group in groups if on_level & set(group)))
    for group in groups:
        if len(stars.union(group)) <= aims.size:
            stars.update(group)
    return stars


def _lines(rng: np.random.Generator, card: StarCard, aims: Aims) -> list[Line]:
    """Lines that join the stars, now and then into two parts only, and close some areas."""
    possible = [(a, b) for a, b in combinations(card.stars, 2) if line_problem(a, b, card.stars) is None]
    possible = _shuffled(rng, possible)
    first = [line for line in possible if "C" in line and set(line) & set(CORNERS)][: aims.diagonals]
    # Lines across an empty place mostly come last, so that they stay the exception.
    later = sorted(possible, key=lambda line: _is_long(line) and rng.random() < LONG_LINES_LAST)
    groups = list(dict.fromkeys(_mirror_lines(line, aims.mirror) for line in [*first, *later]))

    parts_aimed_at = 2 if rng.random() < APART else 1
    part_of = {star: star for star in card.stars}
    taken = [transition_segment(*transition) for transition in transitions(card)]
    lines: list[Line] = []

    def fits(group: tuple[Line, ...]) -> bool:
        segments = [line_segment(line) for line in group]
        return not any(cross(one, other) for one in segments for other in taken + segments)

    def add(group: tuple[Line, ...]) -> None:
        lines.extend(group)
        taken.extend(line_segment(line) for line in group)
        for a, b in group:
            joined, into = part_of[a], part_of[b]
            part_of.update({star: into for star, part in part_of.items() if part == joined})

    closing = []
    for group in groups:
        if all(part_of[a] == part_of[b] for a, b in group):
            closing.append(group)
        elif len(set(part_of.values())) > parts_aimed_at and fits(group):
            add(group)
    for group in closing:
        areas = len(lines) - len(card.stars) + len(set(part_of.values()))
        if areas < aims.areas and fits(group):
            add(group)
    return lines


def _mirror_groups(mirror: Mirror | None) -> list[tuple[str, ...]]:
    """The places, each together with its mirror image."""
    if mirror is None:
        return [(place,) for place in PLACES]
    images = (mirrored(star_card("", [place], (), (), "", "", ()), mirror).stars for place in PLACES)
    pairs = zip(PLACES, images, strict=True)
    return list(dict.fromkeys(tuple(sorted({place, *image})) for place, image in pairs))


def _mirror_lines(line: Line, mirror: Mirror | None) -> tuple[Line, ...]:
    """The line and its mirror image, once if they are the same."""
    if mirror is None:
        return (line,)
    image = mirrored(star_card("", line, (), [line], "", "", ()), mirror).lines
    return tuple(sorted({line, *image}))


def _is_long(line: Line) -> bool:
    (ax, ay), (bx, by) = line_segment(line)
    return max(abs(ax - bx), abs(ay - by)) > UNIT


def _images(card: StarCard) -> Iterator[StarCard]:
    for x_sign in (1, -1):
        for y_sign in (1, -1):
            yield mirrored(card, (x_sign, y_sign))


def _upside_down(side: str) -> str:
    return "".join(level for level in LEVELS if _UPSIDE_DOWN[level] in side)


def _levels_in_use(sides: tuple[str, str]) -> set[str]:
    return set(sides[0]) | set(_upside_down(sides[1]))


def _covers_every_count(drawings: Sequence[StarCard]) -> bool:
    """Whether every number of stars, transitions and diagonals that the rulebook names occurs."""
    metrics = [measure({"": card}, [""]) for card in drawings]
    return (
        len(drawings) == FULL_SET
        and {row["stars"] for row in metrics} == set(range(1, 8))
        and {row["transitions"] for row in metrics} == set(range(1, 5))
        and {row["diagonals"] for row in metrics} == set(range(5))
        and {row["centrals"] for row in metrics} == {0, 1}
    )


# Flame stars and comets


def _with_flames(rng: np.random.Generator, drawings: Sequence[StarCard]) -> list[StarCard]:
    """The cards with their flame stars, the most on the cards with the most stars among those drawn."""
    counts = sorted(Counter(FLAMES).elements())
    cards = sorted(_shuffled(rng, drawings), key=lambda card: min(len(card.stars), max(FLAMES)))
    # The last cards have room for the most flames; all but those few are in random order again.
    several = sum(count > 1 for count in counts)
    last = cards[-several:]
    rest = _shuffled(rng, cards[:-several])
    flaming = []
    for card, count in zip(rest + last, counts, strict=True):
        flames = _shuffled(rng, card.stars)[:count]
        flaming.append(replace(card, flames=tuple(star for star in card.stars if star in flames)))
    return flaming


def _with_comets(rng: np.random.Generator, cards: Sequence[StarCard]) -> list[StarCard]:
    """The cards with their comets, which prefer enclosed areas and cards that have one."""
    ranked = []
    for card in cards:
        inside = [_encloses(card, anchor) for anchor in ANCHORS]
        keys = [rng.random() / (INSIDE if enclosed else 1.0) for enclosed in inside]
        anchors = sorted(ANCHORS, key=dict(zip(ANCHORS, keys, strict=True)).__getitem__)
        ranked.append((rng.random() / (INSIDE if any(inside) else 1.0), card, anchors))
    ranked.sort(key=lambda entry: entry[0])
    counts = sorted(Counter(COMETS).elements(), reverse=True)
    return [
        replace(card, comets=tuple(anchor for anchor in ANCHORS if anchor in anchors[:count]))
        for (_, card, anchors), count in zip(ranked, counts, strict=True)
    ]


def _encloses(card: StarCard, anchor: str) -> bool:
    return bool(measure({"": replace(card, comets=(anchor,))}, [""])["comets_enclosed"])


# Chance. Only `Generator.random` is used, whose stream stays the same from version to version.


def _shuffled(rng: np.random.Generator, items: Sequence[Item]) -> list[Item]:
    keys = [rng.random() for _ in items]
    return [items[index] for index in sorted(range(len(items)), key=keys.__getitem__)]


def _pick(rng: np.random.Generator, chances: Sequence[float]) -> int:
    """A position drawn with these chances, which add up to 1."""
    point = rng.random()
    for position, chance in enumerate(chances):
        point -= chance
        if point < 0:
            return position
    return len(chances) - 1
