"""Columns to predict from stay where they are, or are converted a few rows at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from crisplogic.tables import TRUTH, ColumnMatrix, Levels, as_columns, as_matrix
from crisplogic.tables.column_matrix import ConvertedColumn
from tests.tables.frames import FRAMES, NUMBERS, TEXTS
from tests.tables.frames import TRUTH as TRUTHS

TWO = Levels(("1", "2"), values="numbers")
WORDS = Levels(("x", "y"))

IN_PLACE: dict[str, Callable[[Any], Any]] = {
    "numpy": lambda values: {"a": values},
    "pandas": lambda values: pd.DataFrame({"a": values}),
    "polars": lambda values: pl.DataFrame({"a": values}),
    "arrow": lambda values: pa.table({"a": values}),
    "narwhals": lambda values: nw.from_native(pl.DataFrame({"a": values})),
}


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1"])
@pytest.mark.parametrize("made", IN_PLACE.values(), ids=IN_PLACE)
def test_numbers_of_any_type_are_not_copied(made: Callable[[Any], Any], dtype: str) -> None:
    values = np.arange(100).astype(dtype)
    table = made(values)
    column, again = (as_columns(table, ["a"], (), [0]).columns[0] for _ in range(2))
    assert isinstance(column, np.ndarray)
    assert column.dtype == values.dtype
    assert column.tolist() == values.tolist()
    assert isinstance(again, np.ndarray)
    assert np.shares_memory(column, again)


@pytest.mark.parametrize(
    "table",
    [
        pl.DataFrame({"a": [1.0, None, 3.0]}),
        pa.table({"a": [1.0, None, 3.0]}),
        pa.table({"a": pa.chunked_array([[1.0], [None, 3.0]])}),
        pl.concat([pl.DataFrame({"a": [1, None]}), pl.DataFrame({"a": [3]})], rechunk=False),
        pd.DataFrame({"a": pd.Series([1, None, 3], dtype="Int64")}),
    ],
)
def test_missing_values_and_chunks_are_converted_where_they_are_asked_for(table: Any) -> None:
    found = as_columns(table, ["a"], (), [0])
    assert isinstance(found.columns[0], ConvertedColumn)
    assert np.array_equal(found[0:3, 0], [1.0, np.nan, 3.0], equal_nan=True)
    assert np.array_equal(found[1:3, 0], [np.nan, 3.0], equal_nan=True)
    assert found[3:3, 0].tolist() == []


def test_codes_are_made_where_they_are_asked_for() -> None:
    table = np.array([[1, 2], [2, 2], [3, 1]])
    found = as_columns(table, ["a", "b"], [TWO, None], [0, 1])
    assert isinstance(found.columns[0], ConvertedColumn)
    assert found[0:3, 0].tolist() == [0.0, 1.0, -1.0]
    assert found[2:3, 1].tolist() == [1.0]


SOURCES = {
    **{f"numbers, {name}": (each, None) for name, each in NUMBERS.items()},
    **{f"texts, {name}": (each, WORDS) for name, each in TEXTS.items()},
    **{f"truth, {name}": (each, TRUTH) for name, each in TRUTHS.items()},
}


@pytest.mark.parametrize(("source", "levels"), SOURCES.values(), ids=SOURCES)
def test_columns_have_the_values_of_the_matrix(source: Any, levels: Levels | None) -> None:
    table = {"a": source}
    expected = as_matrix(table, ["a"], [levels])[:, 0]
    found = as_columns(table, ["a"], [levels], [0])
    for start in range(len(expected) + 1):
        rows = slice(start, len(expected))
        assert np.array_equal(found[rows, 0], expected[rows], equal_nan=True)


@pytest.mark.parametrize("made", FRAMES.values(), ids=FRAMES)
def test_slices_of_a_matrix_have_its_columns(made: Callable[..., Any]) -> None:
    frame = made({"a": [1.5, None, 3.0], "b": ["x", "y", None]})
    found = as_columns(frame, ["a", "b"], [None, WORDS], [0, 1])
    part = found[1:]
    assert isinstance(part, ColumnMatrix)
    assert len(part) == 2
    assert np.array_equal(part[:, 0], [np.nan, 3.0], equal_nan=True)
    assert np.array_equal(part[:, 1], [1.0, np.nan], equal_nan=True)
