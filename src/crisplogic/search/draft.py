"""Draft: a rule set as arrays of terms and votes, which the search changes step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from crisplogic.expr import Expr, Var, measure
from crisplogic.expr.autodiff import Tape
from crisplogic.expr.walk import map_children
from crisplogic.search.training_set import TrainingSet

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Draft:
    """Terms and their votes: a term adds its value to the score of a class, or subtracts it.

    Terms are logic expressions over ramps: ramp i is about column ``feature[i]``, false up to
    ``centre[i] - width[i]``, true from ``centre[i] + width[i]`` on. ``votes`` are whole
    numbers: how often a term counts for an output, below 0 if against it.
    The logits are ``scale`` times the sums of the votes, plus ``bias``, which stays 0 if the
    draft is ``pure``.

    Shape: ``feature``, ``centre``, ``width`` (ramps,), ``votes`` (terms, outputs),
    ``bias`` (outputs,).
    """

    feature: NDArray[np.intp]
    centre: Floats
    width: Floats
    terms: tuple[Expr, ...]
    votes: Floats
    bias: Floats
    scale: float
    pure: bool = False

    def degrees(self, data: TrainingSet) -> Floats:
        """The degree of truth of every ramp. Shape: (ramps, rows)."""
        values = data.columns[self.feature]
        ramps = (values - self.centre[:, None]) / self.width[:, None]
        return np.where(np.isnan(ramps), 0.0, ramps.clip(-1.0, 1.0))

    def values(self, data: TrainingSet) -> Floats:
        """The values of the terms. Shape: (terms, rows)."""
        return term_values(self.terms, self.degrees(data))

    def logits(self, values: Floats) -> Floats:
        """From the values of the terms. Shape: (terms, rows) to (outputs, rows)."""
        return self.scale * (self.votes.T @ values) + self.bias[:, None]

    def contributions(self, values: Floats, data: TrainingSet) -> Floats:
        """What terms of these values add to the logits of a class that they vote for.

        Their means belong to the bias, if there is one. Shape: (..., rows) to (..., rows).
        """
        means = 0.0 if self.pure else data.mean(values)[..., None]
        contributions: Floats = self.scale * (values - means)
        return contributions

    def costs(self) -> NDArray[np.intp]:
        """The literals that each term adds to the rules. Shape: (terms,)."""
        pairs = zip(self.terms, self.votes, strict=True)
        return np.array([cost(term, votes) for term, votes in pairs], dtype=np.intp)

    def literals_by_output(self) -> Floats:
        """The literals in the rule of each class, shared parts included. Shape: (outputs,)."""
        literals = np.array([count_literals(term) for term in self.terms], dtype=float)
        counts: Floats = literals @ (self.votes != 0)
        return counts

    def size(self) -> int:
        """The literals in all rules together, as they are printed.

        Sums that are the same in several rules are written once.
        """
        columns = [tuple(column) for column in self.votes.T]
        sums = [sum(map(abs, column)) > 1 for column in columns]
        repeated = [
            is_sum and column in columns[:number]
            for number, (column, is_sum) in enumerate(zip(columns, sums, strict=True))
        ]
        pairs = zip(self.terms, self.votes[:, np.logical_not(repeated)], strict=True)
        return sum(cost(term, votes) for term, votes in pairs)

    def keep(self, kept: NDArray[np.bool_]) -> Draft:
        """Keep only these terms, and only the ramps that they mention."""
        terms = tuple(term for term, stays in zip(self.terms, kept, strict=True) if stays)
        return replace(self, terms=terms, votes=self.votes[kept])._drop_unused_ramps()

    def without_terms(self) -> Draft:
        """No terms: the same output for every row."""
        return self.keep(np.zeros(len(self.terms), dtype=bool))

    def with_votes(self, votes: Floats) -> Draft:
        """The same terms with other votes; a term without any vote goes."""
        return replace(self, votes=votes).keep((votes != 0).any(axis=1))

    def _drop_unused_ramps(self) -> Draft:
        used = Tape(self.terms).used
        numbers = {ramp: number for number, ramp in enumerate(used)}
        return replace(
            self,
            feature=self.feature[used],
            centre=self.centre[used],
            width=self.width[used],
            terms=tuple(renumber(term, numbers) for term in self.terms),
        )


def cost(term: Expr, votes: Floats) -> int:
    """The literals that a term adds to the rules that it votes in. Shape: (outputs,).

    A part that several rules share is written once; a literal is written wherever it stands
    alone.
    """
    return int(np.count_nonzero(votes)) if isinstance(term, Var) else count_literals(term)


@lru_cache(maxsize=10_000)  # the same terms are counted at every step of a path
def count_literals(term: Expr) -> int:
    """The literals in a term."""
    return measure([term]).literals


def term_values(terms: Sequence[Expr], degrees: Floats) -> Floats:
    """Shape: ``degrees`` (ramps, rows); returns (terms, rows)."""
    tape = Tape(terms)
    return tape.values(tape.forward(degrees))


def renumber(expr: Expr, numbers: dict[int, int]) -> Expr:
    """The same expression over inputs with other numbers."""
    if isinstance(expr, Var):
        return Var(numbers[expr.index])
    return map_children(expr, lambda part: renumber(part, numbers))
