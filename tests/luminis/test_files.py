"""A designer's card set: what is read, what overrides what, how settings change it and how faults are named."""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.game import CardFaults, Fault, UserError
from simulator.games.luminis.cards import DATA, FILE_NAME, Card
from simulator.games.luminis.files import catalogue, read_set, set_faults
from simulator.games.luminis.model import (
    FIRST_CARD,
    MAX_BONUS,
    MAX_CARDS,
    MAX_EVENTS,
    MAX_HAND,
    MAX_LEVEL_I,
    MAX_PILES,
    MAX_SEATS,
    MAX_SHOWN,
    MAX_TAPE,
    TABLES,
)
from simulator.games.luminis.tables import derive_tables

HEADER = "id,level,cost,centre,local,arrows,pictogram,bonus"
SMALL = ("one,I,,1b,,,,", "two,II,1b,,,,,", "three,III,1b,,,,,", *(f"top{n},IV,15b,,,,," for n in range(4)))
"""The least that can be played."""


@pytest.fixture(scope="module")
def default():
    return read_set(None, {})


def written(folder: Path, *rows: str) -> Path:
    (folder / FILE_NAME).write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    return folder


def faults_of(cards: Path | None, settings: Mapping[str, Any] | None = None) -> list[Fault]:
    with pytest.raises(CardFaults) as caught:
        read_set(cards, settings or {})
    return list(caught.value.faults)


def card(card_set, id: str) -> Card:
    return next(card for card in card_set.cards if card.id == id)


# What is read


def test_the_default_set_has_no_fault():
    assert set_faults(None) == []


def test_the_rulebooks_numbers_are_read_for_each_player_count(default):
    """T-LU-9, LU-3, LU-4: 3 spires and piles for two players, 4 for three and four, 4 and 5 for five."""
    rules = default.rules
    assert rules.spires_shown == (3, 4, 4, 4)
    assert rules.piles == (3, 4, 4, 5)
    assert rules.start_cards == (4, 5, 6, 6, 6)
    assert (rules.hand_limit, rules.temporary_factor) == (7, 2)
    assert (rules.any_lower, rules.advanced, rules.turn_limit) == (False, False, 600)
    assert {name for name, mark in rules.marks.items() if mark != "S"} == {"any_lower", "turn_limit"}


def test_the_content_is_json_and_holds_every_value_that_decides_a_game(default):
    content = json.loads(json.dumps(default.content))
    assert content == default.content
    assert len(content["cards"]) == 102
    assert content["cards"][0] == {
        "id": "a01", "level": 1, "cost": {"blue": 0, "green": 0, "red": 0},
        "centre": {"blue": 1, "green": 0, "red": 0}, "local": {"blue": 1, "green": 0, "red": 0},
        "arrows": "N", "pictogram": False, "bonus": False,
    }  # fmt: skip
    assert content["rules"] == {
        "spires_shown": [3, 4, 4, 4], "piles": [3, 4, 4, 5], "start_cards": [4, 5, 6, 6, 6], "hand_limit": 7,
        "temporary_factor": 2, "any_lower": False, "advanced": False, "turn_limit": 600,
    }  # fmt: skip


def test_a_spire_that_costs_nothing_is_no_goal():
    with pytest.raises(CardFaults, match="spire s1 costs nothing, expected a cost"):
        read_set(None, {"cards.s1.cost.blue": 0})


def test_sources_are_the_cathedral_and_then_the_cards_in_file_order(default):
    sources = catalogue(default)
    assert (sources[0].source, sources[0].kind, sources[0].offered) == ("cathedral", "track", False)
    assert len({source.source for source in sources}) == len(sources) == 1 + 102
    for position, card in enumerate(default.cards):
        source = sources[FIRST_CARD + position]
        spire = card.level == 4
        assert source.source == f"{'spire' if spire else 'card'}.{card.id}"
        kind = "bonus card" if card.bonus else "pictogram card" if card.pictogram else "card"
        assert (source.kind, source.offered) == ("spire" if spire else kind, spire)
    groups = [source.group for source in sources]
    assert [groups.count(group) for group in ("Level I", "Level II", "Level III")] == [34, 40, 22]
    assert [groups.count(f"{colour} spires") for colour in ("Blue", "Green", "Red")] == [2, 2, 2]


def test_a_source_tells_its_card_in_plain_words(tmp_path):
    rows = (*SMALL, "x,II,4b 1r,2g,1b 2r,NE W,yes,yes", "mixed,IV,8b 7g,,,,,")
    texts = {source.source: source for source in catalogue(read_set(written(tmp_path, *rows), {}))}
    assert texts["card.x"].text == (
        "costs 4 blue 1 red; 2 green in the centre; 1 blue 2 red to W, NE; pictogram; bonus card"
    )
    assert texts["card.one"].text == "costs nothing; 1 blue in the centre"
    assert texts["spire.mixed"].group == "Mixed spires"


# The kernel's tables


@pytest.mark.parametrize(("players", "shown", "piles"), [(2, 3, 3), (3, 4, 4), (4, 4, 4), (5, 4, 5)])
def test_tables_hold_the_numbers_of_their_player_count(default, players, shown, piles):
    """T-LU-9."""
    array = derive_tables(default, players)
    assert (array.dtype, array.shape) == (TABLES, (1,))
    tables = array[0]
    assert (tables.spires_shown, tables.piles) == (shown, piles)
    assert tables.start_cards.tolist() == [4, 5, 6, 6, 6]
    assert (tables.hand_limit, tables.temporary_factor, tables.turn_limit) == (7, 2, 600)
    assert (tables.any_lower, tables.advanced) == (0, 0)


def test_rule_values_and_readings_reach_the_tables(default):
    settings = {
        "rules.any_lower": True, "rules.advanced": True, "rules.hand_limit": 9, "rules.temporary_factor": 3,
        "rules.turn_limit": 99, "rules.start_cards": [1, 2, 3, 4, 5],
    }  # fmt: skip
    tables = derive_tables(read_set(None, settings), 4)[0]
    assert (tables.any_lower, tables.advanced, tables.hand_limit) == (1, 1, 9)
    assert (tables.temporary_factor, tables.turn_limit) == (3, 99)
    assert tables.start_cards.tolist() == [1, 2, 3, 4, 5]


def test_cards_lie_in_the_tables_by_their_position_in_the_file(tmp_path):
    rows = ("x,II,4b 1r,2g,1b 2r,NE W,yes,", *SMALL)
    tables = derive_tables(read_set(written(tmp_path, *rows), {}), 2)[0]
    assert (tables.n_cards, tables.n_spires, tables.n_bonus) == (8, 4, 0)
    assert tables.level[:9].tolist() == [2, 1, 2, 3, 4, 4, 4, 4, 0]
    assert tables.cost[0].tolist() == [4, 0, 1]
    assert tables.centre[0].tolist() == [0, 2, 0]
    assert tables.local[0].tolist() == [1, 0, 2]
    assert tables.arrows[0] == 1 + 16, "W and NE"
    assert tables.pictogram[:2].tolist() == [1, 0]
    assert tables.spires[:4].tolist() == [4, 5, 6, 7]


def test_the_bonus_stack_is_sorted_by_level_and_then_as_in_the_file(tmp_path):
    """LU-13, r6: the lowest level on top."""
    bonus = ("h,III,,,,,,yes", "k,II,,,,,,yes", "a,I,,,,,,yes", "b,II,,,,,,yes", "l,I,,,,,,yes")
    tables = derive_tables(read_set(written(tmp_path, *bonus, *SMALL), {}), 2)[0]
    assert tables.n_bonus == 5
    assert tables.bonus[:5].tolist() == [2, 4, 1, 3, 0]
    assert np.flatnonzero(tables.is_bonus).tolist() == [0, 1, 2, 3, 4]


def test_no_rule_value_in_its_range_outgrows_the_shapes_of_the_model():
    """The sums of the note at the top of rules.toml."""
    rules = tomllib.loads((DATA / "rules.toml").read_text(encoding="utf-8"))
    most = {
        name: rule["range"][1] for name, rule in rules.items() if isinstance(rule, dict) and "range" in rule
    }
    assert most["spires_shown"] <= MAX_SHOWN
    assert most["piles"] <= MAX_PILES
    others = MAX_SEATS - 1
    assert max(most["hand_limit"], most["start_cards"]) + others + 1 <= MAX_HAND
    turns, dealt = most["turn_limit"], MAX_SEATS * most["start_cards"]
    # Each seat may go to every pile, and writes each down again; then dealt cards are trimmed.
    set_up = (
        3 + MAX_SHOWN + (1 + MAX_SEATS) * (MAX_CARDS + 3 * MAX_PILES) + 4 * MAX_SEATS * MAX_PILES + 5 * dealt
    )
    assert set_up + 10 * turns + (18 - 10) * MAX_CARDS <= MAX_TAPE
    marks = 2 * MAX_SHOWN + dealt + MAX_SEATS * (MAX_SHOWN + 4)
    assert marks + dealt + MAX_BONUS + 2 * turns <= MAX_EVENTS


# Which file overrides which


def test_a_folder_overrides_file_by_file_and_is_not_called_reconstructed(tmp_path, default):
    card_set = read_set(written(tmp_path, *SMALL), {})
    assert [card.id for card in card_set.cards][:3] == ["one", "two", "three"]
    assert card_set.rules == default.rules
    assert card_set.reconstructed == ("rules.toml",)
    assert default.reconstructed == ("cards.csv", "rules.toml")


def test_cards_that_keep_our_ids_are_reconstructed(tmp_path):
    shutil.copyfile(DATA / FILE_NAME, tmp_path / FILE_NAME)
    assert "cards.csv" in read_set(tmp_path, {}).reconstructed
    text = (DATA / FILE_NAME).read_text(encoding="utf-8")
    (tmp_path / FILE_NAME).write_text(text.replace("a07,", "mine,"), encoding="utf-8")
    assert "cards.csv" not in read_set(tmp_path, {}).reconstructed


def test_a_rules_file_may_hold_only_what_it_changes(tmp_path, default):
    (tmp_path / "rules.toml").write_text("[hand_limit]\nvalue = 8\n", encoding="utf-8")
    card_set = read_set(tmp_path, {"rules.temporary_factor": 3})
    assert (card_set.rules.hand_limit, card_set.rules.temporary_factor, card_set.rules.piles) == (
        8,
        3,
        (3, 4, 4, 5),
    )
    assert card_set.cards == default.cards
    assert "rules.toml" in card_set.reconstructed, "its readings of open clauses are ours"


def test_rules_that_settle_every_reading_are_the_designers_own(tmp_path):
    text = "[any_lower]\nvalue = true\nmark = 'S'\n[turn_limit]\nvalue = 100\n"
    (tmp_path / "rules.toml").write_text(text, encoding="utf-8")
    assert read_set(tmp_path, {}).reconstructed == ("cards.csv",)


def test_a_single_csv_file_holds_the_cards(tmp_path):
    written(tmp_path, *SMALL)
    path = (tmp_path / FILE_NAME).rename(tmp_path / "mine.csv")
    assert len(read_set(path, {}).cards) == 7


def test_an_unknown_file_in_the_folder_is_named_with_the_nearest_right_name(tmp_path):
    written(tmp_path, *SMALL)
    (tmp_path / "rule.toml").write_text("", encoding="utf-8")
    (fault,) = faults_of(tmp_path)
    assert (fault.problem, fault.expected) == ("unknown file", "rules.toml")
    assert set_faults(tmp_path) == [fault]


def test_a_folder_or_file_that_is_no_card_set_is_refused_in_one_sentence(tmp_path):
    with pytest.raises(UserError, match="holds no file"):
        read_set(tmp_path, {})
    with pytest.raises(UserError, match="there is no card file or folder"):
        read_set(tmp_path / "nowhere", {})


# Faults


@pytest.mark.parametrize(
    ("text", "problem", "expected"),
    [
        ("[piles]\nvalue = [3, 4, 4]\n", "3 items", "4, one for each of 2 to 5 players"),
        ("[spires_shown]\nvalue = [3, 4, 4, 4, 4]\n", "5 items", "4, one for each of 2 to 5 players"),
        ("[start_cards]\nvalue = [4, 5, 6, 6]\n", "4 items", "5, one for each seat"),
        ("[start_cards]\nvalue = [0, 5, 6, 6, 6]\n", "[0, 5, 6, 6, 6]", "a list of numbers from 1 to 9"),
        ("[hand_limit]\nvalue = 16\n", "16", "a whole number from 1 to 15"),
        ("[hand_limit]\nvalue = true\n", "True", "a whole number"),
        ("[any_lower]\nvalue = 1\n", "1", "true or false"),
        ("[turn_limit]\nvalue = 1201\n", "1201", "10 to 1200"),
        ("[hand_limt]\nvalue = 7\n", "unknown rule", "hand_limit"),
        ("[hand_limit]\nvalu = 7\n", "unknown key", "value"),
    ],
)
def test_a_fault_of_the_rules_names_its_line(tmp_path, text, problem, expected):
    (tmp_path / "rules.toml").write_text("reconstructed = true\n" + text, encoding="utf-8")
    faults = [
        fault for fault in faults_of(tmp_path) if problem in fault.problem and expected in fault.expected
    ]
    assert [(Path(fault.file).name, fault.line in (2, 3)) for fault in faults] == [("rules.toml", True)]


def test_faults_of_both_files_are_found_at_once(tmp_path):
    written(tmp_path, "x,V,,,,,,")
    (tmp_path / "rules.toml").write_text("[piles]\nvalue = [3]\n", encoding="utf-8")
    assert [Path(fault.file).name for fault in faults_of(tmp_path)] == ["cards.csv", "rules.toml"]
    assert set_faults(tmp_path) == faults_of(tmp_path)


@pytest.mark.parametrize(
    ("rows", "problem", "expected"),
    [
        (SMALL[1:], "no Level I card without bonus", "some to start with"),
        (("one,I,,,,,,yes", *SMALL[1:]), "no Level I card without bonus", "some to start with"),
        ((SMALL[0], *SMALL[2:]), "no Level II card", "a Level III card lies on one"),
        ((*SMALL[:2], *SMALL[3:]), "no Level III card", "a spire lies on one"),
        (SMALL[:-1], "3 cards of Level IV", "at least 4, as rules.spires_shown"),
        ((*SMALL, *(f"x{n},II,,,,,," for n in range(MAX_CARDS - 6))), "161 cards", "at most 160"),
        ((*SMALL, *(f"x{n},I,,,,,," for n in range(MAX_LEVEL_I))), "61 cards of Level I", "at most 60"),
        ((*SMALL, *(f"x{n},II,,,,,,yes" for n in range(MAX_BONUS + 1))), "9 cards with bonus", "at most 8"),
    ],
)
def test_a_set_that_cannot_be_played_is_a_fault(tmp_path, rows, problem, expected):
    (fault,) = faults_of(written(tmp_path, *rows))
    assert problem in fault.problem
    assert expected in fault.expected


@pytest.mark.parametrize(
    ("rows", "settings"),
    [
        (SMALL, {}),
        ((SMALL[0], *SMALL[2:]), {"rules.any_lower": True}),
        (SMALL[:-1], {"rules.spires_shown": [3, 3, 3, 3]}),
        ((*SMALL, *(f"x{n},I,,,,,," for n in range(MAX_LEVEL_I - 1))), {}),
        ((*SMALL, *(f"x{n},II,,,,,,yes" for n in range(MAX_BONUS))), {}),
        ((*SMALL, *(f"x{n},II,,,,,," for n in range(MAX_CARDS - 7))), {}),
    ],
)
def test_a_set_with_other_counts_than_the_rulebooks_can_be_played(tmp_path, rows, settings):
    assert len(read_set(written(tmp_path, *rows), settings).cards) == len(rows)


@pytest.mark.parametrize("field", ["pictogram", "bonus"])
def test_a_spire_with_a_mark_is_a_fault_of_its_row_or_setting(tmp_path, field):
    marks = {"pictogram": "yes,", "bonus": ",yes"}[field]
    (fault,) = faults_of(written(tmp_path, *SMALL, f"bad,IV,15b,,,,{marks}"))
    assert (fault.line, fault.field, fault.problem) == (9, field, f"spire bad has {field} = yes")
    (fault,) = faults_of(None, {f"cards.s1.{field}": True})
    assert (fault.file, fault.field) == ("--set", f"cards.s1.{field}")
    marked = next(card.id for card in read_set(None, {}).cards if getattr(card, field))
    (fault,) = faults_of(None, {f"cards.{marked}.level": 4})
    assert (fault.file, fault.field) == ("--set", f"cards.{marked}.level")


# Settings


@pytest.mark.parametrize(
    ("setting", "value", "field", "found"),
    [
        ("cards.a01.level", 2, "level", 2),
        ("cards.a01.level", "III", "level", 3),
        ("cards.a01.cost.blue", 3, "cost", (3, 0, 0)),
        ("cards.a01.centre.blue", 0, "centre", (0, 0, 0)),
        ("cards.a01.centre.red", 4, "centre", (1, 0, 4)),
        ("cards.a01.local", "2g 1r", "local", (0, 2, 1)),
        ("cards.a01.arrows", "W NW", "arrows", frozenset({"W", "NW"})),
        ("cards.a01.arrows", "", "arrows", frozenset()),
        ("cards.a01.pictogram", True, "pictogram", True),
        ("cards.a34.bonus", False, "bonus", False),
    ],
)
def test_a_setting_changes_its_own_value_and_nothing_else(default, setting, value, field, found):
    changed = read_set(None, {setting: value})
    id = setting.split(".")[1]
    assert getattr(card(changed, id), field) == found
    same = [
        (one.id, name)
        for one, other in zip(default.cards, changed.cards, strict=True)
        for name in ("level", "cost", "centre", "local", "arrows", "pictogram", "bonus")
        if getattr(one, name) != getattr(other, name)
    ]
    assert same == [(id, field)]
    assert changed.rules == default.rules


def test_settings_add_up_on_one_card():
    changed = read_set(None, {"cards.b01.cost": "1b", "cards.b01.cost.red": 2, "cards.b01.cost.blue": 4})
    assert card(changed, "b01").cost == (4, 0, 2)


def test_every_number_of_the_content_is_the_name_of_a_setting(default):
    """A sweep, and the contract's own tests, walk the content."""
    for entry in default.content["cards"][::9]:
        for name, amounts in entry.items():
            if isinstance(amounts, dict):
                settings = {f"cards.{entry['id']}.{name}.{colour}": 7 for colour in amounts}
                assert getattr(card(read_set(None, settings), entry["id"]), name) == (7, 7, 7)


@pytest.mark.parametrize(
    ("setting", "value", "problem", "expected"),
    [
        ("rules.handlimit", 6, "no rule 'handlimit'", "hand_limit"),
        ("rules.hand_limit", 99, "99", "a whole number from 1 to 15"),
        ("rules.hand_limit.value", 6, "no such setting", "rules.NAME"),
        ("rules.piles", 3, "3", "a list of numbers from 1 to 8"),
        ("card.a01.level", 2, "no such setting", "cards"),
        ("cards.a01", 2, "no such setting", "cards.ID.FIELD"),
        ("cards.c019.level", 2, "no card 'c019'", "c19"),
        ("cards.a01.levle", 2, "no field 'levle'", "level"),
        ("cards.a01.level", 5, "5", "I, II, III or IV"),
        ("cards.a01.level", True, "True", "I, II, III or IV"),
        ("cards.a01.level.blue", 2, "level has no colours", "cards.a01.level"),
        ("cards.a01.cost.blu", 2, "no colour 'blu'", "blue"),
        ("cards.a01.cost.blue", 31, "31", "0 to 30"),
        ("cards.a01.cost.blue", -1, "-1", "0 to 30"),
        ("cards.a01.cost.blue", "2b", "'2b'", "a whole number"),
        ("cards.a01.cost.blue", 1.5, "1.5", "a whole number"),
        ("cards.a01.cost.blue", True, "True", "a whole number"),
        ("cards.a01.cost", 2, "2", "such as 2b"),
        ("cards.a01.arrows", "S", "S points down", "one of W, E"),
        ("cards.a01.arrows", ["N"], "['N']", "some of W E NW N NE"),
        ("cards.a01.pictogram", 1, "1", "true or false"),
        ("cards.a01.pictogram", "ja", "'ja'", "yes or nothing"),
        ("cards.a01.id", "b", "no field 'id'", ""),
    ],
)
def test_a_wrong_setting_is_named_as_a_setting(setting, value, problem, expected):
    (fault,) = faults_of(None, {setting: value})
    assert (fault.file, fault.line, fault.field) == ("--set", 0, setting)
    assert problem in fault.problem
    assert expected in fault.expected


def test_an_earlier_reading_is_not_changed_by_a_setting(default):
    read_set(None, {"cards.a01.cost.blue": 9, "rules.hand_limit": 9})
    assert read_set(None, {}) == default
