"""Expressions on numbers: numpy in, numpy out, fuzzy values welcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from crisplogic.algebra import fuzzy
from crisplogic.errors import ExpressionError
from crisplogic.expr.nodes import And, Const, Expr, Not, Or, Squash, Sum, Var, Xor
from crisplogic.expr.walk import unique_nodes

Floats = NDArray[np.float64]

# Rows evaluated together: the intermediate values of a readable rule set stay in the cache.
CHUNK_ROWS = 4096


def evaluate(expr: Expr, inputs: NDArray[np.floating]) -> Floats:
    """The value of one expression for every row.

    Shape: ``inputs`` (rows, inputs) with values in [-1, 1]; returns (rows,).

    >>> from crisplogic.expr import parse
    >>> evaluate(parse("0 & ~1"), np.array([[1.0, -1.0], [1.0, 1.0], [0.0, -1.0]])).tolist()
    [1.0, -1.0, 0.0]
    """
    return evaluate_all([expr], inputs)[:, 0]


def evaluate_all(exprs: Sequence[Expr], inputs: NDArray[np.floating]) -> Floats:
    """The values of several expressions; what they share is computed once.

    Shape: ``inputs`` (rows, inputs); returns (rows, expressions).
    """
    table = np.asarray(inputs, dtype=np.float64)
    _check_inputs(exprs, table)
    values = np.empty((len(table), len(exprs)))
    order = list(unique_nodes(exprs))
    for start in range(0, len(table), CHUNK_ROWS):
        rows = slice(start, start + CHUNK_ROWS)
        _evaluate_chunk(exprs, order, table[rows], out=values[rows])
    return values


def _evaluate_chunk(
    exprs: Sequence[Expr], order: Sequence[Expr], inputs: Floats, out: Floats
) -> None:
    values: dict[Expr, Floats] = {}
    for node in order:
        values[node] = _value(node, [values[child] for child in node.parts], inputs)
    for column, expr in enumerate(exprs):
        out[:, column] = values[expr]


def _value(node: Expr, parts: list[Floats], inputs: Floats) -> Floats:
    match node:
        case Var(index=index):
            return inputs[:, index]
        case Const(value=value):
            return np.full(len(inputs), value)
    return _FUNCTIONS[type(node)](parts)


def _and(x: Floats, y: Floats) -> Floats:
    return fuzzy(x, y, 1.0)


def _or(x: Floats, y: Floats) -> Floats:
    return -fuzzy(x, y, -1.0)


def _xor(x: Floats, y: Floats) -> Floats:
    return -fuzzy(x, y, 0.0)


_FUNCTIONS: dict[type[Expr], Callable[[list[Floats]], Floats]] = {
    Not: lambda parts: -parts[0],
    And: lambda parts: reduce(_and, parts),
    Or: lambda parts: reduce(_or, parts),
    Xor: lambda parts: reduce(_xor, parts),
    Squash: lambda parts: np.tanh(parts[0]),
    Sum: lambda parts: reduce(np.add, parts),
}


def _check_inputs(exprs: Sequence[Expr], inputs: Floats) -> None:
    if inputs.ndim != 2:
        raise ExpressionError(
            f"inputs must have the shape (rows, inputs), got {inputs.ndim} dimension(s); "
            "reshape a single row with inputs[None, :]"
        )
    used = [node.index for node in unique_nodes(exprs) if isinstance(node, Var)]
    if used and max(used) >= inputs.shape[1]:
        raise ExpressionError(
            f"the expression uses input {max(used)}, but the table has only "
            f"{inputs.shape[1]} inputs, counted from 0"
        )
