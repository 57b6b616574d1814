"""The contract of `simulator.game.Game`, held over every game of the house; nothing here names a game.

The strongest clause comes first: the referee, written apart from the compiled rules, reads the recorded
decisions and must arrive at the same events and outcomes.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import numba
import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from simulator import runner, store
from simulator.bots import BotBook, read_bots
from simulator.experiment import Experiment
from simulator.game import EVENT_KINDS, Design, Game, Plan, Played, UserError
from simulator.games import GAMES
from simulator.games import game as find_game

GOLDEN = Path(__file__).parent / "golden"
RENEW_GOLDEN = "COUNTERPOISE_RENEW_GOLDEN"

# Uncompiled, NumPy warns where whole numbers wrap, as random streams and bit searches want them to.
pytestmark = [
    pytest.mark.parametrize("name", sorted(GAMES)),
    pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning"),
]


@cache
def bot_book(name: str) -> BotBook:
    game = find_game(name)
    return read_bots(game.data / "bots.toml", game.features)


@cache
def default_design(name: str, players: int) -> Design:
    return find_game(name).read(None, {}, players)


def plan_of(
    name: str, bots: Sequence[str], games: int, *, seed: int = 1, first: int = 0, rotate: bool = False
) -> Plan:
    """Games `first` .. with these bots; with `rotate` each setup is played once in every rotation."""
    players = len(bots)
    numbers = np.arange(first, first + games, dtype=np.int64)
    setup, rotation = np.divmod(numbers, players if rotate else 1)
    seated = (np.arange(players) + rotation[:, None]) % players
    weights = np.stack([bot_book(name).row(bot) for bot in bots])
    return Plan(seed, players, numbers, setup, rotation, seated.astype(np.int64), weights)


def mixed(name: str, players: int, first: int = 0) -> list[str]:
    """So many of the game's bots, another choice for each `first`."""
    names = list(bot_book(name).bots)
    return [names[(first + seat) % len(names)] for seat in range(players)]


def player_counts(name: str) -> tuple[int, ...]:
    return find_game(name).players


# The referee


def assert_same(design: Design, game: Game, one: Played, other: Played) -> None:
    """The same games, seats and events, row for row; the first difference is shown in words."""
    if one.events or other.events:
        fixed = ("game", "turn", "step_in_turn", "round", "seat", "kind", "source", "amount")
        names = (*fixed, *game.event_columns)
        rows = [
            list(zip(*(each.events[name].tolist() for name in names), strict=True)) for each in (one, other)
        ]
        for place in range(max(map(len, rows))):
            found = [each[place] if place < len(each) else None for each in rows]
            if found[0] != found[1]:
                spoken = [
                    each and (*each[:5], game.kinds[each[5]], design.sources[each[6]].source, *each[7:])
                    for each in found
                ]
                before = rows[0][max(0, place - 3) : place]
                pytest.fail(f"event {place}: {spoken[0]} and {spoken[1]}, after {before}")
    for table in ("games", "seats"):
        columns, others = getattr(one, table), getattr(other, table)
        for name in columns.keys() | others.keys():
            assert np.array_equal(columns[name], others[name]), f"{table}.{name}"


def assert_referee_agrees(name: str, design: Design, plan: Plan) -> Played:
    game = find_game(name)
    played = game.play(design, plan, True)
    assert_same(design, game, played, game.replay(design, plan))
    return played


@pytest.mark.parametrize("round_", range(8))
def test_the_referee_reads_the_same_games_of_every_bot_and_player_count(name: str, round_: int):
    for players in player_counts(name):
        bots = mixed(name, players, round_)
        assert_referee_agrees(name, default_design(name, players), plan_of(name, bots, 2, seed=round_))


@pytest.mark.parametrize("round_", range(4))
def test_the_referee_reads_the_same_games_when_all_choose_at_random(name: str, round_: int):
    """A bot of no sense comes where no good one does; a game without it plays its default bot."""
    bot = "random" if "random" in bot_book(name).bots else bot_book(name).default
    for players in player_counts(name):
        plan = plan_of(name, [bot] * players, 2, seed=100 + round_)
        assert_referee_agrees(name, default_design(name, players), plan)


@pytest.mark.kernel
def test_the_referee_reads_the_same_game(name: str):
    players = player_counts(name)[0]
    plan = plan_of(name, mixed(name, players), 1)
    assert_referee_agrees(name, default_design(name, players), plan)


def rule_values(name: str) -> dict[str, st.SearchStrategy[Any]]:
    """For each rule value of the game's `rules.toml` that has a range or choices, any value within."""
    rules = tomllib.loads((find_game(name).data / "rules.toml").read_text(encoding="utf-8"))
    strategies = {}
    for rule, entry in rules.items():
        if isinstance(entry, dict):
            strategy = values_like(entry["value"], entry)
            if strategy is not None:
                strategies[f"rules.{rule}"] = strategy
    return strategies


def values_like(value: Any, entry: Mapping[str, Any]) -> st.SearchStrategy[Any] | None:
    """Values of the shape of this one: numbers from the range, words from the choices."""
    if isinstance(value, list):
        items = [values_like(each, entry) for each in value]
        return None if None in items else st.tuples(*items).map(list)  # type: ignore[arg-type]
    if isinstance(value, bool):
        return st.booleans()
    if isinstance(value, str):
        return st.sampled_from(entry["choices"]) if "choices" in entry else None
    return st.integers(*entry["range"]) if "range" in entry else None


def card_values(name: str) -> dict[str, int]:
    """Every whole number of the cards as the design has it, by the name of its setting."""
    found: dict[str, int] = {}

    def walk(path: str, value: Any) -> None:
        if isinstance(value, Mapping):
            for key, inner in value.items():
                walk(f"{path}.{key}", inner)
        elif type(value) is int:
            found[path] = value

    for root, cards in default_design(name, player_counts(name)[-1]).content.items():
        if isinstance(cards, list):
            for card in cards:
                walk(f"{root}.{card.get('id')}", {key: each for key, each in card.items() if key != "id"})
    return found


def readable(name: str, values: Mapping[str, Any], players: int) -> Design | None:
    """The design with these settings, None if they can't be played beside each other."""
    try:
        return find_game(name).read(None, values, players)
    except UserError:
        return None


def nearest_readable(name: str, values: Mapping[str, Any], players: int) -> Design:
    """The design with as many of these settings as can be played beside each other, so that no example is lost."""
    design = readable(name, values, players)
    if design is not None:
        return design
    fitting: dict[str, Any] = {}
    for key, value in values.items():
        if readable(name, fitting | {key: value}, players) is not None:
            fitting[key] = value
    return find_game(name).read(None, fitting, players)


quickly = settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    database=None,
    phases=(Phase.explicit, Phase.generate),  # a game is a slow example: shrinking one takes minutes
)


@quickly
@given(data=st.data())
def test_the_referee_reads_the_same_games_under_any_rule_values_in_their_ranges(name: str, data: Any):
    players = data.draw(st.sampled_from(player_counts(name)), "players")
    strategies = rule_values(name)
    changed = data.draw(st.lists(st.sampled_from(sorted(strategies)), max_size=6, unique=True), "rules")
    values = {rule: data.draw(strategies[rule], rule) for rule in changed}
    design = nearest_readable(name, values, players)
    bots = mixed(name, players, data.draw(st.integers(0, 8), "bots"))
    plan = plan_of(name, bots, 1, seed=data.draw(st.integers(0, 99), "seed"))
    assert_referee_agrees(name, design, plan)


@quickly
@given(data=st.data())
def test_the_referee_reads_the_same_games_with_any_card_values(name: str, data: Any):
    players = data.draw(st.sampled_from(player_counts(name)), "players")
    known = card_values(name)
    assume(known)
    changed = data.draw(st.lists(st.sampled_from(sorted(known)), max_size=12, unique=True), "cards")
    values = {setting: data.draw(st.integers(1, 15), setting) for setting in changed}
    design = nearest_readable(name, values, players)
    bots = mixed(name, players, data.draw(st.integers(0, 8), "bots"))
    plan = plan_of(name, bots, 1, seed=data.draw(st.integers(0, 99), "seed"))
    assert_referee_agrees(name, design, plan)


def test_another_card_value_makes_other_games(name: str):
    """Tables are arguments: a compiled rule that froze one would play on with the old value."""
    players = player_counts(name)[-1]
    plan = plan_of(name, mixed(name, players), 40)
    game = find_game(name)
    before = game.play(default_design(name, players), plan, True)
    moved = 0
    for setting, value in list(card_values(name).items())[:6]:
        design = readable(name, {setting: value + 1}, players)
        if design is not None:
            after = game.play(design, plan, True)
            same = (np.array_equal(before.events[key], after.events[key]) for key in ("source", "amount"))
            moved += not all(same)
    assert moved > 0


# What decides a game


def test_a_game_played_alone_equals_itself_in_a_batch(name: str):
    game = find_game(name)
    for players in player_counts(name):
        design = default_design(name, players)
        plan = plan_of(name, mixed(name, players, 3), 12)
        batch = game.play(design, plan, True)
        for number in (0, 5, 11):
            alone = game.play(design, plan_of(name, mixed(name, players, 3), 1, first=number), True)
            for table in ("games", "seats", "events"):
                columns = getattr(batch, table)
                rows = columns["game"] == number
                for column, values in getattr(alone, table).items():
                    assert np.array_equal(columns[column][rows], values), f"{table}.{column} of game {number}"


def test_what_is_kept_changes_no_outcome(name: str):
    game, players = find_game(name), player_counts(name)[0]
    design, plan = default_design(name, players), plan_of(name, mixed(name, players), 20)
    kept, bare = game.play(design, plan, True), game.play(design, plan, False)
    assert not bare.events
    assert_same(design, game, replace(kept, events={}), bare)


def first_offers(played: Played, number: int) -> list[tuple[int, ...]]:
    """What chance alone has offered when a game begins: turn, seat, source."""
    events = played.events
    rows = (
        (events["game"] == number) & (events["turn"] == 0) & (events["kind"] == EVENT_KINDS.index("offered"))
    )
    return list(zip(*(events[key][rows].tolist() for key in ("seat", "source")), strict=True))


def test_chance_depends_neither_on_the_bots_nor_on_the_rotation(name: str):
    game = find_game(name)
    for players in player_counts(name):
        design = default_design(name, players)
        one = game.play(design, plan_of(name, mixed(name, players, 0), 3 * players, rotate=True), True)
        other = game.play(design, plan_of(name, mixed(name, players, 4), 3 * players, rotate=True), True)
        offers = [first_offers(one, number) for number in range(3 * players)]
        assert offers == [first_offers(other, number) for number in range(3 * players)]
        for number in range(3 * players):
            assert offers[number] == offers[number - number % players]
        assert offers[0] != offers[players] or offers[0] != offers[2 * players]


def test_the_seed_and_the_game_number_make_other_games(name: str):
    game, players = find_game(name), player_counts(name)[-1]
    design, bots = default_design(name, players), mixed(name, players)
    turns = [
        game.play(design, plan_of(name, bots, 8, seed=seed), False).games["turns"].tolist() for seed in (0, 1)
    ]
    assert turns[0] != turns[1]
    assert len(set(turns[0])) > 4


def test_rows_are_the_same_bytes_whatever_the_workers_and_the_chunks(name: str, tmp_path: Path):
    players = player_counts(name)[-1]
    experiment = Experiment.of(name, games=40, players=players, bots=mixed(name, players), seed=5)

    def tables(folder: str, **how: Any) -> list[str]:
        run: store.Run = runner.run(experiment, tmp_path / folder, **how)
        keys = {"games": ["game"], "seats": ["game", "seat"], "events": ["game", "turn", "step_in_turn"]}
        return [getattr(run, table).sort(by).collect().write_csv() for table, by in keys.items()]

    whole = tables("whole", workers=1)
    assert tables("cut", workers=2, chunk=12) == whole
    assert tables("odd", workers=2, chunk=29) == whole


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_the_rules_are_compiled_once_for_all_cards_settings_and_players(name: str):
    """Another dtype, a strided array or a bare integer would compile them anew, unseen."""
    game = find_game(name)
    values = list(card_values(name))
    for players in player_counts(name):
        for keep in (True, False):
            plan = plan_of(name, mixed(name, players), 2)
            game.play(default_design(name, players), plan, keep)
        changed = readable(name, {values[0]: 3}, players) if values else None
        game.play(changed or default_design(name, players), plan, True)
    play_games = import_module(f"{GAMES[name].split(':')[0]}.kernel").play_games
    assert len(play_games.signatures) == 1


# What holds in every outcome


@cache
def batch(name: str, players: int, games: int = 60) -> Played:
    """Games of every bot with every other, in turn."""
    game, design = find_game(name), default_design(name, players)
    parts = []
    for first in range(len(bot_book(name).bots)):
        plan = plan_of(name, mixed(name, players, first), games, first=first * games)
        parts.append(game.play(design, plan, True))

    def joined(table: str) -> dict[str, np.ndarray]:
        columns = [getattr(part, table) for part in parts]
        return {key: np.concatenate([each[key] for each in columns]) for key in columns[0]}

    return Played(joined("games"), joined("seats"), joined("events"))


def events_of(name: str, players: int) -> pl.DataFrame:
    """The events in their order, kinds by name; `row` counts them."""
    played = batch(name, players)
    frame = pl.DataFrame({key: values.astype(np.int64) for key, values in played.events.items()})
    kinds = dict(enumerate(find_game(name).kinds))
    return frame.with_columns(pl.col("kind").replace_strict(kinds, return_dtype=pl.String)).with_row_index(
        "row"
    )


def seats_of(name: str, players: int) -> pl.DataFrame:
    return pl.DataFrame({key: each.astype(np.int64) for key, each in batch(name, players).seats.items()})


def games_of(name: str, players: int) -> pl.DataFrame:
    return pl.DataFrame({key: each.astype(np.int64) for key, each in batch(name, players).games.items()})


def violations(frame: pl.DataFrame, wrong: pl.Expr) -> list[dict[str, Any]]:
    return frame.filter(wrong).head(5).to_dicts()


def test_the_columns_are_those_of_the_contract(name: str):
    game = find_game(name)
    assert game.kinds == (*EVENT_KINDS, *game.own_kinds)
    for players in game.players:
        played = batch(name, players)
        assert set(played.games) == {
            "game", "rounds", "turns", "ending", "winners", "top_score", "margin", "tied_on_points",
            "tie_stage", "lead_changes",
        }  # fmt: skip
        assert set(played.seats) == {
            "game", "seat", "bot", "score", "rank", *game.seat_columns,
            *(f"score_{part}" for part in game.parts), *(f"did_{action}" for action in game.actions),
        }  # fmt: skip
        assert set(played.events) == {
            "game", "turn", "step_in_turn", "round", "seat", "kind", "source", "amount", *game.event_columns,
        }  # fmt: skip


def test_codes_seats_and_places_lie_in_their_ranges(name: str):
    game = find_game(name)
    for players in game.players:
        events = events_of(name, players).join(games_of(name, players), on="game")
        sources = len(default_design(name, players).sources)
        assert not violations(events, ~pl.col("source").is_between(0, sources - 1))
        assert not violations(events, ~pl.col("seat").is_between(-1, players - 1))
        assert not violations(events, ~pl.col("turn").is_between(0, pl.col("turns")))
        assert not violations(events, ~pl.col("round").is_between(1, pl.col("rounds")))
        games = games_of(name, players)
        assert not violations(games, ~pl.col("ending").is_between(0, len(game.endings) - 1))
        assert not violations(games, ~pl.col("tie_stage").is_between(-1, len(game.tie_stages) - 1))
        assert not violations(games, pl.col("lead_changes") < 0)
        seats = seats_of(name, players).join(games, on="game")
        did = [pl.col(f"did_{action}") for action in game.actions]
        assert not violations(seats, ~pl.all_horizontal(each.is_between(0, pl.col("turns")) for each in did))


def test_what_a_game_declares_is_told_in_sentences_and_happens(name: str):
    """A kind or column that stays empty in every game of every bot says nothing, or is not written."""
    game = find_game(name)
    for declared in (game.own_kinds, game.seat_columns, game.event_columns):
        assert all(sentence[0].isupper() and sentence.endswith(".") for sentence in declared.values())
    seen: set[str] = set()
    for players in game.players:
        events = events_of(name, players)
        seen |= set(events["kind"].unique())
        for table, columns in ((events, game.event_columns), (seats_of(name, players), game.seat_columns)):
            seen |= {column for column in columns if table[column].n_unique() > 1}
    assert seen >= {*game.own_kinds, *game.seat_columns, *game.event_columns}


def test_payments_are_those_of_what_is_paid(name: str):
    game = find_game(name)
    assert set(game.payments) <= set(game.event_columns)
    for players in game.players:
        events = events_of(name, players)
        for column in game.payments:
            assert not violations(events, pl.col(column) < 0)
            assert not violations(events, (pl.col(column) != 0) & (pl.col("kind") != "paid"))


def test_what_actions_cost_is_a_seat_column_that_never_falls_below_nothing(name: str):
    game = find_game(name)
    if game.spends:
        assert game.spends in game.seat_columns
        for players in game.players:
            assert not violations(seats_of(name, players), pl.col(game.spends) < 0)


def test_in_a_race_one_seat_scores_one_or_nobody_does(name: str):
    game = find_game(name)
    if not game.race:
        assert any(games_of(name, players)["top_score"].max() != 1 for players in game.players)
        return
    for players in game.players:
        games, seats = games_of(name, players), seats_of(name, players)
        assert not violations(seats, ~pl.col("score").is_between(0, 1))
        scored = seats.group_by("game").agg(pl.col("score").sum().alias("finished"))
        games = games.join(scored, on="game")
        assert not violations(games, pl.col("finished") > 1)
        everybody = (1 << players) - 1
        assert not violations(games, (pl.col("finished") == 0) & (pl.col("winners") != everybody))


def test_events_come_in_the_order_of_the_game(name: str):
    for players in player_counts(name):
        events = events_of(name, players)
        before = events.select(pl.all().shift(1).over("game").name.suffix("_before"))
        events = events.hstack(before)
        assert not violations(events, pl.col("turn") < pl.col("turn_before"))
        assert not violations(events, pl.col("round") < pl.col("round_before"))
        same_turn = pl.col("turn") == pl.col("turn_before")
        expected = pl.when(same_turn).then(pl.col("step_in_turn_before") + 1).otherwise(0)
        assert not violations(events, pl.col("step_in_turn") != expected)


def test_what_was_paid_to_a_seat_adds_up_to_its_score_and_so_do_the_parts(name: str):
    game = find_game(name)
    for players in game.players:
        paid = events_of(name, players).filter(pl.col("kind") == "paid").group_by("game", "seat")
        seats = seats_of(name, players).join(
            paid.agg(pl.col("amount").sum().alias("paid")), on=["game", "seat"], how="left"
        )
        assert not violations(seats, pl.col("score") != pl.col("paid").fill_null(0))
        parts = pl.sum_horizontal(f"score_{part}" for part in game.parts)
        assert not violations(seats, pl.col("score") != parts)


def test_paid_lies_within_reachable_and_reachable_within_offered(name: str):
    """A loss to another's source is no win; all else that pays was within reach and offered before.

    A source that nobody offers, such as a card of one's own hand, is never said to be offered or within reach.
    """
    for players in player_counts(name):
        sources = default_design(name, players).sources
        own = [code for code, source in enumerate(sources) if not source.offered]
        events = events_of(name, players)
        unheard = pl.col("kind").is_in(["offered", "reachable", "lapsed"])
        assert not violations(events, unheard & pl.col("source").is_in(own))
        events = events.filter(~pl.col("source").is_in(own))
        first = {
            kind: events.filter(pl.col("kind") == kind)
            .group_by("game", "source", *(["seat"] if kind == "reachable" else []))
            .agg(pl.col("row").min().alias(kind), pl.len().alias("times"))
            for kind in ("offered", "reachable")
        }
        assert first["reachable"]["times"].max() == 1, "first time per offer and seat"
        paid = events.filter((pl.col("kind") == "paid") & (pl.col("amount") >= 0))
        paid = paid.join(first["reachable"], on=["game", "source", "seat"], how="left")
        assert not violations(paid, pl.col("reachable").is_null() | (pl.col("reachable") > pl.col("row")))
        reached = events.filter(pl.col("kind") == "reachable")
        reached = reached.join(first["offered"], on=["game", "source"], how="left")
        assert not violations(reached, pl.col("offered").is_null() | (pl.col("offered") > pl.col("row")))


def test_a_source_lapses_only_after_its_offer_and_is_not_won_afterwards(name: str):
    for players in player_counts(name):
        events = events_of(name, players)
        lapsed = events.filter(pl.col("kind") == "lapsed").group_by("game", "source")
        lapsed = lapsed.agg(pl.col("row").min().alias("lapsed"))
        seen = events.join(lapsed, on=["game", "source"])
        offered = seen.filter(pl.col("kind") == "offered")["source", "game"].unique()
        assert offered.height == lapsed.height
        late = pl.col("kind").is_in(["offered", "reachable", "paid"]) & (pl.col("row") > pl.col("lapsed"))
        assert not violations(seen, late & (pl.col("amount") >= 0))


def test_a_track_only_climbs_within_a_round(name: str):
    for players in player_counts(name):
        steps = events_of(name, players).filter(pl.col("kind") == "step")
        before = pl.col("amount").shift(1).over("game", "seat", "source", "round")
        assert steps.height > 0
        assert not violations(steps, pl.col("amount") <= before)


def test_ranks_winners_and_margins_follow_from_the_scores(name: str):
    for players in player_counts(name):
        games, seats = games_of(name, players), seats_of(name, players)
        for row, seated in zip(
            games.to_dicts(), seats.partition_by("game", maintain_order=True), strict=True
        ):
            assert seated["game"][0] == row["game"]
            scores, ranks = seated["score"].to_list(), seated["rank"].to_list()
            top = sorted(scores, reverse=True)
            winners = [seat for seat in range(players) if row["winners"] >> seat & 1]
            assert winners == [seat for seat in range(players) if ranks[seat] == 1]
            assert row["top_score"] == top[0] == max(scores[seat] for seat in winners)
            assert all(scores[seat] == top[0] for seat in winners)
            tied = scores.count(top[0])
            assert row["tied_on_points"] == tied
            assert row["margin"] == (0 if tied > 1 else top[0] - top[1])
            assert (row["tie_stage"] == 0) == (tied == 1)
            assert (row["tie_stage"] == -1) == (len(winners) > 1)
            # A rank is one more than the number of better seats, and no seat with fewer points is better.
            for one in range(players):
                assert ranks[one] == 1 + sum(ranks[other] < ranks[one] for other in range(players))
                for other in range(players):
                    assert ranks[one] < ranks[other] or scores[one] <= scores[other]


def test_the_lead_changes_are_those_that_the_payments_tell(name: str):
    """A lead is looked at after each turn and at the end; a shared one is nobody's."""
    for players in player_counts(name):
        events = events_of(name, players).filter(pl.col("kind") == "paid")
        games = {row["game"]: row for row in games_of(name, players).to_dicts()}
        for (number,), paid in events.group_by("game", maintain_order=True):
            scores = [0] * players
            leaders: list[int] = []
            rows = list(zip(paid["turn"], paid["seat"], paid["amount"], strict=True))
            for (turn, seat, amount), following in pairwise([*rows, (None, 0, 0)]):
                scores[seat] += amount
                top = [each for each in range(players) if scores[each] == max(scores)]
                if following[0] != turn and len(top) == 1 and leaders[-1:] != top:
                    leaders += top
            assert games[number]["lead_changes"] == max(0, len(leaders) - 1)


# A game as it is told


def test_the_golden_game_is_told_as_before(name: str):
    game, players = find_game(name), player_counts(name)[0]
    bots = mixed(name, players)
    told = game.narrate(default_design(name, players), plan_of(name, bots, 1), bots)
    file = GOLDEN / f"{name}.md"
    if os.environ.get(RENEW_GOLDEN):
        file.write_text(told, encoding="utf-8")
    before = file.read_text(encoding="utf-8") if file.is_file() else ""
    assert told == before, (
        f"the game told in {file.name} has changed; if it should have, renew it with "
        f"{RENEW_GOLDEN}=1 pytest {Path(__file__).name} -k golden, and read the difference"
    )
