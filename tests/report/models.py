"""Rules of every kind that a report shows, with rows for them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crisplogic.rules import RuleSet
from tests.export.generated import rows_of, rules_of

# Two classes, several, a number; categories, gaps and values never seen are among the rows.
KINDS = [
    ("two", True),
    ("several", True),
    ("number", True),
    ("two", False),
    ("several", False),
    ("number", False),
]


def model_of(
    task: str, crisp: bool, hostile: bool = False
) -> tuple[RuleSet, NDArray[np.float64], NDArray[np.object_]]:
    """Rules, 200 rows as they read them, and what is true of these."""
    rules = rules_of(12, task, crisp, hostile)  # one whose answers vary, for every kind
    matrix = rows_of(rules, 200, 1)
    matrix[np.isinf(matrix)] = np.nan
    truth = rules.predict(matrix, coded=True)[::-1]
    return rules, matrix, np.nan_to_num(truth) if task == "number" else truth
