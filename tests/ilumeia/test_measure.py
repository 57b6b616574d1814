"""What rows of star cards measure, against two other ways of finding the same."""

import random
from functools import cache
from itertools import combinations, permutations, product
from pathlib import Path

import numpy as np
import pytest
from scipy import ndimage

from simulator.game import CardFaults, UserError
from simulator.games.ilumeia.measure import (
    METRICS,
    broken_clauses,
    cards_at,
    enclosed_areas,
    legal_rows,
    measure,
    measure_rows,
    oriented,
)
from simulator.games.ilumeia.star_cards import (
    ANCHORS,
    EDGE,
    LEVELS,
    PLACES,
    cross,
    degrees,
    line_problem,
    line_segment,
    star_card,
    transition_segment,
    transition_star,
    transitions,
    turned,
)

WITNESS = Path(__file__).parent / "fixtures" / "ilumeia_witness.csv"


@cache
def card_sets():
    """The default set, and one of wild drawings, with most of the lines that the notation allows."""
    chance = random.Random(11)
    wild = {}
    while len(wild) < 200:
        stars = chance.sample(list(PLACES), chance.randint(1, 7))
        levels = [level for level in LEVELS if transition_star(stars, "left", level)]
        sides = [chance.sample(levels, min(len(levels), chance.choice([0, 1, 1, 2]))) for _ in range(2)]
        comets = chance.sample(list(ANCHORS), chance.randint(0, 2))
        bare = star_card(f"x{len(wild)}", stars, [], [], *sides, comets)
        taken = [transition_segment(*transition) for transition in transitions(bare)]
        lines = []
        for pair in chance.sample(list(combinations(stars, 2)), len(stars) * (len(stars) - 1) // 2):
            segment = line_segment(pair)
            fits = line_problem(*pair, stars) is None and not any(cross(segment, other) for other in taken)
            if fits and chance.random() < 0.8:
                lines.append(pair)
                taken.append(segment)
        drawn = star_card(bare.id, stars, [], lines, *sides, comets)
        if any(sides) and all(degrees(drawn).values()):
            wild[drawn.id] = drawn
    return [cards_at(None), wild]


def row_of(*cards):
    """The cards by number and a row of all of them."""
    named = {str(number): card for number, card in enumerate(cards)}
    return {name: star_card(name, *drawing(card)) for name, card in named.items()}, list(named)


def drawing(card):
    return card.stars, card.flames, card.lines, card.left, card.right, card.comets


def card(stars, lines="", left="", right="", comets="", flames=""):
    """A card in the notation, without an id."""
    pairs = [tuple(line.split("-")) for line in lines.split()]
    return star_card("", stars.split(), flames.split(), pairs, left, right, comets.split())


@cache
def random_rows(count, legal, seed=0):
    """Rows of different lengths from random hands, as (cards, row): any, or legal ones only."""
    chance = random.Random(seed)
    rows = []
    while len(rows) < count:
        cards = chance.choice(card_sets())
        hand = chance.sample(list(cards), 9)
        if legal:
            found = list(legal_rows(cards, hand))
            rows += [(cards, row) for row in chance.sample(found, min(3, len(found)))]
        else:
            row = [name + chance.choice(["", "r"]) for name in hand[: chance.randint(1, 9)]]
            rows.append((cards, row))
    return rows[:count]


def all_rows():
    return [*random_rows(600, legal=True), *random_rows(200, legal=False)]


# The rulebook's examples


def test_the_witness_has_the_totals_of_the_rulebooks_constellation():
    (metrics,) = measure_rows(WITNESS, ["w1 w2 w3 w4 w5 w6 w7"])
    assert metrics == {
        "cards": 7, "stars": 29, "flames": 2, "centrals": 6, "ends": 2, "diagonals": 9, "transitions": 9,
        "comets": 4, "comets_enclosed": 2, "comets_open": 2, "areas": 3, "middle": 11, "outer": 18,
        "outer_most": 10, "outer_least": 8, "flame_diagonals": 1,
        "symmetric_horizontal": False, "symmetric_vertical": False,
        "row": "w1 w2 w3 w4 w5 w6 w7", "legal": True, "broken": [],
    }  # fmt: skip


def test_a_single_card_measures_as_the_rulebooks_example_card():
    (metrics,) = measure_rows(WITNESS, ["example"])
    wanted = {
        "stars": 5,
        "flames": 2,
        "centrals": 1,
        "ends": 1,
        "diagonals": 3,
        "transitions": 3,
        "comets": 1,
    }
    assert {name: metrics[name] for name in wanted} == wanted
    assert (metrics["legal"], metrics["broken"]) == (False, ["IL-19"])


def test_metrics_come_in_their_declared_order():
    (metrics,) = measure_rows(WITNESS, ["w1"])
    assert tuple(metrics) == (*METRICS, "row", "legal", "broken")


# Two other ways


def turned_row(row):
    return [name.removesuffix("r") if name.endswith("r") else name + "r" for name in reversed(row)]


def test_every_metric_is_the_same_when_the_whole_row_is_turned():
    for cards, row in all_rows():
        first, second = measure(cards, row), measure(cards, turned_row(row))
        assert {**first, "row": ""} == {**second, "row": ""}


def walls_of(cards, row):
    """A raster with every line of a row as a wall, one pixel a UNIT; its (0, 0) is (-EDGE - 1, -EDGE - 1)."""
    raster = np.zeros((2 * EDGE * len(row) + 3, 2 * EDGE + 3), dtype=bool)
    for number, lying in enumerate(oriented(cards, row)):
        segments = [line_segment(line) for line in lying.lines]
        segments += [transition_segment(*transition) for transition in transitions(lying)]
        for (ax, ay), (bx, by) in segments:
            steps = max(abs(bx - ax), abs(by - ay))
            for step in range(steps + 1):
                x, y = ax + (bx - ax) * step // steps, ay + (by - ay) * step // steps
                raster[x + EDGE + 1 + 2 * EDGE * number, y + EDGE + 1] = True
    return raster


def test_areas_and_enclosed_comets_equal_a_flood_fill_of_the_picture():
    seen = set()
    for cards, row in all_rows():
        regions, count = ndimage.label(~walls_of(cards, row))
        outside = regions[0, 0]
        enclosed = sum(
            regions[x + EDGE + 1 + 2 * EDGE * number, y + EDGE + 1] != outside
            for number, lying in enumerate(oriented(cards, row))
            for x, y in (ANCHORS[comet] for comet in lying.comets)
        )
        metrics = measure(cards, row)
        assert (metrics["areas"], metrics["comets_enclosed"]) == (count - 1, enclosed), row
        seen.add((count - 1, enclosed))
    assert {areas for areas, _ in seen} >= set(range(8))
    assert {enclosed for _, enclosed in seen} >= set(range(4))


def test_areas_equal_lines_less_stars_plus_parts():
    for cards, row in all_rows():
        part = {}
        lines = 0

        def root(star, part=part):
            while part[star] != star:
                star = part[star]
            return star

        lying = oriented(cards, row)
        for number, one in enumerate(lying):
            part.update({(number, star): (number, star) for star in one.stars})
        for number, one in enumerate(lying):
            ends = [((number, a), (number, b)) for a, b in one.lines]
            if number:
                west = {
                    level: star for side, level, star in transitions(lying[number - 1]) if side == "right"
                }
                east = {level: star for side, level, star in transitions(one) if side == "left"}
                ends += [
                    ((number - 1, west[level]), (number, east[level])) for level in west if level in east
                ]
            for a, b in ends:
                lines += 1
                part[root(a)] = root(b)
        parts = sum(root(star) == star for star in part)
        assert measure(cards, row)["areas"] == lines - len(part) + parts


def test_counts_of_a_legal_row_are_sums_over_its_cards():
    for cards, row in random_rows(600, legal=True):
        metrics = measure(cards, row)
        alone = [measure(cards, [name]) for name in row]
        for name in (
            "stars",
            "flames",
            "centrals",
            "ends",
            "diagonals",
            "comets",
            "middle",
            "flame_diagonals",
        ):
            assert metrics[name] == sum(one[name] for one in alone), name
        assert 2 * metrics["transitions"] == sum(one["transitions"] for one in alone)  # IL-11


# Counting


def test_an_end_star_has_one_line_and_a_transition_is_a_line():
    cards, row = row_of(card("W C E", "W-C C-E", right="m"))
    assert measure(cards, row)["ends"] == 1
    cards, row = row_of(card("W C E", "W-C C-E", left="m", right="m"))
    assert measure(cards, row)["ends"] == 0
    cards, row = row_of(card("C", right="m"))
    assert measure(cards, row)["ends"] == 1


def test_diagonals_are_lines_from_the_central_star_to_corners():
    cards, row = row_of(card("NW N C SE", "NW-N NW-C N-C C-SE", right="l"))
    assert measure(cards, row)["diagonals"] == 2


def test_flame_diagonals_end_on_a_flame_star_at_the_corner():
    cards, row = row_of(card("NW C SE", "NW-C C-SE", right="l", flames="NW C"))
    assert measure(cards, row)["flame_diagonals"] == 1


def test_outer_levels_are_told_apart_by_fuller_and_emptier_only():
    cards, row = row_of(card("NW N W SE", "NW-N NW-W W-SE N-SE", right="l"))
    for name in (*row, "0r"):
        metrics = measure(cards, [name])
        assert (metrics["outer_most"], metrics["outer_least"], metrics["middle"]) == (2, 1, 1)


def test_an_area_may_span_cards_and_a_part_inside_it_is_no_hole():
    west = card("NW SW", "NW-SW", right="ul")
    island = card("N C W S", "C-W", left="ul", right="ul")
    east = card("NE SE", "NE-SE", left="ul")
    cards, row = row_of(west, island, east)
    assert measure(cards, row)["areas"] == 1
    assert len(enclosed_areas(oriented(cards, row))) == 1


def test_a_comet_next_to_an_area_is_open():
    inside = card("NW N C", "NW-N N-C NW-C", right="m", comets="nw")
    outside = card("NW W C", "NW-W W-C NW-C", right="m", comets="nw")
    for drawn, enclosed in ((inside, 1), (outside, 0)):
        cards, row = row_of(drawn)
        metrics = measure(cards, row)
        assert (metrics["comets_enclosed"], metrics["comets_open"]) == (enclosed, 1 - enclosed)


def test_a_joint_that_matches_in_part_joins_what_matches_and_leaves_the_rest_open():
    cards, row = row_of(card("NE SE", "NE-SE", right="ul"), card("NW W", "NW-W", left="um"))
    metrics = measure(cards, row)
    assert (metrics["transitions"], metrics["areas"], metrics["broken"]) == (3, 0, ["IL-18"])


# Legality


@pytest.mark.parametrize(
    ("sides", "broken"),
    [
        ([("", "m"), ("m", "")], []),
        ([("", "um"), ("um", "ul"), ("ul", "")], []),
        ([("", "m"), ("u", "")], ["IL-18"]),
        ([("", "um"), ("m", "")], ["IL-18"]),
        ([("", ""), ("", "")], ["IL-18"]),
        ([("m", "u"), ("u", "")], ["IL-19"]),
        ([("", "u"), ("u", "m")], ["IL-19"]),
        ([("", "u")], ["IL-19"]),
        ([("u", "m"), ("u", "m")], ["IL-18", "IL-19"]),
        ([("", "m"), *[("m", "m")] * 9, ("m", "")], []),
        ([("", "m"), *[("m", "m")] * 10, ("m", "")], ["IL-22"]),
    ],
)
def test_the_clauses_that_a_row_breaks_are_named(sides, broken):
    assert broken_clauses(sides) == broken


def test_a_row_of_more_than_eleven_cards_is_measured_and_named():
    cards = cards_at(None)
    metrics = measure(cards, list(cards)[:12])
    assert metrics["cards"] == 12
    assert "IL-22" in metrics["broken"]
    assert "IL-22" not in measure(cards, list(cards)[:11])["broken"]


def test_unknown_and_repeated_ids_are_named():
    with pytest.raises(UserError, match=r"no card 'w99r' \(place 2\); the nearest id is 'w"):
        measure_rows(WITNESS, ["w1 w99r"])
    with pytest.raises(UserError, match="the nearest id is 's001'"):
        measure_rows(None, ["s1"])
    with pytest.raises(UserError, match="'w1' stands at places 1 and 3"):
        measure_rows(WITNESS, ["w1 w2 w1r"])
    with pytest.raises(UserError, match="row is empty"):
        measure_rows(WITNESS, ["  "])


def test_a_file_with_faults_is_not_measured(tmp_path):
    path = tmp_path / "star_cards.csv"
    path.write_text("id,stars,lines,left,right,comets\na,C,,m,,\nb,Q,,m,,\n", encoding="utf-8")
    with pytest.raises(CardFaults, match=r"star_cards\.csv:3: stars: unknown name 'Q'"):
        measure_rows(tmp_path, ["a"])


# Symmetry (IL-51)

ARROW = card("NW W SW", "NW-W W-SW", right="m")
PLAIN = card("W C E", "W-C C-E", left="m", right="m")


def symmetry(*cards, **options):
    found = measure(*row_of(*cards), **options)
    return found["symmetric_horizontal"], found["symmetric_vertical"]


def test_a_row_mirrored_along_the_middle_level_is_symmetric_whatever_its_flames_and_comets():
    lit = star_card("", ARROW.stars, ["NW"], ARROW.lines, "", "m", ["ne"])
    assert symmetry(lit, turned(PLAIN)) == (True, False)


def test_a_row_of_stars_on_the_middle_level_only_is_symmetric_along_it():
    assert symmetry(card("C", right="m"), PLAIN, card("C E", "C-E", left="m"))[0]


def test_stars_lines_and_transitions_all_decide_on_symmetry():
    assert not symmetry(card("NW W", "NW-W", right="m"))[0]
    assert not symmetry(card("NW W SW C", "NW-W W-SW NW-C", right="m"))[0]
    assert not symmetry(card("NW W SW", "NW-W W-SW", right="u"))[0]


def test_a_row_mirrored_in_the_middle_of_its_middle_card_is_symmetric():
    assert symmetry(ARROW, PLAIN, turned(ARROW)) == (True, True)
    slope = card("NW C", "NW-C", right="m")
    assert symmetry(slope, PLAIN, card("NE C", "C-NE", left="m")) == (False, True)
    assert symmetry(slope, PLAIN, turned(slope)) == (False, False)
    assert symmetry(ARROW, card("W C", "W-C", left="m", right="m"), turned(ARROW)) == (True, False)


def test_an_axis_between_two_cards_counts_only_where_the_rules_allow_it():
    assert symmetry(ARROW, turned(ARROW)) == (True, False)
    assert symmetry(ARROW, turned(ARROW), allow_even_axis=True) == (True, True)


# Every legal row of a hand


def naive_legal_rows(cards, hand):
    """The drawings of all legal rows, a row and its turn being one."""
    found = set()
    for length in range(1, len(hand) + 1):
        for chosen in permutations(hand, length):
            for marks in product(("", "r"), repeat=length):
                lying = oriented(cards, [name + mark for name, mark in zip(chosen, marks, strict=True)])
                if not broken_clauses([(one.left, one.right) for one in lying]):
                    found.add(min(tuple(lying), tuple(turned(one) for one in reversed(lying)), key=repr))
    return found


def test_legal_rows_are_all_there_are_each_once():
    chance = random.Random(5)
    found = longest = 0
    for _ in range(40):
        cards = chance.choice(card_sets())
        # Two cards that match each other well, as longer rows are rare in small random hands.
        matching = chance.sample([name for name in cards if cards[name].left == "m"], 2)
        hand = [*matching, *chance.sample([name for name in cards if name not in matching], 3)]
        rows = [tuple(oriented(cards, row)) for row in legal_rows(cards, hand)]
        either = [min(row, tuple(turned(one) for one in reversed(row)), key=repr) for row in rows]
        assert len(set(either)) == len(either)
        assert set(either) == naive_legal_rows(cards, hand)
        found += len(rows)
        longest = max([longest, *map(len, rows)])
    assert found > 40
    assert longest >= 4


def test_legal_rows_of_the_witness_hold_the_example():
    cards = cards_at(WITNESS)
    rows = list(legal_rows(cards, [f"w{number}" for number in range(1, 8)]))
    assert ["w1", "w2", "w3", "w4", "w5", "w6", "w7"] in rows
    assert all(row[0] == "w1" and row[-1] == "w7" for row in rows)


def test_a_card_that_looks_the_same_turned_is_never_marked():
    cards, hand = row_of(
        card("C", right="m"), PLAIN, card("W C", "W-C", left="m", right="m"), card("E", left="m")
    )
    rows = list(legal_rows(cards, hand))
    assert [row for row in rows if len(row) == 3] == [["0", "1", "3"], ["0", "2", "3"], ["0", "2r", "3"]]


def test_places_and_anchors_turn_into_each_other():
    assert {(-x, -y) for x, y in PLACES.values()} == set(PLACES.values())
    assert {(-x, -y) for x, y in ANCHORS.values()} == set(ANCHORS.values())
