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
RESERVED = frozenset(CONSTANTS) | frozenset().union(*SPELLINGS.values())


def written_name(name: str) -> str:
    """A feature name as it stands in an expression: bare if it can be, quoted if not.

    >>> written_name("glucose"), written_name("body mass"), written_name("not")
    ('glucose', '"body mass"', '"not"')
    """
    if BARE_NAME.fullmatch(name) and name not in RESERVED:
        return name
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
