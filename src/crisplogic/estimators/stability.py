"""Measure how often the statements of an estimator's rules come back on resampled rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from crisplogic.errors import RuleError, TableError
from crisplogic.messages import list_some
from crisplogic.rules import RuleSet, Stability
from crisplogic.rules.analysis.stability import measure_stability
from crisplogic.search import Regression, TrainingSet, find_rules_of_parts
from crisplogic.training import Epoch, progress_bar
from crisplogic.weights import sample_rows

if TYPE_CHECKING:
    from crisplogic.estimators.base import LogicEstimator
    from crisplogic.estimators.views import Source

# The share of the rows that a resample has.
SHARE = 0.9


def resample(
    estimator: LogicEstimator,
    source: Source,
    most: int,
    depth: int | None,
    resamples: int,
    max_seconds: float | None,
) -> Stability:
    """Search rules on resampled rows of a table, and compare them with those of all rows.

    ``most`` literals are what the search of all rows was bounded to.
    """
    rules, encoder = estimator.rules_, estimator.encoder_
    if not rules.crisp:
        raise RuleError(
            "only the statements of crisp rules can come back, but these rules are graded; fit "
            "with literals='crisp'"
        )
    _require_same_table(estimator, source)
    matrix = encoder.matrix(source.columns)
    inputs = encoder.transform(matrix)
    every_row = np.arange(len(source.targets))
    whole = source.training_set(every_row, encoder, inputs)

    def parts() -> Iterator[TrainingSet]:
        # Every class in its proportion; numbers at random.
        y = whole.y * 0 if isinstance(whole.task, Regression) else whole.y
        n = max(1, int(SHARE * len(every_row)))
        for seed in range(resamples):
            rows = sample_rows(y, None, n, seed)
            yield source.training_set(rows, encoder, inputs)

    found: list[RuleSet] = []
    loss = estimator.history_[-1].loss
    with progress_bar({"resamples": resamples}, estimator.verbose) as on_epoch:
        for each in find_rules_of_parts(
            parts(), encoder.names, rules.size, most, depth, estimator.n_jobs, max_seconds
        ):
            found.append(estimator._finish(each, whole))
            on_epoch(Epoch("resamples", len(found), loss, None))
    return measure_stability(rules, found, matrix, whole.weights, resamples)


def _require_same_table(estimator: LogicEstimator, source: Source) -> None:
    """Rules of other columns or classes cannot be compared."""
    fitted: list[tuple[str, Any, Any]] = [
        ("columns", estimator.encoder_.features, source.schema.names),
    ]
    if not isinstance(source.targets.task, Regression):
        fitted.append(("classes", estimator.rules_.labels, source.targets.labels))
    for what, needed, given in fitted:
        if tuple(needed) != tuple(given):
            raise TableError(
                f"stability is measured on the table of the fit, with the {what} "
                f"{list_some(needed)}; got {list_some(given)}"
            )
