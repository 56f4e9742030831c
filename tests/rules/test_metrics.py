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
from sklearn.metrics import r2_score
from sklearn.metrics import root_mean_squared_error as rmse_of

from crisplogic.rules.metrics import (
    best_scale,
    mean_absolute_error,
    r_squared,
    root_mean_squared_error,
    unit_of,
)
from crisplogic.rules.number_format import aligned, four_digits, six_digits
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


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.9999999, "1.000"),
        (9.9996, "10.00"),
        (123456.0, "123500"),
        (1e11, "100000000000"),
        (1.5e12, "1.5e+12"),
        (0.0001, "0.0001000"),
        (0.00001, "1e-05"),
        (-12.345, "-12.35"),
        (math.nan, "nan"),
        (math.inf, "inf"),
        (-0.0, "-0"),
    ],
)
def test_four_digits_are_shown(number: float, text: str) -> None:
    assert four_digits(number) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_is_shown_is_the_number_to_four_digits(number: float) -> None:
    assert float(four_digits(number)) == float(f"{number:.4g}")
    assert float(six_digits(number)) == float(f"{number:.6g}")


@pytest.mark.parametrize(
    ("numbers", "scale", "texts"),
    [
        ([22.5], 4.125, ["+22.500"]),
        ([0.0, -0.0], 1.0, ["+0.000", "+0.000"]),
        ([1e6, -123.0], 12345.0, ["+1000000", "   -123"]),
        ([22.5, 1e-9], 1e-9, ["+22.5", "+1e-09"]),
        ([1e90, 2.0], 2.0, ["+1e+90", "    +2"]),
    ],
)
def test_amounts_stand_below_each_other(
    numbers: list[float], scale: float, texts: list[str]
) -> None:
    assert [text.strip() for text in aligned(numbers, scale)] == [t.strip() for t in texts]
    assert len({len(text) for text in aligned(numbers, scale)}) == 1


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
