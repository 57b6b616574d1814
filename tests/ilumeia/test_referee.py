"""The referee, clause by clause, on hand-written tapes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from simulator.games.ilumeia.model import Action, Die, Ending, Kind, Part, Planet, Step, Tape, Trigger, Verb
from tests.ilumeia.tapes import (
    BNEPH,
    PRIMOS,
    STILL,
    WITNESS,
    A,
    L,
    S,
    Script,
    V,
    card_set,
    effect,
    game,
    hand,
    paid,
    pile,
    prophecy,
    providence,
    refused,
    rows_of,
    witness_game,
)

# The worked examples of the rules page


def test_t_il_4_the_witness_scores_each_planet_as_the_rules_page_says():
    script = witness_game().create(0, WITNESS, V, A, L, S)
    script.score(0, BNEPH, 3, Die.OWN).score(0, PRIMOS, 7, Die.OWN).passes(1, 0)
    outcome = script.replay()
    assert paid(outcome, "suzur") == [1]
    assert rows_of(outcome, Kind.STEP) == [(0, "vvibon", 1), (0, "amp_r", 1), (0, "lotzzz", 7)]
    assert outcome.table.grey_owner == 0
    assert paid(outcome, "bneph.centrals") == [8]
    assert paid(outcome, "primos.29") == [10]
    reachable = {source for seat, source, _ in rows_of(outcome, Kind.REACHABLE) if seat == 0}
    assert {"vvibon", "amp_r", "suzur", "lotzzz", "primos.29", "bneph.centrals"} <= reachable
    assert not reachable & {"bneph.comets", "bneph.ends"}
    assert outcome.seats[0].largest == outcome.seats[0].pile == 7


@pytest.mark.parametrize("field", [0, 1, 2])
def test_t_il_4_the_witness_meets_no_other_field_of_bneph(field: int):
    refused(witness_game().create(0, WITNESS, V, A, L, S).score(0, BNEPH, field, Die.OWN), "IL-48")


def test_t_il_4_two_flame_stars_are_too_few_for_a_threshold_of_three():
    script = witness_game(amp_r_thresholds=(3, 3, 3, 3, 3)).create(0, WITNESS, V, A)
    refused(script, "IL-45", "doesn't meet AMP_R")


def test_t_il_5_sixteen_dice_are_two_for_vp_three_markers_five_of_energy_and_six_of_supply():
    table = game(energy_start=5).passes(0, 1).replay().table
    assert [1 + 1 + deity.own + deity.used + 3 + deity.supply for deity in table.deities] == [16, 16]


def age_without_actions(script: Script, first: int) -> Script:
    players = script.players
    seats = [(first + place) % players for place in range(players)]
    for kind, values in ((Tape.PREPARE_DISCARD, []), (Tape.PREPARE_TAKE, [-1])):
        for seat in seats:
            script.add(kind, seat, values)
    return script.passes(*seats)


def four_ages(players: int, **rules: Any) -> Script:
    cards = card_set(**{**STILL, "ages": 4, **rules})
    hands = [f"a{seat + 1}" for seat in range(players)]
    script = Script(cards, hands, prepared=False)
    for age in range(4):
        age_without_actions(script, age % players)
    return script


def test_t_il_6_of_three_deities_the_two_that_held_number_one_once_get_3_vp():
    outcome = four_ages(3).replay()
    assert [seat.score for seat in outcome.seats] == [0, 3, 3]
    assert [seat.parts[Part.COMPENSATION] for seat in outcome.seats] == [0, 3, 3]
    assert (outcome.rounds, outcome.turns) == (4, 12)


def test_t_il_6_two_or_four_deities_get_no_compensation():
    assert [seat.score for seat in four_ages(2).replay().seats] == [0, 0]
    assert [seat.score for seat in four_ages(4).replay().seats] == [0, 0, 0, 0]


PROVIDENCE = [providence(f"p{n}", "stars >= 1", 0 if n % 2 == 0 else 1) for n in range(8)]


@pytest.mark.parametrize(("age", "vp"), [(1, 14), (2, 10), (3, 7), (4, 5)])
def test_t_il_7_a_fulfilled_providence_card_pays_by_the_age_of_its_choice(age: int, vp: int):
    cards = card_set(providences=PROVIDENCE, providence=True, ages=4, **STILL)
    script = Script(cards, ["a1", "a2"], prepared=False, providence=["p0 p1", "p2 p3"])
    for present in range(1, 5):
        first = (present - 1) % 2
        for kind, values in ((Tape.PREPARE_DISCARD, []), (Tape.PREPARE_TAKE, [-1])):
            for seat in (first, 1 - first):
                script.add(kind, seat, values)
        for seat in (first, 1 - first):
            if present == (age if seat == 0 else 4):
                script.add(Tape.PROVIDENCE, seat, [0 if seat == 0 else 3])
        script.passes(first, 1 - first)
    outcome = script.replay()
    assert paid(outcome, "providence.p0") == [vp]
    assert outcome.seats[0].parts[Part.PROVIDENCE] == vp
    # Seat 1 kept the card that its empty pile doesn't fulfil; the card not kept lapsed when it chose.
    lapsed = [row for row in rows_of(outcome, Kind.LAPSED) if row[1].startswith("providence")]
    assert Counter(lapsed) == Counter(
        [(0, "providence.p1", 0), (1, "providence.p2", 0), (1, "providence.p3", 0)]
    )


def test_il_23_a_providence_card_must_be_kept_in_the_last_age():
    cards = card_set(providences=PROVIDENCE, providence=True, **STILL)
    refused(Script(cards, ["a1", "a2"], providence=["p0 p1", "p2 p3"]).passes(0, 1), "IL-23")


def test_il_23_only_an_own_providence_card_can_be_kept():
    cards = card_set(providences=PROVIDENCE, providence=True, **STILL)
    script = Script(cards, ["a1", "a2"], providence=["p0 p1", "p2 p3"]).add(Tape.PROVIDENCE, 0, [2])
    refused(script, "IL-23")


def test_t_il_8_bneph_pays_13_after_the_claim_of_two_or_three_stars_by_the_same_constellation():
    script = game(bneph_values=(7, 4, 8, 2)).create(0, "a1 a2r", S)
    script.score(0, PRIMOS, 0, Die.OWN).score(0, BNEPH, 3, Die.OWN).passes(1, 0)
    assert paid(script.replay()) == [1, 0, 13]


def test_t_il_8_bneph_pays_8_when_it_is_claimed_first():
    script = game(bneph_values=(7, 4, 8, 2)).create(0, "a1 a2r", S)
    script.score(0, BNEPH, 3, Die.OWN).score(0, PRIMOS, 0, Die.OWN).passes(1, 0)
    assert paid(script.replay()) == [1, 8, 0]


def test_t_il_9_suzur_pays_at_most_4():
    pairs = [f"f{n} f{n + 1}" for n in range(1, 13, 2)] + ["a1 b1 b2 b3 a2", "a3 a4"]
    hands = (" ".join([*pairs, "u1 u2"]), " ".join(f"a{n}" for n in range(5, 25)) + " b4")
    rules = {
        "vvibon_thresholds": (1,) * 9,
        "amp_r_thresholds": (1,) * 5,
        "energy_start": 10,
        "hand_limit": 30,
    }
    script = game(hands=hands, **rules)
    for number, pair in enumerate(pairs):
        cards = pair.split()
        row = " ".join([*cards[:-1], cards[-1] + "r"])
        steps = [V, *([A] if number < 5 else []), *([L] if len(cards) == 5 else [])]
        script.create(0, row, *steps)
        if len(cards) == 5:
            script.score(0, PRIMOS, 1, Die.OWN)
        script.score(0, S)
        if number == 0:
            script.passes(1)
        else:
            script.idle(1)
    script.passes(0).cards(Tape.KEEP, 0, "u1 u2")
    outcome = script.replay()
    # Amp-R 3 with the third, Vvibon 7 and Primos {5, 7} with the seventh constellation.
    assert paid(outcome, "suzur") == [1, 1, 2, 2, 2, 2, 4, 4]
    assert paid(outcome, "amp_r") == [0, 0, 0, 3, 5]
    assert paid(outcome, "vvibon") == [0, 0, 3, 0, 0, 7, 0, 0]


# Set-up and preparation


def test_il_2_a_stack_holds_the_planets_own_prophecies():
    script = game()
    own = [script.prophecy(f"{planet.name.lower()}_never_0") for planet in Planet]
    script.words[3] = own[1]
    refused(script, "IL-2", "isn't of MECULOG")


def test_il_2_a_first_game_uses_dotted_cards_only():
    refused(game(prophecy("braeck_bare", dot=False), first_game=True), "IL-2", "no dot")


def test_g48_an_exchanged_stack_has_unused_cards_of_other_planets():
    extra = prophecy("fluuvee_extra")
    cards = card_set([prophecy("fluuvee_own"), extra], exchanged_planet="meculog", **STILL)
    hands = ["a1 a2 a3 a4", "a5 a6 a7 a8"]
    stacks = {Planet.MECULOG: ["fluuvee_extra"]}
    outcome = Script(cards, hands, stacks=stacks).create(0, "a1 a2r", S).score(0, Step.MECULOG, 0)
    assert paid(outcome.passes(1, 0).replay(), "prophecy.fluuvee_extra") == [4]
    refused(Script(cards, hands), "IL-2", "whose stack is exchanged")
    both = {Planet.MECULOG: ["fluuvee_own"]}
    refused(Script(cards, hands, stacks=both), "IL-2", "lies in two stacks")


def test_il_6_the_pile_has_every_star_card_once():
    script = game()
    top = script.words.index(Tape.SHUFFLE, 15) + 3
    script.words[top] = script.words[top + 1]
    refused(script, "IL-6")


def test_il_29_each_deity_discards_from_its_whole_hand_and_takes_one_card():
    cards = card_set(prepare_discard=2, energy_start=1, **STILL)
    script = Script(cards, ["a1 a2 a3 a4", "a5 a6 a7 a8"], display="b1 b2", prepared=False, pile="b3")
    script.cards(Tape.PREPARE_DISCARD, 0, "a1 a2").cards(Tape.PREPARE_DISCARD, 1, "a7 a8")
    script.add(Tape.PREPARE_TAKE, 0, [1]).add(Tape.PREPARE_TAKE, 1, [-1])
    table = script.draw(0).passes(1).replay().table
    # Slot 1 was refilled from the pile at once, before seat 1 took the pile's top (g7).
    assert [table.card_ids[card] for card in table.display] == ["b1", script.ids[table.display[1]]]
    discarded = {table.card_ids[card] for card in table.discards}
    assert {"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "b2"} <= discarded


def test_il_29_exactly_two_cards_are_discarded_in_the_preparation():
    script = Script(card_set(prepare_discard=2), ["a1 a2 a3 a4", "a5 a6 a7 a8"], prepared=False)
    refused(script.cards(Tape.PREPARE_DISCARD, 0, "a1"), "IL-29", "must discard 2")


def test_g8_the_hand_limit_holds_before_the_preparations_discard():
    cards = card_set(hand_limit=3, energy_start=1, **STILL)
    script = Script(cards, ["a1 a2 a3 a4", "a5 a6 a7 a8"], prepared=False)
    refused(script.add(Tape.PREPARE_DISCARD, 0), "IL-39")


# Turns


def test_il_30_drawing_takes_the_top_three_of_the_pile():
    script = game(hands=("a1 a2", "a3 a4"), pile="b1 b2 b3", taken="e1 e2").draw(0).passes(1)
    script.create(0, "a1 b1 b2 b3 a2r", S, L).idle(1).passes(0)
    assert pile(script.replay(), 0) == ["a1", "b1", "b2", "b3", "a2"]


def test_il_30_a_taken_display_card_is_replaced_at_once_in_its_slot():
    script = game(display="b1 b2", pile="b3 b4").take(0, 0).take(1, 0)
    table = script.passes(0, 1).replay().table
    assert [table.card_ids[card] for card in table.display] == ["b4", "b2"]


def test_il_30_a_slot_without_a_card_cannot_be_taken():
    refused(game().take(0, 2), "IL-30", "slot 2")


def test_il_30_a_turn_with_energy_has_an_action_of_its_own_seat():
    refused(game().draw(1), "IL-30", "expected ACTION of seat 0")


def test_il_30_the_grey_die_pays_only_where_it_lies():
    refused(game().draw(0, Die.GREY), "IL-30", "grey die")


def test_il_30_no_action_is_free_without_an_effect():
    refused(game().draw(0, Die.FREE), "IL-30", "isn't free")


def test_il_32_a_pass_uses_all_dice_and_discards_the_hand():
    outcome = game(energy_start=3).passes(0, 1).replay()
    deity = outcome.table.deities[0]
    assert (deity.own, deity.used, deity.hand) == (0, 3, [])
    assert outcome.turns == 2


def test_il_30_il_32_each_die_of_an_action_and_all_dice_of_a_pass_are_energy():
    seats = game(energy_start=3).draw(0).passes(1, 0).idle(1).replay().seats
    assert [seat.energy for seat in seats] == [3, 3]
    again = four_ages(2, energy_start=3).replay().seats
    assert [seat.energy for seat in again] == [12, 12], "dice that came back are spent again (IL-40)"


def test_il_47_il_48_a_die_laid_on_a_claim_is_gone_and_no_energy():
    script = game(bneph_values=(7, 4, 8, 2)).create(0, "a1 a2r", S)
    script.score(0, PRIMOS, 0, Die.OWN).score(0, BNEPH, 3, Die.OWN).passes(1, 0)
    assert script.replay().seats[0].energy == 3, "of five dice two lie on claims"


def test_il_33_an_exchange_costs_four_cards_and_brings_one():
    script = game(display="b1 b2", energy_start=1).cards(Tape.EXCHANGE, 0, "a1 a2 a3 a4", 1)
    outcome = script.take(0, 0).passes(1).replay()
    assert outcome.seats[0].did[Action.EXCHANGE] == 1
    table = outcome.table
    assert {"a1", "a2", "a3", "a4", "b1", "b2"} <= {table.card_ids[card] for card in table.discards}


def test_il_33_an_exchange_of_three_cards_is_refused():
    refused(game().cards(Tape.EXCHANGE, 0, "a1 a2 a3", 0), "IL-33", "takes 4 cards")


def test_il_33_a_second_exchange_in_a_turn_is_refused():
    script = game(exchange_cost=1).cards(Tape.EXCHANGE, 0, "a1", 0).cards(Tape.EXCHANGE, 0, "a2", 0)
    refused(script, "IL-33", "only once")


def test_il_33_a_renewal_replaces_the_whole_display():
    script = game(display="b1 b2", pile="b3 b4", energy_start=1).cards(Tape.RENEW, 0, "a1 a2 a3")
    outcome = script.take(0, 0).passes(1).replay()
    assert {outcome.table.card_ids[card] for card in outcome.table.discards} >= {"b1", "b2", "b3"}
    assert outcome.table.card_ids[outcome.table.display[1] or 0] == "b4"
    refused(game().cards(Tape.RENEW, 0, "a1 a2"), "IL-33", "takes 3 cards")


def test_il_33_exchange_and_renewal_may_follow_the_action():
    script = game(pile="b1 b2 b3", energy_start=1).draw(0)
    script.cards(Tape.EXCHANGE, 0, "a1 a2 a3 b1", 0).cards(Tape.RENEW, 0, "b2 b3 a4")
    did = script.passes(1).replay().seats[0].did
    assert (did[Action.EXCHANGE], did[Action.RENEW]) == (1, 1)


def test_il_32_no_pass_after_an_exchange():
    refused(game().cards(Tape.EXCHANGE, 0, "a1 a2 a3 a4", 0).passes(0), "IL-32")


def test_il_32_no_exchange_in_the_turn_of_a_pass():
    refused(game().passes(0).cards(Tape.EXCHANGE, 0, "a1 a2 a3 a4", 0), "IL-32")


def test_il_33_cards_that_are_not_in_the_hand_cannot_be_exchanged():
    refused(game().cards(Tape.EXCHANGE, 0, "a1 a2 a3 a5", 0), "IL-33", "card a5 isn't in the hand of seat 0")


def test_il_36_all_deities_take_the_same_number_of_turns():
    script = game(energy_start=2, hand_limit=11).passes(0).draw(1).idle(0).draw(1)
    outcome = script.replay()
    assert outcome.turns == 4
    assert outcome.seats[0].did[Action.IDLE] == 1


def test_il_38_a_turn_without_energy_takes_the_top_card_and_nothing_else():
    script = game(energy_start=2, hand_limit=11, pile="b1 b2 b3 b4")
    outcome = script.passes(0).draw(1).idle(0).draw(1).replay()
    assert hand(outcome, 0) == {"b4"}
    stopped = game(energy_start=2).passes(0).draw(1)
    refused(stopped.draw(0), "IL-38")


@pytest.mark.parametrize("kind", [Tape.EXCHANGE, Tape.RENEW])
def test_il_38_a_turn_without_energy_has_no_exchange_and_no_renewal(kind: Tape):
    refused(game(energy_start=2).passes(0).draw(1).add(kind, 0, [-1]), "IL-38")


KEEPING = {"vvibon_thresholds": (1,) * 9, "vvibon_rewards": ("keep",) * 9}


def test_il_37_at_exhaustion_the_kept_cards_stay_and_the_rest_is_discarded():
    script = game(energy_start=1, **KEEPING).create(0, "a1 a2r", V, S).cards(Tape.KEEP, 0, "a3")
    assert hand(script.passes(1).replay(), 0) == {"a3"}


def test_il_37_at_most_the_cards_that_may_be_kept_are_kept():
    script = game(energy_start=1, **KEEPING).create(0, "a1 a2r", V, S)
    refused(script.cards(Tape.KEEP, 0, "a3 a4"), "IL-37", "at most 1")
    silent = game(energy_start=1, **KEEPING).create(0, "a1 a2r", V, S).passes(1)
    refused(silent, "IL-37", "at most 1")
    none_kept = game(energy_start=1, **KEEPING).create(0, "a1 a2r", V, S).cards(Tape.KEEP, 0, "")
    assert hand(none_kept.passes(1).replay(), 0) == set()
    script = game(energy_start=1, taken="e1 e2", keep_per_step=9, **KEEPING).create(0, "a1 a2r", V, S)
    assert hand(script.cards(Tape.KEEP, 0, "a3 a4 e1").passes(1).replay(), 0) == {"a3", "a4", "e1"}


def test_il_39_drawing_over_the_limit_forces_a_discard_after_all_three_cards():
    script = game(hand_limit=6, pile="b1 b2 b3", energy_start=2).draw(0).cards(Tape.DISCARD, 0, "b3 a1")
    outcome = script.passes(1, 0).replay()
    assert outcome.seats[0].did[Action.DRAW] == 1
    refused(game(hand_limit=6).draw(0).draw(1), "IL-39", "must discard 2")
    refused(game(hand_limit=6, pile="b1").draw(0).cards(Tape.DISCARD, 0, "b1"), "IL-39", "not 1")


def test_il_39_the_fifth_step_of_vvibon_raises_the_limit():
    rules = {"vvibon_thresholds": (1,) * 9, "vvibon_rewards": ("limit",) * 9, "hand_limit": 5}
    script = game(pile="b1 b2 b3", energy_start=2, **rules).create(0, "a1 a2r", V, S).passes(1).draw(0)
    assert script.idle(1).replay().turns == 4


def test_r1_a_deity_without_a_die_is_exhausted_before_the_first_turn():
    outcome = game(energy_start=0).replay()
    assert (outcome.turns, outcome.rounds) == (0, 1)
    assert len(outcome.table.discards) == 10


# Running out of cards


def short_game(*prophecies: Any, pile: str = "", **rules: Any) -> Script:
    """A game whose star cards are the hands, the display and `pile`."""
    cards = card_set(prophecies, **{**STILL, **rules})
    hands = ["a1 a2 a3 a4", "a5 a6 a7 a8"]
    return Script(cards, hands, display="b1 b2", taken="e1 e2", pile=pile, whole_pile=False)


def test_il_34_an_empty_pile_is_the_discards_shuffled_when_a_card_is_needed():
    script = short_game(energy_start=1, pile="b3").cards(Tape.EXCHANGE, 0, "a1 a2 a3 a4", 0).draw(0)
    outcome = script.cards(Tape.SHUFFLE, -1, "a4 a3 a2 a1").passes(1).replay()
    assert [outcome.table.card_ids[card] for card in outcome.table.draw_pile] == ["a4"]


def test_il_34_the_new_pile_must_be_the_discards():
    script = short_game(energy_start=2).cards(Tape.EXCHANGE, 0, "a1 a2 a3 a4", 0)
    refused(script.cards(Tape.SHUFFLE, -1, "a1 a2 a3 a5"), "IL-34")


def test_il_34_without_any_card_to_take_the_game_ends_at_once():
    outcome = short_game(pile="b3").draw(0).replay()
    assert outcome.ending == Ending.NO_CARDS
    assert (outcome.turns, outcome.seats[0].did[Action.DRAW]) == (1, 1)


def test_r14_a_display_that_cannot_be_refilled_stays_short():
    table = short_game(energy_start=2).take(0, 0).take(1, 1).passes(0, 1).replay().table
    assert table.display == [None, None]


def test_g37_a_constellation_is_scored_to_the_end_without_the_cards_it_lacks():
    drawing = prophecy("braeck_draw", "stars >= 2", effect(Verb.DRAW, Trigger.CREATE, amount=2))
    script = short_game(drawing, prophecy("meculog_win"), pile="b3", energy_start=2)
    script.create(0, "a1 a2r").score(0, Step.BRAECK, 1).score(0, S).score(0, Step.MECULOG, 0)
    outcome = script.replay()
    assert outcome.ending == Ending.NO_CARDS
    assert paid(outcome) == [0, 1, 4]
    assert pile(outcome, 0) == ["a1", "a2"]
    assert "b3" in hand(outcome, 0)


# The end


def test_il_42_most_vp_wins():
    outcome = game().create(0, "a1 a2r", S).passes(1, 0).replay()
    assert (outcome.winner_seats, outcome.tie_stage, outcome.margin) == ((0,), 0, 1)
    assert [seat.rank for seat in outcome.seats] == [1, 2]
    assert [seat.win_share for seat in outcome.seats] == [1.0, 0.0]


def test_il_42_a_tie_goes_to_the_deity_with_more_cards_in_its_pile():
    hands = ("a1 a2 a3 a4", "a5 a6 b1 a8")
    outcome = game(hands=hands).create(0, "a1 a2r", S).create(1, "a5 b1 a6r", S).passes(0, 1).replay()
    assert (outcome.winner_seats, outcome.tie_stage, outcome.tied_on_points, outcome.margin) == (
        (1,),
        1,
        2,
        0,
    )
    assert [seat.rank for seat in outcome.seats] == [2, 1]


def test_il_42_a_whole_tie_is_shared():
    outcome = game().create(0, "a1 a2r", S).create(1, "a5 a6r", S).passes(0, 1).replay()
    assert (outcome.winners, outcome.tie_stage) == (2, -1)
    assert [(seat.rank, seat.win_share) for seat in outcome.seats] == [(1, 0.5), (1, 0.5)]


def test_r11_the_lead_changes_when_another_deity_is_alone_ahead():
    script = game(hands=("a1 a2 a3 a4", "a5 a6 a7 a8"), energy_start=3).create(0, "a1 a2r", S)
    script.create(1, "a5 a6r", S).passes(0).create(1, "a7 a8r", S).idle(0).passes(1)
    assert script.replay().lead_changes == 1


def test_the_tape_is_read_to_its_end():
    refused(game().passes(0, 1, 0), "tape", "the game is over")
    cut = game().passes(0, 1)
    cut.words.pop()
    refused(cut, "tape", "cut off")
    strange = game()
    strange.words += [99, 0, 0]
    refused(strange, "tape", "no record of kind 99")


# Events


def test_the_game_offers_its_standing_sources_first():
    outcome = game(hands=("a1 a2 a3 a4", "a5 a6 a7 a8", "e1 e2 e3 e4")).passes(0, 1, 2).replay()
    offered = [source for _, source, _ in rows_of(outcome, Kind.OFFERED)]
    assert offered[:6] == ["vvibon", "amp_r", "suzur", "lotzzz", "primos.2_3", "primos.5_7"]
    assert offered[12:18] == [
        "bneph.comets", "bneph.ends", "bneph.middle", "bneph.centrals", "compensation",
        "prophecy.meculog_never_0",
    ]  # fmt: skip
    assert all(event.turn == 0 and event.round == 1 for event in outcome.events[:18])


def test_reachable_comes_once_before_the_turn_and_at_the_latest_with_paid():
    script = game(prophecy("braeck_two", "cards == 2"), taken="e1 e2").create(0, "a1 a2r", S).passes(1)
    outcome = script.create(0, "a3 a4r", S).idle(1).passes(0).replay()
    reachable = [source for seat, source, _ in rows_of(outcome, Kind.REACHABLE) if seat == 0]
    assert reachable == ["suzur", "primos.2_3", "prophecy.braeck_two"]
    kinds = [(event.kind, event.source) for event in outcome.events if event.turn == 0 and event.seat == 0]
    assert kinds[-1] == (Kind.PAID, "suzur")


def test_reachable_needs_a_die_that_could_pay_the_claim():
    hands = ("a1 a2 a3 a4", "a5 a6 a7 a8")
    one = game(hands=hands, energy_start=1).draw(0).passes(1).replay()
    assert (0, "primos.2_3", 0) not in rows_of(one, Kind.REACHABLE)
    # A flame in the row itself brings the die.
    flame = game(hands=("f1 a2 b1 b2", hands[1]), energy_start=1, amp_r_thresholds=(1,) * 5)
    assert (0, "primos.2_3", 0) in rows_of(flame.draw(0).passes(1).replay(), Kind.REACHABLE)


def test_reachable_reads_primos_with_the_step_of_vvibon_that_the_row_itself_takes():
    rules = {"vvibon_thresholds": (1,) * 9, "vvibon_rewards": ("primos",) * 9}
    script = game(hands=("a1 b1 b2 a2", "a5 a6 a7 a8"), taken="e1 e2", **rules).passes(0, 1)
    assert (0, "primos.5_7", 0) in rows_of(script.replay(), Kind.REACHABLE)


def test_the_steps_of_a_turn_are_counted_from_0():
    outcome = game().create(0, "a1 a2r", S).passes(1, 0).replay()
    by_turn: dict[int, list[int]] = {}
    for event in outcome.events:
        by_turn.setdefault(event.turn, []).append(event.step_in_turn)
    assert all(steps == list(range(len(steps))) for steps in by_turn.values())
    assert max(by_turn) == outcome.turns
