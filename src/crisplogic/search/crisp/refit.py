"""Refit crisp rules: search for better thresholds, then fit what is needed and the scale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from crisplogic.rules import ClassificationRules, RegressionRules, Step
from crisplogic.rules.metrics import best_scale, log_losses, root_mean_squared_error
from crisplogic.rules.rule import AnyRules
from crisplogic.rules.scoring import Scorer
from crisplogic.rules.statements import count_votes
from crisplogic.search.convert import plain_numbers
from crisplogic.search.crisp.checklist import fit_logits, tabulate
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
            for trial in _with_other_threshold(best, index, matrix[rows], cuts_of):
                fitted, loss = fit.numbers(trial)
                if loss < least - 1e-9:
                    best, least = fitted, loss
        if least == before:
            break
    return _Fit(matrix, y, weights).numbers(best)[0]


def _with_other_threshold(
    rules: AnyRules, index: int, matrix: Floats, cuts_of: Sequence[Sequence[float]]
) -> Iterator[AnyRules]:
    """The rules with each other threshold of one literal."""
    step = rules.memberships[index]
    if not isinstance(step, Step):
        return
    cuts = cuts_of[step.feature] or make_cuts(matrix[:, step.feature], FINE_CUTS).tolist()
    for cut in cuts:
        moved = Step(step.feature, float(cut))
        if moved not in rules.memberships:
            memberships = (
                *rules.memberships[:index], moved, *rules.memberships[index + 1 :]
            )  # fmt: skip
            yield replace(rules, memberships=memberships)


class _Fit:
    """Fits intercepts and scale of rules to some rows."""

    def __init__(self, matrix: Floats, y: NDArray[np.generic], weights: Floats | None) -> None:
        self.matrix, self.y, self.weights = matrix, y, weights

    def numbers(self, rules: AnyRules) -> tuple[AnyRules, float]:
        """The rules with the best intercepts and scale for their sums, and the loss."""
        zero = [0.0] * len(rules.rules)
        scorer = Scorer(rules.memberships, rules.expressions, zero, crisp=True)
        sums = np.empty((len(self.matrix), len(zero)))
        for chunk, scores in scorer.scores(self.matrix):
            sums[chunk] = scores.T
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
        place = 1 if rules.positive is None else rules.labels.index(rules.positive)
        difference = sums[:, place] - sums[:, 1 - place]
        above, positive, negative = tabulate(difference, self.y == place, self.weights)
        total = float(positive.sum() + negative.sum())
        trials = []
        for at_least in range(int(above.min()), int(above.max()) + 2):
            shift = 0.5 - at_least
            scale, tie = fit_logits(positive, negative, above + shift)
            logits = scale * (above + shift) + tie
            losses = positive @ np.logaddexp(0, -logits) + negative @ np.logaddexp(0, logits)
            trials.append((round(float(losses) / total, 9), abs(shift), shift, scale, tie))
        loss, _, shift, scale, tie = min(trials)
        intercepts = list(rules.intercepts)
        intercepts[place] = intercepts[1 - place] + shift
        fitted = replace(rules, scale=scale, intercepts=tuple(intercepts))
        return cast(AnyRules, with_tie(fitted, rules.labels[place], tie)), loss

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
