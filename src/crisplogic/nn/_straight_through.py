"""What the layers share: bounds, copies, and straight-through rounding."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


def keep_in_range_(
    parameter: torch.nn.Parameter, low: Tensor | float = -1.0, high: Tensor | float = 1.0
) -> None:
    """Clamp a parameter to [-1, 1], or to other bounds, in place.

    The layers call it in every forward pass, so the bounds hold under any optimizer. It uses
    ``.data`` because a layer may run twice before one backward pass: autograd must not take
    the second clamp, which changes nothing, for a change of the saved tensors.
    """
    parameter.data.clamp_(low, high)  # type: ignore[arg-type]


def batch_shape(copies: int | None) -> tuple[int, ...]:
    """The leading dimensions of a parameter: none, or one for copies."""
    if copies is not None and copies < 1:
        raise ValueError(f"copies must be None or at least 1, got {copies}")
    return () if copies is None else (copies,)


def round_ste(parameter: Tensor) -> Tensor:
    """Round to the nearest integers. The gradient passes unchanged (straight through).

    >>> alpha = torch.tensor([-0.7, 0.2, 0.9], requires_grad=True)
    >>> snapped = round_ste(alpha)
    >>> snapped.tolist()
    [-1.0, 0.0, 1.0]
    >>> snapped.sum().backward()
    >>> alpha.grad.tolist()
    [1.0, 1.0, 1.0]
    """
    snapped: Tensor = _RoundSTE.apply(parameter)  # type: ignore[no-untyped-call]
    return snapped


def sign_ste(parameter: Tensor, where: Tensor) -> Tensor:
    """Take the sign where ``where`` is true; 0 becomes 1. The gradient passes unchanged.

    Shape: ``where`` as the parameter, or as its last dimensions.

    >>> alpha = torch.tensor([-0.7, 0.0, 0.9], requires_grad=True)
    >>> signs = sign_ste(alpha, torch.tensor([True, True, False]))
    >>> signs.tolist()
    [-1.0, 1.0, 0.8999999761581421]
    """
    signs: Tensor = _SignSTE.apply(parameter, where)  # type: ignore[no-untyped-call]
    return signs


def strongest_ste(weight: Tensor) -> Tensor:
    """Take the sign of the greatest weight of each unit by size, and 0 for the others.

    Of equal weights it is the first; a unit whose weights are all 0 has none. The gradient
    passes unchanged. Shape: (..., inputs).

    >>> strongest_ste(torch.tensor([[0.2, -0.3], [0.1, 0.1]])).tolist()
    [[0.0, -1.0], [1.0, 0.0]]
    """
    strongest: Tensor = _StrongestSTE.apply(weight)  # type: ignore[no-untyped-call]
    return strongest


def sign_of(values: Tensor) -> Tensor:
    """Return -1 where a value is below 0, elsewhere 1."""
    return torch.ones_like(values).copysign(values + 0.0)  # -0.0 + 0.0 is 0.0


class _SignSTE(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(parameter: Tensor, where: Tensor) -> Tensor:
        return torch.where(where, sign_of(parameter), parameter)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        pass  # the gradient needs no saved tensors

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return gradients[0], None


class _StrongestSTE(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(weight: Tensor) -> Tensor:
        first = weight.abs().argmax(-1, keepdim=True)
        return torch.zeros_like(weight).scatter(-1, first, weight.gather(-1, first).sign())

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        pass  # the gradient needs no saved tensors

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        return gradients[0]


class _RoundSTE(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(parameter: Tensor) -> Tensor:
        # Adding zero turns -0.0 into 0.0.
        return parameter.round() + 0.0

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        pass  # the gradient needs no saved tensors

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        return gradients[0]
