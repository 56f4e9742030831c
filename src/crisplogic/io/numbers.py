"""Numbers as people write them: decimal commas, thousands, signs and units beside them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from crisplogic.errors import TableError
from crisplogic.tables.kinds import parse_number

# What may stand between thousands. A blank stands for the unbreakable ones, too.
THOUSANDS = ".,' _"
_BLANKS = "\u00a0\u202f\u2009"


@dataclass(frozen=True)
class NumberFormat:
    """How numbers are written: the ``decimal`` mark, and what separates ``thousands``.

    >>> german = NumberFormat(",", ".")
    >>> german.parse("1.234,5"), german.parse("1.5"), german.parse("-0,25")
    (1234.5, None, -0.25)
    """

    decimal: str = "."
    thousands: str = ""

    def __post_init__(self) -> None:
        if self.decimal not in (".", ","):
            raise TableError(f"a decimal mark is '.' or ',', got {self.decimal!r}")
        if self.thousands and (len(self.thousands) != 1 or self.thousands not in THOUSANDS):
            raise TableError(
                "thousands are separated by a point, a comma, an apostrophe, a blank or an "
                f"underscore, got {self.thousands!r}"
            )
        if self.thousands == self.decimal:
            raise TableError(
                f"the decimal mark and the mark of thousands must differ, got {self.decimal!r} "
                "for both"
            )

    @property
    def is_plain(self) -> bool:
        """Whether numbers are written as programs write them."""
        return self.decimal == "." and not self.thousands

    def parse(self, cell: str) -> float | None:
        """The number in a cell; None if it holds none."""
        if self.is_plain:
            return parse_number(cell)
        cell = cell.strip()
        if self.thousands and self._grouped.fullmatch(cell):
            cell = re.sub(self._separator, "", cell)
        if self.decimal == ",":
            if "." in cell:
                return None
            cell = cell.replace(",", ".")
        return parse_number(cell)

    @cached_property
    def _separator(self) -> str:
        blanks = _BLANKS if self.thousands == " " else ""
        return f"[{re.escape(self.thousands)}{blanks}]"

    @cached_property
    def _grouped(self) -> re.Pattern[str]:
        decimal = re.escape(self.decimal)
        return re.compile(rf"[-+]?\d{{1,3}}(?:{self._separator}\d{{3}})+(?:{decimal}\d*)?")


# Marks beside a number

_MARKED = re.compile(
    r"\s*(?P<limit>[<>≤≥]=?)?\s*"
    r"(?P<sign>[-+]?)(?P<currency>[$€£¥]?)\s*"
    r"(?P<number>[.,]?\d.*?)"
    r"(?P<unit>\s?[%‰$€£¥]|\s?°[CF]?|\s[^\W\d_][^\s\d]{0,11})?\s*"
)


# No number and unit is longer, and matching takes long in long texts.
MOST_CHARACTERS = 50


class MarkedNumber(NamedTuple):
    """A number, whether it is only a limit (<5), and its unit (%, $, kg) or nothing."""

    value: float
    limit: bool
    unit: str


def parse_marked(cell: str, format_: NumberFormat) -> MarkedNumber | None:
    """The number in a cell, with a sign of comparison or a unit beside it; None if none is.

    >>> parse_marked("<132.1", NumberFormat())
    MarkedNumber(value=132.1, limit=True, unit='')
    >>> parse_marked("-$5", NumberFormat()), parse_marked("12 %", NumberFormat()).unit
    (MarkedNumber(value=-5.0, limit=False, unit='$'), '%')
    >>> parse_marked("A12", NumberFormat()) is parse_marked("1-5", NumberFormat()) is None
    True
    """
    match = _match(cell)
    if match is None:
        return None
    value = format_.parse(match["sign"] + match["number"])
    if value is None:
        return None
    unit = match["currency"] + (match["unit"] or "").strip()
    return MarkedNumber(value, match["limit"] is not None, unit)


def _match(cell: str) -> re.Match[str] | None:
    return _MARKED.fullmatch(cell) if len(cell) <= MOST_CHARACTERS else None


def _unmarked(cell: str) -> str:
    """The number in a cell, without signs of comparison and units; other text as it is.

    >>> _unmarked("<1,5 %"), _unmarked("a,b")
    ('1,5', 'a,b')
    """
    match = _match(cell)
    return match["sign"] + match["number"] if match else cell


# Decimal commas

_COMMA = re.compile(r"\s*[-+]?(?:\d+|\d*,\d+)(?:[eE][-+]?\d+)?\s*")
# Such a comma cannot separate thousands: 0,5 and 12,34 and 1234,567, but not 1,234.
_CLEAR = re.compile(r"\s*[-+]?(?:0,\d+|,\d+|\d+,(?:\d{1,2}|\d{4,})|\d{4,},\d+)(?:[eE].*)?\s*")


def find_decimal_commas(
    columns: Iterable[Sequence[str]], is_missing: Callable[[str], bool]
) -> list[int]:
    """The positions of the columns of numbers with decimal commas.

    There are none if a comma might as well separate thousands, or if other numbers have
    decimal points.

    >>> find_decimal_commas([["1,5", "2"], ["x,y", "z"], ["1,234", "?"]], {"?"}.__contains__)
    [0, 2]
    >>> find_decimal_commas([["1,234", "2,000"]], {"?"}.__contains__)
    []
    >>> find_decimal_commas([["1,5", "2,5"], ["1.5", "2"]], {"?"}.__contains__)
    []
    """
    found, clear = [], False
    for position, cells in enumerate(columns):
        joined = "".join(cells)
        if "," not in joined and "." not in joined:
            continue
        values = [_unmarked(cell) for cell in set(cells) if not is_missing(cell)]
        if "," in joined and all(map(_COMMA.fullmatch, values)):
            found.append(position)
            clear = clear or any(map(_CLEAR.fullmatch, values))
        elif "." in joined and all(parse_number(value) is not None for value in values):
            return []
    return found if clear else []


def comma_remedies(cell: str) -> dict[str, str]:
    """The parameters that would read a number with a comma, a point or a blank in it.

    >>> comma_remedies("1,5"), comma_remedies("1,234"), comma_remedies("1 000")
    ({'decimal': ','}, {'decimal': ',', 'thousands': ','}, {'thousands': ' '})
    """
    remedies = {"decimal": ","} if _COMMA.fullmatch(cell) and "," in cell else {}
    grouped = re.search(rf"\d([{THOUSANDS}{_BLANKS}])\d{{3}}(?!\d)", cell)
    if grouped and not _CLEAR.fullmatch(cell):
        mark = grouped[1]
        remedies["thousands"] = " " if mark in _BLANKS else mark
    return remedies
