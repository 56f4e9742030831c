"""Membership: how far "this column is high" is true, in the column's own units."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crisplogic.algebra import linear_membership
from crisplogic.errors import RuleError
from crisplogic.tables import Levels


@dataclass(frozen=True)
class Membership:
    """One column's linear membership: -1 at ``low`` and below, +1 at ``high`` and above.

    ``feature`` is the number of the column. A missing value is unknown, 0.

    >>> Membership(feature=0, low=0.0, high=200.0).degree(np.array([[50.0], [np.nan]])).tolist()
    [-0.5, 0.0]
    """

    feature: int
    low: float
    high: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low <= self.high):
            raise RuleError(
                f"a membership needs two finite numbers with low <= high, "
                f"got low = {self.low} and high = {self.high}"
            )

    def degree(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """The membership of every row. Shape: (rows, features) to (rows,)."""
        column = table[:, [self.feature]]
        return linear_membership(column, np.array([self.low]), np.array([self.high]))[:, 0]

    def name(self, column: str) -> str:
        """What the membership is called, of a column that is called ``column``."""
        return column

    def reading(self, levels: Levels | None = None) -> str:
        """What "is high" means, in the column's own units.

        ``levels`` are those of a category, for memberships that are about one.

        >>> Membership(feature=0, low=1.0, high=10.0).reading()
        'is high: false at 1, unknown at 5.5, true at 10'
        """
        if self.low == self.high:
            return f"never varied (always {self.low:g}): unknown"
        middle = self.low / 2 + self.high / 2
        return f"is high: false at {self.low:g}, unknown at {middle:g}, true at {self.high:g}"


@dataclass(frozen=True)
class Ramp(Membership):
    """A membership that was learned: it is called by the threshold where it turns.

    >>> Ramp(feature=0, low=90.0, high=164.0).name("glucose")
    'glucose>127'
    """

    @property
    def threshold(self) -> float:
        """Where the column is neither low nor high."""
        return self.low / 2 + self.high / 2

    def name(self, column: str) -> str:
        """The column and its threshold: a statement that holds or does not."""
        return f"{column}>{self.threshold:.12g}"

    def reading(self, levels: Levels | None = None) -> str:
        """How gradual the threshold is, in the column's own units.

        >>> Ramp(feature=0, low=90.0, high=164.0).reading()
        'false up to 90, true from 164'
        """
        if self.low == self.high:
            return super().reading()
        return f"false up to {self.low:.15g}, true from {self.high:.15g}"
