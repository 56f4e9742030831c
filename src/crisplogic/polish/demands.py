"""Demands: what rules have to keep to, whatever they gain by not doing so."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crisplogic.expr import Expr
from crisplogic.limits import Limits, permitted

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Demands:
    """What columns may do to scores, and how large the rule of a class may be.

    ``budgets`` are literals: what is written in the rule of a class, parts that it shares with
    others included. Infinity sets no bound. Shape: ``budgets`` (classes,).

    >>> from crisplogic.expr import parse
    >>> Demands().permits(parse("0 ^ 1"), np.array([1.0]), np.array([0, 1]))
    True
    """

    limits: Limits | None = None
    budgets: Floats | None = None

    def permits(self, term: Expr, ballot: Floats, feature: NDArray[np.intp]) -> bool:
        """Whether a term may vote like this.

        Shape: ``ballot`` (classes,), ``feature`` (ramps,), the column of every ramp.
        """
        return self.limits is None or permitted(term, ballot, feature, self.limits)


NO_DEMANDS = Demands()
