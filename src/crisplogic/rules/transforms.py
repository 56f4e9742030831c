"""Transforms of a number: what a rule adds up may be the logarithm of what it predicts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError

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

    def forward(self, numbers: Floats, what: str) -> Floats:
        """Transform numbers; any that has no transform is an error. Shape: (rows,)."""
        wrong = np.flatnonzero(~(numbers > self.least))
        if len(wrong):
            raise TableError(
                f"{what} needs numbers {self.domain}, got {numbers[wrong[0]]:.12g} in row "
                f"{wrong[0]} (counted from 0); 'log1p' is for numbers above -1"
            )
        transformed: Floats = self.apply(numbers)
        return transformed

    def inverse(self, values: Floats) -> Floats:
        """The numbers again; the largest float where they are too large for one."""
        with np.errstate(over="ignore"):
            numbers: Floats = np.minimum(self.invert(values), np.finfo(np.float64).max)
        return numbers


TRANSFORMS: dict[str, Transform] = {
    "log": Transform("log({})", np.log, np.exp, "above 0", 0.0),
    "log1p": Transform("log(1 + {})", np.log1p, np.expm1, "above -1", -1.0),
}
