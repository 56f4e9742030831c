"""Smooth targets: what a ridge regression on all pairs of columns makes of noisy ones.

Rules that are chosen from thousands fit the noise of single rows. So they are fitted to what a
smooth model predicts for the rows, and only a little to the rows' own targets. The model spans
what one level of logic spans, the products of all pairs of columns, and of all pairs of steps.
It is convex: it has one solution, which does not depend on a seed or a processor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular

from crisplogic.rules.metrics import unit_of
from crisplogic.search.crisp.cuts import make_cuts
from crisplogic.search.crisp.linear import (
    ROUGH,
    LeastSquares,
    LinearModel,
    SoftmaxRegression,
)

Floats = NDArray[np.float64]
# Are there steps, products of how many inputs there are, and how large the ridge is.
Setting = tuple[bool, int, float]

# How much the smooth prediction counts in a target; the rest is the row's own.
SMOOTH = 0.95
# Columns are clipped to these quantiles: single values far away would decide too much.
CLIPPED = (0.02, 0.98)
STEPS_PER_COLUMN = 8
# What is compared on held-out rows.
RIDGES = (3.0, 0.3, 0.03)
SETTINGS: tuple[Setting, ...] = tuple(
    (steps, degree, ridge)
    for steps, degree in ((False, 2), (True, 1), (True, 2))
    for ridge in RIDGES
)
# Products of so many inputs, and ridges of them, tell whether pairs suffice.
DEEP = tuple((3, ridge) for ridge in RIDGES) + tuple((4, ridge) for ridge in RIDGES[1:])
# By how many standard errors they have to be better.
CLEARLY = 2.0
FOLDS = 3
# How many settings are compared on all folds.
N_LEFT = 3
# Rows that become reference points, and rows that choose a setting.
MOST_POINTS, POINTS_TO_CHOOSE = 400, 200
MOST_ROWS_TO_CHOOSE = 1500


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
class _Features:
    """Features whose products are a kernel of the inputs, as far as some rows can tell.

    Shape: ``points`` (points, inputs), ``factor`` (points, points).
    """

    inputs: _Inputs
    steps: bool
    degree: int
    points: Floats
    factor: Floats

    @classmethod
    def of(
        cls, X: Floats, inputs: _Inputs, steps: bool, degree: int, most: int = MOST_POINTS
    ) -> _Features:
        """With evenly spread rows as points. Shape: (rows, features)."""
        places = np.linspace(0, len(X) - 1, min(len(X), most)).round().astype(np.intp)
        points = inputs.transform(X[places], steps)
        kernel = _kernel(points, points, degree)
        jitter = 1e-6 * (np.trace(kernel) / len(kernel) or 1.0)
        factor = cholesky(kernel + jitter * np.eye(len(kernel)), lower=True)
        return cls(inputs, steps, degree, points, factor)

    def transform(self, X: Floats) -> Floats:
        """Shape: (rows, features) to (rows, points)."""
        kernel = _kernel(self.inputs.transform(X, self.steps), self.points, self.degree)
        found: Floats = solve_triangular(self.factor, kernel.T, lower=True).T
        return found


def _kernel(x: Floats, y: Floats, degree: int) -> Floats:
    """Products of rows, and their powers up to a degree. Shape: (rows, points)."""
    products: Floats = x @ y.T
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

    Shape: ``X`` (rows, features), ``y`` and ``weights`` (rows,); targets (rows, classes).
    """
    return _smooth(SoftmaxRegression, _Rows(X, np.eye(classes)[y], weights), depth)


def smooth_numbers(X: Floats, y: Floats, weights: Floats, depth: int | None) -> Smooth:
    """The numbers that a smooth model predicts, mixed with the numbers themselves.

    Shape: ``X`` (rows, features), ``y`` and ``weights`` (rows,); targets (rows, 1).
    """
    mean = float(np.average(y, weights=weights))
    unit = float(np.sqrt(np.average((y - mean) ** 2, weights=weights))) or 1.0
    truth = ((y - mean) / unit)[:, None]
    found = _smooth(LeastSquares, _Rows(X, truth, weights), depth)
    return Smooth(mean + unit * found.targets, found.degree)


class _Rows(NamedTuple):
    """Shape: ``X`` (rows, features), ``truth`` (rows, outputs), ``weights`` (rows,)."""

    X: Floats
    truth: Floats
    weights: Floats

    def take(self, places: NDArray[np.intp] | NDArray[np.bool_]) -> _Rows:
        """Some of the rows."""
        return _Rows(self.X[places], self.truth[places], self.weights[places])


def _smooth(kind: type[LinearModel], rows: _Rows, depth: int | None) -> Smooth:
    """What the best model predicts, mixed with the truth.

    One level of logic, a ``depth`` of 1, needs products of two inputs at most. Otherwise
    held-out rows decide whether there are larger ones.
    """
    steps, degree, ridge = _choose_setting(kind, rows, depth)
    features = _Features.of(rows.X, _Inputs.of(rows.X), steps, degree).transform(rows.X)
    model = kind(features, rows.truth, rows.weights)
    predicted = model.predict(model.fit(ridge).outputs(features)).T
    return Smooth(SMOOTH * predicted + (1 - SMOOTH) * rows.truth, degree)


def _choose_setting(kind: type[LinearModel], rows: _Rows, depth: int | None) -> Setting:
    """The setting of the least loss on held-out rows, the first in a tie.

    Products of three or four inputs have to be clearly better than those of two.
    """
    n = len(rows.X)
    if n > MOST_ROWS_TO_CHOOSE:
        rows = rows.take(np.linspace(0, n - 1, MOST_ROWS_TO_CHOOSE).round().astype(np.intp))
    folds = _folds(rows)
    if not folds:
        return SETTINGS[0]
    plain = _race(kind, folds, SETTINGS, POINTS_TO_CHOOSE)
    if depth == 1:
        return plain.setting
    settings = [(plain.setting[0], *each) for each in DEEP]
    deep = _race(kind, folds, settings, MOST_POINTS, plain.losses)
    gains = np.concatenate(plain.losses[: len(deep.losses)]) - np.concatenate(deep.losses)
    doubt = float(gains.std()) / np.sqrt(len(gains))
    return deep.setting if float(gains.mean()) > CLEARLY * doubt else plain.setting


class _Winner(NamedTuple):
    """A setting, and the losses of the rows of each fold, by a model of the others."""

    setting: Setting
    losses: list[Floats]


def _race(
    kind: type[LinearModel],
    folds: Sequence[_Fold],
    settings: Sequence[Setting],
    points: int,
    others: Sequence[Floats] | None = None,
) -> _Winner:
    """The best setting on held-out rows; the first fold leaves a few of them.

    If none is better there than ``others``, losses of the same folds, the rest is left out.
    """
    losses: dict[Setting, list[Floats]] = {each: [] for each in settings}
    for fold in folds:
        for setting, own in _held_out_losses(kind, fold, list(losses), points).items():
            losses[setting].append(own)
        ranked = sorted(losses, key=lambda each: round(float(_mean(losses[each])), 9))
        losses = {each: losses[each] for each in ranked[:N_LEFT]}
        best = ranked[0]
        if others is not None and _mean(losses[best]) >= _mean(others[: len(losses[best])]):
            break
    return _Winner(best, losses[best])


def _mean(losses: Sequence[Floats]) -> float:
    return float(np.concatenate(losses).mean())


class _Fold(NamedTuple):
    """Rows to learn from, and rows to test on."""

    train: _Rows
    test: _Rows
    inputs: _Inputs


def _folds(rows: _Rows) -> list[_Fold]:
    """Folds that have rows on both sides."""
    dealt = _deal_rows(rows.truth)
    found = []
    for fold in range(FOLDS):
        inside = dealt == fold
        if inside.any() and not inside.all():
            train = rows.take(~inside)
            found.append(_Fold(train, rows.take(inside), _Inputs.of(train.X)))
    return found


def _held_out_losses(
    kind: type[LinearModel], fold: _Fold, settings: Sequence[Setting], points: int
) -> dict[Setting, Floats]:
    """The weighted losses of the rows of a fold under each setting. Shape: (rows,) each."""
    train, test, inputs = fold
    losses: dict[Setting, Floats] = {}
    for steps, degree in dict.fromkeys(each[:2] for each in settings):
        features = _Features.of(train.X, inputs, steps, degree, points)
        model = kind(features.transform(train.X), train.truth, train.weights)
        tested = features.transform(test.X)
        for ridge in (each[2] for each in settings if each[:2] == (steps, degree)):
            predicted = model.predict(model.fit(ridge, ROUGH).outputs(tested))
            losses[steps, degree, ridge] = test.weights * model.losses(test.truth.T, predicted)
    return losses


def _deal_rows(truth: Floats) -> NDArray[np.intp]:
    """Folds of similar targets; rows of the same target in turn, as they come."""
    keys = truth.argmax(axis=1) if truth.shape[1] > 1 else truth[:, 0]
    shuffled = np.random.RandomState(0).permutation(len(truth))
    order = shuffled[np.argsort(keys[shuffled], kind="stable")]
    folds = np.empty(len(truth), dtype=np.intp)
    folds[order] = np.arange(len(truth)) % FOLDS
    return folds
