"""What things are worth to a bot, in victory points: effects, prophecies, claims, steps, cards, a hand's best row."""

from __future__ import annotations

import numpy as np

from simulator.compiled import compiled, compiled_apart, link
from simulator.games.ilumeia.model import (
    N_PLANETS,
    N_VERBS,
    NOTHING,
    Feature,
    FieldReward,
    Metric,
    Reward,
    Step,
    StepReward,
    Target,
    Trigger,
    Verb,
)
from simulator.games.ilumeia.records import BIT_BNEPH, BIT_PRIMOS, STATE, TABLES
from simulator.games.ilumeia.search import search_rows, take_aim
from simulator.rng import unit

# What one unit of each verb is worth, as so many times a weight. The numbers were measured: paired games, once with
# the effect and once with the card's points, four different bots, by the age of the win. CLAIM and GREY are not
# weights themselves: see `effect_price`.
_VP, _ENERGY, _CARD, _ATTACK, _CLAIM, _GREY = 0, 1, 2, 3, 4, 5
_VERB_WORTH: dict[Verb, tuple[int, float]] = {
    Verb.HAND_LIMIT: (_CARD, 0.6),
    Verb.KEEP: (_CARD, 3.0),
    Verb.DRAW_BONUS: (_CARD, 2.9),
    Verb.DISPLAY_BONUS: (_CARD, 2.9),
    Verb.DEAL_BONUS: (_CARD, 3.4),
    Verb.IDLE_BONUS: (_CARD, 4.0),
    Verb.EXCHANGE_DISCOUNT: (_CARD, 0.2),
    Verb.RENEW_DISCOUNT: (_CARD, 0.2),
    Verb.CLAIM_WITH_USED: (_ENERGY, 1.2),
    Verb.CLAIM_WITH_GREY: (_GREY, 0.8),
    Verb.PRIMOS_TOLERANCE: (_CLAIM, 1.6),
    Verb.VVIBON_LENIENCY: (_VP, 0.1),
    Verb.AMP_R_LENIENCY: (_ENERGY, 1.1),
    Verb.RECORD_LENIENCY: (_GREY, 1.2),
    Verb.GAIN_VP: (_VP, 1.0),
    Verb.LOSE_VP: (_ATTACK, 0.7),
    Verb.STEAL_VP: (_ATTACK, 2.6),
    Verb.GAIN_DIE: (_VP, 1.0),
    Verb.REFRESH: (_ENERGY, 0.5),
    Verb.TAKE_GREY: (_GREY, 4.0),
    Verb.DRAW: (_CARD, 3.3),
    Verb.TAKE_DISPLAY: (_CARD, 3.5),
    Verb.ADVANCE_VVIBON: (_VP, 1.0),
    Verb.ADVANCE_AMP_R: (_VP, 1.0),
    Verb.RELAX_BNEPH: (_CLAIM, 2.0),
    Verb.FREE_ACTION: (_ENERGY, 1.1),
    Verb.RENEW_FREE: (_CARD, 0.4),
    Verb.LOSE_CARDS: (_ATTACK, 0.8),
    Verb.STEAL_CARD: (_ATTACK, 3.0),
    Verb.SPEND_DIE: (_ATTACK, 0.9),
    Verb.COPY_ABILITY: (_VP, 2.1),
    Verb.RECALL: (_CARD, 3.1),
    Verb.BURY: (_VP, 0.3),
    Verb.BURY_HAND: (_VP, 0.3),
}
_CURRENCY = np.array([_VERB_WORTH[Verb(verb)][0] for verb in range(N_VERBS)], np.int64)
_UNITS = np.array([_VERB_WORTH[Verb(verb)][1] for verb in range(N_VERBS)], np.float64)

# How often in an age a trigger brings something of use, measured too; a condition (`when`) halves it.
_TRIGGER_OFTEN: dict[Trigger, float] = {
    Trigger.ALWAYS: 1.0,
    Trigger.CREATE: 2.1,
    Trigger.OTHER_CREATES: 3.6,
    Trigger.OTHER_WINS: 2.6,
    Trigger.OTHER_CLAIMS: 3.0,
    Trigger.PREPARE: 1.0,
    Trigger.EXHAUSTED: 1.0,
    Trigger.RECORD: 0.7,
    Trigger.PLAY: 1.0,
    Trigger.FINAL: 1.0,
    Trigger.BEFORE_FINAL: 1.0,
}
_OFTEN = np.array([_TRIGGER_OFTEN[trigger] for trigger in Trigger], np.float64)
_USUALLY_AHEAD = 1.3


@compiled
def ages_left(state, tables):
    """Ages to come after this one, and half of this one."""
    return tables.ages - state.age - 0.5


@compiled
def later_ages(state, tables):
    """Ages to come after this one."""
    return np.float64(tables.ages - state.age - 1)


@compiled
def usual_size(state, tables, prophecy):
    """What an effect usually amounts to over all whom it moves, before it is known."""
    size = np.float64(tables.amount[prophecy])
    if tables.most[prophecy] != NOTHING and (tables.counts[prophecy] or tables.per_length[prophecy]):
        size = 0.75 * tables.most[prophecy]
    elif tables.counts[prophecy]:
        size *= 5.0
    elif tables.per_length[prophecy]:
        size *= 2.0
    target = tables.target[prophecy]
    if target == Target.OTHERS:
        size *= state.players - 1
    elif target == Target.AHEAD:
        size *= min(_USUALLY_AHEAD, 0.5 * (state.players - 1))
    return size


@compiled
def usual_times(state, tables, prophecy):
    """How often an effect usually works in the rest of the game."""
    if tables.reward[prophecy] != Reward.ABILITY:
        return 1.0
    verb = tables.verb[prophecy]
    trigger = tables.trigger[prophecy]
    often = _OFTEN[trigger]
    if tables.when_length[prophecy]:
        often *= 0.5
    if trigger in (Trigger.PREPARE, Trigger.EXHAUSTED) or verb in (
        Verb.KEEP,
        Verb.DEAL_BONUS,
        Verb.IDLE_BONUS,
    ):
        return often * later_ages(state, tables)
    return often * ages_left(state, tables)


@compiled
def effect_price(state, tables, seat, verb):
    """What the currency of a verb is worth to the seat, in VP."""
    weight = state.weight[seat]
    if verb == Verb.GAIN_DIE:
        return die_cost(state, tables, seat)
    if verb == Verb.VVIBON_LENIENCY:
        return weight[Feature.VVIBON]
    if verb == Verb.ADVANCE_VVIBON:
        return vvibon_worth(state, tables, seat)
    if verb == Verb.ADVANCE_AMP_R:
        return amp_r_worth(state, tables, seat)
    currency = _CURRENCY[verb]
    if currency == _ENERGY:
        return weight[Feature.ENERGY]
    if currency == _CARD:
        return weight[Feature.CARD]
    if currency == _ATTACK:
        return weight[Feature.ATTACK]
    if currency == _GREY:
        return weight[Feature.LOTZZZ]
    if currency == _CLAIM:
        return weight[Feature.VP] + 0.3 * max(weight[Feature.PRIMOS], weight[Feature.BNEPH])
    return weight[Feature.VP]


@compiled
def effect_worth(state, tables, seat, prophecy):
    """What taking an effect is worth to the seat, in VP."""
    verb = tables.verb[prophecy]
    if verb == NOTHING:
        return 0.0
    amount = usual_size(state, tables, prophecy) * usual_times(state, tables, prophecy)
    worth = effect_price(state, tables, seat, verb) * _UNITS[verb] * amount
    return worth + state.weight[seat, Feature.EFFECT]


@compiled
def prophecy_worth(state, tables, seat, prophecy):
    """What winning a prophecy is worth: its better reward, and the pleasure of winning it."""
    weight = state.weight[seat]
    worth = weight[Feature.VP] * tables.vp[prophecy]
    if tables.reward[prophecy] != Reward.INSTANT:
        worth = max(worth, effect_worth(state, tables, seat, prophecy))
    return worth + weight[Feature.PROPHECY]


@compiled
def die_cost(state, tables, seat):
    """What a die laid on a claim costs: its use now, and in each age to come."""
    now = 0.0 if claims_with_used(state, seat) else 1.3
    return state.weight[seat, Feature.ENERGY] * (now + 0.65 * later_ages(state, tables))


@compiled
def claims_with_used(state, seat):
    """Whether a used die can pay the seat's next claim."""
    return state.modifier[seat, Verb.CLAIM_WITH_USED] > 0 and state.used[seat] > 0


@compiled
def vvibon_worth(state, tables, seat):
    """What the next step on Vvibon is worth to the seat now."""
    step = state.vvibon[seat]
    if step >= tables.n_vvibon:
        return 0.0
    worth = state.weight[seat, Feature.VVIBON]
    if tables.vvibon_reward[step] == StepReward.VP:
        order = 0
        for other in range(state.players):
            if state.vvibon[other] > step:
                order += 1
        worth += state.weight[seat, Feature.VP] * tables.vvibon_vp[step, order]
    return worth


@compiled
def amp_r_worth(state, tables, seat):
    """What the next step on Amp-R is worth to the seat now."""
    step = state.amp_r[seat]
    if step >= tables.n_amp_r:
        return 0.0
    dice = state.weight[seat, Feature.ENERGY] * ages_left(state, tables) * tables.amp_r_dice[step]
    return state.weight[seat, Feature.AMP_R] + state.weight[seat, Feature.VP] * tables.amp_r_vp[step] + dice


@compiled_apart(STATE, TABLES, np.int64)
def weigh_steps(state, tables, seat):
    """Fill `worth` with what each step of a constellation would be worth to the seat now."""
    weight = state.weight[seat]
    worth = state.worth
    left = ages_left(state, tables)
    for planet in range(N_PLANETS):
        prophecy = state.face_up[planet]
        worth[planet] = 0.0 if prophecy == NOTHING else prophecy_worth(state, tables, seat, prophecy)
    worth[Step.VVIBON] = vvibon_worth(state, tables, seat)
    worth[Step.AMP_R] = amp_r_worth(state, tables, seat)
    worth[Step.LOTZZZ] = weight[Feature.LOTZZZ]
    if state.grey_owner != seat:
        worth[Step.LOTZZZ] += weight[Feature.ENERGY]
    suzur = tables.suzur_vp + tables.suzur_bonus * state.suzur[seat]
    worth[Step.SUZUR] = weight[Feature.SUZUR] * suzur
    cost = die_cost(state, tables, seat)
    bneph = tables.bneph_vp_boosted if state.boosted[seat] else tables.bneph_vp
    for field in range(tables.n_bneph):
        worth[BIT_BNEPH + field] = weight[Feature.VP] * bneph + weight[Feature.BNEPH] - cost
    for field in range(tables.n_primos):
        reward = tables.primos_reward[field]
        if reward == FieldReward.VP:
            gain = weight[Feature.VP] * tables.primos_vp[field]
        elif reward == FieldReward.SUZUR:
            gain = weight[Feature.SUZUR] * tables.suzur_bonus * 2.0 * left
        else:
            gain = weight[Feature.BNEPH] + 0.3 * (tables.bneph_vp_boosted - tables.bneph_vp) * left
        worth[BIT_PRIMOS + field] = gain + weight[Feature.PRIMOS] - cost
    state.laid_cost = weight[Feature.CARD] * (0.5 if left > 0.6 else 0.1)


@compiled_apart(STATE, TABLES, np.int64)
def weigh_hand(state, tables, seat):
    """Search the seat's hand for its best row, with what each step is worth to it now."""
    weigh_steps(state, tables, seat)
    take_aim(state, tables, seat)
    state.unseen = 0
    weigh_rows(state, tables, seat)


@compiled
def weigh_turn(state, tables, seat):
    """As `weigh_hand`, and find all that is within the seat's reach: the search that the rules ask for (`reachable`)."""
    weigh_steps(state, tables, seat)
    take_aim(state, tables, seat)
    weigh_rows(state, tables, seat)


@compiled
def weigh_rows(state, tables, seat):
    """Search with the aim taken, and note for whom and when."""
    search_rows(state, tables, seat, NOTHING)
    state.weighed = state.decisions
    state.weighed_seat = seat


@compiled
def card_features(state, tables, seat, card):
    """What a card is worth by its own features."""
    weight = state.weight[seat]
    metric = tables.card_metric[card]
    worth = weight[Feature.KEEP_STARS] * metric[Metric.STARS]
    worth += weight[Feature.KEEP_FLAMES] * metric[Metric.FLAMES]
    worth += weight[Feature.KEEP_COMETS] * metric[Metric.COMETS]
    worth += weight[Feature.KEEP_CENTRALS] * metric[Metric.CENTRALS]
    if tables.half_left[2 * card] == 0 or tables.half_right[2 * card] == 0:
        worth += weight[Feature.KEEP_ENDS]
    return worth


@compiled
def card_worth(state, tables, seat, card):
    """What a card is worth beside the seat's hand: its features, and how many of the hand it can join."""
    joints = 0
    meets = tables.card_meets[card]
    for place in range(state.hand_size[seat]):
        other = state.hand[seat, place]
        if other != card and (tables.card_sides[other] & meets) != 0:
            joints += 1
    worth = card_features(state, tables, seat, card) + state.weight[seat, Feature.JOINTS] * joints
    noise = state.weight[seat, Feature.NOISE]
    if noise > 0.0:
        worth += noise * unit(state.noise[seat])
    return worth


link(weigh_steps, weigh_hand)
