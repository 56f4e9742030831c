"""Figures and NumberFigures: how good rules are on some rows, in a few numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from crisplogic.errors import TableError
from crisplogic.expr.plan import chunks
from crisplogic.polish.judge import brier
from crisplogic.rules import RuleSet
from crisplogic.rules.answers import Answers, NumberAnswers
from crisplogic.rules.deviation import mean_absolute_error, r_squared, root_mean_squared_error
from crisplogic.rules.digits import four_digits

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Figures:
    """How good rules are on some rows, and how large they are.

    ``error`` is the share of wrong predictions, ``log_loss`` the mean surprise at the right
    class in nats, ``brier`` the mean squared distance between probabilities and truth. Where
    rows have weights, a row of weight 2 is two rows in all of these.
    """

    error: float
    log_loss: float
    brier: float
    literals: int

    def table(self) -> list[Line]:
        """What to print of them: a name, a number, and how many places it has."""
        return [
            Line("error, %", 100 * self.error, 2),
            Line("log loss", self.log_loss, 4),
            Line("Brier score", self.brier, 4),
            Line("literals", self.literals, 0),
        ]


@dataclass(frozen=True)
class NumberFigures:
    """How good rules that predict a number are on some rows, and how large they are.

    ``rmse`` is the root mean squared error and ``mae`` the mean absolute one, in the units of
    the number; ``r2`` is the share of the variance that is explained. Where rows have weights,
    a row of weight 2 is two rows in all of these.
    """

    rmse: float
    mae: float
    r2: float
    literals: int

    def table(self) -> list[Line]:
        """What to print of them: a name, a number, and how many places it has."""
        return [
            Line("root mean squared error", self.rmse),
            Line("mean absolute error", self.mae),
            Line("R²", self.r2, 4),
            Line("literals", self.literals, 0),
        ]


class Line(NamedTuple):
    """A figure to print; without ``places`` it has four digits, wherever the point is."""

    name: str
    number: float
    places: int | None = None

    def written(self, number: float, sign: str = "") -> str:
        """Any number in the style of this one.

        >>> Line("log loss", 0.3579, 4).written(-0.25, "+"), Line("mae", 456.7).written(31.2)
        ('-0.2500', '31.20')
        """
        if self.places is None:
            text = four_digits(number)
            return text if text.startswith("-") else sign + text
        return f"{number:{sign}.{self.places}f}"


def judged(
    rules: RuleSet, matrix: Floats, answers: Answers
) -> tuple[Figures, NDArray[np.intp]]:
    """Figures, and the numbers of the classes that are predicted.

    Shape: ``matrix`` (rows, features), as :meth:`RuleSet.matrix` makes it; returns (rows,).
    """
    targets = answers.targets
    if targets is None:
        raise TableError("y must hold the class of every row, got None")
    if not answers.sum_of_weights:
        raise TableError("a table without rows says nothing about rules")
    sums = np.zeros(3)
    predicted = np.empty(len(matrix), dtype=np.intp)
    for chunk in chunks(len(matrix)):
        scores = rules.scores(matrix[chunk], coded=True)
        predicted[chunk] = scores.argmax(axis=1)
        rows = _by_row(rules.scale * scores, predicted[chunk], targets[chunk])
        sums += [answers.total(chunk, each) for each in rows]
    error, log_loss, squares = (sums / answers.sum_of_weights).tolist()
    return Figures(error, log_loss, squares, rules.size), predicted


def judged_number(
    rules: RuleSet, matrix: Floats, answers: NumberAnswers
) -> tuple[NumberFigures, Floats]:
    """Figures, and the numbers that are predicted.

    Shape: ``matrix`` (rows, features), as :meth:`RuleSet.matrix` makes it; returns (rows,).
    """
    targets, weights = answers.targets, answers.weights
    if targets is None:
        raise TableError("y must hold the number of every row, got None")
    if not answers.sum_of_weights:
        raise TableError("a table without rows says nothing about rules")
    predicted = rules.predict(matrix, coded=True)
    figures = NumberFigures(
        root_mean_squared_error(targets, predicted, weights),
        mean_absolute_error(targets, predicted, weights),
        r_squared(targets, predicted, weights),
        rules.size,
    )
    return figures, predicted


def _by_row(
    logits: Floats, predicted: NDArray[np.intp], targets: NDArray[np.intp]
) -> tuple[NDArray[np.bool_], Floats, Floats]:
    """Whether each row is wrong, its surprise and its Brier score. Shape: (rows,) each."""
    surprise = -log_softmax(logits, axis=1)[np.arange(len(targets)), targets]
    return predicted != targets, surprise, brier(logits.T, targets)
