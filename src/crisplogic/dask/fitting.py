"""A fit as tasks: one pass over the partitions, learning from a sample, and another pass."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any, NamedTuple

from dask.delayed import delayed
from sklearn.base import clone, is_regressor

from crisplogic.constraints import find_forbidden
from crisplogic.dask.partitions import Partitions, merge_tree
from crisplogic.estimators.base import LogicEstimator
from crisplogic.estimators.streamed import (
    SAMPLE_ROWS,
    FirstPass,
    Learned,
    Roles,
    TargetReader,
    Uses,
    finish,
    from_first_pass,
    learn,
    make_measure,
    measure_all_rows,
    merge_measures,
)
from crisplogic.rules.analysis.all_rows import AllRowsMeasure
from crisplogic.streaming import Examples
from crisplogic.tables import Kind


class Fitted(NamedTuple):
    """An estimator that has learned from a sample, and what the last pass needs.

    Without a ``measure`` the sample was the whole table. Warnings are those of the worker.
    """

    estimator: LogicEstimator
    learned: Learned
    reader: TargetReader
    uses: Uses
    measure: AllRowsMeasure | None
    warnings: tuple[Warning, ...]


def fit_task(
    estimator: LogicEstimator, partitions: Partitions, sample_rows: int = SAMPLE_ROWS
) -> Any:
    """A task that returns the estimator fitted to all partitions, and its warnings."""
    number = is_regressor(estimator)
    excluded = find_forbidden(list(partitions.kinds), estimator.forbidden_columns or ())
    partitions = partitions.without(excluded)
    roles = Roles(tuple(partitions.kinds), partitions.target)
    look = partial(_look, sample_rows=sample_rows, classes=not number)
    found = merge_tree(partitions.map(look, number=number), FirstPass.merge)
    fitted = delayed(_learn)(estimator, found, roles, partitions.target_kind)
    measured = partitions.map(_measure, fitted, number=number)
    total = merge_tree(measured, merge_measures)
    return delayed(_finish)(fitted, total, partitions.named)


def _look(part: Examples, *, sample_rows: int, classes: bool) -> FirstPass | None:
    return FirstPass.of([part], len(part.columns.columns), sample_rows, classes)


def _learn(
    estimator: LogicEstimator, found: FirstPass | None, roles: Roles, target: Kind
) -> Fitted:
    """Learn from the sample, on one core of one worker."""
    one = clone(estimator)
    one.set_params(n_jobs=1 if one.n_jobs is None else one.n_jobs)
    learned = from_first_pass(found, roles, "the table")
    reader = TargetReader(learned.statistics, roles.target)
    if target != "number":  # classes are what the column holds: truth values, or text
        truth = {"False": False, "True": True}
        reader.labels = {
            word: word if target == "category" else truth[word] for word in reader.labels
        }
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        uses = learn(one, learned, reader)
    one.set_params(n_jobs=estimator.n_jobs)
    measure = None if learned.is_whole else make_measure(one, learned, reader, uses)
    said = tuple(each.message for each in caught if isinstance(each.message, Warning))
    return Fitted(one, learned, reader, uses, measure, said)


def _measure(part: Examples, fitted: Fitted) -> AllRowsMeasure | None:
    if fitted.measure is None:
        return None
    rows = fitted.learned.statistics.rows
    own = fitted.measure.empty()
    return measure_all_rows(own, [part], fitted.reader, fitted.uses, rows)


def _finish(
    fitted: Fitted, measure: AllRowsMeasure | None, named: bool
) -> tuple[LogicEstimator, tuple[Any, ...], tuple[Warning, ...]]:
    if measure is not None:
        finish(fitted.estimator, measure)
    if not named:  # as after a fit to an array in memory
        fitted.estimator.__dict__.pop("feature_names_in_", None)
    return fitted.estimator, fitted.learned.remarks, fitted.warnings
