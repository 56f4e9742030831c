"""The target-neutral program of a rule set: what every export writes in its own language.

A program reads columns, computes statements, adds them up and decides. A *statement* of crisp
rules is 1 where it holds, 0 where it fails and 1/2 where it is unknown; one of graded rules is
a number from -1 to 1, computed from degrees. A *sum* is a number of points or an amount, and
the *outcome* says what sums mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

from crisplogic.export.conditions import Column, Condition
from crisplogic.expr import Expr
from crisplogic.rules.rule import Label


@dataclass(frozen=True)
class Statement:
    """A yes/no statement. ``fails`` is None where it can not be unknown: then it fails if it
    does not hold. ``words`` say it in plain English.
    """

    holds: Condition
    fails: Condition | None
    words: str


@dataclass(frozen=True)
class RampDegree:
    """-1 where a column is ``low`` or less, 1 where it is ``high`` or more, 0 if missing."""

    column: Column
    low: float
    high: float

    @property
    def middle(self) -> float:
        """Where the degree is 0."""
        return self.high / 2 + self.low / 2

    @property
    def half(self) -> float:
        """From the middle to an end; 0 for a column that never varied, which is unknown."""
        return self.high / 2 - self.low / 2

    def end(self, value: float) -> float:
        """The degree at an end, as floats compute it."""
        return max(-1.0, min(1.0, (value - self.middle) / self.half))

    def overshoots(self) -> list[tuple[str, float]]:
        """The ends that rounding could overshoot, between them: the sign, and the end."""
        below = (self.low - self.middle) / self.half < -1
        above = (self.high - self.middle) / self.half > 1
        return [*([("<", -1.0)] if below else []), *([(">", 1.0)] if above else [])]


@dataclass(frozen=True)
class YesNoDegree:
    """1 where something holds, -1 where it fails, 0 where it is unknown.

    ``fails`` is None where it can not be unknown.
    """

    holds: Condition
    fails: Condition | None


Degree: TypeAlias = RampDegree | YesNoDegree


@dataclass(frozen=True)
class GradedStatement:
    """A term of graded rules: an expression whose inputs are degrees, by number."""

    expression: Expr
    words: str


@dataclass(frozen=True)
class Sum:
    """``base + factor * (start + sum of points * statement)``, from left to right.

    ``terms`` are pairs of points and the number of a statement.
    """

    terms: tuple[tuple[float, int], ...]
    base: float = 0.0
    factor: float = 1.0
    start: float = 0.0

    @property
    def bounds(self) -> tuple[float, float]:
        """Two numbers between which it lies, whatever the statements are in [-1, 1]."""
        most = abs(self.factor) * (abs(self.start) + sum(abs(p) for p, _ in self.terms))
        return self.base - most, self.base + most


@dataclass(frozen=True)
class Threshold:
    """The ``positive`` class where the sum is at least ``needed``, else the ``other`` one.

    The probability of the positive class is ``1 / (1 + exp(-slope * (sum - even)))``.
    """

    positive: Label
    other: Label
    labels: tuple[Label, ...]
    needed: float
    slope: float
    even: float


@dataclass(frozen=True)
class Greatest:
    """The class with the greatest sum, the first in a tie.

    The probabilities are the softmax of ``slope`` times the sum, plus the ``shift`` of the
    class.
    """

    labels: tuple[Label, ...]
    slope: float
    shifts: tuple[float, ...]


@dataclass(frozen=True)
class Amount:
    """The sum is a number, or its logarithm: "log" of it, or "log1p" of it."""

    label: Label
    transform: str | None


Outcome: TypeAlias = Threshold | Greatest | Amount


@dataclass(frozen=True)
class Program:
    """All that an export writes. ``columns`` are those that it reads, in their order."""

    columns: tuple[Column, ...]
    degrees: tuple[Degree, ...]
    statements: tuple[Statement | GradedStatement, ...]
    sums: tuple[Sum, ...]
    outcome: Outcome
    crisp: bool

    @property
    def labels(self) -> tuple[Label, ...]:
        """The classes, in the order of the rules; none for a number."""
        return () if isinstance(self.outcome, Amount) else self.outcome.labels


def is_finite_sum(total: Sum, most: float) -> bool:
    """Whether a sum is surely within a bound."""
    low, high = total.bounds
    return math.isfinite(low) and math.isfinite(high) and max(-low, high) <= most
