"""A whole level of logic as Triton kernels: the values and gradients of the plain path."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from torch import Tensor

from crisplogic.nn import LogicLayer, _triton_level, logic_layer
from crisplogic.nn import _triton_form as triton_form
from crisplogic.training import matmul_precision

HOPPER = torch.cuda.is_available() and torch.cuda.get_device_capability()[0] == 9
on_gpu = pytest.mark.skipif(
    not (triton_form.HAS_TRITON and HOPPER), reason="needs Triton and a Hopper GPU"
)

# Errors of products with a fraction of 10 bits, relative to all of a sum.
TOLERANCE = 1e-3
# One of everything; no multiples of a block; more than a block in every direction.
SIZES = [(1, 1, 1), (70, 20, 3), (130, 100, 5), (300, 257, 3), (1000, 64, 33), (257, 513, 2)]
SPECIAL_ALPHAS = torch.tensor([0.0, -0.0, 1e-9, -0.0005, 0.001, -0.001, 1.0, -1.0])


def problem(
    rows: int,
    n: int,
    units: int,
    *,
    copies: int | None = None,
    shared: bool = False,
    size: float = 1.0,
) -> tuple[LogicLayer, Tensor]:
    """A layer with random weights, some alphas where they are special, and its inputs."""
    generator = torch.Generator().manual_seed(0)
    layer = LogicLayer(n, units, copies=copies, generator=generator)
    with torch.no_grad():
        layer.selector.weight.uniform_(-1, 1, generator=generator)
        alpha = layer.fuzzy.alpha
        alpha[..., : len(SPECIAL_ALPHAS)] = SPECIAL_ALPHAS[: alpha.shape[-1]]
    shape = (rows, n) if shared or copies is None else (copies, rows, n)
    inputs = (torch.rand(*shape, generator=generator) * 2 - 1) * size
    return layer.cuda(), inputs.cuda()


def values_and_gradients(layer: LogicLayer, inputs: Tensor) -> list[Tensor]:
    layer, inputs = copy.deepcopy(layer), inputs.clone().requires_grad_()
    values = layer(inputs)
    blame = torch.linspace(-1, 1, values.numel(), device="cuda").view_as(values)
    values.backward(blame.to(values.dtype))
    found = [inputs.grad, layer.fuzzy.alpha.grad, layer.selector.weight.grad]
    return [values.detach(), *(each for each in found if each is not None)]


def check(layer: LogicLayer, inputs: Tensor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare the kernels with the plain path in float64."""
    wanted = values_and_gradients(copy.deepcopy(layer).double(), inputs.double())
    calls = []

    def counted(*arguments: Any) -> Any:
        calls.append(1)
        return sums(*arguments)

    sums = _triton_level.sums
    monkeypatch.setattr(_triton_level, "sums", counted)
    monkeypatch.setattr(_triton_level, "MIN_WORK", 0)
    monkeypatch.setattr(logic_layer, "MAX_EXPLICIT_PAIRS", 0)
    with matmul_precision(tf32=True):
        found = values_and_gradients(layer, inputs)
    assert calls, "the kernels were not used"
    for one, other in zip(found, wanted, strict=True):
        assert one.shape == other.shape
        assert (one - other).norm() <= TOLERANCE * other.norm()


@on_gpu
@pytest.mark.parametrize("snapped", [False, True])
@pytest.mark.parametrize(("rows", "n", "units"), SIZES)
def test_values_and_gradients_are_those_of_the_plain_path(
    rows: int, n: int, units: int, snapped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    layer, inputs = problem(rows, n, units)
    layer.fuzzy.snapped = layer.selector.snapped = snapped
    check(layer, inputs, monkeypatch)


@on_gpu
@pytest.mark.parametrize("shared", [False, True])
def test_copies_have_rows_of_their_own_or_share_them(
    shared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    check(*problem(90, 70, 5, copies=3, shared=shared), monkeypatch)


@on_gpu
@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_inputs_may_be_large_or_small(size: float, monkeypatch: pytest.MonkeyPatch) -> None:
    check(*problem(300, 70, 5, size=size), monkeypatch)


@on_gpu
def test_monotone_pairs_have_the_gradient_of_their_choice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    layer, inputs = problem(300, 70, 5)
    pairs = torch.arange(layer.fuzzy.units, device="cuda")
    layer.fuzzy.monotone = pairs % 3 == 0
    layer.fuzzy.fixed_direction = torch.ones_like(pairs, dtype=torch.float32)
    check(layer, inputs, monkeypatch)


@on_gpu
def test_two_runs_give_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    layer, inputs = problem(3000, 130, 7)
    monkeypatch.setattr(_triton_level, "MIN_WORK", 0)
    with matmul_precision(tf32=True):
        runs = [values_and_gradients(layer, inputs) for _ in range(2)]
    assert all(torch.equal(one, other) for one, other in zip(*runs, strict=True))


@on_gpu
def test_there_are_second_derivatives(monkeypatch: pytest.MonkeyPatch) -> None:
    def penalty_gradients(layer: LogicLayer, inputs: Tensor) -> tuple[Tensor, ...]:
        inputs = inputs.clone().requires_grad_()
        (by_inputs,) = torch.autograd.grad(layer(inputs).sum(), inputs, create_graph=True)
        return torch.autograd.grad(by_inputs.square().sum(), tuple(layer.parameters()))

    layer, inputs = problem(300, 70, 5)
    wanted = penalty_gradients(copy.deepcopy(layer).double(), inputs.double())
    monkeypatch.setattr(_triton_level, "MIN_WORK", 0)
    with matmul_precision(tf32=True):
        found = penalty_gradients(layer, inputs)
    for one, other in zip(found, wanted, strict=True):
        assert (one - other).norm() <= 5 * TOLERANCE * other.norm()


@on_gpu
def test_the_kernels_are_for_tf32_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_triton_level, "MIN_WORK", 1)
    layer, inputs = problem(300, 130, 7)
    tensors = inputs, layer.fuzzy.alpha, layer.selector.weight
    with matmul_precision(tf32=True):
        assert _triton_level.is_available(*tensors)
        assert not _triton_level.is_available(*(each.double() for each in tensors))
        assert not _triton_level.is_available(inputs[:0], *tensors[1:])
    with matmul_precision(tf32=False):
        assert not _triton_level.is_available(*tensors)


def test_tensors_elsewhere_are_not_for_the_kernels() -> None:
    layer = LogicLayer(130, 7)
    tensors = torch.zeros(300, 130), layer.fuzzy.alpha, layer.selector.weight
    with matmul_precision(tf32=True):
        assert not _triton_level.is_available(*tensors)
