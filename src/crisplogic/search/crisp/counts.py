"""Counts that lie between two numbers: *exactly two of six*, which no checklist can say.

How many of some literals hold tells all that such a statement knows, so the entropy of the
classes at each count is what it can explain at best, whichever counts speak for the positive
class. Literals are added and exchanged by that. Then all ranges of counts are compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from crisplogic.expr import Expr, Not, Var
from crisplogic.expr.counts import between
from crisplogic.search.crisp.checklist import Checklist
from crisplogic.search.crisp.objective import LONG_PENALTY, XOR_PENALTY
from crisplogic.search.crisp.statement import FALSE, TRUE, UNKNOWN, Halves, Literal

Floats = NDArray[np.float64]

# Of so many literals, and of tables that have no more of them.
LEAST_COUNTED, MOST_COUNTED, MOST_LITERALS = 3, 8, 40
# So many ways to begin are followed.
N_STARTS = 6
LEAST_GAIN = 1e-6


class Counted(NamedTuple):
    """That at least and at most so many literals hold; its loss, and its values on all rows."""

    loss: float
    least: int
    most: int
    literals: tuple[Literal, ...]
    values: Halves

    def expression(self) -> Expr:
        """The count over inputs, one a literal."""
        inputs = enumerate(self.literals)
        parts = [Not(Var(at)) if each.negated else Var(at) for at, each in inputs]
        return between(self.least, self.most, parts)


def best_counts(rows: Checklist, most: int) -> Iterator[Counted]:
    """The best count of each number of literals that is worth looking at.

    A count stands in two parts, so it has twice as many literals as it speaks of. Whoever
    chooses from so many counts finds some that fit by chance: each literal has to gain the
    logarithm of how many there are. ``rows`` have their own classes as targets.
    """
    literals = rows.literals
    limits = rows.data.limits
    free = limits is None or limits.operators is None
    if not (free and LEAST_COUNTED <= len(literals.feature) <= MOST_LITERALS):
        return
    search = _Search(rows)
    for size, chosen in search.best_by_size(min(MOST_COUNTED, most // 2)).items():
        if size >= LEAST_COUNTED:
            yield from _best_range(rows, [search.literals[at] for at in chosen])


class _Search:
    """Looks for literals whose count tells most, on the rows that screen."""

    def __init__(self, objective: Checklist) -> None:
        literals = objective.literals
        pairs = list(zip(literals.feature.tolist(), literals.cut.tolist(), strict=True))
        self.n = len(pairs)
        self.literals = [Literal(*each, negated) for negated in (False, True) for each in pairs]
        holds = (literals.holds * TRUE).astype(np.intp)
        self.values = np.concatenate([holds, TRUE - holds])
        self.positive = objective.positive[literals.screened]
        self.weights = objective.weights[literals.screened]

    def best_by_size(self, most: int) -> dict[int, tuple[int, ...]]:
        """The literals of each number, up to ``most``, whose count leaves least open."""
        seconds = [self._extended((first,)) for first in range(self.n)]
        best: dict[int, tuple[float, tuple[int, ...]]] = {}
        for loss, chosen in sorted(seconds)[:N_STARTS]:
            while len(chosen) < most and np.isfinite(loss):
                loss, chosen = self._exchanged(*self._extended(chosen))
                found = loss, tuple(sorted(chosen))
                best[len(chosen)] = min(best.get(len(chosen), found), found)
        return {size: chosen for size, (loss, chosen) in best.items() if np.isfinite(loss)}

    def _extended(self, chosen: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        losses = np.round(self._losses(chosen), 6)
        return float(losses.min()), (*chosen, int(losses.argmin()))

    def _exchanged(self, loss: float, chosen: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        """Exchange literals one by one, as long as that helps."""
        waiting = list(chosen)
        while waiting and np.isfinite(loss):
            rest = tuple(at for at in chosen if at != waiting[0])
            better, other = self._extended(rest)
            waiting = waiting[1:]
            if better < loss - LEAST_GAIN:
                loss, chosen = better, other
                waiting = list(rest)
        return loss, chosen

    def _losses(self, rest: tuple[int, ...]) -> Floats:
        """What is open if each literal is counted, too. Shape: (literals,).

        A literal stands there once, and not beside its negation.
        """
        counts = self.values + self.values[list(rest)].sum(axis=0)
        size = TRUE * (len(rest) + 1) + 1
        flat = (counts + size * np.arange(len(counts))[:, None]).ravel()
        total, positive = (
            np.bincount(flat, np.tile(each, len(counts)), len(counts) * size)
            for each in (self.weights, self.positive)
        )
        negative = np.maximum(total - positive, 0.0)
        open_ = xlogy(total, total) - xlogy(positive, positive) - xlogy(negative, negative)
        losses: Floats = open_.reshape(len(counts), size).sum(axis=1)
        losses[[at % self.n for at in rest]] = np.inf
        losses[[at % self.n + self.n for at in rest]] = np.inf
        return losses


def _best_range(rows: Checklist, literals: list[Literal]) -> Iterator[Counted]:
    """The best range of a count, unless constraints forbid all."""
    n = len(literals)
    values = np.array([rows.literals.known.of_literal(each) for each in literals])
    holds, open_ = (values == TRUE).sum(axis=0), (values == UNKNOWN).sum(axis=0)
    feature = np.array([each.feature for each in literals], dtype=np.intp)
    votes = np.zeros(2)
    votes[rows.data.task.positive] = 1.0
    penalty = XOR_PENALTY + LONG_PENALTY * (n - 2) + n * log(2 * len(rows.literals.feature))
    found = []
    for least in range(1, n):
        for most in range(least, n):
            inside = (holds >= least) & (holds + open_ <= most)
            outside = (holds + open_ < least) | (holds > most)
            made = np.where(inside, TRUE, np.where(outside, FALSE, UNKNOWN)).astype(np.int8)
            found.append(
                Counted(rows.loss_of(made) + penalty, least, most, tuple(literals), made)
            )
    best = min(found, key=lambda each: (round(each.loss, 6), each.least, each.most))
    if rows.data.permits(best.expression(), votes, feature):
        yield best
