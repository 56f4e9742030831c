"""Refusing the values of parameters: what they must be, said in one way everywhere."""

from __future__ import annotations

import math
from numbers import Integral, Real

COUNT = "a whole number of at least 1"
AMOUNT = "a finite number, 0 or more"


def is_count(value: object) -> bool:
    """Whether a parameter is what :data:`COUNT` says."""
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1


def is_amount(value: object) -> bool:
    """Whether a parameter is what :data:`AMOUNT` says."""
    return isinstance(value, Real) and math.isfinite(value) and float(value) >= 0


def require(holds: bool, name: str, needed: str, given: object) -> None:
    """Refuse the value that a parameter was given, and say what it must be.

    >>> require(False, "epochs", COUNT, 0)
    Traceback (most recent call last):
    ValueError: epochs must be a whole number of at least 1, got 0
    """
    if not holds:
        raise ValueError(f"{name} must be {needed}, got {given!r}")


def require_one_of(name: str, given: object, choices: tuple[str, ...]) -> None:
    """Refuse a parameter that is none of the names it may have.

    >>> require_one_of("loss", "square", ("squared", "cross_entropy"))
    Traceback (most recent call last):
    ValueError: loss must be one of 'squared', 'cross_entropy', got 'square'
    """
    require(given in choices, name, f"one of {', '.join(map(repr, choices))}", given)
