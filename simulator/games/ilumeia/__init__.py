"""Stars of Ilumeïa, for 2 to 4 players."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.game import Design, Fault, Game, Plan, Played
from simulator.games.ilumeia.model import Action, Ending, Feature, Part

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Each function imports its room when it is called: who only measures a card needn't wait for the kernels.


def read(cards: Path | None, settings: Mapping[str, Any], players: int) -> Design:
    """The card set with these settings, read, checked and made into tables."""
    from simulator.games.ilumeia.files import catalogue, read_set
    from simulator.games.ilumeia.tables import derive_tables

    card_set = read_set(cards, settings)
    return Design(
        tables=derive_tables(card_set),
        sources=tuple(catalogue(card_set)),
        content=card_set.content,
        reconstructed=card_set.reconstructed,
        readings=card_set,
    )


def faults(cards: Path | None) -> list[Fault]:
    """Every fault of a card set."""
    from simulator.games.ilumeia.files import set_faults

    return set_faults(cards)


def play(design: Design, plan: Plan, keep_events: bool) -> Played:
    """The games of a plan, played."""
    from simulator.games.ilumeia.play import play as compiled_play

    return compiled_play(design, plan, keep_events)


def replay(design: Design, plan: Plan) -> Played:
    """The games of a plan, read from their tapes by the referee."""
    from simulator.games.ilumeia.play import replay as refereed

    return refereed(design, plan)


def narrate(design: Design, plan: Plan, names: Sequence[str]) -> str:
    """One game turn by turn, as Markdown, replayed by the referee."""
    from simulator.games.ilumeia.narrator import narrate as narrated
    from simulator.games.ilumeia.play import record

    title = f"Seed {plan.seed}, game {plan.game[0]}"
    return narrated(design.readings, plan.players, record(design, plan), names, title)


def build_cards(seed: int, folder: Path) -> None:
    """Write a whole reconstructed card set."""
    from simulator.games.ilumeia.prophecies import build_set

    build_set(seed, folder)


def measure(cards: Path | None, rows: Sequence[str]) -> list[dict[str, Any]]:
    """The metrics of rows of card ids."""
    from simulator.games.ilumeia.measure import measure_rows

    return measure_rows(cards, rows)


def draw(cards: Path | None, row: str) -> Figure:
    """A picture of a row of cards as it lies on the table."""
    from simulator.games.ilumeia.draw import draw_row
    from simulator.games.ilumeia.measure import cards_at

    return draw_row(cards_at(cards), row.split())


GAME = Game(
    name="ilumeia",
    title="Stars of Ilumeïa",
    players=(2, 3, 4),
    data=Path(__file__).parent / "data",
    endings=tuple(ending.name.lower() for ending in Ending),
    parts=tuple(part.name.lower() for part in Part),
    actions=tuple(action.name.lower() for action in Action),
    tie_stages=("victory points", "cards in own constellations"),
    features=tuple(feature.name.lower() for feature in Feature),
    own_kinds={"used": "An effect of a prophecy worked for its owner; the amount says how much."},
    seat_columns={
        "vvibon": "The step reached on Vvibon.",
        "amp_r": "The step reached on Amp-R.",
        "pile": "The cards in the seat's own pile at the end.",
        "largest": "The cards in the seat's largest constellation.",
        "energy": "The dice, grey one included, that the seat's own actions and passes moved from available to "
        "used; dice on claims, gone for good, and dice that others made it use don't count.",
    },
    spends="energy",
    clauses={
        "IL-5": ("source offered: providence",),
        "IL-23, IL-24": ("source paid: providence",),
        "IL-26, ability": ("effect chosen: ability", "VP chosen: ability"),
        "IL-26, one-time effect": ("effect chosen: one_time", "VP chosen: one_time"),
        "IL-26, instant VP": ("source paid: instant",),
        "IL-26, final scoring": ("source paid: final",),
        "IL-27": ("kind of event: used",),
        "IL-30, A": ("action: draw",),
        "IL-30, B": ("action: take",),
        "IL-30, C; IL-31": ("action: create",),
        "IL-32": ("action: pass",),
        "IL-33, exchange": ("action: exchange",),
        "IL-33, renewal": ("action: renew",),
        "IL-34": ("ending: no_cards",),
        "IL-38": ("action: idle",),
        "IL-40": ("kind of event: lapsed",),
        "IL-41, the 3 VP of three deities": ("source paid: compensation",),
        "IL-42": ("tie-break: cards in own constellations",),
        "IL-43": ("source paid: suzur",),
        "IL-44": ("source paid: lotzzz",),
        "IL-45": ("track climbed: amp_r",),
        "IL-46": ("track climbed: vvibon",),
        "IL-47": ("action: claim", "source paid: primos"),
        "IL-48": ("source paid: bneph",),
    },
    read=read,
    faults=faults,
    play=play,
    replay=replay,
    narrate=narrate,
    build_cards=build_cards,
    measure=measure,
    draw=draw,
)
