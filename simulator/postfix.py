"""Expressions as flat programs of numbers, and the compiled function that runs them.

A program is what `simulator.conditions.Expression.code` gives: float64 steps in postfix order. It lies in a
row of a table, so that another condition is never other code.
"""

from __future__ import annotations

from simulator.compiled import compiled
from simulator.conditions import WITH_NAME, WITH_NUMBER, Op


@compiled
def evaluate(code, length, values, stack):
    """The result of the first `length` numbers of `code`, as `Expression.value` gives it.

    `values` holds what names are read from; `stack` is scratch space of at least MAX_STACK float64.
    """
    result = 0.0  # the uppermost value; those below it lie on the stack
    height = 0
    place = 0
    while place < length:
        op = int(code[place])
        place += 1
        if op <= Op.LOAD:
            stack[height] = result
            height += 1
            result = values[int(code[place])] if op == Op.LOAD else code[place]
            place += 1
            continue
        if op == Op.NOT:
            result = 1.0 if result == 0.0 else 0.0
            continue
        if op == Op.NEGATE:
            result = -result
            continue
        if op >= WITH_NAME:
            op -= WITH_NAME
            left, right = result, values[int(code[place])]
            place += 1
        elif op >= WITH_NUMBER:
            op -= WITH_NUMBER
            left, right = result, code[place]
            place += 1
        else:
            height -= 1
            left, right = stack[height], result
        if op == Op.AT_LEAST:
            result = 1.0 if left >= right else 0.0
        elif op == Op.EQUAL:
            result = 1.0 if left == right else 0.0
        elif op == Op.AND:
            result = 1.0 if left != 0.0 and right != 0.0 else 0.0
        elif op == Op.OR:
            result = 1.0 if left != 0.0 or right != 0.0 else 0.0
        elif op == Op.UNEQUAL:
            result = 1.0 if left != right else 0.0
        elif op == Op.LESS:
            result = 1.0 if left < right else 0.0
        elif op == Op.AT_MOST:
            result = 1.0 if left <= right else 0.0
        elif op == Op.MORE:
            result = 1.0 if left > right else 0.0
        elif op == Op.ADD:
            result = left + right
        elif op == Op.SUBTRACT:
            result = left - right
        elif op == Op.MULTIPLY:
            result = left * right
        elif right == 0.0:
            return 0.0
        else:
            result = left / right if op == Op.DIVIDE else left % right
    return result
