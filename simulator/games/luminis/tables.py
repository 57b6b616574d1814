"""The kernel's tables of a card set."""

from __future__ import annotations

import numpy as np

from simulator.games.luminis.cards import CardSet
from simulator.games.luminis.model import MAX_SEATS, TABLES, Arrow, Level
from simulator.games.luminis.rules import FEWEST_PLAYERS


def derive_tables(card_set: CardSet, players: int) -> np.ndarray:
    """A card set as the kernel reads it, for so many players: an array (1,) of TABLES."""
    array = np.zeros(1, TABLES)
    tables, rules = array[0], card_set.rules
    tables.spires_shown = rules.spires_shown[players - FEWEST_PLAYERS]
    tables.piles = rules.piles[players - FEWEST_PLAYERS]
    tables.start_cards[:] = rules.start_cards[:MAX_SEATS]
    for name in ("hand_limit", "temporary_factor", "any_lower", "advanced", "turn_limit"):
        tables[name] = int(getattr(rules, name))

    tables.n_cards = len(card_set.cards)
    for position, card in enumerate(card_set.cards):
        tables.level[position] = card.level
        tables.cost[position] = card.cost
        tables.centre[position] = card.centre
        tables.local[position] = card.local
        tables.arrows[position] = sum(Arrow[arrow] for arrow in card.arrows)
        tables.pictogram[position] = card.pictogram
        tables.is_bonus[position] = card.bonus
    spires = [position for position, card in enumerate(card_set.cards) if card.level == Level.SPIRE]
    tables.n_spires = len(spires)
    tables.spires[: len(spires)] = spires
    # Sorting is stable: equal levels stay in file order (r6).
    bonus = sorted(np.flatnonzero(tables.is_bonus), key=lambda position: tables.level[position])
    tables.n_bonus = len(bonus)
    tables.bonus[: len(bonus)] = bonus
    return array
