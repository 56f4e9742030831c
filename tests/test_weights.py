"""Weights of rows: what is refused, and how weights are normalized."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisplogic.errors import TableError
from crisplogic.weights import MIN_SHARE, normalize_weights, weights_of_rows

LABELS = np.array(["no", "yes", "no", "no"])
TARGETS = np.array([0, 1, 0, 0])

amounts = st.floats(1e-6, 1e6)


# --- what is given ----------------------------------------------------------------------------


def test_without_weights_there_are_none() -> None:
    assert weights_of_rows(None, None, LABELS) is None
    assert weights_of_rows(None, "balanced", LABELS) is None
    assert normalize_weights(None, TARGETS) is None


@pytest.mark.parametrize(
    "given_as",
    [
        [1, 0, 2, 3],
        (1.0, 0.0, 2.0, 3.0),
        np.array([1, 0, 2, 3], dtype=np.uint8),
        np.array([1, 0, 2, 3], dtype=object),
        np.array([1, 0, 2, 3], dtype=np.float16),
        pd.Series([1, 0, 2, 3], index=[7, 7, 1, 0]),
        pd.Series([1, 0, 2, 3], dtype="Int64"),
    ],
)
def test_weights_of_any_type_are_the_same_weights(given_as: Any) -> None:
    weights = weights_of_rows(given_as, None, LABELS)
    assert weights is not None
    assert weights.dtype == np.float64
    assert weights.tolist() == [1, 0, 2, 3]


def test_truth_values_choose_rows() -> None:
    weights = weights_of_rows(LABELS == "no", None, LABELS)
    assert weights is not None
    assert weights.tolist() == [1, 0, 1, 1]


def test_weights_of_rows_and_of_classes_are_multiplied() -> None:
    weights = weights_of_rows([1, 1, 2, 4], {"no": 3, "yes": 6}, LABELS)
    assert weights is not None
    np.testing.assert_allclose(weights / weights[0], [1, 2, 2, 4])


def test_products_of_huge_weights_are_numbers() -> None:
    weights = weights_of_rows([1e300, 1e300, 1e299, 0], {"no": 1e300, "yes": 1e300}, LABELS)
    assert weights is not None
    np.testing.assert_allclose(weights, [1, 1, 0.1, 0])


REFUSED: dict[str, tuple[Any, str]] = {
    "too few": ([1, 2, 3], r"one number a row, 4 in all, got an array of shape \(3,\)"),
    "too many": (np.ones(5), r"one number a row, 4 in all, got an array of shape \(5,\)"),
    "a matrix": (np.ones((4, 2)), r"got an array of shape \(4, 2\)"),
    "a number": (2.0, r"got an array of shape \(\)"),
    "negative": (
        [1, 2, -3, 1],
        r"each a finite number, 0 .* got -3 in row 2 .*weight of 0",
    ),
    "nan": ([1, math.nan, 1, 1], "got nan in row 1 "),
    "infinite": ([1, 2, 3, math.inf], "got inf in row 3 "),
    "missing": ([1, None, 1, 1], "got nan in row 1 "),
    "pandas' NA": (pd.Series([1, pd.NA, 1, 1], dtype="Int64"), "got nan in row 1 "),
    "text": (["a", "b", "c", "d"], "got something that is not a number"),
    "complex": (np.ones(4) * 1j, "got something that is not a number"),
    "all zero": (np.zeros(4), "got a weight of zero for all 4; leave sample_weight out"),
}


@pytest.mark.parametrize(("wrong", "says"), REFUSED.values(), ids=REFUSED)
def test_weights_that_are_none_are_refused_with_advice(wrong: Any, says: str) -> None:
    with pytest.raises(TableError, match=says):
        weights_of_rows(wrong, None, LABELS)


@pytest.mark.parametrize(
    ("class_weight", "says"),
    [
        (
            {"no": 1},
            r"name every class.*\['no', 'yes'\], got \['no'\].*missing .*\['yes'\]",
        ),
        ({"no": 1, "yes": 2, "maybe": 3}, r"unknown are \['maybe'\]"),
        ({"no": 1, "Yes": 2}, r"missing are \['yes'\], unknown are \['Yes'\]"),
        ({}, r"missing are \['no', 'yes'\]"),
    ],
)
def test_weights_of_other_classes_are_refused_with_advice(
    class_weight: dict[str, float], says: str
) -> None:
    with pytest.raises(TableError, match=says):
        weights_of_rows(None, class_weight, LABELS)


@pytest.mark.parametrize("weight", [-1, math.nan, math.inf, "2", None])
def test_a_class_cannot_have_such_a_weight(weight: Any) -> None:
    with pytest.raises(ValueError, match=r"^class_weight\['yes'\] must be a finite number, 0"):
        weights_of_rows(None, {"no": 1, "yes": weight}, LABELS)


def test_classes_are_found_by_their_value_whatever_their_type() -> None:
    weights = weights_of_rows(None, {0: 1, 1.0: 3}, np.array([0, 1, 1], dtype=np.int8))
    assert weights is not None
    assert weights.tolist() == [1, 3, 3]


# --- normalized -------------------------------------------------------------------------------


@given(st.lists(amounts, min_size=4, max_size=4), amounts)
def test_the_mean_is_1_and_a_factor_changes_nothing(
    weights: list[float], factor: float
) -> None:
    one = normalize_weights(np.array(weights), TARGETS)
    other = normalize_weights(factor * np.array(weights), TARGETS)
    if one is None:
        assert np.ptp(weights) <= 1e-6 * max(weights)
        return
    assert one.mean() == pytest.approx(1.0)
    np.testing.assert_allclose(one / one.max(), np.array(weights) / max(weights), rtol=1e-6)
    assert other is not None
    np.testing.assert_allclose(one, other, rtol=1e-6)


@pytest.mark.parametrize("weight", [1.0, 0.1, 7, 1e-300, 1e300])
def test_weights_that_are_all_alike_are_none(weight: float) -> None:
    assert normalize_weights(np.full(4, weight), TARGETS) is None


def test_balanced_classes_count_the_same_by_what_their_rows_count() -> None:
    for given_weights in (None, np.array([1.0, 5.0, 2.0, 4.0])):
        weights = normalize_weights(given_weights, TARGETS, balanced=True)
        assert weights is not None
        assert weights[TARGETS == 0].sum() == pytest.approx(weights[TARGETS == 1].sum())
    assert weights is not None
    np.testing.assert_allclose(weights[[0, 2, 3]] / weights[0], [1, 2, 4], rtol=1e-6)


def test_balanced_is_what_scikit_learn_means_by_it() -> None:
    weights = normalize_weights(None, TARGETS, balanced=True)
    assert weights is not None
    np.testing.assert_allclose(weights, 4 / (2 * np.array([3, 1]))[TARGETS], rtol=1e-6)


def test_balanced_weights_of_classes_of_the_same_size_are_none() -> None:
    assert normalize_weights(None, np.array([0, 1, 1, 0]), balanced=True) is None


def test_no_row_that_counts_is_lost_however_faint() -> None:
    weights = normalize_weights(np.array([1.0, 1e-300, 1.0, 1e-5]), TARGETS)
    assert weights is not None
    assert weights.min() == pytest.approx(1.5 * MIN_SHARE, rel=1e-3)


def test_weights_that_are_given_are_not_changed() -> None:
    weights = np.array([4.0, 1.0, 2.0, 9.0])
    normalize_weights(weights, TARGETS, balanced=True)
    weights_of_rows(weights, {"no": 2, "yes": 3}, LABELS)
    assert weights.tolist() == [4, 1, 2, 9]
