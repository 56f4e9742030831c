"""Expressions that say the same in other writings have the same number."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from crisplogic.expr import And, Expr, Not, Or, Sum, Xor, evaluate_all, parse
from crisplogic.expr.equivalence import EquivalenceClasses
from crisplogic.expr.laws import (
    associativity,
    commutativity,
    de_morgan_inwards,
    de_morgan_outwards,
    double_negation,
    negation_out_of_tanh,
    negation_out_of_xor,
)
from crisplogic.expr.walk import map_children, unique_nodes
from tests.strategies import INPUTS, kleene_expressions, logic_values, tables

LAWS = (
    double_negation,
    associativity,
    commutativity,
    de_morgan_inwards,
    de_morgan_outwards,
    negation_out_of_tanh,
    negation_out_of_xor,
)


def rewritten(expr: Expr, data: st.DataObject) -> Expr:
    """An expression after some laws, each at some of its parts."""
    inside = map_children(expr, lambda part: rewritten(part, data))
    if isinstance(inside, Sum):
        return inside
    for law in data.draw(st.lists(st.sampled_from(LAWS), max_size=2)):
        inside = law(inside)
    return Not(Not(inside)) if data.draw(st.integers(0, 5)) == 0 else inside


def shuffled(expr: Expr, data: st.DataObject) -> Expr:
    parts = tuple(shuffled(part, data) for part in expr.parts)
    if isinstance(expr, And | Or | Xor):
        return type(expr)(tuple(data.draw(st.permutations(parts))))
    return map_children(expr, lambda part: parts[expr.parts.index(part)])


@given(logic_values, st.data())
@settings(max_examples=60)
def test_laws_that_only_rewrite_change_no_form(expr: Expr, data: st.DataObject) -> None:
    classes = EquivalenceClasses([f"x{number}" for number in range(INPUTS)])
    assert classes.of(rewritten(expr, data)) == classes.of(expr)
    assert classes.of(shuffled(expr, data)) == classes.of(expr)
    assert classes.of(Not(expr)) == classes.of(expr, negated=True)


@given(st.lists(logic_values, min_size=2, max_size=6), tables())
@settings(max_examples=60)
def test_the_same_form_has_the_same_value(
    exprs: list[Expr], table: NDArray[np.float64]
) -> None:
    classes = EquivalenceClasses([f"x{number}" for number in range(INPUTS)])
    every = list(unique_nodes(exprs))
    every = [each for each in every if not isinstance(each, Sum)]
    every += [Not(each) for each in every]
    values = evaluate_all(every, table).T
    first: dict[int, NDArray[np.float64]] = {}
    for each, value in zip(every, values, strict=True):
        assert first.setdefault(classes.of(each), value) == pytest.approx(value, abs=1e-12)


def test_different_logic_has_different_forms() -> None:
    classes = EquivalenceClasses(["a", "b", "c"])
    texts = [
        "0",
        "1",
        "~0",
        "0 & 1",
        "0 | 1",
        "0 ^ 1",
        "~(0 ^ 1)",
        "0 & 0",
        "tanh(0)",
        "true",
        "false",
        "unknown",
        "0 & 1 & 2",
        "0 & (1 | 2)",
        "tanh(0 + 1)",
        "0 & ~1",
    ]
    assert len({classes.of(parse(text)) for text in texts}) == len(texts)


THREE_VALUED = np.array(list(itertools.product((-1.0, 0.0, 1.0), repeat=INPUTS)))


@given(st.lists(kleene_expressions, min_size=2, max_size=6))
@settings(max_examples=60)
def test_crisp_expressions_of_one_form_have_the_same_values(exprs: list[Expr]) -> None:
    classes = EquivalenceClasses([f"x{number}" for number in range(INPUTS)], crisp=True)
    nodes = list(unique_nodes(exprs))
    values = evaluate_all(nodes, THREE_VALUED, crisp=True).T
    first: dict[int, NDArray[np.float64]] = {}
    for node, own in zip(nodes, values, strict=True):
        np.testing.assert_array_equal(first.setdefault(classes.of(node), own), own)
        np.testing.assert_array_equal(first.setdefault(classes.of(Not(node)), -own), -own)


@pytest.mark.parametrize(
    ("one", "other"),
    [("0 & 0", "0"), ("0 | (1 | 0)", "1 | 0"), ("~(0 & 1 & 0)", "~0 | ~1"), ("~(0 | 0)", "~0")],
)
def test_a_repeated_operand_says_nothing_new_in_crisp_rules_alone(one: str, other: str) -> None:
    crisp, graded = EquivalenceClasses("ab", crisp=True), EquivalenceClasses("ab")
    assert crisp.of(parse(one)) == crisp.of(parse(other))
    assert graded.of(parse(one)) != graded.of(parse(other))
