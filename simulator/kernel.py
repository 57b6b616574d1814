"""Kernel: a game's compiled rules as the rest of the house calls them: plans in, columns out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.game import Design, Plan, Played, UserError


class RuleFault(UserError):
    """The rules stopped a game: the cards ask for more than a game has room for, or a bot did what is forbidden."""


@dataclass(frozen=True)
class Kernel:
    """The compiled functions of a game, the shape of what they fill, and the referee that reads their tapes."""

    play_games: Callable[..., tuple[int, int, int]]
    """play_games(tables, states, plan rows, weights, first, games, seats, events): see a game's `kernel.py`."""
    begin: Callable[..., None]
    """begin(state, tables, plan row, weights)"""
    play_game: Callable[..., None]
    """play_game(state, tables); with `state.recording` its deals and decisions lie on `state.tape`."""
    referee: Callable[[Any, int, list[int]], Any]
    """referee(readings, players, tape): the outcome as the referee reads it."""
    state: np.dtype[Any]
    seats: int
    """The most seats: columns of a plan row behind seed, game, setup and players."""
    features: int
    game_columns: tuple[str, ...]
    """`decisions` is the last and no column of the games table."""
    parts: type[IntEnum]
    actions: type[IntEnum]
    extras: tuple[str, ...]
    """The game's own columns of the seats."""
    event_fields: tuple[str, ...]
    most_events: int
    events_a_game: int
    """Room for events, a quarter more than games have: what fits is not copied, what stays empty takes no memory."""
    faults: Mapping[int, str]
    """In words, by the code that the compiled rules leave in `state.fault`."""

    @property
    def seat_columns(self) -> tuple[str, ...]:
        """The columns of a row of seats, in their order."""
        parts = (f"score_{part.name.lower()}" for part in self.parts)
        actions = (f"did_{action.name.lower()}" for action in self.actions)
        return ("score", "rank", *parts, *actions, *self.extras)

    def play(self, design: Design, plan: Plan, keep_events: bool) -> Played:
        """The outcome of every game of the plan, and its events if they are kept."""
        count = len(plan.game)
        rows, weights, states = self._plan_rows(plan), self._weights(plan), np.zeros(1, self.state)
        games = np.zeros((count, len(self.game_columns)), np.int64)
        seats = np.zeros((count, plan.players, len(self.seat_columns)), np.int64)
        capacity = max(4 * self.most_events, self.events_a_game * count) if keep_events else 0
        parts: list[NDArray[np.int32]] = []
        following = 0
        while following < count:
            events = np.zeros((1 + len(self.event_fields), capacity), np.int32)
            following, written, fault = self.play_games(
                design.tables, states, rows, weights, following, games, seats, events
            )
            if fault:
                self._raise(fault, plan, following)
            if keep_events:
                parts.append(events[:, :written])
        columns = {name: games[:, place] for place, name in enumerate(self.game_columns)}
        decisions = int(columns.pop("decisions").sum())
        return Played(
            games={"game": plan.game, **columns},
            seats=self._of_seats(plan, seats),
            events=self._of_events(plan, parts) if keep_events else {},
            decisions=decisions,
        )

    def record(self, design: Design, plan: Plan, number: int = 0) -> list[int]:
        """The tape of a plan's game `number`: its deals and decisions (RULES.md, "The tape")."""
        states = np.zeros(1, self.state)
        state, tables = states[0], design.tables[0]
        state.recording = 1
        self.begin(state, tables, self._plan_rows(plan)[number], self._weights(plan))
        self.play_game(state, tables)
        if state.fault:
            self._raise(int(state.fault), plan, number)
        return [int(number) for number in state.tape[: state.tape_size]]

    def replay(self, design: Design, plan: Plan) -> Played:
        """What `play` gives of the same plan, as the referee reads it from the tape of each game."""
        codes = {source.source: code for code, source in enumerate(design.sources)}
        names = [name for name in self.game_columns if name != "decisions"]
        games = np.zeros((len(plan.game), len(names)), np.int64)
        seats = np.zeros((len(plan.game), plan.players, len(self.seat_columns)), np.int64)
        events: list[list[int]] = []
        for number in range(len(plan.game)):
            outcome = self.referee(design.readings, plan.players, self.record(design, plan, number))
            winners = sum(1 << seat for seat in outcome.winner_seats)
            games[number] = [winners if name == "winners" else getattr(outcome, name) for name in names]
            for row, seat in zip(seats[number], outcome.seats, strict=True):
                parts = (seat.parts.get(part, 0) for part in self.parts)
                did = (seat.did.get(action, 0) for action in self.actions)
                row[:] = [seat.score, seat.rank, *parts, *did, *(getattr(seat, name) for name in self.extras)]
            for event in outcome.events:
                fields = (getattr(event, name) for name in self.event_fields)
                events.append([number, *(codes[each] if isinstance(each, str) else each for each in fields)])
        return Played(
            games={"game": plan.game, **{name: games[:, place] for place, name in enumerate(names)}},
            seats=self._of_seats(plan, seats),
            events=self._of_events(plan, [np.array(events, np.int32).T]),
        )

    def _plan_rows(self, plan: Plan) -> NDArray[np.int64]:
        rows = np.zeros((len(plan.game), 4 + self.seats), np.int64)
        rows[:, 0] = plan.seed
        rows[:, 1] = plan.game
        rows[:, 2] = plan.setup
        rows[:, 3] = plan.players
        rows[:, 4 : 4 + plan.players] = plan.bots
        return rows

    def _weights(self, plan: Plan) -> NDArray[np.float64]:
        return np.ascontiguousarray(plan.weights, np.float64).reshape(-1, self.features)

    def _raise(self, fault: int, plan: Plan, number: int) -> None:
        raise RuleFault(f"seed {plan.seed}, game {plan.game[number]}: {self.faults.get(fault, fault)}")

    def _of_seats(self, plan: Plan, seats: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
        flat = seats.reshape(-1, len(self.seat_columns))
        return {
            "game": np.repeat(plan.game, plan.players),
            "seat": np.tile(np.arange(plan.players), len(plan.game)),
            "bot": plan.bots.reshape(-1),
            **{name: flat[:, place] for place, name in enumerate(self.seat_columns)},
        }

    def _of_events(self, plan: Plan, parts: list[NDArray[np.int32]]) -> dict[str, NDArray[np.int64]]:
        whole = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
        return {
            "game": plan.game[whole[0]],
            **{name: whole[1 + place] for place, name in enumerate(self.event_fields)},
        }
