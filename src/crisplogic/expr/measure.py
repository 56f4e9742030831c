"""How large expressions are, counted as a person would: what is shared, once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crisplogic.expr.nodes import Const, Expr, Not, Operation, Squash, Sum, Var
from crisplogic.expr.walk import children, unique_nodes


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
    depths: dict[Expr, int] = {}
    literals = operators = 0
    exprs = list(exprs)
    for node in unique_nodes(exprs):
        parts = children(node)
        # A literal is counted where it is mentioned: in its parent, which is visited once.
        literals += sum(_is_literal(part) for part in parts if not _is_literal(node))
        operators += _own_operators(node)
        depths[node] = max((depths[part] for part in parts), default=0) + _nests(node)
    literals += sum(_is_literal(expr) for expr in exprs)
    return Size(literals, operators, max((depths[expr] for expr in exprs), default=0))


def shared_parts(exprs: Sequence[Expr]) -> list[Expr]:
    """The sub-expressions worth a name of their own, parts before wholes.

    A part is shared if it is mentioned at least twice, where the inside of a shared part
    is looked at once. Literals and their negations are too small to be named.

    >>> from crisplogic.expr import parse
    >>> shared_parts([parse("(0 & 3) | 1"), parse("~(0 & 3)")])
    [And(operands=(Var(index=0), Var(index=3)))]
    """
    order = list(unique_nodes(exprs))
    mentions = Counter(part for node in order for part in children(node))
    mentions.update(exprs)
    return [node for node in order if mentions[node] > 1 and _can_be_named(node)]


def _is_literal(expr: Expr) -> bool:
    return isinstance(expr, Var) or (isinstance(expr, Not) and isinstance(expr.operand, Var))


def _can_be_named(expr: Expr) -> bool:
    return not isinstance(expr, Var | Const | Not)


def _own_operators(node: Expr) -> int:
    if isinstance(node, Not):
        return 1
    return len(children(node)) - 1 if _nests(node) else 0


def _nests(node: Expr) -> bool:
    return isinstance(node, Operation | Sum) and not isinstance(node, Squash)
