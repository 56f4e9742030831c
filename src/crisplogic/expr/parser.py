"""Text to expression, in the paper's notation (``¬ & | ⊕ +``) or plain ASCII (``~ & | ^ +``).

Not binds tightest, then and, xor, or, and last the sum. The paper omits the tanh that a
sum passes through before it enters logic again. So does the text here: a sum that is an
operand of logic is squashed. A tanh anywhere else is written out, ``tanh(...)``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from crisplogic.errors import ExpressionError
from crisplogic.expr.lexer import Token, tokenize
from crisplogic.expr.nodes import (
    MAX_DEPTH,
    And,
    Const,
    Expr,
    Not,
    Operation,
    Or,
    Squash,
    Var,
    Xor,
    negate,
    squashed,
    total,
)
from crisplogic.expr.notation import (
    CONSTANTS,
    IS,
    MISSING,
    OTHER,
    Statement,
    opposite,
    written_value,
)
from crisplogic.messages import did_you_mean, list_some, point_at

MAX_INPUTS = 10**9
MOST_TIMES = 99  # a text of a few letters should not become a sum of millions of terms

# From the loosest binding to the tightest.
_OPERATIONS: tuple[tuple[str, type[Operation]], ...] = (("or", Or), ("xor", Xor), ("and", And))

# What to write instead of what is often written.
ADVICE: dict[str, str] = {
    '"': "a name in double quotes has to end in one, too",
    "-": "a minus is not understood here; write + ~(...) to subtract a term",
    **dict.fromkeys("<>=≤≥", "a threshold is written column>12.5 or column<12.5"),
}


@dataclass(frozen=True)
class Mention:
    """How a text calls an input: ``3``, ``age``, ``age>41`` or ``colour is red``.

    ``text`` is what is written. ``name`` has no quotes; ``quoted`` says whether it had some.
    A ``comparison`` or a ``statement`` may belong to it; the ``value`` of the latter has no
    quotes either.
    """

    text: str
    name: str
    number: bool = False
    quoted: bool = False
    comparison: str = ""
    statement: Statement | None = None
    value: str = ""


# Finds the expression that is meant, or raises an ExpressionError without the place.
Resolve = Callable[[Mention], Expr]


@dataclass(frozen=True)
class Syntax:
    """What a text may hold besides logic.

    Where it is ``numbered``, numbers call inputs. Where it has ``counts``, ``2 × (a)`` is
    ``a + a``. Where it has a ``minus``, ``a - b`` is ``a + ~b``. ``advice`` has messages for
    tokens in a wrong place, by their texts or their kinds.
    """

    numbered: bool = True
    counts: bool = True
    minus: bool = False
    advice: Mapping[str, str] = field(default_factory=lambda: ADVICE)


def parse(
    text: str,
    names: Sequence[str] | None = None,
    shared: Mapping[str, Expr] | None = None,
) -> Expr:
    """Read one expression.

    Inputs are numbers counted from 0, or names where ``names`` are given; a name that is
    not a plain word is written in double quotes. A name that ends in a comparison has an
    opposite: where ``age>41`` is an input, ``age<41`` is its negation. So has a statement:
    ``colour is not red`` is the negation of ``colour is red``. A name in ``shared`` stands
    for the expression there. A term may count several times: ``2 × (age>41)``, or ``2 * ...``.

    >>> parse("(0 | 3) + ¬1") == (Var(0) | Var(3)) + ~Var(1)
    True
    >>> parse('~age & "body mass"', names=["age", "body mass"]) == ~Var(0) & Var(1)
    True
    >>> parse("age is not missing", names=[Statement.missing("age")]) == ~Var(0)
    True
    >>> parse("2 × (0 & 1) + 3") == (Var(0) & Var(1)) + (Var(0) & Var(1)) + Var(3)
    True
    """
    return Parser(text, tokenize(text), NamedInputs(names, shared)).parse()


class Parser:
    """Reads the expression that some tokens of a text make up; the last of them is an end.

    >>> text = "0 - 1"
    >>> parser = Parser(text, tokenize(text), NamedInputs(), Syntax(minus=True))
    >>> parser.parse() == Var(0) + ~Var(1)
    True
    """

    def __init__(
        self,
        text: str,
        tokens: Sequence[Token],
        resolve: Resolve,
        syntax: Syntax = Syntax(),  # noqa: B008
    ) -> None:
        self.text = text
        self.tokens = tokens
        self.resolve = resolve
        self.syntax = syntax
        self.position = 0
        self.nesting = 0

    def parse(self) -> Expr:
        """The expression, if it is all there is."""
        expr = self.sum()
        self.finish()
        return expr

    def finish(self) -> None:
        """Fail unless all tokens are read."""
        if not self.at("end"):
            self.fail_expecting("an operator or the end")

    @property
    def token(self) -> Token:
        """The current token."""
        return self.tokens[self.position]

    def at(self, kind: str) -> bool:
        """Whether the current token is of a kind."""
        return self.token.kind == kind

    def take(self) -> Token:
        """The current token, after which the next one is current."""
        token = self.token
        self.position += 1
        return token

    def take_symbol(self, symbol: str) -> None:
        """Go past a bracket."""
        if (self.token.kind, self.token.text) != ("symbol", symbol):
            self.fail_expecting(f"'{symbol}'")
        self.take()

    def fail(self, problem: str, token: Token) -> NoReturn:
        """Raise an error that shows the text and the place."""
        raise error_at(problem, self.text, token.start) from None

    def fail_expecting(self, expected: str) -> NoReturn:
        """Raise an error about the current token."""
        found = "the end" if self.at("end") else repr(self.token.text)
        problem = f"expected {expected}, found {found}"
        advice = self.syntax.advice
        problem = advice.get(self.token.text) or advice.get(self.token.kind) or problem
        self.fail(problem, self.token)

    def sum(self) -> Expr:
        """A sum; some of its terms, even the first, may be subtracted."""
        terms = [] if self.at_minus() else [self.term()]
        while self.at("sum") or self.at_minus():
            subtracted = self.take().kind == "minus"
            terms.append(negate(self.term()) if subtracted else self.term())
        return total(terms)  # a sum in brackets inside a sum is the same sum

    def at_minus(self) -> bool:
        """Whether the current token subtracts a term."""
        return self.syntax.minus and self.at("minus")

    def term(self) -> Expr:
        """A term of a sum, which may count several times."""
        number = self.token
        counts = self.syntax.counts and number.kind == "number" and number.text.isdecimal()
        if not counts or self.tokens[self.position + 1].kind != "times":
            return self.operation()
        if len(number.text) > 2 or not 1 <= int(number.text) <= MOST_TIMES:
            self.fail(f"a term counts 1 to {MOST_TIMES} times", number)
        self.position += 2
        return total([self.negation()] * int(number.text))

    def operation(self, level: int = 0) -> Expr:
        """An expression whose loosest operator is that of ``level``."""
        if level == len(_OPERATIONS):
            return self.negation()
        kind, build = _OPERATIONS[level]
        operands = [self.operation(level + 1)]
        while self.at(kind):
            self.take()
            operands.append(self.operation(level + 1))
        return operands[0] if len(operands) == 1 else build(tuple(map(squashed, operands)))

    def negation(self) -> Expr:
        """A primary, or the not of a negation."""
        if not self.at("not"):
            return self.primary()
        self.take()
        return Not(squashed(self.nested(self.negation)))

    def primary(self) -> Expr:
        """An input, a constant, ``tanh(...)`` or an expression in brackets."""
        if self.at("constant"):
            return Const(CONSTANTS[self.take().text])
        if self.at("name") or (self.at("number") and self.syntax.numbered):
            return self.input()
        if self.at("tanh"):
            self.take()
            return Squash(self.brackets())
        if self.token.text != "(":
            self.fail_expecting("an input, a constant or an opening bracket")
        return self.brackets()

    def brackets(self) -> Expr:
        """``( expression )``."""
        self.take_symbol("(")
        expr = self.nested(self.sum)
        self.take_symbol(")")
        return expr

    def nested(self, read: Callable[[], Expr]) -> Expr:
        """What ``read`` finds one level deeper, unless that is too deep."""
        if self.nesting == MAX_DEPTH:
            self.fail(f"nested deeper than {MAX_DEPTH} levels", self.token)
        self.nesting += 1
        expr = read()
        self.nesting -= 1
        return expr

    def input(self) -> Expr:
        """A number or a name, and what is said of the name if anything is."""
        first = self.take()
        name = self.unquote(first)
        comparison, statement, value, negated = "", None, "", False
        if first.kind == "name" and self.at("comparison"):
            comparison = "".join(self.take().text.split())
        elif first.kind == "name" and self.at("is"):
            negated, said = self.value()
            value = self.unquote(said)
            statement = Statement(
                name, f"{IS} {written_value(value) if said.quoted else value}"
            )
        elif self.at("symbol") and self.token.text in self.syntax.advice:
            # As in age>=41: about the column alone there is nothing to say.
            self.fail_expecting("an operator or the end")
        last = self.tokens[self.position - 1]
        mention = Mention(
            self.text[first.start : last.start + len(last.text)],
            name,
            first.kind == "number",
            first.quoted,
            comparison,
            statement,
            value,
        )
        try:
            expr = self.resolve(mention)
        except ExpressionError as error:
            self.fail(str(error), first)
        return Not(expr) if negated else expr

    def value(self) -> tuple[bool, Token]:
        """Whether "not" stands after "is", and the value."""
        self.take()
        negated = self.at("not")
        if negated:
            self.take()
        if not self.at("value"):
            self.fail_expecting(f"a value, {MISSING!r} or {OTHER!r} after {IS!r}")
        return negated, self.take()

    def unquote(self, token: Token) -> str:
        """The text of a name or a value without its quotes."""
        try:
            return token.unquoted
        except ExpressionError as error:
            self.fail(str(error), token)


def error_at(problem: str, text: str, start: int) -> ExpressionError:
    """An error that shows the whole text and the place in it."""
    return ExpressionError(f"{problem} (at position {start}){point_at(text, start)}")


class NamedInputs:
    """Resolves numbers, names if there are any, and the names of shared parts."""

    def __init__(
        self, names: Sequence[str] | None = None, shared: Mapping[str, Expr] | None = None
    ) -> None:
        self.names = names
        self.shared = shared or {}

    def __call__(self, mention: Mention) -> Expr:
        """The expression that is meant."""
        if mention.number:
            return self._numbered(mention.text)
        if mention.statement is not None:
            return Var(self._only(mention.statement, mention))
        if not mention.comparison and mention.name in self.shared:
            return self.shared[mention.name]
        name = mention.name + mention.comparison
        contrary = opposite(name) if mention.comparison else None
        if contrary is not None and self._find(contrary) and not self._find(name):
            return Not(Var(self._only(contrary, mention)))
        return Var(self._only(name, mention))

    def _numbered(self, digits: str) -> Var:
        known = MAX_INPUTS if self.names is None else len(self.names)
        if not digits.isdecimal() or len(digits) > 9 or int(digits) >= known:
            raise ExpressionError(
                f"no such input, there are at most {known}, numbered from 0; got {digits:.20}"
            )
        return Var(int(digits))

    def _find(self, name: str) -> list[int]:
        # A column may be called what another column is said to be.
        stated = isinstance(name, Statement)
        return [
            number
            for number, known in enumerate(self.names or ())
            if known == name and isinstance(known, Statement) == stated
        ]

    def _only(self, name: str, mention: Mention) -> int:
        if self.names is None:
            raise ExpressionError(
                f"expected the number of an input (no names were given), found {mention.text}"
            )
        found = self._find(name)
        if not found:
            raise ExpressionError(
                f"unknown name {mention.text}; the names are {list_some(self.names)}"
                f"{did_you_mean(name, self.names)}"
            )
        if len(found) > 1:
            raise ExpressionError(
                f"several inputs have the name {mention.text}; write the number instead"
            )
        return found[0]
