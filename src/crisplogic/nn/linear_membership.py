"""The paper's membership: how far "this column is high" is true."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import torch
from torch import Tensor, nn

from crisplogic.algebra import linear_membership


class LinearMembership(nn.Module):
    """The paper's normalisation: each column's least value is -1, its greatest +1.

    Call :meth:`fit` with the training rows first. Values beyond the range seen there are
    clipped to it. A missing value is unknown, 0, and so is a constant column.

    Shape: (..., features) to (..., features).

    >>> layer = LinearMembership(1).fit(torch.tensor([[0.0], [10.0]]))
    >>> layer(torch.tensor([[0.0], [7.5], [20.0]])).ravel().tolist()
    [-1.0, 0.5, 1.0]
    """

    low: Tensor
    high: Tensor

    def __init__(self, features: int) -> None:
        super().__init__()
        if features < 1:
            raise ValueError(f"LinearMembership needs at least 1 feature, got {features}")
        self.features = features
        # Always in double precision: columns may lie far from 0.
        self.register_buffer("low", torch.full((features,), -1.0, dtype=torch.float64))
        self.register_buffer("high", torch.full((features,), 1.0, dtype=torch.float64))

    @torch.no_grad()
    def fit(self, inputs: Tensor) -> Self:
        """Compute the range of each column from its finite values. Shape: (rows, features)."""
        if inputs.ndim != 2 or len(inputs) < 1 or inputs.shape[1] != self.features:
            raise ValueError(
                f"LinearMembership({self.features}) is fitted on at least 1 row, shape "
                f"(rows, {self.features}), got {tuple(inputs.shape)}"
            )
        values = inputs.to(torch.float64)
        known = values.isfinite()
        low = values.where(known, torch.inf).amin(0)
        high = values.where(known, -torch.inf).amax(0)
        seen = known.any(0)  # a column without any value gets the range [0, 0]
        self.low.copy_(low.where(seen, 0.0))
        self.high.copy_(high.where(seen, 0.0))
        return self

    def forward(self, inputs: Tensor) -> Tensor:
        """Compute membership degrees in [-1, 1], in the precision of the inputs."""
        self._check_columns(inputs)
        precision = inputs.dtype if inputs.is_floating_point() else torch.get_default_dtype()
        values = linear_membership(inputs.to(torch.float64), self.low, self.high)
        return values.to(precision)

    def scale(self, inputs: Tensor) -> Tensor:
        """Compute the same as the forward pass, which has no parameters."""
        values: Tensor = self(inputs)
        return values

    def degrees(self, scaled: Tensor) -> Tensor:
        """Return what :meth:`scale` computed: these are the membership degrees."""
        return scaled

    def unclipped(self, inputs: Tensor) -> Tensor:
        """Scale columns so that their range goes from -1 to 1, in double precision.

        Values beyond the range are not clipped. NaN where a value is missing or the column is
        constant.
        """
        self._check_columns(inputs)
        middle, half = self.low / 2 + self.high / 2, self.high / 2 - self.low / 2
        varies = half > 0
        position = (inputs.to(torch.float64) - middle) / half.where(varies, 1.0)
        return position.where(varies, torch.nan)

    def ends(self) -> tuple[Tensor, Tensor]:
        """The values where each column is false and true: its minimum and maximum."""
        return self.low, self.high

    def _check_columns(self, inputs: Tensor) -> None:
        # Without this check, broadcasting would accept a wrong number of columns.
        if inputs.shape[-1:] != (self.features,):
            raise ValueError(
                f"a membership of {self.features} columns needs inputs of shape "
                f"(..., {self.features}), got {tuple(inputs.shape)}"
            )

    def extra_repr(self) -> str:
        """Text for ``repr``."""
        return f"features={self.features}"

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        # Called by .to(), .float() and .half(). The range may move to another device with the
        # network but not to another precision.
        low, high = self.low, self.high
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        if self.low.dtype != low.dtype:
            self.low, self.high = low.to(self.low.device), high.to(self.high.device)
        return self
