"""Calibration error and log loss, as sums that add up over folds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

BINS = 10
# The log loss of an impossible class is infinite; JSON has no such number.
LEAST_PROBABILITY = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Reliability:
    """Sums over the rows of each bin; a row's bin is that of its top class's probability.

    ``rows`` counts them, ``confidence`` is the sum of their top probabilities, ``right``
    counts the rows whose top class is right. ``log_loss_sum`` is the sum over all rows of minus
    the logarithm of the right class's probability.
    """

    rows: tuple[int, ...]
    confidence: tuple[float, ...]
    right: tuple[int, ...]
    log_loss_sum: float

    @property
    def calibration_error(self) -> float:
        """The expected calibration error: the mean gap between confidence and accuracy.

        >>> Reliability((2, 0), (1.8, 0.0), (1, 0), 0.0).calibration_error
        0.4
        """
        gaps = np.abs(np.subtract(self.confidence, self.right))
        return float(gaps.sum() / sum(self.rows))

    @property
    def log_loss(self) -> float:
        """The mean of minus the logarithm of the right class's probability."""
        return self.log_loss_sum / sum(self.rows)


def measure_reliability(
    probabilities: NDArray[np.float64], classes: NDArray[Any], actual: NDArray[Any]
) -> Reliability:
    """Shape: ``probabilities`` (rows, classes), ``classes`` (classes,), ``actual`` (rows,).

    >>> classes, actual = np.array(["a", "b"]), np.array(["a"])
    >>> found = measure_reliability(np.array([[0.9, 0.1]]), classes, actual)
    >>> found.rows, found.right
    ((0, 0, 0, 0, 0, 0, 0, 0, 0, 1), (0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
    """
    top = probabilities.max(axis=1)
    right = classes[probabilities.argmax(axis=1)] == actual
    bins = np.minimum((top * BINS).astype(int), BINS - 1)  # a probability of 1 is in the last
    # A class that training never saw has no column: its probability is 0.
    of_actual = np.where(classes == actual[:, np.newaxis], probabilities, 0.0).sum(axis=1)
    return Reliability(
        rows=tuple(np.bincount(bins, minlength=BINS).tolist()),
        confidence=tuple(np.bincount(bins, weights=top, minlength=BINS).tolist()),
        right=tuple(np.bincount(bins[right], minlength=BINS).tolist()),
        log_loss_sum=float(-np.log(np.maximum(of_actual, LEAST_PROBABILITY)).sum()),
    )


def pool(parts: Iterable[Reliability]) -> Reliability:
    """The reliability over all rows of the parts together.

    >>> half = Reliability((1,), (0.5,), (1,), 2.0)
    >>> pool([half, half])
    Reliability(rows=(2,), confidence=(1.0,), right=(2,), log_loss_sum=4.0)
    """
    known = list(parts)
    return Reliability(
        rows=tuple(map(sum, zip(*(part.rows for part in known), strict=True))),
        confidence=tuple(map(sum, zip(*(part.confidence for part in known), strict=True))),
        right=tuple(map(sum, zip(*(part.right for part in known), strict=True))),
        log_loss_sum=sum(part.log_loss_sum for part in known),
    )
