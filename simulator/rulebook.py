"""The numbers of a rulebook as a game's `rules.toml` gives them: read, and checked against their ranges.

Each table of the file is a rule: its `value`, the `range` of its numbers and the `choices` of its words, the
`mark` that says where the value comes from, the `clause` that uses it and a `text`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from simulator.documents import SETTING, Document
from simulator.faults import nearest
from simulator.game import Fault

MARKS: Final = {"S": "stated", "D": "deduced", "I": "inferred", "R": "ruled"}
RECONSTRUCTED: Final = ("I", "R")

_KEYS: Final = ("value", "range", "choices", "mark", "clause", "text")


def put_rule(own: Document, default: Document, setting: str, name: str, value: Any) -> None:
    """Lay the value that `setting` gives the rule `name` over a designer's file."""
    names = [known for known, rule in default.content.items() if isinstance(rule, dict)]
    if name not in names:
        own.faults.append(Fault(SETTING, 0, setting, f"no rule {name!r}", nearest(name, names)))
        return
    own.content.setdefault(name, {})
    own.put(setting, (name, "value"), value)


def read_values(
    own: Document, default: Document, names: Collection[str]
) -> tuple[dict[str, Any], dict[str, str]] | None:
    """Values and marks of the rules `names`, the default's where a designer's file is silent, lists as tuples.

    None (and faults in `own`) if any is wrong. The file may give a `range` or `choices` of its own within
    the default's.
    """
    before = len(own.faults)
    tables = own.tables(besides=("reconstructed",))
    for name in tables:
        if name not in names:
            own.fault((name,), "unknown rule", nearest(name, names))
    values: dict[str, Any] = {}
    marks: dict[str, str] = {}
    for name in names:
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
    return (values, marks) if len(own.faults) == before else None


def is_reconstructed(own: Document, default: Document, names: Collection[str]) -> bool:
    """Whether a value that the rulebook doesn't state comes from our reconstruction."""
    open_names = {name for name in names if default.content[name]["mark"] in RECONSTRUCTED}
    return own.content.get("reconstructed") is True or not open_names <= set(own.content)


def content(rules: Any) -> dict[str, Any]:
    """The values of a game's rules object by name, JSON-ready, without their marks."""
    return {name: _listed(value) for name, value in vars(rules).items() if name != "marks"}


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


def _listed(value: Any) -> Any:
    return [_listed(item) for item in value] if isinstance(value, tuple) else value
