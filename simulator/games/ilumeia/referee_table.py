"""What lies on the table for the referee: cards, dice, markers, the tape being read, the events so far.

Everything is a plain object or a list. Star cards, prophecies and providence cards are their position in
their file, as on the tape.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from simulator.games.ilumeia.measure import measure
from simulator.games.ilumeia.model import (
    Action,
    Die,
    Kind,
    Part,
    Planet,
    StepReward,
    Tape,
    Trigger,
    Verb,
)
from simulator.tape import TapeReader

if TYPE_CHECKING:
    from simulator.games.ilumeia.cards import CardSet, Effect, Prophecy

NOBODY: Final = -1
"""The seat of what concerns no seat; as a slot of the display, the draw pile."""


class NoCards(Exception):
    """A card must be taken and none is left: the game ends at once (IL-34)."""


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


@dataclass(frozen=True)
class Holding:
    """A prophecy's effect in a deity's possession; a copy pays with the card that made it."""

    prophecy: int
    paying: int

    @property
    def copied(self) -> bool:
        """Whether this is a copy of another deity's ability."""
        return self.prophecy != self.paying


@dataclass
class Deity:
    """All that one seat owns."""

    seat: int
    own: int
    """Own dice in "available"; the grey die is the table's."""
    supply: int
    used: int = 0
    energy: int = 0
    """Dice that its own actions moved from "available" to "used" so far."""
    vp: int = 0
    exhausted: bool = False
    hand: list[int] = field(default_factory=list)
    pile: list[int] = field(default_factory=list)
    vvibon: int = 0
    amp_r: int = 0
    record: int = 0
    won: list[int] = field(default_factory=list)
    """Prophecies won, face up or not, in the order won."""
    abilities: list[Holding] = field(default_factory=list)
    one_time: list[Holding] = field(default_factory=list)
    """Those not used up."""
    finals: list[Holding] = field(default_factory=list)
    primos: list[int] = field(default_factory=list)
    """Fields claimed."""
    bneph: list[int] = field(default_factory=list)
    providence: list[int] = field(default_factory=list)
    """The two cards dealt, then the one kept."""
    providence_vp: int | None = None
    """What the card kept is worth, None before the decision."""
    largest: int = 0
    parts: Counter[Part] = field(default_factory=Counter)
    did: Counter[Action] = field(default_factory=Counter)


class Listener:
    """Hears what happens at the table, for the narrator; the events come through `event`."""

    def game_began(self, table: Table) -> None: ...
    def age_began(self, table: Table) -> None: ...
    def took(self, table: Table, seat: int, cards: Sequence[int], origin: str) -> None: ...
    def discarded(self, table: Table, seat: int, cards: Sequence[int], reason: str) -> None: ...
    def renewed(self, table: Table, seat: int) -> None: ...
    def providence_kept(self, table: Table, seat: int, card: int) -> None: ...
    def turn_began(self, table: Table, seat: int, energy: bool) -> None: ...
    def acted(self, table: Table, seat: int, action: Action, die: Die) -> None: ...
    def created(self, table: Table, seat: int, row: Sequence[str], metrics: Mapping[str, float]) -> None: ...
    def claimed(self, table: Table, seat: int, die: Die) -> None: ...
    def played(self, table: Table, seat: int, prophecy: int) -> None: ...
    def event(self, table: Table, event: Event) -> None: ...
    def exhausted(self, table: Table, seat: int, kept: Sequence[int]) -> None: ...
    def turn_ended(self, table: Table, seat: int) -> None: ...
    def final_scoring(self, table: Table) -> None: ...


class Table:
    """The state of one game, and the moves of cards, dice and points that every phase shares."""

    def __init__(self, card_set: CardSet, players: int, tape: Sequence[int], listener: Listener | None):
        self.card_set = card_set
        self.rules = card_set.rules
        self.tape = TapeReader(tape, Tape)
        self.listener = listener or Listener()
        self.players = players
        self.star_cards = card_set.star_cards
        self.card_ids = list(self.star_cards)
        self.prophecies: tuple[Prophecy, ...] = card_set.prophecies
        self.deities = [Deity(seat, self.rules.energy_start, self.rules.supply) for seat in range(players)]
        self.draw_pile: list[int] = []
        """The last card is the top."""
        self.discards: list[int] = []
        self.display: list[int | None] = []
        """By slot; None where the refill found no card (r14)."""
        self.stacks: dict[Planet, list[int]] = {}
        """Top first."""
        self.face_up: dict[Planet, int] = {}
        """The prophecy that can be won on each planet; none once it is won (IL-50)."""
        self.grey_owner: int | None = None
        self.grey_available = False
        self.grey_claimed = False
        """The grey die lies on a claim until the end (r4)."""
        self.age = 1
        self.first = 0
        """The holder of #1."""
        self.firsts: list[int] = []
        """The holder of #1 in each age that began."""
        self.turn = 0
        self.events: list[Event] = []
        self.reached: set[tuple[int, str]] = set()
        """(seat, source) marked reachable."""
        self.relaxed_bneph = 0
        self.action_free = False
        self.pass_barred = False
        """Whether this turn saw an exchange or any renewal, which bars passing (r3, g26)."""
        self.free_actions_done: set[Action] = set()
        self.before_action = False
        self.turn_has_energy = False
        self.constellation_lies = False
        """Its scoring is finished even when cards run out (g37)."""
        self.cards_ran_out = False
        self._step = (0, 0)
        self._measured: dict[tuple[str, ...], dict[str, float]] = {}

    # Seats

    def clockwise(self, first: int) -> list[Deity]:
        """All deities, clockwise from that seat."""
        return [self.deities[(first + place) % self.players] for place in range(self.players)]

    def others(self, seat: int) -> list[Deity]:
        """All deities but that one, clockwise from it."""
        return self.clockwise(seat)[1:]

    # What steps and abilities have changed for a deity; each derived from what it holds

    def effect(self, holding: Holding) -> Effect:
        """The effect of a card that has one."""
        effect = self.prophecies[holding.prophecy].effect
        assert effect is not None, "only cards with an effect are held"
        return effect

    def lasting(self, deity: Deity, verb: Verb) -> int:
        """The sum of a deity's lasting abilities of that verb."""
        effects = [self.effect(holding) for holding in deity.abilities]
        return sum(each.amount for each in effects if each.trigger == Trigger.ALWAYS and each.verb == verb)

    def step_rewards(self, deity: Deity, reward: StepReward) -> int:
        """How many steps with that reward a deity has taken on Vvibon (IL-46)."""
        return sum(self.step_reward(step) == reward for step in range(deity.vvibon))

    def step_reward(self, step: int) -> StepReward:
        """What the step from `step` to the next one gives on Vvibon."""
        return StepReward[self.rules.vvibon_rewards[step].upper()]

    def hand_limit(self, deity: Deity) -> int:
        """IL-39: 10, 11 after Vvibon's step, and what abilities add."""
        steps = self.step_rewards(deity, StepReward.LIMIT)
        return (
            self.rules.hand_limit + steps * self.rules.hand_limit_bonus + self.lasting(deity, Verb.HAND_LIMIT)
        )

    def keep(self, deity: Deity) -> int:
        """IL-37: how many cards may be kept at exhaustion."""
        steps = self.step_rewards(deity, StepReward.KEEP)
        return steps * self.rules.keep_per_step + self.lasting(deity, Verb.KEEP)

    # Measures

    def metrics(self, row: Sequence[str]) -> dict[str, float]:
        """The metrics of a row of ids as they lie, by name."""
        key = tuple(row)
        if key not in self._measured:
            found = measure(self.star_cards, row, allow_even_axis=self.rules.allow_even_axis)
            self._measured[key] = {
                name: float(value) for name, value in found.items() if isinstance(value, int | float)
            }
        return self._measured[key]

    def card_metrics(self, card: int) -> dict[str, float]:
        """The metrics of a single card."""
        return self.metrics([self.card_ids[card]])

    # Events and points

    def event(self, seat: int, kind: Kind, source: str, amount: int = 0) -> None:
        """Note an event of the present turn."""
        turn, step = self._step
        step = step if turn == self.turn else 0
        event = Event(self.turn, step, self.age, seat, kind, source, amount)
        self._step = (self.turn, step + 1)
        self.events.append(event)
        self.listener.event(self, event)

    def mark_reachable(self, deity: Deity, source: str) -> None:
        """Note that a source is reachable for a deity, once."""
        if (deity.seat, source) not in self.reached:
            self.reached.add((deity.seat, source))
            self.event(deity.seat, Kind.REACHABLE, source)

    def pay(self, deity: Deity, source: str, amount: int) -> None:
        """Pay a deity 0 or more VP."""
        self.mark_reachable(deity, source)
        self._move_vp(deity, source, amount)

    def lose(self, deity: Deity, source: str, amount: int) -> int:
        """Take VP from a deity, never below 0 (r10, g44): what it really lost."""
        lost = min(amount, deity.vp)
        if lost > 0:
            self._move_vp(deity, source, -lost)
        return lost

    def _move_vp(self, deity: Deity, source: str, amount: int) -> None:
        deity.vp += amount
        if amount:
            deity.parts[self.part(source)] += amount
        self.event(deity.seat, Kind.PAID, source, amount)

    def part(self, source: str) -> Part:
        """The part of the score that a source counts to."""
        group, _, name = source.partition(".")
        if group == "prophecy":
            planet = next(prophecy.planet for prophecy in self.prophecies if prophecy.id == name)
            return Part[planet.name]
        return Part[group.upper()]

    def prophecy_source(self, prophecy: int) -> str:
        """The source of a prophecy card."""
        return f"prophecy.{self.prophecies[prophecy].id}"

    def providence_source(self, card: int) -> str:
        """The source of a providence card."""
        return f"providence.{self.card_set.providence[card].id}"

    def primos_source(self, place: int) -> str:
        """The source of a field of Primos."""
        return f"primos.{'_'.join(map(str, self.rules.primos_fields[place]))}"

    def bneph_source(self, place: int) -> str:
        """The source of a field of B'neph."""
        return f"bneph.{self.rules.bneph_metrics[place]}"

    # Dice

    def has_grey(self, deity: Deity) -> bool:
        """Whether the grey die lies available at this deity."""
        return self.grey_owner == deity.seat and self.grey_available

    def has_energy(self, deity: Deity) -> bool:
        """Whether a deity has a die, own or grey, in "available"."""
        return deity.own > 0 or self.has_grey(deity)

    def take_grey(self, deity: Deity) -> None:
        """IL-44, r4: the grey die comes to a deity as available, unless it lies on a claim."""
        if not self.grey_claimed:
            self.grey_owner, self.grey_available = deity.seat, True

    def gain_dice(self, deity: Deity, count: int) -> None:
        """Up to `count` dice from the supply to "available" (g16)."""
        gained = min(count, deity.supply)
        deity.supply -= gained
        deity.own += gained

    # Star cards

    def top_card(self) -> int | None:
        """The top of the draw pile, the discards shuffled into a new one if need be; None without any."""
        if self.cards_ran_out:
            return None
        if not self.draw_pile:
            if not self.discards:
                return None
            shuffled = self.tape.read(Tape.SHUFFLE, NOBODY, "IL-34", "the pile is empty, a card is needed")
            self.tape.require(
                Counter(shuffled) == Counter(self.discards),
                "IL-34",
                "the new draw pile isn't the discards, each once",
            )
            self.draw_pile, self.discards = list(shuffled), []
        return self.draw_pile.pop()

    def draw(self, deity: Deity, count: int) -> None:
        """Draw into the hand; with too few cards the game ends (IL-34), after a scoring that goes on."""
        drawn: list[int] = []
        while len(drawn) < count and (card := self.top_card()) is not None:
            drawn.append(card)
        deity.hand += drawn
        if drawn:
            self.listener.took(self, deity.seat, drawn, "the pile")
        if len(drawn) < count:
            self.cards_ran_out = True
            if not self.constellation_lies:
                raise NoCards

    def fill_display(self) -> None:
        """Lay a card into each empty slot while there are any (r14)."""
        for slot, card in enumerate(self.display):
            if card is None:
                self.display[slot] = self.top_card()

    def lay_out_display(self) -> None:
        """Lay out a whole new display."""
        self.display = [None] * self.rules.display
        self.fill_display()

    def clear_display(self) -> None:
        """The whole display to the discards."""
        self.discards += [card for card in self.display if card is not None]
        self.display = [None] * self.rules.display

    def take_from_display(self, deity: Deity, slot: int, clause: str) -> None:
        """Take a card from the display into the hand; the slot is refilled at once (g36)."""
        card = self.display[slot] if 0 <= slot < len(self.display) else None
        if card is None:
            self.tape.refuse(clause, f"slot {slot} of the display holds no card")
        deity.hand.append(card)
        self.listener.took(self, deity.seat, [card], "the display")
        self.display[slot] = self.top_card()

    def take_one(self, deity: Deity, slot: int, clause: str) -> None:
        """Take one card from the display, or the top of the pile if `slot` is -1."""
        if slot == NOBODY:
            self.draw(deity, 1)
        else:
            self.take_from_display(deity, slot, clause)

    def cards_leave_hand(self, deity: Deity, cards: Sequence[int], clause: str) -> None:
        """Take cards out of a hand; refused unless each is there."""
        for card in cards:
            if card not in deity.hand:
                self.tape.refuse(clause, f"{self.named(card)} isn't in the hand of seat {deity.seat}")
            deity.hand.remove(card)

    def discard(self, deity: Deity, cards: Sequence[int], clause: str, reason: str) -> None:
        """Hand cards to the discards."""
        self.cards_leave_hand(deity, cards, clause)
        self.discards += cards
        if cards:
            self.listener.discarded(self, deity.seat, cards, reason)

    def discard_down(self, deity: Deity, count: int, clause: str, reason: str) -> None:
        """The deity discards exactly `count` cards of its choice."""
        if count <= 0:
            return
        need = f"seat {deity.seat} must discard {count} for {reason}"
        cards = self.tape.read(Tape.DISCARD, deity.seat, clause, need)
        self.tape.require(len(cards) == count, clause, f"{need}, not {len(cards)}")
        self.discard(deity, cards, clause, reason)

    def check_limit(self, deity: Deity) -> None:
        """IL-39, g43: after a complete receipt, discard down to the limit."""
        if not self.cards_ran_out:
            self.discard_down(deity, len(deity.hand) - self.hand_limit(deity), "IL-39", "the hand limit")

    def named(self, card: int) -> str:
        """A star card in words."""
        return f"card {self.card_ids[card]}" if 0 <= card < len(self.card_ids) else f"card number {card}"
