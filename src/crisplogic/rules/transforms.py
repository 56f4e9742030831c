"""Transforms of a number: what a rule adds up may be the logarithm of what it predicts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
TransformName = Literal["log", "log1p"]


@dataclass(frozen=True)
class Transform:
    """A function that rises, its inverse, and how it is written.

    ``domain`` says which numbers it is for, ``least`` is above which bound they lie.

    >>> log = TRANSFORMS["log"]
    >>> log.written("price"), log.inverse(log.apply(np.array([8.0]))).round(9).tolist()
    ('log(price)', [8.0])
    """

    pattern: str
    apply: Callable[[Any], Any]
    invert: Callable[[Any], Any]
    domain: str
    least: float

    def written(self, name: str) -> str:
        """What the rule of a number is called."""
        return self.pattern.format(name)

    def inverse(self, values: Floats) -> Floats:
        """The numbers again; the largest float where they are too large for one."""
        with np.errstate(over="ignore"):
            numbers: Floats = np.minimum(self.invert(values), np.finfo(np.float64).max)
        return numbers


TRANSFORMS: dict[str, Transform] = {
    "log": Transform("log({})", np.log, np.exp, "above 0", 0.0),
    "log1p": Transform("log(1 + {})", np.log1p, np.expm1, "above -1", -1.0),
}
