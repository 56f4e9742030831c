"""Expressions on numbers as the paper writes them, node by node, to compare programs with."""

from __future__ import annotations

from functools import reduce

import numpy as np
from numpy.typing import NDArray

from crisplogic.algebra import fuzzy
from crisplogic.expr import And, Const, Expr, Not, Or, Squash, Sum, Var, Xor

Floats = NDArray[np.float64]


def value_by_node(expr: Expr, inputs: Floats) -> Floats:
    """The value of every row. Shape: (rows, inputs) to (rows,)."""
    parts = [value_by_node(part, inputs) for part in expr.parts]
    match expr:
        case Var(index=index):
            return inputs[:, index]
        case Const(value=value):
            return np.full(len(inputs), value)
        case Not():
            return -parts[0]
        case And():
            return reduce(lambda x, y: fuzzy(x, y, 1.0), parts)
        case Or():
            return reduce(lambda x, y: -fuzzy(x, y, -1.0), parts)
        case Xor():
            return reduce(lambda x, y: -fuzzy(x, y, 0.0), parts)
        case Squash():
            return np.tanh(parts[0])
        case Sum():
            return reduce(np.add, parts)
    raise AssertionError(expr)
