"""Simplification: laws applied to an expression until none changes anything."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from crisplogic.expr.laws import CRISP, EXACT, NEGATIONS, Law
from crisplogic.expr.nodes import Expr
from crisplogic.expr.walk import map_children


def simplify(expr: Expr, crisp: bool = False) -> Expr:
    """An equal expression that is no longer to write out, its operands in a fixed order.

    ``crisp=True`` also uses the laws that hold for inputs of exactly -1 and +1 only.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.expr import to_text
    >>> to_text(simplify(parse("~(~2 & ~(0 & true))")))
    '0 | 2'
    >>> to_text(simplify(parse("0 | (0 & 1)"), crisp=True))
    '0'
    """
    return _settled(expr, CRISP if crisp else EXACT, {})


def with_fewer_nots(expr: Expr) -> Expr:
    """The same expression with its negations where they are fewest, all else in its place.

    Unlike :func:`simplify`, which may add up terms in another order, this changes no value by
    a single bit.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.expr import to_text
    >>> to_text(with_fewer_nots(parse("~~1 + ~(~2 & ~0)")))
    '1 + (2 | 0)'
    """
    return _settled(expr, NEGATIONS, {})


def _settled(expr: Expr, laws: Iterable[Law], known: dict[Expr, Expr]) -> Expr:
    """Apply laws to the parts, then to the whole, until none changes anything."""
    if expr not in known:
        before, after = None, expr
        while after != before:
            before = map_children(after, lambda part: _settled(part, laws, known))
            after = reduce(lambda result, law: law(result), laws, before)
        known[expr] = known[after] = after
    return known[expr]
