"""The report: one page and one file of numbers, from any run, whatever its texts."""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from analysis import report
from analysis.pages import charts
from analysis.pages.columns import Column
from analysis.words import percent, plural
from simulator import runner
from simulator.experiment import Experiment
from simulator.store import load
from tests.analysis.synthetic import write_race, write_run

HOSTILE = "<script>alert('x')</script>"


class Outline(HTMLParser):
    """What a browser would make of the page: elements, ids, addresses."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.handlers: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("src", "href", "xlink:href", "data", "action"):
                self.addresses.append(value or "")
            if name.startswith("on"):
                self.handlers.append(name)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = write_run(tmp_path_factory.mktemp("runs") / "base", games=400)
    assert report.write(run) == run / "report.html"
    return run


@pytest.fixture(scope="module")
def page(folder: Path) -> str:
    return (folder / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def numbers(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "report.json").read_text(encoding="utf-8")))


def test_the_page_needs_nothing_but_itself(page: str) -> None:
    outline = Outline(page)
    assert all(address.startswith(("#", "data:")) for address in outline.addresses)
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page)
    assert len(page) < 5_000_000


def test_texts_of_card_files_stay_text(page: str) -> None:
    outline = Outline(page)
    assert outline.tags.count("script") == 1
    assert outline.handlers == []
    assert HOSTILE not in page
    assert page.count("&lt;script&gt;alert(") >= 3, "the name should be there, escaped, in figures and tables"
    figures = "".join(re.findall(r"<svg.*?</svg>", page, re.DOTALL))
    assert "$x^2$" in re.sub(r"<!--.*?-->", "", figures, flags=re.DOTALL), "names are no mathematics"


def test_ids_on_the_page_are_there_once(page: str) -> None:
    ids = [each for each in Outline(page).ids if not re.fullmatch(r"[mph][0-9a-f]{10}", each)]
    assert len(ids) == len(set(ids))


def test_the_page_says_first_that_the_cards_are_reconstructed(page: str) -> None:
    banner = page.index("The card values are reconstructed.")
    assert banner < page.index("In a minute</h2>")
    assert "star_cards.csv, prophecies.toml" in page


def test_a_run_with_printed_cards_has_no_such_banner(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", games=40, keep="games")
    about = json.loads((run / "experiment.json").read_text(encoding="utf-8")) | {"reconstructed": []}
    (run / "experiment.json").write_text(json.dumps(about), encoding="utf-8")
    assert "reconstructed" not in report.write(run).read_text(encoding="utf-8")


def test_the_page_names_games_bots_seed_and_fingerprint(page: str) -> None:
    for text in (
        "400 games",
        "seat 1: prophet:vvibon=1.5",
        "<dd>1</dd>",
        "f00dfeedf00d",
        "rules.energy_start = 6",
    ):
        assert text in page


def test_every_number_of_the_page_stands_in_the_file(page: str, numbers: dict[str, Any]) -> None:
    assert numbers["schema"] == report.SCHEMA
    assert set(numbers) == {
        "schema", "run", "summary", "details", "left_out", "verdicts", "payouts", "offers", "pacing", "ties", "seats",
        "scores",
        "length", "examples", "actions", "strength", "kinds", "columns", "waits", "steps", "tension", "bots", "coverage",
    }  # fmt: skip
    assert set(numbers["payouts"]) == {
        "source",
        "round",
        "players",
        "group",
        "kind",
        "seat",
        "bot",
        "paid_round",
    }
    row = next(row for row in numbers["payouts"]["source"] if row["source"] == "prophecy.meculog_4")
    assert f'data-sort="{row["paid_offered"]}"' in page
    assert row["paid_offered_low"] < row["paid_offered"] < row["paid_offered_high"]
    assert row["paid_offered_n"] == row["offered"]


def test_the_summary_speaks_of_prophecies_tracks_ties_and_seats(numbers: dict[str, Any]) -> None:
    topics = [sentence["topic"] for sentence in numbers["summary"]]
    assert topics == [
        "Uncertain", "Prophecies", "Amp-R", "Vvibon", "Ties", "Seats", "Bots", "Scores", "Tension",
        "Length", "Strength", "Never seen",
    ]  # fmt: skip
    assert [sentence["topic"] for sentence in numbers["details"]] == [
        "Providences", "Primos", "Precision", "Actions", "This game's own events",
    ]  # fmt: skip
    told = {sentence["topic"]: sentence["text"] for sentence in numbers["summary"]}
    ties = next(row for row in numbers["ties"]["outcomes"] if row["outcome"] == "tied on points")
    assert percent(ties, "share", "games") in told["Ties"]
    middle = next(row for row in numbers["tension"]["course"] if row["tenth"] == 5)
    assert percent(middle, "leader_wins", "games") in told["Tension"]
    never = [row for row in numbers["coverage"]["games"] if row["never"]]
    assert told["Never seen"].startswith(f"{len(never)} of {len(numbers['coverage']['games'])} things")


def test_every_verdict_is_told_in_the_summary(numbers: dict[str, Any]) -> None:
    told = {sentence["topic"]: sentence["text"] for sentence in numbers["summary"]}
    topics = {
        "within": "Within its band", "open": "Uncertain", "above": "Out of its band", "below": "Out of its band",
    }  # fmt: skip
    for family in ("seats", "ties"):
        rows = [row for row in numbers["verdicts"]["bands"] if row["family"] == family]
        for topic in set(topics.values()):
            of_topic = [row for row in rows if topics[row["verdict"]] == topic]
            assert all(f"{row['name'][1:]} {percent(row, 'value')}" in told[topic] for row in of_topic)


def test_an_example_is_a_command_that_shows_a_game_in_which_the_source_paid(
    folder: Path, page: str, numbers: dict[str, Any]
) -> None:
    row = next(row for row in numbers["payouts"]["source"] if row["source"] == "prophecy.onumira_7")
    assert f'data-copy="counterpoise explain --run {folder} --game {row["example"]}"' in page
    named = set(re.findall(r'data-copy="counterpoise explain --run \S+ --game (\d+)"', page))
    bins = [*numbers["ties"]["margins"], *numbers["length"]["turn_bins"], *numbers["length"]["endings"]]
    bins += [*numbers["scores"]["bins"], *numbers["examples"]["outliers"], *numbers["strength"]["source"]]
    assert {str(each["example"]) for each in bins if each["example"] is not None} <= named
    steps = numbers["pacing"]["step"]
    assert {str(each["never_example"]) for each in steps if each["never"]} <= named


@pytest.mark.parametrize(
    ("keep", "there", "gone"),
    [
        (
            "games",
            {"ties", "length", "coverage"},
            {"payouts", "seats", "scores", "actions", "columns", "strength", "kinds", "bots", "tension"},
        ),
        (
            "seats",
            {"ties", "seats", "scores", "actions", "columns", "bots", "coverage"},
            {"payouts", "strength", "kinds", "offers", "tension", "waits", "steps"},
        ),
    ],
)
def test_a_run_that_kept_less_gets_what_it_can_and_says_what_is_left_out(
    tmp_path: Path, keep: str, there: set[str], gone: set[str]
) -> None:
    run = write_run(tmp_path / "run", games=40, keep=keep)
    page = report.write(run).read_text(encoding="utf-8")
    found = json.loads((run / "report.json").read_text(encoding="utf-8"))
    assert there <= set(found)
    assert not gone & set(found)
    assert len(found["left_out"]) == 2 - (keep == "seats")
    assert all(sentence in page for sentence in found["left_out"])


def test_the_same_run_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    again = report.write(folder, tmp_path / "elsewhere" / "report.html")
    assert again.read_bytes() == (folder / "report.html").read_bytes()
    assert again.with_suffix(".json").read_bytes() == (folder / "report.json").read_bytes()


def test_four_games_of_two_seats_are_enough_for_a_page(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", games=4, players=2)
    assert "Counterpoise report on 4 games of 2 players" in report.write(run).read_text(encoding="utf-8")


def test_measuring_loads_no_matplotlib_and_no_numba() -> None:
    code = "import sys, analysis.report; print(sorted({'matplotlib', 'numba', 'jinja2'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("word", "many"), [("prophecy", "prophecies"), ("primos", "primos"), ("card", "cards")]
)
def test_families_have_plurals(word: str, many: str) -> None:
    assert plural(word) == many


def test_labels_at_curves_keep_their_order_and_do_not_overlap() -> None:
    heights = [0.99, 0.98, 1.0, 0.2, 0.21, 0.0]
    placed = charts._apart(heights, 0.05)
    in_order = [placed[place] for place in sorted(range(6), key=heights.__getitem__)]
    assert all(above - below >= 0.05 - 1e-12 for below, above in pairwise(in_order))
    assert max(placed) <= 1.0


def test_a_label_far_from_the_others_stays_at_its_curve() -> None:
    assert charts._apart([0.99, 0.98, 0.97, 0.1], 0.05)[3] == 0.1


def test_another_game_gets_its_report_too(toss: str, tmp_path: Path) -> None:
    experiment = Experiment(game=toss, players=2, games=60, bots=("even", "even"), seed=3)
    folder = tmp_path / "toss"
    runner.run(experiment, folder, workers=1)
    page = report.write(folder).read_text(encoding="utf-8")
    assert "Track pacing: The track" in page
    assert "every tie-break" in page
    assert "Columns of this game&#39;s own" in page
    assert "The heads that the seat tossed." in page
    assert "cheered" in page


# A race


@pytest.fixture(scope="module")
def race(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_race(tmp_path_factory.mktemp("race") / "run")
    report.write(folder)
    return folder


def numbers_of(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "report.json").read_text(encoding="utf-8")))


def test_a_race_tells_how_it_is_drawn_instead_of_an_empty_table(race: Path) -> None:
    numbers = numbers_of(race)
    page = (race / "report.html").read_text(encoding="utf-8")
    assert set(numbers["ties"]) == {"drawn"}
    whole = numbers["ties"]["drawn"][0]
    assert 0.01 < whole["share"] < 0.1
    sentence = next(each["text"] for each in numbers["summary"] if each["topic"] == "Ties")
    assert "ties cannot happen, except that all seats share" in sentence
    assert f"{percent(whole, 'share', 'games')} are drawn so: stalemate" in sentence
    assert page.count(f"{percent(whole, 'share', 'games')} are drawn so") == 2, (
        "in the summary and the section"
    )
    assert "every tie-break" not in page


def test_a_race_that_is_never_drawn_gives_the_bound(tmp_path: Path) -> None:
    folder = write_race(tmp_path / "run", games=60, stalemates=0)
    page = report.write(folder).read_text(encoding="utf-8")
    assert "none of 60 games is: less than 15.0 % are (95 %, rule of three)" in page
    assert "Drawn games" not in page


def test_a_race_has_no_scores_but_its_winners_turns(race: Path) -> None:
    numbers = numbers_of(race)
    topics = [each["topic"] for each in numbers["summary"]]
    assert topics == [
        "Out of its band", "Uncertain", "Spires", "Spire wins", "Cathedral", "Ties", "Seats", "Bots", "Tension",
        "Length", "Strength", "Never seen",
    ]  # fmt: skip
    assert "scores" not in numbers
    page = (race / "report.html").read_text(encoding="utf-8")
    assert "Mean score" not in page
    assert "VP" not in page
    assert "The winner takes" in next(
        each["text"] for each in numbers["summary"] if each["topic"] == "Length"
    )


def test_what_a_game_declares_is_explained_where_it_stands(race: Path) -> None:
    page = (race / "report.html").read_text(encoding="utf-8")
    for sentence in (
        "A card too many.",
        "Cards placed.",
        "Met by discards.",
        "1 if nothing could be placed.",
    ):
        assert sentence in page


def test_cards_of_the_hand_have_strength_but_no_payout_rates(race: Path) -> None:
    numbers = numbers_of(race)
    paid = {row["source"] for row in numbers["payouts"]["source"]}
    assert {source.partition(".")[0] for source in paid} == {"spire"}
    strong = {row["source"] for row in numbers["strength"]["source"] if row["kind"] == "paid"}
    assert {source.partition(".")[0] for source in strong} == {"card"}


def test_tables_without_rows_and_columns_without_numbers_are_left_out(race: Path) -> None:
    page = (race / "report.html").read_text(encoding="utf-8")
    assert "P(paid | offered) by the round of the offer" not in page
    assert "Effect chosen" not in page
    assert not re.search(r"<tbody>\s*</tbody>", page)


def test_rounds_of_a_long_game_stand_in_spans(race: Path) -> None:
    page = (race / "report.html").read_text(encoding="utf-8")
    assert "rounds 3–4" in page
    assert "By end of round 2<" in page
    assert "By end of round 3<" not in page


def test_a_game_in_which_nobody_offers_anything_has_no_payout_rates(tmp_path: Path) -> None:
    folder = write_race(tmp_path / "run", games=60)
    catalogue = pl.read_parquet(folder / "catalogue.parquet").with_columns(offered=False)
    catalogue.write_parquet(folder / "catalogue.parquet")
    page = report.write(folder).read_text(encoding="utf-8")
    assert "Payout rates" not in page
    assert "Track pacing: Cathedral" in page


def test_a_race_without_tracks_says_that_it_has_no_tension(tmp_path: Path) -> None:
    folder = write_race(tmp_path / "run", games=60)
    catalogue = pl.read_parquet(folder / "catalogue.parquet").filter(pl.col("source") != "cathedral")
    catalogue.write_parquet(folder / "catalogue.parquet")
    page = report.write(folder).read_text(encoding="utf-8")
    assert report.NO_TENSION in page
    assert "tension" not in numbers_of(folder)


def test_a_race_tells_its_tension_by_its_track_and_its_strength_by_its_winners(race: Path) -> None:
    numbers = numbers_of(race)
    page = (race / "report.html").read_text(encoding="utf-8")
    assert "steps on the tracks, as a race has no points before its end" in page
    wins = {row["bot"]: row["win_share"] for row in numbers["seats"]["by_bot"]}
    worth = {row["bot"]: row["worth"] for row in numbers["bots"]["worth"]}
    assert sum(worth.values()) == pytest.approx(1)
    assert sorted(worth, key=worth.__getitem__) == sorted(wins, key=wins.__getitem__)


def test_what_never_happened_stands_on_the_page_with_its_bound(race: Path) -> None:
    row = next(row for row in numbers_of(race)["coverage"]["games"] if row["name"] == "turn_limit")
    assert (row["never"], row["share_high"]) == (True, 0.03)
    assert "turn limit" in (race / "report.html").read_text(encoding="utf-8")


def test_seats_are_counted_from_0_in_words_too(page: str) -> None:
    assert "Seat 0 starts." in page


def test_a_part_named_by_a_colour_has_it_and_no_two_parts_are_alike() -> None:
    named = charts._colours_of(["Blue spires", "Green spires", "Red spires", "Others"])
    assert named[:3] == [charts.BLUE, charts.GREEN, charts.VERMILLION]
    assert len(set(named)) == 4
    doubled = charts._colours_of(["red hats", "red coats", "Boots"])
    assert len(set(doubled)) == 3


def test_too_many_parts_become_one_and_none_is_lost() -> None:
    names = [f"part {place}" for place in range(9)]
    rows = pl.DataFrame({"part": names, "share": [0.2, 0.01, 0.2, 0.2, 0.02, 0.2, 0.1, 0.05, 0.02]})
    found = charts._most(rows, "part", 7)
    assert len(found) == 7
    assert list(found)[-1] == "others"
    assert sorted(name for members in found.values() for name in members) == names
    assert set(found["others"]) == {"part 1", "part 4", "part 8"}


def test_differences_are_written_with_their_sign() -> None:
    row = {"d": -0.0123, "d_low": -0.02, "d_high": 0.003}
    cell = Column("", "d", "rate difference").cell(row)
    assert (cell["text"], cell["note"], cell["sort"]) == ("−1.2 points", "−2.0 to +0.30", -0.0123)
    assert Column("", "d", "mean difference").cell({"d": 3.0})["text"] == "+3.00"
    assert Column("", "d", "rate difference").cell({"d": 0.0})["text"] == "0 points"


def test_rates_that_a_run_can_not_tell_apart_are_called_so(numbers: dict[str, Any], tmp_path: Path) -> None:
    text = {each["topic"]: each["text"] for each in numbers["summary"] + numbers["details"]}
    assert "Their intervals overlap" not in text["Prophecies"]
    few = report.measure(load(write_run(tmp_path / "few", games=12)))
    told = {each["topic"]: each["text"] for each in few.summary + few.details}
    assert "Their intervals overlap: this run may not tell them apart." in told["Providences"]
    rates = few.tables["payouts"]["source"].filter(pl.col("offered") > 0)
    wide = rates.filter(pl.col("paid_offered_high") - pl.col("paid_offered_low") > 0.1)
    assert (
        f"Of {rates.height} payout rates {wide.height} have intervals wider than 10 points"
        in told["Precision"]
    )
