"""What every reader of a designer's file needs: the nearest right name, and the line of a TOML key."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from simulator.game import CardFaults, Fault, UserError

_KEY = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
_KEYS = rf"{_KEY}(?:\s*\.\s*{_KEY})*"
_HEADER = re.compile(rf"\s*(\[\[?)\s*({_KEYS})\s*\]")
_ASSIGNMENT = re.compile(rf"\s*({_KEYS})\s*=(.*)")
_LONGEST_SHOWN = 60
_MOST_NAMED, _FEW = 40, 5


def shown(value: object) -> str:
    """A value as a message shows it: its repr, cut at 60 characters."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a number of thousands of digits, a list in a list in a list ...
        return "a value too large to show"
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


def usable(path: str | Path) -> Path:
    """A path that a user gave; UserError if it can't be stored and shown as text."""
    try:
        if b"\0" not in str(path).encode("utf-8"):
            return Path(path)
    except UnicodeEncodeError:  # bytes that are no UTF-8 stand in a path as lone surrogates
        pass
    raise UserError(f"{shown(str(path))} is no path, expected UTF-8 text without NUL")


def parse_toml(text: str) -> dict[str, Any]:
    """The content of TOML `text`, none of it too large to be shown; ValueError or RecursionError if not."""
    content = tomllib.loads(text)
    repr(content)  # hexadecimal numbers and dotted keys may be longer than what can be shown
    return content


def nearest(name: str, known: Iterable[str]) -> str:
    """What was expected instead of `name`: the nearest of the known names, or all of them, of many the first few."""
    names = list(known)
    close = difflib.get_close_matches(name.casefold(), [each.casefold() for each in names], n=1, cutoff=0.5)
    if close:
        return next(each for each in names if each.casefold() == close[0])
    if len(names) > _MOST_NAMED:
        return f"one of {len(names)}: {', '.join(names[:_FEW])}, …"
    return "one of " + ", ".join(names) if names else "none here"


def line_of(text: str, *path: str | int) -> int:
    """The line (1..) of TOML `text` where the key at `path` stands, or else the table that it should be in.

    An item of an array of tables is named by its position: `line_of(text, "cards", 2, "vp")`.
    """
    best, best_depth = 1, 0
    table: tuple[str | int, ...] = ()
    counts: dict[tuple[str | int, ...], int] = {}
    quotes = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if quotes:
            quotes = "" if line.count(quotes) % 2 else quotes
            continue
        here: tuple[str | int, ...] = ()
        if header := _HEADER.match(line):
            table = _placed(_split(header[2]), counts)
            if header[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            here = table
        elif assignment := _ASSIGNMENT.match(line):
            here = (*table, *_split(assignment[1]))
            quotes = next((mark for mark in ('"""', "'''") if assignment[2].count(mark) % 2), "")
        depth = min(len(here), len(path))
        if depth > best_depth and here[:depth] == path[:depth]:
            best, best_depth = number, depth
    return best


def _split(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in re.findall(_KEY, dotted))


def _placed(keys: tuple[str, ...], counts: Mapping[tuple[str | int, ...], int]) -> tuple[str | int, ...]:
    """The path of a table header, with the position of the latest item put in for arrays of tables."""
    path: tuple[str | int, ...] = ()
    for position, key in enumerate(keys, start=1):
        path = (*path, key)
        if path in counts and position < len(keys):
            path = (*path, counts[path])
    return path


def read_toml(path: Path) -> tuple[dict[str, Any], str]:
    """The content of a TOML file and its text (for `line_of`); CardFaults with the line if it isn't TOML."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        return parse_toml(text), text
    except UnicodeDecodeError as problem:
        line = path.read_bytes()[: problem.start].count(b"\n") + 1
        raise CardFaults([Fault(str(path), line, "file", "bytes that are no UTF-8", "UTF-8 text")]) from None
    except tomllib.TOMLDecodeError as problem:
        found = re.search(r"\(at line (\d+)", str(problem))
        line = int(found[1]) if found else len(text.splitlines())
        what = str(problem).split(" (at ")[0]
        raise CardFaults([Fault(str(path), line, "file", what[:1].lower() + what[1:], "TOML")]) from None
    except (ValueError, RecursionError):
        what, expected = "a number too long or tables too deep", "numbers of 64 bits and a few levels"
        raise CardFaults([Fault(str(path), 0, "file", what, expected)]) from None
