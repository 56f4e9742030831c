"""Metrics of predictions: errors, the area under the ROC curve, the Brier score, baselines."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def unit_of(*numbers: Floats) -> float:
    """A power of two about as large as the largest of these numbers; 1 if there is none.

    In this unit no square overflows or underflows, and no digit is lost.

    >>> unit_of(np.array([3.0, -5.0]), np.array([0.5])), unit_of(np.array([]))
    (4.0, 1.0)
    """
    largest = max((float(np.abs(each).max(initial=0.0)) for each in numbers), default=0.0)
    return math.ldexp(1.0, math.frexp(largest)[1] - 1) if largest else 1.0


def root_mean_squared_error(
    truth: Floats, predicted: Floats, weights: Floats | None = None
) -> float:
    """The root mean squared error; a row of weight 2 is two rows. NaN without rows.

    Shape: (rows,) each.

    >>> root_mean_squared_error(np.array([1.0, 2.0]), np.array([2.0, 9.0]))
    5.0
    """
    unit = unit_of(truth, predicted)
    return unit * math.sqrt(_mean((truth / unit - predicted / unit) ** 2, weights))


def mean_absolute_error(
    truth: Floats, predicted: Floats, weights: Floats | None = None
) -> float:
    """The mean absolute error; a row of weight 2 is two rows. NaN without rows.

    Shape: (rows,) each.

    >>> mean_absolute_error(np.array([1.0, 2.0]), np.array([4.0, -2.0]))
    3.5
    """
    unit = unit_of(truth, predicted)
    return unit * _mean(np.abs(truth / unit - predicted / unit), weights)


def r_squared(truth: Floats, predicted: Floats, weights: Floats | None = None) -> float:
    """The share of the variance that is explained; 0 is what the mean explains.

    If all rows have the same number, it is 1 where that is predicted and 0 otherwise, as in
    scikit-learn. A row of weight 2 is two rows. NaN without rows. Shape: (rows,) each.

    >>> r_squared(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0]))
    0.5
    >>> r_squared(np.array([2.0, 2.0]), np.array([2.0, 2.0]))
    1.0
    """
    unit = unit_of(truth, predicted)
    truth, predicted = truth / unit, predicted / unit
    left = _mean((truth - predicted) ** 2, weights)
    counted = truth if weights is None else truth[weights > 0]
    alike = len(counted) and counted.min() == counted.max()  # the mean of equals may be another
    variance = 0.0 if alike else _mean((truth - _mean(truth, weights)) ** 2, weights)
    return 1 - left / variance if variance else float(left == 0)


def _mean(values: Floats, weights: Floats | None) -> float:
    return float(np.average(values, weights=weights)) if len(values) else math.nan


def majority_error(targets: NDArray[np.intp], weights: Floats | None = None) -> float:
    """The error rate of always predicting the most frequent class. NaN without rows.

    Shape: (rows,) each.

    >>> majority_error(np.array([0, 2, 2, 2]))
    0.25
    """
    counts = np.bincount(targets, weights)
    return float(1 - counts.max() / counts.sum()) if len(targets) else math.nan


def rmse_of_mean(truth: Floats, weights: Floats | None = None) -> float:
    """The root mean squared error of always predicting the mean. NaN without rows.

    Shape: (rows,) each.

    >>> rmse_of_mean(np.array([1.0, 3.0]))
    1.0
    """
    unit = unit_of(truth)
    mean = unit * _mean(truth / unit, weights)
    return root_mean_squared_error(truth, np.full(len(truth), mean), weights)


def area_under_curve(
    scores: Floats, positive: NDArray[np.bool_], weights: Floats | None = None
) -> float:
    """The area under the ROC curve: how often a positive row has the greater score.

    It is 0.5 for guessing and 1 for a perfect ranking; equal scores count half. A row of weight
    2 is two rows. NaN if all rows are positive, or none is. Shape: (rows,) each.

    >>> area_under_curve(np.array([1.0, 2.0, 2.0, 3.0]), np.array([False, False, True, True]))
    0.875
    """
    each = np.ones(len(scores)) if weights is None else weights
    _, ranks = np.unique(scores, return_inverse=True)
    wins = np.bincount(ranks, each * positive)
    losses = np.bincount(ranks, each * ~positive)
    pairs = wins.sum() * losses.sum()
    below = np.cumsum(losses) - losses / 2
    return float(wins @ below / pairs) if pairs else math.nan


def mean_area_under_curve(
    probabilities: Floats, targets: NDArray[np.intp], weights: Floats | None = None
) -> float:
    """The mean over classes of the area under the curve of one class against the rest.

    For two classes both are the same. Classes without rows are left out; NaN if none is left.

    Shape: ``probabilities`` (rows, classes), ``targets`` and ``weights`` (rows,).

    >>> mean_area_under_curve(np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([0, 1]))
    1.0
    """
    areas = [
        area_under_curve(column, targets == label, weights)
        for label, column in enumerate(probabilities.T)
    ]
    known = [area for area in areas if math.isfinite(area)]
    return float(np.mean(known)) if known else math.nan


def best_scale(
    scores: Floats, targets: NDArray[np.intp], weights: Floats | None = None
) -> float:
    """The scale under which the softmax of the scores has the smallest log loss.

    A weak prior (a standard normal on the logarithm of the scale) keeps the scale finite where
    the scores separate the classes perfectly. A row of weight 2 is two rows.

    Shape: ``scores`` (rows, classes), ``targets`` and ``weights`` (rows,).

    >>> sure = best_scale(np.array([[1.0, -1.0], [-1.0, 1.0]] * 20), np.array([0, 1] * 20))
    >>> guessing = best_scale(np.array([[1.0, -1.0], [-1.0, 1.0]] * 20), np.array([0, 0] * 20))
    >>> sure > 1.0 > guessing
    True
    """
    from scipy.optimize import minimize_scalar  # see brier
    from scipy.special import log_softmax

    def loss(log_scale: float) -> float:
        logs = log_softmax(np.exp(log_scale) * scores, axis=1)
        right = logs[np.arange(len(targets)), targets]
        total = right.sum() if weights is None else right @ weights
        return float(-total + log_scale**2 / 2)

    return float(np.exp(minimize_scalar(loss, bounds=(-7.0, 7.0)).x))


def log_losses(logits: Floats, targets: NDArray[np.intp]) -> Floats:
    """The log loss of every row. Shape: ``logits`` (classes, rows); returns (rows,).

    >>> log_losses(np.zeros((2, 1)), np.array([1])).round(6).tolist()
    [0.693147]
    """
    from scipy.special import logsumexp  # takes long to load, and predicting does not need it

    losses: Floats = logsumexp(logits, axis=0) - logits[targets, np.arange(len(targets))]
    return losses


def brier(logits: Floats, targets: NDArray[np.intp]) -> Floats:
    """The Brier score of every row: squared distances between probabilities and truth.

    It is at most 2, for a wrong class of probability 1. Shape: ``logits`` (classes, rows);
    returns (rows,).

    >>> brier(np.array([[0.0, 50.0], [0.0, -50.0]]), np.array([0, 1])).round(9).tolist()
    [0.5, 2.0]
    """
    from scipy.special import softmax  # takes long to load, and predicting does not need it

    shares: Floats = softmax(logits, axis=0)
    shares[targets, np.arange(len(targets))] -= 1.0
    distances: Floats = np.square(shares).sum(axis=0)
    return distances
