"""A rule set in the making: what the polish changes, piece by piece."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from crisplogic.expr import Expr, Var, measure
from crisplogic.expr.autodiff import Tape
from crisplogic.expr.walk import map_children
from crisplogic.search.sample import Sample

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Draft:
    """Terms that vote: a term adds its value to the score of a class, or takes it away.

    Terms are logic expressions over ramps: ramp i is about column ``feature[i]``, false up to
    ``centre[i] - width[i]``, true from ``centre[i] + width[i]`` on. ``votes`` are -1, 0 or 1,
    and of a number any whole numbers: how often a term counts.
    The logits are ``scale`` times the sums of the votes, plus ``bias``, which stays 0 if the
    draft is ``pure``.

    Shape: ``feature``, ``centre``, ``width`` (ramps,), ``votes`` (terms, classes),
    ``bias`` (classes,).
    """

    feature: NDArray[np.intp]
    centre: Floats
    width: Floats
    terms: tuple[Expr, ...]
    votes: Floats
    bias: Floats
    scale: float
    pure: bool = False

    def degrees(self, sample: Sample) -> Floats:
        """How far every ramp is true. Shape: (ramps, rows)."""
        values = sample.columns[self.feature]
        ramps = (values - self.centre[:, None]) / self.width[:, None]
        return np.where(np.isnan(ramps), 0.0, ramps.clip(-1.0, 1.0))

    def values(self, sample: Sample) -> Floats:
        """The values of the terms. Shape: (terms, rows)."""
        return term_values(self.terms, self.degrees(sample))

    def logits(self, values: Floats) -> Floats:
        """From the values of the terms. Shape: (terms, rows) to (classes, rows)."""
        return self.scale * (self.votes.T @ values) + self.bias[:, None]

    def said(self, values: Floats, sample: Sample) -> Floats:
        """What terms of these values add to the logits of a class that they vote for.

        Their means belong to the bias, if there is one. Shape: (..., rows) to (..., rows).
        """
        means = 0.0 if self.pure else sample.mean(values)[..., None]
        said: Floats = self.scale * (values - means)
        return said

    def costs(self) -> NDArray[np.intp]:
        """The literals that each term adds to the rules. Shape: (terms,)."""
        pairs = zip(self.terms, self.votes, strict=True)
        return np.array([cost(term, ballot) for term, ballot in pairs], dtype=np.intp)

    def spent(self) -> Floats:
        """The literals in the rule of each class, shared parts included. Shape: (classes,)."""
        literals = np.array([literals_of(term) for term in self.terms], dtype=float)
        spent: Floats = literals @ (self.votes != 0)
        return spent

    def size(self) -> int:
        """The literals in all rules together."""
        return int(self.costs().sum())

    def keeping(self, kept: NDArray[np.bool_]) -> Draft:
        """Only these terms, and only the ramps that they mention."""
        terms = tuple(term for term, stays in zip(self.terms, kept, strict=True) if stays)
        return replace(self, terms=terms, votes=self.votes[kept])._without_idle_ramps()

    def voting(self, votes: Floats) -> Draft:
        """The same terms with other votes; one without any vote goes."""
        return replace(self, votes=votes).keeping((votes != 0).any(axis=1))

    def _without_idle_ramps(self) -> Draft:
        used = Tape(self.terms).used
        numbers = {ramp: number for number, ramp in enumerate(used)}
        return replace(
            self,
            feature=self.feature[used],
            centre=self.centre[used],
            width=self.width[used],
            terms=tuple(renumbered(term, numbers) for term in self.terms),
        )


def cost(term: Expr, ballot: Floats) -> int:
    """The literals that a term adds to the rules that it votes in. Shape: (classes,).

    A part that several rules share is written once; a literal is written wherever it stands
    alone.
    """
    return int(np.count_nonzero(ballot)) if isinstance(term, Var) else literals_of(term)


@lru_cache(maxsize=10_000)  # the same terms are asked about at every step of a path
def literals_of(term: Expr) -> int:
    """The literals in a term."""
    return measure([term]).literals


def term_values(terms: Sequence[Expr], degrees: Floats) -> Floats:
    """Shape: ``degrees`` (ramps, rows); returns (terms, rows)."""
    tape = Tape(terms)
    return tape.values(tape.forward(degrees))


def renumbered(expr: Expr, numbers: dict[int, int]) -> Expr:
    """The same expression over inputs with other numbers."""
    if isinstance(expr, Var):
        return Var(numbers[expr.index])
    return map_children(expr, lambda part: renumbered(part, numbers))
