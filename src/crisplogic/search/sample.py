"""The rows that rules are polished on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.constraints.limits import NO_DEMANDS, Demands

Floats = NDArray[np.float64]

# A mean is not quite exact: numbers that differ from it by less than this share are the same.
# And so are those whose differences have squares that are no numbers.
ALIKE, TINY = 1e-14, 1e-100


@dataclass(frozen=True, eq=False)
class Sample:
    """The rows that rules are polished on, as columns.

    A row of weight 2 counts as two such rows would; without ``weights`` every row counts 1.
    ``crisp`` columns say 0 or 1 outright: their ramps stay as they are. ``targets`` are the
    numbers of classes or, of a sample with one "class", whatever numbers are to be predicted.
    ``demands`` are made of all rules that speak of these columns and classes.

    Shape: ``columns`` (features, rows), NaN where a value is missing; ``targets`` and
    ``weights`` (rows,); ``crisp`` (features,).
    """

    columns: Floats
    targets: NDArray[Any]
    classes: int
    weights: Floats | None = None
    crisp: NDArray[np.bool_] | None = None
    demands: Demands = NO_DEMANDS

    def __len__(self) -> int:
        return len(self.targets)

    @property
    def of_numbers(self) -> bool:
        """Whether numbers are to be predicted, not classes."""
        return bool(self.targets.dtype.kind == "f")

    @property
    def centre(self) -> float:
        """Where the numbers lie: their mean. Logits of classes lie around 0."""
        return self._unit[0]

    @property
    def spread(self) -> float:
        """The unit of the numbers: their standard deviation. Logits of classes need none."""
        return self._unit[1]

    @cached_property
    def _unit(self) -> tuple[float, float]:
        return centre_and_spread(self.targets, self.weights) if self.of_numbers else (0.0, 1.0)

    @cached_property
    def total(self) -> float:
        """As how many rows all rows together count."""
        return len(self) if self.weights is None else float(self.weights.sum())

    def mean(self, values: Floats) -> Floats:
        """The mean over all rows, each as often as it counts. Shape: (..., rows) to (...).

        >>> sample = Sample(np.zeros((1, 2)), np.array([0, 1]), 2, np.array([3.0, 1.0]))
        >>> float(sample.mean(np.array([0.0, 8.0])))
        2.0
        """
        return mean(values, self.weights)

    def counted(self, values: Floats) -> Floats:
        """Values times what their rows count: to be summed. Shape: (..., rows)."""
        return values if self.weights is None else values * self.weights

    def rows(self, numbers: NDArray[np.intp]) -> Sample:
        """Some of the rows."""
        weights = None if self.weights is None else self.weights[numbers]
        columns, targets = self.columns[:, numbers], self.targets[numbers]
        return replace(self, columns=columns, targets=targets, weights=weights)

    def moves(self, features: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Of which of these columns the ramps may move. Shape: (ramps,) to (ramps,)."""
        if self.crisp is None:
            return np.ones(len(features), dtype=bool)
        return np.logical_not(self.crisp[features])

    def at_most(self, rows: int) -> Sample:
        """The whole sample, or so many of its rows, evenly spread over the table.

        Evenly by what they count: a row of a large weight is taken several times.
        """
        if len(self) <= rows:
            return self
        if self.weights is None:
            return self.rows(np.linspace(0, len(self) - 1, rows).astype(np.intp))
        upto = self.weights.cumsum()
        taken = np.searchsorted(upto, (np.arange(rows) + 0.5) * (upto[-1] / rows))
        numbers, times = np.unique(taken, return_counts=True)
        return replace(self.rows(numbers), weights=times.astype(np.float64))

    def ranges(self) -> tuple[Floats, Floats]:
        """The least and the greatest value of every column; 0 where there is none."""
        known = np.isfinite(self.columns)
        low = np.where(known, self.columns, np.inf).min(axis=1)
        high = np.where(known, self.columns, -np.inf).max(axis=1)
        seen = known.any(axis=1)
        return np.where(seen, low, 0.0), np.where(seen, high, 0.0)


def mean(values: Floats, weights: Floats | None) -> Floats:
    """The mean over rows that count ``weights``, or all the same.

    Shape: ``values`` (..., rows), ``weights`` (rows,); returns (...).
    """
    if weights is None:
        return np.asarray(values.mean(axis=-1))
    return np.asarray(values @ weights / weights.sum())


def centre_and_spread(numbers: Floats, weights: Floats | None) -> tuple[float, float]:
    """The mean and the standard deviation; where all are the same, no less than the mean.

    Shape: ``numbers`` and ``weights`` (rows,).

    >>> centre_and_spread(np.array([1.0, 3.0]), None)
    (2.0, 1.0)
    """
    centre = float(mean(numbers, weights))
    distances = numbers - centre
    far = float(np.abs(distances).max())
    if far <= max(ALIKE * abs(centre), TINY):
        return centre, max(1.0, abs(centre))
    return centre, far * float(np.sqrt(mean(np.square(distances / far), weights)))
