"""Learning: from a table to soft networks and to ones that are ready to snap.

First the network is trained as in the paper, softly. Rounding it then would destroy it. So
a copy is trained on *through the snap*: its forward pass uses the snapped values, its
backward pass changes the values behind them, and a price on literals keeps few of them. What
it has learned in the end are its rules, not something that rounding will have to spare.

Several networks learn side by side: *restarts*, which see all rows and differ in their
random start, and *folds*, each kept from a part of the rows, on which it can be judged.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from crisplogic.nn import LogicNetwork
from crisplogic.parameters import COUNT, is_amount, is_count, require
from crisplogic.train import (
    Epoch,
    OnEpoch,
    Rows,
    Settings,
    objectives,
    stratified_folds,
    stratified_holdout,
    train,
)


@dataclass(frozen=True)
class Plan:
    """What to learn and how: the network's shape and the settings of both phases.

    ``memberships`` is the number of learned memberships a column, 0 for the paper's one.
    ``snapped`` is None to leave the second phase out, as the paper does.
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

    def __post_init__(self) -> None:
        share = self.validation_fraction
        needed = "a number of at least 0 and below 1"
        require(is_amount(share) and share < 1, "validation_fraction", needed, share)
        require(is_count(self.restarts), "restarts", COUNT, self.restarts)
        folds = self.folds == 0 or (is_count(self.folds) and self.folds > 1)
        require(folds, "folds", "0 or a whole number above 1", self.folds)

    def epochs(self) -> dict[str, int]:
        """The phases in order, and how many epochs each may take."""
        snapped = {"snapped": self.snapped.epochs} if self.snapped else {}
        return {"soft": self.soft.epochs, **snapped}


@dataclass(frozen=True)
class Pair:
    """A soft network and the one grown from it whose snapped values are the rules."""

    network: LogicNetwork
    snapped: LogicNetwork


@dataclass(frozen=True)
class Fold:
    """A network that never saw the rows ``held_out``."""

    snapped: LogicNetwork
    held_out: NDArray[np.intp]


@dataclass(frozen=True)
class Learned:
    """All restarts, the most promising first, all folds, and the history."""

    restarts: list[Pair]
    folds: list[Fold]
    history: list[Epoch]


@torch.inference_mode(False)  # learning needs gradients, wherever it is called from
@torch.enable_grad()
def learn(
    table: NDArray[np.float64],
    targets: NDArray[np.intp],
    classes: int,
    plan: Plan,
    seed: int,
    on_epoch: OnEpoch = lambda epoch: None,
) -> Learned:
    """Train networks on a table, softly and then through the snap.

    Every random draw comes from ``seed``: the same seed, table and machine give the same
    result, bit for bit. Restarts are ordered by what training made small, on all rows they
    saw: a few rows set aside would tell much less.

    Shape: ``table`` (rows, features), ``targets`` (rows,) with numbers below ``classes``.

    >>> table = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> settings = Settings(epochs=40, batch_size=1)
    >>> plan = Plan(depth=1, width=8, soft=settings, snapped=settings)
    >>> learned = learn(table, np.array([0, 1, 1, 0]), 2, plan, seed=0)
    >>> learned.restarts[0].snapped.predict(torch.from_numpy(table)).tolist()
    [0, 1, 1, 0]
    """
    generator = torch.Generator().manual_seed(seed)
    network = LogicNetwork(
        table.shape[1],
        classes,
        plan.width,
        plan.depth,
        memberships=plan.memberships,
        intercepts=plan.intercepts,
        copies=plan.restarts + plan.folds,
        generator=generator,
    )
    rows, validation, kept = _prepared(network, table, targets, plan, generator)
    fold_of_row = stratified_folds(rows.targets, plan.folds, generator)
    rows = _weighted(rows, fold_of_row, plan)
    history = train(network, rows, plan.soft, generator, validation, "soft", on_epoch)
    snapped = copy.deepcopy(network)
    snapped.snap()
    if plan.snapped:
        history += train(
            snapped, rows, plan.snapped, generator, validation, "snapped", on_epoch
        )
    order = objectives(snapped, rows, plan.snapped or plan.soft)[: plan.restarts].argsort()
    return Learned(
        restarts=[
            Pair(network.copy(number), snapped.copy(number)) for number in order.tolist()
        ],
        folds=[
            Fold(snapped.copy(plan.restarts + fold), kept[(fold_of_row == fold).numpy()])
            for fold in range(plan.folds)
        ],
        history=history,
    )


def _prepared(
    network: LogicNetwork,
    table: NDArray[np.float64],
    targets: NDArray[np.intp],
    plan: Plan,
    generator: torch.Generator,
) -> tuple[Rows, Rows | None, NDArray[np.intp]]:
    """All rows through memberships fitted on the training rows, and which those are."""
    inputs = torch.tensor(table, dtype=torch.float64)
    codes = torch.tensor(targets, dtype=torch.int64)
    if plan.validation_fraction == 0:
        network.membership.fit(inputs)
        return Rows(network.scaled(inputs), codes), None, np.arange(len(codes))
    kept, held_out = stratified_holdout(codes, plan.validation_fraction, generator)
    network.membership.fit(inputs[kept])
    rows = Rows(network.scaled(inputs), codes)
    return rows[kept], rows[held_out], kept.numpy()


def _weighted(rows: Rows, fold_of_row: torch.Tensor, plan: Plan) -> Rows:
    """A weight of 0 for the rows that a fold is kept from; others make up for them."""
    if not plan.folds:
        return rows
    folds = [fold_of_row != fold for fold in range(plan.folds)]
    seen = torch.stack([torch.ones_like(fold_of_row) > 0] * plan.restarts + folds)
    weights = seen.to(rows.scaled.dtype)
    return Rows(rows.scaled, rows.targets, weights / weights.mean(1, keepdim=True))
