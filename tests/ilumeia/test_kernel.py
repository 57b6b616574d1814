"""The compiled rules, clause by clause: what each implies in every recorded game of mixed bots.

That the referee agrees in all of it is `tests/test_games.py`; here the clauses are read off events, tapes and
outcomes on a third way, without either.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from simulator import rng
from simulator.game import Design, Plan
from simulator.games.ilumeia import GAME
from simulator.games.ilumeia.kernel_effects import steal_cards
from simulator.games.ilumeia.model import Action, Die, Ending, Kind, Planet, Step, Stream, Tape, Verb
from simulator.games.ilumeia.play import KERNEL, play
from simulator.games.ilumeia.records import STATE
from simulator.kernel import RuleFault
from tests.ilumeia.games import (
    MIXED,
    TABLES_OF,
    Record,
    Recorded,
    ages,
    default_design,
    designed,
    effects,
    everywhere,
    final_states,
    generous,
    generous_design,
    plan_of,
    recorded,
)

# Uncompiled, NumPy warns where whole numbers wrap, as random streams and bit searches want them to.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")

TURNS = ("did_draw", "did_take", "did_create", "did_pass", "did_idle")


# What lies on the table at the start


def test_il_2_a_stack_has_a_card_for_each_age_all_of_its_planet():
    prophecies = default_design().readings.prophecies
    for game in everywhere():
        stacks = game.of(Tape.STACK)
        assert [each.seat for each in stacks] == list(Planet)
        for stack in stacks:
            assert len(set(stack.values)) == 4
            assert {prophecies[card].planet for card in stack.values} == {stack.seat}


def test_il_2_every_prophecy_comes_into_some_stack_at_every_place():
    """A shuffle that left a card or a place out would show within a few hundred deals."""
    seen = defaultdict(set)
    for game in everywhere():
        for stack in game.of(Tape.STACK):
            for place, card in enumerate(stack.values):
                seen[place].add(card)
    assert all(len(cards) == 50 for cards in seen.values())


def test_il_5_each_deity_is_dealt_two_providence_cards_no_card_twice():
    for game in everywhere():
        deals = game.of(Tape.PROVIDENCE_DEAL)
        assert [(each.seat, len(each.values)) for each in deals] == [
            (seat, 2) for seat in range(game.players)
        ]
        assert len({card for deal in deals for card in deal.values}) == 2 * game.players


def test_il_6_the_draw_pile_is_every_star_card_once():
    for game in everywhere():
        assert sorted(game.of(Tape.SHUFFLE)[0].values) == list(range(216))


# The order of ages and turns


def test_il_28_the_number_1_card_goes_clockwise_with_each_age():
    for game in everywhere():
        for age, part in enumerate(ages(game)):
            assert part[0].seat == age % game.players
        assert len(ages(game)) == game.game["rounds"] == 4
        assert game.game["ending"] == Ending.AGES


def test_il_29_each_deity_discards_two_cards_then_takes_one_clockwise_from_number_1():
    for game in everywhere():
        for age, part in enumerate(ages(game)):
            clockwise = [(age + distance) % game.players for distance in range(game.players)]
            for kind, size in ((Tape.PREPARE_DISCARD, 2), (Tape.PREPARE_TAKE, 1)):
                found = [each for each in part if each.kind == kind]
                assert [each.seat for each in found] == clockwise
                assert {len(each.values) for each in found} == {size}


def test_il_30_turns_with_energy_go_clockwise_and_none_is_skipped():
    for game in everywhere():
        for age, part in enumerate(ages(game)):
            turns = [each.seat for each in part if each.kind == Tape.ACTION]
            assert turns == [(age + turn) % game.players for turn in range(len(turns))]


def test_il_32_after_a_pass_a_deity_has_only_turns_without_energy_in_that_age():
    passes = 0
    for game in everywhere():
        for part in ages(game):
            resting: set[int] = set()
            for each in part:
                if each.kind == Tape.ACTION and each.values[0] != Action.IDLE:
                    assert each.seat not in resting
                    if each.values[0] == Action.PASS:
                        resting.add(each.seat)
                        passes += 1
    assert passes > 20


def test_il_30_il_32_energy_is_a_die_for_each_action_that_is_not_free_and_what_passes_push():
    free = pushed = 0
    for game in everywhere():
        for seat, row in enumerate(game.seats):
            actions = [each.values for each in game.of(Tape.ACTION) if each.seat == seat]
            dice = [die for action, die in (values[:2] for values in actions if len(values) > 1)]
            free += dice.count(Die.FREE)
            passes = row["did_pass"]
            left = row["energy"] - (len(dice) - passes - dice.count(Die.FREE))
            assert passes <= left <= 12 * passes, "a pass pushes from one to all eleven dice and the grey one"
            pushed += left - passes
    assert free > 0
    assert pushed > 20


def test_il_36_every_deity_takes_the_same_number_of_turns_in_an_age():
    for game in everywhere():
        for part in ages(game):
            turns = Counter(each.seat for each in part if each.kind == Tape.ACTION)
            assert len(set(turns.values())) <= 1
        own = [sum(seat[name] for name in TURNS) for seat in game.seats]
        assert own == [game.game["turns"] / game.players] * game.players


def test_il_36_an_age_ends_with_the_round_in_which_the_last_deity_exhausts():
    """In the last round of an age somebody still acted; a round of none but idle turns is one too many."""
    for game in everywhere():
        for part in ages(game):
            turns = [each for each in part if each.kind == Tape.ACTION]
            last_round = turns[-game.players :]
            assert not turns or any(each.values[0] != Action.IDLE for each in last_round)


def test_il_33_an_exchange_takes_four_cards_a_renewal_three_less_any_discount():
    """Only abilities make them cheaper; at most once each beside one action and the next."""
    discount: Counter[Verb] = Counter()
    for each in effects().values():
        discount[each.verb] += each.amount
    usual = {Tape.EXCHANGE: 4, Tape.RENEW: 3}
    sizes = defaultdict(Counter)
    for game in everywhere():
        for seat in range(game.players):
            since: Counter[Tape] = Counter()
            for each in game.tape:
                if each.seat != seat:
                    continue
                if each.kind == Tape.ACTION:
                    since.clear()
                if each.kind in usual:
                    since[each.kind] += 1
                    assert since[each.kind] <= 2
                    sizes[each.kind][len(each.values) - (each.kind == Tape.EXCHANGE)] += 1
    for kind, verb in ((Tape.EXCHANGE, Verb.EXCHANGE_DISCOUNT), (Tape.RENEW, Verb.RENEW_DISCOUNT)):
        # Those who copy a discount have it twice.
        least = max(0, usual[kind] - 2 * discount[verb])
        assert set(sizes[kind]) <= set(range(least, usual[kind] + 1))
        assert sizes[kind][usual[kind]] == max(sizes[kind].values())


def test_il_37_a_hand_is_discarded_at_exhaustion_but_for_the_cards_that_vvibon_lets_keep():
    extra = sum(
        each.effect.amount
        for each in default_design().readings.prophecies
        if each.effect and each.effect.verb == Verb.KEEP
    )
    kept: Counter[int] = Counter()
    for game in everywhere():
        steps = Counter()
        for each in game.tape:
            if each.kind == Tape.SCORE and each.values[0] == Step.VVIBON:
                steps[each.seat] += 1
            if each.kind == Tape.KEEP:
                climbed = game.seats[each.seat]["vvibon"]  # effects move the marker too
                assert len(each.values) <= (climbed >= 2) + (climbed >= 4) + 2 * extra
                kept[len(each.values)] += 1
    assert kept[1] > 10
    assert kept[2] > 10


def test_il_39_a_small_hand_limit_makes_deities_discard():
    games = recorded(default_design(hand_limit=4, hand_limit_bonus=0), plan_of(["random", "greedy"], 10))
    forced = [each for game in games for each in game.of(Tape.DISCARD)]
    assert len(forced) > 50
    usual = recorded(default_design(), plan_of(["random", "greedy"], 10))
    assert len(forced) > 5 * sum(len(game.of(Tape.DISCARD)) for game in usual)


def test_il_40_unwon_prophecies_leave_the_game_with_their_age():
    for game in everywhere():
        for age in range(1, 5):
            of_age = [each for each in game.events if each.round == age and "prophecy." in each.source]
            offered = {each.source for each in of_age if each.kind == Kind.OFFERED}
            lapsed = {each.source for each in of_age if each.kind == Kind.LAPSED}
            first_paid = {each.source for each in of_age if each.kind == Kind.PAID}
            assert len(offered) == 5
            assert lapsed <= offered
            assert offered - lapsed <= first_paid


def test_il_40_the_dice_come_back_and_the_lotzzz_markers_go_home_with_each_age():
    again = 0
    for game in everywhere():
        front: dict[int, int] = defaultdict(int)
        for each in game.events:
            if each.kind == Kind.STEP and each.source == "lotzzz":
                again += bool(front and each.round not in front and each.amount <= max(front.values()))
                front[each.round] = max(front[each.round], each.amount)
    assert again > 10


# Cards and dice


@pytest.mark.parametrize("players", TABLES_OF)
def test_every_star_card_and_every_die_is_somewhere_at_the_end(players: int):
    for design in (default_design(), generous_design(), default_design(deal=8, draw=6, display=12)):
        for state in final_states(players, design, 20):
            lying = state.pile[: state.pile_size].tolist() + state.discards[: state.discards_size].tolist()
            lying += [card for card in state.display.tolist() if card >= 0]
            for seat in range(players):
                lying += state.hand[seat, : state.hand_size[seat]].tolist()
                lying += state.own[seat, : state.own_size[seat]].tolist()
                assert 0 <= state.hand_size[seat] <= 13
            assert sorted(lying) == list(range(216))
            dice = (state.available + state.used + state.supply)[:players].sum()
            assert dice + state.claims[:players].sum() - (state.grey_owner == -2) == 11 * players
            assert state.supply.min() >= 0
            assert state.vp.min() >= 0


# Chance


def deals(game: Recorded) -> list[Record]:
    """What chance alone decides: stacks, providence and the order of the first draw pile."""
    return [*game.of(Tape.STACK), *game.of(Tape.PROVIDENCE_DEAL), game.of(Tape.SHUFFLE)[0]]


def test_the_deals_of_a_setup_depend_neither_on_bots_nor_on_card_values():
    plan = plan_of(["balanced", "prophet", "climber"], 6)
    one = [deals(game) for game in recorded(default_design(), plan)]
    other = recorded(default_design(), plan_of(["random", "raider", "greedy"], 6))
    assert one == [deals(game) for game in other]
    assert one == [deals(game) for game in recorded(default_design(suzur_vp=3, energy_start=7), plan)]
    assert len({str(each) for each in one}) == 6


def test_the_setup_decides_the_deals_and_the_game_the_noise():
    plan = plan_of(["random", "random"], 2)
    same_setup = Plan(plan.seed, 2, plan.game, np.zeros(2, np.int64), plan.rotation, plan.bots, plan.weights)
    first, second = recorded(default_design(), same_setup)
    assert deals(first) == deals(second)
    assert first.tape != second.tape


def test_a_stolen_card_is_any_card_of_the_hand():
    """The tape tells which card was stolen, so that the referee can't know whether chance took it."""
    design = default_design()
    stolen: Counter[int] = Counter()
    for seed in range(400):
        state = np.zeros(1, STATE)[0]
        state.players = 2
        state.limit[:] = 10
        state.hand_size[1] = 4
        state.hand[1, :4] = [10, 20, 30, 40]
        rng.start(state.theft, seed, 0, int(Stream.THEFT))
        steal_cards(state, design.tables[0], 0, 1, 1)
        assert (state.hand_size[0], state.hand_size[1]) == (1, 3)
        stolen[int(state.hand[0, 0])] += 1
    assert set(stolen) == {10, 20, 30, 40}
    assert min(stolen.values()) > 60


# Variants


def test_without_providence_none_is_dealt_decided_or_paid():
    for game in recorded(default_design(providence=False), plan_of(MIXED, 6)):
        assert not game.of(Tape.PROVIDENCE_DEAL, Tape.PROVIDENCE)
        assert not [each for each in game.events if each.source.startswith("providence.")]


def test_a_first_game_has_the_dotted_cards_in_any_order():
    prophecies = default_design().readings.prophecies
    orders = set()
    for game in recorded(default_design(first_game=True), plan_of(MIXED, 6)):
        for stack in game.of(Tape.STACK):
            dotted = {n for n, each in enumerate(prophecies) if each.dot and each.planet == stack.seat}
            assert set(stack.values) == dotted
            orders.add(stack.values)
    assert len(orders) > 5


def test_g48_an_exchanged_stack_is_of_unused_cards_of_the_other_planets():
    prophecies = default_design().readings.prophecies
    planets = set()
    for game in recorded(default_design(exchanged_planet="fluuvee"), plan_of(MIXED, 6)):
        stacks = {each.seat: each.values for each in game.of(Tape.STACK)}
        assert len({card for stack in stacks.values() for card in stack}) == 20
        for card in stacks[Planet.FLUUVEE]:
            assert prophecies[card].planet != Planet.FLUUVEE
            planets.add(prophecies[card].planet)
    assert len(planets) > 1


def test_g50_the_other_start_of_the_sequence_asks_for_more_stars():
    bots = ["climber"] * 3
    steps = [
        play(default_design(vvibon_thresholds=name), plan_of(bots, 60), False).seats["vvibon"].mean()
        for name in ("fibonacci_1_1", "fibonacci_1_2")
    ]
    assert steps[0] > steps[1] + 0.2


def test_the_compensation_is_a_rule_value():
    for game in recorded(default_design(compensation=7), plan_of(MIXED[:3], 3)):
        assert sorted((each.seat, each.amount) for each in game.paid("compensation")) == [(1, 7), (2, 7)]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_game_of_fewer_ages_ends_after_them(number: int):
    """g37: nobody held #1 twice, so nobody is compensated; providence is decided by then."""
    for game in recorded(default_design(ages=number), plan_of(MIXED[:3], 5)):
        assert game.game["rounds"] == len(ages(game)) == number
        assert not game.paid("compensation")
        assert len(game.of(Tape.PROVIDENCE)) == 3


# The end for want of cards


@cache
def thirsty() -> Design:
    """So many cards go into hands, display and piles that none may be left to draw."""
    return default_design(
        display=12,
        hand_limit=6,  # large hands hold so many constellations that a game takes seconds
        energy_start=10,
        keep_per_step=3,
        exchanged_planet="onumira",
    )


def cards_run_out() -> tuple[Design, list[int]]:
    """A design and the games in which no card could be had."""
    design = few_cards()
    played = play(design, plan_of(MIXED, 60), True)
    return design, np.flatnonzero(played.games["ending"] == Ending.NO_CARDS).tolist()


@cache
def few_cards(cards: int = 40) -> Design:
    """A deck of so few star cards that four deities hold them all."""
    card_set = thirsty().readings
    some = dict(list(card_set.star_cards.items())[:cards])
    return designed(replace(card_set, star_cards=some))


def test_il_34_the_game_ends_at_once_when_no_card_can_be_had_and_the_referee_agrees():
    design, ended = cards_run_out()
    assert len(ended) > 5
    for number in ended[:6]:
        assert_referee_agrees(design, plan_of(MIXED, 1, first=number))


def test_il_34_the_discards_become_the_pile_when_it_is_empty():
    reshuffled = 0
    for game in recorded(few_cards(72), plan_of(["balanced", "random"], 12)):
        for each in game.of(Tape.SHUFFLE)[1:]:
            assert len(set(each.values)) == len(each.values) < 72
            reshuffled += 1
    assert reshuffled > 12


# Effects


def test_every_effect_is_used_and_every_prophecy_won_in_few_generous_games():
    used: Counter[str] = Counter()
    won: set[str] = set()
    for players in TABLES_OF:
        design = generous_design()
        names = [source.source for source in design.sources]
        for first, bots in enumerate((MIXED, ("prophet",) * 4, ("random",) * 4)):
            played = play(design, plan_of(bots[:players], 80, first=1000 * first), True)
            kinds, sources = played.events["kind"], played.events["source"]
            used.update(names[each] for each in sources[kinds == Kind.USED])
            won.update(names[each] for each in sources[kinds == Kind.PAID] if "prophecy." in names[each])
    assert won == {f"prophecy.{each.id}" for each in default_design().readings.prophecies}
    assert set(used) == set(effects())
    assert {effects()[source].verb for source in used} >= set(Verb) - unused_verbs()


def unused_verbs() -> set[Verb]:
    """Verbs that no card of the default set has."""
    return set(Verb) - {effect.verb for effect in effects().values()}


def test_nearly_every_prophecy_is_won_with_its_own_condition():
    played = play(default_design(), plan_of(MIXED, 400), True)
    names = [source.source for source in default_design().sources]
    paid = played.events["source"][played.events["kind"] == Kind.PAID]
    won = {names[each] for each in paid.tolist() if "prophecy." in names[each]}
    assert len(won) >= 48


def test_g44_an_attack_takes_no_vp_that_are_not_there():
    losses = [each for game in generous(4) for each in game.paid() if each.amount < 0]
    assert losses
    for game in generous(4):
        scores = [0] * 4
        for each in game.paid():
            scores[each.seat] += each.amount
            assert scores[each.seat] >= 0


def test_events_are_the_same_whatever_room_there_is_for_them():
    plan = plan_of(MIXED[:4], 12)
    whole = play(default_design(), plan, True).events
    cut = replace(KERNEL, most_events=200, events_a_game=0).play(default_design(), plan, True).events
    assert len(whole["game"]) > 3 * 4 * 200  # else they fit into the first room
    assert all(np.array_equal(cut[name], whole[name]) for name in whole)


# A fault of the rules stops the game and says so


def test_a_game_that_the_rules_stop_is_named_with_the_reason():
    design = default_design()
    broken = replace(design, tables=design.tables.copy())
    broken.tables[0].energy_start = -1
    with pytest.raises(RuleFault, match="seed 7, game 0: an action that no die can pay"):
        play(broken, plan_of(["balanced", "balanced"], 1), True)


# Few games for the passes without compilation and with checked bounds


def assert_referee_agrees(design: Design, plan: Plan) -> None:
    played, replayed = play(design, plan, True), GAME.replay(design, plan)
    for name in ("games", "seats", "events"):
        for column, values in getattr(replayed, name).items():
            assert np.array_equal(getattr(played, name)[column], values), f"{name}.{column}"


EFFECTIVE = (
    ("prophet:effect=10,vp=0.2", "raider:effect=10,vp=0.2"),
    ("random", "prophet:effect=10,attack=3,vp=0.2"),
)
FULL_OF_EFFECTS = [(EFFECTIVE[0], 386), (EFFECTIVE[1], 113), (EFFECTIVE[1], 236)]
"""Bots and games, short ones, that use every verb of the cards between them."""


def effective_design() -> Design:
    """Many constellations, few cards in hand: full games that the referee reads quickly."""
    return generous_design(energy_start=8, hand_limit=7)


@pytest.mark.kernel
@pytest.mark.parametrize(("bots", "number"), FULL_OF_EFFECTS)
def test_the_referee_agrees_in_a_game_full_of_effects(bots: tuple[str, str], number: int):
    assert_referee_agrees(effective_design(), plan_of(bots, 1, first=number))


def test_the_games_full_of_effects_use_nearly_every_verb():
    """Else the passes without compilation and with checked bounds miss lines; a change of bots can do that."""
    verbs: dict[tuple[tuple[str, str], int], set[Verb]] = defaultdict(set)
    for bots in EFFECTIVE:
        played = play(effective_design(), plan_of(bots, 400), True)
        used = played.events["kind"] == Kind.USED
        names = [source.source for source in effective_design().sources]
        for number, source in zip(played.events["game"][used], played.events["source"][used], strict=True):
            verbs[bots, int(number)].add(effects()[names[source]].verb)
    wanted = {effect.verb for effect in effects().values()}
    found = set().union(*(verbs[each] for each in FULL_OF_EFFECTS))
    better: list[Any] = []
    while len(better) < 3:
        seen = set().union(*(verbs[each] for each in better))
        better.append(max(verbs, key=lambda each: len(verbs[each] - seen)))
    assert len(wanted - found) <= 3, f"{wanted - found} are missing; {better} would have nearly all"


@pytest.mark.kernel
def test_the_referee_agrees_in_a_game_without_cards_and_with_an_exchanged_stack():
    design = few_cards(40)
    plan = plan_of(MIXED[:3], 1)
    assert_referee_agrees(design, plan)
    assert play(design, plan, False).games["ending"] == Ending.NO_CARDS
