"""Refit crisp rules: search for better thresholds, then fit what is needed and the scale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from crisplogic.expr import Expr, total
from crisplogic.expr.walk import inputs_in
from crisplogic.rules import (
    ClassificationRules,
    Membership,
    RegressionRules,
    RuleSet,
    Step,
)
from crisplogic.rules.formatting import terms_of
from crisplogic.rules.metrics import best_scale, log_losses, root_mean_squared_error
from crisplogic.rules.rule import AnyRules
from crisplogic.rules.scoring import Scorer
from crisplogic.rules.statements import count_votes
from crisplogic.search.convert import plain_numbers
from crisplogic.search.crisp.checklist import RIDGE, fit_line, fit_logits, tabulate
from crisplogic.search.crisp.convert import with_tie
from crisplogic.search.crisp.cuts import make_cuts
from crisplogic.search.crisp.literals import FINE_CUTS
from crisplogic.search.rounding import round_number_bias, round_scale
from crisplogic.weights import weighted_mean

Floats = NDArray[np.float64]

# How often all thresholds are gone through.
ROUNDS = 3
# More rows than this add little to what thresholds can learn.
MAX_ROWS = 5_000
# So many counts on each side of the best one of a free line are tried.
NEAR = 2


def refit_crisp(
    rules: AnyRules,
    matrix: Floats,
    y: NDArray[np.generic],
    weights: Floats | None,
    cuts_of: Sequence[Sequence[float]],
) -> AnyRules:
    """The same statements with better thresholds, a better count or base, and a better scale.

    ``y`` are positions of classes, or the scores that would predict the numbers. ``cuts_of``
    are the only thresholds of each column; none where there may be any.
    Shape: ``matrix`` (rows, features), ``y`` and ``weights`` (rows,).
    """
    rows = slice(None)
    if len(matrix) > MAX_ROWS:
        rows = np.linspace(0, len(matrix) - 1, MAX_ROWS).round().astype(np.intp)  # type: ignore[assignment]
    own = None if weights is None else weights[rows]
    fit = _Fit(matrix[rows], y[rows], own)
    best, least = fit.numbers(rules)
    for _ in range(ROUNDS):
        before = least
        for index in rules.used:
            moving, others = _split(rules.expressions, index)
            fixed = fit.sums(best.memberships, others)
            for memberships in _with_other_threshold(best, index, matrix[rows], cuts_of):
                # Values of crisp statements are whole, so sums are exact in any order.
                sums = fixed + fit.sums(memberships, moving)
                if fit.may_reach(rules, sums, least):
                    trial = replace(best, memberships=memberships)
                    fitted, loss = fit.fitted(trial, sums)
                    if loss < least - 1e-9:
                        best, least = fitted, loss
        if least == before:
            break
    return _Fit(matrix, y, weights).numbers(best)[0]


def _split(exprs: Sequence[Expr], index: int) -> tuple[list[Expr], list[Expr]]:
    """The terms of every rule that mention an input, and those that do not."""
    moving, others = [], []
    for expr in exprs:
        has = [(term, index in inputs_in([term])) for term in terms_of(expr)]
        moving.append(total(term for term, mentions in has if mentions))
        others.append(total(term for term, mentions in has if not mentions))
    return moving, others


def _with_other_threshold(
    rules: AnyRules, index: int, matrix: Floats, cuts_of: Sequence[Sequence[float]]
) -> Iterator[tuple[Membership, ...]]:
    """The memberships of rules with each other threshold of one literal."""
    step = rules.memberships[index]
    if not isinstance(step, Step):
        return
    cuts = cuts_of[step.feature] or make_cuts(matrix[:, step.feature], FINE_CUTS).tolist()
    for cut in cuts:
        moved = Step(step.feature, float(cut))
        if moved not in rules.memberships:
            yield (*rules.memberships[:index], moved, *rules.memberships[index + 1 :])


class _Fit:
    """Fits intercepts and scale of rules to some rows."""

    def __init__(self, matrix: Floats, y: NDArray[np.generic], weights: Floats | None) -> None:
        self.matrix, self.y, self.weights = matrix, y, weights

    def numbers(self, rules: AnyRules) -> tuple[AnyRules, float]:
        """The rules with the best intercepts and scale for their sums, and the loss."""
        return self.fitted(rules, self.sums(rules.memberships, rules.expressions))

    def sums(self, memberships: Sequence[Membership], exprs: Sequence[Expr]) -> Floats:
        """The values of expressions. Shape: returns (rows, rules)."""
        zero = [0.0] * len(exprs)
        found = np.empty((len(self.matrix), len(zero)))
        for chunk, scores in Scorer(memberships, exprs, zero, crisp=True).scores(self.matrix):
            found[chunk] = scores.T
        return found

    def may_reach(self, rules: RuleSet, sums: Floats, loss: float) -> bool:
        """Whether a loss could be lower than this one, whatever is rounded.

        Most thresholds are no better, which the two numbers of a line tell soon.
        """
        if not isinstance(rules, ClassificationRules) or len(rules.rules) != 2:
            return True
        above, positive, negative = self._table(rules, sums)
        scale, tie = _fit_centred(positive, negative, above)
        total = float(positive.sum() + negative.sum())
        slack = RIDGE * scale**2 / total
        return _log_loss(positive, negative, scale * above + tie) / total < loss + slack

    def fitted(self, rules: AnyRules, sums: Floats) -> tuple[AnyRules, float]:
        """The rules with the best intercepts and scale, and the loss."""
        if isinstance(rules, RegressionRules):
            return self._number(rules, sums[:, 0])
        if len(rules.rules) == 2:
            return self._two_classes(rules, sums)
        return self._classes(rules, sums)

    def _number(self, rules: AnyRules, sums: Floats) -> tuple[AnyRules, float]:
        y = np.asarray(self.y, dtype=np.float64)
        mean, centre = weighted_mean(y, self.weights), weighted_mean(sums, self.weights)
        spread = float(weighted_mean((sums - centre) ** 2, self.weights))
        slope = float(weighted_mean((sums - centre) * (y - mean), self.weights))
        # What a statement adds where it holds is twice the scale: that is what is printed.
        amount = round_scale(2 * slope / spread) if spread > 0 else 0.0
        scale = amount / 2 if amount > 0 else rules.scale
        votes = sum(own[0] for own in count_votes(rules).values())
        base = np.array([float(mean) - scale * (float(centre) + votes)])
        intercept = round_number_bias(base, 2 * scale) + scale * votes
        fitted = replace(rules, scale=scale, intercepts=plain_numbers(intercept, (scale,)))
        predicted = fitted.intercepts[0] + scale * sums
        return fitted, root_mean_squared_error(y, predicted, self.weights)

    def _two_classes(self, rules: AnyRules, sums: Floats) -> tuple[AnyRules, float]:
        """The count from which on the positive class wins, in the form that never ties."""
        assert isinstance(rules, ClassificationRules)
        place = _positive(rules)
        above, positive, negative = self._table(rules, sums)
        total = float(positive.sum() + negative.sum())
        scale, tie = _fit_centred(positive, negative, above)
        # The best count is next to where a free line is zero: the loss is convex.
        zero = min(max(0.5 - tie / scale, above.min()), above.max() + 1)
        first = max(int(above.min()), round(zero) - NEAR)
        last = min(int(above.max()) + 1, round(zero) + NEAR)
        trials = []
        for at_least in range(first, last + 1):
            shift = 0.5 - at_least
            scale, tie = fit_logits(positive, negative, above + shift)
            losses = _log_loss(positive, negative, scale * (above + shift) + tie)
            trials.append((round(losses / total, 9), abs(shift), shift, scale, tie))
        loss, _, shift, scale, tie = min(trials)
        intercepts = list(rules.intercepts)
        intercepts[place] = intercepts[1 - place] + shift
        fitted = replace(rules, scale=scale, intercepts=tuple(intercepts))
        return cast(AnyRules, with_tie(fitted, rules.labels[place], tie)), loss

    def _table(self, rules: ClassificationRules, sums: Floats) -> tuple[Floats, Floats, Floats]:
        """By how much the positive class is above the other, and how much of either has it."""
        place = _positive(rules)
        difference = sums[:, place] - sums[:, 1 - place]
        return tabulate(difference, self.y == place, self.weights)

    def _classes(self, rules: AnyRules, sums: Floats) -> tuple[AnyRules, float]:
        """Intercepts move by whole points, which are two scores, as long as that helps."""
        intercepts = np.array(rules.intercepts)
        loss, scale = self._scaled((sums + intercepts).T)
        for output in range(len(intercepts)):
            for step in (2.0, -2.0):
                trial = intercepts.copy()
                trial[output] += step
                new, fitted = self._scaled((sums + trial).T)
                if new < loss - 1e-9:
                    intercepts, loss, scale = trial, new, fitted
        plain = tuple(map(float, intercepts))
        return replace(rules, scale=scale, intercepts=plain), loss

    def _scaled(self, scores: Floats) -> tuple[float, float]:
        """The log loss under the best scale, and that scale. Shape: (classes, rows)."""
        y = np.asarray(self.y, dtype=np.intp)
        scale = round_scale(best_scale(scores.T, y, self.weights))
        losses = log_losses(scale * scores, y)
        return float(weighted_mean(losses, self.weights)), scale


def _positive(rules: ClassificationRules) -> int:
    return 1 if rules.positive is None else rules.labels.index(rules.positive)


def _fit_centred(positive: Floats, negative: Floats, above: Floats) -> tuple[float, float]:
    """Scale and tie of the best line, whatever counts are. Shape: (counts,) each."""
    middle = float(np.average(above, weights=positive + negative))
    scale, tie = fit_line(positive, negative, above - middle)
    return scale, tie - scale * middle


def _log_loss(positive: Floats, negative: Floats, logits: Floats) -> float:
    """The sum of the losses of all rows. Shape: (counts,) each."""
    return float(positive @ np.logaddexp(0, -logits) + negative @ np.logaddexp(0, logits))
