"""A run folder: writing its parts, reading them, checking that it is whole.

A chunk of games is three files, one a table, each written under a temporary name and renamed; the part of
`games` comes last, so a chunk is there if and only if its part of `games` is.
"""

from __future__ import annotations

import errno
import hashlib
import html
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from simulator.faults import shown, usable
from simulator.game import EVENT_KINDS, Game, Plan, Played, Source, UserError

Record = dict[str, Any]
"""The content of `experiment.json`."""

TABLES = ("games", "seats", "events")
"""The tables in the order of their detail; a run keeps the first one, two or all three."""

DECIDES = ("engine", "game", "players", "design", "weights", "seating", "seed")
"""The keys of `experiment.json` that decide what happens in a game; runs that agree in them may be merged."""

GAMES: dict[str, type[pl.DataType]] = {
    "game": pl.Int64,
    "setup": pl.Int64,
    "rotation": pl.Int8,
    "players": pl.Int8,
    "rounds": pl.Int32,
    "turns": pl.Int32,
    "ending": pl.String,
    "winners": pl.Int8,
    "top_score": pl.Int32,
    "margin": pl.Int32,
    "tied_on_points": pl.Int8,
    "tie_stage": pl.Int8,
    "lead_changes": pl.Int32,
}
SEATS: dict[str, type[pl.DataType]] = {
    "game": pl.Int64,
    "seat": pl.Int8,
    "bot": pl.String,
    "score": pl.Int32,
    "rank": pl.Int8,
    "win_share": pl.Float64,
}
EVENTS: dict[str, type[pl.DataType]] = {
    "game": pl.Int64,
    "turn": pl.Int32,
    "step_in_turn": pl.Int32,
    "round": pl.Int32,
    "seat": pl.Int8,
    "kind": pl.String,
    "source": pl.String,
    "amount": pl.Int32,
}
"""The fixed columns and their types; a game's own columns stand behind them and are Int32."""

CATALOGUE: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(("source", "name", "group", "kind", "text"), pl.String),
    "offered": pl.Boolean,
}

_ROWS_A_GROUP = 1 << 18  # of a Parquet row group: fixed, so that the same rows are the same bytes
_TEMPORARY = ".tmp"
_ARROW_SCHEMA = "ARROW:schema"


def kept_tables(keep: str) -> tuple[str, ...]:
    """The tables that a run keeps with `keep` games, seats or events."""
    return TABLES[: TABLES.index(keep) + 1]


def fingerprint(record: Mapping[str, Any]) -> str:
    """The SHA-256 of everything in `experiment.json` that decides a game, as 64 hex digits."""
    deciding = {key: record[key] for key in DECIDES}
    text = json.dumps(deciding, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def part_file(folder: Path, table: str, number: int) -> Path:
    """Where a chunk's part of a table lies."""
    return folder / table / f"part-{number:06d}.parquet"


# Writing


def create(folder: Path, record: Record, sources: Sequence[Source]) -> None:
    """Make a run folder with its experiment and its catalogue, or complete one that was begun."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    _write(folder / "experiment.json", lambda target: target.write_text(text, encoding="utf-8"))
    rows = [tuple(getattr(each, column) for column in CATALOGUE) for each in sources]
    _write_parquet(pl.DataFrame(rows, schema=CATALOGUE, orient="row"), folder / "catalogue.parquet")
    for table in kept_tables(record["keep"]):
        (folder / table).mkdir(exist_ok=True)


def clean(folder: Path) -> None:
    """Take away what an interrupted run left half written."""
    for torn in [*folder.glob(f"*{_TEMPORARY}"), *folder.glob(f"*/*{_TEMPORARY}")]:
        torn.unlink(missing_ok=True)


class Layout:
    """How a game's columns and codes become the frames of a run folder."""

    def __init__(self, game: Game, sources: Sequence[Source], bots: Sequence[str], keep: str):
        self.tables = kept_tables(keep)
        labels = list(dict.fromkeys(bots))  # several seats may hold the same bot
        own = [f"score_{part}" for part in game.parts] + [f"did_{action}" for action in game.actions]
        self.seat_columns = SEATS | dict.fromkeys([*own, *game.seat_columns], pl.Int32)
        self.event_columns = EVENTS | dict.fromkeys(game.event_columns, pl.Int32)
        self.words = {
            "ending": pl.Enum(game.endings),
            "kind": pl.Enum(game.kinds),
            "source": pl.Enum([each.source for each in sources]),
            "bot": pl.Enum(labels),
        }
        self.bots = np.array([labels.index(bot) for bot in bots])

    def frames(self, played: Played, plan: Plan) -> dict[str, pl.DataFrame]:
        """The frames of what was played, by table kept.

        What follows from the plan is taken from it. Words are an Enum, a byte or two each, until written.
        """
        games, players = plan.bots.shape
        won = np.asarray(played.games["winners"])[:, None] >> np.arange(players) & 1
        winners = won.sum(axis=1)
        if not winners.all():
            raise ValueError(f"game {plan.game[np.argmin(winners)]} has no winner")
        of_games = played.games | {
            "game": plan.game,
            "setup": plan.setup,
            "rotation": plan.rotation,
            "players": np.full(games, players),
            "winners": winners,
        }
        of_seats = played.seats | {
            "game": np.repeat(plan.game, players),
            "seat": np.tile(np.arange(players), games),
            "bot": self.bots[plan.bots].reshape(-1),
            "win_share": (won / winners[:, None]).reshape(-1),
        }
        tables = {
            "games": (of_games, GAMES),
            "seats": (of_seats, self.seat_columns),
            "events": (played.events, self.event_columns),
        }
        return {table: self._frame(*tables[table]) for table in self.tables}

    def _frame(
        self, columns: Mapping[str, np.ndarray], schema: Mapping[str, type[pl.DataType]]
    ) -> pl.DataFrame:
        series = []
        for name, kind in schema.items():
            if name not in columns:
                raise KeyError(f"the game gives no column {name!r}")
            column = pl.Series(name, np.asarray(columns[name]).reshape(-1))
            try:
                series.append(column.cat.to(self.words[name]) if name in self.words else column.cast(kind))
            except pl.exceptions.PolarsError as problem:
                raise ValueError(
                    f"the game's column {name!r} is not what it should be: {problem}"
                ) from problem
        return pl.DataFrame(series)


def write_part(folder: Path, number: int, frames: Mapping[str, Sequence[pl.DataFrame]]) -> None:
    """Write a chunk's frames, by table, as part `number`: either all of it is there afterwards or none."""
    for table in reversed(TABLES):
        if table in frames:
            _write_parquet(pl.concat(frames[table]), part_file(folder, table, number))


def _write_parquet(frame: pl.DataFrame, file: Path) -> None:
    plain = tuple((name, pl.String if kind == pl.Enum else kind) for name, kind in frame.schema.items())

    def write(target: Path) -> None:
        try:
            frame.write_parquet(
                target,
                compression="zstd",
                compression_level=1,
                row_group_size=_ROWS_A_GROUP,
                metadata=_arrow_schema(plain),  # an Enum's words are written by their codes, in half the time
            )
        except pl.exceptions.PolarsError as problem:  # it wraps a full disk in an error of its own
            found = re.search(r"os error (\d+)", str(problem))
            if not found:
                raise OSError(errno.EIO, str(problem), str(file)) from problem
            raise OSError(int(found[1]), os.strerror(int(found[1])), str(file)) from None

    _write(file, write)


@cache
def _arrow_schema(columns: tuple[tuple[str, pl.DataType | type[pl.DataType]], ...]) -> dict[str, str]:
    """What tells Arrow's readers, polars among them, the types of these columns: a file's key and its value.

    With those of plain columns an Enum is read as strings. Worked out once: it takes a file of its own.
    """
    empty = BytesIO()
    pl.DataFrame(schema=columns).write_parquet(empty)
    empty.seek(0)
    return {_ARROW_SCHEMA: pl.read_parquet_metadata(empty)[_ARROW_SCHEMA]}


def _write(file: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a temporary file, see it on the disk, and only then give it its name."""
    temporary = file.with_name(file.name + _TEMPORARY)
    try:
        write(temporary)
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        temporary.replace(file)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


# Reading


@dataclass(frozen=True, repr=False)
class Run:
    """A stored run: lazy frames of its tables, and its experiment."""

    path: Path
    experiment: Record
    played: int = 0
    """Games played just now, in `seconds`; 0 of a run that was only loaded."""
    seconds: float = 0.0

    @property
    def games(self) -> pl.LazyFrame:
        """One row a game, in the order of `game`."""
        return self._table("games")

    @property
    def seats(self) -> pl.LazyFrame:
        """One row a seat, in the order of `game`, `seat`."""
        return self._table("seats")

    @property
    def events(self) -> pl.LazyFrame:
        """One row an event, in the order of `game` and of what happened."""
        return self._table("events")

    @property
    def catalogue(self) -> pl.LazyFrame:
        """One row a source of points or progress."""
        sources = pl.scan_parquet(self.path / "catalogue.parquet", glob=False)
        if "offered" in sources.collect_schema():
            return sources
        return sources.with_columns(offered=pl.lit(True))  # a run from before sources said so

    def _table(self, table: str) -> pl.LazyFrame:
        keep = self.experiment["keep"]
        if table not in kept_tables(keep):
            raise UserError(f"{self.path} has no {table}: it was run with --keep {keep}")
        files = [part_file(self.path, table, number) for number in parts(self.experiment)]
        return pl.scan_parquet(files, glob=False)

    @cached_property
    def summary(self) -> Record:
        """The main results: games, ties, winners, endings, and by seat and bot the wins and mean scores."""
        return _summary(self)

    def __repr__(self) -> str:
        about = self.experiment
        players, bots = about["players"], ", ".join(about["bots"])
        return f"<Run {self.path}: {about['title']}, {about['games']:,} games of {players} players, {bots}>"

    def _repr_html_(self) -> str:
        return _html({"run": self.path, **_facts(self.experiment)})


class Recorded(dict[str, Any]):
    """A record as it was read, which a notebook shows by what a designer asks: who played what, and how."""

    def _repr_html_(self) -> str:
        return _html(_facts(self))


def _facts(experiment: Mapping[str, Any]) -> Record:
    cards = "the game's own" if experiment["cards"] is None else experiment["cards"]
    values = "reconstructed" if experiment["reconstructed"] else "the designer's"
    return {
        "game": experiment["title"],
        "games": f"{experiment['games']:,}",
        "players": experiment["players"],
        "bots": ", ".join(experiment["bots"]),
        "seating": experiment["seating"],
        "seed": experiment["seed"],
        "changed values": ", ".join(f"{key} = {value}" for key, value in experiment["settings"].items())
        or "none",
        "cards": f"{cards}, values {values}",
        "kept": ", ".join(kept_tables(experiment["keep"])),
        "fingerprint": experiment["fingerprint"][:12],
    }


def _html(facts: Mapping[str, Any]) -> str:
    rows = (f"<tr><th>{key}</th><td>{html.escape(str(fact))}</td></tr>" for key, fact in facts.items())
    return f"<table>{''.join(rows)}</table>"


def _whole(lowest: int, highest: int) -> tuple[Callable[[Any], bool], str]:
    """Whether a value is a whole number in a range, and what is expected."""
    words = f"a whole number from {lowest} to {highest}"
    return lambda value: type(value) is int and lowest <= value <= highest, words


def _is_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


def _is_declared(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(value.get(part), dict) and _is_words(list(value[part].values())) for part in _DECLARED
    )


_TEXT: tuple[Callable[[Any], bool], str] = (lambda value: isinstance(value, str), "a string")
_WORDS = (_is_words, "a list of strings")
_DECLARED = ("kinds", "seats", "events")
_RECORDED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "game": _TEXT,
    "title": _TEXT,
    "players": _whole(1, 127),
    "games": _whole(1, 2 * 10**9),
    "chunk": _whole(1, 2**63 - 1),
    "keep": (lambda value: value in TABLES, "one of " + ", ".join(TABLES)),
    "bots": _WORDS,
    "seed": _whole(0, 2**63 - 1),
    "seating": _TEXT,
    "settings": (lambda value: isinstance(value, dict), "an object"),
    "cards": (lambda value: value is None or isinstance(value, str), "a string or null"),
    "reconstructed": _WORDS,
    "kinds": _WORDS,
    "columns": (_is_declared, f"an object of sentences for each of {', '.join(_DECLARED)}"),
    "payments": _WORDS,
    "spends": _TEXT,
    "clauses": (
        lambda value: isinstance(value, dict) and all(map(_is_words, value.values())),
        "an object of lists",
    ),
    "race": (lambda value: isinstance(value, bool), "true or false"),
    "fingerprint": _TEXT,
}
"""What is read from `experiment.json` whatever the run is for: whether a value is right, what is expected."""

_ABSENT: Record = {
    "cards": None,
    "kinds": list(EVENT_KINDS),
    "columns": {table: {} for table in _DECLARED},
    "payments": [],
    "spends": "",
    "clauses": {},
    "race": False,
}
"""What a record without the key means."""


def read_record(folder: Path) -> Record:
    """The content of a run folder's `experiment.json`; UserError if the folder is no run."""
    file = usable(folder) / "experiment.json"
    if not file.is_file():
        raise UserError(f"{folder} is no run: it has no experiment.json")
    try:
        record = _ABSENT | json.loads(file.read_text(encoding="utf-8"))
        missing = {*DECIDES, *_RECORDED} - set(record)
        if not missing:
            fingerprint(record)  # refuses what JSON does not have: NaN, half a character
    except (ValueError, TypeError, RecursionError):
        raise UserError(f"{file} is torn: it is no JSON object") from None
    if missing:
        raise UserError(f"{file} is no experiment: it lacks {', '.join(sorted(missing))}")
    for key, (is_right, expected) in _RECORDED.items():
        if not is_right(record[key]):
            raise UserError(f"{file}: {key} is {shown(record[key])}, expected {expected}")
    if len(record["bots"]) != record["players"]:
        raise UserError(f"{file}: bots is {shown(record['bots'])}, expected one for each of the players")
    return Recorded(record)


def parts(record: Mapping[str, Any]) -> range:
    """The numbers of all parts of a run."""
    return range(-(-record["games"] // record["chunk"]))


def part_games(record: Mapping[str, Any], number: int) -> range:
    """The games of a part."""
    first = number * record["chunk"]
    return range(first, min(first + record["chunk"], record["games"]))


def part_is_whole(folder: Path, record: Mapping[str, Any], number: int) -> bool:
    """Whether a part is there in every table kept, with its right number of games and seats."""
    games = len(part_games(record, number))
    expected = {"games": games, "seats": games * record["players"]}
    for table in kept_tables(record["keep"]):
        file = part_file(folder, table, number)
        try:
            rows = pl.scan_parquet(file, glob=False).select(pl.len()).collect().item()
        except (OSError, pl.exceptions.PolarsError):
            return False
        if rows != expected.get(table, rows):
            return False
    return True


def load(path: str | Path) -> Run:
    """A stored run; UserError if the folder is no run, is unfinished or has a torn part."""
    folder = Path(path)
    record = read_record(folder)
    missing: list[Path] = []
    for table in ("catalogue", *kept_tables(record["keep"])):
        numbers = parts(record) if table != "catalogue" else [0]
        for number in numbers:
            file = part_file(folder, table, number) if table != "catalogue" else folder / "catalogue.parquet"
            if not file.is_file():
                missing.append(file)
            elif not _has_both_ends(file):
                raise UserError(f"{file} is torn; replay it with `counterpoise run --out {folder} --resume`")
    if missing:
        again = f"`counterpoise run --out {folder} --resume`"
        done = sum(part_file(folder, "games", number).is_file() for number in parts(record))
        if done == len(parts(record)):  # a part's games are written last: what else is missing was there once
            more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
            raise UserError(f"{missing[0]} is missing{more}; replay it with {again}")
        raise UserError(
            f"{folder} is unfinished: {done} of {len(parts(record))} parts are there; go on with {again}"
        )
    return Run(folder, record)


def _has_both_ends(file: Path) -> bool:
    """Whether a file begins and ends as Parquet does: quick, and true of no file that was cut short."""
    if file.stat().st_size < 12:
        return False
    with file.open("rb") as opened:
        begins = opened.read(4)
        opened.seek(-4, os.SEEK_END)
        return begins == opened.read(4) == b"PAR1"


def check(path: str | Path) -> list[str]:
    """Everything wrong with a stored run, one sentence each; [] if it is whole. Reads every row."""
    run = load(path)
    record, folder = run.experiment, run.path
    faults = []
    if (found := fingerprint(record)) != record["fingerprint"]:
        faults.append(f"experiment.json: its fingerprint is {found[:12]}, not {record['fingerprint'][:12]}")
    try:
        sources = run.catalogue.select("source").collect().to_series().to_list()
    except (OSError, pl.exceptions.PolarsError):
        return [*faults, f"{folder / 'catalogue.parquet'}: it can't be read"]
    for number in parts(record):
        whole: dict[str, pl.DataFrame] = {}
        for table in kept_tables(record["keep"]):
            file = part_file(folder, table, number)
            try:
                rows = pl.read_parquet(file, glob=False)
            except (OSError, pl.exceptions.PolarsError):
                faults.append(f"{file}: it can't be read")
                continue
            found_here = _table_faults(rows, table, record, part_games(record, number), sources)
            faults += [f"{file}: {fault}" for fault in found_here]
            if not found_here:
                whole[table] = rows
        faults += [f"part {number}: {fault}" for fault in _sum_faults(whole)]
    return faults


def _table_faults(
    rows: pl.DataFrame, table: str, record: Record, games: range, sources: Sequence[str]
) -> list[str]:
    """What is wrong with a part of a table, seen alone."""
    fixed = {"games": GAMES, "seats": SEATS, "events": EVENTS}[table]
    if wrong := [name for name, kind in fixed.items() if rows.schema.get(name) != kind]:
        return [f"its columns {', '.join(wrong)} are missing or of another type"]
    if gaps := [column.name for column in rows if column.null_count()]:
        return [f"its columns {', '.join(gaps)} have gaps"]
    faults = []
    game, players = rows["game"], record["players"]
    if table == "events":
        if not game.is_sorted() or not game.is_between(games[0], games[-1]).all():
            faults.append(f"its games are not {games[0]} to {games[-1]} in order")
        if not rows["seat"].is_between(-1, players - 1).all():
            faults.append(f"its seats are not -1 to {players - 1}")
        if strange := set(rows["kind"].unique()) - set(record["kinds"]):
            faults.append(f"there is no kind of event {', '.join(sorted(strange))}")
        if unknown := set(rows["source"].unique()) - set(sources):
            faults.append(f"the catalogue lacks {', '.join(sorted(unknown))}")
        return faults
    rows_a_game = players if table == "seats" else 1
    if not np.array_equal(game, np.repeat(games, rows_a_game)):
        faults.append(f"its games are not {games[0]} to {games[-1]} in order, {rows_a_game} rows each")
    elif table == "seats" and not np.array_equal(rows["seat"], np.tile(np.arange(players), len(games))):
        faults.append(f"its seats are not 0 to {players - 1} in order in each game")
    return faults


def _sum_faults(whole: Mapping[str, pl.DataFrame]) -> list[str]:
    """Where the tables of a part contradict each other: top scores, and scores that the events don't pay."""
    faults = []
    if "games" in whole and "seats" in whole:
        top = whole["seats"].group_by("game").agg(pl.col("score").max())
        joined = whole["games"].join(top, on="game").filter(pl.col("top_score") != pl.col("score"))
        faults += [f"game {game}: top_score is not its highest score" for game in joined["game"].sort()[:1]]
    if "seats" in whole and "events" in whole:
        paid = whole["events"].filter(pl.col("kind") == "paid").group_by("game", "seat")
        joined = whole["seats"].join(paid.agg(pl.col("amount").sum()), on=["game", "seat"], how="left")
        wrong = joined.filter(pl.col("score") != pl.col("amount").fill_null(0)).sort("game", "seat")[:1]
        faults += [
            f"game {game}: the score of seat {seat} is not the sum of what it was paid"
            for game, seat in wrong.select("game", "seat").iter_rows()
        ]
    return faults


def _summary(run: Run) -> Record:
    """Part after part, so that memory does not grow with the games."""
    record = run.experiment
    of_games, of_endings, of_seats = [], [], []
    for number in parts(record):
        games = pl.scan_parquet(part_file(run.path, "games", number), glob=False)
        of_games.append(
            games.select(
                games=pl.len(),
                tied_on_points=(pl.col("tied_on_points") > 1).sum(),
                shared=(pl.col("winners") > 1).sum(),
                rounds=pl.col("rounds").sum(),
                turns=pl.col("turns").sum(),
            ).collect()
        )
        of_endings.append(games.group_by("ending").agg(games=pl.len()).collect())
        if record["keep"] != "games":
            seats = pl.scan_parquet(part_file(run.path, "seats", number), glob=False)
            counted = seats.group_by("seat", "bot").agg(
                pl.len().alias("games"), pl.col("win_share").sum(), pl.col("score").sum()
            )
            of_seats.append(counted.collect())
    totals = pl.concat(of_games).sum().row(0, named=True)
    games_played = totals["games"]
    endings = pl.concat(of_endings).group_by("ending").agg(pl.col("games").sum())
    summary = {
        "games": games_played,
        "tied_on_points": totals["tied_on_points"] / games_played,
        "shared": totals["shared"] / games_played,
        "mean_rounds": totals["rounds"] / games_played,
        "mean_turns": totals["turns"] / games_played,
        "endings": dict(endings.sort("games", "ending", descending=[True, False]).iter_rows()),
    }
    if of_seats:
        sums = pl.concat(of_seats)
        for key in ("seat", "bot"):
            by_key = sums.group_by(key).agg(pl.col("games", "win_share", "score").sum()).sort(key)
            summary[f"by_{key}"] = (
                by_key.with_columns(
                    win_share=pl.col("win_share") / pl.col("games"),
                    mean_score=pl.col("score") / pl.col("games"),
                )
                .drop("score")
                .to_dicts()
            )
    return summary
