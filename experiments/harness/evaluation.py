"""The folds of the five tables, errors on them, and a test of differences between models."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student
from sklearn.model_selection import RepeatedStratifiedKFold

from crisplogic.datasets import Dataset
from crisplogic.estimators.cross_validation import corrected_standard_error

SPLITS = 10
REPEATS = 3
FOLDS = SPLITS * REPEATS
SPLIT_SEED = 0
# Test rows for each training row in one fold.
TEST_SHARE = 1 / (SPLITS - 1)


@dataclass(frozen=True, eq=False)  # no generated ==: it would ask arrays for one truth value
class Split:
    """The training rows and the test rows of a fold, by number."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]


def splits(table: Dataset) -> list[Split]:
    """All folds, in order: the same rows on every machine."""
    folds = RepeatedStratifiedKFold(n_splits=SPLITS, n_repeats=REPEATS, random_state=SPLIT_SEED)
    with warnings.catch_warnings():
        # Yeast has a class of five rows, so half of its folds have none of it: known.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        return [Split(train, test) for train, test in folds.split(table.X, table.y)]


def error_of(predicted: NDArray[Any], actual: NDArray[Any]) -> float:
    """The share of rows that are wrong.

    >>> error_of(np.array(["a", "b"]), np.array(["a", "a"]))
    0.5
    """
    return float(np.mean(predicted != actual))


def count_ties(scores: NDArray[np.float64]) -> int:
    """The number of rows on which several classes share the greatest score.

    Shape: (rows, classes).

    >>> count_ties(np.array([[1.0, 1.0, 0.0], [2.0, 1.0, 1.0]]))
    1
    """
    greatest = scores == scores.max(axis=1, keepdims=True)
    return int((greatest.sum(axis=1) > 1).sum())


def corrected_p_value(
    errors: Sequence[float], others: Sequence[float], test_share: float = TEST_SHARE
) -> float:
    """The corrected resampled t-test of Nadeau and Bengio (2003), two-sided.

    Training parts of folds overlap, so their differences vary less than they should; see
    :func:`crisplogic.estimators.cross_validation.corrected_standard_error`. ``errors`` and
    ``others`` are of the same folds.

    >>> round(corrected_p_value([0.1, 0.2, 0.3], [0.1, 0.2, 0.3]), 3)
    1.0
    >>> corrected_p_value([0.10, 0.11, 0.12, 0.10], [0.50, 0.52, 0.51, 0.53]) < 0.001
    True
    """
    differences = np.subtract(errors, others)
    folds, mean = len(differences), float(differences.mean())
    if folds < 2 or mean == 0:
        return 1.0
    standard_error = corrected_standard_error(differences, test_share)
    if standard_error == 0:
        return 0.0
    return float(2 * student.sf(abs(mean) / standard_error, folds - 1))
