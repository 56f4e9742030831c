"""Columns that libraries store as codes are the same text as their values are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisplogic.tables import Text
from crisplogic.tables.columns import read_series

WORDS = ["red", "blue", " red", "7", "", "teal"]
CODED: dict[str, Callable[[list[Any]], Any]] = {
    "pandas": lambda values: pd.Series(values, dtype=pd.CategoricalDtype(WORDS[::-1])),
    "polars": lambda values: pl.Series(values, dtype=pl.Categorical),
    "polars enum": lambda values: pl.Series(values, dtype=pl.Enum(WORDS)),
    "arrow": lambda values: pa.chunked_array([pa.array(values, pa.string())]),
    "arrow chunks": lambda values: pa.chunked_array(
        [
            pa.array(part, pa.string()).dictionary_encode()
            for part in (values[:2], [], values[2:])
        ]
    ),
    "arrow without chunks": lambda values: pa.chunked_array(
        [pa.array(values, pa.string())] if values else [], pa.string()
    ),
}


@pytest.mark.parametrize("made", CODED.values(), ids=CODED)
@given(values=st.lists(st.sampled_from([*WORDS, None]), max_size=12))
def test_codes_are_read_as_their_values(
    made: Callable[[list[Any]], Any], values: list[Any]
) -> None:
    read, expected = read_series(made(values), "it"), Text.from_values(values)
    assert isinstance(read, Text)
    assert read.uniques == expected.uniques
    assert read.codes.tolist() == expected.codes.tolist()
    assert read.codes.dtype == expected.codes.dtype


def test_rows_of_a_column_of_categories_have_their_own_values_alone() -> None:
    colours = pl.Series(["red", "blue", None, "teal"], dtype=pl.Categorical)
    part = read_series(colours[2:], "it")
    assert isinstance(part, Text)
    assert (part.uniques, part.codes.tolist()) == (("teal",), [-1, 0])
