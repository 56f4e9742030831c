"""Tables of Python's own kinds are read as data frames are, or refused by name."""

from __future__ import annotations

import csv
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from crisplogic.errors import TableError
from crisplogic.tables import Numbers, Text, as_matrix, infer_schema, read_columns
from tests.rules.rule_sets import NAN

AGE, SEX = [41.0, None, 7.5, 30.0], ["f", "m", "f", None]
FRAME = pd.DataFrame({"age": AGE, "sex": SEX})
ROWS: list[dict[str, Any]] = [
    {"age": 41.0, "sex": "f"},
    {"sex": "m"},
    {"age": 7.5, "sex": "f"},
    {"age": 30.0},
]
RECORDS: dict[str, Any] = {
    "rows": ROWS,
    "a tuple of rows": tuple(ROWS),
    "lists": {"age": AGE, "sex": SEX},
    "tuples": {"age": tuple(AGE), "sex": tuple(SEX)},
    "arrays": {"age": np.array([41, NAN, 7.5, 30]), "sex": np.array(SEX, dtype=object)},
    "series": {"age": pd.Series(AGE), "sex": pl.Series(SEX)},
}


@pytest.mark.parametrize("table", RECORDS.values(), ids=RECORDS)
def test_records_are_read_as_a_data_frame_is(table: Any) -> None:
    columns = read_columns(table)
    schema = infer_schema(columns)
    assert schema == infer_schema(read_columns(FRAME))
    np.testing.assert_array_equal(schema.matrix(table), schema.matrix(FRAME))
    np.testing.assert_array_equal(schema.matrix(columns), schema.matrix(FRAME))


@pytest.mark.parametrize("make", [np.asarray, lambda array: array.view(np.recarray)])
def test_a_structured_array_is_read_by_its_fields(
    make: Callable[..., Any],
) -> None:
    rows = [(41.0, "f"), (NAN, "m")]
    table = make(np.array(rows, dtype=[("age", float), ("sex", "U1")]))
    columns = read_columns(table)
    assert columns.names == ("age", "sex")
    assert [type(column) for column in columns.columns] == [Numbers, Text]
    np.testing.assert_array_equal(as_matrix(table[["age"]], ["age"]), [[41.0], [NAN]])


def test_rows_of_the_csv_module_hold_numbers_where_all_their_texts_are() -> None:
    read = read_columns(list(csv.DictReader(["age,sex", "41,f", "7.5,m"])))
    assert read.columns[0].values.tolist() == [41.0, 7.5]
    assert read.columns[1].values.tolist() == ["f", "m"]


def test_columns_that_are_not_needed_may_hold_anything() -> None:
    table = {"age": [41], "notes": [{"a": 1}]}
    np.testing.assert_array_equal(as_matrix(table, ["age"]), [[41.0]])
    assert read_columns(table, excluded=[1]).names == ("age", "notes")


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"age": [1, 2], "sex": ["f"]}, "equally long, got {'age': 2, 'sex': 1} rows"),
        ({"age": 41, "sex": "f"}, "Write one row as a list of one mapping"),
        ([{"age": 41}, [41]], "a mapping for every row.*got a row of type list"),
        (([value] for value in (1, 2)), "got a generator; make a list"),
        (map(list, [[1], [2]]), "got a map; make a list"),
        ("people.csv", "got a str; if it names a file, read the file first"),
        ({1, 2}, "rows and columns in an order, got a set"),
        (np.zeros(3), r"rows and columns, got shape \(3,\)"),
        (np.zeros((3, 2, 1)), r"rows and columns, got shape \(3, 2, 1\)"),
        ([[1, 2], [3]], r"rows of equal length, got lengths \[1, 2\]"),
        (pd.Series([1.0, 2.0]), r"rows and columns, got shape \(2,\)"),
        (pl.Series([1.0, 2.0]), r"rows and columns, got shape \(2,\)"),
    ],
)
def test_what_is_no_table_is_refused_by_name(table: Any, said: str) -> None:
    with pytest.raises(TableError, match=said):
        read_columns(table)


def test_one_error_names_every_column_that_cannot_be_used() -> None:
    table = pd.DataFrame(
        {
            "born": pd.to_datetime(["2000-01-31"]),
            "age": [41],
            "parts": [[1, 2]],
            "wave": [1j],
        }
    )
    with pytest.raises(TableError, match="3 columns cannot be used") as caught:
        read_columns(table)
    lines = str(caught.value).splitlines()
    assert [line.split()[1] for line in lines[1:]] == ["'born'", "'parts'", "'wave'"]
    assert "dates or times" in lines[1]
    assert "give every part a column" in lines[2]
    assert "complex numbers" in lines[3]


def test_one_error_names_every_identifier_and_every_text_among_numbers() -> None:
    names = [f"n{row}" for row in range(40)]
    with pytest.raises(TableError, match=r"2 columns(?s:.*)'id'(?s:.*)'name'"):
        infer_schema(read_columns({"id": names, "age": [*range(40)], "name": names}))
    with pytest.raises(TableError, match=r"2 columns(?s:.*)'a'(?s:.*)'b'"):
        as_matrix({"a": ["x"], "b": ["y"]}, ["a", "b"])


def test_an_error_about_many_columns_stays_short() -> None:
    table = pd.DataFrame({f"c{number}": [1j] for number in range(500)})
    with pytest.raises(TableError, match=r"500 columns(?s:.*)and 480 more") as caught:
        read_columns(table)
    assert len(str(caught.value)) < 5_000
