"""Bots: the file of a game's bots, and bot strings."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.bots import read_bots, split_bots
from simulator.game import CardFaults, UserError
from tests.toss import DATA, GAME

FEATURES = GAME.features


def book():
    return read_bots(DATA / "bots.toml", FEATURES)


def test_a_row_has_the_weights_in_the_order_of_the_games_features():
    assert book().row("clumsy").tolist() == [-0.25, 0.5]


def test_the_order_of_the_file_does_not_decide_the_order_of_a_row():
    assert read_bots(DATA / "bots.toml", FEATURES[::-1]).row("clumsy").tolist() == [0.5, -0.25]


def test_a_bot_string_changes_single_weights_and_leaves_the_others():
    assert book().row("clumsy:noise=0.25").tolist() == [-0.25, 0.25]
    assert book().row("even : aim = 1e-1 , noise=0").tolist() == [0.1, 0.0]


def test_a_piece_with_a_key_belongs_to_the_bot_before_it():
    text = "even, lucky:aim=0.1,noise=0.2,clumsy,even,noise=0"
    assert split_bots(text) == ["even", "lucky:aim=0.1,noise=0.2", "clumsy", "even:noise=0"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("lukcy", ["'lukcy'", "expected lucky"]),
        ("", ["no bot ''", "expected"]),
        ("lucky:nose=1", ["no weight 'nose'", "expected noise"]),
        ("lucky:noise", ["WEIGHT=NUMBER"]),
        ("lucky:", ["WEIGHT=NUMBER"]),
        ("lucky:noise=loud", ["'loud'", "0 to 1"]),
        ("lucky:noise=nan", ["'nan'", "0 to 1"]),
        ("lucky:aim=inf", ["'inf'", "-0.5 to 0.5"]),
        ("lucky:noise=1.01", ["'1.01'", "0 to 1"]),
        ("lucky:noise=0.1,noise=0.2", ["twice"]),
    ],
)
def test_a_wrong_bot_string_is_named_with_what_was_expected(text, words):
    with pytest.raises(UserError) as caught:
        book().row(text)
    assert all(word in str(caught.value) for word in words)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("[weights.noise]", "[weights.nois]", 8, ["weights.nois", "expected noise"]),
        ("default = 0.1", "default = 1.5", 10, ["weights.noise.default", "1.5", "0 to 1"]),
        ("default = 0.1", "", 8, ["weights.noise.default", "missing"]),
        ("default = 0.1", "default = true", 10, ["weights.noise.default", "True"]),
        ("range = [0, 1]", "range = [1, 0]", 11, ["weights.noise.range", "[1, 0]"]),
        ("range = [0, 1]", "rage = [0, 1]", 11, ["weights.noise.rage", "expected range"]),
        ("aim = 0.2", "iam = 0.2", 19, ["bots.lucky.weights.iam", "expected aim"]),
        ("aim = 0.2", "aim = 0.7", 19, ["bots.lucky.weights.aim", "0.7", "-0.5 to 0.5"]),
        ("aim = 0.2", "aim = nan", 19, ["bots.lucky.weights.aim", "nan"]),
        ('default = "even"', 'default = "evne"', 1, ["'evne'", "expected even"]),
        ("[bots.even]", '[bots."e:v"]', 13, ["'e:v'"]),
        ('text = "Sees heads more often."', "text = 3", 17, ["bots.lucky.text", "3"]),
        ('text = "Sees heads more often."', "", 16, ["bots.lucky.text", "missing"]),
        ("aim = 0.2", "aim = = 0.2", 19, ["file", "invalid value", "TOML"]),
    ],
)
def test_a_fault_of_the_file_is_named_with_line_and_field(tmp_path: Path, old, new, line, words):
    text = (DATA / "bots.toml").read_text(encoding="utf-8")
    assert old in text
    file = tmp_path / "bots.toml"
    file.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(CardFaults) as caught:
        read_bots(file, FEATURES)
    matching = [str(fault) for fault in caught.value.faults if all(word in str(fault) for word in words)]
    assert matching
    assert matching[0].startswith(f"{file}:{line}: ")


def test_a_fault_of_a_file_over_the_games_own_is_named_with_its_own_line(tmp_path: Path):
    file = tmp_path / "bots.toml"
    file.write_text(
        "[weights.noise]\ndefault = 0.2\n\n[weights.aim]\ndefault = 7\n[weights.nois]\n", encoding="utf-8"
    )
    with pytest.raises(CardFaults) as caught:
        read_bots(file, FEATURES, DATA / "bots.toml")
    assert [str(fault).split(", ")[0] for fault in caught.value.faults] == [
        f"{file}:6: weights.nois: the game has no such feature",
        f"{file}:5: weights.aim.default: 7",
    ]


def test_all_faults_of_the_file_are_found_at_once(tmp_path: Path):
    text = (DATA / "bots.toml").read_text(encoding="utf-8")
    file = tmp_path / "bots.toml"
    file.write_text(
        text.replace("aim = 0.2", "iam = 0").replace("noise = 0.5", "noise = 2"), encoding="utf-8"
    )
    with pytest.raises(CardFaults) as caught:
        read_bots(file, FEATURES)
    assert len(caught.value.faults) == 2


def test_a_file_without_a_bot_is_at_fault(tmp_path: Path):
    text = (DATA / "bots.toml").read_text(encoding="utf-8")
    file = tmp_path / "bots.toml"
    file.write_text(text[: text.index("[bots.even]")], encoding="utf-8")
    with pytest.raises(CardFaults, match="bots: missing"):
        read_bots(file, FEATURES)
