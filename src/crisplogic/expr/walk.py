"""Visiting the nodes of expressions, and rebuilding them from changed parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from crisplogic.expr.nodes import Expr, Not, Operation, Squash, Sum, Var, total


def map_children(expr: Expr, function: Callable[[Expr], Expr]) -> Expr:
    """The node with ``function`` of each child in its place."""
    parts = tuple(function(child) for child in expr.parts)
    match expr:
        case Sum():
            return total(parts)
        case Operation():
            return type(expr)(parts)
        case Not() | Squash():
            return type(expr)(parts[0])
    return expr


def rebuild(exprs: Iterable[Expr], change: Callable[[Expr], Expr]) -> list[Expr]:
    """Expressions with ``change`` of every part in its place; parts before wholes.

    A part that they share is changed once.

    >>> rebuild([Var(0) & ~Var(1)], lambda part: Var(2) if part == Var(1) else part)
    [And(operands=(Var(index=0), Not(operand=Var(index=2))))]
    """
    wholes, made = list(exprs), dict[Expr, Expr]()
    for node in unique_nodes(wholes):
        made[node] = change(map_children(node, made.__getitem__))
    return [made[whole] for whole in wholes]


def unique_nodes(exprs: Iterable[Expr]) -> Iterator[Expr]:
    """Every distinct sub-expression once, parts before wholes.

    >>> from crisplogic.expr import Var
    >>> [type(node).__name__ for node in unique_nodes([~Var(0), Var(0) & Var(1)])]
    ['Var', 'Not', 'Var', 'And']
    """
    seen: set[Expr] = set()

    def visit(expr: Expr) -> Iterator[Expr]:
        if expr in seen:
            return
        for child in expr.parts:
            yield from visit(child)
        seen.add(expr)
        yield expr

    for expr in exprs:
        yield from visit(expr)


def inputs_in(exprs: Iterable[Expr]) -> list[int]:
    """The numbers of the inputs that expressions mention, each once, in order.

    >>> inputs_in([Var(3) & ~Var(1), Var(3)])
    [1, 3]
    """
    return sorted({node.index for node in unique_nodes(exprs) if isinstance(node, Var)})
