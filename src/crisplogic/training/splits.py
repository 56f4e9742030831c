"""Setting rows aside for validation."""

from __future__ import annotations

import torch
from torch import Tensor

from crisplogic.errors import TableError

ROWS_A_STRATUM = 20


def stratified_holdout(
    targets: Tensor, fraction: float, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Row numbers to train on and to validate on, every class in about its proportion.

    At least one row of every class is left to train on. Of numbers, rows of about the same
    number are what rows of a class are otherwise.

    Shape: ``targets`` (rows,); returns two vectors of row numbers.

    >>> targets = torch.tensor([0, 0, 0, 0, 1, 1])
    >>> train, validate = stratified_holdout(targets, 0.5, torch.Generator().manual_seed(0))
    >>> sorted(targets[validate].tolist())
    [0, 0, 1]
    """
    train, validate = [], []
    targets = _strata(targets) if targets.is_floating_point() else targets
    for target in targets.unique():
        rows = torch.nonzero(targets == target).flatten()
        rows = rows[torch.randperm(len(rows), generator=generator)]
        held_out = min(round(fraction * len(rows)), len(rows) - 1)
        validate.append(rows[:held_out])
        train.append(rows[held_out:])
    if not any(len(rows) for rows in validate):
        raise TableError(
            f"validation_fraction={fraction} leaves no row to validate on: the table has "
            f"{len(targets)} rows; use a larger fraction, or 0 to train on all rows"
        )
    # Back in the order of the table, so that the draw alone decides the result.
    return torch.cat(train).sort().values, torch.cat(validate).sort().values


def _strata(targets: Tensor) -> Tensor:
    """Numbers in groups of about the same size and value. Shape: (rows,) to (rows,)."""
    ranks = targets.argsort(stable=True).argsort(stable=True)
    return ranks // ROWS_A_STRATUM


def stratified_folds(
    targets: Tensor, folds: int, generator: torch.Generator, weights: Tensor | None = None
) -> Tensor:
    """The number of a fold for every row, each class spread evenly over all folds.

    So are small and large numbers, where these are the targets, and rows of large and of
    small ``weights``. Shape: ``targets`` and ``weights`` (rows,); returns (rows,) with numbers
    below ``folds``.

    >>> targets = torch.tensor([0, 0, 0, 0, 1, 1])
    >>> folds = stratified_folds(targets, 2, torch.Generator().manual_seed(0))
    >>> [sorted(targets[folds == fold].tolist()) for fold in range(2)]
    [[0, 0, 1], [0, 0, 1]]
    """
    by_class = torch.randperm(len(targets), generator=generator)
    if weights is not None:  # rows that count alike are dealt out one after the other
        by_class = by_class[weights[by_class].argsort(stable=True, descending=True)]
    by_class = by_class[targets[by_class].argsort(stable=True)]
    numbers = torch.empty(len(targets), dtype=torch.int64)
    numbers[by_class] = torch.arange(len(targets)) % max(folds, 1)
    return numbers
