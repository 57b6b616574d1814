"""The compiled rules of Luminis, clause by clause, on positions laid by hand and on whole games."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simulator import rng
from simulator.games.luminis.kernel import (
    can_act,
    deal_piles,
    discard_payment,
    draw,
    mark_reachable,
    place_card,
    place_from_hand,
    place_spire,
    take_opening,
    take_turn,
    trim,
)
from simulator.games.luminis.model import (
    MAX_CARDS,
    MIDDLE,
    NOTHING,
    Colour,
    Ending,
    Fault,
    Kind,
    Level,
)
from simulator.games.luminis.play import play
from simulator.games.luminis.search import find_help, lacks, spire_column
from tests.luminis.games import (
    build,
    cards_of,
    default_design,
    empty_state,
    events_of,
    hold,
    plan_of,
)

# Uncompiled, NumPy warns where whole numbers wrap, as random streams and bit searches want them to.
pytestmark = [
    pytest.mark.kernel,
    pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning"),
]

SEAT = np.int64(0)


def tables_of(players: int = 4, **rules: Any) -> Any:
    """Tables of their own, so that a test may change a card."""
    return default_design(players, **rules).tables.copy()[0]


def dealt(tables: Any, players: int = 4) -> Any:
    """A state with shuffled piles, before anybody chooses."""
    state = empty_state(tables, players)
    deal_piles(state, tables)
    return state


def set_card(tables: Any, card: int, **values: Any) -> int:
    """Give a card these values; resources as triples."""
    for name, value in values.items():
        getattr(tables, name)[card] = value
    return card


def three_levels(tables: Any) -> list[int]:
    """One card of each of Levels I, II, III that costs and brings nothing, without arrows."""
    found = [cards_of(tables, level)[0] for level in (Level.I, Level.II, Level.III)]
    for card in found:
        set_card(tables, card, cost=0, centre=0, local=0, arrows=0, pictogram=0)
    return found


@pytest.mark.parametrize(("players", "sizes"), [(2, [32] * 3), (3, [24] * 4), (4, [24] * 4)])
def test_all_cards_but_the_spires_lie_in_piles_of_about_equal_size(players: int, sizes: list[int]):
    """LU-3, T-LU-9: 3 piles for two players, 4 for three or four."""
    state = dealt(tables_of(players), players)
    assert state.pile_size[: state.n_piles].tolist() == sizes
    cards = {card for pile in range(state.n_piles) for card in state.pile[pile, : state.pile_size[pile]]}
    assert len(cards) == 96


def test_what_is_left_over_goes_one_each_to_the_first_piles():
    """LU-3, l17: 96 cards in five piles."""
    state = dealt(tables_of(5), 5)
    assert state.pile_size[:5].tolist() == [20, 19, 19, 19, 19]


def test_the_advanced_mode_takes_the_bonus_cards_out_of_the_piles():
    """LU-13, l18: 93 cards are dealt."""
    tables = tables_of(3, advanced=True)
    state = dealt(tables, 3)
    assert state.pile_size[:4].tolist() == [24, 23, 23, 23]
    bonus = tables.bonus[: tables.n_bonus].tolist()
    assert [int(tables.level[card]) for card in bonus] == [Level.I, Level.II, Level.III]
    assert not {card for pile in range(4) for card in state.pile[pile, : state.pile_size[pile]]} & set(bonus)


def test_the_opening_takes_level_one_cards_from_the_top_and_shuffles_the_pile():
    """LU-4, l6."""
    tables = tables_of()
    state = dealt(tables)
    for pile in range(4):
        state.chosen[pile] = pile != 2  # r1 leaves one to choose
    before = state.pile[2, : state.pile_size[2]].tolist()
    take_opening(state, tables, SEAT)
    ones = [card for card in reversed(before) if tables.level[card] == Level.I]
    wanted = int(tables.start_cards[0])
    assert len(ones) >= wanted
    assert state.hand[0, :wanted].tolist() == ones[:wanted]
    after = state.pile[2, : state.pile_size[2]].tolist()
    assert sorted(after) == sorted(set(before) - set(ones[:wanted]))
    assert after != [card for card in before if card in after]


def test_a_pile_with_too_few_level_one_cards_sends_the_seat_on_to_another():
    """LU-4, l17, r1: to one that nobody has touched, while there is one."""
    tables = tables_of()
    state = dealt(tables)
    ones, others = cards_of(tables, Level.I), cards_of(tables, Level.II)
    for pile, content in enumerate([ones[:2] + others[:3], others[3:6], ones[2:3] + others[6:8], ones[3:9]]):
        state.pile[pile, : len(content)] = content
        state.pile_size[pile] = len(content)
    state.chosen[3] = 1
    take_opening(state, tables, SEAT)
    assert state.hand_size[0] == 4
    assert set(state.hand[0, :4].tolist()) > set(ones[:3])
    assert state.chosen[:4].tolist() == [1, 0, 1, 1]


def test_an_opening_without_level_one_cards_left_stays_short():
    """l17: what is there is taken."""
    tables = tables_of()
    state = dealt(tables)
    ones = cards_of(tables, Level.I)
    state.pile_size[:4] = 0
    state.pile[1, :3] = ones[:3]
    state.pile_size[1] = 3
    take_opening(state, tables, SEAT)
    assert state.hand_size[0] == 3


def test_local_resources_reach_beside_and_above_but_never_down():
    """LU-9, l4, T-LU-6: a card with all arrows helps W, E, NW, N and NE of it, nobody below."""
    tables = tables_of()
    one, two, three = three_levels(tables)
    other_one, other_two = cards_of(tables, Level.I)[1], cards_of(tables, Level.II)[1]
    for card in (other_one, other_two):
        set_card(tables, card, cost=0, centre=0, local=0, arrows=0)
    set_card(tables, two, local=(1, 0, 0), arrows=31)
    state = empty_state(tables)
    build(state, tables, 0, [[one, two], [other_one, other_two]])
    blue = [int(state.help[0, column, Colour.BLUE]) for column in range(MIDDLE - 1, MIDDLE + 3)]
    assert blue == [0, 1, 1, 0]
    single = empty_state(tables)
    build(single, tables, 0, [[one, two], [other_one]])
    assert single.help[0, MIDDLE + 1, Colour.BLUE] == 1, "beside, in the same row"
    below = empty_state(tables)
    build(below, tables, 0, [[one, two]])
    assert below.help[0, MIDDLE + 1, Colour.BLUE] == 0, "row 1 lies below its row"
    assert three not in (one, two)


@pytest.mark.parametrize(("arrow", "column"), [(1, -1), (2, 1), (8, 0)], ids=["west", "east", "north"])
def test_each_arrow_of_a_lone_card_points_one_way(arrow: int, column: int):
    """l4."""
    tables = tables_of()
    one, *_ = three_levels(tables)
    set_card(tables, one, local=(0, 2, 0), arrows=arrow)
    state = empty_state(tables)
    build(state, tables, 0, [[one]])
    for place in (-1, 0, 1):
        find_help(state, tables, SEAT, MIDDLE + place)
        assert state.help[0, MIDDLE + place, Colour.GREEN] == (2 if place == column else 0)


def test_a_discard_brings_double_its_centre():
    """LU-9, T-LU-4: a card with 1 red in the centre brings 2 red."""
    tables = tables_of()
    one, *_ = three_levels(tables)
    paying = set_card(tables, cards_of(tables, Level.I)[1], centre=(0, 0, 1))
    set_card(tables, one, cost=(0, 0, 2))
    state = dealt(tables)
    hold(state, 0, [one, paying])
    state.slot, state.column, state.payment_size = 0, MIDDLE, 1
    state.payment[0], state.payment_pile[0] = 1, 2
    state.keep_events = 1
    place_from_hand(state, tables, SEAT)
    assert state.fault == Fault.NONE
    assert state.hand_size[0] == 0
    assert state.pile[2, state.pile_size[2] - 1] == paying, "face up on the pile of choice"
    spent, paid = state.events[0], state.events[1]
    assert (spent[4], spent[6], spent[10]) == (Kind.SPENT, 2, 2)
    assert (paid[4], *paid[7:10]) == (Kind.PAID, 0, 0, 2)


def test_local_resources_pay_first_and_permanent_ones_second():
    """LU-9, T-LU-5: a cost of 1 blue and 2 red with 1 blue local leaves 2 red."""
    tables = tables_of()
    one, two, _ = three_levels(tables)
    set_card(tables, one, local=(1, 0, 0), centre=(1, 0, 1), arrows=8)
    set_card(tables, two, cost=(1, 0, 2))
    state = empty_state(tables)
    build(state, tables, 0, [[one]])
    assert lacks(state, tables, SEAT, np.int64(two), MIDDLE, True) == 1
    state.permanent[0] = 0
    assert lacks(state, tables, SEAT, np.int64(two), MIDDLE, True) == 2
    assert state.missing[0].tolist() == [0, 0, 2]
    state.permanent[0] = (5, 5, 5)
    state.keep_events = 1
    place_card(state, tables, SEAT, np.int64(two), MIDDLE, np.int64(0), np.int64(0))
    assert state.events[0, 7:10].tolist() == [1, 2, 0]


def test_a_discard_that_brings_nothing_missing_is_refused():
    """l20."""
    tables = tables_of()
    one, *_ = three_levels(tables)
    green = set_card(tables, cards_of(tables, Level.I)[1], centre=(0, 1, 0))
    red = set_card(tables, cards_of(tables, Level.I)[2], centre=(0, 0, 1))
    set_card(tables, one, cost=(0, 0, 1))
    for payment, fault in (([2], Fault.NONE), ([2, 1], Fault.PAYMENT), ([1], Fault.PAYMENT)):
        state = dealt(tables)
        hold(state, 0, [one, green, red])
        state.slot, state.payment_size = 0, len(payment)
        state.payment[: len(payment)] = payment
        lacks(state, tables, SEAT, np.int64(one), MIDDLE, True)
        discard_payment(state, tables, SEAT)
        assert state.fault == fault


def test_a_card_cannot_be_discarded_twice():
    """LU-9: two of it would pay, but it has left the hand."""
    tables = tables_of()
    one, *_ = three_levels(tables)
    red = set_card(tables, cards_of(tables, Level.I)[1], centre=(0, 0, 1))
    set_card(tables, one, cost=(0, 0, 4))
    state = dealt(tables)
    hold(state, 0, [one, red])
    state.slot, state.payment_size = 0, 2
    state.payment[:2] = 1
    lacks(state, tables, SEAT, np.int64(one), MIDDLE, True)
    discard_payment(state, tables, SEAT)
    assert state.fault == Fault.PAYMENT


@pytest.mark.parametrize(
    ("level", "column", "any_lower", "fault"),
    [
        (Level.I, 2, False, Fault.NONE),
        (Level.I, -1, False, Fault.NONE),
        (Level.I, 3, False, Fault.PLACE),  # a gap
        (Level.I, 0, False, Fault.PLACE),  # on top
        (Level.II, 1, False, Fault.NONE),
        (Level.II, 0, False, Fault.PLACE),  # on Level II
        (Level.II, 2, False, Fault.PLACE),  # on nothing
        (Level.III, 0, False, Fault.NONE),
        (Level.III, 1, False, Fault.PLACE),  # on Level I
        (Level.III, 1, True, Fault.NONE),
        (Level.II, 0, True, Fault.PLACE),  # on its like
        (Level.SPIRE, 0, True, Fault.PLACE),  # on Level II
    ],
)
def test_a_card_lies_only_where_its_level_may(level: Level, column: int, any_lower: bool, fault: Fault):
    """LU-8, l1, l3, l16: columns 0 (Levels I, II) and 1 (Level I) stand."""
    tables = tables_of(4, any_lower=any_lower)
    ones, twos = cards_of(tables, Level.I), cards_of(tables, Level.II)
    state = empty_state(tables)
    build(state, tables, 0, [[ones[0], twos[0]], [ones[1]]])
    card = np.int64(cards_of(tables, level)[-1])
    place_card(state, tables, SEAT, card, MIDDLE + column, np.int64(0), np.int64(0))
    assert state.fault == fault


def spire_position(tables: Any, red: int) -> tuple[Any, np.int64]:
    """Levels I, II, III stand and bring so many red; the red spire is shown."""
    one, two, three = three_levels(tables)
    set_card(tables, one, centre=(0, 0, red))
    spire = next(card for card in cards_of(tables, Level.SPIRE) if tables.cost[card, Colour.RED] == 15)
    state = empty_state(tables)
    build(state, tables, 0, [[one, two, three]])
    state.shown[0], state.n_shown = spire, 1
    return state, np.int64(spire)


def test_a_spire_is_paid_with_local_and_permanent_resources_only():
    """LU-12, T-LU-7: 14 red of the cathedral and a hand full of red do not pay for it."""
    tables = tables_of()
    paying = set_card(tables, cards_of(tables, Level.II)[1], centre=(0, 0, 9))
    state, spire = spire_position(tables, 14)
    hold(state, 0, [paying])
    assert spire_column(state, tables, SEAT, spire) == NOTHING
    state.slot, state.column = 0, MIDDLE
    place_spire(state, tables, SEAT)
    assert state.fault == Fault.PAYMENT
    state, spire = spire_position(tables, 15)
    assert spire_column(state, tables, SEAT, spire) == MIDDLE
    state.slot, state.column = 0, MIDDLE
    place_spire(state, tables, SEAT)
    assert (state.fault, state.winner, state.ending) == (Fault.NONE, 0, Ending.SPIRE)


def test_a_spire_stands_on_level_three_in_both_readings():
    """LU-12, l16."""
    for any_lower in (False, True):
        tables = tables_of(4, any_lower=any_lower)
        one, two, _ = three_levels(tables)
        set_card(tables, one, centre=20)
        state = empty_state(tables)
        build(state, tables, 0, [[one, two]])
        spire = np.int64(cards_of(tables, Level.SPIRE)[0])
        assert spire_column(state, tables, SEAT, spire) == NOTHING
        place_card(state, tables, SEAT, spire, MIDDLE, np.int64(0), np.int64(1))
        assert state.fault == Fault.PLACE


def test_a_spire_is_marked_reachable_once():
    tables = tables_of()
    state, _ = spire_position(tables, 15)
    state.keep_events = 1
    for _ in range(2):
        mark_reachable(state, tables, SEAT)
    assert state.events[: state.n_events, 4].tolist() == [Kind.REACHABLE]


def test_a_hand_of_nine_is_trimmed_to_seven_at_the_end_of_its_turn():
    """LU-10, T-LU-8, l7: the discards lie face up on piles."""
    tables = tables_of()
    state = dealt(tables)
    hold(state, 0, cards_of(tables, Level.II)[:9])
    before = state.pile_size[:4].sum()
    trim(state, tables, SEAT)
    assert state.hand_size[0] == 7
    assert state.pile_size[:4].sum() == before + 2


def test_a_draw_from_an_empty_pile_is_refused():
    """LU-7, l8."""
    tables = tables_of()
    state = dealt(tables)
    state.pile_size[3] = 0
    draw(state, SEAT, np.int64(3))
    assert state.fault == Fault.PILE


def test_a_seat_that_can_do_nothing_passes_and_a_round_of_passes_is_a_stalemate():
    """l8, l10, l22, r2, r3: without piles and hands there is nothing to do."""
    tables = tables_of()
    state = dealt(tables)
    state.pile_size[:4] = 0
    for seat in range(4):
        assert not can_act(state, tables, np.int64(seat))
        state.active = seat
        take_turn(state, tables)
    assert state.fault == Fault.NONE
    assert state.passes == 4
    state.pile_size[1] = 1
    assert can_act(state, tables, SEAT), "a card can be drawn"


def test_a_hand_card_a_spire_or_the_bonus_card_forbid_to_pass():
    """l10, r2."""
    tables = tables_of(4, advanced=True)
    state = dealt(tables)
    state.pile_size[:4] = 0
    set_card(tables, int(tables.bonus[0]), cost=0)
    assert can_act(state, tables, SEAT)
    state.bonus_next = tables.n_bonus
    assert not can_act(state, tables, SEAT)
    hold(state, 0, three_levels(tables)[:1])
    assert can_act(state, tables, SEAT)
    other, _ = spire_position(tables_of(), 15)
    other.n_piles = 0
    assert can_act(other, tables_of(), SEAT)


def test_the_turn_limit_ends_a_game_that_all_share():
    """l22, r3, r4."""
    played = play(default_design(4, turn_limit=10), plan_of(["random"] * 4, 5), True)
    assert played.games["turns"].tolist() == [10] * 5
    assert played.games["rounds"].tolist() == [3] * 5
    assert set(played.games["ending"].tolist()) == {Ending.TURN_LIMIT}
    assert played.games["winners"].tolist() == [0b1111] * 5
    assert played.games["tied_on_points"].tolist() == [4] * 5
    assert played.games["tie_stage"].tolist() == [-1] * 5
    assert played.seats["rank"].tolist() == [1] * 20
    assert len(events_of(played, Kind.LAPSED)) == 4 * 5


def test_the_winner_alone_scores_and_the_other_spires_lapse():
    """LU-2, LU-12."""
    played = play(default_design(3), plan_of(["balanced"] * 3, 6), True)
    assert played.seats["score"].sum() == 6
    assert (played.seats["score"] == played.seats["did_spire"]).all()
    assert len(events_of(played, Kind.LAPSED)) == 3 * 6
    won = [event for event in events_of(played, Kind.PAID) if event["amount"]]
    assert len(won) == 6
    assert all(event["temporary"] == 0 and event["local"] + event["permanent"] == 15 for event in won)


def test_a_pictogram_lets_the_only_opponent_draw_from_the_placers_hand():
    """LU-11: in a game of two."""
    played = play(default_design(2), plan_of(["random", "random"], 8), True)
    stolen = events_of(played, Kind.STOLEN)
    assert len(stolen) > 5
    assert all(event["amount"] == 1 - event["seat"] for event in stolen)
    assert all(event["seat"] == event["turn"] % 2 for event in stolen)


def test_the_bonus_stack_is_taken_from_the_top_and_only_in_the_advanced_mode():
    """LU-13."""
    for advanced in (False, True):
        design = default_design(3, advanced=advanced)
        tables = design.tables[0]
        played = play(design, plan_of(["banker"] * 3, 12), True)
        bonus = played.seats["did_bonus"].sum()
        assert (bonus > 0) == advanced
        if advanced:
            stack = [1 + int(card) for card in tables.bonus[: tables.n_bonus]]
            for game in range(12):
                paid = [
                    event["source"]
                    for event in events_of(played, Kind.PAID)
                    if event["game"] == game and event["source"] in stack
                ]
                assert paid == stack[: len(paid)]


def test_no_card_is_lost_or_doubled():
    """Piles, hands and cathedrals hold every card but the spires once, whenever a game ends."""
    from simulator.games.luminis.kernel import begin, play_game
    from simulator.games.luminis.model import STATE
    from tests.luminis.games import bot_book

    states = np.zeros(1, STATE)
    state = states[0]
    for players in (2, 5):
        design = default_design(players)
        tables = design.tables[0]
        weights = np.stack([bot_book().row("random")])
        begin(state, tables, np.array([3, 0, 0, players, *[0] * 5]), weights)
        play_game(state, tables)
        cards = [int(c) for p in range(state.n_piles) for c in state.pile[p, : state.pile_size[p]]]
        for seat in range(players):
            cards += state.hand[seat, : state.hand_size[seat]].tolist()
            for column in range(state.left[seat], state.right[seat] + 1):
                cards += state.tower[seat, column, : state.height[seat, column]].tolist()
        others = [card for card in cards if tables.level[card] != Level.SPIRE]
        assert sorted(others) == [card for card in range(tables.n_cards) if tables.level[card] != Level.SPIRE]
        assert len(others) < MAX_CARDS


def test_the_blind_draw_is_by_the_order_in_which_the_hand_was_received():
    """l9, "Random draws": below(hand size) of one stream a game."""
    from simulator.games.luminis.kernel import pay_pictogram
    from simulator.games.luminis.model import Stream

    tables = tables_of(2)
    hand = cards_of(tables, Level.II)[:5]
    state = empty_state(tables, 2)
    hold(state, 0, hand)
    stream = np.zeros(1, np.uint64)
    rng.start(stream, np.int64(1), np.int64(0), Stream.BLIND)
    expected = hand[int(rng.below(stream, np.int64(5)))]
    pay_pictogram(state, SEAT)
    assert state.hand[1, 0] == expected
    assert state.hand[0, :4].tolist() == [card for card in hand if card != expected]
