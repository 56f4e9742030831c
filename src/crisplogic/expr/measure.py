"""How large expressions are, counted as a person would: what is shared, once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from crisplogic.expr.nodes import Const, Expr, Not, Operation, Sum, Var
from crisplogic.expr.walk import unique_nodes


@dataclass(frozen=True)
class Size:
    """Literals, operators and depth of one or several expressions together.

    ``literals`` counts every mention of an input, ``operators`` every not, and, or, xor and
    plus. ``depth`` is the longest chain of operators from a whole to an input; not and tanh
    are not counted there, since they nest nothing.
    """

    literals: int
    operators: int
    depth: int


def measure(exprs: Iterable[Expr]) -> Size:
    """The size of several expressions together; a part they share counts once.

    >>> from crisplogic.expr import parse
    >>> measure([parse("(0 & 3) | ~1"), parse("(0 & 3) + 2")])
    Size(literals=4, operators=4, depth=2)
    """
    wholes = list(exprs)
    order = list(unique_nodes(wholes))
    depths: dict[Expr, int] = {}
    for node in order:
        depths[node] = max(map(depths.__getitem__, node.parts), default=0) + _nests(node)
    mentions = [_without_nots(mention) for mention in _mentions(wholes, order)]
    return Size(
        literals=sum(isinstance(bare, Var) for bare, _ in mentions),
        operators=sum(nots for _, nots in mentions)
        + sum(len(node.parts) - 1 for node in order if _nests(node)),
        depth=max(map(depths.__getitem__, wholes), default=0),
    )


def shared_parts(exprs: Sequence[Expr]) -> list[Expr]:
    """The sub-expressions worth a name of their own, parts before wholes.

    A part is shared if it is mentioned at least twice, where the inside of a shared part
    is looked at once. Literals and their negations are too small to be named.

    >>> from crisplogic.expr import parse
    >>> shared_parts([parse("(0 & 3) | 1"), parse("~(0 & 3)")])
    [And(operands=(Var(index=0), Var(index=3)))]
    """
    order = list(unique_nodes(exprs))
    mentions = Counter(_without_nots(mention)[0] for mention in _mentions(exprs, order))
    return [node for node in order if mentions[node] > 1 and not isinstance(node, Var | Const)]


def _mentions(wholes: Iterable[Expr], order: Iterable[Expr]) -> Iterator[Expr]:
    """Whatever stands somewhere, once for each place; a not belongs to the place."""
    yield from wholes
    for node in order:
        if not isinstance(node, Not):
            yield from node.parts


def _without_nots(expr: Expr) -> tuple[Expr, int]:
    nots = 0
    while isinstance(expr, Not):
        expr, nots = expr.operand, nots + 1
    return expr, nots


def _nests(node: Expr) -> bool:
    return isinstance(node, Operation | Sum)
