"""Python: functions of one row, with the standard library alone."""

from __future__ import annotations

import keyword
from collections.abc import Iterator

from crisplogic.export.about import About
from crisplogic.export.code import Code
from crisplogic.export.conditions import Column, OneOf
from crisplogic.export.names import comment, identifiers, words
from crisplogic.export.program import (
    Amount,
    Greatest,
    Program,
    RampDegree,
    Threshold,
    make_program,
)
from crisplogic.rules import RuleSet

OWN_NAMES = words(
    "row table math np score scores predict probabilities CLASSES number text ramp s p "
    "float int str len min max sum zip next iter found zeros logits powers power shifts"
)
RESERVED = frozenset(keyword.kwlist) | frozenset(keyword.softkwlist) | OWN_NAMES


def write_python(rules: RuleSet, about: About, *, missing: bool = True) -> str:
    """A module with functions of a row, which is a mapping from names of columns to values."""
    return _Module(make_program(rules, missing)).render(about.lines(rules))


def python_text(text: str) -> str:
    """A string of Python, in ASCII."""
    return ascii(str(text))


class _Module(Code):
    """The module of one program."""

    AND, OR, TRUE, FALSE = "and", "or", "True", "False"

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        reserved = {*RESERVED, *(f"s{at + 1}" for at in range(len(program.statements)))}
        names = identifiers([column.name for column in program.columns], reserved)
        self.names = dict(zip(program.columns, names, strict=True))

    def column(self, column: Column) -> str:
        return self.names[column]

    def string(self, text: str) -> str:
        return python_text(text)

    def choose(self, condition: str, yes: str, no: str) -> str:
        return f"{yes} if {condition} else {no}"

    def negate(self, condition: str) -> str:
        return f"not ({condition})" if " " in condition else f"not {condition}"

    def is_missing(self, column: Column) -> str:
        name = self.names[column]
        return f"{name} is None" if column.kind == "text" else f"math.isnan({name})"

    def one_of(self, test: OneOf, inside: bool) -> str:
        if len(test.values) == 1:
            sign = "!=" if test.negated else "=="
            return self.equal(test.column, test.values[0]).replace(" == ", f" {sign} ", 1)
        values = ", ".join(
            self.string(each) if isinstance(each, str) else self.number(each)
            for each in test.values
        )
        return f"{self.column(test.column)} {'not ' if test.negated else ''}in ({values})"

    def ramp(self, degree: RampDegree) -> str:
        low, high = self.number(degree.low), self.number(degree.high)
        return f"ramp({self.column(degree.column)}, {low}, {high})"

    def tanh(self, value: str) -> str:
        return f"math.tanh({value})"

    def render(self, about: list[str]) -> str:
        """The whole module."""
        lines = [
            *(f"# {line}" for line in about),
            "import math",
            "",
            "",
            *self._helpers(),
            *self._outcome(),
        ]
        return "\n".join(lines) + "\n"

    def _helpers(self) -> Iterator[str]:
        kinds = {column.kind for column in self.names}
        if kinds - {"text"}:
            yield "def number(value):"
            yield '    """A number; None is a missing value, as NaN is."""'
            yield "    return math.nan if value is None else float(value)"
            yield from ("", "")
        if "text" in kinds:
            yield "def text(value):"
            yield '    """A text; NaN is a missing value, as None is."""'
            yield "    return None if value is None or value != value else str(value)"
            yield from ("", "")
        if any(isinstance(each, RampDegree) for each in self.program.degrees):
            yield "def ramp(x, low, high):"
            yield '    """-1 up to low, 1 from high on, 0 if the value is missing."""'
            yield "    if math.isnan(x):"
            yield "        return 0.0"
            yield "    middle, half = high / 2 + low / 2, high / 2 - low / 2"
            yield "    x = (min(max(x, low), high) - middle) / half"
            yield "    return min(max(x, -1.0), 1.0)"
            yield from ("", "")

    def _outcome(self) -> Iterator[str]:
        outcome = self.program.outcome
        if isinstance(outcome, Amount):
            yield from self._amount(outcome)
            return
        labels = ", ".join(map(_label, outcome.labels))
        yield f"CLASSES = ({labels}{',' if len(outcome.labels) == 1 else ''})"
        yield from ("", "")
        if isinstance(outcome, Threshold):
            yield from self._threshold(outcome)
        else:
            yield from self._greatest(outcome)

    def _statements(self) -> Iterator[str]:
        for column, name in self.names.items():
            kind = "text" if column.kind == "text" else "number"
            yield f"    {name} = {kind}(row.get({python_text(column.name)}))"
        for at, statement in enumerate(self.program.statements):
            if statement.words:
                yield f"    # {comment(statement.words)}"
            yield f"    s{at + 1} = {self.statement(at)}"

    def _amount(self, outcome: Amount) -> Iterator[str]:
        yield "def predict(row):"
        yield f"    # {comment(str(outcome.label))}"
        yield from self._statements()
        [total] = self.sums()
        if outcome.transform is None:
            yield f"    return {total}"
            return
        function = {"log": "exp", "log1p": "expm1"}[outcome.transform]
        yield "    try:"
        yield f"        return math.{function}({total})"
        yield "    except OverflowError:"
        yield "        return 1.7976931348623157e308  # the greatest there is"

    def _threshold(self, outcome: Threshold) -> Iterator[str]:
        yield "def score(row):"
        yield '    """Points of the statements that hold, half of those that are unknown."""'
        yield from self._statements()
        yield f"    return {self.sums()[0]}"
        yield from ("", "")
        yield "def predict(row):"
        positive, other = _label(outcome.positive), _label(outcome.other)
        needed = self.number(outcome.needed)
        yield f"    return {positive} if score(row) >= {needed} else {other}"
        yield from ("", "")
        yield "def probabilities(row):"
        slope, even = self.number(outcome.slope), self.number(outcome.even)
        yield f"    power = {slope} * ({even} - score(row))"
        yield "    p = 1 / (1 + math.exp(power)) if power < 700 else 0.0"
        chances = ("p", "1 - p") if outcome.labels[0] == outcome.positive else ("1 - p", "p")
        entries = zip(map(_label, outcome.labels), chances, strict=True)
        yield f"    return {{{', '.join(f'{label}: {chance}' for label, chance in entries)}}}"

    def _greatest(self, outcome: Greatest) -> Iterator[str]:
        yield "def scores(row):"
        yield '    """The score of each class, in the order of CLASSES."""'
        yield from self._statements()
        yield "    return ("
        for total, label in zip(self.sums(), outcome.labels, strict=True):
            yield f"        {total},  # {comment(str(label))}"
        yield "    )"
        yield from ("", "")
        yield "def predict(row):"
        yield '    """The class with the greatest score, the first in a tie."""'
        yield "    found = scores(row)"
        yield "    return CLASSES[found.index(max(found))]"
        yield from ("", "")
        yield "def probabilities(row):"
        shifts = "".join(f"{self.number(each)}, " for each in outcome.shifts).strip()
        slope = self.number(outcome.slope)
        if any(outcome.shifts):
            yield f"    shifts = ({shifts})"
            yield f"    logits = [{slope} * a + b for a, b in zip(scores(row), shifts)]"
        else:
            yield f"    logits = [{slope} * each for each in scores(row)]"
        yield "    powers = [math.exp(each - max(logits)) for each in logits]"
        yield "    return {label: power / sum(powers) for label, power in zip(CLASSES, powers)}"


def _label(label: object) -> str:
    return python_text(label) if isinstance(label, str) else repr(label)
