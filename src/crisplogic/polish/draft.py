"""A rule set in the making: what the polish changes, piece by piece."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from crisplogic.expr import And, Const, Expr, Not, Or, Sum, Var, measure, simplify, total
from crisplogic.expr.tape import Tape
from crisplogic.expr.walk import map_children
from crisplogic.rules import Ramp, Rule, RuleSet
from crisplogic.rules.rule import Label

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sample:
    """The rows that rules are polished on, as columns.

    Shape: ``columns`` (features, rows), NaN where a value is missing; ``targets`` (rows,).
    """

    columns: Floats
    targets: NDArray[np.intp]
    classes: int

    def __len__(self) -> int:
        return len(self.targets)

    def rows(self, numbers: NDArray[np.intp]) -> Sample:
        """Some of the rows."""
        return Sample(self.columns[:, numbers], self.targets[numbers], self.classes)

    def at_most(self, rows: int) -> Sample:
        """The whole sample, or so many of its rows, evenly spread over the table."""
        if len(self) <= rows:
            return self
        return self.rows(np.linspace(0, len(self) - 1, rows).astype(np.intp))

    def ranges(self) -> tuple[Floats, Floats]:
        """The least and the greatest value of every column; 0 where there is none."""
        known = np.isfinite(self.columns)
        low = np.where(known, self.columns, np.inf).min(axis=1)
        high = np.where(known, self.columns, -np.inf).max(axis=1)
        seen = known.any(axis=1)
        return np.where(seen, low, 0.0), np.where(seen, high, 0.0)


@dataclass(frozen=True, eq=False)
class Draft:
    """Terms that vote: a term adds its value to the score of a class, or takes it away.

    Terms are logic expressions over ramps: ramp i is about column ``feature[i]``, false up to
    ``centre[i] - width[i]``, true from ``centre[i] + width[i]`` on. ``votes`` are -1, 0 or 1.
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

    def said(self, values: Floats) -> Floats:
        """What terms of these values add to the logits of a class that they vote for.

        Their means belong to the bias, if there is one. Shape: (..., rows) to (..., rows).
        """
        means = 0.0 if self.pure else values.mean(axis=-1, keepdims=True)
        said: Floats = self.scale * (values - means)
        return said

    def costs(self) -> NDArray[np.intp]:
        """The literals that each term adds to the rules. Shape: (terms,)."""
        pairs = zip(self.terms, self.votes, strict=True)
        return np.array([cost(term, ballot) for term, ballot in pairs], dtype=np.intp)

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
    return int(np.count_nonzero(ballot)) if isinstance(term, Var) else _literals(term)


@lru_cache(maxsize=10_000)  # the same terms are asked about at every step of a path
def _literals(term: Expr) -> int:
    return measure([term]).literals


@lru_cache(maxsize=10_000)
def _simplified(term: Expr) -> Expr:
    return simplify(term)


def term_values(terms: Sequence[Expr], degrees: Floats) -> Floats:
    """Shape: ``degrees`` (ramps, rows); returns (terms, rows)."""
    tape = Tape(terms)
    return tape.values(tape.forwards(degrees))


def renumbered(expr: Expr, numbers: dict[int, int]) -> Expr:
    """The same expression over inputs with other numbers."""
    if isinstance(expr, Var):
        return Var(numbers[expr.index])
    return map_children(expr, lambda part: renumbered(part, numbers))


def drafted(rules: RuleSet, pure: bool = False) -> Draft:
    """A rule set taken apart into terms and their votes.

    Two classes are told apart by one sum: whatever speaks for the first class speaks
    against the second. Whatever is constant becomes part of the bias. A term goes if it
    mentions a column that never varied, or two ramps of one column where one would do.
    """
    positions: dict[Expr, int] = {}
    ballots: list[list[float]] = []
    bias = np.array(rules.intercepts) * rules.scale
    classes = len(rules.rules)
    for column, expression in enumerate(rules.expressions):
        for term in expression.terms if isinstance(expression, Sum) else (expression,):
            positive, sign = (term.operand, -1.0) if isinstance(term, Not) else (term, 1.0)
            if isinstance(positive, Const):
                bias[column] += rules.scale * sign * positive.value
                continue
            if positive not in positions:
                positions[positive] = len(ballots)
                ballots.append([0.0] * classes)
            ballots[positions[positive]][column] += sign
    votes = np.array(ballots).reshape(-1, classes)
    if classes == 2:
        votes = np.stack([np.zeros(len(votes)), votes[:, 1] - votes[:, 0]], axis=1)
    low = np.array([each.low for each in rules.memberships])
    high = np.array([each.high for each in rules.memberships])
    draft = Draft(
        feature=np.array([each.feature for each in rules.memberships], dtype=np.intp),
        centre=low / 2 + high / 2,
        width=np.maximum(high / 2 - low / 2, np.finfo(float).tiny),
        terms=tuple(positions),
        votes=votes.clip(-1.0, 1.0),
        bias=np.zeros(classes) if pure else bias,
        scale=rules.scale,
        pure=pure,
    )
    varied = high > low
    says = [bool(varied[Tape([term]).used].all()) for term in draft.terms]
    return _without_doubles(
        draft.keeping((draft.votes != 0).any(axis=1) & np.array(says, dtype=bool))
    )


def _without_doubles(draft: Draft) -> Draft:
    """Where "x is high and x is high" joins two ramps of one column, the first of them."""

    def single(expr: Expr) -> Expr:
        match expr:
            case (
                And(operands=(Var(index=i), Var(index=j)))
                | Or(operands=(Var(index=i), Var(index=j)))
            ) if draft.feature[i] == draft.feature[j]:
                return Var(i)
        return map_children(expr, single)

    votes: dict[Expr, Floats] = {}
    for term, ballot in zip(draft.terms, draft.votes, strict=True):
        simpler = single(term)
        votes[simpler] = votes.get(simpler, 0.0) + ballot
    merged = np.array(list(votes.values())).reshape(-1, draft.votes.shape[1]).clip(-1.0, 1.0)
    draft = replace(draft, terms=tuple(votes), votes=merged)
    return draft.keeping((merged != 0).any(axis=1))


def as_rules(draft: Draft, features: Sequence[str], labels: Sequence[Label]) -> RuleSet:
    """The rule set that a draft stands for, in the order of the columns."""
    memberships = tuple(
        Ramp(int(feature), _plain(centre - width), _plain(centre + width))
        for feature, centre, width in zip(draft.feature, draft.centre, draft.width, strict=True)
    )
    terms, votes = _presented(draft)
    rules = tuple(
        Rule(label, total(_signed(terms, ballot)))
        for label, ballot in zip(labels, votes.T, strict=True)
    )
    intercepts = tuple(map(_plain, draft.bias / draft.scale))
    return RuleSet(tuple(features), memberships, rules, draft.scale, intercepts)


def _presented(draft: Draft) -> tuple[list[Expr], Floats]:
    """Terms and votes as they are best read: "x or y" for what only counts as "not neither".

    Terms are simplified before they vote, not after: a part that one rule adds and another
    takes away has to stay the same part in both.
    """
    terms, votes = [], draft.votes.copy()
    for position, term in enumerate(draft.terms):
        against = bool((votes[position] <= 0).all()) and not isinstance(term, Var)
        contrary = _simplified(Not(term))
        if against and not isinstance(contrary, Not):
            votes[position] *= -1
            terms.append(contrary)
        else:
            terms.append(_simplified(term))

    def place(position: int) -> list[tuple[int, float]]:
        ramps = sorted(Tape([terms[position]]).used, key=lambda ramp: draft.feature[ramp])
        return [(int(draft.feature[ramp]), float(draft.centre[ramp])) for ramp in ramps]

    order = sorted(range(len(terms)), key=place)
    return [terms[position] for position in order], votes[order]


def _plain(value: float) -> float:
    """The number that 12 digits show: sums of rounded numbers are not quite round."""
    return float(f"{value:.12g}")


def _signed(terms: Sequence[Expr], votes: Floats) -> list[Expr]:
    return [
        term if vote > 0 else Not(term) for term, vote in zip(terms, votes, strict=True) if vote
    ]
