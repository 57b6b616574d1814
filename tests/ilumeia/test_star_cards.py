"""The notation of star cards and the geometry of one card."""

from itertools import combinations, product
from pathlib import Path

import pytest

from simulator.game import UserError
from simulator.games.ilumeia.star_cards import (
    ANCHORS,
    DATA,
    EDGE,
    LEVELS,
    PLACES,
    UNIT,
    cross,
    degrees,
    line_problem,
    line_segment,
    read_star_cards,
    set_faults,
    star_card,
    star_cards_path,
    transition_segment,
    transition_star,
    transitions,
    turned,
    write_star_cards,
)

HEADER = "id,stars,lines,left,right,comets"
WITNESS = Path(__file__).parent / "fixtures" / "ilumeia_witness.csv"


def written(folder, *lines, header=HEADER):
    path = folder / "star_cards.csv"
    path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return path


def test_a_card_is_read_with_all_its_parts():
    cards, faults = read_star_cards(WITNESS)
    assert faults == []
    assert list(cards) == ["w1", "w2", "w3", "w4", "w5", "w6", "w7", "example"]
    assert cards["example"] == star_card(
        "example",
        stars=["NW", "NE", "C", "SW", "SE"],
        flames=["NW", "NE"],
        lines=[("NW", "C"), ("C", "NE"), ("C", "SE"), ("SW", "SE")],
        left="u",
        right="lu",
        comets=["nw"],
    )
    assert cards["example"].right == "ul"


@pytest.mark.parametrize(
    ("row", "field", "problem", "expected"),
    [
        (",C,,,m,", "id", "is missing", "unique"),
        ("a 1,C,,,m,", "id", "'a 1' has a space", "without"),
        ("a1r,C,,,m,", "id", "ends in r", "another last letter"),
        ("../a,C,,,m,", "id", "'../a' can't name a card", "no slashes"),
        ("a\x1b[31m,C,,,m,", "id", "can't name a card", "printable"),
        ("a,NW N NE W C E SW SE,NW-N N-NE W-C C-E SW-W SE-E,,u,", "stars", "8 stars", "1 to 7"),
        ("a,C NWW,,,m,", "stars", "'NWW'", "NW"),
        ("a,C c*,,,m,", "stars", "'c'", "C"),
        ("a,C C*,,,m,", "stars", "C stands twice", "once"),
        ("a,C N,C-N C,,m,", "lines", "'C' is no line", "NW-C"),
        ("a,C N,C-N C-Q,,m,", "lines", "'Q' in C-Q", "one of"),
        ("a,C N,C-N C-NE,,m,", "lines", "ends at NE, where no star stands", "two stars"),
        ("a,C N,C-N C-C,,m,", "lines", "C-C joins a star with itself", "two stars"),
        ("a,C N,C-N N-C,,m,", "lines", "N-C stands twice", "once"),
        ("a,C N SE,C-N N-SE C-SE,,m,", "lines", "N-SE joins neither neighbours", "two stars"),
        ("a,NW SE,NW-SE,u,,", "lines", "NW-SE joins neither", "two stars"),
        ("a,N C S,N-S N-C,,m,", "lines", "N-S passes through the star at C", "no third one"),
        ("a,NW N W C,NW-C N-W,,m,", "lines", "NW-C and N-W cross", "stars only"),
        ("a,N W E S,N-S W-E,,m,", "lines", "N-S and W-E cross", "stars only"),
        ("a,NW SW C,NW-SW C-SW,m,,", "lines", "NW-SW crosses the left transition m", "stars only"),
        ("a,N S E,N-S E-S,m,,", "lines", "N-S crosses the left transition m, which runs to E", "stars only"),
        ("a,C N,C-N,,,", "left and right", "0 transitions", "1 to 4"),
        ("a,N C S,N-C C-S,u m l,u m,", "left and right", "5 transitions", "1 to 4"),
        ("a,C N,C-N,,l,", "right", "transition l has no star", "a star on level l"),
        ("a,C N,C-N,,x,", "right", "'x'", "one of u, m, l"),
        ("a,C N,C-N,m m,,", "left", "m stands twice", "once"),
        ("a,C N,,m,,", "stars", "no line meets N", "at each star"),
        ("a,C N,C-N,m,,n", "comets", "'n'", "nw"),
        ("a,C N,C-N,m,,nw nw", "comets", "nw stands twice", "once"),
        ("a,C N,C-N,m,,nw ne se", "comets", "3 comets", "at most 2"),
        ("a,C N,C-N,m", "row", "has 4 fields", "6"),
        ("a,C N,C-N,m,,,", "row", "has 7 fields", "6"),
        ('a,C N,"C-N,m,,', "row", "can't be split", "CSV"),
    ],
)
def test_a_fault_of_a_card_is_named_with_its_line_field_and_what_was_expected(
    tmp_path, row, field, problem, expected
):
    path = written(tmp_path, "ok,C,,,m,", row)
    cards, faults = read_star_cards(path)
    assert list(cards) == ["ok"]
    (fault,) = faults
    assert (fault.file, fault.line, fault.field) == (str(path), 3, field)
    assert problem in fault.problem
    assert expected in fault.expected


def test_a_card_without_anything_lacks_stars_and_transitions(tmp_path):
    _, faults = read_star_cards(written(tmp_path, "a,,,,,"))
    assert [(fault.field, fault.problem) for fault in faults] == [
        ("stars", "0 stars"),
        ("left and right", "0 transitions"),
    ]


def test_every_fault_of_a_file_is_found_and_sound_cards_are_kept(tmp_path):
    path = written(tmp_path, "a,Q C,,m,,zz", "b,C,,m,,", "b,C,,m,,", "c,C,,l,,")
    cards, faults = read_star_cards(path)
    assert list(cards) == ["b"]
    assert [(fault.line, fault.field) for fault in faults] == [
        (2, "stars"),
        (2, "comets"),
        (4, "id"),
        (5, "left"),
    ]
    assert "line 3" in faults[2].problem


@pytest.mark.parametrize(
    ("header", "problems"),
    [
        ("id,star,lines,left,right,comets", ["unknown column 'star'"]),
        ("id,stars,lines,left,right", ["column 'comets' is missing"]),
        ("id,stars,lines,left,right,comets,comets", ["column 'comets' stands twice"]),
        ("id,stars,lines,left,right,comets,colour", ["unknown column 'colour'"]),
        ("id;stars;lines;left;right;comets", ["has the one column"]),
    ],
)
def test_a_wrong_header_is_the_only_complaint(tmp_path, header, problems):
    _, faults = read_star_cards(written(tmp_path, "nonsense", header=header))
    assert [fault.field for fault in faults] == ["header"]
    assert [fault.line for fault in faults] == [1]
    assert all(problem in fault.problem for problem, fault in zip(problems, faults, strict=True))


def test_a_misspelt_column_is_answered_with_the_nearest_missing_one(tmp_path):
    _, faults = read_star_cards(written(tmp_path, header="id,star,lines,left,right,comets"))
    assert faults[0].expected == "stars"


def test_an_empty_file_asks_for_the_header(tmp_path):
    path = tmp_path / "empty.csv"
    path.write_text("\n\n", encoding="utf-8")
    cards, faults = read_star_cards(path)
    assert (cards, [fault.field for fault in faults]) == ({}, ["header"])


def test_a_file_that_is_no_utf_8_is_a_fault_with_its_line(tmp_path):
    path = tmp_path / "latin.csv"
    path.write_bytes(HEADER.encode() + b"\na,C,,m,,\nb\xe4,C,,m,,\n")
    _, faults = read_star_cards(path)
    assert [(fault.line, fault.field) for fault in faults] == [(3, "file")]


def test_what_spreadsheets_do_to_a_csv_file_is_tolerated(tmp_path):
    path = tmp_path / "excel.csv"
    text = '\r\ncomets,id,"stars", lines,left,right\r\n\r\n"nw se",b,"NW* C",C-NW,,"m u"\r\n,,,,,\r\n'
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    cards, faults = read_star_cards(path)
    assert faults == []
    assert cards == {"b": star_card("b", ["C", "NW"], ["NW"], [("NW", "C")], "", "um", ["se", "nw"])}


def test_a_written_set_reads_back_the_same(tmp_path):
    cards, _ = read_star_cards(DATA / "star_cards.csv")
    write_star_cards(tmp_path / "again.csv", cards)
    assert read_star_cards(tmp_path / "again.csv") == (cards, [])


def test_a_turned_card_has_every_part_on_the_other_side():
    card = star_card("a", ["NW", "N", "C"], ["N"], [("NW", "N"), ("N", "C")], "um", "m", ["nw", "ne"])
    assert turned(card) == star_card(
        "a", ["SE", "S", "C"], ["S"], [("SE", "S"), ("S", "C")], "m", "ml", ["se", "sw"]
    )
    assert turned(turned(card)) == card


def test_a_transition_runs_to_the_nearest_star_of_its_level():
    stars = ["NW", "N", "C", "E", "SE"]
    assert [transition_star(stars, "left", level) for level in "uml"] == ["NW", "C", "SE"]
    assert [transition_star(stars, "right", level) for level in "uml"] == ["N", "E", "SE"]
    assert transition_star(["C"], "left", "u") is None


def test_transitions_count_as_lines_of_their_star():
    card = star_card("a", ["C", "N"], [], [("C", "N")], "m", "mu", [])
    assert degrees(card) == {"N": 2, "C": 3}
    assert list(transitions(card)) == [("left", "m", "C"), ("right", "u", "N"), ("right", "m", "C")]


def points_on(segment):
    """The points of a segment on the grid of half steps, where all permitted lines meet."""
    (ax, ay), (bx, by) = segment
    steps = max(abs(bx - ax), abs(by - ay)) // (UNIT // 2)
    return [(ax + (bx - ax) * step // steps, ay + (by - ay) * step // steps) for step in range(steps + 1)]


def test_two_lines_cross_exactly_if_they_share_a_point_inside_both():
    segments = [line_segment(pair) for pair in combinations(PLACES, 2) if not line_problem(*pair, pair)]
    segments += [
        transition_segment(side, level, star)
        for side, level, star in product(("left", "right"), LEVELS, PLACES)
        if PLACES[star][1] == LEVELS[level]
    ]
    crossings = 0
    for first, second in combinations(segments, 2):
        flat = (first[0][0] - first[1][0]) * (second[0][1] - second[1][1])
        if flat == (first[0][1] - first[1][1]) * (second[0][0] - second[1][0]):
            continue  # parallel lines overlap only where a star stands, which line_problem refuses
        shared = set(points_on(first)[1:-1]) & set(points_on(second)[1:-1])
        assert cross(first, second) == bool(shared), (first, second)
        crossings += bool(shared)
    assert crossings > 10


def test_no_permitted_line_or_transition_passes_through_a_comet():
    segments = [line_segment(pair) for pair in combinations(PLACES, 2) if not line_problem(*pair, pair)]
    segments += [((-EDGE, y), (EDGE, y)) for y in LEVELS.values()]
    for ((ax, ay), (bx, by)), (x, y) in product(segments, ANCHORS.values()):
        assert (bx - ax) * (y - ay) != (by - ay) * (x - ax)


def test_a_full_set_has_216_cards_and_one_that_closes_a_row():
    cards, _ = read_star_cards(DATA / "star_cards.csv")
    assert set_faults(cards, "f") == []
    fewer = dict(list(cards.items())[:-1])
    assert ["215" in fault.problem for fault in set_faults(fewer, "f")] == [True]
    bridges = {str(number): star_card(str(number), ["C"], [], [], "m", "m", []) for number in range(216)}
    assert ["both sides" in fault.problem for fault in set_faults(bridges, "f")] == [True]


def test_a_folder_without_star_cards_leaves_the_default_ones(tmp_path):
    default = DATA / "star_cards.csv"
    assert star_cards_path(None) == default
    assert star_cards_path(tmp_path) == default
    own = written(tmp_path)
    assert star_cards_path(tmp_path) == own
    assert star_cards_path(own) == own
    with pytest.raises(UserError, match="no card file or folder"):
        star_cards_path(tmp_path / "missing")
