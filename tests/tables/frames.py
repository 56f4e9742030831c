"""One table in every form that people have it in."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from tests.rules.rule_sets import NAN

AGE: list[float | None] = [41.0, None, 7.5]
SMOKER: list[bool | None] = [True, False, None]
COLOUR: list[str | None] = ["red", None, "light blue"]
MIXED: dict[str, list[Any]] = {"age": AGE, "smoker": SMOKER, "colour": COLOUR}
NAMES = tuple(MIXED)

FRAMES: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "pandas objects": lambda data: pd.DataFrame(data, dtype=object),
    "pandas nullable": lambda data: pd.DataFrame(data).convert_dtypes(),
    "pandas pyarrow": lambda data: pd.DataFrame(data).convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "arrow batch": pa.RecordBatch.from_pydict,
    "narwhals": lambda data: nw.from_native(pl.DataFrame(data)),
}

# Columns of each library that hold 1.5, nothing and 3; "x", nothing and "y"; yes, nothing, no.
NUMBERS: dict[str, Any] = {
    "pandas floats": pd.Series([1.5, NAN, 3]),
    "pandas objects": pd.Series([1.5, None, 3], dtype=object),
    "pandas objects with NA": pd.Series([1.5, pd.NA, 3], dtype=object),
    "pandas Float64": pd.Series([1.5, None, 3], dtype="Float64"),
    "pandas Arrow": pd.Series([1.5, None, 3], dtype="double[pyarrow]"),
    "pandas sparse": pd.Series(pd.arrays.SparseArray([1.5, NAN, 3])),
    "pandas decimals": pd.Series([Decimal("1.5"), None, Decimal(3)]),
    "pandas Arrow decimals": pd.Series(
        [Decimal("1.5"), None, Decimal(3)], dtype=pd.ArrowDtype(pa.decimal128(5, 2))
    ),
    "polars": pl.Series([1.5, None, 3]),
    "polars NaN": pl.Series([1.5, NAN, 3]),
    "polars decimals": pl.Series([Decimal("1.5"), None, Decimal(3)]),
    "polars float32": pl.Series([1.5, None, 3], dtype=pl.Float32),
    "arrow": pa.chunked_array([[1.5, None], [3]]),
    "arrow half": pa.chunked_array([pa.array(np.array([1.5, NAN, 3], np.float16))]),
    "numpy": np.array([1.5, NAN, 3], dtype=np.longdouble),
}
TEXTS: dict[str, Any] = {
    "pandas": pd.Series(["x", None, "y"]),
    "pandas objects": pd.Series(["x", None, "y"], dtype=object),
    "pandas objects with NaN": pd.Series(["x", NAN, "y"], dtype=object),
    "pandas objects with NA": pd.Series(["x", pd.NA, "y"], dtype=object),
    "pandas string": pd.Series(["x", None, "y"], dtype="string"),
    "pandas Python string": pd.Series(["x", None, "y"], dtype="string[python]"),
    "pandas category": pd.Series(["x", None, "y"], dtype="category"),
    "pandas more categories": pd.Series(pd.Categorical(["x", None, "y"], ["z", "y", "x"])),
    "pandas Arrow": pd.Series(["x", None, "y"], dtype=pd.ArrowDtype(pa.string())),
    "polars": pl.Series(["x", None, "y"]),
    "polars category": pl.Series(["x", None, "y"], dtype=pl.Categorical),
    "polars enum": pl.Series(["x", None, "y"], dtype=pl.Enum(["y", "x", "z"])),
    "arrow": pa.chunked_array([["x"], [None, "y"]]),
    "arrow large": pa.chunked_array([pa.array(["x", None, "y"], pa.large_string())]),
    "arrow dictionary": pa.chunked_array([pa.array(["x", None, "y"]).dictionary_encode()]),
    "numpy objects": np.array(["x", None, "y"], dtype=object),
    "numpy's texts": np.array([np.str_("x"), None, np.str_("y")], dtype=object),
    "numpy strings": np.array(["x", None, "y"], dtype=np.dtypes.StringDType(na_object=None)),
}
TRUTH: dict[str, Any] = {
    "pandas objects": pd.Series([True, None, False], dtype=object),
    "pandas boolean": pd.Series([True, None, False], dtype="boolean"),
    "pandas Arrow": pd.Series([True, None, False], dtype="bool[pyarrow]"),
    "polars": pl.Series([True, None, False]),
    "arrow": pa.chunked_array([[True, None, False]]),
}
NOTHING: dict[str, Any] = {
    "pandas objects": pd.Series([None, None], dtype=object),
    "pandas NaT and NA": pd.Series([pd.NaT, pd.NA], dtype=object),
    "pandas Arrow": pd.Series([None, None], dtype=pd.ArrowDtype(pa.null())),
    "polars": pl.Series([None, None]),
    "arrow": pa.chunked_array([pa.nulls(2)]),
}

DAY = dt.datetime(2020, 1, 1)
DATES: dict[str, Any] = {
    "pandas": pd.Series([DAY]),
    "pandas zone": pd.Series([DAY]).dt.tz_localize("UTC"),
    "pandas objects": pd.Series([DAY.date()], dtype=object),
    "pandas durations": pd.Series([dt.timedelta(1)]),
    "pandas periods": pd.Series(pd.period_range("2020", periods=1, freq="M")),
    "pandas Arrow": pd.Series([DAY], dtype=pd.ArrowDtype(pa.timestamp("us"))),
    "polars": pl.Series([DAY]),
    "polars dates": pl.Series([DAY.date()]),
    "polars times": pl.Series([dt.time(1)]),
    "polars durations": pl.Series([dt.timedelta(1)]),
    "arrow": pa.chunked_array([[DAY]]),
    "arrow dates": pa.chunked_array([[DAY.date()]]),
    "numpy": np.array(["2020"], dtype="datetime64[Y]"),
    "numpy durations": np.array([1], dtype="timedelta64[s]"),
}
NESTED: dict[str, Any] = {
    "pandas": pd.Series([[1, 2]]),
    "pandas dicts": pd.Series([{"a": 1}]),
    "pandas arrays": pd.Series([np.zeros(2)]),
    "polars": pl.Series([[1, 2]]),
    "polars structs": pl.Series([{"a": 1}]),
    "polars arrays": pl.Series([[1, 2]], dtype=pl.Array(pl.Int64, 2)),
    "arrow": pa.chunked_array([[[1, 2]]]),
    "arrow maps": pa.chunked_array([pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64()))]),
    "numpy": np.array([(1, 2)], dtype=[("a", int), ("b", int)]),
    "tuples": pd.Series([(1, 2)]),
}
OTHERS: dict[str, tuple[Any, str]] = {
    "complex": (np.array([1j]), "complex numbers; give the real and the imaginary part"),
    "complex objects": (pd.Series([1j], dtype=object), "complex numbers"),
    "bytes": (pl.Series([b"x"]), "bytes; decode them"),
    "numpy bytes": (np.array([b"x"]), "bytes; decode them"),
    "objects": (
        pd.Series([object()]),
        "objects of type object; turn them into numbers",
    ),
    "intervals": (pd.Series(pd.interval_range(0, 1)), "objects of type Interval"),
}
