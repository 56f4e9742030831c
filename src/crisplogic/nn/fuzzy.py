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

    The only parameter is ``alpha``, one a unit. It starts uniform on [-1, 1] and stays there.
    The value has a ridge at alpha = 0, where alpha would get stuck. The paper flips the sign of
    an alpha closer to 0 than ``epsilon`` at every step, so that it sees the gradients of both
    sides and can cross. Here its gradient is the mean of both.

    ``snapped = True`` rounds alpha in the forward pass to -1, 0 or 1, with straight-through
    gradients.

    ``monotone`` units are *nor* or *and*, soft or snapped, by the sign of their alpha; 0 is
    *and*. The selector must multiply their weights by :meth:`direction`, which negates *nor*.
    Then alpha chooses between *x and y* and *x or y*, which both rise with x and y, and its
    gradient is the gradient of that choice.

    ``only_xor`` units are *nxor*, whatever their alpha.

    ``copies`` layers of one shape can train side by side: ``Fuzzy(3, copies=4)`` has an
    alpha of shape (4, 3) and takes inputs of shape (4, rows, 3, 2).

    Shape: (..., units, 2) to (..., units); with copies (copies, rows, units, 2) to
    (copies, rows, units).

    >>> layer = Fuzzy(3)
    >>> with torch.no_grad():
    ...     _ = layer.alpha.copy_(torch.tensor([-1.0, 0.0, 1.0]))
    >>> layer(torch.tensor([[1.0, -1.0], [-1.0, -1.0], [1.0, 1.0]])).tolist()
    [-1.0, 1.0, 1.0]
    """

    monotone: Tensor | None
    fixed_direction: Tensor | None

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
        self.only_xor = False
        self.alpha = nn.Parameter(torch.empty(*batch_shape(copies), units, dtype=dtype))
        # Not part of the state: they follow from the limits of the network.
        self.register_buffer("monotone", None, persistent=False)
        self.register_buffer("fixed_direction", None, persistent=False)
        self.reset_parameters(generator)

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw every alpha uniformly from [-1, 1]."""
        nn.init.uniform_(self.alpha, -1.0, 1.0, generator=generator)

    def forward(self, pairs: Tensor) -> Tensor:
        """Compute one value a pair."""
        if pairs.shape[-2:] != (self.units, 2):
            raise ValueError(
                f"Fuzzy({self.units}) needs pairs of shape (..., {self.units}, 2), "
                f"got {tuple(pairs.shape)}"
            )
        alpha, monotone = self.used_alpha(), self.monotone
        if alpha.ndim > 1:
            alpha = alpha.unsqueeze(-2)  # the same alphas for all rows of a copy
        if monotone is not None and monotone.ndim > 1:
            monotone = monotone.unsqueeze(-2)
        x, y = pairs.unbind(-1)
        values: Tensor = _FuzzyUnits.apply(x, y, alpha, self.epsilon, monotone)  # type: ignore[no-untyped-call]
        return values

    def used_alpha(self) -> Tensor:
        """The alphas of the forward pass: in [-1, 1], rounded if snapped."""
        keep_in_range_(self.alpha, -self._most, self._most)
        return self.snapped_alpha() if self.snapped else self._signed(self.alpha)

    def snapped_alpha(self) -> Tensor:
        """The alphas rounded to -1 (nor), 0 (nxor) or 1 (and)."""
        return round_ste(self._signed(self.alpha.clamp(-self._most, self._most)))

    @property
    def _most(self) -> float:
        """The greatest alpha; units that are only *nxor* have an alpha of 0."""
        return 0.0 if self.only_xor else 1.0

    def direction(self) -> Tensor | None:
        """The direction of limited units: 1 if they never fall as inputs rise, else -1.

        It is 1 for other units, and None if no unit is limited. Shape: (units,) or
        (copies, units).
        """
        if self.monotone is None or self.fixed_direction is None:
            return None
        return torch.where(self.monotone, sign_of(self.alpha.detach()), self.fixed_direction)

    def _signed(self, alpha: Tensor) -> Tensor:
        return alpha if self.monotone is None else sign_ste(alpha, self.monotone)

    def extra_repr(self) -> str:
        """Text for ``repr``."""
        return f"units={self.units}, epsilon={self.epsilon}"


class _FuzzyUnits(torch.autograd.Function):
    """Eq. 2 with closed-form derivatives and the rule that lets alpha cross 0."""

    generate_vmap_rule = True

    @staticmethod
    def forward(
        x: Tensor, y: Tensor, alpha: Tensor, epsilon: float, monotone: Tensor | None
    ) -> Tensor:
        return fuzzy(x, y, alpha)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        *tensors, ctx.epsilon, monotone = inputs
        ctx.save_for_backward(*tensors, monotone)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        (gradient,) = gradients
        x, y, alpha, monotone = ctx.saved_tensors
        # At exactly 0 the derivative is the mean of both sides.
        by_alpha = alpha_gradient(x, y, alpha.where(alpha.abs() >= ctx.epsilon, 0.0))
        if monotone is not None:
            # From and to or the value changes by 1 - xy, while alpha goes from 1 to -1.
            by_alpha = torch.where(monotone, alpha * (x * y - 1) / 2, by_alpha)
        alphas = (gradient * by_alpha).sum_to_size(alpha.shape)
        if not any(ctx.needs_input_grad[:2]):  # the first level: its inputs have no parameters
            return None, None, alphas, None, None
        by_x, by_y = input_gradients(x, y, alpha)
        return gradient * by_x, gradient * by_y, alphas, None, None
