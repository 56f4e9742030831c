"""Checklist: two classes, and how many statements have to hold for the positive one.

With unit points a prediction depends on how many statements hold alone. So the rows become a
small table: for each count, how much of the positive class and of the other has it. On such a
table, logistic regression is exact and fast, for many lists of statements at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, xlogy

from crisplogic import kernels
from crisplogic.search.crisp.objective import Objective, Scored, as_expression
from crisplogic.search.crisp.scan import Scan
from crisplogic.search.crisp.screening import Slope
from crisplogic.search.crisp.smoothing import smooth_classes
from crisplogic.search.crisp.statement import TRUE, Halves, Statement, negation
from crisplogic.search.rounding import round_scale
from crisplogic.search.training_set import TrainingSet

Floats = NDArray[np.float64]
Counts = NDArray[np.intp]

# What a wrong class counts, in the loss of one row, beside the log loss: rules of few
# statements cannot have good probabilities everywhere, but they can decide well.
ERROR_COST = 2.0
# A weak prior that the scale is 0, so that it is finite where counts part the classes.
RIDGE = 1e-2
STEPS = 30
# Newton's steps square what is left: after one of this size, only rounding is.
CONVERGED = 1e-6
# Bounds of where it starts, for counts that part the classes.
LEAST_SPREAD, MOST_SCALE = 0.05, 8.0
# So many losses are computed first, those of the least bounds; then those that are in doubt.
# Losses that are nearer than this may be equal once they are rounded.
N_FIRST, ROUNDING = 4, 2e-6
# The logit of a tie is at most this share of the scale, so that half a point decides.
MOST_TIE = 0.45


class Checklist(Objective):
    """The statements of which enough have to hold, for two classes."""

    def __init__(self, data: TrainingSet, depth: int | None = 1) -> None:
        super().__init__(data)
        smooth = smooth_classes(data.X, data.y, 2, self.weights, depth)
        self.positive = self.weights * smooth.targets[:, data.task.positive]
        self.set_longest(depth, smooth.degree)

    @cached_property
    def unsmoothed(self) -> Self:
        """The same with the classes of the rows themselves."""
        other = self._copy()
        other.positive = self.weights * (self.data.y == self.data.task.positive)
        return other

    @cached_property
    def kernel(self) -> Any | None:
        """The same as a compiled kernel; None where there is none."""
        return self._make_kernel(any_of=False, vote=1)

    def _make_kernel(self, any_of: bool, vote: int) -> Any | None:
        """One of whose statements any has to hold, or enough; they vote for a class."""
        if kernels.compiled is None:
            return None
        rows, positive = self.literals.compiled, self.data.task.positive
        return kernels.compiled.checklist(
            rows, positive, self.positive, self.weights, any_of, vote
        )

    def counts(self, statements: Sequence[Statement]) -> Counts:
        """What statements count together, in halves. Shape: (rows,)."""
        total = np.zeros(len(self.weights), dtype=np.intp)
        for each in statements:
            total = self.counts_with(total, self.literals.values(each))
        return total

    def counts_with(self, counts: Counts, values: Halves) -> Counts:
        """How many statements hold if there is one more, in halves. Shape: (rows,) each."""
        return counts + values

    def most(self, n: int) -> int:
        """The greatest count of so many statements."""
        return TRUE * n

    def loss(self, statements: Sequence[Statement]) -> float:
        """Log loss and expected errors, and what statements have to gain."""
        tables = self._tables(self.counts(statements)[None], self.most(len(statements)))
        penalty = sum(map(self.penalty, statements))
        return float(self._losses(*tables)[0]) + penalty

    def loss_of(self, values: Halves) -> float:
        """Log loss and expected errors of one statement. Shape: ``values`` (rows,)."""
        tables = self._tables(values.astype(np.intp)[None], TRUE)
        return float(self._losses(*tables)[0])

    def losses(
        self,
        rest: Sequence[Statement],
        options: Sequence[Statement],
        scans: Sequence[Scan] = (),
        needed: Sequence[Floats] | None = None,
        limit: float = np.inf,
    ) -> Floats:
        """The same with each of the options, then with each cut of the scans."""
        base, most = self.counts(rest), self.most(len(rest) + 1)
        tables = [self._tables_of_cuts(base, scan, most) for scan in scans]
        if options:
            values = [self.literals.values(each) for each in options]
            counts = np.stack([self.counts_with(base, each) for each in values])
            tables.insert(0, self._tables(counts, most))
        positive, negative = (np.concatenate(each) for each in zip(*tables, strict=True))
        penalties = self.penalties(rest, options, scans, needed)
        return self._least_losses(positive, negative, penalties, limit)

    def _least_losses(
        self, positive: Floats, negative: Floats, penalties: Floats, limit: float
    ) -> Floats:
        """Losses with penalties; infinite where a bound rules out that they are the least.

        No probabilities of counts are better than their shares. Shape: (lists, counts) each.
        """
        bounds = self._bounds(positive, negative) + penalties
        found = np.full(len(bounds), np.inf)
        order = np.argsort(bounds, kind="stable")
        order = order[bounds[order] < limit + ROUNDING]
        for some in (order[:N_FIRST], order[N_FIRST:]):
            some = some[bounds[some] <= found.min(initial=np.inf) + ROUNDING]
            if len(some):
                found[some] = self._losses(positive[some], negative[some]) + penalties[some]
        return found

    def _bounds(self, positive: Floats, negative: Floats) -> Floats:
        """What losses are at least. Shape: (lists, counts) each, to (lists,)."""
        total = positive + negative
        entropy = xlogy(total, total) - xlogy(positive, positive) - xlogy(negative, negative)
        errors = self._errors(positive, negative).min(axis=1)
        return np.asarray(entropy.sum(axis=1) + ERROR_COST * errors)

    def least_loss(self) -> float:
        """The loss of the targets themselves, which no statements go below."""
        share = (self.positive / self.weights).clip(1e-12, 1 - 1e-12)
        entropy = -share * np.log(share) - (1 - share) * np.log(1 - share)
        wrong = ERROR_COST * np.minimum(share, 1 - share)
        return float(self.weights @ (entropy + wrong))

    def slope(self, statements: Sequence[Statement]) -> Slope:
        """Of the log loss alone: errors have none."""
        counts = self.counts(statements)
        scale, bias = fit_counts(*self._tables(counts[None], self.most(len(statements))))
        probability = expit(scale[0] * counts / TRUE + bias[0])
        gradient = self.weights * probability - self.positive
        curvature = self.weights * probability * (1 - probability)
        unit = float(scale[0]) if statements else None
        return Slope(gradient[:, None], curvature[:, None], unit)

    def oriented(self, options: Sequence[Statement], slope: Slope) -> list[Statement]:
        """Each option so that it speaks for the positive class."""
        gradient, curvature = slope.gradient[:, 0], slope.curvature[:, 0]
        centred = gradient - curvature * (gradient.sum() / max(float(curvature.sum()), 1e-12))
        turned = [
            each if float(self.literals.values(each) @ centred) <= 0 else negation(each)
            for each in options
        ]
        return [each for each in turned if self.permits(each)]

    def permits(self, statement: Statement) -> bool:
        """Whether the user allows it to speak for the positive class."""
        if self.data.limits is None:
            return True
        votes = np.zeros(2)
        votes[self.data.task.positive] = 1.0
        feature = np.array([each.feature for each in statement.literals])
        return self.data.permits(as_expression(statement), votes, feature)

    def finish(self, statements: Sequence[Statement]) -> Scored:
        """One point each, and an intercept that says how many have to hold."""
        needed = self._needed(statements)
        return self.scored(self.ordered(statements), self.counts(statements), needed)

    def ordered(self, statements: Sequence[Statement]) -> tuple[Statement, ...]:
        """Those first without which the loss is greatest."""
        worth = {}
        for each in statements:
            rest = tuple(other for other in statements if other != each)
            worth[each] = self.rounded_loss(rest)
        return tuple(sorted(statements, key=lambda each: (-worth[each], each)))

    def scored(self, statements: tuple[Statement, ...], counts: Counts, needed: int) -> Scored:
        """Statements of which so many have to hold, with one point each.

        Shape: ``counts`` (rows,), what statements count together, in halves.
        """
        n = len(statements)
        positive, negative = self._tables(counts[None], self.most(n))
        # In halves of a count above what is needed. A half above it is never a tie.
        above = 2 * (np.arange(2 * n + 1) / TRUE - needed) + 0.5
        scale, tie = fit_logits(positive[0], negative[0], above)
        points, intercepts = np.zeros((n, 2)), np.zeros(2)
        points[:, self.data.task.positive] = 1.0
        intercepts[self.data.task.positive] = n - 2 * needed + 0.5
        return Scored(statements, points, intercepts, scale, tie)

    def _needed(self, statements: Sequence[Statement]) -> int:
        """How many statements have to hold, such that fewest classes are wrong.

        A decision threshold moves this count later.
        """
        most = self.most(len(statements))
        positive, negative = self._tables(self.counts(statements)[None], most)
        errors = self._errors(positive, negative)[0, ::TRUE]  # whole counts
        if len(statements) == 0:
            errors = errors[::-1]  # of two classes that are as frequent, the other one
            return 1 - int(np.round(errors, 9).argmin())
        return int(np.round(errors, 9).argmin())

    def _tables_of_cuts(self, base: Counts, scan: Scan, most: int) -> tuple[Floats, Floats]:
        """The same for every cut of a scan. Shape: ``base`` (rows,); returns (cuts, counts)."""
        above, below = (self.counts_with(base, each) for each in (scan.above, scan.below))
        positive, total = scan.tables(above, below, most + 1, self.positive, self.weights)
        return positive, np.maximum(total - positive, 0.0)

    def _tables(self, counts: Counts, most: int) -> tuple[Floats, Floats]:
        """How much of either class has each count. Shape: (lists, rows) to (lists, counts)."""
        lists, size = len(counts), most + 1
        flat = (counts + size * np.arange(lists)[:, None]).ravel()
        shape = counts.shape

        def sums(by_row: Floats) -> Floats:
            repeated = np.broadcast_to(by_row, shape).ravel()
            found = np.bincount(flat, repeated, lists * size).reshape(lists, size)
            return np.asarray(found, dtype=np.float64)

        positive = sums(self.positive)
        return positive, np.maximum(sums(self.weights) - positive, 0.0)

    def _errors(self, positive: Floats, negative: Floats) -> Floats:
        """What wrong classes cost, from each count on. Shape: (lists, counts + 2).

        The last one stands for never: as many as one more than all.
        """
        found = np.empty((len(positive), positive.shape[1] + 2))
        found[:, 0] = negative.sum(axis=1)
        found[:, 1:-1] = (positive - negative).cumsum(axis=1) + found[:, :1]
        found[:, -1] = found[:, -2]
        return found

    def _losses(self, positive: Floats, negative: Floats) -> Floats:
        scale, bias = fit_counts(positive, negative)
        counts = np.arange(positive.shape[1]) / TRUE
        logits = scale[:, None] * counts + bias[:, None]
        losses = np.logaddexp(0, logits) * (positive + negative) - positive * logits
        total = losses.sum(axis=1) + ERROR_COST * self._errors(positive, negative).min(axis=1)
        return np.where(scale < 0, np.inf, total)


def fit_counts(positive: Floats, negative: Floats) -> tuple[Floats, Floats]:
    """Logistic regression on counts of statements, by Newton's method, for many lists.

    Shape: (lists, counts) each, in halves; returns scale and bias, (lists,) each.

    >>> scale, bias = fit_counts(np.array([[1.0, 0.0, 3.0]]), np.array([[3.0, 0.0, 1.0]]))
    >>> np.round(scale + 2 * bias, 2).tolist()
    [-0.0]
    """
    total = positive + negative
    counts = np.arange(positive.shape[1]) / TRUE
    mean = counts.mean()
    powers = np.stack([np.ones(len(counts)), counts - mean, (counts - mean) ** 2], axis=1)
    bias, scale = _guess(positive, negative, powers)
    if len(counts) == 1:
        return scale, bias
    linear = powers[:, :2]
    for _ in range(STEPS):
        probability = expit(scale[:, None] * powers[:, 1] + bias[:, None])
        by_count = total * probability
        by_bias, by_scale = ((by_count - positive) @ linear).T
        by_scale = by_scale + RIDGE * scale
        a, b, c = ((by_count * (1 - probability)) @ powers).T
        a, c = a + 1e-12, c + RIDGE
        determinant = np.maximum(a * c - b**2, 1e-12)
        d_bias = (c * by_bias - b * by_scale) / determinant
        d_scale = (a * by_scale - b * by_bias) / determinant
        largest = np.maximum(np.abs(d_bias), np.abs(d_scale))
        damped = np.minimum(1.0, 2.0 / np.maximum(largest, 1e-9))
        bias, scale = bias - damped * d_bias, scale - damped * d_scale
        if largest.max() < CONVERGED:
            break
    return scale, bias - scale * mean


def _guess(positive: Floats, negative: Floats, powers: Floats) -> tuple[Floats, Floats]:
    """Bias and scale if the counts of either class were normal, with one spread.

    Shape: (lists, counts) each, ``powers`` of the counts (counts, 3); returns (lists,) each.
    """
    own, other = (np.maximum(each.sum(axis=1), 1e-9) for each in (positive, negative))
    (_, one, squares), (_, two, more) = ((each @ powers).T for each in (positive, negative))
    one, two = one / own, two / other
    spread = (squares + more - own * one**2 - other * two**2) / (own + other)
    scale = ((one - two) / np.maximum(spread, LEAST_SPREAD)).clip(-MOST_SCALE, MOST_SCALE)
    return np.log(own / other) - scale * (one + two) / 2, scale


def tabulate(
    difference: Floats, holds: NDArray[np.bool_], weights: Floats | None
) -> tuple[Floats, Floats, Floats]:
    """The distinct values of a difference of scores, and how much of either class has each.

    Shape: (rows,) each, to (values,) each.

    >>> values = tabulate(np.array([0.5, -1.5, 0.5]), np.array([True, False, False]), None)
    >>> [each.tolist() for each in values]
    [[-1.5, 0.5], [0.0, 1.0], [1.0, 1.0]]
    """
    above, place = np.unique(difference, return_inverse=True)
    own = np.ones(len(difference)) if weights is None else weights
    positive, negative = (
        np.bincount(place, own * each, len(above)).astype(np.float64)
        for each in (holds, ~holds)
    )
    return above, positive, negative


def fit_logits(positive: Floats, negative: Floats, above: Floats) -> tuple[float, float]:
    """Scale and tie of logits ``scale * above + tie``, as they are printed.

    ``above`` is by how much a score is above the other one, at least a half in either
    direction. A tie is nearer to 0 than half a scale: logits have the sign of what is above.
    Shape: (counts,) each: how much of either class there is, and how far above it is.

    >>> fit_logits(np.array([1.0, 9.0]), np.array([9.0, 1.0]), np.array([-1.5, 0.5]))
    (2.18, 0.981)
    """
    scale, tie = fit_line(positive, negative, above, MOST_TIE)
    scale = round_scale(scale)
    tie = min(max(tie, -MOST_TIE * scale), MOST_TIE * scale)
    return scale, round_scale(tie)


def fit_line(
    positive: Floats, negative: Floats, above: Floats, most_tie: float = math.inf
) -> tuple[float, float]:
    """Scale and tie of the best logits ``scale * above + tie``, by Newton's method.

    A tie is at most so many scales. Shape: (counts,) each.
    """
    total, scale, tie = positive + negative, 0.1, 0.0
    for _ in range(STEPS):
        probability = 1 / (1 + np.exp(-(scale * above + tie)))
        gradient = total * probability - positive
        curvature = total * probability * (1 - probability) + 1e-12
        by_scale, by_tie = float(gradient @ above) + RIDGE * scale, float(gradient.sum())
        a, b, c = float(curvature @ above**2) + RIDGE, float(curvature @ above), curvature.sum()
        determinant = max(a * c - b**2, 1e-12)
        d_scale = min(max(float(c * by_scale - b * by_tie) / determinant, -1.0), 1.0)
        d_tie = min(max(float(a * by_tie - b * by_scale) / determinant, -1.0), 1.0)
        before = scale, tie
        scale = max(scale - d_scale, 1e-3)
        tie = min(max(tie - d_tie, -most_tie * scale), most_tie * scale)
        if abs(scale - before[0]) + abs(tie - before[1]) < 1e-9:
            break
    return scale, tie
