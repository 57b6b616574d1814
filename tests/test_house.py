"""House rules that no tool checks by itself."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

HOUSE = Path(__file__).parents[1]
SETTINGS = tomllib.loads((HOUSE / "pyproject.toml").read_text(encoding="utf-8"))["tool"]


@pytest.mark.parametrize(("pattern", "contract"), [("referee*.py", 1), ("kernel*.py", 2)])
def test_every_referee_and_kernel_file_stands_in_its_import_contract(pattern, contract):
    # import-linter has no pattern for a part of a module's name, so the files are listed one by one
    named = set(SETTINGS["importlinter"]["contracts"][contract]["source_modules"])
    files = {file.stem for file in (HOUSE / "simulator" / "games").glob(f"*/{pattern}")}
    assert files
    assert {f"simulator.games.*.{file}" for file in files} <= named


def test_every_kernel_file_is_excused_from_type_hints():
    excused = set(SETTINGS["mypy"]["overrides"][0]["module"])
    files = {file.stem for file in (HOUSE / "simulator" / "games").glob("*/kernel*.py")}
    assert {f"simulator.games.*.{file}" for file in files} <= excused
