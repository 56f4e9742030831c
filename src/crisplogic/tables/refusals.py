"""What no rule could speak of, and what to do about it."""

from __future__ import annotations

from typing import Any, NoReturn

from crisplogic.errors import TableError

DATES, COMPLEX, NESTED, BYTES, OBJECTS = (
    "dates or times",
    "complex numbers",
    "lists or other values with parts",
    "bytes",
    "objects",
)
ADVICE = {
    DATES: "turn them into a number, such as an age in days, a year or a month",
    COMPLEX: "give the real and the imaginary part a column each",
    NESTED: "give every part a column of its own",
    BYTES: "decode them to text",
    OBJECTS: "turn them into numbers or text",
}
# What brings a table into memory, as it is called in the libraries that have one elsewhere.
COLLECTING = ("collect", "compute", "execute", "fetchall")


def refuse_column(what: str, kind: str, example: str = "") -> NoReturn:
    """Raise an error about a column of a ``kind`` in ``ADVICE``."""
    raise TableError(
        f"{what} must hold numbers or text, got {kind}{example}; {ADVICE[kind]}, "
        "or leave the column out"
    )


def refuse_table(table: Any) -> None:
    """Raise an error about a table that is not there, row by row and column by column.

    A class is asked, not the table: of some tables, columns are attributes, and others
    do work, or warn, when they are asked.
    """
    kind = type(table)
    if hasattr(kind, "toarray") and hasattr(kind, "nnz"):
        raise TableError(
            f"the table must be dense, got a sparse {kind.__name__}; use .toarray(), or choose "
            "the columns that matter first if it does not fit into memory"
        )
    method = next((name for name in COLLECTING if hasattr(kind, name)), None)
    if method is not None:
        call = "df" if method == "fetchall" else method  # fetchall loses the names of columns
        raise TableError(
            f"the table must be in memory, got a lazy {kind.__name__}; call its {call}() first"
        )
