"""What is measured on one fold: a function from a table and a fold to figures."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import RepeatedStratifiedKFold

from crisplogic import LogicClassifier
from crisplogic.datasets import Dataset, load
from crisplogic.snap import snap
from experiments.rules_table.reliability import Reliability, reliability
from experiments.rules_table.threads import one_thread

SPLITS = 10
REPEATS = 3
FOLDS = SPLITS * REPEATS
SPLIT_SEED = 0


@dataclass(frozen=True)
class Task:
    """One fold of one table, and the complete settings of the classifier to measure on it."""

    table: str
    fold: int
    small_limit: int
    settings: Mapping[str, Any]

    @property
    def seed(self) -> int:
        """The seed of the fit: the number of the fold."""
        return self.fold


@dataclass(frozen=True)
class Figures:
    """What was measured on the rows of a fold. Errors are shares of these rows.

    ``small_...`` are those of the best rules within the task's limit of literals,
    ``nearest_error`` that of the soft network's rules by the paper's rounding.
    """

    rows: int
    rules_error: float
    rules_literals: int
    small_error: float
    small_literals: int
    network_error: float
    nearest_error: float
    reliability: Reliability
    fit_seconds: float


@dataclass(frozen=True, eq=False)  # no generated ==: it would ask arrays for one truth value
class Split:
    """Which rows of a table are learned from and which are predicted."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]


def task_for(table: str, fold: int, small_limit: int, **changes: Any) -> Task:
    """The task for a classifier with the default settings, but for the changes."""
    settings = LogicClassifier(**{**changes, "random_state": fold}).get_params()
    return Task(table, fold, small_limit, settings)


def perform(task: Task) -> Figures:
    """Load the table, cut out the fold and measure, in one thread."""
    table = _loaded(task.table)
    split = splits(table)[task.fold]
    with one_thread():
        return measure(table, split, LogicClassifier(**task.settings), task.small_limit)


def splits(table: Dataset) -> list[Split]:
    """All folds, in order: the same rows on every machine."""
    folds = RepeatedStratifiedKFold(n_splits=SPLITS, n_repeats=REPEATS, random_state=SPLIT_SEED)
    with warnings.catch_warnings():
        # Yeast has a class of five rows, so that half of its folds go without: known.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        return [Split(train, test) for train, test in folds.split(table.X, table.y)]


def measure(table: Dataset, split: Split, clf: LogicClassifier, small_limit: int) -> Figures:
    """Fit to one part of the rows and judge on the other. Missing values stay missing."""
    started = time.perf_counter()
    clf.fit(table.X[split.train], table.y[split.train])
    seconds = time.perf_counter() - started

    X, y = table.X[split.test], table.y[split.test]
    small = clf.rules_at(small_limit)
    nearest = snap(clf.network_, table.feature_names, clf.classes_.tolist())
    return Figures(
        rows=len(y),
        rules_error=_error(clf.predict(X), y),
        rules_literals=clf.rules_.size,
        small_error=_error(small.predict(X), y),
        small_literals=small.size,
        network_error=_error(_predicted_by_network(clf, X), y),
        nearest_error=_error(nearest.predict(X), y),
        reliability=reliability(clf.predict_proba(X), clf.classes_, y),
        fit_seconds=seconds,
    )


def _predicted_by_network(clf: LogicClassifier, X: NDArray[np.float64]) -> NDArray[Any]:
    """What the soft network says; the classifier is left as it was."""
    before = clf.predict_with
    try:
        clf.set_params(predict_with="network")
        return clf.predict(X)
    finally:
        clf.set_params(predict_with=before)


def _error(predicted: NDArray[Any], actual: NDArray[Any]) -> float:
    return float(np.mean(predicted != actual))


@lru_cache
def _loaded(name: str) -> Dataset:
    """A worker meets the same few tables again and again."""
    return load(name)
