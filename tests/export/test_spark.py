"""Spark SQL gives the answers of the library."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crisplogic.export.running.rows import decode_matrix
from crisplogic.export.running.spark import select, spark_session
from crisplogic.rules import RuleSet
from tests.export.agreement import CASES, assert_same, many_rows, skipped_if_absent
from tests.export.generated import rows_of, rules_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # those of Spark itself
]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    with skipped_if_absent(), spark_session() as session:
        yield session


@pytest.mark.parametrize("nan", [False, True])
@pytest.mark.parametrize(("seed", "task", "crisp", "hostile", "neat"), CASES[::2])
def test_generated_rules_predict_the_same(
    spark: Any, seed: int, task: str, crisp: bool, hostile: bool, neat: bool, nan: bool
) -> None:
    rules = rules_of(seed, task, crisp, hostile, neat)
    assert_selected(spark, rules, rows_of(rules, 400), nan)


@pytest.mark.parametrize("case", [1, 6, ("class", "crisp"), ("number", "graded")])
def test_a_million_rows_predict_the_same(spark: Any, case: int | tuple[str, str]) -> None:
    """In parts: rows go from Python to Spark one by one."""
    rules, matrix = many_rows(case, 1_000_000)
    for part in np.array_split(matrix, 10):
        assert_selected(spark, rules, part, False)


def assert_selected(spark: Any, rules: RuleSet, matrix: NDArray[np.float64], nan: bool) -> None:
    gap = math.nan if nan else None
    found = select(spark, rules, decode_matrix(rules, matrix), gap, nan=nan)
    assert_same(rules, matrix, found)
