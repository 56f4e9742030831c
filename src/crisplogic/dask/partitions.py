"""Partitions of Dask collections as examples; each stays on the worker that has it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from dask.delayed import delayed
from numpy.typing import NDArray

from crisplogic.errors import TableError, raise_problems
from crisplogic.streaming import Examples, fold_numbers
from crisplogic.tables import Column, Columns, Kind, Numbers, Text, read_columns
from crisplogic.tables.columns import read_series
from crisplogic.tables.kinds import as_numbers, as_text
from crisplogic.weights import weights_of_rows

T = TypeVar("T")

# Rows of a partition are numbered from its number times this on: nobody has to count them.
MOST_ROWS = 1 << 40
# So many results are merged by one task.
FAN_IN = 8


@dataclass(frozen=True)
class Partitions:
    """The partitions of a table with its target, as tasks, and the kinds of its columns.

    Each item is a delayed (table, target, weights), the last None if all rows count the same.
    Columns of arrays are not ``named``. Of a ``fold`` its rows are read, or only the others.
    """

    items: Sequence[tuple[Any, Any, Any]]
    kinds: Mapping[str, Kind | TableError]
    target: str
    target_kind: Kind
    named: bool = True
    excluded: frozenset[str] = frozenset()
    fold: tuple[int, int, bool] | None = None

    @classmethod
    def of(cls, X: Any, y: Any, sample_weight: Any = None) -> Partitions:
        """Line up the partitions of a table, its target and its weights.

        ``y`` and ``sample_weight`` may be names of columns of ``X``.
        """
        named = hasattr(X, "columns")
        X, (y, sample_weight) = _split_off(_as_frame(X), [y, sample_weight])
        y, parts = _as_series(y, "y"), _delayed(X)
        targets = _delayed(y)
        weights = (
            [None] * len(parts)
            if sample_weight is None
            else _delayed(_as_series(sample_weight, "sample_weight"))
        )
        for name, others in (("y", targets), ("sample_weight", weights)):
            if len(others) != len(parts):
                raise TableError(
                    f"{name} must have the partitions of X, which has {len(parts)}; got "
                    f"{len(others)}; make both of one frame, or repartition them alike"
                )
        kinds = {str(name): _kind(X._meta[name], f"column {str(name)!r}") for name in X.columns}
        name = str(y.name) if y.name else "y"
        items = list(zip(parts, targets, weights, strict=True))
        kind = _kind(y._meta, f"the target {name!r}")
        if isinstance(kind, TableError):
            raise kind
        return cls(items, kinds, name, kind, named)

    def without(self, columns: Sequence[int]) -> Partitions:
        """The same, but for columns that nobody may read; all others can be learned from."""
        names = list(self.kinds)
        excluded = frozenset(names[at] for at in columns)
        others = [kind for name, kind in self.kinds.items() if name not in excluded]
        raise_problems([kind for kind in others if isinstance(kind, TableError)])
        return replace(self, excluded=excluded)

    def of_fold(self, fold: int, folds: int, *, inside: bool) -> Partitions:
        """Only the rows of one fold, or only the others. Numbers of rows decide."""
        return replace(self, fold=(fold, folds, inside))

    def map(self, function: Callable[..., T], *arguments: Any, number: bool) -> list[Any]:
        """A task for each partition that calls a function with its examples, and more.

        The target is read as a ``number``, or as text: the names of classes.
        """
        about = replace(self, items=())
        call = delayed(_call, pure=False)
        return [
            call(function, about, number, at, item, *arguments)
            for at, item in enumerate(self.items)
        ]

    def examples(self, number_of_partition: int, item: Any, *, number: bool) -> Examples:
        """The rows of a partition that have a target, and a weight above 0.

        >>> import pandas as pd
        >>> item = pd.DataFrame({"age": [41, 50]}), pd.Series(["no", None]), None
        >>> about = Partitions((), {"age": "number"}, "ill", "category")
        >>> found = about.examples(1, item, number=False)
        >>> found.numbers.tolist(), found.target.values.tolist()
        ([1099511627776], ['no'])
        """
        table, y, w = item
        names = list(self.kinds)
        read = read_columns(table, [names.index(each) for each in self.excluded])
        y = read_series(y, f"the target {self.target!r}")
        if len(y) != len(read):
            raise TableError(
                f"partition {number_of_partition} of y has {len(y)} rows, that of X has "
                f"{len(read)}; make both of one frame, or repartition them alike"
            )
        kinds = self.kinds.items()
        columns = tuple(
            each if isinstance(kind, TableError) else _of_kind(each, kind)
            for each, (name, kind) in zip(read.columns, kinds, strict=True)
        )
        own: Column = as_numbers(y, f"the target {self.target!r}") if number else as_text(y)
        weights = None if w is None else _weights(w, len(read))
        numbers = number_of_partition * MOST_ROWS + np.arange(len(read))
        found = Examples(numbers, Columns(tuple(names), columns, len(read)), own, weights)
        kept = self._kept(found)
        return found if kept.all() else found.take(np.flatnonzero(kept))

    def _kept(self, rows: Examples) -> NDArray[np.bool_]:
        target = rows.target
        kept = ~np.isnan(target.values) if isinstance(target, Numbers) else target.codes >= 0
        if rows.weights is not None:
            kept &= rows.weights > 0
        if self.fold is not None:
            fold, folds, inside = self.fold
            kept &= (fold_numbers(rows.numbers, folds) == fold) == inside
        return np.asarray(kept)


def merge_tree(tasks: Sequence[Any], merge: Callable[[T, T], T]) -> Any:
    """One task that merges the results of all, some at a time; None is nothing.

    >>> tasks = [delayed([1]), delayed(None), delayed([2])]
    >>> merge_tree(tasks, list.__add__).compute()
    [1, 2]
    """
    join = delayed(_merge_all)
    while len(tasks) > 1:
        tasks = [
            join(merge, list(tasks[at : at + FAN_IN])) for at in range(0, len(tasks), FAN_IN)
        ]
    return tasks[0]


def _merge_all(merge: Callable[[T, T], T], found: Sequence[T | None]) -> T | None:
    result: T | None = None
    for each in found:
        result = each if result is None else result if each is None else merge(result, each)
    return result


def _call(
    function: Callable[..., T],
    about: Partitions,
    number: bool,
    number_of_partition: int,
    item: Any,
    *arguments: Any,
) -> T:
    return function(about.examples(number_of_partition, item, number=number), *arguments)


def _weights(weights: Any, rows: int) -> Any:
    """Weights of a partition; unlike those of a table all of them may be 0."""
    values = np.asarray(weights, dtype=np.float64)
    checked = weights_of_rows(np.append(values, 1.0), None, np.empty(rows + 1))
    assert checked is not None
    return values


def _of_kind(column: Column, kind: Kind) -> Column:
    """A column that looks otherwise in one partition, as where all values are missing."""
    if kind == "category":
        return as_text(column)
    if isinstance(column, Text) and not column.uniques:
        return Numbers(np.full(len(column), np.nan), boolean=kind == "boolean")
    return column


def _kind(meta: Any, what: str) -> Kind | TableError:
    """What a column of this type holds; an error if it cannot be learned from."""
    try:
        column = read_series(meta, what)
    except TableError as error:
        return error
    if isinstance(column, Text) or getattr(meta.dtype, "kind", "") == "O":
        return "category"
    return "boolean" if column.boolean else "number"


def _as_frame(X: Any) -> Any:
    """A Dask frame; an array of numbers gets the names x0, x1, ..."""
    import dask.array
    import dask.dataframe

    if isinstance(X, dask.array.Array):
        if X.ndim != 2:
            raise TableError(f"a table has rows and columns, got shape {X.shape}")
        names = [f"x{number}" for number in range(X.shape[1])]
        return dask.dataframe.from_dask_array(_whole_rows(X), columns=names)
    if isinstance(X, dask.dataframe.DataFrame):
        return X
    raise TableError(
        f"X must be a Dask frame or array, got {type(X).__name__}; use "
        "dask.dataframe.from_pandas(X, npartitions=8), or the estimators of crisplogic itself "
        "for what is in memory"
    )


def _as_series(y: Any, name: str) -> Any:
    import dask.array
    import dask.dataframe

    if isinstance(y, dask.array.Array):
        return dask.dataframe.from_dask_array(_flat(y))
    if isinstance(y, dask.dataframe.Series):
        return y
    if isinstance(y, dask.dataframe.DataFrame) and len(y.columns) == 1:
        return y[y.columns[0]]
    raise TableError(
        f"{name} must be a Dask series or array, or a column of X, got {type(y).__name__}"
    )


def _split_off(X: Any, others: Sequence[Any]) -> tuple[Any, list[Any]]:
    """A table without the columns that are named, and these."""
    names = [each for each in others if isinstance(each, str)]
    if missing := [name for name in names if name not in X.columns]:
        raise TableError(f"there is no column {missing[0]!r} in X")
    found = [X[each] if isinstance(each, str) else each for each in others]
    return X.drop(columns=names) if names else X, found


def _delayed(collection: Any) -> list[Any]:
    return list(np.ravel(collection.to_delayed()))


def _whole_rows(array: Any) -> Any:
    """The same array in chunks of whole rows."""
    return array.rechunk({1: -1})


def _flat(array: Any) -> Any:
    return array.ravel() if array.ndim > 1 else array
