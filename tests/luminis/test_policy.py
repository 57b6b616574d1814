"""The bots of Luminis: what they see, what moves them, and that they are worth playing."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from simulator.games.luminis.kernel import begin, deal_piles, set_up, take_turn
from simulator.games.luminis.model import NOTHING, STATE, Action, Colour, Feature, Level
from simulator.games.luminis.play import play
from simulator.games.luminis.policy import (
    choose_action,
    choose_designated,
    choose_discard_pile,
    choose_victim,
    take_aim,
    weigh_hand,
)
from simulator.games.luminis.search import can_place_any
from tests.luminis.games import (
    bot_book,
    build,
    cards_of,
    default_design,
    empty_state,
    hold,
    plan_of,
)

# Uncompiled, NumPy warns where whole numbers wrap, as random streams and bit searches want them to.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")

SEAT = np.int64(0)
NAMED = [name for name in bot_book().bots if name not in ("random", "greedy")]


def tables_of(**rules: Any) -> Any:
    return default_design(4, **rules).tables[0]


def chosen(state: Any, tables: Any) -> tuple[int, ...]:
    choose_action(state, tables, SEAT)
    return tuple(int(state[name]) for name in ("action", "slot", "column", "from_pile", "payment_size"))


@pytest.mark.parametrize("bot", list(bot_book().bots))
def test_no_bot_reads_what_it_cannot_see(bot: str):
    """l24: other hands, and all of a pile but its top card, may be anything."""
    tables = tables_of()
    draw = random.Random(3)
    for _ in range(20):
        state = empty_state(tables)
        for feature, weight in enumerate(bot_book().row(bot)):
            state.weight[0, feature] = weight
        set_up(state, tables)
        twos, threes = cards_of(tables, Level.II), cards_of(tables, Level.III)
        build(state, tables, 0, [[card] for card in draw.sample(cards_of(tables, Level.I), 3)])
        hold(state, 0, draw.sample(twos + threes, 5))
        before_noise = int(state.noise[0, 0])
        first = chosen(state, tables)
        for seat in range(1, 4):
            hold(state, seat, draw.sample(range(int(tables.n_cards)), int(state.hand_size[seat])))
        for pile in range(state.n_piles):
            below = state.pile[pile, : state.pile_size[pile] - 1].tolist()
            draw.shuffle(below)
            state.pile[pile, : len(below)] = below
        state.noise[0, 0] = before_noise
        assert chosen(state, tables) == first


def test_every_bot_takes_a_spire_that_it_can_have():
    """LU-12: nothing is worth more."""
    tables = default_design(4).tables.copy()[0]
    column = [cards_of(tables, level)[0] for level in (Level.I, Level.II, Level.III)]
    tables.centre[column[0]] = 20
    for bot in bot_book().bots:
        state = empty_state(tables)
        deal_piles(state, tables)
        for feature, weight in enumerate(bot_book().row(bot)):
            state.weight[0, feature] = weight
        build(state, tables, 0, [column])
        state.shown[: state.n_shown] = cards_of(tables, Level.SPIRE)[: state.n_shown]
        assert chosen(state, tables)[0] == Action.SPIRE


def test_a_bot_aims_at_the_spire_it_is_nearest_to():
    tables = tables_of()
    state = empty_state(tables)
    state.shown[: state.n_shown] = cards_of(tables, Level.SPIRE)[: state.n_shown]
    for colour in Colour:
        state.permanent[0] = 0
        state.permanent[0, colour] = 6
        take_aim(state, tables, SEAT)
        assert int(np.argmax(state.aim)) == colour


def test_a_bot_sees_what_the_next_seat_has_just_laid():
    """What the next seat wants follows from its cathedral as it stands, whenever that was added to."""
    tables = tables_of()
    state = empty_state(tables)
    state.shown[: state.n_shown] = cards_of(tables, Level.SPIRE)[: state.n_shown]
    for seat, after in ((0, 1), (3, 0)):
        for colour in {int(np.argmax(tables.cost[spire])) for spire in state.shown[: state.n_shown]}:
            state.permanent[after] = 0
            state.permanent[after, colour] = 6
            take_aim(state, tables, np.int64(seat))
            assert int(np.argmax(state.next_aim)) == colour


def test_a_liking_for_a_colour_turns_the_aim():
    tables = tables_of()
    state = empty_state(tables)
    state.shown[: state.n_shown] = cards_of(tables, Level.SPIRE)[: state.n_shown]
    state.permanent[0] = (3, 0, 0)
    state.weight[0, Feature.AIM_RED] = 5
    take_aim(state, tables, SEAT)
    assert int(np.argmax(state.aim)) == Colour.RED


def test_a_discard_covers_what_the_next_seat_wants():
    """The piles' tops are worth nothing to the own seat here, one much to the next."""
    tables = tables_of()
    state = empty_state(tables)
    deal_piles(state, tables)
    wanted = max(
        range(int(tables.n_cards)), key=lambda card: int(tables.centre[card, 0] + tables.local[card, 0])
    )
    state.pile[2, state.pile_size[2] - 1] = wanted
    weigh_hand(state, tables, SEAT)  # sees the tops
    state.next_aim[:] = (5, 0, 0)
    state.top_worth[:4] = 0
    state.weight[0, Feature.DENY] = 1
    card = np.int64(cards_of(tables, Level.I)[0])
    assert choose_discard_pile(state, tables, SEAT, card) == 2
    state.top_worth[2] = 1000
    assert choose_discard_pile(state, tables, SEAT, card) != 2, "unless it wants that itself"


def test_a_second_discard_covers_another_pile_that_the_next_seat_wants():
    """The first already covers what was wanted most, before either lies there."""
    tables = default_design(4).tables.copy()[0]
    dull, *others = cards_of(tables, Level.II)
    for wanted, card in enumerate((dull, *others[:4])):
        tables.centre[card] = tables.local[card] = 0
        tables.centre[card, 0] = wanted
    state = empty_state(tables)
    deal_piles(state, tables)
    for pile, card in enumerate((others[0], others[3], others[2], others[1])):
        state.pile[pile, state.pile_size[pile] - 1] = card
    weigh_hand(state, tables, SEAT)
    state.next_aim[:] = (1, 0, 0)
    state.weight[0] = 0
    state.weight[0, Feature.DENY] = 1
    state.top_worth[:4] = 0
    chosen_piles = [choose_discard_pile(state, tables, SEAT, np.int64(dull)) for _ in range(3)]
    assert chosen_piles == [1, 2, 3]


def test_the_greedy_bot_draws_only_when_it_can_place_nothing():
    """As its text in bots.toml says."""
    tables = tables_of()
    drawn = 0
    for game in range(30):
        state = started(tables, "greedy", game)
        while not state.over and state.turn < 120:
            state.active = seat = np.int64(state.turn % state.players)
            could, drew = can_place_any(state, tables, seat), int(state.did[seat, Action.DRAW])
            take_turn(state, tables)
            state.turn += 1
            if state.did[seat, Action.DRAW] > drew:
                drawn += 1
                assert not could
    assert drawn > 100


def started(tables: Any, bot: str, game: int) -> Any:
    """A game of four such bots after its set-up."""
    state = np.zeros(1, STATE)[0]
    begin(state, tables, np.array([1, game, game, 4, *[0] * 5]), np.stack([bot_book().row(bot)]))
    set_up(state, tables)
    return state


def test_the_pictogram_helps_the_last_and_harms_the_first():
    """LU-11: two decisions by two seats."""
    tables = tables_of()
    state = empty_state(tables)
    for seat, strength in enumerate((5, 9, 1, 7)):
        state.permanent[seat] = strength
        state.hand_size[seat] = 3
    choose_designated(state, SEAT)
    assert state.chosen_seat == 2
    choose_victim(state, np.int64(2))
    assert state.chosen_seat == 1
    state.hand_size[1] = 0
    choose_victim(state, np.int64(2))
    assert state.chosen_seat == 3, "an empty hand gives nothing"


def test_a_card_in_hand_is_never_worth_less_than_nothing():
    """The payment search prunes by that."""
    for bot in bot_book().bots:
        tables = tables_of()
        state = empty_state(tables)
        for feature, weight in enumerate(bot_book().row(bot)):
            state.weight[0, feature] = weight
        state.shown[: state.n_shown] = cards_of(tables, Level.SPIRE)[: state.n_shown]
        take_aim(state, tables, SEAT)
        cards = [card for card in range(int(tables.n_cards)) if tables.level[card] < Level.SPIRE]
        for first in range(0, len(cards), 16):
            hold(state, 0, cards[first : first + 16])
            weigh_hand(state, tables, SEAT)
            assert (state.worth[: state.hand_size[0]] >= 0).all()


@pytest.mark.parametrize("weight", [name for name in bot_book().weights if name != "bonus"])
def test_every_weight_moves_a_game(weight: str):
    assert_moves(weight)


def test_the_weight_of_the_bonus_card_moves_a_game():
    """LU-13."""
    assert_moves("bonus", advanced=True)


def assert_moves(weight: str, **rules: Any) -> None:
    design = default_design(3, **rules)
    known = bot_book().weights[weight]
    base = play(design, plan_of(["balanced"] * 3, 40), False)
    for value in (known.lowest, min(known.highest, 5 + 3 * abs(known.default))):
        other = play(design, plan_of([f"balanced:{weight}={value}"] * 3, 40), False)
        if other.games["turns"].tolist() != base.games["turns"].tolist():
            return
    pytest.fail(f"{weight} changes nothing")


@pytest.mark.parametrize("bot", NAMED)
@pytest.mark.parametrize("weak", ["random", "greedy"])
def test_each_named_bot_beats_random_and_greedy(bot: str, weak: str):
    """Two of four seats each: of 400 games, far beyond what chance gives."""
    plan = plan_of([bot, weak, bot, weak], 400)
    played = play(default_design(4), plan, False)
    won = played.seats["score"].reshape(-1, 4)[:, [0, 2]].sum()
    assert won > 240


def test_the_named_bots_differ_in_what_they_do():
    """Each leads or trails all others in something."""
    measures = ("did_draw", "did_place", "placed", "income", "hand", "level")
    rows = {}
    for bot in NAMED:
        seats = play(default_design(4), plan_of([bot, "balanced"] * 2, 400), False).seats
        rows[bot] = [float(seats[name].reshape(-1, 4)[:, [0, 2]].mean()) for name in measures]
    distinct = {tuple(round(value, 1) for value in row) for row in rows.values()}
    assert len(distinct) == len(NAMED)


def test_a_victim_is_named_even_if_all_hands_are_empty():
    """l21."""
    state = empty_state(tables_of())
    state.chosen_seat = NOTHING
    choose_victim(state, np.int64(3))
    assert state.chosen_seat == 0
