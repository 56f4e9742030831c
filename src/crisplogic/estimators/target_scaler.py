"""TargetScaler: numbers as networks see them, and back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crisplogic.rules import RegressionRules, RuleSet

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TargetScaler:
    """The unit in which a network predicts a number, so that all numbers are alike to it.

    >>> TargetScaler(centre=20.0, spread=5.0).counted(np.array([20.0, 30.0])).tolist()
    [0.0, 2.0]
    """

    centre: float
    spread: float

    def counted(self, numbers: Floats) -> Floats:
        """Numbers in this unit. Shape: (rows,) to (rows,)."""
        return (numbers - self.centre) / self.spread

    def numbers(self, counted: Floats) -> Floats:
        """Back from it. Shape: (rows,) to (rows,)."""
        return self.centre + self.spread * counted

    def spoken(self, rules: RuleSet) -> RegressionRules:
        """Rules of a network that predicts in this unit, as rules that predict the number."""
        scale = self.spread * rules.scale
        base = self.centre + scale * rules.intercepts[0]
        return RegressionRules(
            rules.features, rules.memberships, rules.rules, scale, (base,), rules.levels
        )
