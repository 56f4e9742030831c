"""Outliers: numbers that would decide a squared error alone, and long tails."""

from __future__ import annotations

import numpy as np
import pytest

from crisplogic.rules.outliers import (
    asks_for_logarithm,
    count_outliers,
    describe_tail,
    is_far,
    robust_centre_and_spread,
)

RNG = np.random.default_rng(0)
GAUSSIAN = RNG.normal(50.0, 5.0, 3000)


def test_centre_and_spread_are_those_of_a_gaussian_whatever_one_number_is() -> None:
    for numbers in (GAUSSIAN, np.append(GAUSSIAN, 1e12), np.append(GAUSSIAN, -1e12)):
        centre, spread = robust_centre_and_spread(numbers)
        assert centre == pytest.approx(50, abs=0.5)
        assert spread == pytest.approx(5, rel=0.1)


def test_a_row_of_weight_two_is_two_rows() -> None:
    numbers, weights = GAUSSIAN[:200], RNG.integers(1, 4, 200)
    repeated = robust_centre_and_spread(np.repeat(numbers, weights))
    weighted = robust_centre_and_spread(numbers, weights.astype(float))
    assert weighted == pytest.approx(repeated, rel=0.02)


@pytest.mark.parametrize("outlier", [1e4, -1e4, 1e300])
def test_one_number_among_thousands_is_found(outlier: float) -> None:
    assert count_outliers(np.append(GAUSSIAN, outlier)) == 1


@pytest.mark.parametrize(
    "numbers",
    [
        GAUSSIAN,
        RNG.exponential(3.0, 3000),
        RNG.poisson(0.3, 3000).astype(float),
        RNG.uniform(size=3000) < 0.002,  # rare events: nearly all numbers are the same
        np.where(RNG.uniform(size=3000) < 0.05, RNG.exponential(100.0, 3000), 0.0),  # claims
        np.repeat([0.0, 1000.0], [2000, 1000]),
        np.full(9, 4.0),
    ],
)
def test_ordinary_numbers_have_no_outliers(numbers: np.ndarray) -> None:
    assert count_outliers(numbers.astype(float)) == 0
    assert describe_tail(numbers.astype(float)) is None


def test_numbers_that_differ_by_factors_ask_for_a_logarithm() -> None:
    assert asks_for_logarithm(np.exp(RNG.normal(3.0, 2.0, 3000)))
    assert not asks_for_logarithm(GAUSSIAN)
    assert not asks_for_logarithm(np.array([0.0, 0.0, 0.0, 0.0, 1.0, 8.0]))  # of few rows
    assert not asks_for_logarithm(-np.exp(RNG.normal(3.0, 2.0, 3000)))
    assert not asks_for_logarithm(np.append(GAUSSIAN, 1e30))  # one is far even so


def test_a_number_that_is_huge_beside_a_tiny_spread_is_far() -> None:
    numbers = np.array([0.0] * 7 + [-1.0, -2.7e-257, -1e99])
    assert is_far(numbers)[-1]
