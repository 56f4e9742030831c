"""Spark SQL gives the answers of the library."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

from crisplogic.export.running.databases import TABLE, Query
from crisplogic.export.running.rows import decode_matrix
from crisplogic.rules import RuleSet
from tests.export.agreement import CASES, KINDS, assert_same
from tests.export.generated import rows_of, rules_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # those of Spark itself
]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    builder = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "1").getOrCreate()
    yield session
    session.stop()


@pytest.mark.parametrize("nan", [False, True])
@pytest.mark.parametrize(("seed", "task", "crisp", "hostile", "neat"), CASES[::2])
def test_generated_rules_predict_the_same(
    spark: Any, seed: int, task: str, crisp: bool, hostile: bool, neat: bool, nan: bool
) -> None:
    assert_selected(spark, rules_of(seed, task, crisp, hostile, neat), 400, nan)


@pytest.mark.parametrize("case", [1, 6])
def test_a_million_rows_predict_the_same(spark: Any, case: int) -> None:
    """In parts: rows go from Python to Spark one by one."""
    for part in range(10):
        assert_selected(spark, rules_of(case, *KINDS[case]), 100_000, False, part)


def assert_selected(spark: Any, rules: RuleSet, count: int, nan: bool, seed: int = 0) -> None:
    matrix = rows_of(rules, count, seed)
    rows = decode_matrix(rules, matrix)
    query = Query(rules, rows, "spark", nan=nan)
    schema = query.columns("DOUBLE", "STRING")
    cells = list(zip(*query.values(rows, math.nan if nan else None), strict=True))
    spark.createDataFrame(cells, schema).createOrReplaceTempView(TABLE)
    found = [tuple(row) for row in spark.sql(query.text).collect()]
    assert_same(rules, matrix, query.answers(found))
