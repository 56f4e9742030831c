"""What is measured on one fold: crisp rules of every wanted size, from one fit."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sklearn.model_selection import StratifiedKFold

from crisplogic import LogicClassifier
from crisplogic.datasets import Dataset, load
from experiments.harness.evaluation import Split, error_of
from experiments.harness.processes import one_thread
from experiments.harness.store import Document
from experiments.peers.published import PEERS

SPLITS = 5
SPLIT_SEED = 0
# The sizes that are shown, and those of the others.
SHOWN = (3, 4, 6, 10, 12, 40, 50)
SIZES = tuple(
    sorted({*SHOWN, *(figure.size for peer in PEERS for figure in peer.figures if figure)})
)


@dataclass(frozen=True)
class FoldTask:
    """One fold of one table; the settings are complete."""

    table: str
    fold: int
    settings: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name under which the figures are stored."""
        return f"{self.table}/{self.fold}"

    def question(self) -> Document:
        """What stored figures must agree with; the seed is the number of the fold."""
        return {
            "table": self.table,
            "fold": self.fold,
            "seed": self.fold,
            "splits": SPLITS,
            "split_seed": SPLIT_SEED,
            "sizes": list(SIZES),
            "settings": dict(self.settings),
        }

    def perform(self) -> Document:
        """Measure in one thread."""
        table = _loaded(self.table)
        with one_thread():
            clf = LogicClassifier(**self.settings)
            return measure(table, split_of(table, self.fold), clf)

    def line(self, figures: Document) -> str:
        """The error and the size of the chosen rules."""
        chosen = figures["chosen"]
        return f"{self.name}: {chosen['error']:.1%}, {chosen['literals']} literals"


def tasks_for(tables: Sequence[str], folds: int) -> list[FoldTask]:
    """The first fold of each table, then the second of each and so on."""
    return [
        FoldTask(table, fold, LogicClassifier(random_state=fold).get_params())
        for fold in range(folds)
        for table in tables
    ]


def split_of(table: Dataset, fold: int) -> Split:
    """One of the folds, counted from 0: those on which the others were measured."""
    folds = StratifiedKFold(SPLITS, shuffle=True, random_state=SPLIT_SEED)
    train, test = list(folds.split(table.X, table.y))[fold]
    return Split(train, test)


def measure(table: Dataset, split: Split, clf: LogicClassifier) -> Document:
    """Errors on the test rows: of the chosen rules, and of the best of at most each size.

    The latter fit the training rows best; no held-out row chooses among them.
    """
    started = time.perf_counter()
    clf.fit(table.X[split.train], table.y[split.train])
    seconds = time.perf_counter() - started
    X, y = table.X[split.test], table.y[split.test]

    def figures(rules: Any) -> Document:
        return {"error": error_of(rules.predict(X), y), "literals": rules.size}

    return {
        "chosen": figures(clf.rules_),
        "sizes": {str(size): figures(clf.rules_at(size)) for size in SIZES},
        "seconds": seconds,
    }


@lru_cache
def _loaded(name: str) -> Dataset:
    return load(name)
