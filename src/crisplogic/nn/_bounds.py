"""Bounds: limits on columns, as what the pairs of a level may do for its units."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import pad

from crisplogic.constraints.limits import Limits


class Bounds(NamedTuple):
    """What the alphas and weights of a level may be, so that it keeps to limits.

    Between two inputs Eq. 2 has a direction at both ends only: *and* never falls with either,
    *nor* never rises. A pair with a column that is limited is ``strict``: its alpha is one of
    the two. *x with true* never falls with x, whatever the alpha, and *x with false* never
    rises. ``turn`` is 1 for what never falls and -1 for what never rises; a strict pair has
    the sign of its alpha besides. A weight times the turn is how far the unit rises with the
    pair's inputs, and lies between ``least`` and ``most``.

    Shape: ``strict`` and ``turn`` (pairs,), ``least`` and ``most`` (units, pairs); with a
    dimension for copies before, if they look at different columns.
    """

    strict: Tensor
    turn: Tensor
    least: Tensor
    most: Tensor


def bounds_of(limits: Limits, columns: Tensor, places: Tensor, dtype: torch.dtype) -> Bounds:
    """The bounds of a level whose inputs are about these ``columns``.

    ``places`` are the two members of every pair, where the number of inputs stands for false
    and the next for true, which are free. Shape: ``columns`` (..., inputs), ``places``
    (2, pairs).
    """
    false = len(limits.rises)  # constants are numbered after the columns, as if they were some
    constants = torch.tensor([false, false + 1], device=columns.device)
    ends = torch.cat([columns, constants.expand(*columns.shape[:-1], 2)], -1)
    left, right = ends[..., places].unbind(-2)
    directed = _with_constants(limits.directed, False, columns.device)
    limited = directed[left] | directed[right]
    together = _together(limits, columns.device)[left, right].unsqueeze(-2)
    rises = _with_constants(limits.rises, True, columns.device)
    falls = _with_constants(limits.falls, True, columns.device)
    may_rise = (rises[left] & rises[right]).mT & together
    may_fall = (falls[left] & falls[right]).mT & together
    return Bounds(
        strict=limited & (right < false),
        turn=1 - 2 * (limited & (right == false)).to(dtype),
        least=0 - may_fall.to(dtype),
        most=may_rise.to(dtype),
    )


def _together(limits: Limits, device: torch.device) -> Tensor:
    """Which columns and constants may meet. Shape: (columns + 2, columns + 2)."""
    columns = len(limits.rises)
    pairs = np.ones((columns, columns), bool) if limits.pairs is None else limits.pairs
    return pad(torch.from_numpy(pairs).to(device), (0, 2, 0, 2), value=True)


def _with_constants(of_columns: NDArray[np.bool_], value: bool, device: torch.device) -> Tensor:
    """One entry a column, and ``value`` for both constants. Shape: (columns + 2, ...)."""
    entries = torch.from_numpy(of_columns).to(device)
    return torch.cat([entries, entries.new_full((2, *entries.shape[1:]), value)])
