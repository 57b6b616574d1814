"""The command line: each command parses, calls one function of `counterpoise` and prints what comes out."""

from __future__ import annotations

import functools
import gc
import io
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar

import typer

import counterpoise

if TYPE_CHECKING:
    from rich.table import Table

    from simulator.store import Run

Command = TypeVar("Command", bound=Callable[..., None])

app = typer.Typer(
    help="A balance laboratory for tabletop games: play thousands of games with bots, keep them as Parquet, "
    "and report on payouts, pacing and ties.",
    epilog="Try: counterpoise run ilumeia --games 2000 --out runs/first, then counterpoise report runs/first",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_MOST_DIGITS = 40
"""Of a number that is typed; what is too large for its option is told in that option's words."""
_PLAY, _CARDS, _MACHINE = "Play and report", "Cards and bots", "Machine"

_MANY = {"k": 10**3, "m": 10**6}


def whole_number(text: str | int) -> int:
    """A whole number as people write it: 20000, 20_000, 20,000, 2e4 or 20k; BadParameter for anything else."""
    text = str(text)  # a default comes through here too, as the number that it is
    grouped = re.fullmatch(r"([+-]?\d{1,3}(?:,\d{3})+|[^,]*?)([kKmM]?)", text.strip())
    try:
        plain, many = (grouped[1].replace(",", ""), grouped[2].lower()) if grouped else ("", "")
        number = Decimal(plain) * _MANY.get(many, 1)
        if number.adjusted() < _MOST_DIGITS and number == int(number):
            return int(number)
    except (ArithmeticError, ValueError):
        pass
    from simulator.faults import shown

    raise typer.BadParameter(f"{shown(text)} is no whole number, expected one such as 1000, 1_000, 1e3 or 1k")


GameName = Annotated[str, typer.Argument(metavar="GAME", help="The game: ilumeia or luminis.")]
OptionalGame = Annotated[str | None, typer.Argument(metavar="GAME", help="The game: ilumeia or luminis.")]
Players = Annotated[
    int | None,
    typer.Option(metavar="N", parser=whole_number, help="How many play; the largest table by default."),
]
Bots = Annotated[
    str | None,
    typer.Option(help="Who plays: one for every seat, or one a seat, as prophet:noise=0.2,greedy."),
]
Seed = Annotated[
    int | None, typer.Option(metavar="N", parser=whole_number, help="Decides all chance; 1 by default.")
]
Seating = Annotated[
    str | None, typer.Option(help="rotate (each setup in every rotation of the bots), fixed or shuffle.")
]
Setting = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a rule or card value; may be repeated."),
]
Cards = Annotated[Path | None, typer.Option(help="A folder of files that replace the game's own.")]
CardFile = Annotated[Path | None, typer.Option(help="A card file, or a folder with one.")]
ExperimentFile = Annotated[
    Path | None,
    typer.Option("--experiment", metavar="FILE.toml", help="Options from a file; given ones win."),
]


def _command(panel: str, *examples: str, name: str | None = None) -> Callable[[Command], Command]:
    """Register a command with its examples, and turn a user's mistakes into one sentence and an exit code."""

    def register(function: Command) -> Command:
        @functools.wraps(function)
        def guarded(*arguments: Any, **options: Any) -> None:
            try:
                function(*arguments, **options)
            except KeyboardInterrupt as interrupt:
                _fail(str(interrupt) or "interrupted", 130)
            except (typer.Exit, BrokenPipeError):
                raise
            except OSError as problem:
                where = f"{problem.filename}: " if problem.filename else ""
                _fail(f"{where}{problem.strerror or problem}", 2)
            except Exception as problem:
                _fail(_sentence(problem), 2)

        epilog = "\n\n".join(("Examples" if len(examples) > 1 else "Example", *examples))
        app.command(name, rich_help_panel=panel, epilog=epilog)(guarded)
        return function

    return register


def _sentence(problem: Exception) -> str:
    """What a mistake of the user's comes to; other problems are ours and go on as they are."""
    from simulator.experiment import OptionError
    from simulator.game import UserError

    if isinstance(problem, OptionError):
        return f"--{problem}"
    if isinstance(problem, UserError):
        return str(problem)
    if type(problem).__module__ == "polars.exceptions":
        return f"the stored data can't be read ({problem}); see `counterpoise check --run FOLDER`"
    raise problem


def _fail(sentence: str, code: int) -> NoReturn:
    print(f"counterpoise: {sentence}", file=sys.stderr)
    raise typer.Exit(code)


@_command(
    _PLAY,
    "counterpoise run ilumeia --games 20000 --bots balanced,prophet,climber,sprinter --out runs/base",
    "counterpoise run ilumeia --players 2 --bots greedy,prophet:noise=0.2 --set rules.energy_start=6",
    "counterpoise run --experiment base.toml --seed 2",
    "counterpoise run --out runs/base --resume",
)
def run(
    game: OptionalGame = None,
    players: Players = None,
    games: Annotated[
        int | None, typer.Option(metavar="N", parser=whole_number, help="How many games; 10,000 by default.")
    ] = None,
    bots: Bots = None,
    seed: Seed = None,
    seating: Seating = None,
    settings: Setting = None,
    cards: Cards = None,
    keep: Annotated[str | None, typer.Option(help="How much is kept: games, seats or events.")] = None,
    workers: Annotated[
        int | None, typer.Option(metavar="N", parser=whole_number, help="Threads; one a core by default.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The run folder; a new one in runs by default.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with an interrupted run.")] = False,
    experiment: ExperimentFile = None,
) -> None:
    """Play games and keep them in a run folder."""
    played = counterpoise.run(
        game,
        players=players,
        games=games,
        bots=bots,
        seed=seed,
        seating=seating,
        set=_settings(settings),
        cards=cards,
        keep=keep,
        workers=workers,
        out=out,
        resume=resume,
        experiment=experiment,
    )
    _print(_closing_table(played))


@_command(
    _PLAY,
    "counterpoise report runs/base",
    "counterpoise report runs/base --band prophecies=0.5:0.95 --band seats=0.02",
    "counterpoise report runs/base runs/energy --out runs/energy.html",
)
def report(
    folders: Annotated[list[Path], typer.Argument(metavar="RUN", help="The run folders.")],
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE.html", help="The page; report.html in the run folder, or beside several."),
    ] = None,
    bands: Annotated[
        list[str] | None,
        typer.Option(
            "--band",
            metavar="FAMILY=BAND",
            help="What you want: ties=0.01:0.04, seats=0.02 (either way), prophecies=0.5:0.95 (paid of offered); "
            "may be repeated.",
        ),
    ] = None,
) -> None:
    """Write a run's report, or several runs side by side: a page to read, JSON to compute with."""
    print(counterpoise.report(*folders, out=out, bands=_bands(bands or ())))


@_command(
    _PLAY,
    "counterpoise explain ilumeia --seed 1 --game 7 --bots prophet",
    "counterpoise explain --run runs/base --game 7",
)
def explain(
    game: OptionalGame = None,
    number: Annotated[
        int, typer.Option("--game", metavar="N", parser=whole_number, help="The game's number.")
    ] = 0,
    stored: Annotated[
        Path | None, typer.Option("--run", metavar="RUN", help="A run that has the game.")
    ] = None,
    players: Players = None,
    bots: Bots = None,
    seed: Seed = None,
    seating: Seating = None,
    settings: Setting = None,
    cards: Cards = None,
    experiment: ExperimentFile = None,
) -> None:
    """Tell one game turn by turn."""
    text = counterpoise.explain(
        game,
        number,
        run=stored,
        experiment=experiment,
        players=players,
        bots=bots,
        seed=seed,
        seating=seating,
        set=_settings(settings),
        cards=cards,
    )
    _print_markdown(text)


@_command(_CARDS, "counterpoise bots ilumeia", "counterpoise bots ilumeia --cards my_cards", name="bots")
def list_bots(game: GameName, cards: Cards = None) -> None:
    """List a game's bots, and the weights that a bot string may change."""
    book = counterpoise.bots(game, cards)
    _print(
        _table(
            "Bots",
            ("bot", "how it plays", "weights"),
            ((b.name, b.text, b.changes.replace(",", ", ") or "all defaults") for b in book.bots.values()),
        ),
        _table(
            "Weights",
            ("weight", "default", "range", "what it means"),
            (
                (each.name, f"{each.default:g}", f"{each.lowest:g} to {each.highest:g}", each.text)
                for each in book.weights.values()
            ),
        ),
    )


@_command(
    _CARDS,
    "counterpoise check ilumeia",
    "counterpoise check ilumeia --cards my_cards",
    "counterpoise check --run runs/base",
)
def check(
    game: OptionalGame = None,
    cards: Cards = None,
    stored: Annotated[Path | None, typer.Option("--run", metavar="RUN", help="Check a stored run.")] = None,
) -> None:
    """Check a card set, or a stored run, and print every fault; exit code 1 if there is one."""
    found: Sequence[object]
    if game is not None and stored is None:
        found, what = counterpoise.check(game, cards), game
    elif stored is not None and game is None:
        found, what = counterpoise.check_run(stored), str(stored)
    else:
        _fail("expected either a game or --run FOLDER", 2)
    for fault in found:
        print(fault)
    if found:
        raise typer.Exit(1)
    print(f"{what}: {counterpoise.count_cards(game, cards) + ', ' if game else ''}no faults")


@_command(
    _CARDS,
    'counterpoise measure ilumeia "s001 s002 s003r"',
    "counterpoise measure ilumeia --rows rows.txt --cards my_cards",
)
def measure(
    game: GameName,
    row: Annotated[
        str | None, typer.Argument(metavar="ROW", help="Card ids; id and r: turned by 180°.")
    ] = None,
    rows: Annotated[Path | None, typer.Option(metavar="FILE", help="A file with one row a line.")] = None,
    cards: CardFile = None,
) -> None:
    """Measure rows of cards: one JSON object a row."""
    if (row is None) == (rows is None):
        _fail("expected one row of card ids, or --rows FILE", 2)
    for measured in counterpoise.measure(game, rows or [row or ""], cards):
        print(json.dumps(measured, ensure_ascii=False))


@_command(
    _CARDS,
    'counterpoise draw ilumeia "s001 s002 s003r"  (r: turned by 180°)',
    'counterpoise draw luminis "a01/b03/c07 a02/b11 a05" --out cathedral.png  (columns, each from below)',
)
def draw(
    game: GameName,
    row: Annotated[
        str,
        typer.Argument(
            metavar="ROW", help="Card ids; how a game writes a row of them stands in its examples."
        ),
    ],
    cards: CardFile = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.svg|png", help="The picture; named by the row by default.")
    ] = None,
) -> None:
    """Draw cards as they would lie on the table."""
    from simulator.faults import usable

    picture = counterpoise.draw(game, row, cards)
    file = usable(out or re.sub(r"[^\w-]", "_", "_".join(row.split())) + ".svg")
    if file.suffix.lower() not in (".svg", ".png"):
        _fail(f"{file} is no picture that can be drawn, expected a name with .svg or .png", 2)
    picture.savefig(file)
    for fault in getattr(picture, "faults", ()):
        print(f"counterpoise: {fault}", file=sys.stderr)
    print(file)


@_command(_CARDS, "counterpoise build-cards ilumeia --seed 7 --out my_cards", name="build-cards")
def build_cards(
    game: GameName,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="A new or empty folder.")],
    seed: Annotated[int, typer.Option(metavar="N", parser=whole_number, help="Decides the cards.")] = 1,
) -> None:
    """Write a reconstructed card set, generated within all that the rulebook states."""
    print(counterpoise.build_cards(game, out, seed))


@_command(_MACHINE, "counterpoise bench ilumeia", "counterpoise bench luminis --players 2")
def bench(
    game: GameName,
    players: Annotated[
        int | None, typer.Option(metavar="N", parser=whole_number, help="How many play; four by default.")
    ] = None,
) -> None:
    """Measure games per second, compile time, memory and the share of writing on this machine."""
    facts = counterpoise.bench(game, players)
    _print(_table(f"{game} on this machine", ("measure", "value"), facts.items()))


def _settings(pairs: list[str] | None) -> Mapping[str, Any] | None:
    from simulator.experiment import parse_settings

    return parse_settings(pairs) if pairs else None


def _bands(pairs: Iterable[str]) -> Mapping[str, str]:
    bands: dict[str, str] = {}
    for pair in pairs:
        family, equals, band = (part.strip() for part in pair.partition("="))
        if not equals or family in bands:
            _fail(f"--band {pair}, expected FAMILY=BAND once for each family", 2)
        bands[family] = band
    return bands


def _closing_table(played: Run) -> Table:
    experiment, summary = played.experiment, played.summary
    rows = [("games", f"{summary['games']:,}")]
    if played.played:
        speed = played.played / played.seconds
        rows.append(("time", f"{played.seconds:,.1f} s for {played.played:,} games ({speed:,.0f} games/s)"))
    rows += [
        ("length", f"{summary['mean_rounds']:.2f} rounds, {summary['mean_turns']:.1f} turns on average"),
        ("endings", ", ".join(f"{name} {count:,}" for name, count in summary["endings"].items())),
    ]
    race = experiment["race"]
    if race:
        rows.append(("draws", f"{summary['shared']:.2%}, which all seats share"))
    else:
        rows.append(("ties", f"{summary['tied_on_points']:.2%} on points, {summary['shared']:.2%} shared"))
    for key in ("seat", "bot"):
        for line in summary.get(f"by_{key}", ()):
            score = "" if race else f", mean score {line['mean_score']:.2f}"
            rows.append((f"{key} {line[key]}", f"wins {line['win_share']:.2%}{score}"))
    if experiment["reconstructed"]:
        rows.append(("cards", f"reconstructed values in {', '.join(experiment['reconstructed'])}"))
    rows.append(("run", str(played.path)))
    return _table(experiment["title"], ("", ""), rows)


def _table(title: str, columns: Iterable[str], rows: Iterable[Iterable[str]]) -> Table:
    from rich.box import SIMPLE
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, box=SIMPLE, title_justify="left", show_header=any(columns))
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))  # Text: a card's name may hold rich's brackets
    return table


def _print(*tables: Table) -> None:
    from rich.console import Console

    Console().print(*tables)


def _print_markdown(text: str) -> None:
    """Set for a terminal; as it is into a file or a pipe."""
    if not sys.stdout.isatty():
        print(text, end="" if text.endswith("\n") else "\n")
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text))


def main() -> None:
    """The console script."""
    gc.set_threshold(400_000)  # above what a command loads to start: all of it stays, so no use to search it
    if isinstance(sys.stdout, io.TextIOWrapper):  # stderr never fails by itself
        sys.stdout.reconfigure(errors="replace")  # a name that the terminal can't show is no reason to fail
    app()
