"""The bots: every decision weighed by named features (`Feature`, described in `data/bots.toml`).

A decision gives each candidate a worth in victory points and takes the best. Nothing hidden is read: not the
order of the pile, not another deity's hand, not its providence cards.
"""

from __future__ import annotations

import numpy as np

from simulator.compiled import compiled, compiled_apart, link
from simulator.games.ilumeia.model import (
    MAX_BNEPH,
    MAX_PRIMOS,
    NOTHING,
    Action,
    Die,
    Feature,
    Reward,
    Step,
    Target,
    Trigger,
    Verb,
    Window,
)
from simulator.games.ilumeia.policy_worth import (
    card_worth,
    claims_with_used,
    effect_worth,
    weigh_hand,
    weigh_steps,
)
from simulator.games.ilumeia.records import BIT_BNEPH, BIT_PRIMOS, N_BITS, STATE, TABLES
from simulator.games.ilumeia.search import search_rows
from simulator.games.ilumeia.standing import effect_size, energy, exchange_cost, has_grey, renew_cost
from simulator.rng import below, unit

LOOKAHEAD_HAND = 7
USUAL_PILE = 8.0  # cards of constellations in an age
BEST, WORST = np.int64(1), np.int64(-1)
DO_NOTHING, DO_EXCHANGE, DO_RENEW = np.int64(-1), np.int64(-2), np.int64(-3)


@compiled
def pick_cards(state, count, candidates, size, sign):
    """Move `count` of the candidates into `choice`, those with the highest `card_worth` times `sign` first."""
    taken = state.choice
    state.choice_size = count
    for chosen in range(count):
        pick = NOTHING
        for place in range(size):
            already = False
            for earlier in range(chosen):
                if taken[earlier] == candidates[place]:
                    already = True
            if already:
                continue
            if pick == NOTHING or (sign * state.card_worth[place] > sign * state.card_worth[pick]):
                pick = place
        taken[chosen] = candidates[pick]


@compiled_apart(STATE, TABLES, np.int64)
def weigh_cards_in_hand(state, tables, seat):
    """Fill `card_worth` by place of the hand; the cards of its best row are worth more, if one was searched for."""
    best_size = state.best_size if state.weighed_seat == seat else 0
    for place in range(state.hand_size[seat]):
        card = state.hand[seat, place]
        state.card_worth[place] = card_worth(state, tables, seat, card)
        for laid in range(best_size):
            if state.best_row[laid] >> 1 == card:
                state.card_worth[place] += 1.0 + 0.3 * max(0.0, state.best_value)


# ---- which cards


@compiled
def choose_discards(state, tables, seat, count):
    """Fill `choice` with the cards of the hand that are worth least."""
    weigh_cards_in_hand(state, tables, seat)
    pick_cards(state, count, state.hand[seat], state.hand_size[seat], WORST)


@compiled
def choose_first_discards(state, tables, seat, count):
    """IL-29 (3.2): fill `choice` with the cards of the new hand that are worth least."""
    weigh_hand(state, tables, seat)
    choose_discards(state, tables, seat, count)


@compiled
def choose_kept(state, tables, seat, count):
    """Fill `choice` with the cards of the hand that are worth most."""
    weigh_cards_in_hand(state, tables, seat)
    pick_cards(state, count, state.hand[seat], state.hand_size[seat], BEST)


@compiled
def choose_buried(state, tables, seat, count):
    """Fill `choice` with hand cards for the own pile: all that may go there."""
    for place in range(state.hand_size[seat]):
        state.card_worth[place] = card_worth(state, tables, seat, state.hand[seat, place])
    pick_cards(state, count, state.hand[seat], state.hand_size[seat], BEST)


@compiled
def choose_recalled(state, tables, seat, count):
    """Fill `choice` with the cards of the own pile that go best with the hand."""
    for place in range(state.own_size[seat]):
        state.card_worth[place] = card_worth(state, tables, seat, state.own[seat, place])
    pick_cards(state, count, state.own[seat], state.own_size[seat], BEST)


@compiled
def improvement(state, tables, seat, card):
    """How much better the best row of the hand becomes with this card."""
    before = state.best_value if state.best_size > 0 else 0.0
    best_size, best_value, best_mask, reachable = (
        state.best_size,
        state.best_value,
        state.best_mask,
        state.reachable,
    )
    row = state.choice
    for place in range(best_size):
        row[place] = state.best_row[place]
    place = state.hand_size[seat]
    state.hand[seat, place] = card
    state.hand_size[seat] = place + 1
    state.unseen = 0
    state.bar = before
    search_rows(state, tables, seat, place)
    state.hand_size[seat] = place
    after = state.best_value if state.best_size > 0 else before
    state.best_size, state.best_value, state.best_mask, state.reachable = (
        best_size,
        best_value,
        best_mask,
        reachable,
    )
    for place in range(best_size):
        state.best_row[place] = row[place]
    return max(0.0, after - before)


@compiled
def best_of_display(state, tables, seat):
    """(best slot, its worth, second slot, its worth) of the display for the seat; NOTHING where there is none."""
    best = second = NOTHING
    best_worth = second_worth = 0.0
    for slot in range(tables.display):
        card = state.display[slot]
        if card == NOTHING:
            continue
        worth = card_worth(state, tables, seat, card)
        if best == NOTHING or worth > best_worth:
            second, second_worth = best, best_worth
            best, best_worth = np.int64(slot), worth
        elif second == NOTHING or worth > second_worth:
            second, second_worth = np.int64(slot), worth
    return best, best_worth, second, second_worth


@compiled
def best_ahead(state, tables, seat):
    """(slot, worth) of the display's best card, with the constellation that it makes possible; the hand was weighed.

    Only the two cards that look best are searched with, and only beside a hand that isn't full anyway: a search for
    every slot would cost more than all else.
    """
    best, best_worth, second, second_worth = best_of_display(state, tables, seat)
    lookahead = state.weight[seat, Feature.LOOKAHEAD]
    if best == NOTHING or lookahead <= 0.0 or state.hand_size[seat] > LOOKAHEAD_HAND:
        return best, best_worth
    best_worth += lookahead * improvement(state, tables, seat, state.display[best])
    if second != NOTHING:
        second_worth += lookahead * improvement(state, tables, seat, state.display[second])
        if second_worth > best_worth:
            return second, second_worth
    return best, best_worth


@compiled
def choose_from_display(state, tables, seat):
    """The slot to take by an effect, NOTHING if the display is empty."""
    return best_of_display(state, tables, seat)[0]


@compiled
def choose_first_card(state, tables, seat):
    """IL-29 (3.3): a slot of the display, or NOTHING for the top of the pile."""
    weigh_hand(state, tables, seat)
    slot, _worth = best_ahead(state, tables, seat)
    noise = state.weight[seat, Feature.NOISE]
    if noise >= 1.0 and below(state.noise[seat], tables.display + 1) == 0:
        return NOTHING
    return slot


# ---- providence


@compiled
def providence_chance(state, tables, seat, card):
    """About how likely the own pile is to come to a providence card's number, from the pile so far."""
    have = 0.0
    for place in range(state.own_size[seat]):
        have += tables.provident[card, state.own[seat, place]]
    ahead = have - tables.at_least[card]
    if ahead >= 0.0:
        return 1.0
    begun = state.age
    rate = USUAL_PILE if begun == 0 else state.own_size[seat] / begun
    coming = tables.provident_share[card] * rate * (tables.ages - begun)
    # A rational curve in place of the normal one: results are the same on every machine.
    ahead += coming + 0.5
    return 0.5 + 0.5 * ahead / (abs(ahead) + 1.0 + 0.35 * coming)


@compiled
def choose_providence(state, tables, seat):
    """IL-23: which of the two cards to keep (0 or 1), NOTHING to wait: the VP sink, but the pile will tell more."""
    first = providence_chance(state, tables, seat, state.providence[seat, 0])
    second = providence_chance(state, tables, seat, state.providence[seat, 1])
    better = np.int64(0) if first >= second else np.int64(1)
    last = state.age + 1 == tables.ages
    if state.weight[seat, Feature.NOISE] >= 1.0:
        if last or below(state.noise[seat], np.int64(4)) == 0:
            return below(state.noise[seat], np.int64(2))
        return NOTHING
    chance = max(first, second)
    now = chance * tables.providence_vp[state.age]
    if last:
        return better
    hoped = chance + state.weight[seat, Feature.PROVIDENCE] * (1.0 - chance)
    return better if now >= hoped * tables.providence_vp[state.age + 1] else NOTHING


# ---- actions


@compiled
def choose_action(state, tables, seat):
    """Fill `action`, `die` and what belongs to it: `slot`, or `best_row` for a constellation."""
    if state.weighed != state.decisions:
        weigh_hand(state, tables, seat)
    weight = state.weight[seat]
    noise = weight[Feature.NOISE]
    hand = state.hand_size[seat]
    limit = state.limit[seat] + state.modifier[seat, Verb.HAND_LIMIT]
    dice = energy(state, seat) + state.free_action
    wanting = weight[Feature.HUNGER] * max(0.0, weight[Feature.HAND_AIM] - hand)
    # The last die: what isn't kept is discarded afterwards.
    room = state.keep[seat] + state.modifier[seat, Verb.KEEP] - hand
    draw = weight[Feature.DRAW] + wanting
    draws = tables.draw + state.modifier[seat, Verb.DRAW_BONUS]
    if dice == 1:
        draw = 0.3 * weight[Feature.CARD] * max(0, min(draws, room))
    draw -= 0.5 * max(0, hand + draws - limit)
    best = draw
    state.action = Action.DRAW
    if noise > 0.0:
        best += noise * unit(state.noise[seat])
    if state.best_size > 0:
        value = state.best_value + weight[Feature.CREATE] - weight[Feature.PATIENCE] * (dice - 1)
        if noise > 0.0:
            value += noise * unit(state.noise[seat])
        if value > best:
            best = value
            state.action = Action.CREATE
    if dice > 1 or room > 0:
        # Who is about to lay a constellation looks at the display, but doesn't search with its cards.
        if dice > 1 and state.action != Action.CREATE:
            slot, worth = best_ahead(state, tables, seat)
        else:
            slot, worth, _second, _worth = best_of_display(state, tables, seat)
        if slot != NOTHING:
            value = weight[Feature.TAKE] + worth + wanting / 3.0 - 0.5 * max(0, hand + 1 - limit)
            if noise > 0.0:
                value += noise * unit(state.noise[seat])
            if value > best:
                best = value
                state.action = Action.TAKE
                state.slot = slot
    if state.may_pass and state.free_action == 0:
        value = weight[Feature.PASS] - weight[Feature.ENERGY] * (dice - 1)
        if noise > 0.0:
            value += noise * unit(state.noise[seat])
        if value > best:
            state.action = Action.PASS
    state.die = Die.OWN
    saves_grey = state.action == Action.CREATE and state.modifier[seat, Verb.CLAIM_WITH_GREY] > 0
    if has_grey(state, seat) and (state.available[seat] == 0 or not saves_grey):
        state.die = Die.GREY


# ---- beside the action


@compiled
def near_bneph(state, tables, size):
    """Whether a tolerance of `size` would open a field of B'neph for the constellation laid."""
    for field in range(tables.n_bneph):
        distance = abs(state.laid[tables.bneph_metric[field]] - tables.bneph_value[field])
        if state.bneph_owner[field] == NOTHING and 0 < distance <= size:
            return True
    return False


@compiled
def is_good_moment(state, tables, seat, prophecy, which):
    """Whether a one-time effect is well played in this window."""
    verb = tables.verb[prophecy]
    dice = energy(state, seat)
    last_age = state.age + 1 == tables.ages
    size = effect_size(state, tables, seat, prophecy)
    if verb == Verb.RELAX_BNEPH:
        return which == Window.SCORING and state.available[seat] > 0 and near_bneph(state, tables, size)
    if which == Window.SCORING:
        return False
    ending = which == Window.IDLE or (which == Window.AFTER and dice == 0)
    if verb == Verb.REFRESH:
        return which == Window.AFTER and dice == 0 and state.used[seat] >= min(size, 2)
    if verb == Verb.TAKE_GREY:
        return which == Window.AFTER and dice == 0
    if verb in (Verb.DRAW, Verb.TAKE_DISPLAY, Verb.RECALL):
        limit = state.limit[seat] + state.modifier[seat, Verb.HAND_LIMIT]
        fits = state.hand_size[seat] + size <= limit
        return which == Window.IDLE or (which == Window.BEFORE and fits and dice >= 2)
    if verb == Verb.RENEW_FREE:
        return which == Window.BEFORE and dice >= 2
    if verb == Verb.ADVANCE_VVIBON:
        # Kept for the steps that ask for the most stars.
        return state.vvibon[seat] + 2 >= tables.n_vvibon or (last_age and ending)
    if tables.target[prophecy] == Target.AHEAD:
        # As long as only few are ahead, it is kept for a worse day.
        ahead = 0
        for other in range(state.players):
            if state.vp[other] > state.vp[seat]:
                ahead += 1
        return ahead > 0 and (2 * ahead >= state.players or last_age)
    if verb in (Verb.GAIN_VP, Verb.LOSE_VP, Verb.STEAL_VP):
        # What grows is played when it is large; at the latest while the last age still gives a turn.
        full = tables.most[prophecy] != NOTHING and size >= tables.most[prophecy]
        fixed = tables.per_length[prophecy] == 0 and tables.counts[prophecy] == 0
        return full or (fixed and state.age >= 1) or (last_age and ending)
    return True


@compiled
def choose_free_action(state, tables, seat, which, playable, may_exchange, may_renew):
    """The place of an effect to play (a bit of `playable`), DO_EXCHANGE, DO_RENEW or DO_NOTHING."""
    weight = state.weight[seat]
    if weight[Feature.NOISE] >= 1.0:
        return choose_any_deed(state, tables, seat, playable, may_exchange, may_renew)
    if weight[Feature.PLAY] > 0.0:
        for place in range(state.owned_size[seat]):
            if (playable >> place) & 1 and is_good_moment(
                state, tables, seat, state.owned[seat, place], which
            ):
                return np.int64(place)
    if which == Window.SCORING:
        return DO_NOTHING
    dice = energy(state, seat)
    hand = state.hand_size[seat]
    keep = state.keep[seat] + state.modifier[seat, Verb.KEEP]
    if may_exchange and weight[Feature.EXCHANGE] > 0.0:
        cost = exchange_cost(state, tables, seat)
        doomed = which == Window.AFTER and dice == 0 and keep > 0 and hand - keep >= cost
        stuck = which == Window.BEFORE and state.best_size == 0 and hand >= cost + 3 and dice >= 2
        if doomed or (stuck and weight[Feature.EXCHANGE] >= 1.0):
            return prepare_exchange(state, tables, seat, cost)
    if may_renew and weight[Feature.RENEW] > 0.0:
        cost = renew_cost(state, tables, seat)
        doomed = which == Window.AFTER and dice == 0 and hand - keep >= max(1, cost)
        stuck = which == Window.BEFORE and state.best_size == 0 and hand >= cost + 4 and dice >= 2
        if doomed or (stuck and weight[Feature.RENEW] >= 1.0):
            choose_discards(state, tables, seat, cost)
            return DO_RENEW
    return DO_NOTHING


@compiled
def prepare_exchange(state, tables, seat, cost):
    """Choose what to give and take in an exchange."""
    slot = choose_from_display(state, tables, seat)
    choose_discards(state, tables, seat, cost)
    state.slot = slot
    return DO_EXCHANGE


@compiled
def choose_any_deed(state, tables, seat, playable, may_exchange, may_renew):
    """Any deed at random, mostly none."""
    noise = state.noise[seat]
    chance = below(noise, np.int64(12))
    if chance == 0 and may_exchange:
        cost = exchange_cost(state, tables, seat)
        deed = prepare_exchange(state, tables, seat, cost)
        if below(noise, np.int64(2)) == 0:
            state.slot = NOTHING
        return deed
    if chance == 1 and may_renew:
        choose_discards(state, tables, seat, renew_cost(state, tables, seat))
        return DO_RENEW
    if chance in (2, 3, 4) and playable:
        place = below(noise, state.owned_size[seat])
        if (playable >> place) & 1:
            return place
    return DO_NOTHING


# ---- scoring


@compiled
def choose_step(state, tables, seat, mask):
    """The next scoring step among the open ones, as a bit; NOTHING to leave the rest."""
    if state.weight[seat, Feature.NOISE] >= 1.0:
        return choose_any_step(state, seat, mask)
    for bit in range(Step.SUZUR):
        if (mask >> bit) & 1:
            return np.int64(bit)
    weigh_steps(state, tables, seat)
    # Primos before B'neph, which it can raise; Suzur last, which all of them can raise.
    best = NOTHING
    for field in range(MAX_PRIMOS):
        bit = BIT_PRIMOS + field
        if not (mask >> bit) & 1 or state.worth[bit] <= 0.0:
            continue
        if best == NOTHING or state.worth[bit] > state.worth[best]:
            best = np.int64(bit)
    if best != NOTHING:
        return best
    for field in range(MAX_BNEPH):
        bit = BIT_BNEPH + field
        if (mask >> bit) & 1 and state.worth[bit] > 0.0:
            return np.int64(bit)
    if (mask >> np.int64(Step.SUZUR)) & 1:
        return np.int64(Step.SUZUR)
    return NOTHING


@compiled
def choose_any_step(state, seat, mask):
    """An open step at random; optional ones are sometimes left."""
    noise = state.noise[seat]
    optional_only = (mask >> np.int64(Step.VVIBON)) & 15 == 0
    if optional_only and below(noise, np.int64(3)) == 0:
        return NOTHING
    count = 0
    for bit in range(N_BITS):
        count += (mask >> bit) & 1
    pick = below(noise, np.int64(count))
    for bit in range(N_BITS):
        if (mask >> bit) & 1:
            if pick == 0:
                return np.int64(bit)
            pick -= 1
    return NOTHING


@compiled
def choose_reward(state, tables, seat, prophecy):
    """1 to take an ability or one-time effect, 0 to take its VP (IL-26)."""
    effect = effect_worth(state, tables, seat, prophecy)
    vp = state.weight[seat, Feature.VP] * tables.vp[prophecy]
    noise = state.weight[seat, Feature.NOISE]
    if noise > 0.0:
        effect += noise * unit(state.noise[seat])
        vp += noise * unit(state.noise[seat])
    return np.int64(1) if effect > vp else np.int64(0)


@compiled
def choose_claim_die(state, tables, seat):
    """The die to lay on a claim: a used one if allowed, else an available own one, else the grey one."""
    if claims_with_used(state, seat):
        return np.int64(Die.USED)
    if state.available[seat] > 0:
        return np.int64(Die.OWN)
    return np.int64(Die.GREY)


@compiled
def choose_target(state, tables, seat, prophecy):
    """The deity that an effect moves: who leads, or who has most of what is taken."""
    verb = tables.verb[prophecy]
    weight = state.weight[seat]
    best = NOTHING
    best_worth = 0.0
    for distance in range(1, state.players):
        other = (seat + distance) % state.players
        worth = weight[Feature.LEADER] * state.vp[other]
        if verb in (Verb.LOSE_CARDS, Verb.STEAL_CARD):
            worth += state.hand_size[other]
        elif verb == Verb.SPEND_DIE:
            worth += 5.0 * min(1, state.available[other])
        if weight[Feature.NOISE] > 0.0:
            worth += weight[Feature.NOISE] * unit(state.noise[seat])
        if best == NOTHING or worth > best_worth:
            best = np.int64(other)
            best_worth = worth
    return best


@compiled
def choose_copy(state, tables, seat):
    """The other deities' ability that is worth most to copy, NOTHING if there is none."""
    best = NOTHING
    best_worth = 0.0
    for distance in range(1, state.players):
        other = (seat + distance) % state.players
        for place in range(state.owned_size[other]):
            prophecy = state.owned[other, place]
            if (
                tables.reward[prophecy] != Reward.ABILITY
                or state.owned_as[other, place] != prophecy
                or tables.verb[prophecy] == Verb.COPY_ABILITY
                or tables.trigger[prophecy] == Trigger.PLAY
            ):
                continue
            worth = effect_worth(state, tables, seat, prophecy)
            if best == NOTHING or worth > best_worth:
                best = prophecy
                best_worth = worth
    return best


link(weigh_cards_in_hand)
