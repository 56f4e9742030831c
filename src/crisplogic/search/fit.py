"""Refitting: the numbers of a draft (ramps, bias, scale) while its logic stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from crisplogic.expr.autodiff import Tape
from crisplogic.search.draft import Draft
from crisplogic.search.losses import losses, slopes
from crisplogic.search.sample import Sample

Floats = NDArray[np.float64]

# Shares of a column's range: the steepest ramp, and the most gradual one.
STEEPEST, MOST_GRADUAL = 0.01, 2.0
# Ramps stay near where they were unless the rows have something to say: priors on a move as
# long as the column's range and on a width e times as large, in the surprise of one row.
MOVE_PRICE, STRETCH_PRICE = 5.0, 1.5
SCALES = (1e-3, 50.0)  # in the sample's unit


def refitted(draft: Draft, sample: Sample, steps: int = 10) -> Draft:
    """The same terms and votes with ramps, bias and scale that surprise less.

    ``steps`` of L-BFGS; thresholds stay within their columns.
    """
    if not draft.terms:
        return _without_terms(draft, sample)
    low, high = (ends[draft.feature] for ends in sample.ranges())
    varies = high > low  # a column that varies elsewhere need not vary in this sample
    low, high = np.where(varies, low, draft.centre), np.where(varies, high, draft.centre)
    span = np.where(varies, high - low, draft.width)
    ramps, classes = len(draft.feature), sample.classes
    objective = _objective(draft, sample, span)
    moves = sample.moves(draft.feature)
    bounds = [
        *_between((low - draft.centre) / span, (high - draft.centre) / span, moves),
        *_between(
            np.log(STEEPEST * span / draft.width),
            np.log(MOST_GRADUAL * span / draft.width),
            moves,
        ),
        *[(0.0, 0.0) if draft.pure else (None, None)] * classes,
        np.log(SCALES),
    ]
    bias, scale = (draft.bias - sample.centre) / sample.spread, draft.scale / sample.spread
    start = np.concatenate([np.zeros(2 * ramps), bias, [np.log(scale)]])
    found = minimize(
        objective,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": steps},
    ).x
    return _moved(draft, found, span, sample)


def _between(
    least: Floats, most: Floats, moves: NDArray[np.bool_]
) -> list[tuple[float, float]]:
    """Bounds of what moves; the rest stays where it is."""
    return list(zip(np.where(moves, least, 0.0), np.where(moves, most, 0.0), strict=True))


def _moved(draft: Draft, found: Floats, span: Floats, sample: Sample) -> Draft:
    moves, stretches, bias, log_scale = _parts(found, len(draft.feature))
    return replace(
        draft,
        centre=draft.centre + moves * span,
        width=draft.width * np.exp(stretches),
        bias=sample.centre + sample.spread * bias,
        scale=float(sample.spread * np.exp(log_scale)),
    )


def _parts(point: Floats, ramps: int) -> tuple[Floats, Floats, Floats, float]:
    return point[:ramps], point[ramps : 2 * ramps], point[2 * ramps : -1], float(point[-1])


def _objective(
    draft: Draft, sample: Sample, span: Floats
) -> Callable[[Floats], tuple[float, Floats]]:
    """The loss as a function of moves, stretches, bias and log scale, with its gradient.

    Bias and scale are in the sample's unit, so that none of these is much larger than others.
    """
    tape = Tape(draft.terms)
    order = np.argsort(tape.used)  # every ramp is used, or it would not be there
    values = sample.columns[draft.feature]
    known = np.isfinite(values)
    values = np.where(known, values, 0.0)
    rows = sample.total

    def objective(point: Floats) -> tuple[float, Floats]:
        moves, stretches, bias, log_scale = _parts(point, len(draft.feature))
        scale, width = np.exp(log_scale), draft.width * np.exp(stretches)
        ramps = (values - (draft.centre + moves * span)[:, None]) / width[:, None]
        ramps *= known
        degrees = ramps.clip(-1.0, 1.0)
        slots = tape.forward(degrees)
        sums = draft.votes.T @ tape.values(slots)
        logits = sample.centre + sample.spread * (scale * sums + bias[:, None])
        slope = slopes(logits, sample)
        by_degree = tape.backward(slots, scale * (draft.votes @ slope))[order]
        by_ramp = by_degree * ((np.abs(ramps) < 1.0) & known)
        gradient = np.concatenate(
            [
                -by_ramp.sum(axis=1) * span / width + MOVE_PRICE / rows * moves,
                -(by_ramp * ramps).sum(axis=1) + STRETCH_PRICE / rows * stretches,
                slope.sum(axis=1),
                [scale * (slope * sums).sum()],
            ]
        )
        prior = MOVE_PRICE * (moves @ moves) + STRETCH_PRICE * (stretches @ stretches)
        return float(losses(logits, sample) + prior / (2 * rows)), gradient

    return objective


def _without_terms(draft: Draft, sample: Sample) -> Draft:
    """Nothing but how frequent the classes are, or what numbers are on average."""
    if draft.pure:
        return draft
    if sample.of_numbers:
        return replace(draft, bias=np.array([sample.centre]), scale=sample.spread)
    counts = np.bincount(sample.targets, sample.weights, minlength=sample.classes)
    return replace(draft, bias=np.log((counts + 1) / (counts.sum() + sample.classes)))
