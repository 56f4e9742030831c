"""FeatureSelector: which expressions go on, and with which sign."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from crisplogic.nn._straight_through import batch_shape, keep_in_range_, round_ste


class FeatureSelector(nn.Module):
    """A linear layer with the paper's four changes.

    No bias; all weights start equal (their sum is 1, so that a unit starts as the mean of
    its inputs); weights are kept in [-1, 1]; and :meth:`l1` is there for a training loop to
    add to its loss, so that most weights go to 0.

    ``snapped = True`` rounds the weights in the forward pass to -1, 0 or 1 and lets the
    gradient straight through.

    Weights may have closer bounds each, ``least`` and ``most``. Inputs that are ``turn`` = -1,
    those that say the opposite of what is meant, are weighed the other way round; bounds are
    those of weights before they are turned.

    ``copies`` selectors of one shape can be trained side by side, as with
    :class:`~crisplogic.nn.Fuzzy`.

    Shape: (..., in_features) to (..., out_features); with copies (copies, rows, in_features)
    to (copies, rows, out_features).

    >>> FeatureSelector(4, 1)(torch.tensor([1.0, 1.0, -1.0, 0.0])).tolist()
    [0.25]
    """

    least: Tensor | None
    most: Tensor | None

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
        self.snapped = False
        shape = (*batch_shape(copies), out_features, in_features)
        self.weight = nn.Parameter(torch.empty(shape, dtype=dtype))
        # Not persistent: they follow from limits that whoever loads a state has to know.
        self.register_buffer("least", None, persistent=False)
        self.register_buffer("most", None, persistent=False)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Give every weight the same value."""
        nn.init.constant_(self.weight, 1.0 / self.in_features)

    def forward(self, inputs: Tensor, turn: Tensor | None = None) -> Tensor:
        """Weighted sums of the last dimension."""
        if inputs.shape[-1:] != (self.in_features,):
            raise ValueError(
                f"FeatureSelector({self.in_features}, {self.out_features}) needs inputs of "
                f"shape (..., {self.in_features}), got {tuple(inputs.shape)}"
            )
        return inputs @ self.used_weight(turn).mT

    def used_weight(self, turn: Tensor | None = None) -> Tensor:
        """The weights that the forward pass works with: in their bounds, whole if snapped.

        Shape: ``turn`` (in_features,) or (copies, in_features).
        """
        self.keep_in_range_()
        weight = _turned(self.weight, turn)
        return round_ste(weight) if self.snapped else weight

    def soft_weight(self, turn: Tensor | None = None) -> Tensor:
        """Every weight within its bounds, as it is while nothing is snapped."""
        return _turned(self.weight.clamp(*self._bounds()), turn)

    def snapped_weight(self, turn: Tensor | None = None) -> Tensor:
        """Every weight at the nearest of -1 (negate), 0 (drop) and 1 (keep)."""
        return round_ste(self.soft_weight(turn))

    def keep_in_range_(self) -> None:
        """Bring all weights back into their bounds, in place."""
        keep_in_range_(self.weight, *self._bounds())

    def _bounds(self) -> tuple[Tensor, Tensor] | tuple[float, float]:
        if self.least is None or self.most is None:
            return -1.0, 1.0
        return self.least, self.most

    def l1(self) -> Tensor:
        """The sum of the absolute weights, of each copy: to add, with a factor, to a loss."""
        self.keep_in_range_()
        return self.weight.abs().sum((-2, -1))

    def extra_repr(self) -> str:
        """Shown when the layer is printed."""
        return f"in_features={self.in_features}, out_features={self.out_features}"


def _turned(weight: Tensor, turn: Tensor | None) -> Tensor:
    return weight if turn is None else weight * turn.unsqueeze(-2)
