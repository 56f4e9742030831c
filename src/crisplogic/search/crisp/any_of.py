"""Any of some statements, or all of them: what a checklist is where no counting is needed.

Statements are added that cover what no other one covers yet. So a list of many conjunctions is
found one by one, where a count of them would be led astray by how often they hold together.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from crisplogic.search.crisp.checklist import Checklist, Counts, fit_counts
from crisplogic.search.crisp.screening import Slope
from crisplogic.search.crisp.statement import FALSE, TRUE, Halves, Statement, negation

# What a row counts that a statement should not hold for: others may add rows, none takes away.
MISTAKE = 3.0


class AnyOf(Checklist):
    """Statements of which one has to hold, for the positive class or for the other one."""

    def __init__(self, checklist: Checklist, negated: bool = False) -> None:
        self.__dict__.update(vars(checklist._copy()))
        self._negated = negated
        if negated:
            self.positive = self.weights - self.positive
        self.weights = self.positive + MISTAKE * (self.weights - self.positive)

    def as_checklist(self, statements: Sequence[Statement]) -> tuple[Statement, ...]:
        """The statements that speak for the positive class.

        Where any of them speaks for the other one, all their negations have to hold.
        """
        return tuple(map(negation, statements)) if self._negated else tuple(statements)

    @cached_property
    def kernel(self) -> Any | None:
        """The same as a compiled kernel; None where there is none."""
        return self._make_kernel(any_of=True, vote=-1 if self._negated else 1)

    def counts_with(self, counts: Counts, values: Halves) -> Counts:
        """Whether any holds, in halves. Shape: (rows,) each."""
        return np.maximum(counts, values)

    def most(self, n: int) -> int:
        """As that of one statement."""
        return TRUE

    def slope(self, statements: Sequence[Statement]) -> Slope:
        """Rows for which a statement holds already do not count."""
        counts = self.counts(statements)
        scale, bias = fit_counts(*self._tables(counts[None], self.most(1)))
        probability = 1 / (1 + np.exp(-float(bias[0])))
        left = counts == FALSE
        gradient = np.where(left, self.weights * probability - self.positive, 0.0)
        curvature = np.where(left, self.weights * probability * (1 - probability), 0.0)
        unit = float(scale[0]) if statements else None
        return Slope(gradient[:, None], curvature[:, None], unit)

    def permits(self, statement: Statement) -> bool:
        """Whether the user allows it to speak for the class."""
        return super().permits(negation(statement) if self._negated else statement)
