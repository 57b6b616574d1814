"""The command line: what it prints, its exit codes, one sentence for every mistake."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner, Result

import counterpoise as cp
from counterpoise.cli import app, whole_number
from simulator import games, runner, store
from simulator.game import UserError

pytestmark = pytest.mark.usefixtures("toss")


def command(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(each) for each in arguments])


def refused(*arguments: object) -> str:
    """The one sentence with which a command refuses its arguments, exit code 2."""
    result = command(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("counterpoise: ")
    assert "Traceback" not in result.output
    assert result.stdout == ""
    return result.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return cp.run("toss", games=20, bots="even,lucky,clumsy,even", out=tmp_path / "base").path


# Help


def test_help_lists_the_commands_in_panels_and_each_has_an_example():
    told = command("--help").stdout
    names = ["run", "report", "explain", "bots", "check", "measure", "draw", "build-cards", "bench"]
    for name in names:
        assert f" {name} " in told
        help_text = command(name, "--help").stdout
        assert "Example" in help_text
        assert f"counterpoise {name} " in help_text
    assert all(panel in told for panel in ("Play and report", "Cards and bots", "Machine"))


def test_help_loads_neither_numba_nor_polars_nor_matplotlib():
    code = (
        "import sys; sys.argv = ['counterpoise', '--help']\n"
        "from counterpoise.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numba', 'polars', 'matplotlib', 'numpy', 'scipy', 'joblib'} & set(sys.modules)\n"
        "sys.exit(f'loaded: {heavy}' if heavy else 0)"
    )
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert child.returncode == 0, child.stderr


# run


def test_run_plays_and_prints_a_closing_table(tmp_path: Path):
    out = tmp_path / "base"
    result = command("run", "toss", "--games", 20, "--bots", "even,lucky:noise=0.2,clumsy,even", "--out", out)
    assert result.exit_code == 0, result.output
    for word in ("games", "20", "games/s", "ties", "seat 3", "bot lucky:noise=0.2", "reconstructed"):
        assert word in result.stdout
    assert result.stderr == ""
    assert store.check(out) == []


def test_run_takes_every_option_of_the_experiment(tmp_path: Path):
    cards = tmp_path / "cards"
    cards.mkdir()
    (cards / "goal.txt").write_text("4", encoding="utf-8")
    options = (
        "--players 3 --games 7 --bots lucky --seed 0 --seating shuffle --set rules.rounds=5 --keep seats"
    )
    out = tmp_path / "base"
    result = command("run", "toss", *options.split(), "--workers", 1, "--cards", cards, "--out", out)
    assert result.exit_code == 0, result.output
    record = cp.load(out).experiment
    assert (record["players"], record["games"], record["bots"]) == (3, 7, ["lucky"] * 3)
    assert (record["seed"], record["seating"], record["keep"]) == (0, "shuffle", "seats")
    assert record["design"]["rules"] == {"rules.goal": 4, "rules.rounds": 5}


def test_run_reads_an_experiment_file_with_the_same_keys(tmp_path: Path):
    out = tmp_path / "base"
    file = tmp_path / "base.toml"
    text = f'game = "toss"\ngames = 8\nworkers = 1\nout = {json.dumps(str(out))}\nset.rules.goal = 2\n'
    file.write_text(text, encoding="utf-8")
    result = command("run", "--experiment", file, "--seed", 5)
    assert result.exit_code == 0, result.output
    record = cp.load(out).experiment
    assert (record["games"], record["seed"], record["settings"]) == (8, 5, {"rules.goal": 2})


def test_run_goes_on_with_a_folder_alone(folder: Path):
    before = (folder / "experiment.json").read_bytes()
    store.part_file(folder, "games", 0).unlink()
    result = command("run", "--out", folder, "--resume")
    assert result.exit_code == 0, result.output
    assert "games/s" in result.stdout
    assert "games/s" not in command("run", "--out", folder, "--resume").stdout, (
        "there was nothing left to play"
    )
    assert store.check(folder) == []
    assert (folder / "experiment.json").read_bytes() == before


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--seed", 0, "another experiment: seed differ"),
        ("--games", 0, "1 or more"),
        ("--keep", "games", "keep differ"),
        ("--set", "rules.goal=2", "design differ"),
    ],
)
def test_run_does_not_go_on_with_another_experiment_than_the_one_given(folder: Path, option, value, words):
    assert words in refused("run", "--out", folder, "--resume", option, value)


def test_run_goes_on_with_the_same_experiment_given_again(folder: Path):
    assert command("run", "--out", folder, "--resume", "--seed", 1, "--games", 20).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tos"], ["'tos'", "expected toss"]),
        ([], ["no game"]),
        (["toss", "--games", "0"], ["--games: 0", "1 or more"]),
        (["toss", "--players", "9"], ["players", "2, 3, 4"]),
        (["toss", "--bots", "even,lucky"], ["2 bots for 4 seats, expected 1 or 4, or players 2"]),
        (["toss", "--bots", "lukcy"], ["expected lucky"]),
        (["toss", "--bots", "lucky:noise=2"], ["0 to 1"]),
        (["toss", "--seating", "rotated"], ["expected rotate"]),
        (["toss", "--keep", "evens"], ["expected events"]),
        (["toss", "--set", "rules.gaol=3"], ["expected rules.goal"]),
        (["toss", "--set", "rules.goal"], ["--set: 'rules.goal'", "KEY=VALUE"]),
        (
            ["luminis", "--set", "rules.any_lower=yes"],
            ["--set: rules.any_lower: 'yes', expected true or false"],
        ),
        (["toss", "--cards", "no/where"], ["no", "where"]),
        (["toss", "--workers", "0"], ["--workers: 0 are none"]),
        (["toss", "--games", "1e30"], ["--games: ", "at most 1,000,000,000"]),
        (["--experiment", "nowhere.toml"], ["nowhere.toml"]),
        (["--resume", "--out", "nowhere"], ["nowhere is no run"]),
    ],
)
def test_run_refuses_a_mistake_in_one_sentence_and_makes_nothing(tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    sentence = refused("run", *arguments)
    assert all(word in sentence for word in words)
    assert sentence.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("20", 20), (" 20 ", 20), ("1_000", 1000), ("1,234,567", 1_234_567), ("1e3", 1000), ("1.5E3", 1500),
        ("10k", 10_000), ("2.5M", 2_500_000), ("-1", -1), ("+7", 7), ("20.0", 20), ("9223372036854775807", 2**63 - 1),
    ],
)  # fmt: skip
def test_a_whole_number_is_read_as_people_write_it(typed: str, meant: int):
    assert whole_number(typed) == meant


@pytest.mark.parametrize(
    "typed",
    ["", "x", "1.5", "1e-1", "1,00", "10kk", "k", "1e3x", "nan", "inf", "1e41", "1e99999999999", "1 000"],
)
def test_another_text_is_refused_with_what_was_expected(typed: str, tmp_path: Path):
    result = command("run", "toss", "--games", typed, "--out", tmp_path / "run")
    assert result.exit_code == 2
    told = " ".join(result.stderr.replace("│", " ").split())
    assert "Invalid value for '--games'" in told
    assert "is no whole number, expected one such as 1000, 1_000, 1e3 or 1k" in told
    assert not (tmp_path / "run").exists()


def test_run_refuses_a_bad_experiment_file_with_its_line(tmp_path: Path):
    file = tmp_path / "base.toml"
    file.write_text('game = "toss"\nplyaers = 3\n', encoding="utf-8")
    assert f"{file}:2: plyaers: unknown key, expected players" in refused("run", "--experiment", file)


def test_run_leaves_an_existing_run_alone(folder: Path):
    assert "in the way" in refused("run", "toss", "--games", 4, "--out", folder)
    assert store.check(folder) == []


def test_run_says_that_the_disk_is_full(tmp_path: Path, monkeypatch):
    def full(*arguments, **options):
        raise pl.exceptions.ComputeError("IO error: No space left on device (os error 28)")

    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    sentence = refused("run", "toss", "--games", 4, "--out", tmp_path / "base")
    assert os.strerror(errno.ENOSPC) in sentence
    assert "catalogue.parquet" in sentence


def test_what_fails_while_it_is_written_is_not_called_unreadable(tmp_path: Path, monkeypatch):
    def fails(*arguments, **options):
        raise pl.exceptions.ComputeError("a page is too long")

    monkeypatch.setattr(pl.DataFrame, "write_parquet", fails)
    sentence = refused("run", "toss", "--games", 4, "--out", tmp_path / "base")
    assert "catalogue.parquet: a page is too long" in sentence
    assert "can't be read" not in sentence


def test_run_says_that_a_folder_can_not_be_written(tmp_path: Path, monkeypatch):
    def denied(path: Path, *arguments, **options):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(Path, "mkdir", denied)
    assert "base: Permission denied" in refused("run", "toss", "--games", 4, "--out", tmp_path / "base")


def test_an_interrupt_says_how_to_go_on_and_exits_with_130(tmp_path: Path, monkeypatch):
    def interrupted(*arguments, **options):
        raise runner.Interrupted(tmp_path / "base", 3, 8)

    monkeypatch.setattr(runner, "run", interrupted)
    result = command("run", "toss", "--out", tmp_path / "base")
    assert result.exit_code == 130
    assert "3 of 8 parts" in result.stderr
    assert f"counterpoise run --out {tmp_path / 'base'} --resume" in result.stderr


def test_a_bug_of_ours_keeps_its_traceback(monkeypatch):
    def broken(*arguments, **options):
        raise ZeroDivisionError

    monkeypatch.setattr(runner, "run", broken)
    assert isinstance(command("run", "toss").exception, ZeroDivisionError)


# explain


def test_explain_tells_the_same_game_of_a_run_and_of_its_options(folder: Path):
    told = command("explain", "--run", folder, "--game", 6)
    assert told.exit_code == 0, told.output
    assert told.stdout.startswith("# Game 6\n\nclumsy, even, even, lucky make")  # rotation 2
    options = ["--bots", "even,lucky,clumsy,even", "--game", 6]
    assert command("explain", "toss", *options).stdout == told.stdout
    assert command("explain", "toss", *options, "--seed", 9).stdout != told.stdout


def test_explain_refuses_what_it_can_not_tell(folder: Path, tmp_path: Path, monkeypatch):
    assert "no game 20, expected 0 to 19" in refused("explain", "--run", folder, "--game", 20)
    assert "expected 0 or more" in refused("explain", "toss", "--game", -1)
    assert "expected at most 2**63 - 1" in refused("explain", "toss", "--game", 2**63)
    assert "its own options" in refused("explain", "--run", folder, "--seed", 3)
    assert "is no run" in refused("explain", "--run", tmp_path / "nowhere")
    monkeypatch.setitem(__import__("tests.toss").toss.RULES, "rules.goal", 2)
    assert "changed since it was played: design" in refused("explain", "--run", folder, "--game", 3)


# bots, check, measure, draw, build-cards


def test_bots_lists_sentences_weights_and_ranges():
    told = command("bots", "toss").stdout
    for word in ("clumsy", "Drops half of the coins.", "aim=-0.25", "-0.5 to 0.5", "How much likelier"):
        assert word in told


def test_bots_lists_those_of_a_card_set(tmp_path: Path):
    (tmp_path / "bots.toml").write_text('[bots.wild]\ntext = "Tosses wildly."\n', encoding="utf-8")
    told = command("bots", "toss", "--cards", tmp_path).stdout
    assert "Tosses wildly." in told
    assert "Tosses as everybody does." in told


def test_check_prints_every_fault_and_exits_with_1(tmp_path: Path):
    (tmp_path / "goal.txt").write_text("three", encoding="utf-8")
    result = command("check", "toss", "--cards", tmp_path)
    assert result.exit_code == 1
    assert result.stdout == "goal.txt:1: goal: 'three', expected a whole number\n"


def test_check_says_how_much_it_found_in_order(folder: Path):
    assert command("check", "toss").stdout == "toss: 2 rules, no faults\n"
    assert command("check", "--run", folder).stdout == f"{folder}: no faults\n"
    assert "expected either a game or --run" in refused("check")
    assert "expected either a game or --run" in refused("check", "toss", "--run", folder)


def test_check_finds_a_damaged_run(folder: Path):
    store.part_file(folder, "seats", 0).write_bytes(b"PAR1" + bytes(100) + b"PAR1")
    result = command("check", "--run", folder)
    assert result.exit_code == 1
    assert "can't be read" in result.stdout


def test_measure_prints_one_object_a_row(tmp_path: Path):
    rows = tmp_path / "rows.txt"
    rows.write_text("a b\n\nc\n", encoding="utf-8")
    lines = command("measure", "toss", "--rows", rows).stdout.splitlines()
    assert [json.loads(line) for line in lines] == [{"row": "a b", "tosses": 2}, {"row": "c", "tosses": 1}]
    assert json.loads(command("measure", "toss", "a").stdout)["tosses"] == 1
    assert "--rows" in refused("measure", "toss")
    assert "nowhere.txt: No such file" in refused("measure", "toss", "--rows", "nowhere.txt")
    assert "the row is empty" in refused("measure", "toss", "")
    rows.write_bytes(b"a b\n\xff\n")
    assert f"{rows}: bytes that are no UTF-8" in refused("measure", "toss", "--rows", rows)


@pytest.mark.parametrize(("name", "begins"), [("row.svg", b"<?xml"), ("row.PNG", b"\x89PNG")])
def test_draw_saves_a_picture(tmp_path: Path, name, begins):
    result = command("draw", "toss", "a b", "--out", tmp_path / name)
    assert result.stdout == f"{tmp_path / name}\n"
    assert (tmp_path / name).read_bytes().startswith(begins)


def test_draw_says_on_the_terminal_what_the_picture_calls_not_legal(tmp_path: Path):
    file = tmp_path / "row.svg"
    result = command("draw", "ilumeia", "s001 s002", "--out", file)
    assert (result.exit_code, result.stdout) == (0, f"{file}\n")
    assert result.stderr == "counterpoise: 2 star cards, not legal: breaks IL-18, IL-19\n"
    result = command("draw", "luminis", "a01/c01", "--out", file)
    assert (result.exit_code, result.stdout) == (0, f"{file}\n")
    assert re.fullmatch(r"counterpoise: Not legal: c01 .* lies on a01 .*\(LU-8\)\n", result.stderr)
    for game, legal in (("ilumeia", "s001"), ("luminis", "a01/b01"), ("luminis", "c01 a01")):
        assert command("draw", game, legal, "--out", file).stderr == ""


def test_draw_names_the_picture_by_the_row_and_refuses_other_endings(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert command("draw", "toss", "a  br").stdout == "a_br.svg\n"
    assert command("draw", "toss", "../a b/c-d.").stdout == "___a_b_c-d_.svg\n"
    assert "x.pdf" in refused("draw", "toss", "a", "--out", "x.pdf")
    assert "there is nothing to draw" in refused("draw", "luminis", "")
    assert {file.name for file in tmp_path.iterdir()} == {"a_br.svg", "___a_b_c-d_.svg"}


def test_build_cards_fills_a_new_folder_and_no_other(tmp_path: Path):
    assert command("build-cards", "toss", "--seed", 1, "--out", tmp_path / "mine").exit_code == 0
    assert (tmp_path / "mine" / "goal.txt").read_text(encoding="utf-8") == "3\n"
    assert "in the way" in refused("build-cards", "toss", "--out", tmp_path / "mine")


def test_a_game_without_pictures_says_so(monkeypatch):
    toss = games.game("toss")
    monkeypatch.setitem(games.GAMES, "toss", "tests.test_cli:PLAIN")
    monkeypatch.setattr(sys.modules[__name__], "PLAIN", __import__("dataclasses").replace(toss, draw=None))
    assert "Toss has no draw" in refused("draw", "toss", "a")


PLAIN = None


def test_report_refuses_a_folder_that_is_no_run(tmp_path: Path):
    assert "is no run" in refused("report", tmp_path)


def test_report_writes_one_run_or_several_side_by_side(folder: Path, tmp_path: Path):
    told = command("report", folder)
    assert told.stdout == f"{folder / 'report.html'}\n"
    other = tmp_path / "other"
    command("run", "toss", "--games", 20, "--bots", "even", "--set", "rules.goal=2", "--out", other)
    out = tmp_path / "pages" / "goal.html"
    assert command("report", folder, other, "--out", out).stdout == f"{out}\n"
    assert "rules.goal = 2" in out.read_text(encoding="utf-8")
    assert json.loads(out.with_suffix(".json").read_text(encoding="utf-8"))["paired"] is True
    assert command("report", other, folder).stdout == f"{tmp_path.resolve() / 'report.html'}\n"
    assert "x.pdf is no page" in refused("report", folder, "--out", "x.pdf")
    assert "is no run" in refused("report", folder, tmp_path)


# The same from Python


def test_every_command_is_a_function():
    names = {"run", "report", "explain", "bots", "check", "measure", "draw", "build_cards", "bench"}
    assert names <= set(cp.__all__)
    assert all(callable(getattr(cp, name)) for name in cp.__all__)


def test_a_run_from_python_is_the_run_of_the_command(tmp_path: Path):
    mine = cp.run("toss", games=12, bots=["lucky"], set={"rules": {"goal": 2}}, out=tmp_path / "mine")
    command(
        "run", "toss", "--games", 12, "--bots", "lucky", "--set", "rules.goal=2", "--out", tmp_path / "its"
    )
    its = cp.load(tmp_path / "its")
    assert mine.experiment == its.experiment
    assert mine.events.collect().equals(its.events.collect())


def test_a_mistake_from_python_is_a_user_error(tmp_path: Path):
    with pytest.raises(UserError, match="expected lucky"):
        cp.run("toss", bots="lukcy", out=tmp_path / "mine")


@pytest.mark.skipif(os.name == "nt", reason="paths of POSIX")
def test_a_path_that_the_terminal_can_not_show_is_refused_in_one_sentence():
    child = subprocess.run(
        [sys.executable, "-c", "from counterpoise.cli import main; main()", "check", "--run", b"a\xff"],
        capture_output=True,
        check=False,
    )
    assert child.returncode == 2
    assert b"is no path, expected UTF-8 text" in child.stderr
    assert child.stderr.count(b"\n") == 1


def test_what_the_terminal_can_not_show_is_replaced():
    code = (
        "from simulator import games; games.GAMES['toss'] = 'tests.toss:GAME'\n"
        "from counterpoise.cli import main; main()"
    )
    child = subprocess.run(
        [sys.executable, "-c", code, "measure", "toss", "Ilumeïa"],
        env={**os.environ, "PYTHONIOENCODING": "ascii:strict", "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        check=False,
    )
    assert child.stdout.splitlines() == [b'{"row": "Ilume?a", "tosses": 1}']


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
def test_a_reader_that_goes_away_gets_no_traceback():
    code = (
        "from simulator import games; games.GAMES['toss'] = 'tests.toss:GAME'\n"
        "import sys; sys.argv = ['counterpoise', 'measure', 'toss', '--rows', '/dev/stdin']\n"
        "from counterpoise.cli import main; main()"
    )
    rows = "a b c\n" * 20_000
    shell = f'{sys.executable} -c "$CODE" | head -n 1'
    child = subprocess.run(
        ["sh", "-c", shell],
        input=rows,
        env={**os.environ, "CODE": code, "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.stdout == '{"row": "a b c", "tosses": 3}\n'
    assert "Traceback" not in child.stderr
