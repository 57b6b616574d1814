"""A designer's card set: what is read, what overrides what, and how every fault is named."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from simulator.game import CardFaults, Fault, UserError
from simulator.games.ilumeia.files import catalogue, ratio, read_set, set_faults
from simulator.games.ilumeia.measure import measure
from simulator.games.ilumeia.model import Planet, Reward, Target, Trigger, Verb
from simulator.games.ilumeia.star_cards import DATA

SETTING_OF = "prophecies.meculog_spare_capacitor"


@pytest.fixture(scope="module")
def default():
    return read_set(None, {})


def faults_of(cards: Path | None, settings: dict[str, object] | None = None) -> list[Fault]:
    with pytest.raises(CardFaults) as caught:
        read_set(cards, settings or {})
    return list(caught.value.faults)


def changed(folder: Path, file: str, old: str, new: str) -> int:
    """A copy of the default file in the folder with one piece replaced; the line where that stands."""
    text = (DATA / file).read_text(encoding="utf-8")
    assert old in text
    before = text[: text.index(old)]
    (folder / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    return before.count("\n") + 1


# What is read


def test_the_default_set_has_no_fault():
    assert set_faults(None) == []


def test_a_prophecy_is_read_with_everything_that_its_table_says(default):
    card = next(card for card in default.prophecies if card.id == "fluuvee_undertow")
    assert (card.name, card.planet, card.reward) == ("Undertow", Planet.FLUUVEE, Reward.ONE_TIME)
    assert not card.dot
    assert card.condition.names == {"comets", "comets_enclosed", "comets_open"}
    effect = card.effect
    assert (effect.verb, effect.trigger, effect.target) == (Verb.STEAL_VP, Trigger.PLAY, Target.AHEAD)
    assert (effect.amount, effect.per, effect.count, effect.most, effect.when) == (2, None, None, None, None)
    scorched = next(card for card in default.prophecies if card.id == "aggroksch_scorched_sky")
    assert (scorched.solo_removed, scorched.vp, scorched.effect.most) == (True, 0, 5)
    assert scorched.effect.per.value({"claims": 2}) == 3


def test_cards_stand_in_the_order_of_their_file(default):
    text = (DATA / "prophecies.toml").read_text(encoding="utf-8")
    places = [text.index(f"[prophecies.{card.id}]") for card in default.prophecies]
    assert places == sorted(places)


def test_named_thresholds_become_the_numbers_of_their_sequence(default):
    assert default.rules.vvibon_thresholds == (1, 1, 2, 3, 5, 8, 13, 21, 34)
    other = read_set(None, {"rules.vvibon_thresholds": "fibonacci_1_2"})
    assert other.rules.vvibon_thresholds == (1, 2, 3, 5, 8, 13, 21, 34, 55)


def test_the_content_is_json_and_holds_every_value_that_decides_a_game(default):
    content = json.loads(json.dumps(default.content))
    assert content == default.content
    assert len(content["star_cards"]) == 216
    undertow = next(card for card in content["prophecies"] if card["id"] == "fluuvee_undertow")
    assert undertow["effect"] == {"verb": "steal_vp", "trigger": "play", "target": "ahead", "amount": 2}
    assert content["rules"]["primos_fields"][0] == [2, 3]


@pytest.mark.parametrize(
    "setting",
    [
        {"rules.energy_start": 6},
        {"rules.vvibon_vp": [[1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]]},
        {f"{SETTING_OF}.vp": 9},
        {f"{SETTING_OF}.effect.amount": 3},
        {f"{SETTING_OF}.effect.when": "age >= 2"},
        {f"{SETTING_OF}.condition": "stars >= 20"},
        {"providence.twin_tails.at_least": 6},
    ],
    ids=str,
)
def test_a_setting_changes_its_own_value_and_nothing_else(default, setting):
    before, after = flat(default.content), flat(read_set(None, setting).content)
    (changed_key,) = {key for key in before | after if before.get(key) != after.get(key)}
    ((name, value),) = setting.items()
    assert changed_key.endswith("." + name.split(".", 2)[-1].removeprefix("rules."))
    assert after[changed_key] == value
    assert flat(read_set(None, {}).content) == before


def flat(content: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Every value of a content by its dotted place, cards by their ids, lists of values whole."""
    values: dict[str, Any] = {}
    for key, value in content.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            value = {card["id"]: card for card in value}
        values |= flat(value, f"{above}{key}.") if isinstance(value, dict) else {above + key: value}
    return values


def test_sources_are_listed_in_the_order_of_their_codes(default):
    sources = catalogue(default)
    names = [source.source for source in sources]
    assert names[:5] == ["vvibon", "amp_r", "suzur", "lotzzz", "primos.2_3"]
    assert names[12:17] == [
        "bneph.comets", "bneph.ends", "bneph.middle", "bneph.centrals", "prophecy.meculog_deep_registers",
    ]  # fmt: skip
    assert names[-2:] == ["providence.still_water", "compensation"]
    assert len(set(names)) == len(names) == 4 + 8 + 4 + 50 + 12 + 1
    groups = {source.group for source in sources}
    assert {"braeck", "vvibon", "providence", "compensation"} <= groups
    assert {source.kind for source in sources} == {
        "track", "always", "record", "claim", "ability", "instant", "one_time", "final", "providence",
        "compensation",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("prophecy.meculog_exact_science", "stars and exactly 1 comet → "),
        ("prophecy.meculog_spare_capacitor", "once, in an own turn: take 2 dice from the supply, or "),
        (
            "prophecy.meculog_growth_function",
            "times as many stars on the outer levels as stars on the middle level",
        ),
        ("prophecy.braeck_second_wind", "an odd number of stars and at least"),
        (
            "prophecy.meculog_closed_circuit",
            "after each own constellation: make 1 used die available again, if it has",
        ),
        ("prophecy.fluuvee_undertow", "take 2 VP from each deity with more VP"),
        ("prophecy.fluuvee_consolation", "gain 1 VP for each deity with more VP (at most 3)"),
        ("prophecy.onumira_torchbearers", "or (symmetry along the middle level and"),
        ("prophecy.onumira_gallery", "gain 1 VP for each card of the own pile with at least 1 enclosed area"),
        ("prophecy.aggroksch_raid", "no end stars and"),
        ("prophecy.aggroksch_raid", "take 2 random cards from one other deity"),
        ("prophecy.aggroksch_scorched_sky", "each other deity loses 1 VP × (claims made + 1) (at most 5)"),
        ("prophecy.meculog_sum_of_all_parts", "stars = 3 × transitions + "),
        ("providence.twin_tails", "cards in the own pile with exactly 2 comets → 14/10/7/5 VP"),
        ("primos.2_3", "exactly 2 or 3 stars and a die → claims on B'neph are worth 13 VP"),
        ("amp_r", "3: a die and 1 VP more from Suzur"),
        ("vvibon", "8: 7/5/4/3 VP by order"),
    ],
)
def test_a_source_tells_its_condition_and_its_reward_in_plain_words(default, source, words):
    text = {each.source: each.text for each in catalogue(default)}[source]
    assert words in text


def test_the_ratio_of_a_providence_card_is_counted_on_the_star_cards(default):
    cards = default.star_cards
    measured = [measure(cards, [name]) for name in cards]
    twin = next(card for card in default.providence if card.id == "twin_tails")
    assert ratio(twin, measured) == sum(len(card.comets) == 2 for card in cards.values()) / 216


# Which file overrides which


def test_a_folder_overrides_file_by_file_and_is_not_called_reconstructed(tmp_path, default):
    text = (DATA / "providence.toml").read_text(encoding="utf-8")
    own = text.replace("reconstructed = true", "").replace("Twin Tails", "Two Tails")
    (tmp_path / "providence.toml").write_text(own, encoding="utf-8")
    card_set = read_set(tmp_path, {})
    assert "Two Tails" in {card.name for card in card_set.providence}
    assert card_set.prophecies == default.prophecies
    assert card_set.reconstructed == ("star_cards.csv", "prophecies.toml", "rules.toml")


def test_files_that_say_so_and_star_cards_with_our_ids_are_reconstructed(tmp_path, default):
    for name in ("star_cards.csv", "providence.toml", "rules.toml"):
        shutil.copyfile(DATA / name, tmp_path / name)
    assert read_set(tmp_path, {}).reconstructed == default.reconstructed
    changed(tmp_path, "star_cards.csv", "s001,", "first,")
    assert "star_cards.csv" not in read_set(tmp_path, {}).reconstructed


def test_a_rules_file_may_hold_only_what_it_changes(tmp_path):
    (tmp_path / "rules.toml").write_text("[energy_start]\nvalue = 7\n", encoding="utf-8")
    card_set = read_set(tmp_path, {"rules.draw": 2})
    assert (card_set.rules.energy_start, card_set.rules.draw, card_set.rules.display) == (7, 2, 8)
    assert "rules.toml" in card_set.reconstructed
    assert card_set.rules.marks["vvibon_vp"] == "I"


def test_a_single_csv_file_holds_the_star_cards(tmp_path):
    path = tmp_path / "mine.csv"
    text = (DATA / "star_cards.csv").read_text(encoding="utf-8")
    path.write_text(text.replace("s001,", "first,", 1), encoding="utf-8")
    assert "first" in read_set(path, {}).star_cards


@pytest.mark.parametrize("name", ["prophecy.toml", "starcards.csv", "Rules.toml"])
def test_an_unknown_file_in_the_folder_is_named_with_the_nearest_right_name(tmp_path, name):
    (tmp_path / name).write_text("", encoding="utf-8")
    fault = faults_of(tmp_path)[0]
    assert fault.file == str(tmp_path / name)
    assert fault.problem == "unknown file"
    assert fault.expected in ("prophecies.toml", "star_cards.csv", "rules.toml")


def test_a_folder_or_file_that_is_no_card_set_is_refused_in_one_sentence(tmp_path):
    with pytest.raises(UserError, match="holds no file"):
        read_set(tmp_path, {})
    with pytest.raises(UserError, match="there is no card file or folder"):
        read_set(tmp_path / "nowhere", {})
    (tmp_path / "cards.txt").write_text("", encoding="utf-8")
    with pytest.raises(UserError, match="no file of a card set"):
        read_set(tmp_path / "cards.txt", {})


# Faults


PROPHECIES, PROVIDENCE, RULES = "prophecies.toml", "providence.toml", "rules.toml"
FAULTS = [
    (PROPHECIES, 'name = "Undertow"', 'nam = "Undertow"', "unknown key", "name"),
    (PROPHECIES, 'name = "Undertow"', f'name = "{"x" * 61}"', "61 characters", "1 to 60"),
    (PROPHECIES, 'name = "Undertow"', "name = 3", "3 is no text", "a text"),
    (PROPHECIES, 'name = "Undertow"', 'name = "Drift"', "name of fluuvee_drift too", "of its own"),
    (PROPHECIES, 'planet = "onumira"', 'planet = "onumir"', "'onumir'", "onumira"),
    (PROPHECIES, 'type = "one_time"', 'type = "onetime"', "'onetime'", "one_time"),
    (PROPHECIES, "dot = true", "dot = 1", "1", "true or false"),
    (PROPHECIES, "vp = 7", "vp = 0", "0", "a whole number from 1 to 30"),
    (PROPHECIES, "vp = 7", "vp = true", "True", "a whole number"),
    (PROPHECIES, "vp = 7", "vp = 2.5", "2.5", "a whole number"),
    (PROPHECIES, '"cards == 5"', '"card == 5"', "unknown name 'card'", "cards"),
    (PROPHECIES, '"cards == 5"', '"cards = 5"', "column 7", "'=='"),
    (PROPHECIES, '"cards == 5"', '"hand == 5"', "'hand' can't be read here", "one of cards, stars"),
    (PROPHECIES, '"cards == 5"', '"5 == 5"', "measures nothing", "a metric"),
    (PROPHECIES, '"cards == 5"', "5", "5 is no text", "an expression"),
    (PROPHECIES, 'verb = "gain_die"', 'verb = "gain_dice"', "'gain_dice'", "gain_die"),
    (PROPHECIES, 'trigger = "exhausted"', 'trigger = "exausted"', "'exausted'", "exhausted"),
    (PROPHECIES, 'target = "one"', 'target = "two"', "'two'", "one of self, one"),
    (PROPHECIES, '"gain_die", trigger = "play", amount = 2', '"gain_die", trigger = "play", amount = 0',
     "0", "1 to 20"),
    (PROPHECIES, '"gain_die", trigger = "play"', '"gain_die", trigger = "create"',
     "create on a card of type one_time", "play"),
    (PROPHECIES, '"refresh", trigger = "create"', '"refresh", trigger = "play"',
     "play on a card of type ability", "always or create"),
    (PROPHECIES, '"keep", trigger = "always"', '"keep", trigger = "create"',
     "changes a rule for good", "always"),
    (PROPHECIES, '"keep", trigger = "always"', '"draw", trigger = "always"',
     "draw is done at a moment", "create or"),
    (PROPHECIES, '"bury", trigger = "before_final"', '"bury", trigger = "final"',
     "bury with trigger final", "gain_vp"),
    (PROPHECIES, '"bury", trigger = "before_final"', '"draw", trigger = "before_final"',
     "draw with trigger before_final", "bury_hand"),
    (PROPHECIES, '"draw", trigger = "exhausted"', '"free_action", trigger = "exhausted"',
     "free_action with trigger exhausted", "play"),
    (PROPHECIES, 'target = "one" ', 'target = "self" ', "steal_card with target self", "one or others"),
    (PROPHECIES, '"gain_die", trigger = "play"', '"gain_die", trigger = "play", target = "one"',
     "gain_die with target one", "self"),
    (PROPHECIES, '"take_grey", trigger = "play", amount = 1', '"take_grey", trigger = "play", amount = 2',
     "take_grey 2 times", "1"),
    (PROPHECIES, '"hand_limit", trigger = "always"', '"hand_limit", when = "age > 1", trigger = "always"',
     "always in force", "amount alone"),
    (PROPHECIES, 'per = "vvibon"', 'per = "vvibon", count = "stars > 1"', "per and count", "one of them"),
    (PROPHECIES, 'per = "vvibon"', 'per = "flames"', "'flames' can't be read here", "one of hand, energy"),
    (PROPHECIES, 'count = "comets == 2"', 'count = "hand == 2"',
     "'hand' can't be read here", "one of cards, stars"),
    (PROPHECIES, "most = 9", "most = 0", "0", "1 to 99"),
    (PROPHECIES, "most = 9", "mots = 9", "unknown key", "most"),
    (PROPHECIES, "[prophecies.fluuvee_drift]", "[prophecies.fluuvee_Drift]", "is no id", "a-z"),
    (PROPHECIES, "[prophecies.fluuvee_drift]", "[prophecies.drift]", "has the id 'drift'", "fluuvee_drift"),
    (PROPHECIES, "[prophecies.fluuvee_drift]", "[prophecie.fluuvee_drift]", "unknown key", "prophecies"),
    (PROPHECIES, "[prophecies.fluuvee_drift]", "[prophecies.fluuvee_drift", "expected ']'", "TOML"),
    (PROVIDENCE, "at_least = 5", "at_least = 0", "0", "1 to 200"),
    (PROVIDENCE, "at_least = 5", "atleast = 5", "unknown key", "at_least"),
    (PROVIDENCE, '"comets == 2"', '"pile == 2"', "'pile' can't be read here", "one of cards"),
    (RULES, "[energy_start]", "[energy_stat]", "unknown rule", "energy_start"),
    (RULES, "value = 10\n", "value = 11\n", "11", "a whole number from 3 to 10"),
    (RULES, "value = 10\n", "value = true\n", "True", "a whole number"),
    (RULES, "value = 10\n", "valeu = 10\n", "unknown key", "value"),
    (RULES, "range = [3, 10]", "range = [3, 20]", "[3, 20]", "within the default's [3, 10]"),
    (RULES, '"fibonacci_1_1"\n', '"fibonaci"\n',
     "'fibonaci'", "'fibonacci_1_1' or 'fibonacci_1_2', or a list"),
    (RULES, '"fibonacci_1_1"\n', "[1, 2, 3]\n", "3 items", "9, one for each of vvibon_rewards"),
    (RULES, "[14, 10, 7, 5]", "[14, 10]", "2 items", "one for each of 4 ages"),
    (RULES, "[3, 2, 1, 1]", "[3, 2, 1]", "[3, 2, 1]", "4 numbers"),
    (RULES, "[13], [17]", "[13], [13]", "a number stands twice", "each number on one field"),
    (RULES, '"suzur", 4, 5', '"suzu", 4, 5', "'suzu'", "'bneph', 'suzur'"),
    (RULES, '["comets", "ends", "middle"', '["comets", "comets", "middle"', "stands twice", "one field"),
    (RULES, 'mark = "S"', 'mark = "X"', "'X'", "S, D, I, R"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new", "problem", "expected"), FAULTS, ids=lambda text: text[:40])
def test_every_fault_is_named_with_file_line_and_what_was_expected(
    tmp_path, file, old, new, problem, expected
):
    line = changed(tmp_path, file, old, new)
    faults = faults_of(tmp_path)
    matching = [fault for fault in faults if problem in fault.problem and expected in fault.expected]
    assert matching, "\n".join(map(str, faults))
    assert (matching[0].file, matching[0].line) == (str(tmp_path / file), line)


def test_all_faults_of_all_files_are_found_at_once(tmp_path):
    changed(tmp_path, "prophecies.toml", "vp = 7", "vp = -7")
    changed(tmp_path, "providence.toml", "at_least = 5", 'at_least = "five"')
    changed(tmp_path, "rules.toml", "[14, 10, 7, 5]", "[14]")
    csv = (DATA / "star_cards.csv").read_text(encoding="utf-8").splitlines()
    (tmp_path / "star_cards.csv").write_text("\n".join(csv[:-1]) + "\n", encoding="utf-8")
    files = [Path(fault.file).name for fault in faults_of(tmp_path)]
    assert sorted(files) == ["prophecies.toml", "providence.toml", "rules.toml", "star_cards.csv"]
    assert [str(fault) for fault in set_faults(tmp_path)] == [str(fault) for fault in faults_of(tmp_path)]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("dot = true\n", "", "3 cards of meculog with dot = true"),
        ("solo_removed = true\n", "", "2 cards of fluuvee with solo_removed = true"),
        ("[prophecies.onumira_gallery]", "[prophecies.fluuvee_gallery]", "9 cards of onumira"),
    ],
)
def test_the_counts_of_a_full_set_are_checked(tmp_path, old, new, problem):
    changed(tmp_path, "prophecies.toml", old, new)
    if "gallery" in old:
        path = tmp_path / "prophecies.toml"
        head, tail = path.read_text(encoding="utf-8").split(new)
        path.write_text(head + new + tail.replace('"onumira"', '"fluuvee"', 1), encoding="utf-8")
    assert problem in [fault.problem for fault in faults_of(tmp_path)]


def test_a_planet_without_one_of_the_four_types_is_a_fault(tmp_path):
    text = (DATA / "prophecies.toml").read_text(encoding="utf-8")
    head, tail = text.split("[prophecies.braeck_off_orbit]")
    effect = 'effect = { verb = "draw", trigger = "play", amount = 1 }\n'
    tail = tail.replace('type = "instant"\n', f'type = "one_time"\n{effect}', 1)
    (tmp_path / "prophecies.toml").write_text(head + "[prophecies.braeck_off_orbit]" + tail, encoding="utf-8")
    assert [fault.problem for fault in faults_of(tmp_path)] == ["braeck has no card of type instant"]


@pytest.mark.parametrize(
    ("condition", "share"),
    [("stars >= 90", "none"), ("middle + outer == stars", "all")],
)
def test_a_condition_that_none_or_all_fulfil_is_a_fault_of_the_check_only(tmp_path, condition, share):
    line = changed(tmp_path, "prophecies.toml", '"cards == 5"', f'"{condition}"')
    read_set(tmp_path, {})
    (fault,) = set_faults(tmp_path)
    assert fault.line == line
    assert fault.field == "prophecies.fluuvee_drift.condition"
    assert f"holds for {share}" in fault.problem


@pytest.mark.parametrize("condition", ["stars >= 50", "comets_enclosed >= 9", "stars <= 3"])
def test_a_condition_that_is_hard_but_possible_is_no_fault(tmp_path, condition):
    changed(tmp_path, "prophecies.toml", '"cards == 5"', f'"{condition}"')
    assert set_faults(tmp_path) == []


# Settings


@pytest.mark.parametrize(
    ("setting", "value", "problem", "expected"),
    [
        ("rules.enery_start", 6, "no rule 'enery_start'", "energy_start"),
        ("rules.energy_start", 99, "99", "a whole number from 1 to 10"),
        ("rules.energy_start", "six", "'six'", "a whole number"),
        ("rules.energy_start.value", 6, "no such setting", "rules.NAME"),
        ("rule.energy_start", 6, "no such setting", "rules"),
        ("prophecies.fluuvee_drif.vp", 6, "no table 'fluuvee_drif' in prophecies", "fluuvee_drift"),
        (f"{SETTING_OF}.vpp", 6, "unknown key", "vp"),
        (f"{SETTING_OF}.vp", 60, "60", "1 to 30"),
        (f"{SETTING_OF}.effect.amout", 2, "unknown key", "amount"),
        (f"{SETTING_OF}.effect.amount", 200, "200", "1 to 20"),
        (f"{SETTING_OF}.condition", "star >= 3", "unknown name 'star'", "stars"),
        (SETTING_OF, 6, "no such setting", "prophecies.ID.FIELD"),
        ("prophecies.meculog_exact_science.effect.amount", 2, "no table 'effect'", ""),
        ("prophecies.meculog_final_audit.vp", 2, "no VP of its own", ""),
        ("providence.twin_tail.at_least", 3, "no table 'twin_tail'", "twin_tails"),
        ("providence.twin_tails.at_least", -3, "-3", "1 to 200"),
    ],
)  # fmt: skip
def test_a_wrong_setting_is_named_as_a_setting(setting, value, problem, expected):
    (fault,) = faults_of(None, {setting: value})
    assert (fault.file, fault.field) == ("--set", setting)
    assert problem in fault.problem
    assert expected in fault.expected
    assert str(fault).startswith(f"--set: {setting}: ")


def test_an_earlier_reading_is_not_changed_by_a_setting():
    read_set(None, {"rules.energy_start": 9})
    assert read_set(None, {}).rules.energy_start == 5
