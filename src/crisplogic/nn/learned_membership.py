"""Memberships that learn where "it is high" begins and how gradually."""

from __future__ import annotations

import math
from typing import Any, Self

import torch
from torch import Tensor, nn

from crisplogic.nn._straight_through import batch_shape
from crisplogic.nn.linear_membership import LinearMembership

# In units in which the column goes from -1 to 1: a ramp as steep as a threshold, and one so
# gradual that the column itself, as the paper takes it, is well within reach.
STEEPEST, MOST_GRADUAL = 0.02, 4.0
# Where every ramp has ended, wherever in the column it began.
FURTHEST = 1.0 + MOST_GRADUAL
# How far apart several memberships of a column start, as a share of their width.
SPREAD = 0.5


class LearnedMembership(nn.Module):
    """Ramps: each column has ``each`` of them, with a centre and a width that are trained.

    A ramp is -1 (false) up to ``centre - width``, 0 at its centre and +1 (true) from
    ``centre + width`` on. It starts as the paper's membership, over the whole range of the
    column; several of one column start a little apart. A missing value is unknown, 0, and so
    is a column that never varied. Call :meth:`fit` with the training rows first.

    Shape: (..., features) to (..., features * each), the first ramps of all columns before
    the second; with copies (rows, features) to (copies, rows, features * each).

    >>> layer = LearnedMembership(1).fit(torch.tensor([[0.0], [10.0]]))
    >>> layer(torch.tensor([[0.0], [7.5], [20.0]])).ravel().tolist()
    [-1.0, 0.5, 1.0]
    """

    def __init__(
        self,
        features: int,
        each: int = 1,
        *,
        copies: int | None = None,
        generator: torch.Generator | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if each < 1:
            raise ValueError(f"LearnedMembership needs at least 1 ramp a column, got {each}")
        self.features = features
        self.each = each
        self.out_features = features * each
        self.range = LinearMembership(features)
        shape = (*batch_shape(copies), self.out_features)
        self.centre = nn.Parameter(torch.empty(shape, dtype=dtype))
        self.log_width = nn.Parameter(torch.empty(shape, dtype=dtype))
        self.reset_parameters(generator)

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Start every ramp as the paper's membership, several of a column a little apart."""
        nn.init.zeros_(self.log_width)
        nn.init.zeros_(self.centre)
        if self.each > 1:
            nn.init.trunc_normal_(self.centre, 0.0, SPREAD, -1.0, 1.0, generator=generator)

    def fit(self, inputs: Tensor) -> Self:
        """Take the range of each column from its finite values in the rows of ``inputs``."""
        self.range.fit(inputs)
        return self

    def forward(self, inputs: Tensor) -> Tensor:
        """Fuzzy values in [-1, 1]."""
        return self.degrees(self.scaled(inputs))

    def scaled(self, inputs: Tensor) -> Tensor:
        """Columns in the units of the ramps, from -1 to 1 over their range; NaN if missing.

        This part does not change while training and needs to be computed only once.
        """
        precision = self.centre.dtype
        return self.range.unclipped(inputs).clamp(-FURTHEST, FURTHEST).to(precision)

    def degrees(self, scaled: Tensor) -> Tensor:
        """The fuzzy values of scaled columns."""
        self.keep_in_range_()
        ramps: tuple[Tensor, Tensor] = self.centre, self.log_width
        if self.centre.ndim > 1:  # the same ramps for all rows of a copy
            ramps = self.centre.unsqueeze(-2), self.log_width.unsqueeze(-2)
        degrees: Tensor = _Ramps.apply(self._repeated(scaled), *ramps)  # type: ignore[no-untyped-call]
        return degrees

    def _repeated(self, scaled: Tensor) -> Tensor:
        return scaled if self.each == 1 else torch.cat([scaled] * self.each, dim=-1)

    def keep_in_range_(self) -> None:
        """Centres stay within the column, widths between steep and gradual."""
        self.centre.data.clamp_(-1.0, 1.0)
        self.log_width.data.clamp_(math.log(STEEPEST), math.log(MOST_GRADUAL))

    @torch.no_grad()
    def ends(self) -> tuple[Tensor, Tensor]:
        """Where the ramps begin and end, in the columns' own units, in double precision."""
        self.keep_in_range_()
        centre, width = self.centre.double(), self.log_width.double().exp()
        low, high = self._repeated(self.range.low), self._repeated(self.range.high)
        middle, half = low / 2 + high / 2, high / 2 - low / 2
        most = torch.finfo(torch.float64).max
        begin = (middle + half * (centre - width)).clamp(-most, most)
        end = (middle + half * (centre + width)).clamp(-most, most)
        # Far from 0 both may round to one number, which would mean a column without a range.
        next_number = torch.nextafter(begin, torch.full_like(begin, torch.inf))
        return begin, end.where(half <= 0, torch.maximum(end, next_number))

    def extra_repr(self) -> str:
        """Shown when the layer is printed."""
        return f"features={self.features}, each={self.each}"


class _Ramps(torch.autograd.Function):
    """Ramps with their derivatives in closed form; NaN is unknown, 0, and teaches nothing."""

    generate_vmap_rule = True

    @staticmethod
    def forward(columns: Tensor, centre: Tensor, log_width: Tensor) -> Tensor:
        return ((columns - centre) * (-log_width).exp()).clamp(-1.0, 1.0).nan_to_num(0.0)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        columns, centre, log_width = inputs
        ctx.save_for_backward(columns, centre, log_width)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        columns, centre, log_width = ctx.saved_tensors
        steepness = (-log_width).exp()
        ramps = (columns - centre) * steepness
        rising = gradients[0] * (ramps.abs() <= 1.0)  # false for NaN
        by_centre = -rising * steepness
        by_log_width = -rising * ramps.nan_to_num(0.0)
        by_columns = -by_centre if ctx.needs_input_grad[0] else None
        return (
            None if by_columns is None else by_columns.sum_to_size(columns.shape),
            by_centre.sum_to_size(centre.shape),
            by_log_width.sum_to_size(log_width.shape),
        )
