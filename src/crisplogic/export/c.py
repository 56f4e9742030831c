"""C99: one header without allocation, for programs of any kind."""

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
    RampDegree,
    Threshold,
)
from crisplogic.rules import RuleSet
from crisplogic.rules.rule import Label

KEYWORDS = words(
    "auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while _Bool _Complex _Imaginary "
    # C++ includes such headers, too.
    "alignas alignof and and_eq asm bitand bitor bool catch char8_t char16_t char32_t class "
    "compl concept consteval constexpr constinit const_cast co_await co_return co_yield "
    "decltype delete dynamic_cast explicit export false friend mutable namespace new noexcept "
    "not not_eq nullptr operator or or_eq private protected public reinterpret_cast requires "
    "static_assert static_cast template this thread_local throw true try typeid typename using "
    "virtual wchar_t xor xor_eq "
    # Macros of the headers that it includes, and of compilers.
    "NAN INFINITY NULL HUGE_VAL DBL_MAX linux unix isnan"
)
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def write_c(rules: RuleSet, about: About, *, name: str = "rules", missing: bool = True) -> str:
    """One header. All of its names begin with ``name``."""
    if not IDENTIFIER.fullmatch(name) or name in KEYWORDS:
        raise ExportError(f"name must be an identifier of C, got {name!r}")
    return _Header(make_program(rules, missing), name).render(about.lines(rules))


def field_names(program: Program) -> list[str]:
    """What the columns of a program are called in a row."""
    return list(_Header(program, "rules").names.values())


def c_text(text: str) -> str:
    r"""A string of C, in ASCII: other characters are bytes of UTF-8.

    >>> print(c_text('a"b\\?ä'))
    "a\"b\\\?\303\244"
    """
    if "\0" in text:
        raise ExportError(f"C has no text with a zero byte in it, got {text!r}")
    raw = text.encode("utf-8", "surrogatepass")
    return '"' + "".join(map(_c_byte, raw)) + '"'


def _c_byte(byte: int) -> str:
    character = chr(byte)
    if character in '"\\?':  # ?? could begin a trigraph
        return f"\\{character}"
    return character if 32 <= byte < 127 else f"\\{byte:03o}"


class _Header(Module):
    """The header of one program."""

    def __init__(self, program: Program, name: str) -> None:
        super().__init__(program, KEYWORDS)
        self.name = name

    def column(self, column: Column) -> str:
        return f"row->{self.names[column]}"

    def string(self, text: str) -> str:
        return c_text(text)

    def gap(self, column: Column, missing: bool) -> str:
        value = self.column(column)
        if column.kind == "text":
            return f"{value} {'==' if missing else '!='} NULL"
        return f"{'' if missing else '!'}isnan({value})"

    def equal(self, column: Column, value: str | float) -> str:
        if isinstance(value, str):
            return f"{self.name}_is({self.column(column)}, {self.string(value)})"
        return super().equal(column, value)

    def ramp(self, degree: RampDegree) -> str:
        return f"{self.name}_{super().ramp(degree)}"

    def declare(self, name: str, value: str) -> str:
        return f"const double {name} = {value};"

    def statements(self) -> Iterator[str]:
        if not self.names:
            yield "    (void)row;"
        yield from super().statements()

    def body(self) -> Iterator[str]:
        guard = f"{self.name.upper()}_H"
        yield f"#ifndef {guard}"
        yield f"#define {guard}"
        yield ""
        yield "#ifdef __FAST_MATH__"
        yield '#error "NaN is a missing value: compile without -ffast-math"'
        yield "#endif"
        yield ""
        for header in ("float", "math", "stddef", "string"):
            yield f"#include <{header}.h>"
        yield ""
        yield from self._row()
        yield ""
        yield from super().body()
        yield ""
        yield f"#endif  // {guard}"

    def _row(self) -> Iterator[str]:
        yield "typedef struct {"
        for column, field in self.names.items():
            kind = "const char *" if column.kind == "text" else "double "
            gap = "NULL" if column.kind == "text" else "NAN"
            what = "0, 1, or " if column.kind == "truth" else ""
            yield f"    {kind}{field};  // {comment(column.name)}: {what}{gap} if missing"
        if not self.names:
            yield "    char unused;"
        yield f"}} {self.name}_row;"

    def helpers(self) -> Iterator[str]:
        if self.has_text():
            yield f"static inline int {self.name}_is(const char *value, const char *text) {{"
            yield "    return value != NULL && strcmp(value, text) == 0;"
            yield "}"
            yield ""
        if self.has_ramps():
            yield "// -1 up to low, 1 from high on, 0 if the value is missing."
            yield f"static inline double {self.name}_ramp(double x, double low, double high) {{"
            yield "    if (isnan(x)) return 0;"
            yield "    x = x < low ? low : x > high ? high : x;"
            yield "    x = (x - (high / 2 + low / 2)) / (high / 2 - low / 2);"
            yield "    return x < -1 ? -1 : x > 1 ? 1 : x;"
            yield "}"
            yield ""

    def _function(self, kind: str, what: str, more: str = "") -> str:
        return f"static inline {kind} {self.name}_{what}(const {self.name}_row *row{more}) {{"

    def amount(self, outcome: Amount) -> Iterator[str]:
        [total] = self.sums()
        inverse = {
            None: "{}",
            "log": "fmin(exp({}), DBL_MAX)",
            "log1p": "fmin(expm1({}), DBL_MAX)",
        }
        yield f"// {comment(str(outcome.label))}"
        yield self._function("double", "predict")
        yield from self.statements()
        yield f"    return {inverse[outcome.transform].format(total)};"
        yield "}"

    def classes(self, labels: tuple[Label, ...]) -> Iterator[str]:
        yield f"enum {{ {self.name.upper()}_CLASSES = {len(labels)} }};"
        yield ""
        yield "// The name of a class, by its number."
        yield f"static inline const char *{self.name}_class(int number) {{"
        yield "    switch (number) {"
        for number, label in enumerate(labels):
            yield f"    case {number}: return {self.string(str(label))};"
        yield "    default: return NULL;"
        yield "    }"
        yield "}"
        yield ""

    def threshold(self, outcome: Threshold) -> Iterator[str]:
        positive = outcome.labels.index(outcome.positive)
        yield "// The points of the statements that hold, and half of those that are unknown."
        yield self._function("double", "score")
        yield from self.statements()
        yield f"    return {self.sums()[0]};"
        yield "}"
        yield ""
        yield "// The number of the predicted class."
        yield self._function("int", "predict")
        needed = self.number(outcome.needed)
        yield f"    return {self.name}_score(row) >= {needed} ? {positive} : {1 - positive};"
        yield "}"
        yield ""
        yield self._function("void", "probabilities", ", double out[2]")
        slope, even = self.number(outcome.slope), self.number(outcome.even)
        power = f"{slope} * ({even} - {self.name}_score(row))"
        yield f"    out[{positive}] = 1 / (1 + exp({power}));"
        yield f"    out[{1 - positive}] = 1 - out[{positive}];"
        yield "}"

    def greatest(self, outcome: Greatest) -> Iterator[str]:
        count = len(outcome.labels)
        yield self._function("void", "scores", f", double out[{count}]")
        yield from self.statements()
        for at, (total, label) in enumerate(zip(self.sums(), outcome.labels, strict=True)):
            yield f"    out[{at}] = {total};  // {comment(str(label))}"
        yield "}"
        yield ""
        yield "// The number of the predicted class: the greatest score, the first in a tie."
        yield self._function("int", "predict")
        yield f"    double scores[{count}];"
        yield "    int best = 0;"
        yield f"    {self.name}_scores(row, scores);"
        yield f"    for (int at = 1; at < {count}; at++)"
        yield "        if (scores[at] > scores[best]) best = at;"
        yield "    return best;"
        yield "}"
        yield ""
        yield self._function("void", "probabilities", f", double out[{count}]")
        yield "    double most = -INFINITY, sum = 0;"
        yield f"    {self.name}_scores(row, out);"
        slope = self.number(outcome.slope)
        yield f"    for (int at = 0; at < {count}; at++) out[at] *= {slope};"
        for at, shift in enumerate(outcome.shifts):
            if shift:
                yield f"    out[{at}] += {self.number(shift)};"
        yield f"    for (int at = 0; at < {count}; at++) most = fmax(most, out[at]);"
        yield f"    for (int at = 0; at < {count}; at++) sum += out[at] = exp(out[at] - most);"
        yield f"    for (int at = 0; at < {count}; at++) out[at] /= sum;"
        yield "}"
