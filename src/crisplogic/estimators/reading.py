"""Read tables for an estimator: numbers as scikit-learn does, all else as rules do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length, column_or_1d, validate_data

from crisplogic.constraints import find_forbidden
from crisplogic.errors import TableError
from crisplogic.estimators.encoder import FeatureEncoder
from crisplogic.messages import list_some
from crisplogic.tables import Columns, Numbers, Schema, Text, read_columns, warn_of_unseen
from crisplogic.tables.columns import as_array, labels_of
from crisplogic.tables.kinds import MISSING, NUMBER, TRUTH, value_kind
from crisplogic.tables.records import are_records, refuse_no_table

Floats = NDArray[np.float64]
# Single precision stays what it is; whatever is no float becomes double precision.
FLOATS = (np.float64, np.float32)


def read_table(estimator: Any, X: Any, y: Any) -> tuple[Columns, Floats | None, NDArray[Any]]:
    """The columns of a table, its matrix where all of them are numbers, and its targets.

    An array of floats is not copied, in whatever precision. It sets ``n_features_in_`` and,
    for a data frame, ``feature_names_in_``, as scikit-learn does.
    """
    columns = _read_mixed(X, _forbidden(estimator, X))
    if columns is None:
        matrix, targets = _validate_numbers(estimator, X, FLOATS, y=y)
        numbers = tuple(Numbers(column) for column in matrix.T)
        return Columns(tuple(_names(estimator)), numbers, len(matrix)), matrix, targets
    _set_features(estimator, columns)
    targets = column_or_1d(y, warn=True)
    check_consistent_length(np.empty(len(columns)), targets)
    return columns, None, targets


def encode_finite(schema: Schema, table: Any) -> Floats:
    """A table as a matrix, categories as codes; infinity is refused."""
    matrix = schema.matrix(table)
    infinite = np.flatnonzero(np.isinf(matrix).any(axis=0))
    if len(infinite):
        names = list_some([schema.names[at] for at in infinite])
        raise TableError(
            f"column{'s' if len(infinite) > 1 else ''} {names}: numbers must be finite, got "
            "infinity; leave the cell empty (NaN) if its value is unknown"
        )
    return matrix


def read_for_rules(estimator: Any, X: Any) -> tuple[Any, bool]:
    """A table that rules predict from, and whether its categories are codes already.

    Of an array of numbers it does not warn: rules find values never seen while they read it.
    """
    numbers = _read_numbers(estimator, X)
    if numbers is not None:
        return numbers, False
    matrix: Floats = estimator.encoder_.matrix(X)
    warn_of_unseen(estimator.rules_.unseen_values(X, matrix))
    return matrix, True


def read_for_network(estimator: Any, X: Any) -> Floats:
    """A table as a matrix, read like the one that the estimator was fitted to.

    It warns of values that were never seen, in columns that matter.
    """
    encoder: FeatureEncoder = estimator.encoder_
    numbers = _read_numbers(estimator, X)
    X = X if numbers is None else numbers
    matrix = encoder.matrix(X) if numbers is None or any(encoder.levels) else numbers
    warn_of_unseen(encoder.unseen_values(X, matrix))
    return matrix


def _read_numbers(estimator: Any, X: Any) -> NDArray[Any] | None:
    """A table as an array of floats, in whatever precision; None if it holds other values."""
    encoder: FeatureEncoder = estimator.encoder_
    if not encoder.all_numbers or _read_mixed(X, encoder.excluded) is not None:
        return None
    numbers: NDArray[Any] = _validate_numbers(estimator, X, FLOATS, reset=False)
    return numbers


def _forbidden(estimator: Any, X: Any) -> tuple[int, ...]:
    """The positions of forbidden columns, which are not read."""
    if not estimator.forbidden_columns:
        return ()
    names = X.names if isinstance(X, Columns) else labels_of(X)
    if names is None:
        shape = np.shape(X) if not isinstance(X, Columns) else (len(X), len(X.columns))
        names = [f"x{number}" for number in range(shape[1] if len(shape) > 1 else 0)]
    return find_forbidden([str(name) for name in names], estimator.forbidden_columns)


def _read_mixed(X: Any, excluded: Sequence[int]) -> Columns | None:
    """The columns of a table that scikit-learn cannot read, or not as well; else None."""
    refuse_no_table(X)
    if labels_of(X) is None and not isinstance(X, Columns) and not _may_hold_text(X):
        return None
    columns = read_columns(X, excluded)
    if isinstance(X, Columns) or excluded:
        return columns
    plain = all(not isinstance(each, Text) and not each.boolean for each in columns.columns)
    return None if plain and hasattr(X, "__array__") and not are_records(X) else columns


def _may_hold_text(X: Any) -> bool:
    """Whether an array or a list has more in it than numbers, or rows of different lengths."""
    kind = getattr(getattr(X, "dtype", None), "kind", None)
    if isinstance(X, list | tuple):
        X, kind = as_array(X), "O"
    if kind == "O":
        kinds = {type(value) for value in np.asarray(X).ravel().tolist()}
        return not {value_kind(each) for each in kinds} <= {NUMBER, TRUTH, MISSING}
    return kind in ("U", "S", "V", "M", "m")


def _validate_numbers(estimator: Any, X: Any, dtype: Any = np.float64, **options: Any) -> Any:
    """Validate by scikit-learn's own function; missing values are NaN."""
    if isinstance(X, np.matrix):  # which scikit-learn refuses
        X = np.asarray(X)
    with np.errstate(invalid="ignore"):  # its sums warn of infinities, which it then refuses
        return validate_data(
            estimator, X, dtype=dtype, ensure_all_finite="allow-nan", **options
        )


def _set_features(estimator: Any, columns: Columns) -> None:
    if not len(columns) or not columns.columns:
        raise TableError(
            f"{type(estimator).__name__} needs a table of at least one row and one column, "
            f"got {len(columns)} rows and {len(columns.columns)} columns"
        )
    estimator.n_features_in_ = len(columns.columns)
    if columns.names is not None:
        estimator.feature_names_in_ = np.array(columns.names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def _names(estimator: Any) -> list[str]:
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return [f"x{number}" for number in range(estimator.n_features_in_)]
    return [str(name) for name in names]
