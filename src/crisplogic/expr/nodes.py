"""Logic expressions as immutable data: nodes hold data, and everything else is a function.

There are two sorts. A *logic value* lies in [-1, 1]: :class:`Const`, :class:`Var`,
:class:`Not`, :class:`And`, :class:`Or`, :class:`Xor` and :class:`Squash`. A *score* may lie
anywhere: :class:`Sum`, the paper's interpolation between expressions. Only a logic value
can be an operand of logic. :class:`Squash`, the tanh between two logic levels, turns a score
into a logic value. The constructors check this, so every expression has a meaning.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral
from threading import RLock
from typing import Any, ClassVar
from weakref import WeakValueDictionary

from crisplogic.algebra import FALSE, TRUE, UNKNOWN
from crisplogic.errors import ExpressionError

# Deeper nesting than this is a mistake or an attack, not something that a person reads. Since
# no node is deeper, functions may recurse without exhausting Python's stack.
MAX_DEPTH = 64
# The representation of a node writes out what it shares. One longer than this is shortened.
MAX_REPR_LEAVES = 10_000


class _Interned(type):
    """Makes equal nodes one object, so that comparing them compares two addresses.

    The expressions of a network share parts. Comparing or hashing them part by part would take
    exponential time.
    """

    _nodes: ClassVar[WeakValueDictionary[tuple[type, Any], Any]] = WeakValueDictionary()
    _lock = RLock()

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        node = super().__call__(*args, **kwargs)
        with cls._lock:
            return cls._nodes.setdefault((cls, node._content), node)


class Expr(metaclass=_Interned):
    """Base of all nodes. ``~ & | ^ +`` build expressions from expressions.

    Nodes that say the same are the same object.

    As in text, ``x & y & z`` is one *and* of three operands.

    >>> ~(Var(0) | Var(3) | Var(1))
    Not(operand=Or(operands=(Var(index=0), Var(index=3), Var(index=1))))
    """

    # All are computed when a node is made, from those of its parts. ``_leaves`` is how many
    # inputs and constants it would have, written out.
    __slots__ = ("__weakref__", "_depth", "_is_crisp", "_leaves")
    __match_args__: ClassVar[tuple[str, ...]]
    _depth: int
    _leaves: int
    _is_crisp: bool

    def __post_init__(self) -> None:
        self._check()
        parts = self.parts
        depth = max((part._depth + 1 for part in parts), default=0)
        if depth > MAX_DEPTH:
            raise ExpressionError(
                f"an expression nests at most {MAX_DEPTH} levels deep; give an operator "
                "all its operands at once, as in And((x, y, z))"
            )
        object.__setattr__(self, "_depth", depth)
        object.__setattr__(self, "_leaves", sum(part._leaves for part in parts) or 1)
        crisp = self._keeps_crisp() and all(part._is_crisp for part in parts)
        object.__setattr__(self, "_is_crisp", crisp)

    @property
    def is_crisp(self) -> bool:
        """Whether it is true or false wherever its inputs are: no tanh, no sum, no unknown."""
        return self._is_crisp

    def _keeps_crisp(self) -> bool:
        """Whether the node is true or false where its parts are."""
        return True

    def _check(self) -> None:
        """Raise unless the node has a meaning."""
        raise NotImplementedError

    @property
    def _content(self) -> Any:
        """The value of the one field of the node."""
        return getattr(self, self.__match_args__[0])

    @property
    def parts(self) -> tuple[Expr, ...]:
        """The expressions directly inside this one.

        >>> (Var(0) & Var(1)).parts
        (Var(index=0), Var(index=1))
        """
        content = self._content
        if isinstance(content, tuple):
            return content
        return (content,) if isinstance(content, Expr) else ()

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    def __reduce__(self) -> tuple[type[Expr], tuple[Any]]:
        return type(self), (self._content,)  # what is read again is the same object, too

    def __repr__(self) -> str:
        kind = type(self).__name__
        if self._leaves > MAX_REPR_LEAVES:
            return f"<{kind} of {self._leaves} inputs and constants>"
        return f"{kind}({self.__match_args__[0]}={self._content!r})"

    def __invert__(self) -> Not:
        return Not(self)

    def __and__(self, other: Expr) -> And:
        return And((*_operands(self, And), other))

    def __or__(self, other: Expr) -> Or:
        return Or((*_operands(self, Or), other))

    def __xor__(self, other: Expr) -> Xor:
        return Xor((*_operands(self, Xor), other))

    def __add__(self, other: Expr) -> Expr:
        return total((self, other))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Const(Expr):
    """True (+1), false (-1) or unknown (0)."""

    value: float

    def _check(self) -> None:
        if self.value not in (TRUE, FALSE, UNKNOWN):
            raise ExpressionError(
                f"a constant is true (1), false (-1) or unknown (0), not {self.value!r}"
            )
        object.__setattr__(self, "value", float(self.value) + 0.0)  # 0, never -0

    def _keeps_crisp(self) -> bool:
        return self.value != UNKNOWN


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Var(Expr):
    """Input number ``index`` "is high", counted from 0 as in the paper."""

    index: int

    def _check(self) -> None:
        whole = isinstance(self.index, Integral) and not isinstance(self.index, bool)
        if not whole or self.index < 0:
            raise ExpressionError(
                f"an input is a whole number counted from 0, not {self.index!r}"
            )
        object.__setattr__(self, "index", int(self.index))  # numpy's integers print differently


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Not(Expr):
    """Negation, -x."""

    operand: Expr

    def _check(self) -> None:
        _require_logic_value(self.operand, "not")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Operation(Expr):
    """Base of the associative operators: two operands or more, all of them logic values."""

    operands: tuple[Expr, ...]

    def _check(self) -> None:
        name = type(self).__name__.lower()
        if not isinstance(self.operands, tuple) or len(self.operands) < 2:
            raise ExpressionError(f"'{name}' needs a tuple of two or more operands")
        for operand in self.operands:
            _require_logic_value(operand, name)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class And(Operation):
    """Conjunction, (x + 1)(y + 1)/2 - 1."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Or(Operation):
    """Disjunction, 1 - (x - 1)(y - 1)/2."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Xor(Operation):
    """Exclusive or, -xy; of several operands their parity."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Squash(Expr):
    """The tanh between two logic levels: it maps a score back into (-1, 1)."""

    operand: Expr

    def _check(self) -> None:
        _require_expression(self.operand, "tanh")

    def _keeps_crisp(self) -> bool:
        return False


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sum(Expr):
    """A score: the sum of two or more logic values (a weight of -1 is a :class:`Not`)."""

    terms: tuple[Expr, ...]

    def _check(self) -> None:
        if not isinstance(self.terms, tuple) or len(self.terms) < 2:
            raise ExpressionError("a sum needs a tuple of two or more terms; see total()")
        for term in self.terms:
            _require_logic_value(term, "sum")

    def _keeps_crisp(self) -> bool:
        return False


def total(terms: Iterable[Expr]) -> Expr:
    """The sum of any number of terms: unknown if none, the term itself if one.

    The terms of a sum among them are terms of the new sum.

    >>> total([]), total([Var(1)]), total([Var(1), Var(2)])
    (Const(value=0.0), Var(index=1), Sum(terms=(Var(index=1), Var(index=2))))
    """
    terms = tuple(part for term in terms for part in _terms(term))
    if not terms:
        return Const(UNKNOWN)
    return terms[0] if len(terms) == 1 else Sum(terms)


def split_sign(expr: Expr) -> tuple[Expr, int]:
    """An expression without the nots before it, and its sign: -1 if they negate it, else 1.

    >>> split_sign(~Var(3)), split_sign(~~Var(3))
    ((Var(index=3), -1), (Var(index=3), 1))
    """
    sign = 1
    while isinstance(expr, Not):
        expr, sign = expr.operand, -sign
    return expr, sign


def negate(expr: Expr) -> Expr:
    """The negation, without a double not; of a sum, the sum of the negated terms.

    >>> negate(Sum((Var(0), Not(Var(1))))) == Sum((Not(Var(0)), Var(1)))
    True
    """
    if isinstance(expr, Sum):
        return total(map(negate, expr.terms))
    return expr.operand if isinstance(expr, Not) else Not(expr)


def squashed(expr: Expr) -> Expr:
    """``expr`` as an operand of logic: the tanh of a sum; a logic value stays as it is."""
    return Squash(expr) if isinstance(expr, Sum) else expr


def _terms(expr: Expr) -> tuple[Expr, ...]:
    return expr.terms if isinstance(expr, Sum) else (expr,)


def _operands(expr: Expr, kind: type[Operation]) -> tuple[Expr, ...]:
    return expr.operands if isinstance(expr, kind) else (expr,)


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
