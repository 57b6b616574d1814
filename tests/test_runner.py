"""Playing an experiment: the same rows however it is cut, whole parts whatever happens."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from simulator import runner, store
from simulator.experiment import Experiment, prepare
from simulator.game import Plan, Played, UserError
from tests import toss as toss_game

pytestmark = pytest.mark.usefixtures("toss")

EXPERIMENT = {"games": 120, "bots": "even,lucky,even,clumsy"}


def experiment(**options) -> Experiment:
    return Experiment.of("toss", **{**EXPERIMENT, **options})


def table_bytes(run: store.Run) -> list[bytes]:
    """The tables as bytes, in the order in which they are stored."""
    return [
        frame.collect().write_ipc(None, compression="uncompressed").getvalue()
        for frame in (run.games, run.seats, run.events, run.catalogue)
    ]


def file_bytes(folder: Path) -> dict[str, bytes]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


@pytest.mark.parametrize("seating", ["rotate", "fixed", "shuffle"])
def test_rows_are_the_same_whatever_the_workers_and_the_chunks(tmp_path: Path, monkeypatch, seating):
    wanted = experiment(seating=seating)
    plain = table_bytes(runner.run(wanted, tmp_path / "plain", workers=1))
    assert table_bytes(runner.run(wanted, tmp_path / "cut", workers=2, chunk=16)) == plain
    assert table_bytes(runner.run(wanted, tmp_path / "odd", workers=3, chunk=41)) == plain
    monkeypatch.setattr(runner, "SLICE", 7)
    assert table_bytes(runner.run(wanted, tmp_path / "slices", workers=2)) == plain


def test_rows_are_sorted_by_game_in_every_part(tmp_path: Path):
    run = runner.run(experiment(), tmp_path / "run", workers=2, chunk=16)
    for table in store.TABLES:
        for number in store.parts(run.experiment):
            assert pl.read_parquet(store.part_file(run.path, table, number))["game"].is_sorted()


def test_files_are_the_same_in_another_process_with_another_hash_seed(tmp_path: Path):
    here = runner.run(experiment(), tmp_path / "here", chunk=40)
    _, said = start(tmp_path / "there", PYTHONHASHSEED="77").communicate(timeout=20)
    assert said == ""
    assert file_bytes(tmp_path / "there") == file_bytes(here.path)


def test_another_seed_gives_other_rows(tmp_path: Path):
    first = runner.run(experiment(seed=0), tmp_path / "first")
    second = runner.run(experiment(seed=1), tmp_path / "second")
    assert table_bytes(first)[0] != table_bytes(second)[0]


def test_a_part_holds_whole_setups(tmp_path: Path):
    run = runner.run(experiment(), tmp_path / "run", chunk=10)
    assert run.experiment["chunk"] == 12
    assert run.games.collect().height == 120


def test_a_run_says_that_games_were_rounded_up(tmp_path: Path, capsys):
    run = runner.run(experiment(games=119), tmp_path / "run")
    assert run.experiment["games"] == run.played == 120
    assert "119 games rounded up to 120" in capsys.readouterr().err
    runner.run(experiment(games=120), tmp_path / "even")
    assert "rounded" not in capsys.readouterr().err


def test_a_run_says_that_rotating_one_bot_plays_each_setup_over_again(tmp_path: Path, capsys):
    runner.run(experiment(bots="even"), tmp_path / "same")
    assert "all seats hold the same bot" in capsys.readouterr().err
    runner.run(experiment(bots="even", seating="fixed"), tmp_path / "fixed")
    runner.run(experiment(), tmp_path / "mixed")
    assert "same bot" not in capsys.readouterr().err


def test_parts_are_few_for_few_games_and_bounded_for_many(tmp_path: Path):
    sizes = {}
    for games in (100, 200_000, 10_000_000):
        prepared = prepare(experiment(games=games))
        sizes[games] = runner._open(tmp_path / str(games), prepared, False, None)["chunk"]
    assert sizes == {100: 1_000, 200_000: 3_128, 10_000_000: 10_000}


def test_nothing_but_the_run_is_printed_when_it_is_not_a_terminal(tmp_path: Path, capsys):
    runner.run(experiment(), tmp_path / "run")
    assert capsys.readouterr() == ("", "")


def test_a_bar_shows_how_far_the_run_is(tmp_path: Path, capsys):
    runner.run(experiment(), tmp_path / "run", progress=True)
    assert "120 of 120 games" in capsys.readouterr().err


def test_the_default_folder_is_named_by_game_and_fingerprint(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = runner.run(experiment())
    assert run.path == Path("runs") / f"toss-{run.experiment['fingerprint'][:8]}"


# What stands in the way


def test_an_existing_run_is_never_overwritten(tmp_path: Path):
    run = runner.run(experiment(), tmp_path / "run")
    before = file_bytes(run.path)
    with pytest.raises(UserError, match="in the way"):
        runner.run(experiment(seed=2), run.path)
    assert file_bytes(run.path) == before


def test_a_folder_with_other_things_is_neither_overwritten_nor_resumed(tmp_path: Path):
    (tmp_path / "letter.txt").write_text("dear", encoding="utf-8")
    with pytest.raises(UserError, match="in the way"):
        runner.run(experiment(), tmp_path)
    with pytest.raises(UserError, match="is no run"):
        runner.run(experiment(), tmp_path, resume=True)
    with pytest.raises(UserError, match="in the way"):
        runner.run(experiment(), tmp_path / "letter.txt")
    assert [file.name for file in tmp_path.iterdir()] == ["letter.txt"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_an_unwritable_folder_is_an_error_of_the_system(tmp_path: Path):
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError):
        runner.run(experiment(), tmp_path / "run")


def test_a_full_disk_is_an_error_of_the_system_and_leaves_whole_parts_only(tmp_path: Path, monkeypatch):
    written = pl.DataFrame.write_parquet

    def full(frame, target, **options):
        if target.match("seats/part-000003*"):
            written(frame, target, **options)
            raise pl.exceptions.ComputeError("parquet: IO error: No space left on device (os error 28)")
        return written(frame, target, **options)

    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    with pytest.raises(OSError) as caught:  # noqa: PT011
        runner.run(experiment(), tmp_path / "run", workers=2, chunk=16)
    assert caught.value.errno == errno.ENOSPC
    assert "part-000003.parquet" in str(caught.value)
    assert not list(tmp_path.rglob("*.tmp"))
    assert not store.part_file(tmp_path / "run", "games", 3).exists()
    with pytest.raises(UserError, match="unfinished"):
        store.load(tmp_path / "run")
    monkeypatch.undo()
    assert_resumes(tmp_path, 16)


def assert_resumes(tmp_path: Path, chunk: int) -> None:
    """The run in `tmp_path/run`, gone on with, has the files of one that nothing disturbed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(runner.GAMES, "toss", "tests.toss:GAME")
        patch.setattr("simulator.compiled.is_warm", lambda name: True)
        runner.run(experiment(), tmp_path / "run", resume=True)
        undisturbed = runner.run(experiment(), tmp_path / "undisturbed", chunk=chunk)
    assert file_bytes(tmp_path / "run") == file_bytes(undisturbed.path)


@pytest.mark.skipif(os.name == "nt", reason="locks of POSIX")
def test_a_folder_that_is_being_played_is_played_by_nobody_else(tmp_path: Path):
    prepared = prepare(experiment())
    refused = []

    def play(design, plan: Plan, keep_events: bool) -> Played:
        if not refused:
            with pytest.raises(UserError, match="run is being played by another process") as caught:
                runner.run(experiment(), tmp_path / "run", resume=True)
            refused.append(caught)
        return toss_game.play(design, plan, keep_events)

    busy = replace(prepared, game=replace(prepared.game, play=play))
    first = runner.play(busy, tmp_path / "run", workers=1)
    assert refused
    assert file_bytes(first.path) == file_bytes(runner.run(experiment(), tmp_path / "alone").path)
    assert runner.run(experiment(), first.path, resume=True).played == 0  # the lock ends with the run


# Interrupted runs


def start(folder: Path, pause: float = 0, chunk: int = 40, **environment: str) -> subprocess.Popen:
    """A run of EXPERIMENT in a process of its own, that waits `pause` seconds in each slice of games."""
    code = f"""
import sys, time
from simulator import games, runner
from simulator.experiment import Experiment
from tests import toss
games.GAMES["toss"] = "tests.toss:GAME"
runner.warm = lambda game: None
played = toss.GAME.play
def slowly(*arguments):
    time.sleep({pause})
    return played(*arguments)
object.__setattr__(toss.GAME, "play", slowly)
try:
    runner.run(Experiment.of("toss", **{EXPERIMENT!r}), {str(folder)!r}, workers=2, chunk={chunk})
except runner.Interrupted as interrupted:
    sys.exit(str(interrupted))
"""
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), **environment},
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_a_part(folder: Path) -> None:
    deadline = time.monotonic() + 20
    while not list(folder.glob("games/*.parquet")):
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_run_stopped_in_the_middle_goes_on_to_the_same_files(tmp_path: Path, how):
    child = start(tmp_path / "run", pause=0.2, chunk=16)
    wait_for_a_part(tmp_path / "run")
    child.send_signal(how)
    _, said = child.communicate(timeout=20)
    done = len(list((tmp_path / "run").glob("games/*.parquet")))
    assert 0 < done < 8  # else it was not stopped in the middle
    if how != signal.SIGKILL:
        assert f"interrupted with {done} of 8 parts written" in said
        assert f"counterpoise run --out {tmp_path / 'run'} --resume" in said
        assert not list(tmp_path.rglob("*.tmp"))
    assert_resumes(tmp_path, 16)


def test_half_written_files_are_cleaned_and_torn_parts_replayed(tmp_path: Path):
    run = runner.run(experiment(), tmp_path / "run", chunk=16)
    store.part_file(run.path, "games", 7).unlink()
    (run.path / "seats" / "part-000007.parquet.tmp").write_bytes(b"PAR1")
    torn = store.part_file(run.path, "events", 2)
    torn.write_bytes(torn.read_bytes()[:-9])
    short = store.part_file(run.path, "seats", 4)
    pl.read_parquet(short)[:-1].write_parquet(short)
    assert_resumes(tmp_path, 16)


def test_a_run_stopped_before_its_experiment_was_written_starts_anew(tmp_path: Path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "experiment.json.tmp").write_text("{", encoding="utf-8")
    assert_resumes(tmp_path, 1000)


def test_a_run_stopped_before_its_catalogue_was_written_gets_it(tmp_path: Path):
    run = runner.run(experiment(), tmp_path / "run")
    (run.path / "catalogue.parquet").unlink()
    assert_resumes(tmp_path, 1000)


def test_the_first_run_of_a_game_compiles_it_in_another_process_and_says_so(tmp_path, monkeypatch, capsys):
    marked, started = [], []
    monkeypatch.setattr("simulator.compiled.is_warm", lambda name: name in marked)
    monkeypatch.setattr("simulator.compiled.mark_warm", marked.append)
    run = subprocess.run
    monkeypatch.setattr(
        subprocess, "run", lambda *command, **how: started.append(run(*command, **how)) or started[-1]
    )
    runner.run(experiment(), tmp_path / "first")
    assert [child.returncode for child in started] == [0]
    assert "compiling the rules of Toss" in capsys.readouterr().err
    runner.run(experiment(), tmp_path / "second")
    assert len(started) == 1
    assert capsys.readouterr().err == ""


def test_resuming_a_finished_run_plays_nothing(tmp_path: Path):
    run = runner.run(experiment(), tmp_path / "run")
    assert runner.run(experiment(), run.path, resume=True).played == 0


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"seed": 2}, "seed"),
        ({"games": 240}, "games"),
        ({"keep": "seats"}, "keep"),
        ({"bots": "even,lucky,even,lucky"}, "weights"),
        ({"set": {"rules.goal": 4}}, "design"),
    ],
)
def test_another_experiment_does_not_go_on_with_a_run(tmp_path: Path, options, named):
    run = runner.run(experiment(), tmp_path / "run")
    with pytest.raises(UserError, match=rf"another experiment: .*{named}"):
        runner.run(experiment(**options), run.path, resume=True)


def test_another_chunk_does_not_go_on_with_a_run(tmp_path: Path):
    run = runner.run(experiment(), tmp_path / "run", chunk=16)
    with pytest.raises(UserError, match="another experiment: chunk"):
        runner.run(experiment(), run.path, resume=True, chunk=20)


@pytest.mark.parametrize("option", ["workers", "chunk"])
def test_no_workers_and_no_chunk_are_refused(tmp_path: Path, option):
    with pytest.raises(UserError, match=f"{option}: 0"):
        runner.run(experiment(), tmp_path / "run", **{option: 0})
    assert not (tmp_path / "run").exists()


def test_a_games_own_failure_comes_through_and_stops_the_other_workers(tmp_path: Path):
    prepared = prepare(experiment())
    played_after_failure = []
    failed = threading.Event()

    def fails(design, plan: Plan, keep_events: bool) -> Played:
        if plan.game[0] == 0:
            failed.set()
            raise RuntimeError("a kernel's bug")
        failed.wait()
        time.sleep(0.05)
        played_after_failure.append(plan.game[0])
        return toss_game.play(design, plan, keep_events)

    broken = replace(prepared, game=replace(prepared.game, play=fails))
    with pytest.raises(RuntimeError, match="a kernel's bug"):
        runner.play(broken, tmp_path / "run", workers=2, chunk=4)
    assert len(played_after_failure) < 15


def test_memory_holds_no_part_that_is_written(tmp_path: Path, monkeypatch):
    alive, most = 0, 0
    counted = threading.Lock()
    written = store.write_part

    def count(folder, number, frames):
        nonlocal alive
        written(folder, number, frames)
        with counted:
            alive -= 1

    layout = store.Layout.frames

    def begin(self, played, plan):
        nonlocal alive, most
        with counted:
            alive += 1
            most = max(most, alive)
        return layout(self, played, plan)

    monkeypatch.setattr(store, "write_part", count)
    monkeypatch.setattr(store.Layout, "frames", begin)
    runner.run(experiment(), tmp_path / "run", workers=2, chunk=4)
    assert most <= 2
