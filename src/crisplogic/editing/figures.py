"""Figures: how good rules are on some rows, in a few numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from crisplogic.errors import TableError
from crisplogic.expr.plan import chunks
from crisplogic.polish.judge import brier
from crisplogic.rules import RuleSet
from crisplogic.rules.answers import Answers

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


def _by_row(
    logits: Floats, predicted: NDArray[np.intp], targets: NDArray[np.intp]
) -> tuple[NDArray[np.bool_], Floats, Floats]:
    """Whether each row is wrong, its surprise and its Brier score. Shape: (rows,) each."""
    surprise = -log_softmax(logits, axis=1)[np.arange(len(targets)), targets]
    return predicted != targets, surprise, brier(logits.T, targets)
