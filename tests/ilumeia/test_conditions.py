"""The expressions of conditions: what they mean, what is refused, and the compiled twin."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.conditions import MAX_CODE, MAX_STACK, ConditionError, Expression, parse
from simulator.games.ilumeia import model
from simulator.postfix import evaluate

NAMES = ("stars", "outer", "middle", "flames")
INDEX = {name: place for place, name in enumerate(NAMES)}


def value(text: str, **values: float) -> float:
    return parse(text, NAMES).value(dict.fromkeys(NAMES, 0.0) | values)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 3 - 2", 5),
        ("12 / 3 / 2", 2),
        ("7 % 4", 3),
        ("-7 % 4", 1),
        ("-2 - -3", 1),
        ("2 * -3", -6),
        ("1 / 4", 0.25),
        ("0.5 + 0.25", 0.75),
        ("3 > 2", 1),
        ("2 >= 3", 0),
        ("2 != 2", 0),
        ("1 + 1 == 2", 1),
        ("0 or 1 and 0", 0),
        ("1 or 1 and 0", 1),
        ("(1 or 1) and 0", 0),
        ("not 0 and 0", 0),
        ("not (0 and 0)", 1),
        ("not 2 > 1", 0),
        ("5 and 2", 1),
        ("0 or 7", 1),
        ("(1 < 2) + (3 < 4)", 2),
    ],
)
def test_operators_bind_and_count_as_in_python(text, expected):
    assert value(text) == expected


@pytest.mark.parametrize(
    "text", ["1 / 0", "1 % 0", "5 + 1 / (2 - 2)", "1 or 1 / 0", "not (1 / 0)", "3 > stars % 0"]
)
def test_division_by_zero_makes_the_whole_expression_zero(text):
    assert value(text, stars=4) == 0
    assert run(text, [4.0, 0.0, 0.0, 0.0]) == 0


def test_the_names_of_an_expression_are_those_it_uses():
    assert parse("stars >= 2 * outer", NAMES).names == {"stars", "outer"}


@pytest.mark.parametrize(
    ("text", "column", "found", "expected"),
    [
        ("1 < stars < 5", 11, "second comparison '<'", "joined by 'and'"),
        ("stars == outer == middle", 16, "second comparison", "joined by 'and'"),
        ("stars = 3", 7, "'='", "'=='"),
        ("stars && outer", 7, "'&'", "'and'"),
        ("stars >= 2 AND outer > 1", 12, "'AND'", "'and'"),
        ("star >= 3", 1, "unknown name 'star'", "stars"),
        ("3 + midle", 5, "unknown name 'midle'", "middle"),
        ("", 1, "the end", "a number, a name"),
        ("stars >=", 9, "the end", "a number, a name"),
        ("(stars", 7, "the end", "')'"),
        ("stars)", 6, "')'", "the end"),
        ("stars outer", 7, "'outer'", "an operator"),
        ("stars ; 1", 7, "';'", "operators"),
        ("2000000", 1, "2000000", "up to 1000000"),
        ("__import__('os')", 11, "'('", "an operator"),
        ("stars.real", 6, "'.'", ""),
    ],
)
def test_what_cannot_be_read_is_named_with_its_column(text, column, found, expected):
    with pytest.raises(ConditionError) as caught:
        parse(text, NAMES)
    problem = caught.value
    assert problem.column == column
    assert found in problem.found
    assert expected in problem.expected


@pytest.mark.parametrize(
    "text",
    [
        "(" * 150 + "1" + ")" * 149,
        "-" * 299 + "1",
        "not " * 70 + "1",
        "(" * 21 + "1" + ")" * 21,
        "1" * 301,
        "+".join(["stars"] * 25),
        "+".join(["1"] * 150),
    ],
    ids=["parentheses", "minus", "not", "21 levels", "301 characters", "25 names", "150 numbers"],
)
def test_texts_too_long_or_too_deep_are_refused(text):
    with pytest.raises(ConditionError):
        parse(text, NAMES)


def test_the_deepest_nesting_and_the_longest_program_are_read():
    assert value("(" * 20 + "1" + ")" * 20) == 1
    assert value("+".join(["stars"] * 24), stars=1) == 24
    longest = "+(".join(["stars"] * 16) + ")" * 15
    assert value(longest, stars=1) == 16
    assert run(longest, [1.0, 0.0, 0.0, 0.0]) == 16


def read_or_refuse(text: str) -> Expression | ConditionError:
    try:
        return parse(text, NAMES)
    except ConditionError as problem:
        return problem


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="stars outer0123456789.+-*/%<>=!()andornot \n", max_size=310))
def test_any_text_is_read_or_refused_with_a_column(text):
    read = read_or_refuse(text)
    if isinstance(read, ConditionError):
        assert 1 <= read.column <= len(text) + 1
    else:
        assert math.isfinite(read.value(dict.fromkeys(NAMES, 1.0)))


def test_programs_fit_the_tables_of_the_game():
    assert MAX_CODE <= model.MAX_CODE


# The compiled twin


def run(text: str, values: list[float]) -> float:
    code = np.zeros(MAX_CODE)
    program = parse(text, NAMES).code(INDEX)
    code[: len(program)] = program
    return float(evaluate(code, len(program), np.array(values), np.zeros(MAX_STACK)))


leaves = st.sampled_from(NAMES) | st.integers(0, 9).map(str) | st.sampled_from(["0.5", "2.25"])
operators = st.sampled_from(["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or"])
texts = st.recursive(
    leaves,
    lambda inner: (
        st.tuples(inner, operators, inner).map(lambda parts: f"({parts[0]}) {parts[1]} ({parts[2]})")
        | st.tuples(leaves, operators, leaves).map(" ".join)
        | inner.map(lambda text: f"-({text})")
        | inner.map(lambda text: f"not ({text})")
    ),
    max_leaves=12,
)
numbers = st.integers(-3, 12).map(float) | st.sampled_from([0.0, 0.5, -1.5])


@pytest.mark.kernel
@settings(max_examples=500, deadline=None)
@given(texts, st.lists(numbers, min_size=len(NAMES), max_size=len(NAMES)))
def test_the_compiled_program_gives_what_the_tree_gives(text, values):
    read = read_or_refuse(text)
    if isinstance(read, ConditionError):
        assert any(word in read.found for word in ("characters", "program", "levels"))
        return
    assert run(text, values) == read.value(dict(zip(NAMES, values, strict=True)))


@settings(max_examples=500, deadline=None)
@given(texts, st.lists(numbers, min_size=len(NAMES), max_size=len(NAMES)))
def test_an_expression_is_true_only_within_its_bounds(text, values):
    read = read_or_refuse(text)
    named = dict(zip(NAMES, map(abs, values), strict=True))
    if isinstance(read, Expression) and read.value(named) != 0:
        assert all(least <= named[name] <= most for name, least, most in read.bounds())


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("stars >= 12 and comets == 2", [("stars", 12, math.inf), ("comets", 2, 2)]),
        ("3 > stars and flames", [("stars", -math.inf, 3), ("flames", math.ulp(0.0), math.inf)]),
        ("stars >= 12 or comets == 2", []),
        ("not stars", []),
        ("stars != 3 and outer == 2 * middle", []),
    ],
)
def test_bounds_are_read_from_the_parts_that_must_hold_alone(text, bounds):
    assert parse(text, (*NAMES, "comets")).bounds() == bounds
