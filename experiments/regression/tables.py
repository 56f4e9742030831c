"""The tables, generated and real, and the ten folds of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets as sklearn_datasets
from sklearn.model_selection import KFold

from crisplogic.datasets import Dataset, load_vehicle, load_yeast

Floats = NDArray[np.float64]

GENERATED_ROWS = 600
GENERATED_SEED = 0
SPLITS = 10
SPLIT_SEED = 100  # other folds than those that settings were chosen on


@dataclass(frozen=True, eq=False)  # no generated ==: it would ask arrays for one truth value
class Table:
    """Shape: ``X`` (rows, columns), ``y`` and ``noiseless`` (rows,).

    ``target`` is the name of the number to predict. ``noiseless`` is ``y`` without its noise,
    where that is known.
    """

    X: Floats
    y: Floats
    columns: tuple[str, ...]
    target: str
    noiseless: Floats | None = None


@lru_cache
def table(name: str) -> Table:
    """The table of this name; a worker needs the same few again and again.

    >>> table("vehicle").target, table("vehicle").X.shape
    ('hollows_ratio', (846, 17))
    """
    return _LOADERS[name]()


@dataclass(frozen=True, eq=False)
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
    """Rows to learn from, and rows to test on."""

    train: Part
    test: Part


def fold_of(table: Table, number: int) -> Fold:
    """One of the folds, counted from 0: the same rows on every machine."""
    folds = KFold(SPLITS, shuffle=True, random_state=SPLIT_SEED).split(table.X)
    train, test = list(folds)[number]
    return Fold(Part.of(table, train), Part.of(table, test))


def _friedman(make: Callable[..., Any], noise: float) -> Table:
    """The noise is drawn after the rows: they are the same with and without it."""
    X, y = make(GENERATED_ROWS, noise=noise, random_state=GENERATED_SEED)
    _, noiseless = make(GENERATED_ROWS, noise=0.0, random_state=GENERATED_SEED)
    columns = tuple(f"x{index}" for index in range(X.shape[1]))
    return Table(X, y, columns, "y", noiseless)


def _diabetes() -> Table:
    """In the units of the clinic, so that rules can be read."""
    found = sklearn_datasets.load_diabetes(scaled=False)
    return Table(found.data, found.target, tuple(found.feature_names), "progression")


def _column(load: Callable[[], Dataset], target: str) -> Table:
    """Predict one column from all others. The class is left out."""
    dataset = load()
    at = dataset.feature_names.index(target)
    columns = tuple(name for name in dataset.feature_names if name != target)
    return Table(np.delete(dataset.X, at, axis=1), dataset.X[:, at], columns, target)


_LOADERS: dict[str, Callable[[], Table]] = {
    "friedman1": partial(_friedman, sklearn_datasets.make_friedman1, noise=1.0),
    "friedman2": partial(_friedman, sklearn_datasets.make_friedman2, noise=100.0),
    "friedman3": partial(_friedman, sklearn_datasets.make_friedman3, noise=0.1),
    "diabetes": _diabetes,
    "vehicle": partial(_column, load_vehicle, "hollows_ratio"),
    "yeast": partial(_column, load_yeast, "mcg"),
}

NAMES = tuple(_LOADERS)
# The scale of the regressor's two penalties was chosen on these, on other folds.
CHOSEN_ON = ("friedman1", "friedman2", "friedman3", "diabetes")
