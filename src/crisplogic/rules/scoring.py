"""Scorer: the way from a table to scores and winners, a chunk of rows after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from crisplogic.expr import Expr
from crisplogic.expr.plan import CHUNK_ROWS, Desk, Plan
from crisplogic.rules.membership import Membership
from crisplogic.rules.ramps import Ramps

Floats = NDArray[np.float64]


class Scorer:
    """What a rule set computes, made ready: whatever the number of rows, memory is bounded.

    Only columns that the expressions mention are looked at. A score is the value of an
    expression, times its factor where there are ``factors``, plus its intercept.

    >>> from crisplogic.expr import parse
    >>> exprs = [parse("0 & 1"), parse("~0")]
    >>> scorer = Scorer([Membership(0, -1, 1), Membership(1, -1, 1)], exprs, [0.0, 0.25])
    >>> for chunk, scores in scorer.scores(np.array([[1.0, 1.0], [-1.0, 1.0]])):
    ...     print(scores.tolist(), winners(scores).tolist())
    [[1.0, -1.0], [-0.75, 1.25]] [0, 1]
    """

    def __init__(
        self,
        memberships: Sequence[Membership],
        exprs: Sequence[Expr],
        intercepts: Sequence[float],
        factors: Sequence[float] | None = None,
    ) -> None:
        self._plan = Plan(exprs)
        self._ramps = Ramps([memberships[index] for index in self._plan.used])
        # Adding zero turns -0.0 into 0.0, which is what no intercept is.
        self._intercepts = [np.array(intercept + 0.0) for intercept in intercepts]
        self._factors = [1.0] * len(intercepts) if factors is None else list(factors)

    def scores(self, table: Floats) -> Iterator[tuple[slice, Floats]]:
        """The scores of some rows after the other; the next overwrite the last.

        Shape: ``table`` (rows, features); each time (classes, rows of the slice).
        """
        memory = np.empty((len(self._intercepts), min(len(table), CHUNK_ROWS)))
        for chunk, desk in self._plan.desks(len(table)):
            self._ramps.write(table[chunk], desk.inputs)
            desk.run()
            scores = memory[:, : chunk.stop - chunk.start]
            self._add_intercepts(desk, scores)
            yield chunk, scores

    def _add_intercepts(self, desk: Desk, out: Floats) -> None:
        for (value, negative), factor, intercept, score in zip(
            desk.results, self._factors, self._intercepts, out, strict=True
        ):
            if factor != 1:
                value = np.multiply(value, factor, out=score)
            if negative:
                np.subtract(intercept, value, out=score)
            else:
                np.add(intercept, value, out=score)


def winners(scores: Floats) -> NDArray[np.unsignedinteger]:
    """The class of the greatest score, in a tie the first. Shape: (classes, rows) to (rows,).

    It does the same as ``argmax``, but class by class: rows are many, classes are few.

    >>> winners(np.array([[0.0, 1.0, 2.0], [1.0, 1.0, 2.0], [1.0, 0.0, 3.0]])).tolist()
    [1, 0, 2]
    """
    number = np.min_scalar_type(len(scores)).type  # the smaller, the faster
    best = scores[0].copy()
    winner = np.zeros(len(best), dtype=number)
    ahead = np.empty(len(best), dtype=bool)
    for rank, score in enumerate(scores[1:], start=1):
        np.greater(score, best, out=ahead)
        np.maximum(winner, ahead * number(rank), out=winner)  # no rank so far is greater
        np.maximum(best, score, out=best)
    return winner
