"""Which operators expressions use, and the same expressions without some of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from crisplogic.expr.nodes import And, Expr, Not, Or, Xor, negate
from crisplogic.expr.walk import map_children, unique_nodes

OPERATORS: dict[str, type[Expr]] = {"and": And, "or": Or, "xor": Xor}
_NAMES = {kind: name for name, kind in OPERATORS.items()}


def operators_of(exprs: Iterable[Expr]) -> frozenset[str]:
    """The names of the operators that expressions use; *not*, sums and tanh are none.

    >>> from crisplogic.expr import parse
    >>> sorted(operators_of([parse("0 & ~1"), parse("(0 ^ 2) + 1")]))
    ['and', 'xor']
    """
    return frozenset(_NAMES[type(node)] for node in unique_nodes(exprs) if type(node) in _NAMES)


def with_operators(expr: Expr, allowed: Collection[str]) -> Expr:
    """The same values, with *and* written as *or* or the other way round where one may not be.

    >>> from crisplogic.expr import parse, to_text
    >>> to_text(with_operators(parse("(0 | ~1) + ~(2 | 3)"), {"and"}))
    '¬(¬0 & 1) + (¬2 & ¬3)'
    """
    made: dict[Expr, Expr] = {}
    for node in unique_nodes([expr]):  # each shared part once
        match node:
            case Not(operand=operand):
                made[node] = negate(made[operand])
            case Or(operands=operands) if "or" not in allowed and "and" in allowed:
                made[node] = Not(And(tuple(negate(made[each]) for each in operands)))
            case And(operands=operands) if "and" not in allowed and "or" in allowed:
                made[node] = Not(Or(tuple(negate(made[each]) for each in operands)))
            case _:
                made[node] = map_children(node, made.__getitem__)
    return made[expr]
