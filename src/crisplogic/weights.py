"""Weights of rows: how much each row counts, checked and made comparable.

A row of weight 2 counts as two such rows would, and one of weight 0 as if it were not there.
Only how weights compare with each other matters: they are brought to a mean of 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError
from crisplogic.parameters import AMOUNT, is_amount, require

Floats = NDArray[np.float64]

# No row counts for less than this share of what the greatest does, unless it counts for
# nothing: what many of them add up to has to be a number that networks can divide by.
FAINTEST = 1e-12
TO_TRY = "a row that should not count needs a weight of 0"


def weights_of_rows(
    sample_weight: Any, class_weight: object, labels: NDArray[Any]
) -> Floats | None:
    """What each row counts, by itself and by its class; None if all count the same.

    "balanced" is no concern of this function: it depends on the rows that are learned from.
    Shape: ``labels`` (rows,); returns (rows,).

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


def comparable(
    weights: Floats | None, targets: NDArray[np.intp], class_weight: object
) -> Floats | None:
    """The weights with a mean of 1; None if all rows count the same.

    If ``class_weight`` is "balanced", all classes together count the same. Weights have to
    be above 0. Shape: ``weights`` and ``targets`` (rows,).

    >>> comparable(np.array([4.0, 2.0]), np.array([0, 1]), None).round(3).tolist()
    [1.333, 0.667]
    >>> comparable(None, np.array([0, 1, 1, 1]), "balanced").round(3).tolist()
    [2.0, 0.667, 0.667, 0.667]
    """
    if weights is None and class_weight != "balanced":
        return None
    weights = np.ones(len(targets)) if weights is None else _at_most_1(weights)
    if class_weight == "balanced":
        weights = weights / np.bincount(targets, weights)[targets]
    weights = np.maximum(weights, FAINTEST * weights.max())
    # In single precision a factor, which changes last digits only, changes nothing at all.
    weights = (weights / weights.mean()).astype(np.float32).astype(np.float64)
    return None if (weights == weights[0]).all() else weights


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
            f"{needed}, got something that is no number: {reason}; {TO_TRY}"
        ) from reason
    if weights.shape != (rows,):
        raise TableError(f"{needed}, got an array of shape {weights.shape}; {TO_TRY}")
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        raise TableError(
            f"{needed}, each {AMOUNT}, got {weights[wrong[0]]} in row {wrong[0]} (counted from "
            f"0); {TO_TRY}"
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
