"""The numbers of a report are what `analysis/REPORT.md` says: every key, its kind, and nothing else."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import pytest

from analysis import report
from simulator import runner, store
from simulator.experiment import Experiment

TYPES: dict[str, type | tuple[type, ...]] = {
    "text": str,
    "count": int,
    "number": (int, float),
    "rate": (int, float),
    "mean": (int, float),
    "estimate": (int, float),
    "game": int,
    "truth": bool,
    "list": list,
    "object": dict,
}
BOUNDS = {"rate": ("low", "high", "n"), "mean": ("low", "high", "n"), "estimate": ("low", "high")}
ROUNDING = 1e-9


@dataclass(frozen=True)
class Page:
    """What the page says: kinds of keys by heading, and the keys of each table, true where they stand alone."""

    kinds: dict[str, dict[str, str]]
    tables: dict[tuple[str, str], dict[str, bool]]

    def kind(self, section: str, key: str) -> str:
        of_section = (
            self.kinds[section] if key in self.kinds[section] else self.kinds["Keys of every section"]
        )
        return of_section[key]


def described(text: str) -> Page:
    kinds: dict[str, dict[str, str]] = {}
    tables: dict[tuple[str, str], dict[str, bool]] = {}
    for part in re.split(r"^##+ ", text, flags=re.MULTILINE)[1:]:
        heading, _, body = part.partition("\n")
        heading = heading.strip("`")
        kinds[heading] = dict(re.findall(r"^\| `(\w+)` \| (\w+) \|", body, re.MULTILINE))
        for name, keys in re.findall(
            r"^- `(\w+)` \([^)]*\): ((?:.+\n)(?:  .+\n)*)", body + "\n", re.MULTILINE
        ):
            alone = re.findall(r"`(\w+)`( alone)?", keys)
            tables[heading, name] = {key: bool(word) for key, word in alone}
    return Page(kinds, tables)


@pytest.fixture(scope="module")
def page() -> Page:
    return described(files("analysis").joinpath("REPORT.md").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """The numbers of a few games of each game of the house."""
    found = {}
    for game, bots in (
        ("ilumeia", ("balanced", "prophet", "climber")),
        ("luminis", ("balanced", "mason", "greedy")),
    ):
        folder = tmp_path_factory.mktemp(game) / "run"
        runner.run(Experiment(game=game, players=3, games=24, bots=bots, seed=2), folder, workers=1)
        found[game] = json.loads(report.as_json(report.measure(store.load(folder))))
    return found


def faults_of(page: Page, section: str, table: str, rows: list[dict[str, Any]]) -> list[str]:
    """What is wrong with the rows of a table, in words."""
    keys = page.tables[section, table]
    bounds = {
        key: [part for part in BOUNDS.get(page.kind(section, key), ()) if part != "n" or "n" not in keys]
        for key, alone in keys.items()
        if not alone
    }
    expected = {*keys, *(f"{key}_{part}" for key, parts in bounds.items() for part in parts)}
    faults = []
    for row in rows:
        if set(row) != expected:
            faults.append(f"{section}.{table} has {sorted(set(row) ^ expected)} too many or too few")
            break
        for key in keys:
            kind, value = page.kind(section, key), row[key]
            where = f"{section}.{table}.{key} = {value!r}"
            if value is None:
                continue
            if not isinstance(value, TYPES[kind]) or (isinstance(value, bool) and kind != "truth"):
                faults.append(f"{where} is no {kind}")
            elif kind == "rate" and not 0 <= value <= 1 + ROUNDING:
                faults.append(f"{where} is no share")
            elif kind in BOUNDS and key in bounds:
                low, high, units = (row.get(f"{key}_{part}") for part in ("low", "high", "n"))
                if low is not None and high is not None and not low - ROUNDING <= value <= high + ROUNDING:
                    faults.append(f"{where} lies outside {low} to {high}")
                if units is not None and (type(units) is not int or units < 1):
                    faults.append(f"{where} stands on {units} units")
    return faults


def tables_of(content: dict[str, Any]) -> dict[tuple[str, str], list[dict[str, Any]]]:
    own = {"schema", "run", "summary", "details", "left_out"}
    return {
        (section, table): rows
        for section, tables in content.items()
        if section not in own
        for table, rows in tables.items()
    }


@pytest.mark.parametrize("game", ["ilumeia", "luminis"])
def test_every_key_of_a_report_is_described_and_is_of_its_kind(
    page: Page, numbers: dict[str, dict[str, Any]], game: str
) -> None:
    content = numbers[game]
    assert content["schema"] == report.SCHEMA
    found = tables_of(content)
    assert set(found) <= set(page.tables), "a table is not described"
    faults = [fault for name, rows in found.items() for fault in faults_of(page, *name, rows)]
    assert faults == []
    assert set(content["run"]) == set(page.kinds["run"])
    for name, kind in page.kinds["run"].items():
        assert isinstance(content["run"][name], TYPES[kind]), name
    assert all(set(sentence) == {"topic", "text"} for sentence in content["summary"])


def test_nothing_is_described_that_no_report_has(page: Page, numbers: dict[str, dict[str, Any]]) -> None:
    seen = {name for content in numbers.values() for name in tables_of(content)}
    assert set(page.tables) == seen
    used = {(section, key) for (section, _), keys in page.tables.items() for key in keys}
    glossed = {(section, key) for section, _ in page.tables for key in page.kinds[section]}
    assert glossed <= used
    assert {key for _, key in used - glossed} == set(page.kinds["Keys of every section"])


def test_the_page_tells_the_version(page: Page) -> None:
    text = files("analysis").joinpath("REPORT.md").read_text(encoding="utf-8")
    assert f"`schema` is {report.SCHEMA}." in text
    assert page.kinds["The file"] == {
        "schema": "count",
        "run": "object",
        "summary": "list",
        "details": "list",
        "left_out": "list",
    }


@pytest.mark.parametrize(
    ("key", "value"),
    [("share", 1.2), ("share", "0.5"), ("share_low", 0.9), ("share_n", 0), ("example", 3.5), ("more", 1)],
)
def test_a_row_that_is_not_as_described_is_found(
    page: Page, numbers: dict[str, dict[str, Any]], key: str, value: Any
) -> None:
    row = numbers["ilumeia"]["ties"]["outcomes"][1]
    assert faults_of(page, "ties", "outcomes", [row]) == []
    assert len(faults_of(page, "ties", "outcomes", [row | {key: value}])) == 1
