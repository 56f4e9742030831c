"""Statistics of the columns of a table: found in one pass, by parts that can be added.

Sums, counts and sets do not depend on the order of the parts, nor on how rows are split. So
readers can each look at their own shards, and add what they found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError
from crisplogic.io.identifiers import looks_like_row_identifier
from crisplogic.streaming.rows import Examples
from crisplogic.tables import TRUTH, Column, Kind, Levels, Numbers, Range, Schema, Text
from crisplogic.tables.levels import (
    are_truth_words,
    find_levels_of_two,
    levels_of_counts,
    too_many_to_repeat,
)

Floats = NDArray[np.float64]
T = TypeVar("T", str, float)

# A column of more different texts than this names things rather than groups them.
MOST_TEXTS = 100_000
# Two numbers may be levels; more are not told apart.
MOST_LEVELS = 2
# A target of more different values than this is no class.
MOST_CLASSES = 1_000


@dataclass(frozen=True)
class NumberStatistics:
    """What is known of numbers: how many are missing, their range, how often each occurs.

    ``values`` counts each number, or is None where there are more than ``most`` different ones.

    >>> column = Numbers(np.array([1.0, np.nan, 2.0, 1.0]))
    >>> NumberStatistics.of(column)
    NumberStatistics(rows=4, missing=1, low=1.0, high=2.0, values={1.0: 2, 2.0: 1})
    """

    rows: int = 0
    missing: int = 0
    low: float = np.inf
    high: float = -np.inf
    values: Mapping[float, int] | None = field(default_factory=dict)
    boolean: bool = field(default=False, repr=False)
    most: int = field(default=MOST_LEVELS, repr=False)

    @classmethod
    def of(cls, column: Numbers, most: int = MOST_LEVELS, counts: bool = True) -> Self:
        """The statistics of a part; its numbers need not be counted if nobody asks."""
        values = column.values
        low = float(values.min(initial=np.inf))
        missing = 0
        if np.isnan(low):
            missing = int(np.count_nonzero(np.isnan(values)))
            low = float(np.fmin.reduce(values, initial=np.inf))
            high = float(np.fmax.reduce(values, initial=-np.inf))
        else:
            high = float(values.max(initial=-np.inf))
        counted = _count_numbers(values, low, high, most) if counts else None
        return cls(len(values), missing, low, high, counted, column.boolean, most)

    def __add__(self, other: NumberStatistics) -> NumberStatistics:
        return replace(
            self,
            rows=self.rows + other.rows,
            missing=self.missing + other.missing,
            low=min(self.low, other.low),
            high=max(self.high, other.high),
            values=_add_counts(self.values, other.values, self.most),
            boolean=self.boolean or other.boolean,
        )

    @property
    def range(self) -> Range | None:
        """The least and the greatest number; None if all are missing."""
        return (self.low, self.high) if self.low <= self.high else None

    @property
    def levels(self) -> Levels | None:
        """The levels of two numbers; None if there are more."""
        if self.boolean:
            return TRUTH
        return None if self.values is None else find_levels_of_two(self.values)


@dataclass(frozen=True)
class TextStatistics:
    """What is known of texts: how many are missing, and how often each occurs.

    ``counts`` is None where there are more than ``most`` different ones.

    >>> part = TextStatistics.of(Text.from_values(["red", None]))
    >>> part + part
    TextStatistics(rows=4, missing=2, counts={'red': 2})
    """

    rows: int = 0
    missing: int = 0
    counts: Mapping[str, int] | None = field(default_factory=dict)
    most: int = field(default=MOST_TEXTS, repr=False)

    @classmethod
    def of(cls, column: Text, most: int = MOST_TEXTS) -> Self:
        """The statistics of a part."""
        counts = column.counts()
        found = zip(column.uniques, counts.tolist(), strict=True)
        words: dict[str, int] | None = {word: count for word, count in found if count}
        if words is not None and len(words) > most:
            words = None
        return cls(len(column), len(column) - int(counts.sum()), words, most)

    def __add__(self, other: TextStatistics) -> TextStatistics:
        return replace(
            self,
            rows=self.rows + other.rows,
            missing=self.missing + other.missing,
            counts=_add_counts(self.counts, other.counts, self.most),
        )

    @property
    def looks_like_identifier(self) -> bool:
        """Whether nearly all texts differ from each other, or too many do."""
        if self.counts is None:
            return True
        return too_many_to_repeat(len(self.counts), self.rows - self.missing)

    @property
    def levels(self) -> Levels:
        """The levels of a category, or truth."""
        assert self.counts is not None  # or it is refused as an identifier
        return TRUTH if are_truth_words(self.counts) else levels_of_counts(self.counts)


ColumnStatistics = NumberStatistics | TextStatistics


def is_identifier(name: str, column: ColumnStatistics, sample: Column) -> bool:
    """Whether a column identifies rows, by its statistics and a sample of it."""
    if isinstance(column, TextStatistics):
        return column.looks_like_identifier
    if column.boolean or column.range is None:
        return False
    assert isinstance(sample, Numbers)
    return looks_like_row_identifier(name, sample.values, column.rows, column.range)


@dataclass(frozen=True)
class TableStatistics:
    """The statistics of examples: of each column by name, of the target, and of the weights.

    ``class_weights`` is how much the rows of each class weigh together, if it has classes.

    >>> from crisplogic.tables import read_columns
    >>> table = read_columns({"age": [41, 7, 9], "pet": ["cat", "cat", "dog"]})
    >>> part = Examples(np.arange(3), table, Text.from_values(["no", "yes", "no"]))
    >>> found = TableStatistics.of([part, part])
    >>> found.rows, found.class_weights, found.schema().ranges[0]
    (6, {'no': 4.0, 'yes': 2.0}, (7.0, 41.0))
    """

    columns: Mapping[str, ColumnStatistics]
    target: ColumnStatistics
    class_weights: Mapping[str, float] = field(default_factory=dict)
    rows: int = 0
    weight: float = 0.0

    @classmethod
    def of(cls, parts: Iterable[Examples]) -> TableStatistics:
        """The statistics of all parts together."""
        found: TableStatistics | None = None
        for part in parts:
            own = cls._of_part(part, found)
            found = own if found is None else found + own
        if found is None:
            raise TableError("the table has no rows to learn from")
        return found

    @classmethod
    def _of_part(cls, part: Examples, known: TableStatistics | None) -> TableStatistics:
        names = part.columns.names
        assert names is not None
        columns = {
            name: _of_column(column, None if known is None else known.columns[name])
            for name, column in zip(names, part.columns.columns, strict=True)
        }
        target, by_class = _of_target(part)
        weight = float(len(part) if part.weights is None else part.weights.sum())
        return cls(columns, target, by_class, len(part), weight)

    def __add__(self, other: TableStatistics) -> TableStatistics:
        columns = {name: _add(own, other.columns[name]) for name, own in self.columns.items()}
        by_class = dict(self.class_weights)
        for label, weight in other.class_weights.items():
            by_class[label] = by_class.get(label, 0.0) + weight
        return TableStatistics(
            columns,
            _add(self.target, other.target),
            by_class,
            self.rows + other.rows,
            self.weight + other.weight,
        )

    def check(self, where: str = "", forbidden: Iterable[str] = ()) -> None:
        """Refuse infinite numbers, and texts that identify rows."""
        left_out = set(forbidden)
        for name, column in self.columns.items():
            if name in left_out:
                continue
            if isinstance(column, TextStatistics):
                _refuse_identifier(where, name, column)
            elif not np.isfinite([column.low, column.high]).all() and column.range is not None:
                raise TableError(
                    f"{where}column {name!r}: numbers must be finite, got infinity; leave the "
                    "cell empty if its value is unknown"
                )

    def schema(self) -> Schema:
        """The schema of all rows, as :func:`crisplogic.tables.infer_schema` finds it."""
        names = tuple(self.columns)
        columns = list(self.columns.values())
        levels = tuple(column.levels for column in columns)
        return Schema(
            names,
            tuple(map(_kind, levels)),
            levels,
            tuple(column.missing > 0 for column in columns),
            tuple(
                column.range if isinstance(column, NumberStatistics) and found is None else None
                for column, found in zip(columns, levels, strict=True)
            ),
        )


def _kind(levels: Levels | None) -> Kind:
    if levels is None:
        return "number"
    return "boolean" if levels.are_ordered else "category"


def _of_column(column: Column, known: ColumnStatistics | None) -> ColumnStatistics:
    if isinstance(column, Text):
        return TextStatistics.of(column)
    counts = not isinstance(known, NumberStatistics) or known.values is not None
    return NumberStatistics.of(column, counts=counts)


def _of_target(part: Examples) -> tuple[ColumnStatistics, dict[str, float]]:
    target = part.target
    if isinstance(target, Numbers):
        return NumberStatistics.of(target, counts=False), {}
    found = TextStatistics.of(target, MOST_CLASSES)
    codes, own = target.codes, part.weights
    weights = np.bincount(codes, own, len(target.uniques)).tolist() if len(codes) else []
    pairs = zip(target.uniques, weights, strict=False)
    return found, {word: float(weight) for word, weight in pairs if weight}


def _add(first: ColumnStatistics, second: ColumnStatistics) -> ColumnStatistics:
    if isinstance(first, NumberStatistics):
        assert isinstance(second, NumberStatistics)
        return first + second
    assert isinstance(second, TextStatistics)
    return first + second


def _add_counts(
    first: Mapping[T, int] | None, second: Mapping[T, int] | None, most: int
) -> Mapping[T, int] | None:
    """The sum of counts; None if there are too many, whoever found them."""
    if first is None or second is None:
        return None
    if first.keys() == second.keys():
        return {key: count + second[key] for key, count in first.items()}
    both = dict(Counter(first) + Counter(second))
    return both if len(both) <= most else None


def _count_numbers(
    values: Floats, low: float, high: float, most: int
) -> dict[float, int] | None:
    """How often each number occurs; None if there are too many."""
    if low > high:
        return {}
    lowest = int(np.count_nonzero(values == low))
    highest = int(np.count_nonzero(values == high)) if low < high else 0
    known = len(values) - int(np.count_nonzero(np.isnan(values)))
    if lowest + highest == known:
        return {low: lowest} | ({high: highest} if highest else {})
    if most <= MOST_LEVELS:
        return None
    different, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    if len(different) > most:
        return None
    return dict(zip(different.tolist(), counts.tolist(), strict=True))


def _refuse_identifier(where: str, name: str, column: TextStatistics) -> None:
    if not column.looks_like_identifier:
        return
    many = f"more than {MOST_TEXTS:,}" if column.counts is None else f"{len(column.counts):,}"
    raise TableError(
        f"{where}column {name!r} must hold values that repeat, or numbers; it has {many} "
        f"different texts in {column.rows:,} rows, as names and identifiers do: leave it out, "
        "group its values, or forbid it",
        {"drop": name},
    )
