"""Random legal constellations of a card set, and the conditions that none or all of them fulfil."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from simulator.games.ilumeia.measure import METRICS, legal_rows, measure
from simulator.games.ilumeia.star_cards import StarCard, turned

if TYPE_CHECKING:
    from simulator.games.ilumeia.cards import Prophecy

HAND: Final = 9
LENGTHS: Final = (3, 4, 5, 6)
"""Constellations of these lengths are most of those that are created in play."""
LONGEST: Final = 10
CHOICES: Final = 3
"""Cards among which the next one of a wide row is chosen."""
WIDE_ROWS: Final = 2000

Measured = Mapping[str, Any]


def rows_of_hands(cards: Mapping[str, StarCard], seed: int, count: int) -> list[Measured]:
    """The metrics of `count` rows as they occur in play: of a random hand, a random length, a random row."""
    rng = np.random.default_rng(seed)
    ids = list(cards)
    measured: list[Measured] = []
    while len(measured) < count:
        hand = [ids[place] for place in rng.permutation(len(ids))[:HAND]]
        by_length: dict[int, list[list[str]]] = defaultdict(list)
        for row in legal_rows(cards, hand):
            if len(row) in LENGTHS:
                by_length[len(row)].append(row)
        if by_length:
            rows = by_length[sorted(by_length)[rng.integers(len(by_length))]]
            measured.append(measure(cards, rows[rng.integers(len(rows))]))
    return measured


def wide_rows(cards: Mapping[str, StarCard], seed: int, count: int) -> Iterator[Measured]:
    """The metrics of at most `count` rows of 2 to 10 cards, far out in every direction.

    Each row follows a direction of its own (more of some metrics, less of others): its next card is the
    furthest in that direction of a few drawn at random.
    """
    rng = np.random.default_rng(seed)
    halves: dict[str, list[tuple[str, str]]] = defaultdict(list)
    """By left transitions: half-cards and their right transitions."""
    reach: dict[str, np.ndarray] = {}
    for card in cards.values():
        alone = measure({card.id: card}, [card.id])
        for name, half in ((card.id, card), (card.id + "r", turned(card))):
            halves[half.left].append((name, half.right))
            reach[name] = np.array([float(alone[metric]) for metric in METRICS])
    for _ in range(count):
        direction = rng.integers(-1, 2, len(METRICS))
        length = int(rng.integers(2, LONGEST + 1))
        row: list[str] = []
        ends = ""
        while len(row) < length:
            used = {name.removesuffix("r") for name in row}
            last = len(row) == length - 1
            fitting = [
                (name, right)
                for name, right in halves[ends]
                if (right == "") == last and name.removesuffix("r") not in used
            ]
            if not fitting:
                break
            few = [fitting[rng.integers(len(fitting))] for _ in range(CHOICES)]
            name, ends = max(few, key=lambda half: float(reach[half[0]] @ direction))
            row.append(name)
        if len(row) == length:
            yield measure(cards, row)


def unfulfillable(
    cards: Mapping[str, StarCard], prophecies: Sequence[Prophecy]
) -> list[tuple[Prophecy, str, str]]:
    """Each prophecy that none or all of many different constellations fulfil, and what is wrong, expected."""
    fulfilled: dict[str, set[bool]] = {prophecy.id: set() for prophecy in prophecies}
    open_ones = list(prophecies)
    for row in chain(rows_of_hands(cards, 0, WIDE_ROWS // 10), wide_rows(cards, 0, WIDE_ROWS)):
        for prophecy in open_ones:
            fulfilled[prophecy.id].add(prophecy.condition.value(row) != 0)
        open_ones = [prophecy for prophecy in open_ones if len(fulfilled[prophecy.id]) < 2]
        if not open_ones:
            break
    return [
        (
            prophecy,
            f"{prophecy.condition} holds for {'all' if True in fulfilled[prophecy.id] else 'none'} of "
            f"{WIDE_ROWS} constellations tried",
            "a condition that some fulfil and some do not",
        )
        for prophecy in open_ones
    ]
