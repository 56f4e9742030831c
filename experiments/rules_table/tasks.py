"""What is measured on one fold: a function from a table and a fold to figures."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic import LogicClassifier
from crisplogic.datasets import Dataset, load
from crisplogic.snap import snap
from experiments.harness.folds import Split, splits
from experiments.harness.judging import error_of, tied
from experiments.harness.store import Document
from experiments.harness.threads import one_thread
from experiments.rules_table.reliability import Reliability, reliability


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

    @property
    def name(self) -> str:
        """The name under which the figures are stored."""
        return f"folds/{self.table}/{self.fold:02d}"

    def question(self) -> Document:
        """What stored figures must agree with to count as an answer."""
        return {
            "table": self.table,
            "fold": self.fold,
            "seed": self.seed,
            "small_limit": self.small_limit,
            "settings": dict(self.settings),
        }

    def perform(self) -> Document:
        """Load the table, cut out the fold and measure, in one thread."""
        table = _loaded(self.table)
        split = splits(table)[self.fold]
        with one_thread():
            clf = LogicClassifier(**self.settings)
            return asdict(measure(table, split, clf, self.small_limit))

    def line(self, figures: Document) -> str:
        """Errors and seconds, for whoever waits."""
        return (
            f"{self.table}, fold {self.fold}:"
            f" rules {figures['rules_error']:.1%} ({figures['rules_literals']} literals),"
            f" network {figures['network_error']:.1%}, {figures['fit_seconds']:.1f} s"
        )


@dataclass(frozen=True)
class Figures:
    """What was measured on the rows of a fold. Errors are shares of these rows.

    ``small_...`` are those of the best rules within the task's limit of literals,
    ``nearest_error`` that of the soft network's rules by the paper's rounding.
    ``rules_tied`` are the rows on which two classes share the greatest score of the rules,
    ``rules_classes`` the classes that the rules predict at all.
    """

    rows: int
    rules_error: float
    rules_literals: int
    rules_tied: int
    rules_classes: int
    small_error: float
    small_literals: int
    network_error: float
    nearest_error: float
    reliability: Reliability
    fit_seconds: float


def task_for(table: str, fold: int, small_limit: int, **changes: Any) -> Task:
    """The task for a classifier with the default settings, but for the changes."""
    settings = LogicClassifier(**{**changes, "random_state": fold}).get_params()
    return Task(table, fold, small_limit, settings)


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
        rules_error=error_of(clf.predict(X), y),
        rules_literals=clf.rules_.size,
        rules_tied=tied(clf.rules_.scores(X)),
        rules_classes=len(np.unique(clf.predict(X))),
        small_error=error_of(small.predict(X), y),
        small_literals=small.size,
        network_error=error_of(_predicted_by_network(clf, X), y),
        nearest_error=error_of(nearest.predict(X), y),
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


@lru_cache
def _loaded(name: str) -> Dataset:
    """A worker meets the same few tables again and again."""
    return load(name)
