"""Metrics: as scikit-learn computes them, and beyond; and the scale of probabilities."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from sklearn.metrics import mean_absolute_error as mae_of
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.metrics import root_mean_squared_error as rmse_of

from crisplogic.rules.metrics import (
    area_under_curve,
    best_scale,
    majority_error,
    mean_absolute_error,
    mean_area_under_curve,
    r_squared,
    rmse_of_mean,
    root_mean_squared_error,
    unit_of,
)
from crisplogic.rules.scoring import softmax

Floats = NDArray[np.float64]
MEASURES = root_mean_squared_error, mean_absolute_error, r_squared


def numbers(rows: int = 50) -> tuple[Floats, Floats, Floats]:
    truth, noise = np.random.default_rng(0).normal(5, 3, (2, rows))
    return truth, truth + noise - 5, np.random.default_rng(1).integers(0, 4, rows).astype(float)


def test_errors_are_those_of_scikit_learn() -> None:
    truth, predicted, weights = numbers()
    for own, other in zip(MEASURES, (rmse_of, mae_of, r2_score), strict=True):
        assert own(truth, predicted) == pytest.approx(other(truth, predicted))
        weighed = other(truth, predicted, sample_weight=weights)
        assert own(truth, predicted, weights) == pytest.approx(weighed)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_row_of_weight_two_is_two_rows(measure: type) -> None:
    truth, predicted, weights = numbers()
    often = weights.astype(int)
    repeated = measure(truth.repeat(often), predicted.repeat(often))
    assert measure(truth, predicted, weights) == pytest.approx(repeated)


@pytest.mark.parametrize("factor", [1e-300, 1e-160, 1e160, 1e300])
def test_errors_follow_the_units_of_the_number(factor: float) -> None:
    truth, predicted, _ = numbers()
    for measure in MEASURES[:2]:
        expected = factor * measure(truth, predicted)
        assert measure(factor * truth, factor * predicted) == pytest.approx(expected, rel=1e-9)
    same = r_squared(factor * truth, factor * predicted)
    assert same == pytest.approx(r_squared(truth, predicted), rel=1e-9)


@pytest.mark.parametrize("value", [0.1, 0.0, -1e300, 5e-324])
@pytest.mark.parametrize("rows", [1, 3])
def test_of_a_constant_either_all_is_explained_or_nothing(value: float, rows: int) -> None:
    truth, weights = np.full(rows, value), np.full(rows, 0.7)
    assert r_squared(truth, truth) == r_squared(truth, truth, weights) == 1
    assert r_squared(truth, truth / 2 + 1) == r_squared(truth, truth / 2 + 1, weights) == 0


def test_rows_of_weight_zero_make_no_variance() -> None:
    truth, weights = np.array([1.0, 1.0, 5.0]), np.array([1.0, 2.0, 0.0])
    assert r_squared(truth, np.array([1.0, 1.0, 7.0]), weights) == 1


@pytest.mark.parametrize("measure", MEASURES)
def test_without_rows_nothing_is_known(measure: type) -> None:
    assert math.isnan(measure(np.empty(0), np.empty(0)))


@given(hnp.arrays(np.float64, 3, elements=st.floats(allow_nan=False, allow_infinity=False)))
def test_measured_in_the_unit_no_digit_is_lost(numbers: Floats) -> None:
    unit = unit_of(numbers)
    assert np.abs(numbers / unit).max() < 2
    large = np.abs(numbers) > 1e-280 * np.abs(numbers).max()
    assert (numbers / unit * unit)[large].tolist() == numbers[large].tolist()


# --- the best scale ---------------------------------------------------------------------------

Ints = NDArray[np.intp]

TWO_CLASSES = np.array([[1.0, -1.0], [-1.0, 1.0]] * 20)
RIGHT, WRONG = np.array([0, 1] * 20), np.array([1, 0] * 20)


def penalised_log_loss(scale: float, scores: Floats, targets: Ints) -> float:
    """What the best scale minimises, written as plainly as can be."""
    probabilities = softmax(scale * scores)[np.arange(len(targets)), targets]
    return float(np.log(scale) ** 2 / 2 - np.log(probabilities).sum())


def drawn(scale: float, rows: int = 20_000) -> tuple[Floats, Ints]:
    """Scores, and targets that follow the probabilities they have under a scale."""
    random = np.random.default_rng(0)
    scores = random.uniform(-2, 2, (rows, 3))
    beyond = softmax(scale * scores).cumsum(axis=1) > random.random((rows, 1))
    return scores, beyond.argmax(axis=1)


@pytest.mark.parametrize("scale", [0.3, 1.0, 2.5, 6.0])
def test_it_finds_the_scale_that_the_targets_were_drawn_with(scale: float) -> None:
    assert best_scale(*drawn(scale)) == pytest.approx(scale, rel=0.05)


@given(
    hnp.arrays(np.float64, (7, 3), elements=st.integers(-12, 12).map(lambda x: x / 4)),
    hnp.arrays(np.intp, 7, elements=st.integers(0, 2)),
)
@settings(max_examples=50)
def test_no_other_scale_has_a_smaller_log_loss(scores: Floats, targets: Ints) -> None:
    best = best_scale(scores, targets)
    least = penalised_log_loss(best, scores, targets)
    for other in [*np.geomspace(0.01, 100, 13), best * 0.9, best * 1.1]:
        assert least <= penalised_log_loss(other, scores, targets) + 1e-6


def test_scores_that_are_right_may_be_surer_than_scores_that_are_wrong() -> None:
    right, wrong = best_scale(TWO_CLASSES, RIGHT), best_scale(TWO_CLASSES, WRONG)
    assert 0 < wrong < 0.5
    assert 1 < right < np.inf


def test_perfect_scores_stay_finite_however_many() -> None:
    scores, targets = np.tile(TWO_CLASSES, (1000, 1)), np.tile(RIGHT, 1000)
    assert 1 < best_scale(scores, targets) < 1100
    assert best_scale(50 * scores, targets) == pytest.approx(1, abs=1e-4)  # sure as they are


def test_scores_that_say_nothing_leave_the_scale_at_one() -> None:
    assert best_scale(np.zeros((9, 4)), np.arange(9) % 4) == pytest.approx(1, abs=1e-4)
    assert best_scale(np.ones((9, 1)), np.zeros(9, dtype=np.intp)) == pytest.approx(1, abs=1e-4)
    assert best_scale(np.empty((0, 2)), np.empty(0, dtype=np.intp)) == pytest.approx(
        1, abs=1e-4
    )


def test_the_order_of_rows_does_not_matter() -> None:
    scores, targets = drawn(2.0, rows=200)
    turned = best_scale(scores[::-1], targets[::-1])
    assert best_scale(scores, targets) == pytest.approx(turned, rel=1e-6)


def test_a_row_of_some_weight_is_so_many_rows() -> None:
    scores, targets = drawn(0.7)
    weights = np.random.default_rng(1).integers(1, 5, len(targets))
    repeated = best_scale(scores.repeat(weights, axis=0), targets.repeat(weights))
    assert best_scale(scores, targets, weights.astype(float)) == pytest.approx(repeated)
    assert best_scale(scores, targets) != pytest.approx(repeated, rel=1e-6)


def test_weights_of_1_change_nothing() -> None:
    scores, targets = drawn(0.7)
    ones = np.ones(len(targets))
    assert best_scale(scores, targets, ones) == pytest.approx(best_scale(scores, targets))


# Ranking, and baselines


@given(
    hnp.arrays(np.float64, 12, elements=st.integers(-3, 3).map(float)),
    hnp.arrays(np.bool_, 12),
    hnp.arrays(np.float64, 12, elements=st.integers(0, 3).map(float)),
)
def test_the_area_under_the_curve_is_that_of_scikit_learn(
    scores: Floats, positive: NDArray[np.bool_], weights: Floats
) -> None:
    found = area_under_curve(scores, positive, weights)
    if len(set(positive[weights > 0].tolist())) < 2:
        assert math.isnan(found)
    else:
        expected = roc_auc_score(positive, scores, sample_weight=weights)
        assert found == pytest.approx(expected)


def test_a_class_without_rows_does_not_count_in_the_mean_area() -> None:
    proba = np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.6, 0.3, 0.1]])
    assert mean_area_under_curve(proba, np.array([0, 1, 0])) == 1.0
    assert math.isnan(mean_area_under_curve(proba, np.array([2, 2, 2])))


def test_baselines_are_those_of_the_most_frequent_class_and_of_the_mean() -> None:
    targets, weights = np.array([0, 0, 1]), np.array([1.0, 1.0, 3.0])
    assert majority_error(targets) == pytest.approx(1 / 3)
    assert majority_error(targets, weights) == pytest.approx(2 / 5)
    numbers = np.array([1.0, 2.0, 6.0])
    assert rmse_of_mean(numbers) == pytest.approx(numbers.std())
    assert rmse_of_mean(numbers, weights) == pytest.approx(
        np.sqrt(np.cov(numbers, aweights=weights, ddof=0))
    )
    assert rmse_of_mean(1e200 * numbers) == pytest.approx(1e200 * numbers.std())
