"""Whether a target gives the answers of the library."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crisplogic import LogicClassifier, LogicRegressor, datasets
from crisplogic.errors import ExportError
from crisplogic.export.check import RUNNERS
from crisplogic.export.running.rows import Answers, decode_matrix, library_answers
from crisplogic.rules import RuleSet
from tests.export.generated import rows_of, rules_of

TOLERANCE = 1e-9
# A seed, the task, whether rules are crisp, have hostile names, and neat intercepts.
KINDS = [
    (task, crisp, hostile, neat)
    for task in ("two", "several", "number")
    for crisp in (True, False)
    for hostile in (False, True)
    for neat in (True, False)
]
CASES = [
    pytest.param(
        seed,
        *kind,
        id=f"{kind[0]}-{'crisp' if kind[1] else 'graded'}-{seed}",
    )
    for seed, kind in enumerate(KINDS)
]


@contextmanager
def skipped_if_absent() -> Iterator[None]:
    """A test is skipped if what it needs is not installed."""
    try:
        yield
    except ImportError as error:
        pytest.skip(str(error))
    except ExportError as error:
        if "not installed" in str(error):
            pytest.skip(str(error))
        raise


def answers_of(
    target: str, rules: RuleSet, matrix: NDArray[np.float64], **options: object
) -> Answers:
    """What a target says of the rows of a matrix; the test is skipped if it is not there."""
    with skipped_if_absent():
        return RUNNERS[target](rules, decode_matrix(rules, matrix), **options)


def assert_same(rules: RuleSet, matrix: NDArray[np.float64], found: Answers) -> None:
    """No class differs, and no number or probability by more than the tolerance."""
    wanted = library_answers(rules, matrix)
    assert len(found.predictions) == len(matrix)
    if wanted.probabilities is None:
        numbers = np.array(found.predictions, dtype=float)
        np.testing.assert_allclose(numbers, wanted.predictions, rtol=TOLERANCE, atol=TOLERANCE)
        return
    pairs = enumerate(zip(wanted.predictions, found.predictions, strict=True))
    wrong = [at for at, (a, b) in pairs if a != b]
    assert not wrong, (len(wrong), matrix[wrong[0]].tolist())
    assert found.probabilities is not None
    np.testing.assert_allclose(found.probabilities, wanted.probabilities, atol=TOLERANCE)


def without_infinite(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows for those who have no infinite numbers."""
    return np.where(np.isinf(matrix), np.copysign(1e300, matrix), matrix)


@cache
def learned_rules(task: str, literals: Any) -> tuple[RuleSet, NDArray[np.float64]]:
    """Rules that were learned from a bundled table with gaps, and the table as they read it."""
    data = datasets.load("breast-cancer-wisconsin")
    X, y = data.X[:200], data.y[:200]
    quick: dict[str, Any] = {"epochs": 3, "restarts": 1, "folds": 0, "random_state": 0}
    if task == "number":
        height = np.arange(len(y)) % 7 + 3.0 * (y == y[0])
        rules: RuleSet = LogicRegressor(literals=literals, **quick).fit(X, height).rules_
    else:
        rules = LogicClassifier(literals=literals, **quick).fit(X, y).rules_
    return rules, rules.matrix(X)


LEARNED_TASKS = [
    ("class", "crisp"),
    ("class", "graded"),
    ("number", "crisp"),
    ("number", "graded"),
]


def many_rows(case: int | tuple[str, str], count: int) -> tuple[RuleSet, NDArray[np.float64]]:
    """Generated rules, or rules that were learned, and many rows for them."""
    if isinstance(case, int):
        rules = rules_of(case, *KINDS[case])
        return rules, rows_of(rules, count, case)
    rules, table = learned_rules(*case)
    few = rows_of(rules, count // 2)
    some = table[np.random.default_rng(0).integers(len(table), size=count - len(few))]
    return rules, np.concatenate([few, some])
