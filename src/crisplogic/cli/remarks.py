"""Remarks about a target: what was decided about it, and how to choose otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from crisplogic.cli.options import LossOption, Task
from crisplogic.io import Remark

if TYPE_CHECKING:
    from crisplogic.cli.options import LearningOptions
    from crisplogic.cli.tables import TrainingTable


def remarks_on(table: TrainingTable, options: LearningOptions) -> list[Remark]:
    """All remarks about a table: those of reading it, and those about its target."""
    regression = table.task == Task.REGRESSION
    found = (_remarks_on_number if regression else _remarks_on_classes)(table, options)
    return [*table.remarks, *found]


def _remarks_on_number(table: TrainingTable, options: LearningOptions) -> Iterator[Remark]:
    from crisplogic.rules.outliers import asks_for_logarithm, count_outliers, describe_tail

    y, weights, columns = table.y, table.weights, (table.target,)
    if weights is not None and not weights.any():
        return  # an error comes, which says so
    if table.inferred:
        yield Remark(
            "task",
            f"{table.target!r} has {len(np.unique(y))} different values, {y.min():.6g} to "
            f"{y.max():.6g}, and is learned as a number; --task classification learns classes",
            columns,
        )
    tail = options.target_transform is None and describe_tail(y, weights)
    if tail and options.loss == LossOption.AUTO:
        used = "--loss huber is used: they do not decide alone, and errors leave them out; "
        log = "--target-transform log (or log1p, where there are zeros) may suit it better"
        full = "--loss squared_error lets them count in full"
        first = used if count_outliers(y, weights) else ""
        advice = log if asks_for_logarithm(y, weights) else full
        yield Remark("tail", f"{tail}; {first}{advice}", columns)


def _remarks_on_classes(table: TrainingTable, options: LearningOptions) -> Iterator[Remark]:
    from crisplogic.rules.decision import choose_positive, positive_by_name

    classes, columns = table.classes, (table.target,)
    if table.inferred and table.y.dtype.kind == "i" and len(classes) > 2:
        yield Remark(
            "task",
            f"{table.target!r} has {len(classes)} different whole numbers, {classes[0]} to "
            f"{classes[-1]}, and is learned as classes; --task regression learns a number",
            columns,
        )
    asked = options.positive is not None
    if len(classes) == 2 and not asked and positive_by_name(classes) is None:
        positive = classes[choose_positive(classes, table.class_weights)]
        yield Remark(
            "positive",
            f"the rules speak of the class {str(positive)!r}, which is no more frequent than "
            "the other; --positive chooses",
            columns,
        )
