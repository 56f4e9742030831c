"""read: tables of every library become the same columns, or are refused with advice."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import coo_matrix, csr_array

from crisplogic.errors import TableError
from crisplogic.tables import Column, Columns, Numbers, Text, read_columns
from crisplogic.tables.columns import CHUNK_ROWS, read_series
from tests.rules.rule_sets import NAN
from tests.tables.frames import (
    AGE,
    COLOUR,
    DATES,
    FRAMES,
    MIXED,
    NAMES,
    NESTED,
    NOTHING,
    NUMBERS,
    OTHERS,
    SMOKER,
    TEXTS,
    TRUTH,
)


def assert_numbers(column: Column, expected: list[Any], boolean: bool = False) -> None:
    assert isinstance(column, Numbers)
    assert column.values.dtype == np.float64
    np.testing.assert_array_equal(column.values, np.array(expected, dtype=float))
    assert column.boolean is boolean


def assert_text(column: Column, expected: list[str | None]) -> None:
    assert isinstance(column, Text)
    assert column.values.tolist() == expected
    assert all(type(word) is str for word in column.uniques)
    assert len(set(column.uniques)) == len(column.uniques)


def assert_mixed(table: Columns) -> None:
    assert len(table) == table.rows == 3
    age, smoker, colour = table.columns
    assert_numbers(age, AGE)
    assert_numbers(smoker, SMOKER, boolean=True)
    assert_text(colour, COLOUR)


# --- whole tables -----------------------------------------------------------------------------


@pytest.mark.parametrize("made", FRAMES.values(), ids=FRAMES)
def test_a_frame_of_any_library_is_the_same_table(made: Callable[..., Any]) -> None:
    table = read_columns(made(MIXED))
    assert table.names == NAMES
    assert_mixed(table)


ROWS = [list(row) for row in zip(AGE, SMOKER, COLOUR, strict=True)]


@pytest.mark.parametrize(
    "table",
    [ROWS, tuple(map(tuple, ROWS)), np.array(ROWS, dtype=object), pd.DataFrame(ROWS)],
    ids=["lists", "tuples", "objects", "frame of numbered columns"],
)
def test_a_table_without_names_has_none(table: Any) -> None:
    assert read_columns(table).names is None
    assert_mixed(read_columns(table))


def test_columns_that_were_read_stay_as_they_are() -> None:
    table = read_columns(ROWS)
    assert read_columns(table) is table


def test_numbers_among_texts_in_a_list_are_not_taken_for_texts() -> None:
    first, second = read_columns([[1.5, "x"], [NAN, "nan"], [3, "y"]]).columns
    assert_numbers(first, [1.5, NAN, 3])
    assert_text(second, ["x", "nan", "y"])


def test_texts_that_are_numbers_are_numbers_in_arrays_and_texts_in_frames() -> None:
    texts = [["1", "x"], ["2.5", "1"], [None, "2"]]
    for table in (texts, np.array(texts, dtype=object)):
        first, second = read_columns(table).columns
        assert_numbers(first, [1, 2.5, NAN])
        assert_text(second, ["x", "1", "2"])
    assert_numbers(read_columns(np.array([["1"], ["nan"]])).columns[0], [1, NAN])
    assert_text(read_columns(pd.DataFrame({"a": ["1", "2"]})).columns[0], ["1", "2"])


def test_truth_values_among_numbers_in_a_list_stay_truth_values() -> None:
    first, second = read_columns([[True, 1.5], [False, 2]]).columns
    assert_numbers(first, [1, 0], boolean=True)
    assert_numbers(second, [1.5, 2])


def test_a_mere_number_is_no_name() -> None:
    frame = pd.DataFrame({"a": [1], 7: [2], ("b", "c"): [3]})
    assert read_columns(frame).names == ("a", "7", "('b', 'c')")


def test_no_rows_and_no_columns_are_tables_too() -> None:
    assert [len(column) for column in read_columns(np.empty((0, 2))).columns] == [0, 0]
    assert read_columns([[], []]).rows == 2
    assert read_columns(pd.DataFrame({"a": []})).rows == 0
    (empty,) = read_columns(pl.DataFrame({"a": pl.Series([], dtype=pl.String)})).columns
    assert isinstance(empty, Text)
    assert empty.uniques == ()


def test_a_column_called_like_what_others_have_is_a_column() -> None:
    names = ("column_names", "columns", "collect", "nnz", "toarray", "dtype", "shape")
    frame = pd.DataFrame([[1.0] * len(names)], columns=list(names))
    assert read_columns(frame).names == names


@pytest.mark.parametrize("table", [[1, 2], 5, None, np.zeros((1, 1, 1)), pl.Series([1])])
def test_what_has_no_rows_and_columns_is_refused(table: Any) -> None:
    with pytest.raises(TableError, match=r"rows and columns, got shape \("):
        read_columns(table)


@pytest.mark.parametrize(
    "table",
    [[[1, 2], [3]], [(1, "x"), (3, "y", None)], [[1], 2], [np.zeros((2, 2)), np.zeros((2, 3))]],
)
def test_rows_of_different_lengths_are_refused(table: Any) -> None:
    with pytest.raises(TableError, match="rows of equal length"):
        read_columns(table)


@pytest.mark.parametrize("names", [["a", "a"], ["1", 1]])
def test_repeated_names_are_refused(names: list[Any]) -> None:
    with pytest.raises(TableError, match=r"differ from each other.*repeated: '[a1]'$"):
        read_columns(pd.DataFrame([[1, 2]], columns=names))


@pytest.mark.parametrize("made", [csr_array, coo_matrix])
def test_sparse_tables_are_refused_with_advice(made: Any) -> None:
    with pytest.raises(TableError, match=r"must be dense, got a sparse co?\w+; use \.toarray"):
        read_columns(made(np.eye(2)))


@pytest.mark.parametrize("name", ["collect", "compute", "execute"])
def test_lazy_tables_are_refused_with_advice(name: str) -> None:
    lazy = type("Lazy", (), {name: lambda self: None})()
    for table in (lazy, pl.LazyFrame({"a": [1]})):
        with pytest.raises(TableError, match=r"must be in memory, got a lazy Lazy\w*; call"):
            read_columns(table)
    with pytest.raises(TableError, match=rf"call its {name}\(\) first"):
        read_columns(lazy)


# --- columns of every kind --------------------------------------------------------------------


@pytest.mark.parametrize("series", NUMBERS.values(), ids=NUMBERS)
def test_numbers_of_any_library_are_floats_with_nan_where_they_are_missing(series: Any) -> None:
    assert_numbers(read_series(series, "it"), [1.5, NAN, 3])


@pytest.mark.parametrize("series", TEXTS.values(), ids=TEXTS)
def test_texts_of_any_library_are_texts_with_none_where_they_are_missing(series: Any) -> None:
    assert_text(read_series(series, "it"), ["x", None, "y"])


@pytest.mark.parametrize("series", TRUTH.values(), ids=TRUTH)
def test_truth_values_are_one_and_zero(series: Any) -> None:
    assert_numbers(read_series(series, "it"), [1, NAN, 0], boolean=True)


@pytest.mark.parametrize("series", NOTHING.values(), ids=NOTHING)
def test_a_column_without_any_value_has_missing_numbers(series: Any) -> None:
    assert_numbers(read_series(series, "it"), [NAN, NAN])


@pytest.mark.parametrize("values", [[1, 2.5, None], [Fraction(5, 2), True], [np.int8(3), 1.5]])
def test_numbers_of_any_sort_are_numbers(values: list[Any]) -> None:
    expected = [NAN if value is None else float(value) for value in values]
    assert_numbers(read_series(np.array(values, dtype=object), "it"), expected)


def test_a_text_among_numbers_makes_all_of_them_texts() -> None:
    values = ["x", 1, 2.0, 0.1, None, np.float32(0.5), NAN, "1"]
    column = read_series(pd.Series(values, dtype=object), "it")
    assert_text(column, ["x", "1", "2", "0.1", None, "0.5", None, "1"])


def test_categories_are_texts_whatever_they_are_made_of() -> None:
    assert_text(read_series(pd.Series([5, 7, None], dtype="category"), "it"), ["5", "7", None])
    ages = pd.Series(pd.cut([1, 30], [0, 18, 99]))
    assert_text(read_series(ages, "it"), ["(0, 18]", "(18, 99]"])


@pytest.mark.parametrize("series", DATES.values(), ids=DATES)
def test_dates_and_times_are_refused_with_advice(series: Any) -> None:
    with pytest.raises(TableError, match=r"^column 'b' must .* got dates.* age in days"):
        read_series(series, "column 'b'")


@pytest.mark.parametrize("series", NESTED.values(), ids=NESTED)
def test_values_with_parts_are_refused_with_advice(series: Any) -> None:
    with pytest.raises(TableError, match=r"got lists or other .*; give every part a column"):
        read_series(series, "it")


@pytest.mark.parametrize(("series", "says"), OTHERS.values(), ids=OTHERS)
def test_whatever_else_there_may_be_is_refused(series: Any, says: str) -> None:
    with pytest.raises(TableError, match=f"it must hold numbers or text, got {says}"):
        read_series(series, "it")


def test_a_refusal_names_the_column() -> None:
    frame = pl.DataFrame({"a": [1], "b": [[1, 2]]})
    with pytest.raises(TableError, match="column 'b' must hold numbers or text, got lists"):
        read_columns(frame)
    with pytest.raises(TableError, match="column 1 must hold numbers or text, got complex"):
        read_columns(np.array([[1, 1j]], dtype=object))


# --- many rows --------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [CHUNK_ROWS - 1, CHUNK_ROWS, CHUNK_ROWS + 1, 2 * CHUNK_ROWS])
def test_chunks_make_no_difference(rows: int) -> None:
    values = [None if row % 7 == 0 else f"v{row % 100}" for row in range(rows)]
    for series in (pl.Series(values), np.array(values, dtype=object)):
        assert_text(read_series(series, "it"), values)


def test_the_memory_is_that_of_one_number_a_row() -> None:
    rows = 8 * CHUNK_ROWS
    series = pl.Series(np.arange(rows) % 50).cast(pl.String)
    read_series(series[:9], "it")
    tracemalloc.start()
    column = read_series(series, "it")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(column) == rows
    assert peak < 12 * rows + 100 * CHUNK_ROWS


def test_lists_and_arrays_are_read_with_numpy_alone() -> None:
    code = """
import sys
import numpy as np
from crisplogic.tables import infer_schema, read_columns
schema = infer_schema(read_columns([[1, "x"], [2, "y"]]))
schema.matrix(np.array([[1, "x"]], dtype=object))
print([name for name in ("narwhals", "pandas", "polars", "torch") if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_all_columns_that_cannot_be_read_are_reported_at_once() -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": pd.to_datetime(["2020", "2021"]), "c": [[1], [2]]})
    with pytest.raises(TableError, match=r"2 columns .*\n  column 'b' .*\n  column 'c' "):
        read_columns(frame)
    with pytest.raises(TableError, match=r"2 columns .*\n  column 1 .*\n  column 2 "):
        read_columns(frame.to_numpy())
