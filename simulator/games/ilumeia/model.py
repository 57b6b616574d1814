"""The vocabulary of Stars of Ilumeïa and the shape of its tables and state.

Codes are the positions that files, tables, kernel and tape share. `Verb`, `Trigger` and `Target` say what an
effect of a prophecy card can do, in the words of RULES.md, section "Effects".
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

# Constants that reach compiled functions as arguments are np.int64: a plain integer would compile the callee
# once for each of its values.
NOTHING = np.int64(-1)
NO_VP = np.int64(0)
MOST_TIMES = 999
"""The highest quantity that `per` brings: no sum of VP or cards can overflow."""

MAX_SEATS = 4
MAX_CARDS = 320
MAX_HAND = 30
MAX_ROW = 16
MAX_DISPLAY = 16
MAX_STARS = 128
MAX_PROPHECIES = 80
MAX_PROVIDENCE = 24
MAX_STACK = 6
MAX_AGES = 6
MAX_STEPS = 12
MAX_PRIMOS = 14
MAX_BNEPH = 6
MAX_OWNED = 48
MAX_CODE = 48
MAX_EXPRESSIONS = 320
MAX_EVENTS = 2048
MAX_TAPE = 32768
MAX_SOURCES = 4 + MAX_PRIMOS + MAX_BNEPH + MAX_PROPHECIES + MAX_PROVIDENCE + 1


class Planet(IntEnum):
    """The planets with prophecy cards, in the order of their stacks."""

    MECULOG = 0
    BRAECK = 1
    ONUMIRA = 2
    FLUUVEE = 3
    AGGROKSCH = 4


N_PLANETS = len(Planet)


class Metric(IntEnum):
    """What can be counted on a constellation (or a single card); names in lower case in the files."""

    CARDS = 0
    STARS = 1
    FLAMES = 2
    CENTRALS = 3
    ENDS = 4
    DIAGONALS = 5
    TRANSITIONS = 6
    COMETS = 7
    COMETS_ENCLOSED = 8
    COMETS_OPEN = 9
    AREAS = 10
    MIDDLE = 11
    OUTER = 12
    SYMMETRIC_HORIZONTAL = 13
    SYMMETRIC_VERTICAL = 14
    OUTER_MOST = 15
    OUTER_LEAST = 16
    FLAME_DIAGONALS = 17


N_METRICS = len(Metric)
METRICS = tuple(metric.name.lower() for metric in Metric)


class Standing(IntEnum):
    """What an effect's `per` and `when` can read of the state, seen from its owner; names in lower case.

    Codes go on behind those of `Metric`, so that one vector serves both.
    """

    HAND = 18
    ENERGY = 19
    USED_ENERGY = 20
    GREY = 21
    VP = 22
    BEHIND = 23
    GAP = 24
    VVIBON = 25
    AMP_R = 26
    RECORD = 27
    PROPHECIES = 28
    CLAIMS = 29
    CONSTELLATIONS = 30
    PILE = 31
    AGE = 32
    PLAYERS = 33
    PILE_STARS = 34
    PILE_FLAMES = 35
    PILE_CENTRALS = 36
    PILE_DIAGONALS = 37
    PILE_COMETS = 38
    PILE_MIDDLE = 39
    PILE_OUTER = 40


N_NAMES = 41
STANDINGS = tuple(standing.name.lower() for standing in Standing)


class Reward(IntEnum):
    """The four kinds of prophecy card (IL-25)."""

    ABILITY = 0
    INSTANT = 1
    ONE_TIME = 2
    FINAL = 3


class Trigger(IntEnum):
    """When an effect works."""

    ALWAYS = 0
    CREATE = 1
    OTHER_CREATES = 2
    OTHER_WINS = 3
    OTHER_CLAIMS = 4
    PREPARE = 5
    EXHAUSTED = 6
    RECORD = 7
    PLAY = 8
    FINAL = 9
    BEFORE_FINAL = 10


class Target(IntEnum):
    """Whom an effect moves."""

    SELF = 0
    ONE = 1
    OTHERS = 2
    AHEAD = 3


class Verb(IntEnum):
    """What an effect does; the first fourteen are lasting changes of a rule (trigger ALWAYS)."""

    HAND_LIMIT = 0
    KEEP = 1
    DRAW_BONUS = 2
    DISPLAY_BONUS = 3
    DEAL_BONUS = 4
    IDLE_BONUS = 5
    EXCHANGE_DISCOUNT = 6
    RENEW_DISCOUNT = 7
    CLAIM_WITH_USED = 8
    CLAIM_WITH_GREY = 9
    PRIMOS_TOLERANCE = 10
    VVIBON_LENIENCY = 11
    AMP_R_LENIENCY = 12
    RECORD_LENIENCY = 13
    GAIN_VP = 14
    LOSE_VP = 15
    STEAL_VP = 16
    GAIN_DIE = 17
    REFRESH = 18
    TAKE_GREY = 19
    DRAW = 20
    TAKE_DISPLAY = 21
    ADVANCE_VVIBON = 22
    ADVANCE_AMP_R = 23
    RELAX_BNEPH = 24
    FREE_ACTION = 25
    RENEW_FREE = 26
    LOSE_CARDS = 27
    STEAL_CARD = 28
    SPEND_DIE = 29
    COPY_ABILITY = 30
    RECALL = 31
    BURY = 32
    BURY_HAND = 33


N_VERBS = len(Verb)
N_MODIFIERS = 14


class StepReward(IntEnum):
    """What a step of Vvibon gives (IL-46)."""

    NOTHING = 0
    KEEP = 1
    VP = 2
    LIMIT = 3
    SUZUR = 4
    PRIMOS = 5


class FieldReward(IntEnum):
    """What a claim on Primos gives (IL-47)."""

    VP = 0
    BNEPH = 1
    SUZUR = 2


class Step(IntEnum):
    """The scoring steps of one constellation; the first five are the planets' prophecy cards."""

    MECULOG = 0
    BRAECK = 1
    ONUMIRA = 2
    FLUUVEE = 3
    AGGROKSCH = 4
    VVIBON = 5
    AMP_R = 6
    LOTZZZ = 7
    SUZUR = 8
    PRIMOS = 9
    BNEPH = 10


N_STEPS = len(Step)


class Action(IntEnum):
    DRAW = 0
    TAKE = 1
    CREATE = 2
    PASS = 3
    IDLE = 4
    EXCHANGE = 5
    RENEW = 6
    CLAIM = 7
    PLAY = 8


N_ACTIONS = len(Action)


class Die(IntEnum):
    """The die that pays for an action or a claim; FREE is no die (`free_action`)."""

    OWN = 0
    GREY = 1
    USED = 2
    FREE = 3


class Kind(IntEnum):
    """Event kinds: the five of every game, then our own."""

    OFFERED = 0
    REACHABLE = 1
    PAID = 2
    STEP = 3
    LAPSED = 4
    USED = 5


class Part(IntEnum):
    """Parts of the score; the planets' prophecies first, in the order of `Planet`."""

    MECULOG = 0
    BRAECK = 1
    ONUMIRA = 2
    FLUUVEE = 3
    AGGROKSCH = 4
    VVIBON = 5
    AMP_R = 6
    SUZUR = 7
    PRIMOS = 8
    BNEPH = 9
    PROVIDENCE = 10
    COMPENSATION = 11


N_PARTS = len(Part)


class Ending(IntEnum):
    AGES = 0
    NO_CARDS = 1


class Window(IntEnum):
    """When a deity may act beside its action (RULES.md, "Effects")."""

    BEFORE = 0
    SCORING = 1
    AFTER = 2
    IDLE = 3


class Tape(IntEnum):
    """Kinds of record on the tape of a game: [kind, seat, n, x1 .. xn], int32, one after another.

    What each x is stands in RULES.md, section "The tape".
    """

    STACK = 0
    PROVIDENCE_DEAL = 1
    SHUFFLE = 2
    RANDOM_CARD = 3
    PREPARE_DISCARD = 10
    PREPARE_TAKE = 11
    PROVIDENCE = 12
    ACTION = 13
    SCORE = 14
    DISCARD = 15
    KEEP = 16
    EXCHANGE = 17
    RENEW = 18
    PLAY = 19
    TARGET = 20
    TAKE_DISPLAY = 21
    COPY = 22
    RECALL = 23
    BURY_HAND = 24


class Stream(IntEnum):
    """Purposes of the random streams (RULES.md, section "Random draws")."""

    DRAW_PILE = 1
    STACK = 2
    EXCHANGED = 8
    PROVIDENCE = 9
    THEFT = 10
    RESHUFFLE = 100
    NOISE = 1000


class Feature(IntEnum):
    """The bots' weights; what each means stands in `data/bots.toml`."""

    NOISE = 0
    VP = 1
    SUZUR = 2
    VVIBON = 3
    AMP_R = 4
    LOTZZZ = 5
    PRIMOS = 6
    BNEPH = 7
    PROPHECY = 8
    EFFECT = 9
    ENERGY = 10
    CARD = 11
    ATTACK = 12
    SIZE = 13
    STARS = 14
    PATIENCE = 15
    DRAW = 16
    TAKE = 17
    CREATE = 18
    PASS = 19
    HUNGER = 20
    HAND_AIM = 21
    LOOKAHEAD = 22
    JOINTS = 23
    KEEP_STARS = 24
    KEEP_FLAMES = 25
    KEEP_COMETS = 26
    KEEP_CENTRALS = 27
    KEEP_ENDS = 28
    EXCHANGE = 29
    RENEW = 30
    PLAY = 31
    PROVIDENCE = 32
    LEADER = 33


N_FEATURES = len(Feature)

# What a row can win, as bits of a mask: the steps in the order of `Step`, but each B'neph and Primos field
# its own bit behind them.
BIT_BNEPH = 9
BIT_PRIMOS = BIT_BNEPH + MAX_BNEPH
N_BITS = BIT_PRIMOS + MAX_PRIMOS

# How the right-hand transitions of a half-built row hang together: `Gate` codes the partition of its ports.
N_GATES = 5

# Packed sums: first bit and width of each field. A row has at most 11 cards of at most 7 stars, 8 ends (ports
# count) and 4 transitions, so no field overflows into its neighbour.
COUNT_SHIFTS = {
    "stars": 0,
    "flames": 8,
    "centrals": 16,
    "ends": 24,
    "diagonals": 32,
    "comets": 40,
    "middle": 48,
}
MORE_SHIFTS = {"upper": 0, "flame_diagonals": 8, "transitions": 16, "unsymmetric": 24, "lower": 32}

# `half_join` and `deep_open` share their low fields: areas, comets enclosed, comets that wait in the upper and in
# the lower gap between the ports on the right, the gate; `half_join` has the fates of the two gaps on the left behind.
JOIN_AREAS, JOIN_ENCLOSED, JOIN_GAP_1, JOIN_GAP_2, JOIN_GATE, JOIN_FATE_1, JOIN_FATE_2 = (
    0,
    8,
    16,
    24,
    32,
    36,
    40,
)
FATE_OPEN, FATE_ENCLOSED, FATE_GAP_1, FATE_GAP_2 = 0, 1, 2, 3

EVENT_FIELDS = ("turn", "step_in_turn", "round", "seat", "kind", "source", "amount")
SEAT_EXTRAS = ("vvibon", "amp_r", "pile", "largest")


def _record(fields: list[Any]) -> np.dtype[Any]:
    return np.dtype((np.record, np.dtype(fields, align=True)))


TABLES = _record(
    [
        # counts of what is in use of each fixed capacity
        ("n_cards", "i8"),
        ("n_prophecies", "i8"),
        ("n_providence", "i8"),
        ("n_primos", "i8"),
        ("n_bneph", "i8"),
        ("n_vvibon", "i8"),
        ("n_amp_r", "i8"),
        # numbers of the rulebook, as in rules.toml
        ("ages", "i8"),
        ("energy_start", "i8"),
        ("supply", "i8"),
        ("display", "i8"),
        ("deal", "i8"),
        ("prepare_discard", "i8"),
        ("draw", "i8"),
        ("exchange_cost", "i8"),
        ("renew_cost", "i8"),
        ("hand_limit", "i8"),
        ("hand_limit_bonus", "i8"),
        ("keep_per_step", "i8"),
        ("providence", "i8"),
        ("providence_vp", "i8", MAX_AGES),
        ("suzur_vp", "i8"),
        ("suzur_bonus", "i8"),
        ("lotzzz_minimum", "i8"),
        ("amp_r_threshold", "i8", MAX_STEPS),
        ("amp_r_dice", "i8", MAX_STEPS),
        ("amp_r_vp", "i8", MAX_STEPS),
        ("amp_r_suzur_step", "i8"),
        ("vvibon_threshold", "i8", MAX_STEPS),
        ("vvibon_reward", "i8", MAX_STEPS),
        ("vvibon_vp", "i8", (MAX_STEPS, MAX_SEATS)),  # by step, by order reached
        ("primos_numbers", "i8", (MAX_PRIMOS, 4)),  # by field; NOTHING behind the last number
        ("primos_reward", "i8", MAX_PRIMOS),
        ("primos_vp", "i8", MAX_PRIMOS),
        ("primos_tolerance_bonus", "i8"),
        ("bneph_metric", "i8", MAX_BNEPH),
        ("bneph_value", "i8", MAX_BNEPH),
        ("bneph_vp", "i8"),
        ("bneph_vp_boosted", "i8"),
        ("compensation", "i8"),
        ("first_game", "i8"),
        ("exchanged_planet", "i8"),
        ("allow_even_axis", "i8"),
        ("tie_break", "i8"),
        # half-cards: 2 * card + turned
        ("half_left", "i8", 2 * MAX_CARDS),  # ports as bits: upper 1, middle 2, lower 4
        ("half_right", "i8", 2 * MAX_CARDS),
        ("half_counts", "i8", 2 * MAX_CARDS),  # packed sums: COUNT_SHIFTS
        ("half_more", "i8", 2 * MAX_CARDS),  # packed sums: MORE_SHIFTS
        ("half_join", "i8", (2 * MAX_CARDS, N_GATES)),  # packed effect of joining it behind a gate
        ("half_shape", "i8", 2 * MAX_CARDS),  # equal for equal stars, lines and ports
        ("half_mirror", "i8", 2 * MAX_CARDS),  # the shape of its mirror image, left and right swapped
        ("card_drawings", "i8", MAX_CARDS),  # 1 if the card looks the same turned by 180 degrees, else 2
        ("card_sides", "i8", MAX_CARDS),  # bit p: a side with ports p, seen as a right side
        ("card_meets", "i8", MAX_CARDS),  # bit p: a card with this side can be joined
        ("card_metric", "f8", (MAX_CARDS, N_METRICS)),  # of the card alone
        # prophecy cards
        ("planet", "i8", MAX_PROPHECIES),
        ("reward", "i8", MAX_PROPHECIES),
        ("dot", "i8", MAX_PROPHECIES),
        ("vp", "i8", MAX_PROPHECIES),
        (
            "guard_metric",
            "i8",
            MAX_PROPHECIES,
        ),  # a metric that must lie in a range for the condition to be true
        ("guard_least", "f8", MAX_PROPHECIES),
        ("guard_most", "f8", MAX_PROPHECIES),
        ("condition", "f8", (MAX_PROPHECIES, MAX_CODE)),
        ("condition_length", "i8", MAX_PROPHECIES),
        ("verb", "i8", MAX_PROPHECIES),  # NOTHING: no effect
        ("trigger", "i8", MAX_PROPHECIES),
        ("target", "i8", MAX_PROPHECIES),
        ("amount", "i8", MAX_PROPHECIES),
        ("most", "i8", MAX_PROPHECIES),  # NOTHING: no cap
        ("per", "f8", (MAX_PROPHECIES, MAX_CODE)),
        ("per_length", "i8", MAX_PROPHECIES),
        ("when", "f8", (MAX_PROPHECIES, MAX_CODE)),
        ("when_length", "i8", MAX_PROPHECIES),
        ("counts", "i8", MAX_PROPHECIES),  # 1 if the effect counts cards of the own pile
        ("counted", "u1", (MAX_PROPHECIES, MAX_CARDS)),  # 1: this card fulfils the effect's `count`
        # providence cards
        ("at_least", "i8", MAX_PROVIDENCE),
        ("provident", "u1", (MAX_PROVIDENCE, MAX_CARDS)),
        ("provident_share", "f8", MAX_PROVIDENCE),
        # sources: first code of each group
        ("source_primos", "i8"),
        ("source_bneph", "i8"),
        ("source_prophecy", "i8"),
        ("source_providence", "i8"),
        ("source_compensation", "i8"),
        ("n_sources", "i8"),
    ]
)
"""The card set and rule values as the kernel reads them. Axes "by card", "by prophecy" are file order."""


STATE = _record(
    [
        ("players", "i8"),
        ("seed", "i8"),
        ("game", "i8"),
        ("setup", "i8"),
        ("age", "i8"),  # 0 ..
        ("first", "i8"),  # the seat that holds #1
        ("turn", "i8"),
        ("step_in_turn", "i8"),
        ("active", "i8"),
        ("over", "i8"),  # 1: no cards can be had, the game ends
        ("ending", "i8"),
        ("lead_changes", "i8"),
        ("last_leader", "i8"),
        ("reshuffles", "i8"),
        ("decisions", "i8"),
        # piles
        ("pile", "i8", MAX_CARDS),  # the last is the top
        ("pile_size", "i8"),
        ("discards", "i8", MAX_CARDS),
        ("discards_size", "i8"),
        ("display", "i8", MAX_DISPLAY),  # by slot; NOTHING: empty
        ("stack", "i8", (N_PLANETS, MAX_STACK)),
        ("face_up", "i8", N_PLANETS),  # the prophecy that can be won, or NOTHING
        # by seat
        ("hand", "i8", (MAX_SEATS, MAX_HAND)),
        ("hand_size", "i8", MAX_SEATS),
        ("own", "i8", (MAX_SEATS, MAX_CARDS)),  # cards of the constellations created
        ("own_size", "i8", MAX_SEATS),
        ("available", "i8", MAX_SEATS),
        ("used", "i8", MAX_SEATS),
        ("supply", "i8", MAX_SEATS),
        ("exhausted", "i8", MAX_SEATS),
        ("vp", "i8", MAX_SEATS),
        ("part", "i8", (MAX_SEATS, N_PARTS)),
        ("did", "i8", (MAX_SEATS, N_ACTIONS)),
        ("largest", "i8", MAX_SEATS),
        ("vvibon", "i8", MAX_SEATS),
        ("amp_r", "i8", MAX_SEATS),
        ("record", "i8", MAX_SEATS),
        ("suzur", "i8", MAX_SEATS),  # bonuses on Suzur
        ("boosted", "i8", MAX_SEATS),  # 1: B'neph pays the higher VP
        ("tolerance", "i8", MAX_SEATS),  # on Primos
        ("keep", "i8", MAX_SEATS),
        ("limit", "i8", MAX_SEATS),
        ("modifier", "i8", (MAX_SEATS, N_MODIFIERS)),
        ("claims", "i8", MAX_SEATS),
        ("prophecies", "i8", MAX_SEATS),  # cards won
        ("primos_claimed", "i8", (MAX_SEATS, MAX_PRIMOS)),
        ("held_first", "i8", MAX_SEATS),  # ages begun with #1
        ("providence", "i8", (MAX_SEATS, 2)),
        ("kept_providence", "i8", MAX_SEATS),
        ("providence_age", "i8", MAX_SEATS),
        ("owned", "i8", (MAX_SEATS, MAX_OWNED)),  # prophecy whose effect is held, in the order won
        ("owned_as", "i8", (MAX_SEATS, MAX_OWNED)),  # the prophecy that pays: differs for a copy
        ("owned_spent", "i8", (MAX_SEATS, MAX_OWNED)),  # 1: one-time effect used up
        ("owned_size", "i8", MAX_SEATS),
        ("reached", "u1", (MAX_SEATS, MAX_SOURCES)),
        ("weight", "f8", (MAX_SEATS, N_FEATURES)),
        ("noise", "u8", (MAX_SEATS, 1)),
        # shared
        ("bneph_owner", "i8", MAX_BNEPH),
        ("grey_owner", "i8"),  # NOTHING: on Lotzzz; -2: on a claim, out of the game
        ("grey_available", "i8"),
        # this turn
        ("exchanged", "i8"),
        ("may_pass", "i8"),  # 0 once cards were exchanged or the display renewed (IL-32)
        ("renewed", "i8"),
        ("free_action", "i8"),
        ("relaxed", "i8"),
        ("acting", "i8"),  # 1: a turn with energy before or after its action
        ("before_action", "i8"),
        ("scoring", "i8"),  # 1: a constellation lies whose scoring is finished even without cards (g37)
        # the constellation being scored, or being weighed by the search
        ("row", "i8", MAX_ROW),
        ("row_size", "i8"),
        (
            "laid",
            "f8",
            N_NAMES,
        ),  # metrics of the constellation being scored, then the standing of an effect's owner
        ("metric", "f8", N_NAMES),  # of the row that the search weighs
        ("scratch", "f8", MAX_CODE),
        ("done", "i8", N_BITS),
        # the search: what each winnable thing is worth to the seat, and what was found
        ("worth", "f8", N_BITS),
        ("laid_cost", "f8"),  # worth lost for each card laid
        ("reachable", "i8"),  # mask of what some row can win
        ("best_row", "i8", MAX_ROW),
        ("best_size", "i8"),
        ("best_value", "f8"),
        ("best_mask", "i8"),
        ("rows_found", "i8"),
        ("weighed_seat", "i8"),  # whose hand was weighed last
        ("weighed", "i8"),  # the count of decisions when the hand was last weighed, NOTHING: not this turn
        ("local_half", "i8", 2 * MAX_HAND),
        ("by_left", "i8", 8),  # half-cards of the hand, as bits, by their left ports
        ("by_right", "i8", 8),  # and by their right ports
        ("usable", "i8", 8),  # half-cards that may follow ports, in rows from the present start
        ("deep_next", "i8", MAX_HAND),  # half-cards not yet tried at this depth
        ("deep_half", "i8", MAX_HAND),
        ("deep_counts", "i8", MAX_HAND),
        ("deep_more", "i8", MAX_HAND),
        ("deep_open", "i8", MAX_HAND),
        ("deep_used", "i8", MAX_HAND),
        # what the search aims at, worked out once for all rows (see search.take_aim)
        ("need_stars", "i8"),  # for a step on Vvibon
        ("need_flames", "i8"),  # for a step on Amp-R
        ("need_cards", "i8"),  # for the lead on Lotzzz
        ("claim_dice", "i8", 4),  # by 1 if the row climbs Amp-R + 2 if it leads on Lotzzz
        ("primos_mask", "i8", MAX_STARS),  # by stars of the row: fields that fit
        ("primos_gain", "f8", MAX_STARS),  # the best of their worths, at least 0
        ("unseen", "i8"),  # planets whose face-up prophecy this seat has not reached yet
        ("guard_metric", "i8", N_PLANETS),  # of the face-up prophecies, as in the tables
        ("guard_least", "f8", N_PLANETS),
        ("guard_most", "f8", N_PLANETS),
        ("bar", "f8"),  # rows that aren't worth more needn't be weighed
        ("hope", "f8"),  # worth of all face-up prophecies
        ("card_worth", "f8", MAX_CARDS),  # scratch of the policy: what cards are worth to the seat
        ("choice", "i8", MAX_CARDS),  # cards, or half-cards of a row, chosen by the policy
        ("choice_size", "i8"),
        ("action", "i8"),  # the action chosen, the die that pays, the display slot
        ("die", "i8"),
        ("slot", "i8"),
        ("theft", "u8", 1),
        ("stream", "u8", 1),
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
"""One game in play. Seats, ages and steps count from 0; a track at 0 has taken no step."""
