"""How to train: one frozen record, and the paper's own values beside the modern ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from crisplogic.parameters import AMOUNT, COUNT, is_amount, is_count, require, require_one_of


@dataclass(frozen=True)
class PhaseConfig:
    """What a training run needs to know.

    ``adam`` comes with a learning rate that falls to 0 along a cosine, ``sgd`` keeps it, as
    the paper does. ``l1`` is the price of a unit of selector weight, ``literal_penalty``
    that of a literal (:meth:`crisplogic.nn.LogicNetwork.literals`), added to the loss.
    Of the losses ``distance`` is for numbers, the others are for classes.
    ``membership_lr_scale`` is the learning rate of memberships as a share of that of the logic.
    ``patience`` is the number of epochs without improvement after which training stops;
    None trains all ``epochs``.

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
    loss: Literal["cross_entropy", "squared", "distance"] = "cross_entropy"
    patience: int | None = None

    def __post_init__(self) -> None:
        moves = is_amount(self.learning_rate) and self.learning_rate > 0
        patient = self.patience is None or is_count(self.patience)
        require(is_count(self.epochs), "epochs", COUNT, self.epochs)
        require(is_count(self.batch_size), "batch_size", COUNT, self.batch_size)
        require(moves, "learning_rate", "a finite number above 0", self.learning_rate)
        require(is_amount(self.l1), "l1", AMOUNT, self.l1)
        pace = self.membership_lr_scale
        require(is_amount(pace), "membership_lr_scale", AMOUNT, pace)
        require(
            is_amount(self.literal_penalty), "literal_penalty", AMOUNT, self.literal_penalty
        )
        require_one_of("optimizer", self.optimizer, ("adam", "sgd"))
        require_one_of("loss", self.loss, ("cross_entropy", "squared", "distance"))
        require(patient, "patience", f"{COUNT}, or None", self.patience)


# The paper states the learning rate and the L1 term. One pattern at a time, squared error
# and 100 epochs are our reading of what it leaves open; docs/paper.md says why.
PAPER_CONFIG = PhaseConfig(
    epochs=100,
    batch_size=1,
    learning_rate=0.01,
    l1=1e-4,
    optimizer="sgd",
    loss="squared",
)


@dataclass(frozen=True)
class TrainingConfig:
    """What to learn and how: the network's shape and the settings of both phases.

    ``memberships`` is the number of learned memberships a column, 0 for the paper's one.
    ``snapped`` is None to leave the second phase out, as the paper does. Networks may look at
    ``n_selected_features`` columns only (:mod:`crisplogic.training.screening`): they are then
    trained softly
    twice, and may look at others the second time. ``device`` is where
    networks are trained (see :func:`crisplogic.training.device_for`); they come back from it.
    ``tf32`` lets a GPU multiply less exactly.
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
        screening = {} if self.n_selected_features is None else {"screening": self.soft.epochs}
        snapped = {"snapped": self.snapped.epochs} if self.snapped else {}
        return {**screening, "soft": self.soft.epochs, **snapped}
