"""A row of star cards in letters, for a narrated game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from simulator.games.ilumeia.measure import oriented
from simulator.games.ilumeia.star_cards import LEVELS, PLACES, UNIT, StarCard, line_segment, transitions


def text_row(cards: Mapping[str, StarCard], row: Sequence[str]) -> str:
    """A row in letters: `o` a star, `*` a flame star, its lines, then ids and the anchors of comets."""
    lying = oriented(cards, row)
    width = max(7, *(len(name) + 1 for name in row))
    width += 1 - width % 2
    pictures = [_letters(card, width) for card in lying]
    lines = ["".join(parts) for parts in zip(*pictures, strict=True)]
    lines.append("".join(name.center(width) for name in row))
    if any(card.comets for card in lying):
        lines.append(
            "".join(("'" + " ".join(card.comets) if card.comets else "").center(width) for card in lying)
        )
    return "\n".join(line.rstrip() for line in lines)


def _letters(card: StarCard, width: int) -> list[str]:
    """The drawing of a card in five lines of letters, places two apart."""
    grid = [[" "] * width for _ in range(5)]
    middle = width // 2

    def cell(x: int, y: int) -> tuple[int, int]:
        return 2 - 2 * y // UNIT, middle + 2 * x // UNIT

    for line in card.lines:
        (row, column), (to_row, to_column) = (cell(*end) for end in line_segment(line))
        down, right = (to_row > row) - (to_row < row), (to_column > column) - (to_column < column)
        stroke = "─" if not down else "│" if not right else "╲" if down == right else "╱"
        while (row, column) != (to_row, to_column):
            grid[row][column] = stroke
            row, column = row + down, column + right
    for side, level, star in transitions(card):
        row, column = cell(PLACES[star][0], LEVELS[level])
        reach = range(column) if side == "left" else range(column, width)
        for place in reach:
            grid[row][place] = "─"
    for star in card.stars:
        row, column = cell(*PLACES[star])
        grid[row][column] = "*" if star in card.flames else "o"
    return ["".join(line) for line in grid]
