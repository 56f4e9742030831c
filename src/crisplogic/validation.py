"""What scikit-learn's own validation leaves open about tables and targets.

Each function raises an error that says what was needed, what came and what to try.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError
from crisplogic.rules.table import as_matrix


def refuse_repeated_columns(X: Any) -> None:
    """Rules speak of columns by name, so no two may have the same."""
    names = [str(name) for name in getattr(X, "columns", ())]
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise TableError(
            "column names must differ from each other, since rules speak of columns by name; "
            f"repeated: {', '.join(map(repr, repeated))}"
        )


def refuse_dates(X: Any) -> None:
    """scikit-learn reads dates as numbers, but no rule could be read that way."""
    for name in getattr(X, "columns", ()):
        if getattr(X[name].dtype, "kind", None) in ("m", "M"):
            raise TableError(
                f"column {name!r} must hold numbers, got dates or times; turn them into a year "
                "or a number of days, or leave the column out"
            )


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
    return np.array([_is_missing(value) for value in values.ravel()], dtype=bool)


def _is_missing(value: Any) -> bool:
    """None, NaN, NaT or pandas' NA, which does not even say whether it equals itself."""
    equal = value == value
    return value is None or not isinstance(equal, bool | np.bool_) or not equal


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


def name_column_without_numbers(X: Any, error: Exception) -> None:
    """Where scikit-learn says that something is no number, say in which column it stands."""
    if not hasattr(X, "columns"):
        return
    try:
        as_matrix(X, [str(name) for name in X.columns])
    except TableError as reason:
        raise TableError(
            f"{reason}; turn it into numbers (text for instance into one 0/1 column a value) "
            "or leave the column out"
        ) from error
