"""Made-up folds, timings and tables."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import numpy as np

from crisplogic.datasets import Dataset
from experiments.harness.origin import Origin
from experiments.harness.store import Document
from experiments.harness.tasks import make_document
from experiments.rules_table.reliability import Reliability
from experiments.rules_table.tasks import KINDS, Figures, rules_task
from experiments.rules_table.timing import TimingTask

ORIGIN = Origin("python -m experiments.rules_table", "Abacus", 2, {"python": "3.11"})
DATE = "2026-11-15T12:00:00+00:00"
SOON_DONE: dict[str, Any] = {"epochs": 2, "restarts": 1, "folds": 0}

FIGURES = Figures(
    rows=100,
    classes=4,
    rules_error=0.19,
    rules_literals=30,
    rules_tied=0,
    rules_classes=4,
    small_error=0.3,
    small_literals=11,
    network_error=0.15,
    nearest_error=0.6,
    reliability=Reliability((0,) * 9 + (100,), (0.0,) * 9 + (95.0,), (0,) * 9 + (80,), 50.0),
    fit_seconds=10.0,
)


def document(
    table: str = "vehicle", fold: int = 0, literals: str = "crisp", **figures: Any
) -> Document:
    """A fold of the default classifier; figures are changed one by one."""
    found = asdict(replace(FIGURES, **figures))
    return make_document(rules_task(table, fold, literals=literals), found, ORIGIN, DATE)


def pair(table: str = "vehicle", fold: int = 0, **figures: Any) -> list[Document]:
    """The same fold with crisp and with graded rules."""
    return [document(table, fold, kind, **figures) for kind in KINDS]


def timing(logic: float = 3.0, boosting: float = 2.0) -> Document:
    figures = {"LogicClassifier": [logic, 9.0, 0.1], "EBM": [boosting, 9.0, 0.1]}
    return make_document(TimingTask("vehicle"), figures, ORIGIN, DATE)


def tiny_table() -> Dataset:
    """Two classes that one threshold tells apart; of one column almost all is missing."""
    rng = np.random.default_rng(0)
    X = rng.normal(0.0, 1.0, (60, 3))
    y = np.where(X[:, 0] > 0, "high", "low")
    X[:, 2] = np.nan
    X[0, 2] = 1.0
    return Dataset("tiny", X, y, ("size", "noise", "gaps"), "class", "", "")
