"""Surprise at the right classes, with a little doubt so that it stays finite."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crisplogic.search.sample import Sample

Floats = NDArray[np.float64]

# How many rows the doubt weighs, a prior that logits are about 1 in size. Where rules tell
# the classes apart perfectly it keeps them from becoming infinitely sure.
DOUBT = 0.1


def losses(logits: Floats, sample: Sample) -> Floats:
    """The mean surprise at the right classes plus the doubt.

    Shape: ``logits`` (..., classes, rows); returns (...).

    >>> sample = Sample(np.zeros((1, 20)), np.array([0, 1] * 10), classes=2)
    >>> right, unsure = np.tile([[1.0, -1.0], [-1.0, 1.0]], 10), np.zeros((2, 20))
    >>> bool(losses(right, sample) < losses(unsure, sample))
    True
    """
    rows = np.arange(len(sample))
    top = logits.max(axis=-2, keepdims=True)
    total = np.exp(logits - top).sum(axis=-2)
    right = logits[..., sample.targets, rows] - top[..., 0, :]
    centred = logits - logits.mean(axis=-2, keepdims=True)
    doubt = sample.mean(np.square(centred).sum(axis=-2))
    surprise: Floats = sample.mean(np.log(total) - right) + DOUBT / (2 * sample.total) * doubt
    return surprise


def slopes(logits: Floats, sample: Sample) -> Floats:
    """Derivatives of the loss by the logits. Shape: (classes, rows) to (classes, rows)."""
    rows = sample.total
    centred = logits - logits.mean(axis=-2, keepdims=True)
    slope = shares_of(logits) / rows + DOUBT / rows**2 * centred
    slope[sample.targets, np.arange(len(sample))] -= 1 / rows
    return sample.counted(slope)


def curvatures(logits: Floats, sample: Sample) -> Floats:
    """How fast slopes change with their own logits. Shape: (classes, rows) to the same."""
    shares = shares_of(logits)
    return sample.counted(shares * (1 - shares) / sample.total)


def shares_of(logits: Floats) -> Floats:
    """The probabilities. Shape: (classes, rows) to (classes, rows)."""
    shares: Floats = np.exp(logits - logits.max(axis=-2, keepdims=True))
    shares /= shares.sum(axis=-2, keepdims=True)
    return shares
