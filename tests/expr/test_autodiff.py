"""Tapes: the same values as evaluation, and gradients that finite differences confirm."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from crisplogic.expr import Const, Expr, Squash, Sum, Var, evaluate_all, parse
from crisplogic.expr.autodiff import Tape
from crisplogic.expr.nodes import MAX_DEPTH
from tests.strategies import INPUTS, degrees, expressions, tables

Floats = NDArray[np.float64]

several = st.lists(expressions, min_size=1, max_size=4)
FUZZY = np.random.default_rng(0).uniform(-1, 1, (INPUTS, 20))


def values_of(exprs: list[Expr], inputs: Floats) -> Floats:
    tape = Tape(exprs)
    return tape.values(tape.forward(inputs))


def gradients_of(exprs: list[Expr], inputs: Floats, gradient: Floats) -> Floats:
    """Slopes by every input there is, 0 by those that no expression mentions."""
    tape = Tape(exprs)
    gradients = np.zeros_like(inputs)
    gradients[tape.used] = tape.backward(tape.forward(inputs), gradient)
    return gradients


def differences(exprs: list[Expr], inputs: Floats, gradient: Floats) -> Floats:
    """What the gradients must be: the weighted values a little to each side of every input."""
    step = 1e-6
    gradients = np.empty_like(inputs)
    for number in range(len(inputs)):
        aside = np.zeros_like(inputs)
        aside[number] = step
        rise = evaluate_all(exprs, (inputs + aside).T) - evaluate_all(exprs, (inputs - aside).T)
        gradients[number] = (gradient * rise.T).sum(axis=0) / (2 * step)
    return gradients


@given(several, tables())
def test_its_values_are_those_of_evaluation(exprs: list[Expr], table: Floats) -> None:
    np.testing.assert_allclose(
        values_of(exprs, table.T), evaluate_all(exprs, table).T, rtol=0, atol=1e-12
    )


@given(several, st.data())
@settings(max_examples=60)
def test_its_gradients_are_those_of_finite_differences(
    exprs: list[Expr], data: st.DataObject
) -> None:
    inputs = data.draw(hnp.arrays(np.float64, (INPUTS, 3), elements=degrees))
    weights = hnp.arrays(np.float64, (len(exprs), 3), elements=st.floats(-2, 2))
    gradient = data.draw(weights)
    np.testing.assert_allclose(
        gradients_of(exprs, inputs, gradient), differences(exprs, inputs, gradient), atol=1e-6
    )


@given(several)
def test_used_names_every_mentioned_input_once(exprs: list[Expr]) -> None:
    used = Tape(exprs).used
    moved = [
        number
        for number in range(INPUTS)
        if any(f"Var(index={number})" in repr(expr) for expr in exprs)
    ]
    assert sorted(used) == moved


def test_inputs_mentioned_out_of_order_get_their_own_gradients() -> None:
    exprs = [parse("4 & 1"), parse("~3 + 0")]
    gradient = np.ones((2, FUZZY.shape[1]))
    gradients = gradients_of(exprs, FUZZY, gradient)
    np.testing.assert_allclose(gradients[4], (1 + FUZZY[1]) / 2)
    np.testing.assert_allclose(gradients[1], (1 + FUZZY[4]) / 2)
    assert (gradients[3] == -1).all()
    assert (gradients[0] == 1).all()
    assert (gradients[2] == 0).all()


def test_an_expression_that_comes_twice_hands_back_both_gradients() -> None:
    expr = parse("0 ^ 1")
    once = gradients_of([expr], FUZZY, np.full((1, 20), 5.0))
    twice = gradients_of([expr, expr], FUZZY, np.stack([np.full(20, 2.0), np.full(20, 3.0)]))
    np.testing.assert_allclose(twice, once)
    both = values_of([expr, expr], FUZZY)
    assert both[0].tolist() == both[1].tolist()


def test_an_input_that_is_an_expression_itself_takes_its_gradient() -> None:
    gradient = np.arange(40.0).reshape(2, 20)
    gradients = gradients_of([Var(2), Var(0)], FUZZY, gradient)
    assert gradients[[2, 0]].tolist() == gradient.tolist()


@pytest.mark.parametrize("text", ["0 & 0", "0 | 0", "0 ^ 0", "0 + 0", "(0 & 1) ^ (0 & 1)"])
def test_operands_that_are_the_same_count_as_often_as_they_stand(text: str) -> None:
    exprs = [parse(text)]
    gradient = np.ones((1, FUZZY.shape[1]))
    expected = differences(exprs, FUZZY, gradient)
    np.testing.assert_allclose(gradients_of(exprs, FUZZY, gradient), expected, atol=1e-6)


@pytest.mark.parametrize("inputs", [0, 3])
def test_constants_alone_have_values_and_no_gradients(inputs: int) -> None:
    tape = Tape([Const(1.0), parse("~true & unknown"), Const(1.0)])
    values = tape.forward(np.zeros((inputs, 4)))
    assert tape.values(values).tolist() == [[1.0] * 4, [-1.0] * 4, [1.0] * 4]
    assert tape.used == []
    assert tape.backward(values, np.ones((3, 4))).shape == (0, 4)


def test_no_expressions_give_no_values_and_no_gradients() -> None:
    tape = Tape([])
    values = tape.forward(FUZZY)
    assert tape.values(values).shape == (0, FUZZY.shape[1])
    assert tape.backward(values, np.empty((0, FUZZY.shape[1]))).shape == (0, FUZZY.shape[1])


def test_one_tape_serves_many_times_and_leaves_what_it_is_given() -> None:
    tape = Tape([parse("tanh(0 + ~1) & 2")])
    inputs, gradient = FUZZY.copy(), np.ones((1, FUZZY.shape[1]))
    first = tape.forward(inputs)
    slots = first.copy()
    gradients = tape.backward(first, gradient)
    tape.forward(-inputs)
    assert tape.backward(first, gradient).tobytes() == gradients.tobytes()
    assert tape.forward(inputs).tobytes() == slots.tobytes()
    assert (inputs.tobytes(), gradient.sum()) == (FUZZY.tobytes(), FUZZY.shape[1])


def test_shared_parts_are_computed_once_however_often_they_are_used() -> None:
    expr: Expr = Var(0)
    for _ in range(MAX_DEPTH // 2):
        expr = Squash(Sum((expr, expr)))
    values = Tape([expr]).forward(FUZZY)
    assert len(values) == MAX_DEPTH + 1  # one a node
    np.testing.assert_allclose(
        values_of([expr], FUZZY), evaluate_all([expr], FUZZY.T).T, atol=1e-12
    )
