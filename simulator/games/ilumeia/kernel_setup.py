"""How a game and each of its ages begin: the state, the deal, the preparation (IL-2 to IL-6, IL-23, IL-29)."""

from __future__ import annotations

import numpy as np

from simulator import rng
from simulator.compiled import compiled, compiled_apart, link
from simulator.games.ilumeia.kernel_cards import (
    discard_chosen,
    draw_cards,
    emit,
    enforce_limit,
    fill_display,
    note,
    note_choice,
    prophecy_source,
    take_one,
    write,
)
from simulator.games.ilumeia.kernel_effects import fire
from simulator.games.ilumeia.model import (
    N_FEATURES,
    N_PLANETS,
    NO_VP,
    NOTHING,
    Kind,
    Stream,
    Tape,
    Trigger,
    Verb,
)
from simulator.games.ilumeia.policy import (
    choose_first_card,
    choose_first_discards,
    choose_providence,
)
from simulator.games.ilumeia.records import STATE, TABLES
from simulator.games.ilumeia.search import clear, fill

SOURCES_ON_BOARD = 4


# ---- the state and the deal


@compiled
def begin(state, tables, plan, weights):
    """Set the state to the start of a game of the plan."""
    state.seed, state.game, state.setup, state.players = plan[0], plan[1], plan[2], plan[3]
    state.age = state.first = state.turn = state.step_in_turn = state.over = 0
    state.lead_changes = state.reshuffles = state.decisions = state.n_events = state.tape_size = (
        state.fault
    ) = 0
    state.last_leader = state.weighed = state.weighed_seat = NOTHING
    state.discards_size = 0
    fill(state.display, NOTHING)
    fill(state.face_up, NOTHING)
    fill(state.bneph_owner, NOTHING)
    state.grey_owner = NOTHING
    state.grey_available = 0
    clear(state.hand_size)
    clear(state.own_size)
    clear(state.owned_size)
    fill(state.available, tables.energy_start)
    clear(state.used)
    clear(state.spent)
    fill(state.supply, tables.supply)
    clear(state.exhausted)
    clear(state.vp)
    clear(state.part)
    clear(state.did)
    clear(state.largest)
    clear(state.vvibon)
    clear(state.amp_r)
    clear(state.record)
    clear(state.suzur)
    clear(state.boosted)
    clear(state.tolerance)
    clear(state.keep)
    fill(state.limit, tables.hand_limit)
    clear(state.modifier)
    clear(state.claims)
    clear(state.prophecies)
    clear(state.primos_claimed)
    clear(state.held_first)
    fill(state.providence, NOTHING)
    fill(state.kept_providence, NOTHING)
    clear(state.reached)
    state.exchanged = state.renewed = state.free_action = state.relaxed = state.acting = 0
    state.before_action = state.scoring = 0
    rng.start(state.theft, state.seed, state.setup, np.int64(Stream.THEFT))
    for seat in range(state.players):
        for feature in range(N_FEATURES):
            state.weight[seat, feature] = weights[plan[4 + seat], feature]
        rng.start(state.noise[seat], state.seed, state.game, Stream.NOISE + seat)


@compiled
def deal(state, tables):
    """IL-2, IL-5, IL-6: the stacks, providence cards, the draw pile; and what can be won from the start."""
    deal_stacks(state, tables)
    for source in range(SOURCES_ON_BOARD + tables.n_primos + tables.n_bneph):
        emit(state, Kind.OFFERED, NOTHING, source, NO_VP)
    if state.players == 3:
        emit(state, Kind.OFFERED, NOTHING, tables.source_compensation, NO_VP)
    if tables.providence:
        deal_providence(state, tables)
    state.pile_size = tables.n_cards
    for card in range(tables.n_cards):
        state.pile[card] = card
    rng.start(state.stream, state.seed, state.setup, np.int64(Stream.DRAW_PILE))
    rng.shuffle(state.stream, state.pile, state.pile_size)
    note(state, Tape.SHUFFLE, NOTHING, state.pile_size)
    for place in range(state.pile_size):
        write(state, state.pile[place])


@compiled
def deal_stacks(state, tables):
    """IL-2, g48: a stack of prophecies for each planet."""
    choice = state.choice
    fill(state.stack, NOTHING)
    for planet in range(N_PLANETS):
        if planet == tables.exchanged_planet:
            continue
        count = np.int64(0)
        for prophecy in range(tables.n_prophecies):
            if tables.planet[prophecy] == planet and (tables.dot[prophecy] or not tables.first_game):
                choice[count] = prophecy
                count += 1
        rng.start(state.stream, state.seed, state.setup, np.int64(Stream.STACK) + planet)
        rng.shuffle(state.stream, choice, count)
        for place in range(min(count, tables.ages)):
            state.stack[planet, place] = choice[place]
    if tables.exchanged_planet != NOTHING:
        exchange_stack(state, tables)
    for planet in range(N_PLANETS):
        size = np.int64(0)
        for place in range(tables.ages):
            if state.stack[planet, place] != NOTHING:
                size += 1
        note(state, Tape.STACK, planet, size)
        for place in range(size):
            write(state, state.stack[planet, place])


@compiled
def exchange_stack(state, tables):
    """g48: the exchanged planet's stack is of unused cards of the others."""
    choice = state.choice
    count = np.int64(0)
    for prophecy in range(tables.n_prophecies):
        home = tables.planet[prophecy]
        in_use = home == tables.exchanged_planet
        for place in range(tables.ages):
            if state.stack[home, place] == prophecy:
                in_use = True
        if not in_use:
            choice[count] = prophecy
            count += 1
    rng.start(state.stream, state.seed, state.setup, np.int64(Stream.EXCHANGED))
    rng.shuffle(state.stream, choice, count)
    for place in range(min(count, tables.ages)):
        state.stack[tables.exchanged_planet, place] = choice[place]


@compiled
def deal_providence(state, tables):
    """IL-5: two providence cards for each deity."""
    choice = state.choice
    for card in range(tables.n_providence):
        choice[card] = card
    rng.start(state.stream, state.seed, state.setup, np.int64(Stream.PROVIDENCE))
    rng.shuffle(state.stream, choice, tables.n_providence)
    for seat in range(state.players):
        note(state, Tape.PROVIDENCE_DEAL, seat, np.int64(2))
        for place in range(2):
            state.providence[seat, place] = choice[2 * seat + place]
            write(state, choice[2 * seat + place])
            emit(state, Kind.OFFERED, seat, tables.source_providence + choice[2 * seat + place], NO_VP)


# ---- preparation


@compiled
def clockwise(state, distance):
    """The seat so many places clockwise from the #1 holder."""
    return (state.first + distance) % state.players


@compiled_apart(STATE, TABLES)
def prepare(state, tables):
    """IL-29."""
    fill_display(state, tables)
    for planet in range(N_PLANETS):
        prophecy = state.stack[planet, state.age]
        state.face_up[planet] = prophecy
        if prophecy != NOTHING:
            emit(state, Kind.OFFERED, NOTHING, prophecy_source(tables, prophecy), NO_VP)
    for distance in range(state.players):
        seat = clockwise(state, distance)
        draw_cards(state, seat, tables.deal + state.modifier[seat, Verb.DEAL_BONUS])
        if state.over:
            return
        enforce_limit(state, tables, seat)
    for distance in range(state.players):
        seat = clockwise(state, distance)
        choose_first_discards(state, tables, seat, min(tables.prepare_discard, state.hand_size[seat]))
        note_choice(state, Tape.PREPARE_DISCARD, seat)
        discard_chosen(state, seat)
    for distance in range(state.players):
        seat = clockwise(state, distance)
        slot = choose_first_card(state, tables, seat)
        note(state, Tape.PREPARE_TAKE, seat, np.int64(1))
        write(state, slot)
        take_one(state, seat, slot)
        if state.over:
            return
        enforce_limit(state, tables, seat)
    for distance in range(state.players):
        fire(state, tables, clockwise(state, distance), Trigger.PREPARE)
    if state.over:
        return
    if tables.providence:
        for distance in range(state.players):
            decide_providence(state, tables, clockwise(state, distance))


@compiled
def decide_providence(state, tables, seat):
    """IL-23: keep one of the two cards, at the latest in the last age."""
    if state.kept_providence[seat] != NOTHING:
        return
    kept = choose_providence(state, tables, seat)
    if kept == NOTHING:
        if state.age + 1 == tables.ages:
            state.fault = 20
        return
    state.kept_providence[seat] = state.providence[seat, kept]
    state.providence_age[seat] = state.age
    note(state, Tape.PROVIDENCE, seat, np.int64(1))
    write(state, state.kept_providence[seat])
    emit(state, Kind.LAPSED, seat, tables.source_providence + state.providence[seat, 1 - kept], NO_VP)


link(prepare)
