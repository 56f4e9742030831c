"""Smooth targets: what a ridge regression on all pairs of columns makes of noisy ones.

Rules that are chosen from thousands fit the noise of single rows. So they are fitted to what a
smooth model predicts for the rows, and only a little to the rows' own targets. The model spans
what one level of logic spans, the products of all pairs of columns, and of all pairs of steps.
It is convex: it has one solution, which does not depend on a seed or a processor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import minimize

from crisplogic.rules.metrics import unit_of
from crisplogic.rules.scoring import softmax
from crisplogic.search.crisp.cuts import make_cuts

Floats = NDArray[np.float64]
# From features of rows to what is predicted for them.
Predict = Callable[[Floats], Floats]
# From features, targets, weights, a ridge and how exact the solution is.
Fit = Callable[[Floats, Floats, Floats, float, float], Predict]
# From targets and predictions to a loss for each row.
RowLoss = Callable[[Floats, Floats], Floats]
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
# Rows that become reference points, and rows that choose a setting.
MOST_POINTS, POINTS_TO_CHOOSE = 400, 200
MOST_ROWS_TO_CHOOSE = 1500
MOST_STEPS = 300
# How exact a solution is, by the steepest slope that is left.
EXACT, ROUGH = 1e-7, 1e-3


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
    truth = np.eye(classes)[y]
    return _smooth(X, truth, weights, depth, _fit_softmax, _log_loss)


def smooth_numbers(X: Floats, y: Floats, weights: Floats, depth: int | None) -> Smooth:
    """The numbers that a smooth model predicts, mixed with the numbers themselves.

    Shape: ``X`` (rows, features), ``y`` and ``weights`` (rows,); targets (rows, 1).
    """
    mean = float(np.average(y, weights=weights))
    unit = float(np.sqrt(np.average((y - mean) ** 2, weights=weights))) or 1.0
    truth = ((y - mean) / unit)[:, None]
    found = _smooth(X, truth, weights, depth, _fit_ridge, _squared_error)
    return Smooth(mean + unit * found.targets, found.degree)


def _smooth(
    X: Floats, truth: Floats, weights: Floats, depth: int | None, fit: Fit, loss: RowLoss
) -> Smooth:
    """What the best model predicts, mixed with the truth. Shape: ``truth`` (rows, outputs).

    One level of logic, a ``depth`` of 1, needs products of two inputs at most. Otherwise
    held-out rows decide whether there are larger ones.
    """
    steps, degree, ridge = _choose_setting(X, truth, weights, depth, fit, loss)
    features = _Features.of(X, _Inputs.of(X), steps, degree)
    rows = features.transform(X)
    predicted = fit(rows, truth, weights, ridge, EXACT)(rows)
    return Smooth(SMOOTH * predicted + (1 - SMOOTH) * truth, degree)


def _choose_setting(
    X: Floats, truth: Floats, weights: Floats, depth: int | None, fit: Fit, loss: RowLoss
) -> Setting:
    """The setting of the least loss on held-out rows, the first in a tie.

    Products of three or four inputs have to be clearly better than those of two.
    """
    if len(X) > MOST_ROWS_TO_CHOOSE:
        places = np.linspace(0, len(X) - 1, MOST_ROWS_TO_CHOOSE).round().astype(np.intp)
        X, truth, weights = X[places], truth[places], weights[places]

    def best(settings: Sequence[Setting], points: int) -> tuple[Setting, Floats]:
        losses = _held_out_losses(X, truth, weights, settings, points, fit, loss)
        means = {setting: round(float(own.mean()), 9) for setting, own in losses.items()}
        least = min(means, key=means.__getitem__)
        return least, losses[least]

    plain, losses = best(SETTINGS, POINTS_TO_CHOOSE)
    if depth == 1:
        return plain
    deep, deep_losses = best([(plain[0], *each) for each in DEEP], MOST_POINTS)
    gains = losses - deep_losses
    doubt = float(gains.std()) / np.sqrt(len(gains))
    return deep if float(gains.mean()) > CLEARLY * doubt else plain


def _held_out_losses(
    X: Floats,
    truth: Floats,
    weights: Floats,
    settings: Sequence[Setting],
    points: int,
    fit: Fit,
    loss: RowLoss,
) -> dict[Setting, Floats]:
    """The weighted loss of every row under each setting, when the row is held out.

    Shape: (rows,) each.
    """
    folds = _deal_rows(truth)
    losses = {setting: np.zeros(len(X)) for setting in settings}
    for fold in range(FOLDS):
        inside = folds == fold
        if not inside.any() or inside.all():
            continue
        inputs = _Inputs.of(X[~inside])
        for steps, degree in dict.fromkeys(each[:2] for each in settings):
            features = _Features.of(X[~inside], inputs, steps, degree, points)
            train, test = features.transform(X[~inside]), features.transform(X[inside])
            for ridge in (each[2] for each in settings if each[:2] == (steps, degree)):
                predict = fit(train, truth[~inside], weights[~inside], ridge, ROUGH)
                rows = loss(truth[inside], predict(test)) * weights[inside]
                losses[steps, degree, ridge][inside] = rows
    return losses


def _deal_rows(truth: Floats) -> NDArray[np.intp]:
    """Folds of similar targets; rows of the same target in turn, as they come."""
    keys = truth.argmax(axis=1) if truth.shape[1] > 1 else truth[:, 0]
    shuffled = np.random.RandomState(0).permutation(len(truth))
    order = shuffled[np.argsort(keys[shuffled], kind="stable")]
    folds = np.empty(len(truth), dtype=np.intp)
    folds[order] = np.arange(len(truth)) % FOLDS
    return folds


def _log_loss(truth: Floats, predicted: Floats) -> Floats:
    loss: Floats = -np.log(np.maximum((truth * predicted).sum(axis=1), 1e-9))
    return loss


def _squared_error(truth: Floats, predicted: Floats) -> Floats:
    error: Floats = ((truth - predicted) ** 2).sum(axis=1)
    return error


def _fit_ridge(
    features: Floats, truth: Floats, weights: Floats, ridge: float, exact: float
) -> Predict:
    """Weighted least squares with a penalty on the squares of the coefficients."""
    share = weights / weights.sum()
    centre, mean = share @ features, share @ truth
    centred = features - centre
    gram = (centred * weights[:, None]).T @ centred + ridge * np.eye(features.shape[1])
    found = np.linalg.solve(gram, (centred * weights[:, None]).T @ (truth - mean))
    return lambda rows: (rows - centre) @ found + mean


def _fit_softmax(
    features: Floats, truth: Floats, weights: Floats, ridge: float, exact: float
) -> Predict:
    """Multinomial logistic regression with a penalty on the squares of the coefficients.

    Coordinates are scaled by a bound of the curvature, so that few steps lead to the solution.
    """
    classes = truth.shape[1]
    share = weights / weights.sum()
    centre = share @ features
    centred = features - centre
    bound = (centred * weights[:, None]).T @ centred / 4 + ridge * np.eye(centred.shape[1])
    upper = cholesky(bound)
    inverse = solve_triangular(upper, np.eye(len(upper)))
    scaled, penalty = centred @ inverse, ridge * (inverse.T @ inverse)
    prior = np.log(np.maximum(share @ truth, 1e-9))
    root = np.sqrt(weights.sum())

    def value(flat: Floats) -> tuple[float, Floats]:
        by_input, bias = flat[classes:].reshape(-1, classes), flat[:classes] / root
        logits = scaled @ by_input + bias + prior
        top = logits.max(axis=1, keepdims=True)
        exps = np.exp(logits - top)
        sums = exps.sum(axis=1, keepdims=True)
        loss = weights @ ((np.log(sums) + top)[:, 0] - (truth * logits).sum(axis=1))
        gradient = weights[:, None] * (exps / sums - truth)
        penalized = penalty @ by_input
        by_inputs = scaled.T @ gradient + penalized
        by_bias = gradient.sum(axis=0) / root
        total = float(loss) + float((by_input * penalized).sum()) / 2
        return total, np.concatenate([by_bias, by_inputs.ravel()])

    start = np.zeros(classes * (1 + scaled.shape[1]))
    options = {"maxiter": MOST_STEPS, "gtol": exact * root, "ftol": 1e-15, "maxcor": 20}
    found = minimize(value, start, jac=True, method="L-BFGS-B", options=options).x
    by_input = inverse @ found[classes:].reshape(-1, classes)
    bias = found[:classes] / root + prior
    return lambda rows: softmax((rows - centre) @ by_input + bias)
