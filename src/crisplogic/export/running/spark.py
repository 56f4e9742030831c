"""Runs exported SQL in Spark, in this process and its Java."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from crisplogic.errors import ExportError
from crisplogic.export.running.databases import TABLE, Query
from crisplogic.export.running.programs import find_program
from crisplogic.export.running.rows import Answers, RawRows
from crisplogic.rules import RuleSet

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.sql.shuffle.partitions": "1",
}


def run_spark(rules: RuleSet, rows: RawRows, **options: Any) -> Answers:
    """Run the query in a session that is started for it."""
    with spark_session() as session:
        return select(session, rules, rows, **options)


@contextmanager
def spark_session() -> Iterator[Any]:
    """A session of one thread."""
    find_program("java")
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise ExportError("pyspark is not installed") from None
    builder = SparkSession.builder.master("local[1]")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    with _quiet():
        session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the warnings of a Java program that starts, which writes where we do."""
    with warnings.catch_warnings(), open(os.devnull, "wb") as nowhere:
        warnings.simplefilter("ignore")
        kept = os.dup(2)
        os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def select(
    session: Any, rules: RuleSet, rows: RawRows, gap: float | None = None, **options: Any
) -> Answers:
    """What the rules say of rows; missing numbers are ``gap``, NULL or NaN."""
    query = Query(rules, rows, "spark", **options)
    cells = list(zip(*query.values(rows, gap), strict=True))
    frame = session.createDataFrame(cells, query.columns("DOUBLE", "STRING"))
    frame.createOrReplaceTempView(TABLE)
    return query.answers([tuple(row) for row in session.sql(query.text).collect()])
