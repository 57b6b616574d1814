"""A designer's TOML file while it is being checked: its tables, the settings on top, all faults so far."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import IntEnum
from pathlib import Path
from typing import Any, Self, TypeVar

from simulator.conditions import ConditionError, Expression, parse
from simulator.faults import line_of, nearest, read_toml
from simulator.game import CardFaults, Fault

SETTING = "--set"
"""Stands for the file in a fault of a value that was set from outside."""

Kind = TypeVar("Kind", bound=IntEnum)

Place = tuple[str, ...]
"""The keys from the top of a file to a value."""


class Document:
    """The content of a file; each reading method notes a fault and gives None where a value is wrong."""

    def __init__(self, file: str, content: dict[str, Any], text: str):
        self.file, self.content, self.text = file, content, text
        self.faults: list[Fault] = []
        self._set: dict[Place, str] = {}
        """The setting that each changed value comes from."""

    @classmethod
    def read(cls, path: Path) -> Self:
        """The file at `path`; one that isn't TOML is an empty document with that fault."""
        try:
            return cls(str(path), *read_toml(path))
        except CardFaults as problem:
            broken = cls(str(path), {}, "")
            broken.faults.extend(problem.faults)
            return broken

    def fault(self, place: Place, problem: str, expected: str) -> None:
        """Note what is wrong at a place, naming the setting if the value comes from one."""
        setting = self._set.get(place)
        if setting is not None:
            self.faults.append(Fault(SETTING, 0, setting, problem, expected))
        else:
            line = line_of(self.text, *place)
            self.faults.append(Fault(self.file, line, ".".join(place) or "file", problem, expected))

    def put(self, setting: str, place: Place, value: Any) -> None:
        """Set the value at a place, as `setting` asks for; its tables must exist, the last key need not."""
        table = self.content
        for depth, key in enumerate(place[:-1]):
            inner = table.get(key)
            if not isinstance(inner, dict):
                tables = [name for name, other in table.items() if isinstance(other, dict)]
                problem = f"no table {key!r} in {'.'.join(place[:depth]) or Path(self.file).name}"
                self.faults.append(Fault(SETTING, 0, setting, problem, nearest(key, tables)))
                return
            table = inner
        table[place[-1]] = value
        self._set[place] = setting

    def only(self, table: Mapping[str, Any], place: Place, known: Collection[str]) -> None:
        """A fault for each key of the table at `place` that isn't known."""
        for key in table:
            if key not in known:
                self.fault((*place, key), "unknown key", nearest(key, known))

    def tables(self, besides: Collection[str] = ()) -> dict[str, dict[str, Any]]:
        """The tables at the top of the file, and a fault for anything else but the keys `besides`."""
        for key, value in self.content.items():
            if not isinstance(value, dict) and key not in besides:
                self.fault((key,), f"{value!r} is no table", f"a table [{key}]")
        return {key: value for key, value in self.content.items() if isinstance(value, dict)}

    def table(self, content: Mapping[str, Any], *place: str) -> dict[str, Any]:
        """The table at `place` in `content`, the table around it; {} if there is none."""
        found = content.get(place[-1])
        if not isinstance(found, dict):
            problem = "missing" if found is None else f"{found!r} is no table"
            self.fault(place, problem, f"a table [{'.'.join(place)}]")
            return {}
        return found

    def words(self, table: Mapping[str, Any], place: Place, longest: int) -> str:
        """A text of 1 to `longest` characters on one line."""
        text = table.get(place[-1])
        if not isinstance(text, str):
            self.fault(place, "missing" if text is None else f"{text!r} is no text", "a text")
        elif not text.strip() or len(text) > longest or not text.isprintable():
            short = text if len(text) < 20 else text[:20] + "..."
            self.fault(place, f"{short!r} ({len(text)} characters)", f"1 to {longest} printable characters")
        return str(text)

    def whole(
        self, table: Mapping[str, Any], place: Place, bounds: tuple[int, int], default: int | None = None
    ) -> int | None:
        """A whole number within the bounds, both included."""
        value = table.get(place[-1], default)
        if isinstance(value, int) and not isinstance(value, bool) and bounds[0] <= value <= bounds[1]:
            return value
        problem = "missing" if value is None else f"{value!r}"
        self.fault(place, problem, f"a whole number from {bounds[0]} to {bounds[1]}")
        return None

    def flag(self, table: Mapping[str, Any], place: Place) -> bool:
        """true or false; false if it isn't there."""
        value = table.get(place[-1], False)
        if not isinstance(value, bool):
            self.fault(place, f"{value!r}", "true or false")
        return value is True

    def member(
        self, table: Mapping[str, Any], place: Place, kinds: type[Kind], default: Kind | None = None
    ) -> Kind | None:
        """The member of an enumeration that is named, in lower case."""
        name = table.get(place[-1])
        if name is None and default is not None:
            return default
        names = {kind.name.lower(): kind for kind in kinds}
        if isinstance(name, str) and name in names:
            return names[name]
        problem = "missing" if name is None else f"{name!r}"
        self.fault(place, problem, nearest(str(name), names) if name is not None else nearest("", names))
        return None

    def expression(
        self, table: Mapping[str, Any], place: Place, names: Collection[str], elsewhere: Collection[str] = ()
    ) -> Expression | None:
        """An expression in these names; the names `elsewhere` are right ones, but not at this place."""
        text = table.get(place[-1])
        if not isinstance(text, str):
            problem = "missing" if text is None else f"{text!r} is no text"
            self.fault(place, problem, "an expression in quotes, such as 'stars >= 12'")
            return None
        try:
            return parse(text, names)
        except ConditionError as wrong:
            found, expected = wrong.found, wrong.expected
            if wrong.name in elsewhere:
                found, expected = f"{wrong.name!r} can't be read here", "one of " + ", ".join(names)
            self.fault(place, f"column {wrong.column} of {text[:60]!r}: {found}", expected)
            return None
