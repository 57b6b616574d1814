"""Ties, win shares, parts of the score and length, by hand."""

import numpy as np
import polars as pl
import pytest

from analysis import seats, ties
from analysis.intervals import wilson

STAGES = ("points", "cards", "a draw of lots")


def games(tied: list[int], stage: list[int], margin: list[int], top: int = 10) -> pl.LazyFrame:
    numbers = range(len(tied))
    return pl.LazyFrame(
        {
            "game": numbers,
            "setup": numbers,
            "players": 2,
            "tied_on_points": tied,
            "tie_stage": stage,
            "margin": margin,
            "top_score": top,
        }
    )


def two_seats(scores: list[tuple[int, int]], shares: list[float]) -> tuple[pl.LazyFrame, pl.LazyFrame]:
    """Games of two seats in setups of two; bots change seats in each second game."""
    numbers = range(len(scores))
    table = pl.LazyFrame({"game": numbers, "setup": [number // 2 for number in numbers], "players": 2})
    rows = [
        (
            game,
            seat,
            "ann" if (game + seat) % 2 == 0 else "bob",
            scores[game][seat],
            1,
            share,
            scores[game][seat] - 1,
            1,
        )
        for game in numbers
        for seat, share in enumerate((shares[game], 1 - shares[game]))
    ]
    names = ["game", "seat", "bot", "score", "rank", "win_share", "score_cards", "score_bonus"]
    return pl.LazyFrame(rows, schema=names, orient="row"), table


def test_ties_are_told_by_what_decided_them() -> None:
    table = games([1, 1, 2, 2], [0, 0, 1, -1], [4, 1, 0, 0])
    found = dict(ties.tie_shares(table, STAGES).select("outcome", "share").iter_rows())
    assert found == {
        "decided on points": 0.5,
        "tied on points": 0.5,
        "decided by cards": 0.25,
        "decided by a draw of lots": 0.0,
        "shared": 0.25,
    }


def test_a_tie_break_without_a_name_is_still_counted() -> None:
    found = ties.tie_shares(games([2], [2], [0]))
    assert found.filter(stage=2).row(0, named=True)["outcome"] == "decided by tie-break 2"


def test_near_ties_hold_the_nearer_ones() -> None:
    found = ties.near_ties(games([1, 1, 2, 1], [0] * 4, [1, 7, 0, 30]))
    assert dict(found.select("margin", "share").iter_rows()) == {
        0: 0.25,
        1: 0.5,
        2: 0.5,
        3: 0.5,
        5: 0.5,
        10: 0.75,
    }


def test_margins_are_shares_of_all_games_and_the_last_is_open() -> None:
    found = ties.margins(games([1, 1, 1, 1], [0] * 4, [1, 1, 20, 35]))
    assert found["share"].sum() == 1.0
    assert found.row(-1, named=True)["label"] == "20+"
    assert found.row(-1, named=True)["share"] == 0.5


def test_drawn_games_of_a_race_are_told_by_ending() -> None:
    endings = ["spire", "spire", "stalemate", "turn_limit", "spire", "stalemate", "spire", "spire"]
    stages = [0 if ending == "spire" else -1 for ending in endings]
    found = ties.drawn(games([1] * 8, stages, [1] * 8).with_columns(ending=pl.Series(endings)))
    assert found.select("ending", "share", "share_n").rows() == [
        (None, 3 / 8, 8), ("stalemate", 2 / 8, 8), ("turn_limit", 1 / 8, 8),
    ]  # fmt: skip


def test_a_race_that_was_always_won_is_bounded_by_the_rule_of_three() -> None:
    found = ties.drawn(games([1] * 60, [0] * 60, [1] * 60).with_columns(ending=pl.lit("spire")))
    assert found.select("players", "ending", "share", "share_high").rows() == [(2, None, 0.0, 0.05)]


def test_a_shared_win_counts_half_for_each() -> None:
    places, table = two_seats([(3, 3), (5, 1), (2, 9), (4, 1)], [0.5, 1.0, 0.0, 1.0])
    found = seats.results(places, table)
    assert found["win_share"].to_list() == [0.625, 0.375]
    assert found["fair"].to_list() == [0.5, 0.5]
    assert found["win_share_n"].to_list() == [4, 4]


def test_rotations_of_a_setup_are_one_unit() -> None:
    # Within each setup both seats win once with 3 points to 1: no variance between setups, however many games.
    places, table = two_seats([(3, 1), (1, 3)] * 6, [1.0, 0.0] * 6)
    by_seat, by_bot = seats.results(places, table), seats.results(places, table, ("bot",))
    row = by_seat.row(0, named=True)
    assert row["score_low"] == row["score"] == row["score_high"] == 2
    # A share of the win without variance is one of as many games as there are setups.
    assert (row["win_share_low"], row["win_share_high"]) == pytest.approx(tuple(map(float, wilson(3, 6))))
    assert by_bot.filter(bot="ann")["win_share"].item() == 1.0


def test_the_parts_of_the_score_add_up_to_all_of_it() -> None:
    places, table = two_seats([(3, 3), (5, 1), (2, 9), (4, 1)], [0.5, 1.0, 0.0, 1.0])
    found = seats.score_parts(places, table, ("bot",))
    assert found.group_by("bot").agg(pl.col("share").sum())["share"].to_list() == pytest.approx([1.0, 1.0])
    cards = found.filter(bot="ann", part="cards").row(0, named=True)
    assert (cards["mean"], cards["n"]) == (((3 + 1 + 2 + 1) - 4) / 4, 4)


def test_the_share_of_a_part_has_bounds_between_0_and_1_unless_points_are_lost_in_it() -> None:
    places, table = two_seats([(30, 1), (1, 1), (1, 1), (1, 2)], [1.0, 0.5, 0.5, 0.0])
    share = pl.col("share_low").min() < 0, pl.col("share_high").max() > 1
    assert seats.score_parts(places, table).select(*share).row(0) == (False, False)
    lost = places.with_columns(score_cards=pl.col("score_cards") - 9, score=pl.col("score") - 9)
    assert True in seats.score_parts(lost, table).select(*share).row(0)


def test_points_per_energy_are_of_all_energy_and_not_a_mean_of_seats() -> None:
    places, table = two_seats([(3, 3), (5, 1)], [0.5, 1.0])
    places = places.with_columns(
        energy=pl.when(pl.col("bot") == "ann").then(pl.col("game") * 3 + 1).otherwise(2)
    )
    found = {row["bot"]: row for row in seats.spending(places, table, "energy").to_dicts()}
    assert (found["ann"]["spent"], found["ann"]["per_spent"], found["ann"]["per_spent_n"]) == (2.5, 4 / 5, 5)
    assert found[None]["per_spent"] == pytest.approx(12 / 9)
    parts = seats.score_parts(places, table, ("bot",), "energy")
    assert parts.filter(bot="ann")["per_spent"].sum() == pytest.approx(4 / 5)
    assert "per_spent" not in seats.score_parts(places, table).columns


def test_a_race_without_parts_has_none() -> None:
    places, table = two_seats([(1, 0), (0, 1)], [1.0, 0.0])
    assert seats.score_parts(places.drop("score_cards", "score_bonus"), table).is_empty()


def test_quantiles_are_scores_that_occurred() -> None:
    places, table = two_seats([(3, 3), (3, 100)], [0.0, 0.0])
    row = seats.score_spread(places, table).row(0, named=True)
    assert (row["least"], row["q05"], row["q50"], row["q95"], row["most"]) == (3, 3, 3, 100, 100)


def test_where_nobody_wins_alone_the_winners_own_turns_are_null() -> None:
    places, table = two_seats([(1, 1), (2, 2)], [0.5, 0.5])
    found = seats.lengths(table.with_columns(turns=pl.lit(5), rounds=pl.lit(3)), places)
    row = found.filter(length="own turns of the winner").row(0, named=True)
    assert {row[name] for name in ("mean", "mean_low", "least", "q05", "q50_high", "most")} == {None}
    assert found.filter(length="turns")["q50"].to_list() == [5]


def test_length_and_endings_are_of_all_games() -> None:
    table = pl.LazyFrame(
        {
            "game": [0, 1, 2],
            "setup": [0, 1, 2],
            "turns": [8, 8, 14],
            "rounds": [2, 2, 3],
            "ending": ["a", "b", "a"],
        }
    )
    found = {row["length"]: row for row in seats.lengths(table).to_dicts()}
    assert (found["turns"]["mean"], found["turns"]["most"], found["rounds"]["q50"]) == (10.0, 14.0, 2.0)
    assert seats.turn_distribution(table).rows() == [(8, 2, 2 / 3), (14, 1, 1 / 3)]
    assert dict(seats.endings(table).select("ending", "share").iter_rows()) == {"a": 2 / 3, "b": 1 / 3}


def test_an_ending_that_never_came_stands_there_with_its_bound() -> None:
    table = pl.LazyFrame({"game": range(100), "setup": range(100), "ending": ["a"] * 100})
    found = seats.endings(table, ("b", "a"))
    assert found.select("ending", "share", "share_high").rows() == [("b", 0.0, 0.03), ("a", 1.0, 1.0)]


def raced(
    winners: list[int | None], turns: list[int], endings: list[str]
) -> tuple[pl.LazyFrame, pl.LazyFrame]:
    """Games of three seats, each its own setup; nobody wins where the winner is None."""
    numbers = range(len(winners))
    table = pl.LazyFrame(
        {"game": numbers, "setup": numbers, "players": 3, "turns": turns, "ending": endings}
    ).with_columns(rounds=(pl.col("turns") + 2) // 3)
    rows = [
        (game, seat, 1 / 3 if winners[game] is None else float(winners[game] == seat))
        for game in numbers
        for seat in range(3)
    ]
    return table, pl.LazyFrame(rows, schema=["game", "seat", "win_share"], orient="row")


def test_the_winners_own_turns_count_from_its_first_to_its_last() -> None:
    # Seat 0 wins on turn 7, the first of round 3; seat 2 on turn 6, the last of round 2; then nobody does.
    table, places = raced([0, 2, None], [7, 6, 30], ["spire", "spire", "limit"])
    found = {row["length"]: row for row in seats.lengths(table, places).to_dicts()}
    own = found["own turns of the winner"]
    assert (own["mean"], own["mean_n"], own["least"], own["most"]) == (2.5, 2, 2.0, 3.0)
    assert found["turns"]["mean_n"] == 3


def test_own_turns_are_those_after_which_another_seat_still_had_its_turn() -> None:
    table, places = raced([1], [9], ["last_round"])
    assert seats.winners_turns(table, places).collect()["length"].to_list() == [3]


def test_lengths_are_told_by_ending() -> None:
    table, places = raced([0, 2, None], [7, 6, 30], ["spire", "spire", "limit"])
    found = seats.lengths(table, places, ("ending",)).select("ending", "length", "mean").rows()
    assert found == [
        ("limit", "turns", 30.0), ("limit", "rounds", 10.0),
        ("spire", "turns", 6.5), ("spire", "rounds", 2.5), ("spire", "own turns of the winner", 2.5),
    ]  # fmt: skip


def test_actions_are_times_and_shares_of_all_actions() -> None:
    places, table = two_seats([(3, 3), (5, 1)], [0.5, 1.0])
    did = places.with_columns(did_draw=pl.Series([6, 2, 3, 1]), did_place=pl.Series([2, 0, 3, 3]))
    whole = {row["action"]: row for row in seats.actions(did, table).to_dicts()}
    assert (whole["draw"]["mean"], whole["draw"]["share"]) == (3.0, 12 / 20)
    assert whole["place"]["share"] == 8 / 20
    by_seat = seats.actions(did, table, ("seat",)).filter(action="draw")
    assert by_seat.select("seat", "mean", "share").rows() == [(0, 4.5, 9 / 14), (1, 1.5, 3 / 6)]
    assert seats.actions(places, table).is_empty()


def test_each_tie_break_has_the_games_that_come_to_it_and_those_that_it_decides() -> None:
    table = games([1, 1, 2, 2, 2, 2], [0, 0, 1, 1, 2, -1], [4, 1, 0, 0, 0, 0])
    found = ties.tie_breaks(table, STAGES)
    assert found.select("name", "came", "came_n", "decides", "decides_n").rows() == [
        ("cards", 4 / 6, 6, 0.5, 4), ("a draw of lots", 2 / 6, 6, 0.5, 2),
    ]  # fmt: skip


def test_a_tie_break_that_no_game_came_to_decides_nothing() -> None:
    row = ties.tie_breaks(games([1, 1], [0, 0], [4, 1]), ("points", "cards")).row(0, named=True)
    assert (row["came"], row["decides"]) == (0, None)


def scored(scores: np.ndarray, bots: str, setup: int = 1) -> tuple[pl.LazyFrame, pl.LazyFrame]:
    """Seats and games from scores, shape (games, seats), with so many games a setup."""
    ordered = np.sort(scores, axis=1)
    numbers = range(scores.shape[0])
    table = pl.LazyFrame(
        {
            "game": numbers,
            "setup": [number // setup for number in numbers],
            "players": scores.shape[1],
            "margin": ordered[:, -1] - ordered[:, -2],
        }
    )
    rows = [
        (game, bots[seat], int(scores[game, seat])) for game in numbers for seat in range(scores.shape[1])
    ]
    return pl.LazyFrame(rows, schema=["game", "bot", "score"], orient="row"), table


def test_independent_scores_tie_as_often_as_they_are_said_to() -> None:
    """Sums of two dice are alike in 146/1296 of the throws; of three dice, two or more share the top in 51/216."""
    rng = np.random.default_rng(9)
    inside = []
    for _ in range(60):
        throws = rng.integers(1, 7, (300, 2, 2)).sum(axis=2)
        row = ties.independent_ties(*scored(throws, "ab")).row(0, named=True)
        inside.append(row["independent_low"] < 146 / 1296 < row["independent_high"])
        assert row["independent"] == pytest.approx(146 / 1296, abs=0.02)
    assert np.mean(inside) >= 0.9
    assert row["ratio_low"] < 1 < row["ratio_high"]
    three = ties.independent_ties(*scored(rng.integers(1, 7, (4000, 3)), "abc"))
    assert three["independent"][0] == pytest.approx(51 / 216, abs=0.006)


def test_scores_that_are_driven_apart_tie_less_often_than_independent_ones() -> None:
    rng = np.random.default_rng(9)
    first = rng.integers(1, 7, 3000)
    row = ties.independent_ties(*scored(np.stack([first, 7 - first], axis=1), "ab")).row(0, named=True)
    assert (row["share"], row["ratio"], row["ratio_low"]) == (0, None, None)
    assert row["share_high"] > 0
    assert row["independent"] == pytest.approx(1 / 6, abs=0.002)


def test_each_bot_scores_by_its_own_spread() -> None:
    # One always has 5, the other 5 or 9 alike: half of the games would be tied, mixed spreads would say 5/8.
    scores = np.array([[5, 5], [5, 9]] * 200)
    row = ties.independent_ties(*scored(scores, "ab")).row(0, named=True)
    assert (row["share"], row["independent"]) == (0.5, 0.5)


def test_a_spread_that_setups_share_is_less_sure() -> None:
    scores = np.random.default_rng(1).integers(1, 7, (100, 2))
    alone = ties.independent_ties(*scored(scores, "ab"))
    copied = ties.independent_ties(*scored(np.repeat(scores, 4, axis=0), "ab", setup=4))
    assert copied["independent"].to_list() == pytest.approx(alone["independent"].to_list())
    assert copied["independent_high"].to_list() == pytest.approx(alone["independent_high"].to_list())


def test_bots_are_ahead_by_rank_and_equal_ranks_count_half() -> None:
    rows = [
        (0, 0, "ann", 1, 1.0), (0, 1, "bob", 2, 0.0), (0, 2, "bob", 3, 0.0),
        (1, 0, "bob", 1, 0.5), (1, 1, "ann", 1, 0.5), (1, 2, "cid", 3, 0.0),
    ]  # fmt: skip
    places = pl.LazyFrame(rows, schema=["game", "seat", "bot", "rank", "win_share"], orient="row")
    table = pl.LazyFrame({"game": [0, 1], "setup": [0, 1], "players": 3})
    found = {(row["bot"], row["other"]): row for row in seats.against(places, table).to_dicts()}
    assert set(found) == {(a, b) for a in ("ann", "bob", "cid") for b in ("ann", "bob", "cid") if a != b}
    ann = found["ann", "bob"]
    assert (ann["ahead"], ann["ahead_n"], ann["difference"]) == (2.5 / 3, 3, 2 / 3)
    assert found["bob", "ann"]["ahead"] == pytest.approx(0.5 / 3)
    assert found["cid", "ann"]["difference"] == -0.5
