"""A training problem: a table, the parts of it to learn from, and the networks to train."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from crisplogic.constraints.limits import Limits
from crisplogic.nn import LogicNetwork
from crisplogic.training.config import TrainingConfig
from crisplogic.training.device import device_for
from crisplogic.training.losses import Targets
from crisplogic.training.splits import stratified_folds

Floats = NDArray[np.float64]
RowNumbers = NDArray[np.intp]


@dataclass(frozen=True)
class TrainingData:
    """Rows as networks see them.

    ``weights`` say how much each row counts for each copy of a network; 0 hides a row from a
    copy. ``penalty_factors`` scale the penalties of each copy. None means 1 everywhere.

    Shape: ``inputs`` (rows, inputs), scaled, or (copies, rows, inputs) if copies scale
    differently; ``targets`` (rows,) or (copies, rows); ``weights`` (copies, rows) or (1, rows);
    ``penalty_factors`` (copies,).

    >>> data = TrainingData(torch.zeros(3, 2), torch.tensor([0, 1, 1]))
    >>> data[torch.tensor([2, 0])].targets.tolist()
    [1, 0]
    """

    inputs: Tensor
    targets: Tensor
    weights: Tensor | None = None
    penalty_factors: Tensor | None = None

    def __getitem__(self, rows: Tensor) -> TrainingData:
        weights = None if self.weights is None else self.weights[:, rows]
        return TrainingData(
            self.inputs[..., rows, :], self.targets[..., rows], weights, self.penalty_factors
        )

    def __len__(self) -> int:
        return self.targets.shape[-1]


@dataclass(frozen=True)
class ValidationRows:
    """Rows that choose the best epoch. Their weights have a mean of 1.

    Shape: ``rows`` (n,), ``weights`` (1, n).
    """

    rows: Tensor
    weights: Tensor | None

    @classmethod
    def select(cls, rows: Tensor, weights: Floats | None) -> ValidationRows:
        """Select some rows of a table, given the weights of all rows."""
        if weights is None:
            return cls(rows, None)
        selected = weights[rows.numpy()]
        return cls(rows, torch.tensor(selected / selected.mean(), dtype=torch.float32)[None])


@dataclass(frozen=True)
class Part:
    """Rows that some networks train on, as if the rest of the table did not exist.

    Shape: ``rows`` (n,) row numbers, ``fold_of_row`` (n,), ``weights`` (n,) or None.
    """

    rows: RowNumbers
    fold_of_row: Tensor
    weights: Tensor | None


@dataclass(frozen=True)
class TrainingProblem:
    """A table, the parts to train on, and a network with copies for every part.

    Every part has ``config.copies`` copies, one after the other: first the restarts, then the
    folds. ``penalty_factors`` hold two factors a part, for the soft and the snapped phase.

    Shape: ``inputs`` (rows, features); ``targets`` (rows,), or (parts, rows) if each part has
    its own.
    """

    inputs: Tensor
    targets: Tensor
    config: TrainingConfig
    parts: list[Part]
    network: LogicNetwork
    generator: torch.Generator
    validation: ValidationRows | None
    penalty_factors: Sequence[tuple[float, float]] | None

    @classmethod
    def create(
        cls,
        table: Floats,
        targets: Targets,
        n_outputs: int,
        config: TrainingConfig,
        parts: Sequence[RowNumbers],
        generator: torch.Generator,
        weights: Sequence[Floats | None],
        limits: Limits | None,
        validation: ValidationRows | None = None,
        penalty_factors: Sequence[tuple[float, float]] | None = None,
    ) -> TrainingProblem:
        """Draw the parameters of all networks, then the folds of every part."""
        network = LogicNetwork(
            table.shape[1],
            n_outputs,
            config.width,
            config.depth,
            memberships=config.memberships,
            intercepts=config.intercepts,
            n_selected_features=config.n_selected_features,
            limits=limits,
            copies=config.copies * len(parts),
            generator=generator,  # on the CPU: the same draws for all devices
        )
        device = device_for(config.device, network, min(len(table), config.soft.batch_size))
        all_targets = config.loss.to_tensor(targets)
        made = []
        for rows, own_targets, own_weights in zip(
            parts, all_targets.expand(len(parts), -1), weights, strict=True
        ):
            counts = None if own_weights is None else torch.tensor(own_weights).float()
            folds = stratified_folds(own_targets[rows], config.folds, generator, counts)
            made.append(Part(rows, folds, None if counts is None else counts.to(device)))
        return cls(
            torch.tensor(table, dtype=torch.float64, device=device),
            all_targets.to(device),
            config,
            made,
            network.to(device),
            generator,
            validation,
            penalty_factors,
        )

    @property
    def selects_columns(self) -> bool:
        """Whether networks see only some of the columns."""
        return self.network.n_selected_features < self.network.in_features

    @cached_property
    def used_rows(self) -> Tensor:
        """The rows that are in any part."""
        rows = np.unique(np.concatenate([part.rows for part in self.parts]))
        return torch.from_numpy(rows).to(self.inputs.device)

    @property
    def batch_scale(self) -> float:
        """How many rows a batch needs for each row of it that a network sees."""
        return len(self.used_rows) / float(np.mean([len(part.rows) for part in self.parts]))

    @cached_property
    def copy_weights(self) -> Tensor | None:
        """The weight of every row for every copy: 0 if hidden, 1 on average over used rows.

        Shape: (copies, rows); None if every copy sees every row with the same weight.
        """
        config = self.config
        if len(self.parts) == 1 and not config.folds and self.parts[0].weights is None:
            return None
        shape = len(self.parts), config.copies, len(self.inputs)
        weights = torch.zeros(shape, device=self.inputs.device)
        for own, part in zip(weights, self.parts, strict=True):
            own[:, part.rows] = 1.0 if part.weights is None else part.weights
            for fold in range(config.folds):
                held_out = part.rows[(part.fold_of_row == fold).numpy()]
                own[config.restarts + fold, held_out] = 0.0
        weights = weights.flatten(0, 1)
        used = int(weights.any(0).sum())
        return weights * used / weights.sum(1, keepdim=True)

    def training_data(self, snapped: bool) -> TrainingData:
        """The used rows of all parts, with the penalty factors of one phase."""
        weights, factors = self.copy_weights, None
        if self.penalty_factors is not None:
            of_parts = torch.tensor([both[snapped] for both in self.penalty_factors])
            factors = of_parts.repeat_interleave(self.config.copies).to(self.inputs.device)
        used = self.used_rows
        return self._data(used, None if weights is None else weights[:, used], factors)

    def validation_data(self) -> TrainingData | None:
        """The rows that choose the best epoch, if there are any."""
        if self.validation is None:
            return None
        device, weights = self.inputs.device, self.validation.weights
        rows = self.validation.rows.to(device)
        return self._data(rows, None if weights is None else weights.to(device))

    def part_of_copy(self, copy_number: int) -> Part:
        """The part that a copy trains on."""
        return self.parts[copy_number // self.config.copies]

    def rows_of_copy(self, copy_number: int) -> tuple[Tensor, Tensor, Tensor | None]:
        """The inputs, targets and weights of the rows that a copy sees.

        Shape: (rows, features), (rows,), and (rows,) or None if all rows weigh the same.
        """
        part, weights = self.part_of_copy(copy_number), self.copy_weights
        targets = self.targets.expand(len(self.parts), -1)[copy_number // self.config.copies]
        rows, own_weights = torch.from_numpy(part.rows).to(self.inputs.device), part.weights
        if weights is not None:
            visible = weights[copy_number, rows] > 0
            rows = rows[visible]
            own_weights = None if own_weights is None else own_weights[visible]
        return self.inputs[rows], targets[rows], own_weights

    def single_network(self, networks: LogicNetwork, copy_number: int) -> LogicNetwork:
        """Take one copy out, with the column ranges of its part."""
        network = networks.copy(copy_number)
        network.fit(self.inputs[self.part_of_copy(copy_number).rows])
        return network

    def _data(
        self, rows: Tensor, weights: Tensor | None, factors: Tensor | None = None
    ) -> TrainingData:
        targets = self.targets[..., rows]
        if targets.ndim > 1:  # each part has its own
            targets = targets.repeat_interleave(self.config.copies, 0)
        return TrainingData(self._scale(self.inputs[rows]), targets, weights, factors)

    def _scale(self, inputs: Tensor) -> Tensor:
        """Scale columns by the ranges of each part. Shape: (rows, n) or (copies, rows, n)."""
        network, scaled = self.network, []
        shared = len(self.parts) == 1 and not self.selects_columns
        for number, columns in enumerate(network.columns[:1] if shared else network.columns):
            rows = self.part_of_copy(number).rows
            network.membership.fit(self.inputs[rows][:, columns])
            scaled.append(network.membership.scale(inputs[:, columns]))
        return (scaled[0] if shared else torch.stack(scaled)).to(network.log_scale.dtype)
