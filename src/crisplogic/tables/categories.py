"""Columns that a library stores as codes of few values: read without a look at every row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

# The values of a column, and which of them each row holds, -1 where it has none.
Coded = tuple[list[Any], NDArray[np.integer]]


def read_codes(series: Any) -> Coded | None:
    """The values and codes of a series of narwhals; None if its library has no codes.

    >>> import narwhals.stable.v1 as nw, polars as pl
    >>> colours = pl.Series(["red", None, "red"], dtype=pl.Enum(["blue", "red"]))
    >>> values, codes = read_codes(nw.from_native(colours, series_only=True))
    >>> values, codes.tolist()
    (['red'], [0, -1, 0])
    """
    read = _READERS.get(series.implementation.name)
    return None if read is None else read(series.to_native())


def _read_pandas(series: Any) -> Coded | None:
    if not hasattr(series.dtype, "categories"):
        return None
    return series.cat.categories.tolist(), series.cat.codes.to_numpy()


def _read_polars(series: Any) -> Coded | None:
    if not hasattr(series.dtype, "categories"):
        return None
    # Codes may be those of all columns of the process, so only what is here is looked up.
    different = series.unique(maintain_order=True).drop_nulls()
    numbers = different.to_physical().cast(int).to_numpy()
    place = np.full(int(numbers.max(initial=-1)) + 2, -1)
    place[numbers] = np.arange(len(numbers))
    codes = series.to_physical().cast(int).fill_null(len(place) - 1).to_numpy()
    return different.to_list(), place[codes]


def _read_arrow(column: Any) -> Coded | None:
    if not len(column):
        return None
    chunks = column.dictionary_encode().unify_dictionaries().chunks
    codes = [chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False) for chunk in chunks]
    return chunks[0].dictionary.to_pylist(), np.concatenate(codes)


_READERS: dict[str, Callable[[Any], Coded | None]] = {
    "PANDAS": _read_pandas,
    "POLARS": _read_polars,
    "PYARROW": _read_arrow,
}
