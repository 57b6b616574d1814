"""What prophecy cards do, verb by verb, on hand-written tapes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from simulator.games.ilumeia.cards import Effect
from simulator.games.ilumeia.model import Action, Die, Kind, Part, Step, Tape, Target, Trigger, Verb
from tests.ilumeia.tapes import A, L, S, Script, V, effect, game, hand, paid, pile, prophecy, refused, rows_of

HANDS = ("a1 a2 a3 a4", "a5 a6 a7 a8")


def won(card: Effect, *, energy_start: int = 5, **more: Any) -> Script:
    """A game in which seat 0 has won a card with this effect by its first constellation."""
    own = prophecy("braeck_own", "stars == 2", card)
    return game(own, energy_start=energy_start, **more).create(0, "a1 a2r", S).score(0, Step.BRAECK, 1)


def lasting(verb: Verb, amount: int = 1) -> Effect:
    return effect(verb, Trigger.ALWAYS, amount=amount)


def one_time(verb: Verb, target: Target = Target.SELF, amount: int = 1, **more: Any) -> Effect:
    return effect(verb, Trigger.PLAY, target, amount, **more)


# Lasting abilities


def test_hand_limit_lets_more_cards_be_held():
    script = won(lasting(Verb.HAND_LIMIT, 2), hand_limit=5).passes(1).draw(0).idle(1).draw(0)
    refused(script, "IL-39", "must discard 2")  # 3 + 3 + 3 cards and a limit of 7


def test_keep_lets_more_cards_be_kept():
    script = won(lasting(Verb.KEEP, 2), energy_start=1).cards(Tape.KEEP, 0, "a3 a4").passes(1)
    assert hand(script.replay(), 0) == {"a3", "a4"}


def test_draw_bonus_draws_more():
    script = won(lasting(Verb.DRAW_BONUS), pile="b1 b2 b3 b4 b5", energy_start=2).passes(1).draw(0).idle(1)
    assert "b5" in hand(script.replay(), 1)


def test_display_bonus_draws_with_a_display_card_and_the_limit_follows_once():
    script = won(lasting(Verb.DISPLAY_BONUS), pile="b1 b2", display="b3 b4", hand_limit=5)
    script.passes(1).take(0, 0).idle(1).passes(0)
    table = script.replay().table
    assert table.card_ids[table.display[0] or 0] == "b1"
    assert "b2" in {table.card_ids[card] for card in table.discards}


def test_display_bonus_and_the_taken_card_are_one_receipt():
    script = won(lasting(Verb.DISPLAY_BONUS), hand_limit=6).passes(1).draw(0).idle(1).take(0, 0)
    refused(script, "IL-39", "must discard 2")


def two_ages(card: Effect, **more: Any) -> Script:
    return won(card, energy_start=1, ages=2, **more)


def prepare(script: Script, *seats: int) -> Script:
    for seat in seats:
        script.add(Tape.PREPARE_DISCARD, seat)
    for seat in seats:
        script.add(Tape.PREPARE_TAKE, seat, [-1])
    return script


def test_deal_bonus_deals_more():
    script = prepare(two_ages(lasting(Verb.DEAL_BONUS, 7)).passes(1), 1, 0)
    refused(script, "IL-39", "must discard 1")  # 4 + 7 cards dealt


def test_idle_bonus_takes_more_without_energy():
    script = won(lasting(Verb.IDLE_BONUS), energy_start=3, pile="b1 b2 b3 b4 b5").take(1, 0)
    script.passes(0).take(1, 0).idle(0).take(1, 0)
    assert hand(script.replay(), 0) == {"b3", "b4"}


def test_exchange_discount_makes_the_exchange_cheaper():
    refused(
        won(lasting(Verb.EXCHANGE_DISCOUNT)).cards(Tape.EXCHANGE, 0, "a3 a4", 0), "IL-33", "takes 3 cards"
    )
    least = won(lasting(Verb.EXCHANGE_DISCOUNT, 9)).cards(Tape.EXCHANGE, 0, "a3", 0).passes(1, 0)
    assert least.replay().seats[0].did[Action.EXCHANGE] == 1


def test_renew_discount_makes_the_renewal_cheaper():
    script = won(lasting(Verb.RENEW_DISCOUNT, 9)).cards(Tape.RENEW, 0, "").passes(1, 0)
    assert script.replay().seats[0].did[Action.RENEW] == 1


def test_claim_with_used_claims_with_the_die_of_the_action():
    script = won(lasting(Verb.CLAIM_WITH_USED), energy_start=1).score(0, Step.PRIMOS, 0, Die.USED).passes(1)
    deity = script.replay().table.deities[0]
    assert (deity.own, deity.used) == (0, 0)


def test_claim_with_grey_leaves_the_grey_die_on_the_claim_for_good():
    hands = ("a1 a2 b1 b2 b3 a3", "a4 a5 b4 b5 b6 b7")
    card = prophecy("braeck_own", "cards == 5", lasting(Verb.CLAIM_WITH_GREY))
    script = game(card, hands=hands).create(0, "a1 b1 b2 b3 a2r", L, S).score(0, Step.BRAECK, 1)
    script.score(0, Step.PRIMOS, 1, Die.GREY).create(1, "a4 b4 b5 b6 b7 a5r", L, S).passes(0, 1)
    outcome = script.replay()
    assert outcome.table.grey_owner is None
    assert rows_of(outcome, Kind.STEP)[-1] == (1, "lotzzz", 6)
    assert outcome.table.deities[0].used == 5, "no own die lies on the claim"


def test_primos_tolerance_lets_the_stars_miss_the_field():
    card = prophecy("braeck_own", "stars == 4", lasting(Verb.PRIMOS_TOLERANCE))
    script = game(card, hands=("a1 b1 b2 a2", HANDS[1])).create(0, "a1 b1 b2 a2r", S).score(0, Step.BRAECK, 1)
    outcome = script.score(0, Step.PRIMOS, 1, Die.OWN).passes(1, 0).replay()
    assert outcome.seats[0].did[Action.CLAIM] == 1


@pytest.mark.parametrize(
    ("verb", "track", "step"),
    [(Verb.VVIBON_LENIENCY, "vvibon_thresholds", V), (Verb.AMP_R_LENIENCY, "amp_r_thresholds", A)],
)
def test_leniency_lowers_the_thresholds_of_a_track(verb: Verb, track: str, step: Step):
    lower = {track: (3,) * (9 if step == V else 5)}
    script = won(lasting(verb, 3), **lower).score(0, step).passes(1, 0)
    assert rows_of(script.replay(), Kind.STEP) == [(0, step.name.lower(), 1)]
    refused(won(lasting(verb, 3), **lower).passes(1, 0), "IL-46" if step == V else "IL-45", "mandatory")


def test_il_44_record_leniency_counts_cards_more_for_the_record_and_its_marker():
    script = won(lasting(Verb.RECORD_LENIENCY, 3)).score(0, L).passes(1, 0)
    outcome = script.replay()
    assert rows_of(outcome, Kind.STEP) == [(0, "lotzzz", 5)]
    assert outcome.table.grey_owner == 0


def test_an_always_ability_is_used_once_when_it_is_taken():
    outcome = won(lasting(Verb.KEEP), energy_start=1).cards(Tape.KEEP, 0, "a3").passes(1).replay()
    assert rows_of(outcome, Kind.USED) == [(0, "prophecy.braeck_own", 1)]


# Triggers


def test_create_works_after_the_last_step_of_each_own_constellation():
    script = won(effect(Verb.GAIN_VP, Trigger.CREATE, amount=2, per="stars - 1")).passes(1)
    script.create(0, "a3 a4r", S).idle(1).passes(0)
    assert paid(script.replay()) == [1, 0, 2, 1, 2]


def test_create_comes_before_the_cards_go_to_the_own_pile():
    script = won(effect(Verb.GAIN_VP, Trigger.CREATE, per="pile")).passes(1)
    script.create(0, "a3 a4r", S).idle(1).passes(0)
    assert paid(script.replay(), "prophecy.braeck_own") == [0, 2]


def test_other_creates_reads_the_other_constellation_and_the_owners_standing():
    card = effect(Verb.GAIN_VP, Trigger.OTHER_CREATES, per="cards", when="constellations == 1")
    script = won(card).create(1, "a5 a6r", S).create(0, "a3 a4r", S).create(1, "a7 a8r", S).passes(0, 1)
    assert paid(script.replay(), "prophecy.braeck_own") == [0, 2]


def test_other_wins_and_other_claims_work_in_anothers_turn():
    for trigger in (Trigger.OTHER_WINS, Trigger.OTHER_CLAIMS):
        cards = (
            prophecy("braeck_own", "stars == 2", effect(Verb.GAIN_VP, trigger, amount=3)),
            prophecy("fluuvee_next"),
        )
        script = game(*cards).create(0, "a1 a2r", S).score(0, Step.BRAECK, 1)
        script.create(1, "a5 a6r", S)
        if trigger == Trigger.OTHER_WINS:
            script.score(1, Step.FLUUVEE, 0)
        else:
            script.score(1, Step.PRIMOS, 0, Die.OWN)
        assert paid(script.passes(0, 1).replay(), "prophecy.braeck_own") == [0, 3], trigger


def test_prepare_works_in_the_next_preparation():
    script = prepare(two_ages(effect(Verb.GAIN_VP, Trigger.PREPARE)).passes(1), 1, 0).passes(1, 0)
    outcome = script.replay()
    assert paid(outcome, "prophecy.braeck_own") == [0, 1]
    assert next(event.round for event in reversed(outcome.events) if event.kind == Kind.PAID) == 2


def test_exhausted_works_when_the_last_die_is_spent():
    card = effect(Verb.GAIN_VP, Trigger.EXHAUSTED, when="hand == 0")
    assert paid(won(card, energy_start=1).passes(1).replay(), "prophecy.braeck_own") == [0, 1]


def test_record_works_after_the_grey_die_is_taken():
    card = prophecy("braeck_own", "cards == 5", effect(Verb.GAIN_VP, Trigger.RECORD, when="grey == 1"))
    script = game(card, hands=("a1 b1 b2 b3 a2", "a3 b4 b5 b6 a4")).create(0, "a1 b1 b2 b3 a2r")
    script.score(0, Step.BRAECK, 1).score(0, L).score(0, S).passes(1, 0)
    assert paid(script.replay(), "prophecy.braeck_own") == [0, 1]


# The size of an effect


@pytest.mark.parametrize(
    ("size", "vp"),
    [
        ({"amount": 2}, 2),
        ({"amount": 2, "per": "hand"}, 6),
        ({"amount": 2, "per": "hand / 2"}, 2),
        ({"amount": 2, "per": "hand", "most": 5}, 5),
        ({"per": "energy + used_energy + players + age"}, 8),
        (
            {
                "per": "pile_stars + pile_centrals + pile_middle + pile",
                "when": "vvibon + amp_r + record == 0",
            },
            8,
        ),
        ({"count": "centrals >= 1"}, 2),
        ({"per": "prophecies + claims"}, 1),
        ({"per": "vp - gap - behind"}, 1),
    ],
)
def test_the_size_of_an_effect(size: dict[str, Any], vp: int):
    script = won(one_time(Verb.GAIN_VP, **size)).passes(1).play(0, "braeck_own").passes(0)
    assert paid(script.replay(), "prophecy.braeck_own") == [0, vp]


@pytest.mark.parametrize(
    "size", [{"per": "hand - 9"}, {"per": "1 / 0"}, {"when": "hand > 9"}, {"count": "stars > 1"}]
)
def test_a_card_that_would_do_nothing_cannot_be_played(size: dict[str, Any]):
    refused(won(one_time(Verb.GAIN_VP, **size)).play(0, "braeck_own"), "IL-26", "would do nothing")


# One-time cards


def test_il_26_a_one_time_card_is_used_up_when_played():
    script = won(one_time(Verb.GAIN_VP)).play(0, "braeck_own").play(0, "braeck_own")
    refused(script, "IL-26", "no unused one-time card")


def test_il_26_only_the_owner_plays_a_card():
    refused(won(one_time(Verb.GAIN_VP)).play(1, "braeck_own"), "IL-26", "no unused one-time card")
    refused(won(one_time(Verb.GAIN_VP)).play(0, "meculog_never_0"), "IL-26", "no unused one-time card")


def test_g26_a_one_time_card_can_be_played_without_energy():
    script = won(one_time(Verb.GAIN_VP), energy_start=3).take(1, 0).passes(0).take(1, 1)
    script.play(0, "braeck_own").idle(0).take(1, 0)
    assert paid(script.replay(), "prophecy.braeck_own") == [0, 1]


def test_gain_vp_counts_to_the_planet_of_its_card():
    outcome = won(one_time(Verb.GAIN_VP, amount=3)).play(0, "braeck_own").passes(1, 0).replay()
    assert outcome.seats[0].parts[Part.BRAECK] == 3


def test_g44_lose_vp_never_takes_more_than_there_is():
    card = one_time(Verb.LOSE_VP, Target.OTHERS, 3)
    script = won(card).create(1, "a5 a6r", S).play(0, "braeck_own").passes(0, 1)
    outcome = script.replay()
    assert paid(outcome, "prophecy.braeck_own", seat=1) == [-1]
    assert outcome.seats[1].score == 0
    nothing = won(card).play(0, "braeck_own").passes(1, 0).replay()
    assert paid(nothing, "prophecy.braeck_own", seat=1) == []


def test_steal_vp_gives_the_owner_what_was_lost():
    script = won(one_time(Verb.STEAL_VP, Target.ONE, 3)).create(1, "a5 a6r", S).play(0, "braeck_own")
    outcome = script.add(Tape.TARGET, 0, [1]).passes(0, 1).replay()
    assert paid(outcome, "prophecy.braeck_own") == [0, 1]
    assert [seat.score for seat in outcome.seats] == [2, 0]


@pytest.mark.parametrize("chosen", [0, 2, -1])
def test_the_target_is_one_other_deity(chosen: int):
    script = won(one_time(Verb.LOSE_VP, Target.ONE)).play(0, "braeck_own").add(Tape.TARGET, 0, [chosen])
    refused(script, "IL-26", "isn't one other deity")


def test_ahead_means_more_vp_than_the_owner():
    hands = ("a1 a2 a3 a4", "a5 a6 a7 a8", "a9 a10 b1 b2")
    cards = (
        prophecy("braeck_own", "stars == 2", one_time(Verb.LOSE_VP, Target.AHEAD)),
        prophecy("fluuvee_rich", "stars == 3"),
    )
    script = game(*cards, hands=hands).create(0, "a1 a2r", S).score(0, Step.BRAECK, 1).create(1, "a5 a6r", S)
    script.create(2, "a9 b1 a10r", S).score(2, Step.FLUUVEE, 0).play(0, "braeck_own").passes(0, 1, 2)
    outcome = script.replay()
    assert [paid(outcome, "prophecy.braeck_own", seat) for seat in (1, 2)] == [[], [-1]]


def test_gain_die_takes_from_the_supply_as_far_as_it_goes():
    script = won(one_time(Verb.GAIN_DIE, amount=3), supply=2).play(0, "braeck_own").passes(1, 0)
    deity = script.replay().table.deities[0]
    assert (deity.own + deity.used, deity.supply) == (7, 0)


def test_refresh_brings_used_dice_back():
    script = won(one_time(Verb.REFRESH, amount=2), energy_start=1).play(0, "braeck_own").passes(1).draw(0)
    assert script.idle(1).replay().turns == 4


def test_take_grey_brings_the_grey_die_as_available():
    script = won(one_time(Verb.TAKE_GREY), energy_start=1).play(0, "braeck_own").passes(1)
    outcome = script.draw(0, Die.GREY).idle(1).replay()
    assert (outcome.table.grey_owner, outcome.seats[0].energy) == (0, 2)


def test_il_32_the_grey_die_is_energy_of_a_pass_while_it_is_available():
    script = won(one_time(Verb.TAKE_GREY)).play(0, "braeck_own").passes(1)
    assert script.passes(0).replay().seats[0].energy == 6
    script = won(one_time(Verb.TAKE_GREY)).play(0, "braeck_own").passes(1).draw(0, Die.GREY).idle(1)
    assert script.passes(0).replay().seats[0].energy == 6, "once used it is not pushed again"


def test_draw_obeys_the_hand_limit():
    card = one_time(Verb.DRAW, amount=2)
    script = won(card, hand_limit=5, pile="b1 b2").play(0, "braeck_own").passes(1, 0)
    assert script.replay().seats[0].did[Action.PLAY] == 1
    more = won(one_time(Verb.DRAW, amount=3), hand_limit=5).play(0, "braeck_own").passes(1)
    refused(more, "IL-39", "must discard 1")


def test_take_display_takes_cards_of_choice_each_replaced():
    script = won(one_time(Verb.TAKE_DISPLAY, amount=2), display="b1 b2", pile="b3 b4").play(0, "braeck_own")
    script.add(Tape.TAKE_DISPLAY, 0, [0]).add(Tape.TAKE_DISPLAY, 0, [0]).passes(1)
    script.create(0, "a3 b1 b3 a4r", S).idle(1).passes(0)
    assert pile(script.replay(), 0)[2:] == ["a3", "b1", "b3", "a4"]
    refused(
        won(one_time(Verb.TAKE_DISPLAY)).play(0, "braeck_own").passes(1), "IL-26", "a card of the display"
    )


def test_advance_moves_a_track_with_its_rewards_beside_the_step_of_a_constellation():
    rules = {"vvibon_thresholds": (1,) * 9, "vvibon_rewards": ("vp",) * 9, "vvibon_vp": ((3, 2, 1, 1),) * 9}
    script = (
        won(one_time(Verb.ADVANCE_VVIBON, amount=2), **rules).play(0, "braeck_own").score(0, V).passes(1, 0)
    )
    assert paid(script.replay(), "vvibon") == [3, 3, 3]
    rules = {"amp_r_thresholds": (99,) * 5, "amp_r_vp": (1, 2, 3, 4, 5)}
    script = won(one_time(Verb.ADVANCE_AMP_R, amount=9), **rules).play(0, "braeck_own").passes(1, 0)
    outcome = script.replay()
    assert paid(outcome, "amp_r") == [1, 2, 3, 4, 5]
    assert outcome.seats[0].amp_r == 5


def test_g42_guardian_of_freedom_lets_bneph_be_missed_by_one_for_one_constellation():
    guardian = one_time(Verb.RELAX_BNEPH)
    rules = {"bneph_values": (7, 3, 8, 3)}
    refused(won(guardian, **rules).score(0, Step.BNEPH, 3, Die.OWN), "IL-48")
    script = won(guardian, **rules).play(0, "braeck_own").score(0, Step.BNEPH, 3, Die.OWN)
    script.score(0, Step.BNEPH, 1, Die.OWN).passes(1, 0)
    assert script.replay().seats[0].did[Action.CLAIM] == 2
    later = won(guardian, **rules).play(0, "braeck_own").passes(1).create(0, "a3 a4r", S)
    refused(later.score(0, Step.BNEPH, 3, Die.OWN), "IL-48")


def test_free_action_costs_no_die_and_comes_before_the_action():
    card = one_time(Verb.FREE_ACTION)
    script = won(card, energy_start=2, pile="b1 b2 b3", hand_limit=20).passes(1).play(0, "braeck_own")
    script.draw(0, Die.FREE).idle(1).draw(0).idle(1)
    seat = script.replay().seats[0]
    assert (seat.did[Action.DRAW], seat.energy) == (2, 2), "for the constellation and one of two draws"
    refused(won(card).passes(1).play(0, "braeck_own").draw(0), "IL-30", "costs no die")
    refused(won(card).play(0, "braeck_own"), "IL-26", "before the action")


def test_renew_free_renews_the_display_beside_the_renewal_of_the_turn():
    script = won(one_time(Verb.RENEW_FREE), display="b1 b2", taken="e1 e2", pile="b3 b4 b5 b6")
    script.play(0, "braeck_own")
    outcome = script.cards(Tape.RENEW, 0, "a3 a4 e1").passes(1, 0).replay()
    assert [outcome.table.card_ids[card or 0] for card in outcome.table.display] == ["b5", "b6"]
    assert outcome.seats[0].did[Action.RENEW] == 1


def test_g26_renew_free_is_barred_without_energy_and_bars_the_pass():
    card = one_time(Verb.RENEW_FREE)
    refused(won(card).passes(1).play(0, "braeck_own").passes(0), "IL-32")
    idle = won(card, energy_start=3).take(1, 0).passes(0).take(1, 0)
    refused(idle.play(0, "braeck_own"), "IL-38")


def test_lose_cards_makes_the_target_discard_cards_of_its_choice():
    script = won(one_time(Verb.LOSE_CARDS, Target.OTHERS, 2)).play(0, "braeck_own")
    outcome = script.cards(Tape.DISCARD, 1, "a5 a6").passes(1, 0).replay()
    assert outcome.seats[0].did[Action.PLAY] == 1
    short = won(one_time(Verb.LOSE_CARDS, Target.OTHERS, 2)).play(0, "braeck_own")
    refused(short.cards(Tape.DISCARD, 1, "a5"), "IL-26", "must discard 2")


def test_steal_card_takes_random_cards_of_the_target():
    script = won(one_time(Verb.STEAL_CARD, Target.OTHERS)).play(0, "braeck_own")
    script.cards(Tape.RANDOM_CARD, 1, "a5").passes(1).create(0, "a3 a5r", S).idle(1).passes(0)
    assert pile(script.replay(), 0)[2:] == ["a3", "a5"]
    wrong = won(one_time(Verb.STEAL_CARD, Target.OTHERS)).play(0, "braeck_own")
    refused(wrong.cards(Tape.RANDOM_CARD, 1, "a3"), "IL-26", "isn't in the hand of seat 1")


def test_steal_card_obeys_the_hand_limit():
    script = won(one_time(Verb.STEAL_CARD, Target.OTHERS, 3), hand_limit=5).play(0, "braeck_own")
    refused(script.cards(Tape.RANDOM_CARD, 1, "a5 a6 a7"), "IL-39", "must discard 1")


def test_spend_die_pushes_own_dice_of_the_target_to_used():
    script = won(one_time(Verb.SPEND_DIE, Target.OTHERS, 2), energy_start=2).play(0, "braeck_own")
    outcome = script.idle(1).passes(0).idle(1).replay()
    assert outcome.seats[1].did[Action.IDLE] == 2, "no die is left at its turn (g39)"
    assert outcome.seats[1].energy == 0, "what others push is not what it spent"


def copying(**rules: Any) -> Script:
    """Seat 1 has won an ability that pays 2 VP for each own constellation, seat 0 a copy card."""
    cards = (
        prophecy("braeck_own", "stars == 2", one_time(Verb.COPY_ABILITY)),
        prophecy("fluuvee_two", effect=effect(Verb.GAIN_VP, Trigger.CREATE, amount=2)),
    )
    return game(*cards, **rules).create(0, "a1 a2r", S).score(0, Step.BRAECK, 1)


def test_copy_ability_pays_with_the_card_that_made_the_copy():
    script = copying().create(1, "a5 a6r", S).score(1, Step.FLUUVEE, 1).play(0, "braeck_own")
    script.add(Tape.COPY, 0, [script.prophecy("fluuvee_two")]).create(0, "a3 a4r", S).passes(1, 0)
    outcome = script.replay()
    assert paid(outcome, "prophecy.braeck_own") == [0, 2]
    assert paid(outcome, "prophecy.fluuvee_two", seat=1) == [0, 2]


def test_copy_ability_needs_an_ability_of_another_deity():
    refused(copying().play(0, "braeck_own"), "IL-26", "no other deity has")
    script = copying().create(1, "a5 a6r", S).score(1, Step.FLUUVEE, 1).play(0, "braeck_own")
    refused(script.add(Tape.COPY, 0, [script.prophecy("braeck_own")]), "IL-26", "can be copied")


def test_recall_takes_cards_of_the_own_pile_back():
    script = won(one_time(Verb.RECALL, amount=3)).passes(1).play(0, "braeck_own")
    outcome = script.cards(Tape.RECALL, 0, "a2 a1").create(0, "a1 a2r", S).idle(1).passes(0).replay()
    assert pile(outcome, 0) == ["a1", "a2"]
    assert outcome.seats[0].did[Action.CREATE] == 2
    other = won(one_time(Verb.RECALL)).passes(1).play(0, "braeck_own").cards(Tape.RECALL, 0, "a3")
    refused(other, "IL-26", "isn't in the own pile")


def test_g28_the_end_of_the_scoring_parts_its_last_window_from_the_one_after_the_action():
    during = won(one_time(Verb.RECALL)).play(0, "braeck_own").cards(Tape.RECALL, 0, "a1")
    refused(during, "IL-30")  # the own pile is still empty, so that no card is recalled
    script = won(one_time(Verb.RECALL)).add(Tape.SCORE, 0).play(0, "braeck_own").cards(Tape.RECALL, 0, "a1")
    assert pile(script.passes(1, 0).replay(), 0) == ["a2"]


def test_bury_puts_the_top_of_the_pile_onto_the_own_pile():
    script = won(one_time(Verb.BURY, amount=2), pile="b1 b2").play(0, "braeck_own").passes(1, 0)
    assert pile(script.replay(), 0) == ["b1", "b2", "a1", "a2"]


def test_bury_hand_puts_up_to_n_hand_cards_onto_the_own_pile():
    card = one_time(Verb.BURY_HAND, amount=2)
    script = won(card).play(0, "braeck_own").cards(Tape.BURY_HAND, 0, "a4").passes(1, 0)
    assert pile(script.replay(), 0) == ["a4", "a1", "a2"]
    more = won(card).play(0, "braeck_own").cards(Tape.BURY_HAND, 0, "a4 a3 u1")
    refused(more, "IL-26", "at most 2")


# Reachable claims, by the dice that could pay


def is_reachable(script: Script, source: str) -> bool:
    return (0, source, 0) in rows_of(script.replay(), Kind.REACHABLE)


def test_a_claim_is_reachable_if_the_grey_die_can_pay_the_action():
    card = prophecy("braeck_own", "cards == 5", one_time(Verb.GAIN_DIE))
    hands = ("a1 b1 b2 b3 a2 a3", "a4 a5 a6 a7 a8 a9")
    script = game(card, hands=hands, taken="e1 e2", energy_start=1).create(0, "a1 b1 b2 b3 a2r", L, S)
    script.score(0, Step.BRAECK, 1).play(0, "braeck_own").passes(1, 0).idle(1)
    assert is_reachable(script, "primos.2_3")


def test_a_claim_is_reachable_if_the_die_of_the_action_can_claim_from_used():
    script = prepare(two_ages(lasting(Verb.CLAIM_WITH_USED)).passes(1), 1, 0).passes(1, 0)
    assert is_reachable(script, "primos.2_3")
    script = prepare(two_ages(lasting(Verb.HAND_LIMIT)).passes(1), 1, 0).passes(1, 0)
    assert not is_reachable(script, "primos.2_3")


@pytest.mark.parametrize("verb", [Verb.CLAIM_WITH_GREY, Verb.HAND_LIMIT])
def test_a_claim_is_reachable_if_a_record_brings_the_grey_die_and_it_can_claim(verb: Verb):
    hands = ("a1 a2 a3 a4 a5 a6", "a7 a8 a9 a10 a11 a12")
    pile = "e1 e2 a13 a14 a15 a16 a17 a18 a19 b1 b2 b3 a20 a21"
    script = won(lasting(verb), hands=hands, taken="u1 u2", pile=pile, energy_start=1, ages=2)
    script = prepare(script.passes(1), 1, 0).passes(1, 0)
    assert is_reachable(script, "primos.5_7") == (verb == Verb.CLAIM_WITH_GREY)


# The end of the game


def test_il_41_before_final_effects_come_before_final_cards():
    cards = (
        prophecy("braeck_own", "stars == 2", effect(Verb.GAIN_VP, Trigger.FINAL, per="pile")),
        prophecy("fluuvee_two", "stars == 2", effect(Verb.BURY, Trigger.BEFORE_FINAL, amount=3)),
    )
    script = (
        game(*cards).create(0, "a1 a2r", S).score(0, Step.BRAECK, 1).score(0, Step.FLUUVEE, 1).passes(1, 0)
    )
    outcome = script.replay()
    assert paid(outcome, "prophecy.braeck_own") == [0, 5]
    assert {event.turn for event in outcome.events if event.kind == Kind.USED} == {outcome.turns}


def test_il_41_a_final_card_that_finds_nothing_pays_nothing():
    card = effect(Verb.GAIN_VP, Trigger.FINAL, count="flames >= 1")
    assert paid(won(card).passes(1, 0).replay(), "prophecy.braeck_own") == [0]


def test_every_verb_is_met_in_this_file():
    text = Path(__file__).read_text(encoding="utf-8")
    assert [verb.name for verb in Verb if f"Verb.{verb.name}" not in text] == []


def test_a_quantity_beyond_all_bounds_counts_as_999():
    script = won(effect(Verb.GAIN_VP, Trigger.CREATE, per="1000000 * 1000000 * stars")).passes(1)
    script.create(0, "a3 a4r", S).idle(1).passes(0)
    assert paid(script.replay(), "prophecy.braeck_own") == [0, 999, 999]
