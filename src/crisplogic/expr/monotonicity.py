"""Polarity: whether an expression rises or falls with each of its inputs, by its structure."""

from __future__ import annotations

from crisplogic.expr.nodes import Expr, Not, Var, Xor
from crisplogic.expr.walk import unique_nodes


def polarity(expr: Expr) -> dict[int, int]:
    """For every input that is mentioned: 1, -1 or 0.

    1: the value never falls as the input rises. -1: it never rises. 0: it may do either. The
    first two are guarantees, for all values of all inputs in [-1, 1]; 0 is a lack of one.

    And, or, sum and tanh act as their parts do, not turns them round, and exclusive or may do
    either. An input that is mentioned in several places acts one way if it does in all of them.

    >>> from crisplogic.expr import parse
    >>> polarity(parse("(0 & ~1) + ~(1 | 2) + (2 ^ 3)"))
    {0: 1, 1: -1, 2: 0, 3: 0}
    """
    nodes = list(unique_nodes([expr]))
    # From the whole down to the inputs, so that shared parts are looked at once: the signs
    # under which each part stands in the whole.
    signs: dict[Expr, set[int]] = {node: set() for node in nodes}
    signs[expr] = {1}
    for node in reversed(nodes):
        for part in node.parts:
            signs[part] |= _handed_on(node, signs[node])
    inputs = {node.index: sum(signs[node]) for node in nodes if isinstance(node, Var)}
    return dict(sorted(inputs.items()))


def _handed_on(node: Expr, signs: set[int]) -> set[int]:
    """Under which signs the parts of a node stand that stands under these."""
    match node:
        case Xor():
            return {1, -1}
        case Not():
            return {-sign for sign in signs}
    return signs
