"""Small card sets, positions and hand-written tapes for the tests of referee and narrator."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from simulator.games.luminis.cards import Card, CardSet
from simulator.games.luminis.model import Action, Kind, Level, Tape
from simulator.games.luminis.referee import IllegalDecision, Listener, Outcome, oversee, play_out
from simulator.games.luminis.referee_table import Event, Table
from simulator.games.luminis.rules import Rules

LEVELS = {"a": Level.I, "b": Level.II, "c": Level.III, "s": Level.SPIRE}
"""The level of a card of these tests is the first letter of its id."""

RULES = Rules(
    spires_shown=(1, 1, 1, 1),
    piles=(2, 2, 2, 2),
    start_cards=(1, 1, 1, 1, 1),
    hand_limit=7,
    temporary_factor=2,
    any_lower=False,
    advanced=False,
    turn_limit=600,
    marks={},
)


def amounts(text: str) -> tuple[int, int, int]:
    """Blue, green and red of a text such as "2b 1g"."""
    found = dict.fromkeys("bgr", 0)
    for word in text.split():
        found[word[-1]] += int(word[:-1])
    return found["b"], found["g"], found["r"]


def card(
    id: str,
    cost: str = "",
    centre: str = "",
    local: str = "",
    arrows: str = "",
    *,
    pictogram: bool = False,
    bonus: bool = False,
) -> Card:
    """A card that costs and gives nothing but what is named."""
    return Card(
        id=id,
        level=LEVELS[id[0]],
        cost=amounts(cost),
        centre=amounts(centre),
        local=amounts(local),
        arrows=frozenset(arrows.split()),
        pictogram=pictogram,
        bonus=bonus,
        line=0,
    )


def plain(ids: str) -> list[Card]:
    """Cards that cost and give nothing."""
    return [card(id) for id in ids.split()]


def card_set(cards: Iterable[Card], **rules: Any) -> CardSet:
    return CardSet(tuple(cards), dataclasses.replace(RULES, **rules), {}, ())


class Script:
    """A tape written record by record, by the names of the cards."""

    def __init__(self, cards: CardSet, players: int):
        self.set, self.players = cards, players
        self.ids = [each.id for each in cards.cards]
        self.words: list[int] = []

    def number(self, id: str) -> int:
        return self.ids.index(id)

    def add(self, kind: int, seat: int, values: Iterable[int] = ()) -> Script:
        values = list(values)
        self.words += [kind, seat, len(values), *values]
        return self

    # The set-up

    def spires(self, ids: str) -> Script:
        return self.add(Tape.SPIRES, -1, map(self.number, ids.split()))

    def pile(self, pile: int, ids: str) -> Script:
        """A pile as laid out or as shuffled, bottom to top."""
        return self.add(Tape.PILE, pile, map(self.number, ids.split()))

    def opening(self, seat: int, pile: int, shuffled: str) -> Script:
        """A seat takes opening cards of a pile, which is shuffled then."""
        return self.add(Tape.OPENING, seat, [pile]).pile(pile, shuffled)

    # The turns

    def draw(self, seat: int, pile: int = 0) -> Script:
        return self.add(Tape.ACTION, seat, [Action.DRAW, pile])

    def place(self, seat: int, id: str, column: int, discards: str = "") -> Script:
        """A hand card on a column; each discard is written `card:pile`."""
        return self.add(Tape.ACTION, seat, [Action.PLACE, self.number(id), column, *self.pairs(discards)])

    def spire(self, seat: int, slot: int, column: int, discards: str = "") -> Script:
        return self.add(Tape.ACTION, seat, [Action.SPIRE, slot, column, *self.pairs(discards)])

    def bonus(self, seat: int, column: int, discards: str = "") -> Script:
        return self.add(Tape.ACTION, seat, [Action.BONUS, column, *self.pairs(discards)])

    def passes(self, *seats: int) -> Script:
        for seat in seats:
            self.add(Tape.ACTION, seat, [Action.PASS])
        return self

    def pictogram(self, placer: int, drawer: int, victim: int, drawn: str) -> Script:
        """The decisions of a pictogram and the card drawn blind, "" for none."""
        self.add(Tape.DESIGNATE, placer, [drawer])
        self.add(Tape.VICTIM, drawer, [victim])
        return self.add(Tape.RANDOM_CARD, victim, map(self.number, drawn.split()))

    def trim(self, seat: int, discards: str) -> Script:
        return self.add(Tape.TRIM, seat, self.pairs(discards))

    def pairs(self, discards: str) -> list[int]:
        pairs = [each.split(":") for each in discards.split()]
        return [number for id, pile in pairs for number in (self.number(id), int(pile))]

    def table(self, listener: Listener | None = None) -> Table:
        return Table(self.set, self.players, self.words, listener)

    def replay(self) -> Outcome:
        return oversee(self.table())


class Position(Script):
    """A game in play, whose tape holds the turns that follow; after the last of them the turn limit ends it.

    A cathedral is written in columns from 0, each from bottom to top: "a1/b1/c1 a2". All cards are those
    given and the plain ones that no list of cards describes.
    """

    def __init__(
        self,
        *cards: Card,
        hands: Sequence[str] = ("", ""),
        cathedrals: Sequence[str] = (),
        piles: Sequence[str] = ("", ""),
        shown: str = "",
        bonus: str = "",
        **rules: Any,
    ):
        self.hands, self.cathedrals, self.piles, self.shown = hands, cathedrals, piles, shown
        self.bonus_stack = bonus
        named = " ".join([*hands, *cathedrals, *piles, shown, bonus]).replace("/", " ").split()
        described = {each.id for each in cards}
        others = [id for id in dict.fromkeys(named) if id not in described]
        super().__init__(card_set([*cards, *plain(" ".join(others))], **rules), len(hands))

    def table(self, listener: Listener | None = None) -> Table:
        turns = [kind for kind, _, _ in self.records() if kind == Tape.ACTION]
        limit = min(len(turns), self.set.rules.turn_limit)
        rules = dataclasses.replace(self.set.rules, turn_limit=limit)
        table = Table(dataclasses.replace(self.set, rules=rules), self.players, self.words, listener)
        by_id = {each.id: each for each in self.set.cards}
        for seat, hand in enumerate(self.hands):
            table.players[seat].hand = [by_id[id] for id in hand.split()]
        for seat, cathedral in enumerate(self.cathedrals):
            for column, stack in enumerate(cathedral.split()):
                for id in stack.split("/"):
                    table.players[seat].cathedral.lay(by_id[id], column)
        table.piles = [[by_id[id] for id in pile.split()] for pile in self.piles]
        table.shown = [by_id[id] for id in self.shown.split()]
        table.bonus = [by_id[id] for id in self.bonus_stack.split()]
        return table

    def records(self) -> Iterable[tuple[int, int, list[int]]]:
        place = 0
        while place < len(self.words):
            kind, seat, count = self.words[place : place + 3]
            yield kind, seat, self.words[place + 3 : place + 3 + count]
            place += 3 + count

    def replay(self) -> Outcome:
        return play_out(self.table())


def refused(script: Script, clause: str, words: str = "") -> None:
    """The referee refuses the script's last record by that clause, with these words among its own."""
    with pytest.raises(IllegalDecision) as raised:
        script.replay()
    assert raised.value.clause == clause, raised.value
    assert words in raised.value.what, raised.value


def events(outcome: Outcome, *kinds: Kind) -> list[Event]:
    """The events of these kinds, in order."""
    return [event for event in outcome.events if event.kind in kinds]


def rows(outcome: Outcome, *kinds: Kind) -> list[tuple[int, str, int]]:
    """Seat, source and amount of the events of these kinds, in order."""
    return [(event.seat, event.source, event.amount) for event in events(outcome, *kinds)]


def met(outcome: Outcome) -> list[tuple[int, int, int]]:
    """How much of each cost local, permanent and temporary resources met, payment by payment."""
    return [(event.local, event.permanent, event.temporary) for event in events(outcome, Kind.PAID)]


def hand(outcome: Outcome, seat: int) -> str:
    """The ids of a hand, in the order received."""
    return " ".join(each.id for each in outcome.table.players[seat].hand)


def pile(outcome: Outcome, number: int) -> str:
    """The ids of a pile, bottom to top."""
    return " ".join(each.id for each in outcome.table.piles[number])


def cathedral(outcome: Outcome, seat: int) -> dict[int, str]:
    """The ids of a cathedral by column, bottom to top."""
    columns = outcome.table.players[seat].cathedral.columns
    return {column: "/".join(each.id for each in stack) for column, stack in sorted(columns.items())}
