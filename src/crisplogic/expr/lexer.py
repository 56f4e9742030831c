"""Text to tokens: one lexer for expressions, for rules written by hand and for rule files."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from crisplogic.errors import ExpressionError
from crisplogic.expr.notation import (
    BARE_NAME,
    BARE_VALUE,
    CONSTANTS,
    IS,
    NUMBER,
    SPELLINGS,
)

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_TOKEN = re.compile(
    rf"""
    (?P<space>\s+)
  | (?P<number>{NUMBER})
  | (?P<quoted>{_QUOTED})
  | (?P<unclosed>".*)
  | (?P<word>{BARE_NAME.pattern})
  | (?P<comparison>(?:[<>]=?|[≤≥])\s*-?{NUMBER}(?:\s*(?:±|\+/-)\s*{NUMBER})?)
  | (?P<symbol>.)
    """,
    re.VERBOSE | re.DOTALL,
)
# What may stand after "is", where "18-25" is one value.
_VALUE = re.compile(rf"(?P<space>\s+)|(?P<value>{_QUOTED}|{BARE_VALUE.pattern})")

_KINDS = {
    **{spelling: kind for kind, spellings in SPELLINGS.items() for spelling in spellings},
    **dict.fromkeys(CONSTANTS, "constant"),
    **dict.fromkeys("×*", "times"),
    "-": "minus",
}


@dataclass(frozen=True)
class Token:
    """A piece of a text, and the position where it starts.

    The ``kind`` of an operator is its name: not, and, or, xor, sum, tanh, times, minus. Other
    kinds are number, name, comparison, is, value, constant, unclosed (a quote that does not
    end, and all after it), symbol (whatever else there is, brackets, too) and end.
    """

    kind: str
    text: str
    start: int

    @property
    def quoted(self) -> bool:
        """Whether a name or a value stands in double quotes."""
        return self.text.startswith('"')

    @property
    def unquoted(self) -> str:
        """The text of a name or a value without its quotes."""
        try:
            return str(json.loads(self.text)) if self.quoted else self.text
        except json.JSONDecodeError:
            raise ExpressionError("a name in double quotes follows JSON's escapes") from None


def tokenize(text: str) -> list[Token]:
    """The tokens of a text, the last of which is its end.

    >>> [token.kind for token in tokenize('~glucose > 127 & "body mass" is not low')]
    ['not', 'name', 'comparison', 'and', 'name', 'is', 'not', 'value', 'end']
    """
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        match = _VALUE.match(text, position) if _expects_value(tokens) else None
        match = match or _TOKEN.match(text, position)
        assert match is not None  # any character is a symbol
        position = match.end()
        if match.lastgroup != "space":
            tokens.append(Token(_kind(match, tokens), match.group(), match.start()))
    return [*tokens, Token("end", "", len(text))]


def _expects_value(tokens: list[Token]) -> bool:
    """Whether the last tokens are "is", or "is not"."""
    kinds = [token.kind for token in tokens[-2:]]
    return kinds[-1:] == ["is"] or kinds == ["is", "not"]


def _kind(match: re.Match[str], before: list[Token]) -> str:
    group, text = str(match.lastgroup), match.group()
    if group == "quoted":
        return "name"
    if group == "value":
        return _KINDS.get(text, "value") if text not in CONSTANTS else "value"
    if group == "word":
        after_name = bool(before) and before[-1].kind == "name"
        return "is" if text == IS and after_name else _KINDS.get(text, "name")
    return _KINDS.get(text, "symbol") if group == "symbol" else group
