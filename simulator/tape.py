"""The tape of a game, its deals and decisions as integers, as a referee reads it record by record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NoReturn

from simulator.game import UserError


class IllegalDecision(UserError):
    """A record of the tape that the rules refuse: the clause, what is wrong, and which record it is."""

    def __init__(self, clause: str, what: str, where: str):
        self.clause, self.what, self.where = clause, what, where
        super().__init__(f"{clause}: {what} ({where})")


@dataclass(frozen=True)
class Record:
    """One record of the tape; `number` counts records, `offset` the integers before it."""

    number: int
    offset: int
    kind: IntEnum
    seat: int
    values: tuple[int, ...]

    def __str__(self) -> str:
        values = " ".join(map(str, self.values))
        return f"record {self.number} at {self.offset}: {self.kind.name} of seat {self.seat} [{values}]"


class TapeReader:
    """The records `[kind, seat, n, x1 .. xn]` of a game's tape, read one after another."""

    def __init__(self, tape: Sequence[int], kinds: type[IntEnum]):
        self._records = list(_records([int(word) for word in tape], kinds))
        self._next = 0

    def peek(self) -> Record | None:
        """The record that comes next, None at the end."""
        return self._records[self._next] if self._next < len(self._records) else None

    def comes(self, kind: IntEnum, seat: int) -> bool:
        """Whether a record of that kind and seat comes next."""
        record = self.peek()
        return record is not None and record.kind == kind and record.seat == seat

    def read(self, kind: IntEnum, seat: int, clause: str, need: str) -> tuple[int, ...]:
        """The values of the next record, which must be of that kind and seat; `need` says why."""
        record = self.peek()
        if record is None or record.kind != kind or record.seat != seat:
            where = "the tape has ended" if record is None else str(record)
            raise IllegalDecision(clause, f"{need}, expected {kind.name} of seat {seat}", where)
        self._next += 1
        return record.values

    def end(self) -> None:
        """Refuse a tape that goes on after its game."""
        if (left := self.peek()) is not None:
            raise IllegalDecision("tape", "the game is over, but the tape goes on", str(left))

    def refuse(self, clause: str, what: str) -> NoReturn:
        """Refuse the record that was read last."""
        where = str(self._records[self._next - 1]) if self._next else "the tape is empty"
        raise IllegalDecision(clause, what, where)

    def require(self, holds: bool, clause: str, what: str) -> None:
        """Refuse the record that was read last unless `holds`."""
        if not holds:
            self.refuse(clause, what)


def _records(words: list[int], kinds: type[IntEnum]) -> Iterator[Record]:
    offset = number = 0
    while offset < len(words):
        where = f"record {number} at {offset}"
        if len(words) < offset + 3 or words[offset + 2] < 0 or len(words) < offset + 3 + words[offset + 2]:
            raise IllegalDecision("tape", "a record is cut off", where)
        kind, seat, count = words[offset : offset + 3]
        if kind not in set(kinds):
            raise IllegalDecision("tape", f"there is no record of kind {kind}", where)
        yield Record(number, offset, kinds(kind), seat, tuple(words[offset + 3 : offset + 3 + count]))
        number += 1
        offset += 3 + count
