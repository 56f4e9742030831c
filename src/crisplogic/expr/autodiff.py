"""Expressions as a list of steps: forward for their values, backward for their gradients.

:mod:`crisplogic.expr.program` computes once for many rows. A tape computes many times for the
same rows, while something that the inputs come from is being fitted. Steps of one kind at the
same depth are done at once.
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
    """The factors of xy, of x + y and of 1: every operator of two operands is their sum."""

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
    """Computes slots ``out`` from slots ``left`` and, for two operands, ``right``."""

    kind: type[Expr]
    out: Slots
    left: Slots
    right: Slots


class _Record(NamedTuple):
    """One operation of a step: its depth, its kind and its slots."""

    depth: int
    kind: type[Expr]
    out: int
    left: int
    right: int


class Tape:
    """The steps from inputs to the values of several expressions.

    >>> from crisplogic.expr import parse
    >>> tape = Tape([parse("0 & 1")])
    >>> slots = tape.forward(np.array([[0.5], [-0.5]]))
    >>> tape.values(slots).tolist()
    [[-0.625]]
    >>> tape.backward(slots, np.array([[1.0]])).tolist()
    [[0.25], [0.75]]
    """

    def __init__(self, exprs: Sequence[Expr]) -> None:
        self._depths: list[int] = []  # of the node in each slot
        self._slots: dict[Expr, int] = {}
        self._inputs: list[tuple[int, int]] = []
        self._constants: list[tuple[int, float]] = []
        records: list[_Record] = []
        for node in unique_nodes(exprs):
            records += self._record(node)
        records.sort(key=lambda record: (record.depth, record.kind.__name__))
        self._steps = [
            _Step(kind, *(np.array(slots) for slots in list(zip(*same, strict=True))[2:]))
            for (_, kind), same in groupby(records, key=lambda record: record[:2])
        ]
        self._outputs = np.array([self._slots[expr] for expr in exprs], dtype=np.intp)

    def forward(self, inputs: Floats) -> Floats:
        """The value of every slot. Shape: (inputs, rows) to (slots, rows)."""
        slots = np.empty((len(self._depths), inputs.shape[1]))
        for slot, index in self._inputs:
            slots[slot] = inputs[index]
        for slot, constant in self._constants:
            slots[slot] = constant
        for step in self._steps:
            slots[step.out] = _compute(step, slots)
        return slots

    def values(self, slots: Floats) -> Floats:
        """The values of the expressions. Shape: (slots, rows) to (expressions, rows)."""
        return slots[self._outputs]

    def backward(self, slots: Floats, gradient: Floats) -> Floats:
        """Gradients with respect to the inputs, from those with respect to the expressions.

        Shape: ``slots`` as :meth:`forward` returns them, ``gradient`` (expressions, rows);
        returns (inputs that are used, rows), in the order of :attr:`used`.
        """
        return self._gradients(slots, gradient)[[slot for slot, _ in self._inputs]]

    def slopes(self, slots: Floats, weights: Floats) -> Floats:
        """Derivatives of a weighted sum of the expressions with respect to every slot.

        Shape: ``slots`` as :meth:`forward` returns them, ``weights`` (expressions,); returns
        (slots, rows).
        """
        return self._gradients(slots, np.repeat(weights[:, None], slots.shape[1], axis=1))

    def slot(self, node: Expr) -> int:
        """The slot of an expression or a part of one."""
        return self._slots[node]

    def _gradients(self, slots: Floats, gradient: Floats) -> Floats:
        gradients = np.zeros_like(slots)
        _add(gradients, self._outputs, gradient)
        for step in reversed(self._steps):
            _propagate(step, slots, gradients)
        return gradients

    @property
    def used(self) -> list[int]:
        """The numbers of the inputs that the expressions mention."""
        return [index for _, index in self._inputs]

    def _record(self, node: Expr) -> list[_Record]:
        """The steps of a node; one with many operands takes them two by two."""
        if isinstance(node, Var | Const):
            slot = self._slots[node] = self._new_slot(0)
            if isinstance(node, Var):
                self._inputs.append((slot, node.index))
            else:
                self._constants.append((slot, node.value))
            return []
        kind = type(node)
        first, *others = (self._slots[part] for part in node.parts)
        records = []
        for other in others or [first]:
            depth = 1 + max(self._depths[first], self._depths[other])
            slot = self._new_slot(depth)
            records.append(_Record(depth, kind, slot, first, other))
            first = slot
        self._slots[node] = first
        return records

    def _new_slot(self, depth: int) -> int:
        self._depths.append(depth)
        return len(self._depths) - 1


def _compute(step: _Step, slots: Floats) -> Floats:
    """The values of a step."""
    x = slots[step.left]
    if step.kind is Not:
        return -x
    if step.kind is Squash:
        return np.tanh(x)
    y, factors = slots[step.right], _OPERATORS[step.kind]
    if not factors.product:
        return x + y
    return factors.product * x * y + factors.sum * (x + y) + factors.constant


def _propagate(step: _Step, slots: Floats, gradients: Floats) -> None:
    """Add the gradients of a step's values to those of its operands."""
    gradient = gradients[step.out]
    if step.kind is Not:
        _add(gradients, step.left, -gradient)
    elif step.kind is Squash:
        _add(gradients, step.left, gradient * (1 - slots[step.out] ** 2))
    else:
        product, factor, _ = _OPERATORS[step.kind]
        _add(gradients, step.left, gradient * (product * slots[step.right] + factor))
        _add(gradients, step.right, gradient * (product * slots[step.left] + factor))


def _add(gradients: Floats, slots: Slots, parts: Floats) -> None:
    for slot, part in zip(slots.tolist(), parts, strict=True):  # a slot may be repeated
        gradients[slot] += part
