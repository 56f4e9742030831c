"""Layout: how a text file is to be read, where that is not to be found out."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from crisplogic.errors import TableError

DELIMITERS = ",;\t|"
_TAB = ("tab", "\\t")  # how a tab is written where one cannot type it


@dataclass(frozen=True)
class Layout:
    r"""What a caller knows of a text file; None is found out from the file.

    - ``delimiter``: a character between cells, or "tab"; by default whichever of comma,
      semicolon, tab and bar stands most often in the first line,
    - ``encoding``: by default UTF-8, or UTF-16 if the file begins with its mark,
    - ``header``: whether the first line has the names of the columns; it is not found out,
      since names may be numbers. Without, columns are called x0, x1 ...,
    - ``missing``: what a missing value is written as, besides nothing, NA, N/A, NaN, null,
      none and a question mark, in capital or small letters.

    >>> Layout(delimiter="tab").delimiter
    '\t'
    """

    delimiter: str | None = None
    encoding: str | None = None
    header: bool = True
    missing: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.delimiter in _TAB:
            object.__setattr__(self, "delimiter", "\t")
        if self.delimiter is not None and (
            len(self.delimiter) != 1 or self.delimiter in '"\r\n' or self.delimiter.isalnum()
        ):
            raise TableError(
                "a delimiter is one character that is no letter, digit or quote, or 'tab'; "
                f"got {self.delimiter!r}"
            )
        if self.encoding is not None:
            _check_encoding(self.encoding)


def _check_encoding(encoding: str) -> None:
    try:
        known = codecs.lookup(encoding)._is_text_encoding
    except (LookupError, ValueError):
        known = False
    if not known:
        raise TableError(
            f"the encoding {encoding!r} is not known; try 'utf-8', 'cp1252' or 'utf-16'"
        )
