"""Learned: the networks that came out of learning."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from crisplogic.nn import LogicNetwork
from crisplogic.train import Epoch

Numbers = NDArray[np.intp]


@dataclass(frozen=True)
class Pair:
    """A soft network and the one grown from it whose snapped values are the rules."""

    network: LogicNetwork
    snapped: LogicNetwork


@dataclass(frozen=True)
class Fold:
    """A network that never saw the rows ``held_out``."""

    snapped: LogicNetwork
    held_out: Numbers


@dataclass(frozen=True)
class Learned:
    """All restarts, the most promising first, all folds, and the history."""

    restarts: list[Pair]
    folds: list[Fold]
    history: list[Epoch]

    def within(self, part: Numbers) -> Learned:
        """The same with held-out rows numbered within ``part``, which has to be sorted."""
        folds = [
            Fold(each.snapped, np.searchsorted(part, each.held_out)) for each in self.folds
        ]
        return replace(self, folds=folds)
