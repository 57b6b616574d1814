"""The notation of `cards.csv`: what each field may hold, and how every fault of a row is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.games.luminis.cards import (
    COLUMNS,
    DATA,
    FILE_NAME,
    Card,
    compass,
    content,
    letters,
    notation,
    read_cards,
    roman,
    write_cards,
)

HEADER = "id,level,cost,centre,local,arrows,pictogram,bonus"


def written(folder: Path, *rows: str, header: str = HEADER) -> Path:
    path = folder / FILE_NAME
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def read(folder: Path, *rows: str, header: str = HEADER):
    return read_cards(written(folder, *rows, header=header))


def test_a_card_is_read_with_all_its_parts(tmp_path):
    cards, faults = read(tmp_path, "rose,III,4b 5r,3g 1b,2r 2g,NE W,yes,")
    assert faults == []
    assert cards == {
        "rose": Card("rose", 3, (4, 0, 5), (1, 3, 0), (0, 2, 2), frozenset({"W", "NE"}), pictogram=True)
    }
    assert cards["rose"].line == 2


def test_an_empty_cell_means_none_of_it(tmp_path):
    cards, faults = read(tmp_path, "plain,I,,,,,,", "bonus_one,I,,,1b,N,,yes")
    assert faults == []
    assert cards["plain"] == Card("plain", 1)
    assert cards["bonus_one"].bonus


@pytest.mark.parametrize(
    ("written_level", "level"), [("I", 1), ("II", 2), ("III", 3), ("IV", 4), ("1", 1), ("4", 4)]
)
def test_a_level_is_a_roman_or_an_arabic_numeral(tmp_path, written_level, level):
    cards, _ = read(tmp_path, f"x,{written_level},,,,,,")
    assert cards["x"].level == level


def test_columns_may_come_in_any_order_and_cells_with_blanks_around(tmp_path):
    path = written(
        tmp_path, "yes ,,N, 1b , ,2r,I, x", header="bonus,pictogram,arrows,local,centre,cost, level,id "
    )
    cards, faults = read_cards(path)
    assert faults == []
    assert cards == {"x": Card("x", 1, (0, 0, 2), local=(1, 0, 0), arrows=frozenset({"N"}), bonus=True)}


def test_cards_stand_in_the_order_of_their_file(tmp_path):
    cards, _ = read(tmp_path, "z,I,,,,,,", "", "a,I,,,,,,", ",,,,,,,", "m,I,,,,,,")
    assert list(cards) == ["z", "a", "m"]
    assert [card.line for card in cards.values()] == [2, 4, 6]


@pytest.mark.parametrize(
    ("row", "field", "problem", "expected"),
    [
        (",I,,,,,,1", "id", "is missing", "an id of its own"),
        ("A1,I,,,,,,", "id", "'A1' is no id", "a-z and 0-9"),
        ("a.1,I,,,,,,", "id", "'a.1' is no id", "a-z and 0-9"),
        ("a/1,I,,,,,,", "id", "'a/1' is no id", "a-z and 0-9"),
        ("a 1,I,,,,,,", "id", "'a 1' is no id", "a-z and 0-9"),
        ("../x,I,,,,,,", "id", "'../x' is no id", "a-z and 0-9"),
        ("rosé,I,,,,,,", "id", "'rosé' is no id", "a-z and 0-9"),
        (f"{'x' * 61},I,,,,,,", "id", "is no id", "up to 60 characters"),
        ("x,,,,,,,1", "level", "is missing", "I, II, III or IV"),
        ("x,V,,,,,,", "level", "'V'", "I, II, III or IV"),
        ("x,0,,,,,,", "level", "'0'", "I, II, III or IV"),
        ("x,i,,,,,,", "level", "'i'", "I, II, III or IV"),
        ("x,2.0,,,,,,", "level", "'2.0'", "I, II, III or IV"),
        ("x,I,2,,,,,", "cost", "'2'", "1 to 30 and one of b, g, r, such as 2b"),
        ("x,I,b,,,,,", "cost", "'b'", "such as 2b"),
        ("x,I,2y,,,,,", "cost", "'2y'", "one of b, g, r"),
        ("x,I,b2,,,,,", "cost", "'b2'", "such as 2b"),
        ("x,I,0b,,,,,", "cost", "'0b'", "1 to 30"),
        ("x,I,31b,,,,,", "cost", "'31b'", "1 to 30"),
        ("x,I,-1b,,,,,", "cost", "'-1b'", "1 to 30"),
        ("x,I,٢b,,,,,", "cost", "'٢b'", "1 to 30"),
        ("x,I,1b 2g 1b,,,,,", "cost", "b stands twice", "each colour once"),
        ("x,I,,1b+1g,,,,", "centre", "'1b+1g'", "such as 2b"),
        ("x,I,,,1q,N,,", "local", "'1q'", "such as 2b"),
        ("x,I,,,1b,,,", "arrows", "local resources without an arrow", "some of W E NW N NE"),
        ("x,I,,,,N,,", "local", "arrows without local resources", "such as 2b"),
        ("x,I,,,1b,S,,", "arrows", "S points down", "one of W, E, NW, N, NE"),
        ("x,I,,,1b,N SE,,", "arrows", "SE points down", "one of W, E, NW, N, NE"),
        ("x,I,,,1b,NNW,,", "arrows", "unknown arrow 'NNW'", "NW"),
        ("x,I,,,1b,N N,,", "arrows", "N stands twice", "each arrow once"),
        ("x,I,,,,,no,", "pictogram", "'no'", "yes or nothing"),
        ("x,I,,,,,,true", "bonus", "'true'", "yes or nothing"),
        ("x,I,,,,,", "row", "has 7 fields", "8, as the header has"),
        ("x,I,,,,,,,", "row", "has 9 fields", "8, as the header has"),
        ('x,I,"1b,,,,,', "row", "can't be split", "fields as in CSV"),
    ],
)  # fmt: skip
def test_every_fault_of_a_row_is_named_with_its_line_and_what_was_expected(
    tmp_path, row, field, problem, expected
):
    cards, faults = read(tmp_path, "first,I,,,,,,", row)
    (fault,) = [fault for fault in faults if fault.field == field]
    assert (Path(fault.file).name, fault.line) == (FILE_NAME, 3)
    assert problem in fault.problem
    assert expected in fault.expected
    assert list(cards) == ["first"], "a card with a fault is left out"


def test_all_faults_of_a_row_and_of_all_rows_are_found_at_once(tmp_path):
    _, faults = read(tmp_path, "x,V,2y,,,S,no,", "y,II,1b 1b,,,,,maybe")
    assert [(fault.line, fault.field) for fault in faults] == [
        (2, "level"), (2, "cost"), (2, "arrows"), (2, "pictogram"), (3, "cost"), (3, "bonus"),
    ]  # fmt: skip


def test_an_id_stands_once(tmp_path):
    cards, (fault,) = read(tmp_path, "x,I,,,,,,", "y,I,,,,,,", "x,II,,,,,,")
    assert (fault.line, fault.field, fault.problem) == (4, "id", "'x' stands in line 2 too")
    assert cards["x"].level == 1


@pytest.mark.parametrize(
    ("header", "problem", "expected"),
    [
        (HEADER.replace("centre", "center"), "unknown column 'center'", "centre"),
        (HEADER.replace(",bonus", ""), "column 'bonus' is missing", HEADER),
        (HEADER.replace("bonus", "local"), "column 'local' stands twice", "each column once"),
        (HEADER + ",name", "unknown column 'name'", "none here"),
        (HEADER.replace(",", ";"), "has the one column", "with commas"),
    ],
)
def test_a_wrong_header_is_named_alone(tmp_path, header, problem, expected):
    cards, faults = read(tmp_path, "x,V,,,,,,", header=header)
    assert cards == {}
    assert problem in faults[0].problem
    assert expected in faults[0].expected
    assert all((fault.line, fault.field) == (1, "header") for fault in faults)


def test_an_empty_file_lacks_its_header(tmp_path):
    (tmp_path / FILE_NAME).write_text("\n \n", encoding="utf-8")
    _, (fault,) = read_cards(tmp_path / FILE_NAME)
    assert (fault.problem, fault.expected) == ("the file is empty", f"the header {HEADER}")


def test_a_spreadsheet_with_a_byte_order_mark_and_crlf_reads_alike(tmp_path):
    plain = (DATA / FILE_NAME).read_text(encoding="utf-8")
    path = tmp_path / FILE_NAME
    path.write_bytes(b"\xef\xbb\xbf" + plain.replace("\n", "\r\n").encode())
    assert read_cards(path) == read_cards(DATA / FILE_NAME)
    assert {card.line for card in read_cards(path)[0].values()} == set(range(2, 104))


@pytest.mark.parametrize(("encoding", "line"), [("latin-1", 3), ("utf-16", 1)])
def test_another_encoding_is_named_with_its_line(tmp_path, encoding, line):
    path = tmp_path / FILE_NAME
    path.write_bytes(f"{HEADER}\nx,I,,,,,,\nrosé,I,,,,,,\n".encode(encoding))
    cards, (fault,) = read_cards(path)
    assert cards == {}
    assert (fault.line, fault.problem) == (line, "is not UTF-8 text")


def test_what_is_written_reads_back_equal(tmp_path):
    cards, _ = read_cards(DATA / FILE_NAME)
    write_cards(tmp_path / FILE_NAME, cards.values())
    assert (tmp_path / FILE_NAME).read_bytes() == (DATA / FILE_NAME).read_bytes()


def test_a_card_is_written_in_the_order_of_the_notation():
    card = Card("x", 4, (1, 0, 15), (0, 2, 0), (3, 0, 0), frozenset({"NE", "W", "N"}), bonus=True)
    assert list(notation(card).items()) == list(
        zip(COLUMNS, ["x", "IV", "1b 15r", "2g", "3b", "W N NE", "", "yes"], strict=True)
    )
    assert content(card) == {
        "id": "x", "level": 4, "cost": {"blue": 1, "green": 0, "red": 15},
        "centre": {"blue": 0, "green": 2, "red": 0}, "local": {"blue": 3, "green": 0, "red": 0},
        "arrows": "W N NE", "pictogram": False, "bonus": True,
    }  # fmt: skip
    assert (roman(3), letters((0, 0, 0)), compass(["NE", "E"])) == ("III", "", "E NE")
