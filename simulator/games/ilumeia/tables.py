"""The kernel's tables, derived from a card set that was read and checked.

Most of it is copying. What is computed here, once for each card set, are the packed sums of `search.py` and
`half_join`: what becomes of areas and comets when a half-card is joined to a row. For these a card is laid on a grid
of unit squares, each cut into four triangles by its diagonals: every line that the notation allows is an edge of
those squares or one of their half-diagonals, so the regions between the lines are exact unions of triangles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from simulator.conditions import Expression
from simulator.games.ilumeia.cards import CardSet
from simulator.games.ilumeia.measure import measure
from simulator.games.ilumeia.model import (
    MAX_PRIMOS,
    MAX_SEATS,
    NOTHING,
    FieldReward,
    Metric,
    Planet,
    Standing,
    StepReward,
)
from simulator.games.ilumeia.records import (
    COUNT_SHIFTS,
    FATE_ENCLOSED,
    FATE_GAP_1,
    FATE_GAP_2,
    FATE_OPEN,
    JOIN_AREAS,
    JOIN_ENCLOSED,
    JOIN_FATE_1,
    JOIN_FATE_2,
    JOIN_GAP_1,
    JOIN_GAP_2,
    JOIN_GATE,
    MORE_SHIFTS,
    N_GATES,
    TABLES,
)
from simulator.games.ilumeia.star_cards import StarCard, degrees, mirrored, transition_star, turned

PORT_BITS = {"u": 1, "m": 2, "l": 4}
ROW_OF_LEVEL = {"u": 1, "m": 0, "l": -1}
NAME_INDEX: Mapping[str, int] = {m.name.lower(): int(m) for m in Metric} | {
    s.name.lower(): int(s) for s in Standing
}
"""Where `state.metric` holds each name of an expression."""

_PLACE = {
    "NW": (-1, 1), "N": (0, 1), "NE": (1, 1), "W": (-1, 0), "C": (0, 0), "E": (1, 0),
    "SW": (-1, -1), "S": (0, -1), "SE": (1, -1),
}  # fmt: skip
_COMET_SQUARE = {"nw": (-1, 0, "N"), "ne": (0, 0, "N"), "sw": (-1, -1, "S"), "se": (0, -1, "S")}


class _Sets:
    """Disjoint sets over any hashable items."""

    def __init__(self) -> None:
        self._parent: dict[object, object] = {}

    def find(self, item: object) -> object:
        parent = self._parent.setdefault(item, item)
        if parent != item:
            parent = self._parent[item] = self.find(parent)
        return parent

    def unite(self, one: object, other: object) -> bool:
        """Unite two sets; whether they were apart before."""
        one, other = self.find(one), self.find(other)
        self._parent[one] = other
        return one != other


def gate_classes(gate: int, ports: str) -> list[list[str]]:
    """The sets of ports (levels, upper first) that hang together behind a gate code.

    0: each on its own; 1: the first two; 2: the last two; 3: first and last; 4: all.
    """
    if len(ports) < 2 or gate == 0:
        return [[port] for port in ports]
    if len(ports) == 2 or gate == 4:
        return [list(ports)]
    first, second, third = list(ports)
    return {1: [[first, second], [third]], 2: [[first], [second, third]], 3: [[first, third], [second]]}[gate]


def _gate_of(ports: str, together: _Sets, name: str) -> int:
    """The code of how the ports on the right edge hang together."""
    roots = [together.find((name, port)) for port in ports]
    if len(ports) < 2:
        return 0
    if len(ports) == 2:
        return 4 if roots[0] == roots[1] else 0
    pairs = (roots[0] == roots[1], roots[1] == roots[2], roots[0] == roots[2])
    if all(pairs):
        return 4
    return 1 if pairs[0] else 2 if pairs[1] else 3 if pairs[2] else 0


def _walls(card: StarCard) -> tuple[set[tuple[int, int, str]], set[tuple[int, int, str]]]:
    """Unit edges ("h" rightward, "v" upward from a point) and half-diagonals (square, corner) that are drawn."""
    edges: set[tuple[int, int, str]] = set()
    diagonals: set[tuple[int, int, str]] = set()
    for a, b in card.lines:
        (ax, ay), (bx, by) = _PLACE[a], _PLACE[b]
        if ay == by:
            edges.update((x, ay, "h") for x in range(min(ax, bx), max(ax, bx)))
        elif ax == bx:
            edges.update((ax, y, "v") for y in range(min(ay, by), max(ay, by)))
        else:
            square = (min(ax, bx), min(ay, by))
            rising = (ax - bx) * (ay - by) > 0
            diagonals.update((*square, corner) for corner in (("SW", "NE") if rising else ("NW", "SE")))
    for side, levels in (("left", card.left), ("right", card.right)):
        for level in levels:
            star = transition_star(card.stars, side, level)
            assert star is not None
            x, y = _PLACE[star]
            edges.update((step, y, "h") for step in (range(-2, x) if side == "left" else range(x, 2)))
    return edges, diagonals


def _regions(card: StarCard) -> _Sets:
    """The triangles of the card's grid, -2 <= x, y <= 2, united where no line lies between them; the
    squares left of x = -1 and right of x = 1 are the strips that a joint shares with the neighbour."""
    edges, diagonals = _walls(card)
    regions = _Sets()
    for x in range(-2, 2):
        for y in range(-2, 2):
            for one, other, corner in (
                ("N", "E", "NE"),
                ("E", "S", "SE"),
                ("S", "W", "SW"),
                ("W", "N", "NW"),
            ):
                if (x, y, corner) not in diagonals:
                    regions.unite((x, y, one), (x, y, other))
            if y < 1 and (x, y + 1, "h") not in edges:
                regions.unite((x, y, "N"), (x, y + 1, "S"))
            if x < 1 and (x + 1, y, "v") not in edges:
                regions.unite((x, y, "E"), (x + 1, y, "W"))
    for x in range(-2, 2):
        regions.unite((x, 1, "N"), "outside")
        regions.unite((x, -2, "S"), "outside")
    return regions


def _gap_squares(ports: str, side: str) -> list[tuple[int, int, str]]:
    """One triangle in the strip of each gap between neighbouring ports of an edge, upper gap first."""
    x = -2 if side == "left" else 1
    return [(x, ROW_OF_LEVEL[port] - 1, "N") for port in ports[:-1]]


@lru_cache(maxsize=65536)
def _join(card: StarCard, gate: int) -> int:
    """The packed `half_join` of a card as it lies, behind a row with this gate on the card's left ports."""
    # Stars and lines: how the left ports' pieces and the card's stars hang together.
    pieces = _Sets()
    classes = gate_classes(gate, card.left)
    for together in classes:
        for port in together[1:]:
            pieces.unite(("left", together[0]), ("left", port))
    count = len(classes) + len(card.stars)
    lines = len(card.lines) + len(card.left)
    for a, b in card.lines:
        count -= pieces.unite(a, b)
    for port in card.left:
        count -= pieces.unite(("left", port), transition_star(card.stars, "left", port))
    for port in card.right:
        pieces.unite(("right", port), transition_star(card.stars, "right", port))
    # Euler: areas = lines - stars + pieces, here as differences to the row before.
    areas = lines - len(card.stars) + count - len(classes)
    # Regions: where the gaps of the left edge and the comets end up.
    regions = _regions(card)
    left_gaps = _gap_squares(card.left, "left")
    for place, square in enumerate(left_gaps):
        upper, lower = set(card.left[: place + 1]), set(card.left[place + 1 :])
        if not any(set(together) & upper and set(together) & lower for together in classes):
            regions.unite(square, "outside")
    if gate == 3 and len(left_gaps) == 2:
        regions.unite(left_gaps[0], left_gaps[1])
    right_gaps = [regions.find(square) for square in _gap_squares(card.right, "right")]

    def fate(square: tuple[int, int, str]) -> int:
        root = regions.find(square)
        if root == regions.find("outside"):
            return FATE_OPEN
        if right_gaps and root == right_gaps[0]:
            return FATE_GAP_1
        if len(right_gaps) == 2 and root == right_gaps[1]:
            return FATE_GAP_2
        return FATE_ENCLOSED

    comets = [fate(_COMET_SQUARE[comet]) for comet in card.comets]
    fates = [fate(square) for square in left_gaps] + [FATE_OPEN, FATE_OPEN]
    return (
        areas << JOIN_AREAS
        | comets.count(FATE_ENCLOSED) << JOIN_ENCLOSED
        | comets.count(FATE_GAP_1) << JOIN_GAP_1
        | comets.count(FATE_GAP_2) << JOIN_GAP_2
        | _gate_of(card.right, pieces, "right") << JOIN_GATE
        | fates[0] << JOIN_FATE_1
        | fates[1] << JOIN_FATE_2
    )


def _ports(levels: str) -> int:
    return sum(PORT_BITS[level] for level in levels)


def _drawing(card: StarCard) -> tuple[object, ...]:
    """What symmetry looks at (IL-51): positions of stars, lines and transitions."""
    return card.stars, card.lines, card.left, card.right


def _flipped(ports: int) -> int:
    """Ports as they lie after a turn by 180 degrees: upper and lower change places."""
    return (ports & 2) | (ports & 1) << 2 | (ports & 4) >> 2


def _packed(values: Mapping[str, int], shifts: Mapping[str, int]) -> int:
    return sum(values[name] << shift for name, shift in shifts.items())


def _fill_cards(tables: np.record, cards: Sequence[StarCard]) -> None:
    shapes: dict[tuple[object, ...], int] = {}
    for number, card in enumerate(cards):
        alone = measure({card.id: card}, [card.id])
        tables.card_metric[number] = [float(alone[metric.name.lower()]) for metric in Metric]
        tables.card_drawings[number] = 1 if turned(card) == card else 2
        sides = {ports for ports in (_ports(card.right), _flipped(_ports(card.left))) if ports}
        tables.card_sides[number] = sum(1 << ports for ports in sides)
        tables.card_meets[number] = sum(1 << _flipped(ports) for ports in sides)
        flame_diagonals = int(alone["flame_diagonals"])
        for is_turned, drawn in enumerate((card, turned(card))):
            half = 2 * number + is_turned
            upper = sum(_PLACE[star][1] == 1 for star in drawn.stars)
            middle = sum(_PLACE[star][1] == 0 for star in drawn.stars)
            counts = {
                "stars": len(drawn.stars),
                "flames": len(drawn.flames),
                "centrals": int("C" in drawn.stars),
                "ends": sum(degree == 1 for degree in degrees(drawn).values()),
                "diagonals": int(alone["diagonals"]),
                "comets": len(drawn.comets),
                "middle": middle,
                "upper": upper,
                "lower": len(drawn.stars) - upper - middle,
                "flame_diagonals": flame_diagonals,
                # each joint is counted once, at the card on its right
                "transitions": len(drawn.left),
                "unsymmetric": int(_drawing(drawn) != _drawing(mirrored(drawn, (1, -1)))),
            }
            tables.half_left[half] = _ports(drawn.left)
            tables.half_right[half] = _ports(drawn.right)
            tables.half_counts[half] = _packed(counts, COUNT_SHIFTS)
            tables.half_more[half] = _packed(counts, MORE_SHIFTS)
            for gate in range(N_GATES):
                # Fewer ports than three hang together in fewer ways; what is the same is worked out once.
                told = gate if len(drawn.left) == 3 else 4 * (gate > 0 and len(drawn.left) == 2)
                tables.half_join[half, gate] = _join(drawn, told)
            tables.half_shape[half] = shapes.setdefault(_drawing(drawn), len(shapes))
            tables.half_mirror[half] = shapes.setdefault(_drawing(mirrored(drawn, (-1, 1))), len(shapes))


def _fill_program(codes: np.ndarray, lengths: np.ndarray, row: int, expression: Expression | None) -> None:
    program = [] if expression is None else expression.code(NAME_INDEX)
    codes[row, : len(program)] = program
    lengths[row] = len(program)


def _fill_guard(tables: np.record, row: int, condition: Expression) -> None:
    """The narrowest range that the condition sets for one metric: an exact value before a least or most."""
    bounds = condition.bounds() or [("cards", 0.0, np.inf)]
    name, least, most = min(bounds, key=lambda bound: (bound[2] - bound[1], bound[1] >= 1))
    tables.guard_metric[row], tables.guard_least[row], tables.guard_most[row] = NAME_INDEX[name], least, most


def _fulfilling(tables: np.record, cards: int, expression: Expression) -> list[int]:
    """1 for each star card that fulfils an expression over one card."""
    names = [metric.name.lower() for metric in Metric]
    return [
        int(expression.value(dict(zip(names, tables.card_metric[card].tolist(), strict=True))) != 0)
        for card in range(cards)
    ]


def _fill_prophecies(tables: np.record, card_set: CardSet) -> None:
    cards = len(card_set.star_cards)
    for row, prophecy in enumerate(card_set.prophecies):
        tables.planet[row] = prophecy.planet
        tables.reward[row] = prophecy.reward
        tables.dot[row] = prophecy.dot
        tables.vp[row] = prophecy.vp or 0
        _fill_program(tables.condition, tables.condition_length, row, prophecy.condition)
        _fill_guard(tables, row, prophecy.condition)
        effect = prophecy.effect
        tables.verb[row] = tables.trigger[row] = NOTHING
        tables.most[row] = NOTHING
        if effect is None:
            continue
        tables.verb[row], tables.trigger[row] = effect.verb, effect.trigger
        tables.target[row], tables.amount[row] = effect.target, effect.amount
        if effect.most is not None:
            tables.most[row] = effect.most
        _fill_program(tables.per, tables.per_length, row, effect.per)
        _fill_program(tables.when, tables.when_length, row, effect.when)
        if effect.count is not None:
            tables.counts[row] = 1
            tables.counted[row, :cards] = _fulfilling(tables, cards, effect.count)
    for row, card in enumerate(card_set.providence):
        fulfilling = _fulfilling(tables, cards, card.cards)
        tables.at_least[row] = card.at_least
        tables.provident[row, :cards] = fulfilling
        tables.provident_share[row] = sum(fulfilling) / max(1, cards)


def _padded(values: Iterable[int], length: int) -> list[int]:
    given = list(values)[:length]
    return given + [given[-1] if given else 0] * (length - len(given))


def _fill_rules(tables: np.record, card_set: CardSet) -> None:
    rules = card_set.rules
    for name in (
        "ages", "energy_start", "supply", "display", "deal", "prepare_discard", "draw", "exchange_cost",
        "renew_cost", "hand_limit", "hand_limit_bonus", "keep_per_step", "providence", "suzur_vp", "suzur_bonus",
        "lotzzz_minimum", "amp_r_suzur_step", "primos_tolerance_bonus", "bneph_vp", "bneph_vp_boosted",
        "compensation", "first_game", "allow_even_axis",
    ):  # fmt: skip
        tables[name] = int(getattr(rules, name))
    tables.providence_vp[:] = _padded(rules.providence_vp, len(tables.providence_vp))
    tables.n_amp_r = len(rules.amp_r_thresholds)
    for field, values in (
        (tables.amp_r_threshold, rules.amp_r_thresholds),
        (tables.amp_r_dice, rules.amp_r_dice),
        (tables.amp_r_vp, rules.amp_r_vp),
        (tables.vvibon_threshold, rules.vvibon_thresholds),
    ):
        field[: len(values)] = values
    tables.n_vvibon = len(rules.vvibon_thresholds)
    orders = iter(rules.vvibon_vp)
    for step, name in enumerate(rules.vvibon_rewards):
        tables.vvibon_reward[step] = StepReward[name.upper()]
        if tables.vvibon_reward[step] == StepReward.VP:
            tables.vvibon_vp[step] = _padded(next(orders), MAX_SEATS)
    tables.n_primos = len(rules.primos_fields)
    tables.primos_numbers[:] = NOTHING
    for field, (numbers, reward) in enumerate(zip(rules.primos_fields, rules.primos_rewards, strict=True)):
        tables.primos_numbers[field, : len(numbers)] = numbers
        if isinstance(reward, str):
            tables.primos_reward[field] = FieldReward[reward.upper()]
        else:
            tables.primos_reward[field], tables.primos_vp[field] = FieldReward.VP, reward
    tables.n_bneph = len(rules.bneph_metrics)
    for field, (metric, value) in enumerate(zip(rules.bneph_metrics, rules.bneph_values, strict=True)):
        tables.bneph_metric[field], tables.bneph_value[field] = NAME_INDEX[metric], value
    tables.exchanged_planet = (
        NOTHING if rules.exchanged_planet == "none" else Planet[rules.exchanged_planet.upper()]
    )
    tables.tie_break = int(rules.tie_break == "cards")


def derive_tables(card_set: CardSet) -> np.ndarray:
    """The kernel's tables of a card set: an array (1,) of TABLES."""
    array = np.zeros(1, TABLES)
    tables = array[0]
    cards = list(card_set.star_cards.values())
    tables.n_cards = len(cards)
    tables.n_prophecies = len(card_set.prophecies)
    tables.n_providence = len(card_set.providence)
    _fill_rules(tables, card_set)
    _fill_cards(tables, cards)
    _fill_prophecies(tables, card_set)
    tables.source_primos = 4
    tables.source_bneph = tables.source_primos + tables.n_primos
    tables.source_prophecy = tables.source_bneph + tables.n_bneph
    tables.source_providence = tables.source_prophecy + tables.n_prophecies
    tables.source_compensation = tables.source_providence + tables.n_providence
    tables.n_sources = tables.source_compensation + 1
    assert tables.n_primos <= MAX_PRIMOS
    return array
