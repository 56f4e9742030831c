"""Networks and data that several tests of training use."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from crisplogic.nn import LogicNetwork
from crisplogic.training import (
    PhaseConfig,
    TrainedNetworks,
    TrainingConfig,
    TrainingData,
    fixed_views,
    train_networks,
)

State = dict[str, Tensor]

SMALL = PhaseConfig(epochs=8, batch_size=8)
ROUGH = PhaseConfig(
    epochs=12, batch_size=8, learning_rate=0.5, optimizer="sgd", loss="squared_error"
)


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def some_data(
    count: int = 40, columns: int = 3, seed: int = 0, dtype: torch.dtype | None = None
) -> TrainingData:
    """Rows of two classes that differ in whether the first two columns have the same sign."""
    values = torch.rand(count, columns, generator=seeded(seed), dtype=dtype) * 2 - 1
    return TrainingData(values, (values[:, 0] * values[:, 1] > 0).long())


def train_on(
    table: NDArray[np.float64],
    targets: NDArray[Any],
    n_outputs: int,
    config: TrainingConfig,
    seed: int = 0,
    weights: NDArray[np.float64] | None = None,
    **options: Any,
) -> TrainedNetworks:
    """Train on a table of numbers, of which all rows are encoded already."""
    views = fixed_views(table, targets, weights)
    return train_networks(views, targets, n_outputs, config, seed, weights=weights, **options)


def fresh_network(
    depth: int = 1, columns: int = 3, classes: int = 2, **options: Any
) -> LogicNetwork:
    return LogicNetwork(columns, classes, width=2, depth=depth, generator=seeded(1), **options)


def state_of(network: LogicNetwork) -> State:
    return {name: tensor.clone() for name, tensor in network.state_dict().items()}


def same(one: State, other: State) -> bool:
    """Whether two states are the same, bit for bit."""
    return all(torch.equal(tensor, other[name]) for name, tensor in one.items())


def copies_of(count: int = 3, snapped: bool = False, **options: Any) -> LogicNetwork:
    """Copies that differ in all their parameters, in double precision."""
    network = fresh_network(copies=count, dtype=torch.float64, **options)
    generator = seeded(5)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.uniform_(-0.8, 0.8, generator=generator)
    network.snap(snapped)
    return network


def some_weights(copies: int, rows: int) -> Tensor:
    """Weights of rows for copies, a third of them 0."""
    weights = torch.rand(copies, rows, generator=seeded(6), dtype=torch.float64) * 3
    return weights.where(weights > 1, 0.0)
