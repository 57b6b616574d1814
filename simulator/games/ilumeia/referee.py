"""The referee: replays a game's recorded deals and decisions by the rulebook, and refuses an illegal one.

An independent plain reading of the rules, in the order of a game: set-up, preparation, turns, cleanup,
final scoring. The clauses are those of RULES.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.games.ilumeia.model import (
    Action,
    Die,
    Ending,
    Kind,
    Part,
    Planet,
    Tape,
    Trigger,
    Verb,
)
from simulator.games.ilumeia.referee_effects import carry_out, trigger_own
from simulator.games.ilumeia.referee_planets import bneph_claimed
from simulator.games.ilumeia.referee_reachable import mark_reachable_sources
from simulator.games.ilumeia.referee_scoring import create
from simulator.games.ilumeia.referee_table import (
    NOBODY,
    Deity,
    Event,
    Listener,
    NoCards,
    Table,
)
from simulator.games.ilumeia.referee_windows import window
from simulator.tape import IllegalDecision

if TYPE_CHECKING:
    from simulator.games.ilumeia.cards import CardSet

__all__ = ["Event", "IllegalDecision", "Listener", "Outcome", "SeatOutcome", "replay"]


@dataclass(frozen=True)
class SeatOutcome:
    """What a game came to for one seat."""

    score: int
    rank: int
    win_share: float
    parts: dict[Part, int]
    """They add up to the score."""
    did: dict[Action, int]
    vvibon: int
    amp_r: int
    pile: int
    """Cards in the own pile."""
    largest: int
    """Cards of the longest constellation, 0 without one."""
    energy: int
    """Dice, the grey one among them, that its actions and passes used up."""


@dataclass(frozen=True)
class Outcome:
    """What a game came to."""

    events: tuple[Event, ...]
    rounds: int
    turns: int
    ending: Ending
    winners: int
    winner_seats: tuple[int, ...]
    top_score: int
    margin: int
    tied_on_points: int
    tie_stage: int
    lead_changes: int
    seats: tuple[SeatOutcome, ...]
    table: Table
    """Everything as it lies at the end."""


def replay(card_set: CardSet, players: int, tape: Sequence[int], listener: Listener | None = None) -> Outcome:
    """The outcome of a recorded game; raises IllegalDecision at the first record that breaks a rule."""
    return oversee(Table(card_set, players, tape, listener))


def oversee(table: Table) -> Outcome:
    """The outcome of the game whose decisions come from `table.tape`, from set-up to final scoring."""
    lead = Lead()
    ending = Ending.AGES
    set_up(table)
    try:
        for age in range(1, table.rules.ages + 1):
            prepare(table)
            play_age(table, lead)
            if age < table.rules.ages:
                clean_up(table)
    except NoCards:
        ending = Ending.NO_CARDS
    score_finally(table)
    lead.look(table)
    table.tape.end()
    return outcome(table, ending, lead.changes)


class Lead:
    """Who has the most VP alone, and how often that changed (r11)."""

    def __init__(self) -> None:
        self.seat: int | None = None
        self.changes = 0

    def look(self, table: Table) -> None:
        """Note who leads now."""
        top = max(deity.vp for deity in table.deities)
        leaders = [deity.seat for deity in table.deities if deity.vp == top]
        if len(leaders) == 1 and leaders[0] != self.seat:
            self.changes += self.seat is not None
            self.seat = leaders[0]


# Set-up


def set_up(table: Table) -> None:
    """IL-2 to IL-6: stacks, providence, the draw pile; what the whole game offers."""
    tape, rules = table.tape, table.rules
    for planet in Planet:
        stack = tape.read(Tape.STACK, planet, "IL-2", f"the stack of {planet.name}")
        tape.require(len(stack) == rules.ages, "IL-2", f"a stack has {rules.ages} prophecies, one an age")
        tape.require(len(set(stack)) == len(stack), "IL-2", "a prophecy lies twice in a stack")
        for number in stack:
            tape.require(0 <= number < len(table.prophecies), "IL-2", f"there is no prophecy {number}")
            check_stack(table, planet, number)
        table.stacks[planet] = list(stack)
    dealt = [number for stack in table.stacks.values() for number in stack]
    tape.require(len(set(dealt)) == len(dealt), "IL-2", "a prophecy lies in two stacks (g48)")
    if rules.providence:
        deal_providence(table)
    pile = tape.read(Tape.SHUFFLE, NOBODY, "IL-6", "the star cards are shuffled")
    tape.require(
        sorted(pile) == list(range(len(table.card_ids))), "IL-6", "the pile isn't all cards, each once"
    )
    table.draw_pile = list(pile)
    table.listener.game_began(table)

    primos = [table.primos_source(place) for place in range(len(rules.primos_fields))]
    bneph = [table.bneph_source(place) for place in range(len(rules.bneph_metrics))]
    compensation = ["compensation"] if table.players == 3 else []
    for source in ["vvibon", "amp_r", "suzur", "lotzzz", *primos, *bneph, *compensation]:
        table.event(NOBODY, Kind.OFFERED, source)
    for deity in table.deities:
        for card in deity.providence:
            table.event(deity.seat, Kind.OFFERED, table.providence_source(card))


def check_stack(table: Table, planet: Planet, number: int) -> None:
    """Refuse a prophecy that can't be in the stack of that planet (IL-2, g48)."""
    prophecy, rules = table.prophecies[number], table.rules
    if rules.exchanged_planet == planet.name.lower():
        foreign = prophecy.planet != planet
        table.tape.require(foreign, "IL-2", f"{prophecy.name} is of {planet.name}, whose stack is exchanged")
        return
    table.tape.require(prophecy.planet == planet, "IL-2", f"{prophecy.name} isn't of {planet.name}")
    fits = prophecy.dot or not rules.first_game
    table.tape.require(fits, "IL-2", f"{prophecy.name} has no dot, which a first game asks for")


def deal_providence(table: Table) -> None:
    """IL-5: two providence cards to each deity."""
    dealt: set[int] = set()
    for deity in table.deities:
        cards = table.tape.read(Tape.PROVIDENCE_DEAL, deity.seat, "IL-5", "two providence cards are dealt")
        known = len(cards) == 2 and all(0 <= card < len(table.card_set.providence) for card in cards)
        table.tape.require(known, "IL-5", "this isn't two providence cards")
        for card in cards:
            table.tape.require(card not in dealt, "IL-5", "a providence card is dealt twice")
            dealt.add(card)
        deity.providence = list(cards)


# Preparation


def prepare(table: Table) -> None:
    """IL-29: display, prophecies, star cards, `prepare` abilities, providence."""
    tape, rules = table.tape, table.rules
    table.firsts.append(table.first)
    seats = table.clockwise(table.first)
    table.lay_out_display()
    for planet in Planet:
        table.face_up[planet] = table.stacks[planet].pop(0)
    table.listener.age_began(table)
    for planet in Planet:
        table.event(NOBODY, Kind.OFFERED, table.prophecy_source(table.face_up[planet]))
    for deity in seats:
        table.draw(deity, rules.deal + table.lasting(deity, Verb.DEAL_BONUS))
        table.check_limit(deity)
    for deity in seats:
        count = min(rules.prepare_discard, len(deity.hand))
        need = f"seat {deity.seat} must discard {count} in the preparation"
        cards = tape.read(Tape.PREPARE_DISCARD, deity.seat, "IL-29", need)
        tape.require(len(cards) == count, "IL-29", f"{need}, not {len(cards)}")
        table.discard(deity, cards, "IL-29", "the preparation")
    for deity in seats:
        slot = tape.read(Tape.PREPARE_TAKE, deity.seat, "IL-29", "one card is taken in the preparation")
        tape.require(len(slot) == 1, "IL-29", "one slot is needed, or -1 for the pile")
        table.take_one(deity, slot[0], "IL-29")
        table.check_limit(deity)
    for deity in seats:
        trigger_own(table, deity, Trigger.PREPARE)
    if rules.providence:
        for deity in seats:
            decide_providence(table, deity)


def decide_providence(table: Table, deity: Deity) -> None:
    """IL-23: one of the two cards may be kept, in the last age it must."""
    tape = table.tape
    due = deity.providence_vp is None and table.age == table.rules.ages
    if not due and not tape.comes(Tape.PROVIDENCE, deity.seat):
        return
    kept = tape.read(Tape.PROVIDENCE, deity.seat, "IL-23", "a providence card must be kept in the last age")
    tape.require(deity.providence_vp is None, "IL-23", f"seat {deity.seat} has decided before")
    known = len(kept) == 1 and kept[0] in deity.providence
    tape.require(known, "IL-23", f"this isn't one of the providence cards of seat {deity.seat}")
    other = next(card for card in deity.providence if card != kept[0])
    deity.providence = list(kept)
    deity.providence_vp = table.rules.providence_vp[table.age - 1]
    table.listener.providence_kept(table, deity.seat, kept[0])
    table.event(deity.seat, Kind.LAPSED, table.providence_source(other))


# Turns


def play_age(table: Table, lead: Lead) -> None:
    """IL-28, IL-36: rounds from the #1 holder until all are exhausted."""
    seats = table.clockwise(table.first)
    for deity in seats:
        deity.exhausted = False
    for deity in seats:
        if not table.has_energy(deity):  # r1, g38
            exhaust(table, deity)
    while not all(deity.exhausted for deity in seats):
        for deity in seats:
            try:
                take_turn(table, deity)
            finally:
                table.turn += 1
                lead.look(table)
                table.listener.turn_ended(table, deity.seat)


def take_turn(table: Table, deity: Deity) -> None:
    """One turn of a deity, with energy or without."""
    table.relaxed_bneph = 0
    table.action_free = table.pass_barred = False
    table.free_actions_done = set()
    if not deity.exhausted and not table.has_energy(deity):  # r2, g39
        exhaust(table, deity)
    table.turn_has_energy = not deity.exhausted
    table.listener.turn_began(table, deity.seat, table.turn_has_energy)
    if not table.turn_has_energy:
        idle(table, deity)
        return
    mark_reachable_sources(table, deity)
    table.before_action = True
    window(table, deity)
    table.before_action = False
    act(table, deity)
    if not deity.exhausted and not table.has_energy(deity):
        exhaust(table, deity)


def idle(table: Table, deity: Deity) -> None:
    """IL-38: a turn without energy takes one card of the pile.

    A record IDLE may stand for it. Without one a card that its neighbour plays afterwards reads as played
    before it, in the window after the neighbour's last action.
    """
    window(table, deity)
    if table.tape.comes(Tape.ACTION, deity.seat):
        values = table.tape.read(Tape.ACTION, deity.seat, "IL-38", "a turn without energy")
        table.tape.require(values == (Action.IDLE,), "IL-38", "a turn without energy has no action")
    deity.did[Action.IDLE] += 1
    table.draw(deity, 1 + table.lasting(deity, Verb.IDLE_BONUS))
    table.check_limit(deity)


def act(table: Table, deity: Deity) -> None:
    """IL-30: the one action of a turn with energy, and the window after it unless it is a pass."""
    tape = table.tape
    values = tape.read(Tape.ACTION, deity.seat, "IL-30", "a turn with energy has one action")
    tape.require(len(values) >= 2, "IL-30", "an action names itself and the die that pays it")
    action, die, details = values[0], values[1], values[2:]
    if action == Action.PASS:
        tape.require(not details and die == Die.OWN, "IL-32", "a pass is recorded with an own die alone")
        pass_turn(table, deity)
        return
    known = action in (Action.DRAW, Action.TAKE, Action.CREATE)
    tape.require(known, "IL-30", f"{action} is no action of a turn")
    pay_action(table, deity, die)
    deity.did[Action(action)] += 1
    table.listener.acted(table, deity.seat, Action(action), Die(die))
    if action == Action.DRAW:
        tape.require(not details, "IL-30", "drawing from the pile has no choice")
        table.draw(deity, table.rules.draw + table.lasting(deity, Verb.DRAW_BONUS))
        table.check_limit(deity)
    elif action == Action.TAKE:
        tape.require(len(details) == 1, "IL-30", "one slot of the display is needed")
        table.take_from_display(deity, details[0], "IL-30")
        table.draw(deity, table.lasting(deity, Verb.DISPLAY_BONUS))
        table.check_limit(deity)
    else:
        create(table, deity, details)
    window(table, deity)


def pay_action(table: Table, deity: Deity, die: int) -> None:
    """One available die to used, the payer's choice which (g35); none after `free_action`."""
    require = table.tape.require
    require(die in (Die.OWN, Die.GREY, Die.FREE), "IL-30", f"an action isn't paid with die {die}")
    if table.action_free:
        require(die == Die.FREE, "IL-30", "this action is free and costs no die")
        table.action_free = False
    elif die == Die.OWN:
        require(deity.own > 0, "IL-30", "no own die lies in available")
        deity.own -= 1
        deity.used += 1
        deity.energy += 1
    elif die == Die.GREY:
        require(table.has_grey(deity), "IL-30", "the grey die isn't available here")
        table.grey_available = False
        deity.energy += 1
    else:
        table.tape.refuse("IL-30", "this action isn't free")


def pass_turn(table: Table, deity: Deity) -> None:
    """IL-32: all dice to used, then exhaustion."""
    tape = table.tape
    tape.require(not table.pass_barred, "IL-32", "no pass in a turn with an exchange or a renewal (r3)")
    deity.did[Action.PASS] += 1
    deity.energy += deity.own
    deity.used += deity.own
    deity.own = 0
    if table.has_grey(deity):
        table.grey_available = False
        deity.energy += 1
    table.listener.acted(table, deity.seat, Action.PASS, Die.OWN)
    for kind in (Tape.EXCHANGE, Tape.RENEW):
        if tape.comes(kind, deity.seat):
            tape.read(kind, deity.seat, "IL-32", "")
            tape.refuse("IL-32", "a pass allows no exchange and no renewal")
    exhaust(table, deity)


def exhaust(table: Table, deity: Deity) -> None:
    """IL-37: exhausted until the age ends; all hand cards but the kept ones are discarded (r16)."""
    deity.exhausted = True
    count = min(len(deity.hand), table.keep(deity))
    kept: tuple[int, ...] = ()
    if count > 0:
        need = f"seat {deity.seat} keeps at most {count} at exhaustion"
        kept = table.tape.read(Tape.KEEP, deity.seat, "IL-37", need)
        table.tape.require(len(kept) <= count, "IL-37", f"{need}, not {len(kept)}")
    table.cards_leave_hand(deity, kept, "IL-37")
    table.discards += deity.hand
    deity.hand = list(kept)
    table.listener.exhausted(table, deity.seat, kept)
    trigger_own(table, deity, Trigger.EXHAUSTED)


# The end of an age and of the game


def clean_up(table: Table) -> None:
    """IL-40: between two ages."""
    table.clear_display()
    lapse_prophecies(table)
    for deity in table.deities:
        deity.record = 0
        deity.own += deity.used
        deity.used = 0
    table.grey_available = table.grey_owner is not None
    table.age += 1
    table.first = (table.first + 1) % table.players


def lapse_prophecies(table: Table) -> None:
    """The prophecies that nobody won leave the game."""
    for planet in Planet:
        if planet in table.face_up:
            table.event(NOBODY, Kind.LAPSED, table.prophecy_source(table.face_up.pop(planet)))


def score_finally(table: Table) -> None:
    """IL-41: before-final effects, final cards, compensation, providence."""
    lapse_prophecies(table)
    table.listener.final_scoring(table)
    table.cards_ran_out = table.constellation_lies = False
    seats = table.clockwise(table.first)
    for trigger in (Trigger.BEFORE_FINAL, Trigger.FINAL):
        for deity in seats:
            for holding in deity.finals:
                if table.effect(holding).trigger == trigger:
                    carry_out(table, deity, holding)
    if table.players == 3 and max(table.firsts.count(deity.seat) for deity in seats) == 2:
        for deity in seats:
            if table.firsts.count(deity.seat) == 1:
                table.pay(deity, "compensation", table.rules.compensation)
    for deity in seats:
        score_providence(table, deity)
    for place in range(len(table.rules.bneph_metrics)):
        if not bneph_claimed(table, place):
            table.event(NOBODY, Kind.LAPSED, table.bneph_source(place))


def score_providence(table: Table, deity: Deity) -> None:
    """IL-24: the kept card's VP if enough cards of the own pile fulfil it."""
    for card in deity.providence:
        providence = table.card_set.providence[card]
        fulfilling = sum(bool(providence.cards.value(table.card_metrics(each))) for each in deity.pile)
        if deity.providence_vp is not None and fulfilling >= providence.at_least:
            table.pay(deity, table.providence_source(card), deity.providence_vp)
        else:
            table.event(deity.seat, Kind.LAPSED, table.providence_source(card))


def outcome(table: Table, ending: Ending, lead_changes: int) -> Outcome:
    """IL-42: ranks and winners of the finished game."""

    def standing(deity: Deity) -> tuple[int, int]:
        return deity.vp, len(deity.pile) if table.rules.tie_break == "cards" else 0

    ranks = [1 + sum(standing(other) > standing(deity) for other in table.deities) for deity in table.deities]
    winners = tuple(seat for seat, rank in enumerate(ranks) if rank == 1)
    scores = sorted((deity.vp for deity in table.deities), reverse=True)
    tied = scores.count(scores[0])
    return Outcome(
        events=tuple(table.events),
        rounds=table.age,
        turns=table.turn,
        ending=ending,
        winners=len(winners),
        winner_seats=winners,
        top_score=scores[0],
        margin=scores[0] - scores[1],
        tied_on_points=tied,
        tie_stage=0 if tied == 1 else 1 if len(winners) == 1 else -1,
        lead_changes=lead_changes,
        seats=tuple(
            SeatOutcome(
                score=deity.vp,
                rank=ranks[deity.seat],
                win_share=1 / len(winners) if ranks[deity.seat] == 1 else 0.0,
                parts={part: deity.parts[part] for part in Part},
                did={action: deity.did[action] for action in Action},
                vvibon=deity.vvibon,
                amp_r=deity.amp_r,
                pile=len(deity.pile),
                largest=deity.largest,
                energy=deity.energy,
            )
            for deity in table.deities
        ),
        table=table,
    )
