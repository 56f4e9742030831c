"""Score cards: statements with points for each of several classes, or for a number.

Points are first any numbers, fitted to the rows. At the end they are rounded to small whole
numbers, one after the other, each making up for how the ones before it were rounded.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, qr

from crisplogic import kernels
from crisplogic.rules.scoring import softmax
from crisplogic.search.crisp.linear import SoftmaxRegression, fit_scales, softmax_and_log_sums
from crisplogic.search.crisp.objective import DIGITS, Objective, Scored, as_expression
from crisplogic.search.crisp.scan import Scan
from crisplogic.search.crisp.screening import Slope
from crisplogic.search.crisp.smoothing import smooth_classes, smooth_numbers
from crisplogic.search.crisp.statement import TRUE, Statement
from crisplogic.search.losses import GaussianLoss
from crisplogic.search.points import MAX_POINTS, count_doublings
from crisplogic.search.rounding import round_number_bias, round_scale
from crisplogic.search.training_set import TrainingSet

Floats = NDArray[np.float64]

# What a wrong class counts beside twice its squared error, in the loss of one row.
ERROR_COST = 1.0
# How many rows the prior weighs that points are 0: some statements are nearly the same.
RIDGE = 1.0
# Errors of a number below this share of its variance are not worth a literal.
NOISE = 1e-3
# A statement of which others leave no more than this share says nothing of its own.
DEPENDENT = 1e-9
# Of so many options, those of least squared error, the wrong classes are counted.
N_EXACT = 8
# Steps to fit biases, and how exact points are before they are rounded.
STEPS, ENOUGH = 300, 1e-5
# So many halves are the digits of one number, beside the number of a row: 3**25 < 2**40.
DIGITS_AT_ONCE = 25
# What a point has to gain, in the loss of one row, and what doubling it has to gain.
POINT_PENALTY, DOUBLING_PENALTY = 0.25, 0.5
# The greatest number of points that is tried.
MOST_POINTS = (1, 2, 3, 4, 5, 7, MAX_POINTS)


class Fit(NamedTuple):
    """Points of any size, and the scores of the rows.

    ``worth`` is by how much the squared errors grow without each of the statements.

    Shape: ``points`` (statements, outputs), ``bias`` (outputs,), ``scores`` (rows, outputs),
    ``worth`` (statements,).
    """

    points: Floats
    bias: Floats
    scores: Floats
    worth: Floats


class _Patterns(NamedTuple):
    """Rows for which the same statements hold, taken together: points cannot part them.

    ``targets`` are means, and ``truth`` is how much the rows of each class weigh.
    Shape: ``values`` (patterns, statements), ``targets`` and ``truth`` (patterns, classes),
    ``weights`` (patterns,).
    """

    values: Floats
    targets: Floats
    truth: Floats
    weights: Floats

    @classmethod
    def of(
        cls, values: Floats, targets: Floats, y: NDArray[np.intp], weights: Floats
    ) -> _Patterns:
        """Shape: (rows, statements), (rows, classes), (rows,), (rows,).

        >>> alike = np.array([[1.0], [0.0], [1.0]])
        >>> rows = _Patterns.of(alike, np.eye(2)[[0, 1, 1]], np.array([0, 1, 1]), np.ones(3))
        >>> rows.values.tolist(), rows.targets.tolist(), rows.weights.tolist()
        ([[0.0], [1.0]], [[0.0, 1.0], [0.5, 0.5]], [1.0, 2.0])
        """
        if not values.shape[1]:  # all rows are alike
            values = np.zeros((len(values), 1))
        first, place = _first_of_each(np.rint(TRUE * values).astype(np.int64))
        n = len(first)
        total: Floats = np.bincount(place, weights, n).astype(np.float64)
        sums = [np.bincount(place, weights * own, n) / total for own in targets.T]
        truth = [np.bincount(place, weights * (y == own), n) for own in range(targets.shape[1])]
        return cls(values[first], np.stack(sums, axis=1), np.stack(truth, axis=1), total)


def _first_of_each(halves: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first of all rows that are alike, and for each row which of these it is like.

    A few columns at a time are the digits of one number, which is fast to sort.

    Shape: (rows, columns) to (patterns,) and (rows,).

    >>> alike = np.array([[2, 0], [0, 1], [2, 0]])
    >>> [each.tolist() for each in _first_of_each(alike)]
    [[0, 1], [0, 1, 0]]
    """
    first = place = np.zeros(len(halves), dtype=np.intp)
    for start in range(0, halves.shape[1], DIGITS_AT_ONCE):
        digits = halves[:, start : start + DIGITS_AT_ONCE]
        powers = (TRUE + 1) ** np.arange(digits.shape[1], dtype=np.int64)
        # What is alike so far is less than the number of rows: it fits beside the digits.
        keys = place * (TRUE + 1) ** DIGITS_AT_ONCE + digits @ powers
        _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    return first, place


class ScoreCard(Objective):
    """What the cards of classes and of numbers share: statements are chosen by least squares.

    Shape: ``targets`` (rows, outputs).
    """

    targets: Floats
    # Squared errors of a number that are not worth a literal; 0 for classes.
    noise: float = 0.0

    def __init__(self, data: TrainingSet) -> None:
        super().__init__(data)
        self._known_bounds: dict[object, tuple[Floats, Floats]] = {}

    @cached_property
    def unsmoothed(self) -> Self:
        """The same with the targets of the rows themselves."""
        other = self._copy()
        other.targets = self.truth()
        return other

    @cached_property
    def kernel(self) -> Any | None:
        """The same as a compiled kernel; None where there is none."""
        if kernels.compiled is None:
            return None
        targets = np.ascontiguousarray(self.targets.T)
        return kernels.compiled.score_card(self.literals.compiled, targets, self.noise)

    @abstractmethod
    def truth(self) -> Floats:
        """The targets of the rows themselves. Shape: (rows, outputs)."""

    def values(self, statements: Sequence[Statement]) -> Floats:
        """Where statements hold: 1, one half or 0. Shape: (rows, statements)."""
        columns = [self.literals.values(each) for each in statements]
        stacked = np.array(columns, dtype=np.float64).reshape(len(columns), len(self.weights))
        return stacked.T / TRUE

    @abstractmethod
    def losses_of(self, squares: Floats, scores: Floats) -> Floats:
        """Losses of trials, from the sums of their squared errors and from their scores.

        Shape: ``squares`` (trials,), ``scores`` (trials, rows, outputs); returns (trials,).
        """

    def loss(self, statements: Sequence[Statement]) -> float:
        """The loss of the best points, and what statements have to gain."""
        scores = self.fit(statements).scores
        squares = self.weights @ np.square(scores - self.targets).sum(axis=1)
        loss = self.losses_of(np.array([squares]), scores[None])
        return float(loss[0]) + sum(map(self.penalty, statements))

    def losses(
        self,
        rest: Sequence[Statement],
        options: Sequence[Statement],
        scans: Sequence[Scan] = (),
        needed: Sequence[Floats] | None = None,
        limit: float = np.inf,
    ) -> Floats:
        """The loss with each option, then with each cut; infinite where squares rule it out."""
        root = np.sqrt(self.weights)[:, None]
        basis = _basis(root * np.column_stack([np.ones(len(root)), self.values(rest)]))
        targets = root * self.targets
        fitted = basis @ (basis.T @ targets)
        residual = targets - fitted
        sums = self._sums(root * np.concatenate([residual, basis], axis=1), options, scans)
        n = self.targets.shape[1]
        slopes, along, own = sums[:, :n], sums[:, n:-1], sums[:, -1]
        # The prior of RIDGE rows keeps what hardly differs from the others small.
        lengths = np.maximum(own - np.square(along).sum(axis=1), 0.0) + RIDGE
        points = slopes / lengths[:, None]
        if self.data.limits is not None:
            points = points.clip(*self._bounds_of_all(options, scans))
        squares = np.square(residual).sum() - (points * (2 * slopes)).sum(axis=1)
        squares += (points**2).sum(axis=1) * lengths
        penalties = self.penalties(rest, options, scans, needed)
        least = _least(squares + penalties / 2)
        added = root * np.stack([self._values_at(at, options, scans) for at in least], axis=1)
        added -= basis @ (basis.T @ added)
        scores = added.T[:, :, None] * points[least][:, None, :] + fitted
        found = np.full(len(penalties), np.inf)
        found[least] = self.losses_of(squares[least], scores / root) + penalties[least]
        return found

    def _sums(
        self, by_row: Floats, options: Sequence[Statement], scans: Sequence[Scan]
    ) -> Floats:
        """Sums over rows that each option holds for, and of the squares of what it counts.

        Shape: (rows, sums) to (options and cuts, sums + 1).
        """
        found = []
        if options:
            values = self.values(options)
            squares = np.square(values).T @ self.weights
            found.append(np.column_stack([values.T @ by_row, squares]))
        for scan in scans:
            either = [
                np.column_stack([own[:, None] * by_row, own**2 * self.weights])
                for own in (scan.above / TRUE, scan.below / TRUE)
            ]
            found.append(scan.sums(*either))
        return np.concatenate(found)

    def _values_at(
        self, at: int, options: Sequence[Statement], scans: Sequence[Scan]
    ) -> Floats:
        """Where one of all options holds: 1, one half or 0. Shape: (rows,)."""
        if at < len(options):
            return self.literals.values(options[at]) / TRUE
        at -= len(options)
        for scan in scans:
            if at < len(scan):
                return scan.values(at) / TRUE
            at -= len(scan)
        raise IndexError(at)

    def _bounds_of_all(
        self, options: Sequence[Statement], scans: Sequence[Scan]
    ) -> tuple[Floats, Floats]:
        """Of options, then of all cuts of scans. Shape: (options and cuts, outputs) each."""
        low, high = self.bounds([*options, *(scan.statement for scan in scans)])
        counts = [1] * len(options) + [len(scan) for scan in scans]
        return np.repeat(low, counts, axis=0), np.repeat(high, counts, axis=0)

    def fit(self, statements: Sequence[Statement]) -> Fit:
        """The points of least squares."""
        values = self.values(statements)
        share = self.weights / self.weights.sum()
        centre, mean = share @ values, share @ self.targets
        centred = values - centre
        weighted = centred * self.weights[:, None]
        inverse = np.linalg.inv(weighted.T @ centred + RIDGE * np.eye(values.shape[1]))
        points = inverse @ (weighted.T @ (self.targets - mean))
        worth = np.square(points).sum(axis=1) / np.diag(inverse)
        return Fit(points, mean - centre @ points, centred @ points + mean, worth)

    def ordered(self, statements: Sequence[Statement]) -> tuple[Statement, ...]:
        """Those first without which squared errors are greatest."""
        worth = self.fit(statements).worth.round(DIGITS).tolist()
        order = sorted(range(len(worth)), key=lambda at: (-worth[at], statements[at]))
        return tuple(statements[at] for at in order)

    def slope(self, statements: Sequence[Statement]) -> Slope:
        """Of the squared error."""
        weights = self.weights[:, None]
        gradient = weights * (self.fit(statements).scores - self.targets)
        return Slope(gradient, weights, squared=True)

    def bounds(self, statements: Sequence[Statement]) -> tuple[Floats, Floats]:
        """Between which points each statement may have. Shape: (statements, outputs) each."""
        shape = len(statements), self.data.n_outputs
        low, high = np.full(shape, -np.inf), np.full(shape, np.inf)
        if self.data.limits is None:
            return low, high
        for at, each in enumerate(statements):
            low[at], high[at] = self._bounds_of(each)
        return low, high

    def _bounds_of(self, statement: Statement) -> tuple[Floats, Floats]:
        """Whatever its cuts are. Shape: (outputs,) each."""
        key = statement.shape, tuple((each[0], each.negated) for each in statement.literals)
        if key not in self._known_bounds:
            term, votes = as_expression(statement), np.eye(self.data.n_outputs)
            feature = np.array([literal.feature for literal in statement.literals])
            up = [self.data.permits(term, vote, feature) for vote in votes]
            down = [self.data.permits(term, -vote, feature) for vote in votes]
            self._known_bounds[key] = np.where(down, -np.inf, 0.0), np.where(up, np.inf, 0.0)
        return self._known_bounds[key]


class ClassCard(ScoreCard):
    """Points for each of several classes; the greatest sum is predicted."""

    def __init__(self, data: TrainingSet, depth: int | None = 1) -> None:
        super().__init__(data)
        smooth = smooth_classes(data.X, data.y, data.n_outputs, self.weights, depth)
        self.targets = smooth.targets
        self.set_longest(depth, smooth.degree)

    def truth(self) -> Floats:
        """1 for the class of a row, 0 for all others. Shape: (rows, classes)."""
        truth: Floats = np.eye(self.data.n_outputs)[self.data.y]
        return truth

    def losses_of(self, squares: Floats, scores: Floats) -> Floats:
        """Squared errors of probabilities, and what wrong classes cost."""
        predicted = scores.argmax(axis=2)
        rows = np.arange(len(self.targets))
        wrong: Floats = (1 - self.targets[rows, predicted]) @ self.weights
        return 2 * squares + ERROR_COST * wrong

    def finish(self, statements: Sequence[Statement]) -> Scored:
        """The points that pay, in whole numbers."""
        chosen = self.ordered(statements)
        values, bounds = self.values(chosen), self.bounds(chosen)
        rows = _Patterns.of(values, self.targets, self.data.y, self.weights)
        rows = rows._replace(values=rows.values[:, : len(chosen)])
        found = SoftmaxRegression(rows.values, rows.targets, rows.weights).fit(RIDGE, ENOUGH)
        points, bias = found.coefficients.T, found.bias
        # What all classes get changes nothing: the middle class gets none.
        points -= np.median(points, axis=1, keepdims=True)
        if self.data.limits is not None:
            bounds = self._within_literals(chosen, points.clip(*bounds), bounds)
            points = points.clip(*bounds)
            bias = _fit_bias(rows, points, bias)
        whole, base, scale = _rounded(rows, points, bias, bounds)
        intercepts = 2 * base + whole.sum(axis=0)
        return Scored(chosen, whole, intercepts, round_scale(scale / 2))

    def _within_literals(
        self, statements: Sequence[Statement], points: Floats, bounds: tuple[Floats, Floats]
    ) -> tuple[Floats, Floats]:
        """Bounds by which no class has points for more literals than the user allows.

        Each class keeps the statements that have most points for it.
        """
        low, high = (each.copy() for each in bounds)
        most = self.data.max_literals
        if most is None:
            return bounds
        sizes = np.array([each.size for each in statements], dtype=np.float64)
        for output, left in enumerate(most.tolist()):
            for at in np.argsort(-np.abs(points[:, output]).round(9), kind="stable"):
                if sizes[at] <= left:
                    left -= sizes[at]
                else:
                    low[at, output] = high[at, output] = 0.0
        return low, high


def _fit_bias(rows: _Patterns, points: Floats, bias: Floats) -> Floats:
    """The bias that gives every class its share.

    Shape: (statements, classes), (classes,) to (classes,).
    """
    scores, share = rows.values @ points, rows.weights / rows.weights.sum()
    wanted = np.log(np.maximum(share @ rows.targets, 1e-9))
    for _ in range(STEPS):
        change = wanted - np.log(np.maximum(share @ softmax(scores + bias), 1e-9))
        bias = bias + change
        if float(np.abs(change).max()) < 1e-8:
            break
    return bias


def _rounded(
    rows: _Patterns, points: Floats, bias: Floats, bounds: tuple[Floats, Floats]
) -> tuple[Floats, Floats, float]:
    """Whole points, a base for each class, and a scale: those of the least loss.

    The greatest point is 1, or 2, or as many as pay.
    """
    trials = round_points(points, bias, rows.values, rows.weights, bounds)
    bases = [base - base.min(initial=0.0) for _, base in trials]
    scores = np.stack([rows.values @ whole for whole, _ in trials]) + np.array(bases)[:, None]
    scales = fit_scales(np.moveaxis(scores, 2, 0), rows.truth.T)
    losses = _log_losses(rows, scales[:, None, None] * scores)
    for at, (whole, _) in enumerate(trials):
        losses[at] += POINT_PENALTY * np.count_nonzero(whole)
        losses[at] += DOUBLING_PENALTY * float(count_doublings(whole).sum())
    best = int(losses.argmin())
    return trials[best][0], bases[best], float(scales[best])


def _log_losses(rows: _Patterns, scores: Floats) -> Floats:
    """The log loss, and what wrong classes cost.

    Shape: (trials, patterns, classes) to (trials,).
    """
    _, log_sums = softmax_and_log_sums(np.moveaxis(scores, 2, 0))
    losses = log_sums - (rows.targets * scores).sum(axis=2)
    wrong = 1 - rows.targets[np.arange(scores.shape[1]), scores.argmax(axis=2)]
    return np.asarray((losses + ERROR_COST * wrong) @ rows.weights)


class NumberCard(ScoreCard):
    """Points for a number: a base, and an amount for each statement that holds.

    Targets are numbers around their centre in units of their spread. Where the loss is robust,
    those far from all others count as if they lay at the fence.
    """

    def __init__(self, data: TrainingSet, depth: int | None = 1) -> None:
        super().__init__(data)
        assert isinstance(data.loss, GaussianLoss)
        scaled = data.loss.scaled_y
        smooth = smooth_numbers(data.X, scaled, self.weights, depth)
        self.targets = smooth.targets
        self.set_longest(depth, smooth.degree)
        self.total = float(self.weights.sum())
        mean = float(np.average(scaled, weights=self.weights))
        self.noise = NOISE * float(np.average((scaled - mean) ** 2, weights=self.weights))
        self.noise = self.noise or NOISE

    def truth(self) -> Floats:
        """The numbers. Shape: (rows, 1)."""
        assert isinstance(self.data.loss, GaussianLoss)
        return np.asarray(self.data.loss.scaled_y)[:, None]

    def losses_of(self, squares: Floats, scores: Floats) -> Floats:
        """Half the logarithm of the mean squared error, for each row."""
        mean = np.maximum(squares, 0.0) / self.total
        losses: Floats = self.total / 2 * np.log(mean + self.noise)
        return losses

    def finish(self, statements: Sequence[Statement]) -> Scored:
        """The points that pay, in whole numbers."""
        chosen = self.ordered(statements)
        values, bounds = self.values(chosen), self.bounds(chosen)
        points = self.fit(chosen).points.clip(*bounds)
        rounded = round_points(points, np.zeros(1), values, self.weights, bounds)
        trials = [
            self._with_unit(points, whole, values, most)
            for most, (whole, _) in zip(MOST_POINTS, rounded, strict=True)
        ]
        _, whole, unit = min(trials, key=lambda trial: trial[0])
        base, unit = self._fit_amounts((values @ whole)[:, 0], unit)
        # A statement's value is -1 or 1, so what it adds is split in two.
        intercepts = base + unit * float(whole.sum()) / 2
        return Scored(chosen, whole, intercepts, unit / 2)

    def _fit_amounts(self, sums: Floats, unit: float) -> tuple[Floats, float]:
        """The base and what a point is worth, for the numbers themselves, not for smooth ones.

        Shape: ``sums`` of points (rows,); returns (1,) and a number.
        """
        loss = self.data.loss
        start = np.array([loss.centre]), unit * loss.spread
        if float(np.ptp(sums)) == 0:
            bias, exact = loss.fit_constant(start[1])
        else:
            bias, exact = loss.fit_bias_and_scale(sums[None], *start, pure=False, steps=STEPS)
        rounded = round_scale(exact)
        share = self.weights / self.total
        base = bias + (exact - rounded) * float(share @ sums)
        return round_number_bias(base, rounded), rounded

    def _with_unit(
        self, points: Floats, whole: Floats, values: Floats, most: int
    ) -> tuple[float, Floats, float]:
        """Whole points of at most so many, and what one is worth, with their loss."""
        unit = _unit(points, most)
        whole = np.where(whole == 0, np.sign(points), whole)
        sums = (values @ whole)[:, 0]
        share = self.weights / self.total
        centred = sums - share @ sums
        spread = float(share @ centred**2)
        targets = self.targets[:, 0]
        fitted = float((share * centred) @ targets) / spread if spread > 0 else 0.0
        unit = fitted if fitted > 0 else unit
        squares = self.weights @ (unit * centred - (targets - share @ targets)) ** 2
        penalty = DOUBLING_PENALTY * float(count_doublings(whole).sum())
        loss = float(self.losses_of(np.array([squares]), np.empty(0))[0]) + penalty
        return loss, whole, unit


def _basis(columns: Floats) -> Floats:
    """Columns of length 1 that span what others span. Shape: (rows, n) to (rows, at most n).

    What hardly differs from columns before it is left out: only rounding is left of it.

    >>> _basis(np.array([[1.0, 2.0, 0.0], [1.0, 2.0, 1.0], [1.0, 2.0, 3.0]])).shape
    (3, 2)
    """
    # The column that differs most from those before it is the next one.
    basis, upper, order = qr(columns, mode="economic", pivoting=True)
    squares = np.square(columns).sum(axis=0)[order[: len(upper)]]
    found: Floats = basis[:, np.square(np.diag(upper)) > DEPENDENT * squares]
    return found


def _least(squares: Floats) -> NDArray[np.intp]:
    """The places of the few least ones, in order. Shape: (options,)."""
    order = np.argsort(np.round(squares, 6), kind="stable")
    return np.sort(order[:N_EXACT])


def _unit(points: Floats, most: int) -> float:
    """What a point is worth if the greatest has so many."""
    return float(np.abs(points).max(initial=0.0)) / most or 1.0


def round_points(
    points: Floats,
    bias: Floats,
    values: Floats,
    weights: Floats,
    bounds: tuple[Floats, Floats],
) -> list[tuple[Floats, Floats]]:
    """Whole points and bases near others, such that the scores of the rows change little.

    There is a pair of both for each of ``MOST_POINTS``, in units of what a point is worth then.
    Points are rounded one by one; what one loses the following make up for, as far as their
    statements hold for the same rows.

    Shape: ``points`` and both ``bounds`` (statements, outputs), ``bias`` (outputs,), ``values``
    (rows, statements), ``weights`` (rows,); returns the first and ``bias``.

    >>> values, points = np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([[0.4], [1.0]])
    >>> bounds = np.full((2, 1), -9.0), np.full((2, 1), 9.0)
    >>> whole, base = round_points(points, np.zeros(1), values, np.ones(2), bounds)[0]
    >>> whole.ravel().tolist(), base.tolist()
    ([0.0, 1.0], [0.0])
    """
    inputs = np.column_stack([values, np.ones(len(values))])
    gram = (inputs * weights[:, None]).T @ inputs
    gram += 1e-6 * (np.trace(gram) / len(gram)) * np.eye(len(gram))
    upper = cholesky(gram)  # gram = upper.T @ upper
    # Trials lie side by side: (statements and a base, outputs of all trials).
    trials = len(MOST_POINTS)
    wanted = np.hstack(
        [np.vstack([points, bias]) / _unit(points, most) for most in MOST_POINTS]
    )
    least, most = (np.tile(each.clip(-MAX_POINTS, MAX_POINTS), trials) for each in bounds)
    whole = np.zeros_like(wanted)
    for at in range(len(wanted) - 1, -1, -1):
        later = slice(at + 1, None)
        owed = upper[at, later] @ (wanted[later] - whole[later]) / upper[at, at]
        # Halves are rounded up, after the last digits, which differ between processors, went.
        whole[at] = np.floor(np.round(wanted[at] + owed, 9) + 0.5)
        if at < len(points):
            whole[at] = whole[at].clip(least[at], most[at])
    return [(each[:-1], each[-1]) for each in np.hsplit(whole, trials)]
