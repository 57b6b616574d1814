"""Events, the tape, and what happens to cards and dice: piles, display, hands, the hand limit, paying."""

from __future__ import annotations

import numpy as np

from simulator import rng
from simulator.compiled import compiled
from simulator.games.ilumeia.model import (
    MAX_EVENTS,
    MAX_HAND,
    MAX_TAPE,
    NO_VP,
    NOTHING,
    Kind,
    Stream,
    Tape,
    Verb,
)
from simulator.games.ilumeia.policy import choose_discards

GONE = np.int64(-2)  # the grey die lies on a claim until the end of the game (r4)

SOURCE_VVIBON, SOURCE_AMP_R, SOURCE_SUZUR, SOURCE_LOTZZZ = np.arange(4, dtype=np.int64)


# ---- what is written down


@compiled
def emit(state, kind, seat, source, amount):
    """Add an event."""
    if state.keep_events == 0:
        return
    place = state.n_events
    if place >= MAX_EVENTS:
        state.fault = 1
        return
    event = state.events[place]
    event[0] = state.turn
    event[1] = state.step_in_turn
    event[2] = state.age + 1
    event[3] = seat
    event[4] = kind
    event[5] = source
    event[6] = amount
    state.n_events = place + 1
    state.step_in_turn += 1


@compiled
def write(state, number):
    """Put one number on the tape."""
    if state.recording == 0:
        return
    if state.tape_size >= MAX_TAPE:
        state.fault = 2
        return
    state.tape[state.tape_size] = number
    state.tape_size += 1


@compiled
def note(state, kind, seat, count):
    """Begin a record on the tape; `count` numbers follow."""
    if kind >= Tape.PREPARE_DISCARD:
        state.decisions += 1
    if state.recording:
        write(state, np.int64(kind))
        write(state, seat)
        write(state, count)


@compiled
def note_choice(state, kind, seat):
    """Put a record of the chosen cards on the tape."""
    note(state, kind, seat, state.choice_size)
    if state.recording:
        for place in range(state.choice_size):
            write(state, state.choice[place])


# ---- piles and hands


@compiled
def discard(state, card):
    state.discards[state.discards_size] = card
    state.discards_size += 1


@compiled
def reshuffle(state):
    """IL-34: the discards, shuffled, become the draw pile."""
    size = state.discards_size
    if size == 0:
        return
    rng.start(state.stream, state.seed, state.setup, Stream.RESHUFFLE + state.reshuffles)
    state.reshuffles += 1
    for place in range(size):
        state.pile[place] = state.discards[place]
    rng.shuffle(state.stream, state.pile, size)
    state.pile_size = size
    state.discards_size = 0
    note(state, Tape.SHUFFLE, NOTHING, size)
    for place in range(size):
        write(state, state.pile[place])


@compiled
def top_card(state):
    """The top card of the draw pile, shuffled anew if it is empty; NOTHING if no card can be had (r14: ever again)."""
    if state.over:
        return NOTHING
    if state.pile_size == 0:
        reshuffle(state)
        if state.pile_size == 0:
            return NOTHING
    state.pile_size -= 1
    return state.pile[state.pile_size]


@compiled
def add_to_hand(state, seat, card):
    if state.hand_size[seat] >= MAX_HAND:
        state.fault = 7
        return
    state.hand[seat, state.hand_size[seat]] = card
    state.hand_size[seat] += 1


@compiled
def remove_from_hand(state, seat, card):
    """Take a card out of the hand; a card that isn't there is a fault."""
    last = state.hand_size[seat] - 1
    for place in range(last + 1):
        if state.hand[seat, place] == card:
            state.hand[seat, place] = state.hand[seat, last]
            state.hand_size[seat] = last
            return
    state.fault = 3


@compiled
def discard_chosen(state, seat):
    """The chosen hand cards go to the discards."""
    for place in range(state.choice_size):
        card = state.choice[place]
        remove_from_hand(state, seat, card)
        discard(state, card)


@compiled
def draw_cards(state, seat, count):
    """Draw from the pile into the hand; without a card to be had the game is over (IL-34, r14)."""
    for _card in range(count):
        if state.over:
            return
        card = top_card(state)
        if card == NOTHING:
            state.over = 1
            return
        add_to_hand(state, seat, card)


@compiled
def enforce_limit(state, tables, seat):
    """IL-39: discard down to the hand limit; not once the cards have run out (r14)."""
    if state.over:
        return
    excess = state.hand_size[seat] - state.limit[seat] - state.modifier[seat, Verb.HAND_LIMIT]
    if excess > 0:
        choose_discards(state, tables, seat, excess)
        note_choice(state, Tape.DISCARD, seat)
        discard_chosen(state, seat)


@compiled
def take_from_display(state, seat, slot):
    """Take the card of a slot into the hand; it is replaced at once (g36)."""
    card = state.display[slot]
    if card == NOTHING:
        state.fault = 4
        return
    add_to_hand(state, seat, card)
    state.display[slot] = top_card(state)


@compiled
def take_one(state, seat, slot):
    """Take one card: the display's slot, or the top of the pile for NOTHING."""
    if slot == NOTHING:
        draw_cards(state, seat, np.int64(1))
    else:
        take_from_display(state, seat, slot)


@compiled
def clear_display(state, tables):
    for slot in range(tables.display):
        if state.display[slot] != NOTHING:
            discard(state, state.display[slot])
            state.display[slot] = NOTHING


@compiled
def fill_display(state, tables):
    for slot in range(tables.display):
        if state.display[slot] == NOTHING:
            state.display[slot] = top_card(state)


# ---- victory points and dice


@compiled
def mark_reached(state, seat, source):
    """Emit `reachable` the first time that a source is within a seat's reach."""
    if state.reached[seat, source] == 0:
        state.reached[seat, source] = 1
        emit(state, Kind.REACHABLE, seat, source, NO_VP)


@compiled
def pay(state, seat, source, part, amount):
    """A source pays VP (0: its reward is no VP)."""
    mark_reached(state, seat, source)
    state.vp[seat] += amount
    state.part[seat, part] += amount
    emit(state, Kind.PAID, seat, source, amount)


@compiled
def lose(state, seat, source, part, amount):
    """Take VP from a seat, never below 0 (r10); what was really lost."""
    lost = min(amount, state.vp[seat])
    if lost > 0:
        state.vp[seat] -= lost
        state.part[seat, part] -= lost
        emit(state, Kind.PAID, seat, source, -lost)
    return lost


@compiled
def gain_dice(state, seat, count):
    """Dice from the supply to the available ones, as far as it goes (g16)."""
    gained = min(count, state.supply[seat])
    state.supply[seat] -= gained
    state.available[seat] += gained


@compiled
def take_grey(state, seat):
    """The grey die comes to a seat as available, used or not, wherever it was (IL-44, g15)."""
    if state.grey_owner != GONE:
        state.grey_owner = seat
        state.grey_available = 1


@compiled
def prophecy_source(tables, prophecy):
    return tables.source_prophecy + prophecy
