"""Whether an expression rises or falls with each of its inputs, by its structure."""

from __future__ import annotations

from crisplogic.expr.nodes import Expr, Not, Var, Xor
from crisplogic.expr.walk import unique_nodes


def monotonicity(expr: Expr) -> dict[int, int]:
    """For every input that is mentioned: 1, -1 or 0.

    1: the value never falls as the input rises. -1: the value never rises. 0: it may do
    either. The first two are guarantees for all inputs in [-1, 1]; 0 is the lack of one.

    And, or, sum and tanh act as their parts do. Not turns the direction round. Exclusive or
    may do either. An input in several places has a direction if all places agree.

    >>> from crisplogic.expr import parse
    >>> monotonicity(parse("(0 & ~1) + ~(1 | 2) + (2 ^ 3)"))
    {0: 1, 1: -1, 2: 0, 3: 0}
    """
    nodes = list(unique_nodes([expr]))
    # The signs under which each node stands in the whole. We go from the whole down to the
    # inputs, so that we look at shared parts once.
    signs: dict[Expr, set[int]] = {node: set() for node in nodes}
    signs[expr] = {1}
    for node in reversed(nodes):
        for part in node.parts:
            signs[part] |= _signs_of_parts(node, signs[node])
    inputs = {node.index: sum(signs[node]) for node in nodes if isinstance(node, Var)}
    return dict(sorted(inputs.items()))


def _signs_of_parts(node: Expr, signs: set[int]) -> set[int]:
    """The signs under which the parts of a node stand, from those of the node."""
    match node:
        case Xor():
            return {1, -1}
        case Not():
            return {-sign for sign in signs}
    return signs
