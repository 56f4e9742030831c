"""What is measured on one fold of a table."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic import LogicClassifier
from crisplogic.datasets import Dataset, load
from crisplogic.snap import snap
from experiments.harness.evaluation import Split, count_ties, error_of, splits
from experiments.harness.processes import one_thread
from experiments.harness.store import Document
from experiments.rules_table.reliability import Reliability, measure_reliability
from experiments.rules_table.targets import TARGETS

# Yes/no rules are the default; graded ones are measured beside them.
KINDS = ("crisp", "graded")


@dataclass(frozen=True)
class RulesTask:
    """One fold of one table, and the complete settings of the classifier."""

    table: str
    fold: int
    small_limit: int
    settings: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name under which the figures are stored."""
        return f"{self.settings['literals']}/{self.table}/{self.fold:02d}"

    def question(self) -> Document:
        """What stored figures must agree with; the seed is the number of the fold."""
        return {
            "table": self.table,
            "fold": self.fold,
            "seed": self.fold,
            "small_limit": self.small_limit,
            "settings": dict(self.settings),
        }

    def perform(self) -> Document:
        """Load the table, select the fold and measure, in one thread."""
        table = _loaded(self.table)
        split = splits(table)[self.fold]
        with one_thread():
            clf = LogicClassifier(**self.settings)
            return asdict(measure(table, split, clf, self.small_limit))

    def line(self, figures: Document) -> str:
        """Errors and seconds."""
        return (
            f"{self.table}, fold {self.fold}:"
            f" {self.settings['literals']} rules {figures['rules_error']:.1%}"
            f" ({figures['rules_literals']} literals),"
            f" network {figures['network_error']:.1%}, {figures['fit_seconds']:.1f} s"
        )


@dataclass(frozen=True)
class Figures:
    """The figures of the test rows of a fold. Errors are shares of these rows.

    ``classes`` counts those of the table. ``small_...`` is about the best rules within the
    task's limit of literals, ``nearest_error`` about the soft network's rules by the paper's
    rounding. ``rules_tied`` counts the rows on which classes share the greatest score,
    ``rules_classes`` the classes that the rules predict.
    """

    rows: int
    classes: int
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


def figures_from(stored: Document) -> Figures:
    """The figures of a stored document, which holds them as plain lists and dictionaries."""
    sums = stored["reliability"]
    reliability = Reliability(
        tuple(sums["rows"]),
        tuple(sums["confidence"]),
        tuple(sums["right"]),
        sums["log_loss_sum"],
    )
    return Figures(**{**stored, "reliability": reliability})


def tasks_for(
    tables: Sequence[str],
    folds: int,
    changes: Mapping[str, Any] | None = None,
    kinds: Sequence[str] = KINDS,
) -> list[RulesTask]:
    """The first fold of each table, then the second of each and so on.

    In this order the time left is known early, and a run that is stopped has something
    about every table.
    """
    return [
        rules_task(table, fold, **{**(changes or {}), "literals": kind})
        for fold in range(folds)
        for table in tables
        for kind in kinds
    ]


def rules_task(table: str, fold: int, **changes: Any) -> RulesTask:
    """The task for a classifier with the default settings, except for the changes."""
    settings = LogicClassifier(**{**changes, "random_state": fold}).get_params()
    return RulesTask(table, fold, TARGETS[table].small_limit, settings)


def measure(table: Dataset, split: Split, clf: LogicClassifier, small_limit: int) -> Figures:
    """Fit to the training rows and measure on the test rows. Missing values stay missing."""
    started = time.perf_counter()
    clf.fit(table.X[split.train], table.y[split.train])
    seconds = time.perf_counter() - started

    X, y = table.X[split.test], table.y[split.test]
    small = clf.rules_at(small_limit)
    nearest = snap(clf.network_, table.feature_names, clf.classes_.tolist())
    return Figures(
        rows=len(y),
        classes=len(clf.classes_),
        rules_error=error_of(clf.predict(X), y),
        rules_literals=clf.rules_.size,
        rules_tied=count_ties(clf.rules_.scores(X)),
        rules_classes=len(np.unique(clf.predict(X))),
        small_error=error_of(small.predict(X), y),
        small_literals=small.size,
        network_error=error_of(_predicted_by_network(clf, X), y),
        nearest_error=error_of(nearest.predict(X), y),
        reliability=measure_reliability(clf.predict_proba(X), clf.classes_, y),
        fit_seconds=seconds,
    )


def _predicted_by_network(clf: LogicClassifier, X: NDArray[np.float64]) -> NDArray[Any]:
    """The predictions of the soft network; the classifier is left as it was."""
    before = clf.predict_with
    try:
        clf.set_params(predict_with="network")
        return clf.predict(X)
    finally:
        clf.set_params(predict_with=before)


@lru_cache
def _loaded(name: str) -> Dataset:
    """A worker needs the same few tables again and again."""
    return load(name)
