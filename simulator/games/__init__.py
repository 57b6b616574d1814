"""The games of the house: one line a game."""

from __future__ import annotations

from importlib import import_module

from simulator.faults import nearest
from simulator.game import Game, UserError

GAMES = {
    "ilumeia": "simulator.games.ilumeia:GAME",
    "luminis": "simulator.games.luminis:GAME",
}
"""Where each game's GAME stands; it is imported when asked for, since its kernels take a second to load."""


def game(name: str) -> Game:
    """The game of that name; UserError with the nearest right name if there is none."""
    if name not in GAMES:
        raise UserError(f"there is no game {name!r}, expected {nearest(name, GAMES)}")
    module, attribute = GAMES[name].split(":")
    found: Game = getattr(import_module(module), attribute)
    return found
