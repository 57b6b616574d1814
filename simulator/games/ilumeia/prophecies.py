"""The seeded builder of the reconstructed prophecies and providence cards, and of the whole default set.

What a card is called, what it asks about and what it does is designed here; how much it asks and pays is
tuned to the star cards: of a condition's numbers the one is taken whose share of random constellations is
nearest to the design's, and the VP follow from the share that comes out.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import comb
from pathlib import Path
from typing import Any, Final

from simulator.conditions import parse
from simulator.games.ilumeia.build import build_star_cards
from simulator.games.ilumeia.measure import measure
from simulator.games.ilumeia.model import METRICS
from simulator.games.ilumeia.rows import rows_of_hands
from simulator.games.ilumeia.star_cards import DATA, FILE_NAME, StarCard, write_star_cards

SAMPLE: Final = 1600
"""Random constellations by which conditions are tuned; a share of 5 % is known to half a percent."""
VP_BY_SHARE: Final = (
    (0.15, 4), (0.1, 5), (0.07, 6), (0.05, 7), (0.035, 8), (0.025, 9), (0.017, 10), (0.012, 11),
)  # fmt: skip
"""VP of instant cards: the first whose share is reached; HARDEST below all."""
HARDEST: Final = 12
COST: Final = 2
"""What the choice of an effect costs of the VP that stand beside it."""
DEAREST: Final = 5
"""The most VP beside an effect: more, and nobody would take the effect."""
PILE: Final = 28
"""Star cards in the own pile at the end of a typical game, by which providence is tuned."""


@dataclass(frozen=True)
class Design:
    """A prophecy card before its numbers are tuned."""

    id: str
    name: str
    type: str
    condition: str
    """With {n} where the tuned number stands."""
    numbers: Sequence[int]
    """What n may be."""
    share: float
    """The share of random constellations that shall fulfil the condition."""
    effect: Mapping[str, Any] = field(default_factory=dict)
    marks: str = ""
    """"dot", "solo" (removed in solo mode) or both."""


def _does(verb: str, trigger: str, amount: int = 1, **more: Any) -> dict[str, Any]:
    return {"verb": verb, "trigger": trigger, "amount": amount, **more}


MECULOG: Final = (
    Design("deep_registers", "Deep Registers", "ability", "stars % {n} == 0 and cards >= 3",
           range(2, 8), 0.16, _does("keep", "always"), "dot"),
    Design("growth_function", "Growth Function", "ability", "outer == {n} * middle",
           range(1, 4), 0.06, _does("vvibon_leniency", "always", 2)),
    Design("closed_circuit", "Closed Circuit", "ability", "diagonals == {n}",
           range(1, 12), 0.08, _does("refresh", "create", 1, when="stars % 7 == 0")),
    Design("night_shift", "Night Shift", "ability", "transitions >= {n}",
           range(2, 14), 0.12, _does("draw", "exhausted"), "dot"),
    Design("balanced_books", "Balanced Books", "instant", "stars == {n} * cards",
           range(3, 6), 0.08, marks="dot"),
    Design("exact_science", "Exact Science", "instant", "stars == {n} and comets == 1",
           range(8, 28), 0.025),
    Design("spare_capacitor", "Spare Capacitor", "one_time", "stars >= {n}",
           range(8, 40), 0.08, _does("gain_die", "play", 2), "dot"),
    Design("overclocked_core", "Overclocked Core", "one_time",
           "diagonals == 2 * centrals and centrals >= {n}",
           range(2, 6), 0.08, _does("free_action", "play")),
    Design("final_audit", "Final Audit", "final", "ends == {n}",
           range(0, 6), 0.06, _does("gain_vp", "final", 1, per="vvibon", most=8)),
    Design("sum_of_all_parts", "The Sum of All Parts", "final", "stars == 3 * transitions + {n}",
           range(0, 8), 0.05, _does("gain_vp", "final", 1, per="pile_stars / 20", most=8)),
)  # fmt: skip
BRAECK: Final = (
    Design("open_sky", "Open Sky", "ability", "comets_open >= {n}",
           range(1, 8), 0.09, _does("hand_limit", "always"), "dot"),
    Design("free_trade", "Free Trade", "ability", "cards >= {n}",
           range(3, 7), 0.16, _does("exchange_discount", "always"), "dot"),
    Design("second_wind", "Second Wind", "ability", "stars % 2 == 1 and comets >= {n}",
           range(1, 8), 0.06, _does("claim_with_used", "always")),
    Design("borrowed_light", "Borrowed Light", "ability", "not symmetric_horizontal and centrals == {n}",
           range(0, 6), 0.09, _does("display_bonus", "always")),
    Design("full_hands", "Full Hands", "ability", "outer_most >= outer_least + {n}",
           range(1, 12), 0.08, _does("draw_bonus", "always")),
    Design("loose_reading", "A Loose Reading", "ability", "ends >= {n}",
           range(1, 7), 0.06, _does("primos_tolerance", "always")),
    Design("off_orbit", "Off Orbit", "instant", "middle <= {n} and cards >= 3",
           range(0, 10), 0.08, marks="dot"),
    Design("guardian_of_freedom", "Guardian of Freedom", "one_time", "centrals >= {n}",
           range(1, 7), 0.09, _does("relax_bneph", "play"), "dot"),
    Design("borrowed_faith", "Borrowed Faith", "one_time", "flames >= 1 and comets >= 1 and areas >= {n}",
           range(0, 6), 0.06, _does("copy_ability", "play")),
    Design("unbound", "Unbound", "final", "ends >= 1 and areas >= {n}",
           range(1, 7), 0.06, _does("bury", "before_final", 5)),
)  # fmt: skip
ONUMIRA: Final = (
    Design("patrons_of_light", "Patrons of Light", "ability", "flame_diagonals >= {n}",
           range(1, 5), 0.06, _does("amp_r_leniency", "always")),
    Design("applause", "Applause", "ability", "(symmetric_horizontal or symmetric_vertical) and stars >= {n}",
           range(6, 25), 0.03,
           _does("gain_vp", "create", 2, when="symmetric_horizontal or symmetric_vertical or areas >= 4")),
    Design("curators", "The Curators", "ability", "areas >= {n}",
           range(1, 8), 0.08, _does("take_display", "prepare"), "dot"),
    Design("lake_mirror", "Mirror of the Lake", "instant", "symmetric_horizontal and cards >= {n}",
           range(3, 6), 0.05, marks="dot"),
    Design("open_fan", "The Open Fan", "instant", "symmetric_vertical and stars >= {n}",
           range(6, 20), 0.015),
    Design("new_canvas", "A New Canvas", "one_time", "diagonals >= {n}",
           range(2, 16), 0.09, _does("renew_free", "play"), "dot"),
    Design("second_sketch", "The Second Sketch", "one_time", "centrals >= 1 and centrals == areas + {n}",
           range(0, 4), 0.08, _does("recall", "play", 4)),
    Design("torchbearers", "Torchbearers", "one_time",
           "symmetric_vertical or (symmetric_horizontal and flames >= {n})",
           range(1, 3), 0.05, _does("advance_amp_r", "play", 2)),
    Design("gallery", "The Gallery", "final", "comets_enclosed >= {n}",
           range(1, 5), 0.08, _does("gain_vp", "final", 1, count="areas >= 1", most=8), "dot"),
    Design("unfinished_works", "Unfinished Works", "final", "areas >= 1 and diagonals == {n}",
           range(1, 9), 0.05, _does("bury_hand", "before_final", 5)),
)  # fmt: skip
FLUUVEE: Final = (
    Design("feeding_current", "The Feeding Current", "ability", "middle >= {n}",
           range(3, 16), 0.09, _does("draw", "other_creates", 1, when="cards >= 4"), "solo"),
    Design("shared_joy", "Shared Joy", "ability", "outer >= {n}",
           range(6, 30), 0.08, _does("gain_vp", "other_wins"), "dot solo"),
    Design("drift", "Drift", "ability", "cards == {n}",
           range(3, 7), 0.16, _does("idle_bonus", "always"), "dot"),
    Design("spring_tide", "Spring Tide", "ability", "middle == outer_least + {n}",
           range(0, 6), 0.08, _does("deal_bonus", "always")),
    Design("consolation", "Consolation", "ability", "centrals == ends + {n}",
           range(0, 5), 0.09, _does("gain_vp", "prepare", 1, per="behind", most=3), "solo"),
    Design("level_waters", "Level Waters", "instant", "outer_most == outer_least and stars >= {n}",
           range(10, 28), 0.08, marks="dot"),
    Design("rising_tide", "Rising Tide", "one_time", "comets >= {n}",
           range(1, 9), 0.09, _does("advance_vvibon", "play"), "dot"),
    Design("undertow", "Undertow", "one_time", "comets_enclosed == comets_open and comets >= {n}",
           range(1, 5), 0.05, _does("steal_vp", "play", 2, target="ahead")),
    Design("ebb_and_flow", "Ebb and Flow", "final", "2 * middle == outer + {n}",
           range(0, 7), 0.05, _does("gain_vp", "final", 1, per="gap / 3", most=9)),
    Design("pearls", "Pearls of the Deep", "final", "flames == 1 and comets == {n}",
           range(0, 5), 0.08, _does("gain_vp", "final", 1, count="comets == 2", most=8)),
)  # fmt: skip
AGGROKSCH: Final = (
    Design("war_drums", "War Drums", "ability", "cards <= 4 and stars >= {n}",
           range(8, 28), 0.06, _does("record_leniency", "always"), "dot"),
    Design("spoils_of_war", "Spoils of War", "ability", "flames >= {n}",
           range(1, 6), 0.09, _does("claim_with_grey", "always"), "dot"),
    Design("war_tax", "War Tax", "ability", "outer_most >= {n}",
           range(4, 20), 0.06, _does("steal_vp", "other_claims", 1, target="ahead")),
    Design("trample", "Trample", "ability", "flames >= 1 and cards >= {n}",
           range(3, 7), 0.08, _does("lose_cards", "record", 1, target="others")),
    Design("iron_fist", "Iron Fist", "instant", "flames >= 2 and stars >= {n}",
           range(8, 28), 0.06, marks="dot"),
    Design("comet_strike", "Comet Strike", "instant", "flames >= 1 and comets_open >= {n}",
           range(1, 6), 0.04),
    Design("they_will_fear_you", "They Will Fear You", "one_time", "flames >= 1 and diagonals >= {n}",
           range(1, 12), 0.08, _does("take_grey", "play"), "dot"),
    Design("raid", "The Raid", "one_time", "ends == 0 and centrals >= {n}",
           range(1, 5), 0.08, _does("steal_card", "play", 2, target="one"), "solo"),
    Design("blockade", "Blockade", "one_time", "transitions >= cards + {n}",
           range(0, 6), 0.08, _does("spend_die", "play", 1, target="others"), "solo"),
    Design("scorched_sky", "Scorched Sky", "final", "ends == 0 and stars >= {n}",
           range(8, 28), 0.05,
           _does("lose_vp", "before_final", 1, target="others", per="claims + 1", most=5), "solo"),
)  # fmt: skip
DESIGNS: Final[Mapping[str, Sequence[Design]]] = {
    "meculog": MECULOG, "braeck": BRAECK, "onumira": ONUMIRA, "fluuvee": FLUUVEE, "aggroksch": AGGROKSCH,
}  # fmt: skip

PROVIDENCE: Final = (
    ("crowded_heavens", "Crowded Heavens", "stars >= 6", 0.45),
    ("lonely_lights", "Lonely Lights", "stars <= 2", 0.4),
    ("keepers_of_the_flame", "Keepers of the Flame", "flames >= 1", 0.45),
    ("twin_tails", "Twin Tails", "comets == 2", 0.45),
    ("empty_hearts", "Empty Hearts", "centrals == 0", 0.4),
    ("crossroads", "Crossroads", "transitions >= 3", 0.45),
    ("walled_gardens", "Walled Gardens", "areas >= 1", 0.45),
    ("spokes_of_the_wheel", "Spokes of the Wheel", "diagonals >= 3", 0.45),
    ("loose_threads", "Loose Threads", "ends >= 1", 0.45),
    ("calm_horizon", "Calm Horizon", "middle >= outer", 0.5),
    ("gilded_edges", "Gilded Edges", "outer >= 4", 0.5),
    ("still_water", "Still Water", "symmetric_horizontal", 0.45),
)
"""Id, name, what a card of the pile must fulfil, and the share of random piles that shall come to enough."""

_NOTE: Final = """\
# Stars of Ilumeïa, {what}: RECONSTRUCTED. No printed card is known to us; names, conditions and
# effects are our own inventions{but}. Made by the seeded builder.

reconstructed = true
"""


def build_set(seed: int, folder: Path) -> None:
    """Write a whole reconstructed card set to the folder; rules and bots are copies of the default ones."""
    cards = build_star_cards(seed)
    folder.mkdir(parents=True, exist_ok=True)
    write_star_cards(folder / FILE_NAME, cards)
    build_prophecies(seed, cards, folder)
    for name in ("rules.toml", "bots.toml"):
        if (DATA / name).exists() and (DATA / name).resolve() != (folder / name).resolve():
            shutil.copyfile(DATA / name, folder / name)


def build_prophecies(seed: int, cards: Mapping[str, StarCard], folder: Path) -> None:
    """Write prophecies.toml and providence.toml, tuned to these star cards; the same for the same seed."""
    rows = rows_of_hands(cards, seed, SAMPLE)
    text = _NOTE.format(what="prophecy cards", but=" but for the two that the rulebook names")
    for planet, designs in DESIGNS.items():
        for design in designs:
            text += _table(f"prophecies.{planet}_{design.id}", _tuned(planet, design, rows))
    (folder / "prophecies.toml").write_text(text, encoding="utf-8")
    text = _NOTE.format(what="providence cards", but="")
    single = [measure(cards, [name]) for name in cards]
    for id, name, asked, share in PROVIDENCE:
        values = {"name": name, "cards": asked, "at_least": _at_least(asked, share, single)}
        text += _table(f"providence.{id}", values)
    (folder / "providence.toml").write_text(text, encoding="utf-8")


def _tuned(planet: str, design: Design, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The card of a design, its number the one whose share of the rows is nearest to the design's."""
    conditions = [parse(design.condition.format(n=n), METRICS) for n in design.numbers]
    shares = {each.text: sum(each.value(row) != 0 for row in rows) / len(rows) for each in conditions}
    condition = min(shares, key=lambda condition: abs(shares[condition] - design.share))
    vp = next((vp for share, vp in VP_BY_SHARE if shares[condition] >= share), HARDEST)
    card: dict[str, Any] = {"name": design.name, "planet": planet, "type": design.type}
    card |= {"dot": True} if "dot" in design.marks else {}
    card |= {"solo_removed": True} if "solo" in design.marks else {}
    card["condition"] = condition
    if design.type != "final":
        card["vp"] = vp if design.type == "instant" else min(vp - COST, DEAREST)
    return card | ({"effect": dict(design.effect)} if design.effect else {})


def _at_least(asked: str, share: float, cards: Sequence[Mapping[str, Any]]) -> int:
    """How many of a random pile's cards must fulfil the expression for about this share of piles."""
    all_cards, expression = len(cards), parse(asked, METRICS)
    fulfilling = sum(expression.value(card) != 0 for card in cards)

    def chance(least: int) -> float:
        ways = (
            comb(fulfilling, found) * comb(all_cards - fulfilling, PILE - found)
            for found in range(least, PILE + 1)
        )
        return sum(ways) / comb(all_cards, PILE)

    return min(range(1, PILE + 1), key=lambda least: abs(chance(least) - share))


def _table(name: str, values: Mapping[str, Any]) -> str:
    return f"\n[{name}]\n" + "".join(f"{line}\n" for line in _lines(values))


def _lines(values: Mapping[str, Any]) -> Iterator[str]:
    """TOML assignments; JSON writes a text, a number and a truth as TOML does."""
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield f"{key} = {{ {', '.join(_lines(value))} }}"
        else:
            yield f"{key} = {json.dumps(value, ensure_ascii=False)}"
