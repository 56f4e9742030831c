"""From rules to a draft of them, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from crisplogic.expr import (
    And,
    Expr,
    Not,
    Or,
    Var,
    Xor,
    evaluate,
    simplify,
    split_sign,
    total,
)
from crisplogic.expr.autodiff import Tape
from crisplogic.expr.equivalence import EquivalenceClasses
from crisplogic.expr.walk import map_children
from crisplogic.rules import Rule, RuleSet
from crisplogic.rules.editing.thresholds import ramp_at
from crisplogic.rules.formatting import terms_of
from crisplogic.rules.rule import Label
from crisplogic.search.draft import Draft, count_literals
from crisplogic.search.tasks import Task, task_of

Floats = NDArray[np.float64]


def draft_from_rules(rules: RuleSet, pure: bool = False, positive: int = 1) -> Draft:
    """A rule set as terms and their votes.

    One sum separates two classes: a vote for the other class is one against the ``positive``.
    Constants become part of the bias. A term goes if it mentions a column that never varied,
    or joins two ramps of one column where one would do, or is the *xor* of a ramp with itself,
    which depends only on whether the value is known.
    """
    votes_of, constants = split_terms(rules.expressions)
    bias = task_of(rules).bias(np.array(rules.intercepts), rules.scale)
    bias = bias + rules.scale * constants
    votes = np.array(list(votes_of.values())).reshape(-1, len(rules.rules))
    if len(rules.rules) == 2:
        against = votes[:, 1 - positive].copy()
        votes[:, 1 - positive] = 0.0
        votes[:, positive] -= against
    low = np.array([each.low for each in rules.memberships])
    high = np.array([each.high for each in rules.memberships])
    draft = Draft(
        feature=np.array([each.feature for each in rules.memberships], dtype=np.intp),
        centre=low / 2 + high / 2,
        width=np.maximum(high / 2 - low / 2, np.finfo(float).tiny),
        terms=tuple(votes_of),
        votes=votes.clip(-1.0, 1.0),
        bias=np.zeros(len(rules.rules)) if pure else bias,
        scale=rules.scale,
        pure=pure,
    )
    varied = high > low
    useful = [
        bool(varied[Tape([term]).used].all()) and not _is_xor_with_itself(term)
        for term in draft.terms
    ]
    return _join_ramps_of_one_column(
        draft.keep((draft.votes != 0).any(axis=1) & np.array(useful, dtype=bool))
    )


def split_terms(expressions: Sequence[Expr]) -> tuple[dict[Expr, Floats], Floats]:
    """The votes of every term, and what terms without literals add to every sum.

    Terms are one if they differ only in how they are written. Shape: each (outputs,).

    >>> from crisplogic.expr import parse
    >>> votes, constants = split_terms([parse("0 + 1"), parse("~0 + true")])
    >>> [each.tolist() for each in votes.values()], constants.tolist()
    ([[1.0, -1.0], [1.0, 0.0]], [0.0, 1.0])
    """
    votes: dict[Expr, Floats] = {}
    constants = np.zeros(len(expressions))
    known = _DistinctTerms(max(Tape(expressions).used, default=-1) + 1)
    for output, expression in enumerate(expressions):
        for term in terms_of(expression):
            positive, sign = known.find(term)
            if count_literals(positive) == 0:
                constants[output] += sign * evaluate(positive, np.empty((1, 0)))[0]
            else:
                votes.setdefault(positive, np.zeros(len(expressions)))[output] += sign
    return votes, constants


class _DistinctTerms:
    """The first of all terms that say the same, or the opposite."""

    def __init__(self, n_inputs: int) -> None:
        self._classes = EquivalenceClasses([str(number) for number in range(n_inputs)])
        self._first: dict[int, Expr] = {}

    def find(self, term: Expr) -> tuple[Expr, int]:
        """The first such term, and -1 if this one says the opposite, else 1."""
        positive, sign = split_sign(term)
        same, opposite = self._classes.of(positive), self._classes.of(positive, negated=True)
        if same not in self._first and opposite in self._first:
            return self._first[opposite], -sign
        return self._first.setdefault(same, positive), sign


def _is_xor_with_itself(term: Expr) -> bool:
    match term:
        case Xor(operands=(Var(index=i), Var(index=j))):
            return i == j
    return False


def _join_ramps_of_one_column(draft: Draft) -> Draft:
    """Where "x is high and x is high" joins two ramps of one column, take the first of them."""

    def single(expr: Expr) -> Expr:
        match expr:
            case (
                And(operands=(Var(index=i), Var(index=j)))
                | Or(operands=(Var(index=i), Var(index=j)))
            ) if draft.feature[i] == draft.feature[j]:
                return Var(i)
        return map_children(expr, single)

    votes: dict[Expr, Floats] = {}
    for term, own_votes in zip(draft.terms, draft.votes, strict=True):
        simpler = single(term)
        votes[simpler] = votes.get(simpler, 0.0) + own_votes
    merged = np.array(list(votes.values())).reshape(-1, draft.votes.shape[1]).clip(-1.0, 1.0)
    draft = replace(draft, terms=tuple(votes), votes=merged)
    return draft.keep((merged != 0).any(axis=1))


def rules_from_draft(
    draft: Draft, features: Sequence[str], labels: Sequence[Label], task: Task
) -> RuleSet:
    """The rule set of a draft, its terms in the order of the columns."""
    memberships = tuple(
        ramp_at(int(feature), centre, width)
        for feature, centre, width in zip(draft.feature, draft.centre, draft.width, strict=True)
    )
    terms, votes = _readable_terms(draft)
    rules = tuple(
        Rule(label, total(_repeat_by_votes(terms, own_votes)))
        for label, own_votes in zip(labels, votes.T, strict=True)
    )
    made = task.rule_type(tuple(features), memberships, rules, draft.scale)
    intercepts = task.intercepts(draft.bias, draft.scale)
    return replace(made, intercepts=plain_numbers(intercepts, made.factors))


def _readable_terms(draft: Draft) -> tuple[list[Expr], Floats]:
    """Terms and votes as they are read best: "x or y" for a vote against "neither x nor y".

    Terms are simplified before they are negated, not after: a part that one rule adds and
    another subtracts has to stay the same part in both.
    """
    terms, votes = [], draft.votes.copy()
    for position, term in enumerate(draft.terms):
        against = bool((votes[position] <= 0).all()) and not isinstance(term, Var)
        contrary = _simplify(Not(term))
        if against and not isinstance(contrary, Not):
            votes[position] *= -1
            terms.append(contrary)
        else:
            terms.append(_simplify(term))

    def place(position: int) -> list[tuple[int, float]]:
        ramps = sorted(Tape([terms[position]]).used, key=lambda ramp: draft.feature[ramp])
        return [(int(draft.feature[ramp]), float(draft.centre[ramp])) for ramp in ramps]

    order = sorted(range(len(terms)), key=place)
    return [terms[position] for position in order], votes[order]


def plain_number(value: float, unit: float) -> float:
    """The number that 12 digits show, if it is the same: 0.1 + 0.2 is not quite 0.3.

    A large number needs more digits if what is added to it is as small as ``unit``.

    >>> plain_number(0.1 + 0.2, 1.0), plain_number(1e12 + 0.25, 0.5)
    (0.3, 1000000000000.25)
    """
    plain = float(f"{value:.12g}")
    return plain if abs(plain - value) <= 1e-6 * unit else float(value)


def plain_numbers(values: Iterable[float], units: Iterable[float]) -> tuple[float, ...]:
    """Each as :func:`plain_number` makes it."""
    return tuple(map(plain_number, values, units))


def _repeat_by_votes(terms: Sequence[Expr], votes: Floats) -> list[Expr]:
    """Each term as often as it counts, negated if it counts against. Shape: (terms,)."""
    return [
        term if vote > 0 else Not(term)
        for term, vote in zip(terms, votes, strict=True)
        for _ in range(int(abs(vote)))
    ]


@lru_cache(maxsize=10_000)
def _simplify(term: Expr) -> Expr:
    return simplify(term)
