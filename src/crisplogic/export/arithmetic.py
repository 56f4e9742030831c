"""Graded logic as arithmetic, for targets whose expressions are no text.

The operations are those of the library, in its order. So a target that computes in double
precision gives the same bits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import reduce
from typing import Generic, TypeVar

from crisplogic.expr import And, Const, Expr, Or, Squash, Sum, Var, Xor, split_sign

T = TypeVar("T")


class Arithmetic(ABC, Generic[T]):
    """Writes expressions of one language; a ``T`` is an expression or the name of one."""

    @abstractmethod
    def number(self, value: float) -> T:
        """A constant."""

    @abstractmethod
    def degree(self, index: int) -> T:
        """An input of graded logic."""

    @abstractmethod
    def operation(self, sign: str, left: T, right: T) -> T:
        """Two numbers joined by ``+``, ``-``, ``*`` or ``/``."""

    @abstractmethod
    def tanh(self, value: T) -> T:
        """The hyperbolic tangent."""

    def negative(self, value: T) -> T:
        """A number with the opposite sign."""
        return self.operation("-", self.number(0), value)

    def value(self, expr: Expr) -> T:
        """The value of an expression."""
        match expr:
            case Var(index=index):
                return self.degree(index)
            case Const(value=value):
                return self.number(value)
            case Squash(operand=operand):
                terms = operand.terms if isinstance(operand, Sum) else (operand,)
                signed = map(split_sign, terms)
                return self.tanh(
                    self.added([(sign, self.value(term)) for term, sign in signed])
                )
            case And(operands=operands):
                return reduce(self._and, map(self.value, operands))
            case Or(operands=operands):
                return reduce(self._or, map(self.value, operands))
            case Xor(operands=operands):
                return reduce(
                    lambda a, b: self.negative(self.operation("*", a, b)),
                    map(self.value, operands),
                )
        bare, sign = split_sign(expr)
        found = self.value(bare)
        return found if sign > 0 else self.negative(found)

    def _and(self, a: T, b: T) -> T:
        return self.operation("-", self._half("+", a, b), self.number(1))

    def _or(self, a: T, b: T) -> T:
        return self.operation("-", self.number(1), self._half("-", a, b))

    def _half(self, sign: str, a: T, b: T) -> T:
        """Half of (1 + a)(1 + b), or of (1 - a)(1 - b)."""
        left, right = (self.operation(sign, self.number(1), each) for each in (a, b))
        return self.operation("*", self.operation("*", left, right), self.number(0.5))

    def added(self, terms: Sequence[tuple[float, T]]) -> T:
        """A sum of points times values, from left to right."""
        total: T | None = None
        for points, value in terms:
            sized = self.times(abs(points), value)
            if total is None:
                total = self.negative(sized) if points < 0 else sized
            else:
                total = self.operation("-" if points < 0 else "+", total, sized)
        return self.number(0) if total is None else total

    def times(self, factor: float, value: T) -> T:
        """A number times a constant."""
        return value if factor == 1 else self.operation("*", self.number(factor), value)
