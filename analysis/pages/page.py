"""A report's tables as one HTML page that needs nothing else: figures first, then tables that sort."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import jinja2
import markupsafe

from analysis.measured import Compared, Measured
from analysis.pages.sections import sections
from analysis.pages.sections_compare import comparison_sections


def as_page(measured: Measured, numbers: str) -> str:
    """The report as one HTML page that needs nothing else; the file `numbers` beside it has its numbers."""
    run = measured.run
    seated = f", seating {run['seating']}" if run["seating"] else ""
    facts = {
        "Games": [f"{run['games']:,} ({run['setups']:,} setups)"],
        f"Bots{seated}": [f"seat {seat}: {bot}" for seat, bot in enumerate(run["bots"] or ())],
        "Seed": [] if run["seed"] is None else [run["seed"]],
        "Changed values": [f"{key} = {value}" for key, value in (run["settings"] or {}).items()],
        "Fingerprint": [_code(run["fingerprint"])] if run["fingerprint"] else [],
        "Engine": [run["engine"]] if run["engine"] else [],
    }
    of_players = f" of {run['players']} players" if run["players"] else ""
    return _rendered(
        title=run["title"] or run["game"],
        lead=f"Counterpoise report on {run['games']:,} games{of_players}",
        reconstructed=run["reconstructed"],
        facts=facts,
        rotates=run["seating"] == "rotate",
        summary=measured.summary,
        details=measured.details,
        left_out=measured.left_out,
        sections=sections(measured),
        explain=[_explain(measured.folder)],
        numbers=numbers,
    )


def as_comparison_page(compared: Compared, numbers: str) -> str:
    """Runs side by side as one HTML page that needs nothing else."""
    first = compared.runs[0]
    facts = {
        run["label"]: [
            run["folder"],
            f"{run['games']:,} games of {run['players']} players",
            *(f"{key} = {value}" for key, value in run["differs"].items() if key not in ("games", "players")),
            *([] if "bots" in run["differs"] else [", ".join(dict.fromkeys(run["bots"]))]),
            _code(run["fingerprint"]),
        ]
        for run in compared.runs
    }
    return _rendered(
        title=f"{first['title'] or first['game']}: side by side",
        lead=f"Counterpoise report on {len(compared.runs)} runs",
        reconstructed=list(dict.fromkeys(file for run in compared.runs for file in run["reconstructed"])),
        facts=facts,
        rotates=False,
        summary=compared.summary,
        details=[],
        left_out=[],
        sections=comparison_sections(compared),
        explain=[_explain(run["folder"]) for run in compared.runs],
        numbers=numbers,
    )


def _explain(folder: str) -> str:
    """The command that tells a game of the run, but for its number."""
    return f"counterpoise explain --run {shlex.quote(folder)} --game"


def _code(fingerprint: str) -> markupsafe.Markup:
    return markupsafe.Markup('<code title="{}">{}</code>').format(fingerprint, fingerprint[:12])


def _rendered(facts: Mapping[str, list[Any]], **context: Any) -> str:
    source = files("analysis.pages").joinpath("report.html.j2").read_text(encoding="utf-8")
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    told = {name: lines for name, lines in facts.items() if lines}
    return environment.from_string(source).render(facts=told, **context)
