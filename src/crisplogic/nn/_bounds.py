"""Bounds: the constraints on the inputs of a level, as bounds on its parameters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import pad

from crisplogic.constraints.limits import Limits


class Bounds(NamedTuple):
    """What the alphas and weights of a level may be, so that it respects its limits.

    Eq. 2 is monotone in both inputs at its two ends only: *and* never falls, *nor* never
    rises. A pair of inputs with a limited column is ``monotone``: it is one of these two, by
    the sign of its alpha. *x with true* never falls with x, whatever the alpha, and *x with
    false* never rises. ``direction`` is 1 for pairs that never fall and -1 for those that never
    rise; the sign of its alpha overrides it for a monotone pair. A weight times the direction
    is how far the unit rises with the inputs of the pair. It lies between ``min_weight`` and
    ``max_weight``.

    Shape: ``monotone`` and ``direction`` (pairs,), the others (units, pairs); with a leading
    dimension for copies that select different columns.
    """

    monotone: Tensor
    direction: Tensor
    min_weight: Tensor
    max_weight: Tensor


def pair_bounds(limits: Limits, columns: Tensor, members: Tensor, dtype: torch.dtype) -> Bounds:
    """Compute the bounds of a level whose inputs come from these ``columns``.

    ``members`` are the two members of every pair. The number of inputs stands for false and
    the next number for true; both are free of limits. Shape: ``columns`` (..., inputs),
    ``members`` (2, pairs).
    """
    false = len(limits.rises)  # constants are numbered after the columns
    constants = torch.tensor([false, false + 1], device=columns.device)
    extended = torch.cat([columns, constants.expand(*columns.shape[:-1], 2)], -1)
    left, right = extended[..., members].unbind(-2)
    one_way = _with_constants(limits.one_way, False, columns.device)
    limited = one_way[left] | one_way[right]
    joins = right < false  # a pair with a constant is a single column
    monotone = joins if not limits.allows_xor else limited & joins
    allowed = _allowed_pairs(limits, columns.device)[left, right].unsqueeze(-2)
    if not limits.allows_xor and not limits.allows_and_or:
        allowed = allowed & ~joins.unsqueeze(-2)
    rises = _with_constants(limits.rises, True, columns.device)
    falls = _with_constants(limits.falls, True, columns.device)
    may_rise = (rises[left] & rises[right]).mT & allowed
    may_fall = (falls[left] & falls[right]).mT & allowed
    return Bounds(
        monotone=monotone,
        direction=1 - 2 * (limited & (right == false)).to(dtype),
        min_weight=0 - may_fall.to(dtype),
        max_weight=may_rise.to(dtype),
    )


def _allowed_pairs(limits: Limits, device: torch.device) -> Tensor:
    """Which columns and constants may form a pair. Shape: (columns + 2, columns + 2)."""
    columns = len(limits.rises)
    pairs = np.ones((columns, columns), bool) if limits.pairs is None else limits.pairs
    return pad(torch.from_numpy(pairs).to(device), (0, 2, 0, 2), value=True)


def _with_constants(of_columns: NDArray[np.bool_], value: bool, device: torch.device) -> Tensor:
    """Append ``value`` for both constants. Shape: (columns, ...) to (columns + 2, ...)."""
    entries = torch.from_numpy(of_columns).to(device)
    return torch.cat([entries, entries.new_full((2, *entries.shape[1:]), value)])
