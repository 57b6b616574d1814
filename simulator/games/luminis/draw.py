"""Pictures of cards side by side, and of a cathedral as it lies on the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import cos, pi, sin
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyBboxPatch, Patch, PathPatch, Polygon, Rectangle
from matplotlib.path import Path as Outline

from simulator.drawings import Drawing
from simulator.faults import nearest
from simulator.game import UserError
from simulator.games.luminis.cards import COLOURS, Card, CardSet, Triple, roman
from simulator.games.luminis.model import MAX_ROWS, N_COLOURS, Level

BLUE: Final = "#0072B2"
GREEN: Final = "#009E73"
RED: Final = "#D55E00"
PAINTS: Final = (BLUE, GREEN, RED)
"""Okabe and Ito's colours; window, rosette and triangle tell them apart without."""
INK: Final = "#1F2933"
FAINT_INK: Final = "#6B7280"
EDGE: Final = "#9AA5B1"
FACES: Final = {Level.I: "#FFFFFF", Level.II: "#F4F6F8", Level.III: "#E6EAEF", Level.SPIRE: "#FBF3DC"}
BAND: Final = "#D5DCE4"
GOLD: Final = "#E69F00"
BROKEN: Final = "#B0307A"

HEIGHT: Final = 1.36
"""Of a card, whose width is 1."""
INSET: Final = 0.035
BAND_HEIGHT: Final = 0.45
FOOT: Final = 0.33
INCHES: Final = 1.25
"""The width of a card."""
BELOW: Final = 0.27
"""Inches of a line of words under the cards."""

STEPS: Final[Mapping[str, tuple[int, int]]] = {
    "W": (-1, 0), "E": (1, 0), "NW": (-1, 1), "N": (0, 1), "NE": (1, 1),
}  # fmt: skip
"""Columns and rows from a card to the place that an arrow points at."""

Place = tuple[int, int]
"""Column and row, from 0."""
Columns = Sequence[Sequence[Card]]


def draw_row(card_set: CardSet, text: str) -> Drawing:
    """Cards side by side, as in `a01 b07`, or a cathedral, as in `a01/b03 a02`.

    A cathedral is its columns from left to right, each from bottom to top. One that breaks a clause is drawn
    with that card framed and the fault named; a legal one shows at each free place what the neighbours'
    arrows would pay there. Raises UserError for an unknown id or an empty text.
    """
    known = {card.id: card for card in card_set.cards}
    columns = [[_found(known, id) for id in column.split("/")] for column in text.split()]
    if not columns:
        raise UserError(
            "there is nothing to draw, expected cards as in a01 b07, or a cathedral as in a01/b03 a02"
        )
    if "/" not in text:
        return _picture(columns, {}, {}, [])
    faults = broken(columns, any_lower=card_set.rules.any_lower)
    free = {} if faults else free_places(columns)
    lines = [f"Not legal: {fault}" for fault in faults.values()] or [_headline(columns), _permanent(columns)]
    if free:
        lines.append("Dotted: the free places, and what the neighbours' arrows pay there")
    return _picture(columns, free, faults, lines)


def _found(known: Mapping[str, Card], id: str) -> Card:
    if not id:
        raise UserError("a card is missing beside a /, expected a cathedral as in a01/b03 a02")
    if id not in known:
        raise UserError(f"there is no card {id!r}, expected {nearest(id, known)}")
    return known[id]


# What a cathedral comes to


def broken(columns: Columns, *, any_lower: bool) -> dict[Place, str]:
    """How each card that may not lie where it does breaks a clause; {} for a legal cathedral."""
    faults: dict[Place, str] = {}
    seen: set[str] = set()
    spires = 0
    for x, column in enumerate(columns):
        if column[0].level != Level.I:
            faults[x, 0] = f"{_named(column[0])} lies on no card (LU-8)"
        for y, (below, card) in enumerate(pairwise(column), start=1):
            spire = card.level == Level.SPIRE
            lowest = 1 if any_lower and not spire else card.level - 1
            if card.level == Level.I:
                faults[x, y] = f"{_named(card)} lies above row 1 (LU-8)"
            elif not lowest <= below.level < card.level:
                wanted = f"Level {roman(lowest)}" if lowest == card.level - 1 else "a lower level"
                clause = "LU-12" if spire else "LU-8"
                faults[x, y] = f"{_named(card)} lies on {_named(below)} instead of {wanted} ({clause})"
        for y, card in enumerate(column):
            spires += card.level == Level.SPIRE
            if card.id in seen:
                faults[x, y] = f"{card.id} lies there twice (LU-1)"
            elif card.level == Level.SPIRE and spires > 1:
                faults[x, y] = f"{_named(card)} is a second spire (LU-2)"
            seen.add(card.id)
    return faults


def free_places(columns: Columns) -> dict[Place, Triple]:
    """The places where the next card may lie, and the local resources that it would find there (LU-9)."""
    if any(column[-1].level == Level.SPIRE for column in columns):
        return {}
    ends = [(-1, 0), (len(columns), 0)]
    tops = [(x, len(column)) for x, column in enumerate(columns) if len(column) < MAX_ROWS]
    return {place: _help(columns, place) for place in (*ends, *tops)}


def _help(columns: Columns, place: Place) -> Triple:
    found = [0] * N_COLOURS
    for x, column in enumerate(columns):
        for y, card in enumerate(column):
            if any((x + dx, y + dy) == place for dx, dy in map(STEPS.__getitem__, card.arrows)):
                found = [sum(pair) for pair in zip(found, card.local, strict=True)]
    blue, green, red = found
    return blue, green, red


def _named(card: Card) -> str:
    return f"{card.id} (Level {roman(card.level)})"


def _headline(columns: Columns) -> str:
    cards = [card for column in columns for card in column]
    highest = roman(max(card.level for card in cards))
    return f"Cathedral of {len(cards)} cards, up to Level {highest}"


def _permanent(columns: Columns) -> str:
    totals = [
        sum(card.centre[colour] for column in columns for card in column) for colour in range(N_COLOURS)
    ]
    return "Permanent resources: " + ", ".join(
        f"{total} {colour}" for total, colour in zip(totals, COLOURS, strict=True)
    )


# The picture


def _picture(
    columns: Columns, free: Mapping[Place, Triple], faults: Mapping[Place, str], lines: Sequence[str]
) -> Drawing:
    left, right = (-1, len(columns) + 1) if free else (0, len(columns))
    rows = max([len(column) for column in columns] + [y + 1 for _, y in free])
    wide, high, below = (right - left) * INCHES, rows * HEIGHT * INCHES, BELOW * len(lines)
    width, height = max(wide + 0.3, 6.4 if lines else 0), high + below + 0.3
    figure = Drawing(figsize=(width, height), facecolor="white")
    axes = figure.add_axes((0.5 - wide / width / 2, (below + 0.15) / height, wide / width, high / height))
    axes.set_axis_off()
    axes.set_xlim(left, right)
    axes.set_ylim(0, rows * HEIGHT)
    figure.faults = tuple(lines) if faults else ()
    for x, column in enumerate(columns):
        for y, card in enumerate(column):
            _draw_card(axes, card, x, y * HEIGHT, broken=(x, y) in faults)
    for (x, y), amounts in free.items():
        _draw_place(axes, amounts, x, y * HEIGHT)
    for number, line in enumerate(lines):
        colour, weight = (
            (BROKEN, "bold") if faults else (INK, "bold") if number == 0 else (FAINT_INK, "normal")
        )
        figure.text(
            0.5, (below - BELOW * (number + 0.35)) / height, line, parse_math=False, ha="center", va="center",
            fontsize=9.5, color=colour, weight=weight,
        )  # fmt: skip
    return figure


def _draw_card(axes: Axes, card: Card, x: float, y: float, *, broken: bool) -> None:
    face = _box(x, y, 1, HEIGHT, facecolor=FACES[Level(card.level)], edgecolor=EDGE, linewidth=0.9)
    axes.add_patch(face)
    top, bottom = y + HEIGHT - INSET, y + INSET
    bands = [(bottom, FOOT)]
    if card.level == Level.SPIRE:
        tip = [(x + 0.42, bottom + FOOT), (x + 0.5, top - 0.12), (x + 0.58, bottom + FOOT)]
        axes.add_patch(Polygon(tip, facecolor=GOLD, edgecolor="none", zorder=2))
    else:
        bands.append((top - BAND_HEIGHT, BAND_HEIGHT))
    for low, high in bands:
        band = Rectangle((x + INSET, low), 1 - 2 * INSET, high, facecolor=BAND, edgecolor="none", zorder=2)
        axes.add_patch(band)
        band.set_clip_path(face)
    _draw_resources(axes, card.local, x + 0.5, top - BAND_HEIGHT + 0.17, 0.105)
    for arrow in card.arrows:
        _draw_arrow(axes, arrow, x, top)
    _draw_resources(axes, card.centre, x + 0.5, (top - BAND_HEIGHT + bottom + FOOT) / 2 + 0.03, 0.14)
    _draw_resources(axes, card.cost, x + 0.39, bottom + FOOT / 2, 0.1)
    words: dict[str, Any] = {"parse_math": False, "va": "center", "zorder": 5, "color": INK}
    if not any(card.cost):
        axes.text(x + 0.39, bottom + FOOT / 2, "free", ha="center", fontsize=8, **words)
    axes.text(x + 0.93, bottom + FOOT / 2, roman(card.level), ha="right", weight="bold", fontsize=11, **words)
    axes.text(
        x + 0.08, bottom + FOOT + 0.055, card.id, ha="left", fontsize=7, **(words | {"color": FAINT_INK})
    )
    if card.pictogram:
        _draw_pictogram(axes, x + 0.87, top - BAND_HEIGHT - 0.12)
    if card.bonus:
        axes.plot(x + 0.13, top - BAND_HEIGHT - 0.12, marker="*", markersize=11, markerfacecolor=GOLD,
                  markeredgecolor=INK, markeredgewidth=0.6, zorder=5)  # fmt: skip
    if broken:
        axes.add_patch(
            _box(x, y, 1, HEIGHT, facecolor="none", edgecolor=BROKEN, linewidth=2.6, linestyle="--", zorder=7)
        )


def _box(x: float, y: float, width: float, height: float, **look: Any) -> FancyBboxPatch:
    style = f"round,pad=0,rounding_size={INSET * 2}"
    place = (x + INSET, y + INSET)
    return FancyBboxPatch(
        place, width - 2 * INSET, height - 2 * INSET, boxstyle=style, **{"zorder": 1, **look}
    )


def _draw_place(axes: Axes, amounts: Triple, x: float, y: float) -> None:
    """A free place and what its neighbours would pay there."""
    axes.add_patch(_box(x, y, 1, HEIGHT, facecolor="none", edgecolor=EDGE, linewidth=1, linestyle=":"))
    _draw_resources(axes, amounts, x + 0.5, y + HEIGHT / 2, 0.115)


def _draw_arrow(axes: Axes, arrow: str, x: float, top: float) -> None:
    """A wedge at the edge of the card, pointing out of it."""
    dx, dy = STEPS[arrow]
    middle = top - (BAND_HEIGHT - 0.17 if dy == 0 else 0.02)
    length = (dx**2 + dy**2) ** 0.5
    ux, uy, long, broad = dx / length, dy / length, 0.1, 0.055
    tip = (x + 0.5 + 0.445 * dx, middle)
    base = (tip[0] - ux * long, tip[1] - uy * long)
    sides = [(base[0] - uy * broad * sign, base[1] + ux * broad * sign) for sign in (1, -1)]
    axes.add_patch(Polygon([tip, *sides], facecolor=INK, edgecolor="none", zorder=4))


def _draw_resources(axes: Axes, amounts: Triple, x: float, y: float, size: float) -> None:
    """The icon of each colour that there is any of, its number within, side by side around a middle."""
    there = [colour for colour in range(N_COLOURS) if amounts[colour]]
    for number, colour in enumerate(there):
        at = x + (number - (len(there) - 1) / 2) * size * 2.25
        axes.add_patch(_icon(colour, at, y, size))
        axes.text(
            at, y - (size * 0.2 if colour == 2 else size * 0.04), str(amounts[colour]), ha="center", va="center",
            fontsize=size * 78, color="white", weight="bold", zorder=6,
        )  # fmt: skip


def _icon(colour: int, x: float, y: float, size: float) -> Patch:
    """A window, a rosette or a triangle of about the same area."""
    look: dict[str, Any] = {"facecolor": PAINTS[colour], "edgecolor": "white", "linewidth": 0.8, "zorder": 5}
    if colour == 0:
        arch = [
            (x + 0.78 * size * cos(turn), y + 0.22 * size + 0.78 * size * sin(turn))
            for turn in _turns(0, 1, 12)
        ]
        return Polygon([(x + 0.78 * size, y - size), *arch, (x - 0.78 * size, y - size)], **look)
    if colour == 1:
        petals = [
            (x + reach * size * cos(turn), y + reach * size * sin(turn))
            for turn in _turns(0, 2, 96)
            for reach in [0.92 + 0.13 * cos(8 * turn)]
        ]
        return Polygon(petals, **look)
    return Polygon(
        [(x - 1.15 * size, y - 0.95 * size), (x + 1.15 * size, y - 0.95 * size), (x, y + 1.15 * size)], **look
    )


def _turns(first: float, last: float, steps: int) -> list[float]:
    """Angles from `first` to `last` half turns."""
    return [pi * (first + (last - first) * step / steps) for step in range(steps + 1)]


def _draw_pictogram(axes: Axes, x: float, y: float) -> None:
    """A card that is drawn out of a hand."""
    axes.add_patch(Circle((x, y), 0.085, facecolor=INK, edgecolor="none", zorder=4))
    card = Outline(
        [(x - 0.03, y - 0.05), (x + 0.03, y - 0.05), (x + 0.03, y + 0.02), (x - 0.03, y + 0.02)], closed=False
    )
    axes.add_patch(PathPatch(card, facecolor="white", edgecolor="none", zorder=5))
    axes.add_patch(
        Polygon([(x - 0.035, y + 0.025), (x + 0.035, y + 0.025), (x, y + 0.065)], facecolor="white", zorder=5)
    )
