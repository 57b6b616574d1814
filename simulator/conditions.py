"""The expressions in which a designer writes conditions and amounts: `stars >= 12 and comets_enclosed >= 2`.

A small grammar: numbers, names, `+ - * / %`, comparisons, `and or not`, parentheses. Everything is a
float64; a comparison gives 1 or 0, and what isn't 0 is true. A division or remainder by zero makes the
whole expression 0. `Expression.value` reads the tree in plain Python; `Expression.code` gives the same
expression as numbers for `simulator.postfix.evaluate`, its compiled twin.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from simulator.faults import nearest

if TYPE_CHECKING:
    from lark import Lark

LONGEST_TEXT: Final = 300
DEEPEST_NESTING: Final = 20
LARGEST_NUMBER: Final = 1e6
"""Keeps every intermediate result finite."""
MAX_CODE: Final = 48
"""The most numbers of a program."""
MAX_STACK: Final = 16
"""The most values that a program of MAX_CODE numbers can have on its stack: each takes two numbers to push,
and each but one takes an operation to use up."""


class Op(IntEnum):
    """What a step of a program does; PUSH and LOAD are followed by their operand.

    The operations on two values take both from the stack, or, with WITH_NUMBER or WITH_NAME added, the
    right one from the number behind: most are of this kind, `stars >= 12`, and so take a third less time.
    """

    PUSH = 0
    LOAD = 1
    ADD = 2
    SUBTRACT = 3
    MULTIPLY = 4
    DIVIDE = 5
    REMAINDER = 6
    EQUAL = 7
    UNEQUAL = 8
    LESS = 9
    AT_MOST = 10
    MORE = 11
    AT_LEAST = 12
    AND = 13
    OR = 14
    NOT = 15
    NEGATE = 16


WITH_NUMBER: Final = 32
WITH_NAME: Final = 64

_LEAVES: Final = {Op.PUSH: WITH_NUMBER, Op.LOAD: WITH_NAME}
_SIGNS: Final = {
    "+": Op.ADD, "-": Op.SUBTRACT, "*": Op.MULTIPLY, "/": Op.DIVIDE, "%": Op.REMAINDER, "==": Op.EQUAL,
    "!=": Op.UNEQUAL, "<": Op.LESS, "<=": Op.AT_MOST, ">": Op.MORE, ">=": Op.AT_LEAST, "and": Op.AND,
    "or": Op.OR,
}  # fmt: skip

_MEANINGS: Final[Mapping[Op, Callable[..., float]]] = {
    Op.ADD: operator.add, Op.SUBTRACT: operator.sub, Op.MULTIPLY: operator.mul, Op.DIVIDE: operator.truediv,
    Op.REMAINDER: operator.mod, Op.EQUAL: operator.eq, Op.UNEQUAL: operator.ne, Op.LESS: operator.lt,
    Op.AT_MOST: operator.le, Op.MORE: operator.gt, Op.AT_LEAST: operator.ge, Op.NEGATE: operator.neg,
    Op.AND: lambda a, b: a != 0 and b != 0, Op.OR: lambda a, b: a != 0 or b != 0, Op.NOT: lambda a: a == 0,
}  # fmt: skip


class ConditionError(ValueError):
    """An expression that can't be read: the column (from 1), what was found and what was expected."""

    def __init__(self, column: int, found: str, expected: str, name: str = ""):
        self.column, self.found, self.expected = column, found, expected
        self.name = name
        """The name that is not known, if that is what was found."""
        super().__init__(f"column {column}: {found}, expected {expected}")


@dataclass(frozen=True)
class Node:
    """A number, a name or an operation on further nodes."""

    op: Op
    operand: float | str = 0.0
    """The number of a PUSH, the name of a LOAD."""
    nodes: tuple[Node, ...] = ()


@dataclass(frozen=True)
class Expression:
    """An expression that was read, with the names that it uses."""

    text: str
    names: frozenset[str]
    tree: Node

    def value(self, values: Mapping[str, float]) -> float:
        """What the expression comes to with these values of its names."""
        try:
            return _value(self.tree, values)
        except ZeroDivisionError:
            return 0.0

    def code(self, index: Mapping[str, int]) -> list[float]:
        """The program for `simulator.postfix.evaluate`, each name read at its index."""
        return list(_code(self.tree, index))

    def bounds(self) -> list[tuple[str, float, float]]:
        """(name, least, most) for each part that must hold by itself: the range that its name must lie in.

        Only parts that compare a name with a number, or are a name alone, say something; values below 0 don't occur.
        """
        return [bound for part in _joined(self.tree) for bound in _bound(part)]

    def __str__(self) -> str:
        return self.text


def parse(text: str, names: Collection[str]) -> Expression:
    """The expression of a text that may use these names; ConditionError if it can't be read."""
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken  # 50 ms that only reading costs

    if len(text) > LONGEST_TEXT:
        raise ConditionError(LONGEST_TEXT + 1, f"{len(text)} characters", f"at most {LONGEST_TEXT}")
    try:
        tree = _node(_parser().parse(text), names, 0)
    except UnexpectedCharacters as problem:
        position = problem.pos_in_stream or 0
        raise _unreadable(position, text[position], ()) from None
    except UnexpectedToken as problem:
        ended = problem.token.type == "$END"
        position = len(text) if ended else problem.token.start_pos
        raise _unreadable(position, "" if ended else str(problem.token), problem.accepts) from None
    size = len(list(_code(tree, dict.fromkeys(names, 0))))
    if size > MAX_CODE:
        raise ConditionError(1, f"a program of {size} numbers", f"a shorter expression (at most {MAX_CODE})")
    return Expression(text, frozenset(_names(tree)), tree)


_GRAMMAR: Final = r"""
    ?start: any_of
    ?any_of: all_of | any_of OR all_of -> binary
    ?all_of: negation | all_of AND negation -> binary
    ?negation: comparison | NOT negation -> unary
    ?comparison: sum | comparison COMPARISON sum -> compare
    ?sum: product | sum (PLUS | MINUS) product -> binary
    ?product: factor | product PRODUCT factor -> binary
    ?factor: MINUS factor -> unary
           | OPEN any_of CLOSE -> nested
           | NUMBER -> number
           | NAME -> name
    OR: "or"
    AND: "and"
    NOT: "not"
    COMPARISON: "==" | "!=" | "<=" | ">=" | "<" | ">"
    PLUS: "+"
    MINUS: "-"
    PRODUCT: "*" | "/" | "%"
    OPEN: "("
    CLOSE: ")"
    NUMBER: /[0-9]+([.][0-9]+)?/
    NAME: /[A-Za-z_][A-Za-z_0-9]*/
    %ignore /[ \t\r\n]+/
"""


@cache
def _parser() -> Lark:
    from lark import Lark

    return Lark(_GRAMMAR, parser="lalr", lexer="basic")


def _node(tree: Any, names: Collection[str], nesting: int) -> Node:
    """The node of a lark tree; its depth is bounded, since the text is short."""
    first = tree.children[0]
    if tree.data == "number":
        if float(first) > LARGEST_NUMBER:
            raise ConditionError(first.start_pos + 1, str(first), f"a number up to {LARGEST_NUMBER:.0f}")
        return Node(Op.PUSH, float(first))
    if tree.data == "name":
        name = str(first)
        if name not in names:
            raise ConditionError(first.start_pos + 1, f"unknown name {name!r}", nearest(name, names), name)
        return Node(Op.LOAD, name)
    if tree.data in ("unary", "nested"):
        if nesting == DEEPEST_NESTING:
            raise ConditionError(first.start_pos + 1, f"{nesting + 1} levels", f"at most {nesting} levels")
        inner = _node(tree.children[1], names, nesting + 1)
        if tree.data == "nested":
            return inner
        return Node(Op.NOT if first == "not" else Op.NEGATE, 0.0, (inner,))
    left, sign, right = tree.children
    if tree.data == "compare" and left.data == "compare":
        found = f"a second comparison {str(sign)!r}"
        raise ConditionError(sign.start_pos + 1, found, "two comparisons joined by 'and'")
    return Node(_SIGNS[sign], 0.0, (_node(left, names, nesting), _node(right, names, nesting)))


_INSTEAD: Final = {"=": "'=='", "&": "'and'", "|": "'or'", "!": "'!=' or 'not'", "[": "'('", "]": "')'"}


def _unreadable(position: int, found: str, accepted: Collection[str]) -> ConditionError:
    what = repr(found) if found else "the end"
    if found in _INSTEAD:
        expected = _INSTEAD[found]
    elif found.lower() in ("and", "or", "not") and found != found.lower():
        expected = repr(found.lower())
    elif not accepted:
        expected = "numbers, names, operators and parentheses"
    elif "NUMBER" in accepted:
        expected = "a number, a name, " + ("'not', " if "NOT" in accepted else "") + "'-' or '('"
    else:
        expected = "an operator or " + ("')'" if "CLOSE" in accepted else "the end")
    return ConditionError(position + 1, what, expected)


def _value(node: Node, values: Mapping[str, float]) -> float:
    if node.op is Op.PUSH:
        return float(node.operand)
    if node.op is Op.LOAD:
        return float(values[str(node.operand)])
    return float(_MEANINGS[node.op](*[_value(each, values) for each in node.nodes]))


def _code(node: Node, index: Mapping[str, int]) -> Iterator[float]:
    for each in node.nodes[:1]:
        yield from _code(each, index)
    op: int = node.op
    for right in node.nodes[1:]:
        if right.op in _LEAVES:
            op, node = op + _LEAVES[right.op], right
        else:
            yield from _code(right, index)
    yield float(op)
    if node.op is Op.PUSH:
        yield float(node.operand)
    elif node.op is Op.LOAD:
        yield float(index[str(node.operand)])


def _joined(node: Node) -> Iterator[Node]:
    """The parts that `and` joins to the whole."""
    if node.op is Op.AND:
        for each in node.nodes:
            yield from _joined(each)
    else:
        yield node


_MIRRORED: Final = {
    Op.EQUAL: Op.EQUAL, Op.LESS: Op.MORE, Op.AT_MOST: Op.AT_LEAST, Op.MORE: Op.LESS, Op.AT_LEAST: Op.AT_MOST
}  # fmt: skip


def _bound(part: Node) -> Iterator[tuple[str, float, float]]:
    if part.op is Op.LOAD:
        yield str(part.operand), math.ulp(0.0), math.inf
        return
    op: Op = part.op
    nodes = part.nodes
    if len(nodes) == 2 and nodes[0].op is Op.PUSH and op in _MIRRORED:
        op, nodes = _MIRRORED[op], (nodes[1], nodes[0])
    if op in _MIRRORED and nodes[0].op is Op.LOAD and nodes[1].op is Op.PUSH:
        number = float(nodes[1].operand)
        least = number if op in (Op.EQUAL, Op.MORE, Op.AT_LEAST) else -math.inf
        most = number if op in (Op.EQUAL, Op.LESS, Op.AT_MOST) else math.inf
        yield str(nodes[0].operand), least, most


def _names(node: Node) -> Iterator[str]:
    if node.op is Op.LOAD:
        yield str(node.operand)
    for each in node.nodes:
        yield from _names(each)
