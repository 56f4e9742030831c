"""How large expressions are. Parts that they share count once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from crisplogic.expr.nodes import Const, Expr, Not, Operation, Sum, Var, split_sign
from crisplogic.expr.walk import unique_nodes


@dataclass(frozen=True)
class Size:
    """Literals, operators and depth of one or several expressions together.

    ``literals`` counts every mention of an input, ``operators`` every not, and, or, xor and
    plus. ``depth`` is the longest chain of operators from a whole to an input, without not
    and tanh.
    """

    literals: int
    operators: int
    depth: int


def measure(exprs: Iterable[Expr]) -> Size:
    """The size of several expressions together; a part they share counts once.

    A repeated term, as in ``3 × (0 & 1)``, counts once, too.

    >>> from crisplogic.expr import parse
    >>> measure([parse("(0 & 3) | ~1"), parse("(0 & 3) + 2")])
    Size(literals=4, operators=4, depth=2)
    >>> measure([parse("2 × (0) + 1")])
    Size(literals=2, operators=1, depth=1)
    """
    wholes = list(exprs)
    order = list(unique_nodes(wholes))
    depths: dict[Expr, int] = {}
    for node in order:
        depths[node] = max(map(depths.__getitem__, node.parts), default=0) + _nests(node)
    mentions = list(_mentions(wholes, order))
    return Size(
        literals=sum(isinstance(split_sign(mention)[0], Var) for mention in mentions),
        operators=sum(map(_count_nots, mentions))
        + sum(len(_parts(node)) - 1 for node in order if _nests(node)),
        depth=max(map(depths.__getitem__, wholes), default=0),
    )


def measure_written(expr: Expr) -> Size:
    """The size of an expression that is written in full: a part counts wherever it stands.

    >>> from crisplogic.expr import parse
    >>> measure([parse("(0 & 1) | ~(0 & 1)")]), measure_written(parse("(0 & 1) | ~(0 & 1)"))
    (Size(literals=2, operators=3, depth=2), Size(literals=4, operators=4, depth=2))
    """
    sizes: dict[Expr, Size] = {}
    for node in unique_nodes([expr]):
        parts = [sizes[part] for part in node.parts]
        own = len(parts) - 1 if _nests(node) else int(isinstance(node, Not))
        sizes[node] = Size(
            literals=int(isinstance(node, Var)) + sum(part.literals for part in parts),
            operators=own + sum(part.operators for part in parts),
            depth=max((part.depth for part in parts), default=0) + _nests(node),
        )
    return sizes[expr]


def shared_parts(exprs: Sequence[Expr]) -> list[Expr]:
    """The sub-expressions that deserve a name, parts before wholes.

    A part is shared if it is mentioned at least twice; what is inside a shared part counts
    once. Literals and their negations are too small for a name. A term that a sum repeats is
    one mention.

    >>> from crisplogic.expr import parse
    >>> shared_parts([parse("(0 & 3) | 1"), parse("~(0 & 3)")])
    [And(operands=(Var(index=0), Var(index=3)))]
    """
    order = list(unique_nodes(exprs))
    mentions = Counter(split_sign(mention)[0] for mention in _mentions(exprs, order))
    return [node for node in order if mentions[node] > 1 and not isinstance(node, Var | Const)]


def _mentions(wholes: Iterable[Expr], order: Iterable[Expr]) -> Iterator[Expr]:
    """All wholes and operands, once for each place where they stand, with their nots."""
    yield from wholes
    for node in order:
        if not isinstance(node, Not):
            yield from _parts(node)


def _parts(node: Expr) -> Sequence[Expr]:
    if isinstance(node, Sum):
        return [part for part, _ in repeated(node.terms)]
    return node.parts


def repeated(terms: Iterable[Expr]) -> list[tuple[Expr, int]]:
    """Each term, and how often it is repeated in a row.

    >>> [(part.index, times) for part, times in repeated([Var(3), Var(3), Var(7)])]
    [(3, 2), (7, 1)]
    """
    return [(term, len(list(same))) for term, same in groupby(terms)]


def _count_nots(expr: Expr) -> int:
    """How many nots stand before an expression."""
    return 1 + _count_nots(expr.operand) if isinstance(expr, Not) else 0


def _nests(node: Expr) -> bool:
    return isinstance(node, Operation | Sum)
