"""Java: one class without dependencies."""

from __future__ import annotations

import re
from collections.abc import Iterator

from crisplogic.errors import ExportError
from crisplogic.export.about import About
from crisplogic.export.code import Module
from crisplogic.export.conditions import Column
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

KEYWORDS = words(
    "abstract assert boolean break byte case catch char class const continue default do "
    "double else enum extends false final finally float for goto if implements import "
    "instanceof int interface long native new null package private protected public record "
    "return sealed short static strictfp super switch synchronized this throw throws "
    "transient true try var void volatile while yield _ Double Math String is ramp score "
    "scores predict probabilities CLASSES out most sum at best all p "
)


def write_java(
    rules: RuleSet, about: About, *, name: str = "Rules", missing: bool = True
) -> str:
    """One class with static methods, which take one argument a column."""
    if not re.fullmatch(r"[A-Za-z_$][A-Za-z0-9_$]*", name) or name in KEYWORDS:
        raise ExportError(f"name must be an identifier of Java, got {name!r}")
    return _Class(make_program(rules, missing), name).render(about.lines(rules))


class _Class(Module):
    """The class of one program."""

    INDENT = 8 * " "

    def __init__(self, program: Program, name: str) -> None:
        super().__init__(program, KEYWORDS)
        self.name = name
        self.arguments = ", ".join(self.names.values())

    def string(self, text: str) -> str:
        return java_text(text)

    def gap(self, column: Column, missing: bool) -> str:
        name = self.names[column]
        if column.kind == "text":
            return f"{name} {'==' if missing else '!='} null"
        return f"{'' if missing else '!'}Double.isNaN({name})"

    def equal(self, column: Column, value: str | float) -> str:
        if isinstance(value, str):
            return f"{self.string(value)}.equals({self.names[column]})"
        return super().equal(column, value)

    def tanh(self, value: str) -> str:
        return f"Math.tanh({value})"

    def declare(self, name: str, value: str) -> str:
        return f"final double {name} = {value};"

    def body(self) -> Iterator[str]:
        yield f"public final class {self.name} {{"
        yield f"    private {self.name}() {{}}"
        yield ""
        yield from self.helpers()
        yield "    // NaN and null are missing values; truth values are 0 and 1."
        for column, name in self.names.items():
            yield f"    // {name}: {comment(column.name)}"
        yield from self.outcome()
        yield "}"

    def helpers(self) -> Iterator[str]:
        if self.has_ramps():
            yield "    // -1 up to low, 1 from high on, 0 if the value is missing."
            yield "    private static double ramp(double x, double low, double high) {"
            yield "        if (Double.isNaN(x)) return 0;"
            yield "        x = x < low ? low : x > high ? high : x;"
            yield "        x = (x - (high / 2 + low / 2)) / (high / 2 - low / 2);"
            yield "        return x < -1 ? -1 : x > 1 ? 1 : x;"
            yield "    }"
            yield ""

    def _method(self, kind: str, name: str) -> Iterator[str]:
        arguments = ", ".join(
            f"{'String' if column.kind == 'text' else 'double'} {each}"
            for column, each in self.names.items()
        )
        yield f"    public static {kind} {name}({arguments}) {{"

    def amount(self, outcome: Amount) -> Iterator[str]:
        inverse = {None: "{}", "log": "Math.exp({})", "log1p": "Math.expm1({})"}
        yield f"    // {comment(str(outcome.label))}"
        yield from self._method("double", "predict")
        yield from self.statements()
        value = inverse[outcome.transform].format(self.sums()[0])
        if outcome.transform is not None:
            value = f"Math.min({value}, Double.MAX_VALUE)"
        yield f"        return {value};"
        yield "    }"

    def classes(self, labels: tuple[Label, ...]) -> Iterator[str]:
        written = ", ".join(self.string(str(label)) for label in labels)
        yield f"    private static final String[] CLASSES = {{{written}}};"
        yield ""
        yield "    // The name of a class, by its number."
        yield "    public static String label(int number) {"
        yield "        return CLASSES[number];"
        yield "    }"
        yield ""

    def threshold(self, outcome: Threshold) -> Iterator[str]:
        positive = outcome.labels.index(outcome.positive)
        yield "    // Points of the statements that hold, and half of those that are unknown."
        yield from self._method("double", "score")
        yield from self.statements()
        yield f"        return {self.sums()[0]};"
        yield "    }"
        yield ""
        yield "    // The number of the predicted class."
        yield from self._method("int", "predict")
        needed = self.number(outcome.needed)
        enough = f"score({self.arguments}) >= {needed}"
        yield f"        return {enough} ? {positive} : {1 - positive};"
        yield "    }"
        yield ""
        yield from self._method("double[]", "probabilities")
        slope, even = self.number(outcome.slope), self.number(outcome.even)
        power = f"{slope} * ({even} - score({self.arguments}))"
        yield f"        final double p = 1 / (1 + Math.exp({power}));"
        both = "p, 1 - p" if positive == 0 else "1 - p, p"
        yield f"        return new double[] {{{both}}};"
        yield "    }"

    def greatest(self, outcome: Greatest) -> Iterator[str]:
        yield "    // The score of each class."
        yield from self._method("double[]", "scores")
        yield from self.statements()
        yield "        return new double[] {"
        for total, label in zip(self.sums(), outcome.labels, strict=True):
            yield f"            {total}, // {comment(str(label))}"
        yield "        };"
        yield "    }"
        yield ""
        yield "    // The number of the predicted class: greatest score, the first in a tie."
        yield from self._method("int", "predict")
        yield f"        final double[] all = scores({self.arguments});"
        yield "        int best = 0;"
        yield "        for (int at = 1; at < all.length; at++)"
        yield "            if (all[at] > all[best]) best = at;"
        yield "        return best;"
        yield "    }"
        yield ""
        yield from self._method("double[]", "probabilities")
        yield f"        final double[] all = scores({self.arguments});"
        yield "        double most = Double.NEGATIVE_INFINITY, sum = 0;"
        slope = self.number(outcome.slope)
        yield f"        for (int at = 0; at < all.length; at++) all[at] *= {slope};"
        for at, shift in enumerate(outcome.shifts):
            if shift:
                yield f"        all[{at}] += {self.number(shift)};"
        yield "        for (double each : all) most = Math.max(most, each);"
        yield "        for (int at = 0; at < all.length; at++) {"
        yield "            all[at] = Math.exp(all[at] - most);"
        yield "            sum += all[at];"
        yield "        }"
        yield "        for (int at = 0; at < all.length; at++) all[at] /= sum;"
        yield "        return all;"
        yield "    }"


def java_text(text: str) -> str:
    r"""A string of Java, in ASCII. It reads \u before anything else: control characters and
    quotes must not be written so.

    >>> print(java_text('a"b\nä\\ĉ'))
    "a\"b\012\344\\\u0109"
    """
    units = text.encode("utf-16-be", "surrogatepass")
    codes = (int.from_bytes(units[at : at + 2]) for at in range(0, len(units), 2))
    return '"' + "".join(map(_java_unit, codes)) + '"'


def _java_unit(code: int) -> str:
    if chr(code) in '"\\':
        return f"\\{chr(code)}"
    if 32 <= code < 127:
        return chr(code)
    return f"\\{code:03o}" if code < 256 else f"\\u{code:04x}"
