"""Prediction: rows per second of learned rules, a decision tree and a logistic regression."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import scale
from sklearn.tree import DecisionTreeClassifier

from benchmarks.measuring import Patience, in_turns, ratios
from benchmarks.tables import Row, Table, number, with_spread
from crisplogic import LogicClassifier
from crisplogic.datasets import Dataset, load
from experiments.harness.processes import one_thread

Floats = NDArray[np.float64]

TITLE = "Prediction: rows per second"
ABOUT = (
    "Rows per second on one core: learned rules beside scikit-learn's `DecisionTreeClassifier`"
    " and `LogisticRegression`. A ratio above 1: rules are faster than the tree."
)
MODELS = ("rules", "tree", "regression")
TABLES = ("breast-cancer-wisconsin", "vehicle", "yeast", "waveform")
NOISE = 0.05  # of a column's standard deviation, so that hardly two rows are alike
SETTINGS: dict[str, Any] = {"epochs": 20}
QUICK_SETTINGS: dict[str, Any] = {"epochs": 2, "restarts": 1, "folds": 0}
MOST_COLUMNS = 21  # beyond them, waveform's columns are noise that no model should use


def measure(
    tables: Sequence[str], rows: int, repeats: int, settings: Mapping[str, Any]
) -> list[Row]:
    """Rows per second of the three models on each table, as medians over the repeats.

    ``ratio`` is how many times as many rows as the tree the rules predict; ``ratio_spread``
    is the least and the greatest of the repeats. All use one thread: the matrix product of
    the regression would use all cores. ``settings`` are those of the classifier.
    """
    with one_thread():
        return [_measured(_narrow(load(name)), rows, repeats, settings) for name in tables]


def table(rows: Sequence[Row]) -> Table:
    """The figures as text."""
    head = ["table", "rows", "columns", "literals", "leaves"]
    head += [*(f"{model}, rows per second" for model in MODELS), "ratio"]
    return Table(head, [_line(row) for row in rows])


def enlarge(table: Floats, rows: int, seed: int = 0) -> Floats:
    """Rows of a table, drawn with replacement, under a little noise: (rows, columns).

    >>> enlarge(np.array([[1.0, 5.0], [2.0, 5.0]]), rows=5).shape
    (5, 2)
    """
    rng = np.random.default_rng(seed)
    drawn = table[rng.integers(len(table), size=rows)]
    drawn += NOISE * table.std(axis=0) * rng.standard_normal(drawn.shape)
    return drawn


def _measured(data: Dataset, rows: int, repeats: int, settings: Mapping[str, Any]) -> Row:
    known = np.nan_to_num(data.X)  # logistic regression takes no missing values
    rules = LogicClassifier(random_state=0, **settings).fit(data.X, data.y).rules_
    tree = DecisionTreeClassifier(random_state=0).fit(known, data.y)
    # It is fitted to scaled columns but predicts from the table as it is: its predictions mean
    # nothing, and take as long.
    regression = LogisticRegression(max_iter=1000).fit(scale(known), data.y)
    predict: dict[str, Callable[[Floats], Any]] = {
        "rules": rules.predict,
        "tree": tree.predict,
        "regression": regression.predict,
    }
    many = enlarge(known, rows)
    runs = {name: partial(predict[name], many) for name in MODELS}
    seconds = in_turns(runs, Patience(seconds=0.0, least=repeats, most=repeats))
    faster = ratios(seconds["tree"], seconds["rules"])
    return {
        "table": data.name,
        "rows": rows,
        "columns": data.X.shape[1],
        "classes": len(rules.labels),
        "literals": rules.size,
        "leaves": int(tree.get_n_leaves()),
        **{f"{name}_rows_per_second": rows / median(seconds[name]) for name in MODELS},
        "ratio": median(faster),
        "ratio_spread": [min(faster), max(faster)],
    }


def _narrow(data: Dataset) -> Dataset:
    """The table without the columns beyond the most that are measured."""
    X = np.ascontiguousarray(data.X[:, :MOST_COLUMNS])
    return replace(data, X=X, feature_names=data.feature_names[:MOST_COLUMNS])


def _line(row: Row) -> list[str]:
    sizes = [str(row[name]) for name in ("rows", "columns", "literals", "leaves")]
    speeds = [number(row[f"{model}_rows_per_second"]) for model in MODELS]
    least, greatest = row["ratio_spread"]
    ratio = {"median": row["ratio"], "least": least, "greatest": greatest}
    return [row["table"], *sizes, *speeds, with_spread(ratio)]
