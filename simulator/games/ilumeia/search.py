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

from simulator.compiled import compiled, compiled_apart, link
from simulator.games.ilumeia.model import N_PLANETS, NOTHING, Feature, Metric, Step, StepReward, Verb
from simulator.games.ilumeia.records import (
    BIT_BNEPH,
    BIT_PRIMOS,
    FATE_ENCLOSED,
    FATE_GAP_1,
    FATE_GAP_2,
    JOIN_ENCLOSED,
    JOIN_FATE_1,
    JOIN_FATE_2,
    JOIN_GAP_1,
    JOIN_GAP_2,
    JOIN_GATE,
    STATE,
    TABLES,
)
from simulator.games.ilumeia.standing import has_grey
from simulator.postfix import evaluate
from simulator.rng import unit

_BYTE = np.int64(255)
_NIBBLE = np.int64(15)
_SETTLED = np.int64(0xFFFF)
_WAITING = np.int64(0xFFFF0000)
_CARRIED = np.int64(0xFFFFFFFFF)

# Where the only bit of a word is: the top six bits of the word times this number differ for all 63 places.
_DE_BRUIJN = np.int64(0x03F79D71B4CB0A89)
_BIT_PLACE = np.zeros(64, np.int64)
_BIT_PLACE[[(((1 << place) * int(_DE_BRUIJN)) >> 58) & 63 for place in range(63)]] = np.arange(63)


@compiled
def clear(field):
    """Set all of a field to 0; a loop compiles in a fraction of the time of a slice."""
    for place in range(field.size):
        field.flat[place] = 0


@compiled
def fill(field, value):
    """Set all of a field to a value."""
    for place in range(field.size):
        field.flat[place] = value


@compiled
def list_halves(state, tables, seat):
    """Sort the hand's half-cards, bit 2 * place + turned, by their left and by their right ports."""
    clear(state.by_left)
    clear(state.by_right)
    for place in range(state.hand_size[seat]):
        card = state.hand[seat, place]
        for turned in range(tables.card_drawings[card]):
            half = 2 * card + turned
            local = 2 * place + turned
            state.local_half[local] = half
            state.by_left[tables.half_left[half]] |= np.int64(1) << local
            state.by_right[tables.half_right[half]] |= np.int64(1) << local


@compiled
def begin_from(state, later):
    """Fill `usable` for rows that may end with the half-cards `later`; whether any row can be closed.

    Ports that none of these closes, directly or through others, are never entered.
    """
    leading = state.by_right[0] & later
    closing = np.int64(0)
    grown = NOTHING
    while grown != closing:
        grown = closing
        for ports in range(1, 8):
            if not (closing >> ports) & 1 and state.by_left[ports] & leading:
                closing |= np.int64(1) << ports
                leading |= state.by_right[ports]
    for ports in range(1, 8):
        state.usable[ports] = state.by_left[ports] & leading
    return closing != 0


@compiled
def join(before, card):
    """`deep_open` after a card, `half_join` of it, has been joined to a row whose `deep_open` is `before`."""
    after = (before & _SETTLED) + (card & _CARRIED)
    if before & _WAITING:
        for gap_shift, fate_shift in ((JOIN_GAP_1, JOIN_FATE_1), (JOIN_GAP_2, JOIN_FATE_2)):
            waiting = (before >> gap_shift) & _BYTE
            fate = (card >> fate_shift) & _NIBBLE
            if fate == FATE_ENCLOSED:
                after += waiting << JOIN_ENCLOSED
            elif fate == FATE_GAP_1:
                after += waiting << JOIN_GAP_1
            elif fate == FATE_GAP_2:
                after += waiting << JOIN_GAP_2
    return after


@compiled
def enter(state, tables, depth, half):
    """Put a half-card at `depth` of the row and carry every sum on from the card before it."""
    if depth == 0:
        state.deep_counts[0] = tables.half_counts[half]
        state.deep_more[0] = tables.half_more[half]
        state.deep_open[0] = tables.half_join[half, 0] & _CARRIED
    else:
        last = depth - 1
        before = state.deep_open[last]
        state.deep_counts[depth] = state.deep_counts[last] + tables.half_counts[half]
        state.deep_more[depth] = state.deep_more[last] + tables.half_more[half]
        state.deep_open[depth] = join(before, tables.half_join[half, (before >> JOIN_GATE) & _NIBBLE])
    state.deep_half[depth] = half


@compiled
def read_metrics(state, tables, depth, metric):
    """Write the metrics of the complete row that ends at `depth` into `metric`."""
    counts = state.deep_counts[depth]
    more = state.deep_more[depth]
    closed = state.deep_open[depth]
    size = depth + 1
    stars = counts & _BYTE
    comets = (counts >> 40) & _BYTE
    middle = (counts >> 48) & _BYTE
    enclosed = (closed >> JOIN_ENCLOSED) & _BYTE
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
    metric[Metric.AREAS] = closed & _BYTE
    metric[Metric.MIDDLE] = middle
    metric[Metric.OUTER] = stars - middle
    metric[Metric.OUTER_MOST] = max(upper, lower)
    metric[Metric.OUTER_LEAST] = min(upper, lower)
    metric[Metric.FLAME_DIAGONALS] = (more >> 8) & _BYTE
    metric[Metric.SYMMETRIC_HORIZONTAL] = 1.0 if ((more >> 24) & _BYTE) == 0 else 0.0
    symmetric = size % 2 == 1 or tables.allow_even_axis != 0
    if symmetric:
        for place in range((size + 1) // 2):
            first, last = state.deep_half[place], state.deep_half[size - 1 - place]
            if tables.half_shape[first] != tables.half_mirror[last]:
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
    here = has_grey(state, seat)
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
def take_aim(state, tables, seat):
    """Work out, once for all rows of a search, what a row needs for each step; `worth` must be filled.

    Each number restates a rule (`meets_vvibon`, `meets_amp_r`, `meets_lotzzz`, `dice_for_claims`) as a bound.
    """
    never = np.int64(1_000_000)
    step = state.vvibon[seat]
    state.need_stars = never
    if step < tables.n_vvibon:
        state.need_stars = tables.vvibon_threshold[step] - state.modifier[seat, Verb.VVIBON_LENIENCY]
    climb = state.amp_r[seat]
    state.need_flames = never
    if climb < tables.n_amp_r:
        state.need_flames = tables.amp_r_threshold[climb] - state.modifier[seat, Verb.AMP_R_LENIENCY]
    record = max(front_marker(state) + 1, tables.lotzzz_minimum)
    state.need_cards = record - state.modifier[seat, Verb.RECORD_LENIENCY]
    for case in range(4):
        state.claim_dice[case] = dice_for_claims(state, tables, seat, case & 1 == 1, case & 2 == 2)
    state.bar = -np.inf
    state.unseen = 0
    state.hope = 0.0
    for planet in range(N_PLANETS):
        prophecy = state.face_up[planet]
        if prophecy != NOTHING:
            state.guard_metric[planet] = tables.guard_metric[prophecy]
            state.guard_least[planet] = tables.guard_least[prophecy]
            state.guard_most[planet] = tables.guard_most[prophecy]
            state.hope += state.worth[planet]
            if state.reached[seat, tables.source_prophecy + prophecy] == 0:
                state.unseen |= np.int64(1) << planet
    clear(state.primos_mask)
    clear(state.primos_gain)
    usual = state.tolerance[seat] + state.modifier[seat, Verb.PRIMOS_TOLERANCE]
    widest = usual
    if step < tables.n_vvibon and tables.vvibon_reward[step] == StepReward.PRIMOS:
        widest += tables.primos_tolerance_bonus
    for field in range(tables.n_primos):
        if state.primos_claimed[seat, field] == 0:
            aim_at_primos(state, tables, field, usual, widest)


@compiled
def aim_at_primos(state, tables, field, usual, widest):
    """Note for each star count whether it fits a field; the wide tolerance is for rows that step on Vvibon."""
    for place in range(4):
        number = tables.primos_numbers[field, place]
        if number == NOTHING:
            break
        for stars in range(max(0, number - widest), min(len(state.primos_mask), number + widest + 1)):
            if abs(number - stars) <= usual or stars >= state.need_stars:
                state.primos_mask[stars] |= np.int64(1) << field
                state.primos_gain[stars] = max(state.primos_gain[stars], state.worth[BIT_PRIMOS + field])


@compiled
def weigh_claims(state, tables, depth, stars, dice):
    """(mask, worth) of the claims of a row: each takes a die, Primos allows one; with one die the best counts."""
    mask = state.primos_mask[stars] << BIT_PRIMOS
    best = state.primos_gain[stars]
    every = best
    counts = state.deep_counts[depth]
    for field in range(tables.n_bneph):
        if state.bneph_owner[field] != NOTHING:
            continue
        metric = tables.bneph_metric[field]
        if metric == Metric.COMETS:
            value = (counts >> 40) & _BYTE
        elif metric == Metric.ENDS:
            value = (counts >> 24) & _BYTE
        elif metric == Metric.MIDDLE:
            value = (counts >> 48) & _BYTE
        elif metric == Metric.CENTRALS:
            value = (counts >> 16) & _BYTE
        else:
            read_metrics(state, tables, depth, state.metric)
            value = np.int64(state.metric[metric])
        if abs(value - tables.bneph_value[field]) <= state.relaxed:
            mask |= np.int64(1) << (BIT_BNEPH + field)
            gain = max(0.0, state.worth[BIT_BNEPH + field])
            best = max(best, gain)
            every += gain
    return mask, (every if dice >= 2 else best)


@compiled
def weigh_row(state, tables, seat, depth):
    """Take in a complete row: what it makes reachable, and whether it is the best so far.

    The conditions of prophecies cost most, so they are read only where they can tell something: a planet that
    the seat hasn't reached yet, or a row that could become the best with them.
    """
    counts = state.deep_counts[depth]
    stars = counts & _BYTE
    size = depth + 1
    worth = state.worth
    weight = state.weight[seat]
    mask = np.int64(1) << np.int64(Step.SUZUR)
    value = worth[Step.SUZUR]
    value += (weight[Feature.SIZE] - state.laid_cost) * size + weight[Feature.STARS] * stars
    case = 0
    if stars >= state.need_stars:
        mask |= np.int64(1) << np.int64(Step.VVIBON)
        value += worth[Step.VVIBON]
    if (counts >> 8) & _BYTE >= state.need_flames:
        mask |= np.int64(1) << np.int64(Step.AMP_R)
        value += worth[Step.AMP_R]
        case = 1
    if size >= state.need_cards:
        mask |= np.int64(1) << np.int64(Step.LOTZZZ)
        value += worth[Step.LOTZZZ]
        case += 2
    dice = state.claim_dice[case]
    if dice >= 1:
        claims, gain = weigh_claims(state, tables, depth, stars, dice)
        mask |= claims
        value += gain
    if weight[Feature.NOISE] > 0.0:
        value += weight[Feature.NOISE] * unit(state.noise[seat])
    state.rows_found += 1
    hope = state.hope
    unseen = state.unseen & ~state.reachable
    if unseen == 0 and value + hope <= state.best_value:
        state.reachable |= mask
        return
    read_metrics(state, tables, depth, state.metric)
    for planet in range(N_PLANETS):
        if state.face_up[planet] == NOTHING:
            continue
        tells = (unseen >> planet) & 1 or value + hope > state.best_value
        # Most rows miss a condition in one number, which is much cheaper to read than the whole condition.
        guarded = state.metric[state.guard_metric[planet]]
        near = state.guard_least[planet] <= guarded <= state.guard_most[planet]
        if tells and near and fulfils(state, tables, state.face_up[planet], state.metric):
            mask |= np.int64(1) << planet
            value += worth[planet]
        hope -= worth[planet]
    state.reachable |= mask
    if value > state.best_value:
        state.best_value = value
        state.best_mask = mask
        state.best_size = size
        for place in range(size):
            state.best_row[place] = state.deep_half[place]


@compiled_apart(STATE, TABLES, np.int64, np.int64)
def search_rows(state, tables, seat, needed):
    """Find every legal row of the seat's hand, or only those with the card at place `needed` if that isn't NOTHING.

    `take_aim` must have been called. Fills `reachable` (mask of what the rows can win; of prophecies reached before,
    only some), `best_row`, `best_size` (0: no row above the bar), `best_value`, `best_mask`, `rows_found`.
    """
    state.reachable = 0
    state.best_size = 0
    state.best_value = state.bar
    state.best_mask = 0
    state.rows_found = 0
    list_halves(state, tables, seat)
    need = np.int64(0) if needed == NOTHING else np.int64(3) << (2 * needed)
    deepest = len(state.row) - 2
    starts = state.by_left[0] & ~state.by_right[0]
    later = np.int64(-1)
    from_needed = starts & need != 0
    if from_needed:
        # The needed card is an end of all its rows: begin each of them with it.
        starts &= need
    while starts:
        lowest = starts & -starts
        starts ^= lowest
        local = _BIT_PLACE[((lowest * _DE_BRUIJN) >> 58) & 63]
        if not from_needed:
            # A row that ends with an earlier card of the hand was found from that card, turned.
            later = ~((np.int64(4) << (local & ~1)) - 1)
        if not begin_from(state, later):
            continue
        half = state.local_half[local]
        enter(state, tables, np.int64(0), half)
        state.deep_used[0] = np.int64(3) << (local & ~1)
        state.deep_next[0] = state.usable[tables.half_right[half]] & ~state.deep_used[0]
        depth = np.int64(0)
        while depth >= 0:
            untried = state.deep_next[depth]
            if untried == 0:
                depth -= 1
                continue
            lowest = untried & -untried
            state.deep_next[depth] = untried ^ lowest
            local = _BIT_PLACE[((lowest * _DE_BRUIJN) >> 58) & 63]
            half = state.local_half[local]
            right = tables.half_right[half]
            used = state.deep_used[depth] | np.int64(3) << (local & ~1)
            if right == 0:
                if used & need == need:
                    enter(state, tables, depth + 1, half)
                    weigh_row(state, tables, seat, depth + 1)
                continue
            following = state.usable[right] & ~used
            if following and depth < deepest:
                depth += 1
                enter(state, tables, depth, half)
                state.deep_used[depth] = used
                state.deep_next[depth] = following


@compiled
def lay_row(state, tables):
    """Write the metrics of the row in `state.row` into `state.laid`; whether it is legal (IL-18, IL-19, IL-22)."""
    size = state.row_size
    for place in range(size):
        half = state.row[place]
        left = tables.half_left[half]
        before = tables.half_right[state.row[place - 1]] if place > 0 else np.int64(0)
        if left != before or (place > 0 and left == 0):
            return False
        enter(state, tables, np.int64(place), half)
    if size < 2 or tables.half_right[state.row[size - 1]] != 0:
        return False
    read_metrics(state, tables, size - 1, state.laid)
    return True


link(search_rows)
