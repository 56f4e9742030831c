"""Samples per second in training, beside the authors' own program."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from benchmarks.measuring import Patience, Run, Spread, in_turns
from benchmarks.tables import Row, Table, Verdict, number, stored, with_spread
from crisplogic import LogicClassifier
from crisplogic.estimators.params import network_depth, training_config
from crisplogic.nn import LogicNetwork
from crisplogic.training import TrainingConfig, TrainingData, train
from experiments.harness.processes import one_thread

TITLE = "Training: samples per second"
ABOUT = (
    "Rows times models times epochs per second of one core's time, 8 networks side by side,"
    " batches as the classifier chooses them, random tables of the shapes of five known ones."
    " *Default* are the networks of graded rules, which train in both phases; *paper* has the"
    " paper's network: linear memberships, depth 2, width 8. **The figures of the authors' C++"
    " program are from another machine**, one core, one row per step: the ratio compares"
    " machines as well as programs."
)
COPIES = 8
TARGET = 10.0
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


def config_of(
    classifier: LogicClassifier, rows: int, columns: int, classes: int
) -> TrainingConfig:
    """The classifier's own config, so that what it does is measured and not a copy of it."""
    depth = network_depth(classifier, None)
    return training_config(classifier, classifier._objective(classes), depth, rows, columns)


def training(task: Training) -> Run:
    """A function that trains a network further; its time does not depend on what is learned."""
    config = config_of(task.classifier, task.rows, task.columns, task.classes)
    settings = config.soft if task.phase == "soft" else config.snapped
    assert settings is not None
    generator = torch.Generator().manual_seed(0)
    network = LogicNetwork(
        task.columns,
        task.classes,
        config.width,
        config.depth,
        memberships=config.memberships,
        intercepts=config.intercepts,
        copies=task.copies,
        generator=generator,
    )
    network.snap(task.phase == "snapped")
    table = torch.rand(task.rows, task.columns, generator=generator, dtype=torch.float64)
    network.membership.fit(table)
    targets = torch.randint(task.classes, (task.rows,), generator=generator)
    rows = TrainingData(network.scale(table), targets)
    settings = replace(settings, epochs=task.epochs)
    return lambda: train(network, rows, settings, generator)


@dataclass(frozen=True)
class Shape:
    """A table's shape, and the samples per second of the authors' program on it."""

    rows: int
    columns: int
    classes: int
    authors: float


TABLES = {
    "breast cancer": Shape(699, 9, 2, 112_000),
    "diabetes": Shape(768, 8, 2, 126_000),
    "vehicle": Shape(846, 18, 4, 44_000),
    "waveform": Shape(5000, 21, 3, 10_000),
    "yeast": Shape(1484, 8, 10, 84_000),
}
NETWORKS: dict[str, dict[str, Any]] = {
    "default": {"literals": "graded"},
    "paper": {
        "literals": "graded",
        "memberships": "linear",
        "depth": 2,
        "width": 8,
        "pure": True,
    },
}


def measure(tables: Sequence[str], epochs: int, patience: Patience) -> list[Row]:
    """All networks on all tables, soft and snapped."""
    return [
        row
        for name in tables
        for network in NETWORKS
        for row in _measured(name, network, epochs, patience)
    ]


def table(rows: Sequence[Row]) -> Table:
    """The figures as text."""
    head = [
        "table (columns, classes)",
        "network",
        "phase",
        "rows per step",
        "samples per second",
        "authors' C++, another machine",
        "ratio",
    ]
    return Table(head, [_line(row) for row in rows])


def verdicts(rows: Sequence[Row]) -> list[Verdict]:
    """Every ratio has the same target."""
    return [
        Verdict(
            f"training, {row['table']}, {row['network']}, {row['phase']}",
            row["ratio"]["median"],
            TARGET,
            "x",
        )
        for row in rows
    ]


def _measured(name: str, network: str, epochs: int, patience: Patience) -> list[Row]:
    shape, classifier = TABLES[name], LogicClassifier(**NETWORKS[network])
    size = (shape.rows, shape.columns, shape.classes)
    with one_thread():
        runs = {
            phase: training(Training(*size, classifier, COPIES, phase, epochs))
            for phase in PHASES
        }
        seconds = in_turns(runs, patience, time.process_time)
    samples = shape.rows * COPIES * epochs
    return [
        {
            "table": name,
            "rows": shape.rows,
            "columns": shape.columns,
            "classes": shape.classes,
            "network": network,
            "phase": phase,
            "batch": config_of(
                classifier, shape.rows, shape.columns, shape.classes
            ).soft.batch_size,
            "turns": len(known),
            "samples_per_second": stored(Spread.of([samples / each for each in known])),
            "authors": shape.authors,
            "ratio": stored(Spread.of([samples / each / shape.authors for each in known])),
        }
        for phase, known in seconds.items()
    ]


def _line(row: Row) -> list[str]:
    return [
        f"{row['table']} ({row['columns']}, {row['classes']})",
        row["network"],
        row["phase"],
        str(row["batch"]),
        with_spread(row["samples_per_second"]),
        number(row["authors"]),
        with_spread(row["ratio"]),
    ]
