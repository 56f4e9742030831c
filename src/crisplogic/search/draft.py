"""Draft: a rule set as arrays of terms and votes, which the search changes step by step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from crisplogic.expr import Expr, Not, Var, measure, split_sign
from crisplogic.expr.autodiff import Tape
from crisplogic.expr.walk import rebuild, unique_nodes
from crisplogic.search.training_set import TrainingSet

Floats = NDArray[np.float64]

PAIR = 2  # the most literals in a term of one level


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

    def costs(self) -> Floats:
        """The literals that each term adds to the rules. Shape: (terms,).

        The literals of a part that several terms share are divided among them.
        """
        shares = literal_shares(self.terms) if self.is_deep else {}
        return np.array(
            [
                shares[term]
                if term in shares and not isinstance(term, Var)
                else cost(term, votes)
                for term, votes in zip(self.terms, self.votes, strict=True)
            ],
            dtype=float,
        )

    @property
    def is_deep(self) -> bool:
        """Whether a term has more than two literals."""
        return any(count_literals(term) > PAIR for term in self.terms)

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
        if not self.is_deep:
            return sum(cost(term, votes) for term, votes in pairs)
        alone = sum(cost(term, votes) for term, votes in pairs if isinstance(term, Var))
        return (
            alone + measure(term for term in self.terms if not isinstance(term, Var)).literals
        )

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
        if used == list(range(len(self.feature))):
            return self
        return replace(
            self,
            feature=self.feature[used],
            centre=self.centre[used],
            width=self.width[used],
            terms=renumber(self.terms, {ramp: number for number, ramp in enumerate(used)}),
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


def renumber(terms: Sequence[Expr], numbers: Mapping[int, int]) -> tuple[Expr, ...]:
    """The same terms over inputs with other numbers."""

    def change(part: Expr) -> Expr:
        return Var(numbers[part.index]) if isinstance(part, Var) else part

    return tuple(rebuild(terms, change))


def literal_shares(terms: Sequence[Expr]) -> dict[Expr, float]:
    """The literals of every part of some terms; of what they share each place has its share.

    >>> from crisplogic.expr import parse
    >>> shares = literal_shares([parse("(0 & 1) | 2"), parse("(0 & 1) | 3")])
    >>> [shares[parse(text)] for text in ("0 & 1", "(0 & 1) | 2")]
    [1.0, 2.0]
    """
    order = list(unique_nodes(terms))
    places = Counter(split_sign(term)[0] for term in terms)
    places.update(split_sign(part)[0] for node in order for part in node.parts)
    shares: dict[Expr, float] = {}
    for node in order:
        if isinstance(node, Var):
            shares[node] = 1.0
        elif isinstance(node, Not):
            shares[node] = shares[node.operand]
        else:
            shares[node] = sum(shares[part] for part in node.parts) / max(places[node], 1)
    return shares
