"""Columns of Python objects: whatever they are, they are numbers, texts or refused."""

from __future__ import annotations

import datetime
from collections.abc import Collection
from decimal import Decimal
from numbers import Complex, Real
from typing import Any

import numpy as np

from crisplogic.errors import TableError
from crisplogic.tables.kinds import Column, Numbers, Text, is_missing
from crisplogic.tables.refusals import BYTES, COMPLEX, DATES, NESTED, OBJECTS, refuse_column

TEXT, NUMBER, TRUTH, MISSING = "text", "number", "truth", "missing"

_TIMES = (
    datetime.date,  # and so datetime and pandas' Timestamp
    datetime.time,
    datetime.timedelta,
    np.datetime64,
    np.timedelta64,
)
_MISSING = ("NoneType", "NAType", "NaTType")  # the last two are pandas'


def from_objects(values: list[Any], what: str) -> Column:
    """The column that a list of objects is.

    Text beside numbers makes all of them text. Nothing but missing values are numbers.

    >>> from_objects([1, None, 2.5], "it").values.tolist()
    [1.0, nan, 2.5]
    >>> from_objects(["x", None, 2.5], "it").values.tolist()
    ['x', None, '2.5']
    """
    kinds = {sort_of(kind): kind for kind in dict.fromkeys(map(type, values))}
    for sort, kind in kinds.items():
        if sort not in (TEXT, NUMBER, TRUTH, MISSING):
            example = f" of type {kind.__name__}" if sort == OBJECTS else ""
            refuse_column(what, sort, example)
    if TEXT in kinds:
        return Text.of(values)
    return _numbers(values, what, kinds.keys())


def _numbers(values: list[Any], what: str, sorts: Collection[str]) -> Numbers:
    if MISSING in sorts:
        values = [np.nan if is_missing(value) else value for value in values]
    try:
        floats = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise TableError(f"{what} must hold numbers: {error}") from error
    return Numbers(floats, boolean=TRUTH in sorts and NUMBER not in sorts)


def sort_of(kind: type) -> str:
    """What the values of a class are to crisplogic.

    >>> sort_of(float), sort_of(np.str_), sort_of(datetime.date), sort_of(dict)
    ('number', 'text', 'dates or times', 'lists or other values with parts')
    """
    if kind.__name__ in _MISSING:  # before dates: NaT is one
        return MISSING
    if issubclass(kind, str):
        return TEXT
    if issubclass(kind, bool | np.bool_):
        return TRUTH
    if issubclass(kind, _TIMES) or kind.__name__ == "Period":
        return DATES
    if issubclass(kind, Real | Decimal):
        return NUMBER
    if issubclass(kind, Complex):
        return COMPLEX
    if issubclass(kind, bytes | bytearray):
        return BYTES
    if hasattr(kind, "__len__") or hasattr(kind, "__iter__"):
        return NESTED
    return NUMBER if hasattr(kind, "__float__") else OBJECTS
