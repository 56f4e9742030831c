"""The rows that rules are polished on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sample:
    """The rows that rules are polished on, as columns.

    Shape: ``columns`` (features, rows), NaN where a value is missing; ``targets`` (rows,).
    """

    columns: Floats
    targets: NDArray[np.intp]
    classes: int

    def __len__(self) -> int:
        return len(self.targets)

    def rows(self, numbers: NDArray[np.intp]) -> Sample:
        """Some of the rows."""
        return Sample(self.columns[:, numbers], self.targets[numbers], self.classes)

    def at_most(self, rows: int) -> Sample:
        """The whole sample, or so many of its rows, evenly spread over the table."""
        if len(self) <= rows:
            return self
        return self.rows(np.linspace(0, len(self) - 1, rows).astype(np.intp))

    def ranges(self) -> tuple[Floats, Floats]:
        """The least and the greatest value of every column; 0 where there is none."""
        known = np.isfinite(self.columns)
        low = np.where(known, self.columns, np.inf).min(axis=1)
        high = np.where(known, self.columns, -np.inf).max(axis=1)
        seen = known.any(axis=1)
        return np.where(seen, low, 0.0), np.where(seen, high, 0.0)
