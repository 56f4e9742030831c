"""The tables: the five of the rules table, and some with categories and gaps."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crisplogic.datasets import load
from experiments.other_tables import tables as others
from experiments.rules_table.targets import TARGETS

FIVE = tuple(TARGETS)
OTHERS = ("chile", "pbc", "penguins", "titanic", "houses", "prestige")
NAMES = (*FIVE, *OTHERS)


class Table(NamedTuple):
    """Shape: ``X`` (rows, columns), an array or a data frame, ``y`` (rows,)."""

    X: Any
    y: NDArray[Any]
    is_number: bool

    def take(self, rows: NDArray[np.intp]) -> Table:
        """Some rows."""
        X = self.X[rows] if isinstance(self.X, np.ndarray) else self.X.iloc[rows]
        return Table(X, self.y[rows], self.is_number)


@lru_cache
def table(name: str) -> Table:
    """The table of this name."""
    if name in FIVE:
        found = load(name)
        return Table(found.X, found.y, False)
    other = others.table(name)
    return Table(other.X, other.y, other.is_number)
