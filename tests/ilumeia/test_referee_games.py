"""Whole random games: what holds in every game, and that a replay tells the same story."""

from __future__ import annotations

import dataclasses
from collections import Counter
from functools import cache

import pytest

from simulator.conditions import parse
from simulator.games.ilumeia.cards import CardSet
from simulator.games.ilumeia.files import read_set
from simulator.games.ilumeia.model import METRICS, Action, Ending, Kind, Verb
from simulator.games.ilumeia.referee import IllegalDecision, Outcome, replay
from tests.ilumeia.random_play import invented_game

SEEDS = range(12)


@cache
def generous_set(star_cards: int = 216) -> CardSet:
    """The default set, but every prophecy is easy to win and the dice and cards are short or plenty."""
    default = read_set(None, {"rules.energy_start": 8, "rules.supply": 3})
    easy = parse("cards >= 2", METRICS)
    prophecies = tuple(dataclasses.replace(each, condition=easy) for each in default.prophecies)
    cards = dict(list(default.star_cards.items())[:star_cards])
    return dataclasses.replace(default, prophecies=prophecies, star_cards=cards)


@cache
def played(seed: int, star_cards: int = 216) -> tuple[list[int], Outcome]:
    return invented_game(generous_set(star_cards), 2 + seed % 3, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_replay_of_the_tape_has_the_same_events_and_outcome(seed: int):
    words, outcome = played(seed)
    again = replay(generous_set(), 2 + seed % 3, words)
    for name in ("events", "seats", "turns", "rounds", "lead_changes", "winner_seats", "tie_stage"):
        assert getattr(again, name) == getattr(outcome, name), name


@pytest.mark.parametrize("seed", SEEDS)
def test_every_star_card_and_every_die_is_somewhere(seed: int):
    table = played(seed)[1].table
    lying = [table.draw_pile, table.discards, [card for card in table.display if card is not None]]
    lying += [cards for deity in table.deities for cards in (deity.hand, deity.pile)]
    assert sorted(card for cards in lying for card in cards) == list(range(216))
    claims = sum(len(deity.primos) + len(deity.bneph) for deity in table.deities)
    dice = sum(deity.own + deity.used + deity.supply for deity in table.deities)
    assert dice + claims - table.grey_claimed == 11 * table.players


@pytest.mark.parametrize("seed", SEEDS)
def test_the_paid_amounts_and_the_parts_add_up_to_each_score(seed: int):
    outcome = played(seed)[1]
    paid: Counter[int] = Counter()
    for event in outcome.events:
        if event.kind == Kind.PAID:
            paid[event.seat] += event.amount
    for number, seat in enumerate(outcome.seats):
        assert paid[number] == seat.score == sum(seat.parts.values())
        assert seat.score >= 0


@pytest.mark.parametrize("seed", SEEDS)
def test_paid_is_within_reachable_and_reachable_within_offered(seed: int):
    offered, reachable = set(), set()
    for event in played(seed)[1].events:
        if event.kind == Kind.OFFERED:
            offered.add(event.source)
        elif event.kind == Kind.REACHABLE:
            assert event.source in offered
            assert (event.seat, event.source) not in reachable, "marked twice"
            reachable.add((event.seat, event.source))
        elif event.kind == Kind.PAID and event.amount >= 0:
            assert (event.seat, event.source) in reachable


@pytest.mark.parametrize("seed", SEEDS)
def test_all_deities_take_the_same_number_of_turns(seed: int):
    outcome = played(seed)[1]
    own = [
        sum(
            seat.did[action] for action in (Action.DRAW, Action.TAKE, Action.CREATE, Action.PASS, Action.IDLE)
        )
        for seat in outcome.seats
    ]
    assert outcome.ending == Ending.AGES
    assert own == [outcome.turns / len(own)] * len(own)


def test_the_games_use_nearly_every_verb():
    table = played(0)[1].table
    verbs = {f"prophecy.{each.id}": each.effect.verb for each in table.prophecies if each.effect}
    used = {
        verbs[event.source] for seed in SEEDS for event in played(seed)[1].events if event.kind == Kind.USED
    }
    assert len(used) >= len(set(verbs.values())) - 3, set(Verb) - used


@pytest.mark.parametrize("seed", range(6))
def test_a_small_deck_is_shuffled_anew_or_ends_the_game(seed: int):
    words, outcome = played(seed, 48)
    assert outcome.ending == Ending.NO_CARDS or words.count(2) > 1
    assert replay(generous_set(48), 2 + seed % 3, words).events == outcome.events


def test_a_changed_record_is_refused_or_makes_another_game():
    words, outcome = played(1)
    set_ = generous_set()
    unnoticed = []
    for place in range(len(words) // 2, len(words), 37):
        changed = [*words]
        changed[place] += 1
        try:
            if replay(set_, 3, changed).events == outcome.events:
                unnoticed.append(place)
        except IllegalDecision:
            pass
    # Another card discarded or another slot may change nothing that pays.
    assert len(unnoticed) < 12, unnoticed
