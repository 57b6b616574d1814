"""The exact search of a hand: every legal constellation, its metrics, what it wins, and the best one.

A row is built from left to right, depth first, one half-card (a card, turned or not) behind the other. Every
metric but the symmetries is carried along, so that a step costs a few additions:

* sums over cards are packed into two words (`half_counts`, `half_more`) and added as one number each;
* enclosed areas and enclosed comets need to know how the ports on the right edge of the half-built row hang
  together. That is its *gate*: one of five partitions of at most three ports. `half_join` holds, for each
  half-card and gate, the areas and comets that joining it encloses, the new gate, and what becomes of the comets
  that wait in the gaps between the ports.

A row and the same row turned by 180 degrees are one constellation: the search builds only the one whose first
card comes earlier in the hand. It never enters a pattern of ports that no card of the hand can close.
"""

from __future__ import annotations

import numpy as np

from simulator.compiled import compiled
from simulator.games.ilumeia.model import (
    BIT_BNEPH,
    BIT_PRIMOS,
    N_METRICS,
    N_PLANETS,
    NOTHING,
    Feature,
    Metric,
    Step,
    Verb,
)
from simulator.postfix import evaluate
from simulator.rng import unit

# Packed sums: first bit and width of each field. A row has at most 11 cards of at most 7 stars, 8 ends (ports
# count) and 4 transitions, so no field overflows into its neighbour.
COUNT_SHIFTS = {"stars": 0, "flames": 8, "centrals": 16, "ends": 24, "diagonals": 32, "comets": 40, "middle": 48}
MORE_SHIFTS = {"upper": 0, "flame_diagonals": 8, "transitions": 16, "unsymmetric": 24, "lower": 32}
_BYTE = np.int64(255)

# `half_join`: areas 0-7 (biased by 8), comets enclosed, next gate, fate of gap 1, of gap 2, comets added to each gap.
JOIN_AREAS, JOIN_ENCLOSED, JOIN_GATE, JOIN_FATE_1, JOIN_FATE_2, JOIN_ADD_1, JOIN_ADD_2 = 0, 8, 12, 16, 20, 24, 28
AREA_BIAS = 64
FATE_OPEN, FATE_ENCLOSED, FATE_GAP_1, FATE_GAP_2 = 0, 1, 2, 3
_NIBBLE = np.int64(15)


@compiled
def list_halves(state, tables, seat):
    """List the hand's half-cards by their left ports; drop those behind which no row can be closed."""
    count = state.hand_size[seat]
    for ports in range(8):
        state.by_left_size[ports] = 0
    closing = np.int64(1)  # bit p: a row that ends in ports p can be closed; no ports are closed
    for _round in range(7):
        before = closing
        for place in range(count):
            for half in range(2 * state.hand[seat, place], 2 * state.hand[seat, place] + 2):
                left = tables.half_left[half]
                if left != 0 and (closing >> tables.half_right[half]) & 1:
                    closing |= np.int64(1) << left
        if closing == before:
            break
    for place in range(count):
        card = state.hand[seat, place]
        for turned in range(tables.card_drawings[card]):
            half = 2 * card + turned
            if (closing >> tables.half_right[half]) & 1:
                left = tables.half_left[half]
                local = 2 * place + turned
                state.local_half[local] = half
                state.by_left[left, state.by_left_size[left]] = local
                state.by_left_size[left] += 1


@compiled
def enter(state, tables, depth, local):
    """Put a half-card at `depth` of the row and carry every sum on from the card before it."""
    half = state.local_half[local]
    if depth == 0:
        join = tables.half_join[half, 0]
        state.deep_counts[0] = tables.half_counts[half]
        state.deep_more[0] = tables.half_more[half]
        state.deep_areas[0] = ((join >> JOIN_AREAS) & _BYTE) - AREA_BIAS
        state.deep_enclosed[0] = (join >> JOIN_ENCLOSED) & _NIBBLE
        state.deep_gap_1[0] = (join >> JOIN_ADD_1) & _NIBBLE
        state.deep_gap_2[0] = (join >> JOIN_ADD_2) & _NIBBLE
        state.deep_used[0] = np.int64(1) << (local >> 1)
    else:
        last = depth - 1
        join = tables.half_join[half, state.deep_gate[last]]
        state.deep_counts[depth] = state.deep_counts[last] + tables.half_counts[half]
        state.deep_more[depth] = state.deep_more[last] + tables.half_more[half]
        state.deep_areas[depth] = state.deep_areas[last] + ((join >> JOIN_AREAS) & _BYTE) - AREA_BIAS
        enclosed = state.deep_enclosed[last] + ((join >> JOIN_ENCLOSED) & _NIBBLE)
        gap_1 = (join >> JOIN_ADD_1) & _NIBBLE
        gap_2 = (join >> JOIN_ADD_2) & _NIBBLE
        waiting = state.deep_gap_1[last]
        if waiting:
            fate = (join >> JOIN_FATE_1) & _NIBBLE
            if fate == FATE_ENCLOSED:
                enclosed += waiting
            elif fate == FATE_GAP_1:
                gap_1 += waiting
            elif fate == FATE_GAP_2:
                gap_2 += waiting
        waiting = state.deep_gap_2[last]
        if waiting:
            fate = (join >> JOIN_FATE_2) & _NIBBLE
            if fate == FATE_ENCLOSED:
                enclosed += waiting
            elif fate == FATE_GAP_1:
                gap_1 += waiting
            elif fate == FATE_GAP_2:
                gap_2 += waiting
        state.deep_enclosed[depth] = enclosed
        state.deep_gap_1[depth] = gap_1
        state.deep_gap_2[depth] = gap_2
        state.deep_used[depth] = state.deep_used[last] | (np.int64(1) << (local >> 1))
    state.deep_gate[depth] = (join >> JOIN_GATE) & _NIBBLE
    state.deep_half[depth] = half
    state.deep_next[depth] = 0


@compiled
def read_metrics(state, tables, depth):
    """Write the metrics of the complete row that ends at `depth` into `state.metric`."""
    counts = state.deep_counts[depth]
    more = state.deep_more[depth]
    metric = state.metric
    size = depth + 1
    stars = counts & _BYTE
    comets = (counts >> 40) & _BYTE
    middle = (counts >> 48) & _BYTE
    enclosed = state.deep_enclosed[depth]
    upper = more & _BYTE
    lower = (more >> 32) & _BYTE
    metric[Metric.CARDS] = size
    metric[Metric.STARS] = stars
    metric[Metric.FLAMES] = (counts >> 8) & _BYTE
    metric[Metric.CENTRALS] = (counts >> 16) & _BYTE
    metric[Metric.ENDS] = (counts >> 24) & _BYTE
    metric[Metric.DIAGONALS] = (counts >> 32) & _BYTE
    metric[Metric.TRANSITIONS] = (more >> 16) & _BYTE
    metric[Metric.COMETS] = comets
    metric[Metric.COMETS_ENCLOSED] = enclosed
    metric[Metric.COMETS_OPEN] = comets - enclosed
    metric[Metric.AREAS] = state.deep_areas[depth]
    metric[Metric.MIDDLE] = middle
    metric[Metric.OUTER] = stars - middle
    metric[Metric.OUTER_MOST] = max(upper, lower)
    metric[Metric.OUTER_LEAST] = min(upper, lower)
    metric[Metric.FLAME_DIAGONALS] = (more >> 8) & _BYTE
    metric[Metric.SYMMETRIC_HORIZONTAL] = 1.0 if ((more >> 24) & _BYTE) == 0 else 0.0
    symmetric = size % 2 == 1 or tables.allow_even_axis != 0
    if symmetric:
        for place in range((size + 1) // 2):
            if (
                tables.half_shape[state.deep_half[place]]
                != tables.half_mirror[state.deep_half[size - 1 - place]]
            ):
                symmetric = False
                break
    metric[Metric.SYMMETRIC_VERTICAL] = 1.0 if symmetric else 0.0


@compiled
def front_marker(state):
    """The largest marker on Lotzzz's track."""
    front = np.int64(0)
    for seat in range(state.players):
        front = max(front, state.record[seat])
    return front


@compiled
def meets_vvibon(state, tables, seat, stars):
    """IL-46: the next step exists and the stars reach its threshold."""
    step = state.vvibon[seat]
    if step >= tables.n_vvibon:
        return False
    return stars >= tables.vvibon_threshold[step] - state.modifier[seat, Verb.VVIBON_LENIENCY]


@compiled
def meets_amp_r(state, tables, seat, flames):
    """IL-45: the next step exists and the flame stars reach its threshold."""
    step = state.amp_r[seat]
    if step >= tables.n_amp_r:
        return False
    return flames >= tables.amp_r_threshold[step] - state.modifier[seat, Verb.AMP_R_LENIENCY]


@compiled
def meets_lotzzz(state, tables, seat, cards):
    """IL-44 and r9: a new record of at least the minimum."""
    reach = cards + state.modifier[seat, Verb.RECORD_LENIENCY]
    return reach > front_marker(state) and reach >= tables.lotzzz_minimum


@compiled
def primos_distance(tables, field, stars):
    """How far the star count is from the nearest number of the field (g41)."""
    nearest = np.int64(1000)
    for place in range(4):
        number = tables.primos_numbers[field, place]
        if number == NOTHING:
            break
        nearest = min(nearest, abs(number - np.int64(stars)))
    return nearest


@compiled
def fulfils(state, tables, prophecy, metric):
    """Whether a constellation of these metrics meets a prophecy's condition."""
    length = tables.condition_length[prophecy]
    return evaluate(tables.condition[prophecy], length, metric, state.scratch) != 0.0


@compiled
def dice_for_claims(state, tables, seat, climbs, leads):
    """How many dice could pay claims of a row that climbs Amp-R or takes the lead on Lotzzz (RULES, Events)."""
    own = state.available[seat]
    here = state.grey_owner == seat and state.grey_available == 1
    with_grey = state.modifier[seat, Verb.CLAIM_WITH_GREY] > 0
    with_used = state.modifier[seat, Verb.CLAIM_WITH_USED] > 0
    dice = own
    if with_used:
        dice += state.used[seat]
    if here and with_grey:
        dice += 1
    if not ((here and not with_grey) or (with_used and own >= 1)):
        dice -= 1
    if climbs and state.supply[seat] > 0 and tables.amp_r_dice[state.amp_r[seat]] > 0:
        dice += 1
    if leads and with_grey and state.grey_owner != -2 and (not here or own == 0):
        dice += 1
    return dice


@compiled
def row_mask(state, tables, seat):
    """What the row in `state.metric` could win, as a mask of bits."""
    metric = state.metric
    mask = np.int64(1) << np.int64(Step.SUZUR)
    for planet in range(N_PLANETS):
        prophecy = state.face_up[planet]
        if prophecy != NOTHING and fulfils(state, tables, prophecy, metric):
            mask |= np.int64(1) << planet
    stars = np.int64(metric[Metric.STARS])
    steps = meets_vvibon(state, tables, seat, stars)
    climbs = meets_amp_r(state, tables, seat, metric[Metric.FLAMES])
    leads = meets_lotzzz(state, tables, seat, np.int64(metric[Metric.CARDS]))
    if steps:
        mask |= np.int64(1) << np.int64(Step.VVIBON)
    if climbs:
        mask |= np.int64(1) << np.int64(Step.AMP_R)
    if leads:
        mask |= np.int64(1) << np.int64(Step.LOTZZZ)
    if dice_for_claims(state, tables, seat, climbs, leads) < 1:
        return mask
    for field in range(tables.n_bneph):
        if state.bneph_owner[field] == NOTHING:
            distance = abs(metric[tables.bneph_metric[field]] - tables.bneph_value[field])
            if distance <= state.relaxed:
                mask |= np.int64(1) << (BIT_BNEPH + field)
    tolerance = state.tolerance[seat] + state.modifier[seat, Verb.PRIMOS_TOLERANCE]
    if steps and tables.vvibon_reward[state.vvibon[seat]] == 5:
        tolerance += tables.primos_tolerance_bonus
    for field in range(tables.n_primos):
        if state.primos_claimed[seat, field] == 0 and primos_distance(tables, field, stars) <= tolerance:
            mask |= np.int64(1) << (BIT_PRIMOS + field)
    return mask


@compiled
def row_value(state, tables, seat, mask):
    """What a row is worth to the seat: its wins as `state.worth` has them, its stars, less the cards laid."""
    value = 0.0
    for bit in range(BIT_BNEPH):
        if (mask >> bit) & 1:
            value += state.worth[bit]
    if mask >> BIT_BNEPH:
        # Each claim takes a die, and Primos allows one: with few dice only the best count.
        dice = state.available[seat]
        if not (state.grey_owner == seat and state.grey_available == 1):
            dice -= 1
        if (mask >> np.int64(Step.AMP_R)) & 1:
            dice += 1
        best = 0.0
        every = 0.0
        for field in range(tables.n_bneph):
            if (mask >> (BIT_BNEPH + field)) & 1:
                gain = max(0.0, state.worth[BIT_BNEPH + field])
                best = max(best, gain)
                every += gain
        primos = 0.0
        for field in range(tables.n_primos):
            if (mask >> (BIT_PRIMOS + field)) & 1:
                primos = max(primos, state.worth[BIT_PRIMOS + field])
        every += primos
        best = max(best, primos)
        value += every if dice >= 2 else best
    weight = state.weight[seat]
    value += (weight[Feature.SIZE] - state.laid_cost) * state.metric[Metric.CARDS]
    value += weight[Feature.STARS] * state.metric[Metric.STARS]
    if weight[Feature.NOISE] > 0.0:
        value += weight[Feature.NOISE] * unit(state.noise[seat])
    return value


@compiled
def weigh_row(state, tables, seat, depth):
    """Take in a complete row: what it makes reachable, and whether it is the best so far."""
    read_metrics(state, tables, depth)
    state.rows_found += 1
    mask = row_mask(state, tables, seat)
    state.reachable |= mask
    value = row_value(state, tables, seat, mask)
    if state.best_size == 0 or value > state.best_value:
        state.best_value = value
        state.best_mask = mask
        state.best_size = depth + 1
        for place in range(depth + 1):
            state.best_row[place] = state.deep_half[place]


@compiled
def search_rows(state, tables, seat, needed):
    """Find every legal row of the seat's hand, or only those with the card at place `needed` if that isn't NOTHING.

    Fills `reachable` (mask over all rows), `best_row`, `best_size`, `best_value`, `best_mask`, `rows_found`.
    """
    state.reachable = 0
    state.best_size = 0
    state.best_value = 0.0
    state.best_mask = 0
    state.rows_found = 0
    list_halves(state, tables, seat)
    need = np.int64(0) if needed == NOTHING else np.int64(1) << needed
    for start in range(state.by_left_size[0]):
        local = state.by_left[0, start]
        first_place = local >> 1
        enter(state, tables, 0, local)
        depth = 0
        while depth >= 0:
            ports = tables.half_right[state.deep_half[depth]]
            turn = state.deep_next[depth]
            if turn >= state.by_left_size[ports]:
                depth -= 1
                continue
            state.deep_next[depth] = turn + 1
            local = state.by_left[ports, turn]
            place = local >> 1
            if (state.deep_used[depth] >> place) & 1:
                continue
            half = state.local_half[local]
            if tables.half_right[half] == 0:
                if place > first_place:
                    enter(state, tables, depth + 1, local)
                    if state.deep_used[depth + 1] & need == need:
                        weigh_row(state, tables, seat, depth + 1)
            elif depth + 2 < len(state.row):
                enter(state, tables, depth + 1, local)
                depth += 1


@compiled
def lay_row(state, tables):
    """Write the metrics of the row in `state.row` into `state.laid`; whether it is legal (IL-18, IL-19, IL-22)."""
    size = state.row_size
    for place in range(size):
        half = state.row[place]
        state.local_half[2 * place] = half
        left = tables.half_left[half]
        before = tables.half_right[state.row[place - 1]] if place > 0 else np.int64(0)
        if left != before or (place > 0 and left == 0):
            return False
        enter(state, tables, place, np.int64(2 * place))
    if size < 2 or tables.half_right[state.row[size - 1]] != 0:
        return False
    read_metrics(state, tables, size - 1)
    state.laid[:N_METRICS] = state.metric
    return True
