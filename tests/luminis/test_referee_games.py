"""Whole random games: what holds in every game, and that a replay tells the same story."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import permutations, product

import pytest

from simulator.games.luminis.cards import CardSet
from simulator.games.luminis.model import Action, Ending, Kind, Level, Tape
from simulator.games.luminis.referee import IllegalDecision, Listener, Outcome, oversee, replay
from simulator.games.luminis.referee_table import Player, Table
from tests.luminis.random_play import Inventor, invented_game, random_set

SEEDS = range(16)


@cache
def set_of(seed: int) -> CardSet:
    """Both readings, basic and advanced; every fourth set has few cards, hardly paid, and piles that run out."""
    rules = {"any_lower": seed % 2 == 1, "advanced": seed % 3 > 0, "turn_limit": 60}
    if seed % 4 == 3:
        rules = {**rules, "any_lower": seed % 8 == 3, "hand_limit": 9}
        return random_set(seed, costly=True, level_i=4, others=3, **rules)
    return random_set(seed, hand_limit=7 - seed % 5, **rules)


def players_of(seed: int) -> int:
    return 2 if seed % 4 == 3 else 2 + (seed + seed // 4) % 4


class Limit(Listener):
    """Sees every hand at the end of its own turn."""

    def __init__(self) -> None:
        self.hands: list[int] = []

    def turn_ended(self, table: Table, player: Player) -> None:
        if table.winner is None:
            self.hands.append(len(player.hand))


@cache
def played(seed: int) -> tuple[Inventor, Outcome, Limit]:
    limit = Limit()
    return *invented_game(set_of(seed), players_of(seed), seed, limit), limit


@pytest.mark.parametrize("seed", SEEDS)
def test_a_replay_of_the_tape_has_the_same_events_and_outcome(seed: int):
    tape, outcome, _ = played(seed)
    again = replay(set_of(seed), players_of(seed), tape.words)
    for name in ("events", "seats", "turns", "rounds", "ending", "winner_seats"):
        assert getattr(again, name) == getattr(outcome, name), name


@pytest.mark.parametrize("seed", SEEDS)
def test_every_card_is_somewhere_once(seed: int):
    _, outcome, _ = played(seed)
    table = outcome.table
    lying = [*table.piles, table.bonus, table.shown]
    lying += [cards for player in table.players for cards in (player.hand, player.cathedral.cards)]
    found = Counter(card.id for cards in lying for card in cards)
    assert set(found.values()) == {1}
    left_out = {card.id for card in table.cards} - set(found)
    spires = table.rules.spires_shown[players_of(seed) - 2]
    assert len(left_out) == 6 - spires
    assert all(id.startswith("s") for id in left_out)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_payment_adds_up_to_the_cost_and_discards_pay_the_temporary_part(seed: int):
    _, outcome, _ = played(seed)
    cards = {card.id: card for card in outcome.table.cards}
    spent: list[tuple[str, int]] = []
    for event in outcome.events:
        card = cards.get(event.source.partition(".")[2])
        if event.kind == Kind.SPENT:
            spent.append((event.source, event.amount))
            assert event.amount == 2 * sum(card.centre)
        elif event.kind == Kind.PAID:
            assert event.local + event.permanent + event.temporary == sum(card.cost)
            brought = sum(amount for _, amount in spent)
            assert event.temporary <= brought
            assert (event.temporary > 0) == bool(spent)
            assert card.level != Level.SPIRE or event.temporary == 0
            spent = []


@pytest.mark.parametrize("seed", SEEDS)
def test_a_hand_is_what_came_and_did_not_leave(seed: int):
    _, outcome, _ = played(seed)
    held: Counter[int] = Counter()
    for event in outcome.events:
        if event.kind in (Kind.DEALT, Kind.DRAWN):
            held[event.seat] += 1
        elif event.kind in (Kind.SPENT, Kind.TRIMMED):
            held[event.seat] -= 1
        elif event.kind == Kind.STOLEN:
            held[event.seat] -= 1
            held[event.amount] += 1
    for number, seat in enumerate(outcome.seats):
        assert held[number] - seat.did[Action.PLACE] == seat.hand


@pytest.mark.parametrize("seed", SEEDS)
def test_no_hand_is_above_the_limit_after_its_own_turn(seed: int):
    _, _, limit = played(seed)
    assert max(limit.hands) <= set_of(seed).rules.hand_limit


@pytest.mark.parametrize("seed", SEEDS)
def test_a_cathedral_stands_as_the_rules_allow(seed: int):
    _, outcome, _ = played(seed)
    for player in outcome.table.players:
        columns = player.cathedral.columns
        assert sorted(columns) == list(range(min(columns, default=0), max(columns, default=-1) + 1))
        assert not columns or 0 in columns
        for stack in columns.values():
            levels = [card.level for card in stack]
            assert levels[0] == Level.I
            if set_of(seed).rules.any_lower:
                assert levels == sorted(set(levels))
                assert Level.SPIRE not in levels or levels[-2] == Level.III
            else:
                assert levels == list(range(1, len(levels) + 1))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_spire_is_offered_then_reachable_then_paid_or_lapses(seed: int):
    _, outcome, _ = played(seed)
    offered, reachable, ended = set(), set(), set()
    for event in outcome.events:
        if not event.source.startswith("spire."):
            assert event.kind not in (Kind.OFFERED, Kind.REACHABLE, Kind.LAPSED)
            continue
        assert event.source not in ended
        if event.kind == Kind.OFFERED:
            offered.add(event.source)
        elif event.kind == Kind.REACHABLE:
            assert event.source in offered
            assert (event.seat, event.source) not in reachable, "marked twice"
            reachable.add((event.seat, event.source))
        else:
            assert event.kind == Kind.LAPSED or (event.seat, event.source) in reachable
            ended.add(event.source)
    assert ended == offered


@pytest.mark.parametrize("seed", SEEDS)
def test_turns_go_round_and_events_come_in_their_order(seed: int):
    _, outcome, _ = played(seed)
    players = players_of(seed)
    for number, seat in enumerate(outcome.seats):
        assert sum(seat.did.values()) == len(range(number, outcome.turns, players))
    assert outcome.rounds == 1 + (outcome.turns - 1) // players
    before = None
    for event in outcome.events:
        if before is not None:
            assert event.turn >= before.turn
            assert event.step_in_turn == (before.step_in_turn + 1 if event.turn == before.turn else 0)
        own = (Kind.DRAWN, Kind.SPENT, Kind.PAID, Kind.STEP, Kind.TRIMMED, Kind.REACHABLE)
        assert event.kind not in own or event.seat == event.turn % players
        if event.kind != Kind.LAPSED:
            assert event.round == 1 + event.turn // players
        before = event


def test_the_games_end_in_every_way_and_do_all_there_is():
    """What the other tests of this file say would say little without it."""
    outcomes = [played(seed)[1] for seed in SEEDS]
    assert {outcome.ending for outcome in outcomes} == set(Ending)
    assert {event.kind for outcome in outcomes for event in outcome.events} == set(Kind)
    did = sum((Counter(seat.did) for outcome in outcomes for seat in outcome.seats), Counter())
    assert set(+did) == set(Action)
    assert {seat.dead_opening for outcome in outcomes for seat in outcome.seats} == {0, 1}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_changed_number_is_refused_or_makes_another_game(seed: int):
    tape, outcome, _ = played(seed)
    unnoticed = []
    places = range(0, len(tape.words), max(1, len(tape.words) // 40))
    for place in places:
        changed = [*tape.words]
        changed[place] += 1
        try:
            again = replay(set_of(seed), players_of(seed), changed)
        except IllegalDecision:
            continue
        if again.events == outcome.events and again.seats == outcome.seats:
            unnoticed.append(place)
    # The designated seat and an empty-handed victim leave no event when nothing is drawn; a column may be
    # another one that gives the same.
    assert len(unnoticed) <= len(places) // 4, unnoticed


def accepts(seed: int, words: list[int]) -> bool:
    """Whether the referee takes all these records as the beginning of a game."""
    try:
        replay(set_of(seed), players_of(seed), words)
    except IllegalDecision as refusal:
        return refusal.where == "the tape has ended"
    return True


def every_action(table: Table) -> list[list[int]]:
    """Every action but a pass of the seat whose turn has come, legal or not; discards all on pile 0."""
    player = table.players[table.turn % len(table.players)]
    columns = player.cathedral.columns
    near = range(min(columns, default=0) - 1, max(columns, default=0) + 2)
    numbers = [table.cards.index(card) for card in player.hand]
    found = [[Action.DRAW, pile] for pile in range(len(table.piles))]
    found += [[Action.SPIRE, slot, column] for slot, column in product(range(len(table.shown)), near)]
    found += [[Action.BONUS, column] for column in near]
    for card in numbers:
        others = [each for each in numbers if each != card]
        for count in range(len(others) + 1):
            for discards, column in product(permutations(others, count), near):
                found.append([Action.PLACE, card, column, *(each for one in discards for each in (one, 0))])
    return found


@pytest.mark.parametrize("seed", [seed for seed in SEEDS if seed % 4 == 3])
def test_a_pass_is_legal_exactly_when_no_action_is(seed: int):
    """r2, against every action that there could be, with every order of discards."""
    tape, _, _ = played(seed)
    compared: Counter[bool] = Counter()
    for start in tape.starts[::-1]:
        before = tape.words[:start]
        table = Table(set_of(seed), players_of(seed), before, None)
        seat = tape.words[start + 1]
        with pytest.raises(IllegalDecision, match="tape has ended"):
            oversee(table)
        if any(table.piles) or len(table.players[seat].hand) > 5:
            continue
        passing = accepts(seed, [*before, Tape.ACTION, seat, 1, Action.PASS])
        possible = any(
            accepts(seed, [*before, Tape.ACTION, seat, len(action), *action])
            for action in every_action(table)
        )
        assert passing != possible
        compared[passing] += 1
        if sum(compared.values()) >= 8:
            break
    assert compared[True] > 0
