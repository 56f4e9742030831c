"""Which inputs of rules are unknown because a value is missing, row by row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from crisplogic.rules.indicators import Indicator
from crisplogic.rules.membership import Membership

Floats = NDArray[np.float64]


def unknown_inputs(
    memberships: Sequence[Membership], used: Sequence[int], matrix: Floats
) -> dict[int, NDArray[np.bool_]]:
    """Where inputs are unknown; those that are known everywhere are left out.

    A value on the threshold is known, although its membership is 0. Of a category, a value
    that was never seen is as good as missing.

    Shape: ``matrix`` (rows, features); (rows,) each.

    >>> table = np.array([[127.0], [np.nan]])
    >>> {number: gaps.tolist() for number, gaps in unknown_inputs(
    ...     [Membership(0, 107.0, 147.0)], [0], table).items()}
    {0: [False, True]}
    """
    found = {}
    for index in used:
        membership = memberships[index]
        column = matrix[:, membership.feature]
        told = membership.indicated(column) if isinstance(membership, Indicator) else column
        gaps = np.isnan(told)
        if gaps.any():
            found[index] = gaps
    return found
