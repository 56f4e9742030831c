"""Weights of rows: validated, and scaled to a mean of 1.

A row of weight 2 counts as two such rows would, and one of weight 0 as if it were not there.
Only the ratios of weights matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError
from crisplogic.parameters import AMOUNT, is_amount, require

Floats = NDArray[np.float64]

# The least weight above 0, as a share of the greatest: networks divide by sums of weights.
MIN_SHARE = 1e-12
HINT = "a row that should not count needs a weight of 0"


def weights_of_rows(
    sample_weight: Any, class_weight: object, labels: NDArray[Any]
) -> Floats | None:
    """The weight of each row times that of its class; None if all rows count the same.

    ``class_weight="balanced"`` is left to :func:`normalize_weights`, as it depends on the rows
    that are learned from. Shape: ``labels`` (rows,); returns (rows,).

    >>> weights_of_rows([1, 2, 0], {"no": 1, "yes": 10}, np.array(["no", "yes", "no"])).tolist()
    [0.05, 1.0, 0.0]
    """
    weights = None if sample_weight is None else _checked(sample_weight, len(labels))
    if isinstance(class_weight, Mapping):
        classes, numbers = np.unique(labels, return_inverse=True)
        by_class = _weights_of_classes(class_weight, classes.tolist())[numbers]
        weights = by_class if weights is None else _at_most_1(weights) * _at_most_1(by_class)
    if weights is not None and not weights.any():
        raise TableError(
            f"weights must be above 0 for some of the rows, got a weight of zero for all "
            f"{len(labels)}; leave sample_weight out to let all rows count the same"
        )
    return weights


def rows_that_count(weights: Floats | None) -> slice | NDArray[np.intp]:
    """The numbers of the rows with a weight above 0, or all rows.

    >>> rows_that_count(np.array([1.0, 0.0, 2.0])).tolist(), rows_that_count(None)
    ([0, 2], slice(None, None, None))
    """
    return slice(None) if weights is None or weights.all() else np.flatnonzero(weights)


def normalize_weights(
    weights: Floats | None, y: NDArray[np.intp], balanced: bool = False
) -> Floats | None:
    """The weights with a mean of 1; None if all rows count the same.

    If classes are ``balanced``, all of them weigh the same. Weights have to be above 0.
    Shape: ``weights`` and ``y`` (rows,).

    >>> normalize_weights(np.array([4.0, 2.0]), np.array([0, 1])).round(3).tolist()
    [1.333, 0.667]
    >>> normalize_weights(None, np.array([0, 1, 1, 1]), balanced=True).round(3).tolist()
    [2.0, 0.667, 0.667, 0.667]
    """
    if weights is None and not balanced:
        return None
    weights = np.ones(len(y)) if weights is None else _at_most_1(weights)
    if balanced:
        weights = weights / np.bincount(y, weights)[y]
    weights = np.maximum(weights, MIN_SHARE * weights.max())
    # In single precision, a common factor of all weights changes nothing at all.
    weights = (weights / weights.mean()).astype(np.float32).astype(np.float64)
    return None if (weights == weights[0]).all() else weights


def sample_rows(y: NDArray[Any], weights: Floats | None, n: int, seed: int) -> NDArray[np.intp]:
    """The numbers of ``n`` rows, drawn at random, with every class in its proportion.

    Numbers are in proportion, too: there are as many small and large ones. A row of weight 2 is
    drawn twice as often. Without weights, no row is drawn twice. The order of the table has no
    influence on how rows are chosen, so that rows which alternate cannot mislead.

    Shape: ``y`` and ``weights`` (rows,); returns (n,), sorted.

    >>> y = np.array([0, 1] * 50)
    >>> int(y[sample_rows(y, None, 10, seed=0)].sum())
    5
    """
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    upto = np.arange(1.0, len(y) + 1) if weights is None else weights[order].cumsum()
    places = (np.arange(n) + generator.random()) * (upto[-1] / n)
    found = np.searchsorted(upto, places, side="right")
    return np.sort(order[np.minimum(found, len(y) - 1)])


def weighted_mean(values: NDArray[Any], weights: Floats | None) -> Floats:
    """The mean over rows. Shape: ``values`` (..., rows), ``weights`` (rows,); returns (...).

    >>> float(weighted_mean(np.array([0.0, 8.0]), np.array([3.0, 1.0])))
    2.0
    """
    if weights is None:
        return np.asarray(values.mean(axis=-1))
    return np.asarray(values @ weights / weights.sum())


def _at_most_1(weights: Floats) -> Floats:
    """The same weights, small enough for any sum and any product of them."""
    return weights / (weights.max() or 1.0)


def _checked(sample_weight: Any, rows: int) -> Floats:
    needed = f"sample_weight must be one number a row, {rows} in all"
    try:
        weights = np.asarray(sample_weight)
        if weights.dtype.kind not in "fiub":
            weights = np.asarray(sample_weight, dtype=object).astype(np.float64)
    except (TypeError, ValueError) as reason:
        raise TableError(
            f"{needed}, got something that is not a number: {reason}; {HINT}"
        ) from reason
    if weights.shape != (rows,):
        raise TableError(f"{needed}, got an array of shape {weights.shape}; {HINT}")
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        raise TableError(
            f"{needed}, each {AMOUNT}, got {weights[wrong[0]]} in row {wrong[0]} (counted from "
            f"0); {HINT}"
        )
    return weights.astype(np.float64)


def _weights_of_classes(class_weight: Mapping[Any, Any], classes: list[Any]) -> Floats:
    for name, weight in class_weight.items():
        require(is_amount(weight), f"class_weight[{name!r}]", AMOUNT, weight)
    unknown = [name for name in class_weight if name not in classes]
    missing = [name for name in classes if name not in class_weight]
    if unknown or missing:
        raise TableError(
            f"class_weight must name every class and no other, that is {classes}, got "
            f"{list(class_weight)}; missing are {missing}, unknown are {unknown}: name what is "
            'missing (a weight of 1 is as usual), or use class_weight="balanced"'
        )
    return np.array([class_weight[name] for name in classes], dtype=np.float64)
