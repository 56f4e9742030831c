"""The symbols and names of written logic, shared by the lexer, the parser and the printer."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from crisplogic.errors import ExpressionError


@dataclass(frozen=True)
class Notation:
    """The symbols to print operators and comparisons with; ``times`` multiplies."""

    not_: str
    and_: str
    or_: str
    xor: str
    times: str = "*"
    at_most: str = "<="
    at_least: str = ">="
    plus_minus: str = "+/-"


PAPER = Notation(
    not_="¬",
    and_="&",
    or_="|",
    xor="⊕",
    times="×",
    at_most="≤",
    at_least="≥",
    plus_minus="±",
)
ASCII = Notation(not_="~", and_="&", or_="|", xor="^")

# All spellings of each operator that the parser accepts.
SPELLINGS: dict[str, frozenset[str]] = {
    "not": frozenset({"¬", "~", "!", "not"}),
    "and": frozenset({"&", "∧", "and"}),
    "or": frozenset({"|", "∨", "or"}),
    "xor": frozenset({"⊕", "^", "xor"}),
    "sum": frozenset({"+"}),
    "tanh": frozenset({"tanh"}),
}
CONSTANTS: dict[str, float] = {"true": 1.0, "false": -1.0, "unknown": 0.0}

MOST_TIMES = 99  # a count says at most so many times

NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
BARE_NAME = re.compile(r"[^\W\d][\w.]*")
# What a name may end in: "glucose>127" is the column glucose and a threshold, which may have a
# width, "glucose>127+/-20".
WIDTH = "+/-"
COMPARISON = re.compile(rf"[<>]-?{NUMBER}(?:\+/-{NUMBER})?")
# What a text may end in. The name of a column may be "x>=5", as it was before steps.
WRITTEN_COMPARISON = re.compile(rf"(?:[<>]=?|[≤≥])-?{NUMBER}(?:(?:±|\+/-){NUMBER})?")
OPERATORS = frozenset().union(*SPELLINGS.values())
RESERVED = frozenset(CONSTANTS) | OPERATORS

# "colour is red" is the column colour and one of its values; missing and other are no values.
IS, NOT, MISSING, OTHER = "is", "not", "missing", "other"
BARE_VALUE = re.compile(r"-?\w[\w.-]*")


# A graded comparison is as false as the one with the other sign is true; a step is not.
_TURN = str.maketrans("<>", "><")
_CONTRARY = {"<": ">=", ">": "<=", "<=": ">", ">=": "<"}


class Statement(str):
    """The name of an input that says what a column is, as it is written in a rule.

    Any text may be the name of a column, this one, too. So the ``column`` and the ``ending``,
    what is said of it, are kept apart. Without an ending, the column itself is true.

    >>> Statement.of_value("eye colour", "light blue"), Statement.missing("glucose")
    ('"eye colour" is "light blue"', 'glucose is missing')
    >>> Statement.of_value("glucose", "missing")
    'glucose is "missing"'
    """

    column: str
    ending: str

    def __new__(cls, column: str, ending: str) -> Statement:
        """A statement with an ending as it is written, such as ``is red``."""
        statement = super().__new__(cls, cls._write(column, ending))
        statement.column, statement.ending = column, ending
        return statement

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        return self.column, self.ending

    @classmethod
    def _write(cls, column: str, ending: str) -> str:
        return f"{written_column(column)} {ending}".rstrip(" ")

    @classmethod
    def of_value(cls, column: str, value: str) -> Statement:
        """The column has this value."""
        return cls(column, f"{IS} {written_value(value)}")

    @classmethod
    def missing(cls, column: str) -> Statement:
        """The column has no value."""
        return cls(column, f"{IS} {MISSING}")

    @classmethod
    def other(cls, column: str) -> Statement:
        """The column has one of the values that have no name of their own."""
        return cls(column, f"{IS} {OTHER}")

    def opposite(self) -> Statement | None:
        """The negation of the statement, if it has an ending.

        >>> Statement.of_value("colour", "red").opposite()
        'colour is not red'
        """
        if not self.ending:
            return None
        so, not_so = f"{IS} ", f"{IS} {NOT} "
        if self.ending.startswith(not_so):
            return Statement(self.column, so + self.ending.removeprefix(not_so))
        return Statement(self.column, not_so + self.ending.removeprefix(so))


class Comparison(Statement):
    """The name of a yes/no threshold: ``age>40``, whose negation is ``age<=40``.

    >>> Comparison("body mass", ">31.5").opposite(), Comparison("age", ">=40").opposite()
    ('"body mass"<=31.5', 'age<40')
    """

    @classmethod
    def _write(cls, column: str, ending: str) -> str:
        return written_column(column) + ending

    def opposite(self) -> Comparison:
        """The negation of the comparison."""
        sign, number = split_sign_of(self.ending)
        return Comparison(self.column, _CONTRARY[sign] + number)

    def written(self, notation: Notation) -> str:
        """The comparison with the signs of a notation.

        >>> Comparison("age", "<=40").written(PAPER)
        'age≤40'
        """
        sign, number = split_sign_of(self.ending)
        shown = {"<=": notation.at_most, ">=": notation.at_least}.get(sign, sign)
        return written_column(self.column) + shown + number


def split_sign_of(comparison: str) -> tuple[str, str]:
    """The sign that a comparison begins with, and what follows.

    >>> split_sign_of("<=40"), split_sign_of(">40+/-2")
    (('<=', '40'), ('>', '40+/-2'))
    """
    length = 2 if comparison[1:2] == "=" else 1
    return comparison[:length], comparison[length:]


def split_comparison(name: str, pattern: re.Pattern[str] = COMPARISON) -> tuple[str, str]:
    """A name without the comparison that it ends in, and the comparison.

    >>> split_comparison("body mass>31.5"), split_comparison("glucose")
    (('body mass', '>31.5'), ('glucose', ''))
    >>> split_comparison("age≤40", WRITTEN_COMPARISON)
    ('age', '≤40')
    """
    for sign in pattern.finditer(name):
        if sign.end() == len(name):
            return name[: sign.start()], sign.group()
    return name, ""


def name_of_column(column: str) -> str:
    """The name of an input that is a column itself, even one that looks like a comparison.

    >>> name_of_column("age"), name_of_column("age>41")
    ('age', '"age>41"')
    """
    return Statement(column, "") if split_comparison(column)[1] else column


def parse_comparison(comparison: str) -> tuple[str, float, float | None]:
    """The sign, the threshold and the width, if there is one.

    >>> parse_comparison(">2.5"), parse_comparison("<2.5+/-0.5")
    (('>', 2.5, None), ('<', 2.5, 0.5))
    """
    sign, number = split_sign_of(comparison)
    threshold, _, width = number.partition(WIDTH)
    return sign, float(threshold), float(width) if width else None


def opposite(name: str) -> str | None:
    """The name of the negation, if a name is a statement or ends in a comparison.

    >>> opposite("glucose>127"), opposite("glucose")
    ('glucose<127', None)
    """
    if isinstance(name, Statement):
        return name.opposite()
    column, comparison = split_comparison(name)
    return column + comparison.translate(_TURN) if comparison else None


_PLAIN = {"≤": "<=", "≥": ">=", "±": WIDTH}


def plain_comparison(text: str) -> str:
    """A comparison as it is written, in ASCII and without spaces.

    >>> plain_comparison("≤ 40"), plain_comparison("> 127 ± 37")
    ('<=40', '>127+/-37')
    """
    return "".join(_PLAIN.get(sign, sign) for sign in "".join(text.split()))


def written_name(name: str, notation: Notation = ASCII) -> str:
    """A name as it stands in an expression: bare if it can be, quoted if not.

    >>> written_name("glucose"), written_name("body mass"), written_name("not")
    ('glucose', '"body mass"', '"not"')
    >>> written_name("body mass>31.5+/-2"), written_name("age>40+/-10", PAPER)
    ('"body mass">31.5+/-2', 'age>40±10')
    """
    if isinstance(name, Comparison):
        return name.written(notation)
    if isinstance(name, Statement):
        return str(name)
    column, comparison = split_comparison(name)
    if comparison:
        return written_column(column) + comparison.replace(WIDTH, notation.plus_minus)
    if BARE_NAME.fullmatch(name) and name not in RESERVED:
        return name
    return quoted(name)


def written_column(column: str) -> str:
    """A column in a comparison or a statement: a comparison in its own name is quoted."""
    return quoted(column) if split_comparison(column)[1] else written_name(column)


def written_value(value: str) -> str:
    """A value as it stands after "is": bare if it can be, quoted if not.

    >>> [written_value(value) for value in ("red", "18-25", "light blue", "missing", "not")]
    ['red', '18-25', '"light blue"', '"missing"', '"not"']
    """
    if BARE_VALUE.fullmatch(value) and value not in OPERATORS | {MISSING, OTHER}:
        return value
    return quoted(value)


def quoted(name: str) -> str:
    """A name in double quotes, with the escapes of JSON."""
    # Letters of any script stay; characters that control a terminal are escaped.
    shown = json.dumps(name, ensure_ascii=False)
    return "".join(sign if sign.isprintable() else json.dumps(sign)[1:-1] for sign in shown)


def name_of_input(index: int, names: Sequence[str] | None, notation: Notation = ASCII) -> str:
    """Input ``index`` as text: its number, or its name where there are names."""
    if names is None:
        return str(index)
    if index >= len(names):
        raise ExpressionError(
            f"the expression uses input {index}, but there are only {len(names)} names"
        )
    return written_name(names[index], notation)
