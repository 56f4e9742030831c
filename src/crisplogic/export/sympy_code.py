"""SymPy: a module that builds the sums and the prediction as symbolic expressions.

Symbols have values, so nothing is missing there. A text column has one symbol for each value
that the rules mention, which is true or false.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from crisplogic.errors import ExportError
from crisplogic.export.about import About
from crisplogic.export.code import Code
from crisplogic.export.conditions import Column, Compare, Condition, OneOf
from crisplogic.export.from_rules import make_program
from crisplogic.export.names import comment
from crisplogic.export.program import Amount, Program, RampDegree, Threshold
from crisplogic.export.python import RESERVED, python_text
from crisplogic.rules import RuleSet

FUNCTIONS = ("And", "Float", "Max", "Min", "Not", "Or", "Piecewise", "Symbol", "exp", "tanh")


def write_sympy(rules: RuleSet, about: About) -> str:
    """A module with ``columns``, ``scores``, ``prediction`` and ``probabilities``."""
    return _Module(make_program(rules, missing=False)).render(about.lines(rules))


class _Module(Code):
    """The module of one program."""

    AND, OR, TRUE, FALSE = "And", "Or", "True", "False"

    def __init__(self, program: Program) -> None:
        own = {"columns", "prediction", "powers", "Eq", "symbols", "E", "I", "N", "O", "Q", "S"}
        super().__init__(program, {*RESERVED, *FUNCTIONS, *own})

    def string(self, text: str) -> str:
        return python_text(text)

    def number(self, number: float) -> str:
        value = Fraction(float(number))
        return str(value.numerator) if value.denominator == 1 else f"Float({number!r})"

    def choose(self, condition: str, yes: str, no: str) -> str:
        return f"Piecewise(({yes}, {condition}), ({no}, True))"

    def join(self, operator: str, parts: Sequence[str]) -> str:
        return f"{operator}({', '.join(parts)})"

    def condition(self, condition: Condition, inside: str = "") -> str:
        return super().condition(condition)

    def compare(self, test: Compare) -> str:
        return f"({super().compare(test)})"

    def negate(self, condition: str) -> str:
        return f"Not({condition})"

    def equal(self, column: Column, value: str | float) -> str:
        if isinstance(value, str):
            at = column.values.index(value)
            return f"{self.names[column]}[{at}]"
        return f"Eq({self.names[column]}, {self.number(value)})"

    def one_of(self, test: OneOf, inside: str) -> str:
        return super().one_of(test, "")

    def gap(self, column: Column, missing: bool) -> str:
        raise ExportError("a symbol is never missing")

    def ramp(self, degree: RampDegree) -> str:
        low, high = self.number(degree.low), self.number(degree.high)
        middle, half = self.number(degree.middle), self.number(degree.half)
        inside = f"(Max({low}, Min({high}, {self.column(degree.column)})) - {middle}) / {half}"
        return f"Max(-1, Min(1, {inside}))"

    def render(self, about: list[str]) -> str:
        """The whole module."""
        lines = [
            *(f"# {line}" for line in about),
            "from sympy import (",
            "    And, Eq, Float, Max, Min, Not, Or, Piecewise, Symbol, exp, symbols, tanh",
            ")",
            "",
            *self._symbols(),
            "",
            *self._sums(),
            *self._prediction(),
            *self._chances(),
        ]
        return "\n".join(lines) + "\n"

    def _symbols(self) -> Iterator[str]:
        for column, name in self.names.items():
            if column.kind != "text":
                yield f"{name} = Symbol({python_text(column.name)}, real=True)"
                continue
            values = (f"{column.name} is {value}" for value in column.values)
            made = ", ".join(f"Symbol({python_text(each)})" for each in values)
            yield f"{name} = ({made},)  # true or false"
        entries = (f"{python_text(c.name)}: {name}" for c, name in self.names.items())
        yield f"columns = {{{', '.join(entries)}}}"

    def _sums(self) -> Iterator[str]:
        for at, statement in enumerate(self.program.statements):
            if statement.words:
                yield f"# {comment(statement.words)}"
            yield f"s{at + 1} = {self.statement(at)}"
        yield f"scores = [{', '.join(self.sums())}]"

    def _prediction(self) -> Iterator[str]:
        outcome = self.program.outcome
        if isinstance(outcome, Amount):
            inverse = {
                None: "scores[0]",
                "log": "exp(scores[0])",
                "log1p": "exp(scores[0]) - 1",
            }
            yield f"prediction = {inverse[outcome.transform]}  # {comment(str(outcome.label))}"
            return
        named = ", ".join(
            f"{at}: {comment(str(label))}" for at, label in enumerate(outcome.labels)
        )
        yield f"# The number of the predicted class: {named}"
        if isinstance(outcome, Threshold):
            positive = outcome.labels.index(outcome.positive)
            enough = f"scores[0] >= {self.number(outcome.needed)}"
            yield f"prediction = Piecewise(({positive}, {enough}), ({1 - positive}, True))"
            return
        count = len(outcome.labels)
        cases = []
        for at in range(count - 1):
            ahead = ", ".join(
                f"scores[{at}] >= scores[{other}]" for other in range(at + 1, count)
            )
            cases.append(f"({at}, And({ahead}))")
        yield f"prediction = Piecewise({', '.join([*cases, f'({count - 1}, True)'])})"

    def _chances(self) -> Iterator[str]:
        outcome = self.program.outcome
        if isinstance(outcome, Amount):
            return
        yield "# The probability of each class."
        slope = self.number(outcome.slope)
        if isinstance(outcome, Threshold):
            yield f"p = 1 / (1 + exp({slope} * ({self.number(outcome.even)} - scores[0])))"
            first = outcome.labels[0] == outcome.positive
            yield f"probabilities = [{'p, 1 - p' if first else '1 - p, p'}]"
            return
        shifts = [f" + {self.number(each)}" if each else "" for each in outcome.shifts]
        each = ", ".join(f"exp({slope} * scores[{at}]{b})" for at, b in enumerate(shifts))
        yield f"powers = [{each}]"
        yield "probabilities = [power / sum(powers) for power in powers]"
