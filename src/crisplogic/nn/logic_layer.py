"""LogicLayer: a whole level of logic as one quadratic form, without forming its pairs."""

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

# Up to this many rows times pairs, forming the pairs is faster.
MAX_EXPLICIT_PAIRS = 2**14


class LogicLayer(nn.Module):
    """AllPairings, Fuzzy and FeatureSelector in one step, with the same values and gradients.

    With ``b = alpha / (1 + |alpha|)`` Eq. 2 is ``(1 - |b|) xy + b (x + y) - |b|``, which is
    bilinear. The sum that a selector unit makes over all pairs is therefore a quadratic form
    of the inputs, whose coefficients do not depend on the row. The layers ``fuzzy`` and
    ``selector`` hold the parameters.

    ``kleene = True`` is for inputs that are true, false or unknown and operators that are
    rounded: *and* and *nor* of two unknowns are then unknown, as in Kleene's logic. Eq. 2 makes
    them -1/2.

    Shape: (..., in_features) to (..., out_features); with copies (copies, rows, in_features)
    to (copies, rows, out_features).

    >>> LogicLayer(in_features=4, out_features=3)(torch.zeros(5, 4)).shape
    torch.Size([5, 3])
    """

    pair_indices: Tensor
    is_input_pair: Tensor

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
        self.kleene = False
        self.pairings = AllPairings(in_features)
        self.fuzzy = Fuzzy(pairs, epsilon, copies=copies, generator=generator, dtype=dtype)
        self.selector = FeatureSelector(pairs, out_features, copies=copies, dtype=dtype)
        left, right = pair_indices(in_features)
        indices = np.stack([left, right, left * (in_features + 2) + right])
        self.register_buffer("pair_indices", torch.from_numpy(indices), persistent=False)
        is_input_pair = torch.from_numpy(right < in_features)
        self.register_buffer("is_input_pair", is_input_pair, persistent=False)

    def forward(self, inputs: Tensor) -> Tensor:
        """Compute the sums of all units."""
        if inputs.shape[-1:] != (self.in_features,):
            raise ValueError(
                f"LogicLayer({self.in_features}, {self.out_features}) needs inputs of shape "
                f"(..., {self.in_features}), got {tuple(inputs.shape)}"
            )
        values = self._product_logic(inputs)
        return values + self._pairs_of_unknowns(inputs) if self.kleene else values

    def _product_logic(self, inputs: Tensor) -> Tensor:
        """The sums of all units by Eq. 2."""
        copies = self.fuzzy.alpha.ndim > 1
        if (
            not copies
            and inputs.numel() * self.fuzzy.units <= MAX_EXPLICIT_PAIRS * self.in_features
        ):
            pairs = self.fuzzy(self.pairings(inputs))
            values: Tensor = self.selector(pairs, self.fuzzy.direction())
            return values
        weight = self.selector.used_weight(self.fuzzy.direction())
        return self._form(inputs, self.fuzzy.used_alpha(), weight, self.fuzzy.monotone)

    def _pairs_of_unknowns(self, inputs: Tensor) -> Tensor | float:
        """What Kleene's logic adds to the sums: 1/2 for *and* and *nor* of two unknowns.

        It is a form of the same kind: with an alpha of 0 a pair is the product of its members.
        """
        unknown = (inputs.detach() == 0).to(inputs.dtype)
        if not unknown.is_cuda and not unknown.any():  # on a GPU, asking would wait for it
            return 0.0
        alpha = self.fuzzy.used_alpha().detach()
        share = (alpha.abs() / 2).where(self.is_input_pair, 0.0).unsqueeze(-2)
        weight = self.selector.used_weight(self.fuzzy.direction()) * share
        return self._form(unknown, torch.zeros_like(alpha), weight, None)

    def _form(
        self, inputs: Tensor, alpha: Tensor, weight: Tensor, monotone: Tensor | None
    ) -> Tensor:
        copies = alpha.ndim > 1
        rows = inputs if copies else inputs.reshape(-1, self.in_features)
        epsilon, indices = self.fuzzy.epsilon, self.pair_indices
        arguments = rows, alpha, weight, epsilon, indices, monotone
        if _use_triton(rows, alpha, weight):
            sums: Tensor = _TritonLevel.apply(*arguments)  # type: ignore[no-untyped-call]
        else:
            sums = _LogicLevel.apply(*arguments)[0]  # type: ignore[no-untyped-call]
        return sums if copies else sums.reshape(*inputs.shape[:-1], self.out_features)

    def set_bounds(self, bounds: Bounds) -> None:
        """Keep alphas and weights within these bounds."""
        self.fuzzy.monotone, self.fuzzy.fixed_direction = bounds.monotone, bounds.direction
        self.selector.min_weight = bounds.min_weight
        self.selector.max_weight = bounds.max_weight

    def literals(self) -> Tensor:
        """The number of literals of all units, as a differentiable function of the weights.

        A pair of inputs counts two times its greatest absolute weight, because units share it.
        An input alone, that is a pair with a constant, counts once in each unit.

        Shape: () or (copies,).
        """
        self.selector.keep_in_range_()
        sizes = self.selector.weight.abs()
        shared = (2 * sizes.amax(-2)).where(self.is_input_pair, sizes.sum(-2))
        return shared.sum(-1)

    def extra_repr(self) -> str:
        """Text for ``repr``."""
        return f"in_features={self.in_features}, out_features={self.out_features}"


def _use_triton(inputs: Tensor, alpha: Tensor, weight: Tensor) -> bool:
    """Whether Triton kernels for a whole level are available and faster."""
    if not inputs.is_cuda:
        return False
    from crisplogic.nn import _triton_level  # loads Triton

    return _triton_level.is_available(inputs, alpha, weight)


class _LogicLevel(torch.autograd.Function):
    """A level with closed-form derivatives.

    The first output is the result. The backward pass needs the others.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(
        inputs: Tensor,
        alpha: Tensor,
        weight: Tensor,
        epsilon: float,
        indices: Tensor,
        monotone: Tensor | None,
    ) -> tuple[Tensor, ...]:
        products, linear, constant = coefficients(alpha, weight, indices, inputs.shape[-1])
        form = triangular_form(inputs, products)
        sums = form.sums + inputs @ linear.mT + constant.unsqueeze(-2)
        return sums, form.factors, products, linear

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        *tensors, ctx.epsilon, indices, monotone = inputs
        ctx.mark_non_differentiable(*output[1:])
        ctx.set_materialize_grads(False)  # no zeros as gradients of these
        ctx.save_for_backward(*tensors, indices, monotone, *output[1:])

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor | None) -> tuple[Tensor | None, ...]:
        if gradients[0] is None:
            return (None,) * 6
        inputs, alpha, weight, indices, monotone, factors, products, linear = ctx.saved_tensors
        if torch.is_grad_enabled():  # for second derivatives
            products, linear, _ = coefficients(alpha, weight, indices, inputs.shape[-1])
            factors = triangular_form(inputs, products).factors
        by_sums, for_inputs = gradients[0], ctx.needs_input_grad[0]
        by_inputs, by_products = form_gradients(by_sums, inputs, products, factors, for_inputs)
        by_linear = by_sums.mT @ inputs
        by_alpha, by_weight = _parameter_gradients(
            (by_products, by_linear, by_sums.sum(-2)),
            alpha,
            weight,
            indices,
            ctx.epsilon,
            monotone,
        )
        if by_inputs is not None:
            by_inputs = (by_inputs + by_sums @ linear).sum_to_size(inputs.shape)
        return by_inputs, by_alpha, by_weight, None, None, None


class _TritonLevel(torch.autograd.Function):
    """The same with kernels for the whole level, in the precision of TF32."""

    @staticmethod
    def forward(
        ctx: Any,
        inputs: Tensor,
        alpha: Tensor,
        weight: Tensor,
        epsilon: float,
        indices: Tensor,
        monotone: Tensor | None,
    ) -> Tensor:
        from crisplogic.nn import _triton_level

        sums, scaled = _triton_level.sums(inputs, alpha, weight)
        ctx.epsilon = epsilon
        ctx.save_for_backward(inputs, alpha, weight, indices, monotone, *scaled)
        return sums

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        from crisplogic.nn import _triton_level

        inputs, alpha, weight, indices, monotone, *scaled = ctx.saved_tensors
        if torch.is_grad_enabled():  # for second derivatives
            return _differentiable_gradients(
                gradients[0], ctx.epsilon, inputs, alpha, weight, indices, monotone
            )
        rule = _triton_level.Rule(indices, ctx.epsilon, monotone)
        found = _triton_level.gradients(
            gradients[0],
            inputs,
            alpha,
            weight,
            _triton_level.Scaled(*scaled),
            rule,
            for_inputs=ctx.needs_input_grad[0],
        )
        return (*found, None, None, None)


def _differentiable_gradients(
    by_sums: Tensor,
    epsilon: float,
    inputs: Tensor,
    alpha: Tensor,
    weight: Tensor,
    indices: Tensor,
    monotone: Tensor | None,
) -> tuple[Tensor | None, ...]:
    """Compute gradients by inputs, alpha and weight that have derivatives themselves."""
    tensors = inputs, alpha, weight
    sums = _LogicLevel.apply(*tensors, epsilon, indices, monotone)[0]  # type: ignore[no-untyped-call]
    wanted = [tensor for tensor in tensors if tensor.requires_grad]
    found = iter(torch.autograd.grad(sums, wanted, by_sums, create_graph=True))
    return (*(next(found) if each.requires_grad else None for each in tensors), *[None] * 3)


def coefficients(
    alpha: Tensor, weight: Tensor, indices: Tensor, n: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Compute the coefficients of products of two inputs, of single inputs, and constants.

    ``indices`` hold the two members of every pair, where n stands for false and n + 1 for
    true, and the index of the pair in a flat matrix of n by n + 2 members.

    Shape: ``alpha`` (..., pairs), ``weight`` (..., units, pairs), ``indices`` (3, pairs);
    returns (..., units, n, n), 0 but above the diagonal; (..., units, n); (..., units).
    """
    terms = _terms(alpha)
    of_both, of_each = _matrices(weight * terms[:2].unsqueeze(-2), indices[2], n).unbind(0)
    linear = of_each.sum(-1) + of_each[..., :n].sum(-2)
    linear = linear + (of_both[..., n + 1] - of_both[..., n])  # true is 1 and false is -1
    constant = (of_each[..., n + 1] - of_each[..., n]).sum(-1)
    constant = constant - (weight @ terms[2].unsqueeze(-1)).squeeze(-1)
    return of_both[..., :n], linear, constant


def _parameter_gradients(
    gradients: tuple[Tensor, Tensor, Tensor],
    alpha: Tensor,
    weight: Tensor,
    indices: Tensor,
    epsilon: float,
    monotone: Tensor | None,
) -> tuple[Tensor, Tensor]:
    """Compute gradients by alpha and weight from those by the coefficients.

    Within epsilon of 0 alpha has the gradient that it has at 0, where the derivatives of |b|
    on both sides cancel. This lets it cross. A ``monotone`` pair changes by xy - 1 from one
    sign of alpha to the other (see :class:`~crisplogic.nn.Fuzzy`).
    """
    left, right, cells = indices.unbind(0)
    by_products, by_linear, by_constant = gradients
    alone, by_constant = by_linear.unsqueeze(-1), by_constant.unsqueeze(-1)
    by_both = torch.cat([by_products, -alone, alone], -1).flatten(-2)
    by_both = by_both.index_select(-1, cells)
    by_end = torch.cat([by_linear, -by_constant, by_constant], -1)
    by_each = by_end.index_select(-1, left) + by_end.index_select(-1, right)
    of_both, of_each, less = _terms(alpha).unsqueeze(-2).unbind(0)
    by_weight = by_both * of_both + by_each * of_each - by_constant * less
    near = alpha.where(alpha.abs() >= epsilon, 0.0)
    by_less = (by_both + by_constant) * near.sign().unsqueeze(-2)
    by_b = (weight * (by_each - by_less)).sum(-2)
    by_alpha = by_b / (1 + near.abs()).square()
    if monotone is not None:
        by_sign = alpha * (weight * (by_both - by_constant)).sum(-2) / 2
        by_alpha = torch.where(monotone, by_sign, by_alpha)
    return by_alpha, by_weight


def _terms(alpha: Tensor) -> Tensor:
    """The coefficients of xy, x + y and -1: 1 - |b|, b, |b|. Shape: (3, ..., pairs)."""
    size = alpha.abs()
    of_both = 1 / (1 + size)
    return torch.stack([of_both, alpha * of_both, size * of_both])


def _matrices(values: Tensor, cells: Tensor, n: int) -> Tensor:
    """Put the value of every pair into a matrix of its members: (..., units, n, n + 2)."""
    empty = values.new_zeros(*values.shape[:-1], n * (n + 2))
    matrices: Tensor = empty.index_copy_(-1, cells, values).unflatten(-1, (n, n + 2))
    return matrices
