"""Values out of a file, each checked: files come from strangers."""

from __future__ import annotations

import sys
from reprlib import repr as shortened
from typing import Any, TypeVar

from crisplogic.errors import RuleFileError

T = TypeVar("T")


def get(entry: dict[str, Any], key: str, kind: type[T]) -> T:
    """The value under a key, which must be of a kind."""
    value = entry.get(key)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise RuleFileError(f'"{key}" must be of type {kind.__name__}, got {shortened(value)}')
    return value


def number(entry: dict[str, Any], key: str) -> float:
    """The number under a key, which must be finite."""
    value = entry.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not _fits(value):
        raise RuleFileError(f'"{key}" must be a finite number, got {shortened(value)}')
    return float(value)


def _fits(value: float) -> bool:
    """Whether a number is a finite float, as neither NaN nor an integer of 400 digits is."""
    return abs(value) <= sys.float_info.max


def each(entry: dict[str, Any], key: str, kind: type[T]) -> list[T]:
    """The list under a key, all of whose values must be of a kind.

    >>> each({"features": ["age"]}, "features", str)
    ['age']
    """
    values = get(entry, key, list)
    for value in values:
        if not isinstance(value, kind):
            raise RuleFileError(
                f'"{key}" must be a list of {kind.__name__}, got {shortened(value)}'
            )
    return values
