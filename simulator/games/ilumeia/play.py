"""The compiled rules of Stars of Ilumeïa, as the rest of the house calls them."""

from __future__ import annotations

from simulator.games.ilumeia import referee
from simulator.games.ilumeia.kernel import GAME_COLUMNS, play_game, play_games
from simulator.games.ilumeia.kernel_setup import begin
from simulator.games.ilumeia.model import MAX_EVENTS, MAX_SEATS, N_FEATURES, Action, Part
from simulator.games.ilumeia.records import EVENT_FIELDS, SEAT_EXTRAS, STATE
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
    events_a_game=400,
    faults={
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
    },
)

play, record, replay = KERNEL.play, KERNEL.record, KERNEL.replay
