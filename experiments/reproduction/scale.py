"""How much is measured: all of it, or a small version of everything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from experiments.harness.folds import FOLDS


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

    @property
    def folds(self) -> int:
        """So many folds of each table, from the first on."""
        return 2 if self.quick else FOLDS
