"""The cards and rule values of Stars of Ilumeïa as plain objects, as the data files give them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from simulator.conditions import Expression
from simulator.games.ilumeia.model import Planet, Reward, Target, Trigger, Verb
from simulator.games.ilumeia.rules import Rules
from simulator.games.ilumeia.star_cards import StarCard


@dataclass(frozen=True)
class Effect:
    """What a prophecy card does besides VP, as RULES.md has it under "Effects"."""

    verb: Verb
    trigger: Trigger
    target: Target
    amount: int
    per: Expression | None = None
    count: Expression | None = None
    """Over one star card."""
    most: int | None = None
    when: Expression | None = None


@dataclass(frozen=True)
class Prophecy:
    """A prophecy card: what a constellation must fulfil, and what that brings."""

    id: str
    name: str
    planet: Planet
    reward: Reward
    dot: bool
    solo_removed: bool
    condition: Expression
    vp: int
    """Of an instant card; of an ability or one-time card instead of its effect; 0 for a final card."""
    effect: Effect | None


@dataclass(frozen=True)
class Providence:
    """A providence card: fulfilled by at least so many own cards that fulfil the expression."""

    id: str
    name: str
    cards: Expression
    at_least: int


@dataclass(frozen=True)
class CardSet:
    """All cards and rule values of a set, read and checked; cards in the order of their files."""

    star_cards: Mapping[str, StarCard]
    prophecies: tuple[Prophecy, ...]
    providence: tuple[Providence, ...]
    rules: Rules
    content: Mapping[str, Any]
    """JSON-ready: every value that decides a game, and the names."""
    reconstructed: tuple[str, ...]
    """The files with values that no rulebook prints."""
