"""AllPairings: every pair of inputs, and every input with false and with true."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from crisplogic.algebra import FALSE, TRUE
from crisplogic.algebra.pairing import pair_count, pair_indices


class AllPairings(nn.Module):
    """Form all n(n - 1)/2 + 2n pairs of n inputs and the constants false and true.

    The pairs of input i follow each other: with every later input, then with false, then with
    true. The layer has no parameters.

    Shape: (..., in_features) to (..., pairs, 2).

    >>> AllPairings(2)(torch.tensor([0.5, -0.5])).tolist()
    [[0.5, -0.5], [0.5, -1.0], [0.5, 1.0], [-0.5, -1.0], [-0.5, 1.0]]
    """

    left: Tensor
    right: Tensor

    def __init__(self, in_features: int) -> None:
        super().__init__()
        if in_features < 1:
            raise ValueError(f"AllPairings needs at least 1 input, got {in_features}")
        self.in_features = in_features
        self.out_features = pair_count(in_features)
        left, right = pair_indices(in_features)
        # Derived from in_features alone, so not part of the saved state.
        self.register_buffer("left", torch.from_numpy(left), persistent=False)
        self.register_buffer("right", torch.from_numpy(right), persistent=False)

    def forward(self, inputs: Tensor) -> Tensor:
        """Form all pairs of the last dimension."""
        if inputs.shape[-1:] != (self.in_features,):
            raise ValueError(
                f"AllPairings({self.in_features}) needs inputs of shape "
                f"(..., {self.in_features}), got {tuple(inputs.shape)}"
            )
        one = inputs.new_ones(()).expand(*inputs.shape[:-1], 1)
        extended = torch.cat([inputs, FALSE * one, TRUE * one], dim=-1)
        pairs = [extended.index_select(-1, self.left), extended.index_select(-1, self.right)]
        # Stacked first and moved to the end: both members stay contiguous in memory.
        return torch.stack(pairs).movedim(0, -1)

    def extra_repr(self) -> str:
        """Text for ``repr``."""
        return f"in_features={self.in_features}, pairs={self.out_features}"
