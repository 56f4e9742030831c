"""The parameters of training: of one phase, and of all phases together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from crisplogic.parameters import AMOUNT, COUNT, is_amount, is_count, require
from crisplogic.training.losses import LOSSES, Loss, LossName

# What a parameter must be, in words and as a test.
Constraints = Mapping[str, tuple[str, Callable[[Any], bool]]]


def _one_of(*choices: str) -> tuple[str, Callable[[Any], bool]]:
    return f"one of {', '.join(map(repr, choices))}", lambda value: value in choices


PHASE_CONSTRAINTS: Constraints = {
    "epochs": (COUNT, is_count),
    "batch_size": (COUNT, is_count),
    "learning_rate": ("a finite number above 0", lambda rate: is_amount(rate) and rate > 0),
    "l1": (AMOUNT, is_amount),
    "literal_penalty": (AMOUNT, is_amount),
    "membership_lr_scale": (AMOUNT, is_amount),
    "optimizer": _one_of("adam", "sgd"),
    "loss": _one_of(*LOSSES),
    "patience": (f"{COUNT}, or None", lambda value: value is None or is_count(value)),
}
TRAINING_CONSTRAINTS: Constraints = {
    "validation_fraction": (
        "a number of at least 0 and below 1",
        lambda fraction: is_amount(fraction) and fraction < 1,
    ),
    "restarts": (COUNT, is_count),
    "folds": (
        "0 or a whole number above 1",
        lambda folds: folds == 0 or (is_count(folds) and folds > 1),
    ),
}


def _check(config: object, constraints: Constraints) -> None:
    for name, (needed, holds) in constraints.items():
        value = getattr(config, name)
        require(holds(value), name, needed, value)


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
        _check(self, PHASE_CONSTRAINTS)


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
    ``snapped`` is None to skip the second phase, as the paper does. With
    ``n_selected_features`` each network sees that many columns only
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
    restarts: int = 1
    folds: int = 0
    validation_fraction: float = 0.0
    n_selected_features: int | None = None
    device: Literal["auto", "cpu", "cuda"] = "cpu"
    tf32: bool = False

    def __post_init__(self) -> None:
        _check(self, TRAINING_CONSTRAINTS)

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
