"""Limits: which terms and votes they permit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from crisplogic.constraints import Limits
from crisplogic.expr import Expr, evaluate, parse
from tests.strategies import INPUTS, degrees, logic_values, tables

OUTPUTS = 3

bools = hnp.arrays(bool, (INPUTS, OUTPUTS))
all_votes = hnp.arrays(np.float64, OUTPUTS, elements=st.sampled_from([-1.0, 0.0, 1.0]))


def test_networks_keep_to_the_limits_of_columns_alone() -> None:
    up = Limits(np.ones((2, 1), bool), np.zeros((2, 1), bool), max_literals=np.array([3.0]))
    assert up.of_networks is not None
    assert up.of_networks.max_literals is None
    assert up.of_networks.falls is up.falls


def test_limits_of_other_shapes_are_refused() -> None:
    ones = np.ones((2, 3), bool)
    with pytest.raises(ValueError, match="one shape"):
        Limits(ones, ones[:1])
    with pytest.raises(ValueError, match="columns by columns"):
        Limits(ones, ones, np.ones((3, 3), bool))


@given(logic_values, all_votes, bools, bools, tables(), st.integers(0, INPUTS - 1), degrees)
def test_a_term_that_is_permitted_does_to_no_score_what_is_not(
    term: Expr,
    votes: NDArray[np.float64],
    rises: NDArray[np.bool_],
    falls: NDArray[np.bool_],
    table: NDArray[np.float64],
    column: int,
    degree: float,
) -> None:
    if Limits(rises, falls).permit(term, votes, np.arange(INPUTS)):
        higher = table.copy()
        higher[:, column] = np.maximum(higher[:, column], degree)
        change = np.outer(evaluate(term, higher) - evaluate(term, table), votes)
        assert (change[:, ~rises[column]] <= 1e-12).all()
        assert (change[:, ~falls[column]] >= -1e-12).all()


@given(logic_values, all_votes)
def test_without_limits_everything_is_permitted(term: Expr, votes: NDArray[np.float64]) -> None:
    assert Limits.free(INPUTS, OUTPUTS).permit(term, votes, np.arange(INPUTS))


@pytest.mark.parametrize(
    ("text", "fine"),
    [
        ("0 & 1", True),
        ("0 | 2", False),
        ("1 & 0 & 2", False),
        ("0 & 3", True),
        ("2 ^ 3", False),
    ],
)
def test_columns_that_must_not_meet_do_not(text: str, fine: bool) -> None:
    pairs = np.array([[True, True, False], [True, True, True], [False, True, True]])
    free = np.ones((3, 1), bool)
    feature = np.array([0, 1, 2, 0])  # inputs 0 and 3 are two thresholds of one column
    limits = Limits(free, free, pairs)
    assert limits.permit(parse(text), np.array([1.0]), feature) is fine


def test_what_is_not_voted_for_is_not_limited() -> None:
    down = Limits(np.array([[False, True]]), np.array([[True, True]]))
    assert down.permit(parse("0"), np.array([0.0, 1.0]), np.array([0]))
    assert not down.permit(parse("0"), np.array([1.0, 0.0]), np.array([0]))
