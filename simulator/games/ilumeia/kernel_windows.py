"""What a deity may do beside its action: one-time effects, the exchange, the renewal (IL-33, g26, g28)."""

from __future__ import annotations

import numpy as np

from simulator.compiled import compiled, compiled_apart, link
from simulator.games.ilumeia.kernel_cards import (
    clear_display,
    discard_chosen,
    enforce_limit,
    fill_display,
    note,
    note_choice,
    take_one,
    write,
)
from simulator.games.ilumeia.kernel_effects import can_copy, carry_out
from simulator.games.ilumeia.model import Action, Reward, Tape, Trigger, Verb
from simulator.games.ilumeia.policy import (
    DO_EXCHANGE,
    DO_NOTHING,
    DO_RENEW,
    choose_free_action,
)
from simulator.games.ilumeia.records import STATE, TABLES
from simulator.games.ilumeia.standing import effect_size, exchange_cost, renew_cost


@compiled
def can_play(state, tables, seat, place):
    """Whether an effect of a seat can be played now (RULES.md, "Effects")."""
    prophecy = state.owned[seat, place]
    if tables.trigger[prophecy] != Trigger.PLAY or tables.reward[prophecy] != Reward.ONE_TIME:
        return False
    if state.owned_spent[seat, place] == 1:
        return False
    verb = tables.verb[prophecy]
    if verb == Verb.FREE_ACTION and not (state.acting == 1 and state.before_action == 1):
        return False
    if verb == Verb.RENEW_FREE and state.acting == 0:
        return False
    if verb == Verb.COPY_ABILITY and not can_copy(state, tables, seat):
        return False
    return effect_size(state, tables, seat, prophecy) > 0


@compiled_apart(STATE, TABLES, np.int64, np.int64)
def window(state, tables, seat, which):
    """Let the seat play effects and make its free actions until it wants no more."""
    for _deed in range(64):
        if state.over:
            return
        playable = np.int64(0)
        for place in range(state.owned_size[seat]):
            if can_play(state, tables, seat, place):
                playable |= np.int64(1) << place
        may_exchange = (
            state.acting == 1
            and state.exchanged == 0
            and state.hand_size[seat] >= exchange_cost(state, tables, seat)
        )
        may_renew = (
            state.acting == 1
            and state.renewed == 0
            and state.hand_size[seat] >= renew_cost(state, tables, seat)
        )
        if playable == 0 and not may_exchange and not may_renew:
            return
        deed = choose_free_action(state, tables, seat, which, playable, may_exchange, may_renew)
        if deed == DO_NOTHING:
            return
        if deed == DO_EXCHANGE:
            exchange(state, tables, seat)
        elif deed == DO_RENEW:
            renew(state, tables, seat)
        else:
            play_effect(state, tables, seat, deed)


@compiled
def play_effect(state, tables, seat, place):
    """Use up a one-time effect."""
    prophecy = state.owned[seat, place]
    state.owned_spent[seat, place] = 1
    state.did[seat, Action.PLAY] += 1
    note(state, Tape.PLAY, seat, np.int64(1))
    write(state, prophecy)
    carry_out(state, tables, seat, prophecy, state.owned_as[seat, place])


@compiled
def exchange(state, tables, seat):
    """IL-33, r13: four cards for one. The policy has filled `choice` and `slot`."""
    state.exchanged = 1
    state.may_pass = 0
    state.did[seat, Action.EXCHANGE] += 1
    slot = state.slot
    note(state, Tape.EXCHANGE, seat, 1 + state.choice_size)
    write(state, slot)
    for place in range(state.choice_size):
        write(state, state.choice[place])
    discard_chosen(state, seat)
    take_one(state, seat, slot)
    enforce_limit(state, tables, seat)


@compiled
def renew(state, tables, seat):
    """IL-33, r13: three cards for a new display. The policy has filled `choice`."""
    state.renewed = 1
    state.may_pass = 0
    state.did[seat, Action.RENEW] += 1
    note_choice(state, Tape.RENEW, seat)
    discard_chosen(state, seat)
    clear_display(state, tables)
    fill_display(state, tables)


link(window)
