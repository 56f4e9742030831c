"""Training for the models that the paper's network is compared with: all folds at once.

A model has a *copy* of its parameters for every fold, in a leading dimension, so that one
tensor program does the work of thirty trainings. All copies are shown the same rows in the
same order; a weight of 0 keeps a row from a copy, which then learns nothing from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from crisplogic.algebra import to_signed
from crisplogic.errors import DivergedError
from crisplogic.nn import LinearMembership
from crisplogic.training.optim import SGD, Adam
from experiments.harness.evaluation import Split

# Rows that are scored at a time: all rows for all copies could fill the memory.
CHUNK_ROWS = 256


@dataclass(frozen=True, eq=False)  # no generated ==: it would ask tensors for one truth value
class FoldedRows:
    """A table as each of its folds sees it.

    ``inputs``: (copies, rows, columns) in [-1, 1]; ``targets``: (rows,) class numbers;
    ``weights``: (copies, rows), how much a row counts for a copy: 0 for all that are not in
    the training part of its fold.
    """

    inputs: Tensor
    targets: Tensor
    weights: Tensor

    def __len__(self) -> int:
        return len(self.targets)

    def to(self, device: torch.device | str) -> FoldedRows:
        """The same on another device."""
        tensors = (self.inputs, self.targets, self.weights)
        return FoldedRows(*(tensor.to(device) for tensor in tensors))


def folded_rows(
    X: NDArray[np.float64], y: NDArray[np.intp], splits: Sequence[Split]
) -> FoldedRows:
    """A table for as many copies as there are folds, normalised as in the paper's layer 2.

    Each fold takes the ranges of the columns from its own training rows; a missing value is
    0, and one beyond the range is clipped.

    Shape: ``X`` (rows, columns), ``y`` (rows,) class numbers.

    >>> X, y = np.array([[0.0], [10.0], [30.0]]), np.array([0, 1, 1])
    >>> rows = folded_rows(X, y, [Split(train=np.array([0, 1]), test=np.array([2]))])
    >>> rows.inputs.ravel().tolist(), rows.weights.tolist()
    ([-1.0, 1.0, 1.0], [[1.0, 1.0, 0.0]])
    """
    table = torch.tensor(X)
    weights = torch.zeros(len(splits), len(X))
    inputs = []
    for weight, split in zip(weights, splits, strict=True):
        weight[split.train] = 1.0
        membership = LinearMembership(X.shape[1]).fit(table[split.train])
        inputs.append(membership(table).float())
    return FoldedRows(torch.stack(inputs), torch.tensor(y).long(), weights)


@dataclass(frozen=True)
class Descent:
    """How to train: ``sgd`` is plain stochastic gradient descent, as in the paper.

    >>> Descent(epochs=100, batch_size=1, learning_rate=0.01).optimizer
    'sgd'
    """

    epochs: int
    batch_size: int
    learning_rate: float
    optimizer: Literal["sgd", "adam"] = "sgd"


class Baseline(nn.Module):
    """A trainable model: (copies, rows, columns) to scores (copies, rows, classes)."""

    classes: int


SomeBaseline = TypeVar("SomeBaseline", bound=Baseline)
OnEpoch = Callable[[int], None]


def descend(
    model: SomeBaseline,
    rows: FoldedRows,
    settings: Descent,
    generator: torch.Generator,
    on_epoch: OnEpoch = lambda number: None,
) -> SomeBaseline:
    """Train all copies of a model, in place, and return it.

    The loss is that of the paper's network: half the squared error against +1 for the right
    class and -1 for the others, summed over the classes, times the row's weight, and averaged
    over a batch. Every random draw comes from ``generator``; ``on_epoch`` gets the number of
    each finished epoch, from 1 on.
    """
    descent = _optimizer(model, settings, rows.targets.device)
    truth = signed_truth(rows.targets, model.classes)
    for number in range(1, settings.epochs + 1):
        for inputs, batch_truth, shares in _batches(rows, truth, settings, generator):
            scores = model(inputs)
            descent.zero_grad()
            # The slope of a halved square is the distance: no need to compute the loss.
            scores.backward((scores.detach() - batch_truth) * shares)
            descent.step()
        on_epoch(number)
    _check_sound(model, settings)
    return model


def signed_truth(targets: Tensor, classes: int) -> Tensor:
    """Targets of scores: +1 for the right class, -1 for the others.

    Shape: (rows,) to (rows, classes).

    >>> signed_truth(torch.tensor([1]), 3).tolist()
    [[-1.0, 1.0, -1.0]]
    """
    return to_signed(functional.one_hot(targets, classes).float())


@torch.no_grad()
def scores_of(model: Baseline, inputs: Tensor) -> Tensor:
    """The scores of all rows, in bounded memory.

    Shape: (copies, rows, columns) to (copies, rows, classes).
    """
    return torch.cat([model(chunk) for chunk in inputs.split(CHUNK_ROWS, dim=1)], dim=1)


class _InPlaceDescent(SGD):
    """The package's steps with the rate as a number: no tensor is made of rate times gradient.

    With one row per step for thirty copies that saves a seventh of the time.
    """

    @torch.no_grad()
    def step(self) -> None:
        for parameter, rate in self.by_number:
            if parameter.grad is not None:
                parameter.add_(parameter.grad, alpha=-rate)

    @cached_property
    def by_number(self) -> list[tuple[nn.Parameter, float]]:
        """Every parameter with its learning rate, which never changes here."""
        return [(parameter, rate.item()) for parameter, rate in self]


def _optimizer(model: nn.Module, settings: Descent, device: torch.device) -> SGD:
    kind = Adam if settings.optimizer == "adam" else _InPlaceDescent
    rate = torch.tensor(settings.learning_rate, dtype=torch.float64, device=device)
    return kind([model.parameters()], [rate])


def _batches(
    rows: FoldedRows, truth: Tensor, settings: Descent, generator: torch.Generator
) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """An epoch: inputs, truth, and each row's share of the mean over its batch.

    Rows are laid out in their new order once, so that a batch is a view and costs nothing.
    """
    order = torch.randperm(len(rows), generator=generator).to(rows.targets.device)
    size = settings.batch_size
    inputs = rows.inputs[:, order].split(size, dim=1)
    weights = rows.weights[:, order].unsqueeze(-1).split(size, dim=1)
    for some, right, weight in zip(inputs, truth[order].split(size), weights, strict=True):
        yield some, right, weight / len(right) if len(right) > 1 else weight


def _check_sound(model: nn.Module, settings: Descent) -> None:
    """Fail if a parameter is not finite: predictions would not show it."""
    if not all(parameter.isfinite().all() for parameter in model.parameters()):
        raise DivergedError(
            f"training diverged with learning_rate={settings.learning_rate}; "
            f"try a smaller one, such as {settings.learning_rate / 10:g}"
        )
