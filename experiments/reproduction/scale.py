"""How much is measured: everything in full, or a small version of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import torch

from experiments.harness.evaluation import FOLDS
from experiments.reproduction.published import TABLES

# The settings of our classifier in a quick run.
QUICK_SETTINGS: dict[str, Any] = {"epochs": 2, "restarts": 1, "folds": 0}


@dataclass(frozen=True)
class Scale:
    """How much to measure, and where networks are trained.

    ``quick`` is a trial run: few folds, epochs and seeds; its figures mean nothing.

    >>> Scale().folds, Scale(quick=True).folds
    (30, 2)
    """

    quick: bool = False
    device: Literal["auto", "cpu", "cuda"] = "auto"
    tables: tuple[str, ...] = TABLES

    @property
    def folds(self) -> int:
        """The number of folds of each table, from the first on."""
        return 2 if self.quick else FOLDS

    @property
    def networks_on(self) -> str:
        """The device that networks are trained on."""
        if self.device != "auto":
            return self.device
        return "cuda" if torch.cuda.is_available() else "cpu"
