"""How databases write names, texts, types and numbers, through sqlglot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from crisplogic.errors import ExportError
from crisplogic.export.sql_keywords import KEYWORDS
from crisplogic.messages import list_some, shorten

# As sqlglot calls them.
DIALECTS = (
    "duckdb",
    "postgres",
    "sqlite",
    "spark",
    "bigquery",
    "snowflake",
    "mysql",
    "tsql",
)
# The most characters of a name. PostgreSQL cuts names after so many bytes.
MOST_CHARACTERS = {"mysql": 64, "tsql": 128, "snowflake": 255, "bigquery": 300}
POSTGRES_BYTES = 63
_SIMPLE = re.compile(r"[a-z_][a-z0-9_]*")


class Dialect:
    """Names, texts and types as one database writes them."""

    def __init__(self, name: str, quote: bool = False) -> None:
        if name not in DIALECTS:
            known = list_some(DIALECTS)
            raise ExportError(f"dialect must be one of {known}, got {name!r}")
        self.name = name
        self.quote = quote

    @cached_property
    def _exp(self) -> Any:
        try:
            from sqlglot import exp
        except ImportError as error:
            raise ImportError("SQL needs sqlglot: pip install 'crisplogic[export]'") from error
        return exp

    def _sql(self, expression: Any) -> str:
        written: str = expression.sql(dialect=self.name)
        return written

    def column(self, name: str) -> str:
        """A name of a column: as it is if it is plain, else in quotes."""
        if not name or "\0" in name:
            raise ExportError(
                f"SQL has no columns without a name or with a zero in it: {name!r}"
            )
        most = MOST_CHARACTERS.get(self.name, len(name))
        if len(name) > most:
            problem = f"{self.name} has no names of more than {most} characters"
            raise ExportError(f"{problem}, got {shorten(name)!r} of {len(name)}")
        plain = _SIMPLE.fullmatch(name) and name.upper() not in KEYWORDS
        if plain and not self.quote:
            return name
        return self._sql(self._exp.to_identifier(name, quoted=True))

    def columns(self, names: Sequence[str]) -> list[str]:
        """The names of different columns, if the database tells them apart."""
        if self.name == "postgres":
            known: dict[bytes, str] = {}
            for name in names:
                other = known.setdefault(name.encode()[:POSTGRES_BYTES], name)
                if other != name:
                    raise ExportError(
                        f"PostgreSQL cuts names after {POSTGRES_BYTES} bytes, so that "
                        f"{shorten(other)!r} and another column would be one; rename them"
                    )
        return list(map(self.column, names))

    def table(self, name: str | Sequence[str]) -> str:
        """A name of a table, perhaps after that of its schema."""
        parts = name.split(".") if isinstance(name, str) else name
        return ".".join(map(self.column, parts))

    def text(self, text: str) -> str:
        """A constant text."""
        if "\0" in text:
            raise ExportError(f"SQL has no text with a zero in it, got {text!r}")
        return self._sql(self._exp.Literal.string(text))

    def double(self, value: str) -> str:
        """A value as a number of double precision."""
        kind = self._sql(self._exp.DataType.build("double"))
        return f"CAST({value} AS {kind})"


def sql_number(number: float, exponent: bool = False) -> str:
    """A number that all databases read as the same float.

    Plain decimals are, up to 15 digits. With an exponent it is a float from the beginning.

    >>> sql_number(6.5), sql_number(0.1 + 0.2), sql_number(40.0), sql_number(40.0, True)
    ('6.5', '3.0000000000000004E-1', '40', '4E1')
    """
    value = float(number) + 0.0
    plain = f"{value:.15g}"
    if not exponent and float(plain) == value and "e" not in plain and abs(value) < 1e15:
        return plain
    digits = next(
        text for text in (f"{value:.{n}e}" for n in range(17)) if float(text) == value
    )
    mantissa, power = digits.split("e")
    return f"{mantissa}E{int(power)}"
