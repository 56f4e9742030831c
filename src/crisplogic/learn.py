"""Learning: from a table to soft networks and to ones that are ready to snap.

First the network is trained as in the paper, softly. Rounding it then would destroy it. So
a copy is trained on *through the snap*: its forward pass uses the snapped values, its
backward pass changes the values behind them, and a price on literals keeps few of them. What
it has learned in the end are its rules, not something that rounding will have to spare.

Several networks learn side by side: *restarts*, which see all rows and differ in their
random start, and *folds*, each kept from some of the rows, on which it can be judged. And
several *parts* of a table can be learned from at once, each by networks that never see the
rest: all folds of a cross-validation in one training.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from crisplogic.limits import Limits
from crisplogic.nn import LinearMembership, LogicNetwork
from crisplogic.parameters import COUNT, is_amount, is_count, require
from crisplogic.train import (
    Checkpoint,
    Epoch,
    OnEpoch,
    Rows,
    Settings,
    device_for,
    multiplying,
    objectives,
    stratified_folds,
    stratified_holdout,
    threads_for,
    train,
)
from crisplogic.train.checkpoints import NoCheckpoint
from crisplogic.train.screen import column_scores, renewed, screened

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]
Targets = NDArray[np.intp] | NDArray[np.float64]  # numbers of classes, or to be predicted


@dataclass(frozen=True)
class Plan:
    """What to learn and how: the network's shape and the settings of both phases.

    ``memberships`` is the number of learned memberships a column, 0 for the paper's one.
    ``snapped`` is None to leave the second phase out, as the paper does. Networks may look at
    ``looks_at`` columns only (:mod:`crisplogic.train.screen`): they are then trained softly
    twice, and may look at others the second time. ``device`` is where
    networks are trained (see :func:`crisplogic.train.device_for`); they come back from it.
    ``tf32`` lets a GPU multiply less exactly.
    """

    depth: int
    width: int
    soft: Settings
    snapped: Settings | None
    memberships: int = 0
    intercepts: bool = False
    restarts: int = 1
    folds: int = 0
    validation_fraction: float = 0.0
    looks_at: int | None = None
    device: Literal["auto", "cpu", "cuda"] = "cpu"
    tf32: bool = False

    def __post_init__(self) -> None:
        share = self.validation_fraction
        needed = "a number of at least 0 and below 1"
        require(is_amount(share) and share < 1, "validation_fraction", needed, share)
        require(is_count(self.restarts), "restarts", COUNT, self.restarts)
        folds = self.folds == 0 or (is_count(self.folds) and self.folds > 1)
        require(folds, "folds", "0 or a whole number above 1", self.folds)

    @property
    def copies(self) -> int:
        """Networks that learn side by side from the same table."""
        return self.restarts + self.folds

    def epochs(self) -> dict[str, int]:
        """The phases in order, and how many epochs each may take."""
        screening = {} if self.looks_at is None else {"screening": self.soft.epochs}
        snapped = {"snapped": self.snapped.epochs} if self.snapped else {}
        return {**screening, "soft": self.soft.epochs, **snapped}


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


@torch.inference_mode(False)  # learning needs gradients, wherever it is called from
@torch.enable_grad()
def learn(
    table: Floats,
    targets: Targets,
    classes: int,
    plan: Plan,
    seed: int,
    on_epoch: OnEpoch = lambda epoch: None,
    weights: Floats | None = None,
    checkpoint: Checkpoint | None = None,
    limits: Limits | None = None,
) -> Learned:
    """Train networks on a table, softly and then through the snap.

    Every random draw comes from ``seed``: the same seed, table and machine give the same
    result, bit for bit. Restarts are ordered by what training made small, on all rows they
    saw: a few rows set aside would tell much less. ``weights``, all above 0, are how much each
    row counts; without them all count the same. Learning is kept in ``checkpoint`` and goes on
    from what is kept there, with the same result; it must be one of the same question and seed.
    Networks keep to ``limits``.

    To predict numbers, ``targets`` are these, with a mean of about 0 and a spread of about 1,
    there is one "class", and the loss in the plan is "distance".

    Shape: ``table`` (rows, features), ``targets`` (rows,) with numbers below ``classes``,
    ``weights`` (rows,).

    >>> table = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> settings = Settings(epochs=40, batch_size=1)
    >>> plan = Plan(depth=1, width=8, soft=settings, snapped=settings)
    >>> learned = learn(table, np.array([0, 1, 1, 0]), 2, plan, seed=0)
    >>> learned.restarts[0].snapped.predict(torch.from_numpy(table)).tolist()
    [0, 1, 1, 0]
    """
    generator = torch.Generator().manual_seed(seed)
    targets = targets.reshape(-1)
    part, aside = np.arange(len(table)), None
    if plan.validation_fraction:
        answers = torch.from_numpy(targets)
        kept, held_out = stratified_holdout(answers, plan.validation_fraction, generator)
        part, aside = kept.numpy(), _Aside.of(held_out, weights)
    counts = None if weights is None else weights[part]
    lesson = _Lesson.on(table, targets, classes, plan, [part], generator, [counts], limits)
    return lesson.learned(on_epoch, aside, checkpoint)[0]


@torch.inference_mode(False)  # learning needs gradients, wherever it is called from
@torch.enable_grad()
def learn_parts(
    table: Floats,
    targets: Targets,
    classes: int,
    plan: Plan,
    seed: int,
    parts: Sequence[Numbers],
    on_epoch: OnEpoch = lambda epoch: None,
    prices: Sequence[tuple[float, float]] | None = None,
    weights: Sequence[Floats | None] | None = None,
    limits: Limits | None = None,
) -> list[Learned]:
    """Learn from several parts of a table at once, from each as if the rest did not exist.

    ``parts`` are row numbers, and so are the rows that folds hold out. All parts train as
    long as the others: ``plan`` may neither set rows aside for validation nor stop early.
    ``prices`` are what each part pays of the plan's prices, softly and through the snap; the
    same rows may be learned from at several prices. ``weights`` are how much each row of each
    part counts in it, None where all count the same. ``targets`` may be (parts, rows): numbers
    in units of each part's own.
    """
    early = plan.validation_fraction or plan.soft.patience is not None
    require(not early, "plan", "one without validation_fraction and patience", plan)
    generator = torch.Generator().manual_seed(seed)
    counts = [None] * len(parts) if weights is None else weights
    lesson = _Lesson.on(table, targets, classes, plan, parts, generator, counts, limits)
    return replace(lesson, prices=prices).learned(on_epoch)


@dataclass(frozen=True)
class _Aside:
    """Rows set aside to choose the best epoch by, and how much each counts, on average 1."""

    numbers: Tensor
    weights: Tensor | None

    @classmethod
    def of(cls, numbers: Tensor, weights: Floats | None) -> _Aside:
        if weights is None:
            return cls(numbers, None)
        counts = weights[numbers.numpy()]
        return cls(numbers, torch.tensor(counts / counts.mean(), dtype=torch.float32)[None])


@dataclass(frozen=True)
class _Lesson:
    """A table, the parts of it to learn from, and the networks that will, part by part."""

    inputs: Tensor
    targets: Tensor  # (rows,), or (parts, rows) where each part has its own
    plan: Plan
    parts: Sequence[Numbers]
    folds: list[Tensor]  # of every row of every part the number of the fold it is kept from
    network: LogicNetwork
    generator: torch.Generator
    counts: list[Tensor | None]  # how much every row of every part counts; None if alike
    prices: Sequence[tuple[float, float]] | None = None

    @classmethod
    def on(
        cls,
        table: Floats,
        targets: Targets,
        classes: int,
        plan: Plan,
        parts: Sequence[Numbers],
        generator: torch.Generator,
        weights: Sequence[Floats | None],
        limits: Limits | None,
    ) -> _Lesson:
        network = LogicNetwork(
            table.shape[1],
            classes,
            plan.width,
            plan.depth,
            memberships=plan.memberships,
            intercepts=plan.intercepts,
            looks_at=plan.looks_at,
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

    def learned(
        self,
        on_epoch: OnEpoch,
        aside: _Aside | None = None,
        checkpoint: Checkpoint | None = None,
    ) -> list[Learned]:
        """Both phases, ``aside`` from rows to choose the best epoch by."""
        plan, network = self.plan, self.network
        kept = checkpoint or NoCheckpoint()
        used = torch.from_numpy(np.unique(np.concatenate(self.parts)))
        crowd = len(used) / float(np.mean([len(part) for part in self.parts]))

        def taught(pupil: LogicNetwork, settings: Settings, phase: str) -> list[Epoch]:
            rows = self._seen(used, through_the_snap=phase == "snapped")
            validation = None if aside is None else self._rows(aside.numbers, aside.weights)
            # A step shows each network as many of its own rows as if it were alone.
            size = math.ceil(settings.batch_size * crowd)
            settings = replace(settings, batch_size=size)
            return train(
                pupil,
                rows,
                settings,
                self.generator,
                validation,
                phase,
                on_epoch,
                kept.begun(phase),
                kept.keeper(phase, network, history),
            )

        with multiplying(tf32=plan.tf32), threads_for(network, plan.soft.batch_size):
            # What was kept replaces the phases before the one that was interrupted.
            history = kept.earlier(network)
            if self.screens and not kept.past("screening"):
                network.columns.copy_(self._promising_columns())
                network.heed_limits()
                history += taught(network, plan.soft, "screening")
                network.look_at(self._promising_columns(again=True))
            if not kept.past("soft"):
                history += taught(network, plan.soft, "soft")
            snapped = copy.deepcopy(network)
            snapped.snap()
            if plan.snapped:
                history += taught(snapped, plan.snapped, "snapped")
            rows = self._seen(used, through_the_snap=plan.snapped is not None)
            worth = objectives(snapped, rows, plan.snapped or plan.soft)
        return [
            self._graduates(number, snapped, worth, history)
            for number in range(len(self.parts))
        ]

    @property
    def screens(self) -> bool:
        """Whether networks look at only some of the columns."""
        return self.network.looks_at < self.network.in_features

    def _seen(self, numbers: Tensor, through_the_snap: bool) -> Rows:
        """Rows to learn from, of which each network sees some."""
        numbers = numbers.to(self.targets.device)
        weights = None if self.weights is None else self.weights[:, numbers]
        rows = self._rows(numbers, weights)
        if self.prices is None:
            return rows
        of_parts = torch.tensor([pair[through_the_snap] for pair in self.prices])
        prices = of_parts.repeat_interleave(self.plan.copies).to(self.targets.device)
        return replace(rows, prices=prices)

    def _rows(self, numbers: Tensor, weights: Tensor | None) -> Rows:
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

    @torch.no_grad()
    def _promising_columns(self, again: bool = False) -> Tensor:
        """For every network the columns to look at, by what the rows that it sees say.

        At first by the targets themselves, ``again`` by what of them it cannot explain yet.
        Shape: (copies, looks_at).
        """
        network, found = self.network, []
        for number, looked_at in enumerate(network.columns):
            part, counts = self._seen_by(number)
            unexplained = self._truth(number)[part]
            if again:
                unexplained = unexplained - self._explained(number, part)
            whole = LinearMembership(network.in_features).to(part.device)
            degrees = whole.fit(self.inputs[part])(self.inputs[part]).float()
            scores = column_scores(degrees, unexplained, counts)
            found.append(
                renewed(looked_at, network.usage()[number], scores)
                if again
                else screened(scores, network.looks_at)
            )
        return torch.stack(found)

    def _truth(self, number: int) -> Tensor:
        """What a network should say: 1 for the right class, or the number. (rows, outputs)."""
        targets = self.targets.expand(len(self.parts), -1)[number // self.plan.copies]
        if targets.is_floating_point():
            return targets.unsqueeze(1)
        return torch.nn.functional.one_hot(targets, self.network.out_features).float()

    def _explained(self, number: int, rows: Tensor) -> Tensor:
        """What a network says of some rows: probabilities, or the number. (rows, outputs)."""
        one = self._one_of(self.network, number)
        logits = one.logits(one.scores_by_chunks(one.scaled(self.inputs[rows])))
        return logits if self.targets.is_floating_point() else logits.softmax(-1)

    def _seen_by(self, number: int) -> tuple[Tensor, Tensor | None]:
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

    def _graduates(
        self, number: int, snapped: LogicNetwork, worth: Tensor, history: list[Epoch]
    ) -> Learned:
        """The networks of one part, the best restarts first."""
        plan, part = self.plan, self.parts[number]
        first = number * plan.copies
        best = first + worth[first : first + plan.restarts].argsort()

        def one(networks: LogicNetwork, copy_number: int) -> LogicNetwork:
            return self._one_of(networks, copy_number).cpu()

        restarts = [Pair(one(self.network, i), one(snapped, i)) for i in best.tolist()]
        fold_of_row = self.folds[number].numpy()
        folds = [
            Fold(one(snapped, first + plan.restarts + fold), part[fold_of_row == fold])
            for fold in range(plan.folds)
        ]
        return Learned(restarts, folds, history)

    def _one_of(self, networks: LogicNetwork, number: int) -> LogicNetwork:
        """One of the copies by itself, in the units of its part."""
        network = networks.copy(number)
        network.fit(self.inputs[self.parts[number // self.plan.copies]])
        return network
