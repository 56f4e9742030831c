"""Judging sizes: what rules of each size are worth on rows that they were not made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from crisplogic.rules import Point
from crisplogic.rules.metrics import best_scale, brier, unit_of
from crisplogic.rules.rule import AnyRules
from crisplogic.search.draft import Draft
from crisplogic.search.rounding import DIGITS_OF_SCALE
from crisplogic.search.sample import Sample, mean

Floats = NDArray[np.float64]


def logits_by_size(drafts: Sequence[Draft], sample: Sample) -> Floats:
    """What one draft a size says of some rows. Shape: (sizes, classes, rows)."""
    said = {id(draft): draft.logits(draft.values(sample)) for draft in drafts}
    return np.stack([said[id(draft)] for draft in drafts])


def judged(
    points: Sequence[Point],
    logits: Floats,
    targets: NDArray[np.intp],
    pure: bool = False,
    weights: Floats | None = None,
) -> list[Point]:
    """The points with what rules of their sizes did on held-out rows.

    Rules are surer of the rows that they were made from than they should be of others. So
    each size is judged under the scale that suits its held-out rows, and its rules are given
    that scale, unless they are ``pure``.

    Shape: ``logits`` (sizes, classes, rows), ``targets`` and ``weights`` (rows,).
    """
    factors = [best_scale(each.T, targets, weights) for each in logits]
    losses = np.stack(
        [brier(factor * each, targets) for factor, each in zip(factors, logits, strict=True)]
    )
    means = mean(losses, weights)
    doubts = standard_errors(losses - losses[means.argmin()], weights)
    errors = mean(logits.argmax(axis=1) != targets, weights)
    return [
        Point(
            point.rules if pure else _rescaled(point.rules, factor),
            point.error,
            held_out_error=float(error),
            held_out_loss=float(loss),
            standard_error=float(doubt),
        )
        for point, factor, error, loss, doubt in zip(
            points, factors, errors, means, doubts, strict=True
        )
    ]


def judged_numbers(
    points: Sequence[Point], numbers: Floats, targets: Floats, weights: Floats | None = None
) -> list[Point]:
    """The points with how far rules of their sizes were from the numbers of held-out rows.

    Shape: ``numbers`` (sizes, rows), ``targets`` and ``weights`` (rows,).
    """
    distances = numbers - targets
    unit = unit_of(distances)  # squares of squares may be no numbers
    losses = np.square(distances / unit)
    means = mean(losses, weights)
    doubts = standard_errors(losses - losses[means.argmin()], weights)
    return [
        Point(
            point.rules,
            point.error,
            held_out_error=unit * float(np.sqrt(loss)),
            held_out_loss=unit**2 * float(loss),
            standard_error=unit**2 * float(doubt),
        )
        for point, loss, doubt in zip(points, means, doubts, strict=True)
    ]


def _rescaled(rules: AnyRules, factor: float) -> AnyRules:
    return replace(rules, scale=float(f"{rules.scale * factor:.{DIGITS_OF_SCALE}g}"))


def standard_errors(values: Floats, weights: Floats | None) -> Floats:
    """How far means may be off by chance. Shape: (..., rows) to (...).

    >>> values = np.array([0.0, 0.0, 2.0, 2.0])
    >>> float(standard_errors(values, None)), float(standard_errors(values, np.full(4, 4.0)))
    (0.5, 0.25)
    """
    if weights is None:
        return np.asarray(values.std(axis=-1) / np.sqrt(values.shape[-1]))
    variances = mean(np.square(values - mean(values, weights)[..., None]), weights)
    return np.asarray(np.sqrt(variances / weights.sum()))
