"""Card sets, plans and positions of compiled games, shared by the tests of kernel, search and bots."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from simulator.bots import BotBook, read_bots
from simulator.game import Design, Plan, Played
from simulator.games.luminis import GAME
from simulator.games.luminis.model import MIDDLE, N_COLOURS, STATE, Feature, Kind, Level

FIRST_COLUMN = int(MIDDLE)


@cache
def bot_book() -> BotBook:
    return read_bots(GAME.data / "bots.toml", GAME.features)


@cache
def default_design(players: int = 4, **settings: Any) -> Design:
    """The default cards with these rule values."""
    return GAME.read(None, {f"rules.{name}": value for name, value in settings.items()}, players)


def plan_of(bots: Sequence[str], games: int, *, seed: int = 7, first: int = 0) -> Plan:
    """Games `first` .. with these bots on the seats, each game a setup of its own."""
    numbers = np.arange(first, first + games, dtype=np.int64)
    weights = np.stack([bot_book().row(bot) for bot in bots])
    seated = np.tile(np.arange(len(bots), dtype=np.int64), (games, 1))
    return Plan(seed, len(bots), numbers, numbers, np.zeros_like(numbers), seated, weights)


def events_of(played: Played, kind: Kind) -> list[dict[str, int]]:
    """The events of one kind, as dicts by column."""
    rows = np.flatnonzero(played.events["kind"] == kind)
    return [{name: int(column[row]) for name, column in played.events.items()} for row in rows]


def cards_of(tables: Any, level: Level) -> list[int]:
    """The positions of the cards of a level."""
    return [card for card in range(tables.n_cards) if tables.level[card] == level]


def empty_state(tables: Any, players: int = 4) -> Any:
    """A state at the start of a game, before anything is dealt; seat 0 is to move."""
    from simulator.games.luminis.kernel import begin

    states = np.zeros(1, STATE)
    weights = np.stack([bot_book().row("balanced")])
    begin(states[0], tables, np.array([1, 0, 0, players, *[0] * 5]), weights)
    return states[0]


def build(state: Any, tables: Any, seat: int, columns: Sequence[Sequence[int]]) -> None:
    """Lay a cathedral: columns from left to right, each bottom to top, the first in the middle."""
    from simulator.games.luminis.kernel import place_card

    for row in range(4):
        for column, cards in enumerate(columns):
            if row < len(cards):
                place_card(state, tables, seat, cards[row], FIRST_COLUMN + column, np.int64(0), np.int64(0))
    assert not state.fault


def hold(state: Any, seat: int, cards: Sequence[int]) -> None:
    """Give a seat this hand."""
    for slot, card in enumerate(cards):
        state.hand[seat, slot] = card
    state.hand_size[seat] = len(cards)


def weigh_evenly(state: Any, seat: int) -> None:
    """Set the weights that a placement's worth depends on to plain numbers."""
    for feature, weight in ((Feature.LOCAL, 0.3), (Feature.GAP, 1.0), (Feature.NOISE, 0.0)):
        state.weight[seat, feature] = weight
    for colour in range(N_COLOURS):
        state.aim[colour] = 0.5 + colour
