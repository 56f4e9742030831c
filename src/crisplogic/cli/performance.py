"""How good rules are on some rows, beside a baseline: as text and as JSON."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.rules import ClassificationRules, RegressionRules, RuleSet
from crisplogic.rules.formatting import written_label
from crisplogic.rules.metrics import (
    majority_error,
    mean_absolute_error,
    mean_area_under_curve,
    r_squared,
    rmse_of_mean,
    root_mean_squared_error,
)
from crisplogic.rules.number_format import four_digits
from crisplogic.rules.outliers import is_far
from crisplogic.rules.rule import Label
from crisplogic.rules.targets import class_positions

Floats = NDArray[np.float64]

# A table of more classes than this is not read, and hardly fits on a terminal.
MOST_CLASSES = 12
MOST_LETTERS = 20  # of a class at the head of a column


@dataclass(frozen=True, eq=False)
class Confusion:
    """How often each class (first axis) is predicted as each class (second axis).

    Shape: ``counts`` (classes, classes). Where rows have weights, these are added up.
    """

    labels: tuple[Label, ...]
    counts: Floats

    @classmethod
    def of(
        cls,
        labels: Sequence[Label],
        truth: NDArray[np.intp],
        predicted: NDArray[np.intp],
        weights: Floats | None = None,
    ) -> Confusion:
        """From the positions of classes. Shape: (rows,) each.

        >>> truth, predicted = np.array([0, 0, 1]), np.array([0, 1, 1])
        >>> print(Confusion.of(("no", "yes"), truth, predicted).to_text())
             predicted
              no  yes  recall
        no     1    1   50.0%
        yes    0    1  100.0%
        """
        counts = np.zeros((len(labels), len(labels)))
        np.add.at(counts, (truth, predicted), 1.0 if weights is None else weights)
        return cls(tuple(labels), counts)

    @property
    def recalls(self) -> list[float]:
        """The share of each class that is predicted correctly; NaN for a class without rows."""
        return [
            float(row[at] / row.sum()) if row.sum() else math.nan
            for at, row in enumerate(self.counts)
        ]

    def to_dict(self) -> dict[str, Any]:
        """The table for JSON: one list a true class, in the order of the classes."""
        return {"classes": list(self.labels), "counts": self.counts.tolist()}

    def to_text(self) -> str:
        """The table, true classes down and predicted classes across; recalls at the end.

        Of many classes the recalls alone are shown.
        """
        heads = [_shorten(written_label(label)) for label in self.labels]
        first = max(map(len, heads))
        recalls = [f"{share:.1%}" if math.isfinite(share) else "-" for share in self.recalls]
        if len(heads) > MOST_CLASSES:
            rows = zip(heads, recalls, self.counts.sum(axis=1).tolist(), strict=True)
            lines = (f"  {head:<{first}}  {it:>6} of {_count(n)}" for head, it, n in rows)
            return "\n".join(["recall of every class:", *lines])
        cells = [list(map(_count, row)) for row in self.counts.tolist()]
        columns = zip(heads, *cells, strict=True)
        widths = [max(3, *map(len, column)) for column in columns]
        table = zip(["", *heads], [heads, *cells], ["recall", *recalls], strict=True)
        lines = (
            f"{head:<{first}}  {'  '.join(map(str.rjust, row, widths))}  {recall:>6}"
            for head, row, recall in table
        )
        return "\n".join([f"{'':<{first}}  predicted", *lines])


class Performance(ABC):
    """How good rules are on some rows, and a prediction that is the same for all rows."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The figures for JSON."""

    @abstractmethod
    def to_text(self, network_error: float) -> str:
        """The figures for a person to read, beside the error of the network."""


@dataclass(frozen=True, eq=False)
class ClassPerformance(Performance):
    """Error, area under the ROC curve, and the table of classes.

    ``baseline`` is the error of always predicting ``most_frequent``.
    """

    error: float
    baseline: float
    most_frequent: Label
    auc: float
    confusion: Confusion

    def to_dict(self) -> dict[str, Any]:
        """The figures for JSON."""
        return {
            "error": self.error,
            "error_of_guessing": self.baseline,
            "auc": self.auc if math.isfinite(self.auc) else None,
            "confusion": self.confusion.to_dict(),
        }

    def to_text(self, network_error: float) -> str:
        """The figures for a person to read."""
        guess = f"always {written_label(self.most_frequent)} {self.baseline:.1%}"
        lines = [f"error  {self.error:.1%}  (network {network_error:.1%}, {guess})"]
        if math.isfinite(self.auc):
            several = len(self.confusion.labels) > 2
            mean = ", the mean of every class against the rest" if several else ""
            lines.append(f"AUC    {self.auc:.3f}  (guessing 0.500{mean})")
        return "\n".join([*lines, "", self.confusion.to_text()])


@dataclass(frozen=True, eq=False)
class NumberPerformance(Performance):
    """Errors in the units of the number; ``baseline`` is the error of the mean.

    So many rows are ``left_out`` because their number is far from all others.
    """

    rmse: float
    mae: float
    r2: float
    baseline: float
    left_out: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The figures for JSON."""
        errors = {"rmse": self.rmse, "mae": self.mae, "r2": self.r2}
        left_out = {"left_out": self.left_out} if self.left_out else {}
        return {**errors, "rmse_of_mean": self.baseline, **left_out}

    def to_text(self, network_error: float) -> str:
        """The figures for a person to read."""
        rmse, mae, r2, mean, network = map(
            four_digits, (self.rmse, self.mae, self.r2, self.baseline, network_error)
        )
        rows = f"without {self.left_out} row(s) whose number is far from all others"
        without = f"\n({rows})" if self.left_out else ""
        return (
            f"root mean squared error  {rmse}  (network {network}, always the mean {mean})\n"
            f"mean absolute error      {mae}\n"
            f"R²                       {r2}{without}"
        )


def measure_performance(
    rules: RuleSet, table: Any, y: Any, sample_weight: Any = None, left_out: int = 0
) -> Performance:
    """How good rules are on rows whose classes or numbers are known.

    If a robust fit ``left_out`` rows, these are left out here, too.
    """
    matrix = rules.matrix(table)
    targets = rules.read_targets(len(matrix), y, sample_weight)
    truth, weights = targets.values, targets.weights
    assert truth is not None
    if isinstance(rules, RegressionRules):
        numbers = rules.predict(matrix, coded=True)
        if left_out:
            kept = ~is_far(rules.transformed(truth), weights)
            truth, numbers = truth[kept], numbers[kept]
            weights = None if weights is None else weights[kept]
        return NumberPerformance(
            root_mean_squared_error(truth, numbers, weights),
            mean_absolute_error(truth, numbers, weights),
            r_squared(truth, numbers, weights),
            rmse_of_mean(truth, weights),
            left_out,
        )
    assert isinstance(rules, ClassificationRules)
    probabilities = rules.predict_proba(matrix, coded=True)
    predicted = class_positions(rules.predict(matrix, coded=True), rules.labels)
    confusion = Confusion.of(rules.labels, truth, predicted, weights)
    return ClassPerformance(
        error=float(np.average(predicted != truth, weights=weights)),
        baseline=majority_error(truth, weights),
        most_frequent=rules.labels[int(np.bincount(truth, weights).argmax())],
        auc=mean_area_under_curve(probabilities, truth, weights),
        confusion=confusion,
    )


def _count(number: float) -> str:
    """A count, or a sum of weights or a mean of counts with one more digit."""
    return f"{number:.0f}" if number == round(number) else f"{number:.1f}"


def _shorten(label: str) -> str:
    return label if len(label) <= MOST_LETTERS else f"{label[: MOST_LETTERS - 1]}…"
