"""Run folders: their columns, what a torn one says, and the check of a whole one."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from simulator import runner, store
from simulator.experiment import Experiment, prepare
from simulator.game import UserError
from tests.toss import GAME

pytestmark = pytest.mark.usefixtures("toss")

BOTS = "even,lucky,even,clumsy:noise=0.2"


@pytest.fixture
def run(tmp_path: Path) -> store.Run:
    return runner.run(Experiment.of("toss", games=40, bots=BOTS), tmp_path / "run", chunk=16)


def test_the_folder_holds_what_the_product_page_says(run: store.Run):
    files = sorted(str(file.relative_to(run.path)) for file in run.path.rglob("*") if file.is_file())
    parts = [f"{table}/part-00000{n}.parquet" for table in ("events", "games", "seats") for n in range(3)]
    assert [file.replace("\\", "/") for file in files] == [
        "catalogue.parquet",
        *parts[:3],
        "experiment.json",
        *parts[3:],
    ]


def test_columns_have_the_fixed_names_first_and_then_the_games_own(run: store.Run):
    assert run.games.collect_schema().names() == [
        "game",
        "setup",
        "rotation",
        "players",
        "rounds",
        "turns",
        "ending",
        "winners",
        "top_score",
        "margin",
        "tied_on_points",
        "tie_stage",
        "lead_changes",
    ]
    fixed = ["game", "seat", "bot", "score", "rank", "win_share"]
    assert run.seats.collect_schema().names() == [*fixed, "score_steps", "did_toss", "heads"]
    fixed = ["game", "turn", "step_in_turn", "round", "seat", "kind", "source", "amount"]
    assert run.events.collect_schema().names() == [*fixed, "cheers"]
    assert run.catalogue.collect_schema().names() == ["source", "name", "group", "kind", "text", "offered"]


def test_the_catalogue_says_which_sources_nobody_offers(run: store.Run):
    assert dict(run.catalogue.select("source", "offered").collect().iter_rows()) == {
        "prize": True,
        "track": False,
    }


def test_the_experiment_tells_what_the_game_declares(run: store.Run):
    assert run.experiment["columns"] == {
        "kinds": {"cheered": "Somebody cheered."},
        "seats": {"heads": "The heads that the seat tossed."},
        "events": {"cheers": "1 for a step, for which somebody cheers."},
    }
    assert (run.experiment["race"], run.experiment["payments"]) == (False, [])
    assert run.experiment["spends"] == "heads"


def test_what_only_explains_a_run_decides_nothing():
    options = Experiment.of("toss", games=4)
    plain = prepare(options)
    told = replace(
        plain,
        game=replace(GAME, race=True, payments=("cheers",), spends="", seat_columns={"heads": "Other."}),
    )
    assert told.record["columns"] != plain.record["columns"]
    assert told.record["fingerprint"] == plain.record["fingerprint"]


def test_a_run_from_before_games_declared_loads_as_before(run: store.Run):
    file = run.path / "catalogue.parquet"
    pl.read_parquet(file).drop("offered").write_parquet(file)
    rest = {
        key: each
        for key, each in run.experiment.items()
        if key not in ("columns", "payments", "spends", "race", "kinds", "cards")
    }
    (run.path / "experiment.json").write_text(json.dumps(rest), encoding="utf-8")
    old = store.load(run.path)
    assert old.catalogue.collect()["offered"].to_list() == [True, True]
    assert old.experiment["columns"] == {"kinds": {}, "seats": {}, "events": {}}
    assert (old.experiment["race"], old.experiment["payments"], old.experiment["spends"]) == (False, [], "")


def test_words_are_plain_strings_and_numbers_keep_their_type(run: store.Run):
    games, seats, events = (frame.collect_schema() for frame in (run.games, run.seats, run.events))
    words = [games["ending"], seats["bot"], events["kind"], events["source"]]
    assert words == [pl.String] * 4
    assert (games["game"], games["setup"], seats["win_share"]) == (pl.Int64, pl.Int64, pl.Float64)
    assert (games["winners"], events["seat"], seats["score_steps"]) == (pl.Int8, pl.Int8, pl.Int32)


def test_a_word_is_found_on_the_disk_as_in_memory(tmp_path: Path):
    # Readers skip rows by the least and greatest word of a group: by its letters, not by its place in the game.
    short = Experiment.of("toss", games=40, bots=BOTS, set={"rules.rounds": 4})
    run = runner.run(short, tmp_path / "run", chunk=4)
    for frame, column in ((run.games, "ending"), (run.seats, "bot"), (run.events, "kind")):
        words = frame.collect()[column]
        assert words.n_unique() > 1  # else there is nothing to tell apart
        for word in words.unique():
            equal, after = (
                frame.filter(test).select(pl.len()).collect().item()
                for test in (pl.col(column) == word, pl.col(column) > word)
            )
            assert (equal, after) == ((words == word).sum(), (words > word).sum())


def test_rows_tell_what_the_game_played(run: store.Run):
    prepared = prepare(Experiment.of("toss", games=40, bots=BOTS))
    plan = prepared.plan(0, 40)
    played = GAME.play(prepared.design, plan, True)
    games, seats, events = (frame.collect() for frame in (run.games, run.seats, run.events))
    assert games["game"].to_list() == list(range(40))
    assert games["setup"].to_list() == [game // 4 for game in range(40)]
    assert games["ending"].to_list() == [GAME.endings[code] for code in played.games["ending"]]
    assert games["winners"].to_list() == [int(mask).bit_count() for mask in played.games["winners"]]
    assert seats["score"].to_list() == played.seats["score"].reshape(-1).tolist()
    names = prepared.experiment.bots
    assert seats["bot"].to_list() == [names[bot] for bot in plan.bots.reshape(-1)]
    assert events["amount"].to_list() == played.events["amount"].tolist()
    assert events["kind"].to_list() == [GAME.kinds[code] for code in played.events["kind"]]


def test_a_win_is_shared_by_the_winners_alone_and_adds_up_to_one(run: store.Run):
    joined = run.seats.join(run.games, on="game").collect()
    assert set(joined["winners"]) >= {1, 2}  # else this test sees nothing
    assert np.allclose(joined.group_by("game").agg(pl.col("win_share").sum())["win_share"], 1)
    expected = pl.when(pl.col("score") == pl.col("top_score")).then(1 / pl.col("winners")).otherwise(0)
    assert joined.select((pl.col("win_share") == expected).all()).item()


def test_a_game_without_a_winner_is_refused():
    prepared = prepare(Experiment.of("toss", games=4))
    played = GAME.play(prepared.design, prepared.plan(0, 4), False)
    played.games["winners"][2] = 0
    layout = store.Layout(GAME, prepared.design.sources, prepared.experiment.bots, "games")
    with pytest.raises(ValueError, match="game 2 has no winner"):
        layout.frames(played, prepared.plan(0, 4))


def test_a_value_that_no_column_holds_is_a_bug_of_the_game_and_not_wrapped():
    prepared = prepare(Experiment.of("toss", games=4))
    played = GAME.play(prepared.design, prepared.plan(0, 4), False)
    played.games["tie_stage"][2] = 300
    layout = store.Layout(GAME, prepared.design.sources, prepared.experiment.bots, "games")
    with pytest.raises(ValueError, match=r"tie_stage.*300"):
        layout.frames(played, prepared.plan(0, 4))


@pytest.mark.parametrize(("keep", "tables"), [("games", {"games"}), ("seats", {"games", "seats"})])
def test_what_is_not_kept_is_not_written_and_says_so(tmp_path: Path, keep, tables):
    run = runner.run(Experiment.of("toss", games=8, keep=keep), tmp_path / "run")
    assert {folder.name for folder in run.path.iterdir() if folder.is_dir()} == tables
    assert run.games.collect().height == 8
    with pytest.raises(UserError, match=f"no events: it was run with --keep {keep}"):
        _ = run.events
    assert store.check(run.path) == []


def test_the_summary_counts_what_the_tables_hold(run: store.Run):
    games, seats = run.games.collect(), run.seats.collect()
    assert run.summary["games"] == 40
    assert run.summary["shared"] == (games["winners"] > 1).mean()
    assert run.summary["tied_on_points"] == (games["tied_on_points"] > 1).mean()
    assert run.summary["mean_turns"] == pytest.approx(games["turns"].mean())
    assert run.summary["endings"] == dict(games["ending"].value_counts(sort=True).iter_rows())
    by_bot = {line["bot"]: line for line in run.summary["by_bot"]}
    even = seats.filter(pl.col("bot") == "even")
    assert by_bot["even"]["games"] == 80
    assert by_bot["even"]["win_share"] == pytest.approx(even["win_share"].mean())
    assert by_bot["even"]["mean_score"] == pytest.approx(even["score"].mean())
    assert [line["seat"] for line in run.summary["by_seat"]] == [0, 1, 2, 3]


def test_a_notebook_shows_a_run_with_its_words_escaped(run: store.Run):
    hostile = replace(run, experiment=run.experiment | {"title": "<script>"})
    assert "&lt;script&gt;" in hostile._repr_html_()
    assert "<script>" not in hostile._repr_html_()


def test_a_run_says_what_it_is_of_and_where_it_lies(run: store.Run):
    path, shown = run.path, repr(store.load(run.path))
    assert shown == f"<Run {path}: Toss, 40 games of 4 players, even, lucky, even, clumsy:noise=0.2>"


# Torn folders


def test_a_folder_that_is_no_run_is_named(tmp_path: Path):
    with pytest.raises(UserError, match="is no run"):
        store.load(tmp_path)
    with pytest.raises(UserError, match="is no run"):
        store.load(tmp_path / "nowhere")


@pytest.mark.parametrize("text", ["{", "[]", '{"game": "toss"}', '"text"'])
def test_a_torn_experiment_is_named(run: store.Run, text):
    (run.path / "experiment.json").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"experiment\.json is"):
        store.load(run.path)


def test_a_missing_part_makes_a_run_unfinished(run: store.Run):
    for table in store.TABLES:
        store.part_file(run.path, table, 1).unlink()
    with pytest.raises(UserError, match=r"unfinished: 2 of 3 parts are there.*--resume"):
        store.load(run.path)


@pytest.mark.parametrize("table", ["seats", "events"])
def test_a_file_that_is_missing_though_its_games_are_there_is_named(run: store.Run, table):
    store.part_file(run.path, table, 1).unlink()
    with pytest.raises(UserError, match=rf"{table}.part-000001\.parquet is missing; .*--resume"):
        store.load(run.path)
    with pytest.raises(UserError, match=r"is missing; "):
        store.check(run.path)
    store.part_file(run.path, table, 2).unlink()
    with pytest.raises(UserError, match=rf"{table}.part-000001\.parquet is missing, and 1 more; "):
        store.load(run.path)


def test_a_missing_catalogue_is_named(run: store.Run):
    (run.path / "catalogue.parquet").unlink()
    with pytest.raises(UserError, match=r"catalogue\.parquet is missing; "):
        store.load(run.path)


@pytest.mark.parametrize("size", [0, 7, 100, -1])
def test_a_part_cut_short_is_torn(run: store.Run, size):
    file = store.part_file(run.path, "seats", 2)
    file.write_bytes(file.read_bytes()[:size])
    with pytest.raises(UserError, match=r"seats.part-000002\.parquet is torn"):
        store.load(run.path)


def test_check_finds_nothing_in_a_whole_run(run: store.Run):
    assert store.check(run.path) == []


def test_check_finds_a_part_whose_middle_is_damaged(run: store.Run):
    file = store.part_file(run.path, "games", 1)
    content = bytearray(file.read_bytes())
    content[8:200] = bytes(192)
    file.write_bytes(content)
    assert any("part-000001" in fault for fault in store.check(run.path))


def test_check_finds_a_damaged_catalogue(run: store.Run):
    (run.path / "catalogue.parquet").write_bytes(b"PAR1" + bytes(100) + b"PAR1")
    assert store.check(run.path) == [f"{run.path / 'catalogue.parquet'}: it can't be read"]


def test_check_finds_a_part_that_belongs_elsewhere(run: store.Run):
    for table in store.TABLES:
        shutil.copy(store.part_file(run.path, table, 0), store.part_file(run.path, table, 1))
    faults = store.check(run.path)
    assert len(faults) == 3
    assert all("16 to 31" in fault for fault in faults)


def test_check_finds_a_seat_too_few(run: store.Run):
    file = store.part_file(run.path, "seats", 0)
    pl.read_parquet(file)[:-1].write_parquet(file)
    assert any("seats" in fault for fault in store.check(run.path))


def test_check_finds_a_source_that_the_catalogue_lacks(run: store.Run):
    file = run.path / "catalogue.parquet"
    pl.read_parquet(file).filter(pl.col("source") != "track").write_parquet(file)
    assert any("catalogue lacks track" in fault for fault in store.check(run.path))


def test_check_finds_an_experiment_that_was_changed_afterwards(run: store.Run):
    file = run.path / "experiment.json"
    record = json.loads(file.read_text(encoding="utf-8"))
    record["design"]["rules"]["rules.goal"] = 5
    file.write_text(json.dumps(record), encoding="utf-8")
    assert any("fingerprint" in fault for fault in store.check(run.path))


def change(run: store.Run, table: str, **columns: pl.Expr) -> None:
    """Give a run's first part of a table other values."""
    file = store.part_file(run.path, table, 0)
    pl.read_parquet(file).with_columns(**columns).write_parquet(file)


@pytest.mark.parametrize(
    ("table", "columns", "fault"),
    [
        ("games", {"top_score": pl.lit(None, pl.Int32)}, "top_score have gaps"),
        ("events", {"source": pl.lit(None, pl.String)}, "source have gaps"),
        ("seats", {"score": pl.col("score").cast(pl.Int64)}, "score are missing or of another type"),
        ("seats", {"seat": pl.lit(0, pl.Int8)}, "seats are not 0 to 3"),
        ("events", {"seat": pl.lit(4, pl.Int8)}, "seats are not -1 to 3"),
        ("events", {"kind": pl.col("kind").replace("step", "stepp")}, "no kind of event stepp"),
        ("games", {"top_score": pl.col("top_score") + 1}, "game 0: top_score is not its highest score"),
        ("events", {"amount": pl.lit(9, pl.Int32)}, "game 0: the score of seat 0 is not the sum"),
    ],
)
def test_check_finds_values_that_no_game_writes(run: store.Run, table, columns, fault):
    change(run, table, **columns)
    (found,) = store.check(run.path)
    assert fault in found


def test_a_run_whose_path_has_the_signs_of_a_pattern_reads_its_own_rows(tmp_path: Path):
    other = runner.run(Experiment.of("toss", games=40, bots=BOTS), tmp_path / "run1", chunk=16)
    mine = runner.run(Experiment.of("toss", games=40, bots=BOTS, seed=2), tmp_path / "run[1]", chunk=16)
    assert mine.path.name == "run[1]"
    assert store.check(mine.path) == []
    assert not mine.events.collect().equals(other.events.collect())
    assert not mine.catalogue.collect().is_empty()


def test_a_stray_part_is_not_read(run: store.Run):
    shutil.copy(store.part_file(run.path, "games", 0), store.part_file(run.path, "games", 3))
    assert run.games.collect().height == 40


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("games", "40"),
        ("games", 0),
        ("games", True),
        ("chunk", 0),
        ("players", 3),
        ("keep", "evens"),
        ("keep", ["games"]),
        ("bots", "even"),
        ("bots", [1, 2, 3, 4]),
        ("seed", -1),
        ("settings", None),
        ("cards", 3),
        ("fingerprint", None),
        ("columns", {"kinds": {}, "seats": {}}),
        ("columns", {"kinds": {}, "seats": {"heads": 1}, "events": {}}),
        ("payments", "cheers"),
        ("spends", ["heads"]),
        ("race", 1),
    ],
)
def test_a_damaged_value_in_an_experiment_is_named_with_what_was_expected(run: store.Run, key, value):
    file = run.path / "experiment.json"
    file.write_text(json.dumps(run.experiment | {key: value}), encoding="utf-8")
    named = "bots" if key == "players" else key
    with pytest.raises(UserError, match=rf"experiment\.json: {named} is .*, expected "):
        store.load(run.path)


def test_an_experiment_without_settings_lacks_them(run: store.Run):
    rest = {key: value for key, value in run.experiment.items() if key != "settings"}
    (run.path / "experiment.json").write_text(json.dumps(rest), encoding="utf-8")
    with pytest.raises(UserError, match="lacks settings"):
        store.load(run.path)


@pytest.mark.parametrize("design", ["[" * 100_000, "NaN", "9" * 5_000, r'"\ud800"'])
def test_an_experiment_that_is_no_sensible_json_is_torn(run: store.Run, design):
    text = json.dumps(run.experiment | {"design": "DESIGN"}).replace('"DESIGN"', design)
    (run.path / "experiment.json").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"experiment\.json is torn"):
        store.load(run.path)


@pytest.mark.parametrize("name", ["a\0b", "a\udcff"])
def test_a_path_that_is_no_text_is_refused(tmp_path: Path, name):
    with pytest.raises(UserError, match="is no path"):
        store.load(tmp_path / name)
    with pytest.raises(UserError, match="is no path"):
        runner.run(Experiment.of("toss", games=4), tmp_path / name)
    with pytest.raises(UserError, match="is no path"):
        Experiment.of("toss", cards=tmp_path / name)
    with pytest.raises(UserError, match="is no path"):
        Experiment.from_toml(tmp_path / name)
