"""Action C: a constellation is laid, scored and put on the own pile (IL-17 to IL-22, IL-31)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from simulator.games.ilumeia.model import Planet, Reward, Step, Tape, Trigger
from simulator.games.ilumeia.referee_effects import hold, trigger_others, trigger_own
from simulator.games.ilumeia.referee_planets import (
    advance_amp_r,
    advance_vvibon,
    claim_bneph,
    claim_primos,
    meets_amp_r,
    meets_lotzzz,
    meets_vvibon,
    set_record,
    suzur_vp,
)
from simulator.games.ilumeia.referee_table import Deity, NoCards, Table
from simulator.games.ilumeia.referee_windows import window

_TURNED_LEVEL = {"u": "l", "m": "m", "l": "u"}


def create(table: Table, deity: Deity, half_cards: Sequence[int]) -> None:
    """Lay the row of half-cards, score it, and put its cards on the own pile."""
    cards = [half // 2 for half in half_cards]
    table.cards_leave_hand(deity, cards, "IL-17")
    check_row(table, half_cards)
    row = [table.card_ids[half // 2] + "r" * (half % 2) for half in half_cards]
    metrics = table.metrics(row)
    deity.largest = max(deity.largest, len(cards))
    table.constellation_lies = True
    table.listener.created(table, deity.seat, row, metrics)
    score(table, deity, metrics)
    trigger_own(table, deity, Trigger.CREATE, metrics)
    deity.pile += cards
    table.constellation_lies = False
    if table.cards_ran_out:
        raise NoCards
    trigger_others(table, deity, Trigger.OTHER_CREATES, metrics)


def check_row(table: Table, half_cards: Sequence[int]) -> None:
    """Refuse a row that is no legal constellation."""
    require = table.tape.require
    require(len(half_cards) >= 2, "IL-19", "a constellation has at least two cards")
    sides = [transitions(table, half) for half in half_cards]
    for place, ((_, right), (left, _)) in enumerate(pairwise(sides), start=1):
        require(bool(right), "IL-18", f"the card at place {place} has no transition on its right side")
        require(right == left, "IL-18", f"the transitions between places {place} and {place + 1} don't match")
    require(not sides[0][0], "IL-19", "the row is open at its left end")
    require(not sides[-1][1], "IL-19", "the row is open at its right end")


def transitions(table: Table, half_card: int) -> tuple[set[str], set[str]]:
    """The levels of the transitions at the left and right edge of a card as it lies (g2)."""
    card = table.star_cards[table.card_ids[half_card // 2]]
    if half_card % 2 == 0:
        return set(card.left), set(card.right)
    return {_TURNED_LEVEL[level] for level in card.right}, {_TURNED_LEVEL[level] for level in card.left}


def score(table: Table, deity: Deity, metrics: Mapping[str, float]) -> None:
    """The scoring steps in the player's order, with a window before each and after the last (r6, g28)."""
    tape = table.tape
    done: set[Step] = set()
    while True:
        window(table, deity)
        if not tape.comes(Tape.SCORE, deity.seat):
            break
        values = tape.read(Tape.SCORE, deity.seat, "IL-31", "a scoring step")
        if not values:
            # The scoring ends in so many words, so that a card played next belongs to the window after it.
            break
        score_step(table, deity, values, metrics, done)
    for step in (Step.VVIBON, Step.AMP_R, Step.LOTZZZ, Step.SUZUR):
        if step not in done and is_open(table, deity, step, metrics):
            tape.refuse(CLAUSES[step], f"{step.name} is mandatory and still open at the end of the scoring")


CLAUSES = {
    Step.VVIBON: "IL-46",
    Step.AMP_R: "IL-45",
    Step.LOTZZZ: "IL-44",
    Step.SUZUR: "IL-43",
    Step.PRIMOS: "IL-47",
    Step.BNEPH: "IL-48",
}


def is_open(table: Table, deity: Deity, step: Step, metrics: Mapping[str, float]) -> bool:
    """Whether a mandatory step's condition is met."""
    if step == Step.VVIBON:
        return meets_vvibon(table, deity, metrics)
    if step == Step.AMP_R:
        return meets_amp_r(table, deity, metrics)
    if step == Step.LOTZZZ:
        return meets_lotzzz(table, deity, metrics)
    return True


def score_step(
    table: Table, deity: Deity, values: Sequence[int], metrics: Mapping[str, float], done: set[Step]
) -> None:
    """One scoring step of the constellation, each planet once, B'neph once a field (g47)."""
    require = table.tape.require
    require(values[0] in set(Step), "IL-31", f"there is no scoring step {values[0]}")
    step = Step(values[0])
    clause = CLAUSES.get(step, "IL-50")
    length = 2 if clause == "IL-50" else 3 if step in (Step.PRIMOS, Step.BNEPH) else 1
    require(len(values) == length, clause, f"{step.name} takes {length} values, not {len(values)}")
    require(step not in done or step == Step.BNEPH, clause, f"{step.name} comes once a constellation")
    done.add(step)
    if step == Step.BNEPH:
        claim_bneph(table, deity, values[1], values[2], metrics)
        trigger_others(table, deity, Trigger.OTHER_CLAIMS)
    elif step == Step.PRIMOS:
        claim_primos(table, deity, values[1], values[2], metrics)
        trigger_others(table, deity, Trigger.OTHER_CLAIMS)
    elif clause == "IL-50":
        win_prophecy(table, deity, Planet(step), values[1], metrics)
    else:
        require(is_open(table, deity, step, metrics), clause, f"the constellation doesn't meet {step.name}")
        if step == Step.VVIBON:
            advance_vvibon(table, deity)
        elif step == Step.AMP_R:
            advance_amp_r(table, deity)
        elif step == Step.LOTZZZ:
            set_record(table, deity, metrics)
            trigger_own(table, deity, Trigger.RECORD)
        else:
            table.pay(deity, "suzur", suzur_vp(table, deity))


def win_prophecy(
    table: Table, deity: Deity, planet: Planet, choice: int, metrics: Mapping[str, float]
) -> None:
    """The face-up prophecy of a planet: its VP or its effect (IL-25, IL-26, IL-50)."""
    require = table.tape.require
    require(planet in table.face_up, "IL-50", f"no prophecy lies face up on {planet.name}")
    number = table.face_up[planet]
    prophecy = table.prophecies[number]
    what = f"the constellation doesn't fulfil {prophecy.name}: {prophecy.condition.text}"
    require(bool(prophecy.condition.value(metrics)), "IL-50", what)
    require(choice in (0, 1), "IL-26", "the choice is 1 for the effect or 0 for the VP")
    if prophecy.reward == Reward.INSTANT:
        require(choice == 0, "IL-26", f"{prophecy.name} gives VP only")
    if prophecy.reward == Reward.FINAL:
        require(choice == 1, "IL-26", f"{prophecy.name} is scored at the end only")
    del table.face_up[planet]
    deity.won.append(number)
    table.pay(deity, table.prophecy_source(number), 0 if choice else prophecy.vp)
    if choice:
        hold(table, deity, number)
    trigger_others(table, deity, Trigger.OTHER_WINS)
