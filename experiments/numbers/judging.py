"""What predicted numbers are worth, and how long it took to learn them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from experiments.numbers.folds import Fold
from experiments.numbers.tables import Floats


@dataclass(frozen=True)
class Score:
    """R² and the root mean squared error, in the units of the number."""

    r2: float
    rmse: float


def score(predicted: Floats, actual: Floats) -> Score:
    """Shape: (rows,) both.

    >>> score(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0]))
    Score(r2=1.0, rmse=0.0)
    >>> score(np.array([2.0, 2.0]), np.array([1.0, 3.0]))
    Score(r2=0.0, rmse=1.0)
    """
    squared = float(np.mean((predicted - actual) ** 2))
    return Score(1.0 - squared / float(actual.var()), squared**0.5)


def fit_seconds(learner: Any, fold: Fold) -> float:
    """Fit a learner; how long that took."""
    started = time.perf_counter()
    learner.fit(fold.train.X, fold.train.y)
    return time.perf_counter() - started


def judged(learner: Any, fold: Fold) -> Score:
    """What a fitted learner is worth on rows that it did not see."""
    return score(learner.predict(fold.test.X), fold.test.y)
