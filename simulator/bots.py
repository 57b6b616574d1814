"""A game's bots: named rows of weights, read from its `bots.toml`, and the bot strings that change them.

The file has `[weights.NAME]` with `text`, `default` and `range = [lowest, highest]` for every feature of
the game, `[bots.NAME]` with `text` and any weights that differ under `[bots.NAME.weights]`, and may name
the bot that plays when nobody is asked for: `default = "NAME"`. A designer's file may hold only what it changes.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.documents import Document, Place
from simulator.faults import nearest, read_toml
from simulator.game import CardFaults, UserError

_LONGEST_TEXT = 300


@dataclass(frozen=True)
class Weight:
    """One weight of the bots: what it means, its default and the range it may take."""

    name: str
    text: str
    default: float
    lowest: float
    highest: float


@dataclass(frozen=True)
class Bot:
    """A named bot: a sentence on how it plays, and the weights in which it differs from the defaults."""

    name: str
    text: str
    weights: Mapping[str, float]

    @property
    def changes(self) -> str:
        """The weights as in a bot string."""
        return ",".join(f"{key}={value:g}" for key, value in self.weights.items())


@dataclass(frozen=True)
class BotBook:
    """All bots and weights of a game, the weights in the order of its features."""

    weights: Mapping[str, Weight]
    bots: Mapping[str, Bot]
    default: str
    """The bot that plays when none is named."""

    def row(self, text: str) -> NDArray[np.float64]:
        """The weights (features,) of a bot string such as `prophet` or `prophet:vvibon=1.5,noise=0.2`."""
        name, colon, changes = text.partition(":")
        name = name.strip()
        if name not in self.bots:
            raise UserError(f"bot {text!r}: there is no bot {name!r}, expected {nearest(name, self.bots)}")
        values = {weight.name: weight.default for weight in self.weights.values()}
        values.update(self.bots[name].weights)
        changed = set()
        for piece in changes.split(",") if colon else ():
            key, value = self._change(text, piece)
            if key in changed:
                raise UserError(f"bot {text!r}: weight {key!r} stands twice, expected once")
            changed.add(key)
            values[key] = value
        return np.array([values[name] for name in self.weights], dtype=np.float64)

    def _repr_html_(self) -> str:
        rows = [(bot.name, bot.text, bot.changes or "all defaults") for bot in self.bots.values()]
        cells = ("".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in rows)
        head = "<tr><th>bot</th><th>how it plays</th><th>weights</th></tr>"
        return f"<table>{head}{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"

    def _change(self, text: str, piece: str) -> tuple[str, float]:
        key, equals, given = (part.strip() for part in piece.partition("="))
        if not equals:
            raise UserError(f"bot {text!r}: {piece!r} is no change of a weight, expected WEIGHT=NUMBER")
        if key not in self.weights:
            raise UserError(f"bot {text!r}: no weight {key!r}, expected {nearest(key, self.weights)}")
        weight = self.weights[key]
        try:
            value = float(given)
        except ValueError:
            value = math.nan
        if not weight.lowest <= value <= weight.highest:  # neither nan nor inf passes
            raise UserError(
                f"bot {text!r}: {key} is {given!r}, "
                f"expected a number from {weight.lowest:g} to {weight.highest:g}"
            )
        return key, value


def split_bots(text: str) -> list[str]:
    """The bot strings of a list; a piece `key=value` without a colon belongs to the bot before it."""
    bots: list[str] = []
    for piece in text.split(","):
        if "=" in piece and ":" not in piece and bots:
            bots[-1] += ("," if ":" in bots[-1] else ":") + piece.strip()
        else:
            bots.append(piece.strip())
    return bots


def read_bots(path: Path, features: Sequence[str], base: Path | None = None) -> BotBook:
    """The bots of a game with these features; CardFaults with every fault of the file.

    With `base`, the game's own file, bots and values of weights that the file does not name are as there.
    """
    file = Document.read(path)
    if not file.faults:
        if base is not None:
            file.content = _over(file.content, read_toml(base)[0])
        file.only(file.content, (), ("default", "weights", "bots"))
        weights = _weights(file, file.table(file.content, "weights"), features)
        bots = _bots(file, file.table(file.content, "bots"), weights)
        default = file.content.get("default", next(iter(bots), ""))
        if bots and default not in bots:
            file.fault(("default",), f"there is no bot {default!r}", nearest(str(default), bots))
    if file.faults:
        raise CardFaults(file.faults)
    return BotBook(weights, bots, default)


def _over(own: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    """What a designer's file comes to over the game's own: a bot is taken as a whole, a weight value by value."""
    both = {**base, **own}
    for part in ("weights", "bots"):
        if isinstance(own.get(part), dict):
            both[part] = base[part] | own[part]
    for name, table in both["weights"].items() if isinstance(both["weights"], dict) else ():
        if isinstance(table, dict):
            both["weights"][name] = base["weights"].get(name, {}) | table
    return both


def _weights(file: Document, tables: Mapping[str, Any], features: Sequence[str]) -> dict[str, Weight]:
    """The weights in the order of the features, whatever the file's."""
    for name in tables:
        if name not in features:
            file.fault(("weights", name), "the game has no such feature", nearest(name, features))
    weights = {}
    for name in features:
        place = ("weights", name)
        if name not in tables:
            file.fault(place, "missing", "a table for this feature of the game")
            continue
        table = file.table(tables, *place)
        file.only(table, place, ("text", "default", "range"))
        bounds = table.get("range")
        lowest, highest = -math.inf, math.inf
        if isinstance(bounds, list) and len(bounds) == 2 and all(map(_is_number, bounds)):
            lowest, highest = float(bounds[0]), float(bounds[1])
        if not -math.inf < lowest <= highest:
            file.fault((*place, "range"), f"{bounds!r}", "[lowest, highest]")
        default = _number(file, table, (*place, "default"), lowest, highest)
        text = file.words(table, (*place, "text"), _LONGEST_TEXT)
        weights[name] = Weight(name, text, default, lowest, highest)
    return weights


def _bots(file: Document, tables: Mapping[str, Any], weights: Mapping[str, Weight]) -> dict[str, Bot]:
    bots = {}
    for name in tables:
        place = ("bots", name)
        if not re.fullmatch(r"[\w-]+", name):
            file.fault(place, f"{name!r} can't stand in a bot string", "letters, digits, _ and -")
        table = file.table(tables, *place)
        file.only(table, place, ("text", "weights"))
        changes = file.table(table, *place, "weights") if "weights" in table else {}
        file.only(changes, (*place, "weights"), weights)
        values = {
            key: _number(file, changes, (*place, "weights", key), weight.lowest, weight.highest)
            for key, weight in weights.items()
            if key in changes
        }
        bots[name] = Bot(name, file.words(table, (*place, "text"), _LONGEST_TEXT), values)
    if not bots:
        file.fault(("bots",), "there is no bot", "a table [bots.NAME]")
    return bots


def _number(file: Document, table: Mapping[str, Any], place: Place, lowest: float, highest: float) -> float:
    value = table.get(place[-1])
    if isinstance(value, int | float) and _is_number(value) and lowest <= value <= highest:
        return float(value)
    problem = "missing" if value is None else f"{value!r}"
    file.fault(place, problem, f"a number from {lowest:g} to {highest:g}")
    return math.nan


def _is_number(value: object) -> bool:
    """A finite number; TOML's true is none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
