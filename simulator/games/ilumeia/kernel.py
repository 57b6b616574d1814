"""The compiled rules of Stars of Ilumeïa, top-down: a batch of games, a game, an age, a turn.

The deal and the preparation, scoring a constellation, effects, free actions and what happens to cards have files
of their own (`kernel_*.py`).
Clause numbers are those of RULES.md. Decisions are `policy.py`'s; the kernel carries them out.
"""

from __future__ import annotations

import numpy as np

from simulator.compiled import compiled, compiled_apart, link
from simulator.games.ilumeia.kernel_cards import (
    SOURCE_LOTZZZ,
    clear_display,
    discard,
    draw_cards,
    emit,
    enforce_limit,
    mark_reached,
    note,
    note_choice,
    pay,
    prophecy_source,
    remove_from_hand,
    take_from_display,
    write,
)
from simulator.games.ilumeia.kernel_effects import fire
from simulator.games.ilumeia.kernel_scoring import score_constellation
from simulator.games.ilumeia.kernel_setup import SOURCES_ON_BOARD, begin, clockwise, deal, prepare
from simulator.games.ilumeia.kernel_windows import window
from simulator.games.ilumeia.model import (
    MAX_PROPHECIES,
    N_ACTIONS,
    N_PARTS,
    N_PLANETS,
    NO_VP,
    NOTHING,
    Action,
    Die,
    Ending,
    Kind,
    Part,
    Step,
    Tape,
    Trigger,
    Verb,
    Window,
)
from simulator.games.ilumeia.policy import (
    choose_action,
    choose_kept,
)
from simulator.games.ilumeia.policy_worth import weigh_turn
from simulator.games.ilumeia.records import BIT_BNEPH, BIT_PRIMOS, SEAT_EXTRAS, STATE, TABLES
from simulator.games.ilumeia.search import clear, lay_row
from simulator.games.ilumeia.standing import energy, has_grey

GAME_COLUMNS = (
    "rounds", "turns", "ending", "winners", "top_score", "margin", "tied_on_points", "tie_stage", "lead_changes",
    "decisions",
)  # fmt: skip
SEAT_COLUMNS = 2 + N_PARTS + N_ACTIONS + len(SEAT_EXTRAS)  # score, rank, parts, actions, the game's own


@compiled
def play_games(table, states, plan, weights, first, games, seats, events):
    """Play games `first` .. of the plan until all are played or `events` is full.

    `plan`: int64 (games, 4 + seats): seed, game, setup, players, then the row of `weights` on each seat. Fills
    `games` int64 (games, columns), `seats` int64 (games, seats, columns) and `events` int32 (8, capacity), whose
    first row is the row of the plan; capacity 0: events are not kept. Returns (the next game to play, events
    written, fault of the last game).
    """
    tables = table[0]
    state = states[0]
    written = 0
    capacity = events.shape[1]
    for number in range(first, plan.shape[0]):
        begin(state, tables, plan[number], weights)
        state.keep_events = 1 if capacity > 0 else 0
        play_game(state, tables)
        if state.fault:
            return number, written, state.fault
        if state.keep_events:
            if written + state.n_events > capacity:
                return number, written, 0
            for place in range(state.n_events):
                events[0, written + place] = number
                for field in range(events.shape[0] - 1):
                    events[1 + field, written + place] = state.events[place, field]
            written += state.n_events
        write_outcome(state, tables, games[number], seats[number])
    return plan.shape[0], written, 0


@compiled_apart(STATE, TABLES)
def play_game(state, tables):
    """One game from the deal to final scoring."""
    deal(state, tables)
    for age in range(tables.ages):
        state.age = age
        state.held_first[state.first] += 1
        prepare(state, tables)
        if not state.over:
            act(state, tables)
        if state.over:
            break
        if age + 1 < tables.ages:
            clean_up(state, tables)
    state.ending = Ending.NO_CARDS if state.over else Ending.AGES
    state.over = 0
    final_scoring(state, tables)


# ---- action phase


@compiled
def act(state, tables):
    """IL-30 to IL-38: turns clockwise until all are exhausted and have had equally many (g11, g24)."""
    for distance in range(state.players):
        seat = clockwise(state, distance)
        if energy(state, seat) == 0:
            exhaust(state, tables, seat)
            if state.over:
                return
    while not state.over:
        tired = True
        for seat in range(state.players):
            if state.exhausted[seat] == 0:
                tired = False
        if tired:
            return
        for distance in range(state.players):
            take_turn(state, tables, clockwise(state, distance))
            state.turn += 1
            state.step_in_turn = 0
            see_leader(state)
            if state.over:
                return


@compiled
def see_leader(state):
    """r11: count a change of the sole leader."""
    best = np.int64(-1)
    leader = NOTHING
    for seat in range(state.players):
        if state.vp[seat] > best:
            best = state.vp[seat]
            leader = seat
        elif state.vp[seat] == best:
            leader = NOTHING
    if leader != NOTHING and leader != state.last_leader:
        if state.last_leader != NOTHING:
            state.lead_changes += 1
        state.last_leader = leader


@compiled_apart(STATE, TABLES, np.int64)
def take_turn(state, tables, seat):
    """One turn of a seat, with or without energy."""
    state.active = seat
    state.exchanged = state.renewed = state.free_action = state.relaxed = 0
    state.acting = 0
    state.may_pass = 1
    if state.exhausted[seat] == 0 and energy(state, seat) == 0:
        exhaust(state, tables, seat)
        if state.over:
            return
    if state.exhausted[seat]:
        idle(state, tables, seat)
        return
    state.acting = 1
    state.before_action = 1
    weigh_turn(state, tables, seat)
    note_reachable(state, tables, seat)
    window(state, tables, seat, Window.BEFORE)
    if state.over:
        return
    choose_action(state, tables, seat)
    state.before_action = 0
    if state.action == Action.PASS:
        if not state.may_pass:
            state.fault = 30
        rest(state, tables, seat)
        return
    pay_for_action(state, seat)
    carry_out_action(state, tables, seat)
    if state.over:
        return
    window(state, tables, seat, Window.AFTER)
    state.acting = 0
    if energy(state, seat) == 0 and not state.over:
        exhaust(state, tables, seat)


@compiled
def note_reachable(state, tables, seat):
    """Emit `reachable` for what the search of the seat's hand found, in the order of sources."""
    mask = state.reachable
    if mask == 0:
        return
    for source in range(SOURCES_ON_BOARD):
        bit = np.int64(Step.VVIBON)
        if source == 1:
            bit = np.int64(Step.AMP_R)
        elif source == 2:
            bit = np.int64(Step.SUZUR)
        elif source == SOURCE_LOTZZZ:
            bit = np.int64(Step.LOTZZZ)
        if (mask >> bit) & 1:
            mark_reached(state, seat, source)
    for field in range(tables.n_primos):
        if (mask >> (BIT_PRIMOS + field)) & 1:
            mark_reached(state, seat, tables.source_primos + field)
    for field in range(tables.n_bneph):
        if (mask >> (BIT_BNEPH + field)) & 1:
            mark_reached(state, seat, tables.source_bneph + field)
    # The planets' cards in the order of their codes.
    last = NOTHING
    for _planet in range(N_PLANETS):
        lowest = np.int64(MAX_PROPHECIES)
        for planet in range(N_PLANETS):
            if (mask >> planet) & 1 and last < state.face_up[planet] < lowest:
                lowest = state.face_up[planet]
        if lowest == MAX_PROPHECIES:
            break
        mark_reached(state, seat, prophecy_source(tables, lowest))
        last = lowest


@compiled
def idle(state, tables, seat):
    """IL-38: a turn without energy."""
    state.did[seat, Action.IDLE] += 1
    window(state, tables, seat, Window.IDLE)
    mark_idle(state, seat)
    draw_cards(state, seat, 1 + state.modifier[seat, Verb.IDLE_BONUS])
    enforce_limit(state, tables, seat)


@compiled
def mark_idle(state, seat):
    """Mark on the tape where the window of a turn without energy ends; it is no decision."""
    write(state, np.int64(Tape.ACTION))
    write(state, seat)
    write(state, np.int64(1))
    write(state, np.int64(Action.IDLE))


@compiled
def rest(state, tables, seat):
    """IL-32: pass; all dice become used."""
    state.did[seat, Action.PASS] += 1
    note(state, Tape.ACTION, seat, np.int64(2))
    write(state, np.int64(Action.PASS))
    write(state, np.int64(Die.OWN))
    state.spent[seat] += energy(state, seat)
    state.used[seat] += state.available[seat]
    state.available[seat] = 0
    if has_grey(state, seat):
        state.grey_available = 0
    state.acting = 0
    exhaust(state, tables, seat)


@compiled
def pay_for_action(state, seat):
    """IL-30, g35: one die, grey or own, unless the action is free."""
    if state.free_action:
        state.die = Die.FREE
        state.free_action = 0
        return
    if state.die == Die.GREY and has_grey(state, seat):
        state.grey_available = 0
    elif state.die == Die.OWN and state.available[seat] > 0:
        state.available[seat] -= 1
        state.used[seat] += 1
    else:
        state.fault = 31
    state.spent[seat] += 1


@compiled
def carry_out_action(state, tables, seat):
    """IL-30: actions A, B and C; the die is paid."""
    action = state.action
    state.did[seat, action] += 1
    if action == Action.DRAW:
        note(state, Tape.ACTION, seat, np.int64(2))
        write(state, action)
        write(state, state.die)
        draw_cards(state, seat, tables.draw + state.modifier[seat, Verb.DRAW_BONUS])
        enforce_limit(state, tables, seat)
    elif action == Action.TAKE:
        note(state, Tape.ACTION, seat, np.int64(3))
        write(state, action)
        write(state, state.die)
        write(state, state.slot)
        take_from_display(state, seat, state.slot)
        draw_cards(state, seat, state.modifier[seat, Verb.DISPLAY_BONUS])
        enforce_limit(state, tables, seat)
    else:
        note(state, Tape.ACTION, seat, 2 + state.best_size)
        write(state, action)
        write(state, state.die)
        state.row_size = state.best_size
        for place in range(state.best_size):
            state.row[place] = state.best_row[place]
            write(state, state.best_row[place])
            remove_from_hand(state, seat, state.best_row[place] >> 1)
        if not lay_row(state, tables):
            state.fault = 32
            return
        score_constellation(state, tables, seat)


@compiled
def exhaust(state, tables, seat):
    """IL-37: no dice left: discard the hand but for the kept cards."""
    state.exhausted[seat] = 1
    kept = min(state.hand_size[seat], state.keep[seat] + state.modifier[seat, Verb.KEEP])
    if kept > 0:
        choose_kept(state, tables, seat, kept)
        note_choice(state, Tape.KEEP, seat)
    else:
        state.choice_size = 0
    place = 0
    while place < state.hand_size[seat]:
        card = state.hand[seat, place]
        stays = False
        for choice in range(state.choice_size):
            if state.choice[choice] == card:
                stays = True
        if stays:
            place += 1
        else:
            remove_from_hand(state, seat, card)
            discard(state, card)
    fire(state, tables, seat, Trigger.EXHAUSTED)


# ---- cleanup and the end


@compiled
def clean_up(state, tables):
    """IL-40."""
    clear_display(state, tables)
    remove_prophecies(state, tables)
    clear(state.record)
    for seat in range(state.players):
        state.available[seat] += state.used[seat]
        state.used[seat] = 0
        state.exhausted[seat] = 0
    if state.grey_owner >= 0:
        state.grey_available = 1
    state.first = (state.first + 1) % state.players


@compiled
def remove_prophecies(state, tables):
    """Unwon prophecies leave the game."""
    for planet in range(N_PLANETS):
        if state.face_up[planet] != NOTHING:
            emit(state, Kind.LAPSED, NOTHING, prophecy_source(tables, state.face_up[planet]), NO_VP)
            state.face_up[planet] = NOTHING


@compiled
def final_scoring(state, tables):
    """IL-41, in its order; then what was never won."""
    remove_prophecies(state, tables)
    for distance in range(state.players):
        fire(state, tables, clockwise(state, distance), Trigger.BEFORE_FINAL)
    for distance in range(state.players):
        fire(state, tables, clockwise(state, distance), Trigger.FINAL)
    if state.players == 3 and max(state.held_first[0], state.held_first[1], state.held_first[2]) == 2:
        for distance in range(state.players):
            seat = clockwise(state, distance)
            if state.held_first[seat] == 1:
                pay(state, seat, tables.source_compensation, np.int64(Part.COMPENSATION), tables.compensation)
    if tables.providence:
        for distance in range(state.players):
            score_providence(state, tables, clockwise(state, distance))
    for field in range(tables.n_bneph):
        if state.bneph_owner[field] == NOTHING:
            emit(state, Kind.LAPSED, NOTHING, tables.source_bneph + field, NO_VP)
    see_leader(state)


@compiled
def score_providence(state, tables, seat):
    """IL-24: all or nothing."""
    card = state.kept_providence[seat]
    if card == NOTHING:
        for place in range(2):
            emit(state, Kind.LAPSED, seat, tables.source_providence + state.providence[seat, place], NO_VP)
        return
    fulfilling = 0
    for place in range(state.own_size[seat]):
        fulfilling += tables.provident[card, state.own[seat, place]]
    if fulfilling >= tables.at_least[card]:
        amount = tables.providence_vp[state.providence_age[seat]]
        pay(state, seat, tables.source_providence + card, np.int64(Part.PROVIDENCE), amount)
    else:
        emit(state, Kind.LAPSED, seat, tables.source_providence + card, NO_VP)


@compiled
def write_outcome(state, tables, game, seats):
    """IL-42: ranks, winners and the ways of the tie, into the rows that leave the kernel."""
    top = np.int64(-1)
    for seat in range(state.players):
        top = max(top, state.vp[seat])
    tied = 0
    winners = np.int64(0)
    shared = 0
    second = np.int64(-1)
    for seat in range(state.players):
        if state.vp[seat] == top:
            tied += 1
        else:
            second = max(second, state.vp[seat])
        rank = 1
        for other in range(state.players):
            if state.vp[other] > state.vp[seat] or (
                tables.tie_break
                and state.vp[other] == state.vp[seat]
                and state.own_size[other] > state.own_size[seat]
            ):
                rank += 1
        if rank == 1:
            winners |= np.int64(1) << seat
            shared += 1
        row = seats[seat]
        row[0] = state.vp[seat]
        row[1] = rank
        for part in range(N_PARTS):
            row[2 + part] = state.part[seat, part]
        for action in range(N_ACTIONS):
            row[2 + N_PARTS + action] = state.did[seat, action]
        behind = 2 + N_PARTS + N_ACTIONS
        row[behind] = state.vvibon[seat]
        row[behind + 1] = state.amp_r[seat]
        row[behind + 2] = state.own_size[seat]
        row[behind + 3] = state.largest[seat]
        row[behind + 4] = state.spent[seat]
    game[0] = state.age + 1
    game[1] = state.turn
    game[2] = state.ending
    game[3] = winners
    game[4] = top
    game[5] = top - second if tied == 1 else 0
    game[6] = tied
    game[7] = 0 if tied == 1 else (1 if shared == 1 else -1)
    game[8] = state.lead_changes
    game[9] = state.decisions


link(take_turn, play_game)
