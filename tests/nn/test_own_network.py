"""The layers inside a network of the user's own, with the user's own training loop."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor, nn

from crisplogic.nn import AllPairings, FeatureSelector, Fuzzy, LogicNetwork


@pytest.fixture(autouse=True)
def _seeded() -> Iterator[None]:
    """``nn.Linear`` draws from torch's own random numbers: seed them, and put them back."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        yield


def turned_xor(rows: int) -> tuple[Tensor, Tensor]:
    """Points in a plane turned by 30 degrees, true where the two old coordinates differ."""
    points = torch.rand(rows, 2) * 2 - 1
    cos, sin = 3**0.5 / 2, 0.5
    turn = torch.tensor([[cos, -sin], [sin, cos]])
    return points @ turn, (points.prod(1, keepdim=True) < 0).float()


def logic_network() -> nn.Sequential:
    pairings = AllPairings(2)
    pairs = pairings.out_features
    return nn.Sequential(
        nn.Linear(2, 2), nn.Tanh(), pairings, Fuzzy(pairs), FeatureSelector(pairs, 1)
    )


def train(network: nn.Module, inputs: Tensor, targets: Tensor) -> None:
    optimizer = torch.optim.Adam(network.parameters(), lr=0.02)
    for _ in range(300):
        optimizer.zero_grad()
        logits = 5 * network(inputs)
        nn.functional.binary_cross_entropy_with_logits(logits, targets).backward()
        optimizer.step()


def accuracy(network: nn.Module, inputs: Tensor, targets: Tensor) -> float:
    right = (network(inputs) > 0) == (targets > 0)
    return float(right.float().mean())


def test_layers_behind_a_linear_layer_learn_xor_of_turned_axes() -> None:
    inputs, targets = turned_xor(1000)
    network = logic_network()
    train(network, inputs[:300], targets[:300])
    assert accuracy(network, inputs[300:], targets[300:]) > 0.95


def test_a_linear_layer_alone_cannot() -> None:
    inputs, targets = turned_xor(1000)
    network = nn.Linear(2, 1)
    train(network, inputs[:300], targets[:300])
    assert accuracy(network, inputs[300:], targets[300:]) < 0.7


@pytest.mark.parametrize("snapped", [False, True])
def test_the_layers_work_under_function_transforms(snapped: bool) -> None:
    network = LogicNetwork(3, 2, width=3, depth=2, generator=torch.Generator().manual_seed(0))
    network.snap(snapped)
    rows = torch.rand(5, 3, generator=torch.Generator().manual_seed(1)) * 2 - 1
    parameters = {name: value.detach() for name, value in network.logic.named_parameters()}

    def total(parameters: dict[str, Tensor], row: Tensor) -> Tensor:
        values: Tensor = torch.func.functional_call(network.logic, parameters, (row,))
        return values.sum()

    one_a_row = torch.func.vmap(torch.func.grad(total), in_dims=(None, 0))(parameters, rows)
    network.scores(rows).sum().backward()
    for name, parameter in network.logic.named_parameters():
        torch.testing.assert_close(one_a_row[name].sum(0), parameter.grad)
