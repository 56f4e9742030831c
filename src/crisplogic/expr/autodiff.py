"""Expressions as a list of steps: forwards for their values, backwards for derivatives.

:func:`~crisplogic.expr.program` answers once for many rows; a tape answers many times for
the same rows, while something that the inputs come from is being fitted. All steps of one
kind that stand equally deep are done at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crisplogic.expr.nodes import And, Const, Expr, Not, Or, Squash, Sum, Var, Xor
from crisplogic.expr.walk import unique_nodes

Floats = NDArray[np.float64]
Slots = NDArray[np.intp]


class _Bilinear(NamedTuple):
    """xy, x + y and 1 with these factors: what every operator of two operands comes to."""

    product: float
    sum: float
    constant: float


_OPERATORS: dict[type[Expr], _Bilinear] = {
    And: _Bilinear(0.5, 0.5, -0.5),
    Or: _Bilinear(-0.5, 0.5, 0.5),
    Xor: _Bilinear(-1.0, 0.0, 0.0),
    Sum: _Bilinear(0.0, 1.0, 0.0),
}


@dataclass(frozen=True)
class _Step:
    """Slots ``out`` from slots ``left`` and, for operators of two operands, ``right``."""

    kind: type[Expr]
    out: Slots
    left: Slots
    right: Slots


class Tape:
    """The steps that lead from inputs to the values of several expressions.

    >>> from crisplogic.expr import parse
    >>> tape = Tape([parse("0 & 1")])
    >>> values = tape.forwards(np.array([[0.5], [-0.5]]))
    >>> tape.values(values).tolist()
    [[-0.625]]
    >>> tape.backwards(values, np.array([[1.0]])).tolist()
    [[0.25], [0.75]]
    """

    def __init__(self, exprs: Sequence[Expr]) -> None:
        self._depth: list[int] = []  # of what stands in each slot
        self._slots: dict[Expr, int] = {}
        self._inputs: list[tuple[int, int]] = []
        self._constants: list[tuple[int, float]] = []
        rows: list[tuple[int, str, type[Expr], int, int, int]] = []
        for node in unique_nodes(exprs):
            rows += self._recorded(node)
        rows.sort(key=lambda row: row[:2])
        self._steps = [
            _Step(kind, *(np.array(slots) for slots in list(zip(*same, strict=True))[3:]))
            for (_, _, kind), same in groupby(rows, key=lambda row: row[:3])
        ]
        self._outputs = np.array([self._slots[expr] for expr in exprs], dtype=np.intp)

    def forwards(self, inputs: Floats) -> Floats:
        """The value of every slot. Shape: (inputs, rows) to (slots, rows)."""
        values = np.empty((len(self._depth), inputs.shape[1]))
        for slot, index in self._inputs:
            values[slot] = inputs[index]
        for slot, constant in self._constants:
            values[slot] = constant
        for step in self._steps:
            values[step.out] = _result(step, values)
        return values

    def values(self, values: Floats) -> Floats:
        """The values of the expressions among those of all slots: (expressions, rows)."""
        return values[self._outputs]

    def backwards(self, values: Floats, gradient: Floats) -> Floats:
        """Derivatives by the inputs, from those by the expressions and what forwards gave.

        Shape: ``gradient`` (expressions, rows); returns (inputs that are used, rows), which
        are numbered by :attr:`used`.
        """
        slopes = np.zeros_like(values)
        _add(slopes, self._outputs, gradient)
        for step in reversed(self._steps):
            _hand_back(step, values, slopes)
        return slopes[[slot for slot, _ in self._inputs]]

    @property
    def used(self) -> list[int]:
        """The numbers of the inputs that the expressions mention."""
        return [index for _, index in self._inputs]

    def _recorded(self, node: Expr) -> list[tuple[int, str, type[Expr], int, int, int]]:
        """The steps that a node takes; one with many operands takes them two by two."""
        if isinstance(node, Var | Const):
            slot = self._slots[node] = self._new_slot(0)
            if isinstance(node, Var):
                self._inputs.append((slot, node.index))
            else:
                self._constants.append((slot, node.value))
            return []
        kind = type(node)
        first, *others = (self._slots[part] for part in node.parts)
        rows = []
        for other in others or [first]:
            depth = 1 + max(self._depth[first], self._depth[other])
            slot = self._new_slot(depth)
            rows.append((depth, kind.__name__, kind, slot, first, other))
            first = slot
        self._slots[node] = first
        return rows

    def _new_slot(self, depth: int) -> int:
        self._depth.append(depth)
        return len(self._depth) - 1


def _result(step: _Step, values: Floats) -> Floats:
    x = values[step.left]
    if step.kind is Not:
        return -x
    if step.kind is Squash:
        return np.tanh(x)
    y, factors = values[step.right], _OPERATORS[step.kind]
    if not factors.product:
        return x + y
    return factors.product * x * y + factors.sum * (x + y) + factors.constant


def _hand_back(step: _Step, values: Floats, slopes: Floats) -> None:
    """Pass the slopes of a step's results on to what they were made of."""
    slope = slopes[step.out]
    if step.kind is Not:
        _add(slopes, step.left, -slope)
    elif step.kind is Squash:
        _add(slopes, step.left, slope * (1 - values[step.out] ** 2))
    else:
        factors = _OPERATORS[step.kind]
        _add(slopes, step.left, slope * (factors.product * values[step.right] + factors.sum))
        _add(slopes, step.right, slope * (factors.product * values[step.left] + factors.sum))


def _add(slopes: Floats, slots: Slots, parts: Floats) -> None:
    for slot, part in zip(slots.tolist(), parts, strict=True):  # a slot may come repeatedly
        slopes[slot] += part
