"""Pictures of cards and cathedrals."""

from __future__ import annotations

import pytest
from matplotlib.colors import to_hex, to_rgba

from simulator.game import UserError
from simulator.games.luminis.draw import BROKEN, PAINTS, broken, draw_row, free_places
from simulator.games.luminis.files import read_set

ROWS = (
    "ground,I,,1b,1b,W N,,", "plinth,I,1r,1g,1g,E NE,yes,", "step,I,2b,,1r,N,,yes", "nave,II,4b,2r,2r 1g,N NW,,",
    "aisle,II,4g,2b,3g,NW NE,,", "vault,III,7r,3g,3b,N,,", "dome,III,9b,4r,4g,NW N,,",
    *(f"tip{n},IV,15{colour},,,,," for n, colour in enumerate("bgrb")),
)  # fmt: skip


@pytest.fixture(scope="module")
def card_set(tmp_path_factory):
    path = tmp_path_factory.mktemp("cards") / "cards.csv"
    header = "id,level,cost,centre,local,arrows,pictogram,bonus"
    path.write_text("\n".join([header, *ROWS]) + "\n", encoding="utf-8")
    return read_set(path, {})


def columns_of(card_set, text):
    known = {card.id: card for card in card_set.cards}
    return [[known[id] for id in column.split("/")] for column in text.split()]


def faults_of(card_set, text, any_lower=False):
    return broken(columns_of(card_set, text), any_lower=any_lower)


def said(figure):
    """The lines under the cards."""
    return [text.get_text() for text in figure.texts]


def written(figure):
    """Everything written on the cards."""
    return [text.get_text() for text in figure.axes[0].texts]


def painted(figure):
    """How many icons of each colour there are."""
    faces = [to_hex(patch.get_facecolor()).upper() for patch in figure.axes[0].patches]
    return [faces.count(paint) for paint in PAINTS]


# What may lie where


@pytest.mark.parametrize(
    "text",
    [
        "ground/nave",
        "ground/nave/vault",
        "ground/nave/vault/tip0 plinth",
        "step plinth/aisle/dome ground/nave",
    ],
)
def test_a_cathedral_with_the_level_below_under_each_card_is_legal(card_set, text):
    assert faults_of(card_set, text) == {}
    assert faults_of(card_set, text, any_lower=True) == {}


@pytest.mark.parametrize(
    ("text", "place", "fault"),
    [
        ("nave/vault ground", (0, 0), "nave (Level II) lies on no card (LU-8)"),
        ("ground/plinth", (0, 1), "plinth (Level I) lies above row 1 (LU-8)"),
        ("ground plinth/nave/aisle", (1, 2), "aisle (Level II) lies on nave (Level II) instead of Level I (LU-8)"),
        ("ground/nave/vault/dome", (0, 3), "dome (Level III) lies on vault (Level III) instead of Level II (LU-8)"),
        ("ground/nave/tip1", (0, 2), "tip1 (Level IV) lies on nave (Level II) instead of Level III (LU-12)"),
        ("ground/nave/vault/tip1/aisle", (0, 4), "aisle (Level II) lies on tip1 (Level IV) instead of Level I (LU-8)"),
        ("ground/nave ground", (1, 0), "ground lies there twice (LU-1)"),
        ("ground/nave/vault/tip0 plinth/aisle/dome/tip1", (1, 3), "tip1 (Level IV) is a second spire (LU-2)"),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_its_card_and_clause(card_set, text, place, fault):
    assert faults_of(card_set, text) == {place: fault}


def test_a_level_iii_card_on_level_i_is_legal_only_with_any_lower(card_set):
    """LU-8, l16."""
    fault = "vault (Level III) lies on ground (Level I) instead of Level II (LU-8)"
    assert faults_of(card_set, "ground/vault") == {(0, 1): fault}
    assert faults_of(card_set, "ground/vault", any_lower=True) == {}


def test_with_any_lower_a_card_still_lies_on_a_lower_level_and_a_spire_on_level_iii(card_set):
    """LU-12, l16."""
    fault = "aisle (Level II) lies on nave (Level II) instead of Level I (LU-8)"
    assert faults_of(card_set, "ground/nave/aisle", any_lower=True) == {(0, 2): fault}
    fault = "dome (Level III) lies on vault (Level III) instead of a lower level (LU-8)"
    assert faults_of(card_set, "ground/vault/dome", any_lower=True) == {(0, 2): fault}
    fault = "tip0 (Level IV) lies on nave (Level II) instead of Level III (LU-12)"
    assert faults_of(card_set, "ground/nave/tip0", any_lower=True) == {(0, 2): fault}


# What a free place is worth


def test_a_free_place_finds_the_resources_of_all_arrows_that_point_at_it(card_set):
    """LU-9, T-LU-6: W, E, NW, N and NE of the giver, never down."""
    places = free_places(columns_of(card_set, "ground/nave plinth"))
    assert places == {
        (-1, 0): (1, 0, 0),  # ground's W
        (2, 0): (0, 1, 0),  # plinth's E
        (0, 2): (0, 1, 2),  # nave's N
        (1, 1): (0, 0, 0),  # nave gives nothing to its east
    }
    assert free_places(columns_of(card_set, "ground plinth/aisle step"))[0, 1] == (1, 0, 0)
    assert free_places(columns_of(card_set, "ground/nave plinth/aisle"))[0, 2] == (0, 4, 2)


def test_there_is_no_free_place_beside_a_spire_or_above_row_4(card_set):
    assert free_places(columns_of(card_set, "ground/nave/vault/tip0 plinth")) == {}


# The picture


def test_cards_side_by_side_show_all_that_is_printed_on_them(card_set):
    figure = draw_row(card_set, "nave step tip2")
    assert said(figure) == []
    words = written(figure)
    assert [word for word in words if not word.isdigit()] == ["II", "nave", "I", "step", "IV", "tip2"]
    numbers = [int(word) for word in words if word.isdigit()]
    assert sorted(numbers) == sorted([1, 2, 2, 4, 1, 2, 15])
    assert painted(figure) == [2, 1, 4], "a window, a rosette or a triangle for each colour of each field"


def test_a_card_that_costs_nothing_says_so(card_set):
    assert "free" in written(draw_row(card_set, "ground"))
    assert "free" not in written(draw_row(card_set, "plinth"))


def test_each_arrow_the_pictogram_and_the_bonus_star_are_drawn(card_set):
    def count(text):
        axes = draw_row(card_set, text).axes[0]
        return len(axes.patches), len(axes.lines)

    assert count("step")[1] == 1, "the star of the bonus card"
    assert count("vault")[1] == 0
    # vault: N; dome: NW and N. Both have two bands, one face and three icons.
    assert count("dome")[0] - count("vault")[0] == 1
    # plinth has two arrows, three icons and the three parts of the pictogram
    assert count("plinth")[0] - count("dome")[0] == 3


def test_a_cathedral_lies_as_it_is_written(card_set):
    axes = draw_row(card_set, "ground/nave plinth").axes[0]
    at = {text.get_text(): text.get_position() for text in axes.texts}
    assert at["ground"][0] == at["nave"][0] < at["plinth"][0]
    assert at["ground"][1] == at["plinth"][1] < at["nave"][1]


def test_a_legal_cathedral_tells_its_height_and_permanent_resources(card_set):
    assert said(draw_row(card_set, "ground/nave plinth")) == [
        "Cathedral of 3 cards, up to Level II",
        "Permanent resources: 1 blue, 1 green, 2 red",
        "Dotted: the free places, and what the neighbours' arrows pay there",
    ]
    assert said(draw_row(card_set, "ground/nave/vault/tip0")) == [
        "Cathedral of 4 cards, up to Level IV",
        "Permanent resources: 1 blue, 3 green, 2 red",
    ]


def test_a_cathedral_that_breaks_a_clause_is_drawn_with_the_fault_named_and_framed(card_set):
    figure = draw_row(card_set, "ground/vault nave")
    assert said(figure) == [
        "Not legal: vault (Level III) lies on ground (Level I) instead of Level II (LU-8)",
        "Not legal: nave (Level II) lies on no card (LU-8)",
    ]
    framed = [patch for patch in figure.axes[0].patches if patch.get_edgecolor() == to_rgba(BROKEN)]
    assert sorted(patch.get_bbox().x0 // 1 for patch in framed) == [0, 1]


def test_the_reading_of_the_set_decides_what_is_legal(card_set, tmp_path):
    (tmp_path / "rules.toml").write_text("[any_lower]\nvalue = true\n", encoding="utf-8")
    shipped = read_set(tmp_path, {})
    one, three = (next(card.id for card in shipped.cards if card.level == level) for level in (1, 3))
    assert said(draw_row(shipped, f"{one}/{three}"))[0] == "Cathedral of 2 cards, up to Level III"
    assert said(draw_row(read_set(None, {}), f"{one}/{three}"))[0].startswith("Not legal")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("grund nave", "there is no card 'grund', expected ground"),
        ("ground/nav", "there is no card 'nav', expected nave"),
        ("ground/", "a card is missing beside a /"),
        ("ground//nave", "a card is missing beside a /"),
        ("/", "a card is missing beside a /"),
        ("  ", "there is nothing to draw"),
    ],
)
def test_a_text_that_names_no_cards_is_refused_before_anything_is_drawn(card_set, text, problem):
    with pytest.raises(UserError, match=problem):
        draw_row(card_set, text)


def test_an_svg_is_the_same_bytes_every_time(card_set, tmp_path):
    for name in ("first.svg", "second.svg"):
        draw_row(card_set, "ground/nave plinth").savefig(tmp_path / name)
    first = (tmp_path / "first.svg").read_bytes()
    assert first == (tmp_path / "second.svg").read_bytes()
    assert b"<dc:date>" not in first


def test_a_drawing_shows_itself_in_a_notebook(card_set):
    assert draw_row(card_set, "ground")._repr_png_().startswith(b"\x89PNG")
