"""Splits of rows: a validation set, and folds."""

from __future__ import annotations

import torch
from torch import Tensor

from crisplogic.errors import TableError


def stratified_holdout(
    strata: Tensor, fraction: float, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Split rows for training and for validation, every stratum in about its proportion.

    Strata are class numbers, or other groups of rows (:mod:`crisplogic.training.losses`). At
    least one row of every stratum stays for training.

    Shape: ``strata`` (rows,); returns two vectors of row numbers.

    >>> classes = torch.tensor([0, 0, 0, 0, 1, 1])
    >>> train, validate = stratified_holdout(classes, 0.5, torch.Generator().manual_seed(0))
    >>> sorted(classes[validate].tolist())
    [0, 0, 1]
    """
    train, validate = [], []
    for stratum in strata.unique():
        rows = torch.nonzero(strata == stratum).flatten()
        rows = rows[torch.randperm(len(rows), generator=generator)]
        held_out = min(round(fraction * len(rows)), len(rows) - 1)
        validate.append(rows[:held_out])
        train.append(rows[held_out:])
    if not any(len(rows) for rows in validate):
        raise TableError(
            f"validation_fraction={fraction} leaves no row to validate on: the table has "
            f"{len(strata)} rows; use a larger fraction, or 0 to train on all rows"
        )
    # Sorted, so that the order of the table is kept.
    return torch.cat(train).sort().values, torch.cat(validate).sort().values


def stratified_folds(
    targets: Tensor, folds: int, generator: torch.Generator, weights: Tensor | None = None
) -> Tensor:
    """Draw a fold number for every row, so that all folds have similar targets and weights.

    Shape: ``targets`` and ``weights`` (rows,); returns (rows,) with numbers below ``folds``.

    >>> targets = torch.tensor([0, 0, 0, 0, 1, 1])
    >>> folds = stratified_folds(targets, 2, torch.Generator().manual_seed(0))
    >>> [sorted(targets[folds == fold].tolist()) for fold in range(2)]
    [[0, 0, 1], [0, 0, 1]]
    """
    order = torch.randperm(len(targets), generator=generator)
    if weights is not None:  # rows of similar weight go to different folds
        order = order[weights[order].argsort(stable=True, descending=True)]
    order = order[targets[order].argsort(stable=True)]
    numbers = torch.empty(len(targets), dtype=torch.int64)
    numbers[order] = torch.arange(len(targets)) % max(folds, 1)
    return numbers
