"""Limits of networks of several levels: what units may do, so that scores keep to theirs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from crisplogic.constraints.limits import Limits

Bools = NDArray[np.bool_]


def limits_of_levels(limits: Limits, width: int, depth: int, skip: bool) -> list[Limits]:
    """The limits of the inputs of every level, from the first to the last.

    A unit is for one of the outputs, and moves with columns as that output may. Only columns
    that may all stand together are in one unit. An output may rise with a unit if it may do
    all that the unit does then, column by column. Two units may form a pair if all of their
    columns may.

    The inputs of the first level are the columns. Those of the others are the units of the
    level below, with ``skip`` then the columns.

    >>> up = Limits(np.array([[True], [True]]), np.array([[False], [True]]))
    >>> first, last = limits_of_levels(up, width=1, depth=2, skip=True)
    >>> first.falls.tolist()
    [[False], [True]]
    >>> last.rises.tolist(), last.falls.tolist()
    ([[True], [True], [True]], [[False], [False], [True]])
    """
    if depth == 1:  # it has no units, whatever their width
        return [limits]
    n_columns, n_outputs = limits.rises.shape
    pairs = np.ones((n_columns,) * 2, bool) if limits.pairs is None else limits.pairs
    together = _columns_of_units(pairs, width)
    outputs = np.arange(width) % n_outputs
    unit = replace(
        limits,
        rises=limits.rises[:, outputs] & together,
        falls=limits.falls[:, outputs] & together,
    )
    targets = [unit] * (depth - 1) + [limits]
    return [targets[0], *[_above(unit, each, pairs, together, skip) for each in targets[1:]]]


def _above(unit: Limits, target: Limits, pairs: Bools, together: Bools, skip: bool) -> Limits:
    """The limits of a level whose inputs are units, and columns beside them.

    ``unit`` and ``target`` say what units and what the sums of this level may do as columns
    rise. Shape: ``together`` (columns, units).
    """
    rises = ~(_any(unit.rises.T, ~target.rises) | _any(unit.falls.T, ~target.falls))
    falls = ~(_any(unit.rises.T, ~target.falls) | _any(unit.falls.T, ~target.rises))
    beside = ~_any(together.T, ~pairs)
    units = ~_any(~beside, together)
    if not skip:
        return replace(target, rises=rises, falls=falls, pairs=units)
    return replace(
        target,
        rises=np.concatenate([rises, target.rises]),
        falls=np.concatenate([falls, target.falls]),
        pairs=np.block([[units, beside], [beside.T, pairs]]),
    )


def _columns_of_units(pairs: Bools, width: int) -> Bools:
    """Columns that may all stand together, for each unit; those first that have fewest units.

    Shape: (columns, columns) to (columns, width).

    >>> apart = np.array([[True, False, True], [False, True, True], [True, True, True]])
    >>> _columns_of_units(apart, 2).astype(int).tolist()
    [[1, 0], [0, 1], [1, 1]]
    """
    found = np.zeros((len(pairs), width), bool)
    for unit in range(width):
        open_ = np.ones(len(pairs), bool)
        for column in np.argsort(found.sum(axis=1), kind="stable"):
            if open_[column]:
                found[column, unit] = True
                open_ &= pairs[column]
    return found


def _any(first: Bools, second: Bools) -> Bools:
    """Whether there is any way from one to the other: a product of matrices of truth."""
    return np.asarray((first.astype(np.float32) @ second.astype(np.float32)) > 0)
