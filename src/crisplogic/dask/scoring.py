"""How good predictions are on collections: sums of partitions, added up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crisplogic.dask.partitions import Partitions, merge_tree
from crisplogic.streaming import Examples
from crisplogic.tables import Numbers, Text, unseen_values_ignored


@dataclass(frozen=True)
class Score:
    """Weighted sums over rows: of errors, and of numbers to predict and their squares.

    >>> Score(4.0, 1.0).merge(Score(4.0, 1.0)).value
    0.75
    """

    weight: float = 0.0
    errors: float = 0.0
    first: float = 0.0
    second: float = 0.0
    number: bool = False

    def merge(self, other: Score) -> Score:
        """The sums over the rows of both."""
        return Score(
            self.weight + other.weight,
            self.errors + other.errors,
            self.first + other.first,
            self.second + other.second,
            self.number,
        )

    @property
    def value(self) -> float:
        """The accuracy, or R² of a number. NaN without rows."""
        if not self.weight:
            return float("nan")
        if not self.number:
            return 1 - self.errors / self.weight
        total = self.second - self.first**2 / self.weight
        return 1 - self.errors / total if total > 0 else float("nan")


def score_task(estimator: Any, partitions: Partitions, *, number: bool) -> Any:
    """A task that scores a fitted estimator, which may be a task itself."""
    scores = partitions.map(score_examples, estimator, number=number)
    return merge_tree(scores, Score.merge)


def score_examples(part: Examples, estimator: Any) -> Score:
    """The sums over some rows."""
    if not len(part):
        return Score(number=isinstance(part.target, Numbers))
    weights = np.ones(len(part)) if part.weights is None else part.weights
    with unseen_values_ignored():
        found = estimator.predict(part.columns)
    if isinstance(part.target, Text):
        wrong = np.array([str(each) for each in found]) != part.target.values
        return Score(float(weights.sum()), float(weights @ wrong))
    truth = part.target.values
    return Score(
        float(weights.sum()),
        float(weights @ (found - truth) ** 2),
        float(weights @ truth),
        float(weights @ truth**2),
        number=True,
    )
