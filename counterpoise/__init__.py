"""Counterpoise: a balance laboratory for tabletop games. Every command is a function here.

    import counterpoise as cp
    run = cp.run("ilumeia", games=20_000, bots="balanced,prophet,climber,sprinter", out="runs/base")
    run.games, run.seats, run.events    # lazy polars frames; cp.catalogue(run) explains their columns
    cp.payouts(run)["source"]           # pacing, ties, seats likewise; cp.payouts(run).figure()
    cp.report(run)                      # cp.report(run, "runs/energy"): side by side

Modules are imported when a function needs them, so that the command line answers at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from analysis.catalogue import Catalogue
    from analysis.frames import Frames
    from analysis.measured import Compared
    from analysis.notebook import Pacing, Payouts, Seats, Ties, Verdicts
    from simulator.bots import BotBook
    from simulator.experiment import Experiment, Prepared
    from simulator.game import Fault, Game, UserError
    from simulator.store import Run

__all__ = [
    "Experiment",
    "Run",
    "UserError",
    "bench",
    "bots",
    "build_cards",
    "catalogue",
    "check",
    "check_run",
    "compare",
    "count_cards",
    "draw",
    "explain",
    "load",
    "measure",
    "pacing",
    "payouts",
    "report",
    "run",
    "seats",
    "section",
    "ties",
    "verdicts",
]


_TYPES = {"Experiment": "simulator.experiment", "Run": "simulator.store", "UserError": "simulator.game"}
"""What a script plans, annotates with and catches, and where it is."""

if not TYPE_CHECKING:  # a type checker would take every misspelt name for one that this may know

    def __getattr__(name: str) -> Any:
        if name not in _TYPES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_TYPES[name]), name)


def __dir__() -> list[str]:
    return __all__


def run(
    game: str | None = None,
    *,
    players: int | None = None,
    games: int | None = None,
    bots: str | Sequence[str] | None = None,
    seed: int | None = None,
    seating: str | None = None,
    set: Mapping[str, Any] | None = None,
    cards: str | Path | None = None,
    keep: str | None = None,
    workers: int | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    experiment: str | Path | Experiment | None = None,
    progress: bool | None = None,
    chunk: int | None = None,
) -> Run:
    """Play games and store them; the stored run.

        cp.run("ilumeia", games=2000, bots="balanced,prophet,climber,sprinter", set={"rules.energy_start": 6})

    What is not given comes from `experiment`, a file or an `Experiment`, or else is: the largest table, 10,000
    games, the game's default bot, seed 1, seating `rotate`, keep `events`, all cores, a folder under `runs`.
    With `resume` and `out` an interrupted run goes on; it has its own options, none given may differ.
    `progress` shows a bar, by default on a terminal; `chunk` is the number of games in a part of the folder.
    """
    from simulator import runner
    from simulator.experiment import Experiment, read_options
    from simulator.store import read_record

    given = {
        "game": game,
        "players": players,
        "games": games,
        "bots": bots,
        "seed": seed,
        "seating": seating,
        "set": set,
        "cards": cards,
        "keep": keep,
    }
    if isinstance(experiment, str | Path):
        options, _ = read_options(Path(experiment))
        workers = options.get("workers") if workers is None else workers
        out = options.get("out") if out is None else out
    if resume and experiment is None and out is not None and game is None:
        wanted = Experiment.from_run(read_record(Path(out)), **given)
    else:
        wanted = _experiment(experiment, given)
    return runner.run(wanted, out, workers=workers, resume=resume, progress=progress, chunk=chunk)


def _experiment(planned: str | Path | Experiment | None, given: Mapping[str, Any]) -> Experiment:
    from simulator.experiment import Experiment
    from simulator.game import UserError
    from simulator.games import GAMES

    options = {key: value for key, value in given.items() if value is not None}
    if isinstance(planned, Experiment):
        return planned.but(**options)
    if planned is not None:
        return Experiment.from_toml(planned, **options)
    if "game" not in options:
        raise UserError(f"no game is named, expected one of {', '.join(GAMES)}")
    return Experiment.of(**options)


def load(path: str | Path) -> Run:
    """A stored run: `.games`, `.seats`, `.events`, `.catalogue` are lazy polars frames.

        cp.load("runs/base").seats.group_by("bot").mean().collect()

    UserError names what is missing or torn in the folder `path`.
    """
    from simulator import store

    return store.load(path)


def catalogue(run: Run | str | Path) -> Catalogue:
    """What a run's tables hold: frames `columns`, `kinds` (of event) and `sources`, each line with its meaning.

    cp.catalogue("runs/base")["columns"]
    """
    from analysis.catalogue import catalogue as explained

    return explained(_stored(run))


def payouts(run: Run | str | Path) -> Payouts:
    """What was offered, within reach and paid: frames `source`, `round`, `seat`, `bot` and others, by name.

    They are those of the report: a measure NAME has its 95 % interval beside it in `NAME_low` and `NAME_high`,
    and in `NAME_n` the number of units that it stands on. `.figure(family)` draws them. UserError if the run
    kept no events or its game offers nothing.

        cp.payouts("runs/base").figure("primos")
    """
    from analysis import notebook

    return notebook.payouts(_stored(run))


def pacing(run: Run | str | Path) -> Pacing:
    """When seats reach each step of the tracks: frames `round`, `turn`, `step` and others, by name.

    As for `payouts`; `.figure(track)` draws one track.

        cp.pacing("runs/base").figure("vvibon")
    """
    from analysis import notebook

    return notebook.pacing(_stored(run))


def ties(run: Run | str | Path) -> Ties:
    """How often games are tied and how close they are: frames `outcomes`, `near`, `margins` and others, by name.

    Of a race `drawn`. As for `payouts`; `.figure()` draws the margins.

        cp.ties("runs/base")["outcomes"]
    """
    from analysis import notebook

    return notebook.ties(_stored(run))


def seats(run: Run | str | Path) -> Seats:
    """Who wins from where: frames `by_seat`, `by_bot`, `by_seat_and_bot` and others, by name.

    As for `payouts`; `.figure()` draws the shares of the wins. UserError if the run kept no seats.

        cp.seats("runs/base")["by_bot"]
    """
    from analysis import notebook

    return notebook.seats(_stored(run))


def verdicts(
    run: Run | str | Path, bands: Mapping[str, str | float | Sequence[float]] | None = None
) -> Verdicts:
    """Which rates lie in the band that they should lie in, by tests of equivalence: the frame `bands`.

        cp.verdicts("runs/base", bands={"seats": 0.02, "prophecies": (0.5, 0.95)}).figure("prophecies")

    `bands` says what you want, as for `report`; `.figure(family)` draws a family.
    """
    from analysis import notebook
    from analysis.verdicts import read_bands

    return notebook.verdicts(_stored(run), read_bands(bands or {}))


def section(run: Run | str | Path, name: str) -> Frames:
    """The frames of any section of the report, such as `length`, `tension`, `strength` or `coverage`, by name.

        cp.section("runs/base", "length")["spread"]

    UserError names the sections there are.
    """
    from analysis import notebook

    return notebook.section(_stored(run), name)


def compare(run: Run | str | Path, *others: Run | str | Path) -> Compared:
    """Runs of one game side by side: `.summary` in sentences, `.tables` by name, as in their common report.

    A table has the numbers of each run in `run0`, `run1` and so on, each with `_low`, `_high` and `_n`; of two
    runs also `difference`, the second less the first, which is `paired` if both play the same deals.

        cp.compare("runs/base", "runs/energy").summary
    """
    from analysis import compare as comparison

    return comparison.compare(_different(run, *others))


def report(
    run: Run | str | Path,
    *others: Run | str | Path,
    out: str | Path | None = None,
    bands: Mapping[str, str | float | Sequence[float]] | None = None,
    progress: bool | None = None,
) -> Path:
    """Write a run's report, or that of several runs of one game side by side; where the page lies.

        cp.report("runs/base", "runs/energy", out="energy.html")

    The page is the file `out`; by default `report.html` in the run folder, of several runs in the folder that
    holds the first. The same numbers stand beside it, in a file of the same name with .json. `bands` says what
    you want of a single run: `{"seats": 0.02, "ties": (0.01, 0.04), "prophecies": (0.5, 0.95)}`, of seats how far
    off the fair share, of a family of sources how often each is paid where it is offered. `progress` shows a bar,
    by default on a terminal.
    """
    from counterpoise.progress import section_bar
    from simulator.faults import usable
    from simulator.game import UserError

    page = None if out is None else usable(out)
    if page is not None and page.suffix.lower() not in (".html", ".htm"):
        raise UserError(f"{page} is no page, expected a name with .html")
    if others and bands:
        raise UserError("runs side by side have no bands, expected a single run")
    runs = _different(run, *others)  # says in one sentence what is wrong with a folder
    with section_bar(progress) as advance:
        if others:
            from analysis import compare

            return compare.write(runs, page or runs[0].path.resolve().parent / "report.html", advance)
        from analysis import report as writer
        from analysis.verdicts import read_bands

        return writer.write(runs[0].path, page, read_bands(bands or {}), advance)


def _different(*runs: Run | str | Path) -> list[Run]:
    """The stored runs; UserError for one that is named twice."""
    from simulator.game import UserError

    stored = [_stored(each) for each in runs]
    places = [each.path.resolve() for each in stored]
    for number, each in enumerate(stored):
        if places[number] in places[:number]:
            raise UserError(f"{each.path} is named twice, expected different runs")
    return stored


def _stored(run: Run | str | Path) -> Run:
    from simulator.game import UserError
    from simulator.store import Run as StoredRun

    if isinstance(run, str | Path):
        return load(run)
    if not isinstance(run, StoredRun):
        raise UserError(
            f"{type(run).__name__} is no run, expected a run or its folder, several one after the other"
        )
    return run


def explain(
    game: str | None = None,
    number: int = 0,
    *,
    run: Run | str | Path | None = None,
    experiment: str | Path | Experiment | None = None,
    **options: Any,
) -> str:
    """Game `number` of an experiment or of a stored run, turn by turn, as Markdown. Options as for `run`.

    print(cp.explain(run="runs/base", number=7))
    """
    from simulator.experiment import Experiment, prepare
    from simulator.faults import shown
    from simulator.game import UserError
    from simulator.store import read_record

    if run is not None:
        if experiment is not None or game is not None or any(value is not None for value in options.values()):
            raise UserError("a stored run has its own options, expected --run and --game alone")
        folder = Path(run) if isinstance(run, str | Path) else run.path
        record = read_record(folder)
        prepared = prepare(Experiment.from_run(record))
        changed = [
            key for key in ("engine", "design", "weights") if prepared.record.get(key) != record.get(key)
        ]
        if changed:
            raise UserError(f"{folder} can't be replayed; changed since it was played: {', '.join(changed)}")
        if number >= record["games"]:
            raise UserError(f"{folder} has no game {shown(number)}, expected 0 to {record['games'] - 1}")
    else:
        prepared = prepare(_experiment(experiment, {"game": game, **options}))
    if number < 0:
        raise UserError(f"there is no game {shown(number)}, expected 0 or more")
    if number >= 2**63:
        raise UserError(f"there is no game {shown(number)}, expected at most 2**63 - 1")
    return _narrate(prepared, number)


def _narrate(prepared: Prepared, number: int) -> str:
    from simulator.runner import warm

    plan = prepared.plan(number, number + 1)
    names = [prepared.experiment.bots[bot] for bot in plan.bots[0]]
    warm(prepared.game)
    return _Told(prepared.game.narrate(prepared.design, plan, names))


class _Told(str):
    """A game as it is told, which a notebook sets as Markdown, with no HTML of a card's text."""

    __slots__ = ()

    def _repr_markdown_(self) -> str:
        return self.replace("&", "&amp;").replace("<", "&lt;")


def bots(game: str, cards: str | Path | None = None) -> BotBook:
    """The bots of a game, or of the card set `cards`, and the weights that a bot string may change.

    cp.bots("ilumeia").bots["prophet"].text
    """
    from simulator.experiment import read_book

    return read_book(_game(game), _existing(cards))


def check(game: str, cards: str | Path | None = None) -> list[Fault]:
    """Every fault of a game's card files, or of those in the folder `cards`; [] if they can be played.

    cp.check("ilumeia", "my_cards")
    """
    from simulator.experiment import read_book
    from simulator.game import CardFaults

    found = _game(game)
    faults = found.faults(_existing(cards))
    try:
        read_book(found, _existing(cards))
    except CardFaults as wrong:
        faults.extend(wrong.faults)
    return faults


def count_cards(game: str, cards: str | Path | None = None) -> str:
    """How many of what a card set holds, in words.

    cp.count_cards("ilumeia", cards="my_cards")
    """
    found = _game(game)
    design = found.read(_existing(cards), {}, max(found.players))
    counts = {key: len(part) for key, part in design.content.items() if isinstance(part, list | dict)}
    return ", ".join(f"{count} {key.replace('_', ' ')}" for key, count in counts.items())


def check_run(path: str | Path) -> list[str]:
    """Everything wrong with a stored run, one sentence each; [] if it is whole.

    cp.check_run("runs/base")
    """
    from simulator import store

    return store.check(path)


def measure(
    game: str, rows: str | Sequence[str] | Path, cards: str | Path | None = None
) -> list[dict[str, Any]]:
    """The metrics of rows of cards, one dict a row; a row is a string of card ids.

        cp.measure("ilumeia", "s081r s154 s069 s129r")[0]["stars"]

    A Path is a file with a row a line; empty lines and those that begin with # don't count. UserError with
    file and line for a row that can't be measured.
    """
    from simulator.faults import usable
    from simulator.game import UserError

    ruler = _offered(_game(game), "measure")
    if not isinstance(rows, Path):
        given = [rows] if isinstance(rows, str) else list(rows)
        if not all(row.strip() for row in given):
            raise UserError("the row is empty, expected card ids")
        found: list[dict[str, Any]] = ruler(_existing(cards), given)
        return found
    try:
        text = usable(rows).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(f"{rows}: bytes that are no UTF-8, expected UTF-8 text") from None
    lines = enumerate(text.splitlines(), start=1)
    numbered = [
        (number, line) for number, line in lines if line.strip() and not line.lstrip().startswith("#")
    ]
    try:
        found = ruler(_existing(cards), [line for _, line in numbered])
    except UserError:
        for number, line in numbered:
            try:
                ruler(_existing(cards), [line])
            except UserError as wrong:
                raise UserError(f"{rows}:{number}: {wrong}") from None
        raise
    return found


def draw(game: str, row: str, cards: str | Path | None = None) -> Figure:
    """A picture of a row of cards as it would lie on the table; what is not legal in it is told there.

    cp.draw("ilumeia", "s081r s154 s069 s129r").savefig("row.svg")
    """
    figure: Figure = _offered(_game(game), "draw")(_existing(cards), row)
    return figure


def build_cards(game: str, out: str | Path, seed: int = 1) -> Path:
    """Write a reconstructed card set, a function of the seed, into the new folder `out`; the folder.

    cp.build_cards("ilumeia", "my_cards", seed=7)
    """
    from simulator.faults import usable
    from simulator.game import UserError

    builder = _offered(_game(game), "build_cards")
    folder = usable(out)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} is in the way, expected a new or empty folder")
    folder.mkdir(parents=True, exist_ok=True)
    builder(seed, folder)
    return folder


def bench(game: str, players: int | None = None) -> dict[str, Any]:
    """How fast a game plays on this machine, with four players by default; takes a minute or two.

    cp.bench("luminis", players=2)
    """
    from simulator import bench as benchmark

    return benchmark.bench(game, players)


def _game(name: str) -> Game:
    from simulator.games import game

    return game(name)


def _existing(path: str | Path | None) -> Path | None:
    from simulator.faults import usable
    from simulator.game import UserError

    if path is not None and not usable(path).exists():
        raise UserError(f"there is no card file or folder {path}")
    return None if path is None else Path(path)


def _offered(game: Game, command: str) -> Any:
    from simulator.game import UserError

    function = getattr(game, command)
    if function is None:
        raise UserError(f"{game.title} has no {command.replace('_', '-')}")
    return function
