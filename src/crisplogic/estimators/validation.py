"""What scikit-learn's own validation leaves open about targets.

Each function raises an error that says what was needed, what came and what to try.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from crisplogic.errors import TableError
from crisplogic.tables.kinds import is_missing


def refuse_missing_targets(y: Any) -> None:
    """scikit-learn sees NaN among numbers, but not all that may be missing among texts."""
    missing = _missing(y)
    if missing.any():
        rows = np.flatnonzero(missing)
        raise TableError(
            f"the target is missing in {len(rows)} row(s), the first is row {rows[0]} "
            "(counted from 0); leave these rows out: y contains NaN or None"
        )


def _missing(y: Any) -> NDArray[np.bool_]:
    if hasattr(y, "isna"):
        return np.asarray(y.isna())
    # Objects, unless it is an array already: among texts, numpy makes NaN the text "nan".
    values = y if isinstance(y, np.ndarray) else np.asarray(y, dtype=object)
    if values.dtype != object:
        return np.asarray(values != values)
    return np.array([is_missing(value) for value in values.ravel()], dtype=bool)


def require_classes(labels: NDArray[Any]) -> None:
    """scikit-learn says which targets cannot be classes, and we what to do with them."""
    try:
        check_classification_targets(labels)
    except ValueError as reason:
        raise TableError(f"{reason} To predict numbers use LogicRegressor.") from reason


def of_one_type(labels: NDArray[Any]) -> NDArray[Any]:
    """Numbers that were kept as mere objects become numbers; texts stay as they are."""
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


# Squares of greater numbers would be infinite.
MOST = 1e100


def as_numbers(targets: NDArray[Any]) -> NDArray[np.float64]:
    """Targets that are to be predicted as numbers. Shape: (rows,) to (rows,)."""
    try:
        numbers = targets.astype(np.float64)
    except (TypeError, ValueError) as reason:
        raise TableError(
            f"the target must hold numbers, got {reason}; to predict classes use "
            "LogicClassifier"
        ) from reason
    wrong = np.flatnonzero(~(np.abs(numbers) < MOST))
    if len(wrong):
        raise TableError(
            f"the target must hold finite numbers below {MOST:g} in size, got "
            f"{numbers[wrong[0]]} in row {wrong[0]} (counted from 0): y contains NaN, infinity "
            "or a value too large"
        )
    return numbers


def name_of(y: Any) -> str:
    """What a number is called: the name of the column that it comes from, or y.

    >>> name_of([1.5, 2.5])
    'y'
    """
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else "y"


def budgets_of(asked: object, classes: list[Any]) -> NDArray[np.float64] | None:
    """The most literals in the rule of each class, infinity where none is set.

    Two classes are told apart by one sum, which speaks for one and against the other: the
    smaller budget is that of both. Shape: returns (classes,), or None where nothing is asked
    for.

    >>> budgets_of({"ill": 6}, ["ill", "unsure", "well"]).tolist()
    [6.0, inf, inf]
    >>> budgets_of({"ill": 6}, ["ill", "well"]).tolist()
    [6.0, 6.0]
    """
    if asked is None:
        return None
    if not isinstance(asked, Mapping):
        return np.full(len(classes), float(cast("int", asked)))
    unknown = [label for label in asked if label not in classes]
    if unknown:
        raise TableError(
            f"max_literals_per_class must name classes, that is {classes}, got {unknown}"
        )
    budgets = np.array([float(asked.get(label, np.inf)) for label in classes])
    return np.full(2, budgets.min()) if len(classes) == 2 else budgets
