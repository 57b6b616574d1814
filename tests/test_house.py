"""House rules that no tool checks by itself."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest

from simulator import compiled

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


def test_whatever_compiled_rules_import_makes_their_machine_code_stale_when_it_changes():
    imported = set()
    for file in (HOUSE / "simulator").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if "@compiled" in text:
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("simulator"):
                    names = [f"simulator.{each.name}" for each in node.names]
                    imported |= set(names) if node.module == "simulator" else {node.module}
    assert "simulator.games.ilumeia.records" in imported
    for module in imported - {"simulator.compiled"}:
        text = (HOUSE / module.replace(".", "/")).with_suffix(".py").read_bytes()
        assert any(sign in text for sign in compiled.COMPILED_IN), module
