"""Plan: what to learn and how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from crisplogic.parameters import COUNT, is_amount, is_count, require
from crisplogic.train import Settings


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
