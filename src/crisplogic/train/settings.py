"""How to train: one frozen record, and the paper's own values beside the modern ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from crisplogic.parameters import AMOUNT, COUNT, is_amount, is_count, require, require_one_of


@dataclass(frozen=True)
class Settings:
    """What a training run needs to know.

    ``adam`` comes with a learning rate that falls to 0 along a cosine, ``sgd`` keeps it, as
    the paper does. ``l1`` is the price of a unit of selector weight, ``literal_price``
    that of a literal (:meth:`crisplogic.nn.LogicNetwork.literals`), added to the loss.
    Of the losses ``distance`` is for numbers, the others are for classes.
    ``membership_pace`` is the learning rate of memberships as a share of that of the logic.
    ``patience`` is the number of epochs without improvement after which training stops;
    None trains all ``epochs``.

    >>> Settings(epochs=5).optimizer
    'adam'
    """

    epochs: int = 60
    batch_size: int = 64
    learning_rate: float = 0.02
    l1: float = 1e-4
    literal_price: float = 0.0
    membership_pace: float = 0.25
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
        pace = self.membership_pace
        require(is_amount(pace), "membership_pace", AMOUNT, pace)
        require(is_amount(self.literal_price), "literal_price", AMOUNT, self.literal_price)
        require_one_of("optimizer", self.optimizer, ("adam", "sgd"))
        require_one_of("loss", self.loss, ("cross_entropy", "squared", "distance"))
        require(patient, "patience", f"{COUNT}, or None", self.patience)


# The paper states the learning rate and the L1 term. One pattern at a time, squared error
# and 100 epochs are our reading of what it leaves open; docs/paper.md says why.
PAPER_SETTINGS = Settings(
    epochs=100,
    batch_size=1,
    learning_rate=0.01,
    l1=1e-4,
    optimizer="sgd",
    loss="squared",
)
