"""Made-up folds and a tiny table."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from experiments.harness.origin import Origin
from experiments.harness.store import Document
from experiments.harness.tasks import Task, make_document
from experiments.regression.learners import Score
from experiments.regression.tables import Part, Table
from experiments.regression.tasks import EbmTask, Figures, rules_task

ORIGIN = Origin("python -m experiments.regression", "Abacus", 2, {"python": "3.11"})
DATE = "2026-11-15T12:00:00+00:00"
LEARNERS = ("rules", "small", "network", "graded", "tree", "ridge", "forest", "boosting")


def documents(table: str = "vehicle", folds: int = 3, **r2: float) -> list[Document]:
    """Rules and peers on the first folds; each is a little better on every fold."""
    return [_rules(table, fold, r2) for fold in range(folds)]


def ebm_documents(table: str = "vehicle", folds: int = 3) -> list[Document]:
    found = {
        "scores": {"EBM": asdict(Score(0.7, 3.0))},
        "seconds": {"EBM": 6.0, "boosting": 2.0},
    }
    return [_stored(EbmTask(table, fold), found) for fold in range(folds)]


def _rules(table: str, fold: int, r2: dict[str, float]) -> Document:
    scores = {name: Score(r2.get(name, 0.5) + fold / 100, 2.0) for name in LEARNERS}
    seconds = {
        "rules": 4.0,
        "graded": 5.0,
        "tree": 0.1,
        "ridge": 0.1,
        "forest": 1.0,
        "boosting": 0.5,
    }
    figures = Figures(scores, seconds, 20, 11, "progression = 1 + 2 × (age>4)")
    return _stored(rules_task(table, fold), asdict(figures))


def _stored(task: Task, figures: Document) -> Document:
    return make_document(task, figures, ORIGIN, DATE)


def tiny_table() -> Table:
    """A number that one threshold tells, with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(0.0, 1.0, (60, 2))
    noiseless = np.where(X[:, 0] > 0, 10.0, 20.0)
    y = noiseless + rng.normal(0.0, 1.0, 60)
    return Table(X, y, ("size", "noise"), "price", noiseless)


def rows_of(part: Part) -> set[bytes]:
    """Rows as something that sets can hold."""
    return {row.tobytes() for row in part.X}
