"""Made-up folds and tables."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pandas as pd

from experiments.harness.origin import Origin
from experiments.harness.store import Document
from experiments.harness.tasks import make_document
from experiments.other_tables.page import LEARNERS
from experiments.other_tables.tables import Table
from experiments.other_tables.tasks import Measured, fold_task

ORIGIN = Origin("python -m experiments.other_tables", "Abacus", 2, {"python": "3.11"})
DATE = "2026-11-15T12:00:00+00:00"


def document(table: str = "penguins", fold: int = 0, **errors: float) -> Document:
    """A fold on which all learners err in one row of ten, or as given."""
    learners = {
        name: asdict(
            Measured(
                errors.get(name.replace(" ", "_"), 0.1),
                None if name in ("network", "linear", "boosting") else 7,
                None if name == "network" else 1.5,
            )
        )
        for name in LEARNERS
    }
    task = fold_task(table, fold)
    known = {"rows": 344, "columns": 7, "categories": 2, "gaps": 0.008, "classes": 3}
    if task.question()["source"]["is_number"]:
        known["classes"] = 0
    return make_document(task, {**known, "learners": learners}, ORIGIN, DATE)


def tiny_table(is_number: bool) -> Table:
    """A category and a number with gaps, both of which tell the target."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "colour": rng.choice(np.array(["red", "blue", "green"], dtype=object), 60),
            "size": rng.normal(0.0, 1.0, 60),
        }
    )
    large = (frame["size"] > 0).to_numpy() | (frame["colour"] == "red").to_numpy()
    frame.loc[[3, 9], "size"] = np.nan
    frame.loc[5, "colour"] = None
    if is_number:
        return Table(frame, np.where(large, 10.0, 2.0) + rng.normal(0.0, 0.5, 60), True)
    return Table(frame, np.where(large, "yes", "no").astype(object), False)
