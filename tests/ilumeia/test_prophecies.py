"""The reconstructed prophecies and providence cards: what the rulebook demands, and that they can be won."""

from __future__ import annotations

import filecmp
from collections import Counter
from math import comb

import pytest

from simulator.games.ilumeia.files import read_set
from simulator.games.ilumeia.measure import measure
from simulator.games.ilumeia.model import METRICS, N_MODIFIERS, Planet, Reward, Target, Trigger, Verb
from simulator.games.ilumeia.prophecies import PILE, build_set
from simulator.games.ilumeia.rows import rows_of_hands, wide_rows
from simulator.games.ilumeia.star_cards import DATA

SEED = 1
"""The seed of the default set."""


@pytest.fixture(scope="module")
def default():
    return read_set(None, {})


@pytest.fixture(scope="module")
def effects(default):
    return [card.effect for card in default.prophecies if card.effect is not None]


@pytest.fixture(scope="module")
def rows(default):
    """Constellations other than those by which the cards were tuned."""
    return rows_of_hands(default.star_cards, SEED + 1000, 1500)


def test_the_default_files_are_what_the_builder_writes(tmp_path):
    build_set(SEED, tmp_path)
    for name in ("star_cards.csv", "prophecies.toml", "providence.toml", "rules.toml"):
        assert filecmp.cmp(tmp_path / name, DATA / name, shallow=False), name


def test_another_seed_gives_a_playable_set_with_other_numbers(tmp_path, default):
    build_set(2, tmp_path)
    other = read_set(tmp_path, {})
    assert [card.id for card in other.prophecies] == [card.id for card in default.prophecies]
    assert {card.condition.text for card in other.prophecies} != {
        card.condition.text for card in default.prophecies
    }
    assert len(other.reconstructed) == 4


def test_every_planet_has_all_four_types_in_its_own_proportion(default):
    proportions = [
        tuple(
            Counter(card.reward for card in default.prophecies if card.planet == planet)[reward]
            for reward in Reward
        )
        for planet in Planet
    ]
    assert all(min(proportion) >= 1 and sum(proportion) == 10 for proportion in proportions)
    assert len(set(proportions)) == 5


def test_the_two_cards_that_the_rulebook_names_do_what_it_says(default):
    cards = {card.name: card for card in default.prophecies}
    freedom, fear = cards["Guardian of Freedom"], cards["They Will Fear You"]
    assert (freedom.planet, freedom.reward) == (Planet.BRAECK, Reward.ONE_TIME)
    assert (freedom.effect.verb, freedom.effect.amount) == (Verb.RELAX_BNEPH, 1)
    assert fear.effect.verb == Verb.TAKE_GREY


def test_the_conditions_together_use_every_metric_and_every_form(default):
    conditions = [card.condition for card in default.prophecies]
    assert {name for condition in conditions for name in condition.names} == set(METRICS)
    texts = [condition.text for condition in conditions]
    assert len(set(texts)) == 50
    for form in (" and ", " or ", "not ", " == ", " % ", " * ", " + "):
        assert any(form in text for text in texts), form


def test_effects_use_nearly_every_verb_and_every_trigger_and_target(effects):
    assert len({effect.verb for effect in effects}) >= 30
    assert {effect.trigger for effect in effects} == set(Trigger)
    assert {effect.target for effect in effects} == set(Target)
    assert len(set(effects)) == len(effects)
    for given in ("per", "count", "most", "when"):
        assert any(getattr(effect, given) is not None for effect in effects), given


def test_at_least_sixteen_effects_move_something_other_than_victory_points(effects):
    vp = {Verb.GAIN_VP, Verb.LOSE_VP, Verb.STEAL_VP}
    assert len({effect.verb for effect in effects} - vp) >= 16
    assert any(effect.verb < N_MODIFIERS for effect in effects)


def test_cards_out_of_solo_mode_need_other_deities(default):
    of_others = {Trigger.OTHER_CREATES, Trigger.OTHER_WINS, Trigger.OTHER_CLAIMS}
    for card in default.prophecies:
        if card.solo_removed:
            effect = card.effect
            behind = effect.per is not None and "behind" in effect.per.names
            assert effect.trigger in of_others or effect.target != Target.SELF or behind, card.id


def test_every_prophecy_can_be_won_in_play_and_not_by_every_constellation(default, rows):
    shares = {
        card.id: sum(card.condition.value(row) != 0 for row in rows) / len(rows)
        for card in default.prophecies
    }
    assert {id: share for id, share in shares.items() if not 0.005 <= share <= 0.4} == {}
    assert sum(share >= 0.03 for share in shares.values()) >= 42


def test_harder_prophecies_are_worth_more(default, rows):
    instant = [card for card in default.prophecies if card.reward == Reward.INSTANT]
    share = {card.id: sum(card.condition.value(row) != 0 for row in rows) / len(rows) for card in instant}
    for card in instant:
        for other in instant:
            if share[card.id] > 2 * share[other.id]:
                assert card.vp < other.vp, (card.id, other.id)


def test_providence_is_uncertain_for_a_typical_pile(default):
    measured = [measure(default.star_cards, [name]) for name in default.star_cards]
    for card in default.providence:
        fulfilling = sum(card.cards.value(each) != 0 for each in measured)
        ways = sum(
            comb(fulfilling, found) * comb(216 - fulfilling, PILE - found)
            for found in range(card.at_least, PILE + 1)
        )
        assert 0.3 <= ways / comb(216, PILE) <= 0.6, card.id
    assert len({card.cards.text for card in default.providence}) == 12


# Random rows


def test_random_rows_are_legal_and_the_same_for_the_same_seed(default):
    typical = rows_of_hands(default.star_cards, 5, 60)
    wide = list(wide_rows(default.star_cards, 5, 60))
    assert all(row["legal"] for row in [*typical, *wide])
    assert {row["cards"] for row in typical} <= {3, 4, 5, 6}
    assert max(row["cards"] for row in wide) == 10
    assert rows_of_hands(default.star_cards, 5, 60) == typical
    assert list(wide_rows(default.star_cards, 5, 60)) == wide
    assert rows_of_hands(default.star_cards, 6, 60) != typical


def test_wide_rows_reach_further_than_typical_ones(default, rows):
    wide = list(wide_rows(default.star_cards, 1, 1500))
    for metric in ("stars", "flames", "comets_enclosed", "diagonals", "areas", "middle"):
        assert max(row[metric] for row in wide) > max(row[metric] for row in rows), metric
    assert max(row["stars"] for row in wide) >= 60  # rows drawn without a direction come to 56
