"""What :mod:`benchmarks.prediction` measures, as a part of the page."""

from __future__ import annotations

from collections.abc import Sequence
from unittest.mock import patch

from benchmarks import prediction
from benchmarks.tables import Row, Table, Verdict, number, with_spread
from experiments.harness.threads import one_thread

TITLE = "Prediction: rows a second"
ABOUT = (
    "Rows a second on one core: learned rules beside scikit-learn's `DecisionTreeClassifier`"
    " and `LogisticRegression`. A ratio above 1: rules are quicker than the tree."
)
MODELS = ("rules", "tree", "regression")


def measure(rows: int, repeats: int) -> list[Row]:
    """The three models on every table, with one thread: the regression would use all."""
    with one_thread():
        return prediction.measure(rows, repeats)


def quick() -> list[Row]:
    """A single table and few rows, to see that everything works."""
    with patch.object(prediction, "TABLES", prediction.TABLES[:1]):
        return measure(rows=1000, repeats=1)


def table(rows: Sequence[Row]) -> Table:
    """The figures as text."""
    head = ["table", "rows", "columns", "literals", "leaves"]
    head += [*(f"{model}, rows a second" for model in MODELS), "ratio"]
    return Table(head, [_line(row) for row in rows])


def verdicts(rows: Sequence[Row]) -> list[Verdict]:
    """The ratio is there for orientation: nobody set a target."""
    return []


def _line(row: Row) -> list[str]:
    sizes = [str(row[name]) for name in ("rows", "columns", "literals", "leaves")]
    speeds = [number(row[f"{model}_rows_per_second"]) for model in MODELS]
    least, greatest = row["ratio_spread"]
    ratio = {"median": row["ratio"], "least": least, "greatest": greatest}
    return [row["table"], *sizes, *speeds, with_spread(ratio)]
