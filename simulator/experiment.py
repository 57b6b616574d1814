"""An experiment: everything that decides a result, its file format, its games and its fingerprint."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from simulator import store
from simulator.bots import BotBook, read_bots, split_bots
from simulator.faults import line_of, nearest, parse_toml, read_toml, shown, usable
from simulator.game import CardFaults, Design, Fault, Game, Plan, UserError
from simulator.games import GAMES
from simulator.games import game as find_game

ENGINE = 2
"""Raised whenever the same experiment would give other rows than before."""

_MOST_GAMES = 10**9
SEATINGS = ("rotate", "fixed", "shuffle")
Setting = bool | int | float | str | list[Any]

_SEATING_PURPOSE = 0x5EA7  # of the random stream that seats the bots; games number theirs from 0
_TYPES: dict[str, tuple[type, ...]] = {
    "game": (str,),
    "players": (int,),
    "games": (int,),
    "bots": (str, list),
    "seed": (int,),
    "seating": (str,),
    "set": (dict,),
    "cards": (str,),
    "keep": (str,),
    "workers": (int,),
    "out": (str,),
}
"""The keys of an experiment file. `workers` and `out` say where a run goes, not what comes out."""


_RECORDED = ("game", "players", "games", "bots", "seed", "seating", "cards", "keep")
"""The options that stand in a run's record under the same name; `set` is called `settings` there."""


class OptionError(UserError):
    """A wrong value of one of an experiment's options."""

    def __init__(self, option: str, problem: str):
        self.option = option
        super().__init__(f"{option}: {problem}")


@dataclass(frozen=True)
class Experiment:
    """Which games to play, with what and by whom. Seats are filled by `bots` in order.

    With seating `rotate`, a setup (one shuffle of everything) is played once in each rotation of the bots;
    with `fixed` the bots keep their seats, with `shuffle` each game seats them at random.
    """

    game: str
    players: int
    games: int
    bots: tuple[str, ...]
    """One bot string a seat."""
    seed: int = 1
    seating: str = "rotate"
    settings: Mapping[str, Setting] = field(default_factory=dict)
    """Changed values by dotted key, such as `rules.energy_start`."""
    cards: Path | None = None
    """A folder of files that replace the game's own."""
    keep: str = "events"
    """games, seats or events: how much is stored."""

    def __post_init__(self) -> None:
        for option in ("players", "games", "seed"):
            if type(getattr(self, option)) is not int:
                raise OptionError(
                    option, f"{shown(getattr(self, option))} is no whole number, expected one as 1000"
                )
        allowed = find_game(self.game).players
        if self.players not in allowed:
            counts = ", ".join(map(str, allowed))
            raise OptionError(
                "players", f"{shown(self.players)} can't play {self.game}, expected one of {counts}"
            )
        if self.games < 1:
            raise OptionError("games", f"{shown(self.games)} games are none, expected 1 or more")
        if self.games >= _MOST_GAMES + self.players:  # as many as whole setups may come to
            raise OptionError("games", f"{shown(self.games)} are too many, expected at most {_MOST_GAMES:,}")
        if not 0 <= self.seed < 2**63:
            raise OptionError("seed", f"{shown(self.seed)} is out of range, expected 0 to 2**63 - 1")
        if len(self.bots) != self.players:
            seated = f", or players {len(self.bots)}" if len(self.bots) in allowed else ""
            raise OptionError(
                "bots",
                f"{len(self.bots)} bots for {self.players} seats, expected 1 or {self.players}{seated}",
            )
        for option, known in (("seating", SEATINGS), ("keep", store.TABLES)):
            value = getattr(self, option)
            if value not in known:
                raise OptionError(option, f"there is no {shown(value)}, expected {nearest(value, known)}")
        if self.cards is not None and not self.cards.exists():
            raise OptionError("cards", f"there is no folder {self.cards}")

    @classmethod
    def of(
        cls,
        game: str,
        *,
        players: int | None = None,
        games: int = 10_000,
        bots: str | Sequence[str] | None = None,
        seed: int = 1,
        seating: str = "rotate",
        set: Mapping[str, Any] | None = None,
        cards: str | Path | None = None,
        keep: str = "events",
    ) -> Experiment:
        """The experiment of these options; by default the largest table, with the game's default bot.

        `bots` is a list or a string such as `balanced,prophet:noise=0.2`; one bot fills every seat.
        """
        known = find_game(game)
        folder = None if cards is None else usable(cards)
        if bots is None:
            bots = [read_book(known, folder).default]
        seats = [_label(bot) for bot in (split_bots(bots) if isinstance(bots, str) else bots)]
        players = max(known.players) if players is None else _whole(players)
        return cls(
            game=game,
            players=players,
            games=_whole(games),
            bots=tuple(seats * players if len(seats) == 1 and players in known.players else seats),
            seed=_whole(seed),
            seating=seating,
            settings=flat(set or {}),
            cards=folder,
            keep=keep,
        )

    @classmethod
    def from_toml(cls, path: str | Path, **given: Any) -> Experiment:
        """The experiment of a file; what is given beside it wins. UserError with file and line."""
        options, text = read_options(Path(path))
        merged = merge(options, given)
        if "game" not in merged:
            raise UserError(f"{path}: game: missing, expected one of {', '.join(GAMES)}")
        try:
            return cls.of(**{key: value for key, value in merged.items() if key not in ("workers", "out")})
        except OptionError as problem:
            if problem.option in given or problem.option not in options:
                raise
            raise UserError(f"{path}:{line_of(text, problem.option)}: {problem}") from None

    @classmethod
    def from_run(cls, record: store.Record, **given: Any) -> Experiment:
        """The experiment that a run folder records; what is given beside it wins."""
        return cls.of(**merge({key: record[key] for key in _RECORDED} | {"set": record["settings"]}, given))

    def but(self, **given: Any) -> Experiment:
        """This experiment with what is given in the place of its own."""
        own = {key: getattr(self, key) for key in _RECORDED} | {"set": self.settings}
        return self.of(**merge(own, given))

    def _repr_html_(self) -> str:
        return store.Recorded(prepare(self).record)._repr_html_()


def _whole(value: Any) -> Any:
    """A whole number that is written as 1e4 or comes from NumPy, as Python's own; anything else as it is."""
    if isinstance(value, np.integer) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    return value


def _label(bot: str) -> str:
    """A bot string without the spaces that mean nothing, so that the same bot has one name."""
    return re.sub(r"\s*([:,=])\s*", r"\1", bot.strip())


@dataclass(frozen=True)
class Prepared:
    """An experiment ready to play: the game, its design, the bots' weights."""

    experiment: Experiment
    game: Game
    design: Design
    weights: np.ndarray
    """float64 (seats, features): one bot a row, in the order of the experiment's bots."""

    @property
    def games(self) -> int:
        """The number of games in whole setups, at least as many as were asked for."""
        setup = self.games_a_setup
        return -(-self.experiment.games // setup) * setup

    @property
    def games_a_setup(self) -> int:
        """How many games share one setup."""
        return self.experiment.players if self.experiment.seating == "rotate" else 1

    def plan(self, first: int, last: int) -> Plan:
        """The plan of the games `first` .. `last` - 1."""
        experiment, players = self.experiment, self.experiment.players
        game = np.arange(first, last, dtype=np.int64)
        setup, rotation = np.divmod(game, self.games_a_setup)
        if experiment.seating == "shuffle":
            bots = _shuffled_seats(experiment.seed, game, players)
        else:
            bots = (np.arange(players, dtype=np.int64) + rotation[:, None]) % players
        return Plan(experiment.seed, players, game, setup, rotation, bots, self.weights)

    @cached_property
    def record(self) -> store.Record:
        """The content of `experiment.json`, except how the games are cut in parts."""
        experiment, game = self.experiment, self.game
        record: store.Record = {
            "engine": ENGINE,
            "game": game.name,
            "title": game.title,
            "players": experiment.players,
            "games": self.games,
            "bots": list(experiment.bots),
            "seed": experiment.seed,
            "seating": experiment.seating,
            "settings": dict(experiment.settings),
            "cards": None if experiment.cards is None else str(experiment.cards.resolve()),
            "keep": experiment.keep,
            "reconstructed": list(self.design.reconstructed),
            "parts": list(game.parts),
            "actions": list(game.actions),
            "endings": list(game.endings),
            "kinds": list(game.kinds),
            "columns": {
                "kinds": dict(game.own_kinds),
                "seats": dict(game.seat_columns),
                "events": dict(game.event_columns),
            },
            "payments": list(game.payments),
            "spends": game.spends,
            "clauses": {clause: list(shown) for clause, shown in game.clauses.items()},
            "race": game.race,
            "tie_stages": list(game.tie_stages),
            "weights": [dict(zip(game.features, row.tolist(), strict=True)) for row in self.weights],
            "design": self.design.content,
        }
        return record | {"fingerprint": store.fingerprint(record)}


def prepare(experiment: Experiment) -> Prepared:
    """The experiment with its cards, rules and bots read; CardFaults or UserError if they are wrong."""
    game = find_game(experiment.game)
    book = read_book(game, experiment.cards)
    weights = np.stack([book.row(bot) for bot in experiment.bots])
    design = game.read(experiment.cards, experiment.settings, experiment.players)
    return Prepared(experiment, game, design, weights)


def read_book(game: Game, cards: Path | None) -> BotBook:
    """The bots of a game, with what `cards`, a folder or file, changes of them; CardFaults if the file is wrong."""
    default = game.data / "bots.toml"
    if cards is not None:
        own = cards if cards.name == default.name else cards / default.name
        if own.is_file():
            return read_bots(own, game.features, default)
    return read_bots(default, game.features)


def _shuffled_seats(seed: int, game: np.ndarray, players: int) -> np.ndarray:
    """int64 (games, seats): who sits where, a function of (seed, game) alone."""
    from simulator import rng  # only here: it takes a second to load

    bots = np.tile(np.arange(players, dtype=np.int64), (len(game), 1))
    stream = np.zeros(1, dtype=np.uint64)
    with np.errstate(over="ignore"):  # the stream's arithmetic wraps when it runs uncompiled
        for number, row in zip(game, bots, strict=True):
            rng.start(stream, seed, number, _SEATING_PURPOSE)
            rng.shuffle(stream, row, players)
    return bots


# The experiment file and the command line


def read_options(path: Path) -> tuple[dict[str, Any], str]:
    """The options in an experiment file and its text; CardFaults for unknown keys and wrong types."""
    try:
        options, text = read_toml(usable(path))
    except FileNotFoundError:
        raise UserError(f"there is no experiment file {path}") from None
    faults = []
    for key in options:
        expected = _TYPES.get(key)
        if expected == (int,):
            options[key] = _whole(options[key])
        value = options[key]
        if expected is None:
            problem, wanted = "unknown key", nearest(key, _TYPES)
        elif not isinstance(value, expected) or isinstance(value, bool):
            problem, wanted = shown(value), _in_words(expected)
        elif key == "bots" and isinstance(value, list) and not all(isinstance(bot, str) for bot in value):
            problem, wanted = shown(value), "a list of strings"
        else:
            continue
        faults.append(Fault(str(path), line_of(text, key), key, problem, wanted))
    if faults:
        raise CardFaults(faults)
    if "cards" in options:
        options["cards"] = path.parent / options["cards"]
    if "set" in options:
        options["set"] = flat(options["set"])
    return options, text


def _in_words(kinds: Sequence[type]) -> str:
    words = {str: "a string", int: "a whole number", dict: "a table", list: "a list of strings"}
    return " or ".join(words[kind] for kind in kinds)


def merge(options: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a file, overruled by those given; settings are overruled one by one."""
    merged = {**options, **{key: value for key, value in given.items() if value is not None}}
    settings = {**options.get("set", {}), **flat(given.get("set") or {})}
    return merged | ({"set": settings} if settings else {})


def flat(settings: Mapping[str, Any]) -> dict[str, Setting]:
    """Settings by dotted key, from tables nested or dotted."""
    values: dict[str, Setting] = {}
    for key, value in settings.items():
        if isinstance(value, Mapping):
            values.update({f"{key}.{inner}": item for inner, item in flat(value).items()})
        elif isinstance(value, bool | int | float | str | list):
            values[key] = value
        else:
            raise OptionError("set", f"{key} is {shown(value)}, expected a number, true, false or a string")
    return values


def parse_settings(pairs: Sequence[str]) -> dict[str, Setting]:
    """The settings of `KEY=VALUE` strings; the value is TOML, or a text without its quotes."""
    settings: dict[str, Setting] = {}
    for pair in pairs:
        key, equals, text = (part.strip() for part in pair.partition("="))
        if not equals or not key:
            raise OptionError("set", f"{shown(pair)} is no setting, expected KEY=VALUE")
        try:
            parsed = parse_toml(f"value = {text}")
        except tomllib.TOMLDecodeError:
            parsed = {}
        except (ValueError, RecursionError):
            raise OptionError("set", f"{key} is {shown(text)}, expected a value of sensible size") from None
        if list(parsed) != ["value"]:  # no TOML value: a text as it stands, such as a condition
            if not text or not text.isprintable():
                raise OptionError("set", f"{key} is {shown(text)}, expected a number, true, false or a text")
            parsed = {"value": text}
        if key in settings:
            raise OptionError("set", f"{key} stands twice, expected once")
        settings.update(flat({key: parsed["value"]}))
    return settings
