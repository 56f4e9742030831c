"""Text to expression, in the paper's notation (``¬ & | ⊕ +``) or plain ASCII (``~ & | ^ +``).

Not binds tightest, then and, xor, or, and at last the sum. The paper omits the tanh that a
sum passes through before it enters logic again; so does the text here: a sum that is an
operand of logic is squashed. A tanh anywhere else is written out, ``tanh(...)``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from crisplogic.errors import ExpressionError
from crisplogic.expr.lexicon import (
    BARE_NAME,
    COMPARISON,
    CONSTANTS,
    RESERVED,
    SPELLINGS,
    opposite,
)
from crisplogic.expr.nodes import (
    MAX_DEPTH,
    And,
    Const,
    Expr,
    Not,
    Or,
    Squash,
    Var,
    Xor,
    squashed,
    total,
)

MAX_INPUTS = 10**9

_TOKEN = re.compile(
    rf"""
    (?P<space>\s+)
  | (?P<number>\d+)
  | (?P<quoted>"(?:[^"\\]|\\.)*")
  | (?P<word>{BARE_NAME.pattern})
  | (?P<comparison>{COMPARISON.pattern})
  | (?P<symbol>[¬~!&∧|∨⊕^+()])
    """,
    re.VERBOSE,
)

# From the loosest binding to the tightest.
_LEVELS: tuple[tuple[str, Callable[[tuple[Expr, ...]], Expr]], ...] = (
    ("sum", total),  # a sum in brackets inside a sum is the same sum
    ("or", lambda operands: Or(tuple(map(squashed, operands)))),
    ("xor", lambda operands: Xor(tuple(map(squashed, operands)))),
    ("and", lambda operands: And(tuple(map(squashed, operands)))),
)


def parse(
    text: str,
    names: Sequence[str] | None = None,
    shared: Mapping[str, Expr] | None = None,
) -> Expr:
    """Read one expression.

    Inputs are numbers counted from 0, or names where ``names`` are given; a name that is
    not a plain word is written in double quotes. A name that ends in a comparison has a
    contrary: where ``age>41`` is an input, ``age<41`` is its negation. A name in ``shared``
    stands for the expression there.

    >>> parse("(0 | 3) + ¬1") == (Var(0) | Var(3)) + ~Var(1)
    True
    >>> parse('~age & "body mass"', names=["age", "body mass"]) == ~Var(0) & Var(1)
    True
    """
    parser = _Parser(text, names, shared or {})
    expr = parser.level(0)
    if parser.token.kind != "end":
        parser.fail("expected an operator or the end")
    return expr


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    start: int


@dataclass
class _Parser:
    text: str
    names: Sequence[str] | None
    shared: Mapping[str, Expr]
    position: int = 0
    nesting: int = 0
    token: _Token = field(init=False)

    def __post_init__(self) -> None:
        self.advance()

    def advance(self) -> None:
        """Move to the next token."""
        while True:
            start = self.position
            if start == len(self.text):
                self.token = _Token("end", "", start)
                return
            match = _TOKEN.match(self.text, start)
            if match is None:
                self.token = _Token("symbol", self.text[start], start)
                self.fail("unexpected character")
            self.position = match.end()
            if match.lastgroup != "space":
                self.token = _Token(str(match.lastgroup), match.group(), start)
                return

    def fail(self, problem: str) -> NoReturn:
        """Raise, showing the whole text and the place."""
        found = repr(self.token.text) if self.token.kind != "end" else "the end"
        one_line = re.sub(r"\s", " ", self.text)  # or the mark would miss its place
        raise ExpressionError(
            f"{problem}, found {found} at position {self.token.start}\n"
            f"  {one_line}\n  {' ' * self.token.start}^"
        )

    def at(self, meaning: str) -> bool:
        """Whether the current token spells the operator ``meaning``."""
        is_operator = self.token.kind in ("symbol", "word")
        return is_operator and self.token.text in SPELLINGS[meaning]

    def level(self, level: int) -> Expr:
        """One expression whose loosest operator is that of ``level``."""
        if level == len(_LEVELS):
            return self.negation()
        meaning, build = _LEVELS[level]
        operands = [self.level(level + 1)]
        while self.at(meaning):
            self.advance()
            operands.append(self.level(level + 1))
        return operands[0] if len(operands) == 1 else build(tuple(operands))

    def negation(self) -> Expr:
        """A primary, or the not of a negation."""
        if not self.at("not"):
            return self.primary()
        self.advance()
        return Not(squashed(self.nested(self.negation)))

    def primary(self) -> Expr:
        """An input, a constant, ``tanh(...)`` or an expression in brackets."""
        if self.token.text == "(" and self.token.kind == "symbol":
            return self.brackets()
        if self.at("tanh"):
            self.advance()
            return Squash(self.brackets())
        return self.leaf()

    def brackets(self) -> Expr:
        """``( expression )``."""
        self.expect("(")
        expr = self.nested(lambda: self.level(0))
        self.expect(")")
        return expr

    def nested(self, read: Callable[[], Expr]) -> Expr:
        """What ``read`` finds one level deeper, unless that is too deep."""
        if self.nesting == MAX_DEPTH:
            self.fail(f"nested deeper than {MAX_DEPTH} levels")
        self.nesting += 1
        expr = read()
        self.nesting -= 1
        return expr

    def leaf(self) -> Expr:
        """A number, a name or a constant."""
        token = self.token
        if token.kind == "number":
            expr: Expr = self.input_number(token.text)
        elif token.kind == "word" and token.text in CONSTANTS:
            expr = Const(CONSTANTS[token.text])
        elif token.kind == "word" and token.text not in RESERVED:
            return self.compared(token.text)
        elif token.kind == "quoted":
            return self.compared(self.unquoted())
        else:
            self.fail("expected an input, a constant or an opening bracket")
        self.advance()
        return expr

    def compared(self, name: str) -> Expr:
        """A name and, if one follows, the comparison that belongs to it."""
        before = self.position, self.token
        self.advance()
        if self.token.kind != "comparison":
            after = self.position, self.token
            self.position, self.token = before  # an error would show the name itself
            expr = self.named(name)
            self.position, self.token = after
            return expr
        name += self.token.text
        contrary = opposite(name)
        if contrary in (self.names or ()) and name not in (self.names or ()):
            expr = Not(self.named(str(contrary)))
        else:
            expr = self.named(name)
        self.advance()
        return expr

    def unquoted(self) -> str:
        """The name inside the current quoted token."""
        try:
            return str(json.loads(self.token.text))
        except json.JSONDecodeError:
            self.fail("a name in double quotes follows JSON's escapes")

    def input_number(self, digits: str) -> Var:
        """An input by its number."""
        known = MAX_INPUTS if self.names is None else len(self.names)
        if len(digits) > 9 or int(digits) >= known:
            self.fail(f"no such input, there are at most {known}")
        return Var(int(digits))

    def named(self, name: str) -> Expr:
        """A shared part or an input by its name."""
        if name in self.shared:
            return self.shared[name]
        if self.names is None:
            self.fail("expected the number of an input (no names were given)")
        if name not in self.names:
            self.fail(f"unknown name; the names are {', '.join(map(repr, self.names))}")
        if list(self.names).count(name) > 1:
            self.fail("several inputs have this name, write the number instead")
        return Var(list(self.names).index(name))

    def expect(self, symbol: str) -> None:
        """Take one symbol or fail."""
        if self.token.text != symbol:
            self.fail(f"expected '{symbol}'")
        self.advance()
