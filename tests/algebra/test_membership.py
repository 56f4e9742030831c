"""The linear membership keeps its word on any finite column, in numpy and in torch."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from crisplogic.algebra import linear_membership

HUGE, TINY = sys.float_info.max, 5e-324
NAN, INF = float("nan"), float("inf")

finite = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    [0.0, -0.0, HUGE, -HUGE, TINY, -TINY, 1e308, -1e308]
)


def membership(values: list[float], low: float, high: float) -> list[float]:
    """One column through numpy and torch, which must give the same bits."""
    arrays = np.array(values)[:, None], np.array([low]), np.array([high])
    degrees: NDArray[Any] = linear_membership(*arrays)
    tensors = [torch.from_numpy(array) for array in arrays]
    assert degrees.tobytes() == linear_membership(*tensors).numpy().tobytes()
    return [float(degree) for degree in degrees[:, 0]]


def test_it_runs_from_false_at_the_low_end_to_true_at_the_high_end() -> None:
    assert membership([10.0, 15.0, 20.0, 25.0, 30.0], 10, 30) == [-1, -0.5, 0, 0.5, 1]


def test_values_outside_are_as_good_as_the_ends() -> None:
    assert membership([-INF, -7.0, 99.0, INF], 0, 10) == [-1, -1, 1, 1]


def test_what_is_missing_is_unknown() -> None:
    assert membership([NAN], 0, 10) == [0]


@pytest.mark.parametrize("value", [0.0, -0.0, 3.0, HUGE, -HUGE, TINY])
def test_a_column_that_never_varied_is_unknown(value: float) -> None:
    assert membership([value, 1.0, -INF, INF, NAN], value, value) == [0] * 5


def test_a_range_wider_than_the_largest_float_does_not_overflow() -> None:
    assert membership([-HUGE, 0.0, HUGE], -HUGE, HUGE) == [-1, 0, 1]
    assert membership([1e308, -1e308], -1e308, 1e308) == [1, -1]


def test_between_minus_one_and_one_it_is_the_identity() -> None:
    values = np.linspace(-1, 1, 99).tolist()
    assert membership(values, -1, 1) == values


@given(st.lists(finite | st.sampled_from([NAN, INF, -INF]), min_size=1), finite, finite)
def test_every_column_gives_logic_values(values: list[float], low: float, high: float) -> None:
    low, high = min(low, high), max(low, high)
    assert all(-1 <= degree <= 1 for degree in membership(values, low, high))


@given(finite, finite, finite, finite)
def test_it_never_falls(x: float, y: float, low: float, high: float) -> None:
    low, high = min(low, high), max(low, high)
    lower, higher = membership([min(x, y), max(x, y)], low, high)
    assert lower <= higher


@given(finite, finite)
def test_the_ends_are_reached_unless_mere_rounding_lies_between(
    low: float, high: float
) -> None:
    assume(high / 2 - low / 2 > 1e6 * math.ulp(max(abs(low), abs(high))))
    assert membership([low, high], low, high) == pytest.approx([-1, 1], abs=1e-6)


def test_columns_have_each_their_own_range() -> None:
    table = np.array([[0.0, 0.0], [5.0, 5.0]])
    degrees = linear_membership(table, np.array([0.0, -5.0]), np.array([10.0, 5.0]))
    assert degrees.tolist() == [[-1, 0], [0, 1]]


def test_the_table_is_left_as_it_was() -> None:
    table = np.array([[NAN], [3.0]])
    linear_membership(table, np.array([0.0]), np.array([2.0]))
    np.testing.assert_array_equal(table, [[NAN], [3.0]])
