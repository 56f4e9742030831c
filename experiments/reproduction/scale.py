"""How much is measured: all of it, or a small version of everything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch

from experiments.harness.evaluation import FOLDS
from experiments.reproduction.published import TABLES


@dataclass(frozen=True)
class Scale:
    """How much to measure, and where networks are trained.

    ``quick`` is for seeing that everything works: few folds, epochs and seeds, no figures
    worth quoting.

    >>> Scale().folds, Scale(quick=True).folds
    (30, 2)
    """

    quick: bool = False
    device: Literal["auto", "cpu", "cuda"] = "auto"
    tables: tuple[str, ...] = TABLES

    @property
    def folds(self) -> int:
        """So many folds of each table, from the first on."""
        return 2 if self.quick else FOLDS

    @property
    def networks_on(self) -> str:
        """The device that networks are trained on."""
        if self.device != "auto":
            return self.device
        return "cuda" if torch.cuda.is_available() else "cpu"
