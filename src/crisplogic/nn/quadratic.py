"""Quadratic forms: the sums of products of inputs that a level of logic computes.

Pure functions for the forward and the backward pass of :mod:`crisplogic.nn.logic_layer`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

# Products of x[i] and x[j] are needed for j > i only. A block of inputs is multiplied with all
# inputs from its first on. Half of the work inside a block is wasted, but more blocks are
# slower.
BLOCK = {"cpu": 64, "cuda": 256}


class Form(NamedTuple):
    """The sums over i < j of every row and unit, and the ``factors`` they are computed from.

    The factor of x[i] is the sum over all j > i of products[i, j] * x[j].
    The Triton kernels compute no factors: the tensor is empty then.
    Shape: ``sums`` (..., rows, units), ``factors`` (..., rows, units, n).
    """

    sums: Tensor
    factors: Tensor


def triangular_form(inputs: Tensor, products: Tensor) -> Form:
    """Compute the sum over i < j of ``products[i, j] * x[i] * x[j]`` for every row and unit.

    ``products`` must be 0 wherever j <= i. Memory grows with rows x inputs x units, never
    with rows x inputs x inputs.

    Shape: ``inputs`` (..., rows, n), ``products`` (..., units, n, n).

    >>> products = torch.tensor([[[0.0, 2.0], [0.0, 0.0]]])
    >>> triangular_form(torch.tensor([[3.0, 5.0], [1.0, -1.0]]), products).sums.tolist()
    [[30.0], [-2.0]]
    """
    if _use_triton(inputs, products):
        from crisplogic.nn import _triton_form

        return Form(_triton_form.sums(inputs, products), inputs.new_empty(0))
    units = products.shape[-3]
    blocks = [
        (inputs[..., first:] @ _block(products, first, last).mT).unflatten(
            -1, (units, last - first)
        )
        for first, last in _block_ranges(inputs)
    ]
    factors = blocks[0] if len(blocks) == 1 else torch.cat(blocks, dim=-1)
    return Form((factors * inputs.unsqueeze(-2)).sum(-1), factors)


def form_gradients(
    gradient: Tensor, inputs: Tensor, products: Tensor, factors: Tensor, for_inputs: bool
) -> tuple[Tensor | None, Tensor]:
    """Compute gradients by the inputs (``for_inputs``) and by the products.

    ``gradient`` is the one by the sums. Entries where j <= i are arbitrary. Shape: ``gradient``
    (..., rows, units), others as above; returns (..., rows, n) and (..., units, n, n).
    """
    if factors.ndim == 1:
        from crisplogic.nn import _triton_form

        wanted = for_inputs, True
        by_inputs, by_both = _triton_form.gradients(gradient, inputs, products, wanted=wanted)
        assert by_both is not None  # it was wanted
        return by_inputs, by_both
    by_products = []
    by_inputs = (gradient.unsqueeze(-2) @ factors).squeeze(-2) if for_inputs else None
    for first, last in _block_ranges(inputs):
        by_factors = gradient.unsqueeze(-1) * inputs[..., first:last].unsqueeze(-2)
        by_factors = by_factors.flatten(-2)
        block = (by_factors.mT @ inputs[..., first:]).unflatten(-2, (-1, last - first))
        by_products.append(_pad_left(block, first))
        if by_inputs is not None:
            block = by_factors @ _block(products, first, last)
            by_inputs = by_inputs + _pad_left(block, first)
    whole = by_products[0] if len(by_products) == 1 else torch.cat(by_products, dim=-2)
    return by_inputs, whole


def _use_triton(inputs: Tensor, products: Tensor) -> bool:
    """Whether the Triton kernels are available and faster.

    They have no second derivatives, for which autograd would be recording now.
    """
    if not inputs.is_cuda or torch._C._functorch.is_functorch_wrapped_tensor(inputs):
        return False
    if torch.is_grad_enabled() and (inputs.requires_grad or products.requires_grad):
        return False
    from crisplogic.nn import _triton_form  # loads Triton

    return _triton_form.is_available(inputs, products) and _triton_form.is_faster(
        inputs, products
    )


def _block_ranges(inputs: Tensor) -> list[tuple[int, int]]:
    """The first input of each block, and the first after it."""
    n = inputs.shape[-1]
    return list(pairwise([*range(0, n, BLOCK.get(inputs.device.type, n)), n]))


def _block(products: Tensor, first: int, last: int) -> Tensor:
    """The coefficients of a block of inputs: (..., units * block, n - first)."""
    return products[..., first:last, first:].flatten(-3, -2)


def _pad_left(block: Tensor, first: int) -> Tensor:
    return pad(block, (first, 0)) if first else block
