"""Settling what a column with texts in it is: a category, truth values, or a mistake."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError
from crisplogic.io.files import TableFile
from crisplogic.io.values import TRUTH, Floats, is_number
from crisplogic.tables import Column, Numbers, Text, looks_like_identifier
from crisplogic.tables.kinds import ADVICE, DATES

LineOf = Callable[[int], int]  # the line of a row

# A column is taken for numbers with mistakes among them if at least so many cells are numbers
# and fewer others than a share, or fewer different ones than a number. No line could be right
# for everyone: so it is an error that says how to have it either way.
MOSTLY = 0.5
FEW_CELLS = 0.05
FEW_WORDS = 3
# Nearly all cells: so many may be something else.
NEARLY_ALL = 0.9

_DATE = re.compile(
    r"\d{4}([-/.])\d{1,2}\1\d{1,2}([T ]\d{1,2}:\d{2}.*)?"  # 2024-01-31, with a time or without
    r"|\d{1,2}([-/.])\d{1,2}\3(\d{4}|\d{2})( \d{1,2}:\d{2}.*)?"  # 31.1.2024, 1/31/24
    r"|\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?"  # 12:30
)
# Numbers as people, not programs, write them: 1,5 and 1 000 and 12 % and $5.
_LIKE_A_NUMBER = re.compile(r"[-+]?[$€£¥]?\s?\d+(?:[.,' \u00a0]\d+)*\s?[%$€£¥]?")


def settled(file: TableFile, name: str, text: Text, line_of: LineOf) -> Column:
    """What a column is that holds texts, or an error about it.

    Nothing but true and false, in capital or small letters, are truth values.
    """
    counts = text.counts()
    if {word.lower() for word in text.words} <= TRUTH.keys():
        values = [TRUTH[word.lower()] for word in text.words]
        return Numbers(np.array([*values, np.nan])[text.numbers], boolean=True)
    _refuse_dates(file, name, text, counts)
    numbers = _which(text, is_number)
    like = _which(text, lambda word: _LIKE_A_NUMBER.fullmatch(word) is not None)
    odd, total = counts[~numbers].sum(), counts.sum()
    mostly = numbers.any() and total - odd >= MOSTLY * total
    if mostly and (odd < FEW_CELLS * total or (~numbers).sum() < FEW_WORDS):
        _refuse_odd(file, name, text, ~numbers, line_of)
    if counts[numbers | like].sum() >= NEARLY_ALL * total and (like & ~numbers).any():
        row = int(np.isin(text.numbers, np.flatnonzero(like & ~numbers)).argmax())
        file.fail(
            f"column {name!r} must hold numbers as 1234.5 is one, got "
            f"{text.values[row]!r}; write them with a point and nothing else, "
            + _OR.format(name=name),
            line_of(row),
        )
    return text


_OR = "say that it is a category (--category {name!r}), or leave it out (--drop {name!r})"


def _which(text: Text, holds: Callable[[str], bool]) -> NDArray[np.bool_]:
    return np.fromiter(map(holds, text.words), bool, len(text.words))


def _refuse_dates(file: TableFile, name: str, text: Text, counts: NDArray[np.intp]) -> None:
    dates = _which(text, lambda word: _DATE.fullmatch(word) is not None)
    if counts[dates].sum() >= NEARLY_ALL * counts.sum():
        file.fail(
            f"column {name!r} must hold numbers or categories, got dates or times such as "
            f"{text.words[int(dates.argmax())]!r}; {ADVICE[DATES]}, " + _OR.format(name=name)
        )


def _refuse_odd(
    file: TableFile, name: str, text: Text, odd: NDArray[np.bool_], line_of: LineOf
) -> None:
    rows = np.flatnonzero(np.isin(text.numbers, np.flatnonzero(odd)))
    word = text.words[text.numbers[rows[0]]]
    others = ", ".join(str(line_of(row)) for row in rows[1:4].tolist())
    more = f" (and in {len(rows) - 1} more cells: line {others})" if others else ""
    file.fail(
        f"column {name!r} must hold numbers, as most of its cells do, got {word!r}{more}; "
        f"correct it, leave the cell empty if its value is unknown (--missing {word!r} on the "
        "command line), " + _OR.format(name=name),
        line_of(int(rows[0])),
    )


def without_identifiers(
    file: TableFile, columns: dict[str, Column], kept: Collection[str]
) -> dict[str, Column]:
    """The columns but for those of texts that are nearly all different, as names are.

    Nothing can be learned from these. Those that someone asked for are ``kept``.
    """
    found = {
        name: column
        for name, column in columns.items()
        if name.strip() in kept
        or not (isinstance(column, Text) and looks_like_identifier(column))
    }
    if not found:
        file.fail(
            "its columns hold nothing but texts that are nearly all different, as names and "
            f"identifiers are ({', '.join(map(repr, columns))}), from which nothing can be "
            "learned; group their values, or take a table that has other columns as well"
        )
    return found


# More classes than this, most of them seen only once, are numbers rather than classes.
MOST_CLASSES = 50
# The same of values such as 3.75: people rarely name classes so.
MOST_FRACTIONS = 20


def are_amounts(values: Floats) -> bool:
    """Whether numbers say how much there is of something: classes have few names.

    >>> are_amounts(np.arange(50.0)), are_amounts(np.arange(51.0))
    (False, True)
    >>> are_amounts(np.arange(20) / 4), are_amounts(np.arange(21) / 4)
    (False, True)
    """
    different = np.unique(values)
    whole = bool((different == np.trunc(different)).all())
    return len(different) > (MOST_CLASSES if whole else MOST_FRACTIONS)


def check_classes(labels: NDArray[np.str_], target: str) -> None:
    """Refuse a target that cannot be a class: one value only, or nearly all different.

    >>> check_classes(np.array(["yes", "no"]), "ill")
    """
    classes = np.unique(labels)
    if len(classes) < 2:
        raise TableError(
            f"the target {target!r} must have at least 2 classes; "
            f"it is {str(classes[0])!r} in all {len(labels)} rows"
        )
    if len(classes) > MOST_CLASSES and len(classes) > len(labels) / 2:
        mostly = sum(map(is_number, classes.tolist())) > len(classes) / 2
        otherwise = ", or learn it as a number (--task number)" if mostly else ""
        raise TableError(
            f"the target {target!r} has {len(classes)} different values in {len(labels)} rows, "
            "too many for classes: choose a column with few values, or group its values"
            f"{otherwise}"
        )
