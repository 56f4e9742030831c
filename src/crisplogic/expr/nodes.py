"""Logic expressions as immutable data: nodes only hold, everything else is a function.

There are two sorts. A *logic value* lies in [-1, 1]: :class:`Const`, :class:`Var`,
:class:`Not`, :class:`And`, :class:`Or`, :class:`Xor` and :class:`Squash`. A *score* may lie
anywhere: :class:`Sum`, the paper's interpolation between expressions. Only a logic value
can be an operand of logic; :class:`Squash`, the tanh between two logic levels, makes one of
a score. The constructors enforce it, so every expression that exists has a meaning.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from crisplogic.algebra import FALSE, TRUE, UNKNOWN
from crisplogic.errors import ExpressionError


class Expr:
    """Base of all nodes. ``~ & | ^ +`` build expressions from expressions.

    >>> ~(Var(0) | Var(3))
    Not(operand=Or(operands=(Var(index=0), Var(index=3))))
    """

    __slots__ = ()

    def __invert__(self) -> Not:
        return Not(self)

    def __and__(self, other: Expr) -> And:
        return And((self, other))

    def __or__(self, other: Expr) -> Or:
        return Or((self, other))

    def __xor__(self, other: Expr) -> Xor:
        return Xor((self, other))

    def __add__(self, other: Expr) -> Expr:
        return total((*_terms(self), *_terms(other)))


@dataclass(frozen=True, slots=True)
class Const(Expr):
    """True (+1), false (-1) or unknown (0)."""

    value: float

    def __post_init__(self) -> None:
        if self.value not in (TRUE, FALSE, UNKNOWN):
            raise ExpressionError(
                f"a constant is true (1), false (-1) or unknown (0), not {self.value!r}"
            )


@dataclass(frozen=True, slots=True)
class Var(Expr):
    """Input number ``index`` "is high", counted from 0 as in the paper."""

    index: int

    def __post_init__(self) -> None:
        if isinstance(self.index, bool) or not isinstance(self.index, int) or self.index < 0:
            raise ExpressionError(
                f"an input is a whole number counted from 0, not {self.index!r}"
            )


@dataclass(frozen=True, slots=True)
class Not(Expr):
    """Negation, -x."""

    operand: Expr

    def __post_init__(self) -> None:
        _require_logic_value(self.operand, "not")


@dataclass(frozen=True, slots=True)
class Operation(Expr):
    """Base of the associative operators: two operands or more, all of them logic values."""

    operands: tuple[Expr, ...]

    def __post_init__(self) -> None:
        name = type(self).__name__.lower()
        if not isinstance(self.operands, tuple) or len(self.operands) < 2:
            raise ExpressionError(f"'{name}' needs a tuple of two or more operands")
        for operand in self.operands:
            _require_logic_value(operand, name)


@dataclass(frozen=True, slots=True)
class And(Operation):
    """Conjunction, (x + 1)(y + 1)/2 - 1."""


@dataclass(frozen=True, slots=True)
class Or(Operation):
    """Disjunction, 1 - (x - 1)(y - 1)/2."""


@dataclass(frozen=True, slots=True)
class Xor(Operation):
    """Exclusive or, -xy; of several operands their parity."""


@dataclass(frozen=True, slots=True)
class Squash(Expr):
    """The tanh between two logic levels: it maps a score back into (-1, 1)."""

    operand: Expr

    def __post_init__(self) -> None:
        _require_expression(self.operand, "tanh")


@dataclass(frozen=True, slots=True)
class Sum(Expr):
    """A score: the sum of two or more logic values (a weight of -1 is a :class:`Not`)."""

    terms: tuple[Expr, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.terms, tuple) or len(self.terms) < 2:
            raise ExpressionError("a sum needs a tuple of two or more terms; see total()")
        for term in self.terms:
            _require_logic_value(term, "sum")


def total(terms: Iterable[Expr]) -> Expr:
    """The sum of any number of logic values: unknown if none, the term itself if one.

    >>> total([]), total([Var(1)]), total([Var(1), Var(2)])
    (Const(value=0.0), Var(index=1), Sum(terms=(Var(index=1), Var(index=2))))
    """
    terms = tuple(terms)
    if not terms:
        return Const(UNKNOWN)
    return terms[0] if len(terms) == 1 else Sum(terms)


def squashed(expr: Expr) -> Expr:
    """``expr`` as an operand of logic: a sum gets its tanh, a logic value stays."""
    return Squash(expr) if isinstance(expr, Sum) else expr


def _terms(expr: Expr) -> tuple[Expr, ...]:
    return expr.terms if isinstance(expr, Sum) else (expr,)


def _require_expression(operand: object, name: str) -> None:
    if not isinstance(operand, Expr):
        raise ExpressionError(f"'{name}' needs expressions, got {operand!r}")


def _require_logic_value(operand: object, name: str) -> None:
    _require_expression(operand, name)
    if isinstance(operand, Sum):
        raise ExpressionError(
            f"'{name}' needs logic values between -1 and 1, got a sum; "
            "wrap it in Squash(...) to bring it back into that range"
        )
