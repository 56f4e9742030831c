"""What was predicted, counted some rows at a time: classes, or how large numbers are."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from crisplogic.cli.predictions import Predicted

if TYPE_CHECKING:
    from crisplogic.rules import RuleSet


class Tally(Protocol):
    """What is known of all predictions so far."""

    rows: int

    def add(self, predicted: Predicted) -> None:
        """More rows. Shape: (rows,)."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON knows it."""


def tally_for(rules: RuleSet) -> Tally:
    """A tally of no rows yet."""
    return NumberTally() if rules.predicts == "number" else ClassTally(rules.labels)


class ClassTally:
    """How often each class was predicted.

    >>> tally = ClassTally(("no", "yes"))
    >>> tally.add(np.array([1, 1]))
    >>> tally.to_dict()["classes"]
    [{'class': 'no', 'rows': 0}, {'class': 'yes', 'rows': 2}]
    """

    def __init__(self, labels: tuple[Any, ...]) -> None:
        self.rows = 0
        self._labels = labels
        self._counts = np.zeros(len(labels), dtype=np.int64)

    def add(self, predicted: Predicted) -> None:
        """More rows. Shape: (rows,)."""
        self.rows += len(predicted)
        self._counts += np.bincount(predicted, minlength=len(self._counts))

    def to_dict(self) -> dict[str, Any]:
        """As JSON knows it."""
        found = zip(self._labels, self._counts.tolist(), strict=True)
        classes = [{"class": label, "rows": count} for label, count in found]
        return {"rows": self.rows, "classes": classes}


class NumberTally:
    """The least, the mean and the greatest number; None as long as there is none.

    >>> tally = NumberTally()
    >>> tally.add(np.array([1.5, 4.5]))
    >>> tally.to_dict()
    {'rows': 2, 'min': 1.5, 'mean': 3.0, 'max': 4.5}
    """

    def __init__(self) -> None:
        self.rows = 0
        self._sum = 0.0
        self._least, self._greatest = math.inf, -math.inf

    def add(self, predicted: Predicted) -> None:
        """More rows. Shape: (rows,)."""
        self.rows += len(predicted)
        self._sum += float(predicted.sum())
        self._least = float(predicted.min(initial=self._least))
        self._greatest = float(predicted.max(initial=self._greatest))

    def to_dict(self) -> dict[str, Any]:
        """As JSON knows it."""
        found = (
            (self._least, self._sum / self.rows, self._greatest) if self.rows else [None] * 3
        )
        return {"rows": self.rows, **dict(zip(("min", "mean", "max"), found, strict=True))}
