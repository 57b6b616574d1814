"""The referee on placing and paying: where a card may lie, what it is paid with, spires and bonus cards."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from simulator.games.luminis.cards import Card
from simulator.games.luminis.model import Action, Ending, Kind, Tape
from simulator.games.luminis.referee_table import Cathedral
from tests.luminis.tapes import (
    Position,
    Script,
    amounts,
    card,
    card_set,
    cathedral,
    events,
    hand,
    met,
    pile,
    plain,
    refused,
    rows,
)

# The worked examples of the rules page


def aided(cost: str) -> Position:
    """The game aid: a card between neighbours that give 1 blue 5 green 4 red, and 2 1 1 permanent."""
    west = card("b0", local="1b 2g", arrows="E N")
    east = card("b2", local="3g 4r", arrows="W", centre="1g 1r")
    below = card("a1", local="9b 9g 9r", arrows="E NE", centre="2b")
    new = card("b1", cost)
    return Position(west, east, below, new, hands=("b1", ""), cathedrals=("a0/b0 a1 a2/b2",))


def test_t_lu_2_the_game_aid_adds_up_to_three_blue_six_green_and_five_red():
    """LU-9: local 1 blue 5 green 4 red and permanent 2 blue 1 green 1 red."""
    outcome = aided("3b 6g 5r").place(0, "b1", 1).replay()
    assert met(outcome) == [(10, 4, 0)]


@pytest.mark.parametrize("cost", ["4b 6g 5r", "3b 7g 5r", "3b 6g 6r"])
def test_t_lu_2_the_game_aid_pays_not_one_resource_more(cost: str):
    """LU-9: what is met is met colour by colour."""
    refused(aided(cost).place(0, "b1", 1), "LU-9", "isn't paid")


def test_t_lu_3_the_centres_of_all_placed_cards_are_three_red_and_two_blue():
    """LU-9: permanent resources come from every card of the cathedral."""
    cards = [card("a1", centre="1r"), card("b1", centre="2r 1b"), card("a2", centre="1b")]
    outcome = Position(*cards, card("a3", "3r 2b"), hands=("a3", ""), cathedrals=("a1/b1 a2",))
    assert met(outcome.place(0, "a3", 2).replay()) == [(0, 5, 0)]


def test_t_lu_4_a_discard_with_one_red_in_its_centre_brings_two_red():
    """LU-9: temporary resources are double the centre."""
    position = Position(card("a1", "2r"), card("a2", centre="1r"), hands=("a1 a2", ""))
    outcome = position.place(0, "a1", 0, "a2:1").replay()
    assert rows(outcome, Kind.SPENT) == [(0, "card.a2", 2)]
    assert met(outcome) == [(0, 0, 2)]


def test_t_lu_5_one_blue_is_paid_locally_and_two_red_remain():
    """LU-9, LU-5."""
    cards = card("a1", local="1b", arrows="E"), card("a2", "1b 2r"), card("a3", centre="1r")
    position = Position(*cards, hands=("a2 a3", ""), cathedrals=("a1",))
    assert met(position.place(0, "a2", 1, "a3:0").replay()) == [(1, 0, 2)]
    refused(Position(*cards, hands=("a2 a3", ""), cathedrals=("a1",)).place(0, "a2", 1), "LU-9", "(0, 0, 2)")


def test_t_lu_6_no_arrow_goes_down():
    """LU-9, l4: a card of row 2 helps no card of row 1, whatever its arrows."""
    every = card("b1", local="9b", arrows="W E NW N NE")
    for columns, place in (("a1/b1", 1), ("a1/b1", -1)):
        position = Position(every, card("a2", "1b"), hands=("a2", ""), cathedrals=(columns,))
        refused(position.place(0, "a2", place), "LU-9", "(1, 0, 0) is missing")


def crowned(cost: str) -> Position:
    """Seat 0 has a Level III card that gives 9 blue local and 6 blue permanent to the spire on it."""
    support = card("c1", local="9b", arrows="N", centre="6b")
    spire = card("s1", cost)
    spare = card("a9", centre="9b")
    return Position(
        support, spire, spare, hands=("a9", ""), cathedrals=("a1/b1/c1 a2",), shown="s1", piles=("b9", "")
    )


def test_t_lu_7_a_spire_is_paid_with_local_and_permanent_resources_and_wins_at_once():
    """LU-2, LU-12: source `spire.<id>`, amount 1, and the step to Level IV behind it."""
    outcome = crowned("15b").spire(0, 0, 0).replay()
    assert outcome.ending == Ending.SPIRE
    assert outcome.winner_seats == (0,)
    assert rows(outcome, Kind.PAID, Kind.STEP) == [(0, "spire.s1", 1), (0, "cathedral", 4)]
    assert met(outcome) == [(9, 6, 0)]
    assert cathedral(outcome, 0)[0] == "a1/b1/c1/s1"


def test_t_lu_7_a_spire_is_not_paid_with_temporary_resources():
    """LU-12: no discard, were it enough or needless."""
    refused(crowned("16b").spire(0, 0, 0, "a9:0"), "LU-12", "temporary")
    refused(crowned("15b").spire(0, 0, 0, "a9:0"), "LU-12", "temporary")
    refused(crowned("16b").spire(0, 0, 0), "LU-12", "(1, 0, 0)")


# Where a card may lie


def test_lu_8_the_first_level_i_card_lies_in_column_0():
    """LU-8, l23: anywhere on the table; columns count from it."""
    assert cathedral(Position(hands=("a1", "")).place(0, "a1", 0).replay(), 0) == {0: "a1"}
    for column in (-1, 1):
        refused(Position(hands=("a1", "")).place(0, "a1", column), "LU-8", "column 0")


def test_lu_8_level_i_cards_lie_side_by_side_on_either_side():
    """LU-8, l3: a further one at the left or the right end."""
    for column in (-1, 2):
        position = Position(hands=("a3", ""), cathedrals=("a1 a2",))
        assert cathedral(position.place(0, "a3", column).replay(), 0)[column] == "a3"


@pytest.mark.parametrize("column", [-2, 0, 1, 3])
def test_lu_8_a_level_i_card_leaves_no_gap_and_lies_on_no_other_card(column: int):
    """LU-8, l3, l23: Level I only in row 1."""
    refused(Position(hands=("a3", ""), cathedrals=("a1 a2",)).place(0, "a3", column), "LU-8", "-1 or 2")


@pytest.mark.parametrize(("support", "id"), [("a1", "b9"), ("a1/b1", "c9")])
def test_lu_8_a_card_lies_on_one_of_exactly_the_level_below(support: str, id: str):
    """LU-8, l1."""
    for any_lower in (False, True):
        position = Position(hands=(id, ""), cathedrals=(support,), any_lower=any_lower)
        assert cathedral(position.place(0, id, 0).replay(), 0) == {0: f"{support}/{id}"}


def test_lu_8_a_level_iii_card_lies_on_a_level_i_card_only_with_any_lower():
    """LU-8, l1, l16."""
    strict = Position(hands=("c9", ""), cathedrals=("a1",))
    refused(strict.place(0, "c9", 0), "LU-8", "exactly the level below")
    outcome = Position(hands=("c9", ""), cathedrals=("a1",), any_lower=True).place(0, "c9", 0).replay()
    assert cathedral(outcome, 0) == {0: "a1/c9"}
    assert rows(outcome, Kind.STEP) == [(0, "cathedral", 3)]


@pytest.mark.parametrize(("support", "id"), [("a1/b1", "b9"), ("a1/b1/c1", "b9"), ("a1/b1/c1", "c9")])
@pytest.mark.parametrize("any_lower", [False, True])
def test_lu_8_no_card_lies_on_one_of_its_own_or_a_higher_level(support: str, id: str, any_lower: bool):
    """LU-8: the topmost card of the column is the support; what is placed never moves."""
    position = Position(hands=(id, ""), cathedrals=(support,), any_lower=any_lower)
    refused(position.place(0, id, 0), "LU-8", "as its support")


@pytest.mark.parametrize("id", ["b9", "c9"])
@pytest.mark.parametrize("any_lower", [False, True])
def test_lu_8_a_higher_card_needs_a_support(id: str, any_lower: bool):
    """LU-8: not beside the row, nor on an empty table."""
    for cathedrals, column in ((("a1",), 1), (("a1",), -1), ((), 0)):
        position = Position(hands=(id, ""), cathedrals=cathedrals, any_lower=any_lower)
        refused(position.place(0, id, column), "LU-8", "no card lies in column")


def test_lu_8_higher_cards_need_not_be_adjacent():
    """LU-8: a Level II card on each end of three columns."""
    position = Position(hands=("b2", ""), cathedrals=("a1/b1 a2 a3",))
    assert cathedral(position.place(0, "b2", 2).replay(), 0) == {0: "a1/b1", 1: "a2", 2: "a3/b2"}


# Payment


@pytest.mark.parametrize(
    ("arrow", "from_column", "from_row"),
    [("E", 0, 2), ("W", 2, 2), ("NE", 0, 1), ("N", 1, 1), ("NW", 2, 1)],
)
def test_lu_9_each_of_the_five_neighbours_gives_by_its_own_arrow_alone(
    arrow: str, from_column: int, from_row: int
):
    """LU-9, l4: the new card lies in the middle of row 2; W, E, SW, S, SE of it are neighbours."""
    for row, ids in ((1, "a0 a1 a2"), (2, "b0 b1 b2")):
        for column, id in enumerate(ids.split()):
            if id == "b1":
                continue
            for lit in ("W", "E", "NW", "N", "NE"):
                giver = card(id, local="1g", arrows=lit)
                position = Position(
                    giver, card("b1", "1g"), hands=("b1", ""), cathedrals=("a0/b0 a1 a2/b2",)
                ).place(0, "b1", 1)
                if (column, row) == (from_column, from_row) and lit == arrow:
                    assert met(position.replay()) == [(1, 0, 0)]
                elif (column, row) == (from_column, from_row) or lit == arrow:
                    refused(position, "LU-9", "(0, 1, 0)")


def test_lu_9_a_card_two_columns_or_two_rows_away_is_no_neighbour():
    """LU-9: next to it, orthogonally or diagonally."""
    far = card("a1", local="9r", arrows="W E NW N NE")
    wide = Position(far, card("a4", "1r"), hands=("a4", ""), cathedrals=("a1 a2",))
    refused(wide.place(0, "a4", 2), "LU-9")
    high = Position(far, card("c1", "1r"), hands=("c1", ""), cathedrals=("a1/b1",))
    refused(high.place(0, "c1", 0), "LU-9")


def test_lu_9_with_any_lower_a_card_counts_where_it_lies_not_by_its_level():
    """l16: row = support's row + 1, so that a Level III card on a Level I card is W of a Level II card."""
    giver = card("c1", local="1b", arrows="E")
    position = Position(giver, card("b1", "1b"), hands=("b1", ""), cathedrals=("a1/c1 a2",), any_lower=True)
    assert met(position.place(0, "b1", 1).replay()) == [(1, 0, 0)]


def test_lu_9_local_resources_stay_and_pay_again():
    """l5."""
    giver = card("a1", local="1b", arrows="E W N")
    cards = [giver, card("a2", "1b"), card("a3", "1b"), card("b1", "1b")]
    position = Position(*cards, hands=("a2 a3 b1", ""), cathedrals=("a1",), piles=("b9 b8 b7", ""))
    outcome = position.place(0, "a2", 1).draw(1).place(0, "a3", -1).draw(1).place(0, "b1", 0).replay()
    assert met(outcome) == [(1, 0, 0)] * 3


def test_lu_9_local_resources_pay_first_then_permanent_then_temporary():
    """RULES.md, "Payment": colour by colour, and what is left of each is lost."""
    cards = [
        card("a1", local="3b 1g", arrows="E", centre="1b 2g"),
        card("a2", "2b 4g 1r"),
        card("a3", centre="1g 1r"),
    ]
    outcome = Position(*cards, hands=("a2 a3", ""), cathedrals=("a1",)).place(0, "a2", 1, "a3:0").replay()
    assert met(outcome) == [(3, 2, 2)]
    spent, paid = events(outcome, Kind.SPENT, Kind.PAID)
    assert (spent.source, spent.amount, spent.pile) == ("card.a3", 4, 0)
    assert (spent.local, spent.permanent, spent.temporary) == (0, 0, 0)
    assert (paid.source, paid.amount, paid.pile) == ("card.a2", 0, -1)


def test_lu_9_one_colour_never_pays_for_another():
    """LU-9."""
    position = Position(card("a1", centre="9b", local="9g", arrows="E"), card("a2", "1r"),
                        hands=("a2", ""), cathedrals=("a1",))  # fmt: skip
    refused(position.place(0, "a2", 1), "LU-9", "(0, 0, 1)")


@pytest.mark.parametrize("factor", [0, 1, 2, 3])
def test_lu_9_the_factor_of_temporary_resources_is_a_rule_value(factor: int):
    """LU-9: `temporary_factor`."""
    cards = [card("a1", "3b"), card("a2", centre="1b")]
    position = Position(*cards, hands=("a1 a2", ""), temporary_factor=factor).place(0, "a1", 0, "a2:0")
    if factor == 3:
        assert met(position.replay()) == [(0, 0, 3)]
    else:
        refused(position, "LU-9", "isn't paid" if factor else "nothing that is missing")


def test_lu_9_a_needless_discard_is_refused():
    """l20: a card may be discarded only if it brings a colour that is still missing."""
    cards = [card("a1", "1b"), card("a2", centre="1b"), card("a3", centre="1g"), card("a4", centre="1b")]
    for discards in ("a3:0 a2:0", "a2:0 a3:0", "a2:0 a4:0"):
        position = Position(*cards, hands=("a1 a2 a3 a4", "")).place(0, "a1", 0, discards)
        refused(position, "LU-9", "nothing that is missing")
    free = Position(card("a1"), *cards[1:], hands=("a1 a2", "")).place(0, "a1", 0, "a2:0")
    refused(free, "LU-9", "nothing that is missing")


def test_lu_9_a_discard_for_what_is_met_without_it_is_refused():
    """l20: local and permanent resources pay first, whether the seat likes it or not."""
    cards = [card("a1", local="1b", arrows="E"), card("a2", "1b"), card("a3", centre="1b")]
    position = Position(*cards, hands=("a2 a3", ""), cathedrals=("a1",)).place(0, "a2", 1, "a3:0")
    refused(position, "LU-9", "nothing that is missing")


def test_lu_9_the_order_of_the_discards_decides_what_is_missing():
    """l20: a card that brings all can only come last."""
    cards = [card("a1", "2b 2g"), card("a2", centre="1b"), card("a3", centre="1b 1g")]
    position = Position(*cards, hands=("a1 a2 a3", "")).place(0, "a1", 0, "a2:0 a3:1")
    outcome = position.replay()
    assert rows(outcome, Kind.SPENT) == [(0, "card.a2", 2), (0, "card.a3", 4)]
    assert met(outcome) == [(0, 0, 4)]
    refused(Position(*cards, hands=("a1 a2 a3", "")).place(0, "a1", 0, "a3:0 a2:1"), "LU-9", "a2 brings")


def test_lu_9_the_last_discard_may_overpay():
    """l20: temporary is what it met of the cost, the amount spent all that it brought."""
    cards = [card("a1", "3b"), card("a2", centre="1b"), card("a3", centre="4b 1r")]
    outcome = Position(*cards, hands=("a1 a2 a3", "")).place(0, "a1", 0, "a2:0 a3:1").replay()
    assert rows(outcome, Kind.SPENT) == [(0, "card.a2", 2), (0, "card.a3", 10)]
    assert met(outcome) == [(0, 0, 3)]


def test_lu_9_a_new_card_neither_pays_for_itself_nor_is_its_own_discard():
    """l20."""
    own = card("a1", "1b", centre="1b", local="1b", arrows="W E NW N NE")
    refused(Position(own, hands=("a1", "")).place(0, "a1", 0), "LU-9", "isn't paid")
    refused(Position(own, hands=("a1", "")).place(0, "a1", 0, "a1:0"), "LU-9", "isn't in the hand")


def test_lu_9_only_own_hand_cards_are_discarded_each_once():
    """LU-9."""
    cards = [card("a1", "4b"), card("a2", centre="1b"), card("a3", centre="1b"), card("a4", centre="1b")]
    for discards in ("a2:0 a2:0", "a2:0 a3:0", "a2:0 a4:0"):
        position = Position(*cards, hands=("a1 a2", "a3"), piles=("a4", ""))
        refused(position.place(0, "a1", 0, discards), "LU-9", "isn't in the hand")


def test_lu_9_discards_go_face_up_on_any_pile_an_emptied_one_included():
    """LU-9, l20: in the payer's order, the last on top."""
    cards = [card("a1", "6b"), *(card(f"a{n}", centre="1b") for n in (2, 3, 4))]
    position = Position(*cards, hands=("a1 a2 a3 a4", ""), piles=("b1", ""))
    outcome = position.place(0, "a1", 0, "a3:1 a2:0 a4:1").draw(1, 1).replay()
    assert (pile(outcome, 0), pile(outcome, 1)) == ("b1 a2", "a3")
    assert hand(outcome, 1) == "a4"
    assert [event.pile for event in events(outcome, Kind.SPENT)] == [1, 0, 1]


@pytest.mark.parametrize("pile", [-1, 2])
def test_lu_9_no_discard_goes_on_a_pile_that_is_not_there(pile: int):
    """LU-9."""
    cards = [card("a1", "1b"), card("a2", centre="1b")]
    refused(Position(*cards, hands=("a1 a2", "")).place(0, "a1", 0, f"a2:{pile}"), "LU-9", f"no pile {pile}")


def test_lu_9_a_card_without_a_centre_is_worth_nothing_as_a_discard():
    """l15: a bonus card in the basic game."""
    cards = [card("a1", "1b"), card("a2", bonus=True)]
    refused(
        Position(*cards, hands=("a1 a2", "")).place(0, "a1", 0, "a2:0"), "LU-9", "nothing that is missing"
    )


# Spires


@pytest.mark.parametrize("any_lower", [False, True])
@pytest.mark.parametrize(
    ("columns", "column"), [("a1/b1", 0), ("a1", 0), ("a1/b1/c1", 1), ("a1/b1/c1 a2", 1)]
)
def test_lu_12_a_spire_lies_on_a_level_iii_card_in_both_readings(any_lower: bool, columns: str, column: int):
    """LU-12, l16."""
    position = Position(cathedrals=(columns,), shown="s1", any_lower=any_lower).spire(0, 0, column)
    refused(position, "LU-12")


@pytest.mark.parametrize("any_lower", [False, True])
def test_lu_12_a_spire_on_a_level_iii_card_wins(any_lower: bool):
    """LU-12."""
    outcome = Position(cathedrals=("a1/b1/c1",), shown="s1", any_lower=any_lower).spire(0, 0, 0).replay()
    assert outcome.winner_seats == (0,)


def test_lu_12_with_any_lower_a_spire_may_lie_lower_than_row_four():
    """l16, l1: three placements and a spire."""
    outcome = Position(cathedrals=("a1/c1",), shown="s1", any_lower=True).spire(0, 0, 0).replay()
    assert cathedral(outcome, 0) == {0: "a1/c1/s1"}


@pytest.mark.parametrize("slot", [-1, 2])
def test_lu_12_a_spire_is_one_on_display(slot: int):
    """LU-12."""
    position = Position(cathedrals=("a1/b1/c1",), shown="s1 s2").spire(0, slot, 0)
    refused(position, "LU-12", f"place {slot}")


def test_lu_12_spires_are_taken_by_whoever_comes_first():
    """l11: the same spire is in reach of both, seat 1 takes it and nobody else has a turn."""
    position = Position(
        cathedrals=("a1/b1/c1", "a2/b2/c2"), piles=("b9", ""), shown="s1 s2", hands=("", "", "")
    )
    outcome = position.draw(0).spire(1, 1, 0).replay()
    assert rows(outcome, Kind.REACHABLE) == [
        (0, "spire.s1", 0),
        (0, "spire.s2", 0),
        (1, "spire.s1", 0),
        (1, "spire.s2", 0),
    ]
    assert outcome.winner_seats == (1,)
    refused(position.draw(2), "tape", "the game is over")


def test_lu_12_a_spire_gets_local_resources_from_sw_s_and_se():
    """l25, LU-12: in the strict reading all of row 4 beside it is empty."""
    cards = [
        card("c1", local="5g", arrows="NE"),
        card("c2", local="5g", arrows="N"),
        card("c3", local="5g", arrows="NW"),
        card("s1", "15g"),
    ]
    position = Position(*cards, cathedrals=("a1/b1/c1 a2/b2/c2 a3/b3/c3",), shown="s1")
    assert met(position.spire(0, 0, 1).replay()) == [(15, 0, 0)]


def test_lu_12_after_a_spire_no_pictogram_and_no_hand_limit():
    """r5."""
    position = Position(
        card("s1", pictogram=True), hands=("a1 a2", ""), cathedrals=("a3/b3/c3",), shown="s1", hand_limit=1
    )
    outcome = position.spire(0, 0, 0).replay()
    assert outcome.turns == 1
    assert outcome.seats[0].hand == 2


# Bonus cards


def bonus_game(*cards: Card, **changes: Any) -> Position:
    given = {
        "hands": ("", ""),
        "cathedrals": ("a1/b1",),
        "piles": ("b8 b9", ""),
        "bonus": "a7",
        "advanced": True,
    }
    return Position(*cards, **{**given, **changes})


def test_lu_13_a_bonus_card_is_paid_with_permanent_resources():
    """LU-13: a `paid` of a card without a discard; the next bonus card lies on top then."""
    position = bonus_game(card("a1", centre="1b 2r"), card("a7", "1b 1r"), card("b7", "2r"), bonus="a7 b7")
    outcome = position.bonus(0, 1).draw(1).bonus(0, 1).replay()
    assert rows(outcome, Kind.PAID) == [(0, "card.a7", 0), (0, "card.b7", 0)]
    assert met(outcome) == [(0, 2, 0), (0, 2, 0)]
    assert cathedral(outcome, 0) == {0: "a1/b1", 1: "a7/b7"}
    assert outcome.seats[0].did[Action.BONUS] == 2
    assert outcome.table.bonus == []


def test_lu_13_local_resources_do_not_pay_for_a_bonus_card():
    """LU-13: permanent resources only."""
    giver = card("a1", local="1b", arrows="E")
    refused(bonus_game(giver, card("a7", "1b")).bonus(0, 1), "LU-13", "(1, 0, 0)")


def test_lu_13_temporary_resources_do_not_pay_for_a_bonus_card():
    """LU-13, RULES.md "Payment"."""
    cards = [card("a7", "1b"), card("a2", centre="1b")]
    refused(bonus_game(*cards, hands=("a2", "")).bonus(0, 1, "a2:0"), "LU-13", "temporary")


def test_lu_13_a_bonus_card_lies_by_the_usual_rules_of_its_level():
    """l13."""
    refused(bonus_game().bonus(0, 2), "LU-8", "-1 or 1")
    refused(bonus_game(bonus="c7").bonus(0, 1), "LU-8", "no card lies in column 1")
    refused(bonus_game(bonus="c7", cathedrals=("a1",)).bonus(0, 0), "LU-8", "exactly the level below")
    outcome = bonus_game(bonus="c7", cathedrals=("a1",), any_lower=True).bonus(0, 0).replay()
    assert cathedral(outcome, 0) == {0: "a1/c7"}
    assert cathedral(bonus_game(cathedrals=()).bonus(0, 0).replay(), 0) == {0: "a7"}


def test_lu_13_there_are_no_bonus_cards_in_the_basic_game_nor_after_the_last():
    """LU-13."""
    refused(bonus_game(bonus="", advanced=False).bonus(0, 1), "LU-13", "advanced")
    refused(bonus_game(bonus="").bonus(0, 1), "LU-13", "no bonus card is left")
    refused(bonus_game().add(Tape.ACTION, 0, [Action.BONUS]), "LU-13", "column")


def test_lu_13_a_bonus_card_with_the_pictogram_designates_a_seat():
    """LU-11: on placing, whatever it is placed from."""
    position = bonus_game(card("a7", pictogram=True), hands=("a2", "")).bonus(0, 1)
    assert rows(position.pictogram(0, 1, 0, "a2").replay(), Kind.STOLEN) == [(0, "card.a2", 1)]


def test_lu_13_the_bonus_stack_lies_by_level_and_equal_levels_in_file_order():
    """r6, l18: with `advanced` the bonus cards are in no pile."""
    bonus = [card(id, bonus=True) for id in ("c8", "a9", "b8", "a8")]
    cards = card_set([*bonus, *plain("a1 a2 s1")], advanced=True, turn_limit=1)
    script = Script(cards, 2).spires("s1").pile(0, "a1").pile(1, "a2").opening(0, 0, "").opening(1, 1, "")
    table = script.place(0, "a1", 0).replay().table
    assert [each.id for each in table.bonus] == ["a9", "a8", "b8", "c8"]
    refused(Script(cards, 2).spires("s1").pile(0, "a8"), "LU-3", "no pile")


def test_lu_13_in_the_basic_game_the_bonus_cards_lie_in_the_piles():
    """l15: they may be taken as opening cards too."""
    cards = card_set([card("a1", bonus=True), *plain("a2 s1")], turn_limit=1)
    script = Script(cards, 2).spires("s1").pile(0, "a1").pile(1, "a2").opening(0, 0, "").opening(1, 1, "")
    outcome = script.place(0, "a1", 0).replay()
    assert outcome.table.bonus == []
    assert rows(outcome, Kind.DEALT)[0] == (0, "card.a1", 0)


# What can be paid, against every way of paying


def ways_of_paying(cost: str, hand: list[str]) -> bool:
    """Whether any discards in any order, each of which brings something missing, pay the cost."""
    for count in range(len(hand) + 1):
        for discards in permutations(hand, count):
            missing = list(amounts(cost))
            legal = True
            for centre in discards:
                brought = [2 * each for each in amounts(centre)]
                legal = legal and any(
                    more and lacking for more, lacking in zip(brought, missing, strict=True)
                )
                missing = [max(0, lacking - more) for lacking, more in zip(missing, brought, strict=True)]
            if legal and not any(missing):
                return True
    return False


@pytest.mark.parametrize(
    "cost", ["", "2b", "3b", "4b", "5b 1g", "2b 2g 2r", "1b 4g", "3r", "4g 4r", "6b", "1r 3g 1b"]
)
@pytest.mark.parametrize(
    "centres", ["", "1b", "1b|1b", "1b 1g|1r", "2b|1g|1r", "1b 1g|1b 1r|1g 1r", "1g|2g|1r|1b"]
)
def test_a_card_can_be_placed_exactly_if_some_discards_in_some_order_pay_it(cost: str, centres: str):
    """r2, l20: a pass is legal exactly when no way of paying is."""
    hand = [each for each in centres.split("|") if each]
    cards = [card("a1", cost), *(card(f"b{n}", centre=centre) for n, centre in enumerate(hand))]
    position = Position(*cards, hands=(" ".join(each.id for each in cards), "")).passes(0)
    if ways_of_paying(cost, hand):
        refused(position, "LU-7", "a1 can be placed")
    else:
        assert position.replay().seats[0].dead_opening == 1


def test_an_empty_cathedral_has_neither_level_nor_resources():
    """LU-5."""
    empty = Cathedral()
    assert (empty.level, empty.permanent, empty.local(0), empty.cards) == (0, (0, 0, 0), (0, 0, 0), [])
