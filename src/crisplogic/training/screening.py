"""Screening: which columns of a wide table a network should see.

All pairs of thousands of columns are too many to train. But the gradient of the loss with
respect to a term x[i] * x[j] is known without training it: it is the sum over the rows of
x[i] * x[j] times the residual, and one matrix product computes these sums for all pairs.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from crisplogic.nn import LinearMembership
from crisplogic.training.problem import TrainingProblem
from crisplogic.weights import sample_rows

# The most multiplications of one screening; a sample of the rows is used if it needs more.
MAX_MULTIPLICATIONS = 2**37
MIN_ROWS = 256
# Pairs are scored in blocks of this many columns by all columns.
BLOCK = 512


@torch.no_grad()
def best_columns(problem: TrainingProblem) -> Tensor:
    """Select columns for every copy, by the targets. Shape: (copies, n_selected_features)."""
    n = problem.network.n_selected_features
    copies = range(len(problem.network.columns))
    return torch.stack([top_columns(_copy_scores(problem, each), n) for each in copies])


@torch.no_grad()
def updated_columns(problem: TrainingProblem) -> Tensor:
    """Select columns again, by the residuals of the trained copies.

    Shape: (copies, n_selected_features).
    """
    network, found = problem.network, []
    for number, selected in enumerate(network.columns):
        scores = _copy_scores(problem, number, of_residuals=True)
        found.append(replace_unused(selected, network.usage()[number], scores))
    return torch.stack(found)


def _copy_scores(
    problem: TrainingProblem, copy_number: int, of_residuals: bool = False
) -> Tensor:
    """Score all columns on the rows that a copy sees. Shape: (features,)."""
    loss, network = problem.config.loss, problem.network
    inputs, targets, weights = _sample(problem, *problem.rows_of_copy(copy_number))
    residuals = loss.encode(targets, network.out_features)
    if of_residuals:
        single = problem.single_network(network, copy_number)
        logits = single.logits(single.scores_by_chunks(single.scale(inputs)))
        residuals = residuals - loss.decode(logits)
    membership = LinearMembership(network.in_features).to(inputs.device)
    degrees = membership.fit(inputs)(inputs).float()
    return column_scores(degrees, residuals, weights)


def column_scores(columns: Tensor, residuals: Tensor, weights: Tensor | None = None) -> Tensor:
    """Score how significant each column is, alone or in its best pair.

    A score is the squared z-score of the gradient of the loss. The best pair of a column is
    the best of n, so twice the logarithm of n is subtracted: chance alone yields that much.
    A row of weight 2 counts as two rows.

    Shape: ``columns`` (rows, n), 0 where a value is missing, ``residuals`` (rows, outputs),
    ``weights`` (rows,); returns (n,).

    >>> generator = torch.Generator().manual_seed(0)
    >>> columns = torch.rand(500, 40, generator=generator) * 2 - 1
    >>> product = columns[:, 3] * columns[:, 7]
    >>> scores = column_scores(columns, torch.stack([product, -product], 1))
    >>> sorted(scores.topk(2).indices.tolist())
    [3, 7]
    """
    standardized = columns - _mean(columns, weights)
    standardized = standardized / _mean(standardized.square(), weights).sqrt().clamp_min(1e-12)
    centred = residuals - _mean(residuals, weights)
    norms = _weighted(centred.square(), weights).sum(0).sqrt().clamp_min(1e-12)
    weighted = _weighted(centred, weights)
    alone = (standardized.T @ weighted / norms).square().amax(1)
    paired = torch.zeros_like(alone)
    # The residuals of two classes differ in their sign only: one of them is enough.
    outputs = slice(1) if centred.shape[1] == 2 else slice(None)
    for residual, norm in zip(weighted.T[outputs], norms, strict=False):
        products = standardized * (residual / norm).unsqueeze(1)
        for first in range(0, len(alone), BLOCK):
            gradients = (products[:, first : first + BLOCK].T @ standardized).square()
            gradients.diagonal(first).zero_()  # a column with itself is no pair
            paired[first : first + BLOCK].clamp_(min=gradients.amax(1))
    return torch.maximum(alone, paired - 2 * math.log(max(len(alone), 2)))


def _weighted(values: Tensor, weights: Tensor | None) -> Tensor:
    return values if weights is None else values * weights.unsqueeze(1)


def _mean(values: Tensor, weights: Tensor | None) -> Tensor:
    return values.mean(0) if weights is None else weights @ values / weights.sum()


def _sample(
    problem: TrainingProblem, inputs: Tensor, targets: Tensor, weights: Tensor | None
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Draw some of the rows if there are too many. Drawn rows have no weights any more."""
    rows, n = inputs.shape
    most = max(MIN_ROWS, MAX_MULTIPLICATIONS // (n * n * problem.network.out_features))
    if rows <= most:
        return inputs, targets, weights
    own_weights = None if weights is None else weights.double().cpu().numpy()
    seed = problem.generator.initial_seed()
    drawn = torch.from_numpy(sample_rows(targets.cpu().numpy(), own_weights, most, seed))
    drawn = drawn.to(inputs.device)
    return inputs[drawn], targets[drawn], None


def top_columns(scores: Tensor, n: int) -> Tensor:
    """Return the ``n`` columns with the greatest scores, in the order of the table.

    >>> top_columns(torch.tensor([0.1, 7.0, 0.3, 5.0]), 2).tolist()
    [1, 3]
    """
    return scores.topk(min(n, len(scores))).indices.sort().values


def replace_unused(selected: Tensor, usage: Tensor, scores: Tensor) -> Tensor:
    """Replace the least used columns by others with greater scores, at most half of them.

    The other columns keep their places, because parameters belong to places.

    Shape: ``selected`` (n,) column numbers, ``usage`` (n,) how much the network uses each,
    ``scores`` (features,); returns (n,).

    >>> usage, scores = torch.tensor([0.0, 1.0]), torch.tensor([9.0, 1.0, 0.0, 1.0])
    >>> replace_unused(torch.tensor([2, 3]), usage, scores).tolist()
    [0, 3]
    """
    others = scores.clone()
    others[selected] = -torch.inf
    best = others.topk(min(len(selected) // 2, len(others) - len(selected)))
    unused = usage.argsort(stable=True)[: len(best.indices)]
    better = best.values > scores[selected[unused]]
    found = selected.clone()
    found[unused[better]] = best.indices[better]
    return found
