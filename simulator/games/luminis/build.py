"""The seeded generator of the reconstructed cards.

The printed cards are not known. What is generated meets everything that the rulebook and public pages say of
them (section 5 of the rules page). The plan below says how many resources a card costs and brings; chance
says of which colours, and where the arrows point. Each drawing becomes three cards, one for each colour's
turn, so that no colour is better than another.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, islice, permutations, zip_longest
from pathlib import Path
from typing import Final, TypeVar

import numpy as np

from simulator.game import UserError
from simulator.games.luminis.cards import DATA, FILE_NAME, Card, Triple, write_cards
from simulator.games.luminis.model import N_COLOURS, Level

DEFAULT_SEED: Final = 1
"""The seed of the shipped set."""
PICTOGRAMS: Final = 9
"""Cards with the pictogram, all three of a drawing or none; the rulebook doesn't say how many."""
SPIRES: Final = 6
SPIRE_COST: Final = 15
LETTERS: Final = {Level.I: "a", Level.II: "b", Level.III: "c", Level.SPIRE: "s"}
"""What the ids of a level begin with."""

# The plan


@dataclass(frozen=True)
class Size:
    """How many resources a drawing costs and brings, and how many arrows it has."""

    cost: int
    centre: int
    local: int
    arrows: int
    mixed: bool = False
    """Whether the centre has two colours: worth less, since a spire wants one."""


PLAN: Final[Mapping[Level, Sequence[Size]]] = {
    Level.I: (
        Size(0, 1, 1, 1), Size(1, 1, 1, 2), Size(1, 1, 2, 1), Size(2, 1, 1, 3), Size(2, 1, 2, 1),
        Size(2, 1, 2, 2), Size(3, 1, 2, 2), Size(3, 1, 2, 3), Size(3, 2, 1, 1), Size(3, 2, 1, 2, mixed=True),
        Size(4, 2, 2, 2),
    ),
    Level.II: (
        Size(4, 2, 2, 1), Size(4, 2, 2, 2, mixed=True), Size(4, 2, 3, 1, mixed=True), Size(5, 2, 2, 2),
        Size(5, 2, 2, 3), Size(5, 2, 3, 1), Size(5, 3, 2, 2, mixed=True), Size(6, 2, 3, 2), Size(6, 2, 3, 3),
        Size(6, 3, 2, 1), Size(6, 3, 3, 2, mixed=True), Size(7, 3, 2, 3), Size(7, 3, 3, 2),
    ),
    Level.III: (
        Size(7, 3, 3, 1), Size(8, 3, 3, 2), Size(8, 4, 3, 2, mixed=True), Size(9, 3, 4, 2),
        Size(9, 4, 4, 2, mixed=True), Size(10, 3, 5, 1), Size(11, 4, 4, 3),
    ),
}  # fmt: skip
"""The drawings of each level, three cards each."""
BONUS: Final[Mapping[Level, tuple[int, int]]] = {Level.I: (1, 1), Level.II: (2, 2), Level.III: (3, 3)}
"""Of the card without a centre of each level: what it costs and brings to its neighbours, of every colour."""

# Shares of a drawing by colour: its own (0), the two others (1, 2). Plans shorter than a level begin anew.
COSTS: Final[Mapping[Level, Sequence[str]]] = {
    Level.I: ("0", "0", "1", "1", "01", "01", "12"),
    Level.II: ("0", "0", "0", "1", "01", "01", "01", "12"),
    Level.III: ("01", "01", "12", "012"),
}
LOCALS: Final = ("0", "0", "1", "01")
ARROWS: Final[Mapping[Level, Mapping[int, Sequence[str]]]] = {
    Level.I: {
        1: ("N", "N", "W", "E", "NW", "NE"),
        2: ("W E", "NW NE", "W N", "E N", "NW N", "N NE"),
        3: ("W E N", "NW N NE", "W NW N", "E N NE"),
    },
    Level.II: {
        1: ("N", "N", "NW", "NE"),
        2: ("W N", "E N", "NW NE", "NW N", "N NE"),
        3: ("W E N", "NW N NE", "W NW N", "E N NE"),
    },
    Level.III: {
        1: ("N", "NW", "NE"),
        2: ("NW N", "N NE", "NW NE"),
        3: ("NW N NE",),
    },
}
BONUS_ARROWS: Final = {Level.I: "W E N", Level.II: "NW N NE", Level.III: "NW N NE"}

DEAD: Final = 0.02
"""The largest share of opening hands of four, the fewest that a seat takes, with which no card can be placed."""
FEWEST: Final = 4
FACTOR: Final = 2
"""What a discard is worth, as `rules.toml` has it."""

Item = TypeVar("Item")


def build_set(seed: int, folder: Path) -> None:
    """Write a whole reconstructed card set to the folder; rules and bots are copies of the default ones."""
    cards = build_cards(seed)
    folder.mkdir(parents=True, exist_ok=True)
    write_cards(folder / FILE_NAME, cards)
    for name in ("rules.toml", "bots.toml"):
        if (DATA / name).exists() and (DATA / name).resolve() != (folder / name).resolve():
            shutil.copyfile(DATA / name, folder / name)


def build_cards(seed: int, pictograms: int = PICTOGRAMS) -> list[Card]:
    """A full set of reconstructed cards in the order of their ids, the same for the same seed on every machine."""
    if seed < 0:
        raise UserError(f"the seed of a card set is {seed}, expected 0 or more")
    most = N_COLOURS * sum(map(len, PLAN.values()))
    if pictograms % N_COLOURS or not 0 <= pictograms <= most:
        expected = f"a multiple of {N_COLOURS}, up to {most}"
        raise UserError(f"{pictograms} cards have the pictogram, expected {expected}")
    rng = np.random.default_rng(seed)
    while True:
        drawings = {level: _drawings(rng, level) for level in PLAN}
        if dead_share([*_turns(drawings[Level.I]), _bonus(Level.I)], FEWEST) <= DEAD:
            break
    marked = _strongest(drawings, pictograms // N_COLOURS)
    cards: list[Card] = []
    for level in PLAN:
        own = [replace(drawing, pictogram=drawing in marked) for drawing in drawings[level]]
        cards += _named(level, [*_turns(own), _bonus(level)])
    spires = [Card("", Level.SPIRE, (SPIRE_COST, 0, 0))] * (SPIRES // N_COLOURS)
    return cards + _named(Level.SPIRE, _turns(spires))


def _named(level: Level, cards: Iterable[Card]) -> list[Card]:
    digits = 1 if level == Level.SPIRE else 2
    return [replace(card, id=f"{LETTERS[level]}{n:0{digits}}") for n, card in enumerate(cards, start=1)]


# Drawings


def _drawings(rng: np.random.Generator, level: Level) -> list[Card]:
    """The drawings of a level: none is another one over again, or better than another in everything."""
    while True:
        costs, locals_ = _deck(rng, COSTS[level]), _deck(rng, LOCALS)
        arrows = {number: _deck(rng, points) for number, points in ARROWS[level].items()}
        drawings = [
            Card(
                "",
                level,
                _shared(rng, size.cost, next(costs)),
                _shared(rng, size.centre, "01" if size.mixed else "0"),
                _shared(rng, size.local, next(locals_)),
                frozenset(next(arrows[size.arrows]).split()),
            )
            for size in PLAN[level]
        ]
        if not any(_no_worse(one, other) for one, other in permutations(_turns(drawings), 2)):
            return drawings


def _deck(rng: np.random.Generator, items: Sequence[Item]) -> Iterator[Item]:
    """The items in random order, then again in another."""
    while True:
        yield from (items[place] for place in rng.permutation(len(items)))


def _shared(rng: np.random.Generator, total: int, colours: str) -> Triple:
    """So many resources shared by colours as evenly as can be; which of the two others is meant, and who gets
    what is left over, is chance."""
    swapped = rng.random() < 0.5
    shared = [int(colour) * (2 if swapped else 1) % N_COLOURS for colour in colours]
    shares = [0] * N_COLOURS
    for place in islice(_deck(rng, range(len(shared))), total):
        shares[shared[place]] += 1
    blue, green, red = shares
    return blue, green, red


def _turns(drawings: Iterable[Card]) -> Iterator[Card]:
    """Each drawing in blue, green and red."""
    for drawing in drawings:
        for step in range(N_COLOURS):
            cost, centre, local = (
                _turned(each, step) for each in (drawing.cost, drawing.centre, drawing.local)
            )
            yield replace(drawing, cost=cost, centre=centre, local=local)


def _turned(amounts: Triple, step: int) -> Triple:
    """What was blue is now `step` colours further."""
    blue, green, red = (amounts[(colour - step) % N_COLOURS] for colour in range(N_COLOURS))
    return blue, green, red


def _no_worse(one: Card, other: Card) -> bool:
    """Whether a card costs no more of any colour than another and brings no less."""
    return (
        all(mine <= its for mine, its in zip(one.cost, other.cost, strict=True))
        and all(
            mine >= its for mine, its in zip(one.centre + one.local, other.centre + other.local, strict=True)
        )
        and one.arrows >= other.arrows
    )


def _bonus(level: Level) -> Card:
    cost, local = BONUS[level]
    arrows = frozenset(BONUS_ARROWS[level].split())
    return Card("", level, (cost,) * 3, (0, 0, 0), (local,) * 3, arrows, bonus=True)


def _strongest(drawings: Mapping[Level, Sequence[Card]], number: int) -> list[Card]:
    """So many of the strongest drawings, from every level in turn, the highest first."""

    def strength(card: Card) -> int:
        return 2 * sum(card.centre) + sum(card.local) * len(card.arrows)

    ranked = {
        level: sorted(drawings[level], key=strength, reverse=True) for level in sorted(PLAN, reverse=True)
    }
    in_turn = chain.from_iterable(zip_longest(*ranked.values()))
    return list(islice(filter(None, in_turn), number))


def dead_share(cards: Sequence[Card], size: int) -> float:
    """The share of all hands of so many of these cards with which none can be placed as the first (LU-9, l20).

    Whatever it takes may be discarded, so it is enough that the others together bring the cost.
    """
    hands = np.array(list(combinations(range(len(cards)), size)))
    costs, centres = (np.array([getattr(card, name) for card in cards])[hands] for name in ("cost", "centre"))
    others = centres.sum(axis=1, keepdims=True) - centres
    return float(1 - (costs <= FACTOR * others).all(axis=2).any(axis=1).mean())
