"""The parameterised activation of Godfrey & Gashler (2017) and its rivals.

True is +1, false is -1 and unknown is 0. Every function here uses nothing but
arithmetic operators, so the same few lines serve Python floats, numpy arrays and
torch tensors (autograd included), with the usual broadcasting of shapes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:  # for the type checker alone: the algebra itself needs no framework
    import numpy as np
    import torch

Array = TypeVar("Array", float, "np.ndarray[Any, Any]", "torch.Tensor")

# Eq. 3 has an infinite slope where its root touches zero. Closer to zero than this
# the root is drawn as a straight line, so that gradients stay finite.
ROOT_LINEAR_BELOW = 1e-12


def fuzzy(x: Array, y: Array, alpha: Array | float) -> Array:
    """The paper's Eq. 2: *nor* at alpha = -1, *nxor* at 0 and *and* at +1.

    Shape: ``x``, ``y`` and ``alpha`` broadcast against each other.

    >>> fuzzy(1.0, -1.0, 1.0), fuzzy(-1.0, -1.0, 0.0), fuzzy(-1.0, -1.0, -1.0)
    (-1.0, 1.0, 1.0)
    """
    size: Any = abs(alpha)
    value: Array = (x + alpha) * (y + alpha) / (1 + size) - size
    return value


def fuzzy_gradients(x: Array, y: Array, alpha: Array | float) -> tuple[Array, Array, Array]:
    """Derivatives of :func:`fuzzy` by ``x``, ``y`` and ``alpha`` (Eq. 4, 5 and 6).

    The paper writes the last one with ``alpha / |alpha|``, 0 / 0 at alpha = 0. Here
    the sign of 0 is 0: the mean of the slopes on either side of the kink, and no NaN.

    >>> fuzzy_gradients(1.0, 1.0, 0.0)
    (1.0, 1.0, 2.0)
    """
    by_x, by_y = input_gradients(x, y, alpha)
    return by_x, by_y, alpha_gradient(x, y, alpha)


def input_gradients(x: Array, y: Array, alpha: Array | float) -> tuple[Array, Array]:
    """Derivatives of :func:`fuzzy` by ``x`` and ``y``."""
    size: Any = abs(alpha)
    return (y + alpha) / (1 + size), (x + alpha) / (1 + size)


def alpha_gradient(x: Array, y: Array, alpha: Array | float) -> Array:
    """Derivative of :func:`fuzzy` by ``alpha``."""
    size: Any = abs(alpha)
    slope: Array = (x + y - _sign(alpha) * (x * y + 1)) / (1 + size) ** 2
    return slope


def fuzzy_squared(x: Array, y: Array, alpha: Array | float) -> Array:
    """The paper's Eq. 1, smooth in alpha; kept for the paper's comparison.

    >>> fuzzy_squared(1.0, 1.0, 1.0), fuzzy_squared(1.0, 1.0, -1.0)
    (1.0, -1.0)
    """
    return (x + alpha) * (y + alpha) / (alpha**2 + 1) - alpha**2


def fuzzy_root(x: Array, y: Array, alpha: Array | float) -> Array:
    """The paper's Eq. 3, with a signed square root; kept for the paper's comparison.

    >>> fuzzy_root(1.0, 1.0, 1.0), fuzzy_root(-1.0, 1.0, 1.0)
    (1.0, -1.0)
    """
    return fuzzy_root_nary([x, y], alpha)


def fuzzy_root_nary(inputs: Sequence[Array], alpha: Array | float) -> Array:
    """The paper's generalisation of Eq. 3 to n inputs: *none*, *parity* and *all*.

    It is *none* for an even number of inputs only: for an odd number the product of what
    is all false has the wrong sign, and alpha = -1 gives -3 where it should give 1.

    >>> fuzzy_root_nary([1.0, 1.0, 1.0], 0.0), fuzzy_root_nary([1.0, -1.0, 1.0], 0.0)
    (1.0, -1.0)
    """
    if not inputs:
        raise ValueError("fuzzy_root_nary needs at least one input, got none")
    product: Any = math.prod((x + alpha for x in inputs), start=1.0)
    value: Array = _signed_root(product, len(inputs)) - abs(alpha)
    return value


def _sign(value: Any) -> Any:
    # The comparisons are made into numbers before they are subtracted: torch and numpy
    # both refuse to subtract booleans.
    return (value > 0) * 1.0 - (value < 0) * 1.0


def _signed_root(value: Any, degree: int) -> Any:
    size = abs(value)
    safe_size = size + (size < ROOT_LINEAR_BELOW) * (ROOT_LINEAR_BELOW - size)
    return value / safe_size ** (1 - 1 / degree)
