"""The numbers of the rulebook as `rules.toml` gives them: read, checked against their ranges, and typed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Final

from simulator import rulebook
from simulator.documents import Document
from simulator.games.ilumeia.model import MAX_BNEPH, MAX_PRIMOS, MAX_SEATS, MAX_STEPS

FIBONACCI: Final = {"fibonacci_1_1": (1, 1), "fibonacci_1_2": (1, 2)}
"""The named thresholds of Vvibon: the first two numbers of each sequence."""
MAX_NUMBERS: Final = 4
"""The most star counts of one field of Primos."""
LARGEST_HAND: Final = 13
"""The highest hand limit for which a kernel's row and hand have room (MAX_ROW, MAX_HAND)."""


@dataclass(frozen=True)
class Rules:
    """Every value of `rules.toml` by its name; what each means stands beside it in that file."""

    ages: int
    energy_start: int
    supply: int
    display: int
    deal: int
    prepare_discard: int
    draw: int
    exchange_cost: int
    renew_cost: int
    hand_limit: int
    hand_limit_bonus: int
    keep_per_step: int
    providence: bool
    providence_vp: tuple[int, ...]
    suzur_vp: int
    suzur_bonus: int
    lotzzz_minimum: int
    amp_r_thresholds: tuple[int, ...]
    amp_r_dice: tuple[int, ...]
    amp_r_vp: tuple[int, ...]
    amp_r_suzur_step: int
    vvibon_thresholds: tuple[int, ...]
    vvibon_rewards: tuple[str, ...]
    vvibon_vp: tuple[tuple[int, ...], ...]
    """One row for each reward "vp", by the order in which the step is reached."""
    primos_fields: tuple[tuple[int, ...], ...]
    primos_rewards: tuple[int | str, ...]
    """VP, "bneph" or "suzur"."""
    primos_tolerance_bonus: int
    bneph_metrics: tuple[str, ...]
    bneph_values: tuple[int, ...]
    bneph_vp: int
    bneph_vp_boosted: int
    compensation: int
    first_game: bool
    exchanged_planet: str
    """The name of a planet, or "none"."""
    allow_even_axis: bool
    tie_break: str
    marks: Mapping[str, str]
    """By name: S stated, D deduced, I inferred, R ruled."""


NAMES: Final = tuple(field.name for field in fields(Rules) if field.name != "marks")


def read_rules(own: Document, default: Document) -> Rules | None:
    """The rules of a designer's file, the default where it is silent; None (and faults in `own`) if wrong."""
    found = rulebook.read_values(own, default, NAMES)
    if found is None:
        return None
    values, marks = found
    values["vvibon_thresholds"] = _thresholds(values["vvibon_thresholds"], len(values["vvibon_rewards"]))
    rules = Rules(**values, marks=marks)
    before = len(own.faults)
    for name, problem, expected in _disagreements(rules):
        own.fault((name, "value"), problem, expected)
    return rules if len(own.faults) == before else None


def _thresholds(value: str | tuple[int, ...], steps: int) -> tuple[int, ...]:
    if not isinstance(value, str):
        return value
    numbers = list(FIBONACCI[value])
    while len(numbers) < steps:
        numbers.append(numbers[-1] + numbers[-2])
    return tuple(numbers[:steps])


def _disagreements(rules: Rules) -> Iterator[tuple[str, str, str]]:
    """Name, problem and expectation of each value that is right in itself but not beside the others."""

    def length(name: str, wanted: int, why: str) -> Iterator[tuple[str, str, str]]:
        found = len(getattr(rules, name))
        if found != wanted:
            yield name, f"{found} items", f"{wanted}, {why}"

    for name, most in (
        ("amp_r_thresholds", MAX_STEPS), ("vvibon_rewards", MAX_STEPS), ("primos_fields", MAX_PRIMOS),
        ("bneph_metrics", MAX_BNEPH),
    ):  # fmt: skip
        if len(getattr(rules, name)) > most:
            yield name, f"{len(getattr(rules, name))} items", f"at most {most}"
    largest = rules.hand_limit + rules.hand_limit_bonus * rules.vvibon_rewards.count("limit")
    if largest > LARGEST_HAND:
        yield "hand_limit", f"a limit of {largest} with all of Vvibon's steps", f"at most {LARGEST_HAND}"
    if len(rules.providence_vp) < rules.ages:
        yield "providence_vp", f"{len(rules.providence_vp)} items", f"one for each of {rules.ages} ages"
    yield from length("amp_r_dice", len(rules.amp_r_thresholds), "one for each of amp_r_thresholds")
    yield from length("amp_r_vp", len(rules.amp_r_thresholds), "one for each of amp_r_thresholds")
    yield from length("vvibon_thresholds", len(rules.vvibon_rewards), "one for each of vvibon_rewards")
    paying = rules.vvibon_rewards.count("vp")
    yield from length("vvibon_vp", paying, "one list for each 'vp' of vvibon_rewards")
    for row in rules.vvibon_vp:
        if len(row) != MAX_SEATS:
            yield "vvibon_vp", f"{list(row)}", f"{MAX_SEATS} numbers, one for each order of arrival"
    yield from length("primos_rewards", len(rules.primos_fields), "one for each of primos_fields")
    numbers = [number for field in rules.primos_fields for number in field]
    if len(set(numbers)) < len(numbers):
        yield "primos_fields", "a number stands twice", "each number on one field"
    for field in rules.primos_fields:
        if len(field) > MAX_NUMBERS:
            yield "primos_fields", f"{list(field)}", f"at most {MAX_NUMBERS} numbers on a field"
    yield from length("bneph_values", len(rules.bneph_metrics), "one for each of bneph_metrics")
    if len(set(rules.bneph_metrics)) < len(rules.bneph_metrics):
        yield "bneph_metrics", "a metric stands twice", "each metric on one field"
    if rules.amp_r_suzur_step > len(rules.amp_r_thresholds):
        wanted = f"0 to {len(rules.amp_r_thresholds)}, the steps of amp_r_thresholds"
        yield "amp_r_suzur_step", f"{rules.amp_r_suzur_step}", wanted
