"""Python with numpy: functions of whole tables, column by column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from crisplogic.export.about import About
from crisplogic.export.code import Code
from crisplogic.export.conditions import Column, Compare
from crisplogic.export.names import comment, identifiers
from crisplogic.export.program import (
    Amount,
    Greatest,
    Program,
    RampDegree,
    Threshold,
    make_program,
)
from crisplogic.export.python import RESERVED, python_text
from crisplogic.rules import RuleSet


def write_numpy(rules: RuleSet, about: About, *, missing: bool = True) -> str:
    """A module with functions of a table: a data frame, or a mapping from names to columns."""
    return _Module(make_program(rules, missing)).render(about.lines(rules))


class _Module(Code):
    """The module of one program."""

    AND, OR, TRUE, FALSE = "&", "|", "True", "False"

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
        return f"np.where({condition}, {yes}, {no})"

    def join(self, operator: str, parts: Sequence[str]) -> str:
        return f" {operator} ".join(parts)

    def negate(self, condition: str) -> str:
        return f"~({condition})" if " " in condition else f"~{condition}"

    def compare(self, test: Compare) -> str:
        return f"({super().compare(test)})"

    def equal(self, column: Column, value: str | float) -> str:
        return f"({super().equal(column, value)})"

    def is_missing(self, column: Column) -> str:
        name = self.names[column]
        return f"({name} == None)" if column.kind == "text" else f"np.isnan({name})"

    def ramp(self, degree: RampDegree) -> str:
        low, high = self.number(degree.low), self.number(degree.high)
        return f"ramp({self.column(degree.column)}, {low}, {high})"

    def tanh(self, value: str) -> str:
        return f"np.tanh({value})"

    def render(self, about: list[str]) -> str:
        """The whole module."""
        lines = [
            *(f"# {line}" for line in about),
            "import numpy as np",
            "",
            "",
            *self._helpers(),
            *self._outcome(),
        ]
        return "\n".join(lines) + "\n"

    def _helpers(self) -> Iterator[str]:
        kinds = {column.kind for column in self.names}
        if kinds - {"text"}:
            yield "def number(column):"
            yield '    """A column of numbers; missing values are NaN."""'
            yield "    return np.asarray(column, dtype=float)"
            yield from ("", "")
        if "text" in kinds:
            yield "def text(column):"
            yield '    """A column of texts; missing values are None."""'
            yield "    known = [None if x is None or x != x else str(x) for x in column]"
            yield "    return np.array([*known, None], dtype=object)[:-1]"
            yield from ("", "")
        if any(isinstance(each, RampDegree) for each in self.program.degrees):
            yield "def ramp(x, low, high):"
            yield '    """-1 up to low, 1 from high on, 0 if the value is missing."""'
            yield "    middle, half = high / 2 + low / 2, high / 2 - low / 2"
            yield "    x = (np.clip(x, low, high) - middle) / half"
            yield "    return np.where(np.isnan(x), 0.0, np.clip(x, -1.0, 1.0))"
            yield from ("", "")

    def _outcome(self) -> Iterator[str]:
        outcome = self.program.outcome
        if isinstance(outcome, Amount):
            yield from self._amount(outcome)
            return
        same = len({type(label) for label in outcome.labels}) == 1
        labels = ", ".join(
            python_text(each) if isinstance(each, str) else repr(each)
            for each in outcome.labels
        )
        yield f"CLASSES = np.array([{labels}]{'' if same else ', dtype=object'})"
        yield from ("", "")
        if isinstance(outcome, Threshold):
            yield from self._threshold(outcome)
        else:
            yield from self._greatest(outcome)

    def _statements(self) -> Iterator[str]:
        for column, name in self.names.items():
            kind = "text" if column.kind == "text" else "number"
            yield f"    {name} = {kind}(table[{python_text(column.name)}])"
        for at, statement in enumerate(self.program.statements):
            if statement.words:
                yield f"    # {comment(statement.words)}"
            yield f"    s{at + 1} = {self.statement(at)}"

    def _zeros(self) -> str:
        """A column of zeros, which makes a column of what is the same in all rows."""
        if not self.names:
            return "np.zeros(len(next(iter(table.values()))))"
        return f"np.zeros(len({next(iter(self.names.values()))}))"

    def _amount(self, outcome: Amount) -> Iterator[str]:
        yield "def predict(table):"
        yield f"    # {comment(str(outcome.label))}"
        yield from self._statements()
        yield f"    found = {self.sums()[0]} + {self._zeros()}"
        if outcome.transform is not None:
            function = {"log": "exp", "log1p": "expm1"}[outcome.transform]
            yield '    with np.errstate(over="ignore"):'
            yield f"        found = np.minimum(np.{function}(found), np.finfo(float).max)"
        yield "    return found"

    def _threshold(self, outcome: Threshold) -> Iterator[str]:
        positive = outcome.labels.index(outcome.positive)
        yield "def score(table):"
        yield '    """Points of the statements that hold, half of those that are unknown."""'
        yield from self._statements()
        yield f"    return {self.sums()[0]} + {self._zeros()}"
        yield from ("", "")
        yield "def predict(table):"
        needed = self.number(outcome.needed)
        yield f"    enough = score(table) >= {needed}"
        yield f"    return CLASSES[np.where(enough, {positive}, {1 - positive})]"
        yield from ("", "")
        yield "def probabilities(table):"
        yield '    """Shape: returns (rows, classes)."""'
        slope, even = self.number(outcome.slope), self.number(outcome.even)
        yield '    with np.errstate(over="ignore"):'
        yield f"        p = 1 / (1 + np.exp({slope} * ({even} - score(table))))"
        yield f"    return np.stack([{'p, 1 - p' if positive == 0 else '1 - p, p'}], axis=1)"

    def _greatest(self, outcome: Greatest) -> Iterator[str]:
        yield "def scores(table):"
        yield '    """Shape: returns (rows, classes)."""'
        yield from self._statements()
        yield f"    zeros = {self._zeros()}"
        yield "    found = ["
        for total, label in zip(self.sums(), outcome.labels, strict=True):
            yield f"        {total} + zeros,  # {comment(str(label))}"
        yield "    ]"
        yield "    return np.stack(found, axis=1)"
        yield from ("", "")
        yield "def predict(table):"
        yield '    """The class with the greatest score, the first in a tie."""'
        yield "    return CLASSES[scores(table).argmax(axis=1)]"
        yield from ("", "")
        yield "def probabilities(table):"
        yield '    """Shape: returns (rows, classes)."""'
        shifts = ", ".join(map(self.number, outcome.shifts))
        shifted = f" + np.array([{shifts}])" if any(outcome.shifts) else ""
        yield f"    logits = {self.number(outcome.slope)} * scores(table){shifted}"
        yield "    powers = np.exp(logits - logits.max(axis=1, keepdims=True))"
        yield "    return powers / powers.sum(axis=1, keepdims=True)"
