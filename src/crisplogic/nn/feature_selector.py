"""FeatureSelector: which expressions go on, and with which sign."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from crisplogic.nn._snapping import keep_in_range_, snap_through


class FeatureSelector(nn.Module):
    """A linear layer with the paper's four changes.

    No bias; all weights start equal (their sum is 1, so that a unit starts as the mean of
    its inputs); weights are kept in [-1, 1]; and :meth:`l1` is there for a training loop to
    add to its loss, so that most weights go to 0.

    ``snapped = True`` rounds the weights in the forward pass to -1, 0 or 1 and lets the
    gradient straight through.

    Shape: (..., in_features) to (..., out_features).

    >>> FeatureSelector(4, 1)(torch.tensor([1.0, 1.0, -1.0, 0.0])).tolist()
    [0.25]
    """

    def __init__(
        self, in_features: int, out_features: int, *, dtype: torch.dtype | None = None
    ) -> None:
        super().__init__()
        if in_features < 1 or out_features < 1:
            raise ValueError(
                "FeatureSelector needs at least 1 input and 1 output, "
                f"got {in_features} and {out_features}"
            )
        self.in_features = in_features
        self.out_features = out_features
        self.snapped = False
        self.weight = nn.Parameter(torch.empty(out_features, in_features, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Give every weight the same value."""
        nn.init.constant_(self.weight, 1.0 / self.in_features)

    def forward(self, inputs: Tensor) -> Tensor:
        """Weighted sums of the last dimension."""
        if inputs.shape[-1:] != (self.in_features,):
            raise ValueError(
                f"FeatureSelector({self.in_features}, {self.out_features}) needs inputs of "
                f"shape (..., {self.in_features}), got {tuple(inputs.shape)}"
            )
        keep_in_range_(self.weight)
        weight = self.snapped_weight() if self.snapped else self.weight
        return nn.functional.linear(inputs, weight)

    def snapped_weight(self) -> Tensor:
        """Every weight at the nearest of -1 (negate), 0 (drop) and 1 (keep)."""
        return snap_through(self.weight.clamp(-1.0, 1.0))

    def l1(self) -> Tensor:
        """The sum of the absolute weights: a scalar to add, with a factor, to a loss."""
        keep_in_range_(self.weight)
        return self.weight.abs().sum()

    def extra_repr(self) -> str:
        """Shown when the layer is printed."""
        return f"in_features={self.in_features}, out_features={self.out_features}"
