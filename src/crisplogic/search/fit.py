"""Fit the numbers of a draft (bias, scale, ramps) while its logic stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from crisplogic.expr.autodiff import Tape
from crisplogic.search.draft import Draft
from crisplogic.search.training_set import TrainingSet

Floats = NDArray[np.float64]

# The narrowest and the widest ramp, as shares of a column's range.
NARROWEST, WIDEST = 0.01, 2.0
# Ramps stay near where they were unless the rows say otherwise: Gaussian priors on a move as
# long as the column's range and on a width e times as large, in the loss of one row.
MOVE_PENALTY, STRETCH_PENALTY = 5.0, 1.5
SCALES = (1e-3, 50.0)  # bounds, in units of the loss's spread


def calibrate(draft: Draft, values: Floats, data: TrainingSet, steps: int = 8) -> Draft:
    """Fit bias and scale to given votes. Shape: ``values`` (terms, rows)."""
    sums = draft.votes.T @ values
    bias, scale = data.loss.fit_bias_and_scale(sums, draft.bias, draft.scale, draft.pure, steps)
    return replace(draft, bias=bias, scale=scale)


def fit_draft(draft: Draft, data: TrainingSet, steps: int = 10) -> Draft:
    """Fit ramps, bias and scale to given terms and votes.

    ``steps`` of L-BFGS; thresholds stay where they part the rows of their columns.
    """
    if not draft.terms:
        return _fit_constant(draft, data)
    low, high = (ends[draft.feature] for ends in data.ranges())
    varies = high > low  # a column that varies elsewhere need not vary in these rows
    span = np.where(varies, high - low, draft.width)
    low, high = (
        np.where(varies, ends[draft.feature], draft.centre) for ends in data.inner_ranges
    )
    movable = data.can_move(draft.feature)
    cut = np.array([data.cuts_of(int(each)).size > 0 for each in draft.feature], dtype=bool)
    bounds = [
        *_bounds((low - draft.centre) / span, (high - draft.centre) / span, movable & ~cut),
        *_bounds(
            np.log(NARROWEST * span / draft.width),
            np.log(WIDEST * span / draft.width),
            movable,
        ),
        *[(0.0, 0.0) if draft.pure else (None, None)] * data.n_outputs,
        np.log(SCALES),
    ]
    loss = data.loss
    bias, scale = (draft.bias - loss.centre) / loss.spread, draft.scale / loss.spread
    start = np.concatenate([np.zeros(2 * len(draft.feature)), bias, [np.log(scale)]])
    found = minimize(
        _objective(draft, data, span),
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": steps},
    ).x
    return _move(draft, found, span, data)


def _bounds(
    least: Floats, most: Floats, movable: NDArray[np.bool_]
) -> list[tuple[float, float]]:
    """Bounds of what moves; the rest stays where it is."""
    return list(zip(np.where(movable, least, 0.0), np.where(movable, most, 0.0), strict=True))


def _move(draft: Draft, point: Floats, span: Floats, data: TrainingSet) -> Draft:
    moves, stretches, bias, log_scale = _split(point, len(draft.feature))
    return replace(
        draft,
        centre=draft.centre + moves * span,
        width=draft.width * np.exp(stretches),
        bias=data.loss.centre + data.loss.spread * bias,
        scale=float(data.loss.spread * np.exp(log_scale)),
    )


def _split(point: Floats, ramps: int) -> tuple[Floats, Floats, Floats, float]:
    return point[:ramps], point[ramps : 2 * ramps], point[2 * ramps : -1], float(point[-1])


def _objective(
    draft: Draft, data: TrainingSet, span: Floats
) -> Callable[[Floats], tuple[float, Floats]]:
    """The loss as a function of moves, stretches, bias and log scale, with its gradient.

    Bias and scale are in units of the loss's spread: all variables are of about one size.
    """
    tape = Tape(draft.terms)
    order = np.argsort(tape.used)  # every ramp is used, or it would not be there
    values = data.columns[draft.feature]
    known = np.isfinite(values)
    values = np.where(known, values, 0.0)
    loss, rows = data.loss, data.total_weight

    def objective(point: Floats) -> tuple[float, Floats]:
        moves, stretches, bias, log_scale = _split(point, len(draft.feature))
        scale, width = np.exp(log_scale), draft.width * np.exp(stretches)
        ramps = (values - (draft.centre + moves * span)[:, None]) / width[:, None]
        ramps *= known
        degrees = ramps.clip(-1.0, 1.0)
        slots = tape.forward(degrees)
        sums = draft.votes.T @ tape.values(slots)
        logits = loss.centre + loss.spread * (scale * sums + bias[:, None])
        by_logit = loss.gradient(logits)
        by_degree = tape.backward(slots, scale * (draft.votes @ by_logit))[order]
        by_ramp = by_degree * ((np.abs(ramps) < 1.0) & known)
        gradient = np.concatenate(
            [
                -by_ramp.sum(axis=1) * span / width + MOVE_PENALTY / rows * moves,
                -(by_ramp * ramps).sum(axis=1) + STRETCH_PENALTY / rows * stretches,
                by_logit.sum(axis=1),
                [scale * (by_logit * sums).sum()],
            ]
        )
        prior = MOVE_PENALTY * (moves @ moves) + STRETCH_PENALTY * (stretches @ stretches)
        return float(loss(logits) + prior / (2 * rows)), gradient

    return objective


def _fit_constant(draft: Draft, data: TrainingSet) -> Draft:
    """How frequent the classes are, or the mean of the number."""
    if draft.pure:
        return draft
    bias, scale = data.loss.fit_constant(draft.scale)
    return replace(draft, bias=bias, scale=scale)
