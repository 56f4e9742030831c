"""How sure scores are: the one number between scores and probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

Floats = NDArray[np.float64]


def best_scale(
    scores: Floats, targets: NDArray[np.intp], weights: Floats | None = None
) -> float:
    """The scale under which the softmax of the scores is least surprised by the targets.

    A weak prior that the scale is about 1 (a standard normal on its logarithm) keeps it
    finite where the scores separate the classes perfectly. A row of weight 2 surprises as
    two such rows would.

    Shape: ``scores`` (rows, classes), ``targets`` and ``weights`` (rows,).

    >>> sure = best_scale(np.array([[1.0, -1.0], [-1.0, 1.0]] * 20), np.array([0, 1] * 20))
    >>> guessing = best_scale(np.array([[1.0, -1.0], [-1.0, 1.0]] * 20), np.array([0, 0] * 20))
    >>> sure > 1.0 > guessing
    True
    """

    def surprise(log_scale: float) -> float:
        logs = log_softmax(np.exp(log_scale) * scores, axis=1)
        right = logs[np.arange(len(targets)), targets]
        total = right.sum() if weights is None else right @ weights
        return float(-total + log_scale**2 / 2)

    return float(np.exp(minimize_scalar(surprise, bounds=(-7.0, 7.0)).x))
