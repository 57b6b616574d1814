"""Rounds as tables and figures show them: one by one while they are few, in spans of equal length if not."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

MOST = 12
"""Spans in a table."""


@dataclass(frozen=True)
class Rounds:
    """The rounds of a run in spans, each named by its first round; the last span is open."""

    length: int
    count: int
    last: int
    """The last round of the longest game."""

    @property
    def firsts(self) -> list[int]:
        return [1 + self.length * place for place in range(self.count)]

    @property
    def ends(self) -> list[int]:
        """The last round of each span."""
        return [*(first - 1 for first in self.firsts[1:]), self.last]

    def first_of(self, column: str = "round") -> pl.Expr:
        """The first round of the span in which a round lies."""
        place = ((pl.col(column) - 1) // self.length).clip(0, self.count - 1)
        return (1 + place * self.length).cast(pl.Int64).alias(column)

    def label(self, first: int) -> str:
        """A span in words, by its first round."""
        if self.length == 1 and (first < self.firsts[-1] or first == self.last):
            return f"round {first}"
        if first == self.firsts[-1]:
            return f"from round {first}"
        return f"rounds {first}–{first + self.length - 1}"


def rounds_of(games: pl.LazyFrame) -> Rounds:
    """The spans for a run's games: as long as nine in ten of the games last, and a rest."""
    rounds = pl.col("rounds")
    found = games.select(most=rounds.max(), usual=rounds.quantile(0.9, "nearest")).collect(engine="streaming")
    last, usual = (int(found[name][0] or 1) for name in ("most", "usual"))
    if last <= MOST:
        return Rounds(1, last, last)
    length = -(-usual // MOST)
    return Rounds(length, -(-usual // length), last)
