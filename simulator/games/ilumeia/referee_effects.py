"""What prophecy cards do: the size of an effect, whom it moves, each verb (RULES.md, section "Effects")."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from simulator.games.ilumeia.model import MOST_TIMES, Action, Kind, Reward, Tape, Target, Trigger, Verb
from simulator.games.ilumeia.referee_planets import advance_amp_r, advance_vvibon
from simulator.games.ilumeia.referee_table import Deity, Holding, Table

if TYPE_CHECKING:
    from simulator.conditions import Expression
    from simulator.games.ilumeia.cards import Effect

# The size of an effect


def standing(table: Table, deity: Deity, name: str) -> float:
    """What an effect's `per` and `when` read of its owner's state."""
    if name.startswith("pile_"):
        metric = name.removeprefix("pile_")
        return sum(table.card_metrics(card)[metric] for card in deity.pile)
    every_vp = [each.vp for each in table.deities]
    values: dict[str, float] = {
        "hand": len(deity.hand),
        "energy": deity.own,
        "used_energy": deity.used,
        "grey": table.grey_owner == deity.seat,
        "vp": deity.vp,
        "behind": sum(vp > deity.vp for vp in every_vp),
        "gap": max(every_vp) - deity.vp,
        "vvibon": deity.vvibon,
        "amp_r": deity.amp_r,
        "record": deity.record,
        "prophecies": len(deity.won),
        "claims": len(deity.primos) + len(deity.bneph),
        "constellations": deity.did[Action.CREATE],
        "pile": len(deity.pile),
        "age": table.age,
        "players": table.players,
    }
    return float(values[name])


def read_expression(
    table: Table, deity: Deity, expression: Expression, metrics: Mapping[str, float] | None
) -> float:
    """An expression of an effect, from the constellation's metrics and its owner's standing."""
    known = metrics or {}
    return expression.value(
        {name: known[name] if name in known else standing(table, deity, name) for name in expression.names}
    )


def size_of(table: Table, deity: Deity, effect: Effect, metrics: Mapping[str, float] | None) -> int:
    """n of an effect for its owner; 0 if nothing happens."""
    if effect.when is not None and not read_expression(table, deity, effect.when, metrics):
        return 0
    times = 1
    if effect.per is not None:
        times = min(MOST_TIMES, max(0, math.floor(read_expression(table, deity, effect.per, metrics))))
    elif effect.count is not None:
        times = sum(bool(effect.count.value(table.card_metrics(card))) for card in deity.pile)
    size = effect.amount * times
    if effect.most is not None:
        size = min(size, effect.most)
    return max(0, size)


def targets_of(table: Table, deity: Deity, target: Target) -> list[Deity]:
    """Whom an effect moves, in the order in which it does."""
    if target == Target.SELF:
        return [deity]
    if target == Target.OTHERS:
        return table.others(deity.seat)
    if target == Target.AHEAD:
        return [other for other in table.others(deity.seat) if other.vp > deity.vp]
    chosen = table.tape.read(Tape.TARGET, deity.seat, "IL-26", "the effect moves one other deity")
    fits = len(chosen) == 1 and 0 <= chosen[0] < table.players and chosen[0] != deity.seat
    table.tape.require(fits, "IL-26", "the target isn't one other deity")
    return [table.deities[chosen[0]]]


# When effects work


def carry_out(
    table: Table, deity: Deity, holding: Holding, metrics: Mapping[str, float] | None = None
) -> None:
    """Let an effect work for its owner, if its size is more than 0."""
    effect = table.effect(holding)
    size = size_of(table, deity, effect, metrics)
    if size <= 0:
        return
    targets = targets_of(table, deity, effect.target)
    source = table.prophecy_source(holding.paying)
    table.event(deity.seat, Kind.USED, source, size)
    if effect.verb in ON_TARGETS:
        for target in targets:
            ON_TARGETS[effect.verb](table, deity, target, size, source)
    else:
        ON_OWNER[effect.verb](table, deity, size, holding)


def trigger_own(
    table: Table, deity: Deity, trigger: Trigger, metrics: Mapping[str, float] | None = None
) -> None:
    """A deity's own abilities with this trigger, in the order won."""
    for holding in list(deity.abilities):
        if table.effect(holding).trigger == trigger:
            carry_out(table, deity, holding, metrics)


def trigger_others(
    table: Table, active: Deity, trigger: Trigger, metrics: Mapping[str, float] | None = None
) -> None:
    """The abilities of the others with this trigger, clockwise from the active seat."""
    for other in table.others(active.seat):
        trigger_own(table, other, trigger, metrics)


def hold(table: Table, deity: Deity, prophecy: int) -> None:
    """A deity holds a card's effect from now on."""
    holding = Holding(prophecy, prophecy)
    reward = table.prophecies[prophecy].reward
    if reward == Reward.ABILITY:
        hold_ability(table, deity, holding)
    elif reward == Reward.ONE_TIME:
        deity.one_time.append(holding)
    else:
        deity.finals.append(holding)


def hold_ability(table: Table, deity: Deity, holding: Holding) -> None:
    """A deity holds an ability, won or copied, as the latest of its own."""
    deity.abilities.append(holding)
    if table.effect(holding).trigger == Trigger.ALWAYS:
        table.event(deity.seat, Kind.USED, table.prophecy_source(holding.paying), 1)


def play(table: Table, deity: Deity, prophecy: int) -> None:
    """Use up a one-time card in a window of the own turn (g26, g28)."""
    require = table.tape.require
    known = 0 <= prophecy < len(table.prophecies)
    name = table.prophecies[prophecy].name if known else f"prophecy {prophecy}"
    holding = Holding(prophecy, prophecy)
    require(holding in deity.one_time, "IL-26", f"seat {deity.seat} has no unused one-time card {name}")
    effect = table.effect(holding)
    require(size_of(table, deity, effect, None) > 0, "IL-26", f"{name} would do nothing now")
    if effect.verb == Verb.FREE_ACTION:
        possible = table.turn_has_energy and table.before_action
        require(possible, "IL-26", f"{name} comes before the action of a turn with energy")
    if effect.verb == Verb.RENEW_FREE:
        require(table.turn_has_energy, "IL-38", f"{name} renews the display, not without energy")
        require(not table.cards_ran_out, "IL-34", "no card is left to renew the display with")
    if effect.verb == Verb.COPY_ABILITY:
        possible = bool(abilities_to_copy(table, deity))
        require(possible, "IL-26", "no other deity has a face-up ability to copy")
    deity.one_time.remove(holding)
    deity.did[Action.PLAY] += 1
    table.listener.played(table, deity.seat, prophecy)
    carry_out(table, deity, holding)


def abilities_to_copy(table: Table, deity: Deity) -> list[int]:
    """The face-up abilities of the others that a copy may be made of."""
    return [
        holding.prophecy
        for other in table.others(deity.seat)
        for holding in other.abilities
        if not holding.copied and table.effect(holding).verb != Verb.COPY_ABILITY
    ]


# Verbs that move others


def _lose_vp(table: Table, owner: Deity, target: Deity, size: int, source: str) -> None:
    table.lose(target, source, size)


def _steal_vp(table: Table, owner: Deity, target: Deity, size: int, source: str) -> None:
    lost = table.lose(target, source, size)
    if lost:
        table.pay(owner, source, lost)


def _lose_cards(table: Table, owner: Deity, target: Deity, size: int, source: str) -> None:
    table.discard_down(target, min(size, len(target.hand)), "IL-26", "an attack")


def _steal_card(table: Table, owner: Deity, target: Deity, size: int, source: str) -> None:
    count = min(size, len(target.hand))
    if count == 0:
        return
    need = f"{count} random cards of seat {target.seat} are stolen"
    cards = table.tape.read(Tape.RANDOM_CARD, target.seat, "IL-26", need)
    table.tape.require(len(cards) == count, "IL-26", f"{need}, not {len(cards)}")
    table.cards_leave_hand(target, cards, "IL-26")
    owner.hand += cards
    table.listener.took(table, owner.seat, cards, f"the hand of seat {target.seat}")
    table.check_limit(owner)


def _spend_die(table: Table, owner: Deity, target: Deity, size: int, source: str) -> None:
    spent = min(size, target.own)
    target.own -= spent
    target.used += spent


ON_TARGETS: Mapping[Verb, Callable[[Table, Deity, Deity, int, str], None]] = {
    Verb.LOSE_VP: _lose_vp,
    Verb.STEAL_VP: _steal_vp,
    Verb.LOSE_CARDS: _lose_cards,
    Verb.STEAL_CARD: _steal_card,
    Verb.SPEND_DIE: _spend_die,
}

# Verbs for the owner


def _gain_vp(table: Table, deity: Deity, size: int, holding: Holding) -> None:
    table.pay(deity, table.prophecy_source(holding.paying), size)


def _gain_die(table: Table, deity: Deity, size: int, holding: Holding) -> None:
    table.gain_dice(deity, size)


def _refresh(table: Table, deity: Deity, size: int, holding: Holding) -> None:
    refreshed = min(size, deity.used)
    deity.used -= refreshed
    deity.own += refreshed


def _take_grey(table: Table, deity: Deity, size: int, holding: Holding) -> None:
    table.take_grey(deity)


def _draw(table: Table, deity: Deity, size: int, holding: Holding) -> None:
    table.draw(deity, size)
    table.check_limit(deity)


def _take_display(table: Table, deity: Deity, size: int, holding: Holding) -> None:
    for _ in range(size):
        if all(card is None for card in table.display):
            break
        slots = table.tape.read(Tape.TAKE_DISPLAY, deity.seat, "IL-26", "a card of the display is taken")
        table.tape.require(len(slots) == 1, "IL-26", "one slot of the display is needed")
        table.take_from_display(deity, slots[0], "IL-26")
    table.check_limit(deity)


def _advance_vvibon(table: Table, deity: Deity, size: int, holding: Holding) -> None:
    for _ in range(size):
        if not advance_vvibon(table, deity):
            break


def _advance_amp_r(table: Table, deity: Deity, size: int, holding: Holding) -> None:
    for _ in range(size):
        if not advance_amp_r(table, deity):
            break


def _relax_bneph(table: Table, deity: Deity, size: int, holding: Holding) -> None:
    table.relaxed_bneph = max(table.relaxed_bneph, size)


def _free_action(table: Table, deity: Deity, size: int, holding: Holding) -> None:
    table.action_free = True


def _renew_free(table: Table, deity: Deity, size: int, holding: Holding) -> None:
    table.pass_barred = True
    table.clear_display()
    table.fill_display()
    table.listener.renewed(table, deity.seat)


def _copy_ability(table: Table, deity: Deity, size: int, holding: Holding) -> None:
    chosen = table.tape.read(Tape.COPY, deity.seat, "IL-26", "the effect copies an ability")
    known = len(chosen) == 1 and chosen[0] in abilities_to_copy(table, deity)
    table.tape.require(known, "IL-26", "this isn't a face-up ability of another deity that can be copied")
    hold_ability(table, deity, Holding(chosen[0], holding.paying))


def _recall(table: Table, deity: Deity, size: int, holding: Holding) -> None:
    count = min(size, len(deity.pile))
    if count == 0:
        return
    need = f"{count} cards of the own pile come back into the hand"
    cards = table.tape.read(Tape.RECALL, deity.seat, "IL-26", need)
    table.tape.require(len(cards) == count, "IL-26", f"{need}, not {len(cards)}")
    for card in cards:
        table.tape.require(card in deity.pile, "IL-26", f"{table.named(card)} isn't in the own pile")
        deity.pile.remove(card)
        deity.hand.append(card)
    table.listener.took(table, deity.seat, cards, "the own pile")
    table.check_limit(deity)


def _bury(table: Table, deity: Deity, size: int, holding: Holding) -> None:
    for _ in range(size):
        card = table.top_card()
        if card is None:
            break
        deity.pile.append(card)


def _bury_hand(table: Table, deity: Deity, size: int, holding: Holding) -> None:
    if not deity.hand:
        return
    cards = table.tape.read(Tape.BURY_HAND, deity.seat, "IL-26", "hand cards may go onto the own pile")
    table.tape.require(len(cards) <= size, "IL-26", f"at most {size} hand cards go onto the own pile")
    table.cards_leave_hand(deity, cards, "IL-26")
    deity.pile += cards


ON_OWNER: Mapping[Verb, Callable[[Table, Deity, int, Holding], None]] = {
    Verb.GAIN_VP: _gain_vp,
    Verb.GAIN_DIE: _gain_die,
    Verb.REFRESH: _refresh,
    Verb.TAKE_GREY: _take_grey,
    Verb.DRAW: _draw,
    Verb.TAKE_DISPLAY: _take_display,
    Verb.ADVANCE_VVIBON: _advance_vvibon,
    Verb.ADVANCE_AMP_R: _advance_amp_r,
    Verb.RELAX_BNEPH: _relax_bneph,
    Verb.FREE_ACTION: _free_action,
    Verb.RENEW_FREE: _renew_free,
    Verb.COPY_ABILITY: _copy_ability,
    Verb.RECALL: _recall,
    Verb.BURY: _bury,
    Verb.BURY_HAND: _bury_hand,
}
