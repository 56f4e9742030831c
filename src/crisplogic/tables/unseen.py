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
from crisplogic.tables.encode import text_columns
from crisplogic.tables.levels import TRUTH, UNSEEN, Levels, least_rows
from crisplogic.tables.schema import Range

Floats = NDArray[np.float64]

# So many examples are kept, the most frequent first; a message has fewer.
# Rows that are looked at together.
CHUNK_ROWS = 2**14
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
    marked: dict[int, NDArray[np.intp]] = {}
    for at in sorted(needed):
        rows = _unseen_rows(matrix[:, at], _at(levels, at), _at(ranges, at))
        if len(rows):
            marked[at] = rows
    if not marked:
        return UnseenValues(len(matrix))
    texts = text_columns(table, features, marked)
    found = {}
    for at, rows in marked.items():
        text = texts[at].take(rows)
        counts = Counter(dict(zip(text.uniques, text.counts().tolist(), strict=True)))
        examples = {word: count for word, count in counts.most_common(MOST_EXAMPLES) if count}
        name, ends = features[at], _at(ranges, at)
        found[name] = UnseenColumn(name, len(rows), examples, _known(_at(levels, at)), ends)
    return UnseenValues(len(matrix), found)


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


def _unseen_rows(column: Floats, levels: Levels | None, ends: Range | None) -> NDArray[np.intp]:
    """The numbers of the rows with a value never seen, found in chunks of bounded memory."""
    if levels is None and (ends is None or ends[0] == ends[1]):
        return np.empty(0, dtype=np.intp)
    found = []
    for start in range(0, len(column), CHUNK_ROWS):
        chunk = column[start : start + CHUNK_ROWS]
        marks = _far(chunk, ends) if levels is None and ends is not None else chunk == UNSEEN
        if marks.any():  # which is rare
            found.append(start + np.flatnonzero(marks))
    return np.concatenate(found) if found else np.empty(0, dtype=np.intp)


def _far(column: Floats, ends: Range) -> NDArray[np.bool_]:
    """Whether numbers are further outside the range than it is wide; NaN is not."""
    low, high = ends
    with np.errstate(over="ignore"):
        return (column < low - (high - low)) | (column > high + (high - low))


def _known(levels: Levels | None) -> tuple[str, ...]:
    if levels is None:
        return ()
    return TRUTH_SPELLINGS if levels == TRUTH else (*levels.names, *levels.others)


def _letters(value: str) -> str:
    return "".join(filter(str.isalnum, value.casefold()))
