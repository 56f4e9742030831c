"""What is measured on one fold: crisp and graded rules, the network and the other learners."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from crisplogic import LogicClassifier, LogicRegressor
from experiments.harness.evaluation import error_of
from experiments.harness.processes import one_thread
from experiments.harness.store import Document
from experiments.other_tables.learners import (
    CLASS_PEERS,
    NUMBER_PEERS,
    Maker,
    describe,
    size_of,
)
from experiments.other_tables.tables import (
    SOURCES,
    SPLIT_SEED,
    SPLITS,
    Split,
    Table,
    split_of,
    table,
)
from experiments.regression.learners import score


@dataclass(frozen=True)
class Measured:
    """One learner on the test rows of a fold.

    ``error`` is the share of rows that are wrong, or of the variance that is not explained
    (1 - R²). ``size`` counts literals of rules and questions of trees. ``seconds`` are those of
    the fit; the network is part of the fit of the crisp rules and has none of its own.
    """

    error: float
    size: int | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class FoldTask:
    """All learners on one fold of a table; settings of ours are complete."""

    table: str
    fold: int
    settings: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name under which the figures are stored."""
        return f"{self.table}/{self.fold}"

    def question(self) -> Document:
        """What stored figures must agree with; the seed is the number of the fold."""
        source = SOURCES[self.table]
        return {
            "table": self.table,
            "source": {**asdict(source), "without": list(source.without)},
            "fold": self.fold,
            "seed": self.fold,
            "splits": SPLITS,
            "split_seed": SPLIT_SEED,
            "settings": dict(self.settings),
            "peers": {name: describe(make(self.fold)) for name, make in self._peers.items()},
        }

    def perform(self) -> Document:
        """Measure in one thread."""
        found = table(self.table)
        estimator = _rules_type(found.is_number)
        with one_thread(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # values that only test rows have, and the like
            measured = measure(
                found,
                split_of(found, self.fold),
                estimator(**self.settings),
                {name: make(self.fold) for name, make in self._peers.items()},
            )
        return {
            "rows": len(found.y),
            "columns": found.X.shape[1],
            "categories": found.categories,
            "gaps": found.gaps,
            "classes": 0 if found.is_number else len(set(found.y)),
            "learners": {name: asdict(each) for name, each in measured.items()},
        }

    def line(self, figures: Document) -> str:
        """Errors and seconds."""
        learners = figures["learners"]
        crisp = learners["crisp"]
        return (
            f"{self.table}, fold {self.fold}: crisp {crisp['error']:.1%}"
            f" ({crisp['size']} literals, {crisp['seconds']:.1f} s),"
            f" boosting {learners['boosting']['error']:.1%}"
        )

    @property
    def _peers(self) -> Mapping[str, Maker]:
        return NUMBER_PEERS if SOURCES[self.table].is_number else CLASS_PEERS


def tasks_for(tables: Sequence[str], folds: int) -> list[FoldTask]:
    """The first fold of each table, then the second of each and so on."""
    return [fold_task(table, fold) for fold in range(folds) for table in tables]


def fold_task(table: str, fold: int) -> FoldTask:
    """The task with default settings."""
    estimator = _rules_type(SOURCES[table].is_number)
    return FoldTask(table, fold, estimator(random_state=fold).get_params())


def measure(
    table: Table, split: Split, crisp: Any, peers: Mapping[str, Any]
) -> dict[str, Measured]:
    """Fit all learners to the same rows and test them on the same rows.

    ``crisp`` is an estimator of crisp rules; graded rules have its other settings.
    """
    X, y = table.X.iloc[split.train], table.y[split.train]
    X_test, y_test = table.X.iloc[split.test], table.y[split.test]

    def error(predicted: Any) -> float:
        if table.is_number:
            return 1 - score(predicted, y_test).r2
        return error_of(predicted, y_test)

    found = {}
    graded = type(crisp)(**{**crisp.get_params(), "literals": "graded"})
    for name, rules in (("crisp", crisp), ("graded", graded)):
        seconds = _fit_seconds(rules, X, y)
        found[name] = Measured(error(rules.predict(X_test)), rules.rules_.size, seconds)
    by_network = crisp.set_params(predict_with="network").predict(X_test)
    found["network"] = Measured(error(by_network))
    for name, peer in peers.items():
        seconds = _fit_seconds(peer, X, y)
        found[name] = Measured(error(peer.predict(X_test)), size_of(peer), seconds)
    return found


def _fit_seconds(learner: Any, X: Any, y: Any) -> float:
    started = time.perf_counter()
    learner.fit(X, y)
    return time.perf_counter() - started


def _rules_type(is_number: bool) -> type[LogicClassifier] | type[LogicRegressor]:
    return LogicRegressor if is_number else LogicClassifier
