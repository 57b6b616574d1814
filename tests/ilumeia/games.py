"""Card sets, plans and records of compiled games, shared by the tests of kernel, search and bots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from simulator.bots import BotBook, read_bots
from simulator.conditions import parse
from simulator.game import Design, Plan
from simulator.games.ilumeia import GAME
from simulator.games.ilumeia.cards import CardSet
from simulator.games.ilumeia.files import catalogue, read_set
from simulator.games.ilumeia.kernel import play_game
from simulator.games.ilumeia.kernel_setup import begin
from simulator.games.ilumeia.measure import measure
from simulator.games.ilumeia.model import MAX_SEATS, METRICS, Action, Kind, Step, Tape
from simulator.games.ilumeia.play import play, record
from simulator.games.ilumeia.records import EVENT_FIELDS, STATE
from simulator.games.ilumeia.referee_table import Event
from simulator.games.ilumeia.tables import derive_tables

MIXED = ("balanced", "random", "raider", "collector")
"""One bot of each manner: what they do between them is nearly everything that the rules allow."""

TABLES_OF = (2, 3, 4)
"""The numbers of seats that a table may have."""


@cache
def bot_book() -> BotBook:
    return read_bots(GAME.data / "bots.toml", GAME.features)


def designed(card_set: CardSet) -> Design:
    """The design of a card set that no file holds."""
    return Design(derive_tables(card_set), tuple(catalogue(card_set)), {}, (), card_set)


@cache
def default_design(**rules: Any) -> Design:
    """The default cards with these rule values; lists are given as tuples."""
    settings = {f"rules.{name}": _listed(value) for name, value in rules.items()}
    return designed(read_set(None, settings))


def _listed(value: Any) -> Any:
    return [_listed(each) for each in value] if isinstance(value, tuple) else value


@cache
def generous_design(**rules: Any) -> Design:
    """As `default_design`, but two cards win any prophecy, so that few games meet most effects."""
    card_set: CardSet = default_design(**rules).readings
    easy = parse("cards >= 2", METRICS)
    return designed(
        replace(card_set, prophecies=tuple(replace(each, condition=easy) for each in card_set.prophecies))
    )


def plan_of(bots: Sequence[str], games: int, *, seed: int = 7, first: int = 0) -> Plan:
    """Games `first` .. with these bots on the seats, each game a setup of its own."""
    numbers = np.arange(first, first + games, dtype=np.int64)
    weights = np.stack([bot_book().row(bot) for bot in bots])
    seated = np.tile(np.arange(len(bots), dtype=np.int64), (games, 1))
    return Plan(seed, len(bots), numbers, numbers, np.zeros_like(numbers), seated, weights)


@dataclass(frozen=True)
class Record:
    """One record of a tape."""

    kind: Tape
    seat: int
    values: tuple[int, ...]


@dataclass(frozen=True)
class Recorded:
    """One game with all that is known of it."""

    players: int
    game: dict[str, int]
    """The row of the games table."""
    seats: list[dict[str, int]]
    events: list[Event]
    tape: list[Record]

    def of(self, *kinds: Tape) -> list[Record]:
        """The records of these kinds."""
        return [each for each in self.tape if each.kind in kinds]

    def paid(self, source: str = "") -> list[Event]:
        """The payments of sources whose name begins so."""
        return [each for each in self.events if each.kind == Kind.PAID and each.source.startswith(source)]


def records(words: Sequence[int]) -> Iterator[Record]:
    """The records of a tape, one after another."""
    place = 0
    while place < len(words):
        kind, seat, size = words[place : place + 3]
        yield Record(Tape(kind), seat, tuple(words[place + 3 : place + 3 + size]))
        place += 3 + size


def recorded(design: Design, plan: Plan) -> list[Recorded]:
    """Every game of the plan with its columns, events and tape; the records that end a scoring left out."""
    played = play(design, plan, True)
    names = [source.source for source in design.sources]
    events: dict[int, list[Event]] = {int(number): [] for number in plan.game}
    rows = zip(*(played.events[name].tolist() for name in ("game", *EVENT_FIELDS)), strict=True)
    for game, turn, step, round_number, seat, kind, source, amount in rows:
        event = Event(turn, step, round_number, seat, Kind(kind), names[source], amount)
        events[game].append(event)
    return [
        Recorded(
            plan.players,
            row_of(played.games, number),
            [row_of(played.seats, number * plan.players + seat) for seat in range(plan.players)],
            events[int(plan.game[number])],
            [
                each
                for each in records(record(design, plan, number))
                if each.kind != Tape.SCORE or each.values
            ],
        )
        for number in range(len(plan.game))
    ]


def row_of(columns: dict[str, np.ndarray], place: int) -> dict[str, int]:
    """One row of a table's columns."""
    return {name: int(column[place]) for name, column in columns.items()}


# Batches of recorded games, and what is read off them


@cache
def table(players: int) -> list[Recorded]:
    """A batch of games of so many seats with the default cards, every bot among them."""
    bots = list(bot_book().bots)
    games: list[Recorded] = []
    for first in range(0, len(bots), 2):
        seated = [bots[(first + seat) % len(bots)] for seat in range(players)]
        games += recorded(default_design(), plan_of(seated, 8, seed=first))
    return games


@cache
def generous(players: int) -> list[Recorded]:
    """Games in which two cards win any prophecy, so that effects abound."""
    return recorded(generous_design(), plan_of(MIXED[:players], 20))


def everywhere() -> Iterator[Recorded]:
    for players in TABLES_OF:
        yield from table(players)
        yield from generous(players)


@dataclass(frozen=True)
class Constellation:
    """One constellation of a game, measured, with the scoring steps that its owner took."""

    seat: int
    metrics: dict[str, Any]
    steps: list[Record]
    """SCORE records in their order."""

    def of(self, step: Step) -> list[Record]:
        return [each for each in self.steps if each.values[0] == step]


@cache
def star_cards() -> list[str]:
    return list(default_design().readings.star_cards)


def constellations(game: Recorded) -> Iterator[Constellation]:
    """Every constellation of a game; its steps stand between its action and the next one."""
    actions = [place for place, each in enumerate(game.tape) if each.kind == Tape.ACTION]
    for place, following in pairwise([*actions, len(game.tape)]):
        action = game.tape[place]
        if action.values[0] == Action.CREATE:
            row = [star_cards()[half >> 1] + "r" * (half & 1) for half in action.values[2:]]
            metrics = measure(default_design().readings.star_cards, row)
            steps = [each for each in game.tape[place:following] if each.kind == Tape.SCORE]
            yield Constellation(action.seat, metrics, steps)


def ages(game: Recorded) -> list[list[Record]]:
    """The records of each age, from the first discard of its preparation on."""
    parts: list[list[Record]] = []
    discards = 0
    for each in game.tape:
        if each.kind == Tape.PREPARE_DISCARD:
            if discards % game.players == 0:
                parts.append([])
            discards += 1
        if parts:
            parts[-1].append(each)
    return parts


@cache
def effects() -> dict[str, Any]:
    """By source: the effect of each prophecy that has one."""
    prophecies = default_design().readings.prophecies
    return {f"prophecy.{each.id}": each.effect for each in prophecies if each.effect}


def final_states(players: int, design: Design | None = None, games: int = 8) -> list[np.record]:
    """The table as it lies after each game of the first batch."""
    bots = list(bot_book().bots)
    return states_after(design or default_design(), plan_of(bots[:players], games, seed=0))


def states_after(design: Design, plan: Plan) -> list[np.record]:
    rows = np.zeros((len(plan.game), 4 + MAX_SEATS), np.int64)
    rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3] = plan.seed, plan.game, plan.setup, plan.players
    rows[:, 4 : 4 + plan.players] = plan.bots
    states = np.zeros(len(plan.game), STATE)
    for number, row in enumerate(rows):
        begin(states[number], design.tables[0], row, plan.weights)
        play_game(states[number], design.tables[0])
    return list(states)
