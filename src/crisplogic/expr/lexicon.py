"""The words and symbols of written logic, shared by the parser and the printers."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from crisplogic.errors import ExpressionError


@dataclass(frozen=True)
class Notation:
    """The symbols to print operators with."""

    not_: str
    and_: str
    or_: str
    xor: str


PAPER = Notation(not_="¬", and_="&", or_="|", xor="⊕")
ASCII = Notation(not_="~", and_="&", or_="|", xor="^")

# What the parser accepts for each operator, whichever notation the text is in.
SPELLINGS: dict[str, frozenset[str]] = {
    "not": frozenset({"¬", "~", "!", "not"}),
    "and": frozenset({"&", "∧", "and"}),
    "or": frozenset({"|", "∨", "or"}),
    "xor": frozenset({"⊕", "^", "xor"}),
    "sum": frozenset({"+"}),
    "tanh": frozenset({"tanh"}),
}
CONSTANTS: dict[str, float] = {"true": 1.0, "false": -1.0, "unknown": 0.0}

BARE_NAME = re.compile(r"[^\W\d][\w.]*")
# Where a name may end: "glucose>127" is the column glucose and where being high begins.
COMPARISON = re.compile(r"[<>]-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
RESERVED = frozenset(CONSTANTS) | frozenset().union(*SPELLINGS.values())


def parted(name: str) -> tuple[str, str]:
    """A name without the comparison it ends in, and that comparison.

    >>> parted("body mass>31.5"), parted("glucose")
    (('body mass', '>31.5'), ('glucose', ''))
    """
    for sign in COMPARISON.finditer(name):
        if sign.start() > 0 and sign.end() == len(name):
            return name[: sign.start()], sign.group()
    return name, ""


def opposite(name: str) -> str | None:
    """The name of the contrary, if a name ends in a comparison.

    >>> opposite("glucose>127"), opposite("glucose")
    ('glucose<127', None)
    """
    column, comparison = parted(name)
    if not comparison:
        return None
    return column + ("<" if comparison[0] == ">" else ">") + comparison[1:]


def written_name(name: str) -> str:
    """A name as it stands in an expression: bare if it can be, quoted if not.

    >>> written_name("glucose"), written_name("body mass"), written_name("not")
    ('glucose', '"body mass"', '"not"')
    >>> written_name("body mass>31.5")
    '"body mass">31.5'
    """
    column, comparison = parted(name)
    if comparison:  # of a name that ends in two, the first belongs to the column
        return (_quoted(column) if parted(column)[1] else written_name(column)) + comparison
    if BARE_NAME.fullmatch(name) and name not in RESERVED:
        return name
    return _quoted(name)


def _quoted(name: str) -> str:
    # Letters of any script stay; what a terminal would obey rather than show is escaped.
    shown = json.dumps(name, ensure_ascii=False)
    return shown if shown.isprintable() else json.dumps(name)


def name_of_input(index: int, names: Sequence[str] | None) -> str:
    """Input ``index`` as text: its number, or its name where there are names."""
    if names is None:
        return str(index)
    if index >= len(names):
        raise ExpressionError(
            f"the expression uses input {index}, but there are only {len(names)} names"
        )
    return written_name(names[index])
