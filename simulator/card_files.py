"""What designers' card files have in common: which override the game's own, and how a CSV file of cards is read."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from simulator.documents import SETTING
from simulator.faults import nearest
from simulator.game import CardFaults, Fault, UserError

LONGEST_ID: Final = 60

_ID: Final = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def own_files(cards: Path | None, files: Sequence[str], table: str) -> dict[str, Path]:
    """The designer's own files by the names that they have in `files`, for a folder or a single file; None: {}.

    A single CSV file may have any name: it stands for `table`. CardFaults for a file in the folder that is
    none of the files, UserError if there is nothing to read.
    """
    if cards is None:
        return {}
    if cards.is_file():
        if cards.suffix == ".csv":
            return {table: cards}
        if cards.name not in files:
            expected = nearest(cards.name, files)
            raise UserError(f"{cards} is no file of a card set, expected {expected} or another .csv file")
        return {cards.name: cards}
    if not cards.is_dir():
        raise UserError(f"there is no card file or folder {cards}")
    found = sorted(path for path in cards.iterdir() if path.suffix in (".csv", ".toml"))
    strange = [path for path in found if path.name not in files]
    if strange:
        raise CardFaults(
            [Fault(str(path), 0, "file", "unknown file", nearest(path.name, files)) for path in strange]
        )
    if not found:
        raise UserError(
            f"the folder {cards} holds no file of a card set, expected some of {', '.join(files)}"
        )
    return {path.name: path for path in found}


def no_setting(setting: str, forms: Mapping[str, str]) -> Fault:
    """The fault of a setting that has none of these forms, each named by the word it starts with."""
    root = setting.split(".")[0]
    expected = forms.get(root) or f"{nearest(root, forms)} at its start"
    return Fault(SETTING, 0, setting, "no such setting", expected)


def id_problem(id: str) -> tuple[str, str] | None:
    """What is wrong with the id of a card and what is expected, None if it can name a source and a setting."""
    if _ID.fullmatch(id) and len(id) <= LONGEST_ID:
        return None
    return f"{id[:LONGEST_ID]!r} is no id", f"words of a-z and 0-9 joined by _, up to {LONGEST_ID} characters"


@dataclass
class Row:
    """A row of a CSV file: its cells by column, without blanks around them, and the faults found in it so far."""

    file: str
    line: int
    cells: Mapping[str, str] = field(default_factory=dict)
    """Empty if the row has not as many cells as the header."""
    faults: list[Fault] = field(default_factory=list)

    def fault(self, column: str, problem: str, expected: str) -> None:
        """Note what is wrong in a column."""
        self.faults.append(Fault(self.file, self.line, column, problem, expected))


def read_rows(path: Path, columns: Sequence[str]) -> tuple[list[Row], list[Fault]]:
    """The rows of a CSV file under a header of these columns in any order, and the faults that no row has.

    One of the columns is `id`: a row with the id of an earlier one has that fault.
    """
    file = str(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        return [], [Fault(file, line, "file", "is not UTF-8 text", "a CSV file saved as UTF-8")]
    rows: list[Row] = []
    faults: list[Fault] = []
    first_line: dict[str, int] = {}
    header: list[str] | None = None
    lines = csv.reader(io.StringIO(text), skipinitialspace=True, strict=True)
    while True:
        try:
            cells = next(lines, None)
        except csv.Error as error:
            problem = f"can't be split: {error}"
            faults.append(Fault(file, lines.line_num, "row", problem, "fields as in CSV"))
            continue
        if cells is None:
            break
        cells = [cell.strip() for cell in cells]
        if not any(cells):
            continue
        row = Row(file, lines.line_num)
        if header is None:
            header = cells
            _check_header(row, header, columns)
            if row.faults:
                return [], row.faults
            continue
        if len(cells) != len(header):
            row.fault("row", f"has {len(cells)} fields", f"{len(header)}, as the header has")
        else:
            row.cells = dict(zip(header, cells, strict=True))
            earlier = first_line.setdefault(row.cells["id"], row.line)
            if row.cells["id"] and earlier != row.line:
                problem = f"{row.cells['id']!r} stands in line {earlier} too"
                row.fault("id", problem, "an id of its own")
        rows.append(row)
    if header is None:
        faults.append(Fault(file, 1, "header", "the file is empty", f"the header {','.join(columns)}"))
    return rows, faults


def _check_header(row: Row, header: Sequence[str], columns: Sequence[str]) -> None:
    missing = [column for column in columns if column not in header]
    if len(header) == 1:
        row.fault("header", f"has the one column {header[0]!r}", f"{','.join(columns)}, with commas")
        return
    for position, column in enumerate(header):
        if column in header[:position]:
            row.fault("header", f"column {column!r} stands twice", "each column once")
        elif column not in columns:
            meant = nearest(column, missing)
            row.fault("header", f"unknown column {column!r}", meant)
            missing = [column for column in missing if column != meant]
    for column in missing:
        row.fault("header", f"column {column!r} is missing", f"the header {','.join(columns)}")
