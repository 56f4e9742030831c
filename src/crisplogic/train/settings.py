"""How to train: one frozen record, and the paper's own values beside the modern ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

LOSS_NAMES = ("cross_entropy", "squared")


@dataclass(frozen=True)
class Settings:
    """What a training run needs to know.

    ``adam`` comes with a learning rate that falls to 0 along a cosine, ``sgd`` keeps it, as
    the paper does. ``l1`` is the price of a unit of selector weight, added to the loss.
    ``patience`` is the number of epochs without improvement after which training stops;
    None trains all ``epochs``. Either way the best epoch is the one kept.

    >>> Settings(epochs=5).optimizer
    'adam'
    """

    epochs: int = 60
    batch_size: int = 64
    learning_rate: float = 0.02
    l1: float = 1e-4
    optimizer: Literal["adam", "sgd"] = "adam"
    loss: Literal["cross_entropy", "squared"] = "cross_entropy"
    patience: int | None = None

    def __post_init__(self) -> None:
        _require(self.epochs >= 1, "epochs", "at least 1", self.epochs)
        _require(self.batch_size >= 1, "batch_size", "at least 1", self.batch_size)
        _require(self.learning_rate > 0, "learning_rate", "above 0", self.learning_rate)
        _require(self.l1 >= 0, "the price of weights (l1, term_price)", "0 or more", self.l1)
        _require(self.optimizer in ("adam", "sgd"), "optimizer", "adam or sgd", self.optimizer)
        _require(self.loss in LOSS_NAMES, "loss", " or ".join(LOSS_NAMES), self.loss)
        patient = self.patience is None or self.patience >= 1
        _require(patient, "patience", "at least 1, or None", self.patience)


def _require(holds: bool, name: str, needed: str, given: object) -> None:
    if not holds:
        raise ValueError(f"{name} must be {needed}, got {given!r}")


# The paper states the learning rate and the L1 term. One pattern at a time, squared error
# and 100 epochs are our reading of what it leaves open; docs/paper.md says why.
PAPER = Settings(
    epochs=100,
    batch_size=1,
    learning_rate=0.01,
    l1=1e-4,
    optimizer="sgd",
    loss="squared",
)
