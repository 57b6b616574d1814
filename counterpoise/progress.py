"""How far a report is, on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def section_bar(shown: bool | None) -> Iterator[Callable[[int, int, str], None] | None]:
    """A bar with the sections measured, the one at hand and the time so far; by default only on a terminal.

    It tells no time left: one section may take as long as all others together.
    """
    if not (sys.stderr.isatty() if shown is None else shown):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("reading", total=None)

        def advance(done: int, of: int, what: str) -> None:
            doing = (
                f"{done} of {of} sections, measuring {what}"
                if done < of
                else f"{of} sections, drawing {what}"
            )
            bar.update(task, completed=done, total=of, description=doing)

        yield advance
