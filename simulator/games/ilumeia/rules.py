"""The numbers of the rulebook as `rules.toml` gives them: read, checked against their ranges, and typed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from simulator.documents import Document
from simulator.faults import nearest
from simulator.games.ilumeia.model import MAX_BNEPH, MAX_PRIMOS, MAX_SEATS, MAX_STEPS

FIBONACCI: Final = {"fibonacci_1_1": (1, 1), "fibonacci_1_2": (1, 2)}
"""The named thresholds of Vvibon: the first two numbers of each sequence."""
MARKS: Final = {"S": "stated", "D": "deduced", "I": "inferred", "R": "ruled"}
RECONSTRUCTED: Final = ("I", "R")
MAX_NUMBERS: Final = 4
LARGEST_HAND: Final = 13
"""The highest hand limit for which a kernel's row and hand have room (MAX_ROW, MAX_HAND)."""
"""The most star counts of one field of Primos."""


@dataclass(frozen=True)
class Rules:
    """Every value of `rules.toml` by its name; what each means stands beside it in that file."""

    ages: int
    energy_start: int
    supply: int
    display: int
    deal: int
    prepare_discard: int
    draw: int
    exchange_cost: int
    renew_cost: int
    hand_limit: int
    hand_limit_bonus: int
    keep_per_step: int
    providence: bool
    providence_vp: tuple[int, ...]
    suzur_vp: int
    suzur_bonus: int
    lotzzz_minimum: int
    amp_r_thresholds: tuple[int, ...]
    amp_r_dice: tuple[int, ...]
    amp_r_vp: tuple[int, ...]
    amp_r_suzur_step: int
    vvibon_thresholds: tuple[int, ...]
    vvibon_rewards: tuple[str, ...]
    vvibon_vp: tuple[tuple[int, ...], ...]
    """One row for each reward "vp", by the order in which the step is reached."""
    primos_fields: tuple[tuple[int, ...], ...]
    primos_rewards: tuple[int | str, ...]
    """VP, "bneph" or "suzur"."""
    primos_tolerance_bonus: int
    bneph_metrics: tuple[str, ...]
    bneph_values: tuple[int, ...]
    bneph_vp: int
    bneph_vp_boosted: int
    compensation: int
    first_game: bool
    exchanged_planet: str
    """The name of a planet, or "none"."""
    allow_even_axis: bool
    tie_break: str
    marks: Mapping[str, str]
    """By name: S stated, D deduced, I inferred, R ruled."""


NAMES: Final = tuple(field.name for field in fields(Rules) if field.name != "marks")
_KEYS: Final = ("value", "range", "choices", "mark", "clause", "text")


def read_rules(own: Document, default: Document) -> Rules | None:
    """The rules of a designer's file, the default where it is silent; None (and faults in `own`) if wrong.

    A designer's file may give a `range` or `choices` of its own within the default's.
    """
    before = len(own.faults)
    tables = own.tables(besides=("reconstructed",))
    for name in tables:
        if name not in NAMES:
            own.fault((name,), "unknown rule", nearest(name, NAMES))
    values: dict[str, Any] = {}
    marks: dict[str, str] = {}
    for name in NAMES:
        known = default.content[name]
        table = tables.get(name, {"value": known["value"]})
        own.only(table, (name,), _KEYS)
        rule = _Rule(known["value"], known.get("range"), known.get("choices", ()))
        narrowed = _Rule(known["value"], table.get("range", rule.range), table.get("choices", rule.choices))
        value = table.get("value")
        if not _within(narrowed, rule):
            key = "choices" if narrowed.range == rule.range else "range"
            own.fault((name, key), f"{table[key]!r}", f"within the default's {known.get(key)}")
        elif not narrowed.allows(value):
            own.fault((name, "value"), "missing" if value is None else f"{value!r}", narrowed.words())
        values[name] = _frozen(value)
        marks[name] = table.get("mark", known["mark"])
        if marks[name] not in MARKS:
            own.fault((name, "mark"), f"{marks[name]!r}", "one of " + ", ".join(MARKS))
    if len(own.faults) > before:
        return None
    values["vvibon_thresholds"] = _thresholds(values["vvibon_thresholds"], len(values["vvibon_rewards"]))
    rules = Rules(**values, marks=marks)
    for name, problem, expected in _disagreements(rules):
        own.fault((name, "value"), problem, expected)
    return rules if len(own.faults) == before else None


def is_reconstructed(own: Document, default: Document) -> bool:
    """Whether a value that the rulebook doesn't state comes from our reconstruction."""
    open_names = {name for name in NAMES if default.content[name]["mark"] in RECONSTRUCTED}
    return own.content.get("reconstructed") is True or not open_names <= set(own.content)


@dataclass(frozen=True)
class _Rule:
    """What a value may be: of the default's kind, its numbers in the range, its words among the choices."""

    default: Any
    range: Any
    choices: Any

    def allows(self, value: Any) -> bool:
        if isinstance(self.default, bool):
            return isinstance(value, bool)
        if isinstance(self.default, list) and isinstance(self.default[0], list):
            return isinstance(value, list) and all(
                _is_list(row) and all(map(self._item, row)) for row in value
            )
        if isinstance(self.default, list) or (_is_list(value) and self.range and self.choices):
            return _is_list(value) and all(map(self._item, value))
        return self._item(value) and isinstance(value, type(self.default))

    def _item(self, value: Any) -> bool:
        if isinstance(value, str):
            return value in self.choices
        within = self.range and isinstance(value, int) and not isinstance(value, bool)
        return bool(within and self.range[0] <= value <= self.range[1])

    def words(self) -> str:
        if isinstance(self.default, bool):
            return "true or false"
        numbers = f"numbers from {self.range[0]} to {self.range[1]}" if self.range else ""
        names = ", ".join(map(repr, self.choices))
        if isinstance(self.default, list):
            nested = "lists of " if isinstance(self.default[0], list) else ""
            return f"a list of {nested}" + " or ".join(
                filter(None, (numbers, names and f"the words {names}"))
            )
        if self.range and self.choices:
            return f"{names.replace(', ', ' or ')}, or a list of {numbers}"
        return f"one of {names}" if names else f"a whole number from {self.range[0]} to {self.range[1]}"


def _within(narrowed: _Rule, rule: _Rule) -> bool:
    if rule.range is not None and narrowed.range != rule.range:
        pair = narrowed.range
        if not (_is_list(pair) and len(pair) == 2 and all(type(bound) is int for bound in pair)):
            return False
        return bool(rule.range[0] <= pair[0] <= pair[1] <= rule.range[1])
    if narrowed.range != rule.range:
        return False
    return narrowed.choices == rule.choices or (
        _is_list(narrowed.choices) and all(choice in rule.choices for choice in narrowed.choices)
    )


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 0


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _thresholds(value: str | tuple[int, ...], steps: int) -> tuple[int, ...]:
    if not isinstance(value, str):
        return value
    numbers = list(FIBONACCI[value])
    while len(numbers) < steps:
        numbers.append(numbers[-1] + numbers[-2])
    return tuple(numbers[:steps])


def _disagreements(rules: Rules) -> Iterator[tuple[str, str, str]]:
    """Name, problem and expectation of each value that is right in itself but not beside the others."""

    def length(name: str, wanted: int, why: str) -> Iterator[tuple[str, str, str]]:
        found = len(getattr(rules, name))
        if found != wanted:
            yield name, f"{found} items", f"{wanted}, {why}"

    for name, most in (
        ("amp_r_thresholds", MAX_STEPS), ("vvibon_rewards", MAX_STEPS), ("primos_fields", MAX_PRIMOS),
        ("bneph_metrics", MAX_BNEPH),
    ):  # fmt: skip
        if len(getattr(rules, name)) > most:
            yield name, f"{len(getattr(rules, name))} items", f"at most {most}"
    largest = rules.hand_limit + rules.hand_limit_bonus * rules.vvibon_rewards.count("limit")
    if largest > LARGEST_HAND:
        yield "hand_limit", f"a limit of {largest} with all of Vvibon's steps", f"at most {LARGEST_HAND}"
    if len(rules.providence_vp) < rules.ages:
        yield "providence_vp", f"{len(rules.providence_vp)} items", f"one for each of {rules.ages} ages"
    yield from length("amp_r_dice", len(rules.amp_r_thresholds), "one for each of amp_r_thresholds")
    yield from length("amp_r_vp", len(rules.amp_r_thresholds), "one for each of amp_r_thresholds")
    yield from length("vvibon_thresholds", len(rules.vvibon_rewards), "one for each of vvibon_rewards")
    paying = rules.vvibon_rewards.count("vp")
    yield from length("vvibon_vp", paying, "one list for each 'vp' of vvibon_rewards")
    for row in rules.vvibon_vp:
        if len(row) != MAX_SEATS:
            yield "vvibon_vp", f"{list(row)}", f"{MAX_SEATS} numbers, one for each order of arrival"
    yield from length("primos_rewards", len(rules.primos_fields), "one for each of primos_fields")
    numbers = [number for field in rules.primos_fields for number in field]
    if len(set(numbers)) < len(numbers):
        yield "primos_fields", "a number stands twice", "each number on one field"
    for field in rules.primos_fields:
        if len(field) > MAX_NUMBERS:
            yield "primos_fields", f"{list(field)}", f"at most {MAX_NUMBERS} numbers on a field"
    yield from length("bneph_values", len(rules.bneph_metrics), "one for each of bneph_metrics")
    if len(set(rules.bneph_metrics)) < len(rules.bneph_metrics):
        yield "bneph_metrics", "a metric stands twice", "each metric on one field"
    if rules.amp_r_suzur_step > len(rules.amp_r_thresholds):
        wanted = f"0 to {len(rules.amp_r_thresholds)}, the steps of amp_r_thresholds"
        yield "amp_r_suzur_step", f"{rules.amp_r_suzur_step}", wanted
