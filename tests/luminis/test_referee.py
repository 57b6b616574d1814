"""The referee, clause by clause, on hand-written tapes and positions."""

from __future__ import annotations

from collections import Counter

import pytest

from simulator.games.luminis.model import Action, Ending, Kind, Part, Tape
from tests.luminis.tapes import (
    Position,
    Script,
    card,
    card_set,
    events,
    hand,
    pile,
    plain,
    refused,
    rows,
)


def test_t_lu_8_a_hand_of_nine_at_the_end_of_the_turn_becomes_seven():
    """LU-10."""
    nine = " ".join(f"a{n}" for n in range(1, 9))
    outcome = Position(hands=(nine, ""), piles=("b1", "")).draw(0).trim(0, "a3:1 b1:0").replay()
    assert hand(outcome, 0) == "a1 a2 a4 a5 a6 a7 a8"
    assert rows(outcome, Kind.TRIMMED) == [(0, "card.a3", 0), (0, "card.b1", 0)]
    assert [event.pile for event in events(outcome, Kind.TRIMMED)] == [1, 0]
    assert (pile(outcome, 0), pile(outcome, 1)) == ("b1", "a3")


# Set-up


def laid_out(players: int = 2, **rules: object) -> Script:
    """Nine plain cards and two spires in two piles; no opening cards yet."""
    script = Script(card_set(plain("a1 a2 a3 a4 b1 b2 b3 b4 c1 s1 s2"), **rules), players)
    return script.spires("s2").pile(0, "a1 b1 a2 b2 c1").pile(1, "a3 b3 a4 b4")


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_t_lu_9_piles_spires_and_opening_hands_are_those_of_the_player_count(players: int):
    """LU-3, LU-4: 3, 4, 4, 5 piles, 3 or 4 spires, 4, 5 and 6 cards."""
    cards = plain(" ".join(f"a{n}" for n in range(1, 63)) + " s1 s2 s3 s4 s5 s6")
    script = Script(
        card_set(
            cards,
            spires_shown=(3, 4, 4, 4),
            piles=(3, 4, 4, 5),
            start_cards=(4, 5, 6, 6, 6),
            turn_limit=1,
        ),
        players,
    )
    piles, starts = {2: (3, [4, 5]), 3: (4, [4, 5, 6]), 4: (4, [4, 5, 6, 6]), 5: (5, [4, 5, 6, 6, 6])}[
        players
    ]
    script.spires("s6 s1 s3" if players == 2 else "s6 s1 s3 s2")
    sizes = [len(range(pile, 62, piles)) for pile in range(piles)]
    ids = iter(f"a{n}" for n in range(1, 63))
    lying = [[next(ids) for _ in range(size)] for size in sizes]
    for number, stack in enumerate(lying):
        script.pile(number, " ".join(stack))
    for seat, start in enumerate(starts):
        script.opening(seat, seat, " ".join(lying[seat][:-start]))
    outcome = script.draw(0, piles - 1).replay()
    dealt = Counter(event.seat for event in events(outcome, Kind.DEALT))
    assert [dealt[seat] for seat in range(players)] == starts
    assert len(events(outcome, Kind.OFFERED)) == (3 if players == 2 else 4)
    assert len(outcome.table.piles) == piles


def test_lu_3_the_spires_shown_are_offered_in_display_order():
    """Events: `offered` at the start, before all `dealt`, on turn 0."""
    script = Script(card_set(plain("a1 a2 s1 s2"), spires_shown=(2,) * 4, turn_limit=1), 2)
    script.spires("s2 s1").pile(0, "a1").pile(1, "a2").opening(0, 0, "").opening(1, 1, "")
    outcome = script.add(Tape.ACTION, 0, [Action.PLACE, 0, 0]).replay()
    expected = [(-1, "spire.s2", 0), (-1, "spire.s1", 0), (0, "card.a1", 0), (1, "card.a2", 0)]
    assert rows(outcome, Kind.OFFERED, Kind.DEALT) == expected
    first = outcome.events[:6]
    assert [event.step_in_turn for event in first] == list(range(6))
    assert {(event.turn, event.round) for event in first} == {(0, 1)}
    assert [event.pile for event in first] == [-1, -1, 0, 1, -1, -1]


@pytest.mark.parametrize(("spires", "words"), [("s1 s1", "2"), ("a1", "no spire"), ("", "not 0")])
def test_lu_3_as_many_spires_as_the_rules_say_are_shown(spires: str, words: str):
    """LU-3."""
    refused(Script(card_set(plain("a1 s1 s2")), 2).spires(spires), "LU-3", words)


def test_lu_3_no_spire_is_shown_twice():
    """LU-3."""
    refused(Script(card_set(plain("a1 s1 s2"), spires_shown=(2,) * 4), 2).spires("s1 s1"), "LU-3", "twice")


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ("a1 b1 a2 b2", "a3 b3 a4 b4 c1", "5 cards, not 4"),
        ("a1 b1 a2 b2 c1", "a3 b3 a4 a3", "already"),
        ("a1 b1 a2 b2 c1", "a3 b3 a4 c1", "already"),
        ("a1 b1 a2 b2 s2", "a3 b3 a4 b4", "no pile"),
    ],
)
def test_lu_3_the_piles_hold_every_other_card_once_and_the_first_ones_what_is_left_over(
    first: str, second: str, words: str
):
    """LU-3, l17: nine cards make piles of five and four."""
    script = Script(card_set(plain("a1 a2 a3 a4 b1 b2 b3 b4 c1 s1 s2")), 2).spires("s2")
    refused(script.pile(0, first).pile(1, second), "LU-3", words)


def test_lu_4_the_first_level_i_cards_from_the_top_are_taken_and_the_pile_is_shuffled():
    """LU-4, l6: from the top of the pile, which is the end of its list."""
    script = laid_out(start_cards=(2, 1, 1, 1, 1), turn_limit=1).opening(0, 0, "c1 b1 b2")
    outcome = script.opening(1, 1, "b4 a3 b3").draw(0, 1).replay()
    assert hand(outcome, 0) == "a2 a1 b3"
    assert hand(outcome, 1) == "a4"
    assert pile(outcome, 0) == "c1 b1 b2"
    assert rows(outcome, Kind.DEALT) == [(0, "card.a2", 0), (0, "card.a1", 0), (1, "card.a4", 0)]


@pytest.mark.parametrize("shuffled", ["c1 b1", "c1 b1 b2 a2", "c1 b1 b1 b2", "c1 b1 b2 b3", "a1 c1 b1 b2 a4"])
def test_lu_4_a_shuffle_changes_nothing_but_the_order(shuffled: str):
    """LU-4: the pile holds the same cards, each once."""
    refused(laid_out().opening(0, 0, shuffled), "LU-4", "each once")


def test_lu_4_each_touched_pile_is_shuffled():
    """LU-4, l17: the record of the shuffle may not be left out."""
    refused(laid_out().add(Tape.OPENING, 0, [0]).add(Tape.OPENING, 1, [1]), "LU-4", "shuffled")


@pytest.mark.parametrize("seat", [1, -1])
def test_lu_4_opening_cards_are_taken_in_turn_order(seat: int):
    """LU-4, LU-6: seat 0 starts."""
    refused(laid_out().opening(seat, 0, "a1 b1 b2 c1"), "LU-4", "seat 0")


def test_lu_4_a_pile_nobody_has_taken_from_goes_first():
    """r1, l14: seat 1 may not follow seat 0 while another pile has Level I cards."""
    refused(laid_out().opening(0, 0, "a1 b1 b2 c1").opening(1, 0, "b1 b2 c1"), "LU-4", "pile 1")


def test_lu_4_a_pile_may_be_chosen_again_when_none_is_left_untouched():
    """r1: a third seat follows one of the first two."""
    script = laid_out(3, turn_limit=1).opening(0, 0, "a1 b1 b2 c1").opening(1, 1, "a3 b3 b4")
    assert hand(script.opening(2, 1, "b3 b4").draw(0).replay(), 2) == "a3"


def test_lu_4_an_untouched_pile_without_level_i_cards_does_not_count():
    """r1: among the piles with a Level I card left."""
    script = Script(card_set(plain("a1 a2 b1 b2 s1"), turn_limit=1), 2).spires("s1")
    script.pile(0, "a1 a2").pile(1, "b1 b2").opening(0, 0, "a1").opening(1, 0, "")
    assert hand(script.draw(0, 1).replay(), 1) == "a1"


def test_lu_4_no_opening_cards_come_from_a_pile_without_level_i():
    """LU-4: another pile is picked."""
    script = Script(card_set(plain("a1 a2 b1 b2 s1")), 2).spires("s1").pile(0, "a1 a2").pile(1, "b1 b2")
    refused(script.opening(0, 1, "b1 b2"), "LU-4", "pile 1")


@pytest.mark.parametrize("pile", [-1, 2])
def test_lu_4_opening_cards_come_from_a_pile_that_lies_there(pile: int):
    """LU-4."""
    refused(laid_out().add(Tape.OPENING, 0, [pile]), "LU-4", f"pile {pile}")


def test_lu_4_a_seat_goes_on_with_another_pile_until_its_number_is_full():
    """l17: it takes what is there, each pile is shuffled; among the further piles untouched ones go first (r1)."""
    script = laid_out(start_cards=(3, 1, 1, 1, 1), turn_limit=1)
    script.opening(0, 0, "b1 b2 c1").opening(0, 1, "b4 b3 a3").opening(1, 1, "b3 b4")
    outcome = script.draw(0).replay()
    assert hand(outcome, 0) == "a2 a1 a4 c1"
    assert [event.pile for event in events(outcome, Kind.DEALT)] == [0, 0, 1, 1]


def test_lu_4_when_no_level_i_card_is_left_the_hand_stays_short():
    """l17."""
    script = laid_out(start_cards=(3, 3, 1, 1, 1), turn_limit=1)
    script.opening(0, 0, "b1 b2 c1").opening(0, 1, "b4 b3 a3").opening(1, 1, "b3 b4")
    outcome = script.draw(0).replay()
    assert hand(outcome, 1) == "a3"


def test_lu_6_seat_0_starts_and_the_others_follow_in_order():
    """LU-6."""
    refused(Position(piles=("b1 b2", "")).draw(1), "LU-7", "turn of seat 0")
    refused(Position(piles=("b1 b2", "")).draw(0).draw(0), "LU-7", "turn of seat 1")
    outcome = Position(hands=("", "", ""), piles=("b1 b2 b3 b4", "")).draw(0).draw(1).draw(2).draw(0).replay()
    assert rows(outcome, Kind.DRAWN) == [
        (0, "card.b4", 0),
        (1, "card.b3", 0),
        (2, "card.b2", 0),
        (0, "card.b1", 0),
    ]
    assert [event.round for event in events(outcome, Kind.DRAWN)] == [1, 1, 1, 2]
    assert [event.turn for event in events(outcome, Kind.DRAWN)] == [0, 1, 2, 3]


# A turn


def test_lu_7_a_draw_takes_the_top_card_of_the_pile_chosen():
    """LU-7: what lies on top is the end of the pile's list."""
    outcome = Position(hands=("a1", ""), piles=("b1 b2", "b3 b4")).draw(0, 1).replay()
    assert hand(outcome, 0) == "a1 b4"
    assert (pile(outcome, 0), pile(outcome, 1)) == ("b1 b2", "b3")
    assert [event.pile for event in events(outcome, Kind.DRAWN)] == [1]


@pytest.mark.parametrize(("pile", "words"), [(1, "empty"), (2, "no pile"), (-1, "no pile")])
def test_lu_7_nothing_is_drawn_from_an_empty_pile_or_one_that_is_not_there(pile: int, words: str):
    """LU-7, l8."""
    refused(Position(piles=("b1", "")).draw(0, pile), "LU-7", words)


def test_lu_7_one_card_a_turn():
    """LU-7: neither a second placing nor a draw after one."""
    refused(Position(hands=("a1 a2", "")).place(0, "a1", 0).place(0, "a2", 1), "LU-7", "turn of seat 1")
    refused(Position(hands=("a1", ""), piles=("b1", "")).place(0, "a1", 0).draw(0), "LU-7", "turn of seat 1")


@pytest.mark.parametrize("values", [[], [5], [-1], [Action.DRAW], [Action.PLACE], [Action.PLACE, 0]])
def test_lu_7_an_action_is_one_of_five_and_whole(values: list[int]):
    """LU-7."""
    refused(Position(hands=("a1", ""), piles=("b1", "")).add(Tape.ACTION, 0, values), "LU-7")


def test_lu_7_only_a_card_of_the_own_hand_is_placed():
    """LU-7: neither a card of a pile nor a spire nor one of another hand."""
    for id in ("a2", "b1", "s1"):
        position = Position(hands=("a1", "a2"), piles=("b1", ""), shown="s1", cathedrals=("a3/b3/c3",))
        refused(position.place(0, id, 0), "LU-7", "isn't in the hand")
    refused(Position(hands=("a1", "")).add(Tape.ACTION, 0, [Action.PLACE, 9, 0]), "LU-7", "no card 9")
    refused(Position(hands=("a1", "")).add(Tape.ACTION, 0, [Action.PLACE, -1, 0]), "LU-7", "no card -1")


def test_lu_7_a_turn_without_placing_has_no_discard():
    """l26, l12."""
    draw = Position(hands=("a1", ""), piles=("b1", "")).add(Tape.ACTION, 0, [Action.DRAW, 0, 0, 0])
    refused(draw, "LU-9", "without placing")
    passing = Position(hands=("b1", "")).add(Tape.ACTION, 0, [Action.PASS, 0, 0])
    refused(passing, "LU-9", "without placing")


# The hand limit


def test_lu_10_a_hand_at_the_limit_keeps_all():
    """LU-10: 7 stay 7, and there is no record of it."""
    six = " ".join(f"a{n}" for n in range(1, 7))
    assert events(Position(hands=(six, ""), piles=("b1", "")).draw(0).replay(), Kind.TRIMMED) == []
    position = Position(hands=(six, ""), piles=("b1", "b2")).draw(0).trim(0, "a1:0").draw(1)
    refused(position, "LU-7", "turn of seat 1")


@pytest.mark.parametrize(
    ("discards", "words"),
    [("a1:0", "discards 2"), ("a1:0 a2:0 a3:0", "discards 2"), ("a1:0 a1:0", "hand"),
     ("a1:0 b8:0", "hand"), ("a1:2 a2:0", "no pile 2")],
)  # fmt: skip
def test_lu_10_exactly_the_cards_beyond_the_limit_are_discarded(discards: str, words: str):
    """LU-10, l7."""
    four = "a1 a2 a3 a4"
    position = Position(hands=(four, ""), piles=("b1", "b8"), hand_limit=3).draw(0).trim(0, discards)
    refused(position, "LU-10", words)


def test_lu_10_a_turn_does_not_end_with_a_hand_above_the_limit():
    """LU-10: the record may not be left out."""
    position = Position(hands=("a1", ""), piles=("b1", "b8"), hand_limit=1).draw(0).draw(1, 1)
    refused(position, "LU-10", "discards 1")


def test_lu_10_the_hand_is_trimmed_after_placing_too():
    """LU-10: what is above the limit at the end of the own turn."""
    position = Position(hands=("a1 a2 a3", ""), hand_limit=1).place(0, "a1", 0).trim(0, "a2:0")
    assert hand(position.replay(), 0) == "a3"


def test_lu_10_a_passing_seat_trims_its_hand_as_well():
    """LU-10, l21: a hand may be too large when the own turn begins."""
    position = Position(hands=("b1 b2 b3", ""), hand_limit=2).passes(0).trim(0, "b1:1").draw(1, 1)
    assert hand(position.replay(), 1) == "b1"


# The pictogram


def stealing(hands: tuple[str, ...], **rules: object) -> Position:
    """Seat 0 places a card with the pictogram."""
    position = Position(card("a1", pictogram=True), hands=hands, piles=("b8 b9", ""), **rules)
    position.place(0, "a1", 0)
    return position


def test_lu_11_of_two_players_the_opponent_draws_from_the_placers_hand():
    """LU-11: event `stolen`, seat the victim, amount the seat that drew."""
    outcome = stealing(("a1 a2 a3", "a4")).pictogram(0, 1, 0, "a2").replay()
    assert rows(outcome, Kind.STOLEN) == [(0, "card.a2", 1)]
    assert (hand(outcome, 0), hand(outcome, 1)) == ("a3", "a4 a2")


def test_lu_11_the_designated_seat_may_draw_from_the_placer_or_from_a_third():
    """l9."""
    for victim, drawn in ((0, "a2"), (2, "a5")):
        outcome = stealing(("a1 a2", "a4", "a5")).pictogram(0, 1, victim, drawn).replay()
        assert rows(outcome, Kind.STOLEN) == [(victim, f"card.{drawn}", 1)]
        assert hand(outcome, 1) == f"a4 {drawn}"


@pytest.mark.parametrize(
    ("drawer", "victim", "words"),
    [(0, 1, "other seat"), (3, 0, "other seat"), (-1, 0, "other seat"),
     (1, 1, "opponents"), (1, 3, "opponents"), (1, -1, "opponents")],
)  # fmt: skip
def test_lu_11_another_seat_draws_from_one_of_its_opponents(drawer: int, victim: int, words: str):
    """LU-11, l21."""
    refused(stealing(("a1 a2", "a4", "a5")).pictogram(0, drawer, victim, "a2"), "LU-11", words)


@pytest.mark.parametrize("drawn", ["", "a4", "a1", "b9", "a2 a3"])
def test_lu_11_one_card_of_the_victims_hand_is_drawn(drawn: str):
    """LU-11: the placed card has left the hand."""
    refused(stealing(("a1 a2 a3", "a4")).pictogram(0, 1, 0, drawn), "LU-11")


def test_lu_11_an_empty_hand_gives_nothing():
    """l21."""
    assert events(stealing(("a1", "a4")).pictogram(0, 1, 0, "").replay(), Kind.STOLEN) == []
    refused(stealing(("a1", "a4")).pictogram(0, 1, 0, "a4"), "LU-11")


def test_lu_11_the_pictogram_is_resolved_at_once_before_the_hand_limit():
    """LU-11, l21: the placer loses a card first and has nothing to trim."""
    outcome = stealing(("a1 a2 a3", "a4"), hand_limit=1).pictogram(0, 1, 0, "a2").replay()
    assert [event.kind for event in outcome.events] == [Kind.PAID, Kind.STEP, Kind.STOLEN]
    refused(stealing(("a1 a2 a3", "a4"), hand_limit=1).trim(0, "a2:0"), "LU-11", "designates")


def test_lu_11_a_hand_above_the_limit_off_turn_is_trimmed_at_its_owners_turn_end():
    """l21, l9."""
    position = stealing(("a1 a2", "a4"), hand_limit=1).pictogram(0, 1, 0, "a2")
    position.draw(1).trim(1, "a4:1 a2:1")
    outcome = position.replay()
    assert hand(outcome, 1) == "b9"
    assert [event.turn for event in events(outcome, Kind.TRIMMED)] == [1, 1]


def test_lu_11_a_card_without_the_pictogram_designates_nobody():
    """LU-11."""
    position = Position(hands=("a1 a2", "a4")).place(0, "a1", 0).pictogram(0, 1, 0, "a2")
    refused(position.draw(1), "LU-7", "turn of seat 1")


# Passing, and how a game ends without a spire


def test_r2_a_seat_that_can_do_nothing_passes():
    """r2, l10."""
    outcome = Position(hands=("b1", "b2")).passes(0).replay()
    assert outcome.seats[0].did[Action.PASS] == 1


def test_r2_no_pass_while_a_pile_has_a_card():
    """r2: whatever it is."""
    refused(Position(hands=("b1", ""), piles=("", "b9")).passes(0), "LU-7", "pile 1")


def test_r2_no_pass_while_a_hand_card_can_be_placed_and_paid():
    """r2: by discards if need be."""
    refused(Position(hands=("a1", "")).passes(0), "LU-7", "a1 can be placed")
    cards = [card("a1", "2b 2r"), card("b1", centre="1b"), card("b2", centre="1r"), card("b3", centre="1g")]
    refused(Position(*cards, hands=("a1 b1 b2 b3", "")).passes(0), "LU-7", "a1 can be placed")
    assert Position(*cards, hands=("a1 b1 b3", "")).passes(0).replay().turns == 1


def test_r2_a_card_cannot_be_its_own_discard_to_forbid_a_pass():
    """r2, l20."""
    assert Position(card("a1", "2b", centre="1b"), hands=("a1", "")).passes(0).replay().turns == 1


def test_r2_every_column_is_tried_before_a_pass():
    """r2: the place with help is the left end, or the column between."""
    left = Position(
        card("a1", local="1b", arrows="W"), card("a3", "1b"), hands=("a3", ""), cathedrals=("a1 a2",)
    )
    refused(left.passes(0), "LU-7", "a3 can be placed")
    inner = Position(
        card("a2", local="1b", arrows="N"), card("b3", "1b"), hands=("b3", ""), cathedrals=("a1 a2 a3",)
    )
    refused(inner.passes(0), "LU-7", "b3 can be placed")


def test_r2_no_pass_while_a_spire_can_be_placed():
    """r2: with local and permanent resources; a hand that could pay the rest by discards does not count."""
    reach = Position(card("s1", "1b"), card("c1", centre="1b"), cathedrals=("a1/b1/c1",), shown="s1")
    refused(reach.passes(0), "LU-7", "spire s1")
    cards = [card("s1", "1b"), card("b9", centre="1b")]
    short = Position(*cards, hands=("b9", ""), cathedrals=("a1/b1/c1",), shown="s1")
    assert short.passes(0).replay().turns == 1


def test_r2_no_pass_while_the_bonus_card_can_be_placed():
    """r2: by permanent resources alone."""
    for cost, possible in (("1b", True), ("1r", False)):
        cards = [card("a1", centre="1b", local="1r", arrows="W E"), card("a7", cost)]
        position = Position(*cards, cathedrals=("a1",), bonus="a7", advanced=True).passes(0)
        if possible:
            refused(position, "LU-7", "bonus card")
        else:
            assert position.replay().turns == 1


def stuck(players: int = 2) -> Position:
    """Nobody can do anything."""
    return Position(hands=tuple(f"b{seat}" for seat in range(players)))


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_r3_a_full_round_of_passes_is_a_stalemate(players: int):
    """r3, l22: a pass counts as a turn; the turn limit, reached with the last of them, stands back."""
    position = stuck(players).passes(*range(players))
    outcome = position.replay()
    assert outcome.table.rules.turn_limit == players
    assert outcome.ending == Ending.STALEMATE
    assert (outcome.turns, outcome.rounds) == (players, 1)
    refused(position.passes(0), "tape", "the game is over")


def test_r3_passes_count_in_a_row():
    """r3: a placement between two passes begins the count again, and the row may go over a round."""
    cards = [card("a1", "2b"), card("c2", centre="1b")]
    position = Position(*cards, hands=("b0", "a1 c2", "b2"))
    position.passes(0).place(1, "a1", 0, "c2:0").draw(2).passes(0)
    assert position.replay().ending == Ending.TURN_LIMIT
    assert position.passes(1, 2).replay().ending == Ending.STALEMATE


def test_r3_one_pass_more_than_a_round_is_too_many():
    """r3: after the stalemate nobody has a turn."""
    refused(stuck().passes(0, 1, 0), "tape", "the game is over")


def test_r3_after_the_turn_limit_the_game_ends():
    """r3: all turns of all seats together."""
    position = Position(piles=("b1 b2 b3 b4", ""), turn_limit=3).draw(0).draw(1).draw(0)
    outcome = position.replay()
    assert outcome.ending == Ending.TURN_LIMIT
    assert (outcome.turns, outcome.rounds) == (3, 2)
    refused(position.draw(1), "tape", "the game is over")


def test_r3_a_spire_on_the_last_turn_wins():
    """r3: the limit is for games without a spire."""
    outcome = Position(cathedrals=("a1/b1/c1",), shown="s1", turn_limit=1).spire(0, 0, 0).replay()
    assert outcome.ending == Ending.SPIRE


def test_r4_without_a_spire_all_seats_share_the_win_with_0():
    """r4."""
    outcome = stuck(3).passes(0, 1, 2).replay()
    assert outcome.winner_seats == (0, 1, 2)
    assert (outcome.winners, outcome.top_score, outcome.margin) == (3, 0, 0)
    assert (outcome.tied_on_points, outcome.tie_stage, outcome.lead_changes) == (3, -1, 0)
    assert [(seat.score, seat.rank) for seat in outcome.seats] == [(0, 1)] * 3
    assert sum(seat.win_share for seat in outcome.seats) == pytest.approx(1)


def test_lu_2_the_spire_is_the_only_point():
    """LU-2: the winner has 1, the others share the second rank."""
    position = Position(hands=("", "", ""), cathedrals=("", "a1/b1/c1"), piles=("b9", ""), shown="s1")
    outcome = position.draw(0).spire(1, 0, 0).replay()
    assert [(seat.score, seat.rank, seat.win_share) for seat in outcome.seats] == [
        (0, 2, 0),
        (1, 1, 1),
        (0, 2, 0),
    ]
    assert [seat.parts[Part.SPIRE] for seat in outcome.seats] == [0, 1, 0]
    assert (outcome.winners, outcome.top_score, outcome.margin) == (1, 1, 1)
    assert (outcome.tied_on_points, outcome.tie_stage, outcome.lead_changes) == (1, 0, 0)


# Events and what is told of a seat


def test_a_spire_is_marked_reachable_at_the_start_of_a_turn_once_for_each_seat():
    """Events: `reachable` is about the seat whose turn begins, in display order, before its action."""
    cards = [card("s1", "1b"), card("s2", "2b"), card("c1", centre="1b"), card("a2", centre="1b")]
    position = Position(
        *cards, hands=("a2", ""), cathedrals=("a1/b1/c1",), shown="s2 s1", piles=("b8 b9 b7", "")
    )
    outcome = position.draw(0).draw(1).place(0, "a2", 1).draw(1).spire(0, 0, 0).replay()
    found = [(event.turn, event.source) for event in events(outcome, Kind.REACHABLE)]
    assert found == [(0, "spire.s1"), (4, "spire.s2")]
    assert [event.seat for event in events(outcome, Kind.REACHABLE)] == [0, 0]
    assert [event.kind for event in outcome.events if event.turn == 4] == [
        Kind.REACHABLE,
        Kind.PAID,
        Kind.STEP,
    ]


def test_a_spire_that_only_discards_would_pay_is_not_reachable():
    """LU-12: reachable is what could be placed and paid."""
    cards = [card("s1", "1b"), card("a9", centre="1b")]
    for cathedrals, held in (("a1/b1/c1", "a9"), ("a9/b1", "a2")):
        position = Position(*cards, hands=(held, ""), cathedrals=(cathedrals,), shown="s1", piles=("b9", ""))
        assert events(position.draw(0).replay(), Kind.REACHABLE) == []


def test_the_spires_nobody_took_lapse_at_the_end():
    """Events: `lapsed` on the turn after the last, in the last turn's round, in display order."""
    position = Position(cathedrals=("", "a1/b1/c1"), piles=("b9", ""), shown="s1 s3 s2")
    outcome = position.draw(0).spire(1, 1, 0).replay()
    found = events(outcome, Kind.LAPSED)
    assert [(event.seat, event.source) for event in found] == [(-1, "spire.s1"), (-1, "spire.s2")]
    assert [(event.turn, event.round, event.step_in_turn) for event in found] == [(2, 1, 0), (2, 1, 1)]
    assert outcome.events[-2:] == tuple(found)


def test_a_step_tells_each_higher_level_of_the_cathedral():
    """Events: `step` behind the `paid`; a second card of a level is none."""
    position = Position(hands=("a1 a2 b1 c1", ""), piles=("b5 b6 b7", ""))
    position.place(0, "a1", 0).draw(1).place(0, "a2", 1).draw(1).place(0, "b1", 0).draw(1).place(0, "c1", 0)
    assert rows(position.replay(), Kind.PAID, Kind.STEP) == [
        (0, "card.a1", 0), (0, "cathedral", 1), (0, "card.a2", 0), (0, "card.b1", 0), (0, "cathedral", 2),
        (0, "card.c1", 0), (0, "cathedral", 3),
    ]  # fmt: skip


def test_an_opening_is_dead_if_no_hand_card_can_be_placed_and_paid_on_the_first_turn():
    """Seats: `dead_opening`; discards count, spires and drawn cards do not, and later turns neither."""
    cards = [card("a1", "2b"), card("a2", centre="1b"), card("a3", "2b"), card("a4", "2b", centre="1b")]
    position = Position(*cards, hands=("a1 a2", "a3", "a4"), piles=("a9 a8 a7 a6", ""))
    outcome = position.draw(0).draw(1).draw(2).draw(0).place(1, "a7", 0).replay()
    assert [seat.dead_opening for seat in outcome.seats] == [0, 1, 1]
    assert Position(hands=("", ""), piles=("a9", "")).draw(0).replay().seats[0].dead_opening == 1


def test_what_another_seat_took_before_the_first_turn_counts_for_the_opening():
    """Seats: `dead_opening` is about the hand at the start of the own first turn, after a pictogram."""
    position = stealing(("a1", "a2", "b3")).pictogram(0, 2, 1, "a2").draw(1).draw(2)
    assert [seat.dead_opening for seat in position.replay().seats] == [0, 1, 0]


def test_a_seat_tells_its_level_cards_permanent_resources_and_hand():
    """Seats: `level`, `placed`, `income`, `hand`, and what it did."""
    cards = [card("a1", centre="2b"), card("b1", centre="1g 1r"), card("a2", centre="1r")]
    position = Position(*cards, hands=("a2 a3", "a4"), cathedrals=("a1/b1",), piles=("b9", ""))
    outcome = position.place(0, "a2", -1).draw(1).replay()
    first, second = outcome.seats
    assert (first.level, first.placed, first.income, first.hand) == (2, 3, 5, 1)
    assert (second.level, second.placed, second.income, second.hand) == (0, 0, 0, 2)
    assert first.did == {**dict.fromkeys(Action, 0), Action.PLACE: 1}
    assert second.did == {**dict.fromkeys(Action, 0), Action.DRAW: 1}


# The tape itself


def test_a_record_that_is_cut_off_is_refused():
    """The tape."""
    position = Position(piles=("b1", "")).draw(0)
    position.words.append(Tape.ACTION)
    with pytest.raises(Exception, match="cut off"):
        Script.table(position)
    position.words = [Tape.ACTION, 0, -1]
    with pytest.raises(Exception, match="cut off"):
        Script.table(position)


def test_a_record_of_no_kind_is_refused():
    """The tape."""
    position = Position(piles=("b1", "")).draw(0).add(9, 0)
    with pytest.raises(Exception, match="no record of kind 9"):
        Script.table(position)


def test_a_tape_that_ends_too_early_is_refused():
    """The tape: a game goes on until it ends."""
    refused(laid_out().opening(0, 0, "a1 b1 b2 c1").opening(1, 1, "a3 b3 b4"), "LU-7", "turn of seat 0")
