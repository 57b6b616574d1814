"""Experiments: what they accept, which games they come to, and what their fingerprint covers."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simulator.experiment import Experiment, flat, parse_settings, prepare, read_book
from simulator.game import CardFaults, UserError
from tests.toss import GAME

pytestmark = pytest.mark.usefixtures("toss")


def fingerprint(**options) -> str:
    return prepare(Experiment.of("toss", **options)).record["fingerprint"]


def test_what_is_not_given_is_the_largest_table_with_the_default_bot():
    experiment = Experiment.of("toss")
    assert (experiment.players, experiment.bots, experiment.seating) == (4, ("even",) * 4, "rotate")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"players": 9}, ["players", "9", "2, 3, 4"]),
        ({"players": 10**30}, ["players", "2, 3, 4"]),
        ({"games": 10**9 + 4}, ["games", "at most 1,000,000,000"]),
        ({"seed": 10**5000}, ["seed: a value too large to show", "2**63 - 1"]),
        ({"seating": "x" * 500}, ["seating", "xxx…", "expected one of"]),
        ({"games": 0}, ["games", "1 or more"]),
        ({"games": 1.5}, ["games: 1.5 is no whole number"]),
        ({"games": "1e3"}, ["games: '1e3' is no whole number"]),
        ({"games": True}, ["games: True"]),
        ({"players": None, "seed": 0.5}, ["seed: 0.5"]),
        ({"players": 2.5}, ["players: 2.5"]),
        ({"games": -3}, ["games", "-3"]),
        ({"seed": -1}, ["seed", "-1"]),
        ({"seed": 2**63}, ["seed"]),
        ({"bots": "even,lucky"}, ["bots", "2 bots for 4 seats", "1 or 4"]),
        ({"bots": ["even"] * 5}, ["bots", "5 bots for 4 seats"]),
        ({"bots": []}, ["bots", "0 bots"]),
        ({"seating": "rotat"}, ["seating", "'rotat'", "expected rotate"]),
        ({"keep": "event"}, ["keep", "expected events"]),
        ({"cards": "no/such/folder"}, ["cards", "no/such/folder"]),
    ],
)
def test_a_wrong_option_is_named_with_what_was_expected(options, words):
    with pytest.raises(UserError) as caught:
        Experiment.of("toss", **options)
    assert all(word in str(caught.value).replace("\\", "/") for word in words)


def test_whole_numbers_may_be_written_as_floats_or_come_from_numpy():
    plain = Experiment.of("toss", games=2000, players=2, seed=3)
    assert Experiment.of("toss", games=2e3, players=np.int64(2), seed=np.float64(3)) == plain


def test_a_misspelt_game_gets_the_nearest_name():
    with pytest.raises(UserError, match="expected toss"):
        Experiment.of("tos")


def test_the_largest_seed_and_seed_zero_are_seeds():
    prints = {fingerprint(seed=seed, seating=how) for seed in (0, 2**63 - 1) for how in ("rotate", "shuffle")}
    assert len(prints) == 4
    prepare(Experiment.of("toss", seed=2**63 - 1, seating="shuffle")).plan(0, 3)


# Games and setups


def test_each_setup_is_played_in_every_rotation():
    plan = prepare(Experiment.of("toss", players=3, bots="even,lucky,clumsy")).plan(3, 9)
    assert plan.game.tolist() == [3, 4, 5, 6, 7, 8]
    assert plan.setup.tolist() == [1, 1, 1, 2, 2, 2]
    assert plan.rotation.tolist() == [0, 1, 2] * 2
    assert plan.bots.tolist() == [[0, 1, 2], [1, 2, 0], [2, 0, 1]] * 2


def test_games_are_rounded_up_to_whole_setups_only_where_seats_rotate():
    rotating = Experiment.of("toss", games=10)
    assert prepare(rotating).games == 12
    assert prepare(replace(rotating, games=12)).games == 12
    assert prepare(replace(rotating, seating="fixed")).games == 10


def test_fixed_seats_stay_and_every_game_is_a_setup_of_its_own():
    plan = prepare(Experiment.of("toss", seating="fixed", bots="even,lucky,clumsy,even")).plan(5, 7)
    assert plan.setup.tolist() == [5, 6]
    assert plan.rotation.tolist() == [0, 0]
    assert plan.bots.tolist() == [[0, 1, 2, 3]] * 2


@pytest.mark.kernel
def test_shuffled_seats_depend_on_seed_and_game_alone():
    experiment = Experiment.of("toss", seating="shuffle", bots="even,lucky,clumsy,even")
    prepared = prepare(experiment)
    whole = prepared.plan(0, 200).bots
    cut = np.concatenate([prepared.plan(0, 7).bots, prepared.plan(7, 200).bots])
    assert np.array_equal(whole, cut)
    assert np.array_equal(np.sort(whole, axis=1), np.tile(np.arange(4), (200, 1)))
    assert len(np.unique(whole, axis=0)) == 24  # each order comes up within 200 games
    assert not np.array_equal(whole, prepare(replace(experiment, seed=2)).plan(0, 200).bots)


def test_spaces_in_a_bot_string_make_no_other_bot():
    bots = ["even", "lucky: noise = 0.2 , aim=0.1", "lucky:noise=0.2,aim=0.1", " even "]
    label = "lucky:noise=0.2,aim=0.1"
    assert Experiment.of("toss", bots=bots).bots == ("even", label, label, "even")
    assert Experiment.of("toss", bots=",".join(bots)).bots == ("even", label, label, "even")


# Fingerprint


@pytest.mark.parametrize(
    "options",
    [
        {"seed": 2},
        {"players": 3},
        {"bots": "lucky"},
        {"bots": "even:noise=0.2"},
        {"seating": "fixed"},
        {"set": {"rules.goal": 4}},
    ],
)
def test_whatever_decides_a_game_changes_the_fingerprint(options):
    assert fingerprint(**options) != fingerprint()


@pytest.mark.parametrize(
    "options",
    [
        {"games": 7},
        {"keep": "games"},
        {"set": {"rules.goal": 3}},  # its default
        {"bots": "even:noise=0.1"},
    ],
)
def test_what_leaves_every_game_as_it_was_leaves_the_fingerprint(options):
    assert fingerprint(**options) == fingerprint()


def test_a_changed_card_file_changes_the_fingerprint(tmp_path: Path):
    (tmp_path / "goal.txt").write_text("4", encoding="utf-8")
    assert fingerprint(cards=tmp_path) == fingerprint(set={"rules.goal": 4})


def test_the_fingerprint_is_the_same_in_another_process_with_another_hash_seed():
    code = (
        "from simulator import games; games.GAMES['toss'] = 'tests.toss:GAME'\n"
        "from simulator.experiment import Experiment, prepare\n"
        "print(prepare(Experiment.of('toss', bots='lucky,even', players=2)).record['fingerprint'])"
    )
    prints = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert prints == {fingerprint(bots="lucky,even", players=2)}


def test_a_stored_experiment_is_read_back_as_it_was(tmp_path: Path):
    (tmp_path / "goal.txt").write_text("4", encoding="utf-8")
    options = {"players": 3, "games": 9, "bots": "lucky:aim=0.1,noise=0.2", "seed": 0, "seating": "shuffle"}
    experiment = Experiment.of("toss", cards=tmp_path, set={"rules.rounds": 5}, keep="seats", **options)
    record = prepare(experiment).record
    assert prepare(Experiment.from_run(record)).record == record


# The file


FILE = """\
game = "toss"
players = 3
games = 30
bots = ["even", "lucky", "clumsy:noise=0.3"]
cards = "my_cards"

[set]
rules.goal = 2
"rules.rounds" = 5
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "my_cards").mkdir()
    (tmp_path / "my_cards" / "goal.txt").write_text("4", encoding="utf-8")
    file = tmp_path / "base.toml"
    file.write_text(FILE, encoding="utf-8")
    return file


def test_a_whole_number_of_a_file_may_be_written_as_a_float(file: Path):
    text = file.read_text(encoding="utf-8")
    assert "games = 30" in text
    file.write_text(text.replace("games = 30", "games = 3e1"), encoding="utf-8")
    games = Experiment.from_toml(file).games
    assert (games, type(games)) == (30, int)


def test_a_file_gives_the_same_as_the_options(file: Path):
    given = Experiment.of(
        "toss",
        players=3,
        games=30,
        bots="even,lucky,clumsy:noise=0.3",
        cards=file.parent / "my_cards",
        set={"rules.goal": 2, "rules.rounds": 5},
    )
    assert Experiment.from_toml(file) == given


def test_what_is_given_beside_a_file_wins_setting_by_setting(file: Path):
    experiment = Experiment.from_toml(file, games=6, set={"rules.goal": 5})
    assert experiment.games == 6
    assert experiment.settings == {"rules.goal": 5, "rules.rounds": 5}
    assert experiment.players == 3


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("players = 3", "plyaers = 3", 2, ["plyaers", "expected players"]),
        ("players = 3", 'players = "3"', 2, ["players", "'3'", "a whole number"]),
        ("players = 3", "players = true", 2, ["players", "True"]),
        ("players = 3", "players = 9", 2, ["players", "9"]),
        ("games = 30", "games = 0", 3, ["games", "0"]),
        ('"lucky", ', "", 4, ["bots", "2 bots for 3 seats"]),
        ('"lucky", ', "3, ", 4, ["bots", "a list of strings"]),
        ('"my_cards"', '"your_cards"', 5, ["cards", "your_cards"]),
        ("games = 30", "games =", 3, ["TOML"]),
    ],
)
def test_a_fault_of_the_file_is_named_with_its_line(file: Path, old, new, line, words):
    assert old in FILE
    file.write_text(FILE.replace(old, new), encoding="utf-8")
    with pytest.raises(UserError) as caught:
        Experiment.from_toml(file)
    assert str(caught.value).startswith(f"{file}:{line}: ")
    assert all(word in str(caught.value) for word in words)


def test_a_wrong_option_given_beside_a_file_is_not_blamed_on_the_file(file: Path):
    with pytest.raises(UserError, match=r"^players: 9"):
        Experiment.from_toml(file, players=9)


def test_a_file_that_is_not_there_or_names_no_game_is_named(tmp_path: Path):
    with pytest.raises(UserError, match=r"no experiment file .*base\.toml"):
        Experiment.from_toml(tmp_path / "base.toml")
    (tmp_path / "base.toml").write_text("games = 3", encoding="utf-8")
    with pytest.raises(UserError, match="game: missing"):
        Experiment.from_toml(tmp_path / "base.toml")


# Settings


HUGE = ["9" * 5_000, "0x" + "f" * 5_000, "[" * 5_000 + "]" * 5_000, "{" + "a." * 5_000 + "a = 1}"]


@pytest.mark.parametrize("value", HUGE, ids=["digits", "hexadecimal", "lists", "keys"])
def test_a_value_too_large_to_show_is_refused_in_a_short_sentence(tmp_path: Path, value):
    with pytest.raises(UserError, match=r"^set: a is .*expected a value of sensible size") as caught:
        parse_settings([f"a={value}"])
    assert len(str(caught.value)) < 150
    file = tmp_path / "base.toml"
    file.write_text(f"game = {value}", encoding="utf-8")
    with pytest.raises(UserError, match=r"base\.toml: file: a number too long or tables too deep"):
        Experiment.from_toml(file)


def test_a_settings_value_is_read_as_toml_or_as_a_text():
    pairs = ["a.b=6", "c = 1.5", "d=true", "e='x y'", "f=word", "g=[1, 2]", "h=stars >= 3"]
    assert parse_settings(pairs) == {
        "a.b": 6, "c": 1.5, "d": True, "e": "x y", "f": "word", "g": [1, 2], "h": "stars >= 3"
    }  # fmt: skip


@pytest.mark.parametrize("pair", ["a", "=3", "a=", "a=1\nb=2", "a=2024-01-01"])
def test_a_settings_string_that_is_no_pair_is_refused(pair):
    with pytest.raises(UserError, match="set: "):
        parse_settings([pair])


def test_a_setting_given_twice_is_refused():
    with pytest.raises(UserError, match="a stands twice"):
        parse_settings(["a=1", "a=2"])


def test_nested_and_dotted_settings_are_the_same():
    assert flat({"rules": {"goal": 2, "deep": {"x": 1}}}) == flat({"rules.goal": 2, "rules.deep.x": 1})


def test_a_file_of_bots_names_only_what_it_changes(tmp_path: Path):
    file = tmp_path / "bots.toml"
    text = '[weights.noise]\ndefault = 0.3\n[bots.lucky]\ntext = "Lucky."\n[bots.wild]\ntext = "Wild."\n'
    file.write_text(text + "[bots.wild.weights]\nnoise = 0.9\n", encoding="utf-8")
    for cards in (tmp_path, file):
        book = read_book(GAME, cards)
        rows = [book.row(bot).tolist() for bot in ("even", "lucky", "clumsy", "wild")]
        assert rows == [[0, 0.3], [0, 0.3], [-0.25, 0.5], [0, 0.9]], "a bot is taken as a whole"
        assert book.default == "even"


def test_a_broken_file_of_bots_among_the_cards_is_told_before_a_game_is_played(tmp_path: Path):
    (tmp_path / "bots.toml").write_text("bots = 3", encoding="utf-8")
    (tmp_path / "goal.txt").write_text("3", encoding="utf-8")
    with pytest.raises(CardFaults):
        Experiment.of("toss", cards=tmp_path)
