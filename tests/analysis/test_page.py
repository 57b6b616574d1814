"""The page in a real browser: a mouse, a keyboard, a phone, a printer, and a command that works.

Without a Chromium these tests are left out; COUNTERPOISE_BROWSER_TESTS=required makes that a failure.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analysis import compare, report
from simulator import games, runner, store
from simulator.experiment import Experiment
from tests.analysis.chromium import BROWSER, REQUIRED, Chromium

HOSTILE = "<script>alert(1)</script> <b>bold</b> & 'q'"
SOURCES = (
    "[...document.querySelectorAll('main table')].find(each => each.caption.textContent === 'All sources')"
)


def played(folder: Path, game: str, bots: tuple[str, ...], **further: Any) -> Path:
    experiment = Experiment(game=game, players=len(bots), games=12, bots=bots, seed=3, **further)
    runner.run(experiment, folder, workers=1)
    return folder


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    if BROWSER is None:
        if os.environ.get(REQUIRED) == "required":
            pytest.fail(f"no chromium was found, and {REQUIRED} says that these tests may not be left out")
        pytest.skip("left out: no chromium on this machine, so nobody looked at the page")
    with Chromium(tmp_path_factory.mktemp("browser")) as found:
        yield found


@pytest.fixture(scope="module")
def folder(browser: Chromium, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report on a few games with a card whose name would do harm if it were not text."""
    cards = tmp_path_factory.mktemp("cards")
    file = games.game("ilumeia").data / "prophecies.toml"
    text = file.read_text(encoding="utf-8")
    assert text.count('name = "Spare Capacitor"') == 1
    hostile = text.replace('name = "Spare Capacitor"', f'name = "{HOSTILE}"')
    (cards / file.name).write_text(hostile, encoding="utf-8")
    run = played(
        tmp_path_factory.mktemp("with a space") / "run", "ilumeia", ("balanced", "prophet"), cards=cards
    )
    report.write(run)
    return run


@pytest.fixture(scope="module")
def race(browser: Chromium, tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = played(tmp_path_factory.mktemp("race") / "run", "luminis", ("balanced", "mason"))
    report.write(run)
    return run


@pytest.fixture(scope="module")
def changed(browser: Chromium, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same deals as those of `race` under another rule."""
    folder = tmp_path_factory.mktemp("changed") / "run"
    return played(folder, "luminis", ("balanced", "mason"), settings={"rules.hand_limit": 5})


@pytest.fixture(scope="module")
def sides(race: Path, changed: Path) -> Path:
    return compare.write([store.load(race), store.load(changed)], race / "sides.html")


@pytest.fixture
def page(browser: Chromium, folder: Path) -> Iterator[Chromium]:
    """The browser with the report just opened; its console is silent at the end."""
    browser.resize(1280, 900)
    browser.open(folder / "report.html")
    yield browser
    assert browser.complaints == []


def column(page: Chromium, label: str) -> int:
    heads = page.value(f"[...{SOURCES}.tHead.rows[0].cells].map(each => each.textContent.trim())")
    return int(heads.index(label))


def values(page: Chromium, place: int) -> list[str]:
    found = page.value(f"[...{SOURCES}.tBodies[0].rows].map(row => row.cells[{place}].dataset.sort)")
    return list(found)


def test_a_click_sorts_and_the_next_one_turns_it_round(page: Chromium) -> None:
    place = column(page, "P(paid | offered)")
    head = f"{SOURCES}.tHead.rows[0].cells[{place}]"
    before = values(page, place)
    page.click(f"{head}.querySelector('button')")
    down = values(page, place)
    assert page.value(f"{head}.getAttribute('aria-sort')") == "descending"
    assert down != before, "the table should not have come in this order"
    assert sorted(down) == sorted(before), "no row is lost"
    page.click(f"{head}.querySelector('button')")
    up = values(page, place)
    assert page.value(f"{head}.getAttribute('aria-sort')") == "ascending"
    known = [[float(value) for value in each if value] for each in (down, up)]
    assert known == [sorted(known[0], reverse=True), sorted(known[1])]
    empty = before.count("")
    assert empty > 0
    assert down[-empty:] == up[-empty:] == [""] * empty, "what was never offered stays last"


def test_words_sort_and_only_one_column_says_so(page: Chromium) -> None:
    for label in ("P(paid | offered)", "Source"):
        page.click(f"{SOURCES}.tHead.rows[0].cells[{column(page, label)}].querySelector('button')")
    names = values(page, column(page, "Source"))
    assert names.index("Primos 2 or 3") < names.index("Primos 11"), "numbers in words count as numbers"
    words = [name.casefold() for name in names if name.replace(" ", "").isalpha()]
    assert len(words) > 30
    assert words == sorted(words)
    marked = page.value(
        f"[...{SOURCES}.tHead.rows[0].cells].filter(each => each.ariaSort).map(each => each.textContent)"
    )
    assert [each.strip() for each in marked] == ["Source"]


def test_typing_filters_and_says_how_many_are_left(page: Chromium) -> None:
    page.value(f"{SOURCES}.closest('details').querySelector('.filter input').focus()")
    page.type("meculog")
    shown = page.value(
        f"[...{SOURCES}.tBodies[0].rows].filter(row => row.offsetHeight).map(row => row.textContent)"
    )
    assert len(shown) == 10
    assert all("meculog" in row.casefold() for row in shown)
    status = page.value(f"{SOURCES}.closest('details').querySelector('[role=status]').textContent")
    assert status == f"10 of {len(values(page, 0))}"


def test_an_example_copies_a_command_that_tells_the_game(page: Chromium, folder: Path) -> None:
    page.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    fits = "row => row.textContent.includes('ability') && row.querySelector('.copy')"
    paid = f"[...{SOURCES}.tBodies[0].rows].find({fits})"
    name, game = page.value(
        f"(row => [row.cells[0].dataset.sort, row.querySelector('.copy').textContent])({paid})"
    )
    page.click(f"{paid}.querySelector('.copy')")
    copied = page.value("new Promise(done => setTimeout(() => done(navigator.clipboard.readText()), 100))")
    assert page.value("document.getElementById('copied').textContent") == "copied"
    words = shlex.split(copied)
    assert words == ["counterpoise", "explain", "--run", str(folder), "--game", game.removeprefix("game ")]
    command = shutil.which("counterpoise", path=Path(sys.executable).parent)
    told = subprocess.run(
        [command or "counterpoise", *words[1:]],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"COLUMNS": "400"},
    )
    assert name in told.stdout, "the game should tell of the source whose example it is"


def test_everything_works_with_the_keyboard_and_shows_where_it_is(page: Chromium) -> None:
    seen = set()
    for _ in range(200):
        page.press("Tab")
        what, outline = page.value(
            "(e => [e.closest('nav') ? 'nav' : e.closest('thead') ? 'thead' : e.className || e.localName, "
            "getComputedStyle(e).outlineStyle])(document.activeElement)"
        )
        assert outline != "none", f"{what} should be seen to have the focus"
        seen.add(what)
        if what == "thead" and "input" in seen:  # tables of a few rows have no filter
            break
    page.press("Enter")
    assert page.value("document.activeElement.parentElement.ariaSort") in ("ascending", "descending")
    assert {"nav", "summary", "input"} <= seen
    page.value("document.querySelector('main details:not([open]) summary').focus()")
    folded = page.value("document.querySelectorAll('main details:not([open])').length")
    page.press("Enter")
    assert page.value("document.querySelectorAll('main details:not([open])').length") == folded - 1


def test_names_from_card_files_are_text_and_nothing_else(page: Chromium) -> None:
    assert HOSTILE in values(page, 0)
    assert page.value(f"{SOURCES}.textContent").count("<script>alert(1)") == 1
    assert page.value("document.scripts.length") == 1
    assert page.value("document.querySelectorAll('main b').length") == 0
    drawn = page.value("[...document.querySelectorAll('svg text')].map(each => each.textContent).join('|')")
    assert "<script>alert(1)" in drawn


def pictures(page: Chromium) -> list[str]:
    """What a screen reader says of the images."""
    tree = page.call("Accessibility.getFullAXTree")["nodes"]
    return [
        each["name"]["value"]
        for each in tree
        if not each["ignored"] and each["role"]["value"] in ("image", "img") and each["name"]["value"]
    ]


@pytest.mark.parametrize("which", ["report", "race", "sides"])
def test_every_figure_is_an_image_that_says_its_numbers(
    browser: Chromium, folder: Path, race: Path, sides: Path, which: str
) -> None:
    browser.open({"report": folder / "report.html", "race": race / "report.html", "sides": sides}[which])
    named = pictures(browser)
    assert len(named) == browser.value("document.querySelectorAll('main svg').length") > 5
    assert [name for name in named if not any(letter.isdigit() for letter in name)] == []
    assert browser.value("document.querySelectorAll('main details ~ figure').length") == 0


def test_a_table_tells_a_screen_reader_its_name_its_heads_and_how_it_is_sorted(page: Chromium) -> None:
    place = column(page, "P(paid | offered)")
    page.click(f"{SOURCES}.tHead.rows[0].cells[{place}].querySelector('button')")
    said = page.value("document.getElementById('copied').textContent")
    assert said == "sorted by P(paid | offered), descending"
    live = page.value("document.getElementById('copied').getAttribute('role')")
    assert live == "status", "what is said there is read out"
    tree = [each for each in page.call("Accessibility.getFullAXTree")["nodes"] if not each["ignored"]]
    roles = {(each["role"]["value"], each.get("name", {}).get("value", "")) for each in tree}
    assert ("table", "All sources") in roles
    assert ("columnheader", "P(paid | offered)") in roles
    assert ("rowheader", HOSTILE) in {(role, name.split(" gain")[0][: len(HOSTILE)]) for role, name in roles}
    unnamed = page.value(
        "[...document.querySelectorAll('main table')].filter(each => !each.caption?.textContent.trim() || "
        "[...each.querySelectorAll('th')].some(head => !head.scope)).length"
    )
    assert unnamed == 0


@pytest.mark.parametrize("width", [1400, 1200, 800])
@pytest.mark.parametrize("which", ["report", "sides"])
def test_the_navigation_is_seen_whole(
    browser: Chromium, folder: Path, sides: Path, width: int, which: str
) -> None:
    browser.resize(width, 900)
    browser.open({"report": folder / "report.html", "sides": sides}[which])
    outside = (
        "[...document.querySelectorAll('nav a')].map(each => each.getBoundingClientRect())"
        f".filter(each => each.left < 0 || each.right > {width}).length"
    )
    assert browser.value(outside) == 0
    assert (
        browser.value(
            "document.querySelector('nav ul').scrollWidth - document.querySelector('nav ul').clientWidth"
        )
        <= 0
    )
    last = "document.querySelector('nav li:last-child a')"
    browser.click(last)
    hidden = browser.value(
        f"document.querySelector({last}.hash + ' h2').getBoundingClientRect().top >= "
        "(innerWidth < 1360 ? document.querySelector('nav').getBoundingClientRect().bottom : 0)"
    )
    assert hidden, "the bar lies over no heading"
    assert browser.value("document.documentElement.scrollWidth") <= width


def test_on_a_phone_the_navigation_scrolls_to_its_last_link_and_shows_that_it_does(
    browser: Chromium, folder: Path
) -> None:
    browser.open(folder / "report.html")
    browser.resize(390, 844, phone=True)
    assert browser.value("getComputedStyle(document.querySelector('nav ul')).maskImage") != "none"
    right = browser.value(
        "(ul => { ul.scrollLeft = 1e6; return ul.querySelector('li:last-child a').getBoundingClientRect().right; })"
        "(document.querySelector('nav ul'))"
    )
    assert right <= 390 - 56, "clear of the part that fades"


def test_a_comparison_copies_the_command_of_the_run_that_the_game_is_of(
    browser: Chromium, race: Path, changed: Path, sides: Path
) -> None:
    browser.resize(1280, 900)
    browser.open(sides)
    browser.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    deals = (
        "[...document.querySelectorAll('main table')]"
        ".find(each => each.caption.textContent.startsWith('Deals that went otherwise'))"
    )
    assert browser.value(f"{deals}.tBodies[0].rows[0].querySelectorAll('.copy').length") == 2
    told = []
    for place, run in enumerate((race, changed)):
        browser.click(f"{deals}.tBodies[0].rows[0].querySelectorAll('.copy')[{place}]")
        copied = browser.value(
            "new Promise(done => setTimeout(() => done(navigator.clipboard.readText()), 100))"
        )
        words = shlex.split(copied)
        assert words[:4] == ["counterpoise", "explain", "--run", str(run)]
        told.append(words[5])
    assert told[0] == told[1], "the same deal in both runs"
    assert browser.complaints == []


def test_a_race_is_told_in_its_own_words(browser: Chromium, race: Path) -> None:
    browser.resize(1280, 900)
    browser.open(race / "report.html")
    text = browser.value("document.querySelector('main').textContent")
    for words in ("Payout rates", "P(paid", "is paid |", "Time to pay"):
        assert words not in text
    assert "P(wins | reachable) stays below 100 %" in text


@pytest.mark.parametrize("which", ["report", "race", "sides"])
def test_a_phone_scrolls_no_page_sideways(
    browser: Chromium, folder: Path, race: Path, sides: Path, which: str
) -> None:
    pages = {"report": folder / "report.html", "race": race / "report.html", "sides": sides}
    browser.open(pages[which])
    browser.resize(390, 844, phone=True)
    width, inner = browser.value("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= inner == 390
    outside = browser.value(
        "[...document.querySelectorAll('main .scroll, figure, nav ul')]"
        ".filter(each => each.getBoundingClientRect().right > 391).length"
    )
    assert outside == 0
    within = (
        "[...document.querySelectorAll('.scroll')].filter(each => each.scrollWidth > each.clientWidth).length"
    )
    assert browser.value(within) > 0, "wide tables scroll in their boxes"
    assert browser.complaints == []


@pytest.mark.parametrize("width", [390, 591, 592, 701, 1280])
def test_a_figure_that_scrolls_says_so_and_no_other(browser: Chromium, folder: Path, width: int) -> None:
    browser.open(folder / "report.html")
    browser.resize(width, 844, phone=width < 600)
    said = browser.value(
        "[...document.querySelectorAll('figure')]"
        ".map(each => [each.scrollWidth > each.clientWidth, each.nextElementSibling.offsetHeight > 0,"
        " each.nextElementSibling.textContent])"
    )
    assert len(said) > 5
    assert {text for _, _, text in said} == {"Swipe to see all of it."}
    assert all(scrolls == hint for scrolls, hint, _ in said)
    assert any(hint for _, hint, _ in said) == (width < 592)


def test_the_page_prints_what_stands_open_without_bars(page: Chromium) -> None:
    page.call("Emulation.setEmulatedMedia", media="print")
    try:
        stuck = (
            "[...document.querySelectorAll('body *')].filter(e => getComputedStyle(e).position === 'sticky')"
        )
        seen = f"{stuck}.filter(e => e.offsetHeight).length"
        assert page.value(seen) == 0
        assert page.value("document.querySelector('nav').offsetHeight") == 0
        cut = "[...document.querySelectorAll('.scroll')].filter(e => e.scrollHeight > e.clientHeight + 2).length"
        assert page.value(cut) == 0, "no row is hidden in a box"
        named = (
            "[...document.querySelectorAll('details')].filter(e => !e.querySelector('summary').offsetHeight)"
        )
        assert page.value(f"{named}.length") == 0, "what is folded is named"
        # With the box of a button in it, Chromium repeats no head on the next page.
        boxes = "[...document.querySelectorAll('thead *')].map(e => getComputedStyle(e).display)"
        assert set(page.value(boxes)) <= {"table-row", "table-cell", "contents"}
        wide = (
            "[...document.querySelectorAll('figure')].filter(e => e.scrollWidth > e.clientWidth + 1 && "
            "getComputedStyle(e).overflowX !== 'visible').length"
        )
        assert page.value(wide) == 0, "no figure is cut"
    finally:
        page.call("Emulation.setEmulatedMedia", media="")
    paper = page.printed()
    assert paper.startswith(b"%PDF-")
    assert paper.count(b"/Type /Page\n") > 5


def test_a_source_is_told_with_its_text_wherever_its_strength_stands(page: Chromium) -> None:
    notes = page.value(
        "[...[...document.querySelectorAll('main table')]"
        ".find(each => each.caption.textContent.startsWith('Share of the win of the seats')).tBodies[0].rows]"
        ".map(row => row.cells[0].querySelector('small')?.textContent ?? '')"
    )
    assert len(notes) > 30
    assert all(notes), "no id stands alone"
