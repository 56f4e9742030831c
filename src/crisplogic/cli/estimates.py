"""Estimates: means over folds, with honest intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from crisplogic.cross_validation import corrected_standard_error

Floats = NDArray[np.float64]
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A mean over folds, and between what the truth most likely is."""

    mean: float
    low: float
    high: float

    def to_dict(self) -> dict[str, float]:
        """As JSON knows it."""
        return {"mean": self.mean, "low": self.low, "high": self.high}


def estimate(
    values: Floats, folds: int, least: float = -math.inf, most: float = math.inf
) -> Estimate:
    """The mean and its 95 % interval, by the corrected t-test of Nadeau and Bengio.

    No interval reaches below what is the ``least`` or above what is the ``most``.

    >>> found = estimate(np.array([0.1, 0.2, 0.1, 0.2]), folds=4)
    >>> [round(value, 3) for value in (found.low, found.mean, found.high)]
    [0.01, 0.15, 0.29]
    """
    error = corrected_standard_error(values, test_share=1 / (folds - 1))
    reach = float(student.ppf((1 + CONFIDENCE) / 2, len(values) - 1)) * error
    mean = float(values.mean())
    return Estimate(mean, max(least, mean - reach), min(most, mean + reach))


@dataclass(frozen=True)
class Trial:
    """What cross-validation is made of: so many rows in so many folds, some times over."""

    rows: int
    folds: int
    repeats: int

    def to_dict(self) -> dict[str, float]:
        """As JSON knows it."""
        return {
            "rows": self.rows,
            "folds": self.folds,
            "repeats": self.repeats,
            "confidence": CONFIDENCE,
        }

    def to_text(self) -> str:
        """A heading for what was found."""
        times = "once" if self.repeats == 1 else f"{self.repeats} times"
        return f"{self.rows} rows, {self.folds} folds, {times}; on rows not learned from:"


@dataclass(frozen=True)
class Sizes:
    """How many literals rules of different folds have."""

    mean: float
    least: int
    most: int

    @classmethod
    def of(cls, literals: NDArray[np.intp]) -> Sizes:
        """Those of some rules. Shape: (rules,)."""
        return cls(float(literals.mean()), int(literals.min()), int(literals.max()))

    def to_dict(self) -> dict[str, float]:
        """As JSON knows it."""
        return {"mean": self.mean, "least": self.least, "most": self.most}

    def to_text(self) -> str:
        """A line for a person to read."""
        return f"literals  {self.mean:.1f} on average, {self.least} to {self.most}"
