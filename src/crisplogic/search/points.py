"""Points: how often each term counts, as small whole numbers.

Terms of a number differ in their coefficients: one more room may add ten times what a garden
does. Rules stay readable if all coefficients are small multiples of one. Terms of classes get
their points with their votes (:mod:`crisplogic.search.moves`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear

from crisplogic.search.draft import Draft
from crisplogic.search.fit import calibrate
from crisplogic.search.losses import GaussianLoss
from crisplogic.search.training_set import TrainingSet

Floats = NDArray[np.float64]

MAX_POINTS = 9
# The penalty of doubling the points of a term, in the loss of one row: terms have the same
# points as long as nothing is gained by others.
DOUBLING_PENALTY = 0.5
# How many rows the prior weighs that a coefficient is 0: some terms are nearly the same.
RIDGE = 1.0


def improve_points(draft: Draft, data: TrainingSet) -> Draft:
    """Give every term 1 to 9 points, by its coefficient.

    Coefficients are found by least squares and rounded to points. The greatest gets 1 point,
    or 2, or as many as pay. Shape: the votes of the draft are (terms, 1).
    """
    values = draft.values(data)
    coefficients = _coefficients(draft, values, data)
    relative = np.abs(coefficients) / (np.abs(coefficients).max() or 1.0)
    signs = np.where(coefficients == 0, np.sign(draft.votes[:, 0]), np.sign(coefficients))
    drafts = [draft]
    for most in range(1, MAX_POINTS + 1):
        points = signs * np.maximum(np.rint(most * relative), 1.0)
        drafts.append(replace(draft, votes=points[:, None]))
    trials = [calibrate(trial, values, data) for trial in drafts]
    return min(trials, key=lambda trial: _penalized_loss(trial, values, data))


def count_doublings(votes: Floats | float) -> Floats:
    """How often one point was doubled, for every vote. Shape: (...) to (...).

    >>> count_doublings(np.array([0.0, 1.0, -4.0])).tolist()
    [0.0, 0.0, 2.0]
    """
    doublings: Floats = np.log2(np.maximum(np.abs(votes), 1.0))
    return doublings


def _penalized_loss(draft: Draft, values: Floats, data: TrainingSet) -> float:
    penalty = DOUBLING_PENALTY * float(count_doublings(draft.votes).sum()) / data.total_weight
    return float(data.loss(draft.logits(values))) + penalty


def _coefficients(draft: Draft, values: Floats, data: TrainingSet) -> Floats:
    """What each term adds to the scaled number, within its limits.

    Shape: ``values`` (terms, rows); returns (terms,).
    """
    assert isinstance(data.loss, GaussianLoss)
    loss = data.loss.reweighted(draft.logits(values)[0])
    centred = values - loss.mean(values)[:, None]
    weighted = loss.weighted(centred) / loss.total_weight
    covariance = weighted @ centred.T + RIDGE / loss.total_weight * np.eye(len(values))
    with_y = weighted @ loss.scaled_y
    found: Floats = np.asarray(np.linalg.solve(covariance, with_y), dtype=np.float64)
    low, high = _bounds(draft, data)
    if ((low <= found) & (found <= high)).all():
        return found
    root = np.linalg.cholesky(covariance)
    bounded: Floats = lsq_linear(root.T, np.linalg.solve(root, with_y), (low, high)).x
    return bounded


def _bounds(draft: Draft, data: TrainingSet) -> tuple[Floats, Floats]:
    """0 where a term may not lower the number, or not raise it; else infinity."""

    def allowed(vote: float) -> NDArray[np.bool_]:
        votes = np.array([vote])
        return np.array([data.permits(term, votes, draft.feature) for term in draft.terms])

    return np.where(allowed(-1.0), -np.inf, 0.0), np.where(allowed(1.0), np.inf, 0.0)
