"""Identifiers: columns that name rows, from which nothing can be learned."""

from __future__ import annotations

import re
from collections.abc import Collection

import numpy as np

from crisplogic.io.cells import Floats
from crisplogic.io.files import TableFile
from crisplogic.io.remarks import Remark
from crisplogic.messages import list_some
from crisplogic.tables import Column, Numbers, Text, looks_like_identifier

# Identifiers have more distinct values than this, and more than this share of the rows.
MOST_VALUES = 20
MOST_SHARE = 0.5
# Names of identifiers begin or end with one of these words: id, customer_id, PassengerId.
_ID = {"id", "ids", "uid", "guid", "uuid", "identifier", "rowid"}
# Or they end with one of these: order no, sample number.
_NUMBER = {"no", "nr", "num", "number", "key"}
# Or they are written as one word: userid, orderno.
_SUBJECTS = (
    *("account", "case", "client", "customer", "employee", "item", "member", "order"),
    *("passenger", "patient", "person", "product", "record", "row", "sample", "student"),
    *("subject", "user"),
)
_COMPOUNDS = {subject + end for subject in _SUBJECTS for end in (*_ID, *_NUMBER)}
# Names of what may count without a gap all the same, as the year of every row.
_MEASURED = {
    *("age", "date", "day", "epoch", "hour", "minute", "month", "period", "quarter", "rank"),
    *("second", "step", "t", "time", "timestamp", "week", "year"),
}
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# Codes have this many digits or more, all of them equally many.
CODE_DIGITS = 9
# So have times in seconds since 1970, or parts of them. These are of the years 2001 to 2103.
_SECONDS = (1e9, 4.2e9)


def looks_like_row_identifier(
    name: str, values: Floats, of_rows: int | None = None, ends: tuple[float, float] = (0, 0)
) -> bool:
    """Whether whole numbers identify rows rather than measure something.

    Most of them are different and their name says so (``id``, ``customer_id``, ``order no``);
    or they count the rows, in any order, without a gap; or they are codes, all different and of
    the same number of digits, 9 or more. Numbers of a name that measures time or rank are none,
    nor are times in seconds. The values may be a sample ``of_rows`` with these ``ends``.

    >>> rows = np.arange(100.0)
    >>> looks_like_row_identifier("customer", rows), looks_like_row_identifier("year", rows)
    (True, False)
    >>> income = rows**2
    >>> looks_like_row_identifier("PatientId", income), looks_like_row_identifier("x", income)
    (True, False)
    """
    known = values[~np.isnan(values)]
    different = np.unique(known)
    if len(different) <= MOST_VALUES or not (different == np.trunc(different)).all():
        return False
    if _is_identifying(name):
        return bool(len(different) > MOST_SHARE * len(known))
    measured = any(word.removesuffix("s") in _MEASURED for word in _words(name))
    if len(different) < len(values) or measured:
        return False
    low, high = (float(different[0]), float(different[-1])) if of_rows is None else ends
    counts_rows = high - low == (len(values) if of_rows is None else of_rows) - 1
    return counts_rows or _are_codes(low, high)


def _is_identifying(name: str) -> bool:
    """Whether a name is one of an identifier.

    >>> names = ("ID", "PassengerId", "id_customer", "order no.", "userid")
    >>> all(map(_is_identifying, names)), any(map(_is_identifying, ("acid", "number", "paid")))
    (True, False)
    """
    words = _words(name)
    if not words:
        return False
    several = len(words) > 1
    return (
        words[0] in _ID or words[-1] in (_ID | _COMPOUNDS) or (several and words[-1] in _NUMBER)
    )


def _words(name: str) -> list[str]:
    """The words of a name, in small letters.

    >>> _words("PassengerId"), _words("CUSTOMER_ID"), _words("order no.")
    (['passenger', 'id'], ['customer', 'id'], ['order', 'no'])
    """
    return [word.lower() for word in _WORD.findall(name)]


def _are_codes(low: float, high: float) -> bool:
    if low < 10.0 ** (CODE_DIGITS - 1) or len(f"{low:.0f}") != len(f"{high:.0f}"):
        return False
    times = (
        _SECONDS[0] * unit <= low and high <= _SECONDS[1] * unit for unit in (1, 1e3, 1e6, 1e9)
    )
    return not any(times)


def without_identifiers(
    file: TableFile, columns: dict[str, Column], kept: Collection[str]
) -> dict[str, Column]:
    """Leave out columns that identify rows, with a remark.

    These are texts that are nearly all distinct, as names are, and whole numbers that
    :func:`looks_like_row_identifier`. Those that someone asked for are ``kept``, and so are
    numbers if there is nothing else to learn from.
    """
    asked = {name: column for name, column in columns.items() if name.strip() not in kept}
    texts = [
        name
        for name, column in asked.items()
        if isinstance(column, Text) and looks_like_identifier(column)
    ]
    numbers = [
        name
        for name, column in asked.items()
        if isinstance(column, Numbers)
        and not column.boolean
        and looks_like_row_identifier(name, column.values)
    ]
    if len(texts) == len(columns):
        file.fail(
            "its columns hold only text that is nearly all distinct, as names and identifiers "
            f"are ({list_some(texts)}); nothing can be learned from them. Group their values, "
            "or add other columns"
        )
    if len(texts) + len(numbers) == len(columns):
        numbers = []
    if texts:
        _remark(file, f"left out, values nearly all distinct: {list_some(texts)}", texts)
    if numbers:
        message = f"left out, whole numbers that identify rows: {list_some(numbers)}"
        _remark(file, message, numbers, {"keep": numbers[0]})
    left_out = {*texts, *numbers}
    return {name: column for name, column in columns.items() if name not in left_out}


def _remark(
    file: TableFile, message: str, names: list[str], remedies: dict[str, str] | None = None
) -> None:
    file.remarks.append(Remark("left_out", message, tuple(names), remedies=remedies or {}))
