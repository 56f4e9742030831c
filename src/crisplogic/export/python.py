"""Python: functions of one row, with the standard library alone."""

from __future__ import annotations

import keyword
from collections.abc import Iterator

from crisplogic.export.about import About
from crisplogic.export.code import Module
from crisplogic.export.conditions import Column, OneOf
from crisplogic.export.from_rules import make_program
from crisplogic.export.names import comment, words
from crisplogic.export.program import (
    Amount,
    Greatest,
    Program,
    Threshold,
)
from crisplogic.rules import RuleSet
from crisplogic.rules.rule import Label

OWN_NAMES = words(
    "row table math np score scores predict probabilities CLASSES number text ramp s p "
    "float int str len min max sum zip next iter found zeros logits powers power shifts"
)
COUNT = "Points of the statements that hold, half of those that are unknown."
GREATEST = "The class with the greatest score, the first in a tie."
RESERVED = frozenset(keyword.kwlist) | frozenset(keyword.softkwlist) | OWN_NAMES


def write_python(rules: RuleSet, about: About, *, missing: bool = True) -> str:
    """A module with functions of a row, which is a mapping from names of columns to values."""
    return PythonModule(make_program(rules, missing)).render(about.lines(rules))


def python_text(text: str) -> str:
    """A string of Python, in ASCII."""
    return ascii(str(text))


class PythonModule(Module):
    """The module of one program."""

    AND, OR, TRUE, FALSE = "and", "or", "True", "False"
    COMMENT = "#"
    # What is imported, and what functions are given.
    IMPORT, GIVEN = "import math", "row"

    def __init__(self, program: Program) -> None:
        super().__init__(program, RESERVED)

    def string(self, text: str) -> str:
        """A text in quotes."""
        return python_text(text)

    def choose(self, condition: str, yes: str, no: str) -> str:
        """A conditional expression."""
        return f"{yes} if {condition} else {no}"

    def negate(self, condition: str) -> str:
        """The opposite of a condition."""
        return f"not ({condition})" if " " in condition else f"not {condition}"

    def gap(self, column: Column, missing: bool) -> str:
        """Whether a column has no value, or whether it has one."""
        name = self.names[column]
        if column.kind == "text":
            return f"{name} {'is' if missing else 'is not'} None"
        return f"{'' if missing else 'not '}math.isnan({name})"

    def equal(self, column: Column, value: str | float) -> str:
        """Whether a column holds a value; blanks around a text say nothing."""
        return super().equal(column, value.strip() if isinstance(value, str) else value)

    def one_of(self, test: OneOf, inside: str) -> str:
        """Whether a column holds one of some values."""
        if len(test.values) == 1:
            sign = "!=" if test.negated else "=="
            return self.equal(test.column, test.values[0]).replace(" == ", f" {sign} ", 1)
        values = ", ".join(
            self.string(each.strip()) if isinstance(each, str) else self.number(each)
            for each in test.values
        )
        return f"{self.column(test.column)} {'not ' if test.negated else ''}in ({values})"

    def tanh(self, value: str) -> str:
        """The hyperbolic tangent."""
        return f"math.tanh({value})"

    def declare(self, name: str, value: str) -> str:
        """A local name."""
        return f"{name} = {value}"

    def value_of(self, column: Column) -> str:
        """How a column is found in what functions are given."""
        return f"row.get({python_text(column.name)})"

    def body(self) -> Iterator[str]:
        """All lines but the head."""
        yield self.IMPORT
        yield from ("", "")
        yield from super().body()

    def statements(self) -> Iterator[str]:
        """The values of columns, and the statements."""
        for column, name in self.names.items():
            kind = "text" if column.kind == "text" else "number"
            yield f"    {name} = {kind}({self.value_of(column)})"
        yield from super().statements()

    def function(self, name: str, what: str = "") -> Iterator[str]:
        """The head of a function."""
        yield f"def {name}({self.GIVEN}):"
        if what:
            yield f'    """{what}"""'

    def helpers(self) -> Iterator[str]:
        """The functions that read values."""
        if self.has_numbers():
            yield "def number(value):"
            yield '    """A number; None is a missing value, as NaN is."""'
            yield "    return math.nan if value is None else float(value)"
            yield from ("", "")
        if self.has_text():
            yield "def text(value):"
            yield '    """A text without blanks around it; None and NaN are missing values."""'
            yield "    if value is None or value != value:"
            yield "        return None"
            yield "    whole = isinstance(value, float) and value.is_integer()"
            yield "    return str(int(value) if whole else value).strip()"
            yield from ("", "")
        if self.has_ramps():
            yield "def ramp(x, low, high):"
            yield '    """-1 up to low, 1 from high on, 0 if the value is missing."""'
            yield "    if math.isnan(x):"
            yield "        return 0.0"
            yield "    middle, half = high / 2 + low / 2, high / 2 - low / 2"
            yield "    x = (min(max(x, low), high) - middle) / half"
            yield "    return min(max(x, -1.0), 1.0)"
            yield from ("", "")

    def classes(self, labels: tuple[Label, ...]) -> Iterator[str]:
        """The names of the classes."""
        written = ", ".join(map(python_label, labels))
        yield f"CLASSES = ({written}{',' if len(labels) == 1 else ''})"
        yield from ("", "")

    def amount(self, outcome: Amount) -> Iterator[str]:
        """The function that predicts a number."""
        yield from self.function("predict")
        yield f"    # {comment(str(outcome.label))}"
        yield from self.statements()
        [total] = self.sums()
        if outcome.transform is None:
            yield f"    return {total}"
            return
        function = {"log": "exp", "log1p": "expm1"}[outcome.transform]
        yield "    try:"
        yield f"        return math.{function}({total})"
        yield "    except OverflowError:"
        yield "        return 1.7976931348623157e308  # the greatest there is"

    def threshold(self, outcome: Threshold) -> Iterator[str]:
        """The functions that count, and predict one of two classes."""
        yield from self.function("score", COUNT)
        yield from self.statements()
        yield f"    return {self.sums()[0]}"
        yield from ("", "")
        yield from self.function("predict")
        positive, other = python_label(outcome.positive), python_label(outcome.other)
        needed = self.number(outcome.needed)
        yield f"    return {positive} if score(row) >= {needed} else {other}"
        yield from ("", "")
        yield from self.function("probabilities")
        slope, even = self.number(outcome.slope), self.number(outcome.even)
        yield f"    power = {slope} * ({even} - score(row))"
        yield "    p = 1 / (1 + math.exp(power)) if power < 700 else 0.0"
        chances = ("p", "1 - p") if outcome.labels[0] == outcome.positive else ("1 - p", "p")
        entries = zip(map(python_label, outcome.labels), chances, strict=True)
        yield f"    return {{{', '.join(f'{label}: {chance}' for label, chance in entries)}}}"

    def greatest(self, outcome: Greatest) -> Iterator[str]:
        """The functions that compute scores, and predict a class."""
        yield from self.function("scores", "The score of each class, in the order of CLASSES.")
        yield from self.statements()
        yield "    return ("
        for total, label in zip(self.sums(), outcome.labels, strict=True):
            yield f"        {total},  # {comment(str(label))}"
        yield "    )"
        yield from ("", "")
        yield from self.function("predict", GREATEST)
        yield "    found = scores(row)"
        yield "    return CLASSES[found.index(max(found))]"
        yield from ("", "")
        yield from self.function("probabilities")
        shifts = "".join(f"{self.number(each)}, " for each in outcome.shifts).strip()
        slope = self.number(outcome.slope)
        if any(outcome.shifts):
            yield f"    shifts = ({shifts})"
            yield f"    logits = [{slope} * a + b for a, b in zip(scores(row), shifts)]"
        else:
            yield f"    logits = [{slope} * each for each in scores(row)]"
        yield "    powers = [math.exp(each - max(logits)) for each in logits]"
        yield "    return {label: power / sum(powers) for label, power in zip(CLASSES, powers)}"


def python_label(label: Label) -> str:
    """A class as a constant of Python."""
    return python_text(label) if isinstance(label, str) else repr(label)
