"""Luminis, for 2 to 5 players."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.game import Design, Fault, Game, Plan, Played
from simulator.games.luminis.model import Action, Ending, Feature, Part

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Each function imports its room when it is called: who only draws a card needn't wait for the kernels.


def read(cards: Path | None, settings: Mapping[str, Any], players: int) -> Design:
    """The card set with these settings, read, checked and made into tables."""
    from simulator.games.luminis.files import catalogue, read_set
    from simulator.games.luminis.tables import derive_tables

    card_set = read_set(cards, settings)
    return Design(
        tables=derive_tables(card_set, players),
        sources=tuple(catalogue(card_set)),
        content=card_set.content,
        reconstructed=card_set.reconstructed,
        readings=card_set,
    )


def faults(cards: Path | None) -> list[Fault]:
    """Every fault of a card set."""
    from simulator.games.luminis.files import set_faults

    return set_faults(cards)


def play(design: Design, plan: Plan, keep_events: bool) -> Played:
    """The games of a plan, played."""
    from simulator.games.luminis.play import play as compiled_play

    return compiled_play(design, plan, keep_events)


def replay(design: Design, plan: Plan) -> Played:
    """The games of a plan, read from their tapes by the referee."""
    from simulator.games.luminis.play import replay as refereed

    return refereed(design, plan)


def narrate(design: Design, plan: Plan, names: Sequence[str]) -> str:
    """One game turn by turn, as Markdown, replayed by the referee."""
    from simulator.games.luminis.narrator import narrate as narrated
    from simulator.games.luminis.play import record

    title = f"Seed {plan.seed}, game {plan.game[0]}"
    return narrated(design.readings, plan.players, record(design, plan), names, title)


def build_cards(seed: int, folder: Path) -> None:
    """Write a whole reconstructed card set."""
    from simulator.games.luminis.build import build_set

    build_set(seed, folder)


def draw(cards: Path | None, row: str) -> Figure:
    """A picture of cards, or of a cathedral as it lies on the table."""
    from simulator.games.luminis.draw import draw_row
    from simulator.games.luminis.files import read_set

    return draw_row(read_set(cards, {}), row)


GAME = Game(
    name="luminis",
    title="Luminis",
    players=(2, 3, 4, 5),
    data=Path(__file__).parent / "data",
    endings=tuple(ending.name.lower() for ending in Ending),
    parts=tuple(part.name.lower() for part in Part),
    actions=tuple(action.name.lower() for action in Action),
    tie_stages=("the first spire",),
    features=tuple(feature.name.lower() for feature in Feature),
    race=True,
    own_kinds={
        "dealt": "A Level I card of the opening hand, taken from a pile.",
        "drawn": "A card drawn from the top of a pile.",
        "spent": "A card discarded on a pile to pay; the amount says how many resources it brought.",
        "trimmed": "A card discarded on a pile for the hand limit.",
        "stolen": "A card drawn from the seat's hand by a pictogram; the amount is the seat that drew it.",
    },
    event_columns={
        "local": "Resources of the cost met by placed neighbours.",
        "permanent": "Resources of the cost met by the centres of all placed cards.",
        "temporary": "Resources of the cost met by discarded hand cards.",
        "pile": "The pile that the card came from or went to, -1 for none.",
    },
    payments=("local", "permanent", "temporary"),
    clauses={
        "LU-2": ("ending: spire",),
        "LU-4": ("kind of event: dealt",),
        "LU-7, draw": ("action: draw",),
        "LU-7, place": ("action: place",),
        "LU-9, discards": ("kind of event: spent",),
        "LU-10": ("kind of event: trimmed",),
        "LU-11": ("kind of event: stolen",),
        "LU-12": ("action: spire",),
        "LU-13": ("action: bonus",),
    },
    seat_columns={
        "level": "The highest level of the cathedral at the end; 4 is a spire.",
        "placed": "The cards of the cathedral at the end.",
        "income": "The permanent resources of all colours at the end.",
        "hand": "The cards in hand at the end.",
        "dead_opening": "Whether no hand card could be placed and paid on the seat's first turn: 1 or 0.",
    },
    read=read,
    faults=faults,
    play=play,
    replay=replay,
    narrate=narrate,
    build_cards=build_cards,
    draw=draw,
)
