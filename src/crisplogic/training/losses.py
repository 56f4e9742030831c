"""Losses: one value a row, and how each loss reads targets and outputs.

A loss belongs to a task. It decides once how targets become tensors, what an output should
be, and which rows are alike when a part of the table is set aside.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from crisplogic.algebra import to_signed
from crisplogic.nn import LogicNetwork

LossName = Literal["cross_entropy", "squared_error", "mean_squared_error", "huber"]
Targets = NDArray[np.intp] | NDArray[np.float64]  # class numbers, or numbers to predict

# Numbers are stratified in groups of this many rows.
ROWS_PER_STRATUM = 20
# Where the Huber loss turns into a straight line, as in crisplogic.rules.outliers.
DELTA = 1.35


class Loss(ABC):
    """The loss of every row, and the task that it belongs to.

    >>> network = LogicNetwork(2, 1, depth=1)
    >>> scores, targets = torch.tensor([[0.5], [2.0]]), torch.tensor([1.5, 2.0])
    >>> mean_squared_error(network, scores, targets).tolist()
    [0.5, 0.0]
    """

    @abstractmethod
    def __call__(self, network: LogicNetwork, scores: Tensor, targets: Tensor) -> Tensor:
        """Compute the loss of every row.

        Shape: ``scores`` (..., rows, outputs), ``targets`` (rows,); returns (..., rows).
        """

    @abstractmethod
    def to_tensor(self, targets: Targets) -> Tensor:
        """Convert targets to a tensor of the type that the loss needs."""

    @abstractmethod
    def encode(self, targets: Tensor, n_outputs: int) -> Tensor:
        """Return what every output should be. Shape: (rows,) to (rows, n_outputs)."""

    @abstractmethod
    def decode(self, logits: Tensor) -> Tensor:
        """Return outputs in the units of :meth:`encode`. Shape: (rows, n_outputs)."""

    @abstractmethod
    def strata(self, targets: Tensor) -> Tensor:
        """Number the groups of rows with similar targets. Shape: (rows,) to (rows,)."""


class _ClassificationLoss(Loss):
    """Targets are class numbers, and outputs are probabilities."""

    def to_tensor(self, targets: Targets) -> Tensor:
        return torch.tensor(targets).long()

    def encode(self, targets: Tensor, n_outputs: int) -> Tensor:
        return functional.one_hot(targets, n_outputs).float()

    def decode(self, logits: Tensor) -> Tensor:
        return logits.softmax(-1)

    def strata(self, targets: Tensor) -> Tensor:
        return targets


class _CrossEntropy(_ClassificationLoss):
    """The negative log probability of the right class."""

    def __call__(self, network: LogicNetwork, scores: Tensor, targets: Tensor) -> Tensor:
        log_probabilities = torch.log_softmax(network.logits(scores), dim=-1)
        index = targets.unsqueeze(-1).expand(*log_probabilities.shape[:-1], 1)
        return -log_probabilities.gather(-1, index).squeeze(-1)


class _SquaredError(_ClassificationLoss):
    """The paper's loss: half the squared error against 1 for the right class, -1 for others.

    It sums over the classes and ignores the scale of the network.
    """

    def __call__(self, network: LogicNetwork, scores: Tensor, targets: Tensor) -> Tensor:
        signed = to_signed(functional.one_hot(targets, network.out_features).to(scores.dtype))
        return (scores - signed).square().sum(-1) / 2


class _MeanSquaredError(Loss):
    """Half the squared error of a predicted number. Targets may be (..., rows), too."""

    def __call__(self, network: LogicNetwork, scores: Tensor, targets: Tensor) -> Tensor:
        return (network.logits(scores).squeeze(-1) - targets).square() / 2

    def to_tensor(self, targets: Targets) -> Tensor:
        return torch.tensor(targets).float()

    def encode(self, targets: Tensor, n_outputs: int) -> Tensor:
        return targets.unsqueeze(1)

    def decode(self, logits: Tensor) -> Tensor:
        return logits

    def strata(self, targets: Tensor) -> Tensor:
        ranks = targets.argsort(stable=True).argsort(stable=True)
        return ranks // ROWS_PER_STRATUM


class _HuberError(_MeanSquaredError):
    """The same for small errors; large ones count by their size instead of its square."""

    def __call__(self, network: LogicNetwork, scores: Tensor, targets: Tensor) -> Tensor:
        sizes = (network.logits(scores).squeeze(-1) - targets).abs()
        inside = sizes.clamp(max=DELTA)
        return inside * (sizes - inside / 2)


cross_entropy = _CrossEntropy()
squared_error = _SquaredError()
mean_squared_error = _MeanSquaredError()
huber = _HuberError()
LOSSES: dict[LossName, Loss] = {
    "cross_entropy": cross_entropy,
    "squared_error": squared_error,
    "mean_squared_error": mean_squared_error,
    "huber": huber,
}
