"""Runs side by side: the numbers of each, their differences, and what tells them apart."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from analysis import compare, report
from analysis.pages.columns import Column
from analysis.pages.sections_compare import comparison_sections
from simulator.game import UserError
from simulator.store import Run, load
from tests.analysis.synthetic import write_race, write_run


@pytest.fixture(scope="module")
def races(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Run]:
    folder = tmp_path_factory.mktemp("runs")
    plain = load(write_race(folder / "plain"))
    longer = load(write_race(folder / "longer", longer=2, settings={"rules.any_lower": True}))
    return plain, longer


OFFERED = "Wins, of the games that offered it"


def row(tables: dict[str, pl.DataFrame], table: str, what: str) -> dict[str, Any]:
    return tables[table].filter(what=what).row(0, named=True)


def test_each_run_has_the_numbers_of_its_own_report(races: tuple[Run, Run]) -> None:
    tables = compare.side_by_side(races)
    for place, run in enumerate(races):
        alone = report.measure(run).tables
        turns = alone["length"]["spread"].row(0, named=True)
        won = alone["seats"]["by_seat"].row(2, named=True)
        red = alone["offers"]["group"].filter(group="Red spires").row(0, named=True)
        drawn = alone["ties"]["drawn"].row(0, named=True)
        finish = alone["payouts"]["source"].filter(source="spire.red2").row(0, named=True)
        local = alone["payments"]["whole"].row(0, named=True)
        trimmed = alone["kinds"]["kinds"].row(1, named=True)
        dead = alone["columns"]["columns"].row(1, named=True)
        draw = alone["actions"]["actions"].row(0, named=True)
        for found, name, expected in (
            (row(tables, "Length", "turns"), "mean", turns),
            (row(tables, "Share of the wins by seat", "seat 2"), "win_share", won),
            (row(tables, "Share of the wins by group: spire", "Red spires"), "paid", red),
            (row(tables, OFFERED, "Red 2"), "paid_offered", finish),
            (row(tables, "Ties", "nobody finishes, all share"), "share", drawn),
            (row(tables, "Endings", "stalemate"), "share", drawn),
            (row(tables, "Payment mix", "local"), "share", local),
            (row(tables, "Times a seat and game", "trimmed"), "mean", trimmed),
            (row(tables, "At the end, share of seats", "dead"), "share", dead),
            (row(tables, "Share of all actions", "draw"), "share", draw),
        ):
            for end in ("", "_low", "_high"):
                assert found[f"run{place}{end}"] == pytest.approx(expected[f"{name}{end}"]), (name, end)


def test_two_rounds_more_are_a_difference_of_six_turns(races: tuple[Run, Run]) -> None:
    """The longer race has the same chance but two rounds more, so that only their events differ by chance."""
    found = compare.side_by_side(races)
    rounds = row(found, "Length", "rounds")
    assert rounds["difference"] == pytest.approx(rounds["run1"] - rounds["run0"])
    assert rounds["difference_low"] <= 2 <= rounds["difference_high"]
    never = row(found, "Endings", "turn limit")
    assert (never["difference"], never["difference_low"]) == (0.0, None)
    assert never["run0_high"] == pytest.approx(3 / 100), "the rule of three, over setups"


def test_a_run_beside_itself_differs_in_nothing(races: tuple[Run, Run]) -> None:
    for table in compare.side_by_side((races[0], races[0])).values():
        assert table["difference"].drop_nulls().abs().max() < 1e-12
        assert table["difference_high"].drop_nulls().abs().sum() < 1e-12


def test_only_runs_that_play_the_same_setups_are_paired(races: tuple[Run, Run], tmp_path: Path) -> None:
    assert compare.are_paired(races)
    other = load(write_race(tmp_path / "seed", seed=2))
    fewer = load(write_race(tmp_path / "fewer", games=150))
    assert not compare.are_paired((races[0], other))
    assert not compare.are_paired((races[0], fewer))
    alone = row(compare.side_by_side((races[0], other)), "Length", "turns")
    halves = [alone[f"run{place}_high"] - alone[f"run{place}"] for place in (0, 1)]
    assert alone["difference_high"] - alone["difference"] == pytest.approx(
        (halves[0] ** 2 + halves[1] ** 2) ** 0.5, rel=0.02
    )


def test_three_runs_have_no_differences_and_what_only_some_have_is_open(
    races: tuple[Run, Run], tmp_path: Path
) -> None:
    bare = load(write_race(tmp_path / "bare", keep="seats"))
    tables = compare.side_by_side((*races, bare))
    assert "Payment mix" not in tables
    assert "Share of the wins by seat" in tables
    assert all("difference" not in table.columns for table in tables.values())
    assert row(tables, "Length", "turns")["run2"] is not None
    only = compare.side_by_side((races[0], load(write_race(tmp_path / "games", keep="games"))))
    assert OFFERED not in tables
    assert set(only) == {"Length", "Endings", "Games by their turns", "Ties"}


def test_runs_are_called_by_what_differs(races: tuple[Run, Run], tmp_path: Path) -> None:
    assert compare.labels(races) == ["rules.any_lower=false", "rules.any_lower=true"]
    other = load(write_race(tmp_path / "other", seed=2, settings={"rules.hand_limit": 9}))
    assert compare.labels((races[0], other)) == [
        "seed=1, rules.hand_limit=7",
        "seed=2, rules.hand_limit=9",
    ]
    fewer = load(write_race(tmp_path / "fewer", games=150))
    assert compare.labels((races[0], fewer)) == ["games=300", "games=150"]
    assert compare.labels((races[1], fewer)) == ["rules.any_lower=true", "rules.any_lower=false"]


def test_runs_that_differ_in_nothing_are_called_by_their_folders(
    races: tuple[Run, Run], tmp_path: Path
) -> None:
    again = load(write_race(tmp_path / "again"))
    assert compare.labels((races[0], again)) == ["plain", "again"]
    same_name = load(write_race(tmp_path / "plain"))
    above = [f"{each.path.parent.name}/plain" for each in (races[0], same_name)]
    assert compare.labels((races[0], same_name)) == above
    assert compare.labels((races[0], races[0])) == [str(races[0].path)] * 2
    assert compare.labels((races[0], again, races[1])) == [
        "plain: rules.any_lower=false", "again: rules.any_lower=false", "longer: rules.any_lower=true",
    ]  # fmt: skip


def test_runs_that_differ_in_much_are_called_by_their_folders_and_the_page_says_it_once(
    races: tuple[Run, Run], tmp_path: Path
) -> None:
    other = load(write_race(tmp_path / "other", seed=2, settings={"rules.hand_limit": 9}))
    assert compare.labels((*races, other)) == ["plain", "longer", "other"]
    assert compare.differing((*races, other)) == {
        "seed": ["1", "1", "2"],
        "rules.any_lower": ["false", "true", "false"],
        "rules.hand_limit": ["7", "7", "9"],
    }
    text = compare.write((*races, other), tmp_path / "beside.html").read_text(encoding="utf-8")
    for line in ("seed = 2", "rules.any_lower = true", "rules.hand_limit = 9"):
        assert text.count(f"<div>{line}</div>") == 1, line
    assert text.count("<div>ann, bob, cid</div>") == 3


def test_runs_that_differ_in_several_things_say_first_that_each_may_be_the_cause(
    races: tuple[Run, Run],
) -> None:
    def first(*runs: Run) -> str:
        return compare.compare(runs).summary[0]["text"]

    others = Run(races[1].path, races[1].experiment | {"bots": ["ann", "ann", "ann"]})
    assert first(races[0], others).startswith(
        "They differ in bots and rules.any_lower: a difference may come from either. The second, "
    )
    further = Run(races[1].path, others.experiment | {"cards": "mine", "seed": 2})
    assert first(races[0], further).startswith(
        "They differ in cards, bots and rules.any_lower: a difference may come from any of these. "
    )
    assert first(*races).startswith("They differ in rules.any_lower. The second, ")
    assert "rules.any_lower=true (300 games)" in first(*races)
    assert "rules.any_lower=false (300 games)" in first(*races)
    assert first(races[0], races[0]).startswith("The second, ")


def test_a_source_is_paid_in_games_that_offered_it_whatever_it_took_from_others(
    races: tuple[Run, Run], tmp_path: Path
) -> None:
    folder = write_race(tmp_path / "losses", games=60)
    part = folder / "events" / "part-000000.parquet"
    events = pl.read_parquet(part)
    losses = events.filter(kind="lapsed").with_columns(
        kind=pl.lit("paid"), amount=pl.lit(-1, events["amount"].dtype)
    )
    pl.concat([events, losses]).write_parquet(part)
    found = compare.side_by_side((load(folder), races[0]))[OFFERED]
    assert sorted(found["what"]) == ["Blue 1", "Blue 2", "Green 1", "Green 2", "Red 1", "Red 2"]
    offered, paid = (
        {(game, source) for game, source in events.filter(kind=kind).select("game", "source").iter_rows()}
        for kind in ("offered", "paid")
    )
    of_red = {each for each in offered if each[1] == "spire.red1"}
    red = found.filter(what="Red 1").row(0, named=True)
    assert red["run0_n"] == len(of_red)
    assert red["run0"] == pytest.approx(len(of_red & paid) / len(of_red))


def test_sources_that_were_changed_come_first_and_are_told_always(
    races: tuple[Run, Run], tmp_path: Path
) -> None:
    changed = load(write_race(tmp_path / "changed", seed=2, settings={"spires.red2.vp": 9}))
    found = compare.compare((races[0], changed))
    table = found.tables[OFFERED]
    assert table["changed"].to_list() == [True] + 5 * [False]
    assert table["what"][0] == "Red 2"
    assert table["q"][1:].is_sorted()
    assert (table["q"] > 0.05).all(), "nothing stands out"
    told = found.summary[1]
    one = table.row(0, named=True)
    assert told["topic"] == "Changed"
    assert told["text"].startswith(f"{OFFERED}, whether it stands out or not: Red 2 {100 * one['run0']:.1f}")
    assert told["text"].endswith(f" of {one['run0_n']} and {one['run1_n']} games.")
    quiet = next(each["text"] for each in found.summary if each["topic"] == "Nothing else stands out")
    assert f"{OFFERED[0].lower()}{OFFERED[1:]}" in quiet
    three = compare.compare((races[0], changed, races[0]))
    assert three.tables[OFFERED]["what"].to_list() == [
        "Red 2", "Blue 1", "Blue 2", "Green 1", "Green 2", "Red 1",
    ]  # fmt: skip
    assert three.summary[1]["text"].startswith(f"{OFFERED}, whether it stands out or not: Red 2 ")
    assert not compare.side_by_side(races)[OFFERED]["changed"].any()


def test_two_sources_of_one_name_are_told_apart(tmp_path: Path) -> None:
    folder = write_race(tmp_path / "twins", games=60)
    names = pl.col("name").replace("Red 2", "Red 1")
    pl.read_parquet(folder / "catalogue.parquet").with_columns(names).write_parquet(
        folder / "catalogue.parquet"
    )
    found = compare.side_by_side((load(folder), load(folder)))[OFFERED]
    assert {"Red 1 (spire.red1)", "Red 1 (spire.red2)", "Blue 1"} < set(found["what"])


def test_the_ends_of_several_runs_are_told_with_interval_and_run(
    races: tuple[Run, Run], tmp_path: Path
) -> None:
    short = load(write_race(tmp_path / "short", games=150))
    found = compare.compare((*races, short))
    told = {line["topic"]: line["text"] for line in found.summary}
    for run in found.runs:
        assert f"{run['label']} ({run['games']} games)" in told["Differences"]
    rounds = row(found.tables, "Length", "rounds")
    place = max(range(3), key=lambda each: rounds[f"run{each}"])
    low, high = (rounds[f"run{place}_{end}"] for end in ("low", "high"))
    label = found.runs[place]["label"]
    assert f"to {rounds[f'run{place}']:.1f} ({low:.1f}–{high:.1f}, {label})" in told["Length"]


def test_a_difference_that_nobody_can_read_is_not_told() -> None:
    seen = {"what": "energy", "rate": False, "run0": 23.9, "run1": 24.9, "difference": 1.0, "q": 0.0}
    unseen = seen | {"what": "pile", "run1": 23.9004, "difference": -0.0004}
    facts: list[dict[str, Any]] = [{"label": name, "games": 9, "differs": {}} for name in "ab"]
    table = pl.DataFrame([unseen, seen]).with_columns(difference_low=0.1, difference_high=1.9)
    told = compare._summary(facts, True, {"End": table})[-1]["text"]
    assert told == "Energy 23.9 → 24.9, +1.00 (+0.10 to +1.90)."
    for kind in ("mean difference", "rate difference"):
        numbers = {"x": -0.000001, "x_low": -0.02, "x_high": 0.0}
        cell = Column("", "x", kind).cell(numbers)
        assert cell["text"].startswith("0.00")
        assert cell["note"].startswith("−")
        assert cell["note"].endswith((" to 0.00", " to 0"))


def test_a_figure_of_many_sources_shows_those_that_stand_out_most(tmp_path: Path) -> None:
    runs = [load(write_run(tmp_path / str(seed), games=40, seed=seed)) for seed in (1, 2)]
    found = compare.compare(runs)
    title = "Paid, of the games that offered it"
    section = next(each for each in comparison_sections(found) if each["title"] == title)
    rows = found.tables[title]
    assert section["note"].startswith(f"The figure shows 24 of {rows.height}")
    svg = str(section["figures"][0]["svg"])
    assert rows.height == len(section["tables"][0]["rows"]) > 24
    assert rows["what"][0] in svg
    assert rows["what"][-1] not in svg


def test_a_setting_is_looked_up_in_the_design() -> None:
    about = {
        "design": {"rules": {"limit": 7}, "cards": [{"id": "a1", "cost": {"blue": 3}, "arrows": "W NW"}]}
    }
    run = Run(Path("run"), about)
    assert compare._value(run, {}, "rules.limit") == "7"
    assert compare._value(run, {}, "cards.a1.cost.blue") == "3"
    assert compare._value(run, {}, "cards.a1.arrows") == "W NW"
    assert compare._value(run, {}, "cards.a2.cost.blue") == "default"
    assert compare._value(run, {}, "cards.a1.cost") == "default"


def test_a_run_from_before_a_column_was_there_is_compared_in_the_others(
    races: tuple[Run, Run], tmp_path: Path
) -> None:
    folder = write_race(tmp_path / "old")
    part = folder / "seats" / "part-000000.parquet"
    pl.read_parquet(part).drop("dead", "did_pass").write_parquet(part)
    about = json.loads((folder / "experiment.json").read_text(encoding="utf-8"))
    rest = {key: value for key, value in about.items() if key != "payments"}
    (folder / "experiment.json").write_text(json.dumps(rest), encoding="utf-8")
    for runs in ((races[0], load(folder)), (load(folder), races[0])):
        tables = compare.side_by_side(runs)
        assert tables["At the end, mean of a seat"]["what"].to_list() == ["placed"]
        assert tables["Share of all actions"]["what"].to_list() == ["draw", "place", "spire"]
        assert not {"At the end, share of seats", "Payment mix"} & set(tables)


def test_runs_of_different_games_are_refused(races: tuple[Run, Run], tmp_path: Path) -> None:
    stars = load(write_run(tmp_path / "stars", games=40))
    with pytest.raises(UserError, match="made_up_race, made_up can't stand side by side"):
        compare.compare((races[0], stars))


def test_the_page_and_its_numbers_say_which_runs_they_are_of(races: tuple[Run, Run], tmp_path: Path) -> None:
    page = compare.write(races, tmp_path / "new" / "beside.html")
    text = page.read_text(encoding="utf-8")
    found = json.loads((tmp_path / "new" / "beside.json").read_text(encoding="utf-8"))
    assert set(found) == {"schema", "runs", "paired", "summary", "tables", "examples"}
    assert [run["label"] for run in found["runs"]] == ["rules.any_lower=false", "rules.any_lower=true"]
    assert found["paired"] is True
    for words in (
        "Made-up Race: side by side",
        "rules.any_lower=true",
        "beside.json",
        "reconstructed",
        "Difference",
    ):
        assert words in text
    length = found["tables"]["Length"][0]
    assert f'data-sort="{length["difference"]}"' in text
    sentence = next(each["text"] for each in found["summary"] if each["topic"] == "Length")
    assert sentence.startswith("Turns ")


def test_the_same_runs_give_the_same_bytes(races: tuple[Run, Run], tmp_path: Path) -> None:
    one, other = (compare.write(races, tmp_path / name / "page.html") for name in ("one", "other"))
    assert one.read_bytes() == other.read_bytes()
    assert one.with_suffix(".json").read_bytes() == other.with_suffix(".json").read_bytes()


def test_runs_of_stars_stand_side_by_side_too(tmp_path: Path) -> None:
    runs = [load(write_run(tmp_path / str(seed), games=80, seed=seed)) for seed in (1, 2)]
    tables = compare.side_by_side(runs)
    assert tables["Ties"]["what"].to_list() == [
        "tied on points", "shared after every tie-break", "won by at most one point",
    ]  # fmt: skip
    assert tables["Share of the payouts by group: prophecy"].height == 5
    assert compare.labels(runs) == ["seed=1", "seed=2"]


def test_what_happens_in_some_games_only_names_the_first_of_each_run(races: tuple[Run, Run]) -> None:
    found = compare.side_by_side(races)
    for table, column in (("Endings", "ending"), ("Games by their turns", "turns")):
        for line in found[table].to_dicts():
            for place, run in enumerate(races):
                games = run.games.collect().sort("game")
                if column == "ending":
                    there = games.filter(pl.col("ending").str.replace_all("_", " ") == line["what"])
                else:
                    least, _, most = line["what"].partition("–")
                    there = games.filter(pl.col("turns").is_between(int(least), int(most or least)))
                first = there["game"][0] if there.height else None
                assert line[f"run{place}_example"] == first, line["what"]
                assert line[f"run{place}"] == pytest.approx(there.height / games.height)
    spans = found["Games by their turns"]
    assert spans["run0"].sum() == pytest.approx(1)
    assert spans["run1"].sum() == pytest.approx(1), "the spans hold the games of all runs"


def test_deals_that_went_otherwise_name_the_games_that_changed_most(races: tuple[Run, Run]) -> None:
    found = compare.compare(races).examples["Deals that went otherwise"]
    games = races[0].games.collect().join(races[1].games.collect(), on="game", suffix="_1")
    change = games.select("game", change=pl.col("turns_1") - pl.col("turns"))
    longer = found.filter(what="longer in the second")
    most = change.sort("change", "game", descending=[True, False]).head(longer.height)
    assert longer["run0_example"].to_list() == longer["run1_example"].to_list() == most["game"].to_list()
    assert (longer["run1_turns"] - longer["run0_turns"]).to_list() == most["change"].to_list()
    assert longer["share"][0] == pytest.approx((change["change"] > 0).mean())
    turned = compare.compare(races[::-1]).examples["Deals that went otherwise"]
    shorter = turned.filter(what="shorter in the second")
    assert shorter["run0_example"].to_list() == most["game"].to_list(), "the same the other way round"
    won = [
        dict(run.seats.filter(pl.col("win_share") == 1).select("game", "seat").collect().iter_rows())
        for run in races
    ]
    other = found.filter(what="won by another seat")
    for line in other.to_dicts():
        game = line["run0_example"]
        for place in (0, 1):
            if game in won[place]:
                assert line[f"run{place}_winners"] == str(won[place][game])
        assert line["run0_winners"] != line["run1_winners"]
    assert "Deals that went otherwise" not in compare.compare((races[0], races[0], races[1])).examples


def test_a_run_beside_itself_has_no_deal_that_went_otherwise(races: tuple[Run, Run]) -> None:
    assert set(compare.compare((races[0], races[0])).examples) == {"Games that stand out"}


def test_each_run_has_its_own_games_that_stand_out_and_its_own_command(
    races: tuple[Run, Run], tmp_path: Path
) -> None:
    found = compare.compare(races).examples["Games that stand out"]
    longest = found.filter(what="longest game (turns)").row(0, named=True)
    page = compare.write(races, tmp_path / "beside.html").read_text(encoding="utf-8")
    for place, run in enumerate(races):
        games = run.games.collect().sort("turns", "game", descending=[True, False])
        assert (longest[f"run{place}"], longest[f"run{place}_example"]) == games.select("turns", "game").row(
            0
        )
        assert f'data-copy="counterpoise explain --run {run.path} --game {games["game"][0]}"' in page


def test_wins_of_other_numbers_of_players_are_told_per_fair_share(
    races: tuple[Run, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    few = races[0]
    # The same games told as those of twice as many players: of the same share of the wins twice as many are fair.
    many = Run(few.path, few.experiment | {"players": 6})
    monkeypatch.setattr(
        compare,
        "_seated",
        lambda run: run.seats.join(
            run.games.select("game", "setup", players=pl.lit(run.experiment["players"])), on="game"
        ),
    )
    tables = compare.side_by_side((few, many))
    assert "Share of the wins by seat" not in tables
    by_seat = tables["Wins per fair share by seat"]
    alone = compare.side_by_side((few, few))["Share of the wins by seat"]
    assert by_seat["run0"].to_list() == pytest.approx((3 * alone["run0"]).to_list())
    assert by_seat["run1"].to_list() == pytest.approx((6 * alone["run0"]).to_list())
    assert by_seat["run0"].mean() == pytest.approx(1), "on average a seat wins what is fair"


def test_a_notebook_draws_any_table_side_by_side(races: tuple[Run, Run]) -> None:
    beside = compare.compare(races)
    drawn = beside.figure("Endings")
    assert [axes.get_xlabel() for axes in drawn.axes][1] == "difference, in percentage points"
    assert {text.get_text() for text in drawn.legends[0].texts} == {run["label"] for run in beside.runs}
    assert beside.figure().axes[0].get_yticklabels()[0].get_text() == "turns"
    assert len(beside.figure("Games by their turns").axes) == 1
    with pytest.raises(UserError, match="there is no table 'Ending', expected"):
        beside.figure("Ending")


def test_runs_of_one_game_with_other_seeds_seldom_tell_of_a_difference(tmp_path: Path) -> None:
    told, alone = 0, 0
    for seed in range(1, 13, 2):
        runs = [load(write_race(tmp_path / str(each), games=90, seed=each)) for each in (seed, seed + 1)]
        rows = pl.concat(compare.side_by_side(runs).values(), how="diagonal_relaxed")
        told += (rows["q"] <= 0.05).sum()
        alone += ((rows["difference_low"] > 0) | (rows["difference_high"] < 0)).sum()
    assert alone >= 6, "one in twenty by itself"
    assert told <= 2


def test_a_planted_difference_is_told_and_named(races: tuple[Run, Run]) -> None:
    tables = compare.side_by_side(races)
    assert row(tables, "Length", "turns")["q"] < 0.001
    assert "p" not in tables["Length"].columns
    assert "q" not in compare.side_by_side((*races, races[0]))["Length"].columns
