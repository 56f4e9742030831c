"""Gradient descent: the steps of PyTorch's own optimisers."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from crisplogic.training.optim import SGD, Adam

KINDS: list[tuple[Any, Any]] = [(SGD, torch.optim.SGD), (Adam, torch.optim.Adam)]


def some_parameters() -> list[nn.Parameter]:
    generator = torch.Generator().manual_seed(0)
    shapes = [(3,), (2, 4), ()]
    return [
        nn.Parameter(torch.randn(shape, generator=generator, dtype=torch.float64))
        for shape in shapes
    ]


def loss(parameters: list[nn.Parameter]) -> torch.Tensor:
    return sum(((p - 0.3) ** 4 + p.abs()).sum() for p in parameters)  # type: ignore[return-value]


@pytest.mark.parametrize(("own", "torchs"), KINDS)
def test_steps_are_those_of_pytorch(own: Any, torchs: Any) -> None:
    ours, its = some_parameters(), some_parameters()
    rates = [torch.tensor(0.02, dtype=torch.float64), torch.tensor(0.005, dtype=torch.float64)]
    mine = own([ours[:2], ours[2:]], rates)
    other = torchs([{"params": its[:2], "lr": 0.02}, {"params": its[2:], "lr": 0.005}])
    for number in range(30):
        share = 1 - number / 40
        for rate, group, start in zip(
            mine.rates, other.param_groups, (0.02, 0.005), strict=True
        ):
            rate.fill_(share * start)
            group["lr"] = share * start
        for optimizer, parameters in ((mine, ours), (other, its)):
            optimizer.zero_grad()
            loss(parameters).backward()
            optimizer.step()
    for one, another in zip(ours, its, strict=True):
        torch.testing.assert_close(one, another, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", [SGD, Adam])
def test_parameters_without_a_gradient_do_not_change(kind: Any) -> None:
    first, second = some_parameters()[:2]
    descent = kind([[first, second]], [torch.tensor(0.1)])
    before = second.detach().clone()
    first.sum().backward()
    descent.step()
    assert torch.equal(second, before)
    descent.zero_grad()
    assert first.grad is None
