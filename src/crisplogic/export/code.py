"""What writers of program code share: conditions, statements, degrees and sums as text.

A writer says how its language compares, joins and chooses; see :class:`Code`. Every compound
part of another one stands in brackets, so that no order of operators matters.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import reduce

from crisplogic.export.conditions import (
    Column,
    Compare,
    Condition,
    Every,
    Fixed,
    Gap,
    OneOf,
    Some,
)
from crisplogic.export.names import comment, identifiers, plain_number
from crisplogic.export.program import (
    Amount,
    Greatest,
    Program,
    RampDegree,
    Statement,
    Threshold,
    YesNoDegree,
)
from crisplogic.export.program import Sum as Total
from crisplogic.expr import And, Const, Expr, Or, Squash, Sum, Var, Xor, split_sign
from crisplogic.rules.rule import Label


class Code(ABC):
    """The expressions of one program in one language."""

    AND, OR, NOT_EQUAL, EQUAL = "&&", "||", "!=", "=="
    TRUE, FALSE = "true", "false"

    def __init__(self, program: Program, reserved: Collection[str] = ()) -> None:
        self.program = program
        taken = {*reserved, *(f"s{at + 1}" for at in range(len(program.statements)))}
        names = identifiers([column.name for column in program.columns], taken)
        self.names = dict(zip(program.columns, names, strict=True))
        """What columns are called; none is ``reserved``, or called like a statement."""

    # What a language says.

    @abstractmethod
    def string(self, text: str) -> str:
        """A constant text."""

    @abstractmethod
    def gap(self, column: Column, missing: bool) -> str:
        """Whether a column has no value; or whether it has one, if not ``missing``."""

    def column(self, column: Column) -> str:
        """The value of a column in a row."""
        return self.names[column]

    def choose(self, condition: str, yes: str, no: str) -> str:
        """One of two values."""
        return f"({condition}) ? {yes} : {no}"

    def ramp(self, degree: RampDegree) -> str:
        """The degree of a ramp that varies."""
        low, high = self.number(degree.low), self.number(degree.high)
        return f"ramp({self.column(degree.column)}, {low}, {high})"

    def tanh(self, value: str) -> str:
        """The hyperbolic tangent."""
        return f"tanh({value})"

    def number(self, number: float) -> str:
        """A constant number."""
        return plain_number(number)

    def join(self, operator: str, parts: Sequence[str]) -> str:
        """Conditions joined by *and* or *or*."""
        return f" {operator} ".join(parts)

    def negate(self, condition: str) -> str:
        """The opposite of a condition that is never unknown."""
        return f"!({condition})" if " " in condition else f"!{condition}"

    def equal(self, column: Column, value: str | float) -> str:
        """Whether a column holds a value."""
        written = self.string(value) if isinstance(value, str) else self.number(value)
        return f"{self.column(column)} {self.EQUAL} {written}"

    def compare(self, test: Compare) -> str:
        """A comparison with a number; false if the value is missing."""
        return f"{self.column(test.column)} {test.sign} {self.number(test.number)}"

    # What follows from it.

    def condition(self, condition: Condition, inside: str = "") -> str:
        """A condition; in brackets where the operator that it stands ``inside`` is another."""
        match condition:
            case Compare():
                return self.compare(condition)
            case Gap(column=column, missing=missing):
                return self.gap(column, missing)
            case OneOf():
                return self.one_of(condition, inside)
            case Fixed(value=value):
                return self.TRUE if value else self.FALSE
            case Every(parts=parts) | Some(parts=parts):
                operator = self.AND if isinstance(condition, Every) else self.OR
                joined = self.join(operator, [self.condition(part, operator) for part in parts])
                return f"({joined})" if inside else joined
        raise TypeError(type(condition).__name__)

    def one_of(self, test: OneOf, inside: str) -> str:
        """Whether a column holds one of some values, or a value that is none of them."""
        found = [self.equal(test.column, value) for value in test.values]
        joined = found[0] if len(found) == 1 else self.join(self.OR, found)
        if test.negated:
            return self.negate(joined)
        return f"({joined})" if len(found) > 1 and inside not in ("", self.OR) else joined

    def three(
        self, statement: Statement | YesNoDegree, yes: float, unknown: float, no: float
    ) -> str:
        """The number that a yes/no statement stands for."""
        last = self.number(no)
        if statement.fails is not None:
            last = self._choose(statement.fails, last, self.number(unknown))
        return self._choose(statement.holds, self.number(yes), last)

    def _choose(self, condition: Condition, yes: str, no: str) -> str:
        if isinstance(condition, Fixed):
            return yes if condition.value else no
        return self.choose(self.condition(condition), yes, no)

    def statement(self, number: int) -> str:
        """The value of a statement."""
        found = self.program.statements[number]
        if isinstance(found, Statement):
            return self.three(found, 1, 0.5, 0)
        written = self.arithmetic(found.expression)
        return written[1:-1] if written.startswith("(") else written

    def degree(self, index: int) -> str:
        """What an input of graded logic is."""
        degree = self.program.degrees[index]
        if isinstance(degree, YesNoDegree):
            return f"({self.three(degree, 1, 0, -1)})"
        return self.ramp(degree) if degree.half > 0 else self.number(0)

    def arithmetic(self, expr: Expr) -> str:
        """Graded logic, by the operations of the library and in their order: the same bits.

        If a bracket begins it, the last character is the one that closes it.
        """
        match expr:
            case Var(index=index):
                return self.degree(index)
            case Const(value=value):
                return f"({self.number(value)})"
            case Squash(operand=operand):
                return self.tanh(self._added(operand))
            case And(operands=operands):
                return reduce(self._and, map(self.arithmetic, operands))
            case Or(operands=operands):
                return reduce(self._or, map(self.arithmetic, operands))
            case Xor(operands=operands):
                parts = map(self.arithmetic, operands)
                return reduce(lambda a, b: f"(-({a} * {b}))", parts)
        bare, sign = split_sign(expr)
        written = self.arithmetic(bare)
        return written if sign > 0 else f"(-{written})"

    def _and(self, a: str, b: str) -> str:
        return f"((1 + {a}) * (1 + {b}) * 0.5 - 1)"

    def _or(self, a: str, b: str) -> str:
        return f"(1 - (1 - {a}) * (1 - {b}) * 0.5)"

    def _added(self, expr: Expr) -> str:
        terms = expr.terms if isinstance(expr, Sum) else (expr,)
        signed = [split_sign(term) for term in terms]
        return added([(float(sign), self.arithmetic(term)) for term, sign in signed])

    def sums(self, prefix: str = "s") -> list[str]:
        """All sums, of statements that are called ``s1``, ``s2`` ..."""
        names = [f"{prefix}{at + 1}" for at in range(len(self.program.statements))]
        return [self.total(total, names) for total in self.program.sums]

    def total(self, total: Total, names: Sequence[str]) -> str:
        """A sum; ``names`` are what statements are called, or their values.

        Crisp points are exact in any order. Graded ones are added before the base, as in the
        library: else the last bit could differ.
        """
        terms = [(points, names[at]) for points, at in total.terms]
        if total.factor == 1 and (self.program.crisp or not total.base):
            return added(terms, total.base, self.number)
        if not terms:
            return self.base(total.base + total.factor * total.start)
        inner = f"({added(terms, total.start, self.number)})"
        if total.factor != 1:
            inner = f"{self.number(total.factor)} * {inner}"
        return f"{self.base(total.base)} + {inner}" if total.base else inner

    def base(self, number: float) -> str:
        """What is added to a sum at last, rounded as floats are."""
        return self.number(number)


class Module(Code):
    """A file of program code: comments, helpers, and functions that predict."""

    COMMENT = "//"
    INDENT = "    "

    def render(self, about: Sequence[str]) -> str:
        """The whole file, which says at its head where rules come from."""
        head = [f"{self.COMMENT} {line}" for line in about]
        return "\n".join([*head, *self.body()]) + "\n"

    def body(self) -> Iterator[str]:
        """All lines but the head."""
        yield from self.helpers()
        yield from self.outcome()

    @abstractmethod
    def helpers(self) -> Iterator[str]:
        """The functions that statements need."""

    @abstractmethod
    def amount(self, outcome: Amount) -> Iterator[str]:
        """The function that predicts a number."""

    @abstractmethod
    def classes(self, labels: tuple[Label, ...]) -> Iterator[str]:
        """The names of the classes."""

    @abstractmethod
    def threshold(self, outcome: Threshold) -> Iterator[str]:
        """The functions that count, and predict one of two classes."""

    @abstractmethod
    def greatest(self, outcome: Greatest) -> Iterator[str]:
        """The functions that compute the scores of classes, and predict one."""

    @abstractmethod
    def declare(self, name: str, value: str) -> str:
        """A local constant."""

    def outcome(self) -> Iterator[str]:
        """The functions that predict."""
        outcome = self.program.outcome
        if isinstance(outcome, Amount):
            yield from self.amount(outcome)
            return
        yield from self.classes(outcome.labels)
        if isinstance(outcome, Threshold):
            yield from self.threshold(outcome)
        else:
            yield from self.greatest(outcome)

    def statements(self) -> Iterator[str]:
        """A constant for every statement, after a comment that says it in words."""
        for at, statement in enumerate(self.program.statements):
            if statement.words:
                yield f"{self.INDENT}{self.COMMENT} {comment(statement.words)}"
            yield self.INDENT + self.declare(f"s{at + 1}", self.statement(at))

    def has_text(self) -> bool:
        """Whether a column holds texts."""
        return any(column.kind == "text" for column in self.names)

    def has_numbers(self) -> bool:
        """Whether a column holds numbers or truth values."""
        return any(column.kind != "text" for column in self.names)

    def has_ramps(self) -> bool:
        """Whether a statement is a ramp."""
        return any(isinstance(each, RampDegree) for each in self.program.degrees)


def added(
    terms: Sequence[tuple[float, str]],
    base: float = 0.0,
    number: Callable[[float], str] = plain_number,
) -> str:
    """A sum from left to right: points times values, after a base unless it is 0.

    >>> added([(1, "a"), (2, "b"), (-1, "c")]), added([(-1, "a")], 2.5), added([])
    ('a + 2 * b - c', '2.5 - a', '0')
    """
    parts = list(_parts(terms, number))
    if base or not parts:
        parts.insert(0, ("-" if base < 0 else "+", number(abs(base))))
    (sign, first), *rest = parts
    return " ".join([f"-{first}" if sign == "-" else first, *(f"{s} {t}" for s, t in rest)])


def _parts(
    terms: Sequence[tuple[float, str]], number: Callable[[float], str]
) -> Iterator[tuple[str, str]]:
    for points, value in terms:
        sign, size = ("-" if points < 0 else "+"), abs(points)
        yield sign, value if size == 1 else f"{number(size)} * {value}"
