"""Smooth targets tell what rows have in common, and how deep their logic is."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from sklearn.linear_model import Ridge

from crisplogic.search.crisp.linear import LeastSquares, fit_scales, softmax_and_log_sums
from crisplogic.search.crisp.smoothing import smooth_classes, smooth_numbers

Floats = NDArray[np.float64]
ROWS = 240

pytestmark = pytest.mark.usefixtures("search_as_workers_do")


def bits(columns: int = 5) -> Floats:
    return np.random.default_rng(0).integers(0, 2, (ROWS, columns)).astype(np.float64)


def with_noise(y: NDArray[np.intp]) -> NDArray[np.intp]:
    wrong = np.random.default_rng(1).random(len(y)) < 0.1
    return np.where(wrong, 1 - y, y).astype(np.intp)


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_smooth_classes_are_probabilities(classes: int) -> None:
    X = np.random.default_rng(2).normal(size=(ROWS, 3))
    X[::7, 0] = np.nan
    y = (np.nan_to_num(X[:, 0]) > 0).astype(np.intp) + np.arange(ROWS) % (classes - 1)
    smooth = smooth_classes(X, y, classes, np.ones(ROWS), None)
    assert smooth.targets.shape == (ROWS, classes)
    assert (smooth.targets >= 0).all()
    assert smooth.targets.sum(axis=1) == pytest.approx(np.ones(ROWS))


def test_noise_is_smoothed_away() -> None:
    X = bits()
    truth = (X[:, 0] != X[:, 1]).astype(np.intp)
    smooth = smooth_classes(X, with_noise(truth), 2, np.ones(ROWS), None)
    assert (smooth.targets.argmax(axis=1) == truth).all()


def test_held_out_rows_tell_how_many_inputs_belong_together() -> None:
    X = bits()
    parity = with_noise((X[:, :3].sum(axis=1) % 2).astype(np.intp))
    either = with_noise((X[:, :2].sum(axis=1) > 0).astype(np.intp))
    assert smooth_classes(X, parity, 2, np.ones(ROWS), None).degree > 2
    assert smooth_classes(X, either, 2, np.ones(ROWS), None).degree <= 2
    assert smooth_classes(X, parity, 2, np.ones(ROWS), 1).degree <= 2
    number = parity + np.random.default_rng(3).normal(scale=0.1, size=ROWS)
    assert smooth_numbers(X, number, np.ones(ROWS), None).degree > 2


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_a_few_rows_are_smoothed_without_comparison(rows: int) -> None:
    X, y = bits()[:rows], np.arange(rows) % 2
    numbers = y.astype(np.float64)
    assert np.isfinite(smooth_classes(X, y, 2, np.ones(rows), None).targets).all()
    assert np.isfinite(smooth_numbers(X, numbers, np.ones(rows), None).targets).all()


@pytest.mark.parametrize("unit", [1e-90, 1.0, 1e90])
def test_numbers_are_smoothed_in_any_unit(unit: float) -> None:
    X = bits()
    own = smooth_numbers(X, X[:, 0] + X[:, 1], np.ones(ROWS), None).targets
    other = smooth_numbers(X, unit * (X[:, 0] + X[:, 1]), np.ones(ROWS), None).targets
    assert other / unit == pytest.approx(own, rel=1e-6)


def test_least_squares_are_those_of_a_ridge_regression() -> None:
    random = np.random.default_rng(4)
    X, y, weights = random.normal(size=(40, 3)), random.normal(size=(40, 2)), random.random(40)
    found = LeastSquares(X, y, weights).outputs([0.1, 5.0], X[:7])
    for ridge, outputs in zip([0.1, 5.0], found, strict=True):
        assert outputs == pytest.approx(Ridge(ridge).fit(X, y, weights).predict(X[:7]))


def test_scales_have_the_least_log_loss() -> None:
    random = np.random.default_rng(5)
    outputs = random.normal(size=(3, 4, 60)) * np.array([0.01, 1.0, 30.0, 0.0])[:, None]
    amounts = random.random((3, 60))
    amounts[:, :50] += outputs[:, 1, :50] > 0

    def loss(log_scale: float, model: int) -> float:
        logits = np.exp(log_scale) * outputs[:, model]
        total = (amounts.sum(axis=0) * softmax_and_log_sums(logits)[1]).sum() - (
            amounts * logits
        ).sum()
        return float(total + log_scale**2 / 2)

    for model, scale in enumerate(fit_scales(outputs, amounts)):
        best = minimize_scalar(loss, bounds=(-9, 9), args=(model,), method="bounded")
        assert loss(float(np.log(scale)), model) <= best.fun + 1e-9
