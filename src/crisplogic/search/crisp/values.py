"""Where statements hold on the rows of a table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crisplogic.search.crisp.statement import (
    DOT,
    FALSE,
    TRUE,
    UNKNOWN,
    Halves,
    Literal,
    Statement,
    fold,
)

Floats = NDArray[np.float64]


class StatementValues:
    """What statements count on the rows of a table, each computed once.

    Shape: ``columns`` (features, rows).

    >>> values = StatementValues(np.array([[1.0, 2.0, np.nan], [5.0, 5.0, 7.0]]))
    >>> both = Statement((Literal(0, 1.0), Literal(1, 6.0, negated=True)), "..&")
    >>> values.of(both).tolist()
    [0, 2, 0]
    """

    def __init__(self, columns: Floats) -> None:
        self._columns = columns
        self._known: dict[Literal | Statement, Halves] = {}

    def of(self, statement: Statement) -> Halves:
        """What a statement counts on every row, in halves. Shape: (rows,)."""
        if statement not in self._known:
            self._known[statement] = fold(statement, self.of_literal, _join)
        return self._known[statement]

    def of_literal(self, literal: Literal) -> Halves:
        """What a literal counts on every row, in halves. Shape: (rows,)."""
        if literal not in self._known:
            self._known[literal] = step_values(self._columns[literal.feature], literal)
        return self._known[literal]

    def through(self, statement: Statement, end: int) -> tuple[Floats, Floats, Floats]:
        """Where a statement holds without a part, how the part changes that, and the part.

        Without it: if it is false. The part ends at a place of the shape. The statement holds
        where the first and the second times the part say so. Shape: (rows,) each.
        """
        n = self._columns.shape[1]
        without, part = self.with_part(statement, end, np.full(n, FALSE, dtype=np.int8))
        within, _ = self.with_part(statement, end, np.full(n, TRUE, dtype=np.int8))
        return without / TRUE, (within - without) / TRUE, part / TRUE

    def with_part(
        self, statement: Statement, end: int, values: Halves
    ) -> tuple[Halves, Halves]:
        """What a statement counts if a part of it had other values, and what the part has."""
        stack: list[Halves] = []
        literals, part = iter(statement.literals), values
        for place, symbol in enumerate(statement.shape):
            if symbol == DOT:
                stack.append(self.of_literal(next(literals)))
            else:
                second = stack.pop()
                stack.append(_join(symbol, stack.pop(), second))
            if place == end:
                part, stack[-1] = stack[-1], values
        return stack[0], part


def step_values(column: Floats, literal: Literal) -> Halves:
    """What a literal counts, in halves. Shape: (rows,) to (rows,).

    >>> step_values(np.array([1.0, 2.0, np.nan]), Literal(0, 1.0, negated=True)).tolist()
    [2, 0, 1]
    """
    above = column > literal.cut
    values = np.where(above != literal.negated, TRUE, FALSE).astype(np.int8)
    values[np.isnan(column)] = UNKNOWN
    return values


def _join(operator: str, first: Halves, second: Halves) -> Halves:
    """Kleene's logic in halves: unknown is in the middle between false and true."""
    if operator == "&":
        return np.minimum(first, second)
    if operator == "|":
        return np.maximum(first, second)
    unknown = (first == UNKNOWN) | (second == UNKNOWN)
    return np.where(unknown, UNKNOWN, np.abs(first - second)).astype(np.int8)
