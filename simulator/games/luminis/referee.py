"""The referee: replays a game's recorded deals and decisions by the rulebook, and refuses an illegal one.

An independent plain reading of the rules, in the order of a game: set-up, turns, the end. The clauses are
those of RULES.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.games.luminis.model import Action, Ending, Kind, Level, Part, Tape
from simulator.games.luminis.referee_table import (
    NOBODY,
    NONE,
    Bill,
    Event,
    Listener,
    Player,
    Table,
    bill,
    source_of,
)
from simulator.tape import IllegalDecision

if TYPE_CHECKING:
    from simulator.games.luminis.cards import Card, CardSet

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
    level: int
    """The highest level of the cathedral, 0 without a card."""
    placed: int
    """Cards of the cathedral."""
    income: int
    """Permanent resources of all colours at the end."""
    hand: int
    """Cards in hand at the end."""
    dead_opening: int
    """1: at the start of its first turn no card of its hand could be placed and paid."""


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
    """The outcome of the game whose decisions come from `table.tape`, from set-up to the end."""
    lay_out(table)
    take_opening_cards(table)
    return play_out(table)


def play_out(table: Table) -> Outcome:
    """The outcome of the game that goes on from what lies on the table."""
    ending = play_turns(table)
    for spire in table.shown:
        table.event(NOBODY, Kind.LAPSED, source_of(spire))
    table.tape.end()
    return outcome(table, ending)


# Set-up


def lay_out(table: Table) -> None:
    """LU-3, LU-13: the spires shown, the piles, the bonus stack."""
    tape, rules, players = table.tape, table.rules, len(table.players)
    spires = {number for number, card in enumerate(table.cards) if card.level == Level.SPIRE}
    bonus = {number for number, card in enumerate(table.cards) if card.bonus} if rules.advanced else set()

    shown = tape.read(Tape.SPIRES, NOBODY, "LU-3", "spires are shown")
    wanted = rules.spires_shown[players - 2]
    tape.require(len(shown) == wanted, "LU-3", f"{wanted} spires are shown, not {len(shown)}")
    for number in shown:
        tape.require(number in spires, "LU-3", f"there is no spire {number}")
    tape.require(len(set(shown)) == len(shown), "LU-3", "a spire is shown twice")
    table.shown = [table.cards[number] for number in shown]

    table.bonus = sorted((table.cards[number] for number in sorted(bonus)), key=lambda card: card.level)

    left = set(range(len(table.cards))) - spires - bonus
    count = rules.piles[players - 2]
    sizes = [len(left) // count + (pile < len(left) % count) for pile in range(count)]
    for pile, size in enumerate(sizes):
        numbers = tape.read(Tape.PILE, pile, "LU-3", f"pile {pile} is laid out")
        tape.require(len(numbers) == size, "LU-3", f"pile {pile} has {size} cards, not {len(numbers)} (l17)")
        for number in numbers:
            known = f"card {number} belongs into no pile, or lies in one already"
            tape.require(number in left, "LU-3", known)
            left.remove(number)
        table.piles.append([table.cards[number] for number in numbers])
    table.listener.game_began(table)


def take_opening_cards(table: Table) -> None:
    """LU-4: each seat takes its Level I cards from the top of one pile or more; each is shuffled then."""
    for spire in table.shown:
        table.event(NOBODY, Kind.OFFERED, source_of(spire))
    untouched = set(range(len(table.piles)))
    for player in table.players:
        due = table.rules.start_cards[player.seat]
        while len(player.hand) < due and (rich := piles_with_level_i(table)):
            pile = choose_pile(table, player, rich, untouched)
            untouched.discard(pile)
            while len(player.hand) < due and pile in piles_with_level_i(table):
                card = next(each for each in reversed(table.piles[pile]) if each.level == Level.I)
                table.piles[pile].remove(card)
                player.hand.append(card)
                table.event(player.seat, Kind.DEALT, source_of(card), pile=pile)
            shuffle(table, pile)


def piles_with_level_i(table: Table) -> set[int]:
    """The piles in which a Level I card is left."""
    return {number for number, pile in enumerate(table.piles) if any(card.level == Level.I for card in pile)}


def choose_pile(table: Table, player: Player, rich: set[int], untouched: set[int]) -> int:
    """The pile from which a seat takes its opening cards, or goes on taking (l14, l17, r1)."""
    tape, seat = table.tape, player.seat
    values = tape.read(Tape.OPENING, seat, "LU-4", f"seat {seat} takes opening cards")
    tape.require(len(values) == 1, "LU-4", "one pile is needed")
    pile = values[0]
    tape.require(pile in rich, "LU-4", f"pile {pile} isn't one with a Level I card left")
    fresh = rich & untouched
    wanted = ", ".join(map(str, sorted(fresh)))
    tape.require(not fresh or pile in fresh, "LU-4", f"nobody has taken from pile {wanted} yet (r1)")
    return pile


def shuffle(table: Table, pile: int) -> None:
    """A pile after opening cards: the same cards in a new order (LU-4)."""
    numbers = table.tape.read(Tape.PILE, pile, "LU-4", f"pile {pile} is shuffled")
    before = sorted(table.cards.index(card) for card in table.piles[pile])
    table.tape.require(sorted(numbers) == before, "LU-4", f"these aren't the cards of pile {pile}, each once")
    table.piles[pile] = [table.cards[number] for number in numbers]


# Turns


def play_turns(table: Table) -> Ending:
    """LU-6: turns from seat 0 until a spire is placed, all pass, or the turn limit is reached (r3)."""
    while True:
        player = table.players[table.turn % len(table.players)]
        table.round = 1 + table.turn // len(table.players)
        take_turn(table, player)
        table.turn += 1
        table.listener.turn_ended(table, player)
        if table.winner is not None:
            return Ending.SPIRE
        if table.passes == len(table.players):
            return Ending.STALEMATE
        if table.turn == table.rules.turn_limit:
            return Ending.TURN_LIMIT


def take_turn(table: Table, player: Player) -> None:
    """LU-7: one turn of a seat: it draws or places, or passes if it can do neither."""
    if table.round == 1:
        player.dead_opening = not any(table.could_place(player, card) for card in player.hand)
    table.listener.turn_began(table, player)
    mark_reachable_spires(table, player)
    tape, seat = table.tape, player.seat
    values = tape.read(Tape.ACTION, seat, "LU-7", f"it is the turn of seat {seat}")
    tape.require(len(values) > 0 and values[0] in set(Action), "LU-7", "this is no action")
    action, details = Action(values[0]), values[1:]
    player.did[action] += 1
    table.passes = table.passes + 1 if action == Action.PASS else 0
    match action:
        case Action.DRAW:
            draw(table, player, details)
        case Action.PLACE:
            place(table, player, details)
        case Action.SPIRE:
            place_spire(table, player, details)
            return  # r5: no hand limit after it
        case Action.BONUS:
            place_bonus(table, player, details)
        case Action.PASS:
            pass_turn(table, player, details)
    trim(table, player)


def mark_reachable_spires(table: Table, player: Player) -> None:
    """Note each spire that a seat could place and pay for now, if it never could before."""
    for spire in table.shown:
        key = (player.seat, source_of(spire))
        if key not in table.reached and table.could_take(player, spire):
            table.reached.add(key)
            table.event(player.seat, Kind.REACHABLE, source_of(spire))


def draw(table: Table, player: Player, details: Sequence[int]) -> None:
    """LU-7: the top card of a pile."""
    tape = table.tape
    tape.require(len(details) > 0, "LU-7", "a draw names its pile")
    tape.require(len(details) == 1, "LU-9", "nothing is discarded on a turn without placing (l26)")
    pile = details[0]
    tape.require(0 <= pile < len(table.piles), "LU-7", f"there is no pile {pile}")
    tape.require(len(table.piles[pile]) > 0, "LU-7", f"pile {pile} is empty")
    card = table.piles[pile].pop()
    player.hand.append(card)
    table.event(player.seat, Kind.DRAWN, source_of(card), pile=pile)


def place(table: Table, player: Player, details: Sequence[int]) -> None:
    """LU-8, LU-9: a hand card on the cathedral, paid by local, permanent, then temporary resources."""
    tape = table.tape
    whole = len(details) >= 2 and len(details) % 2 == 0
    tape.require(whole, "LU-7", "placing names card and column, then card and pile of each discard")
    card = table.take_from_hand(player, details[0], "LU-7")
    column = details[1]
    check_place(table, player, card, column, "LU-8")
    owed = bill(card.cost, player.cathedral.local(column), player.cathedral.permanent)
    table.listener.placing(table, player, card, column, owed)
    missing = list(owed.missing)
    for number, pile in zip(details[2::2], details[3::2], strict=True):
        discarded = table.take_from_hand(player, number, "LU-9")
        brought = table.brings(discarded)
        needed = any(lacking > 0 and more > 0 for lacking, more in zip(missing, brought, strict=True))
        tape.require(needed, "LU-9", f"{discarded.id} brings nothing that is missing (l20)")
        missing = [max(0, lacking - more) for lacking, more in zip(missing, brought, strict=True)]
        table.put_on_pile(discarded, pile, "LU-9")
        table.event(player.seat, Kind.SPENT, source_of(discarded), sum(brought), pile=pile)
    tape.require(not any(missing), "LU-9", f"{card.id} isn't paid: {tuple(missing)} is missing")
    lay(table, player, card, column, owed)
    if card.pictogram:
        blind_draw(table, player)


def place_spire(table: Table, player: Player, details: Sequence[int]) -> None:
    """LU-2, LU-12: a spire of the display wins the game."""
    tape = table.tape
    tape.require(len(details) >= 2, "LU-12", "a spire is named by its place on display, and its column")
    tape.require(len(details) == 2, "LU-12", "a spire isn't paid with temporary resources")
    slot, column = details
    tape.require(0 <= slot < len(table.shown), "LU-12", f"no spire lies at place {slot} of the display")
    spire = table.shown[slot]
    check_place(table, player, spire, column, "LU-12")
    owed = bill(spire.cost, player.cathedral.local(column), player.cathedral.permanent)
    short = f"local and permanent resources leave {owed.missing} of {spire.id} unpaid"
    tape.require(owed.missing == NONE, "LU-12", short)
    table.listener.placing(table, player, spire, column, owed)
    table.shown.pop(slot)
    table.winner = player.seat
    lay(table, player, spire, column, owed)


def place_bonus(table: Table, player: Player, details: Sequence[int]) -> None:
    """LU-13: the top bonus card instead of a hand card, paid with permanent resources only."""
    tape = table.tape
    tape.require(table.rules.advanced, "LU-13", "bonus cards are for the advanced mode")
    tape.require(len(table.bonus) > 0, "LU-13", "no bonus card is left")
    tape.require(len(details) >= 1, "LU-13", "a bonus card names its column")
    tape.require(len(details) == 1, "LU-13", "a bonus card isn't paid with temporary resources")
    card, column = table.bonus[0], details[0]
    check_place(table, player, card, column, "LU-8")
    owed = bill(card.cost, NONE, player.cathedral.permanent)
    short = f"permanent resources leave {owed.missing} of {card.id} unpaid"
    tape.require(owed.missing == NONE, "LU-13", short)
    table.listener.placing(table, player, card, column, owed)
    table.bonus.pop(0)
    lay(table, player, card, column, owed)
    if card.pictogram:
        blind_draw(table, player)


def check_place(table: Table, player: Player, card: Card, column: int, clause: str) -> None:
    """Refuse a place on which a card may not lie."""
    fault = player.cathedral.fault_of(card, column, table.rules.any_lower)
    table.tape.require(fault is None, clause, fault or "")


def lay(table: Table, player: Player, card: Card, column: int, owed: Bill) -> None:
    """Lay a paid card on the cathedral, with the events of it."""
    level = player.cathedral.level
    player.cathedral.lay(card, column)
    met = (sum(owed.local), sum(owed.permanent), sum(owed.missing))
    table.event(player.seat, Kind.PAID, source_of(card), int(card.level == Level.SPIRE), met=met)
    if card.level > level:
        table.event(player.seat, Kind.STEP, "cathedral", card.level)


def blind_draw(table: Table, placer: Player) -> None:
    """LU-11: a seat that the placer designates draws a card blind from an opponent of its choice."""
    tape, seats = table.tape, range(len(table.players))
    values = tape.read(Tape.DESIGNATE, placer.seat, "LU-11", "the pictogram designates another seat")
    fits = len(values) == 1 and values[0] in seats and values[0] != placer.seat
    tape.require(fits, "LU-11", "one other seat is designated")
    drawer = table.players[values[0]]
    values = tape.read(Tape.VICTIM, drawer.seat, "LU-11", "the designated seat names an opponent")
    fits = len(values) == 1 and values[0] in seats and values[0] != drawer.seat
    tape.require(fits, "LU-11", "the designated seat names one of its opponents")
    victim = table.players[values[0]]
    table.listener.designated(table, drawer.seat, victim.seat)
    values = tape.read(Tape.RANDOM_CARD, victim.seat, "LU-11", "a card is drawn blind")
    count = min(1, len(victim.hand))
    tape.require(len(values) == count, "LU-11", f"{count} card is drawn from the hand of seat {victim.seat}")
    for number in values:
        card = table.take_from_hand(victim, number, "LU-11")
        drawer.hand.append(card)
        table.event(victim.seat, Kind.STOLEN, source_of(card), drawer.seat)


def pass_turn(table: Table, player: Player, details: Sequence[int]) -> None:
    """r2: a pass, when there is nothing to draw and nothing that can be placed and paid (l10)."""
    tape = table.tape
    tape.require(len(details) == 0, "LU-9", "nothing is discarded on a turn without placing (l26)")
    for number, pile in enumerate(table.piles):
        tape.require(not pile, "LU-7", f"no pass while pile {number} has a card to draw (r2)")
    for card in player.hand:
        possible = table.could_place(player, card)
        tape.require(not possible, "LU-7", f"no pass while {card.id} can be placed (r2)")
    for spire in table.shown:
        possible = table.could_take(player, spire)
        tape.require(not possible, "LU-7", f"no pass while the spire {spire.id} can be placed (r2)")
    bonus = table.could_place_bonus(player)
    tape.require(not bonus, "LU-7", "no pass while the bonus card can be placed (r2)")
    table.listener.passed(table, player)


def trim(table: Table, player: Player) -> None:
    """LU-10: at the end of the own turn, cards beyond the hand limit to piles of one's choice (l7)."""
    count = len(player.hand) - table.rules.hand_limit
    if count <= 0:
        return
    need = f"seat {player.seat} discards {count} for the hand limit"
    values = table.tape.read(Tape.TRIM, player.seat, "LU-10", need)
    table.tape.require(len(values) == 2 * count, "LU-10", f"{need}, card and pile of each")
    for number, pile in zip(values[::2], values[1::2], strict=True):
        card = table.take_from_hand(player, number, "LU-10")
        table.put_on_pile(card, pile, "LU-10")
        table.event(player.seat, Kind.TRIMMED, source_of(card), pile=pile)


# The end


def outcome(table: Table, ending: Ending) -> Outcome:
    """LU-2, r4: the seat with the spire wins; without one all share a drawn game."""
    everybody = tuple(player.seat for player in table.players)
    winners = everybody if table.winner is None else (table.winner,)
    scored = table.winner is not None
    return Outcome(
        events=tuple(table.events),
        rounds=table.round,
        turns=table.turn,
        ending=ending,
        winners=len(winners),
        winner_seats=winners,
        top_score=int(scored),
        margin=int(scored),
        tied_on_points=len(winners),
        tie_stage=0 if scored else -1,
        lead_changes=0,  # no points change hands before the end
        seats=tuple(
            SeatOutcome(
                score=int(player.seat == table.winner),
                rank=1 if player.seat in winners else 2,
                win_share=1 / len(winners) if player.seat in winners else 0.0,
                parts={Part.SPIRE: int(player.seat == table.winner)},
                did={action: player.did[action] for action in Action},
                level=player.cathedral.level,
                placed=len(player.cathedral.cards),
                income=sum(player.cathedral.permanent),
                hand=len(player.hand),
                dead_opening=int(player.dead_opening),
            )
            for player in table.players
        ),
        table=table,
    )
