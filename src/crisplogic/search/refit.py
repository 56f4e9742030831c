"""Refitting: the numbers of rules fitted to rows anew, while their logic stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.expr import Const, Expr, Var, split_sign
from crisplogic.expr.walk import map_children, unique_nodes
from crisplogic.rules import Membership, Ramp, RegressionRules, RuleSet
from crisplogic.rules.analysis.evaluation import evaluate
from crisplogic.rules.editing.thresholds import ramp_at
from crisplogic.rules.formatting import terms_of
from crisplogic.rules.rule import AnyRules
from crisplogic.rules.targets import Targets
from crisplogic.search.calibrate import calibrated
from crisplogic.search.draft import Draft
from crisplogic.search.fit import refitted
from crisplogic.search.rounding import rounded
from crisplogic.search.sample import Sample
from crisplogic.search.search import MOST_ROWS

Floats = NDArray[np.float64]

STEPS = 100  # of descent; the polish takes fewer, but goes on to do so again and again


def refit(rules: AnyRules, table: Any, y: Any, sample_weight: Any = None) -> AnyRules:
    """The same logic with thresholds, widths, intercepts and a scale that suit these rows.

    Only memberships with a threshold move; those without one, such as ``smoker`` or
    ``colour is red``, stay as they are, and so does every term and every vote, be it deep
    inside a tanh. Numbers are rounded to what is printed. On the rows given, the log loss, or
    the root mean squared error of rules that predict a number, is never greater than before:
    where nothing better is found, the rules come back as they were.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Rule
    >>> ill, well = Rule("ill", parse("0")), Rule("well", parse("unknown"))
    >>> rules = ClassificationRules(("glucose",), (Ramp(0, 80.0, 160.0),), (ill, well))
    >>> rows = [[glucose] for glucose in range(80, 181)]
    >>> y = np.array(["ill" if glucose > 140 else "well" for [glucose] in rows])
    >>> after = refit(rules, rows, y)
    >>> [int((each.predict(rows) == y).sum()) for each in (rules, after)]
    [80, 101]
    """
    matrix = rules.matrix(table)
    targets = rules.read_targets(len(matrix), y, sample_weight)
    best, least = rules, evaluate(rules, matrix, targets).metrics.loss
    for candidate in _candidates(rules, matrix, targets):
        loss = evaluate(candidate, matrix, targets).metrics.loss
        if loss < least:
            best, least = candidate, loss
    return best


def _candidates(rules: AnyRules, matrix: Floats, targets: Targets[Any]) -> list[AnyRules]:
    fixed = np.array([_is_fixed(rules.memberships[index]) for index in rules.used], dtype=bool)
    draft, sample = _drafted(rules), _sample(rules, matrix, targets, fixed)
    drafts = [calibrated(draft, draft.values(sample), sample)]
    if not fixed.all():
        moved = refitted(drafts[0], sample, STEPS)
        # The descent knows nothing of what is fixed.
        centre, width = np.where(fixed, 0.0, moved.centre), np.where(fixed, 1.0, moved.width)
        moved = replace(moved, centre=centre, width=width)
        drafts.append(calibrated(moved, moved.values(sample), sample))
    return [_returned(rounded(each, sample), rules, fixed) for each in drafts]


def _is_fixed(membership: Membership) -> bool:
    return not isinstance(membership, Ramp) or membership.low == membership.high


def _ends(membership: Membership) -> tuple[float, float]:
    """Where an input is false and where it is true, in the column that the sample has of it."""
    return (-1.0, 1.0) if _is_fixed(membership) else (membership.low, membership.high)


def _sample(
    rules: RuleSet,
    matrix: Floats,
    targets: Targets[Any],
    fixed: NDArray[np.bool_],
) -> Sample:
    """The rows, a column for each input: what is fixed is there as it is already."""
    used = [rules.memberships[index] for index in rules.used]
    columns = np.empty((len(used), len(matrix)))
    for row, membership, stays in zip(columns, used, fixed, strict=True):
        row[:] = membership.degree(matrix) if stays else matrix[:, membership.feature]
    values, weights = targets.values, targets.weights
    assert values is not None
    if weights is not None:
        counts = weights > 0
        columns, values, weights = columns[:, counts], values[counts], weights[counts]
        weights = weights / weights.mean()
    return Sample(columns, values, len(rules.rules), weights).at_most(MOST_ROWS)


def _drafted(rules: RuleSet) -> Draft:
    """The rules as terms that vote: exactly as they are, unlike in the polish."""
    votes: dict[Expr, Floats] = {}
    for position, expression in enumerate(rules.expressions):
        for term in terms_of(expression):
            bare, sign = split_sign(term)
            if not isinstance(bare, Const):
                votes.setdefault(bare, np.zeros(len(rules.rules)))[position] += sign
    low, high = (
        np.array([_ends(rules.memberships[index]) for index in rules.used]).reshape(-1, 2).T
    )
    return Draft(
        feature=np.arange(len(rules.used)),
        centre=low / 2 + high / 2,
        width=high / 2 - low / 2,
        terms=_over_inputs_used(list(votes), rules.used),
        votes=np.array(list(votes.values())).reshape(-1, len(rules.rules)),
        bias=_bias(rules),
        scale=rules.scale,
    )


def _over_inputs_used(terms: Sequence[Expr], used: Sequence[int]) -> tuple[Expr, ...]:
    """The same terms over inputs that are counted among those that are used."""
    places = {index: place for place, index in enumerate(used)}
    made: dict[Expr, Expr] = {}
    for node in unique_nodes(terms):  # what is shared once: deep rules share a lot
        made[node] = (
            Var(places[node.index])
            if isinstance(node, Var)
            else map_children(node, made.__getitem__)
        )
    return tuple(made[term] for term in terms)


def _bias(rules: RuleSet) -> Floats:
    """Intercepts and what is always true or false. Shape: (classes,)."""
    if isinstance(rules, RegressionRules):
        return np.array(rules.intercepts) + rules.scale * _constants(rules)
    return (np.array(rules.intercepts) + _constants(rules)) * rules.scale


def _intercepts(draft: Draft, rules: RuleSet) -> Floats:
    """The intercepts that make the bias of a draft. Shape: (classes,)."""
    if isinstance(rules, RegressionRules):
        return draft.bias - draft.scale * _constants(rules)
    return draft.bias / draft.scale - _constants(rules)


def _constants(rules: RuleSet) -> Floats:
    """What terms that are always true or false add to the scores. Shape: (classes,)."""
    added = np.zeros(len(rules.rules))
    for position, expression in enumerate(rules.expressions):
        for term in terms_of(expression):
            bare, sign = split_sign(term)
            if isinstance(bare, Const):
                added[position] += sign * bare.value
    return added


def _returned(draft: Draft, rules: AnyRules, fixed: NDArray[np.bool_]) -> AnyRules:
    """The rules with the numbers of a draft."""
    memberships = list(rules.memberships)
    for index, stays, centre, width in zip(
        rules.used, fixed, draft.centre, draft.width, strict=True
    ):
        if not stays:
            memberships[index] = ramp_at(memberships[index].feature, centre, width)
    return replace(
        rules,
        memberships=tuple(memberships),
        intercepts=tuple(float(f"{value:.12g}") for value in _intercepts(draft, rules)),
        scale=draft.scale,
    )
