"""Random legal games of Ilumeïa, made by a tape that invents each decision when the referee asks for it."""

from __future__ import annotations

import random
import re
from typing import Any

from simulator.games.ilumeia.cards import CardSet
from simulator.games.ilumeia.measure import legal_rows
from simulator.games.ilumeia.model import Action, Die, Planet, Reward, Step, Tape, Verb
from simulator.games.ilumeia.referee import Outcome, oversee
from simulator.games.ilumeia.referee_effects import abilities_to_copy, size_of
from simulator.games.ilumeia.referee_planets import (
    bneph_claimed,
    bneph_fits,
    meets_amp_r,
    meets_lotzzz,
    meets_vvibon,
    primos_fits,
    primos_tolerance,
)
from simulator.games.ilumeia.referee_table import Deity, Table
from simulator.tape import TapeReader


class Inventor(TapeReader):
    """A tape whose records are invented at random, legal as far as the referee's table tells."""

    def __init__(self, table: Table, seed: int):
        super().__init__([], Tape)
        self.table = table
        self.random = random.Random(seed)
        self.words: list[int] = []
        self.metrics: dict[str, float] = {}
        self.done: set[Step] = set()
        self.waiting: tuple[int, ...] = ()
        self.passing = False

    def comes(self, kind: Tape, seat: int) -> bool:
        deity, table = self.table.deities[seat], self.table
        if kind == Tape.PROVIDENCE:
            self.passing = False
            return deity.providence_vp is None and self.random.random() < 0.3
        if kind in (Tape.ACTION, Tape.SCORE):
            return True
        if kind == Tape.PLAY:
            self.passing = False
            found = [each.prophecy for each in deity.one_time if self.playable(deity, each)]
            self.waiting = (self.random.choice(found),) if found else ()
            return bool(found) and self.random.random() < 0.4
        if not table.turn_has_energy or table.cards_ran_out or self.passing or self.random.random() > 0.1:
            return False
        cost = self.cost(deity, kind)
        action = Action.EXCHANGE if kind == Tape.EXCHANGE else Action.RENEW
        return action not in table.free_actions_done and len(deity.hand) >= cost

    def cost(self, deity: Deity, kind: Tape) -> int:
        rules, lasting = self.table.rules, self.table.lasting
        if kind == Tape.EXCHANGE:
            return max(1, rules.exchange_cost - lasting(deity, Verb.EXCHANGE_DISCOUNT))
        return max(0, rules.renew_cost - lasting(deity, Verb.RENEW_DISCOUNT))

    def playable(self, deity: Deity, holding: Any) -> bool:
        table = self.table
        effect = table.effect(holding)
        if effect.verb == Verb.FREE_ACTION and not (table.turn_has_energy and table.before_action):
            return False
        if effect.verb == Verb.RENEW_FREE and (not table.turn_has_energy or table.cards_ran_out):
            return False
        if effect.verb == Verb.COPY_ABILITY and not abilities_to_copy(table, deity):
            return False
        return size_of(table, deity, effect, None) > 0

    def read(self, kind: Tape, seat: int, clause: str, need: str) -> tuple[int, ...]:
        found = re.search(r"\d+", need.replace(f"seat {seat}", ""))
        values = tuple(self.invent(kind, seat, int(found[0]) if found else 1))
        self.words += [int(kind), seat, len(values), *map(int, values)]
        return values

    def invent(self, kind: Tape, seat: int, count: int) -> Any:
        table, some = self.table, self.random
        if kind == Tape.STACK:
            own = [n for n, each in enumerate(table.prophecies) if each.planet == seat]
            return some.sample(own, table.rules.ages)
        deity = table.deities[seat]
        if kind == Tape.PROVIDENCE_DEAL:
            dealt = {card for each in table.deities for card in each.providence}
            return some.sample([n for n in range(len(table.card_set.providence)) if n not in dealt], 2)
        if kind == Tape.SHUFFLE:
            cards = table.discards or list(range(len(table.card_ids)))
            return some.sample(cards, len(cards))
        if kind in (Tape.PREPARE_DISCARD, Tape.DISCARD, Tape.KEEP, Tape.RANDOM_CARD):
            return some.sample(deity.hand, count)
        if kind in (Tape.PREPARE_TAKE, Tape.EXCHANGE):
            full = [slot for slot, card in enumerate(table.display) if card is not None]
            slot = some.choice([-1, *full])
            if kind == Tape.PREPARE_TAKE:
                return [slot]
            return [slot, *some.sample(deity.hand, self.cost(deity, kind))]
        if kind == Tape.RENEW:
            return some.sample(deity.hand, self.cost(deity, kind))
        if kind == Tape.PROVIDENCE:
            return [some.choice(deity.providence)]
        if kind == Tape.PLAY:
            return self.waiting
        if kind == Tape.TARGET:
            return [some.choice([n for n in range(table.players) if n != seat])]
        if kind == Tape.TAKE_DISPLAY:
            return [some.choice([slot for slot, card in enumerate(table.display) if card is not None])]
        if kind == Tape.COPY:
            return [some.choice(abilities_to_copy(table, deity))]
        if kind == Tape.RECALL:
            return some.sample(deity.pile, count)
        if kind == Tape.BURY_HAND:
            return deity.hand[: some.randint(0, 1)]
        if kind == Tape.ACTION:
            return self.action(deity)
        return self.step(deity)

    def action(self, deity: Deity) -> list[int]:
        table, some = self.table, self.random
        if not table.turn_has_energy:
            return [Action.IDLE]
        self.passing = not table.pass_barred and some.random() < 0.04
        if self.passing:
            return [Action.PASS, Die.OWN]
        dice = [Die.OWN] * (deity.own > 0) + [Die.GREY] * table.has_grey(deity)
        die = Die.FREE if table.action_free else some.choice(dice)
        hand = [table.card_ids[card] for card in deity.hand]
        rows = list(legal_rows(table.star_cards, hand))
        if rows and some.random() < 0.7:
            row = some.choice(rows)
            self.metrics, self.done = table.metrics(row), set()
            halves = [2 * table.card_ids.index(name.removesuffix("r")) + name.endswith("r") for name in row]
            return [Action.CREATE, die, *halves]
        full = [slot for slot, card in enumerate(table.display) if card is not None]
        if full and some.random() < 0.3:
            return [Action.TAKE, die, some.choice(full)]
        return [Action.DRAW, die]

    def step(self, deity: Deity) -> list[int]:
        """A random open scoring step, none at the end."""
        table, rules, metrics = self.table, self.table.rules, self.metrics
        found: list[list[int]] = []
        meets = {Step.VVIBON: meets_vvibon, Step.AMP_R: meets_amp_r, Step.LOTZZZ: meets_lotzzz}
        found += [[step] for step, met in meets.items() if met(table, deity, metrics)]
        found.append([Step.SUZUR])
        for planet in Planet:
            if planet in table.face_up:
                prophecy = table.prophecies[table.face_up[planet]]
                if prophecy.condition.value(metrics):
                    choices = {Reward.INSTANT: [0], Reward.FINAL: [1]}.get(prophecy.reward, [0, 1, 1])
                    found.append([planet, self.random.choice(choices)])
        dice = [Die.OWN] * (deity.own > 0)
        dice += [Die.USED] * (deity.used > 0 and table.lasting(deity, Verb.CLAIM_WITH_USED) > 0)
        dice += [Die.GREY] * (table.has_grey(deity) and table.lasting(deity, Verb.CLAIM_WITH_GREY) > 0)
        for die in dice:
            for place in range(len(rules.primos_fields)):
                fits = primos_fits(table, place, metrics, primos_tolerance(table, deity))
                if fits and place not in deity.primos:
                    found.append([Step.PRIMOS, place, die])
            for place in range(len(rules.bneph_metrics)):
                if bneph_fits(table, place, metrics, table.relaxed_bneph) and not bneph_claimed(table, place):
                    found.append([Step.BNEPH, place, die])
        found = [each for each in found if each[0] == Step.BNEPH or each[0] not in self.done]
        if not found:
            return []
        chosen = self.random.choice(found)
        self.done.add(Step(chosen[0]))
        return chosen


def invented_game(card_set: CardSet, players: int, seed: int) -> tuple[list[int], Outcome]:
    """The tape and the outcome of a random game."""
    table = Table(card_set, players, [], None)
    tape = Inventor(table, seed)
    table.tape = tape
    return tape.words, oversee(table)
