"""Simplification: laws applied to an expression until none of them changes it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from crisplogic.expr.laws import CRISP, EXACT, KLEENE, NEGATIONS, Law
from crisplogic.expr.nodes import Expr
from crisplogic.expr.walk import map_children


def simplify(expr: Expr, crisp: bool = False, kleene: bool = False) -> Expr:
    """An equal expression that is at most as long, with its operands in a fixed order.

    ``crisp=True`` also uses the laws that hold only for inputs of exactly -1 and +1, and
    ``kleene=True`` those that hold in Kleene's logic, where inputs may also be unknown, 0.

    >>> from crisplogic.expr import parse, to_text
    >>> to_text(simplify(parse("~(~2 & ~(0 & true))")))
    '0 | 2'
    >>> to_text(simplify(parse("0 | (0 & 1)"), crisp=True))
    '0'
    >>> to_text(simplify(parse("(0 | (0 & 1)) & (2 | ~2)"), kleene=True))
    '0 & (2 | ¬2)'
    """
    return _apply(expr, CRISP if crisp else KLEENE if kleene else EXACT, {})


def with_fewer_nots(expr: Expr) -> Expr:
    """The same expression with as few negations as possible, and all else in its place.

    :func:`simplify` may add up terms in another order. This function does not, so no value
    changes by a single bit.

    >>> from crisplogic.expr import parse, to_text
    >>> to_text(with_fewer_nots(parse("~~1 + ~(~2 & ~0)")))
    '1 + (2 | 0)'
    """
    return _apply(expr, NEGATIONS, {})


def _apply(expr: Expr, laws: Iterable[Law], known: dict[Expr, Expr]) -> Expr:
    """Apply laws to the parts, then to the whole, until none of them changes anything."""
    if expr not in known:
        before, after = None, expr
        while after != before:
            before = map_children(after, lambda part: _apply(part, laws, known))
            after = reduce(lambda result, law: law(result), laws, before)
        known[expr] = known[after] = after
    return known[expr]
