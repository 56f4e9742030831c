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
from functools import cached_property
from typing import NoReturn

from crisplogic.errors import ExpressionError
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
    negative,
    squashed,
    total,
)
from crisplogic.expr.notation import (
    BARE_NAME,
    BARE_VALUE,
    COMPARISON,
    CONSTANTS,
    IS,
    MISSING,
    NOT,
    OPERATORS,
    OTHER,
    RESERVED,
    SPELLINGS,
    Statement,
    opposite,
    written_value,
)

MAX_INPUTS = 10**9
MOST_TIMES = 99  # a text of a few letters should not become a sum of millions of terms

_TOKEN = re.compile(
    rf"""
    (?P<space>\s+)
  | (?P<number>\d+)
  | (?P<quoted>"(?:[^"\\]|\\.)*")
  | (?P<word>{BARE_NAME.pattern})
  | (?P<comparison>{COMPARISON.pattern})
  | (?P<symbol>[¬~!&∧|∨⊕^+()×*])
    """,
    re.VERBOSE,
)

# What may stand after "is".
_VALUE = re.compile(
    rf"""(?P<space>\s+) | (?P<quoted>"(?:[^"\\]|\\.)*") | (?P<value>{BARE_VALUE.pattern})""",
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
    *,
    start: int = 0,
    minus: bool = False,
) -> Expr:
    """Read one expression.

    Inputs are numbers counted from 0, or names where ``names`` are given; a name that is
    not a plain word is written in double quotes. A name that ends in a comparison has a
    contrary: where ``age>41`` is an input, ``age<41`` is its negation. So has a statement:
    ``colour is not red`` is the negation of ``colour is red``. A name in ``shared`` stands
    for the expression there. A term may count several times: ``2 × (age>41)``, or ``2 * ...``.
    What stands before the position ``start`` is not read, and where a ``minus`` is allowed,
    ``a - b`` is ``a + ~b``.

    >>> parse("(0 | 3) + ¬1") == (Var(0) | Var(3)) + ~Var(1)
    True
    >>> parse('~age & "body mass"', names=["age", "body mass"]) == ~Var(0) & Var(1)
    True
    >>> parse("age is not missing", names=[Statement.missing("age")]) == ~Var(0)
    True
    >>> parse("2 × (0 & 1) + 3") == (Var(0) & Var(1)) + (Var(0) & Var(1)) + Var(3)
    True
    >>> parse("3 * (0 - 1)", start=3, minus=True) == Var(0) + ~Var(1)
    True
    """
    parser = _Parser(text, names, shared or {}, start, minus)
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
    minus: bool = False
    nesting: int = 0
    token: _Token = field(init=False)

    def __post_init__(self) -> None:
        self.advance()

    @cached_property
    def inputs(self) -> dict[tuple[str, str], list[int]]:
        """The numbers of the inputs by their names, of which few texts make use."""
        numbers: dict[tuple[str, str], list[int]] = {}
        for number, name in enumerate(self.names or ()):
            numbers.setdefault(_key(name), []).append(number)
        return numbers

    def advance(self, tokens: re.Pattern[str] = _TOKEN) -> None:
        """Move to the next token."""
        while True:
            start = self.position
            if start == len(self.text):
                self.token = _Token("end", "", start)
                return
            match = tokens.match(self.text, start)
            if match is None:
                self.token = _Token("symbol", self.text[start], start)
                if not self.at_minus():
                    self.fail("unexpected character")
                self.position = start + 1
                return
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

    def at_minus(self) -> bool:
        """Whether the current token takes a term away."""
        return self.minus and (self.token.kind, self.token.text) == ("symbol", "-")

    def level(self, level: int) -> Expr:
        """One expression whose loosest operator is that of ``level``."""
        if level == len(_LEVELS):
            return self.negation()
        if level == 0 and self.minus:
            return self.difference()
        meaning, build = _LEVELS[level]
        read = self.term if level == 0 else lambda: self.level(level + 1)
        operands = [read()]
        while self.at(meaning):
            self.advance()
            operands.append(read())
        return operands[0] if len(operands) == 1 else build(tuple(operands))

    def difference(self) -> Expr:
        """A sum some of whose terms, even the first, may be taken away."""
        terms = [] if self.at_minus() else [self.term()]
        while self.at_minus() or self.at("sum"):
            away = self.at_minus()
            self.advance()
            terms.append(negative(self.term()) if away else self.term())
        return total(terms)

    def term(self) -> Expr:
        """A term of a sum, which may count several times."""
        times = self.count()
        if times is None:
            return self.level(1)
        return total([self.negation()] * times)

    def count(self) -> int | None:
        """How often the term behind the current token counts, if it is a count."""
        number, place = self.token, self.position
        if number.kind != "number":
            return None
        self.advance()
        if (self.token.kind, self.token.text) not in (("symbol", "×"), ("symbol", "*")):
            self.token, self.position = number, place  # it was an input, not a count
            return None
        if len(number.text) > 2 or not 1 <= int(number.text) <= MOST_TIMES:
            self.token = number
            self.fail(f"a term counts 1 to {MOST_TIMES} times")
        self.advance()
        return int(number.text)

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
            return self.said_of(token.text)
        elif token.kind == "quoted":
            return self.said_of(self.unquoted())
        else:
            self.fail("expected an input, a constant or an opening bracket")
        self.advance()
        return expr

    def said_of(self, name: str) -> Expr:
        """A name and, if one follows, the comparison or the value that belongs to it."""
        place = self.token
        self.advance()
        if self.token.kind == "comparison":
            return self.compared(name)
        if self.token.kind == "word" and self.token.text == IS:
            return self.stated(name, place)
        after, self.token = self.token, place  # an error would show the name itself
        expr = self.named(name)
        self.token = after
        return expr

    def compared(self, name: str) -> Expr:
        """A name with the comparison that is the current token."""
        name += self.token.text
        contrary = opposite(name)
        if self.inputs.get(_key(str(contrary))) and not self.inputs.get(_key(name)):
            expr: Expr = Not(self.named(str(contrary)))
        else:
            expr = self.named(name)
        self.advance()
        return expr

    def stated(self, column: str, place: _Token) -> Expr:
        """What is said of a column after the current token, which is "is"."""
        self.advance(_VALUE)
        negated = self.token.text == NOT
        if negated:
            self.advance(_VALUE)
        ending = self.value()
        self.token = place  # an error would show the column
        expr = self.named(Statement(column, f"{IS} {ending}"))
        self.advance()
        return Not(expr) if negated else expr

    def value(self) -> str:
        """The value that is the current token, as it is written in a name."""
        if self.token.kind == "quoted":
            return written_value(self.unquoted())
        if self.token.kind != "value" or self.token.text in OPERATORS:
            self.fail(f"expected a value, {MISSING!r} or {OTHER!r} after 'is'")
        return self.token.text

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
        if name in self.shared and not isinstance(name, Statement):
            return self.shared[name]
        if self.names is None:
            self.fail("expected the number of an input (no names were given)")
        found = self.inputs.get(_key(name), [])
        if not found:
            self.fail(f"unknown name; the names are {', '.join(map(repr, self.names))}")
        if len(found) > 1:
            self.fail("several inputs have this name, write the number instead")
        return Var(found[0])

    def expect(self, symbol: str) -> None:
        """Take one symbol or fail."""
        if self.token.text != symbol:
            self.fail(f"expected '{symbol}'")
        self.advance()


def _key(name: str) -> tuple[str, str]:
    """What a name is found by: a column may be called what another column is said to be."""
    return (name.column, name.ending) if isinstance(name, Statement) else (name, "")
