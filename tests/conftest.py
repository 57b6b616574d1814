"""What tests share: the tiny game of `tests/toss.py`, seated at the table of games."""

from __future__ import annotations

import pytest

from simulator import games


@pytest.fixture
def toss(monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of the coin-toss race, known to everything that plays while a test runs."""
    monkeypatch.setitem(games.GAMES, "toss", "tests.toss:GAME")
    monkeypatch.setattr("simulator.compiled.is_warm", lambda name: True)  # it has nothing to compile
    return "toss"
