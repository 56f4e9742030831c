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

from benchmarks.made import all_cores
from benchmarks.measuring import Patience, in_turns, ratios
from benchmarks.tables import Row, Table, Verdict, number, with_spread
from crisplogic import LogicClassifier
from crisplogic.datasets import Dataset, load

Floats = NDArray[np.float64]

TITLE = "Prediction: rows per second"
ABOUT = (
    "Rows per second of learned crisp rules, scikit-learn's `DecisionTreeClassifier` and its"
    " `LogisticRegression`, with all cores. The tree has as few leaves as it needs to err no"
    " more often than the rules on the rows that both learned from. A ratio above 1: rules are"
    " faster than the tree."
)
MODELS = ("rules", "tree", "regression")
TARGET = 3.0
TABLES = ("breast-cancer-wisconsin", "diabetes", "vehicle", "yeast", "waveform")
NOISE = 0.05  # of a column's standard deviation, so that hardly two rows are alike
SETTINGS: dict[str, Any] = {}
QUICK_SETTINGS: dict[str, Any] = {"epochs": 2, "restarts": 1, "folds": 0}
MOST_COLUMNS = 21  # beyond them, waveform's columns are noise that no model should use


def measure(
    tables: Sequence[str], rows: int, repeats: int, settings: Mapping[str, Any]
) -> list[Row]:
    """Rows per second of the three models on each table, as medians over the repeats.

    ``ratio`` is how many times as many rows as the tree the rules predict; ``ratio_spread``
    is the least and the greatest of the repeats. ``settings`` are those of the classifier.
    """
    with all_cores():
        return [_measured(_narrow(load(name)), rows, repeats, settings) for name in tables]


def table(rows: Sequence[Row]) -> Table:
    """The figures as text."""
    head = ["table", "rows", "columns", "literals", "leaves"]
    head += [*(f"{model}, rows per second" for model in MODELS), "ratio"]
    return Table(head, [_line(row) for row in rows])


def enlarge(table: Floats, rows: int, seed: int = 0) -> Floats:
    """Rows of a table, drawn with replacement, under a little noise: (rows, columns).

    Columns of two values keep them: they are categories, and other values would be unseen.

    >>> enlarge(np.array([[1.0, 5.0], [2.0, 5.0]]), rows=5).shape
    (5, 2)
    """
    rng = np.random.default_rng(seed)
    drawn = table[rng.integers(len(table), size=rows)]
    many = np.array([len(np.unique(column)) > 2 for column in table.T])
    drawn += NOISE * many * table.std(axis=0) * rng.standard_normal(drawn.shape)
    return drawn


def verdicts(rows: Sequence[Row]) -> list[Verdict]:
    """Every ratio has the same target."""
    return [Verdict(f"prediction, {row['table']}", row["ratio"], TARGET, "x") for row in rows]


def tree_of_error(X: Floats, y: NDArray[Any], error: float) -> DecisionTreeClassifier:
    """The tree of fewest leaves that errs no more often, to one part in eight.

    >>> X, y = np.array([[1.0], [2.0], [3.0]]), np.array(["a", "b", "a"])
    >>> int(tree_of_error(X, y, 0.0).get_n_leaves())
    3
    """
    leaves = 2
    while True:
        tree = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(X, y)
        errs = float((tree.predict(X) != y).mean())
        if errs <= error or tree.get_n_leaves() < leaves:
            return tree
        leaves += max(1, leaves // 8)


def _measured(data: Dataset, rows: int, repeats: int, settings: Mapping[str, Any]) -> Row:
    known = np.nan_to_num(data.X)  # logistic regression takes no missing values
    rules = LogicClassifier(random_state=0, **settings).fit(data.X, data.y).rules_
    error = float((rules.predict(data.X) != data.y).mean())
    tree = tree_of_error(known, data.y, error)
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
