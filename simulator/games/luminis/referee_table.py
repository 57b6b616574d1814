"""What lies on the table for the referee: cards, cathedrals, the tape being read, the events so far.

Everything is a plain object or a list. The tape names cards by their position in the file; here a card is
itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from simulator.games.luminis.model import Action, Colour, Kind, Level, Tape
from simulator.tape import TapeReader

if TYPE_CHECKING:
    from simulator.games.luminis.cards import Card, CardSet, Triple

NOBODY: Final = -1
"""The seat of what concerns no seat."""
NO_PILE: Final = -1
NONE: Final[Triple] = (0, 0, 0)
ARROWS_IN: Final = {"E": (-1, 0), "W": (1, 0), "NE": (-1, -1), "N": (0, -1), "NW": (1, -1)}
"""An arrow, and where the card lies whose arrow of this name points at a place: columns east, rows up.

No arrow goes down, so that nothing comes from above (LU-9).
"""


@dataclass(frozen=True)
class Event:
    """One row of the events table, in words."""

    turn: int
    step_in_turn: int
    round: int
    seat: int
    kind: Kind
    source: str
    amount: int
    local: int
    permanent: int
    temporary: int
    pile: int


class Cathedral:
    """The cards that one seat has placed: columns count from the first Level I card, rows from 1."""

    def __init__(self) -> None:
        self.columns: dict[int, list[Card]] = {}
        """From bottom to top."""

    @property
    def cards(self) -> list[Card]:
        """All cards, column after column."""
        return [card for column in sorted(self.columns) for card in self.columns[column]]

    @property
    def level(self) -> int:
        """The highest level, 0 without a card."""
        return max((card.level for card in self.cards), default=0)

    @property
    def permanent(self) -> Triple:
        """The centres of all cards, which are there every turn (LU-9)."""
        return total([card.centre for card in self.cards])

    def at(self, column: int, row: int) -> Card | None:
        """The card that lies there."""
        stack = self.columns.get(column, [])
        return stack[row - 1] if 1 <= row <= len(stack) else None

    def row_of_next(self, column: int) -> int:
        """The row in which the next card of a column lies (l16)."""
        return len(self.columns.get(column, [])) + 1

    def givers(self, column: int) -> list[tuple[Card, str]]:
        """The neighbours whose arrows point at the next place of a column, with that arrow (LU-9, l4)."""
        row = self.row_of_next(column)
        found = []
        for arrow, (east, up) in ARROWS_IN.items():
            neighbour = self.at(column + east, row + up)
            if neighbour is not None and arrow in neighbour.arrows:
                found.append((neighbour, arrow))
        return found

    def local(self, column: int) -> Triple:
        """The local resources that the next place of a column gets; they stay for later cards (l5)."""
        return total([giver.local for giver, _ in self.givers(column)])

    def fault_of(self, card: Card, column: int, any_lower: bool) -> str | None:
        """Why a card may not lie on a column (LU-8, LU-12), None if it may."""
        if card.level == Level.I:
            ends = [min(self.columns) - 1, max(self.columns) + 1] if self.columns else [0]
            places = " or ".join(map(str, ends))
            side_by_side = f"Level I cards lie side by side in row 1: next in column {places}"
            return None if column in ends else side_by_side
        stack = self.columns.get(column)
        if not stack:
            return f"no card lies in column {column} to support {card.id}"
        support = stack[-1]
        if card.level == Level.SPIRE:
            fits, wanted = support.level == Level.III, "a Level III card"
        elif any_lower:
            fits, wanted = support.level < card.level, "a card of a lower level"
        else:
            fits, wanted = support.level == card.level - 1, "a card of exactly the level below"
        if fits:
            return None
        level = Level(support.level).name
        return f"{card.id} needs {wanted} as its support, column {column} ends with {support.id} of level {level}"

    def columns_for(self, card: Card, any_lower: bool) -> list[int]:
        """All columns on which a card may lie."""
        near = [min(self.columns) - 1, *sorted(self.columns), max(self.columns) + 1] if self.columns else [0]
        return [column for column in near if self.fault_of(card, column, any_lower) is None]

    def lay(self, card: Card, column: int) -> None:
        """Lay a card on a column for good (LU-7)."""
        self.columns.setdefault(column, []).append(card)


def total(amounts: Sequence[Triple]) -> Triple:
    """The sum by colour."""
    blue, green, red = (sum(each[colour] for each in amounts) for colour in Colour)
    return blue, green, red


@dataclass(frozen=True)
class Bill:
    """What a cost is met by before any discard, and what is missing then, by colour."""

    local: Triple
    permanent: Triple
    missing: Triple


def bill(cost: Triple, local: Triple, permanent: Triple) -> Bill:
    """The bill of a cost: by local resources first, then by permanent ones (RULES.md, "Payment")."""
    by_local, by_permanent, missing = [0, 0, 0], [0, 0, 0], [0, 0, 0]
    for colour in Colour:
        by_local[colour] = min(cost[colour], local[colour])
        by_permanent[colour] = min(cost[colour] - by_local[colour], permanent[colour])
        missing[colour] = cost[colour] - by_local[colour] - by_permanent[colour]
    return Bill(_three(by_local), _three(by_permanent), _three(missing))


def _three(amounts: Sequence[int]) -> Triple:
    blue, green, red = amounts
    return blue, green, red


@dataclass
class Player:
    """All that one seat owns."""

    seat: int
    hand: list[Card] = field(default_factory=list)
    """In the order received."""
    cathedral: Cathedral = field(default_factory=Cathedral)
    did: Counter[Action] = field(default_factory=Counter)
    dead_opening: bool = False


class Listener:
    """Hears what happens at the table, for the narrator; the events come through `event`."""

    def game_began(self, table: Table) -> None: ...
    def turn_began(self, table: Table, player: Player) -> None: ...
    def placing(self, table: Table, player: Player, card: Card, column: int, bill: Bill) -> None: ...
    def event(self, table: Table, event: Event) -> None: ...
    def designated(self, table: Table, drawer: int, victim: int) -> None: ...
    def passed(self, table: Table, player: Player) -> None: ...
    def turn_ended(self, table: Table, player: Player) -> None: ...


class Table:
    """The state of one game, its events, and what every phase asks of it."""

    def __init__(self, card_set: CardSet, players: int, tape: Sequence[int], listener: Listener | None):
        self.cards = card_set.cards
        self.rules = card_set.rules
        self.tape = TapeReader(tape, Tape)
        self.listener = listener or Listener()
        self.players = [Player(seat) for seat in range(players)]
        self.shown: list[Card] = []
        """The spires on display."""
        self.piles: list[list[Card]] = []
        """The last card of each is its top."""
        self.bonus: list[Card] = []
        """The bonus stack, its top first."""
        self.turn = 0
        self.round = 1
        self.passes = 0
        """Passes in a row."""
        self.winner: int | None = None
        self.events: list[Event] = []
        self.reached: set[tuple[int, str]] = set()
        """(seat, source) marked reachable."""

    # Events

    def event(
        self,
        seat: int,
        kind: Kind,
        source: str,
        amount: int = 0,
        *,
        met: tuple[int, int, int] = (0, 0, 0),
        pile: int = NO_PILE,
    ) -> None:
        """Note an event of the present turn; `met` is how much of a cost local, permanent, temporary met."""
        follows = bool(self.events) and self.events[-1].turn == self.turn
        step = self.events[-1].step_in_turn + 1 if follows else 0
        event = Event(self.turn, step, self.round, seat, kind, source, amount, *met, pile)
        self.events.append(event)
        self.listener.event(self, event)

    # Cards

    def known(self, number: int, clause: str) -> Card:
        """The card of that position in the file."""
        self.tape.require(0 <= number < len(self.cards), clause, f"there is no card {number}")
        return self.cards[number]

    def take_from_hand(self, player: Player, number: int, clause: str) -> Card:
        """Take a card out of a hand; refused unless it is there."""
        card = self.known(number, clause)
        self.tape.require(card in player.hand, clause, f"{card.id} isn't in the hand of seat {player.seat}")
        player.hand.remove(card)
        return card

    def put_on_pile(self, card: Card, pile: int, clause: str) -> None:
        """Put a card face up on any pile, an emptied one included (LU-9, LU-10, l20)."""
        self.tape.require(0 <= pile < len(self.piles), clause, f"there is no pile {pile}")
        self.piles[pile].append(card)

    # What could be placed and paid

    def brings(self, card: Card) -> Triple:
        """The temporary resources of a hand card when it is discarded (LU-9)."""
        blue, green, red = (self.rules.temporary_factor * each for each in card.centre)
        return blue, green, red

    def could_place(self, player: Player, card: Card) -> bool:
        """Whether a hand card could be placed and paid now.

        All other hand cards together bring the most; those among them that bring nothing missing are left
        out without loss, so that this is exact.
        """
        most = total([self.brings(each) for each in player.hand if each != card])
        columns = player.cathedral.columns_for(card, self.rules.any_lower)
        lacking = [self.missing(player, card, column) for column in columns]
        return any(all(each[colour] <= most[colour] for colour in Colour) for each in lacking)

    def could_take(self, player: Player, spire: Card) -> bool:
        """Whether a spire could be placed and paid now, without a discard (LU-12)."""
        columns = player.cathedral.columns_for(spire, self.rules.any_lower)
        return any(self.missing(player, spire, column) == NONE for column in columns)

    def could_place_bonus(self, player: Player) -> bool:
        """Whether the top bonus card could be placed and paid now, by permanent resources alone (LU-13)."""
        if not self.bonus:
            return False
        card = self.bonus[0]
        paid = bill(card.cost, NONE, player.cathedral.permanent).missing == NONE
        return paid and bool(player.cathedral.columns_for(card, self.rules.any_lower))

    def missing(self, player: Player, card: Card, column: int) -> Triple:
        """What local and permanent resources leave unpaid of a card on a column."""
        cathedral = player.cathedral
        return bill(card.cost, cathedral.local(column), cathedral.permanent).missing


def source_of(card: Card) -> str:
    """The source of a card."""
    return f"spire.{card.id}" if card.level == Level.SPIRE else f"card.{card.id}"
