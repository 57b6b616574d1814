"""Pictures of rows, as figures and in letters."""

from itertools import combinations
from pathlib import Path

import pytest
from matplotlib.colors import to_rgb

from simulator.game import UserError
from simulator.games.ilumeia.draw import AREA, BROKEN, COMET, COMET_HEAD, COMET_TAIL, FLAME, LINE, draw_row
from simulator.games.ilumeia.letters import text_row
from simulator.games.ilumeia.measure import cards_at
from simulator.games.ilumeia.star_cards import ANCHORS, PLACES, cross, line_problem, line_segment

WITNESS = Path(__file__).parent / "fixtures" / "ilumeia_witness.csv"
ROW = "w1 w2 w3 w4 w5 w6 w7"


def drawn(row):
    return draw_row(cards_at(WITNESS), row.split())


def words(figure):
    return [text.get_text() for text in [*figure.texts, *figure.axes[0].texts]]


def colours(figure):
    return [line.get_color() for line in figure.axes[0].lines]


def test_a_figure_names_its_cards_and_what_they_measure():
    found = words(drawn(ROW))
    assert found[0] == "Constellation of 7 star cards"
    assert "29 stars (11 middle, 18 outer)" in found[1]
    assert "4 comets (2 enclosed)" in found[1]
    assert found[2:] == ROW.split()


def test_a_turned_card_is_marked_under_its_picture():
    assert words(drawn("w2 w3r"))[2:] == ["w2", "w3 ↻"]


def test_every_star_line_transition_and_comet_is_drawn():
    axes = drawn(ROW).axes[0]
    cards = cards_at(WITNESS)
    row = [cards[name] for name in ROW.split()]
    stars = [line for line in axes.lines if line.get_color() not in (LINE, COMET)]
    assert len(stars) == 29
    flames = [line for line in stars if line.get_markerfacecolor() == FLAME]
    assert sorted(round(line.get_xdata()[0]) for line in flames) == [-20, 180]
    assert min(line.get_markersize() for line in flames) > max(
        line.get_markersize() for line in stars if line not in flames
    )
    strokes = colours(drawn(ROW)).count(LINE)
    assert strokes == sum(len(card.lines) + len(card.left) + len(card.right) for card in row)
    assert colours(drawn(ROW)).count(COMET) == 4


def test_enclosed_areas_are_shaded():
    def shaded(row):
        patches = drawn(row).axes[0].patches
        return sum(patch.get_facecolor()[:3] == to_rgb(AREA) for patch in patches)

    assert (shaded(ROW), shaded("w1"), shaded("w2 w3r")) == (3, 1, 0)


@pytest.mark.parametrize(
    ("row", "edges"), [(ROW, []), ("w1 w3", [30, 90]), ("w2 w7r", [-30, 30, 90]), ("example", [])]
)
def test_edges_that_break_a_clause_are_dashed(row, edges):
    lines = drawn(row).axes[0].lines
    assert sorted(line.get_xdata()[0] for line in lines if line.get_color() == BROKEN) == edges


def test_a_comet_is_drawn_off_every_line():
    lines = [line_segment(pair) for pair in combinations(PLACES, 2) if line_problem(*pair, pair) is None]
    for x, y in ANCHORS.values():
        inward, outward = (-1 if x > 0 else 1), (1 if y > 0 else -1)
        head, tip = ((x + inward * dx, y + outward * dy) for dx, dy in (COMET_HEAD, COMET_TAIL))
        assert not any(
            cross((x_y, end), line) for line in lines for x_y, end in (((x, y), head), (head, tip))
        )


def test_an_svg_is_the_same_bytes_every_time(tmp_path):
    for name in ("first.svg", "second.svg"):
        drawn(ROW).savefig(tmp_path / name)
    first = (tmp_path / "first.svg").read_bytes()
    assert first == (tmp_path / "second.svg").read_bytes()
    assert b"<dc:date>" not in first


def test_a_png_is_written(tmp_path):
    drawn("example").savefig(tmp_path / "card.png")
    assert (tmp_path / "card.png").read_bytes().startswith(b"\x89PNG")


def test_a_drawing_shows_itself_in_a_notebook():
    assert drawn("example")._repr_png_().startswith(b"\x89PNG")


def test_a_wrong_id_is_named_before_anything_is_drawn():
    with pytest.raises(UserError, match="no card 'w9'"):
        drawn("w1 w9")


def test_a_row_in_letters_shows_stars_lines_transitions_and_comets():
    assert text_row(cards_at(WITNESS), ["w5r", "example"]).splitlines() == [
        "──────o────*   *──",
        "     ╱      ╲ ╱",
        "    o        o",
        "    │         ╲",
        "    o────  o───o──",
        "   w5r    example",
        "            'nw",
    ]


def test_letters_keep_long_ids_apart():
    cards = {"a_long_name": cards_at(WITNESS)["w1"], "another_name": cards_at(WITNESS)["w2"]}
    last = text_row(cards, ["a_long_name", "another_name"]).splitlines()[-2]
    assert last.split() == ["a_long_name", "another_name"]
