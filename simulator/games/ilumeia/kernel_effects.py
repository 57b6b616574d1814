"""Effects of prophecy cards: their size, whom they move, and what each verb does (RULES.md, "Effects")."""

from __future__ import annotations

import numpy as np

from simulator import rng
from simulator.compiled import compiled, compiled_apart, link
from simulator.games.ilumeia.kernel_cards import (
    SOURCE_AMP_R,
    SOURCE_VVIBON,
    add_to_hand,
    clear_display,
    discard_chosen,
    draw_cards,
    emit,
    enforce_limit,
    fill_display,
    gain_dice,
    lose,
    note,
    note_choice,
    pay,
    prophecy_source,
    remove_from_hand,
    take_from_display,
    take_grey,
    top_card,
    write,
)
from simulator.games.ilumeia.model import (
    MAX_OWNED,
    NOTHING,
    Kind,
    Part,
    Reward,
    StepReward,
    Tape,
    Target,
    Trigger,
    Verb,
)
from simulator.games.ilumeia.policy import (
    choose_buried,
    choose_copy,
    choose_discards,
    choose_from_display,
    choose_recalled,
    choose_target,
)
from simulator.games.ilumeia.records import STATE, TABLES
from simulator.games.ilumeia.standing import effect_size

# ---- the tracks, which effects can move too


@compiled
def step_vvibon(state, tables, seat):
    """IL-46: one step on Vvibon and its reward; VP by how many seats were there before (g40)."""
    step = state.vvibon[seat]
    order = 0
    for other in range(state.players):
        if state.vvibon[other] > step:
            order += 1
    state.vvibon[seat] = step + 1
    emit(state, Kind.STEP, seat, SOURCE_VVIBON, step + 1)
    reward = tables.vvibon_reward[step]
    amount = np.int64(0)
    if reward == StepReward.VP:
        amount = tables.vvibon_vp[step, order]
    elif reward == StepReward.KEEP:
        state.keep[seat] += tables.keep_per_step
    elif reward == StepReward.LIMIT:
        state.limit[seat] += tables.hand_limit_bonus
    elif reward == StepReward.SUZUR:
        state.suzur[seat] += 1
    elif reward == StepReward.PRIMOS:
        state.tolerance[seat] += tables.primos_tolerance_bonus
    pay(state, seat, SOURCE_VVIBON, np.int64(Part.VVIBON), amount)


@compiled
def step_amp_r(state, tables, seat):
    """IL-45: one step on Amp-R: dice, perhaps VP, perhaps one more from Suzur."""
    step = state.amp_r[seat]
    state.amp_r[seat] = step + 1
    emit(state, Kind.STEP, seat, SOURCE_AMP_R, step + 1)
    gain_dice(state, seat, tables.amp_r_dice[step])
    if step + 1 == tables.amp_r_suzur_step:
        state.suzur[seat] += 1
    pay(state, seat, SOURCE_AMP_R, np.int64(Part.AMP_R), tables.amp_r_vp[step])


# ---- taking effects


@compiled
def own_effect(state, tables, seat, prophecy, pays_as):
    """Lay an effect face up before a seat; a lasting change of a rule holds from now on."""
    place = state.owned_size[seat]
    if place >= MAX_OWNED:
        state.fault = 5
        return
    state.owned[seat, place] = prophecy
    state.owned_as[seat, place] = pays_as
    state.owned_spent[seat, place] = 0
    state.owned_size[seat] = place + 1
    if tables.trigger[prophecy] == Trigger.ALWAYS:
        state.modifier[seat, tables.verb[prophecy]] += tables.amount[prophecy]
        emit(state, Kind.USED, seat, prophecy_source(tables, pays_as), np.int64(1))


@compiled
def target_mask(state, tables, seat, prophecy):
    """The seats that an effect moves, as bits (target ONE asks the policy)."""
    target = tables.target[prophecy]
    mask = np.int64(0)
    if target == Target.SELF:
        return np.int64(1) << seat
    if target == Target.ONE:
        chosen = choose_target(state, tables, seat, prophecy)
        note(state, Tape.TARGET, seat, np.int64(1))
        write(state, chosen)
        return np.int64(1) << chosen
    for other in range(state.players):
        if other != seat and (target == Target.OTHERS or state.vp[other] > state.vp[seat]):
            mask |= np.int64(1) << other
    return mask


@compiled
def attack(state, tables, seat, victim, verb, size, source, part):
    """What an effect does to one other deity."""
    if verb == Verb.LOSE_VP:
        lose(state, victim, source, part, size)
    elif verb == Verb.STEAL_VP:
        lost = lose(state, victim, source, part, size)
        if lost > 0:
            pay(state, seat, source, part, lost)
    elif verb == Verb.SPEND_DIE:
        spent = min(size, state.available[victim])
        state.available[victim] -= spent
        state.used[victim] += spent
    elif verb == Verb.LOSE_CARDS:
        count = min(size, state.hand_size[victim])
        if count > 0:
            choose_discards(state, tables, victim, count)
            note_choice(state, Tape.DISCARD, victim)
            discard_chosen(state, victim)
    else:
        steal_cards(state, tables, seat, victim, size)


@compiled
def steal_cards(state, tables, seat, victim, size):
    """Random cards of the victim's hand come into the seat's hand."""
    count = min(size, state.hand_size[victim])
    if count == 0:
        return
    state.choice_size = count
    for place in range(count):
        card = state.hand[victim, rng.below(state.theft, state.hand_size[victim])]
        remove_from_hand(state, victim, card)
        add_to_hand(state, seat, card)
        state.choice[place] = card
    note_choice(state, Tape.RANDOM_CARD, victim)
    enforce_limit(state, tables, seat)


@compiled
def move_cards(state, tables, seat, verb, size):
    """The verbs that move cards of the owner."""
    if verb == Verb.DRAW:
        draw_cards(state, seat, size)
        enforce_limit(state, tables, seat)
    elif verb == Verb.TAKE_DISPLAY:
        for _card in range(size):
            slot = choose_from_display(state, tables, seat)
            if slot == NOTHING:
                break
            note(state, Tape.TAKE_DISPLAY, seat, np.int64(1))
            write(state, slot)
            take_from_display(state, seat, slot)
        enforce_limit(state, tables, seat)
    elif verb == Verb.RENEW_FREE:
        state.may_pass = 0
        clear_display(state, tables)
        fill_display(state, tables)
    elif verb == Verb.RECALL:
        recall_cards(state, tables, seat, size)
    elif verb == Verb.BURY:
        for _card in range(size):
            card = top_card(state)
            if card == NOTHING:
                break
            state.own[seat, state.own_size[seat]] = card
            state.own_size[seat] += 1
    elif verb == Verb.BURY_HAND and state.hand_size[seat] > 0:
        choose_buried(state, tables, seat, min(size, state.hand_size[seat]))
        note_choice(state, Tape.BURY_HAND, seat)
        for place in range(state.choice_size):
            card = state.choice[place]
            remove_from_hand(state, seat, card)
            state.own[seat, state.own_size[seat]] = card
            state.own_size[seat] += 1


@compiled
def recall_cards(state, tables, seat, size):
    """Cards of the own pile come back into the hand (g30)."""
    count = min(size, state.own_size[seat])
    if count == 0:
        return
    choose_recalled(state, tables, seat, count)
    note_choice(state, Tape.RECALL, seat)
    for place in range(state.choice_size):
        card = state.choice[place]
        last = state.own_size[seat] - 1
        for where in range(last + 1):
            if state.own[seat, where] == card:
                state.own[seat, where] = state.own[seat, last]
                state.own_size[seat] = last
                break
        add_to_hand(state, seat, card)
    enforce_limit(state, tables, seat)


@compiled
def copy_ability(state, tables, seat, pays_as):
    """A copy of another deity's face-up ability, held from now on like one won."""
    chosen = choose_copy(state, tables, seat)
    if chosen == NOTHING:
        state.fault = 6
        return
    note(state, Tape.COPY, seat, np.int64(1))
    write(state, chosen)
    own_effect(state, tables, seat, chosen, pays_as)


@compiled
def can_copy(state, tables, seat):
    """Whether another deity shows an ability that is no copy."""
    for other in range(state.players):
        if other == seat:
            continue
        for place in range(state.owned_size[other]):
            prophecy = state.owned[other, place]
            if (
                tables.reward[prophecy] == Reward.ABILITY
                and state.owned_as[other, place] == prophecy
                and tables.verb[prophecy] != Verb.COPY_ABILITY
            ):
                return True
    return False


@compiled
def move_self(state, tables, seat, verb, size, source, part, pays_as):
    """What an effect does for its owner."""
    if verb == Verb.GAIN_VP:
        pay(state, seat, source, part, size)
    elif verb == Verb.GAIN_DIE:
        gain_dice(state, seat, size)
    elif verb == Verb.REFRESH:
        count = min(size, state.used[seat])
        state.used[seat] -= count
        state.available[seat] += count
    elif verb == Verb.TAKE_GREY:
        take_grey(state, seat)
    elif verb == Verb.ADVANCE_VVIBON:
        for _step in range(size):
            if state.vvibon[seat] < tables.n_vvibon:
                step_vvibon(state, tables, seat)
    elif verb == Verb.ADVANCE_AMP_R:
        for _step in range(size):
            if state.amp_r[seat] < tables.n_amp_r:
                step_amp_r(state, tables, seat)
    elif verb == Verb.RELAX_BNEPH:
        state.relaxed = max(state.relaxed, size)
    elif verb == Verb.FREE_ACTION:
        state.free_action = 1
    elif verb == Verb.COPY_ABILITY:
        copy_ability(state, tables, seat, pays_as)
    else:
        move_cards(state, tables, seat, verb, size)


@compiled_apart(STATE, TABLES, np.int64, np.int64, np.int64)
def carry_out(state, tables, seat, prophecy, pays_as):
    """Carry out an effect of a seat, as large as it is now; nothing happens at size 0."""
    size = effect_size(state, tables, seat, prophecy)
    if size <= 0:
        return
    source = prophecy_source(tables, pays_as)
    part = tables.planet[pays_as]
    emit(state, Kind.USED, seat, source, size)
    verb = tables.verb[prophecy]
    if tables.target[prophecy] == Target.SELF:
        move_self(state, tables, seat, verb, size, source, part, pays_as)
        return
    mask = target_mask(state, tables, seat, prophecy)
    for distance in range(1, state.players):
        victim = (seat + distance) % state.players
        if (mask >> victim) & 1:
            attack(state, tables, seat, victim, verb, size, source, part)


@compiled
def fire(state, tables, seat, trigger):
    """Carry out a seat's effects of a trigger, in the order won."""
    for place in range(state.owned_size[seat]):
        if state.over and not state.scoring:
            return
        prophecy = state.owned[seat, place]
        if tables.trigger[prophecy] == trigger:
            carry_out(state, tables, seat, prophecy, state.owned_as[seat, place])


@compiled
def fire_others(state, tables, seat, trigger):
    """Carry out the others' abilities that react to a seat, clockwise from it (g34)."""
    for distance in range(1, state.players):
        fire(state, tables, (seat + distance) % state.players, trigger)


link(carry_out)
