"""Infer types: what a text column holds, and whether a target is classes or a number."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError
from crisplogic.io.cells import TRUTH, Floats, is_number
from crisplogic.io.files import TableFile
from crisplogic.io.numbers import comma_remedies
from crisplogic.io.remarks import limit_remark, unit_remark
from crisplogic.io.text import TextFile
from crisplogic.tables import Column, Numbers, Text
from crisplogic.tables.kinds import ADVICE, DATES

LineOf = Callable[[int], int]  # the line of a row

# A column counts as numbers with mistakes among them if at least MOSTLY of its cells are
# numbers, and the others are fewer than FEW_CELLS or have fewer than FEW_WORDS distinct values.
# No bound is right for everyone, so this is an error that says how to have it either way.
MOSTLY = 0.5
FEW_CELLS = 0.05
FEW_WORDS = 3
# The share of cells that counts as all of them.
NEARLY_ALL = 0.9

_DATE = re.compile(
    r"\d{4}([-/.])\d{1,2}\1\d{1,2}([T ]\d{1,2}:\d{2}.*)?"  # 2024-01-31, with a time or without
    r"|\d{1,2}([-/.])\d{1,2}\3(\d{4}|\d{2})( \d{1,2}:\d{2}.*)?"  # 31.1.2024, 1/31/24
    r"|\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?"  # 12:30
)
# Numbers as people, not programs, write them: 1,5 and 1 000 and 12 % and $5.
_LIKE_A_NUMBER = re.compile(
    r"(?P<limit>[<>≤≥]=?\s?)?[-+]?[$€£¥]?\s?\d+(?:[.,' \u00a0]\d+)*\s?[%$€£¥]?"
)


def infer_column(file: TextFile, name: str, text: Text, line_of: LineOf) -> Column:
    """The column that a text column is: truth values, numbers, a category, or an error.

    Truth values are true and false, in capital or small letters. Numbers have signs or a unit
    beside them, or they were read as numbers.
    """
    counts = text.counts()
    if {value.lower() for value in text.uniques} <= TRUTH.keys():
        values = [TRUTH[value.lower()] for value in text.uniques]
        return Numbers(np.array([*values, np.nan])[text.codes], boolean=True)
    _refuse_dates(file, name, text, counts)
    marked = _read_marked(file, name, text, counts)
    if marked is not None:
        return marked
    numbers = _matches(text, lambda value: file.parser.parse_number(value) is not None)
    like = _like_numbers(text, numbers, counts)
    odd, total = counts[~numbers].sum(), counts.sum()
    mostly = numbers.any() and total - odd >= MOSTLY * total
    if mostly and (odd < FEW_CELLS * total or (~numbers).sum() < FEW_WORDS):
        _refuse_odd(file, name, text, ~numbers, line_of)
    if counts[numbers | like].sum() >= NEARLY_ALL * total and (like & ~numbers).any():
        row = int(np.isin(text.codes, np.flatnonzero(like & ~numbers)).argmax())
        value = text.uniques[text.codes[row]]
        mark = file.parser.format.decimal
        file.fail(
            f"column {name!r} must hold numbers like 1234{mark}5, got {value!r}; write them "
            f"like that, say what separates decimals or thousands, {_OR}",
            line_of(row),
            {**comma_remedies(value), **_column_remedies(name)},
        )
    return text


def _read_marked(
    file: TextFile, name: str, text: Text, counts: NDArray[np.intp]
) -> Numbers | None:
    """Numbers with signs such as <5, or all with one unit; None if they may be a category.

    Groups such as <18 and >65 are no numbers: some numbers must have no sign.
    """
    found = file.parser.parse_marked(text.uniques)
    if found is None:
        return None
    plain, limits = counts[~found.limits], counts[found.limits]
    if limits.size and plain.sum() < MOSTLY * counts.sum() and plain.size < FEW_WORDS:
        return None
    if found.unit:
        file.remarks.append(unit_remark(name, found.unit, int(counts.sum())))
    if limits.size:
        example = text.uniques[int(found.limits.argmax())]
        file.remarks.append(limit_remark(name, example, int(limits.sum())))
    return Numbers(np.array([*found.values, np.nan])[text.codes])


# A whole number, with zeros after the decimal point or without; 007 is a code.
_WHOLE = re.compile(r"([-+]?(?:0|[1-9]\d*))(?:\.0+)?")


def merge_whole_numbers(text: Text) -> Text:
    """A category with one spelling for each whole number, if all of its values are such.

    >>> merge_whole_numbers(Text.from_values(["2", "1", "2.0", None])).values.tolist()
    ['2', '1', '2', None]
    >>> merge_whole_numbers(Text.from_values(["2", "2.0", "2.1"])).uniques
    ('2', '2.0', '2.1')
    """
    found = [_WHOLE.fullmatch(value) for value in text.uniques]
    numbers = [match[1] for match in found if match is not None]
    if len(numbers) < len(found):
        return text
    merged = Text.from_values(numbers)
    return Text(merged.uniques, np.append(merged.codes, np.int32(-1))[text.codes])


_OR = "declare the column a category, or leave it out"


def _column_remedies(name: str) -> dict[str, str]:
    return {"categories": name, "drop": name}


def _like_numbers(
    text: Text, numbers: NDArray[np.bool_], counts: NDArray[np.intp]
) -> NDArray[np.bool_]:
    """Which values are numbers to people; limits are if most others are numbers."""
    found = [_LIKE_A_NUMBER.fullmatch(value) for value in text.uniques]
    limits = np.array([each is not None and bool(each["limit"]) for each in found], dtype=bool)
    like = np.array([each is not None for each in found], dtype=bool)
    plain = counts[(numbers | like) & ~limits].sum()
    return like if plain >= MOSTLY * counts.sum() else like & ~limits


def _matches(text: Text, holds: Callable[[str], bool]) -> NDArray[np.bool_]:
    return np.fromiter(map(holds, text.uniques), bool, len(text.uniques))


def _refuse_dates(file: TableFile, name: str, text: Text, counts: NDArray[np.intp]) -> None:
    dates = _matches(text, lambda value: _DATE.fullmatch(value) is not None)
    if counts[dates].sum() >= NEARLY_ALL * counts.sum():
        example = text.uniques[int(dates.argmax())]
        file.fail(
            f"column {name!r} must hold numbers or categories, got dates or times such as "
            f"{example!r}; {ADVICE[DATES]}, {_OR}",
            remedies=_column_remedies(name),
        )


def _refuse_odd(
    file: TableFile, name: str, text: Text, odd: NDArray[np.bool_], line_of: LineOf
) -> None:
    rows = np.flatnonzero(np.isin(text.codes, np.flatnonzero(odd)))
    value = text.uniques[text.codes[rows[0]]]
    others = ", ".join(str(line_of(row)) for row in rows[1:4].tolist())
    more = f" (and in {len(rows) - 1} more cells: line {others})" if others else ""
    file.fail(
        f"column {name!r} must hold numbers, as most of its cells do, got {value!r}{more}; "
        f"correct the cell, leave it empty if its value is unknown, declare {value!r} a mark "
        f"for missing values, {_OR}",
        line_of(int(rows[0])),
        {"missing": value, **_column_remedies(name)},
    )


# More distinct whole numbers than this are counts or amounts rather than classes.
MOST_WHOLE = 10
# The same for values such as 3.75: people rarely name classes so.
MOST_FRACTIONS = 5
# More classes than this, in fewer than twice as many rows, cannot be learned.
MOST_CLASSES = 50


def looks_continuous(values: Floats) -> bool:
    """Whether numbers are amounts, with too many distinct values to be classes.

    >>> looks_continuous(np.arange(10.0)), looks_continuous(np.arange(11.0))
    (False, True)
    >>> looks_continuous(np.arange(5) / 4), looks_continuous(np.arange(6) / 4)
    (False, True)
    """
    different = np.unique(values)
    whole = bool((different == np.trunc(different)).all())
    return len(different) > (MOST_WHOLE if whole else MOST_FRACTIONS)


def check_classes(labels: NDArray[Any], target: str) -> None:
    """Refuse a target that cannot be classes: a single value, or nearly all distinct.

    >>> check_classes(np.array(["yes", "no"]), "ill")
    """
    classes = np.unique(labels)
    if len(classes) < 2:
        raise TableError(
            f"the target {target!r} must have at least 2 classes; "
            f"it is {str(classes[0])!r} in all {len(labels)} rows"
        )
    if len(classes) > MOST_CLASSES and len(classes) > len(labels) / 2:
        mostly = sum(map(is_number, map(str, classes.tolist()))) > len(classes) / 2
        otherwise = ", or predict it as a number" if mostly else ""
        raise TableError(
            f"the target {target!r} has {len(classes)} different values in {len(labels)} rows, "
            "too many for classes: choose a column with few values, or group its values"
            f"{otherwise}",
            {"task": "regression"} if mostly else None,
        )
