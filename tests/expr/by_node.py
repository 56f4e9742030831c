"""Expressions on numbers as the paper writes them, node by node, to compare programs with."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from crisplogic.algebra import fuzzy
from crisplogic.expr import And, Const, Expr, Not, Or, Squash, Sum, Var, Xor

Floats = NDArray[np.float64]


Truth = bool | None  # None is unknown


def kleene_truth(expr: Expr, row: Sequence[Truth]) -> Truth:
    """The truth of a logic value in Kleene's logic, by Python's own truth values."""
    parts = [kleene_truth(part, row) for part in expr.parts]
    match expr:
        case Var(index=index):
            return row[index]
        case Const(value=value):
            return None if value == 0 else value > 0
        case Not():
            return None if parts[0] is None else not parts[0]
        case And():
            return False if False in parts else (None if None in parts else True)
        case Or():
            return True if True in parts else (None if None in parts else False)
        case Xor():
            return None if None in parts else parts.count(True) % 2 == 1
    raise AssertionError(expr)


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
