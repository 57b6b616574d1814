"""Where a card may lie, what it costs there, and the placement worth most: exact over cards, places and payments.

Rules and decisions share these: the rules ask whether anything can be placed at all, a bot what pays best. A place
is a column; its row follows from the cards that lie there.
"""

from __future__ import annotations

import numpy as np

from simulator import rng
from simulator.compiled import compiled
from simulator.games.luminis.model import N_COLOURS, NOTHING, ZERO, Arrow, Feature, Level

NO_VALUE = np.float64(-1e300)
NO_LIMIT = np.float64(1e300)


@compiled
def fits(state, tables, seat, level, column):
    """Whether a card of this level may lie on top of this column (LU-8, l1, l3, l16)."""
    left, right = state.left[seat], state.right[seat]
    if level == Level.I:
        return column == right + 1 or (column == left - 1 and state.placed[seat] > 0)
    if column < left or column > right:
        return False
    below = state.crown[seat, column]
    if level == Level.SPIRE or not tables.any_lower:
        return below == level - 1
    return below < level


@compiled
def first_column(state, seat, level):
    """The leftmost column that could be a place for this level; `last_column` the rightmost."""
    if level == Level.I and state.placed[seat] > 0:
        return state.left[seat] - 1
    return state.left[seat]


@compiled
def last_column(state, seat, level):
    return state.right[seat] + (1 if level == Level.I else 0)


@compiled
def giver(state, tables, seat, column, row, arrow):
    """The card at this place of the cathedral if it has the arrow, else NOTHING."""
    if column < state.left[seat] or column > state.right[seat] or row < 0:
        return NOTHING
    if state.height[seat, column] <= row:
        return NOTHING
    card = state.tower[seat, column, row]
    return card if tables.arrows[card] & arrow else NOTHING


@compiled
def add_local(state, tables, seat, column, card):
    """Add a giver's local resources to the help for a column's next place."""
    if card != NOTHING:
        for colour in range(N_COLOURS):
            state.help[seat, column, colour] += tables.local[card, colour]


@compiled
def find_help(state, tables, seat, column):
    """Fill `help`: the local resources of the neighbours of the column's next place (LU-9, l4, l25)."""
    for colour in range(N_COLOURS):
        state.help[seat, column, colour] = 0
    inside = state.left[seat] <= column <= state.right[seat]
    row = state.height[seat, column] if inside else ZERO
    add_local(state, tables, seat, column, giver(state, tables, seat, column - 1, row, Arrow.E))
    add_local(state, tables, seat, column, giver(state, tables, seat, column + 1, row, Arrow.W))
    add_local(state, tables, seat, column, giver(state, tables, seat, column - 1, row - 1, Arrow.NE))
    add_local(state, tables, seat, column, giver(state, tables, seat, column, row - 1, Arrow.N))
    add_local(state, tables, seat, column, giver(state, tables, seat, column + 1, row - 1, Arrow.NW))


@compiled
def lacks(state, tables, seat, card, column, with_help):
    """Fill `missing[0]`: what permanent (and local, if `with_help`) resources leave unpaid; its sum over the colours."""
    total = ZERO
    for colour in range(N_COLOURS):
        left = tables.cost[card, colour] - state.permanent[seat, colour]
        if with_help:
            left -= state.help[seat, column, colour]
        if left < 0:
            left = ZERO
        state.missing[0, colour] = left
        total += left
    return total


@compiled
def spire_column(state, tables, seat, card):
    """The leftmost column on which this spire can be placed and paid for now, or NOTHING (LU-12)."""
    if state.level[seat] < Level.III:
        return NOTHING
    for column in range(state.left[seat], state.right[seat] + 1):
        if state.crown[seat, column] == Level.III and lacks(state, tables, seat, card, column, True) == 0:
            return column
    return NOTHING


@compiled
def bonus_card(state, tables):
    """The top card of the bonus stack, or NOTHING (LU-13)."""
    if tables.advanced and state.bonus_next < tables.n_bonus:
        return tables.bonus[state.bonus_next]
    return NOTHING


@compiled
def see_hand(state, tables, seat):
    """Fill `bring` and `rest`: the temporary resources in each card of the hand, and from it to the last."""
    size = state.hand_size[seat]
    for colour in range(N_COLOURS):
        state.rest[size, colour] = 0
    for slot in range(size - 1, -1, -1):
        card = state.hand[seat, slot]
        for colour in range(N_COLOURS):
            state.bring[slot, colour] = tables.temporary_factor * tables.centre[card, colour]
            state.rest[slot, colour] = state.rest[slot + 1, colour] + state.bring[slot, colour]


@compiled
def can_pay(state, placing):
    """Whether the hand without the card in slot `placing` covers `missing[0]`: all of it discarded if need be."""
    for colour in range(N_COLOURS):
        own = state.bring[placing, colour] if placing != NOTHING else ZERO
        if state.rest[0, colour] - own < state.missing[0, colour]:
            return False
    return True


@compiled
def can_place(state, tables, seat, card, slot):
    """Whether this card, in this slot of the hand or (NOTHING) not yet in it, could be placed and paid for now.

    The hand has been seen (`see_hand`).
    """
    level = tables.level[card]
    for column in range(first_column(state, seat, level), last_column(state, seat, level) + 1):
        if fits(state, tables, seat, level, column):
            lacks(state, tables, seat, card, column, True)
            if can_pay(state, slot):
                return True
    return False


@compiled
def can_place_any(state, tables, seat):
    """Whether some hand card can be placed and paid for now."""
    see_hand(state, tables, seat)
    slot = ZERO
    while slot < state.hand_size[seat] and not can_place(state, tables, seat, state.hand[seat, slot], slot):
        slot += 1
    return slot < state.hand_size[seat]


@compiled
def cheapest_payment(state, seat, placing, most):
    """Fill `cheapest`: the discards that cover `missing[0]` at the least worth; that worth, or `most` if none is below.

    Depth-first over the slots in their order. Worths are at least 0, so a payment of least worth needs each of its
    cards in whatever order, and none is tried that brings no colour still missing (l20).
    """
    size = state.hand_size[seat]
    depth = ZERO
    state.loss[0] = 0.0
    slot = ZERO
    while True:
        found = NOTHING
        while slot < size:
            # what lies from here to the end of the hand must be enough
            enough = True
            for colour in range(N_COLOURS):
                if state.rest[slot, colour] < state.missing[depth, colour]:
                    enough = False
            if not enough:
                break
            if slot != placing and state.loss[depth] + state.worth[slot] < most:
                for colour in range(N_COLOURS):
                    if state.missing[depth, colour] > 0 and state.bring[slot, colour] > 0:
                        found = slot
            if found != NOTHING:
                break
            slot += 1
        if found == NOTHING:
            if depth == 0:
                return most
            depth -= 1
            slot = state.trial[depth] + 1
            continue
        state.trial[depth] = found
        unpaid = ZERO
        for colour in range(N_COLOURS):
            left = max(ZERO, state.missing[depth, colour] - state.bring[found, colour])
            state.missing[depth + 1, colour] = left
            unpaid += left
        state.loss[depth + 1] = state.loss[depth] + state.worth[found]
        if unpaid == 0:
            most = state.loss[depth + 1]
            state.cheapest_size = depth + 1
            for place in range(depth + 1):
                state.cheapest[place] = state.trial[place]
        else:
            depth += 1
        slot = found + 1


@compiled
def open_weight(state, seat, column, row, local, gap):
    """The weight of local resources that go to this place: `gap` if a spire could stand there, 0 if none can be used."""
    inside = state.left[seat] <= column <= state.right[seat]
    height = state.height[seat, column] if inside else ZERO
    if height > row or (not inside and row > 0):
        return 0.0
    if inside and state.crown[seat, column] == Level.III:
        return gap if height == row else 0.0  # a spire on this column ends the game
    return local


@compiled
def place_worth(state, tables, seat, card, column, gift):
    """What lying just here adds: local resources given to open places, and those that a spire above it would get.

    `gift` is the worth of the card's local resources in one place.
    """
    level = tables.level[card]
    local, gap = state.weight[seat, Feature.LOCAL], state.weight[seat, Feature.GAP]
    row = state.height[seat, column] if level > Level.I else ZERO
    arrows = tables.arrows[card]
    weight = 0.0
    if arrows & Arrow.W:
        weight += open_weight(state, seat, column - 1, row, local, gap)
    if arrows & Arrow.E:
        weight += open_weight(state, seat, column + 1, row, local, gap)
    if arrows & Arrow.NW:
        weight += open_weight(state, seat, column - 1, row + 1, local, gap)
    if arrows & Arrow.NE:
        weight += open_weight(state, seat, column + 1, row + 1, local, gap)
    if arrows & Arrow.N:
        weight += gap if level == Level.III else local
    value = weight * gift
    if level == Level.III:
        value += gap * aimed(state, tables, giver(state, tables, seat, column - 1, row, Arrow.NE))
        value += gap * aimed(state, tables, giver(state, tables, seat, column + 1, row, Arrow.NW))
        # beside the spire something lies only if any lower level may support a card
        value += gap * aimed(state, tables, giver(state, tables, seat, column - 1, row + 1, Arrow.E))
        value += gap * aimed(state, tables, giver(state, tables, seat, column + 1, row + 1, Arrow.W))
    return value


@compiled
def aimed(state, tables, card):
    """The worth of a card's local resources in one place; 0 for NOTHING."""
    if card == NOTHING:
        return 0.0
    value = 0.0
    for colour in range(N_COLOURS):
        value += state.aim[colour] * tables.local[card, colour]
    return value


@compiled
def best_placement(state, tables, seat):
    """Fill `slot`, `column`, `payment` with the placement of a hand card worth most, and `best_value`.

    Its value: `gain` of the card + `place_worth` - `worth` of the discards (+ noise of the bot). Without any
    `best_value` is NO_VALUE. `gain`, `gift` and `worth` are told by the policy.
    """
    see_hand(state, tables, seat)
    state.best_value = NO_VALUE
    noise = state.weight[seat, Feature.NOISE]
    for slot in range(state.hand_size[seat]):
        card = state.hand[seat, slot]
        level = tables.level[card]
        for column in range(first_column(state, seat, level), last_column(state, seat, level) + 1):
            if not fits(state, tables, seat, level, column):
                continue
            value = state.gain[slot] + place_worth(state, tables, seat, card, column, state.gift[slot])
            if noise > 0:
                value += noise * rng.unit(state.noise[seat])
            if value <= state.best_value:
                continue
            loss, size = 0.0, ZERO
            if lacks(state, tables, seat, card, column, True) > 0:
                if not can_pay(state, slot):
                    continue
                most = value - state.best_value
                loss = cheapest_payment(state, seat, slot, most)
                if loss >= most:
                    continue
                size = state.cheapest_size
            state.best_value = value - loss
            state.slot, state.column, state.payment_size = slot, column, size
            for place in range(size):
                state.payment[place] = state.cheapest[place]
