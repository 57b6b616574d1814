"""The narrator tells what happened, with the clauses of the rules."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import pytest

from simulator.games.luminis.model import Kind
from simulator.games.luminis.narrator import narrate, text_cathedral
from simulator.games.luminis.referee import Outcome
from simulator.games.luminis.referee_table import Cathedral
from tests.luminis.random_play import invented_game, random_set
from tests.luminis.tapes import Script, card, card_set, plain

NAMES = ["balanced", "hoarder", "climber", "sprinter", "random"]


def small_game() -> Script:
    """Two seats; the first wins with a spire on turn 13."""
    cards = [
        card("a1", centre="1b", local="1r", arrows="E N"),
        card("a2", "3b", centre="1r"),
        card("a3", centre="2b"),
        card("b1", "1r", centre="1b", pictogram=True),
        card("c1", "1b", local="2g", arrows="N"),
        card("c2", "9r", centre="1b"),
        card("s1", "2g 1b"),
        *plain("a4 b2 s2"),
    ]
    rules = {"spires_shown": (2,) * 4, "start_cards": (2,) * 5, "hand_limit": 2}
    script = Script(card_set(cards, **rules), 2)
    script.spires("s1 s2").pile(0, "c1 b1 a2 a1").pile(1, "b2 c2 a4 a3")
    script.opening(0, 0, "c1 b1").opening(1, 1, "b2 c2")
    script.place(0, "a1", 0).draw(1, 1).trim(1, "c2:0")
    script.draw(0).place(1, "a3", 0)
    script.draw(0).trim(0, "c2:1").draw(1, 1)
    script.place(0, "b1", 0).pictogram(0, 1, 0, "a2").place(1, "a2", -1, "c2:1")
    script.draw(0).draw(1, 1)
    script.place(0, "c1", 0).draw(1, 1).trim(1, "a4:0")
    return script.spire(0, 0, 0)


def told(script: Script) -> list[str]:
    return narrate(script.set, script.players, script.words, NAMES, "a test").splitlines()


def turn(lines: list[str], number: int) -> str:
    """The lines of one turn."""
    heads = [place for place, line in enumerate(lines) if line.startswith(("### Turn", "## Result"))]
    return "\n".join(lines[heads[number - 1] : heads[number]])


def test_the_opening_is_told_with_its_display_piles_and_hands():
    lines = told(small_game())
    for line in (
        "- on display: **Mixed spire s1**, costs 1 blue 2 green (LU-3)",
        "- piles, their top cards and sizes: 0: a1 (4) · 1: a3 (4) (LU-3)",
        "- balanced takes a1 a2 from pile 0 (LU-4)",
        "- hoarder takes a3 a4 from pile 1 (LU-4)",
    ):
        assert line in lines, line


def test_a_draw_is_told_with_the_card_and_the_hand_limit_with_its_discard():
    text = turn(told(small_game()), 2)
    assert "- **draws c2** from pile 1 (LU-7): Level III, costs 9 red; 1 blue in the centre" in text
    assert "- discards c2 on pile 0 for the hand limit (LU-10)" in text
    assert "hoarder: hand (2): a3 a4" in text
    assert "piles: 0: b1 (2) · 1: c2 (2)" in text


def test_a_payment_is_told_with_what_met_it():
    lines = told(small_game())
    assert "- pays 1 red: 1 red local (of a1 ↑ 1 red) (LU-9)" in turn(lines, 7)
    assert "- pays 3 blue: 2 blue permanent + 1 blue temporary (LU-9)" in turn(lines, 8)
    assert "- discards c2 on pile 1 for 2 blue (LU-9)" in turn(lines, 8)
    assert "- pays nothing (LU-9)" in turn(lines, 1)


def test_a_placing_is_told_with_its_support_and_place():
    lines = told(small_game())
    assert "- **places a2** in column -1, row 1 (LU-8): Level I, costs 3 blue" in turn(lines, 8)
    assert "- **places c1** on b1 in column 0, row 3 (LU-8): Level III" in turn(lines, 11)
    assert "- the cathedral reaches Level III" in turn(lines, 11)


def test_a_pictogram_is_told_with_both_seats_and_the_card():
    text = turn(told(small_game()), 7)
    assert "- pictogram: hoarder is designated and draws blind from balanced (LU-11)" in text
    assert "- hoarder gets a2 of balanced (LU-11)" in text


def test_each_turn_tells_how_far_the_spires_are():
    lines = told(small_game())
    head = "spires, once there is a Level III card: "
    assert f"{head}s1 2 green short · s2 could be paid" in turn(lines, 3)
    assert "spires" not in turn(lines, 4), "nothing is placed yet"
    assert "spires: s1 can be paid · s2 can be paid" in turn(lines, 13)
    assert "- could take for the first time: Mixed spire s1, Mixed spire s2 (LU-12)" in turn(lines, 13)


def test_the_winner_is_told_and_every_cathedral_drawn():
    lines = told(small_game())
    assert "**balanced** places the first spire and wins on turn 13, in round 7 (LU-2)." in lines
    assert "Nobody took: Mixed spire s2." in lines
    assert "| 1 | balanced | 4 | 4 | 2 blue | 0 | 3 | 0 |" in lines
    assert "| 2 | hoarder | 1 | 2 | 2 blue 1 red | 2 | 4 | 0 |" in lines
    drawn = "\n".join(lines[lines.index("## Cathedrals") :])
    top_down = ("balanced:", "s1 IV", "c1 III", "b1 II ◆", "a1 I", "hoarder:", "a2 I")
    assert [drawn.index(name) for name in top_down] == sorted(drawn.index(name) for name in top_down)


def test_a_stalemate_and_a_turn_limit_are_drawn_games():
    cards = card_set([*plain("a1 a2 s1"), card("b1", "1b")], turn_limit=2)
    script = (
        Script(cards, 2).spires("s1").pile(0, "a1 b1").pile(1, "a2").opening(0, 0, "b1").opening(1, 1, "")
    )
    script.place(0, "a1", 0).place(1, "a2", 0)
    text = "\n".join(told(script))
    assert "No spire after 2 turns: the turn limit, in round 1 (r3)." in text
    assert "**balanced and hoarder** share a drawn game (r4)." in text

    cards = card_set([card("a1", "1b"), card("a2", "1b"), *plain("s1")])
    script = Script(cards, 2).spires("s1").pile(0, "a1").pile(1, "a2").opening(0, 0, "").opening(1, 1, "")
    text = "\n".join(told(script.passes(0, 1)))
    assert "- a dead opening: no card of this hand can be placed and paid" in text
    assert "- **passes**: nothing to draw, nothing that can be placed and paid (r2)" in text
    assert "All pass: a stalemate on turn 2, in round 1 (r3)." in text
    assert "no card" in text.split("## Cathedrals")[1]


def test_an_empty_hand_is_told_when_a_pictogram_finds_nothing():
    cards = card_set([card("a1", pictogram=True), *plain("a2 s1")], turn_limit=1)
    script = Script(cards, 2).spires("s1").pile(0, "a1").pile(1, "a2").opening(0, 0, "").opening(1, 1, "")
    text = "\n".join(told(script.place(0, "a1", 0).pictogram(0, 1, 0, "")))
    assert "draws blind from balanced, whose hand is empty (LU-11)" in text


def test_seats_of_one_bot_get_their_number():
    script = small_game()
    text = narrate(script.set, 2, script.words, ["balanced", "balanced"], "a test")
    assert "### Turn 2: balanced 1" in text


def test_a_cathedral_is_drawn_as_it_lies_on_the_table():
    cathedral = Cathedral()
    cathedral.lay(card("a1", centre="1b", local="2r", arrows="E NW"), 0)
    cathedral.lay(card("a2", pictogram=True), -1)
    cathedral.lay(card("b1", centre="1g 1r"), 0)
    assert text_cathedral(cathedral) == [
        "           ┌─────────┐",
        "           │ b1 II   │",
        "           │         │",
        "           │ ● 1g 1r │",
        "           └─────────┘",
        "┌────────┐ ┌─────────┐",
        "│ a2 I ◆ │ │ a1 I    │",
        "│        │ │ →↖ 2r   │",
        "│        │ │ ● 1b    │",
        "└────────┘ └─────────┘",
        "    -1          0",
    ]


@cache
def whole_game(seed: int) -> tuple[str, Outcome]:
    cards = random_set(seed, advanced=True, any_lower=seed % 2 == 1, hand_limit=5, turn_limit=120)
    players = 2 + seed % 4
    tape, outcome = invented_game(cards, players, seed)
    return narrate(cards, players, tape.words, NAMES, "a test"), outcome


@pytest.mark.parametrize("seed", range(6))
def test_everything_that_happened_is_told_once(seed: int):
    text, outcome = whole_game(seed)
    found = Counter(event.kind for event in outcome.events)
    for kind, pattern in (
        (Kind.DRAWN, r"^- \*\*draws "),
        (Kind.PAID, r"^- \*\*places "),
        (Kind.SPENT, r"^- discards \S+ on pile \d for \d"),
        (Kind.TRIMMED, r"^- discards \S+ on pile \d for the hand limit"),
        (Kind.STOLEN, r"^- \w+ gets "),
        (Kind.STEP, r"^- the cathedral reaches"),
        (Kind.OFFERED, r"^- on display"),
    ):
        assert len(re.findall(pattern, text, re.M)) == found[kind], kind
    dealt = re.findall(r"^- \w+ takes (.*) from pile", text, re.M)
    assert sum(len(cards.split()) for cards in dealt) == found[Kind.DEALT]


@pytest.mark.parametrize("seed", range(6))
def test_every_turn_has_its_heading_and_the_hand_before_and_after(seed: int):
    text, outcome = whole_game(seed)
    turns = [int(number) for number in re.findall(r"^### Turn (\d+):", text, re.M)]
    assert turns == list(range(1, outcome.turns + 1))
    assert len(re.findall(r"^hand \(\d+\): ", text, re.M)) == outcome.turns
    assert len(re.findall(r"^\w+: hand \(\d+\): ", text, re.M)) == outcome.turns
