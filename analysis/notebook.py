"""A report's sections as a notebook takes them: frames by name, which list themselves, and their figure.

The frames and their columns are those of `report.json`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from analysis import report
from analysis.frames import Frames
from analysis.verdicts import Band
from analysis.words import families, plural
from simulator.faults import nearest, shown
from simulator.game import UserError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from simulator.store import Run


class Payouts(Frames):
    """What was offered, within reach and paid: the section `payouts` of a report."""

    race = False
    """In a race what is paid is the win."""

    def figure(self, family: str | None = None) -> Figure:
        """How often the sources of a family, such as `prophecies`, are paid where offered; by default the largest."""
        from analysis.pages import figures

        sources = self["source"]
        known = families(sources)
        if family is None:
            family = next(iter(known), None)
        else:
            one = {plural(each): each for each in known} | {each: each for each in known}
            if family not in one:
                named = ", ".join(known) or "none here"
                raise UserError(f"there is no family {shown(family)}, expected one of {named}")
            family = one[family]
        what = "sources" if family is None else plural(family)
        rows = sources if family is None else known[family]
        return figures.payouts(rows, what, self.race)[0]


class Pacing(Frames):
    """When seats reach each step of the tracks: the section `pacing` of a report."""

    def figure(self, track: str | None = None) -> Figure:
        """The share of seats on each step or above, by round and own turn; by default of the first track."""
        from analysis.pages import figures

        return figures.pace(self, *self._track(track))[0]

    def positions(self, track: str | None = None) -> Figure:
        """Where half and nine in ten of the seats stand by the end of each round; by default on the first track."""
        from analysis.pages import figures

        return figures.positions(self, *self._track(track))[0]

    def _track(self, track: str | None) -> tuple[str, str]:
        """The id and the name of a track; UserError if there is none so called."""
        # In the order of the catalogue.
        names = dict(self["round"].select("source", "name").unique(maintain_order=True).rows())
        if track is None:
            track = next(iter(names))
        elif track not in names:
            raise UserError(f"there is no track {shown(track)}, expected {nearest(track, names)}")
        return track, names[track]


class Ties(Frames):
    """How often games are tied and how close they are: the section `ties` of a report."""

    def figure(self) -> Figure:
        """How far ahead the winner is; UserError of a race, which has no points to be ahead by."""
        from analysis.pages import figures

        if "margins" not in self:
            raise UserError("a race has no margins: its winner is the first to finish")
        return figures.margins(self["margins"])[0]


class Seats(Frames):
    """Who wins from which seat and with which bot: the section `seats` of a report."""

    def figure(self) -> Figure:
        """The share of the wins of each seat and, if there are several, of each bot, beside the fair share."""
        from analysis.pages import figures

        return figures.wins(self)[0]


class Verdicts(Frames):
    """Which rates lie in the band that they should lie in: the section `verdicts` of a report."""

    def figure(self, family: str | None = None) -> Figure:
        """The rates of a family, such as `seats` or `prophecies`, over their band; by default of the first."""
        from analysis.pages import figures

        known = self["bands"]["family"].unique(maintain_order=True).to_list()
        if family is None:
            family = known[0]
        elif family not in known:
            raise UserError(f"there is no family {shown(family)}, expected {nearest(family, known)}")
        return figures.verdicts(self["bands"].filter(family=family))[0]


def section(run: Run, name: str) -> Frames:
    """The frames of a section; UserError if there is none, or the run or its game has nothing for it."""
    if name == "verdicts":
        return verdicts(run)
    known = ["verdicts", *(each for of_table in report.SECTIONS.values() for each in of_table)]
    if name not in known:
        raise UserError(f"there is no section {shown(name)}, expected {nearest(name, known)}")
    found = report.section(run, name)
    if not found:
        raise UserError(f"{run.experiment['title']} has no {name}")
    return Frames(found)


def verdicts(run: Run, bands: Mapping[str, Band] = MappingProxyType({})) -> Verdicts:
    """The section `verdicts`, with one's own bands where given."""
    return Verdicts(report.judged(run, bands))


def payouts(run: Run) -> Payouts:
    """The section `payouts`, which draws its figure."""
    found = Payouts(section(run, "payouts"))
    found.race = bool(run.experiment["race"])
    return found


def pacing(run: Run) -> Pacing:
    """The section `pacing`, which draws its figure."""
    return Pacing(section(run, "pacing"))


def ties(run: Run) -> Ties:
    """The section `ties`, which draws its figure."""
    return Ties(section(run, "ties"))


def seats(run: Run) -> Seats:
    """The section `seats`, which draws its figure."""
    return Seats(section(run, "seats"))
