"""Game: the contract that a game folder fulfils, and the plain values that pass through it.

A game is added by one folder and one line in `simulator/games/__init__.py`. Runner, store and analysis
know a game only through what stands here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

EVENT_KINDS = ("offered", "reachable", "paid", "step", "lapsed")
"""The event kinds every game has, in the order of their codes; a game may declare more behind them."""


@dataclass(frozen=True)
class Fault:
    """One thing wrong in a designer's file: `file:line: field: what is wrong, what is expected`.

    Line 0 stands for a place without lines: a folder, or a setting of the command line.
    """

    file: str
    line: int
    field: str
    problem: str
    expected: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.field}: {self.problem}, expected {self.expected}"


class UserError(Exception):
    """A mistake of the user's that one clear sentence explains; the command line exits with 2."""


class CardFaults(UserError):
    """A card set that can't be played, with every fault found."""

    def __init__(self, faults: Sequence[Fault]):
        self.faults = tuple(faults)
        super().__init__("\n".join(str(fault) for fault in faults))


@dataclass(frozen=True)
class Source:
    """A source of points or progress: one row of `catalogue.parquet`; its code is its position."""

    source: str
    name: str
    group: str
    kind: str
    text: str
    offered: bool = True
    """False: nobody offers it (a card of one's own hand, a track that pays nothing): no `offered`, no `reachable`."""


@dataclass(frozen=True)
class Design:
    """A card set and its rule values, read and checked: all that decides a game but bots and seeds."""

    tables: np.ndarray
    """Shape (1,), the game's TABLES dtype: what the kernel reads."""
    sources: tuple[Source, ...]
    content: Mapping[str, Any]
    """JSON-ready and whole: every card and rule value as used; stored in `experiment.json`."""
    reconstructed: tuple[str, ...]
    """The names of the data files whose values are reconstructed, not printed ones."""
    readings: Any = None
    """The game's own plain objects (cards, prophecies, rules), for the referee and the pictures."""


@dataclass(frozen=True)
class Plan:
    """Which games to play: one row a game."""

    seed: int
    players: int
    game: np.ndarray
    """int64 (games,): the game's number in the experiment; bots' noise depends on it."""
    setup: np.ndarray
    """int64 (games,): the setup's number; all chance depends on it."""
    rotation: np.ndarray
    """int64 (games,)"""
    bots: np.ndarray
    """int64 (games, seats): row of `weights` that sits on each seat."""
    weights: np.ndarray
    """float64 (bots, features)"""


@dataclass(frozen=True)
class Played:
    """What a chunk of games came to, by column; codes for `ending`, `kind`, `source`, `bot`.

    `games` and `seats` hold the fixed columns of the shared product page but `winners`, `players`, `setup`,
    `rotation`, which the runner adds or decodes: `winners` is an int64 bit mask by seat here.
    `events` has the fixed columns and the game's further ones; it is empty unless events were kept.
    """

    games: dict[str, np.ndarray]
    seats: dict[str, np.ndarray]
    events: dict[str, np.ndarray] = field(default_factory=dict)
    decisions: int = 0


@dataclass(frozen=True)
class Game:
    """A game as the rest of the house sees it."""

    name: str
    title: str
    players: tuple[int, ...]
    """The player counts that the rulebook allows."""
    data: Path
    """The folder of the default data files, `bots.toml` among them."""
    endings: tuple[str, ...]
    parts: tuple[str, ...]
    """Parts of the score: columns `score_<part>` of the seats."""
    actions: tuple[str, ...]
    """Kinds of action: columns `did_<action>` of the seats."""
    tie_stages: tuple[str, ...]
    """What decides at each stage: points first, then each tie-break in words."""
    features: tuple[str, ...]
    """The bots' weights, in the order of the columns of `Plan.weights`."""
    own_kinds: Mapping[str, str] = field(default_factory=dict)
    """The game's own event kinds, in the order of their codes behind EVENT_KINDS, a sentence each."""
    seat_columns: Mapping[str, str] = field(default_factory=dict)
    """Further integer columns of the seats, a sentence each; what is 0 or 1 is told as a share."""
    event_columns: Mapping[str, str] = field(default_factory=dict)
    """Further integer columns of the events, a sentence each."""
    payments: tuple[str, ...] = ()
    """The event columns that say with how much of what a `paid` was paid for; 0 at every other kind."""
    spends: str = ""
    """The seat column that says what a seat's actions cost it, by which points are divided; empty if there is none."""
    clauses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The clauses of the rules that leave a trace of their own in the tables, and what shows each of them.

    What shows it is a row of the coverage: `action: pass`, `ending: no_cards`, `effect chosen`; of sources `source
    paid: vvibon`, by id, family, group or kind.
    """
    race: bool = False
    """The first to finish wins and scores 1, nobody else scores; a game that nobody finishes is drawn with 0."""
    read: Callable[[Path | None, Mapping[str, Any], int], Design] = None  # type: ignore[assignment]
    """read(cards, settings, players): raises CardFaults or UserError."""
    faults: Callable[[Path | None], list[Fault]] = None  # type: ignore[assignment]
    """Every fault of a card set, [] if it can be played."""
    play: Callable[[Design, Plan, bool], Played] = None  # type: ignore[assignment]
    """play(design, plan, keep_events)"""
    replay: Callable[[Design, Plan], Played] = None  # type: ignore[assignment]
    """replay(design, plan): what `play` gives with its events, read by the referee from the games' tapes."""
    narrate: Callable[[Design, Plan, Sequence[str]], str] = None  # type: ignore[assignment]
    """narrate(design, plan of one game, bot names by seat): the game turn by turn, as Markdown."""
    build_cards: Callable[[int, Path], None] | None = None
    """build_cards(seed, folder): write a reconstructed card set."""
    measure: Callable[[Path | None, Sequence[str]], list[dict[str, Any]]] | None = None
    """measure(cards, rows): one dict a row of ids."""
    draw: Callable[[Path | None, str], Any] | None = None
    """draw(cards, row): a matplotlib Figure, a `Drawing` if it may have faults to name."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """EVENT_KINDS, then the game's own, in the order of their codes."""
        return (*EVENT_KINDS, *self.own_kinds)
