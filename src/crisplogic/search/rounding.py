"""Tidy a draft: round its numbers to what is printed, and drop votes that change nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from crisplogic.search.draft import Draft
from crisplogic.search.training_set import TrainingSet

Floats = NDArray[np.float64]

DIGITS_OF_RANGE = 3  # of a threshold, counted from the column's range
DIGITS_OF_INTERCEPT = 2
DIGITS_OF_SCALE = 3
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
    low, high = (ends[draft.feature] for ends in data.ranges())
    digits = DIGITS_OF_RANGE - np.ceil(np.log10(np.maximum(high - low, 1e-300))).astype(int)
    scale = 1.0 if draft.pure else round_scale(draft.scale)
    return replace(
        draft,
        centre=_round(draft.centre, digits),
        width=np.maximum(_round(draft.width, digits), 10.0**-digits),
        bias=data.task.round_bias(draft.bias, draft.scale, scale),
        scale=scale,
    )


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
    """Drop votes that change no predicted class, those of the smallest terms first."""
    while (smaller := _try_each_vote(draft, data)) is not draft:
        draft = smaller
    return draft


def _try_each_vote(draft: Draft, data: TrainingSet) -> Draft:
    values = draft.values(data)
    logits = draft.logits(values)
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
            exact = replace(draft, votes=fewer).logits(values) - offsets
            if (exact.argmax(axis=0) == predicted).all():
                votes, logits = fewer, exact
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
