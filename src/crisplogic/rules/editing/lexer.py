"""Words: a written rule taken apart into names with what is said of them, numbers and signs.

The parser of expressions knows neither numbers to add nor thresholds that do not exist yet.
Here they are found before it is asked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from crisplogic.expr.notation import BARE_NAME, BARE_VALUE, IS, NOT, RESERVED
from crisplogic.rules.editing.hints import pointing

_QUOTED = r'"(?:[^"\\]|\\.)*"'
# Operators and constants: names only if they are in quotes.
_RESERVED = "|".join(sorted(word for word in RESERVED if BARE_NAME.fullmatch(word)))
_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"

_WORD = re.compile(
    rf"""
    (?P<space>\s+)
  | (?P<reserved>(?:{_RESERVED})(?![\w.]))
  | (?P<name>{_QUOTED}|{BARE_NAME.pattern})
    (?:
        \s*(?P<sign>[<>])\s*(?P<threshold>-?{_NUMBER})
      | \s*\b{IS}\b\s*(?:{NOT}(?![\w.-])\s*)?(?P<value>{_QUOTED}|{BARE_VALUE.pattern})
    )?
  | (?P<number>{_NUMBER})
  | (?P<symbol>.)
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class Word:
    """One word of a text: a name if it has a ``name``, else a ``number``, else a ``symbol``.

    A ``comparison`` or a ``value`` is what is said of the name, the latter without quotes;
    ``quoted`` says whether name and value had some.
    """

    start: int
    text: str
    name: str | None = None
    comparison: str | None = None
    value: str | None = None
    quoted: tuple[bool, bool] = (False, False)
    number: float | None = None
    symbol: str | None = None


def words(text: str) -> list[Word]:
    """The words of a text, in order.

    >>> [word.name for word in words('glucose > 127 & "body mass" is missing + 0.4')]
    ['glucose', None, 'body mass', None, None]
    >>> words("age>41")[0].comparison, words("colour is not red")[0].value
    ('>41', 'red')
    """
    return [_word(match, text) for match in _WORD.finditer(text) if match["space"] is None]


def _word(match: re.Match[str], text: str) -> Word:
    start, whole = match.start(), match.group()
    if match["number"] is not None:
        return Word(start, whole, number=float(whole))
    name, value = match["name"], match["value"]
    if name is None:
        return Word(start, whole, symbol=whole)
    comparison = f"{match['sign']}{match['threshold']}" if match["sign"] else None
    return Word(
        start,
        whole,
        _unquoted(name, text, start),
        comparison,
        None if value is None else _unquoted(value, text, match.start("value")),
        (name.startswith('"'), bool(value) and value.startswith('"')),
    )


def _unquoted(name: str, text: str, start: int) -> str:
    if not name.startswith('"'):
        return name
    try:
        return str(json.loads(name))
    except json.JSONDecodeError:
        problem = "a name in double quotes follows JSON's escapes"
        raise pointing(problem, text, start) from None


def with_close_comparisons(text: str) -> str:
    """The text with nothing between a sign and its threshold, everything else in its place.

    >>> with_close_comparisons("glucose > 127 & age< 40")
    'glucose  >127 & age <40'
    """

    def closed(match: re.Match[str]) -> str:
        if match["sign"] is None:
            return match.group()
        comparison = match["sign"] + match["threshold"]
        return match["name"] + comparison.rjust(len(match.group()) - len(match["name"]))

    return _WORD.sub(closed, text)


def split_number(found: Sequence[Word], text: str) -> tuple[list[Word], float | None, str]:
    """The words of a rule without the number at its end, that number, and the rest's text.

    >>> split_number(words("age>41 - 0.5"), "age>41 - 0.5")[1:]
    (-0.5, 'age>41 ')
    >>> split_number(words("-3"), "-3")[1:]
    (-3.0, '')
    """
    number = found[-1].number if found else None
    if number is None:
        return list(found), None, text
    if len(found) == 1:
        return [], number, ""
    sign, rest = found[-2], list(found[:-2])
    if sign.symbol not in ("+", "-"):
        return list(found), None, text
    return rest, -number if sign.symbol == "-" else number, text[: sign.start]
