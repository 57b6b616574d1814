"""How a deity stands: its dice and costs, what effects read of it, and how large an effect is (RULES.md, "Effects")."""

from __future__ import annotations

import numpy as np

from simulator.compiled import compiled
from simulator.games.ilumeia.model import MOST_TIMES, NOTHING, Action, Metric, Standing, Verb
from simulator.postfix import evaluate


@compiled
def has_grey(state, seat):
    """Whether the grey die lies available at a seat."""
    return state.grey_owner == seat and state.grey_available == 1


@compiled
def energy(state, seat):
    """Available dice, the grey one included."""
    return state.available[seat] + (1 if has_grey(state, seat) else 0)


@compiled
def exchange_cost(state, tables, seat):
    """Cards that an exchange takes (r13)."""
    return max(1, tables.exchange_cost - state.modifier[seat, Verb.EXCHANGE_DISCOUNT])


@compiled
def renew_cost(state, tables, seat):
    """Cards that a renewal of the display takes (r13)."""
    return max(0, tables.renew_cost - state.modifier[seat, Verb.RENEW_DISCOUNT])


@compiled
def write_standing(state, tables, seat):
    """Write what `per` and `when` read of the state behind the metrics of the constellation."""
    values = state.laid
    best = np.int64(0)
    behind = 0
    for other in range(state.players):
        best = max(best, state.vp[other])
        if state.vp[other] > state.vp[seat]:
            behind += 1
    values[Standing.HAND] = state.hand_size[seat]
    values[Standing.ENERGY] = state.available[seat]
    values[Standing.USED_ENERGY] = state.used[seat]
    values[Standing.GREY] = 1.0 if state.grey_owner == seat else 0.0
    values[Standing.VP] = state.vp[seat]
    values[Standing.BEHIND] = behind
    values[Standing.GAP] = best - state.vp[seat]
    values[Standing.VVIBON] = state.vvibon[seat]
    values[Standing.AMP_R] = state.amp_r[seat]
    values[Standing.RECORD] = state.record[seat]
    values[Standing.PROPHECIES] = state.prophecies[seat]
    values[Standing.CLAIMS] = state.claims[seat]
    values[Standing.CONSTELLATIONS] = state.did[seat, Action.CREATE]
    values[Standing.PILE] = state.own_size[seat]
    values[Standing.AGE] = state.age + 1
    values[Standing.PLAYERS] = state.players
    for name in range(Standing.PILE_STARS, Standing.PILE_OUTER + 1):
        values[name] = 0.0
    for place in range(state.own_size[seat]):
        card = tables.card_metric[state.own[seat, place]]
        values[Standing.PILE_STARS] += card[Metric.STARS]
        values[Standing.PILE_FLAMES] += card[Metric.FLAMES]
        values[Standing.PILE_CENTRALS] += card[Metric.CENTRALS]
        values[Standing.PILE_DIAGONALS] += card[Metric.DIAGONALS]
        values[Standing.PILE_COMETS] += card[Metric.COMETS]
        values[Standing.PILE_MIDDLE] += card[Metric.MIDDLE]
        values[Standing.PILE_OUTER] += card[Metric.OUTER]


@compiled
def effect_size(state, tables, seat, prophecy):
    """n of RULES.md: the amount times its quantity, capped; 0 when its condition isn't true."""
    if tables.per_length[prophecy] or tables.when_length[prophecy]:
        write_standing(state, tables, seat)
    if tables.when_length[prophecy]:
        true = evaluate(tables.when[prophecy], tables.when_length[prophecy], state.laid, state.scratch)
        if true == 0.0:
            return np.int64(0)
    quantity = np.int64(1)
    if tables.per_length[prophecy]:
        per = evaluate(tables.per[prophecy], tables.per_length[prophecy], state.laid, state.scratch)
        quantity = np.int64(np.floor(min(MOST_TIMES, max(0.0, per))))
    elif tables.counts[prophecy]:
        quantity = np.int64(0)
        for place in range(state.own_size[seat]):
            quantity += tables.counted[prophecy, state.own[seat, place]]
    size = tables.amount[prophecy] * quantity
    if tables.most[prophecy] != NOTHING:
        size = min(size, tables.most[prophecy])
    return max(np.int64(0), size)
