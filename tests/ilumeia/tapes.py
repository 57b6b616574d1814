"""Small card sets and hand-written tapes for the referee's tests."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from simulator.conditions import parse
from simulator.documents import Document
from simulator.games.ilumeia.cards import CardSet, Effect, Prophecy, Providence
from simulator.games.ilumeia.files import STANDINGS
from simulator.games.ilumeia.model import (
    METRICS,
    Action,
    Die,
    Kind,
    Planet,
    Reward,
    Step,
    Tape,
    Target,
    Trigger,
    Verb,
)
from simulator.games.ilumeia.referee import IllegalDecision, Outcome, replay
from simulator.games.ilumeia.rules import Rules, read_rules
from simulator.games.ilumeia.star_cards import DATA, StarCard, read_star_cards, star_card

WITNESS_FILE = Path(__file__).parent / "fixtures" / "ilumeia_witness.csv"
WITNESS = "w1 w2 w3 w4 w5 w6 w7"

V, A, L, S = Step.VVIBON, Step.AMP_R, Step.LOTZZZ, Step.SUZUR
PRIMOS, BNEPH = Step.PRIMOS, Step.BNEPH
STILL: dict[str, Any] = {"vvibon_thresholds": (99,) * 9, "amp_r_thresholds": (99,) * 5}
"""Tracks that nothing moves, so that a test can leave their steps out."""


@cache
def default_rules() -> Rules:
    document = Document.read(DATA / "rules.toml")
    rules = read_rules(document, document)
    assert rules is not None
    return rules


def plain_cards() -> dict[str, StarCard]:
    """Cards of one star each, so that a row's metrics can be read off its ids.

    `a` ends a row (central star, right side), `b` goes between (central star), `e` ends a row without a
    central star, `f` ends a row with a central flame star, `t` goes between with three stars; all of these
    join on the middle level. `u` ends a row on the upper level.
    """
    cards = [star_card(f"a{n}", ["C"], [], [], "", "m", []) for n in range(1, 25)]
    cards += [star_card(f"b{n}", ["C"], [], [], "m", "m", []) for n in range(1, 17)]
    cards += [star_card(f"e{n}", ["E"], [], [], "", "m", []) for n in range(1, 9)]
    cards += [star_card(f"f{n}", ["C"], ["C"], [], "", "m", []) for n in range(1, 13)]
    three = ["W", "C", "E"], [], [("W", "C"), ("C", "E")]
    cards += [star_card(f"t{n}", *three, "m", "m", []) for n in range(1, 5)]
    cards += [star_card(f"u{n}", ["N"], [], [], "", "u", []) for n in (1, 2)]
    return {card.id: card for card in cards}


def witness_cards() -> dict[str, StarCard]:
    cards, faults = read_star_cards(WITNESS_FILE)
    assert not faults
    return cards


def effect(
    verb: Verb,
    trigger: Trigger,
    target: Target = Target.SELF,
    amount: int = 1,
    *,
    per: str | None = None,
    count: str | None = None,
    most: int | None = None,
    when: str | None = None,
) -> Effect:
    state = (*METRICS, *STANDINGS)
    return Effect(
        verb,
        trigger,
        target,
        amount,
        per=parse(per, state) if per else None,
        count=parse(count, METRICS) if count else None,
        most=most,
        when=parse(when, state) if when else None,
    )


NEVER = "stars > 90"


def prophecy(
    id: str,
    condition: str = "stars >= 2",
    effect: Effect | None = None,
    *,
    vp: int = 4,
    dot: bool = True,
) -> Prophecy:
    """A prophecy card whose planet is the first word of its id and whose type follows from its effect."""
    if effect is None:
        reward = Reward.INSTANT
    elif effect.trigger == Trigger.PLAY:
        reward = Reward.ONE_TIME
    elif effect.trigger in (Trigger.FINAL, Trigger.BEFORE_FINAL):
        reward = Reward.FINAL
    else:
        reward = Reward.ABILITY
    planet = Planet[id.split("_")[0].upper()]
    vp = 0 if reward == Reward.FINAL else vp
    return Prophecy(id, id, planet, reward, dot, False, parse(condition, METRICS), vp, effect)


def providence(id: str, cards: str, at_least: int) -> Providence:
    return Providence(id, id, parse(cards, METRICS), at_least)


def card_set(
    prophecies: Iterable[Prophecy] = (),
    *,
    cards: Mapping[str, StarCard] | None = None,
    providences: Sequence[Providence] = (),
    **rules: Any,
) -> CardSet:
    """A set of one age whose planets have these prophecies, and one that nothing fulfils if there is none."""
    rules = {"ages": 1, "providence": False, "display": 2, "prepare_discard": 0, **rules}
    found = list(prophecies)
    for planet in Planet:
        missing = rules["ages"] - sum(each.planet == planet for each in found)
        found += [prophecy(f"{planet.name.lower()}_never_{n}", NEVER) for n in range(missing)]
    values = dataclasses.replace(default_rules(), **rules)
    return CardSet(cards or plain_cards(), tuple(found), tuple(providences), values, {}, ())


class Script:
    """A tape written record by record, by the names of the cards.

    `hands` are the cards of each seat after the deal, in seat order for age I; each seat then takes the card
    `taken` names for it (by default the first unused one) from the pile, and `pile` lies on top after that.
    """

    def __init__(
        self,
        cards: CardSet,
        hands: Sequence[str],
        *,
        display: str = "",
        taken: str = "",
        pile: str = "",
        whole_pile: bool = True,
        stacks: Mapping[Planet, Sequence[str]] | None = None,
        providence: Sequence[str] = (),
        prepared: bool = True,
    ):
        dealt = [hand.split() for hand in hands]
        self.players = len(hands)
        changed = {"deal": len(dealt[0])}
        self.set = dataclasses.replace(cards, rules=dataclasses.replace(cards.rules, **changed))
        self.ids = list(cards.star_cards)
        self.words: list[int] = []
        self.row: list[str] = []
        named = [*display.split(), *(card for hand in dealt for card in hand), *taken.split(), *pile.split()]
        unused = iter([card for card in reversed(self.ids) if card not in named])
        shown = display.split() or [next(unused) for _ in range(cards.rules.display)]
        extra = taken.split() or [next(unused) for _ in hands]
        top_first = [*shown, *(card for hand in dealt for card in hand), *extra, *pile.split()]
        rest = [card for card in self.ids if card not in top_first]
        if not whole_pile:
            # Cards that the test must not meet: a set of just these.
            self.set = dataclasses.replace(
                self.set, star_cards={id: card for id, card in cards.star_cards.items() if id in top_first}
            )
            self.ids, rest = list(self.set.star_cards), []
        for planet in Planet:
            own = [each.id for each in cards.prophecies if each.planet == planet][: cards.rules.ages]
            self.add(Tape.STACK, planet, map(self.prophecy, (stacks or {}).get(planet, own)))
        for seat, two in enumerate(providence):
            names = [each.id for each in cards.providence]
            self.add(Tape.PROVIDENCE_DEAL, seat, map(names.index, two.split()))
        self.add(Tape.SHUFFLE, -1, self.numbers(reversed([*top_first, *rest])))
        if prepared:
            for seat in range(self.players):
                self.add(Tape.PREPARE_DISCARD, seat, [])
            for seat in range(self.players):
                self.add(Tape.PREPARE_TAKE, seat, [-1])

    def numbers(self, cards: Iterable[str]) -> list[int]:
        return [self.ids.index(card) for card in cards]

    def prophecy(self, id: str) -> int:
        return [each.id for each in self.set.prophecies].index(id)

    def add(self, kind: Tape, seat: int, values: Iterable[int] = ()) -> Script:
        values = list(values)
        self.words += [kind, seat, len(values), *values]
        return self

    def cards(self, kind: Tape, seat: int, cards: str, *before: int) -> Script:
        """A record of cards, by name, after other values."""
        return self.add(kind, seat, [*before, *self.numbers(cards.split())])

    def draw(self, seat: int, die: Die = Die.OWN) -> Script:
        return self.add(Tape.ACTION, seat, [Action.DRAW, die])

    def take(self, seat: int, slot: int, die: Die = Die.OWN) -> Script:
        return self.add(Tape.ACTION, seat, [Action.TAKE, die, slot])

    def passes(self, *seats: int) -> Script:
        for seat in seats:
            self.add(Tape.ACTION, seat, [Action.PASS, Die.OWN])
        return self

    def idle(self, *seats: int) -> Script:
        for seat in seats:
            self.add(Tape.ACTION, seat, [Action.IDLE])
        return self

    def create(self, seat: int, row: str, *steps: Step, die: Die = Die.OWN) -> Script:
        """Action C and its scoring steps without a choice."""
        halves = []
        for name in row.split():
            turned = name not in self.ids
            halves.append(2 * self.ids.index(name.removesuffix("r") if turned else name) + turned)
        self.add(Tape.ACTION, seat, [Action.CREATE, die, *halves])
        for step in steps:
            self.score(seat, step)
        return self

    def score(self, seat: int, step: Step, *choice: int) -> Script:
        return self.add(Tape.SCORE, seat, [step, *choice])

    def play(self, seat: int, id: str) -> Script:
        return self.add(Tape.PLAY, seat, [self.prophecy(id)])

    def replay(self, **more: Any) -> Outcome:
        return replay(self.set, self.players, self.words, **more)


def paid(outcome: Outcome, source: str | None = None, seat: int = 0) -> list[int]:
    """The amounts that a source paid a seat, in order."""
    return [
        event.amount
        for event in outcome.events
        if event.kind == Kind.PAID and event.seat == seat and source in (None, event.source)
    ]


def rows_of(outcome: Outcome, kind: int) -> list[tuple[int, str, int]]:
    """Seat, source and amount of the events of one kind, in order."""
    return [(event.seat, event.source, event.amount) for event in outcome.events if event.kind == kind]


def game(
    *prophecies: Any,
    hands: tuple[str, ...] = ("a1 a2 a3 a4", "a5 a6 a7 a8"),
    taken: str = "",
    pile: str = "",
    display: str = "",
    **rules: Any,
) -> Script:
    """A game of one age after its preparation; each deity holds a hand and one card more."""
    cards = card_set(prophecies, **{**STILL, **rules})
    return Script(cards, hands, taken=taken, pile=pile, display=display)


def refused(script: Script, clause: str, words: str = "") -> None:
    with pytest.raises(IllegalDecision) as raised:
        script.replay()
    assert raised.value.clause == clause, raised.value
    assert words in raised.value.what


def hand(outcome: Outcome, seat: int) -> set[str]:
    table = outcome.table
    return {table.card_ids[card] for card in table.deities[seat].hand}


def pile(outcome: Outcome, seat: int) -> list[str]:
    table = outcome.table
    return [table.card_ids[card] for card in table.deities[seat].pile]


def witness_game(**rules: Any) -> Script:
    cards = card_set(cards={**plain_cards(), **witness_cards()}, **{"energy_start": 3, **rules})
    return Script(cards, [WITNESS, "a1 a2 a3 a4 a5 a6 a7"])
