"""Evaluation: how good rules are on some rows, in a few metrics and row by row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from crisplogic.errors import TableError
from crisplogic.expr.program import chunks
from crisplogic.rules import ClassificationRules, RuleSet
from crisplogic.rules.metrics import (
    brier,
    mean_absolute_error,
    r_squared,
    root_mean_squared_error,
)
from crisplogic.rules.number_format import four_digits
from crisplogic.rules.targets import Targets

Floats = NDArray[np.float64]


class MetricLine(NamedTuple):
    """A metric to print; without ``places`` it has four significant digits."""

    name: str
    number: float
    places: int | None = None

    def format(self, number: float, sign: str = "") -> str:
        """Any number in the style of this one.

        >>> line = MetricLine("log loss", 0.3579, 4)
        >>> line.format(-0.25, "+"), MetricLine("mae", 456.7).format(31.2)
        ('-0.2500', '31.20')
        """
        if self.places is None:
            text = four_digits(number)
            return text if text.startswith("-") else sign + text
        return f"{number:{sign}.{self.places}f}"


class Metrics(ABC):
    """How good rules are on some rows, and how large they are.

    Where rows have weights, a row of weight 2 is two rows.
    """

    # What rows are called whose predictions improve, and those that get worse.
    better: ClassVar[str]
    worse: ClassVar[str]

    @property
    @abstractmethod
    def loss(self) -> float:
        """The metric that refitting makes small."""

    @abstractmethod
    def lines(self) -> list[MetricLine]:
        """What to print."""


@dataclass(frozen=True)
class ClassMetrics(Metrics):
    """Metrics of rules that predict classes.

    ``error`` is the share of wrong predictions, ``log_loss`` the mean log loss in nats,
    ``brier`` the mean squared distance between probabilities and truth.
    """

    error: float
    log_loss: float
    brier: float
    literals: int

    better = "for the better"
    worse = "for the worse"

    @property
    def loss(self) -> float:
        """The log loss."""
        return self.log_loss

    def lines(self) -> list[MetricLine]:
        """What to print."""
        return [
            MetricLine("error, %", 100 * self.error, 2),
            MetricLine("log loss", self.log_loss, 4),
            MetricLine("Brier score", self.brier, 4),
            MetricLine("literals", self.literals, 0),
        ]


@dataclass(frozen=True)
class NumberMetrics(Metrics):
    """Metrics of rules that predict a number.

    ``rmse`` is the root mean squared error and ``mae`` the mean absolute error, in the units of
    the number. ``r2`` is the share of the variance that is explained.
    """

    rmse: float
    mae: float
    r2: float
    literals: int

    better = "nearer to the truth"
    worse = "farther from it"

    @property
    def loss(self) -> float:
        """The root mean squared error."""
        return self.rmse

    def lines(self) -> list[MetricLine]:
        """What to print."""
        return [
            MetricLine("root mean squared error", self.rmse),
            MetricLine("mean absolute error", self.mae),
            MetricLine("R²", self.r2, 4),
            MetricLine("literals", self.literals, 0),
        ]


class Evaluation(NamedTuple):
    """Metrics; the predictions, positions of classes or numbers; how far each is off.

    Shape: ``predicted`` and ``off`` (rows,).
    """

    metrics: ClassMetrics | NumberMetrics
    predicted: NDArray[Any]
    off: NDArray[Any]


def evaluate(rules: RuleSet, matrix: Floats, targets: Targets[Any]) -> Evaluation:
    """Evaluate rules on rows whose classes or numbers are known.

    Shape: ``matrix`` (rows, features), as :meth:`RuleSet.matrix` makes it.
    """
    if targets.values is None:
        raise TableError(f"y must hold the {rules.predicts} of every row, got None")
    if not targets.sum_of_weights:
        raise TableError("a table without rows says nothing about rules")
    if isinstance(rules, ClassificationRules):
        return _evaluate_classes(rules, matrix, targets, targets.values)
    predicted, truth, weights = rules.predict(matrix, True), targets.values, targets.weights
    metrics = NumberMetrics(
        root_mean_squared_error(truth, predicted, weights),
        mean_absolute_error(truth, predicted, weights),
        r_squared(truth, predicted, weights),
        rules.size,
    )
    return Evaluation(metrics, predicted, np.abs(predicted - truth))


def _evaluate_classes(
    rules: ClassificationRules,
    matrix: Floats,
    targets: Targets[np.intp],
    truth: NDArray[np.intp],
) -> Evaluation:
    sums = np.zeros(3)
    predicted = np.empty(len(matrix), dtype=np.intp)
    for chunk in chunks(len(matrix)):
        scores = rules.scores(matrix[chunk], coded=True)
        predicted[chunk] = scores.argmax(axis=1)
        losses = _row_losses(rules.logits(scores), predicted[chunk], truth[chunk])
        sums += [targets.total(chunk, each) for each in losses]
    error, log_loss, squares = (sums / targets.sum_of_weights).tolist()
    metrics = ClassMetrics(error, log_loss, squares, rules.size)
    return Evaluation(metrics, predicted, predicted != truth)


def _row_losses(
    logits: Floats, predicted: NDArray[np.intp], targets: NDArray[np.intp]
) -> tuple[NDArray[np.bool_], Floats, Floats]:
    """Whether each row is wrong, its log loss and its Brier score. Shape: (rows,) each."""
    log_loss = -log_softmax(logits, axis=1)[np.arange(len(targets)), targets]
    return predicted != targets, log_loss, brier(logits.T, targets)
