"""Linear models with a penalty on squared coefficients: least squares, and log loss.

Both are convex: they have one solution, which does not depend on where one starts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import minimize

Floats = NDArray[np.float64]

MOST_STEPS = 300
# Steps of Newton's method to a scale, where they start, what they come near, and how far one
# goes.
SCALE_STEPS, START_SCALE, NEAR, FAR = 30, 3.0, 1e-5, 1.0
# How exact a solution is, by the steepest slope that is left.
EXACT = 1e-7


class Solution(NamedTuple):
    """Coefficients and biases of outputs. Shape: (outputs, features) and (outputs,)."""

    coefficients: Floats
    bias: Floats

    def outputs(self, features: Floats) -> Floats:
        """Shape: (rows, features) to (outputs, rows)."""
        return np.asarray(self.coefficients @ features.T + self.bias[:, None])


class LinearModel:
    """A model of some rows. Shape: ``features`` (rows, features), ``targets`` (rows, outputs).

    Features are centred, and ``products`` are sums over rows of their products.
    """

    def __init__(self, features: Floats, targets: Floats, weights: Floats) -> None:
        self.share = weights / weights.sum()
        self.centre = self.share @ features
        self.centred = features - self.centre
        self.targets, self.weights = targets.T, weights
        scaled = self.centred * np.sqrt(weights)[:, None]
        self.products = scaled.T @ scaled  # BLAS computes half of a product with itself

    def at_centre(self, coefficients: Floats, bias: Floats) -> Solution:
        """From a bias at the centre of the features to one at 0."""
        return Solution(coefficients, bias - coefficients @ self.centre)


class LeastSquares(LinearModel):
    """Any targets, by their squared errors, in closed form."""

    def outputs(self, ridges: Sequence[float], features: Floats) -> Floats:
        """What is predicted for other rows, with each penalty.

        Shape: (rows, features) to (ridges, rows, outputs).

        >>> model = LeastSquares(np.array([[0.0], [1.0]]), np.array([[0.0], [2.0]]), np.ones(2))
        >>> model.outputs([0.0, 0.5], np.array([[1.0]])).ravel().tolist()
        [2.0, 1.5]
        """
        mean = self.targets @ self.share
        wanted = ((self.targets - mean[:, None]) * self.weights) @ self.centred
        penalties = np.array(ridges)[:, None, None] * np.eye(len(self.products))
        coefficients = np.linalg.solve(self.products + penalties, wanted.T)
        found: Floats = (features - self.centre) @ coefficients + mean
        return found


class SoftmaxRegression(LinearModel):
    """Probabilities of classes, by their log loss."""

    def fit(self, ridge: float, exact: float = EXACT) -> Solution:
        """The solution with a penalty of ``ridge`` halves of the squared coefficients.

        Coordinates are scaled by a bound of the curvature, so that few steps lead to the
        solution.
        """
        classes, root = len(self.targets), np.sqrt(self.weights.sum())
        upper = cholesky(self.products / 4 + ridge * np.eye(len(self.products)))
        scaled = solve_triangular(upper, np.eye(len(upper)))
        prior = np.log(np.maximum(self.targets @ self.share, 1e-9))

        def unscale(flat: Floats) -> tuple[Floats, Floats]:
            coefficients = flat[classes:].reshape(classes, -1) @ scaled.T
            return coefficients, flat[:classes] / root + prior

        # The targets enter the loss and its gradient as these sums over rows alone.
        weighted = self.targets * self.weights
        wanted, totals = weighted @ self.centred, weighted.sum(axis=1)

        def value(flat: Floats) -> tuple[float, Floats]:
            coefficients, bias = unscale(flat)
            logits = coefficients @ self.centred.T
            logits += bias[:, None]
            shares, logs = softmax_and_log_sums(logits)
            loss = float(self.weights @ logs) - float((coefficients * wanted).sum())
            loss += ridge * float(np.square(coefficients).sum()) / 2 - float(bias @ totals)
            shares *= self.weights
            by_feature = shares @ self.centred - wanted + ridge * coefficients
            by_bias = (shares.sum(axis=1) - totals) / root
            return loss, np.concatenate([by_bias, (by_feature @ scaled).ravel()])

        start = np.zeros(classes * (1 + len(upper)))
        options = {"maxiter": MOST_STEPS, "gtol": exact * root, "ftol": 1e-15, "maxcor": 20}
        found = minimize(value, start, jac=True, method="L-BFGS-B", options=options).x
        return self.at_centre(*unscale(found))


def fit_scales(outputs: Floats, amounts: Floats) -> Floats:
    """The scales under which the softmax of outputs has the least log loss.

    A weak prior, a standard normal on the logarithm of a scale, keeps it finite where outputs
    part the classes. Newton's method finds that logarithm for many models at once.

    Shape: ``outputs`` (classes, models, rows), ``amounts`` of the classes in the rows
    (classes, rows); returns (models,).

    >>> sure, alike = np.array([[1.0, 0.0], [0.0, 1.0]]), np.zeros((2, 2))
    >>> fit_scales(np.stack([sure, alike], axis=1), np.eye(2)).round(2).tolist()
    [1.69, 1.0]
    """
    weights = amounts.sum(axis=0)
    right = np.einsum("cr,cmr->m", amounts, outputs)
    log_scale = np.full(outputs.shape[1], np.log(START_SCALE))
    for _ in range(SCALE_STEPS):
        scale = np.exp(log_scale)
        shares, _ = softmax_and_log_sums(scale[:, None] * outputs)
        mean = np.einsum("cmr,cmr->mr", shares, outputs)
        shares *= outputs
        variance = np.maximum(np.einsum("cmr,cmr->mr", shares, outputs) - mean**2, 0.0)
        slope = scale * (mean @ weights - right) + log_scale
        change = slope / (
            scale**2 * (variance @ weights) + np.maximum(slope - log_scale, 0) + 1
        )
        log_scale = log_scale - change.clip(-FAR, FAR)
        if float(np.abs(change).max(initial=0.0)) < NEAR:
            break
    return np.asarray(np.exp(log_scale))


def softmax_and_log_sums(logits: Floats) -> tuple[Floats, Floats]:
    """Probabilities, and the logarithms of the sums of exponentials.

    Shape: (outputs, ...) to the same and (...).

    >>> [each.round(6).tolist() for each in softmax_and_log_sums(np.zeros((2, 1)))]
    [[[0.5], [0.5]], [0.693147]]
    """
    top = logits.max(axis=0)
    shares = logits - top
    np.exp(shares, out=shares)
    total = shares.sum(axis=0)
    shares /= total
    return shares, np.log(total) + top
