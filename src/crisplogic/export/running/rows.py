"""Rows as every program can read them, and what a program answers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import ExportError
from crisplogic.rules import RuleSet
from crisplogic.tables import TRUTH, Columns, Levels, Numbers, as_matrix
from crisplogic.tables.kinds import Column, as_text, parse_number

Floats = NDArray[np.float64]
# A column of numbers, NaN where one is missing; or of texts, None where one is.
RawColumn = Floats | Sequence[str | None]


@dataclass(frozen=True, eq=False)
class RawRows:
    """The raw columns that rules mention, by name."""

    columns: dict[str, RawColumn]
    count: int

    def __len__(self) -> int:
        return self.count

    def records(self) -> Iterator[dict[str, Any]]:
        """The rows as mappings, one after the other."""
        lists = {
            name: each.tolist() if isinstance(each, np.ndarray) else each
            for name, each in self.columns.items()
        }
        for at in range(self.count):
            yield {name: values[at] for name, values in lists.items()}


@dataclass(frozen=True, eq=False)
class Answers:
    """What a program predicts: classes or numbers, and the probabilities of classes.

    Shape: ``probabilities`` (rows, classes).
    """

    predictions: Sequence[Any]
    probabilities: Floats | None = None


def library_answers(rules: RuleSet, matrix: Floats) -> Answers:
    """What the library predicts. Shape: ``matrix`` (rows, features), coded."""
    from crisplogic.rules import ClassificationRules

    predictions = rules.predict(matrix, coded=True).tolist()
    if isinstance(rules, ClassificationRules):
        return Answers(predictions, rules.predict_proba(matrix, coded=True))
    return Answers(predictions)


def refuse_infinite(rows: RawRows, who: str) -> None:
    """Refuse rows with infinite numbers, for those who do not have them or do not agree."""
    if any(
        isinstance(each, np.ndarray) and np.isinf(each).any() for each in rows.columns.values()
    ):
        raise ExportError(f"{who} have no infinite numbers, but rows do")


def decode_matrix(rules: RuleSet, matrix: Floats, unseen: str = "never seen") -> RawRows:
    """Raw rows of a matrix that the rules have read. Shape: ``matrix`` (rows, features).

    What was never seen is a text that no level has, or a number.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import Flag, Level, RegressionRules, Rule
    >>> levels = (Levels(("red", "blue")), TRUTH)
    >>> rule = Rule("price", parse("0 + 1"))
    >>> inputs = Level(0, 0, "red"), Flag(1)
    >>> rules = RegressionRules(("colour", "new"), inputs, (rule,), levels=levels, crisp=True)
    >>> decode_matrix(rules, np.array([[1.0, 1.0], [-1.0, -1.0], [np.nan, 0.0]])).columns
    {'colour': ['blue', 'never seen', None], 'new': array([ 1., -1.,  0.])}
    """
    columns: dict[str, RawColumn] = {}
    for name in rules.mentioned_columns:
        at = rules.features.index(name)
        levels = rules.levels[at] if rules.levels else None
        columns[name] = decode_column(matrix[:, at], levels, unseen)
    return RawRows(columns, len(matrix))


def decode_column(column: Floats, levels: Levels | None, unseen: str) -> RawColumn:
    """The raw values of a column of codes; see :func:`decode_matrix`. Shape: (rows,)."""
    if levels is None or levels == TRUTH:
        return column
    if levels.values == "numbers":
        low, high = map(float, levels.names)
        return np.array([low, high, 2 * high - low, math.nan])[_places(column, 2)]
    while unseen in (*levels.names, *levels.others):
        unseen += "!"
    named = [*levels.names, *([levels.others[-1]] if levels.others else [])]
    texts = [*named, unseen, None]
    return [texts[place] for place in _places(column, len(named)).tolist()]


def _places(codes: Floats, known: int) -> NDArray[np.intp]:
    """Where the value of each code is in a list: known ones, one never seen, a missing one."""
    safe = np.where(np.isnan(codes), known + 1, codes)
    return np.where(safe < 0, known, safe).astype(np.intp)


def read_rows(rules: RuleSet, table: Columns) -> tuple[RawRows, Floats]:
    """The raw rows of a table that was read from a file, and the matrix for the library."""
    needed = {rules.features.index(name) for name in rules.mentioned_columns}
    matrix = as_matrix(table, rules.features, rules.levels, needed)
    assert table.names is not None  # those of a file have names
    columns: dict[str, RawColumn] = {}
    for name in rules.mentioned_columns:
        at = rules.features.index(name)
        levels = rules.levels[at] if rules.levels else None
        column = table.columns[table.names.index(name)]
        columns[name] = _raw(column, matrix[:, at], levels)
    return RawRows(columns, len(table)), matrix


def _raw(column: Column, codes: Floats, levels: Levels | None) -> RawColumn:
    if levels is None or levels == TRUTH:
        return codes
    if levels.values == "text":
        values: list[str | None] = as_text(column).values.tolist()
        return values
    if isinstance(column, Numbers):
        return column.values
    numbers = [parse_number(word) for word in column.uniques]
    each = [math.inf if number is None else number for number in numbers]
    return np.array([*each, math.nan])[column.codes]


def join_rows(parts: Sequence[RawRows]) -> RawRows:
    """The rows of several parts of one table, one part after the other."""
    columns: dict[str, RawColumn] = {}
    for name, first in parts[0].columns.items():
        each = [part.columns[name] for part in parts]
        if isinstance(first, np.ndarray):
            columns[name] = np.concatenate(each)  # type: ignore[arg-type]
        else:
            columns[name] = [text for column in each for text in column]
    return RawRows(columns, sum(part.count for part in parts))
