"""Losses: their values and derivatives, checked by hand and by finite differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from crisplogic.rules.scoring import softmax
from crisplogic.search.losses import PRIOR_WEIGHT
from crisplogic.search.tasks import Regression
from crisplogic.search.training_set import TrainingSet
from tests.search.drafts import a_sample, numbers, weighed

Floats = NDArray[np.float64]


# --- log loss ------------


def some_logits(data: TrainingSet, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).normal(size=(data.n_outputs, len(data))) * 3


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_it_is_the_mean_log_loss_and_a_prior_on_large_logits(classes: int) -> None:
    data = a_sample(rows=9, classes=classes)
    logits = some_logits(data)
    expected = 0.0
    for row, target in zip(logits.T, data.y, strict=True):
        expected -= np.log(np.exp(row[target]) / np.exp(row).sum()) / 9
        expected += PRIOR_WEIGHT / 2 * ((row - row.mean()) ** 2).sum() / 9 / 9
    assert float(data.loss(logits)) == pytest.approx(expected)


@pytest.mark.parametrize("classes", [2, 4])
def test_its_gradient_is_that_of_finite_differences(classes: int) -> None:
    data = a_sample(rows=7, classes=classes)
    logits = some_logits(data)
    gradient, shares = data.loss.gradient(logits), softmax(logits, axis=-2)
    step = 1e-6
    expected = np.empty_like(logits)
    for place in np.ndindex(*logits.shape):
        aside = np.zeros_like(logits)
        aside[place] = step
        rise = data.loss(logits + aside) - data.loss(logits - aside)
        expected[place] = rise / (2 * step)
    np.testing.assert_allclose(gradient, expected, atol=1e-9)
    np.testing.assert_allclose(shares, np.exp(logits) / np.exp(logits).sum(axis=0))


def test_several_sets_of_logits_have_the_losses_of_each_alone() -> None:
    data = a_sample(rows=6, classes=3)
    several = np.stack([some_logits(data, seed) for seed in range(4)])
    each = [float(data.loss(logits)) for logits in several]
    np.testing.assert_allclose(data.loss(several), each)


def test_a_shift_of_all_classes_changes_nothing() -> None:
    data = a_sample(rows=6, classes=3)
    logits = some_logits(data)
    assert float(data.loss(logits + 9.0)) == pytest.approx(float(data.loss(logits)))


def test_certainty_never_comes_for_free() -> None:
    data = a_sample(rows=6, classes=2)
    right = np.where(np.arange(2)[:, None] == data.y, 1.0, -1.0)
    worth = [float(data.loss(scale * right)) for scale in (0.0, 1.0, 100.0, 1e6)]
    assert np.isfinite(worth).all()
    assert worth[0] > worth[1] < worth[2] < worth[3]


# --- Gaussian loss ------------


def test_it_is_half_the_logarithm_of_the_mean_square_in_the_unit_of_the_numbers() -> None:
    data = numbers(rows=9)
    logits = data.y + np.random.default_rng(1).normal(size=(1, 9))
    variance = data.y.var()
    square = np.square(logits[0] - data.y).mean() / variance
    assert float(data.loss(logits)) == pytest.approx(np.log(square + PRIOR_WEIGHT / 9) / 2)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_gradient_of_a_number_is_that_of_finite_differences(weighted: bool) -> None:
    data = weighed(numbers(rows=7)) if weighted else numbers(rows=7)
    logits = data.y + np.random.default_rng(1).normal(size=(1, 7))
    expected = np.empty_like(logits)
    for place in np.ndindex(*logits.shape):
        aside = np.zeros_like(logits)
        aside[place] = 1e-5 * data.loss.spread
        rise = data.loss(logits + aside) - data.loss(logits - aside)
        expected[place] = rise / 2e-5
    np.testing.assert_allclose(data.loss.gradient(logits), expected, rtol=1e-5, atol=1e-8)


def test_the_hessian_diagonal_tells_how_a_small_step_of_all_rows_changes_the_gradient() -> None:
    """Around the best numbers there are, where the size of the distances does not change."""
    data = numbers(rows=30)
    logits = data.y[None] + np.random.default_rng(1).normal(size=(1, 30))
    logits -= (logits - data.y).mean()
    change = (
        data.loss.gradient(logits + 1e-6 * data.loss.spread) - data.loss.gradient(logits)
    ).sum()
    assert change / 1e-6 == pytest.approx(data.loss.hessian_diagonal(logits).sum(), rel=1e-4)


def test_several_predictions_have_the_losses_of_each_alone() -> None:
    data = numbers(rows=12)
    logits = np.random.default_rng(1).normal(20, 3, size=(5, 1, 12))
    assert data.loss(logits).tolist() == [float(data.loss(each)) for each in logits]


# --- Huber loss ------------


def robust(data: TrainingSet) -> TrainingSet:
    return replace(data, task=Regression(robust=True))


def with_outlier(data: TrainingSet, number: float = 1e9) -> TrainingSet:
    y = data.y.copy()
    y[3] = number
    return replace(data, y=y)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_gradient_of_a_robust_loss_is_that_of_finite_differences(weighted: bool) -> None:
    data = with_outlier(robust(weighed(numbers(rows=9)) if weighted else numbers(rows=9)))
    logits = numbers(rows=9).y + 3 * np.random.default_rng(1).normal(size=(1, 9))
    expected = np.empty_like(logits)
    for place in np.ndindex(*logits.shape):
        aside = np.zeros_like(logits)
        aside[place] = 1e-6 * data.loss.spread
        rise = data.loss(logits + aside) - data.loss(logits - aside)
        expected[place] = rise / 2e-6
    np.testing.assert_allclose(data.loss.gradient(logits), expected, rtol=1e-4, atol=1e-7)


def test_an_outlier_moves_neither_the_unit_nor_the_fit_of_a_robust_loss() -> None:
    data = robust(numbers(rows=200))
    sums = (data.y[None] - data.y.mean()) / data.y.std()
    start = np.array([data.loss.centre]), data.loss.spread
    bias, scale = data.loss.fit_bias_and_scale(sums, *start, False, 8)
    for outlier in (1e5, 1e12, -1e30):
        loss = with_outlier(data, outlier).loss
        assert loss.spread == pytest.approx(data.loss.spread, rel=0.1)
        moved, stretched = loss.fit_bias_and_scale(sums, *start, False, 8)
        assert moved == pytest.approx(bias, abs=0.05 * scale)
        assert stretched == pytest.approx(scale, rel=0.05)
        assert loss.fit_constant(1.0)[0] == pytest.approx(
            data.loss.fit_constant(1.0)[0], abs=0.1 * data.loss.spread
        )


def test_an_outlier_does_not_hide_what_other_rows_gain() -> None:
    data = robust(numbers(rows=200))
    right, unsure = data.y[None], np.full((1, 200), data.y.mean())
    gain = float(data.loss(unsure) - data.loss(right))
    clipped = with_outlier(data, 1e12).loss
    assert float(clipped(unsure) - clipped(right)) > gain / 4
