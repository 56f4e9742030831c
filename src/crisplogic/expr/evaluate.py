"""Expressions on numbers: numpy in, numpy out, fuzzy values welcome."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import ExpressionError
from crisplogic.expr.nodes import Expr
from crisplogic.expr.plan import Plan

Floats = NDArray[np.float64]


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
    plan = Plan(exprs)
    _check_inputs(plan.used, table)
    values = np.empty((len(table), len(exprs)))
    for chunk, desk in plan.desks(len(table)):
        for row, index in zip(desk.inputs, plan.used, strict=True):
            row[:] = table[chunk, index]
        desk.run()
        for column, (value, negative) in zip(values[chunk].T, desk.results, strict=True):
            column[:] = -value if negative else value
    return values


def _check_inputs(used: Sequence[int], inputs: Floats) -> None:
    if inputs.ndim != 2:
        raise ExpressionError(
            f"inputs must have the shape (rows, inputs), got {inputs.ndim} dimension(s); "
            "reshape a single row with inputs[None, :]"
        )
    if used and used[-1] >= inputs.shape[1]:
        raise ExpressionError(
            f"the expression uses input {used[-1]}, but the table has only "
            f"{inputs.shape[1]} inputs, counted from 0"
        )
