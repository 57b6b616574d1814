"""`import counterpoise as cp`: what a notebook gets, and how it shows itself there."""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from matplotlib.figure import Figure

import counterpoise as cp
import tests.toss
from analysis import catalogue, compare, report
from counterpoise.progress import section_bar
from simulator import store
from simulator.bots import Bot, BotBook
from simulator.experiment import Experiment
from simulator.game import EVENT_KINDS, UserError
from tests.analysis.synthetic import write_race, write_run

HOSTILE = "<script>alert('x')</script>"
TYPES = {"Experiment", "Run", "UserError"}
DRAWN = ("payouts", "pacing", "ties", "seats")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> cp.Run:
    return cp.load(write_run(tmp_path_factory.mktemp("runs") / "base", games=200))


@pytest.fixture(scope="module")
def race(tmp_path_factory: pytest.TempPathFactory) -> cp.Run:
    return cp.load(write_race(tmp_path_factory.mktemp("runs") / "race", games=90))


# Names


def test_every_public_name_is_listed_and_explained():
    functions = {
        name for name, each in vars(cp).items() if inspect.isfunction(each) and each.__module__ == cp.__name__
    }
    assert dir(cp) == cp.__all__ == sorted(cp.__all__)
    assert {name for name in functions if not name.startswith("_")} == set(cp.__all__) - TYPES
    assert all(inspect.getdoc(getattr(cp, name)) for name in dir(cp))


def test_the_types_to_annotate_with_and_to_catch_are_the_real_ones():
    assert cp.Run is store.Run
    assert cp.Experiment is Experiment
    assert cp.UserError is UserError
    with pytest.raises(AttributeError, match="'paiouts'"):
        _ = cp.paiouts


@pytest.mark.parametrize("name", sorted(set(cp.__all__) - TYPES))
def test_the_docstring_of_a_function_has_an_example_that_could_be_run(name: str):
    lines = (inspect.getdoc(getattr(cp, name)) or "").splitlines()
    examples = [line.strip() for line in lines if re.match(r"\s*(print\()?cp\.\w+\(", line)]
    called = set()
    for each in ast.walk(ast.parse("\n".join(examples))):
        match each:
            case ast.Call(func=ast.Attribute(value=ast.Name("cp"), attr=function)):
                given = {key.arg: None for key in each.keywords if key.arg}
                inspect.signature(getattr(cp, function)).bind(*each.args, **given)
                called.add(function)
    assert name in called


def test_a_run_and_its_frames_complete_what_is_typed(run: cp.Run):
    assert {"games", "seats", "events", "catalogue", "experiment", "summary", "path"} <= set(dir(run))
    section = cp.payouts(run)
    assert {"figure", "keys"} <= set(dir(section))
    assert isinstance(section, dict), "a notebook completes the keys of a dict"


SCRIPT = """
from pathlib import Path
from typing import assert_type

import polars as pl
from matplotlib.figure import Figure

import counterpoise as cp

run = cp.run("ilumeia", games=2000, bots="balanced,prophet,climber,sprinter", set={"rules.energy_start": 6})
assert_type(run, cp.Run)
assert_type(run.seats, pl.LazyFrame)
assert_type(cp.payouts(run)["source"], pl.DataFrame)
assert_type(cp.catalogue("runs/base")["columns"], pl.DataFrame)
assert_type(cp.section(run, "length")["spread"], pl.DataFrame)
assert_type(cp.pacing(run).figure("vvibon"), Figure)
assert_type(cp.report(run, cp.load("runs/base")), Path)
for name, table in cp.compare(run, Path("runs/base")).tables.items():
    assert_type(name, str)
    assert_type(table, pl.DataFrame)
for point in cp.compare(run, "runs/base").summary:
    assert_type(point, dict[str, str])
planned = cp.Experiment.of("luminis", players=3)
assert_type(cp.run(experiment=planned, seed=2), cp.Run)
try:
    assert_type(cp.check("ilumeia", "my_cards")[0].line, int)
except cp.UserError as problem:
    print(problem)
"""


def test_a_users_script_has_complete_types(tmp_path: Path):
    def mypy(script: str) -> str:
        file = tmp_path / "script.py"
        file.write_text(script, encoding="utf-8")
        options = ["--strict", "--config-file=", f"--cache-dir={tmp_path / 'cache'}"]
        command = [sys.executable, "-m", "mypy", *options, str(file)]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path).stdout

    assert mypy(SCRIPT).startswith("Success")
    wrong = mypy(SCRIPT + "cp.load(3)\ncp.paiouts(run)\n")
    assert "[arg-type]" in wrong
    assert "[attr-defined]" in wrong


# Sections


def test_a_section_holds_the_numbers_of_the_report(run: cp.Run):
    numbers = json.loads(report.as_json(report.measure(run)))
    for name in report.SECTIONS["events"] | report.SECTIONS["seats"] | report.SECTIONS["games"]:
        if name not in numbers:
            with pytest.raises(UserError, match=f"Made-up Stars has no {name}"):
                cp.section(run, name)
            continue
        section = getattr(cp, name)(run) if name in DRAWN else cp.section(run, name)
        told = {
            key: [report.plain(row) for row in frame.iter_rows(named=True)] for key, frame in section.items()
        }
        assert told == numbers[name], name


def test_a_misspelt_section_gets_the_nearest_name(run: cp.Run):
    with pytest.raises(UserError, match="no section 'lenght', expected length"):
        cp.section(run, "lenght")


def test_a_misspelt_frame_gets_the_nearest_name_and_can_be_asked_for(run: cp.Run):
    payouts = cp.payouts(run)
    with pytest.raises(UserError, match="no frame 'sorce', expected source"):
        payouts["sorce"]
    assert "sorce" not in payouts
    assert payouts.get("sorce") is None


def test_a_section_takes_the_folder_of_a_run_as_well(run: cp.Run):
    assert cp.ties(run.path)["margins"].equals(cp.ties(str(run.path))["margins"])


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("payouts", "Prophecies: how often each is paid"),
        ("pacing", "Vvibon: seats on each step or above"),
        ("ties", "How far ahead the winner is"),
        ("seats", "Who wins"),
    ],
)
def test_a_section_draws_its_figure(run: cp.Run, name: str, title: str):
    figure = getattr(cp, name)(run).figure()
    assert isinstance(figure, Figure)
    drawn = figure._repr_svg_()
    assert title in drawn
    assert "<script" not in drawn


def test_a_figure_can_be_asked_of_one_family_or_track(run: cp.Run):
    primos = cp.payouts(run).figure("primos")._repr_svg_()
    assert "Primos 29" in primos
    assert "Meculog 1" not in primos
    assert "Amp-R: seats" in cp.pacing(run).figure("amp_r")._repr_svg_()
    prophecies = cp.payouts(run).figure("prophecies")._repr_svg_()
    assert prophecies == cp.payouts(run).figure("prophecy")._repr_svg_() != primos
    with pytest.raises(UserError, match=r"no family 'prophesy', expected one of prophecy, .*primos"):
        cp.payouts(run).figure("prophesy")
    with pytest.raises(UserError, match="no track 'vibbon', expected vvibon"):
        cp.pacing(run).figure("vibbon")


def test_a_race_has_no_margins_to_draw(race: cp.Run):
    assert list(cp.ties(race)) == ["drawn"]
    with pytest.raises(UserError, match="a race has no margins"):
        cp.ties(race).figure()
    assert "Spires: how often" in cp.payouts(race).figure()._repr_svg_()


def test_a_section_of_what_was_not_kept_is_refused(tmp_path: Path):
    run = cp.load(write_run(tmp_path / "games", games=40, keep="games"))
    assert cp.ties(run)["margins"].height
    for name in ("payouts", "pacing", "seats"):
        with pytest.raises(UserError, match="it was run with --keep games"):
            getattr(cp, name)(run)


def test_a_section_that_a_game_has_nothing_for_is_refused(tmp_path: Path):
    still = cp.load(write_run(tmp_path / "still", games=8))
    sources = still.catalogue.collect().with_columns(kind=pl.lit("claim"), offered=False)
    sources.write_parquet(still.path / "catalogue.parquet")
    for name in ("pacing", "payouts"):
        with pytest.raises(UserError, match=f"Made-up Stars has no {name}"):
            getattr(cp, name)(still)


# The catalogue


def test_the_catalogue_explains_every_column_kind_and_source(run: cp.Run):
    found = cp.catalogue(run)
    schemas = [
        (table, column, str(kind))
        for table in store.TABLES
        for column, kind in getattr(run, table).collect_schema().items()
    ]
    assert found["columns"].select("table", "column", "type").rows() == schemas
    assert found["columns"]["meaning"].null_count() == 0
    meaning = {(table, column): text for table, column, _, text in found["columns"].iter_rows()}
    assert meaning["seats", "largest"] == "Cards."
    assert meaning["seats", "score_amp_r"].startswith("Points from Amp-R;")
    assert meaning["seats", "did_create"].endswith("the action create.")
    assert found["kinds"].rows()[-1] == ("used", "An effect worked.")
    assert found["sources"].equals(run.catalogue.collect())


def test_the_catalogue_names_the_columns_of_what_was_kept_and_a_games_own_of_the_events(
    race: cp.Run, tmp_path: Path
):
    columns = cp.catalogue(race)["columns"]
    assert columns.filter(column="local")["meaning"].to_list() == ["Met by neighbours."]
    kept = cp.load(write_run(tmp_path / "games", games=8, keep="games"))
    assert cp.catalogue(kept)["columns"]["table"].unique().to_list() == ["games"]


def test_the_fixed_columns_and_kinds_are_explained_once_and_all():
    stored = {"games": store.GAMES, "seats": store.SEATS, "events": store.EVENTS}
    assert {table: list(columns) for table, columns in catalogue.COLUMNS.items()} == {
        table: list(columns) for table, columns in stored.items()
    }
    assert tuple(catalogue.KINDS) == EVENT_KINDS


# Side by side


def test_runs_side_by_side_are_those_of_their_common_report(run: cp.Run, tmp_path: Path):
    other = cp.load(write_run(tmp_path / "other", games=200, seed=2))
    found = cp.compare(run, other.path)
    expected = compare.compare([run, other])
    assert found.summary == expected.summary
    assert {name: rows.to_dicts() for name, rows in found.tables.items()} == {
        name: rows.to_dicts() for name, rows in expected.tables.items()
    }


def test_a_stored_run_can_be_told_and_reported_itself(
    toss: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    played = cp.run(toss, games=8, out=tmp_path / "run")
    assert cp.explain(run=played, number=3) == cp.explain(run=played.path, number=3)
    monkeypatch.setattr(report, "write", lambda folder, page, *_: folder)
    assert cp.report(played) == played.path


def test_a_run_is_not_set_beside_itself(run: cp.Run, tmp_path: Path):
    link = tmp_path / "link"
    link.symlink_to(run.path, target_is_directory=True)
    for twice in (run.path, link):
        with pytest.raises(UserError, match="is named twice, expected different runs"):
            cp.compare(run, twice)
        with pytest.raises(UserError, match="is named twice"):
            cp.report(run, twice, out=tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == [link]


def test_a_report_says_which_section_it_measures(
    run: cp.Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    cp.report(run, out=tmp_path / "one.html")
    assert capsys.readouterr().err == "", "it is no terminal"
    cp.report(run, out=tmp_path / "one.html", progress=True)
    shown = capsys.readouterr()
    assert re.search(r"\d+ sections, drawing the page", shown.err)
    assert shown.out == ""
    other = write_run(tmp_path / "other", games=40, seed=2)
    cp.report(run, other, out=tmp_path / "two.html", progress=True)
    assert re.search(r"\d+ sections, drawing the page", capsys.readouterr().err)


def test_a_bar_tells_how_many_sections_are_measured_and_the_next_one(capsys: pytest.CaptureFixture[str]):
    with section_bar(True) as advance:
        assert advance
        advance(3, 18, "pacing")
    assert "3 of 18 sections, measuring pacing 0:00:00" in capsys.readouterr().err


# As a notebook shows them


def test_texts_of_card_files_stay_text_in_a_notebook(run: cp.Run):
    hostile = replace(
        run, experiment=store.Recorded(run.experiment | {"title": HOSTILE, "bots": [HOSTILE] * 4})
    )
    compared = replace(cp.compare(run), summary=[{"topic": HOSTILE, "text": HOSTILE}])
    shown = {
        "run": hostile._repr_html_(),
        "experiment": hostile.experiment._repr_html_(),
        "bots": BotBook({}, {"wild": Bot("wild", HOSTILE, {})}, "wild")._repr_html_(),
        "catalogue": cp.catalogue(run)._repr_html_(),
        "comparison": compared._repr_html_(),
    }
    for what, text in shown.items():
        assert "&lt;script&gt;" in text, what
        assert "<script" not in text, what


def test_a_told_game_is_set_as_markdown_without_html(toss: str, monkeypatch: pytest.MonkeyPatch):
    game = replace(tests.toss.GAME, narrate=lambda design, plan, names: f"# Game\n\n> {HOSTILE} & more")
    monkeypatch.setattr(tests.toss, "GAME", game)
    told = cp.explain(toss)
    assert told == f"# Game\n\n> {HOSTILE} & more"
    assert told._repr_markdown_() == "# Game\n\n> &lt;script>alert('x')&lt;/script> &amp; more"


def test_the_bots_show_how_they_play(toss: str):
    shown = cp.bots(toss)._repr_html_()
    assert "<td>clumsy</td><td>Drops half of the coins.</td><td>aim=-0.25,noise=0.5</td>" in shown
    assert "<td>all defaults</td>" in shown


def test_an_experiment_shows_what_was_changed(run: cp.Run):
    assert "<td>rules.energy_start = 6</td>" in run.experiment._repr_html_()
    assert run.experiment["settings"] == {"rules.energy_start": 6}


def test_an_experiment_shows_itself_before_it_is_played_and_can_be_played(toss: str, tmp_path: Path):
    planned = cp.Experiment.of(toss, games=8, bots="even,lucky,even,clumsy", set={"rules.goal": 2})
    shown = planned._repr_html_()
    assert "<td>rules.goal = 2</td>" in shown
    assert "<td>even, lucky, even, clumsy</td>" in shown
    played = cp.run(experiment=planned, seed=7, set={"rules.rounds": 5}, out=tmp_path / "run")
    assert played.experiment["settings"] == {"rules.goal": 2, "rules.rounds": 5}
    assert (played.experiment["bots"], played.experiment["seed"]) == (list(planned.bots), 7)
    assert shown == cp.run(experiment=planned, out=tmp_path / "as planned").experiment._repr_html_()
    assert "even, lucky, even, clumsy make" in cp.explain(experiment=planned)


def test_a_section_lists_its_frames_without_the_bounds_beside_each_measure(run: cp.Run):
    listed = cp.seats(run)._repr_html_()
    assert "by_seat" in listed
    assert "win_share" in listed
    assert "win_share_low" not in listed
    assert "win_share_n" not in listed
