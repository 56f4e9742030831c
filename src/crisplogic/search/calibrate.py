"""Bias and scale for given votes: of numbers a straight line, of classes Newton's method."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from crisplogic.search.draft import Draft
from crisplogic.search.log_loss import DOUBT, losses, shares_of, slopes
from crisplogic.search.sample import Sample

Floats = NDArray[np.float64]

LEAST_SCALE = 1e-3  # in the sample's unit
ENOUGH = 1e-7  # a step that gains less is the last
HALVINGS = 6
RIDGE = 1e-6  # a shift of all biases changes nothing: without it the matrix is singular


def calibrated(draft: Draft, values: Floats, sample: Sample, steps: int = 8) -> Draft:
    """The same votes with the bias and the scale that surprise least.

    Shape: ``values`` (terms, rows).
    """
    sums = draft.votes.T @ values
    if sample.of_numbers:
        return _on_a_line(draft, sums[0], sample)
    point = np.append(draft.bias, draft.scale)
    loss = _loss(point, sums, sample)
    for _ in range(steps):
        direction = _newton_direction(point, sums, sample, draft.pure)
        point, new = _step(point, direction, loss, sums, sample)
        if loss - new < ENOUGH:
            break
        loss = new
    return replace(draft, bias=point[:-1], scale=float(point[-1]))


def _on_a_line(draft: Draft, sums: Floats, sample: Sample) -> Draft:
    """The line through sums and numbers that is nearest to all of them. Shape: (rows,)."""
    mean = float(sample.mean(sums))
    distances = (sample.targets - sample.centre) / sample.spread
    both, squares = sample.mean(distances * (sums - mean)), sample.mean(np.square(sums - mean))
    scale = sample.spread * max(float(both) / max(float(squares), RIDGE), LEAST_SCALE)
    return replace(draft, bias=np.array([sample.centre - scale * mean]), scale=scale)


def _logits(point: Floats, sums: Floats) -> Floats:
    logits: Floats = point[-1] * sums + point[:-1, None]
    return logits


def _loss(point: Floats, sums: Floats, sample: Sample) -> float:
    return float(losses(_logits(point, sums), sample))


def _newton_direction(point: Floats, sums: Floats, sample: Sample, pure: bool) -> Floats:
    logits = _logits(point, sums)
    slope, shares = slopes(logits, sample), shares_of(logits)
    gradient = np.append(slope.sum(axis=1), (slope * sums).sum())
    curvature = np.empty((len(point), len(point)))
    rows, doubt = sample.total, DOUBT / sample.total
    weighted = shares * sums
    mean = weighted.sum(axis=0)
    centred = sums - sums.mean(axis=0)
    classes = sample.classes
    counted = sample.counted(shares)
    curvature[:-1, :-1] = (np.diag(counted.sum(axis=1)) - counted @ shares.T) / rows
    curvature[:-1, :-1] += doubt * (np.eye(classes) - 1 / classes)
    mixed = sample.mean(weighted - shares * mean) + doubt * sample.mean(centred)
    curvature[:-1, -1] = curvature[-1, :-1] = mixed
    spread = (weighted * sums).sum(axis=0) - mean**2
    curvature[-1, -1] = sample.mean(spread)
    curvature[-1, -1] += doubt * sample.mean(np.square(centred).sum(axis=0))
    if pure:  # the scale alone
        return np.append(np.zeros(classes), -gradient[-1] / (curvature[-1, -1] + RIDGE))
    return np.linalg.solve(curvature + RIDGE * np.eye(len(point)), -gradient)


def _step(
    point: Floats, direction: Floats, loss: float, sums: Floats, sample: Sample
) -> tuple[Floats, float]:
    """As far along the direction as lowers the loss."""
    length = 1.0
    for _ in range(HALVINGS):
        candidate = point + length * direction
        if candidate[-1] >= LEAST_SCALE:
            new = _loss(candidate, sums, sample)
            if new < loss:
                return candidate, new
        length /= 2
    return point, loss
