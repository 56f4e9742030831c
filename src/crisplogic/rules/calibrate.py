"""How sure scores are: the one number between scores and probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax


def best_scale(scores: NDArray[np.float64], targets: NDArray[np.intp]) -> float:
    """The scale under which the softmax of the scores is least surprised by the targets.

    A weak prior that the scale is about 1 (a standard normal on its logarithm) keeps it
    finite where the scores separate the classes perfectly.

    Shape: ``scores`` (rows, classes), ``targets`` (rows,).

    >>> sure = best_scale(np.array([[1.0, -1.0], [-1.0, 1.0]] * 20), np.array([0, 1] * 20))
    >>> guessing = best_scale(np.array([[1.0, -1.0], [-1.0, 1.0]] * 20), np.array([0, 0] * 20))
    >>> sure > 1.0 > guessing
    True
    """

    def surprise(log_scale: float) -> float:
        logs = log_softmax(np.exp(log_scale) * scores, axis=1)
        return float(-logs[np.arange(len(targets)), targets].sum() + log_scale**2 / 2)

    return float(np.exp(minimize_scalar(surprise, bounds=(-7.0, 7.0)).x))
