"""Limits: how each column may act on each score, and how large rules may be."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from crisplogic.expr import Expr
from crisplogic.expr.connectives import operators_of
from crisplogic.expr.monotonicity import monotonicity
from crisplogic.parameters import require

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Limits:
    """How each column may act on the score of each output, and how large rules may be.

    ``rises``: whether the score may rise as the column rises; ``falls``: whether it may fall.
    A column that is free may do both. ``pairs``: which columns may stand together in one term;
    None if all may. A column may always stand beside itself. ``max_literals``: the most
    literals in the rule of each output, parts that it shares with others included; None, or
    infinity, sets no bound. ``operators``: the names of those that may join columns; None if
    all may. *And* and *or* are one where only one of them is allowed: each can be written as
    the other. ``cuts``: the only thresholds of each column, none where any may be.

    Shape: ``rises`` and ``falls`` (columns, outputs), ``pairs`` (columns, columns),
    ``max_literals`` (outputs,).

    >>> limits = Limits.free(columns=3, outputs=2)
    >>> limits.directed.tolist(), limits.is_free
    ([False, False, False], True)
    """

    rises: Bools
    falls: Bools
    pairs: Bools | None = None
    max_literals: Floats | None = None
    operators: frozenset[str] | None = None
    cuts: tuple[tuple[float, ...], ...] | None = None

    def __post_init__(self) -> None:
        shapes = self.rises.ndim == 2 and self.rises.shape == self.falls.shape
        needed = "two tables of one shape, (columns, outputs)"
        require(shapes, "rises and falls", needed, (self.rises.shape, self.falls.shape))
        if self.pairs is not None:
            square = (len(self.rises),) * 2
            needed = f"a table of columns by columns, {square}"
            require(self.pairs.shape == square, "pairs", needed, self.pairs.shape)
            either_way = (self.pairs & self.pairs.T) | np.eye(len(self.pairs), dtype=bool)
            object.__setattr__(self, "pairs", either_way)

    @classmethod
    def free(cls, columns: int, outputs: int) -> Limits:
        """No limits at all."""
        return cls(np.ones((columns, outputs), bool), np.ones((columns, outputs), bool))

    @property
    def directed(self) -> Bools:
        """Which columns are not free in what they do to every score. Shape: (columns,)."""
        return np.asarray((~self.rises | ~self.falls).any(axis=1))

    @property
    def one_way(self) -> Bools:
        """Which columns may only raise some score, or only lower it. Shape: (columns,).

        A column that may do neither has no weight there, and needs no direction.
        """
        return np.asarray((self.rises != self.falls).any(axis=1))

    @property
    def is_free(self) -> bool:
        """Whether nothing is limited."""
        free = self.max_literals is None and self.cuts is None
        return free and self.of_networks is None

    @property
    def of_columns(self) -> bool:
        """Whether columns are limited in what they do or beside which others they stand."""
        return bool(self.directed.any()) or not (self.pairs is None or bool(self.pairs.all()))

    @property
    def allows_xor(self) -> bool:
        """Whether *xor* may join columns."""
        return self.operators is None or "xor" in self.operators

    @property
    def allows_and_or(self) -> bool:
        """Whether *and* or *or* may join columns."""
        return self.operators is None or bool(self.operators & {"and", "or"})

    @property
    def of_networks(self) -> Limits | None:
        """The limits that networks keep to: those of columns and operators; None if free."""
        free = not self.of_columns and self.operators is None
        return None if free else replace(self, max_literals=None, cuts=None)

    def permit(
        self, term: Expr, votes: NDArray[np.floating], feature: NDArray[np.intp]
    ) -> bool:
        """Whether a term may have these votes.

        The structure of a term says in which direction each input acts; an input that may act
        in both directions needs both. All columns of the term must be allowed to stand
        together, whatever its votes.

        Shape: ``votes`` (outputs,), each -1, 0 or 1; ``feature`` (inputs,), the column of every
        input of the term.

        >>> from crisplogic.expr import parse
        >>> up = Limits(np.array([[True], [True]]), np.array([[False], [True]]))
        >>> both = np.array([0, 1])
        >>> [up.permit(parse("0 & ~1"), np.array([vote]), both) for vote in (1.0, -1.0)]
        [True, False]
        >>> up.permit(parse("0 ^ 1"), np.array([1.0]), both)
        False
        """
        if not self._permit_operators(term):
            return False
        signs = monotonicity(term)
        columns = sorted({int(feature[number]) for number in signs})
        if self.pairs is not None and not self.pairs[np.ix_(columns, columns)].all():
            return False
        for number, sign in signs.items():
            column = feature[number]
            rising = votes != 0 if sign == 0 else votes * sign > 0
            falling = votes != 0 if sign == 0 else votes * sign < 0
            if (rising & ~self.rises[column]).any() or (falling & ~self.falls[column]).any():
                return False
        return True

    def _permit_operators(self, term: Expr) -> bool:
        if self.operators is None:
            return True
        used = operators_of([term])
        return (self.allows_xor or "xor" not in used) and (
            self.allows_and_or or used <= {"xor"}
        )
