"""LogicLayer: a whole level of logic as one quadratic form, without laying out its pairs."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from crisplogic.algebra import FALSE, TRUE
from crisplogic.nn._snapping import keep_in_range_
from crisplogic.nn.feature_selector import FeatureSelector
from crisplogic.nn.fuzzy import Fuzzy
from crisplogic.pairing import pair_count, pair_indices


class LogicLayer(nn.Module):
    """AllPairings, Fuzzy and FeatureSelector in one step, with the same values and gradients.

    With b = alpha / (1 + |alpha|) Eq. 2 is (1 - |b|) xy + b (x + y) - |b|: bilinear. The sum
    that a selector unit makes over all pairs is therefore a quadratic form of the inputs,
    whose coefficients do not depend on the row. ``fuzzy`` and ``selector`` are the layers
    that it stands for and hold its parameters.

    Shape: (..., in_features) to (..., out_features); with copies (copies, rows, in_features)
    to (copies, rows, out_features).

    >>> LogicLayer(in_features=4, out_features=3)(torch.zeros(5, 4)).shape
    torch.Size([5, 3])
    """

    cells: Tensor
    of_inputs: Tensor

    def __init__(
        self,
        in_features: int,
        out_features: int,
        epsilon: float = 0.001,
        *,
        copies: int | None = None,
        generator: torch.Generator | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        pairs = pair_count(in_features)
        self.fuzzy = Fuzzy(pairs, epsilon, copies=copies, generator=generator, dtype=dtype)
        self.selector = FeatureSelector(pairs, out_features, copies=copies, dtype=dtype)
        left, right = pair_indices(in_features)
        # Where a pair stands in a matrix of inputs by inputs and the constants false and true.
        cells = torch.from_numpy(left * (in_features + 2) + right)
        self.register_buffer("cells", cells, persistent=False)
        of_inputs = torch.from_numpy(right < in_features)
        self.register_buffer("of_inputs", of_inputs, persistent=False)

    def forward(self, inputs: Tensor) -> Tensor:
        """The sums of all units."""
        if inputs.shape[-1:] != (self.in_features,):
            raise ValueError(
                f"LogicLayer({self.in_features}, {self.out_features}) needs inputs of shape "
                f"(..., {self.in_features}), got {tuple(inputs.shape)}"
            )
        products, linear, constant = self._coefficients()
        n, units = self.in_features, self.out_features
        # Each input is multiplied by a sum of the inputs behind it, the constants included.
        stacked = products.movedim(-1, -3).flatten(-2)  # (..., n, units * n)
        sums: Tensor = (inputs @ stacked).unflatten(-1, (units, n)) + linear
        return (sums * inputs.unsqueeze(-2)).sum(-1) + constant

    def _coefficients(self) -> tuple[Tensor, Tensor, Tensor]:
        """The quadratic form: (..., units, n, n), (..., 1, units, n) and (..., 1, units)."""
        n = self.in_features
        alpha, epsilon = self.fuzzy.used_alpha(), self.fuzzy.epsilon
        b, size = _Softsign.apply(alpha, epsilon)  # type: ignore[no-untyped-call]
        weight = self.selector.used_weight()
        of_both = self._matrices(weight * (1 - size).unsqueeze(-2))
        of_each = self._matrices(weight * b.unsqueeze(-2))
        x_false, x_true = of_both[..., n], of_both[..., n + 1]
        linear = of_each.sum(-1) + of_each[..., :n].sum(-2) + FALSE * x_false + TRUE * x_true
        constants = FALSE * of_each[..., n] + TRUE * of_each[..., n + 1]
        constant = constants.sum(-1) - (weight * size.unsqueeze(-2)).sum(-1)
        if weight.ndim > 2:  # the same coefficients for all rows of a copy
            linear, constant = linear.unsqueeze(-3), constant.unsqueeze(-2)
        return of_both[..., :n], linear, constant

    def _matrices(self, values: Tensor) -> Tensor:
        """One value a pair, put where its two members cross: (..., units, n, n + 2)."""
        n = self.in_features
        empty = values.new_zeros(*values.shape[:-1], n * (n + 2))
        matrices: Tensor = empty.index_copy(-1, self.cells, values).unflatten(-1, (n, n + 2))
        return matrices

    def literals(self) -> Tensor:
        """How many literals the units would be written with, weight by weight.

        A pair of inputs is two, times the greatest weight that a unit gives it: what several
        units share is written once. An input alone, a pair with a constant, is one in each.
        """
        keep_in_range_(self.selector.weight)
        sizes = self.selector.weight.abs()
        shared = (2 * sizes.amax(-2)).where(self.of_inputs, sizes.sum(-2))
        return shared.sum(-1)

    def extra_repr(self) -> str:
        """Shown when the layer is printed."""
        return f"in_features={self.in_features}, out_features={self.out_features}"


class _Softsign(torch.autograd.Function):
    """b = alpha / (1 + |alpha|) and |b|, with the rule that lets alpha cross 0.

    Closer to 0 than epsilon alpha has the slopes that it has at 0, where those of |b| on
    both sides cancel.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(alpha: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
        b = alpha / (1 + alpha.abs())
        return b, b.abs()

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        alpha, ctx.epsilon = inputs
        ctx.save_for_backward(alpha)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        (alpha,) = ctx.saved_tensors
        alpha = alpha.where(alpha.abs() >= ctx.epsilon, 0.0)
        by_b, by_size = gradients
        return (by_b + alpha.sign() * by_size) / (1 + alpha.abs()).square(), None
