"""What a network is trained to make small, row by row."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

from crisplogic.algebra import to_signed
from crisplogic.nn import LogicNetwork

Loss = Callable[[LogicNetwork, Tensor, Tensor], Tensor]


def cross_entropy(network: LogicNetwork, scores: Tensor, targets: Tensor) -> Tensor:
    """The surprise at the right class of every row.

    Shape: scores (..., rows, classes), targets (rows,); returns (..., rows).
    """
    logs = torch.log_softmax(network.logits(scores), dim=-1)
    right = targets.unsqueeze(-1).expand(*logs.shape[:-1], 1)
    return -logs.gather(-1, right).squeeze(-1)


def squared(network: LogicNetwork, scores: Tensor, targets: Tensor) -> Tensor:
    """Squared distance from true for the right class and false for the others.

    Summed over the classes and halved, so that its derivative by a score is the distance.

    Shape: scores (..., rows, classes), targets (rows,); returns (..., rows).
    """
    truth = to_signed(functional.one_hot(targets, network.out_features).to(scores.dtype))
    return (scores - truth).square().sum(-1) / 2


def distance(network: LogicNetwork, scores: Tensor, targets: Tensor) -> Tensor:
    """Half the squared distance from the number of every row.

    Shape: scores (..., rows, 1), targets (rows,) or (..., rows); returns (..., rows).
    """
    return (network.logits(scores).squeeze(-1) - targets).square() / 2


LOSSES: dict[str, Loss] = {
    "cross_entropy": cross_entropy,
    "squared": squared,
    "distance": distance,
}
