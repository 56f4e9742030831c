"""Tidy a draft: round its numbers to what is printed, and drop votes that change nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from crisplogic.rules import Ramp
from crisplogic.rules.editing.thresholds import ramp_at, width_of
from crisplogic.search.draft import Draft
from crisplogic.search.training_set import TrainingSet

Floats = NDArray[np.float64]

# By how much rounding may change the degrees of truth of a ramp, on average.
MAX_CHANGE = 0.01
# How far rounding may move a threshold, as a share of the column's range.
MAX_MOVE = 0.005
MAX_DIGITS = 17
DIGITS_OF_INTERCEPT = 2
DIGITS_OF_SCALE = 3
# What the probabilities of an idle vote have to gain, in the loss of one row.
IDLE_PENALTY = 3.0
TIE = 1e-9  # logits closer than this may be a tie


def round_draft(draft: Draft, data: TrainingSet) -> Draft:
    """The same draft in numbers that are printed in full, so that print and model agree.

    >>> from crisplogic.expr import Var
    >>> from crisplogic.search.tasks import CLASSIFICATION
    >>> X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    >>> data = TrainingSet(X, y, ("low", "high"), CLASSIFICATION)
    >>> ramp = np.array([0]), np.array([2.5004]), np.array([1.4996])
    >>> draft = Draft(*ramp, (Var(0),), np.array([[0.0, 1.0]]), np.array([0.01, 0.0]), 2.0)
    >>> round_draft(draft, data).centre.tolist()
    [2.5]
    """
    scale = 1.0 if draft.pure else round_scale(draft.scale)
    ramps = [
        _round_ramp(*ramp, data)
        for ramp in zip(draft.feature.tolist(), draft.centre, draft.width, strict=True)
    ]
    centre = np.array([ramp.threshold for ramp in ramps], dtype=np.float64)
    width = np.array([width_of(ramp) for ramp in ramps], dtype=np.float64)
    return replace(
        draft,
        centre=centre,
        width=width,
        bias=data.task.round_bias(draft.bias, draft.scale, scale),
        scale=scale,
    )


def _round_ramp(feature: int, centre: float, width: float, data: TrainingSet) -> Ramp:
    """A ramp of the roundest numbers that change the degrees of truth by next to nothing."""
    values = data.quantiles[feature]
    low, high = values[0], values[-1]

    def degrees(centre: float, width: float) -> Floats:
        ramp: Floats = ((values - centre) / width).clip(-1.0, 1.0)
        return ramp

    reach = MAX_MOVE * (high - low)

    def is_close(new: tuple[float, float], old: tuple[float, float]) -> bool:
        near = max(abs(new[0] - old[0]), abs(new[1] - old[1])) <= reach
        return near and bool(np.abs(degrees(*new) - degrees(*old)).mean() <= MAX_CHANGE)

    inside = (each for each in _rounder(centre) if low < each < high)
    middle = next((each for each in inside if is_close((each, width), (centre, width))), centre)
    if data.cuts_of(feature).size:
        middle = centre
    positive = (each for each in _rounder(width) if each > 0)
    close = (each for each in positive if is_close((middle, each), (middle, width)))
    return ramp_at(feature, middle, next(close, width))


def _rounder(value: float) -> Iterator[float]:
    """A number rounded to ever more digits, the last of them any or 5; nearest first.

    >>> list(_rounder(127.3))[4:12]
    [100.0, 200.0, 150.0, 100.0, 130.0, 120.0, 125.0, 130.0]
    """
    if value == 0 or not np.isfinite(value):
        return
    first = -int(np.floor(np.log10(abs(value)))) - 1
    for digits in range(first, first + MAX_DIGITS):
        for step, places in ((10.0**-digits, digits), (0.5 * 10.0**-digits, digits + 1)):
            nearest = round(round(value / step) * step, places)
            yield nearest
            yield round(nearest + (step if nearest < value else -step), places)


def round_scale(scale: float) -> float:
    """The scale as it is printed."""
    return float(f"{scale:.{DIGITS_OF_SCALE}g}")


def round_class_bias(bias: Floats, scale: float, rounded_scale: float) -> Floats:
    """Intercepts are rounded, and shifted so that the least is 0, which changes no prediction.

    Shape: (classes,) to (classes,).
    """
    intercepts = (bias / scale).round(DIGITS_OF_INTERCEPT)
    shifted: Floats = (intercepts - intercepts.min()).round(DIGITS_OF_INTERCEPT)
    return shifted * rounded_scale


def round_number_bias(bias: Floats, rounded_scale: float) -> Floats:
    """The intercept of a number gets as many digits as its scale. Shape: (1,) to (1,)."""
    digits = DIGITS_OF_INTERCEPT - int(np.floor(np.log10(rounded_scale)))
    return _round(bias, np.full(len(bias), digits))


def _round(values: Floats, digits: NDArray[np.intp]) -> Floats:
    return np.array([round(value, int(n)) for value, n in zip(values, digits, strict=True)])


def drop_idle_votes(draft: Draft, data: TrainingSet) -> Draft:
    """Drop votes that change no predicted class, those of the smallest terms first.

    Where one class is rare, no vote may change a predicted class, and still tell where it is
    likelier. So a vote stays if its probabilities are worth it, unless rules are pure, which
    have none.
    """
    while (smaller := _try_each_vote(draft, data)) is not draft:
        draft = smaller
    return draft


def _try_each_vote(draft: Draft, data: TrainingSet) -> Draft:
    values = draft.values(data)
    logits = draft.logits(values)
    loss = float(data.loss(logits))
    offsets = data.task.decision_offsets(data.n_outputs)[:, None]
    logits = logits - offsets
    predicted, rows = logits.argmax(axis=0), np.arange(len(data))
    votes = draft.votes
    for term in np.argsort(data.loss.weighted(np.abs(values)).sum(axis=1)):
        for output in np.flatnonzero(votes[term]):
            without = logits.copy()
            without[output] -= draft.scale * votes[term, output] * values[term]
            if (without[predicted, rows] < without.max(axis=0) - TIE).any():
                continue
            fewer = votes.copy()
            fewer[term, output] = 0.0
            # A difference is not quite the sum without it: the sum decides ties.
            summed = replace(draft, votes=fewer).logits(values)
            exact, new = summed - offsets, float(data.loss(summed))
            is_worthless = draft.pure or new <= loss + IDLE_PENALTY / data.total_weight
            if is_worthless and (exact.argmax(axis=0) == predicted).all():
                votes, logits, loss = fewer, exact, new
    return draft if votes is draft.votes else _confirm(draft, votes, predicted, data)


def _confirm(
    draft: Draft, votes: Floats, predicted: NDArray[np.intp], data: TrainingSet
) -> Draft:
    """The draft with fewer votes, if it predicts the same once terms without votes are gone.

    Fewer terms may be summed in another order, which can turn a tie: then all stay.
    """
    smaller = draft.with_votes(votes)
    logits = smaller.logits(smaller.values(data))
    offsets = data.task.decision_offsets(data.n_outputs)[:, None]
    same = (logits - offsets).argmax(axis=0) == predicted
    return smaller if same.all() else draft
