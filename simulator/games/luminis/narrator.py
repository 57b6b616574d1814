"""A recorded game turn by turn as Markdown, told by what the referee hears, with the clauses of the rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from simulator.games.luminis.cards import ARROWS, COLOURS, Card, CardSet, Triple, letters, roman
from simulator.games.luminis.files import catalogue
from simulator.games.luminis.model import Action, Ending, Kind, Level
from simulator.games.luminis.referee import Outcome, replay
from simulator.games.luminis.referee_table import (
    NONE,
    Bill,
    Cathedral,
    Event,
    Listener,
    Player,
    Table,
    bill,
    source_of,
)

SIGNS: Final = dict(zip(ARROWS, "←→↖↑↗", strict=True))
"""The arrows as they are drawn."""
CENTRE: Final = "●"
PICTOGRAM: Final = "◆"


def narrate(card_set: CardSet, players: int, tape: Sequence[int], names: Sequence[str], title: str) -> str:
    """The recorded game as Markdown, told with these names of the seats."""
    narrator = Narrator(card_set, players, names)
    outcome = replay(card_set, players, tape, narrator)
    seats = [f"- seat {seat}: **{narrator.label(seat)}**" for seat in range(players)]
    reconstructed = ", ".join(card_set.reconstructed)
    notes = [f"*Reconstructed, not printed values: {reconstructed}.*", ""] if reconstructed else []
    text = [f"# Luminis: {title}", "", *notes, *seats, *narrator.lines, *narrator.ending(outcome)]
    return "\n".join(text) + "\n"


def words(amounts: Triple) -> str:
    """Resources in words, such as "2 blue 1 red"."""
    counted = zip(amounts, COLOURS, strict=True)
    return " ".join(f"{count} {colour}" for count, colour in counted if count) or "nothing"


class Narrator(Listener):
    """Collects the lines of a game as the referee goes through it."""

    def __init__(self, card_set: CardSet, players: int, names: Sequence[str]):
        self.lines: list[str] = []
        self.sources = {source.source: source for source in catalogue(card_set)}
        once = Counter(names[:players])
        self.names = [
            name if once[name] == 1 else f"{name} {seat}" for seat, name in enumerate(names[:players])
        ]
        self.reachable: list[str] = []
        """What turned out reachable at the start of the turn."""
        self.dealt: list[tuple[int, int, str]] = []
        """Seat, pile and card of each opening card that waits to be told with the others from its pile."""
        self.designated_pair = (0, 0)
        """Who drew from whom last."""

    # Words

    def label(self, seat: int) -> str:
        """The name of a seat."""
        return self.names[seat]

    def say(self, text: str) -> None:
        """A line of the list."""
        self.tell_reachable()
        self.lines.append(f"- {text}")

    def tell_reachable(self) -> None:
        """Which spires the seat could take for the first time."""
        if self.reachable:
            self.lines.append(f"- could take for the first time: {', '.join(self.reachable)} (LU-12)")
        self.reachable = []

    def about(self, card: Card) -> str:
        """What is printed on a card."""
        source = self.sources[source_of(card)]
        return f"Level {roman(card.level)}, {source.text}"

    def tops(self, table: Table) -> str:
        """What lies on top of each pile, and how many cards it has."""
        shown = (f"{pile[-1].id} ({len(pile)})" if pile else "empty" for pile in table.piles)
        return " · ".join(f"{number}: {top}" for number, top in enumerate(shown))

    def distance(self, table: Table, player: Player, spire: Card) -> str:
        """What a spire's cost lacks on the best of the seat's columns, without one of its permanent resources."""
        columns = player.cathedral.columns_for(spire, table.rules.any_lower)
        lacking = [table.missing(player, spire, column) for column in columns]
        least = min(lacking or [bill(spire.cost, NONE, player.cathedral.permanent).missing], key=sum)
        if least != NONE:
            return f"{words(least)} short"
        return "can be paid" if columns else "could be paid"

    # What the referee hears

    def game_began(self, table: Table) -> None:
        rules, players = table.rules, len(table.players)
        self.lines += ["", "## Before the game", ""]
        for spire in table.shown:
            self.say(
                f"on display: **{self.sources[source_of(spire)].name}**, costs {words(spire.cost)} (LU-3)"
            )
        self.say(f"piles, their top cards and sizes: {self.tops(table)} (LU-3)")
        if rules.advanced:
            stack = ", then ".join(f"{card.id} ({roman(card.level)})" for card in table.bonus)
            self.say(f"bonus stack from the top: {stack or 'none'} (LU-13)")
        support = "any lower level" if rules.any_lower else "exactly the level below"
        counts = ", ".join(map(str, rules.start_cards[:players]))
        self.say(f"{counts} opening cards by seat (LU-4); a card stands on {support} (LU-8)")
        self.lines.append("")

    def tell_dealt(self) -> None:
        """The opening cards, a line for each pile that a seat took from."""
        for seat, pile in dict.fromkeys((seat, pile) for seat, pile, _ in self.dealt):
            cards = " ".join(card for *place, card in self.dealt if place == [seat, pile])
            self.say(f"{self.label(seat)} takes {cards} from pile {pile} (LU-4)")
        self.dealt = []

    def turn_began(self, table: Table, player: Player) -> None:
        self.tell_dealt()
        cathedral = player.cathedral
        count = len(cathedral.cards)
        cards = (
            f"{count} card{'s' if count > 1 else ''}, Level {roman(cathedral.level)}"
            if count
            else "no card yet"
        )
        self.lines += [
            "",
            f"### Turn {table.turn + 1}: {self.label(player.seat)}",
            "",
            f"round {table.round} · {cards} · permanent {words(cathedral.permanent)}  ",
            f"{self.held(player)}  ",
            f"piles: {self.tops(table)}",
        ]
        if cathedral.cards:
            distances = [f"{spire.id} {self.distance(table, player, spire)}" for spire in table.shown]
            stands = cathedral.level >= Level.III
            where = "spires" if stands else "spires, once there is a Level III card"
            self.lines[-1] += "  "
            self.lines.append(f"{where}: {' · '.join(distances) or 'none on display'}")
        self.lines.append("")
        if table.round == 1 and player.dead_opening:
            self.say("a dead opening: no card of this hand can be placed and paid")

    def held(self, player: Player) -> str:
        """A hand, by level and id."""
        cards = sorted(player.hand, key=lambda card: (card.level, card.id))
        return f"hand ({len(cards)}): {' '.join(card.id for card in cards) or 'none'}"

    def placing(self, table: Table, player: Player, card: Card, column: int, bill: Bill) -> None:
        cathedral, row = player.cathedral, player.cathedral.row_of_next(column)
        support = cathedral.at(column, row - 1)
        what, clause = card.id, "LU-8"
        if card.level == Level.SPIRE:
            what, clause = self.sources[source_of(card)].name, "LU-12"
        elif table.bonus and card == table.bonus[0]:
            what, clause = f"the bonus card {card.id}", "LU-13"
        where = f" on {support.id}" if support else ""
        self.say(f"**places {what}**{where} in column {column}, row {row} ({clause}): {self.about(card)}")
        self.say(f"pays {words(card.cost)}{self.means(cathedral, column, bill)} (LU-9)")

    def means(self, cathedral: Cathedral, column: int, bill: Bill) -> str:
        """What a cost is met by, and which neighbours give the local part."""
        parts = []
        if bill.local != NONE:
            givers = ", ".join(
                f"{giver.id} {SIGNS[arrow]} {words(giver.local)}"
                for giver, arrow in cathedral.givers(column)
                if any(one and other for one, other in zip(giver.local, bill.local, strict=True))
            )
            parts.append(f"{words(bill.local)} local (of {givers})")
        if bill.permanent != NONE:
            parts.append(f"{words(bill.permanent)} permanent")
        if bill.missing != NONE:
            parts.append(f"{words(bill.missing)} temporary")
        return f": {' + '.join(parts)}" if parts else ""

    def designated(self, table: Table, drawer: int, victim: int) -> None:
        self.designated_pair = (drawer, victim)
        whose = f"{self.label(drawer)} is designated and draws blind from {self.label(victim)}"
        found = "" if table.players[victim].hand else ", whose hand is empty"
        self.say(f"pictogram: {whose}{found} (LU-11)")

    def passed(self, table: Table, player: Player) -> None:
        self.say("**passes**: nothing to draw, nothing that can be placed and paid (r2)")

    def event(self, table: Table, event: Event) -> None:
        card = event.source.partition(".")[2]
        match event.kind:
            case Kind.DEALT:
                self.dealt.append((event.seat, event.pile, card))
            case Kind.REACHABLE:
                self.reachable.append(self.sources[event.source].name)
            case Kind.DRAWN:
                drawn = table.players[event.seat].hand[-1]
                self.say(f"**draws {card}** from pile {event.pile} (LU-7): {self.about(drawn)}")
            case Kind.SPENT:
                self.say(f"discards {card} on pile {event.pile} for {self.brought(table, card)} (LU-9)")
            case Kind.STEP:
                self.say(f"the cathedral reaches Level {roman(event.amount)}")
            case Kind.STOLEN:
                self.say(f"{self.label(event.amount)} gets {card} of {self.label(event.seat)} (LU-11)")
            case Kind.TRIMMED:
                self.say(f"discards {card} on pile {event.pile} for the hand limit (LU-10)")

    def brought(self, table: Table, id: str) -> str:
        """The temporary resources of a card, in words."""
        return words(next(table.brings(card) for card in table.cards if card.id == id))

    def turn_ended(self, table: Table, player: Player) -> None:
        self.tell_reachable()
        self.lines += ["", f"{self.label(player.seat)}: {self.held(player)}"]

    # The end

    def ending(self, outcome: Outcome) -> list[str]:
        """How the game ended, what each seat has, and its cathedral as it lies on the table."""
        rules = outcome.table.rules
        winners = " and ".join(self.label(seat) for seat in outcome.winner_seats)
        rounds = f"on turn {outcome.turns}, in round {outcome.rounds}"
        how = {
            Ending.SPIRE: f"**{winners}** places the first spire and wins {rounds} (LU-2).",
            Ending.STALEMATE: f"All pass: a stalemate {rounds} (r3). **{winners}** share a drawn game (r4).",
            Ending.TURN_LIMIT: (
                f"No spire after {rules.turn_limit} turns: the turn limit, in round {outcome.rounds} (r3). "
                f"**{winners}** share a drawn game (r4)."
            ),
        }
        lapsed = [event.source for event in outcome.events if event.kind == Kind.LAPSED]
        left = ", ".join(self.sources[source].name for source in lapsed)
        lines = ["", "## Result", "", how[outcome.ending], ""]
        lines += [f"Nobody took: {left}.", ""] if left else []
        header = ["rank", "seat", "level", "placed", "permanent", "hand", "draws", "passes"]
        lines += [row(header), "|" + "---|" * len(header)]
        for number, seat in sorted(enumerate(outcome.seats), key=lambda each: (each[1].rank, each[0])):
            permanent = words(outcome.table.players[number].cathedral.permanent)
            did = [seat.did[Action.DRAW], seat.did[Action.PASS]]
            lines.append(
                row([seat.rank, self.label(number), seat.level, seat.placed, permanent, seat.hand, *did])
            )
        lines += ["", "## Cathedrals", "", legend(), ""]
        for player in sorted(outcome.table.players, key=lambda player: outcome.seats[player.seat].rank):
            drawn = text_cathedral(player.cathedral) or ["no card"]
            lines += [f"{self.label(player.seat)}:", "", "```text", *drawn, "```", ""]
        return lines[:-1]


def row(cells: Iterable[object]) -> str:
    """A row of a Markdown table."""
    return " | ".join(["", *map(str, cells), ""]).strip()


# A cathedral in plain text


def legend() -> str:
    """What the signs of a drawn cathedral mean."""
    return (
        f"Each card: its id and level ({PICTOGRAM} pictogram), local resources and where their arrows go, "
        f"{CENTRE} the centre, of a spire its cost; b blue, g green, r red."
    )


def text_cathedral(cathedral: Cathedral) -> list[str]:
    """A cathedral as it lies on the table: rows from top to bottom, the columns' numbers below."""
    if not cathedral.columns:
        return []
    columns = sorted(cathedral.columns)
    top = max(len(stack) for stack in cathedral.columns.values())
    texts = {
        (column, place + 1): text_card(card)
        for column, stack in cathedral.columns.items()
        for place, card in enumerate(stack)
    }
    width = {
        column: max(len(line) for place, text in texts.items() if place[0] == column for line in text)
        for column in columns
    }
    lines = []
    for level in range(top, 0, -1):
        boxes = [boxed(texts.get((column, level)), width[column]) for column in columns]
        lines += [" ".join(parts).rstrip() for parts in zip(*boxes, strict=True)]
    lines.append(" ".join(str(column).center(width[column] + 4) for column in columns).rstrip())
    return lines


def text_card(card: Card) -> list[str]:
    """A card in three lines: id and level, what it gives its neighbours, its centre or a spire's cost."""
    name = f"{card.id} {roman(card.level)}" + f" {PICTOGRAM}" * card.pictogram
    arrows = "".join(SIGNS[arrow] for arrow in ARROWS if arrow in card.arrows)
    local = f"{arrows} {letters(card.local)}" if card.arrows else ""
    centre = f"{CENTRE} {letters(card.centre)}" if any(card.centre) else ""
    return [name, local, letters(card.cost) if card.level == Level.SPIRE else centre]


def boxed(text: list[str] | None, width: int) -> list[str]:
    """A card's lines in a frame; an empty place without a card."""
    if text is None:
        return [" " * (width + 4)] * 5
    frame = "─" * (width + 2)
    return [f"┌{frame}┐", *(f"│ {line:<{width}} │" for line in text), f"└{frame}┘"]
