"""Membership: degrees and readings in a column's own units."""

from __future__ import annotations

import copy
import pickle
import sys
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from crisplogic.errors import CrisplogicError, RuleError
from crisplogic.rules import Membership
from rules.rule_sets import INF, NAN

GLUCOSE = Membership(feature=1, low=50.0, high=150.0)
HUGE = sys.float_info.max


def degrees(membership: Membership, values: list[float]) -> list[float]:
    """The degrees of rows that hold the values in the membership's column, NaN elsewhere."""
    table = np.full((len(values), membership.feature + 2), NAN)
    table[:, membership.feature] = values
    return [float(degree) for degree in membership.degree(table)]


def test_it_runs_from_false_at_low_to_true_at_high() -> None:
    assert degrees(GLUCOSE, [50.0, 75.0, 100.0, 125.0, 150.0]) == [-1, -0.5, 0, 0.5, 1]


def test_beyond_the_ends_nothing_is_more_than_false_or_true() -> None:
    assert degrees(GLUCOSE, [-INF, -HUGE, 49.9, 151.0, HUGE, INF]) == [-1, -1, -1, 1, 1, 1]


def test_a_missing_value_is_unknown() -> None:
    assert degrees(GLUCOSE, [NAN]) == [0]


def test_a_column_that_never_varied_is_unknown_whatever_comes() -> None:
    constant = Membership(0, 7.0, 7.0)
    assert degrees(constant, [7.0, 6.0, 8.0, NAN, INF]) == [0] * 5


def test_no_rows_give_no_degrees() -> None:
    assert degrees(GLUCOSE, []) == []


def test_the_table_is_left_as_it_was() -> None:
    table = np.array([[1.0, NAN], [2.0, 900.0]])
    before = table.copy()
    GLUCOSE.degree(table)
    np.testing.assert_array_equal(table, before)


@pytest.mark.parametrize(
    ("low", "high", "reading"),
    [
        (50.0, 150.0, "is high: false at 50, unknown at 100, true at 150"),
        (-0.5, 0.25, "is high: false at -0.5, unknown at -0.125, true at 0.25"),
        (-HUGE, HUGE, "is high: false at -1.79769e+308, unknown at 0, true at 1.79769e+308"),
        (HUGE / 2, HUGE, "is high: false at 8.98847e+307, unknown at 1.34827e+308, "),
        (3.0, 3.0, "never varied (always 3): unknown"),
    ],
)
def test_a_reading_speaks_in_the_columns_units(low: float, high: float, reading: str) -> None:
    assert Membership(0, low, high).reading().startswith(reading)


@pytest.mark.parametrize(
    ("low", "high"), [(2.0, 1.0), (NAN, 1.0), (0.0, NAN), (-INF, 0.0), (0.0, INF), (NAN, NAN)]
)
def test_ends_out_of_order_or_not_finite_are_refused(low: float, high: float) -> None:
    with pytest.raises(RuleError, match="two finite numbers with low <= high") as error:
        Membership(0, low, high)
    assert f"low = {low} and high = {high}" in str(error.value)
    assert isinstance(error.value, ValueError)
    assert isinstance(error.value, CrisplogicError)


def test_it_is_a_value_that_cannot_change() -> None:
    assert Membership(1, 50.0, 150.0) == GLUCOSE != Membership(0, 50.0, 150.0)
    assert len({GLUCOSE, Membership(1, 50.0, 150.0)}) == 1
    assert pickle.loads(pickle.dumps(GLUCOSE)) == copy.deepcopy(GLUCOSE) == GLUCOSE
    with pytest.raises(FrozenInstanceError):
        GLUCOSE.low = 0.0  # type: ignore[misc]
