"""Strength of sources: by hand, by a naive twin, and where the truth is planted."""

from collections import defaultdict
from typing import Any

import numpy as np
import polars as pl
import pytest

from analysis import strength

SEATS = 4


def catalogue(sources: dict[str, str]) -> pl.LazyFrame:
    return pl.LazyFrame({"source": list(sources), "group": list(sources.values()), "kind": "card"})


def by_hand(
    events: list[tuple[int, int, int, str, str, int]],
    wins: list[int],
    sources: dict[str, str],
    kinds: tuple[str, ...] = ("paid",),
    race: bool = False,
) -> pl.DataFrame:
    """Games of two seats with one bot; events are (game, round, seat, kind, source, amount)."""
    return of_two_seats(events, wins, catalogue(sources), kinds, race)["source"]


def of_two_seats(
    events: list[tuple[int, int, int, str, str, int]],
    wins: list[int],
    known: pl.LazyFrame,
    kinds: tuple[str, ...] = ("paid",),
    race: bool = False,
) -> dict[str, pl.DataFrame]:
    names = ["game", "round", "seat", "kind", "source", "amount"]
    games = range(len(wins))
    return strength.strength_tables(
        pl.LazyFrame(events, schema=names, orient="row"),
        pl.LazyFrame({"game": games, "setup": games, "rounds": 9}),
        pl.LazyFrame(
            {
                "game": [game for game in games for _ in range(2)],
                "seat": [0, 1] * len(wins),
                "bot": "ann",
                "win_share": [float(seat == winner) for winner in wins for seat in (0, 1)],
            }
        ),
        known,
        kinds,
        race,
    )


def rows_of(found: pl.DataFrame) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["kind"], row["source"]): row for row in found.to_dicts()}


def test_a_source_is_compared_with_all_of_the_same_kind_seat_and_round() -> None:
    events = [
        (0, 1, 0, "paid", "a", 0), (1, 1, 0, "paid", "a", 0), (2, 1, 0, "paid", "b", 0), (3, 1, 0, "paid", "b", 0),
        (0, 2, 0, "paid", "b", 0), (3, 1, 1, "paid", "a", 0),
    ]  # fmt: skip
    rows = rows_of(by_hand(events, [0, 1, 0, 1], {"a": "x", "b": "x"}))
    # Seat 0 in round 1: wins of games 0 and 2 of four, so 0.5; the other two strata have one event each.
    assert rows["paid", "a"]["win_share"] == pytest.approx(2 / 3)
    assert rows["paid", "a"]["expected"] == pytest.approx((0.5 + 0.5 + 1) / 3)
    assert rows["paid", "a"]["difference"] == pytest.approx(0)
    assert rows["paid", "b"]["win_share"] == pytest.approx(2 / 3)
    assert rows["paid", "b"]["win_share_n"] == 3


def test_a_seat_counts_once_at_its_first_time_and_never_for_a_loss_or_for_nobody() -> None:
    events = [
        (0, 1, 0, "paid", "a", 2), (0, 5, 0, "paid", "a", 2), (1, 1, 0, "paid", "b", 0), (1, 2, 1, "paid", "a", -1),
        (0, 1, -1, "paid", "b", 0), (0, 1, 1, "offered", "b", 0),
    ]  # fmt: skip
    rows = rows_of(by_hand(events, [0, 1], {"a": "x", "b": "x"}))
    assert (rows["paid", "a"]["win_share_n"], rows["paid", "b"]["win_share_n"]) == (1, 1)
    assert rows["paid", "a"]["expected"] == 0.5, "of its first time, in round 1, not of round 5"


def test_kinds_are_told_apart_and_one_alone_is_compared_with_nothing() -> None:
    events = [(0, 1, 0, kind, source, 0) for kind in ("paid", "drawn") for source in ("a", "b")]
    events += [(0, 1, 0, "used", "a", 0)]
    found = by_hand(events, [0], {"a": "x", "b": "x"}, ("paid", "drawn", "used"))
    assert found.select("kind", "source").rows() == [
        ("paid", "a"), ("paid", "b"), ("drawn", "a"), ("drawn", "b"),
    ]  # fmt: skip


def test_the_finish_of_a_race_is_no_strength() -> None:
    events = [(0, 1, 0, "paid", "a", 0), (0, 1, 1, "paid", "b", 0), (0, 2, 0, "paid", "spire", 1)]
    sources = {"a": "x", "b": "x", "spire": "y"}
    assert by_hand(events, [0], sources, race=True)["source"].sort().to_list() == ["a", "b"]
    assert by_hand(events, [0], sources)["source"].sort().to_list() == ["a", "b", "spire"]


def test_within_its_group_a_source_meets_its_own_group_alone() -> None:
    events = [
        (0, 1, 0, "paid", "a", 0), (1, 1, 0, "paid", "b", 0), (2, 1, 0, "paid", "c", 0), (3, 1, 0, "paid", "c", 0),
    ]  # fmt: skip
    rows = rows_of(by_hand(events, [0, 1, 1, 1], {"a": "x", "b": "x", "c": "y"}))
    assert (rows["paid", "a"]["difference"], rows["paid", "a"]["in_group"]) == (0.75, 0.5)
    assert (rows["paid", "c"]["difference"], rows["paid", "c"]["in_group"]) == (-0.25, None)


def test_without_any_such_event_there_are_no_rows() -> None:
    assert by_hand([(0, 1, -1, "offered", "a", 0)], [0], {"a": "x", "b": "x"}).is_empty()


def simulated(
    rng: np.random.Generator,
    games: int,
    effect: float = 0.0,
    skill: float = 0.0,
    cards: int = 20,
    setup_size: int = 1,
) -> tuple[pl.LazyFrame, pl.LazyFrame, pl.LazyFrame]:
    """Games of four seats that draw 5 cards each; the odds of a win are those of the seat's bot and cards.

    Card c0 multiplies the odds by 1 + `effect`. Bots `strong`, at two seats of four, have odds 1 + `skill`, and
    like c1, which does nothing. The seats of a setup all have the same cards in each of its games.
    """
    setup = np.arange(games) // setup_size
    strong = rng.random((games, SEATS)) < 0.5
    taste = rng.random((setup[-1] + 1, SEATS, cards))[setup]
    taste[..., 1] += 0.6 * strong * (skill > 0)
    held = np.argsort(-taste, axis=2)[..., :5]
    odds = (1 + skill * strong) * (1 + effect * (held == 0).any(axis=2))
    luck = rng.random((games, 1)) * odds.sum(axis=1, keepdims=True)
    winner = (odds.cumsum(axis=1) < luck).sum(axis=1)
    game, seat, _ = np.indices(held.shape)
    rounds = rng.integers(1, 5, held.shape)
    events = pl.LazyFrame(
        {
            "game": game.ravel(),
            "round": rounds.ravel(),
            "seat": seat.ravel(),
            "kind": "drawn",
            "source": np.char.add("c", held.ravel().astype(str)).tolist(),
            "amount": 0,
        }
    )
    table = pl.LazyFrame({"game": np.arange(games), "setup": setup, "rounds": 4})
    at, place = np.indices(strong.shape)
    seats = pl.LazyFrame(
        {
            "game": at.ravel(),
            "seat": place.ravel(),
            "bot": np.where(strong, "strong", "weak").ravel(),
            "win_share": (winner[:, None] == np.arange(SEATS)).astype(float).ravel(),
        }
    )
    return events, table, seats


CARDS = catalogue({f"c{card}": "card" for card in range(20)})


def measured(run: tuple[pl.LazyFrame, pl.LazyFrame, pl.LazyFrame]) -> dict[str, dict[str, Any]]:
    found = strength.strength_tables(*run, CARDS, ("drawn",), race=False)["source"]
    return {row["source"]: row for row in found.to_dicts()}


def test_a_card_that_strong_players_like_is_not_strong() -> None:
    rows = measured(simulated(np.random.default_rng(5), 6000, skill=2.0))
    liked = rows["c1"]
    assert liked["win_share_low"] > 0.25 + 0.02, "its holders do win more"
    assert liked["difference_low"] < 0 < liked["difference_high"]
    assert liked["stands_out"] is None


def test_a_card_that_wins_games_is_found_among_all_others() -> None:
    rows = measured(simulated(np.random.default_rng(6), 6000, effect=0.5, skill=2.0))
    assert rows["c0"]["stands_out"] == "above"
    assert sum(row["stands_out"] is not None for row in rows.values()) <= 3
    assert max(rows.values(), key=lambda row: row["difference"])["source"] == "c0"


def test_a_harmful_card_stands_out_below() -> None:
    rows = measured(simulated(np.random.default_rng(7), 6000, effect=-0.5))
    assert rows["c0"]["stands_out"] == "below"
    assert list(rows)[-1] == "c0", "the lowest stands last"


@pytest.mark.parametrize("setup_size", [1, 4])
def test_the_interval_covers_no_effect_as_promised_and_screening_is_quiet(setup_size: int) -> None:
    covered, alarms, runs = 0, 0, 60
    for seed in range(runs):
        run = simulated(np.random.default_rng(100 + seed), 400, skill=1.0, setup_size=setup_size)
        rows = measured(run).values()
        covered += sum(row["difference_low"] <= 0 <= row["difference_high"] for row in rows)
        alarms += any(row["stands_out"] for row in rows)
    assert 0.935 <= covered / (20 * runs) <= 0.99, "a little too wide, never too narrow"
    assert alarms / runs <= 0.12


def test_rare_cards_of_few_games_seldom_stand_out_by_chance() -> None:
    names = {f"c{card}": "card" for card in range(120)}
    alarms, runs = 0, 40
    for seed in range(runs):
        run = simulated(np.random.default_rng(500 + seed), 60, cards=120, setup_size=3)
        found = strength.strength_tables(*run, catalogue(names), ("drawn",), race=False)["source"]
        alarms += found["stands_out"].count() > 0
    assert alarms / runs <= 0.12


def test_what_nearly_every_seat_had_is_not_compared() -> None:
    events = [(game, 1, seat, "paid", "all", 1) for game in range(20) for seat in (0, 1)]
    events += [(game, 1, game % 2, "paid", "some", 1) for game in range(20)]
    events += [(game, 2, 0, "paid", "other", 1) for game in range(5)]
    found = by_hand(events, [game % 2 for game in range(20)], {"all": "x", "some": "x", "other": "x"})
    assert sorted(found["source"].to_list()) == ["other", "some"]


def test_the_best_of_cards_that_do_nothing_is_drawn_back_to_them() -> None:
    errors = {"difference": 0.0, "difference_shrunk": 0.0}
    for seed in range(10):
        rows = measured(simulated(np.random.default_rng(300 + seed), 400)).values()
        for name in errors:
            errors[name] += max(row[name] for row in rows)
    assert errors["difference_shrunk"] < 0.5 * errors["difference"]


def test_a_naive_count_agrees() -> None:
    run = simulated(np.random.default_rng(8), 300, effect=0.3, skill=1.0)
    events, _, seats = (frame.collect() for frame in run)
    told = {(row["game"], row["seat"]): (row["bot"], row["win_share"]) for row in seats.to_dicts()}
    strata: dict[tuple[Any, ...], list[float]] = defaultdict(list)
    cells = []
    for row in events.to_dicts():
        bot, wins = told[row["game"], row["seat"]]
        key = (row["seat"], bot, row["round"])
        strata[key].append(wins)
        cells.append((row["source"], key, wins))
    rows = measured(run)
    for card in ("c0", "c7"):
        of_card = [(key, wins) for source, key, wins in cells if source == card]
        above = [wins - np.mean(strata[key]) for key, wins in of_card]
        assert rows[card]["win_share_n"] == len(of_card)
        assert rows[card]["difference"] == pytest.approx(np.mean(above))


def test_batches_change_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    run = simulated(np.random.default_rng(9), 400, effect=0.3, setup_size=2)
    whole = measured(run)
    monkeypatch.setattr(strength, "BATCH", 64)
    for source, row in measured(run).items():
        assert row == pytest.approx(whole[source], abs=1e-12)


def test_a_sort_of_source_is_compared_with_all_of_its_group() -> None:
    """Two cards of a level are marked; of the seats that hold one, fewer win."""
    rng = np.random.default_rng(4)
    sources = {f"card.{n}": ("marked" if n < 2 else "plain") for n in range(6)}
    events, wins = [], []
    for game in range(3000):
        mine, other = rng.choice(6, 2, replace=False)
        events += [(game, 1, 0, "paid", f"card.{mine}", 0), (game, 1, 1, "paid", f"card.{other}", 0)]
        chance = 0.5 - 0.1 * (mine < 2) + 0.1 * (other < 2)
        wins.append(0 if rng.random() < chance else 1)
    known = pl.LazyFrame({"source": list(sources), "group": "level", "kind": list(sources.values())})
    found = of_two_seats(events, wins, known)["sort"]
    marked, plain = found.sort("sort").to_dicts()
    assert (marked["sort"], plain["sort"]) == ("marked", "plain")
    # A third of the cards are marked: they lie two thirds of the planted 0.1 below, the others one third above;
    # a marked card never meets itself, so that the planted gap widens a little.
    assert marked["in_group_low"] < -0.08 < marked["in_group_high"]
    assert plain["in_group_low"] < 0.04 < plain["in_group_high"]
    assert marked["win_share_n"] + plain["win_share_n"] == 6000


def test_groups_of_one_sort_have_no_sorts() -> None:
    events = [(0, 1, 0, "paid", "a", 0), (0, 1, 1, "paid", "b", 0)]
    names = ["game", "round", "seat", "kind", "source", "amount"]
    found = strength.strength_tables(
        pl.LazyFrame(events, schema=names, orient="row"),
        pl.LazyFrame({"game": [0], "setup": [0], "rounds": 9}),
        pl.LazyFrame({"game": [0, 0], "seat": [0, 1], "bot": "ann", "win_share": [1.0, 0.0]}),
        catalogue({"a": "x", "b": "x"}),
        ("paid",),
        False,
    )["sort"]
    assert found.height == 0
