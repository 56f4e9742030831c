"""The parameters of training: of one phase, and of all phases together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from crisplogic.parameters import (
    AMOUNT,
    COUNT,
    FOLDS,
    NONE,
    POSITIVE,
    SHARE,
    Constraint,
    check_parameters,
    one_of,
    require,
)
from crisplogic.training.losses import LOSSES, Loss, LossName

PHASE_CONSTRAINTS: dict[str, Constraint] = {
    "epochs": COUNT,
    "batch_size": COUNT,
    "learning_rate": POSITIVE,
    "l1": AMOUNT,
    "literal_penalty": AMOUNT,
    "membership_lr_scale": AMOUNT,
    "optimizer": one_of("adam", "sgd"),
    "loss": one_of(*LOSSES),
    "patience": COUNT | NONE,
}
TRAINING_CONSTRAINTS: dict[str, Constraint] = {
    "validation_fraction": SHARE,
    "restarts": COUNT,
    "folds": FOLDS,
}
LITERALS = one_of("crisp", "graded")


@dataclass(frozen=True)
class PhaseConfig:
    """The parameters of one phase of training.

    ``adam`` lowers the learning rate to 0 along a cosine. ``sgd`` keeps it, as the paper does.
    ``l1`` is the penalty on the sum of absolute selector weights. ``literal_penalty`` is the
    penalty on the number of literals (:meth:`crisplogic.nn.LogicNetwork.literals`).
    ``membership_lr_scale`` times ``learning_rate`` is the learning rate of memberships.
    ``loss`` is "cross_entropy" or "squared_error" (the paper's) for classification and
    "mean_squared_error" for regression. Training stops after ``patience`` epochs without
    improvement; None trains for all ``epochs``.

    >>> PhaseConfig(epochs=5).optimizer
    'adam'
    """

    epochs: int = 60
    batch_size: int = 64
    learning_rate: float = 0.02
    l1: float = 1e-4
    literal_penalty: float = 0.0
    membership_lr_scale: float = 0.25
    optimizer: Literal["adam", "sgd"] = "adam"
    loss: LossName = "cross_entropy"
    patience: int | None = None

    def __post_init__(self) -> None:
        check_parameters(self, PHASE_CONSTRAINTS)


# The paper states the learning rate and the L1 term. One row at a time, squared error and 100
# epochs are our reading of what it leaves open; docs/paper.md says why.
PAPER_CONFIG = PhaseConfig(
    epochs=100,
    batch_size=1,
    learning_rate=0.01,
    l1=1e-4,
    optimizer="sgd",
    loss="squared_error",
)


@dataclass(frozen=True)
class TrainingConfig:
    """The shape of the networks, and the parameters of both phases.

    ``memberships`` is the number of learned memberships a column; 0 uses the paper's one.
    With ``skip`` all levels see memberships (:class:`crisplogic.nn.LogicNetwork`).
    ``snapped`` is None to skip the second phase, as the paper does. ``literals`` are "graded"
    or "crisp": then the second phase rounds memberships to steps, too, which needs learned
    memberships. With ``max_rows`` networks learn from a sample of so many rows of a larger
    table. With ``n_selected_features`` each network sees that many columns only
    (:mod:`crisplogic.training.screening`). The soft phase then runs twice, and the columns
    may change in between. ``device`` is where networks train
    (:func:`crisplogic.training.device_for`); they return to the CPU. ``tf32`` lets a GPU
    multiply with less precision.
    """

    depth: int
    width: int
    soft: PhaseConfig
    snapped: PhaseConfig | None
    memberships: int = 0
    intercepts: bool = False
    skip: bool = False
    restarts: int = 1
    folds: int = 0
    validation_fraction: float = 0.0
    max_rows: int | None = None
    n_selected_features: int | None = None
    device: Literal["auto", "cpu", "cuda"] = "cpu"
    tf32: bool = False
    literals: Literal["crisp", "graded"] = "graded"

    def __post_init__(self) -> None:
        others = {"literals": LITERALS, "max_rows": COUNT | NONE}
        check_parameters(self, {**TRAINING_CONSTRAINTS, **others})
        learned = self.literals == "graded" or self.memberships > 0
        needed = "at least 1 where literals are crisp, to learn their thresholds"
        require(learned, "memberships", needed, self.memberships)

    @property
    def copies(self) -> int:
        """The number of networks that train on the same part of the table."""
        return self.restarts + self.folds

    @property
    def loss(self) -> Loss:
        """The loss, which also knows the task."""
        return LOSSES[self.soft.loss]

    def epochs(self) -> dict[str, int]:
        """The phases in order, and the number of epochs of each."""
        screening = {} if self.n_selected_features is None else {"screening": self.soft.epochs}
        snapped = {"snapped": self.snapped.epochs} if self.snapped else {}
        return {**screening, "soft": self.soft.epochs, **snapped}
