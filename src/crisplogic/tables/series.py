"""One column as a library has it, numpy, pandas, polars or Arrow, as numbers or texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError
from crisplogic.tables.kinds import Column, Numbers, Text
from crisplogic.tables.objects import from_objects
from crisplogic.tables.refusals import COMPLEX, DATES, NESTED, refuse_column

# Rows held as Python's texts at a time; each takes ten times the memory that Arrow needs.
CHUNK_ROWS = 65_536

# Kinds of data by their names in narwhals, which older versions do not all have.
_TEXTS = ("String", "Categorical", "Enum")
_REFUSED = {
    **dict.fromkeys(("Date", "Datetime", "Duration", "Time"), DATES),
    **dict.fromkeys(("List", "Array", "Struct"), NESTED),
}


def read_series(series: Any, what: str) -> Column:
    """A column of any library; ``what`` is how errors call it.

    Categories are texts, even where they look like numbers: someone said that they are
    categories.

    >>> read_series(np.array([True, False]), "it")
    Numbers(values=array([1., 0.]), boolean=True)
    """
    if isinstance(getattr(series, "dtype", None), np.dtype):  # numpy, and most of pandas
        return _from_array(_unmasked(series), what)
    # Narwhals knows all other libraries; where there is none of them, it is not needed.
    import narwhals.stable.v1 as nw

    known = nw.from_native(series, series_only=True, pass_through=True)
    if not isinstance(known, nw.Series):
        return _from_array(np.asarray(series), what)
    kind = type(known.dtype).__name__
    if kind in _REFUSED:
        refuse_column(what, _REFUSED[kind])
    if kind in _TEXTS:
        return Text.of_chunks(_chunks(known))
    if kind == "Boolean" or known.dtype.is_numeric():
        values = np.asarray(known.cast(nw.Float64()).to_numpy(), dtype=np.float64)
        return Numbers(values, boolean=kind == "Boolean")
    return from_objects(known.to_list(), what)


def _from_array(values: NDArray[Any], what: str) -> Column:
    if values.ndim != 1:
        raise TableError(f"{what} must hold one value a row, got shape {values.shape}")
    match values.dtype.kind:
        case "f" | "i" | "u" | "b":
            floats = values.astype(np.float64, copy=False)
            return Numbers(floats, boolean=values.dtype.kind == "b")
        case "m" | "M":
            refuse_column(what, DATES)
        case "c":
            refuse_column(what, COMPLEX)
        case "V":
            refuse_column(what, NESTED)
        case "U" | "T":
            return Text.of_chunks(_chunks(values))
    return from_objects(values.tolist(), what)


def _unmasked(series: Any) -> NDArray[Any]:
    """An array as it is, but what numpy has masked is missing."""
    values = np.asarray(series)
    if isinstance(series, np.ma.MaskedArray):
        values = values.astype(object)
        values[np.ma.getmaskarray(series)] = None
    return values


def _chunks(series: Any) -> Iterator[list[Any]]:
    for start in range(0, len(series), CHUNK_ROWS):
        chunk = series[start : start + CHUNK_ROWS]
        yield chunk.tolist() if isinstance(chunk, np.ndarray) else chunk.to_list()
