"""The tables: made-up ones whose truth is known, and real ones that come with the libraries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets as sklearn_datasets

from crisplogic.datasets import Dataset, load_vehicle, load_yeast

Floats = NDArray[np.float64]

MADE_UP_ROWS = 600
MADE_UP_SEED = 0


@dataclass(frozen=True, eq=False)  # no generated ==: it would ask arrays for one truth value
class Table:
    """Shape: ``X`` (rows, columns), ``y`` (rows,).

    ``number`` is what is predicted, ``noiseless`` what it would be without its noise, where
    that is known. Shape: (rows,).
    """

    X: Floats
    y: Floats
    columns: tuple[str, ...]
    number: str
    noiseless: Floats | None = None


@lru_cache
def table(name: str) -> Table:
    """The table of this name; a worker meets the same few again and again.

    >>> table("vehicle").number, table("vehicle").X.shape
    ('hollows_ratio', (846, 17))
    """
    return _LOADERS[name]()


def _friedman(make: Callable[..., Any], noise: float) -> Table:
    """Rows are the same with and without noise: it is drawn after them."""
    X, y = make(MADE_UP_ROWS, noise=noise, random_state=MADE_UP_SEED)
    _, noiseless = make(MADE_UP_ROWS, noise=0.0, random_state=MADE_UP_SEED)
    columns = tuple(f"x{index}" for index in range(X.shape[1]))
    return Table(X, y, columns, "y", noiseless)


def _diabetes() -> Table:
    """In the units of the clinic: rules speak of them."""
    found = sklearn_datasets.load_diabetes(scaled=False)
    return Table(found.data, found.target, tuple(found.feature_names), "progression")


def _column(load: Callable[[], Dataset], number: str) -> Table:
    """A column from all others. The class is left out."""
    dataset = load()
    at = dataset.feature_names.index(number)
    columns = tuple(name for name in dataset.feature_names if name != number)
    return Table(np.delete(dataset.X, at, axis=1), dataset.X[:, at], columns, number)


_LOADERS: dict[str, Callable[[], Table]] = {
    "friedman1": partial(_friedman, sklearn_datasets.make_friedman1, noise=1.0),
    "friedman2": partial(_friedman, sklearn_datasets.make_friedman2, noise=100.0),
    "friedman3": partial(_friedman, sklearn_datasets.make_friedman3, noise=0.1),
    "diabetes": _diabetes,
    "vehicle": partial(_column, load_vehicle, "hollows_ratio"),
    "yeast": partial(_column, load_yeast, "mcg"),
}

NAMES = tuple(_LOADERS)
# On these the two shares of prices that a regressor pays were chosen, on other folds.
CHOSEN_ON = ("friedman1", "friedman2", "friedman3", "diabetes")
