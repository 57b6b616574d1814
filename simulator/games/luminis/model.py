"""The vocabulary of Luminis and the shape of its tables and state.

Codes are the positions that files, tables, kernel and tape share.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

# Constants that reach compiled functions as arguments are np.int64: a plain integer would compile the callee
# once for each of its values.
NOTHING = np.int64(-1)
ZERO = np.int64(0)
ONE = np.int64(1)

MAX_SEATS = 5
MAX_CARDS = 160
MAX_LEVEL_I = 60
MAX_COLUMNS = 128
"""A row of all Level I cards fits to either side of the first one, with a free place beyond."""
MIDDLE = np.int64(64)
"""The column of the first Level I card; the tape counts columns from it."""
MAX_ROWS = 4
MAX_PILES = 8
MAX_SHOWN = 8
MAX_BONUS = 8
MAX_HAND = 32
MAX_EVENTS = 8192
MAX_TAPE = 16384


class Colour(IntEnum):
    """The three kinds of resource: window, rosette, triangle."""

    BLUE = 0
    GREEN = 1
    RED = 2


N_COLOURS = len(Colour)


class Level(IntEnum):
    """The levels of the cards; a SPIRE is a Level IV card."""

    I = 1  # noqa: E741
    II = 2
    III = 3
    SPIRE = 4


class Arrow(IntEnum):
    """Where a placed card's local resources go, as bits of a mask (l4); never down."""

    W = 1
    E = 2
    NW = 4
    N = 8
    NE = 16


class Action(IntEnum):
    """What a turn is spent on (LU-7, LU-12, LU-13, l10)."""

    DRAW = 0
    PLACE = 1
    SPIRE = 2
    BONUS = 3
    PASS = 4


N_ACTIONS = len(Action)


class Kind(IntEnum):
    """Event kinds: the five of every game, then our own."""

    OFFERED = 0
    REACHABLE = 1
    PAID = 2
    STEP = 3
    LAPSED = 4
    DEALT = 5
    DRAWN = 6
    SPENT = 7
    TRIMMED = 8
    STOLEN = 9


class Part(IntEnum):
    """Parts of the score: the only one there is."""

    SPIRE = 0


class Ending(IntEnum):
    SPIRE = 0
    STALEMATE = 1
    TURN_LIMIT = 2


class Fault(IntEnum):
    """Why the rules stopped a game."""

    NONE = 0
    EVENTS = 1
    TAPE = 2
    HAND = 3
    PILE = 4
    PLACE = 5
    PAYMENT = 6
    PASS = 7
    SEAT = 8


class Tape(IntEnum):
    """Kinds of record on the tape of a game: [kind, seat, n, x1 .. xn], int32, one after another.

    What each x is stands in RULES.md, section "The tape".
    """

    SPIRES = 0
    PILE = 1
    RANDOM_CARD = 2
    OPENING = 10
    ACTION = 11
    DESIGNATE = 12
    VICTIM = 13
    TRIM = 14


class Stream(IntEnum):
    """Purposes of the random streams (RULES.md, section "Random draws")."""

    SPIRES = 1
    PILES = 2
    BLIND = 3
    SHUFFLE = 100
    NOISE = 1000


CATHEDRAL = np.int64(0)
"""The source code of the cathedral's level; a card's is FIRST_CARD + its position in the file."""
FIRST_CARD = np.int64(1)

EVENT_FIELDS = (
    "turn",
    "step_in_turn",
    "round",
    "seat",
    "kind",
    "source",
    "amount",
    "local",
    "permanent",
    "temporary",
    "pile",
)
SEAT_EXTRAS = ("level", "placed", "income", "hand", "dead_opening")


class Feature(IntEnum):
    """The bots' weights; what each means stands in `data/bots.toml`."""

    NOISE = 0
    BUILD = 1
    LEVEL = 2
    PERMANENT = 3
    LOCAL = 4
    GAP = 5
    SPREAD = 6
    AIM_BLUE = 7
    AIM_GREEN = 8
    AIM_RED = 9
    KEEP = 10
    TEMPORARY = 11
    DRAW = 12
    PRESSURE = 13
    DENY = 14
    PICTOGRAM = 15
    BONUS = 16
    COST = 17
    WAIT = 18
    HAND = 19


N_FEATURES = len(Feature)


def _record(fields: list[Any]) -> np.dtype[Any]:
    return np.dtype((np.record, np.dtype(fields, align=True)))


TABLES = _record(
    [
        ("n_cards", "i8"),
        ("n_spires", "i8"),
        ("n_bonus", "i8"),
        # numbers of the rulebook, as in rules.toml
        ("spires_shown", "i8"),  # for this number of players
        ("piles", "i8"),  # for this number of players
        ("start_cards", "i8", MAX_SEATS),  # by seat
        ("hand_limit", "i8"),
        ("temporary_factor", "i8"),
        ("any_lower", "i8"),
        ("advanced", "i8"),
        ("turn_limit", "i8"),
        # cards, in file order
        ("level", "i8", MAX_CARDS),
        ("cost", "i8", (MAX_CARDS, N_COLOURS)),
        ("centre", "i8", (MAX_CARDS, N_COLOURS)),
        ("local", "i8", (MAX_CARDS, N_COLOURS)),
        ("arrows", "i8", MAX_CARDS),  # mask of `Arrow`
        ("pictogram", "i8", MAX_CARDS),
        ("spires", "i8", MAX_CARDS),  # positions of the spires, in file order
        ("bonus", "i8", MAX_BONUS),  # positions of the bonus cards, top of the stack first
        ("is_bonus", "i8", MAX_CARDS),
    ]
)
"""The card set and rule values as the kernel reads them; resources by `Colour`."""


STATE = _record(
    [
        ("players", "i8"),
        ("seed", "i8"),
        ("game", "i8"),
        ("setup", "i8"),
        ("turn", "i8"),
        ("round_number", "i8"),
        ("step_in_turn", "i8"),
        ("active", "i8"),
        ("passes", "i8"),  # in a row
        ("over", "i8"),
        ("ending", "i8"),
        ("winner", "i8"),  # NOTHING: nobody
        ("decisions", "i8"),
        ("shuffles", "i8"),
        # the table
        ("shown", "i8", MAX_SHOWN),  # spires on display, by slot; NOTHING: taken
        ("n_shown", "i8"),
        ("pile", "i8", (MAX_PILES, MAX_CARDS)),  # the last is the top
        ("pile_size", "i8", MAX_PILES),
        ("n_piles", "i8"),
        ("chosen", "i8", MAX_PILES),  # 1: opening cards were taken from it
        ("bonus_next", "i8"),  # bonus cards placed
        # by seat
        ("hand", "i8", (MAX_SEATS, MAX_HAND)),
        ("hand_size", "i8", MAX_SEATS),
        ("permanent", "i8", (MAX_SEATS, N_COLOURS)),
        ("level", "i8", MAX_SEATS),  # the highest of the cathedral, 0: no card
        ("placed", "i8", MAX_SEATS),
        ("left", "i8", MAX_SEATS),  # the outermost columns with a card; right < left: none
        ("right", "i8", MAX_SEATS),
        ("height", "i8", (MAX_SEATS, MAX_COLUMNS)),  # cards in the column
        ("tower", "i8", (MAX_SEATS, MAX_COLUMNS, MAX_ROWS)),  # card by column and row, from row 1 at 0
        ("crown", "i8", (MAX_SEATS, MAX_COLUMNS)),  # level of the topmost card of the column
        ("help", "i8", (MAX_SEATS, MAX_COLUMNS, N_COLOURS)),  # local resources for the next place of a column
        ("reached", "i8", (MAX_SEATS, MAX_SHOWN)),  # by slot: marked reachable
        ("dead_opening", "i8", MAX_SEATS),
        ("turns_taken", "i8", MAX_SEATS),
        ("did", "i8", (MAX_SEATS, N_ACTIONS)),
        ("weight", "f8", (MAX_SEATS, N_FEATURES)),
        ("noise", "u8", (MAX_SEATS, 1)),
        ("blind", "u8", 1),
        ("stream", "u8", 1),
        ("deal", "i8", MAX_CARDS),  # scratch of the shuffles
        # the decision taken
        ("action", "i8"),
        ("slot", "i8"),  # in the hand, or of the spires shown
        ("column", "i8"),
        ("from_pile", "i8"),
        ("payment", "i8", MAX_HAND),  # slots of the hand discarded, in their order
        ("payment_pile", "i8", MAX_HAND),
        ("payment_size", "i8"),
        ("chosen_seat", "i8"),
        # what the search is told, and what it finds
        ("gain", "f8", MAX_HAND),  # by slot of the hand: worth of placing it, wherever
        ("gift", "f8", MAX_HAND),  # by slot: worth of its local resources in one place
        ("worth", "f8", MAX_HAND),  # by slot: worth lost with it, at least 0
        ("aim", "f8", N_COLOURS),  # worth of one resource of the colour to the seat
        ("next_aim", "f8", N_COLOURS),  # the same to the seat whose turn is next, as all can see it
        ("top", "i8", MAX_PILES),  # each pile's top card, discards decided but not yet made included
        ("top_worth", "f8", MAX_PILES),  # its worth to the seat
        ("wait", "i8", len(Level) + 1),  # by level: cards to be placed before one of it finds a place
        ("best_value", "f8"),
        ("bring", "i8", (MAX_HAND, N_COLOURS)),  # by slot: temporary resources
        ("rest", "i8", (MAX_HAND + 1, N_COLOURS)),  # by slot: temporary resources of it and all behind it
        ("missing", "i8", (MAX_HAND + 1, N_COLOURS)),  # by depth: what the discards so far leave unpaid
        ("loss", "f8", MAX_HAND + 1),  # by depth: worth of the discards so far
        ("trial", "i8", MAX_HAND + 1),  # by depth: slot discarded
        ("cheapest", "i8", MAX_HAND),  # slots of the cheapest payment found
        ("cheapest_size", "i8"),
        # what leaves the kernel
        ("events", "i4", (MAX_EVENTS, len(EVENT_FIELDS))),
        ("n_events", "i8"),
        ("keep_events", "i8"),
        ("tape", "i4", MAX_TAPE),
        ("tape_size", "i8"),
        ("recording", "i8"),
        ("fault", "i8"),  # not 0: a capacity overflowed or a decision was illegal
    ]
)
"""One game in play. Seats, turns and columns count from 0; resources by `Colour`."""
