"""From a table in a file to what was learned from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import typer
from numpy.typing import NDArray

from crisplogic.cli.app import shows_progress
from crisplogic.cli.options import ColumnOptions, LearningOptions, Task, parameters_for
from crisplogic.cli.progress import watched_share
from crisplogic.io import Cells, Layout, check_classes, looks_continuous, read_table
from crisplogic.tables import Columns

if TYPE_CHECKING:
    from crisplogic.estimators.base import LogicEstimator
    from crisplogic.rules import Frontier, RuleSet, SnapReport


@dataclass(frozen=True)
class Material:
    """What is learned from: columns, what is to be predicted of rows, and what they count.

    Shape: ``y`` (rows,), texts where classes are to be learned, or numbers; ``weights``
    (rows,), or None. ``remarks`` are for people: what was decided about the table.
    """

    name: str
    columns: Columns
    y: NDArray[Any]
    weights: NDArray[np.float64] | None = None
    left_out: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def classes(self) -> list[str] | None:
        """The classes in order; None where numbers are to be learned."""
        return None if self.y.dtype.kind == "f" else np.unique(self.y).tolist()

    def counted(self) -> Material:
        """Without the rows that count for nothing, unless that is all of them."""
        if self.weights is None or not self.weights.any():
            return self
        rows = np.flatnonzero(self.weights)
        columns, weights = self.columns.take(rows), self.weights[rows]
        return replace(self, columns=columns, y=self.y[rows], weights=weights)


def read_material(path: Path, asked: ColumnOptions, layout: Layout, quiet: bool) -> Material:
    """Read a file to learn from; progress is shown unless it is ``quiet``."""
    with watched_share(f"reading {path.name}", shows_progress(quiet)) as on_progress:
        table = read_table(
            path,
            asked.target,
            drop=asked.drop or (),
            categories=asked.category or (),
            weight=asked.weight,
            layout=layout,
            on_progress=on_progress,
        )
    assert table.target is not None
    y = _answers(table.target, asked.target, asked.task)
    remarks = []
    if table.left_out:
        names = ", ".join(map(repr, table.left_out))
        remarks.append(f"left out, texts nearly all different: {names}")
    if y.dtype.kind == "f" and asked.task == Task.AUTO:
        remarks.append(
            f"{asked.target!r} is learned as a number (--task classification: as classes)"
        )
    return Material(
        name=asked.target.strip(),
        columns=table.columns,
        y=y,
        weights=table.weights,
        left_out=table.left_out,
        remarks=tuple(remarks),
    )


def _answers(cells: Cells, target: str, task: Task) -> NDArray[Any]:
    """What is to be learned: numbers or the names of classes. Shape: (rows,)."""
    numbers = cells.numbers if task == Task.AUTO else None
    if task == Task.REGRESSION or (numbers is not None and looks_continuous(numbers)):
        return cells.require_numbers(advice="; correct it, or learn classes (--task classification)")
    labels = cells.texts
    check_classes(labels, target)
    return labels


def estimator_for(
    material: Material, asked: LearningOptions, quiet: bool, **more: Any
) -> LogicEstimator:
    """What is to learn: a classifier or a regressor, which is given what is asked for.

    Unless it is ``quiet``, remarks are made now that nothing stands in the way of learning.
    """
    names = material.columns.names or ()
    parameters = parameters_for(asked, names, material.classes)
    if material.remarks and not quiet:
        typer.echo("\n".join(material.remarks) + "\n", err=True)

    from crisplogic import estimators  # takes seconds; errors come at once

    kind: Any = estimators.LogicClassifier
    if material.classes is None:
        kind = estimators.LogicRegressor
    estimator: LogicEstimator = kind(**parameters, **more, verbose=shows_progress(quiet))
    return estimator


@dataclass(frozen=True)
class Lesson:
    """What was learned: the rules that were chosen, and those of all sizes."""

    rules: RuleSet
    frontier: Frontier
    report: SnapReport


def taught(
    estimator: LogicEstimator, material: Material, checkpoint: Path | None = None
) -> Lesson:
    """Fit an estimator on a table from a file."""
    estimator.fit(material.columns, material.y, material.weights, checkpoint)
    fitted: Any = estimator  # each kind has a report of its own
    rules, frontier = fitted.rules_, fitted.frontier_
    if material.classes is None:
        (label,) = rules.labels
        rules = rules.rename(labels={label: material.name})
        frontier = frontier.map_rules(lambda each: each.rename(labels={label: material.name}))
    return Lesson(rules, frontier, fitted.snap_report_)
