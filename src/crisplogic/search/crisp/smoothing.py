"""Smooth targets: what a ridge regression on all pairs of columns makes of noisy ones.

Rules that are chosen from thousands fit the noise of single rows. So they are fitted to what a
smooth model predicts for the rows, and only a little to the rows' own targets. The model spans
what one level of logic spans, the products of all pairs of columns, and of all pairs of steps.
It is convex: it has one solution, which does not depend on a seed or a processor.

Held-out rows choose the inputs, the degree of their products and the ridge, all by least
squares, which solves many ridges at once in closed form. That is the model of numbers, too.
Classes get a softmax regression of the same inputs and a ridge to match.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dtrtri

from crisplogic.rules.metrics import unit_of
from crisplogic.search.crisp.cuts import make_cuts
from crisplogic.search.crisp.linear import (
    EXACT,
    LeastSquares,
    SoftmaxRegression,
    fit_scales,
    softmax_and_log_sums,
)

Floats = NDArray[np.float64]

# How much the smooth prediction counts in a target; the rest is the row's own.
SMOOTH = 0.95
# Columns are clipped to these quantiles: single values far away would decide too much.
CLIPPED = (0.02, 0.98)
STEPS_PER_COLUMN = 8
# What is compared on held-out rows: whether there are steps, and products of how many inputs.
FAMILIES = ((False, 2), (True, 1), (True, 2))
RIDGES = (10.0, 3.0, 1.0, 0.3, 0.1, 0.03)
# Products of so many inputs tell whether pairs suffice.
DEEP_DEGREES = (3, 4)
# By how many standard errors they have to be better.
CLEARLY = 2.0
FOLDS = 3
# How many families are compared on all folds; the first fold leaves them.
N_LEFT = 2
# Rows that become reference points, and rows that choose a setting.
MOST_POINTS, POINTS_TO_CHOOSE = 256, 128
MOST_ROWS_TO_CHOOSE = 1500
# How exact probabilities of several classes are, by the steepest slope that is left: rules of
# more exact ones are as good, and take twice the time.
ENOUGH = 1e-2


@dataclass(frozen=True, eq=False)
class _Inputs:
    """Columns as a smooth model sees them: centred, of the same spread, no gaps.

    Shape: each (features,) but ``cuts``, one array a feature.
    """

    unit: Floats
    low: Floats
    high: Floats
    mean: Floats
    spread: Floats
    cuts: tuple[Floats, ...]

    @classmethod
    def of(cls, X: Floats) -> _Inputs:
        """What is known from some rows. Shape: (rows, features)."""
        columns = [column[np.isfinite(column)] for column in X.T]
        columns = [column if len(column) else np.zeros(1) for column in columns]
        # Sums and squares of any columns are finite, in units about as large as their values.
        unit = np.array([unit_of(column) for column in columns])
        columns = [column / own for column, own in zip(columns, unit, strict=True)]
        ends = np.array([np.quantile(column, CLIPPED) for column in columns]).reshape(-1, 2)
        flat = ends[:, 0] == ends[:, 1]
        ends[flat] = np.array([[column.min(), column.max()] for column in columns])[flat]
        clipped = [
            column.clip(*own).astype(np.float64)
            for column, own in zip(columns, ends, strict=True)
        ]
        spread = np.array([column.std() for column in clipped])
        return cls(
            unit,
            ends[:, 0],
            ends[:, 1],
            np.array([column.mean() for column in clipped]),
            np.where(spread > 0, spread, 1.0),
            tuple(make_cuts(column, STEPS_PER_COLUMN) for column in X.T),
        )

    def transform(self, X: Floats, steps: bool) -> Floats:
        """Shape: (rows, features) to (rows, inputs)."""
        with np.errstate(over="ignore"):  # what overflows is clipped
            clipped = (X / self.unit).clip(self.low, self.high)
        scaled = (clipped - self.mean) / self.spread
        parts = [np.nan_to_num(scaled)]
        if steps:
            parts += [
                np.where(
                    np.isnan(column)[:, None], 0.0, np.sign((column[:, None] > cuts) - 0.5)
                )
                / np.sqrt(len(cuts))
                for column, cuts in zip(X.T, self.cuts, strict=True)
                if len(cuts)
            ]
        inputs: Floats = np.concatenate(parts, axis=1) / np.sqrt(X.shape[1])
        return inputs


@dataclass(frozen=True, eq=False)
class _Space:
    """Inputs of rows, and reference points among them.

    Shape: ``points`` (points, inputs), ``of_points`` (points, points).
    """

    inputs: _Inputs
    steps: bool
    points: Floats
    of_points: Floats

    @classmethod
    def of(cls, X: Floats, inputs: _Inputs, steps: bool, most: int = MOST_POINTS) -> _Space:
        """With evenly spread rows as points. Shape: (rows, features)."""
        places = np.linspace(0, len(X) - 1, min(len(X), most)).round().astype(np.intp)
        points = inputs.transform(X[places], steps)
        return cls(inputs, steps, points, points @ points.T)

    def products(self, X: Floats) -> Floats:
        """With all points. Shape: (rows, features) to (rows, points)."""
        found: Floats = self.inputs.transform(X, self.steps) @ self.points.T
        return found

    def features(self, degree: int, products: Sequence[Floats]) -> list[Floats]:
        """Features whose products are a kernel of the inputs, as far as points can tell.

        The kernel has all products of up to ``degree`` inputs.

        Shape: (rows, points) each, to the same.
        """
        kernel = _kernel(self.of_points, degree)
        jitter = 1e-6 * (np.trace(kernel) / len(kernel) or 1.0)
        factor = np.linalg.cholesky(kernel + jitter * np.eye(len(kernel)))
        whiten = dtrtri(factor, lower=1)[0].T
        return [_kernel(each, degree) @ whiten for each in products]


def _kernel(products: Floats, degree: int) -> Floats:
    """Powers of products up to a degree, added up. Shape: any, to the same."""
    total = products
    for _ in range(degree - 1):
        total = products * (1 + total)
    return total


@dataclass(frozen=True, eq=False)
class Smooth:
    """Smooth targets, and products of how many inputs the model has that predicts them.

    Shape: ``targets`` (rows, outputs).
    """

    targets: Floats
    degree: int


def smooth_classes(
    X: Floats, y: NDArray[np.intp], classes: int, weights: Floats, depth: int | None
) -> Smooth:
    """The probabilities of the classes by a smooth model, mixed with the classes themselves.

    One level of logic, a ``depth`` of 1, needs products of two inputs at most. Otherwise
    held-out rows decide whether there are larger ones.

    Shape: ``X`` (rows, features), ``y`` and ``weights`` (rows,); targets (rows, classes).
    """
    rows = _Rows(X, np.eye(classes)[y], weights)
    choice = _choose(rows, depth, are_classes=True)
    features = _features_of(rows, choice)
    # The ridge of log losses that is like one of squares: by how much they are less curved.
    ridge = choice.ridge * choice.variance / max(classes - 1, 1)
    model = SoftmaxRegression(features, rows.truth, weights)
    logits = model.fit(ridge, EXACT if classes == 2 else ENOUGH).outputs(features)
    probabilities, _ = softmax_and_log_sums(logits)
    return _mixed(probabilities.T, rows, choice)


def smooth_numbers(X: Floats, y: Floats, weights: Floats, depth: int | None) -> Smooth:
    """The numbers that a smooth model predicts, mixed with the numbers themselves.

    ``depth`` is as in :func:`smooth_classes`.

    Shape: ``X`` (rows, features), ``y`` and ``weights`` (rows,); targets (rows, 1).
    """
    mean = float(np.average(y, weights=weights))
    unit = float(np.sqrt(np.average((y - mean) ** 2, weights=weights))) or 1.0
    rows = _Rows(X, ((y - mean) / unit)[:, None], weights)
    choice = _choose(rows, depth, are_classes=False)
    features = _features_of(rows, choice)
    [predicted] = LeastSquares(features, rows.truth, weights).outputs([choice.ridge], features)
    found = _mixed(predicted, rows, choice)
    return Smooth(mean + unit * found.targets, found.degree)


class _Rows(NamedTuple):
    """Shape: ``X`` (rows, features), ``truth`` (rows, outputs), ``weights`` (rows,)."""

    X: Floats
    truth: Floats
    weights: Floats

    def take(self, places: NDArray[np.intp] | NDArray[np.bool_]) -> _Rows:
        """Some of the rows."""
        return _Rows(self.X[places], self.truth[places], self.weights[places])


class _Choice(NamedTuple):
    """A model: its inputs, the degree of their products, and its ridge.

    Of classes, logits are ``scale`` times what least squares predict, and ``variance`` is the
    mean variance of these probabilities, added up over the classes.
    """

    steps: bool
    degree: int
    ridge: float
    scale: float = 1.0
    variance: float = 0.5


def _features_of(rows: _Rows, choice: _Choice) -> Floats:
    """What the model sees of the rows. Shape: (rows, points)."""
    space = _Space.of(rows.X, _Inputs.of(rows.X), choice.steps)
    [features] = space.features(choice.degree, [space.products(rows.X)])
    return features


def _mixed(predicted: Floats, rows: _Rows, choice: _Choice) -> Smooth:
    """Predictions with a little of the truth."""
    return Smooth(SMOOTH * predicted + (1 - SMOOTH) * rows.truth, choice.degree)


def _choose(rows: _Rows, depth: int | None, are_classes: bool) -> _Choice:
    """The model of the least loss on held-out rows, the first in a tie.

    Products of three or four inputs have to be clearly better than those of two.
    """
    n = len(rows.X)
    if n > MOST_ROWS_TO_CHOOSE:
        rows = rows.take(np.linspace(0, n - 1, MOST_ROWS_TO_CHOOSE).round().astype(np.intp))
    folds = [_Fold(*each, are_classes) for each in _split(rows)]
    if not folds:
        return _Choice(*FAMILIES[0], RIDGES[0])
    first = [_on_folds(folds[:1], *family) for family in FAMILIES]
    left = sorted(first, key=lambda each: each.rank)[:N_LEFT]
    plain = _best(_on_folds(folds, *each.choice[:2]) for each in left)
    if depth == 1:
        return plain.choice
    steps = plain.choice.steps
    deep = _best(_on_folds(folds[:1], steps, degree) for degree in DEEP_DEGREES)
    if deep.rank >= _on_folds(folds[:1], *plain.choice[:2]).rank:
        return plain.choice
    deep = _on_folds(folds, *deep.choice[:2])
    gains = plain.losses - deep.losses
    doubt = float(gains.std()) / np.sqrt(len(gains))
    return deep.choice if float(gains.mean()) > CLEARLY * doubt else plain.choice


class _HeldOut(NamedTuple):
    """A model, and its weighted losses of held-out rows. Shape: ``losses`` (rows,)."""

    choice: _Choice
    losses: Floats

    @property
    def rank(self) -> float:
        """Less is better; the last digits differ between processors."""
        return round(float(self.losses.mean()), 9)


def _best(found: Iterator[_HeldOut]) -> _HeldOut:
    return min(found, key=lambda each: each.rank)


class _Fold:
    """Rows to learn from, and rows to test on, in all spaces that were asked for."""

    def __init__(self, train: _Rows, test: _Rows, are_classes: bool) -> None:
        self.train, self.test, self.are_classes = train, test, are_classes
        self._inputs = _Inputs.of(train.X)
        self._spaces: dict[bool, tuple[_Space, list[Floats]]] = {}
        self._predicted: dict[tuple[bool, int], Floats] = {}

    def predicted(self, steps: bool, degree: int) -> Floats:
        """By a model of each ridge. Shape: (ridges, test rows, outputs)."""
        if (steps, degree) not in self._predicted:
            space, products = self._space(steps)
            trained, tested = space.features(degree, products)
            model = LeastSquares(trained, self.train.truth, self.train.weights)
            self._predicted[steps, degree] = model.outputs(RIDGES, tested)
        return self._predicted[steps, degree]

    def _space(self, steps: bool) -> tuple[_Space, list[Floats]]:
        """Points, and the products of all rows with them."""
        if steps not in self._spaces:
            space = _Space.of(self.train.X, self._inputs, steps, POINTS_TO_CHOOSE)
            products = [space.products(rows.X) for rows in (self.train, self.test)]
            self._spaces[steps] = space, products
        return self._spaces[steps]


def _on_folds(folds: Sequence[_Fold], steps: bool, degree: int) -> _HeldOut:
    """The best ridge of a family, and its losses on the test rows of the folds."""
    predicted = np.concatenate([fold.predicted(steps, degree) for fold in folds], axis=1)
    truth = np.concatenate([fold.test.truth for fold in folds])
    weights = np.concatenate([fold.test.weights for fold in folds])
    if not folds[0].are_classes:
        squares: Floats = weights * np.square(predicted - truth).sum(axis=2)
        return _best(
            _HeldOut(_Choice(steps, degree, ridge), losses)
            for ridge, losses in zip(RIDGES, squares, strict=True)
        )
    # Squared errors of probabilities would fall with larger products merely because these
    # bend near 0 and 1. Log losses of calibrated predictions do not.
    outputs, amounts = np.moveaxis(predicted, 2, 0), truth.T * weights
    scale = fit_scales(outputs, amounts)
    logits = scale[:, None] * outputs
    probabilities, sums = softmax_and_log_sums(logits)
    variance = (probabilities * (1 - probabilities)).sum(axis=0) @ weights / weights.sum()
    found = weights * (sums - (truth.T[:, None] * logits).sum(axis=0))
    each = zip(RIDGES, scale.tolist(), variance.tolist(), found, strict=True)
    return _best(
        _HeldOut(_Choice(steps, degree, ridge, *about), losses)
        for ridge, *about, losses in each
    )


def _split(rows: _Rows) -> Iterator[tuple[_Rows, _Rows]]:
    """Folds that have rows on both sides: rows to learn from, and rows to test on."""
    dealt = _deal_rows(rows.truth)
    for fold in range(FOLDS):
        inside = dealt == fold
        if inside.any() and not inside.all():
            yield rows.take(~inside), rows.take(inside)


def _deal_rows(truth: Floats) -> NDArray[np.intp]:
    """Folds of similar targets; rows of the same target in turn, as they come."""
    keys = truth.argmax(axis=1) if truth.shape[1] > 1 else truth[:, 0]
    shuffled = np.random.RandomState(0).permutation(len(truth))
    order = shuffled[np.argsort(keys[shuffled], kind="stable")]
    folds = np.empty(len(truth), dtype=np.intp)
    folds[order] = np.arange(len(truth)) % FOLDS
    return folds
