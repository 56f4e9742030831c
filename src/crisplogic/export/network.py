"""A soft network as arrays: what an export computes from raw columns, without torch.

Inputs are scaled to [-1, 1], memberships make degrees of them, and every level of logic is a
quadratic form of the level below, whose sums pass through a tanh.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from crisplogic.export.conditions import Column, Truth
from crisplogic.export.program import Amount, Greatest

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class NumberInput:
    """The number in a column, with the opposite sign if ``negated``."""

    column: Column
    negated: bool


@dataclass(frozen=True)
class IndicatorInput:
    """1 where something holds, 0 where it fails, missing where it is unknown.

    If ``negated``, 0 and 1 are exchanged.
    """

    truth: Truth
    negated: bool


Input: TypeAlias = NumberInput | IndicatorInput


@dataclass(frozen=True, eq=False)
class Scaling:
    """What makes degrees of inputs: ``(x - middle) / half``, within ``limit``.

    Then ramps rise from -1 at ``centre - width`` to 1 at ``centre + width``, all first ramps
    of the inputs before the second ones. What is missing, or has a ``half`` of 0, is 0.

    Shape: ``middle`` and ``half`` (inputs,), ``centre`` and ``width`` (ramps * inputs,).
    """

    middle: Floats
    half: Floats
    limit: float
    centre: Floats
    width: Floats


@dataclass(frozen=True, eq=False)
class LogicLevel:
    """Sums of products of two inputs, of single inputs, and constants.

    Shape: (units, n, n), (units, n) and (units,).
    """

    products: Floats
    linear: Floats
    constant: Floats

    def times(self, factor: float, offset: Floats) -> LogicLevel:
        """The level whose sums are these, times a factor, plus numbers. Shape: (units,)."""
        return LogicLevel(
            factor * self.products, factor * self.linear, factor * self.constant + offset
        )


@dataclass(frozen=True, eq=False)
class NetworkProgram:
    """All that an export of a network writes. ``columns`` are those that it reads.

    If ``skip``, levels after the first see the degrees beside the level below.
    """

    columns: tuple[Column, ...]
    inputs: tuple[Input, ...]
    scaling: Scaling
    levels: tuple[LogicLevel, ...]
    skip: bool
    outcome: Greatest | Amount
