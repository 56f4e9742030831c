"""Summaries of predictions, chunk by chunk."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


class ClassCounts:
    """How often each class is predicted, by its position among the labels.

    >>> summary = ClassCounts(("no", "yes"))
    >>> summary.add(np.array([1, 1]))
    >>> summary.to_dict()
    {'rows': 2, 'classes': [{'class': 'no', 'rows': 0}, {'class': 'yes', 'rows': 2}]}
    """

    def __init__(self, labels: tuple[Any, ...]) -> None:
        self.rows = 0
        self._labels = labels
        self._counts = np.zeros(len(labels), dtype=np.int64)

    def add(self, predicted: NDArray[Any]) -> None:
        """Count more rows. Shape: (rows,)."""
        self.rows += len(predicted)
        self._counts += np.bincount(predicted, minlength=len(self._counts))

    def to_dict(self) -> dict[str, Any]:
        """The summary for JSON."""
        counts = zip(self._labels, self._counts.tolist(), strict=True)
        classes = [{"class": label, "rows": count} for label, count in counts]
        return {"rows": self.rows, "classes": classes}


class NumberRange:
    """The smallest, the mean and the largest predicted number; None if there are no rows.

    >>> summary = NumberRange()
    >>> summary.add(np.array([1.5, 4.5]))
    >>> summary.to_dict()
    {'rows': 2, 'min': 1.5, 'mean': 3.0, 'max': 4.5}
    """

    def __init__(self) -> None:
        self.rows = 0
        self._sum, self._min, self._max = 0.0, math.inf, -math.inf

    def add(self, predicted: NDArray[Any]) -> None:
        """Take more rows into account. Shape: (rows,)."""
        self.rows += len(predicted)
        self._sum += float(predicted.sum())
        self._min = float(predicted.min(initial=self._min))
        self._max = float(predicted.max(initial=self._max))

    def to_dict(self) -> dict[str, Any]:
        """The summary for JSON."""
        if not self.rows:
            return {"rows": 0, "min": None, "mean": None, "max": None}
        mean = self._sum / self.rows
        return {"rows": self.rows, "min": self._min, "mean": mean, "max": self._max}
