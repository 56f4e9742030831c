"""LogicLayer: a whole level of logic as one quadratic form, without laying out its pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from crisplogic.algebra.pairing import pair_count, pair_indices
from crisplogic.nn._bounds import Bounds
from crisplogic.nn.all_pairings import AllPairings
from crisplogic.nn.feature_selector import FeatureSelector
from crisplogic.nn.fuzzy import Fuzzy
from crisplogic.nn.quadratic import form_gradients, triangular_form

# Rows times pairs up to which laying them out is quicker than to avoid it.
FEW = 2**14


class LogicLayer(nn.Module):
    """AllPairings, Fuzzy and FeatureSelector in one step, with the same values and gradients.

    With ``b = alpha / (1 + |alpha|)`` Eq. 2 is ``(1 - |b|) xy + b (x + y) - |b|``, which is
    bilinear. The sum that a selector unit makes over all pairs is therefore a quadratic form
    of the inputs, whose coefficients do not depend on the row. ``fuzzy`` and ``selector`` are
    the layers that it stands for and hold its parameters.

    Shape: (..., in_features) to (..., out_features); with copies (copies, rows, in_features)
    to (copies, rows, out_features).

    >>> LogicLayer(in_features=4, out_features=3)(torch.zeros(5, 4)).shape
    torch.Size([5, 3])
    """

    places: Tensor
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
        self.pairings = AllPairings(in_features)
        self.fuzzy = Fuzzy(pairs, epsilon, copies=copies, generator=generator, dtype=dtype)
        self.selector = FeatureSelector(pairs, out_features, copies=copies, dtype=dtype)
        left, right = pair_indices(in_features)
        places = np.stack([left, right, left * (in_features + 2) + right])
        self.register_buffer("places", torch.from_numpy(places), persistent=False)
        of_inputs = torch.from_numpy(right < in_features)
        self.register_buffer("of_inputs", of_inputs, persistent=False)

    def forward(self, inputs: Tensor) -> Tensor:
        """The sums of all units."""
        if inputs.shape[-1:] != (self.in_features,):
            raise ValueError(
                f"LogicLayer({self.in_features}, {self.out_features}) needs inputs of shape "
                f"(..., {self.in_features}), got {tuple(inputs.shape)}"
            )
        copies = self.fuzzy.alpha.ndim > 1
        if not copies and inputs.numel() * self.fuzzy.units <= FEW * self.in_features:
            values: Tensor = self.selector(self.fuzzy(self.pairings(inputs)), self.fuzzy.turn())
            return values
        alpha = self.fuzzy.used_alpha()
        weight, strict = self.selector.used_weight(self.fuzzy.turn()), self.fuzzy.strict
        rows = inputs if copies else inputs.reshape(-1, self.in_features)
        epsilon, places = self.fuzzy.epsilon, self.places
        sums: Tensor = _LogicLevel.apply(rows, alpha, weight, epsilon, places, strict)[0]  # type: ignore[no-untyped-call]
        return sums if copies else sums.reshape(*inputs.shape[:-1], self.out_features)

    def bound(self, bounds: Bounds) -> None:
        """Keep alphas and weights within these bounds from now on."""
        self.fuzzy.strict, self.fuzzy.facing = bounds.strict, bounds.turn
        self.selector.least, self.selector.most = bounds.least, bounds.most

    def literals(self) -> Tensor:
        """How many literals the units would be written with, weight by weight.

        A pair of inputs is two, times the greatest weight that a unit gives it: what several
        units share is written once. An input alone, a pair with a constant, is one in each.
        """
        self.selector.keep_in_range_()
        sizes = self.selector.weight.abs()
        shared = (2 * sizes.amax(-2)).where(self.of_inputs, sizes.sum(-2))
        return shared.sum(-1)

    def extra_repr(self) -> str:
        """Shown when the layer is printed."""
        return f"in_features={self.in_features}, out_features={self.out_features}"


class _LogicLevel(torch.autograd.Function):
    """The level with its derivatives in closed form: as few steps as possible.

    The first output is the level's. The others are there for the backward pass alone.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(
        inputs: Tensor,
        alpha: Tensor,
        weight: Tensor,
        epsilon: float,
        places: Tensor,
        strict: Tensor | None,
    ) -> tuple[Tensor, ...]:
        products, linear, constant = coefficients(alpha, weight, places, inputs.shape[-1])
        form = triangular_form(inputs, products)
        sums = form.sums + inputs @ linear.mT + constant.unsqueeze(-2)
        return sums, form.factors, products, linear

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        *tensors, ctx.epsilon, places, strict = inputs
        ctx.mark_non_differentiable(*output[1:])
        ctx.set_materialize_grads(False)  # nobody needs zeros as gradients of these
        ctx.save_for_backward(*tensors, places, strict, *output[1:])

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor | None) -> tuple[Tensor | None, ...]:
        if gradients[0] is None:
            return (None,) * 6
        inputs, alpha, weight, places, strict, factors, products, linear = ctx.saved_tensors
        if torch.is_grad_enabled():  # for derivatives of these derivatives
            products, linear, _ = coefficients(alpha, weight, places, inputs.shape[-1])
            factors = triangular_form(inputs, products).factors
        by_sums, of_inputs = gradients[0], ctx.needs_input_grad[0]
        by_inputs, by_products = form_gradients(by_sums, inputs, products, factors, of_inputs)
        by_linear = by_sums.mT @ inputs
        by_alpha, by_weight = _by_parameters(
            (by_products, by_linear, by_sums.sum(-2)),
            alpha,
            weight,
            places,
            ctx.epsilon,
            strict,
        )
        if by_inputs is not None:
            by_inputs = (by_inputs + by_sums @ linear).sum_to_size(inputs.shape)
        return by_inputs, by_alpha, by_weight, None, None, None


def coefficients(
    alpha: Tensor, weight: Tensor, places: Tensor, n: int
) -> tuple[Tensor, Tensor, Tensor]:
    """The quadratic form: products of two inputs, inputs alone, and constants.

    ``places`` are the two members of every pair, where n stands for false and n + 1 for true,
    and the cell where they cross in a matrix of inputs by inputs and constants.

    Shape: ``alpha`` (..., pairs), ``weight`` (..., units, pairs), ``places`` (3, pairs);
    returns (..., units, n, n), 0 but above the diagonal; (..., units, n); (..., units).
    """
    shares = _shares(alpha)
    of_both, of_each = _matrices(weight * shares[:2].unsqueeze(-2), places[2], n).unbind(0)
    linear = of_each.sum(-1) + of_each[..., :n].sum(-2)
    linear = linear + (of_both[..., n + 1] - of_both[..., n])  # true is 1 and false is -1
    constant = (of_each[..., n + 1] - of_each[..., n]).sum(-1)
    constant = constant - (weight @ shares[2].unsqueeze(-1)).squeeze(-1)
    return of_both[..., :n], linear, constant


def _by_parameters(
    gradients: tuple[Tensor, Tensor, Tensor],
    alpha: Tensor,
    weight: Tensor,
    places: Tensor,
    epsilon: float,
    strict: Tensor | None,
) -> tuple[Tensor, Tensor]:
    """Gradients by alpha and weight from those by the coefficients.

    Closer to 0 than epsilon alpha has the slopes that it has at 0, where those of |b| on
    both sides cancel. This lets it cross. What is ``strict`` changes by xy - 1 on its way from
    one sign to the other (see :class:`~crisplogic.nn.Fuzzy`).
    """
    left, right, cells = places.unbind(0)
    by_products, by_linear, by_constant = gradients
    alone, by_constant = by_linear.unsqueeze(-1), by_constant.unsqueeze(-1)
    by_both = torch.cat([by_products, -alone, alone], -1).flatten(-2)
    by_both = by_both.index_select(-1, cells)
    by_end = torch.cat([by_linear, -by_constant, by_constant], -1)
    by_each = by_end.index_select(-1, left) + by_end.index_select(-1, right)
    of_both, of_each, less = _shares(alpha).unsqueeze(-2).unbind(0)
    by_weight = by_both * of_both + by_each * of_each - by_constant * less
    near = alpha.where(alpha.abs() >= epsilon, 0.0)
    by_less = (by_both + by_constant) * near.sign().unsqueeze(-2)
    by_b = (weight * (by_each - by_less)).sum(-2)
    by_alpha = by_b / (1 + near.abs()).square()
    if strict is not None:
        by_sign = alpha * (weight * (by_both - by_constant)).sum(-2) / 2
        by_alpha = torch.where(strict, by_sign, by_alpha)
    return by_alpha, by_weight


def _shares(alpha: Tensor) -> Tensor:
    """What xy, x + y and -1 count: 1 - |b|, b, |b|. Shape: (..., pairs) to (3, ..., pairs)."""
    size = alpha.abs()
    of_both = 1 / (1 + size)
    return torch.stack([of_both, alpha * of_both, size * of_both])


def _matrices(values: Tensor, cells: Tensor, n: int) -> Tensor:
    """One value a pair, put where its two members cross: (..., units, n, n + 2)."""
    empty = values.new_zeros(*values.shape[:-1], n * (n + 2))
    matrices: Tensor = empty.index_copy_(-1, cells, values).unflatten(-1, (n, n + 2))
    return matrices
