"""Reads a designer's card set, `cards.csv` and `rules.toml` over the default ones, and finds every fault in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from simulator import rulebook
from simulator.card_files import no_setting, own_files
from simulator.documents import SETTING, Document
from simulator.faults import nearest
from simulator.game import CardFaults, Fault, Source
from simulator.games.luminis import cards as notation
from simulator.games.luminis.cards import COLOURS, DATA, FIELDS, FILE_NAME, RESOURCES, Card, CardSet, Triple
from simulator.games.luminis.model import MAX_BONUS, MAX_CARDS, MAX_LEVEL_I, Level
from simulator.games.luminis.rules import NAMES, Rules, read_rules

FILES: Final = (FILE_NAME, "rules.toml", "bots.toml")
SETTINGS: Final = {"rules": "rules.NAME", "cards": "cards.ID.FIELD or cards.ID.cost.COLOUR"}
"""The forms of a setting by the word it starts with."""
OUR_IDS: Final = re.compile(r"[abc][0-9]{2}|s[0-9]")
"""The ids that our builder gives."""

Place = tuple[str, str]
"""A card's id and a field."""


def read_set(cards: Path | None, settings: Mapping[str, Any]) -> CardSet:
    """The card set of a folder or file, None for the default, with the settings on top; CardFaults if wrong.

    A setting is a dotted name such as `rules.hand_limit`, `cards.ID.level` or `cards.ID.cost.blue`.
    """
    reading = _Reading(own_files(cards, FILES, FILE_NAME))
    reading.put(settings)
    card_set = reading.card_set()
    if card_set is None:
        raise CardFaults(reading.faults())
    return card_set


def set_faults(cards: Path | None) -> list[Fault]:
    """Every fault of a card set."""
    try:
        read_set(cards, {})
    except CardFaults as wrong:
        return list(wrong.faults)
    return []


def catalogue(card_set: CardSet) -> list[Source]:
    """The cathedral and every card, in the order of their codes."""
    text = "the highest level of one's cathedral"
    sources = [Source("cathedral", "Cathedral", "Cathedral", "track", text, offered=False)]
    for card in card_set.cards:
        if card.level == Level.SPIRE:
            colours = [colour for colour, count in zip(COLOURS, card.cost, strict=True) if count]
            colour = colours[0].capitalize() if len(colours) == 1 else "Mixed"
            name, group = f"{colour} spire {card.id}", f"{colour} spires"
            sources.append(Source(f"spire.{card.id}", name, group, "spire", _text(card)))
        else:
            group = f"Level {notation.roman(card.level)}"
            kind = "bonus card" if card.bonus else "pictogram card" if card.pictogram else "card"
            sources.append(Source(f"card.{card.id}", card.id, group, kind, _text(card), offered=False))
    return sources


def _text(card: Card) -> str:
    """A card in plain words."""
    parts = [f"costs {_words(card.cost) or 'nothing'}"]
    if any(card.centre):
        parts.append(f"{_words(card.centre)} in the centre")
    if any(card.local):
        parts.append(f"{_words(card.local)} to {notation.compass(card.arrows).replace(' ', ', ')}")
    parts += ["pictogram"] * card.pictogram + ["bonus card"] * card.bonus
    return "; ".join(parts)


def _words(amounts: Triple) -> str:
    return " ".join(f"{count} {colour}" for count, colour in zip(amounts, COLOURS, strict=True) if count)


class _Reading:
    """One reading of a card set: goes on after a fault, so that all are found at once."""

    def __init__(self, own: Mapping[str, Path]):
        self.path = own.get(FILE_NAME, DATA / FILE_NAME)
        self.cards, self.card_faults = notation.read_cards(self.path)
        self.rules = Document.read(own.get("rules.toml", DATA / "rules.toml"))
        self.default_rules = Document.read(DATA / "rules.toml")
        self.set_by: dict[Place, str] = {}
        """The setting that a card's field comes from."""

    def faults(self) -> list[Fault]:
        return [*self.card_faults, *self.rules.faults]

    def put(self, settings: Mapping[str, Any]) -> None:
        """Lay the settings over the files."""
        for setting, value in settings.items():
            root, *rest = setting.split(".")
            if root == "rules" and len(rest) == 1:
                rulebook.put_rule(self.rules, self.default_rules, setting, rest[0], value)
            elif root == "cards" and len(rest) in (2, 3):
                self._put_card(setting, rest, value)
            else:
                self.card_faults.append(no_setting(setting, SETTINGS))

    def _put_card(self, setting: str, keys: list[str], value: Any) -> None:
        def problem(found: str, expected: str) -> None:
            self.card_faults.append(Fault(SETTING, 0, setting, found, expected))

        id, name = keys[:2]
        if id not in self.cards:
            problem(f"no card {id!r}", nearest(id, self.cards))
        elif name not in FIELDS:
            problem(f"no field {name!r}", nearest(name, FIELDS))
        elif keys[2:] and name not in RESOURCES:
            problem(f"{name} has no colours", f"cards.{id}.{name}")
        elif keys[2:] and keys[2] not in COLOURS:
            problem(f"no colour {keys[2]!r}", nearest(keys[2], COLOURS))
        else:
            self.cards[id] = notation.changed(self.cards[id], tuple(keys[1:]), value, problem)
            self.set_by[id, name] = setting

    def card_set(self) -> CardSet | None:
        """The set, or None if there is any fault."""
        rules = read_rules(self.rules, self.default_rules)
        if not self.card_faults and rules is not None:
            self.card_faults += self._set_faults(rules)
        if rules is None or self.faults():
            return None
        cards = tuple(self.cards.values())
        content = {"rules": rulebook.content(rules), "cards": [notation.content(card) for card in cards]}
        return CardSet(cards, rules, content, tuple(self._reconstructed()))

    def _reconstructed(self) -> Iterator[str]:
        """The files whose values are ours; cards that keep the ids of our builder count as ours."""
        if all(OUR_IDS.fullmatch(id) for id in self.cards):
            yield FILE_NAME
        if rulebook.is_reconstructed(self.rules, self.default_rules, NAMES):
            yield "rules.toml"

    def _set_faults(self, rules: Rules) -> Iterator[Fault]:
        """The faults of a whole set to play with, beyond those of its single cards."""
        cards = list(self.cards.values())
        for card in cards:
            if card.level == Level.SPIRE:
                for name in ("pictogram", "bonus"):
                    if getattr(card, name):
                        # the level may be what was set, and the mark in the file
                        setting = self.set_by.get((card.id, name)) or self.set_by.get((card.id, "level"))
                        place = (SETTING, 0, setting) if setting else (str(self.path), card.line, name)
                        yield Fault(*place, f"spire {card.id} has {name} = yes", "neither on a spire")
        of_level = {level: [card for card in cards if card.level == level] for level in Level}
        for card in of_level[Level.SPIRE]:
            if not any(card.cost):
                yield self._of_the_set(f"spire {card.id} costs nothing", "a cost, which the race is about")
        spires, shown = len(of_level[Level.SPIRE]), max(rules.spires_shown)
        if spires < shown:
            yield self._of_the_set(f"{spires} cards of Level IV", f"at least {shown}, as rules.spires_shown")
        if all(card.bonus for card in of_level[Level.I]):
            yield self._of_the_set("no Level I card without bonus = yes", "some to start with")
        if not of_level[Level.III]:
            yield self._of_the_set("no Level III card", "some, since a spire lies on one")
        elif not of_level[Level.II] and not rules.any_lower:
            yield self._of_the_set("no Level II card", "some, since a Level III card lies on one")
        for what, count, most in (
            ("cards", len(cards), MAX_CARDS),
            ("cards of Level I", len(of_level[Level.I]), MAX_LEVEL_I),
            ("cards with bonus = yes", sum(card.bonus for card in cards), MAX_BONUS),
        ):
            if count > most:
                yield self._of_the_set(f"{count} {what}", f"at most {most}")

    def _of_the_set(self, problem: str, expected: str) -> Fault:
        return Fault(str(self.path), 1, "cards", problem, expected)
