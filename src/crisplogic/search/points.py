"""Amounts: how often each term of a number counts, in whole points.

Terms of a number differ in what they are worth: a room more may add ten times what a garden
does. Rules stay readable if all are multiples of one amount, small and whole.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear

from crisplogic.search.calibrate import calibrated
from crisplogic.search.draft import Draft
from crisplogic.search.losses import losses
from crisplogic.search.sample import Sample

Floats = NDArray[np.float64]

MOST_POINTS = 9
# What it costs to double what a term counts, in the surprise of one row: as long as nothing is
# gained by it, terms count alike.
DOUBLING_PRICE = 0.5
# How many rows the prior weighs that a term is worth nothing: some say nearly the same.
RIDGE = 1.0


def with_better_amounts(draft: Draft, sample: Sample) -> Draft:
    """Terms that count 1 to 9 times, as suits what each is worth.

    What they are worth is found by least squares, and rounded to points, of which the greatest
    has 1, or 2, or so many as pay. Shape: the votes of the draft are (terms, 1).
    """
    values = draft.values(sample)
    worth = _worth(draft, values, sample)
    share = np.abs(worth) / (np.abs(worth).max() or 1.0)
    signs = np.where(worth == 0, np.sign(draft.votes[:, 0]), np.sign(worth))
    drafts = [draft]
    for most in range(1, MOST_POINTS + 1):
        points = signs * np.maximum(np.rint(most * share), 1.0)
        drafts.append(replace(draft, votes=points[:, None]))
    trials = [calibrated(trial, values, sample) for trial in drafts]
    return min(trials, key=lambda trial: _priced(trial, values, sample))


def _priced(draft: Draft, values: Floats, sample: Sample) -> float:
    doublings = float(np.log2(np.abs(draft.votes)).sum())
    price = DOUBLING_PRICE * doublings / sample.total
    return float(losses(draft.logits(values), sample)) + price


def _worth(draft: Draft, values: Floats, sample: Sample) -> Floats:
    """What each term adds to the number in the sample's unit, as far as it is allowed to.

    Shape: ``values`` (terms, rows); returns (terms,).
    """
    centred = values - sample.mean(values)[:, None]
    distances = (sample.targets - sample.centre) / sample.spread
    counted = sample.counted(centred) / sample.total
    together = counted @ centred.T + RIDGE / sample.total * np.eye(len(values))
    said = counted @ distances
    worth: Floats = np.asarray(np.linalg.solve(together, said), dtype=np.float64)
    low, high = _bounds(draft, sample)
    if ((low <= worth) & (worth <= high)).all():
        return worth
    root = np.linalg.cholesky(together)
    found: Floats = lsq_linear(root.T, np.linalg.solve(root, said), (low, high)).x
    return found


def _bounds(draft: Draft, sample: Sample) -> tuple[Floats, Floats]:
    """0 where a term may not count against the number, or not for it; else infinity."""

    def allowed(vote: float) -> NDArray[np.bool_]:
        permits, ballot = sample.demands.permits, np.array([vote])
        return np.array([permits(term, ballot, draft.feature) for term in draft.terms])

    return np.where(allowed(-1.0), -np.inf, 0.0), np.where(allowed(1.0), np.inf, 0.0)
