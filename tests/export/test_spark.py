"""Spark SQL gives the answers of the library."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

from crisplogic.export.running.databases import TABLE, Query
from crisplogic.export.running.rows import decode_matrix
from tests.export.agreement import CASES, assert_same
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
    rules = rules_of(seed, task, crisp, hostile, neat)
    matrix = rows_of(rules, 400, seed)
    rows = decode_matrix(rules, matrix)
    query = Query(rules, rows, "spark", nan=nan)
    schema = query.columns("DOUBLE", "STRING")
    cells = list(zip(*query.values(rows, math.nan if nan else None), strict=True))
    spark.createDataFrame(cells, schema).createOrReplaceTempView(TABLE)
    found = [tuple(row) for row in spark.sql(query.text).collect()]
    assert_same(rules, matrix, query.answers(found))
