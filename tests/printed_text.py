"""An evaluator of printed rules, which knows nothing but the text.

It takes the text that ``str(rules)`` is and a row, and computes scores, the prediction and
probabilities. It has a parser of its own and imports nothing from the package. So it finds out
whether a reader of the text can compute the same.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import reduce

Row = Mapping[str, object]
Cell = object
# How true a literal is, from the cell of its column.
Truth = Callable[[Cell], float]

NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
NAME = r'"(?:[^"\\]|\\.)*"|[^\W\d][\w.]*'
COMPARISON = rf"[<>]-?{NUMBER}(?:(?:±|\+/-){NUMBER})?"
VALUE = r'"(?:[^"\\]|\\.)*"|-?\w[\w.-]*'
STATEMENT = re.compile(rf" is (not )?({VALUE})")
SYMBOLS = {"¬": "~", "⊕": "^", "×": "*"}


class PrintedRules:
    """Rules read from their text.

    >>> text = "no  = 0.5\\nyes = a>3 & b\\n\\na>3  false up to 2, true from 4\\n" \\
    ...     "b    true where it is 1, true or yes; false where it is 0, false or no\\n\\n" \\
    ...     "Its probability is e^(2 × score), divided by the sum of this over all classes."
    >>> PrintedRules(text).scores({"a": 3.5, "b": True})
    [0.5, 0.5]
    """

    def __init__(self, text: str) -> None:
        blocks = text.split("\n\n")
        rules, formulas = blocks[0], blocks[-1]
        legend = blocks[1].split("\n") if len(blocks) == 3 else []
        self.literals = read_legend(legend)
        lines = [split_head(line) for line in rules.split("\n")]
        scale = re.search(r"e\^\((\S+) [×*] score\)", formulas)
        self.scale = float(scale[1]) if scale else None
        odds = re.search(
            r"^For (.*) this is multiplied by (\S+) / (\S+):", formulas, re.MULTILINE
        )
        self.odds = {odds[1]: float(odds[2]) / float(odds[3])} if odds else {}
        # A class called like a part is quoted, and parts stand before all rules.
        written = [head for head, _ in lines]
        count = next(
            (at for at, head in enumerate(written) if not re.fullmatch(r"h\d+", head)),
            len(written),
        )
        self.parts, self.rules = lines[:count], lines[count:]
        self.labels = [head for head, _ in self.rules]

    def scores(self, row: Row) -> list[float]:
        """The score of every rule, in the order in which they are printed."""
        named: dict[str, Term] = {}
        for head, body in self.parts:
            named[head] = Reader(body, self.literals, named, row).read()
        return [Reader(body, self.literals, named, row).read().value for _, body in self.rules]

    def number(self, row: Row) -> float:
        """The number that is predicted."""
        score = self.scores(row)[0]
        if not self.labels[0].startswith("log("):
            return score
        return math.expm1(score) if self.labels[0].startswith("log(1 + ") else math.exp(score)

    def probabilities(self, row: Row) -> list[float]:
        """The probability of every class."""
        if self.scale is None:
            return [1.0]
        powers = [self.scale * score for score in self.scores(row)]
        weights = [
            self.odds.get(label, 1.0) * math.exp(power - max(powers))
            for label, power in zip(self.labels, powers, strict=True)
        ]
        return [weight / sum(weights) for weight in weights]


def split_head(line: str) -> tuple[str, str]:
    """A line of a rule: what stands before the equals sign, and what stands after it."""
    name = r'"(?:[^"\\]|\\.)*"'
    head = re.match(rf"log\((?:1 \+ )?(?:{name}|[^ \"]+)\)|{name}|\S+", line)
    assert head, line
    rest = line[head.end() :].lstrip()
    assert rest.startswith("= "), line
    return head.group(), rest[2:]


# The legend: what every literal means


def read_legend(lines: Sequence[str]) -> dict[str, tuple[str, Truth]]:
    """The column of every literal, as it is written, and how true it is."""
    entries = [split_entry(line) for line in lines]
    known = {
        column: read_known(reading)
        for _, column, _, reading in entries
        if reading.startswith("known are ")
    }
    return {
        written: (column, read_reading(reading, value, known.get(column)))
        for written, column, value, reading in entries
        if not reading.startswith("known are ")
    }


def split_entry(line: str) -> tuple[str, str, str, str]:
    """A literal as it is written, its column, its value if it has one, and the reading."""
    name = re.match(NAME, line)
    assert name, line
    end, value = name.end(), ""
    if comparison := re.match(COMPARISON, line[end:]):
        end += comparison.end()
    elif statement := STATEMENT.match(line, end):
        end, value = statement.end(), statement[2]
    assert line[end:].startswith("  "), line
    return line[:end], unquoted(name.group()), value, line[end:].strip()


def read_reading(reading: str, value: str, known: tuple[list[str], list[str]] | None) -> Truth:
    """How true a literal is, from what the legend says about it."""
    graded = re.fullmatch(r"false up to (\S+), true from (\S+)", reading) or re.fullmatch(
        r"is high: false at (\S+), unknown at \S+, true at (\S+)", reading
    )
    if graded:
        return ramp(float(graded[1]), float(graded[2]))
    if step := re.fullmatch(r"false below (\S+), true above \1", reading):
        return step_at(float(step[1]))
    if reading.startswith("never varied"):
        return lambda cell: 0.0
    if reading == "true where it is 1, true or yes; false where it is 0, false or no":
        return one_of_words(("1", "true", "yes"), ("0", "false", "no"))
    if reading == "true where there is no value, false where there is one":
        return lambda cell: 1.0 if cell is None else -1.0
    if known is None:
        true, at = read_list(reading, len("true for "))
        false, at = read_list(reading, at + len("; false for "))
        assert re.fullmatch("true for .*; else unknown", reading), reading
        return one_of(true, false)
    names, others = known
    own = others if reading.startswith("true for those called other") else [unquoted(value)]
    return one_of(own, [each for each in (*names, *others) if each not in own])


def read_known(reading: str) -> tuple[list[str], list[str]]:
    """``known are a, "b c"; other are d`` as two lists."""
    names, at = read_list(reading, len("known are "))
    others, _ = read_list(reading, at + len("; other are "))
    return names, others


def read_list(text: str, at: int) -> tuple[list[str], int]:
    """Values with commas between them, from a position on, and where they end."""
    found: list[str] = []
    while value := re.compile(VALUE).match(text, at):
        found.append(unquoted(value.group()))
        at = value.end()
        if text[at : at + 2] != ", ":
            break
        at += 2
    return found, at


def ramp(low: float, high: float) -> Truth:
    def truth(cell: Cell) -> float:
        if cell is None:
            return 0.0
        x = min(max(float(cell), low), high)  # type: ignore[arg-type]
        return min(max((x / 2 - low / 2) / (high / 2 - low / 2) * 2 - 1, -1.0), 1.0)

    return truth


def step_at(threshold: float) -> Truth:
    def truth(cell: Cell) -> float:
        if cell is None:
            return 0.0
        x = float(cell)  # type: ignore[arg-type]
        return float(x > threshold) - float(x < threshold)

    return truth


def one_of(true: Sequence[str], false: Sequence[str]) -> Truth:
    return lambda cell: 1.0 if cell in true else -1.0 if cell in false else 0.0


def one_of_words(true: Sequence[str], false: Sequence[str]) -> Truth:
    """Truth values, in any case, and as numbers."""
    listed = one_of(true, false)
    return lambda cell: listed(str(cell).lower().removesuffix(".0"))


def unquoted(text: str) -> str:
    return str(json.loads(text)) if text.startswith('"') else text


# Rules: from the truth of literals to a score


class Term:
    """The value of a part of a rule, and whether that is a sum."""

    def __init__(self, value: float, is_sum: bool = False) -> None:
        self.value = value
        self.is_sum = is_sum

    @property
    def truth(self) -> float:
        """The value inside logic, where a sum is its tanh."""
        return math.tanh(self.value) if self.is_sum else self.value


class Reader:
    """Reads and computes a rule for one row: sums, then or, xor, and, not."""

    def __init__(
        self,
        text: str,
        literals: Mapping[str, tuple[str, Truth]],
        named: Mapping[str, Term],
        row: Row,
    ) -> None:
        self.text, self.at = text, 0
        self.literals, self.named, self.row = literals, named, row

    def read(self) -> Term:
        result = self.sum()
        assert self.at == len(self.text), self.text[self.at :]
        return result

    def skip(self, symbol: str) -> bool:
        """Go past a symbol, if it stands here."""
        rest = self.text[self.at :]
        blanks = len(rest) - len(rest.lstrip(" "))
        here = rest[blanks : blanks + 1]
        if not here or SYMBOLS.get(here, here) != symbol:
            return False
        self.at += blanks + 1
        return True

    def match(self, pattern: str) -> str | None:
        found = re.compile(rf" *({pattern})").match(self.text, self.at)
        if not found:
            return None
        self.at = found.end()
        return found[1]

    def sum(self) -> Term:
        negative = self.skip("-")
        first = self.term()
        values = [-first.value if negative else first.value]
        is_sum = first.is_sum or negative
        while True:
            if self.skip("+"):
                values.append(self.term().value)
            elif self.skip("-"):
                values.append(-self.term().value)
            else:
                return Term(sum(values), is_sum or len(values) > 1)

    def term(self) -> Term:
        """A number, a number of times something, or logic."""
        if number := self.match(NUMBER):
            if self.skip("*"):
                return Term(float(number) * self.negation().value, is_sum=True)
            return Term(float(number), is_sum=True)
        return self.logic("|", lambda: self.logic("^", lambda: self.logic("&", self.negation)))

    def logic(self, symbol: str, read: Callable[[], Term]) -> Term:
        terms = [read()]
        while self.skip(symbol):
            terms.append(read())
        if len(terms) == 1:
            return terms[0]
        return Term(reduce(FORMULAS[symbol], (term.truth for term in terms)))

    def negation(self) -> Term:
        if self.skip("~"):
            return Term(-self.negation().truth)
        if self.skip("("):
            return self.closed()
        if self.match(r"tanh\("):
            return Term(math.tanh(self.closed().value))
        return self.literal()

    def closed(self) -> Term:
        inside = self.sum()
        assert self.skip(")"), self.text[self.at :]
        return inside

    def literal(self) -> Term:
        name = self.match(NAME)
        assert name, self.text[self.at :]
        written, sign = name, 1.0
        if comparison := re.compile(COMPARISON).match(self.text, self.at):
            self.at = comparison.end()
            sign = 1.0 if comparison.group()[0] == ">" else -1.0
            written += ">" + comparison.group()[1:]
        elif statement := STATEMENT.match(self.text, self.at):
            self.at = statement.end()
            sign = -1.0 if statement[1] else 1.0
            written += f" is {statement[2]}"
        elif name in self.named:
            return self.named[name]
        elif name in CONSTANTS:
            return Term(CONSTANTS[name])
        column, truth = self.literals[written]
        cell = self.row.get(column)
        missing = isinstance(cell, float) and math.isnan(cell)
        return Term(sign * truth(None if missing else cell))


CONSTANTS = {"true": 1.0, "false": -1.0, "unknown": 0.0}
FORMULAS: dict[str, Callable[[float, float], float]] = {
    "&": lambda a, b: (1 + a) * (1 + b) / 2 - 1,
    "|": lambda a, b: 1 - (1 - a) * (1 - b) / 2,
    "^": lambda a, b: -a * b,
}
