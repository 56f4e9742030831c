"""What is claimed of an expression holds when an input is raised, whatever the others are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from crisplogic.expr import And, Expr, Or, Var, evaluate, parse
from crisplogic.expr.monotonicity import monotonicity
from crisplogic.expr.walk import unique_nodes
from tests.strategies import (
    INPUTS,
    degrees,
    expressions,
    kleene_degrees,
    kleene_expressions,
    tables,
)

TOLERANCE = 1e-12  # numpy's tanh may turn the last digit round


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("true", {}),
        ("3", {3: 1}),
        ("~3", {3: -1}),
        ("~~3", {3: 1}),
        ("1 & ~0", {0: -1, 1: 1}),
        ("~(1 | 0)", {0: -1, 1: -1}),
        ("0 ^ 1", {0: 0, 1: 0}),
        ("0 & (1 ^ 2)", {0: 1, 1: 0, 2: 0}),
        ("(0 & 1) + ~0", {0: 0, 1: 1}),
        ("~tanh(0 + ~1) | 2", {0: -1, 1: 1, 2: 1}),
    ],
)
def test_by_hand(text: str, expected: dict[int, int]) -> None:
    assert monotonicity(parse(text)) == expected


@given(expressions)
def test_it_is_about_the_inputs_that_are_mentioned(expr: Expr) -> None:
    mentioned = {node.index for node in unique_nodes([expr]) if isinstance(node, Var)}
    assert set(monotonicity(expr)) == mentioned


@given(expressions, tables(), st.integers(0, INPUTS - 1), degrees)
def test_what_is_claimed_holds_when_an_input_is_raised(
    expr: Expr, table: NDArray[Any], number: int, degree: float
) -> None:
    raised = table.copy()
    raised[:, number] = np.maximum(raised[:, number], degree)
    change = evaluate(expr, raised) - evaluate(expr, table)
    sign = monotonicity(expr).get(number)
    if sign is None:
        assert (change == 0).all()
    elif sign:
        assert (change * sign >= -TOLERANCE).all()


@given(kleene_expressions, tables(kleene_degrees), st.integers(0, INPUTS - 1), kleene_degrees)
def test_what_is_claimed_holds_in_kleenes_logic(
    expr: Expr, table: NDArray[Any], number: int, degree: float
) -> None:
    raised = table.copy()
    raised[:, number] = np.maximum(raised[:, number], degree)
    change = evaluate(expr, raised, crisp=True) - evaluate(expr, table, crisp=True)
    sign = monotonicity(expr).get(number)
    assert sign == 0 or (change * (sign or 0) >= 0).all()
    assert sign is not None or not change.any()


def test_parts_that_are_shared_again_and_again_take_no_time() -> None:
    expr: Expr = Var(0)
    for _ in range(30):  # written out, this would have a billion literals
        expr = Or((expr, And((expr, Var(1)))))
    assert monotonicity(expr) == {0: 1, 1: 1}
