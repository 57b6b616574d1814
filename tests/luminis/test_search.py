"""The compiled placement search against a plain one: every card, every place and every payment in every order."""

from __future__ import annotations

import random
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from simulator.games.luminis.model import N_COLOURS, Arrow, Level
from simulator.games.luminis.search import NO_VALUE, best_placement, can_place_any, place_worth
from tests.luminis.games import (
    FIRST_COLUMN,
    build,
    cards_of,
    default_design,
    empty_state,
    hold,
    weigh_evenly,
)

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")

GIVERS = ((-1, 0, Arrow.E), (1, 0, Arrow.W), (-1, -1, Arrow.NE), (0, -1, Arrow.N), (1, -1, Arrow.NW))
"""Where a neighbour lies, and the arrow that it needs to help."""
TARGETS = ((-1, 0, Arrow.W), (1, 0, Arrow.E), (-1, 1, Arrow.NW), (0, 1, Arrow.N), (1, 1, Arrow.NE))

Cathedral = dict[tuple[int, int], int]
"""Cards by column and row; the lowest row is 0."""


def laid(columns: list[list[int]]) -> Cathedral:
    return {(x, y): card for x, column in enumerate(columns) for y, card in enumerate(column)}


def height(cathedral: Cathedral, x: int) -> int:
    return sum(1 for column, _ in cathedral if column == x)


def places(tables: Any, cathedral: Cathedral, level: int) -> list[tuple[int, int]]:
    """Every place where a card of this level may lie."""
    columns = {x for x, _ in cathedral}
    if level == Level.I:
        return [(min(columns) - 1, 0), (max(columns) + 1, 0)] if columns else [(0, 0)]
    found = []
    for x in columns:
        y = height(cathedral, x)
        below = int(tables.level[cathedral[x, y - 1]])
        if below == level - 1 or (below < level and tables.any_lower and level < Level.SPIRE):
            found.append((x, y))
    return found


def help_at(tables: Any, cathedral: Cathedral, x: int, y: int) -> list[int]:
    total = [0] * N_COLOURS
    for dx, dy, arrow in GIVERS:
        card = cathedral.get((x + dx, y + dy))
        if card is not None and tables.arrows[card] & arrow:
            total = [a + int(b) for a, b in zip(total, tables.local[card], strict=True)]
    return total


def worth_of_place(state: Any, tables: Any, cathedral: Cathedral, card: int, x: int, y: int) -> float:
    """The local resources that the card would give to open places, and those that a spire above it would get."""
    local, gap = 0.3, 1.0
    aim = state.aim.tolist()

    def gift(giver: int) -> float:
        return sum(a * int(r) for a, r in zip(aim, tables.local[giver], strict=True))

    columns = {column for column, _ in cathedral}
    value = 0.0
    for dx, dy, arrow in TARGETS:
        if not tables.arrows[card] & arrow:
            continue
        target = (x + dx, y + dy)
        if target in cathedral or (target[0] not in columns | {x} and target[1] > 0):
            continue
        below = card if (dx, dy) == (0, 1) else cathedral.get((target[0], target[1] - 1))
        is_crown = below is not None and tables.level[below] == Level.III
        crowned = {column for (column, _), each in cathedral.items() if tables.level[each] == Level.III}
        if target[0] in crowned and not is_crown:
            continue  # only a spire could bear it
        value += (gap if is_crown else local) * gift(card)
    if tables.level[card] == Level.III:
        for dx, dy, arrow in GIVERS:
            beside = cathedral.get((x + dx, y + 1 + dy))  # of the spire's place
            if beside is not None and tables.arrows[beside] & arrow:
                value += gap * gift(beside)
    return value


def best_plainly(
    state: Any, tables: Any, cathedral: Cathedral, hand: list[int], permanent: list[int]
) -> float:
    """The value of the best placement over all cards, places and legal payments (l20), tried one by one."""
    best = -1e300
    for slot, card in enumerate(hand):
        for x, y in places(tables, cathedral, int(tables.level[card])):
            local = help_at(tables, cathedral, x, y)
            missing = [
                max(0, int(cost) - have - given)
                for cost, have, given in zip(tables.cost[card], permanent, local, strict=True)
            ]
            gain = float(state.gain[slot]) + worth_of_place(state, tables, cathedral, card, x, y)
            others = [each for each in range(len(hand)) if each != slot]
            for size in range(len(others) + 1):
                for payment in permutations(others, size):
                    loss = pay(tables, hand, missing, payment, state.worth)
                    if loss is not None:
                        best = max(best, gain - loss)
    return best


def pay(
    tables: Any, hand: list[int], missing: list[int], payment: tuple[int, ...], worth: Any
) -> float | None:
    """The worth of the discards, None if they don't pay in this order, or one brings nothing that is missing."""
    left = list(missing)
    loss = 0.0
    for slot in payment:
        brings = [int(tables.temporary_factor) * int(centre) for centre in tables.centre[hand[slot]]]
        if not any(amount and lack for amount, lack in zip(brings, left, strict=True)):
            return None
        left = [max(0, lack - amount) for lack, amount in zip(left, brings, strict=True)]
        loss += float(worth[slot])
    return None if any(left) else loss


def random_position(draw: random.Random, tables: Any) -> tuple[list[list[int]], list[int]]:
    """A legal cathedral and a hand of the cards that are left."""
    pools = {level: cards_of(tables, level) for level in (Level.I, Level.II, Level.III)}
    for pool in pools.values():
        draw.shuffle(pool)
    columns: list[list[int]] = []
    for _ in range(draw.randint(0, 5)):
        column = [pools[Level.I].pop()]
        if draw.random() < 0.6:
            column.append(pools[Level.II].pop())
            if draw.random() < 0.6:
                column.append(pools[Level.III].pop())
        elif tables.any_lower and draw.random() < 0.4:
            column.append(pools[Level.III].pop())
        columns.append(column)
    left = [card for pool in pools.values() for card in pool]
    return columns, draw.sample(left, draw.randint(0, 6))


@pytest.mark.parametrize("any_lower", [False, True])
def test_the_search_finds_the_best_of_all_placements_and_payments(any_lower: bool):
    """LU-8, LU-9, l4, l16, l20, l25."""
    tables = default_design(4, any_lower=any_lower).tables[0]
    draw = random.Random(5)
    payments = [0, 0, 0]
    for _ in range(150):
        columns, hand = random_position(draw, tables)
        state = empty_state(tables)
        build(state, tables, 0, columns)
        hold(state, 0, hand)
        weigh_evenly(state, 0)
        for slot, card in enumerate(hand):
            state.gain[slot] = draw.uniform(0, 10)
            state.worth[slot] = draw.choice([0.0, draw.uniform(0, 5)])
            state.gift[slot] = sum(state.aim * tables.local[card])
        best_placement(state, tables, np.int64(0))
        permanent = state.permanent[0].tolist()
        expected = best_plainly(state, tables, laid(columns), hand, permanent)
        assert state.best_value == pytest.approx(expected), (columns, hand)
        assert can_place_any(state, tables, np.int64(0)) == (expected > NO_VALUE)
        if expected > NO_VALUE:
            payments[min(2, int(state.payment_size))] += 1
    assert min(payments) > 3, "placements without a discard, with one, with several"


@pytest.mark.parametrize(("side", "arrow"), [(-1, Arrow.E), (1, Arrow.W)])
def test_a_spire_beside_a_higher_column_gets_its_local_resources(side: int, arrow: Arrow):
    """l25: with any lower level, and counted when the Level III card under it is laid."""
    tables = default_design(4, any_lower=True).tables.copy()[0]
    one, two, three = (cards_of(tables, level) for level in (Level.I, Level.II, Level.III))
    for card in (one[0], two[0], three[0], one[1], three[1]):
        tables.local[card], tables.arrows[card] = 0, 0
    tables.local[three[0]], tables.arrows[three[0]] = (3, 0, 0), arrow
    columns = [[one[0], two[0], three[0]], [one[1]]]
    state = empty_state(tables)
    build(state, tables, 0, columns if side < 0 else columns[::-1])
    weigh_evenly(state, 0)
    place = FIRST_COLUMN + (1 if side < 0 else 0)
    found = place_worth(state, tables, np.int64(0), np.int64(three[1]), np.int64(place), 0.0)
    assert found == pytest.approx(1.0 * state.aim[0] * 3)


def test_what_the_search_chooses_is_worth_what_it_says():
    """Card, place and payment left behind are those of the best value, not of an earlier one."""
    tables = default_design(4).tables[0]
    draw = random.Random(8)
    for _ in range(100):
        columns, hand = random_position(draw, tables)
        state = empty_state(tables)
        build(state, tables, 0, columns)
        hold(state, 0, hand)
        weigh_evenly(state, 0)
        for slot, card in enumerate(hand):
            state.gain[slot], state.worth[slot] = draw.uniform(0, 10), draw.uniform(0, 5)
            state.gift[slot] = sum(state.aim * tables.local[card])
        best_placement(state, tables, np.int64(0))
        if state.best_value <= NO_VALUE:
            continue
        cathedral, slot = laid(columns), int(state.slot)
        card, x = hand[slot], int(state.column) - FIRST_COLUMN
        y = height(cathedral, x)
        assert (x, y) in places(tables, cathedral, int(tables.level[card]))
        local = help_at(tables, cathedral, x, y)
        missing = [
            max(0, int(cost) - int(have) - given)
            for cost, have, given in zip(tables.cost[card], state.permanent[0], local, strict=True)
        ]
        payment = tuple(state.payment[: state.payment_size].tolist())
        loss = pay(tables, hand, missing, payment, state.worth)
        assert loss is not None
        assert slot not in payment
        gain = float(state.gain[slot]) + worth_of_place(state, tables, cathedral, card, x, y)
        assert state.best_value == pytest.approx(gain - loss)
