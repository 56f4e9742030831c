"""Reading tables for an estimator: numbers as scikit-learn does, all else as rules would."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length, column_or_1d, validate_data

from crisplogic.constraints.spec import Constraints, forbidden_among
from crisplogic.errors import TableError
from crisplogic.estimators.encoder import FeatureEncoder
from crisplogic.tables import Columns, Numbers, Schema, Text, infer_schema, read_columns
from crisplogic.tables.columns import labels_of

Floats = NDArray[np.float64]


def read_to_learn(
    estimator: Any, X: Any, y: Any, sample_weight: Any = None
) -> tuple[Floats, NDArray[Any], Schema]:
    """A table as a matrix, categories as codes, its targets, and what its columns are.

    What columns are is told by the rows that count for something.

    The estimator notes the columns, as scikit-learn has it (``n_features_in_`` and, of a data
    frame, ``feature_names_in_``).
    """
    columns = _in_words(X, _unsaid(estimator, X))
    if columns is None:
        table, targets = _numbers(estimator, X, y=y)
        numbers = tuple(Numbers(column) for column in table.T)
        columns = Columns(tuple(_names(estimator)), numbers, len(table))
        return table, targets, infer_schema(_counting(columns, sample_weight))
    _note(estimator, columns)
    schema = infer_schema(_counting(columns, sample_weight))
    table, targets = schema.matrix(columns), column_or_1d(y, warn=True)
    check_consistent_length(table, targets)
    _require_finite(table, schema)
    return table, targets, schema


def constraints_of(
    estimator: Any, schema: Schema, classes: Sequence[object] | None
) -> Constraints:
    """What the parameters of an estimator ask of rules about a table."""
    return Constraints.read(
        schema.names,
        schema.kinds,
        classes,
        forbidden_columns=estimator.forbidden_columns,
        monotone=estimator.monotone,
        allowed_pairs=estimator.allowed_pairs,
        forbidden_pairs=estimator.forbidden_pairs,
    )


def encoder_for(estimator: Any, schema: Schema, asked: Constraints) -> FeatureEncoder:
    """What rules can say of a table, and are allowed to."""
    words = FeatureEncoder.of(
        schema, estimator.missing_literals, asked.forbidden, asked.falling
    )
    if not words.names:
        allowed = len(schema.names) - len(asked.forbidden)
        raise TableError(
            f"{type(estimator).__name__} needs a column that says something; "
            f"of all {allowed} the values are the same in every row, or missing"
        )
    return words


def read_to_predict(estimator: Any, X: Any) -> Floats:
    """A table as a matrix, read as the one that the estimator learned from."""
    vocabulary: FeatureEncoder = estimator.encoder_
    if vocabulary.all_numbers and _in_words(X, vocabulary.unsaid) is None:
        table: Floats = _numbers(estimator, X, reset=False)
        return table
    return vocabulary.matrix(X)


def _unsaid(estimator: Any, X: Any) -> tuple[int, ...]:
    """The positions of columns that are forbidden: whatever they hold is not looked at."""
    if not estimator.forbidden_columns:
        return ()
    names = X.names if isinstance(X, Columns) else labels_of(X)
    if names is None:
        shape = np.shape(X) if not isinstance(X, Columns) else (len(X), len(X.columns))
        names = [f"x{number}" for number in range(shape[1] if len(shape) > 1 else 0)]
    return forbidden_among([str(name) for name in names], estimator.forbidden_columns)


def _in_words(X: Any, unsaid: Sequence[int]) -> Columns | None:
    """The columns of a table that scikit-learn could not read, or not as well; or nothing."""
    if labels_of(X) is None and not isinstance(X, Columns) and not _may_hold_texts(X):
        return None
    columns = read_columns(X, unsaid)
    if isinstance(X, Columns) or (unsaid and labels_of(X) is not None):
        return columns
    plain = all(not isinstance(each, Text) and not each.boolean for each in columns.columns)
    return None if plain and hasattr(X, "__array__") else columns


def _may_hold_texts(X: Any) -> bool:
    """Whether what has no columns with names could have texts in it."""
    kind = getattr(getattr(X, "dtype", None), "kind", None)
    if kind == "O":
        return any(isinstance(value, str) for value in np.asarray(X).ravel().tolist())
    if isinstance(X, list):
        return any(
            isinstance(value, str) for row in X if isinstance(row, list) for value in row
        )
    return kind == "U"


def _numbers(estimator: Any, X: Any, **options: Any) -> Any:
    """By scikit-learn's own validation, NaN where a value is missing."""
    with np.errstate(invalid="ignore"):  # its sums stumble over infinities that it refuses
        return validate_data(
            estimator, X, dtype=np.float64, ensure_all_finite="allow-nan", **options
        )


def _counting(columns: Columns, sample_weight: Any) -> Columns:
    """The rows that count for something; weights that make no sense are refused later."""
    weights = None if sample_weight is None else np.asarray(sample_weight)
    if weights is None or weights.shape != (len(columns),) or (weights != 0).all():
        return columns
    return columns.take(np.flatnonzero(weights != 0))


def _note(estimator: Any, columns: Columns) -> None:
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


def _require_finite(table: Floats, schema: Schema) -> None:
    infinite = np.isinf(table).any(axis=0)
    if infinite.any():
        name = schema.names[int(infinite.argmax())]
        raise TableError(
            f"column {name!r} holds infinity, but numbers must be finite; leave the cell empty "
            "(NaN) if its value is unknown"
        )


def _names(estimator: Any) -> list[str]:
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return [f"x{number}" for number in range(estimator.n_features_in_)]
    return [str(name) for name in names]
