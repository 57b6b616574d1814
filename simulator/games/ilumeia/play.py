"""Plans in, columns out: the compiled rules as the rest of the house calls them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.game import Design, Plan, Played, UserError
from simulator.games.ilumeia import referee
from simulator.games.ilumeia.kernel import (
    GAME_COLUMNS,
    SEAT_COLUMNS,
    begin,
    play_game,
    play_games,
)
from simulator.games.ilumeia.model import (
    EVENT_FIELDS,
    MAX_EVENTS,
    MAX_SEATS,
    N_FEATURES,
    STATE,
    Action,
    Part,
)

SEAT_EXTRAS = ("vvibon", "amp_r", "pile", "largest")

FAULTS = {
    1: "too many events",
    2: "too long a tape",
    3: "a card that isn't in the hand",
    4: "an empty slot of the display",
    5: "too many prophecy cards",
    6: "nothing to copy",
    7: "more cards in a hand than there is room for",
    10: "a mandatory scoring step left out",
    11: "a scoring step that isn't open",
    12: "a claim that no die can pay",
    20: "no providence card kept",
    30: "a pass after an exchange or renewal",
    31: "an action that no die can pay",
    32: "a constellation that isn't legal",
}


class RuleFault(UserError):
    """The rules stopped a game: the cards ask for more than a game has room for, or a bot did what is forbidden."""


def _plan_rows(plan: Plan) -> NDArray[np.int64]:
    rows = np.zeros((len(plan.game), 4 + MAX_SEATS), np.int64)
    rows[:, 0] = plan.seed
    rows[:, 1] = plan.game
    rows[:, 2] = plan.setup
    rows[:, 3] = plan.players
    rows[:, 4 : 4 + plan.players] = plan.bots
    return rows


def _raise(fault: int, plan: Plan, number: int) -> None:
    raise RuleFault(f"seed {plan.seed}, game {plan.game[number]}: {FAULTS.get(fault, fault)}")


def play(design: Design, plan: Plan, keep_events: bool) -> Played:
    """The outcome of every game of the plan, and its events if they are kept."""
    count, players = len(plan.game), plan.players
    rows = _plan_rows(plan)
    weights = np.ascontiguousarray(plan.weights, np.float64).reshape(-1, N_FEATURES)
    states = np.zeros(1, STATE)
    games = np.zeros((count, len(GAME_COLUMNS)), np.int64)
    seats = np.zeros((count, players, SEAT_COLUMNS), np.int64)
    capacity = max(4 * MAX_EVENTS, 320 * count) if keep_events else 0
    events = np.zeros((1 + len(EVENT_FIELDS), capacity), np.int32)
    parts: list[NDArray[np.int32]] = []
    following = 0
    while following < count:
        following, written, fault = play_games(
            design.tables, states, rows, weights, following, games, seats, events
        )
        if fault:
            _raise(fault, plan, following)
        if keep_events:
            parts.append(events[:, :written].copy())
    columns = {name: games[:, place] for place, name in enumerate(GAME_COLUMNS)}
    decisions = int(columns.pop("decisions").sum())
    return Played(
        games={"game": plan.game, **columns},
        seats=_seat_columns(plan, seats),
        events=_event_columns(plan, parts) if keep_events else {},
        decisions=decisions,
    )


def _seat_columns(plan: Plan, seats: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
    flat = seats.reshape(-1, SEAT_COLUMNS)
    names = [
        "score",
        "rank",
        *(f"score_{part.name.lower()}" for part in Part),
        *(f"did_{action.name.lower()}" for action in Action),
        *SEAT_EXTRAS,
    ]
    return {
        "game": np.repeat(plan.game, plan.players),
        "seat": np.tile(np.arange(plan.players), len(plan.game)),
        "bot": plan.bots.reshape(-1),
        **{name: flat[:, place] for place, name in enumerate(names)},
    }


def _event_columns(plan: Plan, parts: list[NDArray[np.int32]]) -> dict[str, NDArray[np.int64]]:
    whole = np.concatenate(parts, axis=1)
    return {
        "game": plan.game[whole[0]],
        **{name: whole[1 + place] for place, name in enumerate(EVENT_FIELDS)},
    }


def record(design: Design, plan: Plan, number: int = 0) -> list[int]:
    """The tape of a plan's game `number`: its deals and decisions (RULES.md, "The tape")."""
    rows = _plan_rows(plan)
    weights = np.ascontiguousarray(plan.weights, np.float64).reshape(-1, N_FEATURES)
    states = np.zeros(1, STATE)
    state, tables = states[0], design.tables[0]
    state.recording = 1
    begin(state, tables, rows[number], weights)
    play_game(state, tables)
    if state.fault:
        _raise(int(state.fault), plan, number)
    return [int(number) for number in state.tape[: state.tape_size]]


def replay(design: Design, plan: Plan) -> Played:
    """What `play` gives of the same plan, as the referee reads it from the tape of each game."""
    codes = {source.source: code for code, source in enumerate(design.sources)}
    names = [name for name in GAME_COLUMNS if name != "decisions"]
    games = np.zeros((len(plan.game), len(names)), np.int64)
    seats = np.zeros((len(plan.game), plan.players, SEAT_COLUMNS), np.int64)
    events: list[list[int]] = []
    for number in range(len(plan.game)):
        outcome = referee.replay(design.readings, plan.players, record(design, plan, number))
        winners = sum(1 << seat for seat in outcome.winner_seats)
        games[number] = [winners if name == "winners" else getattr(outcome, name) for name in names]
        for row, seat in zip(seats[number], outcome.seats, strict=True):
            parts, did = (seat.parts.get(part, 0) for part in Part), (seat.did.get(act, 0) for act in Action)
            row[:] = [seat.score, seat.rank, *parts, *did, *(getattr(seat, name) for name in SEAT_EXTRAS)]
        for event in outcome.events:
            fields = (getattr(event, name) for name in EVENT_FIELDS)
            events.append([number, *(codes[each] if isinstance(each, str) else each for each in fields)])
    return Played(
        games={"game": plan.game, **{name: games[:, place] for place, name in enumerate(names)}},
        seats=_seat_columns(plan, seats),
        events=_event_columns(plan, [np.array(events, np.int32).T]),
    )
