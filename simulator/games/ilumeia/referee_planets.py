"""The six planets without cards: what each asks of a constellation and what it gives (IL-43 to IL-48)."""

from __future__ import annotations

from collections.abc import Mapping

from simulator.games.ilumeia.model import Action, Die, FieldReward, Kind, StepReward, Verb
from simulator.games.ilumeia.referee_table import Deity, Table

# Suzur


def suzur_vp(table: Table, deity: Deity) -> int:
    """IL-43: 1, and 1 more for Primos {5, 7}, Amp-R 3 and Vvibon 7 each."""
    bonuses = (
        sum(primos_reward(table, place)[0] == FieldReward.SUZUR for place in deity.primos)
        + (deity.amp_r >= table.rules.amp_r_suzur_step > 0)
        + table.step_rewards(deity, StepReward.SUZUR)
    )
    return table.rules.suzur_vp + bonuses * table.rules.suzur_bonus


# Lotzzz


def meets_lotzzz(table: Table, deity: Deity, metrics: Mapping[str, float]) -> bool:
    """IL-44, r9: more cards than the front marker and at least 5."""
    cards = metrics["cards"] + table.lasting(deity, Verb.RECORD_LENIENCY)
    front = max(each.record for each in table.deities)
    return cards > front and cards >= table.rules.lotzzz_minimum


def set_record(table: Table, deity: Deity, metrics: Mapping[str, float]) -> None:
    """The own marker to the number of cards (r9), and the grey die as available."""
    deity.record = int(metrics["cards"]) + table.lasting(deity, Verb.RECORD_LENIENCY)
    table.event(deity.seat, Kind.STEP, "lotzzz", deity.record)
    table.pay(deity, "lotzzz", 0)
    table.take_grey(deity)


# Amp-R


def meets_amp_r(table: Table, deity: Deity, metrics: Mapping[str, float]) -> bool:
    """IL-45: at least the flame stars of the next field."""
    thresholds = table.rules.amp_r_thresholds
    if deity.amp_r >= len(thresholds):
        return False
    return metrics["flames"] >= max(0, thresholds[deity.amp_r] - table.lasting(deity, Verb.AMP_R_LENIENCY))


def advance_amp_r(table: Table, deity: Deity) -> bool:
    """One field on, with its dice and VP; False at the end of the track."""
    if deity.amp_r >= len(table.rules.amp_r_thresholds):
        return False
    field = deity.amp_r
    deity.amp_r += 1
    table.event(deity.seat, Kind.STEP, "amp_r", deity.amp_r)
    table.gain_dice(deity, table.rules.amp_r_dice[field])
    table.pay(deity, "amp_r", table.rules.amp_r_vp[field])
    return True


# Vvibon


def meets_vvibon(table: Table, deity: Deity, metrics: Mapping[str, float]) -> bool:
    """IL-46: at least the stars of the next step."""
    thresholds = table.rules.vvibon_thresholds
    if deity.vvibon >= len(thresholds):
        return False
    return metrics["stars"] >= max(0, thresholds[deity.vvibon] - table.lasting(deity, Verb.VVIBON_LENIENCY))


def advance_vvibon(table: Table, deity: Deity) -> bool:
    """One step on, with its VP by the order in which deities reach it (g40); False at the end."""
    rules = table.rules
    if deity.vvibon >= len(rules.vvibon_thresholds):
        return False
    step = deity.vvibon
    before = sum(other.vvibon > step for other in table.deities)
    deity.vvibon += 1
    table.event(deity.seat, Kind.STEP, "vvibon", deity.vvibon)
    vp = 0
    if table.step_reward(step) == StepReward.VP:
        graded = sum(table.step_reward(earlier) == StepReward.VP for earlier in range(step))
        vp = rules.vvibon_vp[graded][before]
    table.pay(deity, "vvibon", vp)
    return True


# Primos and B'neph


def primos_reward(table: Table, place: int) -> tuple[FieldReward, int]:
    """What a claim of this field gives, and its VP."""
    reward = table.rules.primos_rewards[place]
    if isinstance(reward, str):
        return FieldReward[reward.upper()], 0
    return FieldReward.VP, reward


def primos_tolerance(table: Table, deity: Deity) -> int:
    """By how much the stars may miss a field's numbers (g41)."""
    steps = table.step_rewards(deity, StepReward.PRIMOS)
    return steps * table.rules.primos_tolerance_bonus + table.lasting(deity, Verb.PRIMOS_TOLERANCE)


def primos_fits(table: Table, place: int, metrics: Mapping[str, float], tolerance: int) -> bool:
    """IL-47, g41: the distance to the field's set of numbers is within the tolerance."""
    return min(abs(metrics["stars"] - number) for number in table.rules.primos_fields[place]) <= tolerance


def bneph_fits(table: Table, place: int, metrics: Mapping[str, float], tolerance: int) -> bool:
    """IL-48, g42: the field's number is met, exactly or within the tolerance."""
    distance = metrics[table.rules.bneph_metrics[place]] - table.rules.bneph_values[place]
    return abs(distance) <= tolerance


def bneph_claimed(table: Table, place: int) -> bool:
    """Whether any deity has claimed this field: once a game (IL-48)."""
    return any(place in deity.bneph for deity in table.deities)


def bneph_vp(table: Table, deity: Deity) -> int:
    """8 VP, 13 after Primos {2, 3}."""
    boosted = any(primos_reward(table, place)[0] == FieldReward.BNEPH for place in deity.primos)
    return table.rules.bneph_vp_boosted if boosted else table.rules.bneph_vp


def pay_claim_die(table: Table, deity: Deity, die: int, clause: str) -> None:
    """r4, g25: an own available die lies on the claim from now on, or another if an ability allows it."""
    require = table.tape.require
    if die == Die.OWN:
        require(deity.own > 0, clause, "no own die lies in available")
        deity.own -= 1
    elif die == Die.USED:
        allowed = table.lasting(deity, Verb.CLAIM_WITH_USED) > 0
        require(allowed, clause, "a used die can't claim without an ability for it")
        require(deity.used > 0, clause, "no own die lies in used")
        deity.used -= 1
    elif die == Die.GREY:
        allowed = table.lasting(deity, Verb.CLAIM_WITH_GREY) > 0
        require(allowed, clause, "the grey die can't claim without an ability for it")
        require(table.has_grey(deity), clause, "the grey die isn't available here")
        table.grey_owner, table.grey_available, table.grey_claimed = None, False, True
    else:
        table.tape.refuse(clause, f"a claim is paid with an own, used or grey die, not {die}")
    deity.did[Action.CLAIM] += 1
    table.listener.claimed(table, deity.seat, Die(die))


def claim_primos(table: Table, deity: Deity, place: int, die: int, metrics: Mapping[str, float]) -> None:
    """Claim a field of Primos for the constellation being scored."""
    require = table.tape.require
    require(0 <= place < len(table.rules.primos_fields), "IL-47", f"Primos has no field {place}")
    require(place not in deity.primos, "IL-47", f"seat {deity.seat} has claimed this field before")
    tolerance = primos_tolerance(table, deity)
    numbers = " or ".join(map(str, table.rules.primos_fields[place]))
    what = f"{metrics['stars']:.0f} stars don't fit the field {numbers} within {tolerance}"
    require(primos_fits(table, place, metrics, tolerance), "IL-47", what)
    pay_claim_die(table, deity, die, "IL-47")
    deity.primos.append(place)
    table.pay(deity, table.primos_source(place), primos_reward(table, place)[1])


def claim_bneph(table: Table, deity: Deity, place: int, die: int, metrics: Mapping[str, float]) -> None:
    """Claim a field of B'neph for the constellation being scored."""
    require = table.tape.require
    rules = table.rules
    require(0 <= place < len(rules.bneph_metrics), "IL-48", f"B'neph has no field {place}")
    require(not bneph_claimed(table, place), "IL-48", "this field of B'neph is claimed for the whole game")
    metric = rules.bneph_metrics[place]
    what = f"{metric} {metrics[metric]:.0f} isn't {rules.bneph_values[place]}, within {table.relaxed_bneph}"
    require(bneph_fits(table, place, metrics, table.relaxed_bneph), "IL-48", what)
    pay_claim_die(table, deity, die, "IL-48")
    deity.bneph.append(place)
    table.pay(deity, table.bneph_source(place), bneph_vp(table, deity))
