"""Tidying up: numbers a person can copy, and nothing that could be left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from crisplogic.search.draft import Draft
from crisplogic.search.sample import Sample

Floats = NDArray[np.float64]

DIGITS_OF_RANGE = 3  # of a threshold, counted from the column's range
DIGITS_OF_INTERCEPT = 2
DIGITS_OF_SCALE = 3
NEARLY = 1e-9  # logits closer than this may be a tie


def tidied(draft: Draft, sample: Sample) -> Draft:
    """Rounded, and without any vote that changes no class predicted on the sample.

    >>> from crisplogic.expr import Var
    >>> sample = Sample(np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([0, 0, 1, 1]), classes=2)
    >>> ramp = np.array([0]), np.array([2.5004]), np.array([1.4996])
    >>> draft = Draft(*ramp, (Var(0),), np.array([[0.0, 1.0]]), np.array([0.01, 0.0]), 2.0)
    >>> tidied(draft, sample).centre.tolist()
    [2.5]
    """
    draft = rounded(draft, sample)
    return draft if sample.of_numbers else without_junk(draft, sample)


def rounded(draft: Draft, sample: Sample) -> Draft:
    """The same draft in numbers that are printed in full: what is read is what is computed.

    The intercepts of classes are shifted so that the least is 0, which changes no prediction.
    """
    low, high = (ends[draft.feature] for ends in sample.ranges())
    digits = DIGITS_OF_RANGE - np.ceil(np.log10(np.maximum(high - low, 1e-300))).astype(int)
    scale = 1.0 if draft.pure else float(f"{draft.scale:.{DIGITS_OF_SCALE}g}")
    return replace(
        draft,
        centre=_rounded(draft.centre, digits),
        width=np.maximum(_rounded(draft.width, digits), 10.0**-digits),
        bias=_base(draft, scale) if sample.of_numbers else _intercepts(draft) * scale,
        scale=scale,
    )


def _intercepts(draft: Draft) -> Floats:
    intercepts = (draft.bias / draft.scale).round(DIGITS_OF_INTERCEPT)
    shifted: Floats = (intercepts - intercepts.min()).round(DIGITS_OF_INTERCEPT)
    return shifted


def _base(draft: Draft, scale: float) -> Floats:
    """Where a number begins, as exactly as is said of what is added to it. Shape: (1,)."""
    digits = DIGITS_OF_INTERCEPT - int(np.floor(np.log10(scale)))
    return _rounded(draft.bias, np.full(len(draft.bias), digits))


def _rounded(values: Floats, digits: NDArray[np.intp]) -> Floats:
    return np.array([round(value, int(n)) for value, n in zip(values, digits, strict=True)])


def without_junk(draft: Draft, sample: Sample) -> Draft:
    """Drop votes that change no prediction, the least weighty first, until all do."""
    while (less := _with_each_vote_tried(draft, sample)) is not draft:
        draft = less
    return draft


def _with_each_vote_tried(draft: Draft, sample: Sample) -> Draft:
    values = draft.values(sample)
    logits = draft.logits(values)
    predicted, rows = logits.argmax(axis=0), np.arange(len(sample))
    votes = draft.votes
    for term in np.argsort(sample.counted(np.abs(values)).sum(axis=1)):
        for label in np.flatnonzero(votes[term]):
            without = logits.copy()
            without[label] -= draft.scale * votes[term, label] * values[term]
            if (without[predicted, rows] < without.max(axis=0) - NEARLY).any():
                continue
            fewer = votes.copy()
            fewer[term, label] = 0.0
            # A difference is not quite the sum without it: ties are decided by the sum.
            exactly = replace(draft, votes=fewer).logits(values)
            if (exactly.argmax(axis=0) == predicted).all():
                votes, logits = fewer, exactly
    return draft if votes is draft.votes else _confirmed(draft, votes, predicted, sample)


def _confirmed(
    draft: Draft, votes: Floats, predicted: NDArray[np.intp], sample: Sample
) -> Draft:
    """The draft with fewer votes, if without the terms that lost all of them it is the same.

    Fewer terms may be summed in another order, which can turn a tie: then all stay.
    """
    less = draft.voting(votes)
    same = less.logits(less.values(sample)).argmax(axis=0) == predicted
    return less if same.all() else draft
