"""Quadratic forms: the sums of products that a level of logic makes of its inputs.

Pure functions, forward and backward; :mod:`crisplogic.nn.logic_layer` joins them.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

# An input meets only those behind it. A block of inputs is multiplied with all that are not
# before it: within the block half of the work is in vain, which is quicker than more blocks.
BLOCK = {"cpu": 64, "cuda": 256}


class Form(NamedTuple):
    """Of every row and unit a sum over i < j, and on the way to it the ``factors``.

    The factor of x[i] is the sum over all j behind i of products[i, j] * x[j].
    Where a kernel of ours makes the sums there are no factors, but an empty tensor.
    Shape: ``sums`` (..., rows, units), ``factors`` (..., rows, units, n).
    """

    sums: Tensor
    factors: Tensor


def triangular_form(inputs: Tensor, products: Tensor) -> Form:
    """For every row and unit the sum over i < j of ``products[i, j] * x[i] * x[j]``.

    ``products`` has to be 0 wherever j <= i. Memory grows with rows x inputs x units, never
    with rows x inputs x inputs.

    Shape: ``inputs`` (..., rows, n), ``products`` (..., units, n, n).

    >>> products = torch.tensor([[[0.0, 2.0], [0.0, 0.0]]])
    >>> triangular_form(torch.tensor([[3.0, 5.0], [1.0, -1.0]]), products).sums.tolist()
    [[30.0], [-2.0]]
    """
    if _kernels_pay(inputs, products):
        from crisplogic.nn import _triton_form

        return Form(_triton_form.sums(inputs, products), inputs.new_empty(0))
    units = products.shape[-3]
    blocks = [
        (inputs[..., first:] @ _block(products, first, last).mT).unflatten(
            -1, (units, last - first)
        )
        for first, last in _borders(inputs)
    ]
    factors = blocks[0] if len(blocks) == 1 else torch.cat(blocks, dim=-1)
    return Form((factors * inputs.unsqueeze(-2)).sum(-1), factors)


def form_gradients(
    gradient: Tensor, inputs: Tensor, products: Tensor, factors: Tensor, of_inputs: bool
) -> tuple[Tensor | None, Tensor]:
    """Gradients by the inputs, if asked for, and by the products, from that by the sums.

    What they are where j <= i does not matter. Shape: ``gradient`` (..., rows, units), others
    as above; returns (..., rows, n) and (..., units, n, n).
    """
    if factors.ndim == 1:
        from crisplogic.nn import _triton_form

        wanted = of_inputs, True
        by_inputs, by_both = _triton_form.gradients(gradient, inputs, products, wanted=wanted)
        assert by_both is not None  # it was wanted
        return by_inputs, by_both
    by_products = []
    by_inputs = (gradient.unsqueeze(-2) @ factors).squeeze(-2) if of_inputs else None
    for first, last in _borders(inputs):
        by_factors = gradient.unsqueeze(-1) * inputs[..., first:last].unsqueeze(-2)
        by_factors = by_factors.flatten(-2)
        block = (by_factors.mT @ inputs[..., first:]).unflatten(-2, (-1, last - first))
        by_products.append(_behind(block, first))
        if by_inputs is not None:
            block = by_factors @ _block(products, first, last)
            by_inputs = by_inputs + _behind(block, first)
    whole = by_products[0] if len(by_products) == 1 else torch.cat(by_products, dim=-2)
    return by_inputs, whole


def _kernels_pay(inputs: Tensor, products: Tensor) -> bool:
    """Whether kernels of ours can do it, and sooner."""
    if not inputs.is_cuda or torch._C._functorch.is_functorch_wrapped_tensor(inputs):
        return False
    from crisplogic.nn import _triton_form  # loads Triton

    return _triton_form.is_available(inputs, products) and _triton_form.pays(inputs, products)


def _borders(inputs: Tensor) -> list[tuple[int, int]]:
    """First and last input of each block."""
    n = inputs.shape[-1]
    return list(pairwise([*range(0, n, BLOCK.get(inputs.device.type, n)), n]))


def _block(products: Tensor, first: int, last: int) -> Tensor:
    """What the factors of a block are made with: (..., units * block, n - first)."""
    return products[..., first:last, first:].flatten(-3, -2)


def _behind(block: Tensor, first: int) -> Tensor:
    return pad(block, (first, 0)) if first else block
