"""The narrator tells what happened, with the clause of each gain."""

from __future__ import annotations

import re
from functools import cache

import pytest

from simulator.games.ilumeia.files import read_set
from simulator.games.ilumeia.model import Die, Step, Trigger, Verb
from simulator.games.ilumeia.narrator import narrate
from tests.ilumeia.random_play import invented_game
from tests.ilumeia.tapes import (
    BNEPH,
    PRIMOS,
    WITNESS,
    A,
    L,
    S,
    Script,
    V,
    effect,
    game,
    prophecy,
    witness_game,
)

NAMES = ["balanced", "prophet"]


def told(script: Script) -> str:
    return narrate(script.set, script.players, script.words, NAMES, "a test")


def test_the_witness_is_told_with_the_clause_of_each_gain():
    script = witness_game().create(0, WITNESS, V, A, L, S)
    script.score(0, BNEPH, 3, Die.OWN).score(0, PRIMOS, 7, Die.OWN).passes(1, 0)
    text = told(script)
    for line in (
        "- Vvibon: 29 stars, 1 asked for, step 1 → no reward (IL-46)",
        "- Amp-R: 2 flame stars, 1 asked for, step 1 → now 3 dice available (IL-45)",
        "- Lotzzz: 7 cards, a record → the grey die, available (IL-44)",
        "- Suzur: a constellation created → **+1 VP** (IL-43)",
        "- B'neph centrals: exactly 6 central stars, claimed with an own die → **+8 VP** (IL-48)",
        "- Primos 29: exactly 29 stars, claimed with an own die → **+10 VP** (IL-47)",
        "**balanced** wins with 19 VP, 19 ahead (IL-42).",
    ):
        assert line in text.splitlines(), line
    assert "7 cards · 29 stars (11 middle, 18 outer: 10 and 8)" in text
    assert "2 enclosed comets · 2 open comets · 3 enclosed areas" in text


def test_a_win_is_told_with_its_condition_and_its_effect_with_its_card():
    card = prophecy("braeck_own", "stars == 2", effect(Verb.GAIN_VP, Trigger.PLAY, amount=3))
    script = (
        game(card).create(0, "a1 a2r", S).score(0, Step.BRAECK, 1).passes(1).play(0, "braeck_own").passes(0)
    )
    text = told(script)
    assert (
        "braeck_own: **won** by exactly 2 stars → takes the card: once, in an own turn: gain 3 VP (IL-50)"
        in text
    )
    assert "- plays *braeck_own*: once, in an own turn: gain 3 VP (IL-26)" in text
    assert "- braeck_own: its effect → **+3 VP** (IL-27)" in text


def test_a_shared_victory_names_all_winners_and_seats_of_one_bot_get_their_number():
    script = game().create(0, "a1 a2r", S).create(1, "a5 a6r", S).passes(0, 1)
    text = narrate(script.set, 2, script.words, ["balanced", "balanced"], "a test")
    assert "**balanced 0 and balanced 1** share the victory with 1 VP (IL-42)." in text


@cache
def whole_game(seed: int) -> tuple[str, list[int]]:
    cards = read_set(None, {})
    words, outcome = invented_game(cards, 4, seed)
    names = ["balanced", "prophet", "climber", "sprinter"]
    return narrate(cards, 4, words, names, "a test"), [seat.score for seat in outcome.seats]


@pytest.mark.parametrize("seed", range(4))
def test_the_gains_told_for_a_seat_add_up_to_its_vp(seed: int):
    text, scores = whole_game(seed)
    names = ["balanced", "prophet", "climber", "sprinter"]
    told_vp = dict.fromkeys(names, 0)
    active = ""
    for line in text.splitlines():
        if line.startswith("#"):
            active = line.split(": ")[-1].split(",")[0]
        gain = re.search(r"→ .*\*\*([+-]\d+) VP\*\* \(IL", line)
        if gain:
            other = line.removeprefix("- ").split(":")[0]
            told_vp[other if other in names else active] += int(gain[1])
    assert list(told_vp.values()) == scores


def test_every_turn_has_its_heading_hand_and_running_vp():
    text, _ = whole_game(0)
    turns = [int(turn) for turn in re.findall(r"^### Turn (\d+):", text, re.M)]
    assert turns == list(range(1, len(turns) + 1))
    assert (
        len(re.findall(r"^hand \(\d+\): ", text, re.M)) == len(re.findall(r"^VP: ", text, re.M)) == len(turns)
    )
