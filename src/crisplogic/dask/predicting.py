"""Predictions of collections, partition by partition."""

from __future__ import annotations

from typing import Any

import numpy as np

from crisplogic.errors import TableError
from crisplogic.tables import unseen_values_ignored


def on_partitions(estimator: Any, method: str, X: Any) -> Any:
    """What a method of an estimator says of every row of a Dask frame or array.

    Frames become series or frames with the same index, arrays become arrays.

    >>> import dask.array
    >>> from crisplogic import LogicClassifier
    >>> table = np.repeat([[0.0], [1.0]], 20, axis=0)
    >>> clf = LogicClassifier(random_state=0).fit(table, table[:, 0] > 0)
    >>> on_partitions(clf, "predict", dask.array.from_array(table, chunks=10)).sum().compute()
    np.int64(20)
    """
    import dask.array
    import dask.dataframe

    if isinstance(X, dask.array.Array):
        return _of_array(estimator, method, X)
    if isinstance(X, dask.dataframe.DataFrame):
        with unseen_values_ignored():
            meta = _of_frame(X._meta_nonempty, estimator, method).iloc[:0]
        frame: Any = X  # Dask carries types, but not everywhere
        return frame.map_partitions(_of_frame, estimator, method, meta=meta)
    raise TableError(f"X must be a Dask frame or array, got {type(X).__name__}")


def _of_array(estimator: Any, method: str, X: Any) -> Any:
    X = X.rechunk({1: -1})
    with unseen_values_ignored():
        meta = np.asarray(getattr(estimator, method)(np.zeros((1, X.shape[1]))))
    shapes: dict[str, Any] = {"drop_axis": 1}
    if meta.ndim == 2:
        shapes = {"chunks": (X.chunks[0], (meta.shape[1],))}
    return X.map_blocks(_of_block, estimator, method, dtype=meta.dtype, meta=meta[:0], **shapes)


def _of_block(block: Any, estimator: Any, method: str) -> Any:
    return getattr(estimator, method)(block)


def _of_frame(frame: Any, estimator: Any, method: str) -> Any:
    """Shape: (rows, features) to a series, or to a frame with a column a class."""
    import pandas

    if len(frame):
        found = getattr(estimator, method)(frame)
    else:  # a partition that a filter left empty
        with unseen_values_ignored():
            found = getattr(estimator, method)(_some_row(frame))[:0]
    if found.ndim == 2:
        return pandas.DataFrame(found, frame.index, list(estimator.classes_))
    return pandas.Series(found, frame.index, name=method)


def _some_row(frame: Any) -> Any:
    """A row of missing values, in a frame of the same types."""
    return frame.reindex([0]) if len(frame.columns) else frame
