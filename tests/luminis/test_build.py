"""The reconstructed cards keep to section 5 of the rules page, for the default and other seeds."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import combinations, permutations, product
from pathlib import Path
from statistics import mean

import pytest

from simulator.game import UserError
from simulator.games.luminis.build import DEFAULT_SEED, build_cards, build_set, dead_share
from simulator.games.luminis.cards import DATA, FILE_NAME, Card
from simulator.games.luminis.draw import broken, free_places
from simulator.games.luminis.files import read_set

LEVELS = (1, 2, 3)


@pytest.fixture(params=[DEFAULT_SEED, 2, 3, 10, 34], scope="module")
def seed(request):
    """Each of the seeds whose sets are held against section 5."""
    return request.param


@cache
def card_set(seed):
    return tuple(build_cards(seed))


def of_level(seed, level):
    return [card for card in card_set(seed) if card.level == level]


# The shipped file, and other seeds


def test_the_shipped_cards_are_what_the_default_seed_gives_in_any_process(tmp_path):
    call = (
        "import sys, pathlib; from simulator.games.luminis.build import build_set; "
        "build_set(int(sys.argv[1]), pathlib.Path(sys.argv[2]))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "77"}
    run = [sys.executable, "-c", call, str(DEFAULT_SEED), str(tmp_path)]
    subprocess.run(run, check=True, env=environment, cwd=Path(__file__).parents[2])
    assert (tmp_path / FILE_NAME).read_bytes() == (DATA / FILE_NAME).read_bytes()


def test_another_seed_gives_another_set():
    assert card_set(2) != card_set(DEFAULT_SEED)


def test_a_negative_seed_and_an_uneven_number_of_pictograms_are_refused():
    with pytest.raises(UserError, match="expected 0 or more"):
        build_cards(-1)
    for pictograms in (-3, 1, 96):
        with pytest.raises(UserError, match="expected a multiple of 3, up to 93"):
            build_cards(1, pictograms)


def test_a_built_set_is_whole_and_reads_back_without_a_fault(seed, tmp_path):
    build_set(seed, tmp_path / "new")
    assert {path.name for path in (tmp_path / "new").iterdir()} == {"cards.csv", "rules.toml", "bots.toml"}
    read = read_set(tmp_path / "new", {})
    assert read.cards == card_set(seed)
    assert read.reconstructed == ("cards.csv", "rules.toml")


# What is known of the printed cards


def test_there_are_102_cards_of_which_96_are_shuffled(seed):
    """T-LU-1, LU-1: 34, 40 and 22 of the first levels, and 6 spires."""
    assert Counter(card.level for card in card_set(seed)) == {1: 34, 2: 40, 3: 22, 4: 6}
    assert len(card_set(seed)) == 102
    assert sum(card.level < 4 for card in card_set(seed)) == 96


def test_a_spire_costs_fifteen_of_one_colour_and_brings_nothing(seed):
    spires = of_level(seed, 4)
    assert Counter(spire.cost for spire in spires) == {(15, 0, 0): 2, (0, 15, 0): 2, (0, 0, 15): 2}
    assert all(spire == Card(spire.id, 4, spire.cost) for spire in spires)


def test_one_card_of_each_level_has_no_centre_and_these_are_the_bonus_cards(seed):
    """LU-13: they lie in the stack by level, so there must be one of each."""
    bare = [card for card in card_set(seed) if not any(card.centre) and card.level < 4]
    assert [card.level for card in bare] == [1, 2, 3]
    assert bare == [card for card in card_set(seed) if card.bonus]


def test_a_card_of_level_i_costs_less_than_five(seed):
    assert {sum(card.cost) for card in of_level(seed, 1)} == {0, 1, 2, 3, 4}


# What we make of the rest


def test_costs_and_yields_rise_with_the_level(seed):
    for field in ("cost", "centre", "local"):
        totals = [[sum(getattr(card, field)) for card in of_level(seed, level)] for level in LEVELS]
        assert mean(totals[0]) < mean(totals[1]) < mean(totals[2])
    ranges = [{sum(card.cost) for card in of_level(seed, level)} for level in LEVELS]
    assert [(min(costs), max(costs)) for costs in ranges] == [(0, 4), (4, 7), (7, 11)]


def test_the_set_is_the_same_with_its_colours_moved_on_by_one(seed):
    """l19: blue to green to red; pictograms move along, the bonus cards are each alike in all colours."""

    def moved(card):
        cost, centre, local = ((each[2], each[0], each[1]) for each in (card.cost, card.centre, card.local))
        return replace(card, cost=cost, centre=centre, local=local)

    nameless = Counter(replace(card, id="") for card in card_set(seed))
    assert Counter(map(moved, nameless.elements())) == nameless
    assert all(moved(card) == card for card in card_set(seed) if card.bonus)
    assert sum(not card.bonus for card in of_level(seed, 1)) == 33


def test_no_card_is_better_than_another_of_its_level(seed):
    def better(one, other):
        return (
            all(mine <= its for mine, its in zip(one.cost, other.cost, strict=True))
            and all(mine >= its for mine, its in zip(one.centre, other.centre, strict=True))
            and all(mine >= its for mine, its in zip(one.local, other.local, strict=True))
            and one.arrows >= other.arrows
        )

    for level in LEVELS:
        assert not [
            (one.id, two.id) for one, two in permutations(of_level(seed, level), 2) if better(one, two)
        ]


def test_every_card_gives_something_to_a_neighbour_and_all_arrows_occur(seed):
    cards = [card for card in card_set(seed) if card.level < 4]
    assert all(any(card.local) and 1 <= len(card.arrows) <= 3 for card in cards)
    assert set().union(*(card.arrows for card in cards)) == {"W", "E", "NW", "N", "NE"}


@pytest.mark.parametrize("field", ["cost", "centre", "local"])
def test_there_are_cards_of_one_colour_and_of_two(seed, field):
    colours = Counter(sum(map(bool, getattr(card, field))) for card in card_set(seed) if card.level < 4)
    assert min(colours[1], colours[2]) >= 12


def test_the_pictogram_is_on_three_cards_of_each_level(seed):
    marked = [card for card in card_set(seed) if card.pictogram]
    assert Counter(card.level for card in marked) == {1: 3, 2: 3, 3: 3}


@pytest.mark.parametrize("pictograms", [0, 3, 33, 93])
def test_as_many_cards_have_the_pictogram_as_asked_for(pictograms):
    cards = build_cards(DEFAULT_SEED, pictograms)
    assert sum(card.pictogram for card in cards) == pictograms
    assert [replace(card, pictogram=False) for card in cards] == [
        replace(card, pictogram=False) for card in card_set(DEFAULT_SEED)
    ]


# Openings


def can_place_by_discarding(hand):
    """Whether any card can be placed as the first one, looking at every set of discards."""
    for card in hand:
        others = [other for other in hand if other is not card]
        for number in range(len(others) + 1):
            for discards in combinations(others, number):
                brought = [2 * sum(each.centre[colour] for each in discards) for colour in range(3)]
                if all(have >= cost for have, cost in zip(brought, card.cost, strict=True)):
                    return True
    return False


def test_nearly_every_opening_hand_can_place_a_card(seed):
    """Section 5: else a start would be dead. Of hands of four at most 2 % may be, of larger ones fewer."""
    assert dead_share(of_level(seed, 1), 4) <= 0.02
    assert dead_share(of_level(seed, 1), 5) <= 0.004


def test_the_share_of_dead_openings_is_what_random_hands_come_to():
    cards, chance = of_level(DEFAULT_SEED, 1)[6:], random.Random(3)
    dead = mean(not can_place_by_discarding(chance.sample(cards, 4)) for _ in range(4000))
    share = dead_share(cards, 4)
    assert 0.02 < share < 0.9
    assert abs(dead - share) < 5 * (share * (1 - share) / 4000) ** 0.5


# The way to a spire


def cathedrals(seed, spire, cards):
    """Cathedrals of so many cards with a place for the spire: the best we find for each choice of Level III
    cards under and beside it."""
    (colour,) = [colour for colour in range(3) if spire.cost[colour]]

    def best(level, number, taken):
        free = [card for card in of_level(seed, level) if card not in taken]
        return sorted(free, key=lambda card: -card.centre[colour])[:number]

    helpful = {
        side: [card for card in of_level(seed, 3) if side in card.arrows and card.local[colour]]
        for side in ("NE", "N", "NW")
    }
    for sides in (("N",), ("NE", "N"), ("N", "NW"), ("NE", "N", "NW")):
        for tops in product(*(helpful[side] for side in sides)):
            more = cards - 3 * len(tops)
            if more < 0 or len(set(tops)) < len(tops):
                continue
            seconds, firsts = best(2, len(tops), ()), best(1, len(tops) + more, ())
            stacks = [list(stack) for stack in zip(firsts, seconds, tops, strict=False)]
            rest = [[card] for card in firsts[len(tops) :]]
            yield [*stacks, *rest], sides.index("N")


def fewest_cards(seed, spire):
    """The smallest cathedral found in which the spire can be paid with local and permanent resources."""
    for cards in range(3, 20):
        for columns, place in cathedrals(seed, spire, cards):
            assert broken(columns, any_lower=False) == {}
            placed = [card for column in columns for card in column]
            help_ = free_places(columns)[place, 3]
            permanent = [sum(card.centre[colour] for card in placed) for colour in range(3)]
            if all(
                have + more >= cost for have, more, cost in zip(help_, permanent, spire.cost, strict=True)
            ):
                return len(placed)
    return None


def test_every_spire_can_be_paid_with_ten_cards_or_fewer_in_the_strict_reading(seed):
    """l25: only the cards below it and below it to the left and right reach it."""
    fewest = [fewest_cards(seed, spire) for spire in of_level(seed, 4)]
    assert len(set(fewest)) == 1, "no colour is nearer than another"
    assert 4 <= fewest[0] <= 10
