"""Losses: the log loss of classes, the Gaussian and the Huber loss of a number.

A loss knows the rows that it is computed on. All losses are in nats a row, so that a penalty
weighs the same in each.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.rules.outliers import DELTA, FENCE, robust_centre_and_spread
from crisplogic.rules.scoring import softmax
from crisplogic.weights import weighted_mean

Floats = NDArray[np.float64]

# How many rows the prior weighs. It says that logits are about 1 in size, and keeps them
# finite where rules separate the classes perfectly.
PRIOR_WEIGHT = 0.1
MIN_SCALE = 1e-3  # in units of the loss's spread
MIN_GAIN = 1e-7  # a Newton step that gains less is the last
MAX_HALVINGS = 6
RIDGE = 1e-6  # a shift of all biases changes nothing: without it the Hessian is singular

LEAST_STEPS = 5  # of least squares for a loss that is none

# A mean is not quite exact: numbers that differ from it by less than this share are the same.
# So are numbers whose differences are too small to be squared.
SAME, TINY = 1e-14, 1e-100


@dataclass(frozen=True, eq=False)
class Loss(ABC):
    """A mean loss over rows; call it with logits. Shape: ``y`` and ``weights`` (rows,).

    Derivatives are taken with respect to logits in units of ``spread``, around ``centre``.
    """

    y: NDArray[Any]
    weights: Floats | None = None

    @cached_property
    def total_weight(self) -> float:
        """The sum of the weights, or the number of rows."""
        return len(self.y) if self.weights is None else float(self.weights.sum())

    def mean(self, values: Floats) -> Floats:
        """The weighted mean over the rows. Shape: (..., rows) to (...)."""
        return weighted_mean(values, self.weights)

    def weighted(self, values: Floats) -> Floats:
        """Values times the weights of their rows. Shape: (..., rows)."""
        return values if self.weights is None else values * self.weights

    @property
    @abstractmethod
    def centre(self) -> float:
        """Around which the logits lie."""

    @property
    @abstractmethod
    def spread(self) -> float:
        """The unit of the logits."""

    @abstractmethod
    def __call__(self, logits: Floats) -> Floats:
        """The mean loss. Shape: ``logits`` (..., outputs, rows); returns (...)."""

    @abstractmethod
    def gradient(self, logits: Floats) -> Floats:
        """The gradient with respect to the logits. Shape: (outputs, rows) to the same."""

    @abstractmethod
    def hessian_diagonal(self, logits: Floats) -> Floats:
        """The second derivatives by each logit. Shape: (outputs, rows) to the same."""

    @abstractmethod
    def fit_bias_and_scale(
        self, sums: Floats, bias: Floats, scale: float, pure: bool, steps: int
    ) -> tuple[Floats, float]:
        """Bias and scale that minimise the loss of ``scale * sums + bias``.

        ``bias`` and ``scale`` are where an iteration of so many ``steps`` starts. A ``pure``
        model keeps its bias. Shape: ``sums`` (outputs, rows), ``bias`` (outputs,).
        """

    @abstractmethod
    def fit_constant(self, scale: float) -> tuple[Floats, float]:
        """Bias and scale of a model that has no terms; ``scale`` is the one that it had."""


@dataclass(frozen=True, eq=False)
class LogLoss(Loss):
    """The log loss of classes, with a weak prior. ``y`` are numbers of classes.

    >>> loss = LogLoss(np.array([0, 1] * 10), n_classes=2)
    >>> right, unsure = np.tile([[1.0, -1.0], [-1.0, 1.0]], 10), np.zeros((2, 20))
    >>> bool(loss(right) < loss(unsure))
    True
    """

    n_classes: int = 2
    centre = 0.0
    spread = 1.0

    def __call__(self, logits: Floats) -> Floats:
        """The mean log loss plus the prior. Shape: (..., classes, rows) to (...)."""
        top = logits.max(axis=-2, keepdims=True)
        total = np.exp(logits - top).sum(axis=-2)
        right = logits[..., self.y, np.arange(len(self.y))] - top[..., 0, :]
        prior = self.mean(np.square(_centred(logits)).sum(axis=-2))
        log_loss = self.mean(np.log(total) - right)
        return np.asarray(log_loss + PRIOR_WEIGHT / (2 * self.total_weight) * prior)

    def gradient(self, logits: Floats) -> Floats:
        """The gradient with respect to the logits. Shape: (classes, rows) to the same."""
        rows = self.total_weight
        gradient = softmax(logits, axis=-2) / rows + PRIOR_WEIGHT / rows**2 * _centred(logits)
        gradient[self.y, np.arange(len(self.y))] -= 1 / rows
        return self.weighted(gradient)

    def hessian_diagonal(self, logits: Floats) -> Floats:
        """The second derivatives by each logit. Shape: (classes, rows) to the same."""
        probabilities = softmax(logits, axis=-2)
        return self.weighted(probabilities * (1 - probabilities) / self.total_weight)

    def fit_bias_and_scale(
        self, sums: Floats, bias: Floats, scale: float, pure: bool, steps: int
    ) -> tuple[Floats, float]:
        """By Newton's method, with steps halved until the loss falls."""
        point = np.append(bias, scale)
        loss = float(self(_logits(point, sums)))
        for _ in range(steps):
            direction = self._newton_direction(point, sums, pure)
            point, new = self._line_search(point, direction, loss, sums)
            if loss - new < MIN_GAIN:
                break
            loss = new
        return point[:-1], float(point[-1])

    def fit_constant(self, scale: float) -> tuple[Floats, float]:
        """The logarithms of the frequencies of the classes, each seen once more."""
        counts = np.bincount(self.y, self.weights, minlength=self.n_classes)
        return np.log((counts + 1) / (counts.sum() + self.n_classes)), scale

    def _newton_direction(self, point: Floats, sums: Floats, pure: bool) -> Floats:
        """Minus the inverse Hessian times the gradient, by biases and scale."""
        logits = _logits(point, sums)
        by_logit = self.gradient(logits)
        gradient = np.append(by_logit.sum(axis=1), (by_logit * sums).sum())
        hessian = self._hessian(softmax(logits, axis=-2), sums)
        if pure:  # the scale alone
            step = -gradient[-1] / (hessian[-1, -1] + RIDGE)
            return np.append(np.zeros(self.n_classes), step)
        return np.linalg.solve(hessian + RIDGE * np.eye(len(point)), -gradient)

    def _hessian(self, probabilities: Floats, sums: Floats) -> Floats:
        """By biases and scale. Shape: (classes, rows) each; returns (classes + 1,) * 2."""
        n, prior = self.n_classes, PRIOR_WEIGHT / self.total_weight
        products = probabilities * sums
        expected = products.sum(axis=0)
        centred = sums - sums.mean(axis=0)
        weighted = self.weighted(probabilities)
        hessian = np.empty((n + 1, n + 1))
        hessian[:-1, :-1] = (
            np.diag(weighted.sum(axis=1)) - weighted @ probabilities.T
        ) / self.total_weight
        hessian[:-1, :-1] += prior * (np.eye(n) - 1 / n)
        mixed = self.mean(products - probabilities * expected) + prior * self.mean(centred)
        hessian[:-1, -1] = hessian[-1, :-1] = mixed
        hessian[-1, -1] = self.mean((products * sums).sum(axis=0) - expected**2)
        hessian[-1, -1] += prior * self.mean(np.square(centred).sum(axis=0))
        return hessian

    def _line_search(
        self, point: Floats, direction: Floats, loss: float, sums: Floats
    ) -> tuple[Floats, float]:
        """The longest halved step that lowers the loss, or none."""
        length = 1.0
        for _ in range(MAX_HALVINGS):
            candidate = point + length * direction
            if candidate[-1] >= MIN_SCALE:
                new = float(self(_logits(candidate, sums)))
                if new < loss:
                    return candidate, new
            length /= 2
        return point, loss


@dataclass(frozen=True, eq=False)
class GaussianLoss(Loss):
    """The negative log-likelihood of a Gaussian as wide as the residuals, with a weak prior.

    That is half the logarithm of the mean squared error, in units of the spread of ``y``. It
    does not depend on the unit of ``y``.

    >>> loss = GaussianLoss(np.array([1.0, 2.0, 3.0, 4.0]))
    >>> near, far = np.array([[1.0, 2.0, 3.0, 5.0]]), np.full((1, 4), 2.5)
    >>> bool(loss(near) < loss(far))
    True
    """

    @cached_property
    def _centre_and_spread(self) -> tuple[float, float]:
        return centre_and_spread(self.y, self.weights)

    @property
    def centre(self) -> float:
        """The mean of ``y``."""
        return self._centre_and_spread[0]

    @property
    def spread(self) -> float:
        """The standard deviation of ``y``."""
        return self._centre_and_spread[1]

    @property
    def scaled_y(self) -> Floats:
        """``y`` around the centre, in units of the spread. Shape: (rows,)."""
        scaled: Floats = (self.y - self.centre) / self.spread
        return scaled

    def row_losses(self, numbers: Floats) -> Floats:
        """The squared error of every row. Shape: (..., rows) to (..., rows)."""
        return np.square(self._residuals(numbers))

    def reweighted(self, numbers: Floats) -> GaussianLoss:
        """The squared error that is like this loss near some predictions. Shape: (rows,)."""
        return self

    def __call__(self, logits: Floats) -> Floats:
        """Half the log of the mean loss plus the prior. Shape: (..., 1, rows)."""
        prior = PRIOR_WEIGHT / self.total_weight
        loss: Floats = np.log(self.mean(self.row_losses(logits)) + prior) / 2
        return loss[..., 0]

    def gradient(self, logits: Floats) -> Floats:
        """The gradient with respect to the numbers predicted. Shape: (1, rows)."""
        residuals = self._residuals(logits)
        return self.weighted(self._shares(residuals) * residuals) / self._sum(logits)

    def hessian_diagonal(self, logits: Floats) -> Floats:
        """The second derivatives, for residuals of this size. Shape: (1, rows)."""
        return self.weighted(self._shares(self._residuals(logits)) / self._sum(logits))

    def fit_bias_and_scale(
        self, sums: Floats, bias: Floats, scale: float, pure: bool, steps: int
    ) -> tuple[Floats, float]:
        """By least squares: the line through sums and numbers. Shape: ``sums`` (1, rows)."""
        mean = float(self.mean(sums[0]))
        centred = sums[0] - mean
        covariance, variance = self.mean(self.scaled_y * centred), self.mean(np.square(centred))
        slope = max(float(covariance) / max(float(variance), RIDGE), MIN_SCALE)
        scale = self.spread * slope
        return np.array([self.centre - scale * mean]), scale

    def fit_constant(self, scale: float) -> tuple[Floats, float]:
        """The mean."""
        return np.array([self.centre]), self.spread

    def _residuals(self, numbers: Floats) -> Floats:
        """In units of the spread, so that no square is too large or too small a number."""
        residuals: Floats = (numbers - self.y) / self.spread
        return residuals

    def _shares(self, residuals: Floats) -> Floats:
        """The share of a residual that counts. Shape: (..., rows) to (..., rows)."""
        return np.ones_like(residuals)

    def _sum(self, logits: Floats) -> float:
        return self.total_weight * float(self.mean(self.row_losses(logits))[0]) + PRIOR_WEIGHT


@dataclass(frozen=True, eq=False)
class HuberLoss(GaussianLoss):
    """Like the Gaussian loss, but large errors count by their size instead of its square.

    ``y`` is clipped to where it is no longer far from the other numbers
    (:mod:`crisplogic.rules.outliers`). Predictions lie within, so that this changes no
    gradient; but the loss of a single row cannot hide those of all others.

    >>> y = np.array([1.0, 2.0, 3.0, 4.0, 1e9])
    >>> near, far = np.array([[1.0, 2.0, 3.0, 4.0, 5.0]]), np.full((1, 5), 1e9)
    >>> bool(HuberLoss(y)(near) < HuberLoss(y)(far)), bool(GaussianLoss(y)(near) < 1)
    (True, True)
    """

    def __post_init__(self) -> None:
        low, high = self.centre - FENCE * self.spread, self.centre + FENCE * self.spread
        object.__setattr__(self, "y", self.y.clip(low, high))

    @cached_property
    def _centre_and_spread(self) -> tuple[float, float]:
        """The median, and the spread of most numbers."""
        centre, spread = robust_centre_and_spread(self.y, self.weights)
        return (centre, spread) if spread > 0 else centre_and_spread(self.y, self.weights)

    def row_losses(self, numbers: Floats) -> Floats:
        """Squared errors, from DELTA spreads on in a straight line. Shape: (..., rows)."""
        sizes = np.abs(self._residuals(numbers))
        inside = np.minimum(sizes, DELTA)
        losses: Floats = inside * (2 * sizes - inside)
        return losses

    def reweighted(self, numbers: Floats) -> GaussianLoss:
        """Rows with large errors weigh less. Shape: (rows,)."""
        return GaussianLoss(self.y, self.weighted(self._shares(self._residuals(numbers))))

    def fit_bias_and_scale(
        self, sums: Floats, bias: Floats, scale: float, pure: bool, steps: int
    ) -> tuple[Floats, float]:
        """By iterated least squares. Shape: ``sums`` (1, rows)."""
        for _ in range(max(steps, LEAST_STEPS)):
            near = self.reweighted(scale * sums[0] + bias[0])
            bias, scale = near.fit_bias_and_scale(sums, bias, scale, pure, steps)
        return bias, max(scale, MIN_SCALE * self.spread)

    def fit_constant(self, scale: float) -> tuple[Floats, float]:
        """The number around which errors of both signs balance."""
        return self.fit_bias_and_scale(
            np.zeros((1, len(self.y))), np.array([self.centre]), self.spread, False, LEAST_STEPS
        )[0], self.spread

    def _shares(self, residuals: Floats) -> Floats:
        """1 for small residuals, DELTA over the size of large ones."""
        shares: Floats = DELTA / np.maximum(np.abs(residuals), DELTA)
        return shares


def _logits(point: Floats, sums: Floats) -> Floats:
    logits: Floats = point[-1] * sums + point[:-1, None]
    return logits


def _centred(logits: Floats) -> Floats:
    centred: Floats = logits - logits.mean(axis=-2, keepdims=True)
    return centred


def centre_and_spread(numbers: Floats, weights: Floats | None) -> tuple[float, float]:
    """Mean and standard deviation; where all numbers are the same, a spread of at least 1.

    Shape: ``numbers`` and ``weights`` (rows,).

    >>> centre_and_spread(np.array([1.0, 3.0]), None)
    (2.0, 1.0)
    """
    offset = float(numbers[0])  # differences of large numbers are exact, their sums are not
    deviations = numbers - offset
    mean = float(weighted_mean(deviations, weights))
    centre, deviations = offset + mean, deviations - mean
    largest = float(np.abs(deviations).max())
    if largest <= max(SAME * abs(mean), TINY):
        return centre, max(1.0, abs(centre))
    mean_square = weighted_mean(np.square(deviations / largest), weights)
    return centre, largest * float(np.sqrt(mean_square))
