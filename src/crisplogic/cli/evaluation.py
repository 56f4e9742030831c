"""Repeated cross-validation with confidence intervals."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student
from sklearn.metrics import accuracy_score
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold

from crisplogic.cli.options import Task
from crisplogic.cli.performance import Confusion
from crisplogic.cli.tables import TrainingTable
from crisplogic.errors import TableError, TargetWarning, UnseenValuesWarning
from crisplogic.estimators.base import LogicEstimator
from crisplogic.estimators.cross_validation import corrected_standard_error, fit_splits
from crisplogic.rules.metrics import (
    majority_error,
    mean_absolute_error,
    mean_area_under_curve,
    r_squared,
    root_mean_squared_error,
)
from crisplogic.rules.number_format import four_digits
from crisplogic.rules.outliers import is_far
from crisplogic.rules.targets import class_positions
from crisplogic.tables import UnseenValues, unseen_values_ignored

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
Split = tuple[Rows, Rows]  # to learn from, to test on
Compute = Callable[[NDArray[Any], NDArray[Any], Floats | None], float]
CONFIDENCE = 0.95
ROWS_PER_FOLD = 2  # a single row has no variance to explain


# What is measured


def error_rate(y: NDArray[Any], predicted: NDArray[Any], weights: Floats | None) -> float:
    """The share of wrong predictions. Shape: (rows,) each."""
    return 1 - float(accuracy_score(y, predicted, sample_weight=weights))


class Metric(NamedTuple):
    """A measure of predictions, and the bounds of its values."""

    title: str
    compute: Compute
    lower: float = -math.inf
    upper: float = math.inf


METRICS: dict[Task, dict[str, Metric]] = {
    Task.CLASSIFICATION: {"error": Metric("error", error_rate, lower=0.0, upper=1.0)},
    Task.REGRESSION: {
        "rmse": Metric("root mean squared error", root_mean_squared_error, lower=0.0),
        "mae": Metric("mean absolute error", mean_absolute_error, lower=0.0),
        "r2": Metric("R²", r_squared, upper=1.0),
    },
}

# The names of baselines in JSON.
BASELINES = {Task.CLASSIFICATION: "error_of_guessing", Task.REGRESSION: "rmse_of_mean"}


class Estimate(NamedTuple):
    """A mean over folds and its confidence interval."""

    mean: float
    low: float
    high: float


def estimate(
    values: Floats, folds: int, lower: float = -math.inf, upper: float = math.inf
) -> Estimate:
    """The mean and its 95 % interval, by the corrected t-test of Nadeau and Bengio.

    The interval is clipped to ``lower`` and ``upper``.

    >>> found = estimate(np.array([0.1, 0.2, 0.1, 0.2]), folds=4)
    >>> [round(value, 3) for value in (found.low, found.mean, found.high)]
    [0.01, 0.15, 0.29]
    """
    error = corrected_standard_error(values, test_share=1 / (folds - 1))
    margin = float(student.ppf((1 + CONFIDENCE) / 2, len(values) - 1)) * error
    mean = float(values.mean())
    return Estimate(mean, max(lower, mean - margin), min(upper, mean + margin))


# What was found


@dataclass(frozen=True)
class Evaluation:
    """Estimates for rules and networks, by the names of :data:`METRICS`.

    ``baseline`` is the first metric of a prediction that is the same for all rows;
    ``literals`` are the sizes of the rules of all folds. Only classes have a ``confusion``, in
    which every row counts once: repeats are averaged. ``unseen`` are values of held-out rows
    that their folds never saw, in columns that the rules of these folds mention. So many rows
    are ``left_out`` because their number is far from all others.
    """

    task: Task
    rows: int
    folds: int
    repeats: int
    rules: Mapping[str, Estimate]
    network: Mapping[str, Estimate]
    baseline: float
    literals: Sequence[int]
    confusion: Confusion | None = None
    unseen: UnseenValues = field(default_factory=lambda: UnseenValues(0))
    left_out: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The evaluation for JSON."""
        sizes = self.literals
        return {
            **{"rows": self.rows, "folds": self.folds, "repeats": self.repeats},
            **({"left_out": self.left_out} if self.left_out else {}),
            "confidence": CONFIDENCE,
            **{name: found._asdict() for name, found in self.rules.items()},
            **{f"network_{name}": found._asdict() for name, found in self.network.items()},
            BASELINES[self.task]: self.baseline,
            "literals": {"mean": _mean(sizes), "least": min(sizes), "most": max(sizes)},
            **({} if self.confusion is None else _confusion_entries(self.confusion)),
            "unseen": self.unseen.to_dict(),
        }

    def to_text(self) -> str:
        """The evaluation for a person to read."""
        sizes = self.literals
        repeats = f"{self.repeats} repeat{'s' * (self.repeats > 1)}"
        without = f" (without {self.left_out} far from all others)" if self.left_out else ""
        regression = self.task == Task.REGRESSION
        return "\n".join(
            [
                f"{self.rows} rows, {self.folds} folds, {repeats}; on held-out rows{without}:",
                "",
                *(_regression_lines(self) if regression else _classification_lines(self)),
                f"literals  {_mean(sizes):.1f} on average, {min(sizes)} to {max(sizes)}",
                *([] if self.confusion is None else ["", self.confusion.to_text()]),
            ]
        )


def _classification_lines(evaluation: Evaluation) -> list[str]:
    def line(what: str, found: Estimate, style: str) -> str:
        mean, low, high = (format(number, style) for number in found)
        return f"{what:<20}  {mean}  ({low} to {high} with {CONFIDENCE:.0%} confidence)"

    pairs = (("rules", evaluation.rules), ("network", evaluation.network))
    return [
        *(line(f"error of the {who}", found["error"], ".1%") for who, found in pairs),
        f"always the most frequent class: {evaluation.baseline:.1%}",
        *(line(f"AUC of the {who}", f["auc"], ".3f") for who, f in pairs if "auc" in f),
    ]


def _regression_lines(evaluation: Evaluation) -> list[str]:
    def cell(found: Estimate) -> str:
        mean, low, high = map(four_digits, found)
        return f"{mean} ({low} to {high})"

    table = [("", "rules", "network")] + [
        (metric.title, cell(evaluation.rules[name]), cell(evaluation.network[name]))
        for name, metric in METRICS[Task.REGRESSION].items()
    ]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        *("  ".join(map(str.ljust, row, widths)).rstrip() for row in table),
        "",
        f"in brackets: {CONFIDENCE:.0%} confidence intervals",
        f"always the mean: root mean squared error {four_digits(evaluation.baseline)}",
    ]


def _confusion_entries(confusion: Confusion) -> dict[str, Any]:
    # The mean over repeats misses whole numbers by rounding errors.
    rows = [float(f"{count:.12g}") for count in confusion.counts.sum(axis=1)]
    recalls = zip(confusion.labels, rows, confusion.recalls, strict=True)
    return {
        "classes": [{"class": c, "rows": rows, "recall": share} for c, rows, share in recalls],
        "confusion": confusion.counts.tolist(),
    }


def _mean(sizes: Sequence[int]) -> float:
    return float(np.mean(sizes))


# Cross-validation


def evaluate_estimator(
    estimator: LogicEstimator, table: TrainingTable, folds: int, repeats: int, seed: int
) -> Evaluation:
    """Cross-validate; all folds of all repeats are trained at once."""
    splits = _Splits(table, _split(table, folds, repeats, seed), folds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TargetWarning)  # the remarks say the same
        fitted = fit_splits(
            estimator, table.columns, table.y, splits.rows, sample_weight=table.weights
        )
    far = _left_out(fitted, table)
    splits = splits.without(far)
    regression = table.task == Task.REGRESSION
    with warnings.catch_warnings():  # told once, of all folds
        warnings.simplefilter("ignore", UnseenValuesWarning)
        predicted = splits.predict(fitted, "rules")
        estimates = {by: splits.estimates(fitted, by) for by in ("rules", "network")}
    return Evaluation(
        task=table.task,
        rows=len(table.y),
        left_out=int(far.sum()),
        folds=folds,
        repeats=repeats,
        rules=estimates["rules"],
        network=estimates["network"],
        baseline=splits.rmse_of_mean() if regression else _error_of_guessing(table),
        literals=[each.rules_.size for each in fitted],
        confusion=None if regression else splits.confusion(predicted),
        unseen=splits.unseen(fitted),
    )


def _left_out(fitted: Sequence[Any], table: TrainingTable) -> NDArray[np.bool_]:
    """Rows whose number is far from all others, if the loss is a robust one. Shape: (rows,)."""
    if table.task == Task.REGRESSION and any(each.snap_report_.left_out for each in fitted):
        return is_far(fitted[0].rules_.transformed(table.y), table.weights)
    return np.zeros(len(table.y), dtype=bool)


def _split(table: TrainingTable, folds: int, repeats: int, seed: int) -> list[Split]:
    """The rows to learn from and the rows to test on, fold by fold; stratified by class."""
    if table.task == Task.REGRESSION:
        _check_rows(len(table.y), folds)
        splitter = RepeatedKFold(n_splits=folds, n_repeats=repeats, random_state=seed)
        return list(splitter.split(table.y))
    _check_classes(table.y, folds)
    stratified = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=seed)
    with warnings.catch_warnings():  # a class with fewer rows than folds is in some folds only
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        return list(stratified.split(np.empty(len(table.y)), table.y))


def _check_rows(rows: int, folds: int) -> None:
    if rows < ROWS_PER_FOLD * folds:
        raise TableError(
            f"every fold needs at least {ROWS_PER_FOLD} rows to test on, but there are {rows} "
            f"rows for {folds} folds; use fewer --folds"
        )


def _check_classes(labels: NDArray[Any], folds: int) -> None:
    classes, counts = np.unique(labels, return_counts=True)
    rarest, largest = int(counts.argmin()), int(counts.argmax())
    if counts[rarest] < 2 or counts[largest] < folds:
        raise TableError(
            f"every class needs at least 2 rows, the largest at least as many as --folds "
            f"({folds}); {str(classes[rarest])!r} has {counts[rarest]} and "
            f"{str(classes[largest])!r} {counts[largest]}. Use fewer --folds, or leave out "
            "rare classes"
        )


def _error_of_guessing(table: TrainingTable) -> float:
    """The error rate of the most frequent class."""
    codes = np.unique(table.y, return_inverse=True)[1]
    return majority_error(codes, table.weights)


class _Splits(NamedTuple):
    """A table, the rows of its splits, and how many folds make up one repeat."""

    table: TrainingTable
    rows: list[Split]
    folds: int

    def without(self, rows: NDArray[np.bool_]) -> _Splits:
        """The splits without some rows."""
        kept = [(train[~rows[train]], test[~rows[test]]) for train, test in self.rows]
        return self._replace(rows=kept)

    def predict(self, fitted: Sequence[LogicEstimator], by: str) -> list[NDArray[Any]]:
        """The predictions of rules or networks for the rows to test on."""
        columns = self.table.columns
        with unseen_values_ignored():
            return [
                one.set_params(predict_with=by).predict(columns.take(test))
                for one, (_, test) in zip(fitted, self.rows, strict=True)
            ]

    def unseen(self, fitted: Sequence[LogicEstimator]) -> UnseenValues:
        """The values of the rows to test on that the rules of their folds do not know."""
        tests = (self.table.columns.take(test) for _, test in self.rows)
        found = map(lambda one, rows: one.rules_.unseen_values(rows), fitted, tests)
        return sum(found, start=UnseenValues(0))

    def estimates(self, fitted: Sequence[LogicEstimator], by: str) -> dict[str, Estimate]:
        """All metrics of the predictions by rules or networks."""
        predicted = self.predict(fitted, by)
        found = {
            name: estimate(
                self.measure(metric.compute, predicted), self.folds, metric.lower, metric.upper
            )
            for name, metric in METRICS[self.table.task].items()
        }
        if self.table.task == Task.CLASSIFICATION:
            areas = self.areas(fitted, by)
            if len(areas) > 1:
                found["auc"] = estimate(areas, self.folds, lower=0.0, upper=1.0)
        return found

    def areas(self, fitted: Sequence[LogicEstimator], by: str) -> Floats:
        """The areas under the ROC curve, of folds with rows of several classes."""
        found = []
        for one, (_, test) in zip(fitted, self.rows, strict=True):
            classifier: Any = one.set_params(predict_with=by)
            with unseen_values_ignored():
                proba = classifier.predict_proba(self.table.columns.take(test))
            targets = class_positions(self.table.y[test], classifier.classes_.tolist())
            found.append(mean_area_under_curve(proba, targets, self.weights(test)))
        return np.array([area for area in found if math.isfinite(area)])

    def measure(self, compute: Compute, predicted: Sequence[NDArray[Any]]) -> Floats:
        """One metric, fold by fold. Shape: (splits,)."""
        return np.array(
            [
                compute(self.table.y[test], each, self.weights(test))
                for each, (_, test) in zip(predicted, self.rows, strict=True)
            ]
        )

    def weights(self, rows: Rows) -> Floats | None:
        weights = self.table.weights
        return None if weights is None else weights[rows]

    def rmse_of_mean(self) -> float:
        """The error of always predicting the mean of the rows to learn from."""
        y = self.table.y
        means = [
            np.full(len(test), np.average(y[train], weights=self.weights(train)))
            for train, test in self.rows
        ]
        return float(self.measure(root_mean_squared_error, means).mean())

    def confusion(self, predicted: Sequence[NDArray[Any]]) -> Confusion:
        """How often each class is predicted as each class, in one repeat on average."""
        classes, codes = np.unique(self.table.y, return_inverse=True)
        labels = classes.tolist()
        counts = np.zeros((len(labels), len(labels)))
        for each, (_, test) in zip(predicted, self.rows, strict=True):
            found = class_positions(each, labels)
            counts += Confusion.of(labels, codes[test], found, self.weights(test)).counts
        return Confusion(tuple(labels), counts * (self.folds / len(self.rows)))
