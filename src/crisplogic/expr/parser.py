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
from crisplogic.expr.inputs import Mention, NamedInputs, Resolve
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
    Sum,
    Xor,
    negate,
    squashed,
    total,
)
from crisplogic.expr.notation import (
    CONSTANTS,
    IS,
    MISSING,
    MOST_TIMES,
    OTHER,
    Statement,
    plain_comparison,
    written_value,
)
from crisplogic.messages import point_at, shorten

# Counts and shared sums stand for terms that are not written out. A text of a few letters
# should not become a sum of millions of them.
MOST_IMPLIED = 100_000

# From the loosest binding to the tightest.
_OPERATIONS: tuple[tuple[str, type[Operation]], ...] = (("or", Or), ("xor", Xor), ("and", And))

# What to write instead of what is often written.
ADVICE: dict[str, str] = {
    "unclosed": "a name in double quotes has to end in one, too",
    "-": "a minus is not understood here; write + ~(...) to subtract a term",
    **dict.fromkeys("<>=≤≥", "a threshold is written column>12.5 or column<12.5"),
}


@dataclass(frozen=True)
class Syntax:
    """What a text may hold besides logic.

    Where it is ``numbered``, numbers call inputs. Where it has a ``minus``, ``a - b`` is
    ``a + ~b``. ``advice`` has messages for tokens in a wrong place, by their texts or their
    kinds.
    """

    numbered: bool = True
    minus: bool = False
    advice: Mapping[str, str] = field(default_factory=lambda: ADVICE)


class TermBudget:
    """How many terms a text, or all texts of a file, may still imply by counts and names.

    >>> budget = TermBudget(10)
    >>> budget.spend(8), budget.spend(8)
    (True, False)
    """

    def __init__(self, terms: int = MOST_IMPLIED) -> None:
        self.left = terms

    def spend(self, terms: int) -> bool:
        """Take some terms from the budget; whether there were enough."""
        self.left -= terms
        return self.left >= 0


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

    >>> from crisplogic.expr import Var
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

    >>> from crisplogic.expr import Var
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
        budget: TermBudget | None = None,
    ) -> None:
        self.text = text
        self.tokens = tokens
        self.resolve = resolve
        self.syntax = syntax
        self.budget = budget or TermBudget()
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
        found = "the end" if self.at("end") else repr(shorten(self.token.text))
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
        if len(terms) == 1:
            return terms[0]
        return self.total(terms)  # a sum in brackets inside a sum is the same sum

    def total(self, terms: Sequence[Expr]) -> Expr:
        """The sum of some terms, unless it is too long."""
        implied = sum(len(term.terms) for term in terms if isinstance(term, Sum))
        if not self.budget.spend(implied):
            self.fail(
                f"counts and names stand for at most {MOST_IMPLIED} terms in all", self.token
            )
        return total(terms)

    def at_minus(self) -> bool:
        """Whether the current token subtracts a term."""
        return self.syntax.minus and self.at("minus")

    def term(self) -> Expr:
        """A term of a sum, which may count several times."""
        number = self.token
        counts = number.kind == "number" and number.text.isdecimal()
        if not counts or self.tokens[self.position + 1].kind != "times":
            return self.operation()
        if len(number.text) > 2 or not 1 <= int(number.text) <= MOST_TIMES:
            self.fail(f"a term counts 1 to {MOST_TIMES} times", number)
        self.position += 2
        repeated = [self.negation()] * int(number.text)
        if not self.budget.spend(len(repeated)):
            self.fail(f"terms count at most {MOST_IMPLIED} times in all", number)
        return self.total(repeated)

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
            comparison = plain_comparison(self.take().text)
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
    """An error that shows the text and the place in it."""
    return ExpressionError(f"{problem} (at position {start}){point_at(text, start)}")
