"""The paper's linear membership: where a value lies between a column's low and its high."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:  # for the type checker alone: the algebra itself needs no framework
    import numpy as np
    import torch

ArrayOrTensor = TypeVar("ArrayOrTensor", "np.ndarray[Any, Any]", "torch.Tensor")


def linear_membership(
    x: ArrayOrTensor, low: ArrayOrTensor, high: ArrayOrTensor
) -> ArrayOrTensor:
    """How far "``x`` is high" is true: -1 at ``low`` and below, +1 at ``high`` and above.

    A missing value (NaN) is unknown, 0, and so is every value of a column that never
    varied. Numpy arrays and torch tensors give the same bits.

    Shape: ``x`` (..., columns), ``low`` and ``high`` (columns,); returns (..., columns).

    >>> import numpy as np
    >>> linear_membership(np.array([[0.0], [5.0], [99.0], [np.nan]]),
    ...                   np.array([0.0]), np.array([10.0])).ravel().tolist()
    [-1.0, 0.0, 1.0, 0.0]
    """
    # Halves first: high - low may overflow where high/2 - low/2 does not.
    half = high / 2 - low / 2
    middle = high / 2 + low / 2
    varies = half > 0
    position = (x.clip(low, high) - middle) / (half + ~varies) * varies
    position = position.clip(-1, 1)
    position[position != position] = 0.0  # only NaN differs from itself
    return position + 0.0  # numpy and torch may differ in the sign of zero: -0 becomes 0
