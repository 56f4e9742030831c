"""Learned memberships: ramps with a centre and a width, or steps at the centre."""

from __future__ import annotations

import math
from typing import Any, Self

import torch
from torch import Tensor, nn

from crisplogic.nn._straight_through import batch_shape
from crisplogic.nn.linear_membership import LinearMembership

# The half-width of ramps, in units in which the column goes from -1 to 1: from almost a
# threshold to far more gradual than the paper's membership.
MIN_WIDTH, MAX_WIDTH = 0.02, 4.0
# Every ramp has ended here, wherever its centre is.
MAX_SCALED_VALUE = 1.0 + MAX_WIDTH
# The standard deviation of the first centres, if a column has several ramps.
CENTRE_STD = 0.5
# The half-width of ramps when training starts, in standard deviations of the column.
START_WIDTH = 2.5
# How wide the slopes of steps are at the end of training, as a share of the ramps. Wide slopes
# bring thresholds from far away, narrow ones know the rows beside them.
LAST_SLOPE_WIDTH = 0.05
# The greatest centre of a step: it is true for the greatest value of the column, and for no
# other if that is much greater than the rest.
MAX_STEP_CENTRE = 1.0 - 2.0**-20


class LearnedMembership(nn.Module):
    """Ramps with a trained centre and width, ``per_feature`` of them for each column.

    A ramp is -1 (false) up to ``centre - width``, 0 at its centre and +1 (true) from
    ``centre + width`` on. It starts as the paper's membership, over the whole range of the
    column; several ramps of one column start at random centres. A missing value is unknown, 0,
    and so is a constant column. Call :meth:`fit` with the training rows first. Training calls
    :meth:`start_at`, too.

    ``crisp = True`` computes steps: true above the centre, false at it and below. The gradient
    is that of the ramp, with its width times ``slope_width``.

    Shape: (..., features) to (..., features * per_feature), the first ramps of all columns
    before the second; with copies (rows, features) to (copies, rows, features * per_feature).

    >>> layer = LearnedMembership(1).fit(torch.tensor([[0.0], [10.0]]))
    >>> layer(torch.tensor([[0.0], [7.5], [20.0]])).ravel().tolist()
    [-1.0, 0.5, 1.0]
    """

    slope_width: Tensor

    def __init__(
        self,
        features: int,
        per_feature: int = 1,
        *,
        copies: int | None = None,
        generator: torch.Generator | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if per_feature < 1:
            raise ValueError(
                f"LearnedMembership needs at least 1 ramp a column, got {per_feature}"
            )
        self.features = features
        self.per_feature = per_feature
        self.out_features = features * per_feature
        self.crisp = False
        self.range = LinearMembership(features)
        # Not part of the state: training sets it before every step.
        self.register_buffer("slope_width", torch.ones((), dtype=dtype), persistent=False)
        shape = (*batch_shape(copies), self.out_features)
        self.centre = nn.Parameter(torch.empty(shape, dtype=dtype))
        self.log_width = nn.Parameter(torch.empty(shape, dtype=dtype))
        self.reset_parameters(generator)

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Reset every ramp to the paper's membership, several of a column to random centres."""
        nn.init.zeros_(self.log_width)
        nn.init.zeros_(self.centre)
        if self.per_feature > 1:
            nn.init.trunc_normal_(self.centre, 0.0, CENTRE_STD, -1.0, 1.0, generator=generator)

    def fit(self, inputs: Tensor) -> Self:
        """Compute the range of each column from its finite values. Shape: (rows, features)."""
        self.range.fit(inputs)
        return self

    @torch.no_grad()
    def start_at(self, scaled: Tensor, weights: Tensor | None = None) -> None:
        """Move ramps, as :meth:`reset_parameters` left them, to where most values are.

        The range of a column says little of it if a few values are far from the others. A
        column of two values stays as it is: it is false at one and true at the other.

        Shape: ``scaled`` (rows, features) or (copies, rows, features); ``weights`` (rows,) or
        (copies, rows).
        """
        values = scaled.double()
        counts = (~values.isnan()).double()
        if weights is not None:
            counts = counts * weights.double().unsqueeze(-1)
        values, total = values.nan_to_num(0.0), counts.sum(-2).clamp(min=1e-300)
        mean = (values * counts).sum(-2) / total
        deviations = values - mean.unsqueeze(-2)
        spread = (deviations.square() * counts).sum(-2).div(total).sqrt()
        between = values.abs() < 1 - 1e-6  # neither the least nor the greatest
        moves = (between & (counts > 0)).any(-2) & (spread > 0)
        mean, spread, moves = (self._repeated(each) for each in (mean, spread, moves))
        self.centre.copy_(torch.where(moves, mean + spread * self.centre, self.centre))
        width = torch.where(moves, START_WIDTH * spread, 1.0).log()
        self.log_width.copy_(width.expand_as(self.log_width))
        self.keep_in_range_()

    def forward(self, inputs: Tensor) -> Tensor:
        """Compute membership degrees in [-1, 1]."""
        return self.degrees(self.scale(inputs))

    def scale(self, inputs: Tensor) -> Tensor:
        """Scale columns so that their range goes from -1 to 1; NaN if missing.

        This does not depend on parameters: training computes it once.
        """
        precision = self.centre.dtype
        return (
            self.range.unclipped(inputs)
            .clamp(-MAX_SCALED_VALUE, MAX_SCALED_VALUE)
            .to(precision)
        )

    def degrees(self, scaled: Tensor) -> Tensor:
        """Compute the membership degrees of scaled columns."""
        self.keep_in_range_()
        ramps: tuple[Tensor, Tensor] = self.centre, self.log_width
        if self.centre.ndim > 1:  # the same ramps for all rows of a copy
            ramps = self.centre.unsqueeze(-2), self.log_width.unsqueeze(-2)
        columns = self._repeated(scaled)
        if self.crisp:
            centre, log_width = ramps[0], ramps[1].detach() + self.slope_width.log()
            steps: Tensor = _Steps.apply(columns, centre, log_width)  # type: ignore[no-untyped-call]
            return steps
        degrees: Tensor = _Ramps.apply(columns, *ramps)  # type: ignore[no-untyped-call]
        return degrees

    def _repeated(self, scaled: Tensor) -> Tensor:
        return (
            scaled if self.per_feature == 1 else torch.cat([scaled] * self.per_feature, dim=-1)
        )

    def keep_in_range_(self) -> None:
        """Clamp centres to the range of the column, and widths to theirs, in place."""
        self.centre.data.clamp_(-1.0, MAX_STEP_CENTRE if self.crisp else 1.0)
        self.log_width.data.clamp_(math.log(MIN_WIDTH), math.log(MAX_WIDTH))

    def narrow_slopes(self, progress: float) -> None:
        """Set the width of slopes for a time of training, from 0 at its start to 1."""
        self.slope_width.fill_(LAST_SLOPE_WIDTH**progress)

    @torch.no_grad()
    def ends(self) -> tuple[Tensor, Tensor]:
        """Where ramps begin and end, in the units of the columns, in double precision."""
        self.keep_in_range_()
        centre, width = self.centre.double(), self.log_width.double().exp()
        low, high = self._repeated(self.range.low), self._repeated(self.range.high)
        middle, half = low / 2 + high / 2, high / 2 - low / 2
        most = torch.finfo(torch.float64).max
        begin = (middle + half * (centre - width)).clamp(-most, most)
        end = (middle + half * (centre + width)).clamp(-most, most)
        # Far from 0 both may round to the same number, which would mean a constant column.
        next_number = torch.nextafter(begin, torch.full_like(begin, torch.inf))
        return begin, end.where(half <= 0, torch.maximum(end, next_number))

    @torch.no_grad()
    def thresholds(self) -> Tensor:
        """The greatest numbers of the columns that are not above the centres.

        They say exactly where steps turn true, whatever the precision of the parameters: every
        number above one is scaled to more than the centre. For a constant column it is its
        value.

        Shape: (features * per_feature,), in double precision; not for copies.
        """
        self.keep_in_range_()
        centres = self.centre.unflatten(0, (self.per_feature, self.features))
        most = torch.finfo(torch.float64).max
        low = _ordered(torch.full_like(centres, -most, dtype=torch.float64))
        high = _ordered(torch.full_like(centres, most, dtype=torch.float64))
        # Scaling is monotone, so bisection finds the number among all floats.
        while (low < high - 1).any():
            middle = (low & high) + ((low ^ high) >> 1)  # the mean, without overflow
            above = self.scale(_floats(middle)) > centres
            low, high = low.where(above, middle), middle.where(above, high)
        value = self.range.low
        return _floats(low).where(value < self.range.high, value).flatten()

    def extra_repr(self) -> str:
        """Text for ``repr``."""
        return f"features={self.features}, per_feature={self.per_feature}"


def _ordered(numbers: Tensor) -> Tensor:
    """Whole numbers in the same order: neighbours are neighbours. Double precision only."""
    bits = numbers.view(torch.int64)
    return bits.where(bits >= 0, torch.iinfo(torch.int64).min - bits)


def _floats(ordered: Tensor) -> Tensor:
    """The inverse of :func:`_ordered`."""
    bits = ordered.where(ordered >= 0, torch.iinfo(torch.int64).min - ordered)
    return bits.view(torch.float64)


class _Ramps(torch.autograd.Function):
    """Ramps with closed-form derivatives. NaN is unknown: its value and gradient are 0."""

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


class _Steps(torch.autograd.Function):
    """Steps at the centres, with the gradients of ramps. NaN is unknown, as there."""

    generate_vmap_rule = True

    @staticmethod
    def forward(columns: Tensor, centre: Tensor, log_width: Tensor) -> Tensor:
        above = (columns > centre).to(columns.dtype)
        return (2 * above - 1).where(~columns.isnan(), 0.0)

    setup_context = _Ramps.setup_context
    backward = _Ramps.backward
