"""as_matrix: whatever a caller has becomes the matrix that rules read, or a clear error."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_array

from crisplogic.errors import TableError
from crisplogic.tables import Levels, as_matrix, read_columns
from tests.rules.rule_sets import NAN

MATRIX = [[1.0, 2.0], [3.0, NAN]]


class Series:
    """A column as polars has it: not an array, but it can become one."""

    def __init__(self, values: list[float | None]) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array([NAN if value is None else value for value in self.values], dtype)


class Frame:
    """A data frame as polars has it: its columns are a plain list of names."""

    def __init__(self, columns: dict[str, list[float | None]]) -> None:
        self.columns = list(columns)
        self.data = columns

    def __len__(self) -> int:
        return len(next(iter(self.data.values())))

    def __getitem__(self, name: str) -> Series:
        return Series(self.data[name])

    def __iter__(self) -> Iterator[Series]:
        raise AssertionError("a frame is read by the names of its columns")


def check(table: Any, expected: list[list[float]] = MATRIX) -> None:
    matrix = as_matrix(table, ["a", "b"])
    assert matrix.dtype == np.float64
    np.testing.assert_array_equal(matrix, expected)


def refusal(table: Any, features: list[str] | None = None) -> str:
    with pytest.raises(TableError) as error:
        as_matrix(table, features or ["a", "b"])
    return str(error.value)


# --- arrays -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "table",
    [
        np.array(MATRIX),
        np.array(MATRIX, order="F"),
        np.array([[1, 2], [3, None]], dtype=object),
        [[1, 2], [3, None]],
        ((1, 2), (3, NAN)),
        [np.array([1, 2]), np.array([3, NAN])],
        [["1", " 2"], ["3e0", "nan"]],
        [[Decimal(1), Fraction(2)], [3, None]],
    ],
    ids=["array", "fortran", "objects", "lists", "tuples", "rows", "text", "exact"],
)
def test_arrays_and_lists_of_numbers_become_floats(table: Any) -> None:
    check(table)


def test_arrays_of_floats_are_not_copied() -> None:
    for dtype in (np.float32, np.float64):
        table = np.array(MATRIX, dtype=dtype)
        assert as_matrix(table, ["a", "b"]) is table


def test_whole_and_boolean_arrays_become_floats() -> None:
    check(np.array([[1, 2], [3, 4]], dtype=np.int8), [[1, 2], [3, 4]])
    check(np.array([[True, False]]), [[1, 0]])


def test_infinities_stay() -> None:
    check([[np.inf, -np.inf]], [[np.inf, -np.inf]])


def test_no_rows_are_a_table_too() -> None:
    assert as_matrix(np.empty((0, 2)), ["a", "b"]).shape == (0, 2)
    assert as_matrix(pd.DataFrame({"a": [], "b": []}), ["a", "b"]).shape == (0, 2)


def test_no_columns_are_a_table_where_none_are_needed() -> None:
    assert as_matrix([[], [], []], []).shape == (3, 0)


@pytest.mark.parametrize(
    ("table", "shape"),
    [
        ([1.0, 2.0], "(2,)"),
        (5.0, "()"),
        ([], "(0,)"),
        ([[1.0]], "(1, 1)"),
        ([[1.0, 2.0, 3.0]], "(1, 3)"),
        (np.zeros((4, 2, 1)), "(4, 2, 1)"),
        (pd.Series([1.0, 2.0]), "(2,)"),
    ],
    ids=["row", "number", "nothing", "narrow", "wide", "cube", "series"],
)
def test_another_shape_is_refused_and_quoted(table: Any, shape: str) -> None:
    message = refusal(table)
    assert "a table of shape (rows, 2) with the columns 'a', 'b'" in message
    assert message.endswith(f"got shape {shape}")


REFUSED: dict[str, tuple[Any, str]] = {
    "text": ([["high", "low"]], "column 'a' must hold numbers, got the text 'high'"),
    "ragged": ([[1.0, 2.0], [3.0]], "rows of equal length"),
    "mixed": ([[1.0, "x"]], "column 'b' must hold numbers, got the text 'x'"),
    "dicts": ([[1.0, {}]], "column 'b' must hold numbers or text, got lists or other values"),
    "objects": ([[1.0, object()]], "got objects of type object; turn them into numbers"),
    "complex": ([[1j, 2.0]], "column 'a' must hold numbers or text, got complex numbers"),
    "dates": (np.array([["2020", "2021"]], dtype="datetime64[D]"), "'a' .* got dates or times"),
    "durations": (np.array([[1, 2]], dtype="timedelta64[s]"), "got dates or times; turn them"),
    "date": ([[date(2020, 1, 1), 1.0]], "such as an age in days, a year or a month"),
    "bytes": ([[b"x", 1.0]], "column 'a' must hold numbers or text, got bytes; decode them"),
    "huge": ([[10**400, 1]], "column 'a' must hold numbers: int too large"),
    "dict": ({"a": ["high"], "b": [2.0]}, "column 'a' must hold numbers, got the text 'high'"),
    "row": ({"a": 1.0, "b": 2.0}, "a list of values for every column; 'a' is a float"),
    "sparse": (csr_array(np.eye(2)), r"must be dense, got a sparse csr_array; use \.toarray"),
    "None": (None, r"got shape \(\)"),
    "iterator": (iter([[1.0, 2.0]]), "got a list_iterator; make a list of its rows"),
}


@pytest.mark.parametrize(("table", "says"), REFUSED.values(), ids=REFUSED)
def test_what_holds_no_numbers_is_refused(table: Any, says: str) -> None:
    with pytest.raises(TableError, match=says):
        as_matrix(table, ["a", "b"])


def test_what_numpy_masks_is_missing() -> None:
    masked = np.ma.array([[1.0, 2.0], [3.0, 4.0]], mask=[[False, False], [False, True]])
    check(masked)
    check(np.ma.array([[1, 2]], mask=[[False, True]]), [[1, NAN]])


def test_an_array_of_floats_is_taken_as_it_is() -> None:
    array = np.array(MATRIX)
    assert as_matrix(array, ["a", "b"]) is array


def test_many_columns_are_not_all_listed() -> None:
    message = refusal([[1.0]], [f"column {number}" for number in range(1000)])
    assert "'column 11' and 988 more" in message


# --- data frames ------------------------------------------------------------------------------


def test_a_frame_is_read_by_name_in_any_order_with_columns_to_spare() -> None:
    check(pd.DataFrame({"text": ["x", "y"], "b": [2.0, NAN], "a": [1.0, 3.0]}))
    check(Frame({"other": [0.0, 0.0], "b": [2.0, None], "a": [1.0, 3.0]}))


@pytest.mark.parametrize("dtype", ["Float64", "Int64", "UInt8", "Float32", "object", "float32"])
def test_every_kind_of_missing_value_in_pandas_is_nan(dtype: str) -> None:
    column = pd.array([2, None], dtype=dtype)
    check(pd.DataFrame({"a": [1, 3], "b": column}))


def test_columns_of_truth_values_and_categories_are_numbers() -> None:
    truth = pd.array([True, None], dtype="boolean")
    check(
        pd.DataFrame({"a": pd.Series([5, 7]).astype("category"), "b": truth}),
        [[5, 1], [7, NAN]],
    )


def test_columns_called_by_numbers_are_found_by_their_text() -> None:
    frame = pd.DataFrame([[2.0, 1.0]], columns=[1, 0])
    assert as_matrix(frame, ["0", "1"]).tolist() == [[1, 2]]


def test_a_frame_keeps_its_rows_in_order_whatever_its_index() -> None:
    check(pd.DataFrame({"a": [1.0, 3.0], "b": [2.0, NAN]}, index=[1, 0]))


def test_the_frame_is_left_as_it_was() -> None:
    frame = pd.DataFrame({"b": [2.0], "a": [1.0]})
    before = frame.copy()
    as_matrix(frame, ["a", "b"])[:] = 99
    pd.testing.assert_frame_equal(frame, before)


def test_missing_columns_are_named_beside_those_there_are() -> None:
    assert refusal(pd.DataFrame({"A": [1.0], "b": [2.0]})) == (
        "the rules need the column(s) 'a'; the table has 'A', 'b'"
    )
    assert "column(s) 'a', 'b'" in refusal(Frame({"c": [1.0]}))


@pytest.mark.parametrize("names", [["a", "a", "b"], ["a", "b", "b"]])
def test_a_name_that_stands_twice_is_refused(names: list[str]) -> None:
    message = refusal(pd.DataFrame([[1.0, 2.0, 3.0]], columns=names))
    assert f"more than one column called {names[1]!r}" in message


def test_a_number_and_its_text_are_the_same_name_twice() -> None:
    message = refusal(pd.DataFrame([[1.0, 2.0]], columns=[1, "1"]), ["1"])
    assert "more than one column called '1'" in message


def test_a_name_that_stands_twice_does_no_harm_where_it_is_not_needed() -> None:
    check(pd.DataFrame([[1, 9, 9, 2]], columns=["a", "c", "c", "b"]), [[1, 2]])


@pytest.mark.parametrize(
    "column",
    [["x"], pd.to_datetime(["2020-01-01"]), [1j], pd.to_timedelta([1]), [[1.0, 2.0]]],
    ids=["text", "dates", "complex", "durations", "lists"],
)
def test_a_column_without_numbers_is_refused_by_name(column: Any) -> None:
    assert "column 'b' must hold numbers" in refusal(pd.DataFrame({"a": [1.0], "b": column}))


# --- categories -------------------------------------------------------------------------------

COLOURS = Levels(("red", "blue"), ("mauve", "teal"))
SIZES = Levels(("1", "2"), ("10",))


def codes(table: Any, levels: Levels = COLOURS) -> list[float]:
    column: list[float] = as_matrix(table, ["c"], [levels])[:, 0].tolist()
    return column


@pytest.mark.parametrize("made", [list, pd.DataFrame, np.array], ids=["list", "frame", "array"])
def test_levels_become_codes(made: Any) -> None:
    assert codes(made([["blue"], ["teal"], ["red"]])) == [1, 2, 0]


def test_values_never_seen_are_minus_one_and_missing_ones_nan() -> None:
    found = codes(pd.DataFrame({"c": ["green", None, "Red", ""]}))
    np.testing.assert_array_equal(found, [-1, NAN, -1, -1])


@pytest.mark.parametrize(
    "column", [[1, 2, 10, 3], [1.0, 2.0, 10.0, 3.0], ["1", "2", "10", "3"]], ids=str
)
def test_levels_that_are_numbers_are_found_among_numbers_and_texts(column: list[Any]) -> None:
    for table in (pd.DataFrame({"c": column}), [[value] for value in column]):
        assert codes(table, SIZES) == [0, 1, 2, -1]


def test_truth_values_are_found_by_their_names() -> None:
    table = pd.DataFrame({"c": pd.array([True, False, None], dtype="boolean")})
    np.testing.assert_array_equal(codes(table, Levels(("False", "True"))), [1, 0, NAN])


def test_numbers_where_levels_are_words_are_refused() -> None:
    with pytest.raises(TableError, match="'c' must hold texts such as 'red', 'blue', 'm"):
        codes(np.array([[0.0], [1.0]]))


def test_a_column_without_any_value_is_unknown_whatever_its_type() -> None:
    assert np.isnan(codes(np.array([[NAN], [NAN]]))).all()
    assert np.isnan(codes([[None], [None]])).all()


def test_levels_of_a_column_that_never_had_a_value_know_none() -> None:
    assert codes([[1.0], [2.0]], Levels(())) == codes([["x"], ["y"]], Levels(())) == [-1, -1]


def test_dates_are_no_levels() -> None:
    with pytest.raises(TableError, match="column 'c' must hold numbers or text, got dates"):
        codes(pd.DataFrame({"c": pd.to_datetime(["2020-01-01"])}))


def test_columns_that_were_read_before_are_found_by_name_too() -> None:
    frame = pd.DataFrame({"d": ["x", "y"], "c": ["red", None], "n": [1, 2]})
    matrix = as_matrix(read_columns(frame), ["n", "c"], [None, COLOURS])
    np.testing.assert_array_equal(matrix, [[1, 0], [2, NAN]])
    with pytest.raises(TableError, match="need the column"):
        as_matrix(read_columns(frame), ["n", "e"])
    with pytest.raises(TableError, match=r"got shape \(1, 3\)"):
        as_matrix(read_columns([[1, 2, 3]]), ["n", "e"])


def test_a_frame_of_numbered_columns_is_read_in_their_order() -> None:
    frame = pd.DataFrame([[1.5, "red"], [2.5, "teal"]])
    assert as_matrix(frame, ["n", "c"], [None, COLOURS]).tolist() == [[1.5, 0], [2.5, 2]]
    with pytest.raises(TableError, match=r"got shape \(2, 2\)"):
        as_matrix(frame, ["n"])
