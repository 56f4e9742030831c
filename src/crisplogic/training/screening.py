"""Screening: which columns of a wide table a network should look at.

All pairs of thousands of columns are too many to train. But how much a pair could teach right
now is known without training it: the slope of the loss by a term x[i] * x[j] is the sum over
the rows of x[i] * x[j] times what the network has not explained there, and one product of
matrices makes these sums for all pairs.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

# Multiplications that a screening may take; more rows than fit into it are left out.
MOST_WORK = 2**37
FEWEST_ROWS = 256
# Pairs are looked at in blocks of so many columns by all columns.
BLOCK = 512


def column_scores(
    columns: Tensor, unexplained: Tensor, weights: Tensor | None = None
) -> Tensor:
    """How surely each column has something to say, by itself or in a pair.

    A score is the square of how many standard deviations the slope of the loss is from 0. The
    best pair of a column is the best of as many as there are columns, of which chance alone
    makes twice the logarithm of that number: so much is taken off. A row of weight 2 counts
    as two such rows would.

    Shape: ``columns`` (rows, n), 0 where a value is unknown, ``unexplained`` (rows, classes),
    ``weights`` (rows,); returns (n,).

    >>> generator = torch.Generator().manual_seed(0)
    >>> columns = torch.rand(500, 40, generator=generator) * 2 - 1
    >>> odd = columns[:, 3] * columns[:, 7]
    >>> scores = column_scores(columns, torch.stack([odd, -odd], 1))
    >>> sorted(scores.topk(2).indices.tolist())
    [3, 7]
    """
    columns, unexplained, weights = _few_enough(columns, unexplained, weights)
    standard = columns - _mean(columns, weights)
    standard = standard / _mean(standard.square(), weights).sqrt().clamp_min(1e-12)
    rests = unexplained - _mean(unexplained, weights)
    sizes = _counted(rests.square(), weights).sum(0).sqrt().clamp_min(1e-12)
    counted = _counted(rests, weights)
    alone = (standard.T @ counted / sizes).square().amax(1)
    paired = torch.zeros_like(alone)
    for rest, size in zip(counted.T[_told_apart(rests)], sizes, strict=False):
        weighted = standard * (rest / size).unsqueeze(1)
        for first in range(0, len(alone), BLOCK):
            slopes = (weighted[:, first : first + BLOCK].T @ standard).square()
            slopes.diagonal(first).zero_()  # a column with itself is no pair
            paired[first : first + BLOCK].clamp_(min=slopes.amax(1))
    return torch.maximum(alone, paired - 2 * math.log(max(len(alone), 2)))


def _told_apart(rests: Tensor) -> slice:
    """Of two classes one tells all."""
    return slice(1) if rests.shape[1] == 2 else slice(None)


def _counted(values: Tensor, weights: Tensor | None) -> Tensor:
    return values if weights is None else values * weights.unsqueeze(1)


def _mean(values: Tensor, weights: Tensor | None) -> Tensor:
    return values.mean(0) if weights is None else weights @ values / weights.sum()


def _few_enough(
    columns: Tensor, unexplained: Tensor, weights: Tensor | None
) -> tuple[Tensor, Tensor, Tensor | None]:
    rows, n = columns.shape
    most = max(FEWEST_ROWS, MOST_WORK // (n * n * unexplained.shape[1]))
    if rows <= most:
        return columns, unexplained, weights
    if weights is None:
        kept = torch.linspace(0, rows - 1, most).long().to(columns.device)
    else:  # evenly by what rows count: each is taken as often as it counts
        upto = weights.double().cumsum(0)
        places = (torch.arange(most, device=upto.device) + 0.5) * (upto[-1] / most)
        kept = torch.searchsorted(upto, places)
    return columns[kept], unexplained[kept], None


def screened(scores: Tensor, most: int) -> Tensor:
    """The numbers of the ``most`` columns with the greatest scores, in the table's order.

    >>> screened(torch.tensor([0.1, 7.0, 0.3, 5.0]), 2).tolist()
    [1, 3]
    """
    return scores.topk(min(most, len(scores))).indices.sort().values


def renewed(looked_at: Tensor, used: Tensor, scores: Tensor) -> Tensor:
    """The columns to look at next: those without use give way to others that promise more.

    Columns keep their places, as parameters belong to places. At most half of the places
    change. Shape: ``looked_at`` (places,) column numbers, ``used`` (places,) how much of each
    the network uses, ``scores`` (n,); returns (places,).

    >>> used, scores = torch.tensor([0.0, 1.0]), torch.tensor([9.0, 1.0, 0.0, 1.0])
    >>> renewed(torch.tensor([2, 3]), used, scores).tolist()
    [0, 3]
    """
    others = scores.clone()
    others[looked_at] = -torch.inf
    best = others.topk(min(len(looked_at) // 2, len(others) - len(looked_at)))
    idle = used.argsort(stable=True)[: len(best.indices)]
    promising = best.values > scores[looked_at[idle]]
    found = looked_at.clone()
    found[idle[promising]] = best.indices[promising]
    return found
