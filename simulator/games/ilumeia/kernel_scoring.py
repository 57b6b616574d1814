"""Scoring a constellation: the steps in the order that its owner likes, claims, and what follows (IL-31, IL-43 ff.)."""

from __future__ import annotations

import numpy as np

from simulator.compiled import compiled, compiled_apart, link
from simulator.games.ilumeia.kernel_cards import (
    GONE,
    SOURCE_LOTZZZ,
    SOURCE_SUZUR,
    emit,
    mark_reached,
    note,
    pay,
    prophecy_source,
    take_grey,
    write,
)
from simulator.games.ilumeia.kernel_effects import fire, fire_others, own_effect, step_amp_r, step_vvibon
from simulator.games.ilumeia.kernel_windows import window
from simulator.games.ilumeia.model import (
    N_PLANETS,
    NO_VP,
    NOTHING,
    Action,
    Die,
    FieldReward,
    Kind,
    Metric,
    Part,
    Reward,
    Step,
    Tape,
    Trigger,
    Verb,
    Window,
)
from simulator.games.ilumeia.policy import choose_claim_die, choose_reward, choose_step
from simulator.games.ilumeia.records import BIT_BNEPH, BIT_PRIMOS, N_BITS, STATE, TABLES
from simulator.games.ilumeia.search import (
    clear,
    fulfils,
    meets_amp_r,
    meets_lotzzz,
    meets_vvibon,
    primos_distance,
)
from simulator.games.ilumeia.standing import has_grey

MANDATORY = (1 << Step.VVIBON) | (1 << Step.AMP_R) | (1 << Step.LOTZZZ) | (1 << Step.SUZUR)


@compiled
def can_pay_claim(state, seat):
    """Whether a die may be laid on a claim (r4)."""
    if state.available[seat] > 0:
        return True
    if state.modifier[seat, Verb.CLAIM_WITH_USED] > 0 and state.used[seat] > 0:
        return True
    return state.modifier[seat, Verb.CLAIM_WITH_GREY] > 0 and has_grey(state, seat)


@compiled
def open_steps(state, tables, seat):
    """The steps that can be chosen now for the constellation laid, as a mask of bits (r6)."""
    laid = state.laid
    done = state.done
    mask = np.int64(0)
    for planet in range(N_PLANETS):
        prophecy = state.face_up[planet]
        if done[planet] == 0 and prophecy != NOTHING and fulfils(state, tables, prophecy, laid):
            mask |= np.int64(1) << planet
    stars = np.int64(laid[Metric.STARS])
    if done[Step.VVIBON] == 0 and meets_vvibon(state, tables, seat, stars):
        mask |= np.int64(1) << np.int64(Step.VVIBON)
    if done[Step.AMP_R] == 0 and meets_amp_r(state, tables, seat, laid[Metric.FLAMES]):
        mask |= np.int64(1) << np.int64(Step.AMP_R)
    if done[Step.LOTZZZ] == 0 and meets_lotzzz(state, tables, seat, np.int64(laid[Metric.CARDS])):
        mask |= np.int64(1) << np.int64(Step.LOTZZZ)
    if done[Step.SUZUR] == 0:
        mask |= np.int64(1) << np.int64(Step.SUZUR)
    if not can_pay_claim(state, seat):
        return mask
    for field in range(tables.n_bneph):
        distance = abs(laid[tables.bneph_metric[field]] - tables.bneph_value[field])
        is_free = done[BIT_BNEPH + field] == 0 and state.bneph_owner[field] == NOTHING
        if is_free and distance <= state.relaxed:
            mask |= np.int64(1) << (BIT_BNEPH + field)
    if done[BIT_PRIMOS] == 0:
        tolerance = state.tolerance[seat] + state.modifier[seat, Verb.PRIMOS_TOLERANCE]
        for field in range(tables.n_primos):
            if state.primos_claimed[seat, field] == 0 and primos_distance(tables, field, stars) <= tolerance:
                mask |= np.int64(1) << (BIT_PRIMOS + field)
    return mask


@compiled_apart(STATE, TABLES, np.int64)
def score_constellation(state, tables, seat):
    """IL-31: all steps of the constellation in `state.laid`, then its abilities, then its cards to the own pile."""
    clear(state.done)
    state.scoring = 1
    while True:
        window(state, tables, seat, Window.SCORING)
        mask = open_steps(state, tables, seat)
        if mask == 0:
            break
        bit = choose_step(state, tables, seat, mask)
        if bit == NOTHING:
            if mask & MANDATORY:
                state.fault = 10
            break
        if bit >= N_BITS or not (mask >> bit) & 1:
            state.fault = 11
            break
        score_step(state, tables, seat, bit)
    note(state, Tape.SCORE, seat, np.int64(0))
    fire(state, tables, seat, Trigger.CREATE)
    for place in range(state.row_size):
        state.own[seat, state.own_size[seat]] = state.row[place] >> 1
        state.own_size[seat] += 1
    state.largest[seat] = max(state.largest[seat], state.row_size)
    state.scoring = 0
    fire_others(state, tables, seat, Trigger.OTHER_CREATES)


@compiled
def score_step(state, tables, seat, bit):
    """Carry out one step."""
    if bit >= BIT_PRIMOS:
        claim_primos(state, tables, seat, bit - BIT_PRIMOS)
        return
    if bit >= BIT_BNEPH:
        claim_bneph(state, tables, seat, bit - BIT_BNEPH)
        return
    state.done[bit] = 1
    if bit < N_PLANETS:
        win_prophecy(state, tables, seat, bit)
        return
    note(state, Tape.SCORE, seat, np.int64(1))
    write(state, bit)
    if bit == Step.VVIBON:
        step_vvibon(state, tables, seat)
    elif bit == Step.AMP_R:
        step_amp_r(state, tables, seat)
    elif bit == Step.LOTZZZ:
        lead_lotzzz(state, tables, seat)
    else:
        amount = tables.suzur_vp + tables.suzur_bonus * state.suzur[seat]
        pay(state, seat, SOURCE_SUZUR, np.int64(Part.SUZUR), amount)


@compiled
def lead_lotzzz(state, tables, seat):
    """IL-44: the own marker moves to the number of cards, the grey die comes."""
    cards = np.int64(state.laid[Metric.CARDS]) + state.modifier[seat, Verb.RECORD_LENIENCY]
    state.record[seat] = cards
    emit(state, Kind.STEP, seat, SOURCE_LOTZZZ, cards)
    mark_reached(state, seat, SOURCE_LOTZZZ)
    emit(state, Kind.PAID, seat, SOURCE_LOTZZZ, NO_VP)
    take_grey(state, seat)
    fire(state, tables, seat, Trigger.RECORD)


@compiled
def win_prophecy(state, tables, seat, planet):
    """IL-25, IL-50: take the face-up prophecy, choose its effect or its VP."""
    prophecy = state.face_up[planet]
    state.face_up[planet] = NOTHING
    state.prophecies[seat] += 1
    reward = tables.reward[prophecy]
    if reward == Reward.INSTANT:
        takes_effect = np.int64(0)
    elif reward == Reward.FINAL:
        takes_effect = np.int64(1)
    else:
        takes_effect = choose_reward(state, tables, seat, prophecy)
    note(state, Tape.SCORE, seat, np.int64(2))
    write(state, planet)
    write(state, takes_effect)
    amount = np.int64(0) if takes_effect else tables.vp[prophecy]
    pay(state, seat, prophecy_source(tables, prophecy), tables.planet[prophecy], amount)
    if takes_effect:
        own_effect(state, tables, seat, prophecy, prophecy)
    fire_others(state, tables, seat, Trigger.OTHER_WINS)


@compiled
def pay_claim(state, tables, seat, step, field):
    """Lay the die of a claim for good (IL-47, IL-48, r4)."""
    die = choose_claim_die(state, tables, seat)
    note(state, Tape.SCORE, seat, np.int64(3))
    write(state, np.int64(step))
    write(state, field)
    write(state, die)
    if die == Die.OWN and state.available[seat] > 0:
        state.available[seat] -= 1
    elif die == Die.USED and state.used[seat] > 0 and state.modifier[seat, Verb.CLAIM_WITH_USED] > 0:
        state.used[seat] -= 1
    elif die == Die.GREY and has_grey(state, seat) and state.modifier[seat, Verb.CLAIM_WITH_GREY] > 0:
        state.grey_owner = GONE
        state.grey_available = 0
    else:
        state.fault = 12
    state.claims[seat] += 1
    state.did[seat, Action.CLAIM] += 1


@compiled
def claim_primos(state, tables, seat, field):
    """IL-47: one field a constellation, each once a deity."""
    state.done[BIT_PRIMOS] = 1
    pay_claim(state, tables, seat, Step.PRIMOS, field)
    state.primos_claimed[seat, field] = 1
    reward = tables.primos_reward[field]
    if reward == FieldReward.BNEPH:
        state.boosted[seat] = 1
    elif reward == FieldReward.SUZUR:
        state.suzur[seat] += 1
    amount = tables.primos_vp[field] if reward == FieldReward.VP else np.int64(0)
    pay(state, seat, tables.source_primos + field, np.int64(Part.PRIMOS), amount)
    fire_others(state, tables, seat, Trigger.OTHER_CLAIMS)


@compiled
def claim_bneph(state, tables, seat, field):
    """IL-48: each field once a game."""
    state.done[BIT_BNEPH + field] = 1
    pay_claim(state, tables, seat, Step.BNEPH, field)
    state.bneph_owner[field] = seat
    amount = tables.bneph_vp_boosted if state.boosted[seat] else tables.bneph_vp
    pay(state, seat, tables.source_bneph + field, np.int64(Part.BNEPH), amount)
    fire_others(state, tables, seat, Trigger.OTHER_CLAIMS)


link(score_constellation)
