"""The ten folds of a table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from experiments.numbers.tables import Floats, Table

SPLITS = 10
SPLIT_SEED = 100  # other folds than those that anything was chosen on


@dataclass(frozen=True, eq=False)  # no generated ==: it would ask arrays for one truth value
class Part:
    """Some rows of a table. Shape: ``X`` (rows, columns), ``y`` and ``noiseless`` (rows,)."""

    X: Floats
    y: Floats
    noiseless: Floats | None

    @classmethod
    def of(cls, table: Table, rows: NDArray[np.intp]) -> Part:
        """The rows of these numbers."""
        noiseless = None if table.noiseless is None else table.noiseless[rows]
        return cls(table.X[rows], table.y[rows], noiseless)


@dataclass(frozen=True, eq=False)
class Fold:
    """What is learned from, and what is judged on."""

    train: Part
    test: Part


def fold_of(table: Table, number: int) -> Fold:
    """One of the folds, counted from 0: the same rows on every machine."""
    folds = KFold(SPLITS, shuffle=True, random_state=SPLIT_SEED).split(table.X)
    train, test = list(folds)[number]
    return Fold(Part.of(table, train), Part.of(table, test))
