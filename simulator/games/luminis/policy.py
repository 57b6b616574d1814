"""The compiled decisions of the bots: from named weights to a choice that the rules carry out.

A seat reads its own hand, what lies face up, and how many cards the others hold; never which.
"""

from __future__ import annotations

import numpy as np

from simulator import rng
from simulator.compiled import compiled
from simulator.games.luminis.model import N_COLOURS, NOTHING, ONE, ZERO, Action, Feature, Level
from simulator.games.luminis.search import (
    NO_VALUE,
    aimed,
    best_placement,
    bonus_card,
    can_place,
    first_column,
    fits,
    lacks,
    last_column,
    place_worth,
    see_hand,
    spire_column,
)

VICTORY = np.float64(1e6)
"""The worth of placing a spire: more than anything else."""
IDLE = np.float64(-1e3)
"""The worth of a draw to a full hand: less than any placement. Which card it is is then chance, since seats that chose
by worth would pass the same cards round for ever."""
RESCUE = np.float64(1e5)
"""The worth of a card that can be placed to a full hand of which none can."""


@compiled
def whim(state, seat):
    """The bot's noise on one choice: 0 without any, so that its stream is left alone."""
    weight = state.weight[seat, Feature.NOISE]
    return weight * rng.unit(state.noise[seat]) if weight > 0 else 0.0


@compiled
def take_aim(state, tables, seat):
    """Fill `aim`: what a resource of each colour is worth to this seat, and `next_aim`, what to the next."""
    spread = state.weight[seat, Feature.SPREAD]
    after = seat + 1 if seat + 1 < state.players else ZERO
    best, best_after = NO_VALUE, NO_VALUE
    target, target_after = NOTHING, NOTHING
    for place in range(state.n_shown):
        card = state.shown[place]
        near, near_after = 0.0, 0.0
        for colour in range(N_COLOURS):
            cost = tables.cost[card, colour]
            if cost > 0:
                near -= max(ZERO, cost - state.permanent[seat, colour])
                near_after -= max(ZERO, cost - state.permanent[after, colour])
                in_hand = ZERO
                for slot in range(state.hand_size[seat]):
                    in_hand += tables.centre[state.hand[seat, slot], colour]
                near += (
                    state.weight[seat, Feature.HAND] * in_hand + state.weight[seat, Feature.AIM_BLUE + colour]
                )
        if near > best:
            best, target = near, card
        if near_after > best_after:
            best_after, target_after = near_after, card
    for colour in range(N_COLOURS):
        state.aim[colour] = spread + (1.0 if tables.cost[target, colour] > 0 else 0.0)
        state.next_aim[colour] = 0.5 + (1.0 if tables.cost[target_after, colour] > 0 else 0.0)


@compiled
def aimed_centre(state, tables, card):
    """The worth of a card's centre, as a permanent resource, before the bot's weight for these."""
    value = 0.0
    for colour in range(N_COLOURS):
        value += state.aim[colour] * tables.centre[card, colour]
    return value


@compiled
def card_gain(state, tables, seat, card):
    """What placing this card is worth wherever it lies."""
    weight = state.weight[seat]
    gain = weight[Feature.BUILD] + weight[Feature.LEVEL] * tables.level[card]
    gain += weight[Feature.PERMANENT] * aimed_centre(state, tables, card)
    if tables.pictogram[card]:
        gain -= weight[Feature.PICTOGRAM]
    return gain


@compiled
def card_worth(state, tables, seat, card):
    """What holding this card is worth: its prospects in the cathedral, or as temporary resources; at least 0."""
    weight = state.weight[seat]
    prospects = card_gain(state, tables, seat, card)
    prospects += weight[Feature.LOCAL] * aimed(state, tables, card)
    unpaid = lacks(state, tables, seat, card, ZERO, False)
    prospects = weight[Feature.KEEP] * prospects - weight[Feature.COST] * unpaid
    prospects -= weight[Feature.WAIT] * state.wait[tables.level[card]]
    total = ZERO
    for colour in range(N_COLOURS):
        total += tables.centre[card, colour]
    return max(0.0, prospects, weight[Feature.TEMPORARY] * tables.temporary_factor * total)


@compiled
def top_of(state, pile):
    """The top card of a pile, or NOTHING."""
    size = state.pile_size[pile]
    return state.pile[pile, size - 1] if size > 0 else NOTHING


@compiled
def next_wants(state, tables, card):
    """What a card is worth to the seat whose turn is next, as far as anyone can see; 0 for NOTHING."""
    if card == NOTHING:
        return 0.0
    value = 0.0
    for colour in range(N_COLOURS):
        value += state.next_aim[colour] * (tables.centre[card, colour] + tables.local[card, colour])
    return value


@compiled
def see_places(state, tables, seat):
    """Fill `wait`: by level, how many cards must be placed before one of this level finds a place."""
    state.wait[Level.I] = 0
    for level in range(Level.II, Level.SPIRE):
        state.wait[level] = 1 if tables.any_lower else 1 + state.wait[level - 1]
        for column in range(state.left[seat], state.right[seat] + 1):
            if fits(state, tables, seat, level, column):
                state.wait[level] = 0


@compiled
def weigh_hand(state, tables, seat):
    """Fill `gain`, `gift`, `worth` of the hand's cards, `top` and `top_worth` of the piles."""
    see_places(state, tables, seat)
    for slot in range(state.hand_size[seat]):
        card = state.hand[seat, slot]
        state.gain[slot] = card_gain(state, tables, seat, card)
        state.gift[slot] = aimed(state, tables, card)
        state.worth[slot] = card_worth(state, tables, seat, card) + whim(state, seat)
    for pile in range(state.n_piles):
        top = top_of(state, pile)
        state.top[pile] = top
        state.top_worth[pile] = 0.0 if top == NOTHING else card_worth(state, tables, seat, top)


@compiled
def choose_opening_pile(state, tables, seat, untouched):
    """The pile to take opening cards from: the one whose top card is a Level I worth most; `from_pile`.

    `untouched`: only piles from which nobody has taken may be chosen (r1).
    """
    best = NO_VALUE
    state.from_pile = NOTHING
    take_aim(state, tables, seat)
    for pile in range(state.n_piles):
        if untouched and state.chosen[pile]:
            continue
        there = False
        for place in range(state.pile_size[pile]):
            if tables.level[state.pile[pile, place]] == Level.I:
                there = True
        if not there:
            continue
        top = top_of(state, pile)
        value = card_gain(state, tables, seat, top) if tables.level[top] == Level.I else 0.0
        value += whim(state, seat)
        if value > best:
            best = value
            state.from_pile = pile


@compiled
def choose_action(state, tables, seat):
    """The turn's action: a spire if one can be had, else the best of placing, the bonus card and drawing."""
    for place in range(state.n_shown):
        column = spire_column(state, tables, seat, state.shown[place])
        if column != NOTHING:
            state.action, state.slot, state.column = Action.SPIRE, place, column
            return
    take_aim(state, tables, seat)
    weigh_hand(state, tables, seat)
    best_placement(state, tables, seat)
    state.action = Action.PASS if state.best_value == NO_VALUE else Action.PLACE
    weigh_bonus(state, tables, seat)
    weigh_draws(state, tables, seat)
    if state.action == Action.PLACE:
        for place in range(state.payment_size):
            card = state.hand[seat, state.payment[place]]
            state.payment_pile[place] = choose_discard_pile(state, tables, seat, card)


@compiled
def weigh_bonus(state, tables, seat):
    """Choose the bonus card if that is worth more than what is chosen."""
    card = bonus_card(state, tables)
    if card == NOTHING or lacks(state, tables, seat, card, ZERO, False) > 0:
        return
    level = tables.level[card]
    gain = card_gain(state, tables, seat, card) + state.weight[seat, Feature.BONUS]
    gift = aimed(state, tables, card)
    for column in range(first_column(state, seat, level), last_column(state, seat, level) + 1):
        if fits(state, tables, seat, level, column):
            value = gain + place_worth(state, tables, seat, card, column, gift) + whim(state, seat)
            if value > state.best_value:
                state.best_value, state.action, state.column = value, Action.BONUS, column


@compiled
def weigh_draws(state, tables, seat):
    """Choose to draw if the best top card is worth more than what is chosen.

    A full hand draws only if none of it can be placed: then a card that can be, else one by chance.
    """
    weight = state.weight[seat]
    full = state.hand_size[seat] >= tables.hand_limit
    base = weight[Feature.DRAW] - weight[Feature.PRESSURE] * state.hand_size[seat]
    for pile in range(state.n_piles):
        top = state.top[pile]
        if top == NOTHING:
            continue
        value = base + state.top_worth[pile] + weight[Feature.DENY] * next_wants(state, tables, top)
        if full:
            value = IDLE + rng.unit(state.noise[seat])
            if state.action == Action.PASS and can_place(state, tables, seat, top, NOTHING):
                value += RESCUE
        value += whim(state, seat)
        if value > state.best_value:
            state.best_value, state.action, state.from_pile = value, Action.DRAW, pile


@compiled
def choose_discard_pile(state, tables, seat, card):
    """The pile for a discard: it covers what the next seat wants, not what this one does; noted as its new top."""
    best, chosen = NO_VALUE, ZERO
    for pile in range(state.n_piles):
        deny = state.weight[seat, Feature.DENY] * next_wants(state, tables, state.top[pile])
        value = deny - state.top_worth[pile] + whim(state, seat)
        if value > best:
            best, chosen = value, pile
    state.top[chosen] = card
    state.top_worth[chosen] = card_worth(state, tables, seat, card)
    return chosen


@compiled
def choose_trim(state, tables, seat):
    """Fill `payment` with one card to discard for the hand limit, the one worth least, and its pile.

    The only card that can be placed is kept: without it the seat would be stuck.
    """
    take_aim(state, tables, seat)
    weigh_hand(state, tables, seat)
    see_hand(state, tables, seat)
    only, count = NOTHING, ZERO
    for slot in range(state.hand_size[seat]):
        if can_place(state, tables, seat, state.hand[seat, slot], slot):
            only = slot
            count += 1
    if count == 1:
        state.worth[only] += RESCUE
    least = ZERO
    for slot in range(1, state.hand_size[seat]):
        if state.worth[slot] < state.worth[least]:
            least = slot
    card = state.hand[seat, least]
    state.payment[0] = least
    state.payment_size = ONE
    if count == 0:  # stuck: turn the piles over, wherever that leads
        state.payment_pile[0] = rng.below(state.noise[seat], state.n_piles)
    else:
        state.payment_pile[0] = choose_discard_pile(state, tables, seat, card)


@compiled
def standing(state, seat):
    """How far a seat has come, as everybody sees it."""
    total = 3 * state.level[seat]
    for colour in range(N_COLOURS):
        total += state.permanent[seat, colour]
    return total


@compiled
def choose_designated(state, seat):
    """Fill `chosen_seat`: who draws when this seat has placed a pictogram: the one least far."""
    best = NO_VALUE
    for other in range(state.players):
        if other != seat:
            value = whim(state, seat) - standing(state, other)
            if value > best:
                best = value
                state.chosen_seat = other


@compiled
def choose_victim(state, seat):
    """Fill `chosen_seat`: from whose hand this seat draws: the one furthest among those with cards."""
    best = NO_VALUE
    for other in range(state.players):
        if other != seat:
            value = standing(state, other) + whim(state, seat)
            if state.hand_size[other] == 0:
                value -= VICTORY
            if value > best:
                best = value
                state.chosen_seat = other
