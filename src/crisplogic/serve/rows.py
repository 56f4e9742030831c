"""Rows of a request: JSON text to columns, with everything in it checked."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Literal, NoReturn, TypeAlias

import numpy as np

from crisplogic.messages import did_you_mean, list_some, shorten
from crisplogic.rules import RuleSet
from crisplogic.serve.limits import MALFORMED, TOO_LARGE, WRONG, RequestError
from crisplogic.tables import TRUTH, Column, Columns, Levels, Numbers, Text
from crisplogic.tables.kinds import parse_number

Row: TypeAlias = Mapping[str, Any]
Kind: TypeAlias = Literal["number", "truth", "category"]

# Names are compared with so many: a request that is refused must not take long.
MOST_COMPARED = 100
# What a column may hold, by its kind, as errors say it. A missing value is null.
NEEDED: dict[Kind, str] = {
    "number": "a number or null",
    "truth": "true, false or null",
    "category": "a text or null",
}


def parse_body(body: bytes) -> Any:
    """The JSON value that a body holds. NaN and infinities are none.

    >>> parse_body(b'{"age": 41}')
    {'age': 41}
    """
    try:
        return json.loads(body.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        problem = shorten(str(error), 200)
        raise RequestError(MALFORMED, f"the body is not JSON: {problem}") from error


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number; write null for a missing value")


class RowReader:
    """Reads rows as the columns of a rule set.

    A row is an object with a value for each column that rules mention. It may have the other
    columns of the model, too, which are not read.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Rule, Step
    >>> both = Rule("ill", parse("0")), Rule("well", parse("unknown"))
    >>> reader = RowReader(ClassificationRules(("age",), (Step(0, 40.0),), both, crisp=True))
    >>> reader.read([{"age": 41}, {"age": None}]).columns[0].values.tolist()
    [41.0, nan]
    """

    def __init__(self, rules: RuleSet) -> None:
        levels = dict(zip(rules.features, rules.levels, strict=bool(rules.levels)))
        self._known = frozenset(rules.features)
        self._levels = {name: levels.get(name) for name in rules.mentioned_columns}
        self._needed = frozenset(self._levels)

    def read(self, rows: Sequence[Any], start: int | None = None) -> Columns:
        """Some rows as columns. Errors count rows from ``start``, unless there is one."""
        for at, row in enumerate(rows):
            if type(row) is not dict:
                problem = f"a row must be an object, got {_shown(row)}"
                raise RequestError(WRONG, _where(start, at) + problem)
            if not (row.keys() <= self._known and row.keys() >= self._needed):
                self._refuse_names(row, _where(start, at))
        columns = []
        for name, levels in self._levels.items():
            values = [row[name] for row in rows]
            try:
                columns.append(_column(values, levels))
            except _CellError as error:
                got = _shown(error.value)
                problem = f"column {shorten(name)!r} must be {error.needed}, got {got}"
                raise RequestError(WRONG, _where(start, error.at) + problem) from error
        return Columns(tuple(self._levels), tuple(columns), len(rows))

    def _refuse_names(self, row: Row, where: str) -> NoReturn:
        unknown = [name for name in row if name not in self._known]
        if unknown:
            known = islice(self._levels, MOST_COMPARED)
            hint = did_you_mean(unknown[0], known) if len(unknown) == 1 else ""
            problem = f"the model has no column(s) {list_some(unknown)}{hint}"
        else:
            missing = [name for name in self._levels if name not in row]
            problem = f"there must be a value for {list_some(missing)}; null is a missing one"
        raise RequestError(WRONG, where + problem)


def read_batch(document: Any, most: int) -> list[Any]:
    """The rows of a request for many: an object with a list of ``rows``.

    >>> read_batch({"rows": [{"age": 41}]}, most=10)
    [{'age': 41}]
    """
    rows = document.get("rows") if isinstance(document, dict) and len(document) == 1 else None
    if not isinstance(rows, list):
        raise RequestError(WRONG, 'the body must be {"rows": [...]}, a list of objects')
    if len(rows) > most:
        raise RequestError(TOO_LARGE, f"at most {most} rows are allowed, got {len(rows)}")
    return rows


def column_kind(levels: Levels | None) -> Kind:
    """What the values of a column are in JSON."""
    if levels is None or levels.values == "numbers":
        return "number"
    return "truth" if levels == TRUTH else "category"


class _CellError(Exception):
    """A value at a place that a column cannot hold."""

    def __init__(self, at: int, value: Any, needed: str) -> None:
        super().__init__(needed)
        self.at, self.value, self.needed = at, value, needed


def _column(values: list[Any], levels: Levels | None) -> Column:
    kind = column_kind(levels)
    if kind == "number":
        return _numbers(values)
    accepted: tuple[type, ...] = (str, bool, int, float)
    if kind == "category" and levels is not None and not _may_be_number(levels):
        accepted = (str,)
    for at, value in enumerate(values):
        if value is not None and type(value) not in accepted:
            raise _CellError(at, value, NEEDED[kind])
    # To Python True is 1: as texts they differ.
    return Text.from_values(str(each) if type(each) is bool else each for each in values)


def _numbers(values: list[Any]) -> Numbers:
    for at, value in enumerate(values):
        if value is not None and type(value) is not float and type(value) is not int:
            raise _CellError(at, value, NEEDED["number"])
    try:
        numbers = np.array([np.nan if each is None else each for each in values], np.float64)
    except OverflowError:
        numbers = np.array([_as_float(each) for each in values], np.float64)
    infinite = np.flatnonzero(np.isinf(numbers))
    if len(infinite):
        at = int(infinite[0])
        raise _CellError(at, values[at], "a number that a double holds, or null")
    return Numbers(numbers)


def _as_float(value: Any) -> float:
    try:
        return np.nan if value is None else float(value)
    except OverflowError:
        return np.inf


def _may_be_number(levels: Levels) -> bool:
    """Whether a category has a value that a client may send as a number or a truth value."""
    words = (*levels.names, *levels.others)
    return any(word in ("True", "False") or parse_number(word) is not None for word in words)


def _where(start: int | None, at: int) -> str:
    return "" if start is None else f"rows[{start + at}]: "


def _shown(value: Any) -> str:
    """A value of JSON, and what it is where that is not plain to see."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return f"the text {shorten(value)!r}" if isinstance(value, str) else shorten(repr(value))
