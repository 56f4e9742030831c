"""Arrays of Arrow as columns, without a Python object a row."""

from __future__ import annotations

from typing import Any

import numpy as np

from crisplogic.tables import Column, Kind, Numbers, Text
from crisplogic.tables.columns import read_series


def kind_of(type_: Any) -> Kind | None:
    """What a type of Arrow holds; None if every value is missing, or it is refused later.

    Numbers and truth values are told apart, as in memory; two numbers are numbers here.

    >>> import pyarrow
    >>> kind_of(pyarrow.int8()), kind_of(pyarrow.string()), kind_of(pyarrow.null())
    ('number', 'category', None)
    """
    import pyarrow

    types = pyarrow.types
    if types.is_boolean(type_):
        return "boolean"
    if types.is_integer(type_) or types.is_floating(type_) or types.is_decimal(type_):
        return "number"
    return "category" if is_text(type_) else None


def is_text(type_: Any) -> bool:
    """Whether it is text, or a category of anything."""
    import pyarrow

    types = pyarrow.types
    view = getattr(types, "is_string_view", lambda _: False)
    return bool(
        types.is_string(type_)
        or types.is_large_string(type_)
        or types.is_dictionary(type_)
        or view(type_)
    )


def read_arrow(array: Any, kind: Kind | None, what: str) -> Column:
    """An array of Arrow as a column of a ``kind``; ``what`` is its name in errors.

    It is what :func:`crisplogic.tables.read_columns` would make of it.

    >>> import pyarrow
    >>> read_arrow(pyarrow.array([1, None]), "number", "it").values.tolist()
    [1.0, nan]
    >>> read_arrow(pyarrow.array([" red", None]), "category", "it").values.tolist()
    ['red', None]
    """
    import pyarrow

    if pyarrow.types.is_null(array.type):
        return empty_column(kind, len(array))
    if is_text(array.type):
        return _text(array)
    if kind is None:
        return read_series(pyarrow.chunked_array([array]), what)  # which refuses it
    if array.type != pyarrow.float64():
        array = array.cast(pyarrow.float64(), safe=False)
    values = array.to_numpy(zero_copy_only=False)
    return Numbers(values, boolean=kind == "boolean")


def empty_column(kind: Kind | None, rows: int) -> Column:
    """A column of missing values."""
    if kind == "category":
        return Text((), np.full(rows, -1, np.int32))
    return Numbers(np.full(rows, np.nan), boolean=kind == "boolean")


def _text(array: Any) -> Text:
    import pyarrow

    if not pyarrow.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    codes = array.indices.fill_null(-1) if array.null_count else array.indices
    places = Text.from_values(array.dictionary.to_pylist())
    of_value = np.append(places.codes, np.int32(-1))
    return Text(places.uniques, of_value[codes.to_numpy(zero_copy_only=False)])
