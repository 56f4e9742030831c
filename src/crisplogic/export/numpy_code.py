"""Python with numpy: functions of whole tables, column by column."""

from __future__ import annotations

from collections.abc import Iterator

from crisplogic.export.about import About
from crisplogic.export.code import Code
from crisplogic.export.conditions import Column, Compare, OneOf
from crisplogic.export.from_rules import make_program
from crisplogic.export.names import comment
from crisplogic.export.program import (
    Amount,
    Greatest,
    Threshold,
)
from crisplogic.export.python import COUNT, GREATEST, PythonModule, python_label, python_text
from crisplogic.rules import RuleSet
from crisplogic.rules.rule import Label

SHAPE = "Shape: returns (rows, classes)."


def write_numpy(rules: RuleSet, about: About, *, missing: bool = True) -> str:
    """A module with functions of a table: a data frame, or a mapping from names to columns."""
    return _Module(make_program(rules, missing)).render(about.lines(rules))


class _Module(PythonModule):
    """The module of one program."""

    AND, OR = "&", "|"
    IMPORT, GIVEN = "import numpy as np", "table"

    def choose(self, condition: str, yes: str, no: str) -> str:
        return f"np.where({condition}, {yes}, {no})"

    def negate(self, condition: str) -> str:
        return f"~({condition})" if " " in condition else f"~{condition}"

    def compare(self, test: Compare) -> str:
        return f"({super().compare(test)})"

    def equal(self, column: Column, value: str | float) -> str:
        return f"({super().equal(column, value)})"

    def string(self, text: str) -> str:
        """A constant text. To numpy, zeros at the end of a text are none, unless it is told."""
        written = super().string(text)
        return f"np.array({written}, dtype=object)" if text.endswith("\0") else written

    def gap(self, column: Column, missing: bool) -> str:
        name = self.names[column]
        if column.kind == "text":
            return f"({name} {'==' if missing else '!='} None)"
        return f"{'' if missing else '~'}np.isnan({name})"

    def tanh(self, value: str) -> str:
        return f"np.tanh({value})"

    def one_of(self, test: OneOf, inside: str) -> str:
        return Code.one_of(self, test, inside)

    def value_of(self, column: Column) -> str:
        return f"table[{python_text(column.name)}]"

    def helpers(self) -> Iterator[str]:
        if self.has_numbers():
            yield "def number(column):"
            yield '    """A column of numbers; missing values are NaN."""'
            yield "    return np.asarray(column, dtype=float)"
            yield from ("", "")
        if self.has_text():
            yield "def text(column):"
            yield '    """A column of texts without blanks around them; None is missing."""'
            yield "    found = np.empty(len(column), dtype=object)"
            yield "    for at, x in enumerate(column):"
            yield "        if x is not None and x == x:"
            yield "            whole = isinstance(x, float) and x.is_integer()"
            yield "            found[at] = str(int(x) if whole else x).strip()"
            yield "    return found"
            yield from ("", "")
        if self.has_ramps():
            yield "def ramp(x, low, high):"
            yield '    """-1 up to low, 1 from high on, 0 if the value is missing."""'
            yield "    middle, half = high / 2 + low / 2, high / 2 - low / 2"
            yield "    x = (np.clip(x, low, high) - middle) / half"
            yield "    return np.where(np.isnan(x), 0.0, np.clip(x, -1.0, 1.0))"
            yield from ("", "")

    def classes(self, labels: tuple[Label, ...]) -> Iterator[str]:
        kind = "" if len({type(label) for label in labels}) == 1 else ", dtype=object"
        yield f"CLASSES = np.array([{', '.join(map(python_label, labels))}]{kind})"
        yield from ("", "")

    def _zeros(self) -> str:
        """A column of zeros, which makes a column of what is the same in all rows."""
        if not self.names:
            return "np.zeros(len(next(iter(table.values()))))"
        return f"np.zeros(len({next(iter(self.names.values()))}))"

    def amount(self, outcome: Amount) -> Iterator[str]:
        yield from self.function("predict")
        yield f"    # {comment(str(outcome.label))}"
        yield from self.statements()
        yield f"    found = {self.sums()[0]} + {self._zeros()}"
        if outcome.transform is not None:
            function = {"log": "exp", "log1p": "expm1"}[outcome.transform]
            yield '    with np.errstate(over="ignore"):'
            yield f"        found = np.minimum(np.{function}(found), np.finfo(float).max)"
        yield "    return found"

    def threshold(self, outcome: Threshold) -> Iterator[str]:
        positive = outcome.labels.index(outcome.positive)
        yield from self.function("score", COUNT)
        yield from self.statements()
        yield f"    return {self.sums()[0]} + {self._zeros()}"
        yield from ("", "")
        yield from self.function("predict")
        needed = self.number(outcome.needed)
        yield f"    enough = score(table) >= {needed}"
        yield f"    return CLASSES[np.where(enough, {positive}, {1 - positive})]"
        yield from ("", "")
        yield from self.function("probabilities", SHAPE)
        slope, even = self.number(outcome.slope), self.number(outcome.even)
        yield '    with np.errstate(over="ignore"):'
        yield f"        p = 1 / (1 + np.exp({slope} * ({even} - score(table))))"
        yield f"    return np.stack([{'p, 1 - p' if positive == 0 else '1 - p, p'}], axis=1)"

    def greatest(self, outcome: Greatest) -> Iterator[str]:
        yield from self.function("scores", SHAPE)
        yield from self.statements()
        yield f"    zeros = {self._zeros()}"
        yield "    found = ["
        for total, label in zip(self.sums(), outcome.labels, strict=True):
            yield f"        {total} + zeros,  # {comment(str(label))}"
        yield "    ]"
        yield "    return np.stack(found, axis=1)"
        yield from ("", "")
        yield from self.function("predict", GREATEST)
        yield "    return CLASSES[scores(table).argmax(axis=1)]"
        yield from ("", "")
        yield from self.function("probabilities", SHAPE)
        shifts = ", ".join(map(self.number, outcome.shifts))
        shifted = f" + np.array([{shifts}])" if any(outcome.shifts) else ""
        yield f"    logits = {self.number(outcome.slope)} * scores(table){shifted}"
        yield "    powers = np.exp(logits - logits.max(axis=1, keepdims=True))"
        yield "    return powers / powers.sum(axis=1, keepdims=True)"
