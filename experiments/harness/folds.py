"""The folds that every figure about the five tables comes from."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import RepeatedStratifiedKFold

from crisplogic.datasets import Dataset

SPLITS = 10
REPEATS = 3
FOLDS = SPLITS * REPEATS
SPLIT_SEED = 0


@dataclass(frozen=True, eq=False)  # no generated ==: it would ask arrays for one truth value
class Split:
    """Which rows of a table are learned from and which are predicted."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]


def splits(table: Dataset) -> list[Split]:
    """All folds, in order: the same rows on every machine."""
    folds = RepeatedStratifiedKFold(n_splits=SPLITS, n_repeats=REPEATS, random_state=SPLIT_SEED)
    with warnings.catch_warnings():
        # Yeast has a class of five rows, so that half of its folds go without: known.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        return [Split(train, test) for train, test in folds.split(table.X, table.y)]
