"""Constellations and their scoring, clause by clause, on hand-written tapes."""

from __future__ import annotations

from typing import Any

import pytest

from simulator.games.ilumeia.model import Action, Die, Kind, Part, Planet, Step, Tape, Trigger, Verb
from tests.ilumeia.tapes import (
    BNEPH,
    PRIMOS,
    STILL,
    A,
    L,
    S,
    Script,
    V,
    card_set,
    effect,
    game,
    paid,
    pile,
    prophecy,
    refused,
    rows_of,
)

# Constellations


@pytest.mark.parametrize(
    ("row", "clause", "words"),
    [
        ("a1", "IL-19", "at least two cards"),
        ("a1 u1r", "IL-18", "don't match"),
        ("a1r a2", "IL-18", "no transition on its right side"),
        ("a1 b1", "IL-19", "open at its right end"),
        ("b1 a2r", "IL-19", "open at its left end"),
        ("a1 a5r", "IL-17", "card a5 isn't in the hand"),
        ("a1 a1r", "IL-17", "card a1 isn't in the hand"),
    ],
)
def test_il_17_to_19_no_other_row_is_a_constellation(row: str, clause: str, words: str):
    script = game(hands=("a1 a2 b1 u1", "a5 a6 a7 a8"))
    refused(script.create(0, row), clause, words)


def test_il_18_a_turned_card_has_its_upper_transition_below():
    refused(game(hands=("u1 u2 b1 a3", "a5 a6 a7 a8")).create(0, "u1 u2r"), "IL-18", "don't match")


def test_il_31_the_steps_come_in_any_order_each_once():
    for steps in ((V, S), (S, V)):
        script = game(vvibon_thresholds=(1,) * 9).create(0, "a1 a2r", *steps).passes(1, 0)
        assert sorted(paid(script.replay())) == [0, 1]
    refused(game().create(0, "a1 a2r", S, S), "IL-43", "once a constellation")


@pytest.mark.parametrize(
    ("rules", "row", "clause"),
    [
        ({"vvibon_thresholds": (2,) * 9}, "a1 a2r", "IL-46"),
        ({"amp_r_thresholds": (1,) * 5}, "f1 a2r", "IL-45"),
        ({"lotzzz_minimum": 2}, "a1 a2r", "IL-44"),
    ],
)
def test_g47_open_tracks_are_mandatory(rules: dict[str, Any], row: str, clause: str):
    script = game(hands=("a1 a2 f1 a3", "a5 a6 a7 a8"), **rules)
    refused(script.create(0, row, S).passes(1, 0), clause, "mandatory")


def test_g47_suzur_is_mandatory():
    refused(game().create(0, "a1 a2r").passes(1, 0), "IL-43", "mandatory")


@pytest.mark.parametrize(("step", "clause"), [(V, "IL-46"), (A, "IL-45"), (L, "IL-44")])
def test_a_track_whose_condition_is_not_met_does_not_move(step: Step, clause: str):
    refused(game().create(0, "a1 a2r", step), clause, "doesn't meet")


def test_il_42_a_constellation_counts_from_its_scoring_on_in_the_own_pile():
    outcome = game().create(0, "a1 a2r", S).passes(1, 0).replay()
    assert pile(outcome, 0) == ["a1", "a2"]
    assert (outcome.seats[0].pile, outcome.seats[0].largest, outcome.seats[1].largest) == (2, 2, 0)


# The planets without cards

FIVE = ("a1 b1 b2 b3 a2", "a3 b4 b5 b6 a4")
LONG = "a1 b1 b2 b3 a2r"


def test_il_44_a_record_moves_the_marker_and_brings_the_grey_die():
    script = game(hands=FIVE, energy_start=1).create(0, LONG, L, S).passes(1).draw(0, Die.GREY)
    outcome = script.idle(1).replay()
    assert rows_of(outcome, Kind.STEP) == [(0, "lotzzz", 5)]
    assert outcome.table.grey_owner == 0
    assert outcome.turns == 4


def test_il_44_an_equal_number_is_no_record():
    script = game(hands=FIVE).create(0, LONG, L, S).create(1, "a3 b4 b5 b6 a4r", L)
    refused(script, "IL-44", "doesn't meet")


def test_g39_a_deity_that_lost_its_last_die_is_exhausted_at_its_next_turn():
    hands = ("a1 b1 b2 b3 a2 e1", "a3 b4 b5 b6 a4 b7")
    script = game(hands=hands, energy_start=1).create(0, LONG, L, S)
    script.create(1, "a3 b4 b5 b6 b7 a4r", L, S).idle(0).draw(1, Die.GREY)
    outcome = script.replay()
    assert outcome.seats[0].did[Action.IDLE] == 1
    assert len(outcome.table.deities[0].hand) == 1, "the rest went before the turn without energy"


def test_il_40_the_markers_of_lotzzz_go_back_and_the_grey_die_stays():
    cards = card_set(ages=2, energy_start=1, **STILL)
    script = Script(cards, FIVE).create(0, LONG, L, S).passes(1).draw(0, Die.GREY).idle(1)
    for kind, values in ((Tape.PREPARE_DISCARD, []), (Tape.PREPARE_TAKE, [-1])):
        for seat in (1, 0):
            script.add(kind, seat, values)
    # The grey die is available again in the second age.
    outcome = script.passes(1).draw(0, Die.GREY).idle(1).passes(0).replay()
    assert outcome.table.grey_owner == 0
    assert [deity.record for deity in outcome.table.deities] == [0, 0]
    assert outcome.rounds == 2


def test_il_45_amp_r_gives_a_die_that_can_claim_at_once_and_dice_end_with_the_supply():
    rules = {"amp_r_thresholds": (1,) * 5, "energy_start": 1, "supply": 1}
    script = game(hands=("f1 f2 a1 a2", "a5 a6 a7 a8"), **rules).create(0, "f1 f2r", A, S)
    outcome = script.score(0, PRIMOS, 0, Die.OWN).passes(1).replay()
    assert outcome.seats[0].did[Action.CLAIM] == 1
    refused(
        game(hands=("f1 f2 a1 a2", "a5 a6 a7 a8"), **{**rules, "supply": 0})
        .create(0, "f1 f2r", A, S)
        .score(0, PRIMOS, 0, Die.OWN),
        "IL-47",
        "no own die",
    )


def test_g40_vvibon_pays_by_the_order_in_which_a_step_is_reached():
    rules = {"vvibon_thresholds": (1,) * 9, "vvibon_rewards": ("vp",) * 9, "vvibon_vp": ((3, 2, 1, 1),) * 9}
    script = game(**rules).create(0, "a1 a2r", V, S).create(1, "a5 a6r", V, S).passes(0, 1)
    outcome = script.replay()
    assert paid(outcome, "vvibon", 0) == [3]
    assert paid(outcome, "vvibon", 1) == [2]


def test_il_47_primos_asks_for_an_exact_number_and_vvibon_8_allows_one_more_or_less():
    hands = ("a1 a2 b1 b2", "a5 a6 a7 a8")
    refused(
        game(hands=hands).create(0, "a1 b1 b2 a2r", S).score(0, PRIMOS, 0, Die.OWN),
        "IL-47",
        "4 stars don't fit",
    )
    for field in (0, 1):  # g41: 4 is 1 away from {2, 3} and from {5, 7}
        rules = {"vvibon_thresholds": (1,) * 9, "vvibon_rewards": ("primos",) * 9}
        script = game(hands=hands, **rules).create(0, "a1 b1 b2 a2r", V, S).score(0, PRIMOS, field, Die.OWN)
        assert script.passes(1, 0).replay().seats[0].did[Action.CLAIM] == 1
    both = game(hands=hands, **rules).create(0, "a1 b1 b2 a2r", V, S).score(0, PRIMOS, 0, Die.OWN)
    refused(both.score(0, PRIMOS, 1, Die.OWN), "IL-47", "once a constellation")


def test_il_47_a_field_of_primos_is_claimed_once_by_each_deity():
    script = game().create(0, "a1 a2r", S).score(0, PRIMOS, 0, Die.OWN)
    script.create(1, "a5 a6r", S).score(1, PRIMOS, 0, Die.OWN)
    again = script.create(0, "a3 a4r", S).score(0, PRIMOS, 0, Die.OWN)
    refused(again, "IL-47", "claimed this field before")


def test_il_48_a_field_of_bneph_is_claimed_once_in_the_game():
    rules = {"bneph_values": (7, 4, 8, 2)}
    script = game(**rules).create(0, "a1 a2r", S).score(0, BNEPH, 3, Die.OWN)
    refused(script.create(1, "a5 a6r", S).score(1, BNEPH, 3, Die.OWN), "IL-48", "claimed")


def test_il_48_several_fields_of_bneph_by_one_constellation_cost_a_die_each():
    script = game(bneph_values=(0, 2, 2, 2)).create(0, "a1 a2r", S)
    for field in range(4):
        script.score(0, BNEPH, field, Die.OWN)
    outcome = script.passes(1).replay()
    assert paid(outcome) == [1, 8, 8, 8, 8]
    assert outcome.table.deities[0].own + outcome.table.deities[0].used == 1


@pytest.mark.parametrize("die", [Die.USED, Die.GREY])
def test_r4_a_claim_needs_an_available_own_die(die: Die):
    script = game(hands=FIVE).create(0, LONG, L, S).score(0, PRIMOS, 1, die)
    refused(script, "IL-47", "without an ability")


def test_il_47_there_is_no_claim_with_a_free_die():
    refused(game().create(0, "a1 a2r", S).score(0, PRIMOS, 0, Die.FREE), "IL-47")


def test_g31_the_die_of_the_action_is_paid_before_a_claim():
    script = game(energy_start=1).create(0, "a1 a2r", S).score(0, PRIMOS, 0, Die.OWN)
    refused(script, "IL-47", "no own die")


# Prophecy cards


def test_il_50_a_prophecy_is_won_once_and_must_be_fulfilled():
    script = game(prophecy("braeck_two", "stars == 2")).create(0, "a1 a2r", S).score(0, Step.BRAECK, 0)
    outcome = script.passes(1, 0).replay()
    assert paid(outcome, "prophecy.braeck_two") == [4]
    assert outcome.seats[0].parts[Part.BRAECK] == 4
    again = game(prophecy("braeck_two", "stars == 2")).create(0, "a1 a2r", S).score(0, Step.BRAECK, 0)
    refused(again.create(1, "a5 a6r", S).score(1, Step.BRAECK, 0), "IL-50", "no prophecy lies face up")
    refused(game().create(0, "a1 a2r", S).score(0, Step.BRAECK, 0), "IL-50", "doesn't fulfil")


def test_il_26_an_instant_card_gives_vp_and_a_final_card_its_effect():
    script = game(prophecy("braeck_two")).create(0, "a1 a2r", S).score(0, Step.BRAECK, 1)
    refused(script, "IL-26", "VP only")
    final = prophecy("braeck_end", effect=effect(Verb.GAIN_VP, Trigger.FINAL))
    refused(game(final).create(0, "a1 a2r", S).score(0, Step.BRAECK, 0), "IL-26", "at the end only")


def test_il_26_an_ability_can_be_given_up_for_vp():
    ability = prophecy("braeck_more", effect=effect(Verb.GAIN_VP, Trigger.CREATE, amount=2))
    taken = game(ability).create(0, "a1 a2r", S).score(0, Step.BRAECK, 1).passes(1).create(0, "a3 a4r", S)
    taken.idle(1).passes(0)
    assert paid(taken.replay()) == [1, 0, 2, 1, 2]
    given = game(ability).create(0, "a1 a2r", S).score(0, Step.BRAECK, 0).passes(1, 0)
    assert paid(given.replay()) == [1, 4]


def test_il_40_an_unwon_prophecy_lapses_with_its_age():
    outcome = game().passes(0, 1).replay()
    lapsed = [source for _, source, _ in rows_of(outcome, Kind.LAPSED)]
    assert lapsed[:5] == [f"prophecy.{planet.name.lower()}_never_0" for planet in Planet]
    assert lapsed[5:] == ["bneph.comets", "bneph.ends", "bneph.middle", "bneph.centrals"]
