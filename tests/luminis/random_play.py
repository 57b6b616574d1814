"""Random legal games of Luminis, made by a tape that invents each decision when the referee asks for it."""

from __future__ import annotations

import random
from typing import Any

from simulator.games.luminis.cards import Card, CardSet
from simulator.games.luminis.model import Action, Arrow, Level, Tape
from simulator.games.luminis.referee import Listener, Outcome, oversee, piles_with_level_i
from simulator.games.luminis.referee_table import Player, Table
from simulator.tape import TapeReader
from tests.luminis.tapes import card_set


def random_set(
    seed: int, *, costly: bool = False, level_i: int = 18, others: int = 20, **rules: Any
) -> CardSet:
    """Cards whose costs and gifts are drawn at random; `costly` ones are seldom paid."""
    some = random.Random(seed)

    def resources(most: int) -> tuple[int, int, int]:
        found = [0, 0, 0]
        for _ in range(some.randint(0, most)):
            found[some.randrange(3)] += 1
        return found[0], found[1], found[2]

    def drawn(id: str, level: Level, cost: int, gift: int, bonus: bool = False) -> Card:
        arrows = frozenset(arrow.name for arrow in Arrow if some.random() < 0.5)
        cost = 3 * cost + 2 if costly else cost
        centre = (0, 0, 0) if bonus else resources(gift)
        pictogram = some.random() < 0.25
        return Card(id, level, resources(cost), centre, resources(gift), arrows, pictogram, bonus)

    cards = [drawn(f"a{n}", Level.I, 2, 2) for n in range(level_i)]
    cards += [drawn(f"b{n}", Level.II, 5, 3) for n in range(others)]
    cards += [drawn(f"c{n}", Level.III, 8, 4) for n in range(others // 2)]
    cards += [drawn(f"{letter}99", Level(n + 1), 2 + n, 2, bonus=True) for n, letter in enumerate("abc")]
    some.shuffle(cards)
    spires = [tuple(4 if colour == place else 0 for colour in range(3)) for place in (0, 1, 2, 0, 1, 2)]
    cards += [Card(f"s{n}", Level.SPIRE, cost) for n, cost in enumerate(spires)]
    given = {"spires_shown": (3, 4, 4, 4), "piles": (3, 4, 4, 5), "start_cards": (4, 5, 6, 6, 6), **rules}
    return card_set(cards, **given)


class Inventor(TapeReader):
    """A tape whose records are invented at random, legal as far as the referee's table tells."""

    def __init__(self, table: Table, seed: int):
        super().__init__([], Tape)
        self.table = table
        self.random = random.Random(seed)
        self.words: list[int] = []
        self.starts: list[int] = []
        """Where each turn's first record begins."""

    def read(self, kind: Tape, seat: int, clause: str, need: str) -> tuple[int, ...]:
        values = tuple(self.invent(kind, seat))
        if kind == Tape.ACTION:
            self.starts.append(len(self.words))
        self.words += [int(kind), seat, len(values), *map(int, values)]
        return values

    def number(self, card: Card) -> int:
        return self.table.cards.index(card)

    def invent(self, kind: Tape, seat: int) -> Any:
        table, some = self.table, self.random
        players = len(table.players)
        if kind == Tape.SPIRES:
            spires = [card for card in table.cards if card.level == Level.SPIRE]
            shown = some.sample(spires, table.rules.spires_shown[players - 2])
            return map(self.number, shown)
        if kind == Tape.PILE:
            return self.pile(seat)
        if kind == Tape.OPENING:
            rich = piles_with_level_i(table)
            taken = {self.words[place + 3] for place in self.places(Tape.OPENING)}
            return [some.choice(sorted(rich - taken or rich))]
        if kind == Tape.DESIGNATE:
            return [some.choice([each for each in range(players) if each != seat])]
        if kind == Tape.VICTIM:
            return [some.choice([each for each in range(players) if each != seat])]
        player = table.players[seat]
        if kind == Tape.RANDOM_CARD:
            return map(self.number, some.sample(player.hand, min(1, len(player.hand))))
        if kind == Tape.TRIM:
            trimmed = some.sample(player.hand, len(player.hand) - table.rules.hand_limit)
            return self.on_piles(trimmed)
        return self.action(player)

    def places(self, kind: Tape) -> list[int]:
        """Where the records of a kind begin among the words so far."""
        found, place = [], 0
        while place < len(self.words):
            if self.words[place] == kind:
                found.append(place)
            place += 3 + self.words[place + 2]
        return found

    def pile(self, number: int) -> list[int]:
        """A pile laid out, or shuffled once all lie there."""
        table, some = self.table, self.random
        count = table.rules.piles[len(table.players) - 2]
        if len(table.piles) == count:
            return some.sample(lying := [self.number(card) for card in table.piles[number]], len(lying))
        if not table.piles:
            advanced = table.rules.advanced
            self.deal = [
                place
                for place, card in enumerate(table.cards)
                if card.level != Level.SPIRE and not (advanced and card.bonus)
            ]
            some.shuffle(self.deal)
        size = -(-len(self.deal) // (count - number))
        dealt, self.deal = self.deal[:size], self.deal[size:]
        return dealt

    def on_piles(self, cards: list[Card]) -> list[int]:
        piles = range(len(self.table.piles))
        return [each for card in cards for each in (self.number(card), self.random.choice(piles))]

    def action(self, player: Player) -> list[int]:
        table, some = self.table, self.random
        spires = [card for card in table.shown if table.could_take(player, card)]
        if spires and some.random() < 0.5:
            return self.spire(player, some.choice(spires))
        placeable = [card for card in player.hand if table.could_place(player, card)]
        draws = [[Action.DRAW, number] for number, pile in enumerate(table.piles) if pile]
        if placeable and (not draws or some.random() < 0.6):
            return self.place(player, some.choice(placeable))
        if table.could_place_bonus(player) and (not draws or some.random() < 0.5):
            return [Action.BONUS, some.choice(self.columns(player, table.bonus[0]))]
        if draws:
            return some.choice(draws)
        return self.spire(player, spires[0]) if spires else [Action.PASS]

    def columns(self, player: Player, card: Card) -> list[int]:
        return player.cathedral.columns_for(card, self.table.rules.any_lower)

    def spire(self, player: Player, spire: Card) -> list[int]:
        columns = self.columns(player, spire)
        paid = [each for each in columns if not any(self.table.missing(player, spire, each))]
        return [Action.SPIRE, self.table.shown.index(spire), self.random.choice(paid)]

    def place(self, player: Player, card: Card) -> list[int]:
        """A place and random discards that pay there, in a random order."""
        others = [each for each in player.hand if each != card]
        columns = self.columns(player, card)
        self.random.shuffle(columns)
        for column in columns:
            missing = list(self.table.missing(player, card, column))
            discards = []
            for each in self.random.sample(others, len(others)):
                brought = self.table.brings(each)
                if any(more and lacking for more, lacking in zip(brought, missing, strict=True)):
                    discards.append(each)
                    missing = [max(0, one - more) for one, more in zip(missing, brought, strict=True)]
            if not any(missing):
                return [Action.PLACE, self.number(card), column, *self.on_piles(discards)]
        raise AssertionError("the table said that it could be placed")


def invented_game(
    cards: CardSet, players: int, seed: int, listener: Listener | None = None
) -> tuple[Inventor, Outcome]:
    """The tape, in `words`, and the outcome of a random game."""
    table = Table(cards, players, [], listener)
    tape = Inventor(table, seed)
    table.tape = tape
    return tape, oversee(table)
