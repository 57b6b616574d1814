"""What pays how often: for every source the way from offered over reachable to paid, and what it is worth.

The unit is an offer: one source offered in one game, to all seats at once or to one seat alone (a secret
card). Several offers of one source in one game to the same seats are one unit. A source that no event ever
offers but that pays, moves or comes within reach (a track, a record) counts as offered to all in every game,
but for those of which the catalogue says that nobody offers them (a card of one's own hand): they are left out.
A payment below 0 is a loss to somebody else's card: it never counts as paid.

Games are read in batches into arrays over (seats, games, sources) and summed to setups there: nearly every
cell of these arrays is needed as a denominator, and joins that make the cells as rows take ten times longer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.intervals import Measure, added, array_moments, estimates, whole_setups
from analysis.rounds import Rounds, rounds_of

CELLS = 6_000_000
"""Cells (seats x games x sources) in memory at a time: some 300 MB at the peak."""

CHOICE_KINDS = ("ability", "one_time")
"""Kinds of source whose winner chooses between an effect (paid 0 at once) and VP (paid more)."""

KINDS = ("offered", "reachable", "paid", "lapsed")

Array = NDArray[Any]
Terms = dict[str, Array]


def _ratio(name: str, total: str, count: str, rate: bool = True) -> Measure:
    return Measure(name, pl.col(total), pl.col(count), rate)


OFFER_RATES = (
    _ratio("paid_offered", "won", "offers"),
    _ratio("paid_reachable", "won", "within_reach"),
    _ratio("reachable_offered", "within_reach", "offers"),
)
OFFER_MEASURES = (
    *OFFER_RATES,
    _ratio("unwon", "unwon", "offers"),
    _ratio("lapsed_offered", "lapsed", "offers"),
    _ratio("vp", "vp", "won", rate=False),
    _ratio("vp_first", "first", "won", rate=False),
    _ratio("vp_later", "later", "won", rate=False),
    _ratio("vp_lost", "lost", "won", rate=False),
)
SEAT_RATES = (
    _ratio("seat_paid_offered", "won", "offers"),
    _ratio("seat_paid_reachable", "won", "within_reach"),
    _ratio("seat_reachable_offered", "within_reach", "offers"),
)
SEAT_MEASURES = (
    *SEAT_RATES,
    _ratio("win_share_paid", "wins", "won"),
    _ratio("effect", "effect", "choices"),
    _ratio("win_share_effect", "effect_wins", "effect"),
    _ratio("win_share_vp", "vp_wins", "vp_chosen"),
)
FIRST_PAID = (_ratio("first_paid", "first_paid", "offers"),)


@dataclass(frozen=True)
class _Batch:
    """What happened in some games, ordered by setup; arrays over (seats, games, sources) where not said."""

    game: Array  # (games,)
    starts: Array  # (setups,): where each setup begins
    players: Array  # (games,)
    bot: Array  # (seats, games): rows of the list of bots
    win_share: Array  # (seats, games)
    open: Array
    to_all: Array  # (games, sources): offered to all seats at once
    round: Array  # (games, sources): of the first offer
    within_reach: Array
    won: Array
    first: Array
    later: Array
    payments: Array  # (sources,)
    paid_round: Array  # of the first payment, 0 without
    lost: Array  # (games, sources)
    lapsed: Array  # (games, sources)

    def by_setup(self, values: Array) -> Array:
        """Sums over the games of each setup: (..., games, sources) becomes (..., setups, sources)."""
        rotations = np.diff(self.starts, append=self.game.size)
        if (rotations != rotations[0]).any():
            return np.add.reduceat(values, self.starts, axis=-2, dtype=np.float64)
        # Setups of one size, the usual case, add up several times faster in strides.
        sums = np.zeros((*values.shape[:-2], self.starts.size, values.shape[-1]))
        for rotation in range(rotations[0]):
            sums += values[..., rotation :: rotations[0], :]
        return sums

    def by_offer(self, cells: Array) -> Array:
        """How many offers have a seat with a yes, shape (games, sources): a public offer counts once."""
        return np.where(self.to_all, cells.any(axis=0), cells.sum(axis=0, dtype=np.int8))


@dataclass(frozen=True)
class _Table:
    by: tuple[str, ...]
    measures: tuple[Measure, ...]
    sums: list[pl.DataFrame] = field(default_factory=list)

    def add(self, terms: Terms, labels: Mapping[str, Any]) -> None:
        """Take up the terms, arrays (setups, cells); `labels` name the cells, or all of them at once."""
        columns: dict[str, Any] = {}
        for measure in self.measures:
            total, count = terms[measure.total.meta.output_name()], terms[measure.count.meta.output_name()]
            columns |= {f"{measure.name}|{name}": sums for name, sums in array_moments(total, count).items()}
        frame = pl.DataFrame(columns)
        names = [
            pl.Series(key, each) if isinstance(each, list) else pl.lit(each).alias(key)
            for key, each in labels.items()
        ]
        self.sums.append(frame.select(*names, pl.all()))

    def estimated(self) -> pl.DataFrame:
        found = estimates(added(self.sums, self.by), self.by, self.measures)
        return found.filter(pl.col(f"{self.measures[0].name}_n") > 0)


def payout_tables(
    events: pl.LazyFrame, games: pl.LazyFrame, seats: pl.LazyFrame, catalogue: pl.LazyFrame
) -> dict[str, pl.DataFrame]:
    """The payout rates of a run by `source`, `round`, `seat`, `bot`, `players`, `group` and `kind`.

    `round` is the first one of its span (`analysis.rounds`): itself while the games have few.
    Each measure NAME comes with `NAME_low`, `NAME_high` (95 %, by setups) and `NAME_n`, its denominator.

    Over offers (tables `source`, `round` of the offer, `players`, `group`, `kind`):
    `paid_offered` share of offers that paid at least one seat; `reachable_offered` share that came within
    reach of at least one seat (what was paid counts); `paid_reachable` share of those that paid;
    `unwon` share that nobody won, `lapsed_offered` share that left the table so.
    Means over the offers that paid: `vp` everything paid in the game, of which
    `vp_first` the first payment of each seat and `vp_later` all further ones; `vp_lost` what others lost.

    Over seats, one unit an offer and a seat that it is open to (tables `source`, `seat`, `bot`):
    `seat_paid_offered`, `seat_reachable_offered`, `seat_paid_reachable`; in `source` also `win_share_paid`,
    the mean share of the win of the seats paid; `effect` share of winners of a choice that took the effect;
    `win_share_effect`, `win_share_vp` the mean share of the win of those and of the others. The last two
    compare seats that chose, not the choice: strong seats may choose differently.

    `paid_round` has for each source and round the share of all its offers that were `first_paid` then.
    `source` further has the counts `offered`, `reachable`, `paid`, `lapsed` (offers), `seats_reachable`,
    `seats_paid`, `payments` and the first `example` game that paid it, and a row for each source that can be
    offered; there must be one.
    """
    sources = catalogue.filter("offered").select("source", "name", "group", "kind", "text").collect()
    own = catalogue.filter(~pl.col("offered")).select("source").collect()["source"]
    rounds = rounds_of(games)
    events = events.filter(~pl.col("source").is_in(own.implode())).with_columns(rounds.first_of())
    names = sources["source"].to_list()
    bots = seats.select(pl.col("bot").unique().sort()).collect(engine="streaming")["bot"].to_list()
    groups = {name: sources[name].unique(maintain_order=True).to_list() for name in ("group", "kind")}
    member = {
        name: (sources[name].to_numpy()[:, None] == np.array(of)).astype(np.float64)
        for name, of in groups.items()
    }
    chooses = sources["kind"].is_in(CHOICE_KINDS).to_numpy()[None, None, :]
    tables = {
        "source": _Table(("source",), OFFER_MEASURES),
        "round": _Table(("source", "round"), OFFER_RATES),
        "players": _Table(("source", "players"), OFFER_MEASURES),
        "group": _Table(("group",), OFFER_MEASURES),
        "kind": _Table(("kind",), OFFER_MEASURES),
        "source_seats": _Table(("source",), SEAT_MEASURES),
        "seat": _Table(("source", "seat"), SEAT_RATES),
        "bot": _Table(("source", "bot"), SEAT_RATES),
        "paid_round": _Table(("source", "round"), FIRST_PAID),
    }
    payments = np.zeros(len(names), dtype=np.int64)
    example = np.full(len(names), np.iinfo(np.int64).max)
    for batch in _batches(events, games, seats, names, bots):
        offers = _offer_terms(batch)
        by_setup = {name: batch.by_setup(values) for name, values in offers.items()}
        tables["source"].add(by_setup, {"source": names})
        for key, of in groups.items():
            tables[key].add({name: values @ member[key] for name, values in by_setup.items()}, {key: of})
        for players in np.unique(batch.players):
            there = (batch.players == players)[:, None]
            of_count = by_setup if there.all() else _summed(batch, offers, there)
            tables["players"].add(of_count, {"source": names, "players": int(players)})
        _add_rounds(batch, offers, tables, names, rounds)
        _add_seats(batch, tables, names, bots, chooses)
        payments += batch.payments
        ever = batch.won.any(axis=0)
        example = np.minimum(
            example, np.where(ever, batch.game[:, None], example).min(axis=0, initial=example.max())
        )
    found = {name: table.estimated() for name, table in tables.items()}
    extra = pl.DataFrame({"source": names, "payments": payments, "example": example}).with_columns(
        pl.when(pl.col("payments") > 0).then(pl.col("example"))
    )
    found["source"] = _by_source(sources, found["source"], found.pop("source_seats"), extra)
    return found


def payouts(
    events: pl.LazyFrame,
    games: pl.LazyFrame,
    seats: pl.LazyFrame,
    catalogue: pl.LazyFrame,
    by: str = "source",
) -> pl.DataFrame:
    """One of the `payout_tables`, by its name."""
    return payout_tables(events, games, seats, catalogue)[by]


def _offer_terms(batch: _Batch) -> Terms:
    """What offers came to, each over (games, sources)."""
    open_, offers = batch.open, batch.by_offer(batch.open)
    first, later = (np.where(open_, values, 0).sum(axis=0) for values in (batch.first, batch.later))
    return {
        "offers": offers,
        "within_reach": batch.by_offer(batch.within_reach & open_),
        "won": batch.by_offer(batch.won & open_),
        "unwon": offers - batch.by_offer(batch.won & open_),
        "lapsed": np.minimum(batch.lapsed, offers),
        "first": first,
        "later": later,
        "vp": first + later,
        "lost": np.where(offers > 0, batch.lost, 0),
    }


def _summed(batch: _Batch, terms: Terms, there: Array) -> Terms:
    """The terms of some cells alone, by setup."""
    return {name: batch.by_setup(np.where(there, values, 0)) for name, values in terms.items()}


def _add_rounds(
    batch: _Batch, offers: Terms, tables: Mapping[str, _Table], names: list[str], rounds: Rounds
) -> None:
    rates = {name: offers[name] for name in ("offers", "within_reach", "won")}
    all_offers = batch.by_setup(offers["offers"])
    never = np.iinfo(batch.paid_round.dtype).max
    first_round = np.where(batch.won & batch.open, batch.paid_round, never).min(axis=0)
    for number in rounds.firsts:
        labels = {"source": names, "round": number}
        tables["round"].add(_summed(batch, rates, batch.round == number), labels)
        secret = ((batch.paid_round == number) & batch.won & batch.open).sum(axis=0)
        first_paid = batch.by_setup(np.where(batch.to_all, first_round == number, secret))
        tables["paid_round"].add({"first_paid": first_paid, "offers": all_offers}, labels)


def _add_seats(
    batch: _Batch, tables: Mapping[str, _Table], names: list[str], bots: list[str], chooses: Array
) -> None:
    won = batch.won & batch.open
    rates = {"offers": batch.open, "within_reach": batch.within_reach & batch.open, "won": won}
    terms = {name: batch.by_setup(values) for name, values in rates.items()}
    for seat in range(batch.open.shape[0]):
        tables["seat"].add(
            {name: values[seat] for name, values in terms.items()}, {"source": names, "seat": seat}
        )
    for number, bot in enumerate(bots):
        sits = (batch.bot == number)[:, :, None]
        there = {
            name: batch.by_setup((values & sits).sum(axis=0, dtype=np.int8)) for name, values in rates.items()
        }
        tables["bot"].add(there, {"source": names, "bot": bot})
    choices = won & chooses
    effect, vp_chosen = choices & (batch.first == 0), choices & (batch.first > 0)
    whole = {name: values.sum(axis=0) for name, values in terms.items()}
    for name, cells in (("choices", choices), ("effect", effect), ("vp_chosen", vp_chosen)):
        whole[name] = batch.by_setup(cells.sum(axis=0, dtype=np.int8))
    for name, cells in (("wins", won), ("effect_wins", effect), ("vp_wins", vp_chosen)):
        whole[name] = batch.by_setup(np.einsum("pgs,pg->gs", cells, batch.win_share))
    tables["source_seats"].add(whole, {"source": names})


def _batches(
    events: pl.LazyFrame, games: pl.LazyFrame, seats: pl.LazyFrame, names: list[str], bots: list[str]
) -> Iterator[_Batch]:
    """The run in batches of whole setups."""
    always = np.isin(names, never_offered(events).to_list())
    places = int(games.select(pl.col("players").max()).collect(engine="streaming").item() or 0)
    size = max(1, CELLS // max(len(names) * places, 1))
    for first, last in whole_setups(games, size):
        within = pl.col("game").is_between(first, last)
        table = games.filter(within).select("game", "setup", "players").collect().sort("setup", "game")
        sitting = (
            seats.filter(within)
            .select("game", "seat", pl.col("bot").cast(pl.Enum(bots)).to_physical(), "win_share")
            .collect()
        )
        happened = events.filter(within & pl.col("kind").is_in(KINDS)).with_columns(
            pl.col("kind").cast(pl.Enum(KINDS)),
            pl.col("source").cast(pl.Enum(names)).to_physical().cast(pl.Int64),
        )
        yield _batch(table, sitting, happened, always, places)


def _batch(
    table: pl.DataFrame, sitting: pl.DataFrame, happened: pl.LazyFrame, always: Array, places: int
) -> _Batch:
    game, setup = table["game"].to_numpy(), table["setup"].to_numpy()
    shape = (places, game.size, always.size)
    flat, cells = game.size * always.size, places * game.size * always.size
    least = int(game.min())
    rows = np.zeros(int(game.max()) - least + 1, dtype=np.int64)
    rows[game - least] = np.arange(game.size)
    row = pl.lit(pl.Series(rows)).gather(pl.col("game").cast(pl.Int64) - least)

    sitting = sitting.with_columns(row=row)
    taken = (sitting["seat"].to_numpy(), sitting["row"].to_numpy())
    bot, win_share = np.full(shape[:2], -1), np.zeros(shape[:2])
    bot[taken], win_share[taken] = sitting["bot"].to_numpy(), sitting["win_share"].to_numpy()

    where = (row * always.size + pl.col("source")).alias("where")
    cell = (pl.col("seat").cast(pl.Int64) * flat + where).alias("cell")
    placed = happened.select(where, cell, "seat", "round", "amount", "kind").collect(engine="streaming")
    kind, amount = pl.col("kind"), pl.col("amount")
    offers, reached, lapses = (placed.filter(kind == each) for each in ("offered", "reachable", "lapsed"))
    pays, costs = (placed.filter((kind == "paid") & gains) for gains in (amount >= 0, amount < 0))

    def first_of(which: pl.DataFrame, value: str, at: str, size: int) -> Array:
        """The value of the first event at each place, 0 without: numpy keeps what is written last."""
        found = np.zeros(size, dtype=np.int32)
        found[which[at].to_numpy()[::-1]] = which[value].to_numpy()[::-1]
        return found

    def marked(which: pl.DataFrame, at: str, size: int) -> Array:
        found = np.zeros(size, dtype=bool)
        found[which[at].to_numpy()] = True
        return found

    def counted(which: pl.DataFrame, at: str, size: int) -> Array:
        return np.bincount(which[at].to_numpy(), minlength=size)

    def summed(which: pl.DataFrame, at: str, size: int) -> Array:
        return np.bincount(which[at].to_numpy(), which["amount"].to_numpy(), size)

    to_all = marked(offers.filter(pl.col("seat") < 0), "where", flat).reshape(shape[1:]) | always
    mine = marked(offers.filter(pl.col("seat") >= 0), "cell", cells).reshape(shape)
    won = marked(pays, "cell", cells).reshape(shape)
    first = first_of(pays, "amount", "cell", cells).reshape(shape)
    return _Batch(
        game=game,
        starts=np.flatnonzero(np.r_[True, setup[1:] != setup[:-1]]),
        players=table["players"].to_numpy(),
        bot=bot,
        win_share=win_share,
        open=(to_all | mine) & (bot >= 0)[:, :, None],
        to_all=to_all,
        round=np.where(always, 1, first_of(offers, "round", "where", flat).reshape(shape[1:])),
        within_reach=marked(reached, "cell", cells).reshape(shape) | won,
        won=won,
        first=first,
        later=(summed(pays, "cell", cells).reshape(shape) - first).astype(np.int32),
        payments=counted(pays, "where", flat).reshape(shape[1:]).sum(axis=0),
        paid_round=first_of(pays, "round", "cell", cells).reshape(shape),
        lost=np.abs(summed(costs, "where", flat)).reshape(shape[1:]),
        lapsed=counted(lapses, "where", flat).reshape(shape[1:]),
    )


def never_offered(events: pl.LazyFrame) -> pl.Series:
    """The sources that have events and none that offers them: they are open in every game."""
    # Two selections, which pass most of the files by, take a third of the time of one pass over all events.
    source = pl.col("source")
    offered = events.filter(pl.col("kind") == "offered").select(source.unique()).collect(engine="streaming")
    others = events.filter(~source.is_in(offered["source"].implode())).select(source.unique())
    return others.collect(engine="streaming")["source"]


def _by_source(
    sources: pl.DataFrame, offers: pl.DataFrame, seats: pl.DataFrame, extra: pl.DataFrame
) -> pl.DataFrame:
    """The table `source`: every catalogue entry, counts before rates."""
    counts: Mapping[str, pl.Expr] = {
        "offered": pl.col("paid_offered_n"),
        "reachable": pl.col("paid_reachable_n"),
        "paid": pl.col("vp_n"),
        "lapsed": pl.col("lapsed_offered") * pl.col("lapsed_offered_n"),
        "seats_reachable": pl.col("seat_paid_reachable_n"),
        "seats_paid": pl.col("win_share_paid_n"),
    }
    numbers = offers.join(seats, on="source")
    whole = [expression.round().cast(pl.Int64).alias(name) for name, expression in counts.items()]
    measured = numbers.select("source", *whole, pl.exclude("source"))
    table = sources.join(extra, on="source", how="left", maintain_order="left")
    table = table.join(measured, on="source", how="left", maintain_order="left")
    first = (*sources.columns, *counts, "payments", "example")
    return table.select(*first, pl.exclude(first)).with_columns(pl.col(*counts).fill_null(0))
