"""Learning: from a table to a soft network and to one that is ready to snap.

First the network is trained as in the paper, softly. Rounding it then would destroy it. So
a copy is trained on *through the snap*: its forward pass uses the snapped values, its
backward pass changes the values behind them, and a price on weights keeps few terms. What
it has learned in the end are its rules, not something that rounding will have to spare.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from crisplogic.nn import LogicNetwork
from crisplogic.parameters import is_amount, require
from crisplogic.train import Epoch, Rows, Settings, progress_bar, stratified_holdout, train


@dataclass(frozen=True)
class Plan:
    """What to learn and how: the network's shape and the settings of both phases.

    ``snapped`` is None to leave the second phase out, as the paper does.
    """

    depth: int
    width: int
    soft: Settings
    snapped: Settings | None
    validation_fraction: float = 0.0

    def __post_init__(self) -> None:
        share = self.validation_fraction
        needed = "a number of at least 0 and below 1"
        require(is_amount(share) and share < 1, "validation_fraction", needed, share)

    def epochs(self) -> dict[str, int]:
        """The phases in order, and how many epochs each may take."""
        snapped = {"snapped": self.snapped.epochs} if self.snapped else {}
        return {"soft": self.soft.epochs, **snapped}


@dataclass(frozen=True)
class Learned:
    """The soft network, the one whose snapped values are the rules, and the history."""

    network: LogicNetwork
    snapped: LogicNetwork
    history: list[Epoch]


@torch.inference_mode(False)  # learning needs gradients, wherever it is called from
@torch.enable_grad()
def learn(
    table: NDArray[np.float64],
    targets: NDArray[np.intp],
    classes: int,
    plan: Plan,
    seed: int,
    verbose: bool = False,
) -> Learned:
    """Train a network on a table, softly and then through the snap.

    Every random draw comes from ``seed``: the same seed, table and machine give the same
    result, bit for bit.

    Shape: ``table`` (rows, features), ``targets`` (rows,) with numbers below ``classes``.

    >>> table = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> settings = Settings(epochs=40, batch_size=1)
    >>> plan = Plan(depth=1, width=8, soft=settings, snapped=settings)
    >>> learned = learn(table, np.array([0, 1, 1, 0]), 2, plan, seed=0)
    >>> learned.snapped.predict(torch.from_numpy(table)).tolist()
    [0, 1, 1, 0]
    """
    generator = torch.Generator().manual_seed(seed)
    network = LogicNetwork(table.shape[1], classes, plan.width, plan.depth, generator=generator)
    rows, validation = _prepared(network, table, targets, plan, generator)
    with progress_bar(plan.epochs(), verbose) as on_epoch:
        history = train(network, rows, plan.soft, generator, validation, "soft", on_epoch)
        snapped = copy.deepcopy(network)
        snapped.snap()
        if plan.snapped:
            history += train(
                snapped, rows, plan.snapped, generator, validation, "snapped", on_epoch
            )
    return Learned(network, snapped, history)


def _prepared(
    network: LogicNetwork,
    table: NDArray[np.float64],
    targets: NDArray[np.intp],
    plan: Plan,
    generator: torch.Generator,
) -> tuple[Rows, Rows | None]:
    """Memberships fitted on the training rows, and all rows seen through them."""
    inputs = torch.tensor(table, dtype=torch.float64)
    codes = torch.tensor(targets, dtype=torch.int64)
    if plan.validation_fraction == 0:
        network.membership.fit(inputs)
        return Rows(network.memberships(inputs), codes), None
    kept, held_out = stratified_holdout(codes, plan.validation_fraction, generator)
    network.membership.fit(inputs[kept])
    rows = Rows(network.memberships(inputs), codes)
    return rows[kept], rows[held_out]
