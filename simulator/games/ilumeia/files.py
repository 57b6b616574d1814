"""Reads a designer's card set, a folder of data files over the default ones, and finds every fault in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final

from simulator import rulebook
from simulator.card_files import id_problem, no_setting, own_files
from simulator.conditions import Expression
from simulator.documents import Document
from simulator.game import CardFaults, Fault, Source
from simulator.games.ilumeia import words
from simulator.games.ilumeia.cards import CardSet, Effect, Prophecy, Providence
from simulator.games.ilumeia.model import (
    MAX_SEATS,
    METRICS,
    N_MODIFIERS,
    STANDINGS,
    Planet,
    Reward,
    Target,
    Trigger,
    Verb,
)
from simulator.games.ilumeia.rules import NAMES, Rules, read_rules
from simulator.games.ilumeia.star_cards import (
    DATA,
    StarCard,
    notation,
    read_star_cards,
)
from simulator.games.ilumeia.star_cards import set_faults as star_card_faults

STAR_CARDS: Final = "star_cards.csv"
FILES: Final = (STAR_CARDS, "prophecies.toml", "providence.toml", "rules.toml", "bots.toml")

SETTINGS: Final = {
    "rules": "rules.NAME",
    "prophecies": "prophecies.ID.FIELD or prophecies.ID.effect.FIELD",
    "providence": "providence.ID.FIELD",
}
"""The forms of a setting by the word it starts with."""

PER_PLANET: Final = 10
DOTTED: Final = 4
SOLO_REMOVED: Final = {Planet.FLUUVEE: 3, Planet.AGGROKSCH: 3}
PROVIDENCE: Final = 12
"""The counts of a full set (IL-1, IL-2, IL-S1)."""

LONGEST_NAME: Final = 60
VP_BOUNDS: Final = (1, 30)
AMOUNT_BOUNDS: Final = (1, 20)
MOST_BOUNDS: Final = (1, 99)

ATTACKS: Final = (Verb.LOSE_VP, Verb.STEAL_VP, Verb.LOSE_CARDS, Verb.STEAL_CARD, Verb.SPEND_DIE)
ONCE: Final = (
    Verb.CLAIM_WITH_USED, Verb.CLAIM_WITH_GREY, Verb.TAKE_GREY, Verb.FREE_ACTION, Verb.RENEW_FREE,
    Verb.COPY_ABILITY,
)  # fmt: skip
"""Verbs that do their thing once, so that more than 1 of them is nothing."""
CARD_VERBS: Final = (
    Verb.DRAW_BONUS, Verb.DISPLAY_BONUS, Verb.DEAL_BONUS, Verb.IDLE_BONUS, Verb.DRAW, Verb.TAKE_DISPLAY,
    Verb.RECALL, Verb.STEAL_CARD,
)  # fmt: skip
MOST_CARDS: Final = 8
"""The most cards that such a verb may bring at once: a hand over its limit has room for so many (MAX_HAND)."""
PLAY_ONLY: Final = (Verb.RELAX_BNEPH, Verb.FREE_ACTION, Verb.RENEW_FREE, Verb.COPY_ABILITY)
TRIGGERS: Final[Mapping[Reward, tuple[Trigger, ...]]] = {
    Reward.ABILITY: (
        Trigger.ALWAYS, Trigger.CREATE, Trigger.OTHER_CREATES, Trigger.OTHER_WINS, Trigger.OTHER_CLAIMS,
        Trigger.PREPARE, Trigger.EXHAUSTED, Trigger.RECORD,
    ),
    Reward.ONE_TIME: (Trigger.PLAY,),
    Reward.FINAL: (Trigger.FINAL, Trigger.BEFORE_FINAL),
}  # fmt: skip
FINAL_VERBS: Final[Mapping[Trigger, tuple[Verb, ...]]] = {
    Trigger.FINAL: (Verb.GAIN_VP,),
    Trigger.BEFORE_FINAL: (Verb.GAIN_VP, Verb.LOSE_VP, Verb.STEAL_VP, Verb.BURY, Verb.BURY_HAND),
}


def read_set(cards: Path | None, settings: Mapping[str, Any]) -> CardSet:
    """The card set of a folder or file, None for the default, with the settings on top; CardFaults if wrong.

    A setting is a dotted name such as `rules.energy_start` or `prophecies.ID.effect.amount`.
    """
    reading = _Reading(own_files(cards, FILES, STAR_CARDS))
    reading.put(settings)
    card_set = reading.card_set()
    if card_set is None:
        raise CardFaults(reading.faults())
    return card_set


def set_faults(cards: Path | None) -> list[Fault]:
    """Every fault of a card set, also of conditions that no constellation fulfils, or every one."""
    from simulator.games.ilumeia.rows import unfulfillable

    try:
        reading = _Reading(own_files(cards, FILES, STAR_CARDS))
    except CardFaults as strange:
        return list(strange.faults)
    card_set = reading.card_set()
    if card_set is not None:
        for prophecy, problem, expected in unfulfillable(card_set.star_cards, card_set.prophecies):
            reading.prophecies.fault(("prophecies", prophecy.id, "condition"), problem, expected)
    return reading.faults()


def ratio(providence: Providence, measured: Collection[Mapping[str, float]]) -> float:
    """The share of the star cards, given as their metrics, that a providence card looks for (IL-24)."""
    return sum(providence.cards.value(card) != 0 for card in measured) / max(1, len(measured))


def catalogue(card_set: CardSet) -> list[Source]:
    """Every source of points or progress, in the order of their codes."""
    rules = card_set.rules
    sources = [
        Source("vvibon", "Vvibon", "vvibon", "track", words.vvibon(rules)),
        Source("amp_r", "Amp-R", "amp_r", "track", words.amp_r(rules)),
        Source("suzur", "Suzur", "suzur", "always", words.suzur(rules)),
        Source("lotzzz", "Lotzzz", "lotzzz", "record", words.lotzzz(rules)),
    ]
    for numbers, reward in zip(rules.primos_fields, rules.primos_rewards, strict=True):
        name = "Primos " + " or ".join(map(str, numbers))
        text = words.primos(numbers, reward, rules)
        sources.append(Source("primos." + "_".join(map(str, numbers)), name, "primos", "claim", text))
    for metric, value in zip(rules.bneph_metrics, rules.bneph_values, strict=True):
        text = words.bneph(metric, value, rules)
        sources.append(Source(f"bneph.{metric}", f"B'neph {metric}", "bneph", "claim", text))
    for prophecy in card_set.prophecies:
        kind, group = prophecy.reward.name.lower(), prophecy.planet.name.lower()
        text = words.prophecy(prophecy)
        sources.append(Source(f"prophecy.{prophecy.id}", prophecy.name, group, kind, text))
    for card in card_set.providence:
        text = words.providence(card, rules)
        sources.append(Source(f"providence.{card.id}", card.name, "providence", "providence", text))
    text = words.compensation(rules)
    sources.append(Source("compensation", "Compensation", "compensation", "compensation", text))
    return sources


class _Reading:
    """One reading of a card set: goes on after a fault, so that all are found at once."""

    def __init__(self, own: Mapping[str, Path]):
        self.own = own
        self.prophecies, self.providence, self.rules = (
            Document.read(own.get(name, DATA / name))
            for name in ("prophecies.toml", "providence.toml", "rules.toml")
        )
        self.default_rules = Document.read(DATA / "rules.toml")
        self.names: dict[str, str] = {}
        """The names of prophecies so far, and whose they are."""
        self.star_cards_path = own.get(STAR_CARDS, DATA / STAR_CARDS)
        self.other_faults: list[Fault] = []

    def faults(self) -> list[Fault]:
        documents = (self.prophecies, self.providence, self.rules)
        return [*self.other_faults, *chain.from_iterable(document.faults for document in documents)]

    def put(self, settings: Mapping[str, Any]) -> None:
        """Lay the settings over the files."""
        for setting, value in settings.items():
            root, *rest = setting.split(".")
            if root == "rules" and len(rest) == 1:
                rulebook.put_rule(self.rules, self.default_rules, setting, rest[0], value)
            elif root == "prophecies" and (len(rest) == 2 or (len(rest) == 3 and rest[1] == "effect")):
                self.prophecies.put(setting, ("prophecies", *rest), value)
            elif root == "providence" and len(rest) == 2:
                self.providence.put(setting, ("providence", *rest), value)
            else:
                self.other_faults.append(no_setting(setting, SETTINGS))

    def card_set(self) -> CardSet | None:
        """The set, or None if there is any fault."""
        star_cards, faults = read_star_cards(self.star_cards_path)
        self.other_faults += faults or star_card_faults(star_cards, str(self.star_cards_path))
        rules = read_rules(self.rules, self.default_rules)
        prophecies = self._prophecies()
        providence = self._providence()
        for file, problem, expected in _count_faults(prophecies, providence, rules):
            document = self.prophecies if file == "prophecies" else self.providence
            if not document.faults:  # a card left out for its own fault is missing here too
                document.fault((file,), problem, expected)
        if rules is None or self.faults():
            return None
        content = {
            "star_cards": [notation(card) for card in star_cards.values()],
            "prophecies": [_content(prophecy) for prophecy in prophecies],
            "providence": [_content(card) for card in providence],
            "rules": rulebook.content(rules),
        }
        return CardSet(
            star_cards,
            tuple(prophecies),
            tuple(providence),
            rules,
            content,
            tuple(self._reconstructed(star_cards)),
        )

    def _reconstructed(self, star_cards: Mapping[str, StarCard]) -> Iterator[str]:
        """The files whose values are ours; star cards that keep the ids of our builder count as ours."""
        if all(re.fullmatch(r"s\d{3}", id) for id in star_cards):
            yield STAR_CARDS
        for name, document in (("prophecies.toml", self.prophecies), ("providence.toml", self.providence)):
            if document.content.get("reconstructed") is True:
                yield name
        if rulebook.is_reconstructed(self.rules, self.default_rules, NAMES):
            yield "rules.toml"

    def _prophecies(self) -> list[Prophecy]:
        read = [self._prophecy(self.prophecies, id) for id in self._ids(self.prophecies, "prophecies")]
        return [prophecy for prophecy in read if prophecy is not None]

    def _ids(self, document: Document, kind: str) -> Iterator[str]:
        """The ids of the tables [kind.ID] of a file."""
        if not document.faults or document.content:
            document.only(document.content, (), (kind, "reconstructed"))
            for id in document.table(document.content, kind):
                problem = id_problem(id)
                if problem is not None:
                    document.fault((kind, id), *problem)
                yield id

    def _prophecy(self, document: Document, id: str) -> Prophecy | None:
        place, before = ("prophecies", id), len(document.faults)
        table = document.table(document.content["prophecies"], *place)
        known = ("name", "planet", "type", "dot", "solo_removed", "condition", "vp", "effect")
        document.only(table, place, known)
        name = document.words(table, (*place, "name"), LONGEST_NAME)
        other = self.names.setdefault(name, id)
        if other != id:
            document.fault((*place, "name"), f"{name!r} is the name of {other} too", "a name of its own")
        dot, removed = (document.flag(table, (*place, key)) for key in ("dot", "solo_removed"))
        planet = document.member(table, (*place, "planet"), Planet)
        if planet is not None and not id.startswith(planet.name.lower() + "_"):
            expected = f"an id such as {planet.name.lower()}_{id.split('_', 1)[-1]}"
            document.fault(place, f"a card of {planet.name.lower()} has the id {id!r}", expected)
        reward = document.member(table, (*place, "type"), Reward)
        condition = document.expression(table, (*place, "condition"), METRICS, STANDINGS)
        if condition is not None and not condition.names:
            document.fault((*place, "condition"), f"{condition} measures nothing", "a metric such as stars")
        vp = 0
        if reward == Reward.FINAL and "vp" in table:
            document.fault((*place, "vp"), "a final-scoring card has no VP of its own", "an effect alone")
        elif reward != Reward.FINAL:
            vp = document.whole(table, (*place, "vp"), VP_BOUNDS) or 0
        effect = None
        if reward == Reward.INSTANT and "effect" in table:
            document.fault((*place, "effect"), "a card of instant VP has an effect", "vp alone")
        elif reward is not None and reward != Reward.INSTANT:
            effect = _effect(document, document.table(table, *place, "effect"), (*place, "effect"), reward)
        if len(document.faults) > before or planet is None or reward is None or condition is None:
            return None
        return Prophecy(id, name, planet, reward, dot, removed, condition, vp, effect)

    def _providence(self) -> list[Providence]:
        document, cards = self.providence, []
        for id in self._ids(document, "providence"):
            before = len(document.faults)
            place = ("providence", id)
            table = document.table(document.content["providence"], *place)
            document.only(table, place, ("name", "cards", "at_least"))
            name = document.words(table, (*place, "name"), LONGEST_NAME)
            expression = document.expression(table, (*place, "cards"), METRICS, STANDINGS)
            at_least = document.whole(table, (*place, "at_least"), (1, 200))
            if len(document.faults) == before and expression is not None and at_least is not None:
                cards.append(Providence(id, name, expression, at_least))
        return cards


def _effect(
    document: Document, table: Mapping[str, Any], place: tuple[str, ...], reward: Reward
) -> Effect | None:
    """The effect of a card of this type, None (and a fault) if it is wrong."""
    if not table:
        if document.content and not document.faults:
            document.fault(place, "an empty table", "verb, trigger and amount")
        return None
    before = len(document.faults)
    document.only(table, place, ("verb", "trigger", "target", "amount", "per", "count", "most", "when"))
    verb = document.member(table, (*place, "verb"), Verb)
    trigger = document.member(table, (*place, "trigger"), Trigger)
    target = document.member(table, (*place, "target"), Target, Target.SELF)
    amount = document.whole(table, (*place, "amount"), AMOUNT_BOUNDS, 1)
    if verb is None or trigger is None or target is None or amount is None:
        return None
    for key, problem, expected in _clashes(table, reward, verb, trigger, target, amount):
        document.fault((*place, key), problem, expected)
    of_row = trigger in (Trigger.CREATE, Trigger.OTHER_CREATES)
    names = (*METRICS, *STANDINGS) if of_row else STANDINGS
    per, count, when = (
        document.expression(table, (*place, key), known, (*METRICS, *STANDINGS)) if key in table else None
        for key, known in (("per", names), ("count", METRICS), ("when", names))
    )
    most = document.whole(table, (*place, "most"), MOST_BOUNDS) if "most" in table else None
    if len(document.faults) > before:
        return None
    return Effect(verb, trigger, target, amount, per, count, most, when)


def _clashes(
    table: Mapping[str, Any], reward: Reward, verb: Verb, trigger: Trigger, target: Target, amount: int
) -> Iterator[tuple[str, str, str]]:
    """Key, problem and expectation of what doesn't go together in an effect."""

    def names(kinds: Sequence[Verb | Trigger | Target]) -> str:
        return " or ".join(kind.name.lower() for kind in kinds)

    verb_name, trigger_name = verb.name.lower(), trigger.name.lower()
    if trigger not in TRIGGERS[reward]:
        problem = f"{trigger_name} on a card of type {reward.name.lower()}"
        yield "trigger", problem, names(TRIGGERS[reward])
    elif (verb < N_MODIFIERS) != (trigger == Trigger.ALWAYS):
        if verb < N_MODIFIERS:
            problem = f"{verb_name} changes a rule for good but has trigger {trigger_name}"
            yield "trigger", problem, "always, on a card of type ability"
        else:
            expected = names([kind for kind in TRIGGERS[reward] if kind != Trigger.ALWAYS])
            yield "trigger", f"{verb_name} is done at a moment but has trigger always", expected
    elif verb not in FINAL_VERBS.get(trigger, Verb):
        yield "verb", f"{verb_name} with trigger {trigger_name}", names(FINAL_VERBS[trigger])
    elif verb in PLAY_ONLY and trigger != Trigger.PLAY:
        yield "trigger", f"{verb_name} with trigger {trigger_name}", "play, on a card of type one_time"
    if (verb in ATTACKS) != (target != Target.SELF):
        others = [kind for kind in Target if kind != Target.SELF]
        expected = names(others) if verb in ATTACKS else "self"
        yield "target", f"{verb_name} with target {target.name.lower()}", expected
    if verb in CARD_VERBS:
        if amount > MOST_CARDS:
            yield "amount", f"{verb_name} of {amount} cards at once", f"at most {MOST_CARDS}"
        if ("per" in table or "count" in table) and table.get("most", MOST_CARDS + 1) > MOST_CARDS:
            yield "most", f"{verb_name} of any number of cards at once", f"most, at most {MOST_CARDS}"
    if verb == Verb.HAND_LIMIT and amount > 1:
        yield "amount", f"a hand limit raised by {amount}", "1"
    if verb in ONCE and amount != 1:
        yield "amount", f"{verb_name} {amount} times", "1"
    if trigger == Trigger.ALWAYS:
        for key in ("per", "count", "most", "when"):
            if key in table:
                yield key, f"a size for {verb_name}, which is always in force", "amount alone"
    if "per" in table and "count" in table:
        yield "count", "per and count together", "one of them"


def _count_faults(
    prophecies: Sequence[Prophecy], providence: Sequence[Providence], rules: Rules | None
) -> Iterator[tuple[str, str, str]]:
    """File, problem and expectation of each count that a full set has otherwise."""
    if rules is not None and rules.providence and len(providence) < 2 * MAX_SEATS:
        yield "providence", f"{len(providence)} cards", f"{2 * MAX_SEATS} or more, two for each deity"
    elif len(providence) != PROVIDENCE:
        yield "providence", f"{len(providence)} cards", f"{PROVIDENCE}"
    for planet in Planet:
        name = planet.name.lower()
        own = [prophecy for prophecy in prophecies if prophecy.planet == planet]
        if len(own) != PER_PLANET:
            yield "prophecies", f"{len(own)} cards of {name}", f"{PER_PLANET}"
        dotted = sum(prophecy.dot for prophecy in own)
        if dotted != DOTTED:
            yield "prophecies", f"{dotted} cards of {name} with dot = true", f"{DOTTED}"
        removed, wanted = sum(prophecy.solo_removed for prophecy in own), SOLO_REMOVED.get(planet, 0)
        if removed != wanted:
            yield "prophecies", f"{removed} cards of {name} with solo_removed = true", f"{wanted}"
        types = Counter(prophecy.reward for prophecy in own)
        for reward in Reward:
            if not types[reward]:
                problem = f"{name} has no card of type {reward.name.lower()}"
                yield "prophecies", problem, "all four types on every planet"


def _content(card: Prophecy | Providence | Effect) -> dict[str, Any]:
    """A card's values by name, JSON-ready, as its file has them."""
    content: dict[str, Any] = {}
    for name, value in vars(card).items():
        if isinstance(value, Effect):
            content[name] = _content(value)
        elif isinstance(value, Expression):
            content[name] = value.text
        elif isinstance(value, Planet | Reward | Verb | Trigger | Target):
            content[name] = value.name.lower()
        elif value is not None:
            content[name] = value
    return content
