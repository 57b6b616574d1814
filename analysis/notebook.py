"""A report's sections as a notebook takes them: frames by name, which list themselves, and their figure.

The frames and their columns are those of `report.json`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis import report
from analysis.frames import Frames
from analysis.words import families, plural
from simulator.faults import nearest, shown
from simulator.game import UserError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from simulator.store import Run


class Payouts(Frames):
    """What was offered, within reach and paid: the section `payouts` of a report."""

    def figure(self, family: str | None = None) -> Figure:
        """How often the sources of a family, such as `prophecy`, are paid where offered; by default the largest."""
        from analysis import charts

        sources = self["source"]
        known = families(sources)
        if family is None:
            family = next(iter(known), None)
        elif family not in known:
            raise UserError(f"there is no family {shown(family)}, expected {nearest(family, known)}")
        what = "sources" if family is None else plural(family)
        rows = sources if family is None else known[family]
        title = f"{what.capitalize()}: how often each is paid, of the games that offered it"
        return charts.payout_dots(rows, title)


class Pacing(Frames):
    """When seats reach each step of the tracks: the section `pacing` of a report."""

    def figure(self, track: str | None = None) -> Figure:
        """The share of seats on each step or above, by round and own turn; by default of the first track."""
        from analysis import charts

        # In the order of the catalogue.
        names = dict(self["round"].select("source", "name").unique(maintain_order=True).rows())
        if track is None:
            track = next(iter(names))
        elif track not in names:
            raise UserError(f"there is no track {shown(track)}, expected {nearest(track, names)}")
        rounds, turns = (self[key].filter(source=track) for key in ("round", "turn"))
        return charts.track_pace(rounds, turns, f"{names[track]}: seats on each step or above")


class Ties(Frames):
    """How often games are tied and how close they are: the section `ties` of a report."""

    def figure(self) -> Figure:
        """How far ahead the winner is; UserError of a race, which has no points to be ahead by."""
        from analysis import charts

        if "margins" not in self:
            raise UserError("a race has no margins: its winner is the first to finish")
        return charts.margin_bars(self["margins"], "How far ahead the winner is")


class Seats(Frames):
    """Who wins from which seat and with which bot: the section `seats` of a report."""

    def figure(self) -> Figure:
        """The share of the wins of each seat and, if there are several, of each bot, beside the fair share."""
        from analysis import charts

        by_bot = self["by_bot"] if self["by_bot"].height > 1 else None
        return charts.win_shares(self["by_seat"], by_bot, "Who wins: share of the wins, 95 % interval")


def section(run: Run, name: str) -> Frames:
    """The frames of a section; UserError if there is none, or the run or its game has nothing for it."""
    known = [each for of_table in report.SECTIONS.values() for each in of_table]
    if name not in known:
        raise UserError(f"there is no section {shown(name)}, expected {nearest(name, known)}")
    found = report.section(run, name)
    if not found:
        raise UserError(f"{run.experiment['title']} has no {name}")
    return Frames(found)


def payouts(run: Run) -> Payouts:
    """The section `payouts`, which draws its figure."""
    return Payouts(section(run, "payouts"))


def pacing(run: Run) -> Pacing:
    """The section `pacing`, which draws its figure."""
    return Pacing(section(run, "pacing"))


def ties(run: Run) -> Ties:
    """The section `ties`, which draws its figure."""
    return Ties(section(run, "ties"))


def seats(run: Run) -> Seats:
    """The section `seats`, which draws its figure."""
    return Seats(section(run, "seats"))
