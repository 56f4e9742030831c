"""Linear models with a penalty on squared coefficients, for numbers and for classes.

Both are convex: they have one solution, which does not depend on where one starts. What does
not depend on the penalty is computed once, for all penalties that are tried.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import minimize

Floats = NDArray[np.float64]

MOST_STEPS = 300
# How exact a solution is, by the steepest slope that is left.
EXACT, ROUGH = 1e-7, 1e-3


class Solution(NamedTuple):
    """Coefficients and biases of outputs. Shape: (outputs, features) and (outputs,)."""

    coefficients: Floats
    bias: Floats

    def outputs(self, features: Floats) -> Floats:
        """Shape: (rows, features) to (outputs, rows)."""
        return np.asarray(self.coefficients @ features.T + self.bias[:, None])


class LinearModel(ABC):
    """A model of some rows. Shape: ``features`` (rows, features), ``targets`` (rows, outputs).

    Features are centred, and ``products`` are sums over rows of their products.
    """

    def __init__(self, features: Floats, targets: Floats, weights: Floats) -> None:
        self.share = weights / weights.sum()
        self.centre = self.share @ features
        self.centred = features - self.centre
        self.targets, self.weights = targets.T, weights
        self.products = (self.centred * weights[:, None]).T @ self.centred

    @abstractmethod
    def fit(self, ridge: float, exact: float = EXACT) -> Solution:
        """The solution with a penalty of ``ridge`` halves of the squared coefficients."""

    @staticmethod
    @abstractmethod
    def predict(outputs: Floats) -> Floats:
        """What outputs predict. Shape: (outputs, rows) to the same."""

    @staticmethod
    @abstractmethod
    def losses(targets: Floats, predicted: Floats) -> Floats:
        """The loss of every row. Shape: (outputs, rows) each, to (rows,)."""

    def penalized(self, products: Floats, ridge: float) -> Floats:
        """Products with a penalty on the diagonal. Shape: (features, features)."""
        found = products.copy()
        found[np.diag_indices_from(found)] += ridge
        return found

    def at_centre(self, coefficients: Floats, bias: Floats) -> Solution:
        """From a bias at the centre of the features to one at 0."""
        return Solution(coefficients, bias - coefficients @ self.centre)


class LeastSquares(LinearModel):
    """Numbers, by their squared errors."""

    def fit(self, ridge: float, exact: float = EXACT) -> Solution:
        """In closed form."""
        mean = self.targets @ self.share
        wanted = ((self.targets - mean[:, None]) * self.weights) @ self.centred
        found = np.linalg.solve(self.penalized(self.products, ridge), wanted.T)
        return self.at_centre(found.T, mean)

    @staticmethod
    def predict(outputs: Floats) -> Floats:
        """The numbers themselves."""
        return outputs

    @staticmethod
    def losses(targets: Floats, predicted: Floats) -> Floats:
        """Squared errors."""
        return np.asarray(np.square(targets - predicted).sum(axis=0))


class SoftmaxRegression(LinearModel):
    """Probabilities of classes, by their log loss."""

    def fit(self, ridge: float, exact: float = EXACT) -> Solution:
        """By L-BFGS.

        Coordinates are scaled by a bound of the curvature, so that few steps lead to the
        solution.
        """
        classes, root = len(self.targets), np.sqrt(self.weights.sum())
        upper = cholesky(self.penalized(self.products / 4, ridge))
        scaled = solve_triangular(upper, np.eye(len(upper)))
        prior = np.log(np.maximum(self.targets @ self.share, 1e-9))

        def unscale(flat: Floats) -> tuple[Floats, Floats]:
            coefficients = flat[classes:].reshape(classes, -1) @ scaled.T
            return coefficients, flat[:classes] / root + prior

        def value(flat: Floats) -> tuple[float, Floats]:
            coefficients, bias = unscale(flat)
            logits = coefficients @ self.centred.T + bias[:, None]
            logs = log_sums(logits)
            loss = self.weights @ (logs - (self.targets * logits).sum(axis=0))
            gradient = self.weights * (np.exp(logits - logs) - self.targets)
            by_feature = gradient @ self.centred + ridge * coefficients
            total = float(loss) + ridge * float(np.square(coefficients).sum()) / 2
            by_bias = gradient.sum(axis=1) / root
            return total, np.concatenate([by_bias, (by_feature @ scaled).ravel()])

        start = np.zeros(classes * (1 + len(upper)))
        options = {"maxiter": MOST_STEPS, "gtol": exact * root, "ftol": 1e-15, "maxcor": 20}
        found = minimize(value, start, jac=True, method="L-BFGS-B", options=options).x
        return self.at_centre(*unscale(found))

    @staticmethod
    def predict(outputs: Floats) -> Floats:
        """Probabilities."""
        return np.asarray(np.exp(outputs - log_sums(outputs)))

    @staticmethod
    def losses(targets: Floats, predicted: Floats) -> Floats:
        """Log losses."""
        return np.asarray(-np.log(np.maximum((targets * predicted).sum(axis=0), 1e-9)))


def log_sums(logits: Floats) -> Floats:
    """Logarithms of the sums of exponentials. Shape: (outputs, rows) to (rows,).

    >>> log_sums(np.zeros((2, 1))).round(6).tolist()
    [0.693147]
    """
    top = logits.max(axis=0)
    return np.asarray(np.log(np.exp(logits - top).sum(axis=0)) + top)
