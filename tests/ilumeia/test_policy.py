"""The bots: they differ in what they do, see nothing hidden, and their weights mean what is said of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from simulator.game import Played
from simulator.games.ilumeia.kernel import take_turn
from simulator.games.ilumeia.kernel_cards import SOURCE_LOTZZZ
from simulator.games.ilumeia.kernel_setup import begin, deal, prepare
from simulator.games.ilumeia.model import MAX_SEATS, Feature, Kind, Metric, Step, Verb, Window
from simulator.games.ilumeia.play import play
from simulator.games.ilumeia.policy import (
    choose_action,
    choose_discards,
    choose_first_card,
    choose_free_action,
    choose_from_display,
    choose_kept,
    choose_providence,
    choose_reward,
    choose_step,
    choose_target,
    weigh_hand,
)
from simulator.games.ilumeia.records import BIT_BNEPH, BIT_PRIMOS, N_BITS, STATE
from tests.ilumeia.games import bot_book, default_design, generous_design, plan_of

# Uncompiled, NumPy warns where whole numbers wrap, as random streams and bit searches want them to.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")

NAMES = tuple(bot_book().bots)
SENSIBLE = tuple(name for name in NAMES if name not in ("random", "greedy"))
GAMES = 150


@cache
def played(bot: str, events: bool = False) -> Played:
    """Games of two of these bots against two balanced ones, the same deals for every bot."""
    return play(default_design(), plan_of([bot, "balanced", bot, "balanced"], GAMES), events)


def of_bot(bot: str, column: str) -> np.ndarray:
    """float64 (games,): a column of the seats, averaged over the bot's two."""
    mean: np.ndarray = played(bot).seats[column].reshape(GAMES, 4)[:, ::2].mean(axis=1)
    return mean


def mean(bot: str, *columns: str) -> float:
    return float(sum(of_bot(bot, column) for column in columns).mean())  # type: ignore[union-attr]


# They differ


def size(bot: str) -> float:
    """Cards in a constellation, on average."""
    return mean(bot, "pile") / mean(bot, "did_create")


def test_architect_lays_fewer_and_larger_constellations_than_sprinter():
    assert size("architect") > size("balanced") + 0.2 > size("sprinter") + 0.4
    assert mean("architect", "largest") > mean("sprinter", "largest")
    assert mean("architect", "did_create") < mean("sprinter", "did_create")


def test_climber_gets_most_steps_on_the_tracks():
    steps = {bot: mean(bot, "vvibon", "amp_r") for bot in SENSIBLE}
    assert max(steps, key=steps.__getitem__) == "climber"


def test_collector_claims_most():
    claims = {bot: mean(bot, "did_claim") for bot in NAMES}
    assert max(claims, key=claims.__getitem__) == "collector"


def test_prophet_wins_most_with_prophecies_and_their_effects():
    def prophecies(bot: str) -> float:
        events = played(bot, True).events
        first = default_design().tables[0].source_prophecy
        wins = (events["kind"] == Kind.PAID) & (events["amount"] >= 0) & (events["seat"] % 2 == 0)
        wins &= (events["source"] >= first) & (events["source"] < first + 50)
        pairs = np.unique(np.stack([events["game"][wins], events["source"][wins]]), axis=1)
        return pairs.shape[1] / GAMES

    wins = {bot: prophecies(bot) for bot in SENSIBLE}
    assert max(wins, key=wins.__getitem__) in ("prophet", "raider")
    assert wins["prophet"] > wins["balanced"] * 1.05


def test_random_scores_least():
    scores = {bot: mean(bot, "score") for bot in NAMES}
    assert min(scores, key=scores.__getitem__) == "random"


@pytest.mark.parametrize(("one", "other"), list(combinations(NAMES, 2)))
def test_any_two_bots_differ_in_what_they_do(one: str, other: str):
    """By more than four standard errors in the actions, tracks, sizes or sources of points; the deals are shared."""
    columns = [name for name in played(one).seats if name not in ("game", "seat", "bot", "rank")]
    gaps = []
    for column in columns:
        difference = of_bot(one, column) - of_bot(other, column)
        error = difference.std() / GAMES**0.5
        gaps.append(abs(difference.mean()) / error if error else 0.0)
    assert max(gaps) > 4.0, dict(zip(columns, gaps, strict=True))


# They see nothing hidden


def positions(bot: str, rounds: int) -> Iterator[tuple[np.record, np.record, int]]:
    """(state, tables, seat) of three such bots, at the start of a turn after so many rounds of an age."""
    design = generous_design()
    tables = design.tables[0]
    plan = plan_of([bot] * 3, 12)
    for number in range(12):
        row = np.zeros(4 + MAX_SEATS, np.int64)
        row[:4] = plan.seed, number, number, 3
        state = np.zeros(1, STATE)[0]
        begin(state, tables, row, plan.weights)
        deal(state, tables)
        prepare(state, tables)
        for turn in range(3 * rounds):
            take_turn(state, tables, turn % 3)
        yield state, tables, number % 3


def with_other_hidden_things(state: np.record, seat: int, rnd: random.Random) -> np.record:
    """The same table as the seat sees it, all that it can't see dealt anew: pile, hands, providence, stacks."""
    other = np.zeros(1, STATE)
    other[0] = state
    copy = other[0]
    others = [each for each in range(int(state.players)) if each != seat]
    unseen = state.pile[: state.pile_size].tolist()
    for each in others:
        unseen += state.hand[each, : state.hand_size[each]].tolist()
    rnd.shuffle(unseen)
    copy.pile[: state.pile_size] = unseen[: state.pile_size]
    place = int(state.pile_size)
    for each in others:
        held = int(state.hand_size[each])
        copy.hand[each, :held] = unseen[place : place + held]
        place += held
    dealt = [int(card) for each in others for card in state.providence[each]]
    left = [card for card in range(12) if card not in state.providence[seat].tolist()]
    for each, cards in zip(others, np.array(rnd.sample(left, len(dealt))).reshape(-1, 2), strict=True):
        copy.providence[each] = cards
    for planet in range(5):
        rest = state.stack[planet, 1:4].tolist()
        rnd.shuffle(rest)
        copy.stack[planet, 1:4] = rest
    copy.theft[0] = rnd.getrandbits(63)
    return copy


def chosen(state: np.record) -> list[int]:
    return sorted(state.choice[: state.choice_size].tolist())


def decide_action(state: np.record, tables: np.record, seat: int) -> Any:
    weigh_hand(state, tables, seat)
    choose_action(state, tables, seat)
    row = state.best_row[: state.best_size].tolist()
    return (
        int(state.action),
        int(state.die),
        int(state.slot),
        row,
        int(state.reachable),
        float(state.best_value),
    )


def decide_discards(state: np.record, tables: np.record, seat: int) -> Any:
    choose_discards(state, tables, seat, min(2, int(state.hand_size[seat])))
    return chosen(state)


def decide_kept(state: np.record, tables: np.record, seat: int) -> Any:
    choose_kept(state, tables, seat, min(2, int(state.hand_size[seat])))
    return chosen(state)


def decide_free_action(state: np.record, tables: np.record, seat: int) -> Any:
    weigh_hand(state, tables, seat)
    playable = (1 << int(state.owned_size[seat])) - 1
    deed = choose_free_action(state, tables, seat, np.int64(Window.BEFORE), playable, True, True)
    return int(deed), chosen(state), int(state.slot)


def decide_step(state: np.record, tables: np.record, seat: int) -> Any:
    return int(choose_step(state, tables, seat, (1 << N_BITS) - 1))


def decide_rewards(state: np.record, tables: np.record, seat: int) -> Any:
    return [int(choose_reward(state, tables, seat, prophecy)) for prophecy in range(50)]


def decide_target(state: np.record, tables: np.record, seat: int) -> Any:
    return [
        int(choose_target(state, tables, seat, prophecy))
        for prophecy in range(50)
        if tables.verb[prophecy] >= 0
    ]


DECISIONS: dict[str, Callable[[np.record, np.record, int], Any]] = {
    "action": decide_action,
    "discards": decide_discards,
    "kept cards": decide_kept,
    "free action": decide_free_action,
    "scoring step": decide_step,
    "reward": decide_rewards,
    "target": decide_target,
    "first card": lambda state, tables, seat: int(choose_first_card(state, tables, seat)),
    "display": lambda state, tables, seat: int(choose_from_display(state, tables, seat)),
    "providence": lambda state, tables, seat: int(choose_providence(state, tables, seat)),
}


@pytest.mark.parametrize("decision", DECISIONS)
@pytest.mark.parametrize("bot", NAMES)
def test_a_bot_decides_the_same_whatever_it_cannot_see(bot: str, decision: str):
    rnd = random.Random(3)
    for state, tables, seat in positions(bot, 2):
        same = np.zeros(1, STATE)
        same[0] = state
        found = DECISIONS[decision](same[0], tables, seat)
        for _ in range(3):
            assert DECISIONS[decision](with_other_hidden_things(state, seat, rnd), tables, seat) == found


@pytest.mark.parametrize("decision", ["action", "discards", "display", "free action"])
def test_what_a_bot_can_see_does_change_its_decisions(decision: str):
    """Else the test above would find honest what never looks."""
    found = [repr(DECISIONS[decision](*position)) for position in positions("balanced", 2)]
    assert len(set(found)) > 1


# What the weights mean


def outcome(bot: str, column: str) -> float:
    return float(weighed(bot).seats[column].mean())


@cache
def weighed(bot: str) -> Played:
    return play(default_design(), plan_of([bot] * 3, 80), True)


def events_of(bot: str, *verbs: Verb) -> float:
    """How often effects of these verbs are used in a game."""
    design, events = default_design(), weighed(bot).events
    codes = [
        int(design.tables[0].source_prophecy) + number
        for number, each in enumerate(design.readings.prophecies)
        if each.effect and (not verbs or each.effect.verb in verbs)
    ]
    return float(np.isin(events["source"][events["kind"] == Kind.USED], codes).sum() / 80)


def providence_decided_late(bot: str) -> float:
    """The mean age in which the card not kept goes back."""
    design, events = default_design(), weighed(bot).events
    first = int(design.tables[0].source_providence)
    turns = weighed(bot).games["turns"]
    decided = (events["kind"] == Kind.LAPSED) & (events["source"] >= first) & (events["turn"] < turns.min())
    return float(events["round"][decided].mean())


@pytest.mark.parametrize(
    ("lower", "higher", "column"),
    [
        ("vvibon=0", "vvibon=10", "vvibon"),
        ("energy=0,amp_r=0", "energy=0,amp_r=10", "amp_r"),
        ("primos=-20", "primos=10", "score_primos"),
        ("bneph=-20", "bneph=10", "score_bneph"),
        ("suzur=0", "suzur=5", "did_create"),
        ("create=-5", "create=10", "did_create"),
        ("patience=8", "patience=0", "did_create"),
        ("size=-2", "size=2", "pile"),
        ("stars=-1", "stars=2", "pile"),
        ("draw=-5", "draw=8", "did_draw"),
        ("take=-5", "take=8", "did_take"),
        ("pass=-20", "pass=20", "did_pass"),
        ("draw=0,hunger=0", "draw=0,hunger=5", "did_draw"),
        ("hunger=2,hand_aim=2", "hunger=2,hand_aim=10", "did_draw"),
        ("exchange=0", "exchange=1", "did_exchange"),
        ("renew=0", "renew=1", "did_renew"),
        ("play=0", "play=1", "did_play"),
        ("energy=10", "energy=0", "did_claim"),
        ("card=0", "card=6", "did_draw"),
        ("prophecy=0,vp=0", "prophecy=20,vp=0", "score_meculog"),
        ("lookahead=0", "lookahead=2", "did_take"),
    ],
)
def test_a_weight_moves_what_its_text_says(lower: str, higher: str, column: str):
    low, high = outcome(f"balanced:{lower}", column), outcome(f"balanced:{higher}", column)
    assert high > low * 1.05 + 0.02, (low, high)


def test_the_weight_of_lotzzz_makes_more_records():
    records = [
        int(((played.events["kind"] == Kind.PAID) & (played.events["source"] == SOURCE_LOTZZZ)).sum())
        for played in map(weighed, ("balanced:lotzzz=0", "balanced:lotzzz=15"))
    ]
    assert records[1] > 1.15 * records[0]


def test_the_weight_of_size_prefers_the_longer_of_two_rows():
    longer = 0
    for state, tables, seat in positions("balanced", 2):
        sizes = []
        for weight in (-10.0, 10.0):
            state.weight[seat, Feature.SIZE] = weight
            weigh_hand(state, tables, seat)
            sizes.append(int(state.best_size))
        assert sizes[0] <= sizes[1]
        longer += sizes[0] < sizes[1]
    assert longer > 3


def test_the_weight_of_effects_decides_between_effect_and_vp():
    assert events_of("balanced:effect=-20") < 0.5 * events_of("balanced:effect=5")


def test_the_weight_of_attack_makes_effects_that_harm_more_welcome():
    harmful = (Verb.LOSE_VP, Verb.STEAL_VP, Verb.LOSE_CARDS, Verb.STEAL_CARD, Verb.SPEND_DIE)
    assert events_of("balanced:attack=0", *harmful) < events_of("balanced:attack=8", *harmful)


def test_the_weight_of_providence_makes_the_decision_later():
    assert (
        providence_decided_late("balanced:providence=0")
        < providence_decided_late("balanced:providence=1") - 0.5
    )


def test_the_weight_of_the_leader_turns_attacks_on_the_deity_with_more_points():
    state, tables, seat = next(positions("balanced", 1))
    attack = next(n for n in range(50) if tables.verb[n] == Verb.STEAL_VP or tables.verb[n] == Verb.LOSE_VP)
    others = [each for each in range(3) if each != seat]
    for leader, other in (others, others[::-1]):
        state.vp[leader], state.vp[other] = 30, 3
        state.weight[seat, Feature.LEADER] = 1.0
        assert choose_target(state, tables, seat, attack) == leader


@pytest.mark.parametrize(
    ("weight", "metric"),
    [
        ("keep_stars", "stars"),
        ("keep_flames", "flames"),
        ("keep_comets", "comets"),
        ("keep_centrals", "centrals"),
    ],
)
def test_the_weight_of_a_feature_keeps_the_cards_that_have_it(weight: str, metric: str):
    """With all other weights of cards at 0, the cards kept are those with the most of it."""
    book = bot_book()
    for state, tables, seat in positions("balanced", 1):
        state.weight[seat] = 0.0
        state.weight[seat, list(book.weights).index(weight)] = 1.0
        state.worth[:] = 0.0
        hand = state.hand[seat, : state.hand_size[seat]].tolist()
        choose_discards(state, tables, seat, 1)
        measured = [tables.card_metric[card][Metric[metric.upper()]] for card in hand]
        gone = tables.card_metric[chosen(state)[0]][Metric[metric.upper()]]
        in_row = {each >> 1 for each in state.best_row[: state.best_size].tolist()}
        free = [value for card, value in zip(hand, measured, strict=True) if card not in in_row]
        assert gone == min(free or measured)


@pytest.mark.kernel
def test_suzur_is_scored_after_the_claims_that_can_raise_it():
    """A bot's default order (g27): cards first, then tracks, Primos before B'neph, Suzur last."""
    state, tables, seat = next(positions("balanced", 0))
    everything = (1 << (BIT_PRIMOS + 2)) - 1
    order = []
    while everything:
        bit = int(choose_step(state, tables, seat, everything))
        if bit < 0:
            break
        order.append(bit)
        everything &= ~(1 << bit)
    assert order[:5] == [0, 1, 2, 3, 4]
    assert order[-1] == Step.SUZUR
    primos = [place for place, bit in enumerate(order) if bit >= BIT_PRIMOS]
    bneph = [place for place, bit in enumerate(order) if BIT_BNEPH <= bit < BIT_PRIMOS]
    assert primos
    assert not bneph or max(primos) < min(bneph)


def test_without_noise_a_bot_decides_alike_in_every_game_of_a_setup():
    plan = plan_of(["balanced", "prophet", "climber"], 5)
    other = replace(plan, game=plan.game + 1000)
    scores = [play(default_design(), each, False).seats["score"].tolist() for each in (plan, other)]
    assert scores[0] == scores[1]
