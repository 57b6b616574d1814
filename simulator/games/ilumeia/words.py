"""Conditions, effects and the fixed planets in plain words, for catalogue, report and narrator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from simulator.conditions import Expression, Node, Op
from simulator.games.ilumeia.model import Reward, Target, Trigger, Verb

if TYPE_CHECKING:
    from simulator.games.ilumeia.cards import Effect, Prophecy, Providence
    from simulator.games.ilumeia.rules import Rules

_NOUNS: Final = {
    "cards": "card|s", "stars": "star|s", "flames": "flame star|s", "centrals": "central star|s",
    "ends": "end star|s", "diagonals": "diagonal|s", "transitions": "transition|s", "comets": "comet|s",
    "comets_enclosed": "enclosed comet|s", "comets_open": "comet|s in the open", "areas": "enclosed area|s",
    "middle": "star|s on the middle level", "outer": "star|s on the outer levels",
    "outer_most": "star|s on the fuller outer level", "outer_least": "star|s on the emptier outer level",
    "flame_diagonals": "diagonal|s to a flame star", "hand": "hand card|s", "energy": "available |dice",
    "used_energy": "used |dice", "grey": "grey die", "vp": "VP", "behind": "deit|ies with more VP",
    "gap": "VP behind the leader", "vvibon": "step|s on Vvibon", "amp_r": "step|s on Amp-R",
    "record": "field|s on Lotzzz", "prophecies": "prophecies won", "claims": "claim|s made",
    "constellations": "constellation|s created", "pile": "card|s in the own pile", "age": "age",
    "players": "deities in the game", "pile_stars": "star|s in the own pile",
    "pile_flames": "flame star|s in the own pile", "pile_centrals": "central star|s in the own pile",
    "pile_diagonals": "diagonal|s in the own pile", "pile_comets": "comet|s in the own pile",
    "pile_middle": "middle-level star|s in the own pile", "pile_outer": "outer-level star|s in the own pile",
}  # fmt: skip
_TRUTHS: Final = {
    "symmetric_horizontal": "symmetry along the middle level",
    "symmetric_vertical": "symmetry across the middle of the middle card",
    "grey": "the grey die owned",
}
_TO_NUMBER: Final = {
    Op.AT_LEAST: "at least {}", Op.AT_MOST: "at most {}", Op.EQUAL: "exactly {}",
    Op.UNEQUAL: "not exactly {}", Op.MORE: "more than {}", Op.LESS: "fewer than {}",
}  # fmt: skip
_TO_NAME: Final = {
    Op.AT_LEAST: "at least as many {} as {}", Op.AT_MOST: "at most as many {} as {}",
    Op.EQUAL: "as many {} as {}", Op.UNEQUAL: "not as many {} as {}", Op.MORE: "more {} than {}",
    Op.LESS: "fewer {} than {}",
}  # fmt: skip
_JOINED: Final = {Op.AND: " and ", Op.OR: " or "}
_SIGNS: Final = {
    Op.ADD: "+", Op.SUBTRACT: "−", Op.MULTIPLY: "×", Op.DIVIDE: "/", Op.REMAINDER: "mod", Op.EQUAL: "=",
    Op.UNEQUAL: "≠", Op.LESS: "<", Op.AT_MOST: "≤", Op.MORE: ">", Op.AT_LEAST: "≥",
}  # fmt: skip
_WHEN: Final = {
    Trigger.ALWAYS: "from now on", Trigger.CREATE: "after each own constellation",
    Trigger.OTHER_CREATES: "after another deity's constellation",
    Trigger.OTHER_WINS: "when another deity wins a prophecy",
    Trigger.OTHER_CLAIMS: "when another deity makes a claim", Trigger.PREPARE: "in each preparation",
    Trigger.EXHAUSTED: "when exhausted", Trigger.RECORD: "at each own record on Lotzzz",
    Trigger.PLAY: "once, in an own turn", Trigger.FINAL: "at final scoring",
    Trigger.BEFORE_FINAL: "before final scoring",
}  # fmt: skip
_WHO: Final = {
    Target.ONE: "one other deity", Target.OTHERS: "each other deity", Target.AHEAD: "each deity with more VP",
}  # fmt: skip
_DOES: Final = {
    Verb.HAND_LIMIT: "hand limit +{}", Verb.KEEP: "keep {} more card|s when exhausted",
    Verb.DRAW_BONUS: "the action of drawing gives {} more card|s",
    Verb.DISPLAY_BONUS: "taking from the display also draws {} card|s",
    Verb.DEAL_BONUS: "the preparation deals {} more card|s",
    Verb.IDLE_BONUS: "a turn without energy gives {} more card|s",
    Verb.EXCHANGE_DISCOUNT: "the exchange costs {} card|s less",
    Verb.RENEW_DISCOUNT: "the renewal of the display costs {} card|s less",
    Verb.CLAIM_WITH_USED: "claims can be paid with a used die",
    Verb.CLAIM_WITH_GREY: "claims can be paid with the grey die",
    Verb.PRIMOS_TOLERANCE: "claims on Primos may be off by {} star|s",
    Verb.VVIBON_LENIENCY: "steps of Vvibon ask for {} star|s less",
    Verb.AMP_R_LENIENCY: "steps of Amp-R ask for {} flame star|s less",
    Verb.RECORD_LENIENCY: "constellations count {} card|s more on Lotzzz",
    Verb.GAIN_VP: "gain {} VP", Verb.LOSE_VP: "{who} loses {} VP", Verb.STEAL_VP: "take {} VP from {who}",
    Verb.GAIN_DIE: "take {} |dice from the supply", Verb.REFRESH: "make {} used |dice available again",
    Verb.TAKE_GREY: "take the grey die", Verb.DRAW: "draw {} card|s",
    Verb.TAKE_DISPLAY: "take {} card|s from the display",
    Verb.ADVANCE_VVIBON: "advance {} step|s on Vvibon", Verb.ADVANCE_AMP_R: "advance {} step|s on Amp-R",
    Verb.RELAX_BNEPH: "in this turn claims on B'neph may be off by {}",
    Verb.FREE_ACTION: "the next action of this turn costs no die",
    Verb.RENEW_FREE: "renew the display for free",
    Verb.LOSE_CARDS: "{who} discards {} card|s", Verb.STEAL_CARD: "take {} random card|s from {who}",
    Verb.SPEND_DIE: "{who} makes {} available |dice used",
    Verb.COPY_ABILITY: "copy an ability of another deity",
    Verb.RECALL: "take {} card|s of the own pile in hand",
    Verb.BURY: "put {} card|s of the draw pile on the own pile",
    Verb.BURY_HAND: "put up to {} hand card|s on the own pile",
}  # fmt: skip
_STEP: Final = {
    "nothing": "nothing", "keep": "keep one more card", "limit": "a higher hand limit",
    "suzur": "more from Suzur", "primos": "claims on Primos off by a star",
}  # fmt: skip


def condition(expression: Expression) -> str:
    """A condition in words: "at least 12 stars and exactly 2 enclosed comets"."""
    return _truth(expression.tree)


def effect(effect: Effect) -> str:
    """An effect in one sentence without full stop."""
    size = _plain(effect.amount)
    sized = _counted(_DOES[effect.verb], effect.amount).format(size, who=_WHO.get(effect.target, ""))
    if effect.per is not None:
        sized += " " + _per(effect.per.tree)
    if effect.count is not None:
        sized += f" for each card of the own pile with {condition(effect.count)}"
    if effect.most is not None:
        sized += f" (at most {effect.most})"
    if effect.when is not None:
        of_row = effect.trigger in (Trigger.CREATE, Trigger.OTHER_CREATES)
        sized += f", {'if it has' if of_row else 'with'} {condition(effect.when)}"
    return f"{_WHEN[effect.trigger]}: {sized}"


def prophecy(card: Prophecy) -> str:
    """What a prophecy card asks for, and what it brings."""
    gains = [] if card.effect is None else [effect(card.effect)]
    if card.reward != Reward.FINAL:
        gains.append(f"{card.vp} VP")
    return f"{condition(card.condition)} → {', or '.join(gains)}"


def providence(card: Providence, rules: Rules) -> str:
    """What a providence card asks for, and its VP by the age of the decision."""
    vp = "/".join(map(str, rules.providence_vp[: rules.ages]))
    asked = f"at least {card.at_least} cards in the own pile with {condition(card.cards)}"
    return f"{asked} → {vp} VP by age of choice"


def vvibon(rules: Rules) -> str:
    """The steps of Vvibon: stars asked for and reward."""
    paying = iter(rules.vvibon_vp)
    steps = []
    for stars, reward in zip(rules.vvibon_thresholds, rules.vvibon_rewards, strict=True):
        gain = f"{'/'.join(map(str, next(paying)))} VP by order" if reward == "vp" else _STEP[reward]
        steps.append(f"{stars}: {gain}")
    return "one step for a constellation of at least so many stars: " + ", ".join(steps)


def amp_r(rules: Rules) -> str:
    """The steps of Amp-R: flame stars asked for and gain."""
    steps = []
    for step, (flames, dice, vp) in enumerate(
        zip(rules.amp_r_thresholds, rules.amp_r_dice, rules.amp_r_vp, strict=True), start=1
    ):
        gains = [f"{dice} dice" if dice > 1 else "a die"] if dice else []
        gains += [f"{vp} VP"] if vp else []
        gains += [f"{rules.suzur_bonus} VP more from Suzur"] if step == rules.amp_r_suzur_step else []
        steps.append(f"{flames}: {' and '.join(gains) or 'nothing'}")
    return "one step for a constellation of at least so many flame stars: " + ", ".join(steps)


def suzur(rules: Rules) -> str:
    """What Suzur pays."""
    return f"each constellation → {rules.suzur_vp} VP, and {rules.suzur_bonus} more for each friend won"


def lotzzz(rules: Rules) -> str:
    """What Lotzzz asks for and gives."""
    return f"at least {rules.lotzzz_minimum} cards and more than the record of this age → the grey die"


def primos(numbers: tuple[int, ...], reward: int | str, rules: Rules) -> str:
    """What a field of Primos asks for and gives."""
    gains = {
        "bneph": f"claims on B'neph are worth {rules.bneph_vp_boosted} VP",
        "suzur": f"{rules.suzur_bonus} VP more from Suzur",
    }
    gain = gains[reward] if isinstance(reward, str) else f"{reward} VP"
    return f"exactly {' or '.join(map(str, numbers))} stars and a die → {gain}"


def bneph(metric: str, value: int, rules: Rules) -> str:
    """What a field of B'neph asks for and gives."""
    asked = _counted(f"exactly {value} {_NOUNS[metric]}", value)
    return f"{asked} and a die, once in a game → {rules.bneph_vp} VP ({rules.bneph_vp_boosted} after Primos)"


def compensation(rules: Rules) -> str:
    """What the deities that began in one age only get."""
    return f"three deities: began in one age only → {rules.compensation} VP"


def _truth(node: Node) -> str:
    if node.op is Op.LOAD:
        return _TRUTHS.get(str(node.operand)) or "some " + _noun(node)
    if node.op in _JOINED:
        other = Op.OR if node.op is Op.AND else Op.AND
        parts = (f"({_truth(each)})" if each.op is other else _truth(each) for each in node.nodes)
        return _JOINED[node.op].join(parts)
    if node.op is Op.NOT:
        return "no " + _truth(node.nodes[0]).removeprefix("some ")
    if node.op in _TO_NUMBER:
        return _comparison(node.op, *node.nodes)
    return _amount(node)


def _comparison(op: Op, left: Node, right: Node) -> str:
    if left.op is Op.LOAD and right.op is Op.PUSH:
        count = float(right.operand)
        if op is Op.EQUAL and count == 0:
            return "no " + _noun(left)
        return _counted(f"{_TO_NUMBER[op].format(_plain(count))} {_NOUNS[str(left.operand)]}", count)
    if left.op is Op.LOAD and right.op is Op.LOAD:
        return _TO_NAME[op].format(_noun(left), _noun(right))
    if left.op is Op.LOAD and right.op is Op.MULTIPLY:
        times, of = right.nodes
        if times.op is Op.PUSH and of.op is Op.LOAD:
            factor = _TO_NUMBER[op].format(_plain(float(times.operand)))
            return f"{factor} times as many {_noun(left)} as {_noun(of)}"
    if left.op is Op.LOAD and right.op is Op.ADD:
        than, more = right.nodes
        if than.op is Op.LOAD and more.op is Op.PUSH:
            number = _TO_NUMBER[op].format(_plain(float(more.operand)))
            return f"{number} more {_noun(left)} than {_noun(than)}"
    if op is Op.EQUAL and left.op is Op.REMAINDER and right.op is Op.PUSH:
        of, divisor = left.nodes
        if of.op is Op.LOAD and divisor.op is Op.PUSH:
            by, rest = _plain(float(divisor.operand)), _plain(float(right.operand))
            parity: Mapping[tuple[str, str], str] = {("2", "0"): "an even", ("2", "1"): "an odd"}
            if (by, rest) in parity:
                return f"{parity[by, rest]} number of {_noun(of)}"
            return f"a number of {_noun(of)} divisible by {by}" + ("" if rest == "0" else f" but for {rest}")
    return f"{_amount(left)} {_SIGNS[op]} {_amount(right)}"


def _per(node: Node) -> str:
    if node.op is Op.LOAD:
        return "for each " + _counted(_NOUNS.get(str(node.operand), str(node.operand)), 1)
    if node.op is Op.DIVIDE and node.nodes[0].op is Op.LOAD and node.nodes[1].op is Op.PUSH:
        return f"for every {_plain(float(node.nodes[1].operand))} {_noun(node.nodes[0])}"
    return f"× ({_amount(node)})"


def _amount(node: Node) -> str:
    """A number in words and signs."""
    if node.op is Op.PUSH:
        return _plain(float(node.operand))
    if node.op is Op.LOAD:
        return _noun(node)
    if node.op is Op.NEGATE:
        return f"−{_part(node.nodes[0], node.op)}"
    if node.op in (Op.NOT, *_JOINED, *_TO_NUMBER):
        return f"({_truth(node)})"
    left, right = node.nodes
    return f"{_part(left, node.op)} {_SIGNS[node.op]} {_part(right, node.op)}"


def _part(node: Node, around: Op) -> str:
    """A part of a calculation, in parentheses if it would be read otherwise without."""
    plain = node.op in (Op.PUSH, Op.LOAD) or (around is Op.ADD and node.op in (Op.ADD, Op.MULTIPLY))
    return _amount(node) if plain else f"({_amount(node)})"


def _noun(node: Node) -> str:
    name = str(node.operand)
    return _TRUTHS.get(name) or _counted(_NOUNS[name], 2)


def _counted(text: str, number: float) -> str:
    """The text with its words that are marked by | in the singular for the number 1, else in the plural."""
    for mark, one, many in (("|s", "", "s"), ("|dice", "die", "dice"), ("|ies", "y", "ies")):
        text = text.replace(mark, one if number == 1 else many)
    return text


def _plain(number: float) -> str:
    return f"{number:g}"
