"""Refit rules: fit their numbers to rows anew, while their logic stays as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.constraints import Constraints, Cuts, Limits
from crisplogic.expr import Expr, Var
from crisplogic.expr.walk import map_children, unique_nodes
from crisplogic.rules import (
    ClassificationRules,
    Membership,
    Ramp,
    RegressionRules,
    RuleSet,
    Step,
)
from crisplogic.rules.analysis.evaluation import evaluate
from crisplogic.rules.decision import EVEN
from crisplogic.rules.editing.thresholds import ramp_at, width_of
from crisplogic.rules.rule import AnyRules
from crisplogic.rules.targets import Targets
from crisplogic.search.convert import plain_numbers, split_terms
from crisplogic.search.crisp.refit import refit_crisp
from crisplogic.search.draft import Draft
from crisplogic.search.fit import calibrate, fit_draft
from crisplogic.search.rounding import round_draft
from crisplogic.search.search import MAX_ROWS
from crisplogic.search.tasks import task_of
from crisplogic.search.training_set import TrainingSet
from crisplogic.weights import rows_that_count

Floats = NDArray[np.float64]

STEPS = 100  # of L-BFGS; the search takes fewer, but again and again


def refit(
    rules: AnyRules,
    table: Any,
    y: Any,
    sample_weight: Any = None,
    cuts: Cuts | None = None,
    coded: bool = False,
) -> AnyRules:
    """The same logic with thresholds, widths, intercepts and a scale fitted to these rows.

    Thresholds of crisp rules are searched for: they have no widths, and scores stay whole.

    Only memberships with a threshold move. Those without one, such as ``smoker`` or
    ``colour is red``, stay as they are, and so does every term and every vote, even deep
    inside a tanh. Numbers are rounded to what is printed. On the rows given, the log loss, or
    the root mean squared error of rules that predict a number, never rises: if nothing better
    is found, the rules are returned as they were. ``cuts`` are the only thresholds that some
    columns may have, as ``{"age": [40, 65]}``. A ``coded`` table is a matrix that
    ``RuleSet.matrix`` made.

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
    if isinstance(rules, ClassificationRules) and rules.decision_threshold != EVEN:
        even = rules.with_decision_threshold(EVEN)
        even = refit(even, table, y, sample_weight, cuts, coded)
        return even.with_decision_threshold(rules.decision_threshold)
    cuts_of = _read_cuts(rules, cuts)
    if cuts is not None:
        rules = replace(rules, memberships=tuple(_at_cuts(rules, cuts_of)))
    matrix = rules.matrix(table, coded)
    targets = rules.read_targets(len(matrix), y, sample_weight)
    best, least = rules, evaluate(rules, matrix, targets).metrics.loss
    candidates = _crisp_candidates if rules.crisp else _candidates
    for candidate in candidates(rules, matrix, targets, cuts_of):
        loss = evaluate(candidate, matrix, targets).metrics.loss
        if loss < least:
            best, least = candidate, loss
    return best


def _read_cuts(rules: RuleSet, cuts: Cuts | None) -> tuple[tuple[float, ...], ...]:
    """The cuts of every column; none where there are no bounds."""
    levels = rules.levels or [None] * len(rules.features)
    kinds = ["number" if each is None else "category" for each in levels]
    limits = Constraints.read(rules.features, kinds, None, cuts=cuts).limits
    found = None if limits is None else limits.cuts
    return ((),) * len(rules.features) if found is None else found


def _at_cuts(rules: RuleSet, cuts_of: Sequence[tuple[float, ...]]) -> Iterator[Membership]:
    """The memberships with every threshold at the nearest cut of its column."""
    for each in rules.memberships:
        cuts = cuts_of[each.feature]
        if cuts and isinstance(each, Step):
            _, nearest = min((abs(cut - each.threshold), cut) for cut in cuts)
            yield Step(each.feature, nearest)
        elif cuts and isinstance(each, Ramp) and not _is_fixed(each):
            _, nearest = min((abs(cut - each.threshold), cut) for cut in cuts)
            yield ramp_at(each.feature, nearest, width_of(each))
        else:
            yield each


def _crisp_candidates(
    rules: AnyRules,
    matrix: Floats,
    targets: Targets[Any],
    cuts_of: Sequence[tuple[float, ...]],
) -> list[AnyRules]:
    y, weights = _rows_of(rules, targets)
    rows = rows_that_count(weights)
    own = None if weights is None else weights[rows]
    return [refit_crisp(rules, matrix[rows], y[rows], own, cuts_of)]


def _candidates(
    rules: AnyRules,
    matrix: Floats,
    targets: Targets[Any],
    cuts_of: Sequence[tuple[float, ...]],
) -> list[AnyRules]:
    fixed = np.array([_is_fixed(rules.memberships[index]) for index in rules.used], dtype=bool)
    draft, data = _exact_draft(rules), _training_set(rules, matrix, targets, fixed)
    own_cuts = tuple(cuts_of[rules.memberships[index].feature] for index in rules.used)
    free = Limits.free(len(rules.used), data.n_outputs)
    data = replace(data, limits=replace(free, cuts=own_cuts))
    drafts = [calibrate(draft, draft.values(data), data)]
    if not fixed.all():
        moved = fit_draft(drafts[0], data, STEPS)
        # The fit does not know which memberships are fixed.
        centre, width = np.where(fixed, 0.0, moved.centre), np.where(fixed, 1.0, moved.width)
        moved = replace(moved, centre=centre, width=width)
        drafts.append(calibrate(moved, moved.values(data), data))
    return [_with_numbers(rules, round_draft(each, data), fixed) for each in drafts]


def _is_fixed(membership: Membership) -> bool:
    return not isinstance(membership, Ramp) or membership.low == membership.high


def _ends(membership: Membership) -> tuple[float, float]:
    """Where an input is false and where it is true, in its column of the training set."""
    return (-1.0, 1.0) if _is_fixed(membership) else (membership.low, membership.high)


def _training_set(
    rules: RuleSet, matrix: Floats, targets: Targets[Any], fixed: NDArray[np.bool_]
) -> TrainingSet:
    """The rows, a column for each input; columns of fixed memberships hold their degrees."""
    used = [rules.memberships[index] for index in rules.used]
    columns = np.empty((len(used), len(matrix)))
    for column, membership, stays in zip(columns, used, fixed, strict=True):
        column[:] = membership.degree(matrix) if stays else matrix[:, membership.feature]
    y, weights = _rows_of(rules, targets)
    if weights is not None:
        rows = rows_that_count(weights)
        columns, y, weights = columns[:, rows], y[rows], weights[rows]
        weights = weights / weights.mean()
    data = TrainingSet(columns.T, y, rules.labels, task_of(rules), weights)
    return data.subsample(MAX_ROWS)


def _rows_of(rules: RuleSet, targets: Targets[Any]) -> tuple[NDArray[Any], Floats | None]:
    """Positions of classes, or the scores that would predict the numbers, and weights."""
    y = targets.values
    assert y is not None
    return (rules.transformed(y) if isinstance(rules, RegressionRules) else y), targets.weights


def _exact_draft(rules: RuleSet) -> Draft:
    """The rules as terms and votes, exactly as they are."""
    votes, constants = split_terms(rules.expressions)
    low, high = (
        np.array([_ends(rules.memberships[index]) for index in rules.used]).reshape(-1, 2).T
    )
    intercepts = np.array(rules.intercepts) + np.array(rules.factors) * constants
    return Draft(
        feature=np.arange(len(rules.used)),
        centre=low / 2 + high / 2,
        width=high / 2 - low / 2,
        terms=_over_used_inputs(list(votes), rules.used),
        votes=np.array(list(votes.values())).reshape(-1, len(rules.rules)),
        bias=task_of(rules).bias(intercepts, rules.scale),
        scale=rules.scale,
    )


def _over_used_inputs(terms: Sequence[Expr], used: Sequence[int]) -> tuple[Expr, ...]:
    """The same terms over inputs that are numbered among the used ones."""
    places = {index: place for place, index in enumerate(used)}
    made: dict[Expr, Expr] = {}
    for node in unique_nodes(terms):  # each shared part once: deep rules share a lot
        made[node] = (
            Var(places[node.index])
            if isinstance(node, Var)
            else map_children(node, made.__getitem__)
        )
    return tuple(made[term] for term in terms)


def _with_numbers(rules: AnyRules, draft: Draft, fixed: NDArray[np.bool_]) -> AnyRules:
    """The rules with the numbers of a draft."""
    memberships = list(rules.memberships)
    for index, stays, centre, width in zip(
        rules.used, fixed, draft.centre, draft.width, strict=True
    ):
        if not stays:
            memberships[index] = ramp_at(memberships[index].feature, centre, width)
    changed = replace(rules, memberships=tuple(memberships), scale=draft.scale)
    _, constants = split_terms(rules.expressions)
    intercepts = task_of(rules).intercepts(draft.bias, draft.scale)
    intercepts = intercepts - np.array(changed.factors) * constants
    return replace(changed, intercepts=plain_numbers(intercepts, changed.factors))
