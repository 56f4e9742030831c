"""The triangular form as Triton kernels: values and gradients of the sum that it stands for."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from crisplogic.nn import _triton_form as triton_form

HOPPER = torch.cuda.is_available() and torch.cuda.get_device_capability()[0] == 9
on_gpu = pytest.mark.skipif(
    not (triton_form.HAS_TRITON and HOPPER), reason="needs Triton and a Hopper GPU"
)

# As errors of float32, TF32 and bf16 add up over a sum, relative to all of it.
TOLERANCES = {"ieee": 1e-4, "tf32x3": 1e-4, "tf32": 1e-2, "bf16": 2e-2}
# No multiples of a block; one of everything; more than a block in every direction.
SIZES = [(1, 1, 1), (70, 20, 3), (130, 100, 5), (300, 257, 3), (1000, 64, 9), (257, 513, 2)]
precisions = pytest.mark.parametrize("precision", TOLERANCES)


def tensors(*shapes: tuple[int, ...], device: str = "cuda") -> list[Tensor]:
    generator = torch.Generator().manual_seed(0)
    values = [torch.rand(*shape, generator=generator) * 2 - 1 for shape in shapes]
    return [value.to(device) for value in values]


def written_out(inputs: Tensor, products: Tensor) -> Tensor:
    """The sum in float64."""
    copies = "c" if products.ndim == 4 else ""
    shared = "" if inputs.ndim == 2 else copies
    x, a = inputs.double(), products.double().triu(1)
    return torch.einsum(f"{shared}bi,{copies}kij,{shared}bj->{copies}bk", x, a, x)


def values_and_gradients(function: Any, inputs: Tensor, products: Tensor) -> list[Tensor]:
    inputs, products = inputs.clone().requires_grad_(), products.clone().requires_grad_()
    values: Tensor = function(inputs, products)
    weights = torch.linspace(-1, 1, values.numel(), device=values.device).view_as(values)
    return [values, *torch.autograd.grad(values, (inputs, products), weights.to(values.dtype))]


def check(inputs: Tensor, products: Tensor, precision: Any) -> None:
    def form(inputs: Tensor, products: Tensor) -> Tensor:
        return triton_form.triangular_form(inputs, products, precision)

    products = products.triu(1)
    found = values_and_gradients(form, inputs, products)
    wanted = values_and_gradients(written_out, inputs, products)
    for one, other in zip(found, wanted, strict=True):
        assert one.shape == other.shape
        assert (one - other).norm() <= TOLERANCES[precision] * other.norm()
    assert not found[2].tril().any()


@on_gpu
@precisions
@pytest.mark.parametrize(("rows", "n", "units"), SIZES)
def test_values_and_gradients_are_those_of_the_sum(
    rows: int, n: int, units: int, precision: str
) -> None:
    inputs, products = tensors((rows, n), (units, n, n))
    check(inputs, products, precision)


@on_gpu
@precisions
@pytest.mark.parametrize("shared", [False, True])
def test_copies_have_rows_of_their_own_or_share_them(shared: bool, precision: str) -> None:
    inputs, products = tensors((90, 33) if shared else (3, 90, 33), (3, 5, 33, 33))
    check(inputs, products, precision)


@on_gpu
def test_leading_dimensions_are_rows() -> None:
    inputs, products = tensors((2, 3, 10), (4, 10, 10))
    found = triton_form.sums(inputs, products.triu(1), "ieee")
    wanted = written_out(inputs.flatten(0, 1), products).view(2, 3, 4)
    torch.testing.assert_close(found.double(), wanted, rtol=1e-4, atol=1e-4)


@on_gpu
def test_tensors_may_lie_in_memory_as_they_like() -> None:
    inputs, products = tensors((33, 90), (5, 33, 40))
    check(inputs.mT, products[..., :33], "ieee")


@on_gpu
def test_two_runs_give_the_same_numbers() -> None:
    inputs, products = tensors((3000, 70), (3, 70, 70))
    runs = [
        values_and_gradients(triton_form.triangular_form, inputs, products.triu(1))
        for _ in range(2)
    ]
    assert all(torch.equal(one, other) for one, other in zip(*runs, strict=True))


@on_gpu
def test_no_gradient_is_computed_that_nobody_wants() -> None:
    inputs, products = tensors((9, 5), (2, 5, 5))
    by_sums = torch.ones(9, 2, device="cuda")
    found = triton_form.gradients(by_sums, inputs, products.triu(1), wanted=(False, True))
    assert found[0] is None
    assert found[1] is not None


@on_gpu
def test_the_kernels_take_float32_on_the_gpu() -> None:
    inputs, products = tensors((9, 5), (2, 5, 5))
    assert triton_form.is_available(inputs, products)
    assert not triton_form.is_available(inputs.double(), products.double())
    assert not triton_form.is_available(inputs[:0], products)


def test_the_work_is_counted_over_all_copies() -> None:
    products = torch.zeros(1, device="meta").expand(4, 32, 256, 256)
    assert triton_form.is_faster(torch.zeros(8192, 256, device="meta"), products)
    assert triton_form.is_faster(torch.zeros(4, 2048, 256, device="meta"), products)
    assert not triton_form.is_faster(torch.zeros(4, 1024, 256, device="meta"), products)


def test_tensors_elsewhere_are_not_for_the_kernels() -> None:
    inputs, products = tensors((9, 5), (2, 5, 5), device="cpu")
    assert not triton_form.is_available(inputs, products)
