"""Limits: what each column may do to each score, and whether a term keeps to it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from crisplogic.expr import Expr
from crisplogic.expr.monotonicity import monotonicity
from crisplogic.parameters import require

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Limits:
    """What the score of each output may do with each column.

    ``rises``: whether the score may rise as the column rises; ``falls``: whether it may fall.
    A column that is free may do both. ``pairs``: which columns may stand together in one term;
    None if all may. A column always may stand beside itself.

    Shape: ``rises`` and ``falls`` (columns, outputs), ``pairs`` (columns, columns).

    >>> limits = Limits.free(columns=3, outputs=2)
    >>> limits.directed.tolist(), limits.is_free
    ([False, False, False], True)
    """

    rises: Bools
    falls: Bools
    pairs: Bools | None = None

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
    def is_free(self) -> bool:
        """Whether nothing is limited."""
        return not self.directed.any() and (self.pairs is None or bool(self.pairs.all()))


def permitted(
    term: Expr, ballot: NDArray[np.floating], feature: NDArray[np.intp], limits: Limits
) -> bool:
    """Whether a term that votes like this keeps to the limits.

    What it does to a score follows from its structure: where it may do either, both have to be
    allowed. Whatever it votes for, all columns that it mentions must be allowed to stand
    together.

    Shape: ``ballot`` (outputs,), each -1, 0 or 1; ``feature`` (inputs,), the column of every
    input of the term.

    >>> from crisplogic.expr import parse
    >>> up = Limits(np.array([[True], [True]]), np.array([[False], [True]]))
    >>> both = np.array([0, 1])
    >>> [permitted(parse("0 & ~1"), np.array([vote]), both, up) for vote in (1.0, -1.0)]
    [True, False]
    >>> permitted(parse("0 ^ 1"), np.array([1.0]), both, up)
    False
    """
    signs = monotonicity(term)
    columns = {int(feature[number]) for number in signs}
    if limits.pairs is not None:
        together = combinations(sorted(columns), 2)
        if not all(limits.pairs[one, other] for one, other in together):
            return False
    for number, sign in signs.items():
        column = feature[number]
        # An input that may act either way does both with every score that the term votes in.
        rising = ballot != 0 if sign == 0 else ballot * sign > 0
        falling = ballot != 0 if sign == 0 else ballot * sign < 0
        if (rising & ~limits.rises[column]).any() or (falling & ~limits.falls[column]).any():
            return False
    return True


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
