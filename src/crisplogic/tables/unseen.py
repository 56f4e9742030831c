"""Values that training never saw: how many a column, examples, and what was known."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import UnseenValuesWarning
from crisplogic.messages import list_some
from crisplogic.tables.encode import some_rows
from crisplogic.tables.kinds import Column, Numbers, as_text
from crisplogic.tables.levels import TRUTH, Levels, least_rows
from crisplogic.tables.schema import Range

Floats = NDArray[np.float64]

# Rows that are looked at together.
CHUNK_ROWS = 2**12
# So many examples are kept, the most frequent first; a message has fewer.
MOST_EXAMPLES = 10
MOST_SHOWN = 4
TRUTH_SPELLINGS = ("0", "1", "no", "yes", "false", "true")


@dataclass(frozen=True)
class UnseenColumn:
    """The values of one column that training never saw.

    ``rows`` is how many rows hold one, ``examples`` has some of them with their counts.
    ``known`` are the values of a category. The ``range`` is that of a column of numbers, of
    which only those far outside count: by more than its width.
    """

    name: str
    rows: int
    examples: Mapping[str, int]
    known: tuple[str, ...] = ()
    range: Range | None = None

    def __add__(self, other: UnseenColumn) -> UnseenColumn:
        both = Counter(self.examples) + Counter(other.examples)
        examples = dict(both.most_common(MOST_EXAMPLES))
        return replace(self, rows=self.rows + other.rows, examples=examples)

    def __str__(self) -> str:
        examples = list_some(list(self.examples)[:MOST_SHOWN], show=self._shown)
        if self.range is not None:
            low, high = (f"{end:.6g}" for end in self.range)
            return f"{self.name!r} ({examples}, far outside {low} to {high})"
        known = list_some(self.known, MOST_SHOWN, show=self._shown)
        return f"{self.name!r} ({examples}; known: {known}{self._hint})"

    @property
    def has_misspelled(self) -> bool:
        """Whether an example is a known value but for capital letters, blanks and signs."""
        return bool(self._hint)

    @property
    def _hint(self) -> str:
        """The known value that is meant, if an example is one in other letters or signs."""
        known = {_letters(value): value for value in self.known}
        meant = (known.get(_letters(value)) for value in self.examples if _letters(value))
        value = next(filter(None, meant), None)
        return "" if value is None else f"; did you mean {value!r}?"

    def _shown(self, value: object) -> str:
        return repr(value) if self.range is None else f"{float(str(value)):.6g}"


@dataclass(frozen=True)
class UnseenValues:
    """What a table holds that training never saw, of columns that rules use.

    It is false where there is nothing. Those of several chunks of a table can be added.

    >>> pain = UnseenColumn("pain", 2, {"NONE": 2}, ("none", "some"))
    >>> chunk = UnseenValues(40, {"pain": pain})
    >>> both = chunk + UnseenValues(60) + chunk
    >>> bool(both), both.rows, both.columns["pain"].rows
    (True, 140, 4)
    >>> print(both)
    4 of 140 rows in 'pain' ('NONE'; known: 'none', 'some'; did you mean 'none'?)
    """

    rows: int
    columns: Mapping[str, UnseenColumn]

    def __init__(self, rows: int, columns: Mapping[str, UnseenColumn] | None = None) -> None:
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "columns", dict(columns or {}))

    def __bool__(self) -> bool:
        return bool(self.columns)

    def __add__(self, other: UnseenValues) -> UnseenValues:
        columns = dict(self.columns)
        for name, column in other.columns.items():
            columns[name] = columns[name] + column if name in columns else column
        return UnseenValues(self.rows + other.rows, columns)

    @property
    def notable(self) -> UnseenValues:
        """The columns that are worth a warning.

        A few rows with a rare value are in every new table. More of them, or a value that is
        known in other spelling, are most likely a mistake.
        """
        least = least_rows(self.rows)
        columns = self.columns.items()
        found = {
            name: each for name, each in columns if each.rows > least or each.has_misspelled
        }
        return UnseenValues(self.rows, found)

    def __str__(self) -> str:
        parts = [f"{each.rows} of {self.rows} rows in {each}" for each in self.columns.values()]
        more = len(parts) - MOST_SHOWN
        return ", ".join(parts[:MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")

    def to_dict(self) -> dict[str, Any]:
        """The report as values of JSON: the count of every column, examples, what was known.

        >>> age = UnseenColumn("age", 1, {"999": 1}, range=(17, 90))
        >>> UnseenValues(9, {"age": age}).to_dict()
        {'age': {'rows': 1, 'examples': ['999'], 'range': [17, 90]}}
        """
        return {
            name: {
                "rows": each.rows,
                "examples": list(each.examples),
                **(
                    {"known": list(each.known)}
                    if each.range is None
                    else {"range": list(each.range)}
                ),
            }
            for name, each in self.columns.items()
        }


def find_unseen(
    table: Any,
    matrix: Floats,
    features: Sequence[str],
    levels: Sequence[Levels | None],
    ranges: Sequence[Range | None],
    needed: Collection[int],
) -> UnseenValues:
    """Find the values of a table that training never saw, in the ``needed`` columns.

    ``matrix`` is what :func:`as_matrix` made of the table. Shape: (rows, features).

    >>> from crisplogic.tables import as_matrix
    >>> table, names, levels = [[20, "a"], [990, "A"]], ("age", "kind"), (None, Levels(("a",)))
    >>> matrix = as_matrix(table, names, levels)
    >>> found = find_unseen(table, matrix, names, levels, ((17, 90), None), [0, 1])
    >>> {name: each.examples for name, each in found.columns.items()}
    {'age': {'990': 1}, 'kind': {'A': 1}}
    """
    finder = UnseenFinder(features, levels, ranges)
    for start in range(0, len(matrix), CHUNK_ROWS):
        chunk = matrix[start : start + CHUNK_ROWS]
        for at in needed:
            finder.look(at, start, chunk[:, at])
    return finder.found(table, len(matrix))


class UnseenFinder:
    """Finds values that training never saw, while columns are read chunk by chunk.

    >>> finder = UnseenFinder(("age", "kind"), (), ((17, 90), None))
    >>> finder.look(0, 0, np.array([20.0, 990.0]))
    >>> finder.found([[20, "a"], [990, "A"]], rows=2).columns["age"].examples
    {'990': 1}
    """

    def __init__(
        self,
        features: Sequence[str],
        levels: Sequence[Levels | None],
        ranges: Sequence[Range | None],
    ) -> None:
        self.features, self.levels, self.ranges = features, levels, ranges
        self._marked: dict[int, list[NDArray[np.intp]]] = {}

    def ends(self, at: int) -> Range:
        """The numbers outside of which a value of a column is one that training never saw.

        >>> finder = UnseenFinder(("age", "kind"), (None, Levels(("a",))), ((17, 90), None))
        >>> finder.ends(0), finder.ends(1)
        ((-56.0, 163.0), (0.0, inf))
        """
        if _at(self.levels, at) is not None:
            return 0.0, np.inf  # codes are 0 or more, but for UNSEEN
        ends = _at(self.ranges, at)
        if ends is None or ends[0] == ends[1]:
            return -np.inf, np.inf
        return _far_ends(ends)

    def look(self, at: int, first: int, column: NDArray[Any]) -> None:
        """Look at some values of a column, from the row ``first`` on. Shape: (rows,)."""
        low, high = self.ends(at)
        if low == -np.inf and high == np.inf:
            return
        least = np.minimum.reduce(column, initial=high)
        if least >= low and np.maximum.reduce(column, initial=low) <= high:
            return  # the usual case, unless a value is missing
        marks = (column < low) | (column > high)  # NaN is not
        if marks.any():  # which is rare
            self._marked.setdefault(at, []).append(first + np.flatnonzero(marks))

    def found(self, table: Any, rows: int) -> UnseenValues:
        """What was found in the table, of so many rows, whose columns were looked at."""
        if not self._marked:
            return UnseenValues(rows)
        marked = {at: np.sort(np.concatenate(self._marked[at])) for at in sorted(self._marked)}
        found = {}
        for at, column in some_rows(table, self.features, marked).items():
            name, ends = self.features[at], _at(self.ranges, at)
            known = _known(_at(self.levels, at))
            found[name] = UnseenColumn(name, len(column), _examples(column), known, ends)
        return UnseenValues(rows, found)


def _examples(column: Column) -> dict[str, int]:
    """The most frequent values as text, and how often they are there.

    >>> _examples(Numbers(np.array([0.5, 7.0, 0.5])))
    {'0.5': 2, '7': 1}
    """
    if isinstance(column, Numbers):  # there may be very many, and each would become a text
        values, counts = np.unique(column.values, return_counts=True)
        often = np.argsort(-counts, kind="stable")[:MOST_EXAMPLES]
        words = as_text(Numbers(values[often], column.boolean)).values.tolist()
        return dict(zip(words, counts[often].tolist(), strict=True))
    counted = Counter(dict(zip(column.uniques, column.counts().tolist(), strict=True)))
    return {word: count for word, count in counted.most_common(MOST_EXAMPLES) if count}


def warn_of_unseen(unseen: UnseenValues) -> None:
    """Warn of what is notable, as a warning about the code that called this package."""
    notable = unseen.notable
    if notable:
        message = f"values that training never saw: {notable}"
        warnings.warn(message, UnseenValuesWarning, stacklevel=_outside())


@contextmanager
def unseen_values_ignored() -> Iterator[None]:
    """No warnings, for a cross-validation: what a fold never saw is part of its score."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenValuesWarning)
        yield


def _outside() -> int:
    """The level of the first caller outside of this package, for a warning."""
    package = str(Path(__file__).parents[1])
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(package):
        frame, level = frame.f_back, level + 1
    return level


def _at(entries: Sequence[Any], position: int) -> Any:
    return entries[position] if entries else None


def _far_ends(ends: Range) -> tuple[float, float]:
    """The numbers beyond which others are further outside the range than it is wide."""
    low, high = ends
    width = float(high) - float(low)
    return low - width, high + width


def _known(levels: Levels | None) -> tuple[str, ...]:
    if levels is None:
        return ()
    return TRUTH_SPELLINGS if levels == TRUTH else (*levels.names, *levels.others)


def _letters(value: str) -> str:
    return "".join(filter(str.isalnum, value.casefold()))
