"""Pictures of star cards, alone or in a row, as they lie on the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch, Polygon

from simulator.drawings import Drawing
from simulator.games.ilumeia.measure import enclosed_areas, measure, oriented
from simulator.games.ilumeia.star_cards import (
    ANCHORS,
    EDGE,
    PLACES,
    Point,
    StarCard,
    line_segment,
    transition_segment,
    transitions,
)

SKY: Final = "#16233f"
CARD_EDGE: Final = "#8fa3c7"
AREA: Final = "#2f4a7d"
LINE: Final = "#b9cdf2"
STAR: Final = "#ffffff"
FLAME: Final = "#ff9d2e"
FLAME_RIM: Final = "#ffe2b0"
COMET: Final = "#7fe3d4"
BROKEN: Final = "#d55e00"
INK: Final = "#1d2433"
FAINT_INK: Final = "#5a6478"

COMET_HEAD: Final[Point] = (1, 1)
"""From an anchor to the head of its comet: the x towards the middle of the card, the y away from it."""
COMET_TAIL: Final[Point] = (7, 4)
"""From an anchor to the tip of the tail, between the lines that may pass there."""
INCHES_A_CARD: Final = 1.7
INCHES_BELOW: Final = 0.98
"""Under the cards: their ids, the headline and two lines of metrics."""


def draw_row(cards: Mapping[str, StarCard], row: Sequence[str]) -> Drawing:
    """A row as it lies on the table, its ids under the cards, its metrics in words below.

    Enclosed areas are shaded; an edge that breaks a clause is dashed. Raises UserError as `measure` does.
    """
    lying, metrics = oriented(cards, row), measure(cards, row)
    card_width = INCHES_A_CARD * len(lying)
    width, height = max(card_width + 0.4, 6.4), INCHES_BELOW + INCHES_A_CARD + 0.12
    figure = Drawing(figsize=(width, height), facecolor="white")
    left, bottom = 0.5 - card_width / width / 2, INCHES_BELOW / height
    axes = figure.add_axes((left, bottom, card_width / width, INCHES_A_CARD / height))
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.set_xlim(-EDGE - 1, (2 * len(lying) - 1) * EDGE + 1)
    axes.set_ylim(-EDGE - 1, EDGE + 1)

    for number in range(len(lying)):
        _draw_face(axes, _offset(number))
    for walk in enclosed_areas(lying):
        axes.fill(*zip(*walk, strict=True), facecolor=AREA, edgecolor="none", zorder=2)
    for number, (card, name) in enumerate(zip(lying, row, strict=True)):
        _draw_card(axes, card, _offset(number))
        label = card.id + (" ↻" if name.endswith("r") else "")
        axes.text(
            _offset(number), -EDGE - 3, label, parse_math=False, ha="center", va="top", fontsize=9, color=INK
        )
    if len(lying) > 1:
        for x in _broken_edges(lying):
            axes.plot([x, x], [-EDGE, EDGE], color=BROKEN, linewidth=3, dashes=(2, 1.2), zorder=6)
    if len(lying) > 1 and not metrics["legal"]:
        figure.faults = (_headline(metrics),)
    words: dict[str, Any] = {"ha": "center", "va": "center", "linespacing": 1.4}
    figure.text(0.5, 0.56 / height, _headline(metrics), fontsize=10, color=INK, weight="bold", **words)
    figure.text(0.5, 0.23 / height, "\n".join(caption(metrics)), fontsize=8.5, color=FAINT_INK, **words)
    return figure


def caption(metrics: Mapping[str, Any]) -> list[str]:
    """The metrics of a row in words, in two lines; what it has none of is left out of the second."""

    def count(metric: str, one: str, many: str) -> str:
        return f"{metrics[metric]} {one if metrics[metric] == 1 else many}" if metrics[metric] else ""

    stars = f"{count('stars', 'star', 'stars')} ({metrics['middle']} middle, {metrics['outer']} outer)"
    comets = count("comets", "comet", "comets")
    first = [
        stars,
        count("flames", "flame star", "flame stars"),
        count("centrals", "central star", "central stars"),
        count("ends", "end star", "end stars"),
        count("diagonals", "diagonal", "diagonals"),
    ]
    second = [
        count("transitions", "transition", "transitions"),
        count("areas", "enclosed area", "enclosed areas"),
        comets and f"{comets} ({metrics['comets_enclosed']} enclosed)",
        "symmetric along the middle level" if metrics["symmetric_horizontal"] else "",
        "symmetric left and right" if metrics["symmetric_vertical"] else "",
    ]
    return ["  ·  ".join(part for part in line if part) for line in (first, second)]


def _offset(number: int) -> int:
    """x of the centre of a card in its row."""
    return 2 * EDGE * number


def _draw_face(axes: Axes, x: int) -> None:
    box = FancyBboxPatch(
        (x - EDGE + 1.3, -EDGE + 1.3), 2 * EDGE - 2.6, 2 * EDGE - 2.6, boxstyle="round,pad=1,rounding_size=3",
        facecolor=SKY, edgecolor=CARD_EDGE, linewidth=0.8, zorder=1,
    )  # fmt: skip
    axes.add_patch(box)


def _draw_card(axes: Axes, card: StarCard, x: int) -> None:
    segments = [line_segment(line) for line in card.lines]
    segments += [transition_segment(*transition) for transition in transitions(card)]
    for (ax, ay), (bx, by) in segments:
        axes.plot([x + ax, x + bx], [ay, by], color=LINE, linewidth=1.8, solid_capstyle="butt", zorder=3)
    for comet in card.comets:
        anchor_x, anchor_y = ANCHORS[comet]
        inward, outward = (-1 if anchor_x > 0 else 1), (1 if anchor_y > 0 else -1)
        head = x + anchor_x + inward * COMET_HEAD[0], anchor_y + outward * COMET_HEAD[1]
        tip = x + anchor_x + inward * COMET_TAIL[0], anchor_y + outward * COMET_TAIL[1]
        # The tail is a triangle, as broad at the head as the head is.
        dx, dy = tip[0] - head[0], tip[1] - head[1]
        across = 1.6 / (dx**2 + dy**2) ** 0.5
        sides = [(head[0] - dy * across * sign, head[1] + dx * across * sign) for sign in (1, -1)]
        axes.add_patch(
            Polygon([sides[0], tip, sides[1]], facecolor=COMET, edgecolor="none", alpha=0.6, zorder=4)
        )
        axes.plot(*head, marker="o", markersize=5, color=COMET, markeredgewidth=0, zorder=4)
    for star in card.stars:
        sx, sy = PLACES[star]
        if star in card.flames:
            axes.plot(x + sx, sy, marker=(8, 1, 0), markersize=14, markerfacecolor=FLAME,
                      markeredgecolor=FLAME_RIM, markeredgewidth=0.9, zorder=5)  # fmt: skip
        else:
            axes.plot(x + sx, sy, marker="o", markersize=7, markerfacecolor=STAR, markeredgecolor=SKY,
                      markeredgewidth=1.2, zorder=5)  # fmt: skip


def _broken_edges(lying: Sequence[StarCard]) -> list[int]:
    """x of each edge where neighbours don't match or a transition stays open."""
    edges = [-EDGE] if lying[0].left else []
    for number, (west, east) in enumerate(pairwise(lying)):
        if not west.right or west.right != east.left:
            edges.append(_offset(number) + EDGE)
    return edges + ([_offset(len(lying)) - EDGE] if lying[-1].right else [])


def _headline(metrics: Mapping[str, Any]) -> str:
    if metrics["cards"] == 1:
        return "One star card"
    if metrics["legal"]:
        return f"Constellation of {metrics['cards']} star cards"
    return f"{metrics['cards']} star cards, not legal: breaks {', '.join(metrics['broken'])}"
