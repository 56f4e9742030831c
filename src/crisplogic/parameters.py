"""Constraints on parameters: what they may be, in words and as a test."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any


@dataclass(frozen=True)
class Constraint:
    """What a parameter must be: in words, to complete "must be ...", and as a test.

    >>> (COUNT | NONE).check("patience", 0)
    Traceback (most recent call last):
    ValueError: patience must be a whole number of at least 1, or None, got 0
    """

    needed: str
    holds: Callable[[Any], bool]

    def check(self, name: str, given: object) -> None:
        """Refuse a value that is not allowed, and say what is."""
        require(self.holds(given), name, self.needed, given)

    def __or__(self, other: Constraint) -> Constraint:
        return Constraint(
            f"{self.needed}, or {other.needed}",
            lambda value: self.holds(value) or other.holds(value),
        )

    def __str__(self) -> str:
        return self.needed


def one_of(*choices: str) -> Constraint:
    """One of some words.

    >>> one_of("adam", "sgd").check("optimizer", "lion")
    Traceback (most recent call last):
    ValueError: optimizer must be one of 'adam', 'sgd', got 'lion'
    """
    words = ", ".join(map(repr, choices))
    needed = words if len(choices) == 1 else f"one of {words}"
    return Constraint(needed, lambda value: isinstance(value, str) and value in choices)


def is_count(value: object) -> bool:
    """Whether a parameter is what :data:`COUNT` says."""
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1


def is_amount(value: object) -> bool:
    """Whether a parameter is what :data:`AMOUNT` says."""
    return isinstance(value, Real) and math.isfinite(value) and float(value) >= 0


COUNT = Constraint("a whole number of at least 1", is_count)
COUNT_OR_ZERO = Constraint(
    "a whole number of at least 0", lambda value: value == 0 or is_count(value)
)
AMOUNT = Constraint("a finite number, 0 or more", is_amount)
POSITIVE = Constraint(
    "a finite number above 0", lambda value: is_amount(value) and float(value) > 0
)
SHARE = Constraint(
    "a number of at least 0 and below 1", lambda value: is_amount(value) and float(value) < 1
)
FOLDS = Constraint(
    "0 or a whole number above 1", lambda value: value == 0 or (is_count(value) and value > 1)
)
NONE = Constraint("None", lambda value: value is None)


def check_parameters(given: object, constraints: Mapping[str, Constraint]) -> None:
    """Refuse the first attribute that is not what its constraint says."""
    for name, constraint in constraints.items():
        constraint.check(name, getattr(given, name))


def require(holds: bool, name: str, needed: object, given: object) -> None:
    """Refuse the value of a parameter, and say what it must be.

    >>> require(False, "epochs", COUNT, 0)
    Traceback (most recent call last):
    ValueError: epochs must be a whole number of at least 1, got 0
    """
    if not holds:
        raise ValueError(f"{name} must be {needed}, got {given!r}")
