"""Which sources a deity could win with some legal row of its hand (RULES.md, "Reachable exactly")."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from simulator.games.ilumeia.measure import legal_rows
from simulator.games.ilumeia.model import StepReward, Verb
from simulator.games.ilumeia.referee_planets import (
    bneph_claimed,
    bneph_fits,
    meets_amp_r,
    meets_lotzzz,
    meets_vvibon,
    primos_fits,
    primos_tolerance,
)
from simulator.games.ilumeia.referee_table import Deity, Table

if TYPE_CHECKING:
    from simulator.conditions import Expression

Test = Callable[[Mapping[str, float]], bool]


def mark_reachable_sources(table: Table, deity: Deity) -> None:
    """Mark what became reachable for a deity at the start of its action turn, in the order of the sources."""
    tests = {
        source: test for source, test in _tests(table, deity) if (deity.seat, source) not in table.reached
    }
    found: set[str] = set()
    for row in legal_rows(table.star_cards, [table.card_ids[card] for card in deity.hand]):
        if len(found) == len(tests):
            break
        metrics = table.metrics(row)
        found |= {source for source, test in tests.items() if source not in found and test(metrics)}
    for source in tests:
        if source in found:
            table.mark_reachable(deity, source)


def _tests(table: Table, deity: Deity) -> Iterator[tuple[str, Test]]:
    """The sources that a constellation can win now, in the order of their codes, with their test."""
    yield "vvibon", lambda metrics: meets_vvibon(table, deity, metrics)
    yield "amp_r", lambda metrics: meets_amp_r(table, deity, metrics)
    yield "suzur", lambda metrics: True
    yield "lotzzz", lambda metrics: meets_lotzzz(table, deity, metrics)
    for place in range(len(table.rules.primos_fields)):
        if place not in deity.primos:
            yield table.primos_source(place), _claim_test(table, deity, place, _could_fit_primos)
    for place in range(len(table.rules.bneph_metrics)):
        if not bneph_claimed(table, place):
            yield table.bneph_source(place), _claim_test(table, deity, place, _fits_bneph_exactly)
    for number in sorted(table.face_up.values()):
        yield table.prophecy_source(number), _condition_test(table.prophecies[number].condition)


def _condition_test(condition: Expression) -> Test:
    return lambda metrics: bool(condition.value(metrics))


Fits = Callable[[Table, Deity, int, Mapping[str, float]], bool]


def _claim_test(table: Table, deity: Deity, place: int, fits: Fits) -> Test:
    return lambda metrics: fits(table, deity, place, metrics) and a_die_could_pay(table, deity, metrics)


def _could_fit_primos(table: Table, deity: Deity, place: int, metrics: Mapping[str, float]) -> bool:
    tolerance = primos_tolerance(table, deity)
    if meets_vvibon(table, deity, metrics) and table.step_reward(deity.vvibon) == StepReward.PRIMOS:
        tolerance += table.rules.primos_tolerance_bonus
    return primos_fits(table, place, metrics, tolerance)


def _fits_bneph_exactly(table: Table, deity: Deity, place: int, metrics: Mapping[str, float]) -> bool:
    return bneph_fits(table, place, metrics, 0)


def a_die_could_pay(table: Table, deity: Deity, metrics: Mapping[str, float]) -> bool:
    """Whether a die is left for a claim after the action is paid, with the dice that the row brings."""
    with_used = table.lasting(deity, Verb.CLAIM_WITH_USED) > 0
    with_grey = table.lasting(deity, Verb.CLAIM_WITH_GREY) > 0
    here = table.has_grey(deity)
    dice = deity.own + (deity.used if with_used else 0) + (1 if here and with_grey else 0)
    # The action costs none of them if a grey die that can't claim pays it, or if the own die that pays it
    # can claim from "used".
    if not (here and not with_grey) and not (with_used and deity.own > 0):
        dice -= 1
    if meets_amp_r(table, deity, metrics):
        dice += min(table.rules.amp_r_dice[deity.amp_r], deity.supply)
    regained = not here or deity.own == 0
    if with_grey and meets_lotzzz(table, deity, metrics) and not table.grey_claimed and regained:
        dice += 1
    return dice >= 1
