"""JavaScript: one ES module, for browsers and for node."""

from __future__ import annotations

from collections.abc import Iterator

from crisplogic.export.about import About
from crisplogic.export.code import Module
from crisplogic.export.conditions import Column
from crisplogic.export.from_rules import make_program
from crisplogic.export.names import comment, json_text, plain_number, words
from crisplogic.export.program import (
    Amount,
    Greatest,
    Program,
    Threshold,
)
from crisplogic.rules import RuleSet
from crisplogic.rules.rule import Label

KEYWORDS = words(
    "abstract arguments as async await boolean break byte case catch char class const continue "
    "debugger default delete do double else enum eval export extends false final finally float "
    "for from function get goto if implements import in instanceof int interface let long "
    "native new null of package private protected public return set short static super switch "
    "synchronized this throw throws transient true try typeof undefined var void volatile "
    "while with yield NaN Infinity Math Number row score scores predict probabilities classes "
    "number text ramp"
)


def write_javascript(rules: RuleSet, about: About, *, missing: bool = True) -> str:
    """One ES module."""
    return _Module(make_program(rules, missing)).render(about.lines(rules))


def write_expression(rules: RuleSet) -> str:
    """The same functions as the value of one expression, for a script that holds many rules.

    It is an object with ``predict``, with ``score``, ``scores``, ``probabilities`` and
    ``classes`` where there are any, and with ``statements``: the value of every statement.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import RegressionRules, Rule, Step
    >>> price = Rule("price", parse("0"))
    >>> rules = RegressionRules(("rooms",), (Step(0, 6.0),), (price,), 4.5, (9,), crisp=True)
    >>> print(write_expression(rules).splitlines()[-1])
    return { predict, statements }; })()
    """
    return _Expression(make_program(rules, True)).render(())


class _Module(Module):
    """The module of one program."""

    EQUAL = "==="
    INDENT = "  "

    def __init__(self, program: Program) -> None:
        super().__init__(program, KEYWORDS)

    def string(self, text: str) -> str:
        return json_text(text)

    def equal(self, column: Column, value: str | float) -> str:
        return super().equal(column, value.strip() if isinstance(value, str) else value)

    def choose(self, condition: str, yes: str, no: str) -> str:
        return f"{condition} ? {yes} : {no}"

    def gap(self, column: Column, missing: bool) -> str:
        name = self.names[column]
        if column.kind == "text":
            return f"{name} {'===' if missing else '!=='} null"
        return f"{'' if missing else '!'}Number.isNaN({name})"

    def tanh(self, value: str) -> str:
        return f"Math.tanh({value})"

    def declare(self, name: str, value: str) -> str:
        return f"const {name} = {value};"

    def body(self) -> Iterator[str]:
        yield ""
        yield from super().body()

    def statements(self) -> Iterator[str]:
        for column, name in self.names.items():
            kind = "text" if column.kind == "text" else "number"
            yield f"  const {name} = {kind}(row[{json_text(column.name)}]);"
        yield from super().statements()

    def helpers(self) -> Iterator[str]:
        if self.has_numbers():
            yield "// Null, undefined, NaN and empty texts are missing values."
            yield "const number = (value) =>"
            yield '  value == null || String(value).trim() === "" ? NaN : Number(value);'
            yield ""
        if self.has_text():
            yield "// A text without blanks around it; null, undefined and NaN are missing."
            yield "const text = (value) =>"
            yield "  value == null || Number.isNaN(value) ? null : String(value).trim();"
            yield ""
        if self.has_ramps():
            yield "// -1 up to low, 1 from high on, 0 if the value is missing."
            yield "const ramp = (x, low, high) => {"
            yield "  if (Number.isNaN(x)) return 0;"
            yield "  const inside = x < low ? low : x > high ? high : x;"
            yield "  const at = (inside - (high / 2 + low / 2)) / (high / 2 - low / 2);"
            yield "  return at < -1 ? -1 : at > 1 ? 1 : at;"
            yield "};"
            yield ""

    def classes(self, labels: tuple[Label, ...]) -> Iterator[str]:
        yield f"export const classes = [{', '.join(map(_label, labels))}];"
        yield ""

    def amount(self, outcome: Amount) -> Iterator[str]:
        inverse = {None: "{}", "log": "Math.exp({})", "log1p": "Math.expm1({})"}
        yield f"// {comment(str(outcome.label))}"
        yield "export function predict(row) {"
        yield from self.statements()
        value = inverse[outcome.transform].format(self.sums()[0])
        yield (
            f"  return Math.min({value}, Number.MAX_VALUE);"
            if outcome.transform
            else (f"  return {value};")
        )
        yield "}"

    def threshold(self, outcome: Threshold) -> Iterator[str]:
        yield "// The points of the statements that hold, and half of those that are unknown."
        yield "export function score(row) {"
        yield from self.statements()
        yield f"  return {self.sums()[0]};"
        yield "}"
        yield ""
        yield "export function predict(row) {"
        positive, other = _label(outcome.positive), _label(outcome.other)
        yield f"  return score(row) >= {self.number(outcome.needed)} ? {positive} : {other};"
        yield "}"
        yield ""
        yield "// The probability of each class, in the order of classes."
        yield "export function probabilities(row) {"
        slope, even = self.number(outcome.slope), self.number(outcome.even)
        yield f"  const p = 1 / (1 + Math.exp({slope} * ({even} - score(row))));"
        first = outcome.labels[0] == outcome.positive
        yield f"  return {'[p, 1 - p]' if first else '[1 - p, p]'};"
        yield "}"

    def greatest(self, outcome: Greatest) -> Iterator[str]:
        yield "// The score of each class, in the order of classes."
        yield "export function scores(row) {"
        yield from self.statements()
        yield "  return ["
        for total, label in zip(self.sums(), outcome.labels, strict=True):
            yield f"    {total}, // {comment(str(label))}"
        yield "  ];"
        yield "}"
        yield ""
        yield "// The class with the greatest score, the first in a tie."
        yield "export function predict(row) {"
        yield "  const all = scores(row);"
        yield "  return classes[all.indexOf(Math.max(...all))];"
        yield "}"
        yield ""
        yield "// The probability of each class, in the order of classes."
        yield "export function probabilities(row) {"
        shifts = f"[{', '.join(map(self.number, outcome.shifts))}][at]"
        shifted = f" + {shifts}" if any(outcome.shifts) else ""
        at = ", at" if shifted else ""
        slope = self.number(outcome.slope)
        yield f"  const logits = scores(row).map((score{at}) => {slope} * score{shifted});"
        yield "  const most = Math.max(...logits);"
        yield "  const powers = logits.map((logit) => Math.exp(logit - most));"
        yield "  const sum = powers.reduce((a, b) => a + b);"
        yield "  return powers.map((power) => power / sum);"
        yield "}"


class _Expression(_Module):
    """The functions of one program as an expression, without comments."""

    def body(self) -> Iterator[str]:
        yield "(() => {"
        lines = [line for line in super().body() if not line.lstrip().startswith("//")]
        yield from (line.removeprefix("export ") for line in lines if line)
        yield "function statements(row) {"
        yield from (line for line in self.statements() if not line.lstrip().startswith("//"))
        names = (f"s{at + 1}" for at in range(len(self.program.statements)))
        yield f"  return [{', '.join(names)}];"
        yield "}"
        yield f"return {{ {', '.join(self._functions())}, statements }}; }})()"

    def _functions(self) -> list[str]:
        match self.program.outcome:
            case Amount():
                return ["predict"]
            case Threshold():
                return ["classes", "score", "predict", "probabilities"]
        return ["classes", "scores", "predict", "probabilities"]


def _label(label: Label) -> str:
    if isinstance(label, bool):
        return "true" if label else "false"
    return json_text(label) if isinstance(label, str) else plain_number(label)
