"""What predictions and scores are worth on rows whose classes are known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def error_of(predicted: NDArray[Any], actual: NDArray[Any]) -> float:
    """The share of rows that are wrong.

    >>> error_of(np.array(["a", "b"]), np.array(["a", "a"]))
    0.5
    """
    return float(np.mean(predicted != actual))


def tied(scores: NDArray[np.float64]) -> int:
    """On how many rows the greatest score is not that of one class alone.

    Shape: (rows, classes).

    >>> tied(np.array([[1.0, 1.0, 0.0], [2.0, 1.0, 1.0]]))
    1
    """
    greatest = scores == scores.max(axis=1, keepdims=True)
    return int((greatest.sum(axis=1) > 1).sum())
