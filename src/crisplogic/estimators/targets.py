"""Validate targets: classes or numbers, beyond what scikit-learn's own validation does.

Each function raises an error that says what was needed, what came and what to try.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.multiclass import check_classification_targets

from crisplogic.errors import TableError
from crisplogic.rules.rule import Label
from crisplogic.tables.kinds import is_missing
from crisplogic.weights import rows_that_count, weights_of_rows

Floats = NDArray[np.float64]

# Squares of greater numbers would be infinite.
MAX_NUMBER = 1e100


class Targets(NamedTuple):
    """Validated targets. Shape: ``y`` and ``weights`` (rows,).

    ``y`` are numbers of ``labels``, or numbers to predict, whose name is the one label.
    """

    y: NDArray[Any]
    labels: Sequence[Label]
    weights: Floats | None


def refuse_missing(y: Any) -> None:
    """Refuse missing targets; scikit-learn finds NaN among numbers, but not None in text."""
    if y is None or issparse(y):  # scikit-learn refuses these itself
        return
    missing = _missing(y)
    if missing.any():
        rows = np.flatnonzero(missing)
        raise TableError(
            f"the target is missing in {len(rows)} row(s), the first is row {rows[0]} "
            "(counted from 0); leave these rows out, for example X[y.notna()] and "
            "y[y.notna()]: y contains NaN or None"
        )


def _missing(y: Any) -> NDArray[np.bool_]:
    if hasattr(y, "isna"):
        return np.asarray(y.isna())
    # Objects, unless it is an array already: among texts, numpy makes NaN the text "nan".
    values = y if isinstance(y, np.ndarray) else np.asarray(y, dtype=object)
    if values.dtype != object:
        return np.asarray(values != values)
    return np.array([is_missing(value) for value in values.ravel()], dtype=bool)


def read_classes(
    y: NDArray[Any], sample_weight: Any, class_weight: object, who: str
) -> tuple[Targets, NDArray[Any]]:
    """Classes as numbers, and the classes that occur in rows of a weight above 0."""
    try:
        check_classification_targets(y)
    except ValueError as reason:
        raise TableError(f"{reason} To predict numbers use LogicRegressor.") from reason
    weights = weights_of_rows(sample_weight, class_weight, y)
    classes = np.unique(y[rows_that_count(weights)])
    if len(classes) < 2:
        where = "" if weights is None else " among the rows with a weight above 0"
        raise TableError(
            f"{who} needs at least 2 classes, got 1 class{where}: {classes.tolist()[0]!r}"
        )
    return Targets(np.searchsorted(classes, y), classes.tolist(), weights), classes


def to_one_type(labels: NDArray[Any]) -> NDArray[Any]:
    """Turn numbers that were kept as objects into numbers; leave text as it is."""
    if labels.dtype.kind in ("m", "M"):
        raise TableError("the classes must be text or numbers, got dates; use y.astype(str)")
    if labels.dtype != object:
        return labels
    types = sorted({type(label).__name__ for label in labels.ravel()})
    if len(types) > 1:
        raise TableError(
            f"the classes must be all text or all numbers, got {' and '.join(types)}; "
            "turn them into text with y.astype(str)"
        )
    return labels if types == ["str"] else np.array(labels.tolist())


def read_numbers(y: NDArray[Any], sample_weight: Any, name: str) -> Targets:
    """Numbers to predict."""
    try:
        numbers = y.astype(np.float64)
    except (TypeError, ValueError) as reason:
        raise TableError(
            f"the target must hold numbers, got {reason}; to predict classes use "
            "LogicClassifier"
        ) from reason
    wrong = np.flatnonzero(~(np.abs(numbers) < MAX_NUMBER))
    if len(wrong):
        raise TableError(
            f"the target must hold finite numbers below {MAX_NUMBER:g} in size, got "
            f"{numbers[wrong[0]]} in row {wrong[0]} (counted from 0): y contains NaN, infinity "
            "or a value too large"
        )
    return Targets(numbers, [name], weights_of_rows(sample_weight, None, numbers))


def name_of(y: Any) -> str:
    """The name of the column that a number comes from, or y.

    >>> name_of([1.5, 2.5])
    'y'
    """
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else "y"
