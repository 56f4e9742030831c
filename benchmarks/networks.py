"""Trainings to measure: networks as the classifier would make them, on random tables."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch

from benchmarks.turns import Run
from crisplogic import LogicClassifier
from crisplogic.nn import LogicNetwork
from crisplogic.training import Rows, train

PHASES = ("soft", "snapped")


@dataclass(frozen=True)
class Training:
    """A table's shape, the classifier that trains on it, and for how long.

    ``copies`` is None for a single network without a dimension for copies.
    """

    rows: int
    columns: int
    classes: int
    classifier: LogicClassifier
    copies: int | None = None
    phase: str = "soft"
    epochs: int = 1


def training(task: Training) -> Run:
    """Something to call that trains on: the time does not depend on what is learned."""
    # The classifier's own plan, so that what it does is measured and not a copy of it.
    plan = task.classifier._plan(task.rows, task.columns, task.classes)
    settings = plan.soft if task.phase == "soft" else plan.snapped
    assert settings is not None
    generator = torch.Generator().manual_seed(0)
    network = LogicNetwork(
        task.columns,
        task.classes,
        plan.width,
        plan.depth,
        memberships=plan.memberships,
        intercepts=plan.intercepts,
        copies=task.copies,
        generator=generator,
    )
    network.snap(task.phase == "snapped")
    table = torch.rand(task.rows, task.columns, generator=generator, dtype=torch.float64)
    network.membership.fit(table)
    targets = torch.randint(task.classes, (task.rows,), generator=generator)
    rows = Rows(network.scaled(table), targets)
    settings = replace(settings, epochs=task.epochs)
    return lambda: train(network, rows, settings, generator)
