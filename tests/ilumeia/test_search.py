"""The compiled search of a hand against a plain one: every legal row tried, measured and weighed."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from simulator.games.ilumeia.cards import CardSet
from simulator.games.ilumeia.measure import legal_rows, measure
from simulator.games.ilumeia.model import NOTHING, Feature, Metric, Step, Verb
from simulator.games.ilumeia.records import (
    BIT_BNEPH,
    BIT_PRIMOS,
    FATE_ENCLOSED,
    FATE_GAP_1,
    FATE_GAP_2,
    FATE_OPEN,
    JOIN_FATE_1,
    JOIN_FATE_2,
    JOIN_GATE,
    N_BITS,
    N_GATES,
    STATE,
)
from simulator.games.ilumeia.search import lay_row, search_rows, take_aim
from simulator.games.ilumeia.star_cards import (
    ANCHORS,
    LEVELS,
    PLACES,
    StarCard,
    cross,
    line_problem,
    line_segment,
    star_card,
    transition_segment,
    transitions,
)
from tests.ilumeia.games import default_design, designed

# Uncompiled, NumPy warns where whole numbers wrap, as random streams and bit searches want them to.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")

GREY_ON_A_CLAIM = -2


@dataclass
class Position:
    """What a search looks at besides the hand, for seat 0 of three."""

    face_up: list[int] = field(default_factory=lambda: [-1] * 5)
    """By planet: the prophecy that can be won, -1 for none."""
    seen: set[int] = field(default_factory=set)
    """Planets whose prophecy the seat has reached before."""
    vvibon: int = 0
    amp_r: int = 0
    records: tuple[int, int, int] = (0, 0, 0)
    available: int = 5
    used: int = 0
    supply: int = 6
    grey_owner: int = -1
    grey_available: int = 0
    tolerance: int = 0
    abilities: Mapping[Verb, int] = field(default_factory=dict)
    primos_claimed: set[int] = field(default_factory=set)
    bneph_claimed: set[int] = field(default_factory=set)
    relaxed: int = 0
    worth: list[float] = field(default_factory=lambda: [0.0] * N_BITS)
    """Quarters, so that sums are exact in any order."""
    a_card: float = 0.0
    a_star: float = 0.0
    laid_cost: float = 0.0

    def ability(self, verb: Verb) -> int:
        return self.abilities.get(verb, 0)


def random_position(rnd: random.Random, card_set: CardSet) -> Position:
    """Any position, likely or not; tracks stand low enough that some row moves them."""
    rules = card_set.rules
    numbers = range(len(card_set.prophecies))
    planets = [[each for each in numbers if card_set.prophecies[each].planet == home] for home in range(5)]
    optional = (
        Verb.CLAIM_WITH_USED, Verb.CLAIM_WITH_GREY, Verb.PRIMOS_TOLERANCE, Verb.VVIBON_LENIENCY,
        Verb.AMP_R_LENIENCY, Verb.RECORD_LENIENCY,
    )  # fmt: skip
    return Position(
        face_up=[rnd.choice([*rnd.sample(cards, 4), -1]) for cards in planets],
        seen={planet for planet in range(5) if rnd.random() < 0.3},
        vvibon=rnd.randint(0, len(rules.vvibon_thresholds)),
        amp_r=rnd.randint(0, len(rules.amp_r_thresholds)),
        records=(rnd.choice([0, 5]), rnd.choice([0, 0, 5, 6]), 0),
        available=rnd.choice([0, 1, 1, 2, 3, 5]),
        used=rnd.randint(0, 2),
        supply=rnd.choice([0, 3]),
        grey_owner=rnd.choice([-1, 0, 0, 1, GREY_ON_A_CLAIM]),
        grey_available=rnd.randint(0, 1),
        tolerance=rnd.choice([0, 0, 1]),
        abilities={verb: 1 for verb in optional if rnd.random() < 0.25},
        primos_claimed={each for each in range(len(rules.primos_fields)) if rnd.random() < 0.3},
        bneph_claimed={each for each in range(len(rules.bneph_metrics)) if rnd.random() < 0.3},
        relaxed=rnd.choice([0, 0, 0, 1]),
        # Steps are worth something, claims may cost more than they bring.
        worth=[rnd.randint(0, 40) / 4 - (2.5 if bit >= BIT_BNEPH else 0.0) for bit in range(N_BITS)],
        a_card=rnd.randint(-4, 4) / 4,
        a_star=rnd.randint(-1, 1) / 4,
        laid_cost=rnd.randint(0, 2) / 4,
    )


# The plain search


def won(card_set: CardSet, position: Position, metrics: Mapping[str, Any]) -> tuple[int, float]:
    """(mask, worth) of a row that measures so: RULES.md, "Reachable exactly", read literally."""
    rules, worth = card_set.rules, position.worth
    steps = {Step.SUZUR}
    for planet, prophecy in enumerate(position.face_up):
        if prophecy >= 0 and card_set.prophecies[prophecy].condition.value(metrics) != 0:
            steps.add(Step(planet))
    thresholds, lenient = rules.vvibon_thresholds, position.ability(Verb.VVIBON_LENIENCY)
    if position.vvibon < len(thresholds) and metrics["stars"] >= thresholds[position.vvibon] - lenient:
        steps.add(Step.VVIBON)
    thresholds, lenient = rules.amp_r_thresholds, position.ability(Verb.AMP_R_LENIENCY)
    if position.amp_r < len(thresholds) and metrics["flames"] >= thresholds[position.amp_r] - lenient:
        steps.add(Step.AMP_R)
    length = metrics["cards"] + position.ability(Verb.RECORD_LENIENCY)
    if length > max(position.records) and length >= rules.lotzzz_minimum:
        steps.add(Step.LOTZZZ)
    claims = open_claims(card_set, position, metrics, steps)
    mask = sum(1 << bit for bit in (*steps, *claims))
    value = sum(worth[step] for step in steps)
    value += (position.a_card - position.laid_cost) * metrics["cards"] + position.a_star * metrics["stars"]
    return mask, value + worth_of_claims(position, claims, dice_for(position, rules, steps))


def open_claims(
    card_set: CardSet, position: Position, metrics: Mapping[str, Any], steps: set[Step]
) -> list[int]:
    """The bits of the claims that a row with these steps could make, [] if no die could pay."""
    rules = card_set.rules
    if dice_for(position, rules, steps) < 1:
        return []
    tolerance = position.tolerance + position.ability(Verb.PRIMOS_TOLERANCE)
    if Step.VVIBON in steps and rules.vvibon_rewards[position.vvibon] == "primos":
        tolerance += rules.primos_tolerance_bonus
    claims = []
    for number, (metric, wanted) in enumerate(zip(rules.bneph_metrics, rules.bneph_values, strict=True)):
        if number not in position.bneph_claimed and abs(metrics[metric] - wanted) <= position.relaxed:
            claims.append(BIT_BNEPH + number)
    for number, accepted in enumerate(rules.primos_fields):
        distance = min(abs(metrics["stars"] - each) for each in accepted)
        if number not in position.primos_claimed and distance <= tolerance:
            claims.append(BIT_PRIMOS + number)
    return claims


def dice_for(position: Position, rules: Any, steps: set[Step]) -> int:
    """How many dice could pay claims once the action is paid, the row's own gains included."""
    with_used = position.ability(Verb.CLAIM_WITH_USED) > 0
    with_grey = position.ability(Verb.CLAIM_WITH_GREY) > 0
    here = position.grey_owner == 0 and position.grey_available == 1
    dice = position.available + (position.used if with_used else 0) + (1 if here and with_grey else 0)
    free = (here and not with_grey) or (with_used and position.available >= 1)
    dice -= 0 if free else 1
    if Step.AMP_R in steps and position.supply > 0 and rules.amp_r_dice[position.amp_r] > 0:
        dice += 1
    gone = position.grey_owner == GREY_ON_A_CLAIM
    if Step.LOTZZZ in steps and with_grey and not gone and (not here or position.available == 0):
        dice += 1
    return dice


def worth_of_claims(position: Position, claims: Sequence[int], dice: int) -> float:
    """One claim on Primos, any number on B'neph; with a single die only the best of them."""
    bneph = [position.worth[bit] for bit in claims if bit < BIT_PRIMOS and position.worth[bit] > 0]
    primos = [position.worth[bit] for bit in claims if bit >= BIT_PRIMOS and position.worth[bit] > 0]
    gains = [*bneph, max(primos)] if primos else bneph
    if dice >= 2:
        return sum(gains)
    return max(gains, default=0.0)


# The compiled search


def laid_out(card_set: CardSet, tables: np.record, position: Position, hand: Sequence[int]) -> np.record:
    """A state with this position and hand, aimed and ready to search."""
    state = np.zeros(1, STATE)[0]
    state.players = 3
    state.face_up[:] = position.face_up
    for planet in position.seen:
        if position.face_up[planet] >= 0:
            state.reached[0, tables.source_prophecy + position.face_up[planet]] = 1
    state.vvibon[0], state.amp_r[0] = position.vvibon, position.amp_r
    state.record[:3] = position.records
    state.available[0], state.used[0], state.supply[0] = position.available, position.used, position.supply
    state.grey_owner, state.grey_available = position.grey_owner, position.grey_available
    state.tolerance[0] = position.tolerance
    for verb, amount in position.abilities.items():
        state.modifier[0, verb] = amount
    for number in position.primos_claimed:
        state.primos_claimed[0, number] = 1
    state.bneph_owner[:] = [1 if number in position.bneph_claimed else -1 for number in range(6)]
    state.relaxed = position.relaxed
    state.worth[:] = position.worth
    state.weight[0, Feature.SIZE], state.weight[0, Feature.STARS] = position.a_card, position.a_star
    state.laid_cost = position.laid_cost
    state.hand_size[0] = len(hand)
    state.hand[0, : len(hand)] = hand
    take_aim(state, tables, 0)
    return state


def half(ids: Sequence[str], name: str) -> int:
    return 2 * ids.index(name.removesuffix("r")) + name.endswith("r")


def named(ids: Sequence[str], state: np.record) -> list[str]:
    """The best row that was found, as ids."""
    return [ids[each >> 1] + "r" * (each & 1) for each in state.best_row[: state.best_size].tolist()]


def lay(state: np.record, tables: np.record, ids: Sequence[str], row: Sequence[str]) -> bool:
    """Lay a row; whether the rules find it legal."""
    state.row_size = len(row)
    state.row[: len(row)] = [half(ids, name) for name in row]
    return bool(lay_row(state, tables))


def assert_search_is_exact(
    card_set: CardSet, tables: np.record, position: Position, hand: Sequence[int], longest: int = 11
) -> int:
    """Compare one search with the plain one in all that it tells; how many rows there were."""
    cards, ids = card_set.star_cards, list(card_set.star_cards)
    rows = list(legal_rows(cards, [ids[card] for card in hand]))
    measured = [measure(cards, row) for row in rows]
    outcomes = [won(card_set, position, metrics) for metrics in measured]
    state = laid_out(card_set, tables, position, hand)
    search_rows(state, tables, 0, NOTHING)

    assert state.rows_found == len(rows)
    within_reach = 0
    for mask, _ in outcomes:
        within_reach |= mask
    reached_before = sum(1 << planet for planet in position.seen)
    assert state.reachable & ~within_reach == 0
    assert within_reach & ~state.reachable & ~reached_before == 0
    assert state.best_size == 0 if not rows else state.best_size >= 2
    if rows:
        assert state.best_value == max(value for _, value in outcomes)
        best = measure(cards, named(ids, state))
        assert best["legal"]
        mask, value = won(card_set, position, best)
        assert value == state.best_value
        assert state.best_mask & ~mask == 0
    for row, metrics in list(zip(rows, measured, strict=True))[:longest]:
        assert lay(state, tables, ids, row)
        for metric in Metric:
            assert state.laid[metric] == metrics[metric.name.lower()], (row, metric.name)

    if hand:  # only the rows with one card, as when a card of the display is weighed
        needed = len(hand) - 1
        having = [each for row, each in zip(rows, outcomes, strict=True) if ids[hand[needed]] in bare(row)]
        search_rows(state, tables, 0, np.int64(needed))
        assert state.rows_found == len(having)
        if having:
            assert state.best_value == max(value for _, value in having)
            assert ids[hand[needed]] in bare(named(ids, state))
    return len(rows)


def bare(row: Sequence[str]) -> list[str]:
    return [name.removesuffix("r") for name in row]


@pytest.mark.parametrize("block", range(8))
def test_the_search_of_random_hands_is_exact(block: int):
    rnd = random.Random(block)
    design = default_design()
    rows = 0
    for _ in range(40):
        hand = rnd.sample(range(len(design.readings.star_cards)), rnd.choice([0, 2, *range(4, 12), 9, 10]))
        position = random_position(rnd, design.readings)
        rows += assert_search_is_exact(design.readings, design.tables[0], position, hand, 30)
    assert rows > 100


@pytest.mark.parametrize("rules", [{"allow_even_axis": True}, {"bneph_metrics": ("areas", "outer_most")}])
def test_the_search_reads_the_rule_values(rules: dict[str, Any]):
    """The odd fields of B'neph are measured on another path than the rulebook's four."""
    if "bneph_metrics" in rules:
        rules = rules | {"bneph_values": (1, 6)}
    design = default_design(**rules)
    rnd = random.Random(5)
    for _ in range(25):
        hand = rnd.sample(range(len(design.readings.star_cards)), 8)
        position = replace(random_position(rnd, design.readings), bneph_claimed=set(), available=3)
        cards, ids = design.readings.star_cards, list(design.readings.star_cards)
        if rules.get("allow_even_axis"):
            state = laid_out(design.readings, design.tables[0], position, hand)
            for row in legal_rows(cards, [ids[card] for card in hand]):
                assert lay(state, design.tables[0], ids, row)
                wide = measure(cards, row, allow_even_axis=True)
                assert state.laid[Metric.SYMMETRIC_VERTICAL] == wide["symmetric_vertical"]
        else:
            assert_search_is_exact(design.readings, design.tables[0], position, hand)


@pytest.mark.kernel
def test_the_search_of_a_few_hands_is_exact():
    rnd = random.Random(11)
    design = default_design()
    rows = sum(
        assert_search_is_exact(
            design.readings,
            design.tables[0],
            random_position(rnd, design.readings),
            rnd.sample(range(len(design.readings.star_cards)), size),
            5,
        )
        for size in (0, 1, 3, 5, 6, 7, 7)
    )
    assert rows > 10


def test_a_row_and_its_turned_self_are_found_once():
    """A row of two cards that look alike turned has four spellings and is one constellation."""
    cards = [star_card(f"a{n}", ["C"], [], [], "", "m", []) for n in range(4)]
    design = tiny_design(cards)
    state = laid_out(design.readings, design.tables[0], Position(), [0, 1, 2])
    search_rows(state, design.tables[0], 0, NOTHING)
    assert state.rows_found == 3


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("row", "clause"),
    [
        ("a0", "IL-19: one card is never closed"),
        ("a0r a1r", "IL-19: open at the left"),
        ("a0 b0", "IL-19: open at the right"),
        ("a0 a1", "IL-18: a side without a transition can't be joined"),
        ("a0 u0r", "IL-18: another level"),
        ("a0 w0", "IL-18: a transition too many"),
    ],
)
def test_il_18_and_il_19_refuse_a_row_that_does_not_match_or_is_open(row: str, clause: str):
    cards = [star_card(f"a{n}", ["C"], [], [], "", "m", []) for n in range(2)]
    cards.append(star_card("b0", ["C"], [], [], "m", "m", []))
    cards.append(star_card("u0", ["N"], [], [], "", "u", []))
    cards.append(star_card("w0", ["N", "C"], [], [("N", "C")], "um", "", []))
    design = tiny_design(cards)
    assert measure(design.readings.star_cards, row.split())["legal"] is False
    state = laid_out(design.readings, design.tables[0], Position(), [])
    assert not lay(state, design.tables[0], list(design.readings.star_cards), row.split()), clause


# Areas and comets: every way in which the ports on the right of a half-built row hang together


def tiny_design(cards: Sequence[StarCard]) -> Any:
    """The default set with these star cards instead of its own."""
    return designed(replace(default_design().readings, star_cards={card.id: card for card in cards}))


SIDES = ("u", "m", "l", "um", "ul", "ml", "uml")


def drawn(rnd: random.Random, id: str, left: str, right: str) -> StarCard:
    """A card of any stars and any lines that the notation allows, with these sides."""
    levels = {LEVELS[level] for level in left + right}
    while True:
        stars = rnd.sample(list(PLACES), rnd.randint(3, 7))
        if levels <= {PLACES[star][1] for star in stars}:
            break
    bare_card = star_card(id, stars, [], [], left, right, [])
    taken = [transition_segment(*transition) for transition in transitions(bare_card)]
    lines = []
    possible = [pair for pair in combinations(bare_card.stars, 2) if line_problem(*pair, stars) is None]
    for line in rnd.sample(possible, rnd.randint(0, len(possible))):
        if not any(cross(line_segment(line), other) for other in taken):
            lines.append(line)
            taken.append(line_segment(line))
    comets = rnd.sample(list(ANCHORS), rnd.randint(0, 2))
    return star_card(id, stars, [], lines, left, right, comets)


@cache
def drawn_cards(seed: int) -> list[StarCard]:
    """Two cards for every pair of sides."""
    rnd = random.Random(seed)
    pairs = [pair for pair in product(("", *SIDES), repeat=2) if any(pair)]
    return [drawn(rnd, f"c{number}", *pair) for number, pair in enumerate(pairs * 2)]


def random_row(rnd: random.Random, cards: Sequence[StarCard], cards_wanted: int) -> list[str]:
    """A legal row of so many unturned cards."""
    row: list[StarCard] = []
    while len(row) < cards_wanted:
        needed, last = row[-1].right if row else "", len(row) == cards_wanted - 1
        fitting = [
            card for card in cards if card.left == needed and bool(card.right) != last and card not in row
        ]
        row.append(rnd.choice(fitting))
    return [card.id for card in row]


def test_rows_of_cards_with_any_sides_measure_as_the_yardstick_does_whatever_their_gates():
    rnd = random.Random(0)
    gates: set[tuple[int, int]] = set()
    fates: set[tuple[str, int]] = set()
    for seed in range(14):
        cards = drawn_cards(seed)
        design = tiny_design(cards)
        tables, ids = design.tables[0], list(design.readings.star_cards)
        state = laid_out(design.readings, tables, Position(), [])
        for _ in range(100):
            row = random_row(rnd, cards, rnd.randint(2, 10))
            assert lay(state, tables, ids, row)
            metrics = measure(design.readings.star_cards, row)
            for metric in Metric:
                assert state.laid[metric] == metrics[metric.name.lower()], (row, metric.name)
            for place in range(1, len(row)):
                gate = int(state.deep_open[place - 1]) >> JOIN_GATE & 15
                ports = int(tables.half_right[half(ids, row[place - 1])]).bit_count()
                gates.add((ports, gate))
                joined = int(tables.half_join[half(ids, row[place]), gate])
                if ports > 1:
                    fates.add(("first gap", joined >> JOIN_FATE_1 & 15))
                if ports > 2:
                    fates.add(("second gap", joined >> JOIN_FATE_2 & 15))
    # Without these the comparison could miss a case of `half_join`.
    assert gates == {(1, 0), (2, 0), (2, 4)} | {(3, gate) for gate in range(N_GATES)}
    codes = (FATE_OPEN, FATE_ENCLOSED, FATE_GAP_1, FATE_GAP_2)
    assert fates == {(gap, fate) for gap in ("first gap", "second gap") for fate in codes}
