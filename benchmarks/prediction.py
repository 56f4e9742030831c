"""Prediction: rows a second of learned rules beside a decision tree and a logistic regression.

Run it with one thread (``OMP_NUM_THREADS=1``): trees and rules use one core in any case, but
the matrix product of a logistic regression would use all of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import scale
from sklearn.tree import DecisionTreeClassifier

from crisplogic import LogicClassifier
from crisplogic.datasets import Dataset, load

Floats = NDArray[np.float64]
Predict = Callable[[Floats], Any]

TABLES = ("breast-cancer-wisconsin", "vehicle", "yeast", "waveform")
NOISE = 0.05  # of a column's standard deviation, so that hardly two rows are alike
MOST_COLUMNS = 21  # beyond them, waveform's columns are noise that no model should look at


def measure(rows: int = 1_000_000, repeats: int = 5) -> list[dict[str, Any]]:
    """Rows a second of the three models on each table, as medians over the repeats.

    ``ratio`` is how many times as many rows as the tree the rules predict; ``ratio_spread``
    are the least and the greatest of the repeats. The models take turns, so that whatever
    else the machine does meets all of them alike.
    """
    return [_measured(_narrow(load(name)), rows, repeats) for name in TABLES]


def _measured(data: Dataset, rows: int, repeats: int) -> dict[str, Any]:
    known = np.nan_to_num(data.X)  # logistic regression takes no missing values
    rules = LogicClassifier(random_state=0, epochs=20).fit(data.X, data.y).rules_
    tree = DecisionTreeClassifier(random_state=0).fit(known, data.y)
    # It learns from columns of one scale but predicts from the table as it is: what it says
    # of it means nothing, and takes as long.
    regression = LogisticRegression(max_iter=1000).fit(scale(known), data.y)
    models: dict[str, Predict] = {
        "rules": rules.predict,
        "tree": tree.predict,
        "regression": regression.predict,
    }
    seconds = in_turns(models, enlarged(known, rows), repeats)
    ratios = [tree / rule for rule, tree in zip(seconds["rules"], seconds["tree"], strict=True)]
    return {
        "table": data.name,
        "rows": rows,
        "columns": data.X.shape[1],
        "classes": len(rules.labels),
        "literals": rules.size,
        "leaves": int(tree.get_n_leaves()),
        **{f"{name}_rows_per_second": rows / median(seconds[name]) for name in models},
        "ratio": median(ratios),
        "ratio_spread": (min(ratios), max(ratios)),
    }


def enlarged(table: Floats, rows: int, seed: int = 0) -> Floats:
    """Rows of a table, drawn with replacement, under a little noise: (rows, columns).

    >>> enlarged(np.array([[1.0, 5.0], [2.0, 5.0]]), rows=5).shape
    (5, 2)
    """
    rng = np.random.default_rng(seed)
    drawn = table[rng.integers(len(table), size=rows)]
    drawn += NOISE * table.std(axis=0) * rng.standard_normal(drawn.shape)
    return drawn


def in_turns(
    models: Mapping[str, Predict], table: Floats, repeats: int
) -> dict[str, list[float]]:
    """Seconds that each model takes for a table, once for each repeat.

    >>> len(in_turns({"sum": np.sum}, np.ones((2, 2)), repeats=3)["sum"])
    3
    """
    seconds: dict[str, list[float]] = {name: [] for name in models}
    for predict in models.values():
        predict(table[:1])  # what is made ready at the first use is not measured
    for _ in range(repeats):
        for name, predict in models.items():
            start = time.perf_counter()
            predict(table)
            seconds[name].append(time.perf_counter() - start)
    return seconds


def _narrow(data: Dataset) -> Dataset:
    """The table without the columns beyond the most that we measure."""
    return Dataset(
        data.name,
        np.ascontiguousarray(data.X[:, :MOST_COLUMNS]),
        data.y,
        data.feature_names[:MOST_COLUMNS],
        data.target_name,
        data.citation,
        data.licence,
    )
