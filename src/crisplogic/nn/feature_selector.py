"""FeatureSelector: selects expressions, and the sign of each."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from crisplogic.nn._straight_through import (
    batch_shape,
    keep_in_range_,
    round_ste,
    strongest_ste,
)


class FeatureSelector(nn.Module):
    """A linear layer with the paper's four changes.

    It has no bias. All weights start equal and sum to 1, so a unit starts as the mean of its
    inputs. Weights stay in [-1, 1]. :meth:`l1` is a penalty for the training objective, so that
    most weights go to 0.

    ``snapped = True`` rounds the weights in the forward pass to -1, 0 or 1, with
    straight-through gradients. ``single = True`` rounds the greatest weight of every unit to
    -1 or 1, and all others to 0: the unit is then one expression, not a sum.

    Weights may have narrower bounds, ``min_weight`` and ``max_weight``. With a ``direction`` of
    -1 the weight of an input is negated when it is used; the bounds hold before that.

    ``copies`` selectors of one shape can train side by side, as with
    :class:`~crisplogic.nn.Fuzzy`.

    Shape: (..., in_features) to (..., out_features); with copies (copies, rows, in_features)
    to (copies, rows, out_features).

    >>> FeatureSelector(4, 1)(torch.tensor([1.0, 1.0, -1.0, 0.0])).tolist()
    [0.25]
    """

    min_weight: Tensor | None
    max_weight: Tensor | None

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *,
        copies: int | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if in_features < 1 or out_features < 1:
            raise ValueError(
                "FeatureSelector needs at least 1 input and 1 output, "
                f"got {in_features} and {out_features}"
            )
        self.in_features = in_features
        self.out_features = out_features
        self.snapped = self.single = False
        shape = (*batch_shape(copies), out_features, in_features)
        self.weight = nn.Parameter(torch.empty(shape, dtype=dtype))
        # Not part of the state: they follow from the limits of the network.
        self.register_buffer("min_weight", None, persistent=False)
        self.register_buffer("max_weight", None, persistent=False)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set every weight to the same value."""
        nn.init.constant_(self.weight, 1.0 / self.in_features)

    def forward(self, inputs: Tensor, direction: Tensor | None = None) -> Tensor:
        """Compute weighted sums over the last dimension."""
        if inputs.shape[-1:] != (self.in_features,):
            raise ValueError(
                f"FeatureSelector({self.in_features}, {self.out_features}) needs inputs of "
                f"shape (..., {self.in_features}), got {tuple(inputs.shape)}"
            )
        return inputs @ self.used_weight(direction).mT

    def used_weight(self, direction: Tensor | None = None) -> Tensor:
        """The weights of the forward pass: within their bounds, rounded if snapped.

        Shape: ``direction`` (in_features,) or (copies, in_features).
        """
        self.keep_in_range_()
        weight = _directed(self.weight, direction)
        return self._round(weight) if self.snapped else weight

    def soft_weight(self, direction: Tensor | None = None) -> Tensor:
        """The weights within their bounds, not rounded."""
        return _directed(self.weight.clamp(*self._bounds()), direction)

    def snapped_weight(self, direction: Tensor | None = None) -> Tensor:
        """The weights rounded to -1 (negate), 0 (drop) or 1 (keep)."""
        return self._round(self.soft_weight(direction))

    def _round(self, weight: Tensor) -> Tensor:
        return strongest_ste(weight) if self.single else round_ste(weight)

    def keep_in_range_(self) -> None:
        """Clamp all weights to their bounds, in place."""
        keep_in_range_(self.weight, *self._bounds())

    def _bounds(self) -> tuple[Tensor, Tensor] | tuple[float, float]:
        if self.min_weight is None or self.max_weight is None:
            return -1.0, 1.0
        return self.min_weight, self.max_weight

    def l1(self) -> Tensor:
        """The sum of the absolute weights of each copy. Shape: () or (copies,)."""
        self.keep_in_range_()
        return self.weight.abs().sum((-2, -1))

    def extra_repr(self) -> str:
        """Text for ``repr``."""
        return f"in_features={self.in_features}, out_features={self.out_features}"


def _directed(weight: Tensor, direction: Tensor | None) -> Tensor:
    return weight if direction is None else weight * direction.unsqueeze(-2)
