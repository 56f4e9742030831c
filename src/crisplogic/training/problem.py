"""Learned: the networks that came out of learning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from crisplogic.constraints.limits import Limits
from crisplogic.nn import LogicNetwork
from crisplogic.training.config import TrainingConfig
from crisplogic.training.dataset import Rows
from crisplogic.training.device import device_for
from crisplogic.training.loop import Epoch
from crisplogic.training.splits import stratified_folds

Numbers = NDArray[np.intp]


@dataclass(frozen=True)
class Pair:
    """A soft network and the one grown from it whose snapped values are the rules."""

    network: LogicNetwork
    snapped: LogicNetwork


@dataclass(frozen=True)
class Fold:
    """A network that never saw the rows ``held_out``."""

    snapped: LogicNetwork
    held_out: Numbers


@dataclass(frozen=True)
class Learned:
    """All restarts, the most promising first, all folds, and the history."""

    restarts: list[Pair]
    folds: list[Fold]
    history: list[Epoch]

    def within(self, part: Numbers) -> Learned:
        """The same with held-out rows numbered within ``part``, which has to be sorted."""
        folds = [
            Fold(each.snapped, np.searchsorted(part, each.held_out)) for each in self.folds
        ]
        return replace(self, folds=folds)


Floats = NDArray[np.float64]
Targets = NDArray[np.intp] | NDArray[np.float64]  # numbers of classes, or to be predicted


@dataclass(frozen=True)
class Aside:
    """Rows set aside to choose the best epoch by, and how much each counts, on average 1."""

    numbers: Tensor
    weights: Tensor | None

    @classmethod
    def of(cls, numbers: Tensor, weights: Floats | None) -> Aside:
        """Rows of these numbers, out of all rows and their weights."""
        if weights is None:
            return cls(numbers, None)
        counts = weights[numbers.numpy()]
        return cls(numbers, torch.tensor(counts / counts.mean(), dtype=torch.float32)[None])


@dataclass(frozen=True)
class Lesson:
    """A table, the parts of it to learn from, and the networks that will, part by part.

    Every part has as many networks as the plan has copies. Prices are what each part pays of
    those in the plan, softly and through the snap; None is all of them.
    """

    inputs: Tensor
    targets: Tensor  # (rows,), or (parts, rows) where each part has its own
    plan: TrainingConfig
    parts: Sequence[Numbers]
    folds: list[Tensor]  # of every row of every part the number of the fold it is kept from
    network: LogicNetwork
    generator: torch.Generator
    counts: list[Tensor | None]  # how much every row of every part counts; None if alike
    penalties: Sequence[tuple[float, float]] | None = None

    @classmethod
    def on(
        cls,
        table: Floats,
        targets: Targets,
        classes: int,
        plan: TrainingConfig,
        parts: Sequence[Numbers],
        generator: torch.Generator,
        weights: Sequence[Floats | None],
        limits: Limits | None,
    ) -> Lesson:
        """Networks drawn by lot for a table and parts of it, and folds drawn for each part."""
        network = LogicNetwork(
            table.shape[1],
            classes,
            plan.width,
            plan.depth,
            memberships=plan.memberships,
            intercepts=plan.intercepts,
            n_selected_features=plan.n_selected_features,
            limits=limits,
            copies=plan.copies * len(parts),
            generator=generator,  # on the CPU: the same draws for all devices
        )
        answers = torch.tensor(targets)
        answers = answers.float() if answers.is_floating_point() else answers.long()
        counts = [None if each is None else torch.tensor(each).float() for each in weights]
        folds = [
            stratified_folds(own[part], plan.folds, generator, count)
            for own, part, count in zip(
                answers.expand(len(parts), -1), parts, counts, strict=True
            )
        ]
        device = device_for(plan.device, network, min(len(table), plan.soft.batch_size))
        inputs = torch.tensor(table, dtype=torch.float64, device=device)
        return cls(
            inputs,
            answers.to(device),
            plan,
            parts,
            folds,
            network.to(device),
            generator,
            [None if count is None else count.to(device) for count in counts],
        )

    @property
    def screens(self) -> bool:
        """Whether networks look at only some of the columns."""
        return self.network.n_selected_features < self.network.in_features

    def seen(self, numbers: Tensor, through_the_snap: bool) -> Rows:
        """Rows to learn from, of which each network sees some."""
        numbers = numbers.to(self.targets.device)
        weights = None if self.weights is None else self.weights[:, numbers]
        rows = self.rows(numbers, weights)
        if self.penalties is None:
            return rows
        of_parts = torch.tensor([pair[through_the_snap] for pair in self.penalties])
        penalties = of_parts.repeat_interleave(self.plan.copies).to(self.targets.device)
        return replace(rows, penalties=penalties)

    def rows(self, numbers: Tensor, weights: Tensor | None) -> Rows:
        """Rows as networks see them, in the units of their parts."""
        device = self.targets.device
        numbers = numbers.to(device)
        weights = None if weights is None else weights.to(device)
        targets = self.targets[..., numbers]
        if targets.ndim > 1:  # every network in the units of its part
            targets = targets.repeat_interleave(self.plan.copies, 0)
        return Rows(self._scaled(self.inputs[numbers]), targets, weights)

    def _scaled(self, inputs: Tensor) -> Tensor:
        """Rows in the units of each part: (rows, inputs), or (copies, rows, inputs)."""
        network, scaled = self.network, []
        alike = len(self.parts) == 1 and not self.screens
        for number, columns in enumerate(network.columns[:1] if alike else network.columns):
            part = self.parts[number // self.plan.copies]
            network.membership.fit(self.inputs[part][:, columns])
            scaled.append(network.membership.scaled(inputs[:, columns]))
        return (scaled[0] if alike else torch.stack(scaled)).to(network.log_scale.dtype)

    def truth(self, number: int) -> Tensor:
        """What a network should say: 1 for the right class, or the number. (rows, outputs)."""
        targets = self.targets.expand(len(self.parts), -1)[number // self.plan.copies]
        if targets.is_floating_point():
            return targets.unsqueeze(1)
        return torch.nn.functional.one_hot(targets, self.network.out_features).float()

    def seen_by(self, number: int) -> tuple[Tensor, Tensor | None]:
        """The rows that a network sees, and how much each counts unless all do the same."""
        place = number // self.plan.copies
        part = torch.from_numpy(self.parts[place]).to(self.targets.device)
        counts = self.counts[place]
        if self.weights is None:
            return part, counts
        seen = self.weights[number, part] > 0
        return part[seen], None if counts is None else counts[seen]

    @cached_property
    def weights(self) -> Tensor | None:
        """0 for the rows that a network is kept from; others make up for them."""
        if len(self.parts) == 1 and not self.plan.folds and self.counts[0] is None:
            return None
        shape = len(self.parts), self.plan.copies, len(self.inputs)
        weights = torch.zeros(shape, device=self.targets.device)
        of_parts = zip(weights, self.parts, self.counts, self.folds, strict=True)
        for seen, part, count, fold_of_row in of_parts:
            seen[:, part] = 1.0 if count is None else count
            for fold in range(self.plan.folds):
                seen[self.plan.restarts + fold, part[(fold_of_row == fold).numpy()]] = 0.0
        weights = weights.flatten(0, 1)
        used = int(weights.any(0).sum())
        return weights * used / weights.sum(1, keepdim=True)

    def graduates(
        self, number: int, snapped: LogicNetwork, worth: Tensor, history: list[Epoch]
    ) -> Learned:
        """The networks of one part, the best restarts first."""
        plan, part = self.plan, self.parts[number]
        first = number * plan.copies
        best = first + worth[first : first + plan.restarts].argsort()

        def one(networks: LogicNetwork, copy_number: int) -> LogicNetwork:
            return self.one_of(networks, copy_number).cpu()

        restarts = [Pair(one(self.network, i), one(snapped, i)) for i in best.tolist()]
        fold_of_row = self.folds[number].numpy()
        folds = [
            Fold(one(snapped, first + plan.restarts + fold), part[fold_of_row == fold])
            for fold in range(plan.folds)
        ]
        return Learned(restarts, folds, history)

    def one_of(self, networks: LogicNetwork, number: int) -> LogicNetwork:
        """One of the copies by itself, in the units of its part."""
        network = networks.copy(number)
        network.fit(self.inputs[self.parts[number // self.plan.copies]])
        return network
