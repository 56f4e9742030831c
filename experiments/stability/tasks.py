"""What is measured: the rules of fits with other seeds, and of fits on samples of the rows."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

from crisplogic import LogicClassifier, LogicRegressor
from experiments.harness.processes import one_thread
from experiments.harness.store import Document
from experiments.other_tables.tables import SOURCES
from experiments.stability.tables import Table, table

SEEDS = 5
SAMPLES = 10
SHARE = 0.9

Kind = Literal["seeds", "samples"]


@dataclass(frozen=True)
class FitTask:
    """One fit: with its number as the seed on all rows, or with seed 0 on a sample of rows.

    The rules are stored as JSON. They are compared when all are there.
    """

    kind: Kind
    table: str
    number: int
    settings: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name under which the figures are stored."""
        return f"{self.kind}/{self.table}/{self.number}"

    def question(self) -> Document:
        """What stored figures must agree with."""
        return {
            "kind": self.kind,
            "table": self.table,
            "number": self.number,
            "share": SHARE if self.kind == "samples" else 1,
            "settings": dict(self.settings),
        }

    def perform(self) -> Document:
        """Fit in one thread."""
        found = table(self.table)
        if self.kind == "samples":
            found = found.take(sample(found, self.number))
        estimator = _estimator(found.is_number)(**self.settings)
        with one_thread(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            estimator.fit(found.X, found.y)
        return {"rules": estimator.rules_.to_json(), "literals": estimator.rules_.size}

    def line(self, figures: Document) -> str:
        """The size."""
        return f"{self.name}: {figures['literals']} literals"


def sample(table: Table, seed: int) -> NDArray[np.intp]:
    """The rows of a sample, every class in its proportion, in the order of the table."""
    kind = ShuffleSplit if table.is_number else StratifiedShuffleSplit
    split = kind(1, train_size=SHARE, random_state=seed)
    rows, _ = next(split.split(table.X, table.y))
    return np.sort(rows)


def tasks_for(tables: Sequence[str]) -> list[FitTask]:
    """All seeds and all samples, the tables taking turns."""
    counts: dict[Kind, int] = {"seeds": SEEDS, "samples": SAMPLES}
    return [
        fit_task(kind, table, number)
        for kind, count in counts.items()
        for number in range(count)
        for table in tables
    ]


def fit_task(kind: Kind, name: str, number: int) -> FitTask:
    """The task with default settings."""
    is_number = name in SOURCES and SOURCES[name].is_number
    seed = number if kind == "seeds" else 0
    return FitTask(kind, name, number, _estimator(is_number)(random_state=seed).get_params())


def _estimator(is_number: bool) -> type[LogicClassifier] | type[LogicRegressor]:
    return LogicRegressor if is_number else LogicClassifier
