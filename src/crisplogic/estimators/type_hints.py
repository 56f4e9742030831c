"""Type hints, asked at run time: whether a value from a file is what a class declares."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np


def has_type(value: Any, kind: Any) -> bool:
    """Whether a value is what a type hint says, with all that it contains.

    >>> has_type((1, 2), tuple[int, ...]), has_type((1, True), tuple[int, ...])
    (True, False)
    >>> from numpy.typing import NDArray
    >>> has_type(np.zeros(2), NDArray[np.float64]), has_type(np.zeros(2), NDArray[np.bool_])
    (True, False)
    """
    origin, parts = get_origin(kind), get_args(kind)
    if kind is Any:
        return True
    if origin is None:
        return _is_instance(value, kind or type(None))
    if origin in (Union, UnionType):
        return any(has_type(value, part) for part in parts)
    if origin is Literal:
        return any(type(value) is type(part) and value == part for part in parts)
    if not isinstance(value, origin):
        return False
    if origin is np.ndarray:
        (scalar,) = get_args(parts[1])
        return scalar is Any or issubclass(value.dtype.type, scalar)
    if origin is tuple and parts[-1] is not Ellipsis:
        return _have_types(value, parts)
    if issubclass(origin, Mapping):
        return all(_have_types(item, parts) for item in value.items())
    return all(has_type(item, parts[0]) for item in value)


def _have_types(values: Sequence[Any], kinds: Sequence[Any]) -> bool:
    return len(values) == len(kinds) and all(map(has_type, values, kinds))


def _is_instance(value: Any, kind: type) -> bool:
    """As type checkers see it: a whole number is a float, but a truth value is no number."""
    if isinstance(value, bool) and kind in (int, float):
        return False
    if kind is float and isinstance(value, int):
        return abs(value) <= sys.float_info.max
    return isinstance(value, kind)
