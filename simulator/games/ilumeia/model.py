"""The vocabulary of Stars of Ilumeïa and the room that its compiled rules have.

Codes are the positions that files, tables, kernel and tape share. `Verb`, `Trigger` and `Target` say what an
effect of a prophecy card can do, in the words of RULES.md, section "Effects".
"""

from __future__ import annotations

from enum import IntEnum

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
