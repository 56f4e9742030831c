"""How good rules for a number are on rows they were not learned from."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import RepeatedKFold

from crisplogic.cli.evaluation import CONFIDENCE, Estimate, Sizes, Trial, estimate
from crisplogic.cli.tables import Material
from crisplogic.errors import TableError
from crisplogic.estimators.base import LogicEstimator
from crisplogic.estimators.cross_validation import cross_validate
from crisplogic.rules.metrics import (
    mean_absolute_error,
    r_squared,
    root_mean_squared_error,
)
from crisplogic.rules.number_format import four_digits

Floats = NDArray[np.float64]
Split = tuple[NDArray[np.intp], NDArray[np.intp]]
ROWS_A_FOLD = 2  # one row alone has no variance to be explained


class _Measure(NamedTuple):
    """Something that predictions are measured by, and what it is at least and at most."""

    title: str
    of: Callable[[Floats, Floats, Floats | None], float]
    least: float = -math.inf
    most: float = math.inf


MEASURES = {
    "rmse": _Measure("root mean squared error", root_mean_squared_error, least=0.0),
    "mae": _Measure("mean absolute error", mean_absolute_error, least=0.0),
    "r2": _Measure("R²", r_squared, most=1.0),
}


@dataclass(frozen=True)
class NumberEvaluation:
    """What repeated cross-validation found, by the names of :data:`MEASURES`.

    ``guessing`` is the root mean squared error of the mean of the rows that were learned from.
    """

    trial: Trial
    rules: dict[str, Estimate]
    network: dict[str, Estimate]
    guessing: float
    literals: Sizes

    def to_dict(self) -> dict[str, Any]:
        """As JSON knows it."""
        return {
            **self.trial.to_dict(),
            **{name: found.to_dict() for name, found in self.rules.items()},
            **{f"network_{name}": found.to_dict() for name, found in self.network.items()},
            "rmse_of_mean": self.guessing,
            "literals": self.literals.to_dict(),
        }

    def to_text(self) -> str:
        """As a person reads it."""
        table = [("", "rules", "network")] + [
            (measure.title, _shown(self.rules[name]), _shown(self.network[name]))
            for name, measure in MEASURES.items()
        ]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        return "\n".join(
            [
                self.trial.to_text(),
                "",
                *("  ".join(map(str.ljust, row, widths)).rstrip() for row in table),
                "",
                f"in brackets: what the truth lies between with {CONFIDENCE:.0%} confidence",
                f"always the mean: root mean squared error {four_digits(self.guessing)}",
                self.literals.to_text(),
            ]
        )


def _shown(found: Estimate) -> str:
    mean, low, high = map(four_digits, (found.mean, found.low, found.high))
    return f"{mean} ({low} to {high})"


def evaluated(
    regressor: LogicEstimator, material: Material, folds: int, repeats: int, seed: int
) -> NumberEvaluation:
    """Cross-validate, all folds of all repeats trained at once."""
    rows = len(material.y)
    if rows < ROWS_A_FOLD * folds:
        raise TableError(
            f"each of {folds} folds needs {ROWS_A_FOLD} rows or more to try rules on, but "
            f"there are {rows} in all; use fewer --folds"
        )
    splitter = RepeatedKFold(n_splits=folds, n_repeats=repeats, random_state=seed)
    splits = list(splitter.split(np.empty(rows)))
    scores = cross_validate(
        regressor,
        material.columns,
        material.y,
        cv=splits,
        sample_weight=material.weights,
        return_estimator=True,
    )
    tried = _Tried(material, splits)
    fitted = scores["estimator"]
    return NumberEvaluation(
        Trial(rows, folds, repeats),
        tried.estimates(tried.predicted(fitted, "rules"), folds),
        tried.estimates(tried.predicted(fitted, "network"), folds),
        float(tried.measured(tried.means(), root_mean_squared_error).mean()),
        Sizes.of(scores["literals"]),
    )


class _Tried(NamedTuple):
    """Rows to try predictions on, fold after fold."""

    material: Material
    splits: list[Split]

    def predicted(self, fitted: Sequence[LogicEstimator], by: str) -> list[Floats]:
        """What rules or networks say of the rows of their folds."""
        table = self.material.columns
        return [
            one.set_params(predict_with=by).predict(table.take(test))
            for one, (_, test) in zip(fitted, self.splits, strict=True)
        ]

    def means(self) -> list[Floats]:
        """The mean of the rows to learn from, for each row of a fold."""
        y, weights = self.material.y, self.material.weights
        return [
            np.full(
                len(test),
                np.average(y[train], weights=None if weights is None else weights[train]),
            )
            for train, test in self.splits
        ]

    def estimates(self, predicted: list[Floats], folds: int) -> dict[str, Estimate]:
        """All measures of what was predicted."""
        return {
            name: estimate(self.measured(predicted, each.of), folds, each.least, each.most)
            for name, each in MEASURES.items()
        }

    def measured(
        self,
        predicted: list[Floats],
        measure: Callable[[Floats, Floats, Floats | None], float],
    ) -> Floats:
        """One measure, a value a fold. Shape: (folds,)."""
        y, weights = self.material.y, self.material.weights
        return np.array(
            [
                measure(y[test], each, None if weights is None else weights[test])
                for each, (_, test) in zip(predicted, self.splits, strict=True)
            ]
        )
