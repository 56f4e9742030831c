"""Fuzzy: one learnable logic operator a unit, the paper's Eq. 2."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from crisplogic.algebra import fuzzy
from crisplogic.algebra.activation import alpha_gradient, input_gradients
from crisplogic.nn._straight_through import (
    batch_shape,
    keep_in_range_,
    round_ste,
    sign_of,
    sign_ste,
)


class Fuzzy(nn.Module):
    """Join each pair of inputs with an operator of its own, between *nor*, *nxor* and *and*.

    The only parameter is ``alpha``, one a unit, started uniform on [-1, 1] and kept there.
    Seen from either side alpha = 0 is the top of a ridge, where alpha would stick. The paper
    flips the sign of an alpha closer to 0 than ``epsilon`` at every step, so that it feels
    the slopes of both sides in turn and can cross; here its gradient is their mean.

    ``snapped = True`` rounds alpha in the forward pass to the nearest whole value and lets
    the gradient straight through.

    Units that are ``strict`` know *nor* and *and* alone, soft or snapped: by the sign of their
    alpha, 0 counting as *and*. Whoever weighs them is asked to weigh *nor* the other way round
    (:meth:`turn`), so that what an alpha chooses between is *x and y* and *x or y*: both rise
    with x and y. Its gradient is the one of that choice.

    ``copies`` layers of one shape can be trained side by side: ``Fuzzy(3, copies=4)`` has an
    alpha of shape (4, 3) and takes inputs of shape (4, rows, 3, 2).

    Shape: (..., units, 2) to (..., units); with copies (copies, rows, units, 2) to
    (copies, rows, units).

    >>> layer = Fuzzy(3)
    >>> with torch.no_grad():
    ...     _ = layer.alpha.copy_(torch.tensor([-1.0, 0.0, 1.0]))
    >>> layer(torch.tensor([[1.0, -1.0], [-1.0, -1.0], [1.0, 1.0]])).tolist()
    [-1.0, 1.0, 1.0]
    """

    strict: Tensor | None
    facing: Tensor | None

    def __init__(
        self,
        units: int,
        epsilon: float = 0.001,
        *,
        copies: int | None = None,
        generator: torch.Generator | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if units < 1:
            raise ValueError(f"Fuzzy needs at least 1 unit, got {units}")
        self.units = units
        self.epsilon = epsilon
        self.snapped = False
        self.alpha = nn.Parameter(torch.empty(*batch_shape(copies), units, dtype=dtype))
        # Not persistent: they follow from limits that whoever loads a state has to know.
        self.register_buffer("strict", None, persistent=False)
        self.register_buffer("facing", None, persistent=False)
        self.reset_parameters(generator)

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw every alpha uniformly from [-1, 1]."""
        nn.init.uniform_(self.alpha, -1.0, 1.0, generator=generator)

    def forward(self, pairs: Tensor) -> Tensor:
        """One value a pair."""
        if pairs.shape[-2:] != (self.units, 2):
            raise ValueError(
                f"Fuzzy({self.units}) needs pairs of shape (..., {self.units}, 2), "
                f"got {tuple(pairs.shape)}"
            )
        alpha, strict = self.used_alpha(), self.strict
        if alpha.ndim > 1:
            alpha = alpha.unsqueeze(-2)  # the same alphas for all rows of a copy
        if strict is not None and strict.ndim > 1:
            strict = strict.unsqueeze(-2)
        x, y = pairs.unbind(-1)
        values: Tensor = _FuzzyUnits.apply(x, y, alpha, self.epsilon, strict)  # type: ignore[no-untyped-call]
        return values

    def used_alpha(self) -> Tensor:
        """The alphas that the forward pass works with: in [-1, 1], whole if snapped."""
        keep_in_range_(self.alpha)
        return self.snapped_alpha() if self.snapped else self._signed(self.alpha)

    def snapped_alpha(self) -> Tensor:
        """Every alpha at the nearest of -1 (nor), 0 (nxor) and 1 (and)."""
        return round_ste(self._signed(self.alpha.clamp(-1.0, 1.0)))

    def turn(self) -> Tensor | None:
        """1 for units that never fall as their inputs rise, -1 for those that never rise.

        Only of units that are limited: for others it is 1, and None if none is. Shape:
        (units,) or (copies, units).
        """
        if self.strict is None or self.facing is None:
            return None
        return torch.where(self.strict, sign_of(self.alpha.detach()), self.facing)

    def _signed(self, alpha: Tensor) -> Tensor:
        return alpha if self.strict is None else sign_ste(alpha, self.strict)

    def extra_repr(self) -> str:
        """Shown when the layer is printed."""
        return f"units={self.units}, epsilon={self.epsilon}"


class _FuzzyUnits(torch.autograd.Function):
    """Eq. 2 with the closed-form derivatives and the rule that lets alpha cross 0."""

    generate_vmap_rule = True

    @staticmethod
    def forward(
        x: Tensor, y: Tensor, alpha: Tensor, epsilon: float, strict: Tensor | None
    ) -> Tensor:
        return fuzzy(x, y, alpha)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        *tensors, ctx.epsilon, strict = inputs
        ctx.save_for_backward(*tensors, strict)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        (gradient,) = gradients
        x, y, alpha, strict = ctx.saved_tensors
        # At exactly 0 the derivative is the mean of both sides: take it there.
        by_alpha = alpha_gradient(x, y, alpha.where(alpha.abs() >= ctx.epsilon, 0.0))
        if strict is not None:
            # From and to or, and from nor to its opposite: xy - 1 over the way from 1 to -1.
            by_alpha = torch.where(strict, alpha * (x * y - 1) / 2, by_alpha)
        alphas = (gradient * by_alpha).sum_to_size(alpha.shape)
        if not any(ctx.needs_input_grad[:2]):  # the first level: nothing behind it learns
            return None, None, alphas, None, None
        by_x, by_y = input_gradients(x, y, alpha)
        return gradient * by_x, gradient * by_y, alphas, None, None
