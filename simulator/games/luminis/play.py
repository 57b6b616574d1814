"""The compiled rules of Luminis, as the rest of the house calls them."""

from __future__ import annotations

from simulator.games.luminis import referee
from simulator.games.luminis.kernel import GAME_COLUMNS, begin, play_game, play_games
from simulator.games.luminis.model import (
    EVENT_FIELDS,
    MAX_EVENTS,
    MAX_SEATS,
    N_FEATURES,
    SEAT_EXTRAS,
    STATE,
    Action,
    Fault,
    Part,
)
from simulator.kernel import Kernel

KERNEL = Kernel(
    play_games=play_games,
    begin=begin,
    play_game=play_game,
    referee=referee.replay,
    state=STATE,
    seats=MAX_SEATS,
    features=N_FEATURES,
    game_columns=GAME_COLUMNS,
    parts=Part,
    actions=Action,
    extras=SEAT_EXTRAS,
    event_fields=EVENT_FIELDS,
    most_events=MAX_EVENTS,
    events_a_game=200,
    faults={
        Fault.EVENTS: "too many events",
        Fault.TAPE: "too long a tape",
        Fault.HAND: "more cards in a hand than there is room for",
        Fault.PILE: "a draw from an empty pile",
        Fault.PLACE: "a card where it can't lie",
        Fault.PAYMENT: "a payment that isn't exact",
        Fault.PASS: "a pass of a seat that could act",
        Fault.SEAT: "a pictogram that designates its own seat",
    },
)

play, record, replay = KERNEL.play, KERNEL.record, KERNEL.replay
