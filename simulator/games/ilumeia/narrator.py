"""A recorded game turn by turn as Markdown, told by what the referee hears, with the clause of each gain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from simulator.games.ilumeia import words
from simulator.games.ilumeia.cards import CardSet
from simulator.games.ilumeia.files import catalogue
from simulator.games.ilumeia.letters import text_row
from simulator.games.ilumeia.model import Action, Die, Ending, Kind, Planet, Reward, StepReward
from simulator.games.ilumeia.referee import Outcome, replay
from simulator.games.ilumeia.referee_table import NOBODY, Deity, Event, Listener, Table

CLAUSES: Final = {
    "vvibon": "IL-46",
    "amp_r": "IL-45",
    "suzur": "IL-43",
    "lotzzz": "IL-44",
    "primos": "IL-47",
    "bneph": "IL-48",
    "prophecy": "IL-50",
    "providence": "IL-24",
    "compensation": "IL-41",
}
"""The clause of each group of sources."""
PLANETS: Final = {Planet.BRAECK: "Bræck"}
DICE: Final = {
    Die.OWN: "an own die",
    Die.GREY: "the grey die",
    Die.USED: "a used die",
    Die.FREE: "no die (free action)",
}
EFFECT: Final = "its effect"
ROMAN: Final = ("I", "II", "III", "IV", "V", "VI")
TYPES: Final = {
    Reward.ABILITY: "ability",
    Reward.INSTANT: "instant VP",
    Reward.ONE_TIME: "one-time effect",
    Reward.FINAL: "final scoring",
}
REWARDS: Final = {
    StepReward.NOTHING: "no reward",
    StepReward.KEEP: "one more card may be kept at exhaustion",
    StepReward.LIMIT: "a higher hand limit",
    StepReward.SUZUR: "more VP from Suzur",
    StepReward.PRIMOS: "claims on Primos may miss by a star",
}
COUNTED: Final = (
    ("flames", "flame stars"),
    ("centrals", "central stars"),
    ("ends", "end stars"),
    ("diagonals", "diagonals"),
    ("transitions", "transitions"),
    ("comets_enclosed", "enclosed comets"),
    ("comets_open", "open comets"),
    ("areas", "enclosed areas"),
    ("flame_diagonals", "flame diagonals"),
)
"""Metrics told of a constellation if it has any, beside its cards, stars and levels."""


def narrate(card_set: CardSet, players: int, tape: Sequence[int], names: Sequence[str], title: str) -> str:
    """The recorded game as Markdown, told with these names of the seats."""
    narrator = Narrator(card_set, players, names)
    outcome = replay(card_set, players, tape, narrator)
    seats = [f"- seat {seat}: **{narrator.label(seat)}**" for seat in range(players)]
    reconstructed = ", ".join(card_set.reconstructed)
    notes = [f"*Reconstructed, not printed values: {reconstructed}.*", ""] if reconstructed else []
    text = [f"# Stars of Ilumeïa: {title}", "", *notes, *seats, *narrator.ended(outcome)]
    return "\n".join(text) + "\n"


class Narrator(Listener):
    """Collects the lines of a game as the referee goes through it."""

    def __init__(self, card_set: CardSet, players: int, names: Sequence[str]):
        self.lines: list[str] = []
        self.card_set = card_set
        self.sources = {source.source: source for source in catalogue(card_set)}
        once = Counter(names[:players])
        self.names = [
            name if once[name] == 1 else f"{name} {seat}" for seat, name in enumerate(names[:players])
        ]
        self.active: int | None = None
        self.step: int | None = None
        """The step of a track that waits to be told with its payment."""
        self.reachable: list[str] | None = None
        """What turned out reachable at the start of the turn, None once it is told."""
        self.metrics: Mapping[str, float] | None = None
        self.die = Die.OWN
        self.won: set[str] = set()
        self.unwon: list[str] = []
        """What lapsed for everybody and waits to be told in one line."""
        self.final = False

    # Words

    def label(self, seat: int) -> str:
        """The name of a seat."""
        return self.names[seat]

    def say(self, text: str, seat: int | None = None) -> None:
        """A line of the list; it names the seat if that isn't the one whose turn it is."""
        self.tell_reachable()
        named = seat is not None and seat != self.active
        self.lines.append(f"- {self.label(seat)}: {text}" if named and seat is not None else f"- {text}")

    def paragraph(self, *lines: str) -> None:
        """Lines with an empty one before."""
        self.lines += ["", *lines]

    def tell_reachable(self) -> None:
        """What the hand could win at the start of the turn for the first time."""
        found, self.reachable = self.reachable, None
        if found:
            self.lines.append(f"- could win for the first time: {', '.join(found)}")

    def tell_unwon(self, what: str) -> None:
        """What lapsed since the last time."""
        if self.unwon:
            self.paragraph(f"Out of the game, since {what} it: {', '.join(self.unwon)}.")
        self.unwon = []

    def cards(self, table: Table, cards: Iterable[int]) -> str:
        """Star cards by id."""
        return " ".join(sorted(table.card_ids[card] for card in cards)) or "none"

    def vp(self, table: Table) -> str:
        """The VP of all, the most in bold."""
        top = max(deity.vp for deity in table.deities)
        parts = [
            f"{self.label(deity.seat)} {f'**{deity.vp}**' if deity.vp == top else deity.vp}"
            for deity in table.deities
        ]
        return "VP: " + " · ".join(parts)

    def standing(self, table: Table, deity: Deity) -> str:
        """Dice and tracks of a deity."""
        grey = ""
        if table.grey_owner == deity.seat:
            grey = ", grey die " + ("available" if table.grey_available else "used")
        tracks = f"Vvibon {deity.vvibon}, Amp-R {deity.amp_r}, Lotzzz {deity.record}"
        return f"{deity.vp} VP · {deity.own} available, {deity.used} used{grey} · {tracks}"

    def constellation(self, metrics: Mapping[str, float]) -> str:
        """The metrics of a constellation in one line."""
        stars = (
            f"{metrics['stars']:.0f} stars ({metrics['middle']:.0f} middle, {metrics['outer']:.0f} outer: "
            f"{metrics['outer_most']:.0f} and {metrics['outer_least']:.0f})"
        )
        counted = [
            f"{metrics[name]:.0f} {noun if metrics[name] > 1 else noun[:-1]}"
            for name, noun in COUNTED
            if metrics[name]
        ]
        symmetry = [
            f"symmetric {axis}ly"
            for axis, name in (("horizontal", "symmetric_horizontal"), ("vertical", "symmetric_vertical"))
            if metrics[name]
        ]
        return " · ".join([f"{metrics['cards']:.0f} cards", stars, *counted, *symmetry])

    # What the referee hears

    def game_began(self, table: Table) -> None:
        self.paragraph("## Before the game", "")
        supply = table.rules.supply
        self.say(f"each deity: {table.rules.energy_start} dice available, {supply} in supply (IL-4)")
        for deity in table.deities:
            for card in deity.providence:
                source = self.sources[table.providence_source(card)]
                self.say(
                    f"{self.label(deity.seat)} is dealt providence *{source.name}*: {source.text} (IL-5)"
                )

    def age_began(self, table: Table) -> None:
        self.tell_unwon("nobody won")
        self.active = None
        self.paragraph(f"## Age {ROMAN[table.age - 1]}", "")
        self.say(f"#1: {self.label(table.first)}")
        self.say(f"display: {self.cards(table, [card for card in table.display if card is not None])}")
        for planet, number in table.face_up.items():
            prophecy = table.prophecies[number]
            name = PLANETS.get(planet, planet.name.capitalize())
            kind = TYPES[prophecy.reward]
            self.say(f"{name}: **{prophecy.name}** ({kind}): {words.prophecy(prophecy)}")
        self.paragraph("Preparation (IL-29):", "")

    def took(self, table: Table, seat: int, cards: Sequence[int], origin: str) -> None:
        self.say(f"takes {self.cards(table, cards)} from {origin}", seat)

    def discarded(self, table: Table, seat: int, cards: Sequence[int], reason: str) -> None:
        self.say(f"discards {self.cards(table, cards)} for {reason}", seat)

    def renewed(self, table: Table, seat: int) -> None:
        shown = [card for card in table.display if card is not None]
        self.say(f"renews the display: {self.cards(table, shown)} (IL-33)", seat)

    def providence_kept(self, table: Table, seat: int, card: int) -> None:
        source = self.sources[table.providence_source(card)]
        worth = table.rules.providence_vp[table.age - 1]
        self.say(f"keeps providence *{source.name}*, now worth {worth} VP (IL-23)", seat)

    def turn_began(self, table: Table, seat: int, energy: bool) -> None:
        deity = table.deities[seat]
        self.active, self.reachable = seat, [] if energy else None
        kind = "" if energy else ", without energy"
        self.paragraph(f"### Turn {table.turn + 1}: {self.label(seat)}{kind}", "")
        self.lines.append(self.standing(table, deity) + "  ")
        self.lines += [f"hand ({len(deity.hand)}): {self.cards(table, deity.hand)}", ""]

    def acted(self, table: Table, seat: int, action: Action, die: Die) -> None:
        if action == Action.PASS:
            self.say("**passes**: all dice to used (IL-32)")
            return
        what = {
            Action.DRAW: "draws from the pile",
            Action.TAKE: "takes from the display",
            Action.CREATE: "creates a constellation",
        }
        self.say(f"**{what[action]}** with {DICE[die]} (IL-30)")

    def created(self, table: Table, seat: int, row: Sequence[str], metrics: Mapping[str, float]) -> None:
        self.metrics = metrics
        self.lines += [
            "",
            "```text",
            text_row(table.star_cards, row),
            "```",
            "",
            self.constellation(metrics),
            "",
        ]

    def claimed(self, table: Table, seat: int, die: Die) -> None:
        self.die = die

    def played(self, table: Table, seat: int, prophecy: int) -> None:
        card = table.prophecies[prophecy]
        assert card.effect is not None, "only cards with an effect are played"
        self.say(f"plays *{card.name}*: {words.effect(card.effect)} (IL-26)", seat)

    def exhausted(self, table: Table, seat: int, kept: Sequence[int]) -> None:
        self.metrics = None
        self.say(f"is exhausted and keeps {self.cards(table, kept)} (IL-37)", seat)

    def turn_ended(self, table: Table, seat: int) -> None:
        self.tell_reachable()
        self.metrics = None
        self.paragraph(self.vp(table))
        self.active = None

    def final_scoring(self, table: Table) -> None:
        self.tell_unwon("nobody won")
        self.final, self.active = True, None
        self.paragraph("## Final scoring (IL-41)", "")

    def event(self, table: Table, event: Event) -> None:
        if event.kind == Kind.REACHABLE and self.reachable is not None:
            self.reachable.append(self.sources[event.source].name)
        elif event.kind == Kind.STEP:
            self.step = event.amount
        elif event.kind == Kind.USED:
            effect = f"*{self.sources[event.source].name}* works"
            size = f", {event.amount} in all" if event.amount > 1 else ""
            self.say(f"{effect}{size}", event.seat)
        elif event.kind == Kind.PAID:
            self.say(self.payment(table, event), event.seat)
        elif event.kind == Kind.LAPSED:
            name = self.sources[event.source].name
            if event.seat == NOBODY:
                self.unwon.append(name)
            else:
                self.say(f"providence *{name}* is out", event.seat)

    def payment(self, table: Table, event: Event) -> str:
        """What a source paid, and why."""
        source = self.sources[event.source]
        group = event.source.partition(".")[0]
        step, self.step = self.step, None
        gain = f"**{event.amount:+d} VP**" if event.amount else ""
        why, what = self.reason(table, event, group, step)
        result = ", ".join(part for part in (what, gain) if part)
        clause = CLAUSES[group]
        if why == EFFECT:
            clause = "IL-41" if self.final else "IL-27"
        return f"{source.name}: {why} → {result or '0 VP'} ({clause})"

    def reason(self, table: Table, event: Event, group: str, step: int | None) -> tuple[str, str]:
        """Why a source paid, and what it gave beside VP."""
        deity, metrics, rules = table.deities[event.seat], self.metrics, table.rules
        counted = {name: f"{metrics[name]:.0f}" for name in ("stars", "flames", "cards")} if metrics else {}
        if group == "vvibon":
            assert step is not None, "a step comes before its payment"
            reward = table.step_reward(step - 1)
            of = (
                f"{counted['stars']} stars, {rules.vvibon_thresholds[step - 1]} asked for, "
                if counted
                else ""
            )
            return f"{of}step {step}", REWARDS.get(reward, "")
        if group == "amp_r":
            assert step is not None, "a step comes before its payment"
            of = (
                f"{counted['flames']} flame stars, {rules.amp_r_thresholds[step - 1]} asked for, "
                if counted
                else ""
            )
            friend = "more VP from Suzur" if step == rules.amp_r_suzur_step else ""
            dice = f"now {deity.own} dice available"
            return f"{of}step {step}", ", ".join(part for part in (dice, friend) if part)
        if group == "suzur":
            return "a constellation created", ""
        if group == "lotzzz":
            die = "the grey die stays on its claim" if table.grey_claimed else "the grey die, available"
            return f"{counted.get('cards', '')} cards, a record", die
        if group in ("primos", "bneph"):
            text = self.sources[event.source].text.split(" → ")
            special = text[1] if group == "primos" and not event.amount else ""
            return f"{text[0].partition(' and a die')[0]}, claimed with {DICE[self.die]}", special
        if group == "prophecy":
            return self.prophecy_reason(event)
        if group == "providence":
            return "enough cards in the own pile", ""
        return "held #1 in one age only", ""

    def prophecy_reason(self, event: Event) -> tuple[str, str]:
        """The first payment of a prophecy is its win; later ones come from its effect."""
        if event.source in self.won:
            return EFFECT, ""
        self.won.add(event.source)
        prophecy = next(card for card in self.card_set.prophecies if f"prophecy.{card.id}" == event.source)
        won = f"**won** by {words.condition(prophecy.condition)}"
        if event.amount or prophecy.effect is None:
            return won, "" if prophecy.effect is None else "the VP chosen"
        return won, f"takes the card: {words.effect(prophecy.effect)}"

    # The end

    def ended(self, outcome: Outcome) -> list[str]:
        """All lines, the final table and who won by what at the end."""
        self.tell_unwon("nobody claimed")
        lines = [*self.lines, "", "## Result", ""]
        if outcome.ending == Ending.NO_CARDS:
            lines += ["The game ended at once, since no card was left to take (IL-34).", ""]
        parts = [part for part in outcome.seats[0].parts if any(seat.parts[part] for seat in outcome.seats)]
        titles = [part.name.lower() for part in parts]
        header = ["rank", "seat", "VP", *titles, "Vvibon", "Amp-R", "cards in pile", "longest"]
        lines += [" | ".join(["", *header, ""]).strip(), "|" + "---|" * len(header)]
        ranked = sorted(enumerate(outcome.seats), key=lambda seat: (seat[1].rank, seat[0]))
        for number, seat in ranked:
            cells = [seat.rank, self.label(number), seat.score, *(seat.parts[part] for part in parts)]
            cells += [seat.vvibon, seat.amp_r, seat.pile, seat.largest]
            lines.append(" | ".join(["", *map(str, cells), ""]).strip())
        winners = " and ".join(self.label(seat) for seat in outcome.winner_seats)
        if outcome.tie_stage == 0:
            how = f"wins with {outcome.top_score} VP, {outcome.margin} ahead"
        elif outcome.tie_stage == 1:
            tied = f"{outcome.tied_on_points} deities have {outcome.top_score} VP"
            how = f"wins the tie: {tied}, and its own constellations have the most cards"
        else:
            how = f"share the victory with {outcome.top_score} VP"
        lines += [
            "",
            f"**{winners}** {how} (IL-42).",
            f"{outcome.turns} turns, {outcome.lead_changes} lead changes.",
        ]
        return lines
