"""Schema: what was learned about one table reads all others."""

from __future__ import annotations

import copy
import pickle
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.typing import NDArray

from crisplogic.errors import TableError
from crisplogic.tables import (
    TRUTH,
    Columns,
    Levels,
    Numbers,
    Schema,
    infer_schema,
    learn_levels,
    read_columns,
)
from tests.rules.rule_sets import NAN
from tests.tables.frames import FRAMES

DATA: dict[str, list[Any]] = {
    "age": [41.0, None, 7.5, 30.0] * 5,
    "smoker": [True, False, True, False] * 5,
    "colour": ["red", "blue", "red", "blue"] * 5,
}
SCHEMA = infer_schema(read_columns(pd.DataFrame(DATA)))


@pytest.mark.parametrize("made", FRAMES.values(), ids=FRAMES)
def test_the_same_table_in_any_library_has_the_same_schema(made: Callable[..., Any]) -> None:
    schema = infer_schema(read_columns(made(DATA)))
    assert schema == SCHEMA
    assert schema.names == ("age", "smoker", "colour")
    assert schema.kinds == ("number", "boolean", "category")
    assert schema.levels == (None, TRUTH, Levels(("blue", "red")))
    assert schema.has_missing == (True, False, False)
    assert schema.ranges == ((7.5, 41.0), None, None)
    expected = [[41, 1, 1], [NAN, 0, 0], [7.5, 1, 1], [30, 0, 0]] * 5
    np.testing.assert_array_equal(schema.matrix(made(DATA)), expected)


def test_a_table_read_before_and_the_table_itself_give_the_same_matrix() -> None:
    frame = pl.DataFrame(DATA)
    np.testing.assert_array_equal(SCHEMA.matrix(read_columns(frame)), SCHEMA.matrix(frame))


def test_other_tables_are_read_by_name() -> None:
    other = pd.DataFrame(
        {"colour": ["teal", None], "x": [0, 0], "smoker": [1, 0], "age": [5, 6]}
    )
    np.testing.assert_array_equal(SCHEMA.matrix(other), [[5, 1, -1], [6, 0, NAN]])
    with pytest.raises(TableError, match="need the column"):
        SCHEMA.matrix(other.drop(columns="age"))


def test_columns_without_names_are_numbered() -> None:
    schema = infer_schema(read_columns([["a", 1.5], ["b", None]]))
    assert schema.names == ("x0", "x1")
    np.testing.assert_array_equal(schema.matrix([["b", 2.5], ["?", 0]]), [[1, 2.5], [-1, 0]])


def test_categories_of_numbers_are_categories() -> None:
    frame = pd.DataFrame({"cylinders": pd.Series([4, 6, 8, 4] * 5, dtype="category")})
    schema = infer_schema(read_columns(frame))
    assert schema.kinds == ("category",)
    assert schema.levels == (Levels(("4", "6", "8")),)
    plain = pd.DataFrame({"cylinders": [8, 4, 5]})
    assert schema.matrix(plain)[:, 0].tolist() == [2, 0, -1]


def test_gaps_are_where_values_are_missing() -> None:
    schema = infer_schema(
        read_columns(pd.DataFrame({"a": ["x", None], "b": [1.0, NAN], "c": [1, 2]}))
    )
    assert schema.has_missing == (True, True, False)


def test_identifiers_are_refused_with_advice() -> None:
    names = [f"passenger {number}" for number in range(100)]
    with pytest.raises(
        TableError, match=r"column 'name' .* 100 different texts in 100 rows.*out"
    ):
        infer_schema(read_columns(pd.DataFrame({"name": names, "age": range(100)})))


def test_a_column_of_numbers_may_be_different_in_all_rows() -> None:
    assert infer_schema(read_columns(np.arange(100.0)[:, None])).kinds == ("number",)


def test_a_schema_is_a_value() -> None:
    again = pickle.loads(pickle.dumps(SCHEMA))
    assert again == copy.deepcopy(SCHEMA) == SCHEMA
    assert len({again, SCHEMA}) == 1
    assert isinstance(again, Schema)


def test_many_rows_of_text_take_no_time() -> None:
    rows = 200_000
    words = np.array([f"a rather long level {number}" for number in range(40)])
    texts = words[np.random.default_rng(0).integers(40, size=rows)]
    frame = pl.DataFrame({"a": texts, "b": texts[::-1], "n": np.arange(rows)})
    start = time.process_time()
    matrix = infer_schema(read_columns(frame)).matrix(frame)
    assert matrix.shape == (rows, 3)
    assert time.process_time() - start < 3  # a loop over rows in Python would not do


def test_all_identifiers_are_reported_at_once() -> None:
    table = read_columns([[f"name {row}", "red", f"ticket {row}"] for row in range(60)])
    with pytest.raises(TableError, match=r"2 columns .*\n  column 'x0' .*\n  column 'x2' "):
        infer_schema(table)


def test_the_schema_of_some_rows_is_that_of_a_table_of_them_and_takes_few_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    generator = np.random.default_rng(0)
    columns = [
        generator.normal(size=200),
        np.where(generator.random(200) < 0.1, np.nan, generator.normal(size=200)),
        generator.choice([1.0, 2.0], 200),
        np.full(200, np.nan),
    ]
    table = Columns(tuple("abcd"), tuple(map(Numbers, columns)), 200)
    schema = infer_schema(table)
    taken: list[int] = []
    take = Numbers.take

    def watched(self: Numbers, rows: NDArray[np.intp]) -> Numbers:
        taken.append(len(rows))
        return take(self, rows)

    monkeypatch.setattr(Numbers, "take", watched)
    ends = {int(np.argmin(columns[0])), int(np.argmax(columns[0]))}
    for rows in (np.arange(150), np.setdiff1d(np.arange(200), list(ends)), np.arange(3)):
        taken.clear()
        found = learn_levels(schema, table, rows)
        expected = [
            (float(np.nanmin(own)), float(np.nanmax(own))) if np.isfinite(own).any() else None
            for own in (column[rows] for column in columns)
        ]
        assert found.ranges == (expected[0], expected[1], None, None)
        missing = [bool(np.isnan(column[rows]).any()) for column in columns]
        assert found.has_missing == tuple(missing)
        if ends <= set(rows.tolist()):
            assert len(taken) < 4
