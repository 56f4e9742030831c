"""The one ordering of input pairs that layers, snapping and tests all share.

For every input i in turn come its pairs (i, j) with the later inputs j, then (i, false)
and (i, true). The two constants sit behind the inputs: false at index n, true at n + 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


def pair_count(inputs: int) -> int:
    """How many pairs there are: n(n - 1)/2 with each other and 2n with the constants.

    >>> pair_count(9)
    54
    """
    return inputs * (inputs - 1) // 2 + 2 * inputs


def pair_indices(inputs: int) -> tuple[Indices, Indices]:
    """Left and right member of every pair, as indices into ``[x_0 .. x_n-1, false, true]``.

    Shape: two vectors of ``pair_count(inputs)``.

    >>> left, right = pair_indices(2)
    >>> list(zip(left.tolist(), right.tolist()))
    [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3)]
    """
    left, right = np.triu_indices(inputs + 2, k=1)
    with_an_input = left < inputs  # leaves out the pair (false, true)
    return left[with_an_input].astype(np.int64), right[with_an_input].astype(np.int64)
