"""From rules to a draft of them, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from crisplogic.expr import (
    And,
    Const,
    Expr,
    Not,
    Or,
    Sum,
    Var,
    Xor,
    simplify,
    split_sign,
    total,
)
from crisplogic.expr.autodiff import Tape
from crisplogic.expr.walk import map_children
from crisplogic.rules import ClassificationRules, Ramp, RegressionRules, Rule, RuleSet
from crisplogic.rules.rule import Label, Predicts
from crisplogic.search.draft import Draft

Floats = NDArray[np.float64]


def drafted(rules: RuleSet, pure: bool = False) -> Draft:
    """A rule set taken apart into terms and their votes.

    Two classes are told apart by one sum: whatever speaks for the first class speaks
    against the second. Whatever is constant becomes part of the bias. A term goes if it
    mentions a column that never varied, or two ramps of one column where one would do, or asks
    whether something is other than itself, which says no more than whether it is known.
    """
    positions: dict[Expr, int] = {}
    ballots: list[list[float]] = []
    bias = np.array(rules.intercepts)
    if isinstance(rules, ClassificationRules):
        bias = bias * rules.scale
    classes = len(rules.rules)
    for column, expression in enumerate(rules.expressions):
        for term in expression.terms if isinstance(expression, Sum) else (expression,):
            positive, sign = split_sign(term)
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
    says = [
        bool(varied[Tape([term]).used].all()) and not _is_of_itself(term)
        for term in draft.terms
    ]
    return _without_doubles(
        draft.keeping((draft.votes != 0).any(axis=1) & np.array(says, dtype=bool))
    )


def _is_of_itself(term: Expr) -> bool:
    match term:
        case Xor(operands=(Var(index=i), Var(index=j))):
            return i == j
    return False


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


def as_rules(
    draft: Draft,
    features: Sequence[str],
    labels: Sequence[Label],
    predicts: Predicts = "class",
) -> RuleSet:
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
    bias = draft.bias if predicts == "number" else draft.bias / draft.scale
    intercepts = tuple(map(_plain, bias))
    kind = RegressionRules if predicts == "number" else ClassificationRules
    return kind(tuple(features), memberships, rules, draft.scale, intercepts)


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
    """Each term as often as it counts, negated if it counts against. Shape: (terms,)."""
    return [
        term if vote > 0 else Not(term)
        for term, vote in zip(terms, votes, strict=True)
        for _ in range(int(abs(vote)))
    ]


@lru_cache(maxsize=10_000)
def _simplified(term: Expr) -> Expr:
    return simplify(term)
