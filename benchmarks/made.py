"""Made tables of any number of rows: hard thresholds, pairs, a sum, and noise."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from crisplogic.datasets import Dataset
from experiments.harness.processes import limited_threads

COLUMNS = 20
# The columns that matter come first. All others are noise.
MATTERING = 6


def made_table(rows: int, columns: int = COLUMNS, numbers: bool = False) -> Dataset:
    """A table of normal columns, with two classes or a number to predict.

    >>> made_table(500).X.shape, sorted(set(made_table(500).y.tolist()))
    ((500, 20), ['no', 'yes'])
    """
    generator = np.random.default_rng(0)
    X = generator.normal(size=(rows, max(columns, MATTERING))).round(3)
    a, b, c, d, e, f = X[:, :MATTERING].T
    score = (a > 0.3) + ((b > 0) & (c > -0.5)) + 1.0 * (d > 1) - (e + f > 0.5)
    score += 0.5 * generator.normal(size=rows)
    y: NDArray[np.str_] = score if numbers else np.where(score > 0.7, "yes", "no")
    names = tuple(f"c{number}" for number in range(columns))
    return Dataset(f"made, {rows:,} rows", X[:, :columns], y, names, "target", "", "")


@contextmanager
def all_cores() -> Iterator[None]:
    """Let numpy, torch, OpenMP and rules use all cores, whatever the environment says."""
    cores = os.cpu_count() or 1
    before = os.environ.get("OMP_NUM_THREADS")
    os.environ["OMP_NUM_THREADS"] = str(cores)
    try:
        with limited_threads(cores):
            yield
    finally:
        if before is None:
            del os.environ["OMP_NUM_THREADS"]
        else:
            os.environ["OMP_NUM_THREADS"] = before
