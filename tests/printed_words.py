"""An evaluator of rules in plain words, which knows nothing but the text.

It takes the text that ``str(rules)`` is, if the rules are crisp, and a row, and predicts. It
has a parser of its own and imports nothing from the package. So it finds out whether a reader
of the text can compute the same.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

Row = Mapping[str, object]
FALSE, UNKNOWN, TRUE = 0.0, 0.5, 1.0

QUOTED = r'"(?:[^"\\]|\\.)*"'
LABEL = rf'{QUOTED}|[^",;=]+?'
NUMBER = r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
COMPARISONS = ("above", "at most", "at least", "below")


class PrintedWords:
    """Rules read from their words.

    >>> text = "ill, if any of these 2 statements holds:\\n  - age is above 40\\n" \\
    ...     "  - bmi is at most 20, and age is below 9\\notherwise well"
    >>> rules = PrintedWords(text)
    >>> rules.predict({"age": 41, "bmi": 21}), rules.predict({"age": 9, "bmi": 19})
    ('ill', 'well')
    """

    def __init__(self, text: str) -> None:
        first, *self.notes = text.split("\n\n")
        self.known = read_known(self.notes)
        self.lines = first.split("\n")

    def predict(self, row: Row) -> str | float:
        """The class as it is printed, without quotes; or the number."""
        head = self.lines[0]
        if always := re.fullmatch(rf"always ({LABEL})(?:; .*:)?", head):
            return unquoted(always[1])
        if head == "Points for each class:":
            points = self.card(row)
            best = max(points.values())
            return unquoted(next(label for label in points if points[label] == best))
        if number := re.fullmatch(rf"(.*) = ({NUMBER}), (and|for every row)", head):
            return self.number(number[1], float(number[2]), row)
        positive, condition = split_head(head)
        other = re.fullmatch(rf"otherwise ({LABEL})", self.lines[-1])
        assert other, self.lines
        needed = self.needed(condition)
        return unquoted(positive if self.count(row) >= needed else other[1])

    def probability_text(self, row: Row) -> tuple[str, str] | None:
        """The class and the percentage that the text gives for the row; None if it has none."""
        note = self.notes[-1] if self.notes else ""
        if single := re.fullmatch(
            rf"Probability of ({LABEL}): (\S+) if the statement holds, (\S+) if not\.", note
        ):
            chances = {1.0: single[2], 0.0: single[3]}
        elif several := re.fullmatch(
            rf"Probability of ({LABEL}) by the number of .*: (.*)\.", note
        ):
            pairs = (each.split(" at ") for each in several[2].split(", "))
            chances = {float(count): chance for chance, count in pairs}
            single = several
        else:
            return None
        chance = chances.get(self.count(row))
        return None if chance is None else (unquoted(single[1]), chance)

    # Two classes

    def needed(self, condition: str) -> float:
        """From which count on a condition is met."""
        if not condition.endswith(":") or outline_of(condition):
            return 1.0
        if "all of these" in condition or "both of these" in condition:
            return float(len(read_items(self.lines)))
        if "any of these" in condition:
            return 1.0
        if condition == "this statement holds or is unknown:":
            return 0.5
        least = re.search(rf"at least ({NUMBER}) of ", condition)
        assert least, condition
        return float(least[1])

    def count(self, row: Row) -> float:
        """The points of statements that hold, and half of those of unknown ones."""
        items = read_items(self.lines)
        head = split_head(self.lines[0])[1] if ", if " in self.lines[0] else ""
        if not items or outline_of(head):
            return self.value(Item(head, items), row)
        total = 0.0
        for item in items:
            points = re.match(r"(?: *(\d+) points?: +)?", item.text)
            assert points
            rest = Item(item.text[points.end() :], item.parts)
            total += int(points[1] or 1) * self.value(rest, row)
        return total

    # Several classes

    def card(self, row: Row) -> dict[str, float]:
        """The points of every class, by its label as it is printed."""
        _, head, *rows = self.lines
        labels = re.findall(rf"(?:^|  ) *({QUOTED}|[^ ](?:[^ ]| (?! ))*)", head)
        assert labels.pop() == "if"
        points = dict.fromkeys(labels, 0.0)
        for line, parts in with_parts(rows):
            *cells, text = re.split(r" +", line.strip(), maxsplit=len(labels))
            value = 1.0 if text == "to begin with" else self.value(Item(text, parts), row)
            for label, cell in zip(labels, cells, strict=True):
                points[label] += value * (0.0 if cell == "." else float(cell))
        return points

    def card_probabilities(self, row: Row) -> list[float]:
        """The probability of every class, in their order."""
        slope = re.search(rf"is e\^\(({NUMBER}) times its points\)", self.notes[-1])
        assert slope
        points = [float(slope[1]) * each for each in self.card(row).values()]
        weights = [math.exp(each - max(points)) for each in points]
        return [weight / sum(weights) for weight in weights]

    # A number

    def number(self, head: str, base: float, row: Row) -> float:
        """The number that is predicted."""
        total = base
        for line, parts in with_parts(self.lines[1:]):
            amount = re.match(rf"  \+({NUMBER}) +if ", line)
            assert amount, line
            total += float(amount[1]) * self.value(Item(line[amount.end() :], parts), row)
        if not head.startswith("log("):
            return total
        one = " - 1" if head.startswith("log(1 + ") else ""
        assert f"= e^{head}{one}." in self.notes[-1]
        return math.expm1(total) if one else math.exp(total)

    def value(self, statement: Item, row: Row) -> float:
        """1 where a statement holds, 0 where not, one half where it is unknown."""
        if statement.parts:
            values = [self.value(part, row) for part in statement.parts]
            if UNKNOWN in values:
                assert "parts of a statement do not count by themselves" in self.notes[0]
            outline = outline_of(statement.text)
            assert outline, statement.text
            return outline(values)
        text = statement.text
        reader = Reader(text, self.known, row)
        value = reader.line()
        assert reader.at == len(text), text[reader.at :]
        if value == UNKNOWN and text != "unknown":
            assert "is missing" in self.notes[0], self.notes
            assert "half" in self.notes[0], self.notes
        return value


# Statements of several lines


class Item(NamedTuple):
    """A statement, or what joins the parts below it."""

    text: str
    parts: Sequence[Item]


def read_items(lines: Sequence[str]) -> list[Item]:
    """The items of a list, with the items that stand deeper below them."""
    items = (re.match(r"( +)- (.*)", line) for line in lines)
    return nested([(len(item[1]), item[2]) for item in items if item])


def nested(found: Sequence[tuple[int, str]]) -> list[Item]:
    starts = [at for at, (depth, _) in enumerate(found) if depth == found[0][0]]
    return [
        Item(found[start][1], nested(found[start + 1 : end]))
        for start, end in pairwise([*starts, len(found)])
    ]


def with_parts(lines: Sequence[str]) -> list[tuple[str, list[Item]]]:
    """Lines that are no items, each with the items below it."""
    starts = [at for at, line in enumerate(lines) if not re.match(" +- ", line)]
    return [
        (lines[start], read_items(lines[start + 1 : end]))
        for start, end in pairwise([*starts, len(lines)])
    ]


def odd(values: Sequence[float]) -> float:
    return UNKNOWN if UNKNOWN in values else float(sum(values) % 2)


OUTLINES: dict[str, Callable[[Sequence[float]], float]] = {
    "both of these hold:": min,
    "all of these hold:": min,
    "any of these holds:": max,
    "exactly one of these two holds:": odd,
    "an odd number of these holds:": odd,
    "both of these hold, or neither:": lambda values: 1 - odd(values),
    "an even number of these holds:": lambda values: 1 - odd(values),
}
COUNT = re.compile(r"(at least|exactly)? ?(\d+)(?: to (\d+))? of these (\d+) hold:")


def outline_of(heading: str) -> Callable[[Sequence[float]], float] | None:
    """What the parts below a heading make together; None if it is no such heading."""
    if count := COUNT.fullmatch(heading):
        return partial(counted, count)
    return OUTLINES.get(heading)


def counted(count: re.Match[str], values: Sequence[float]) -> float:
    """Whether as many hold as is said; unknown if unknown ones could change that."""
    assert len(values) == int(count[4])
    least = int(count[2])
    most = len(values) if count[1] == "at least" else int(count[3] or least)
    hold, could = values.count(TRUE), values.count(TRUE) + values.count(UNKNOWN)
    answers = {least <= number <= most for number in range(hold, could + 1)}
    return UNKNOWN if len(answers) > 1 else float(answers.pop())


def split_head(line: str) -> tuple[str, str]:
    """``ill, if age is above 40`` as the class and the condition."""
    head = re.match(rf"({LABEL}), if ", line)
    assert head, line
    return head[1], line[head.end() :]


def unquoted(text: str) -> str:
    return str(json.loads(text)) if text.startswith('"') else text


# Values that the rules know: words, and what each of them means

Known = dict[str, dict[str, list[str]]]


def read_known(notes: Sequence[str]) -> Known:
    """The meanings of columns that are no numbers, and the words for each meaning."""
    known: Known = {}
    for note in notes:
        title, *lines = note.split("\n")
        if title != "Known values; any other is unknown:":
            continue
        for line in lines:
            name = re.match(rf"  ({QUOTED}|[^:]+): ", line)
            assert name, line
            known[unquoted(name[1])] = read_values(line[name.end() :])
    return known


def read_values(text: str) -> dict[str, list[str]]:
    """What a value is called in statements, and how it is written in tables."""
    if truth := re.fullmatch(r"yes \((.*)\), no \((.*)\)", text):
        return {"yes": truth[1].split(", "), "no": truth[2].split(", ")}
    value = rf"{QUOTED}|[^\",;:]+"
    found: dict[str, list[str]] = {}
    at = 0
    own = True
    while at < len(text):
        if text.startswith("other: ", at):
            own, at = False, at + len("other: ")
        match = re.compile(value).match(text, at)
        assert match, text
        found.setdefault(match[0] if own else "other", []).append(unquoted(match[0]))
        at = match.end() + 2  # a comma or a semicolon, and a blank
    return found


class Reader:
    """Reads a statement and computes its value for one row."""

    def __init__(self, text: str, known: Known, row: Row) -> None:
        self.text, self.at, self.known, self.row = text, 0, known, row

    def skip(self, word: str) -> bool:
        found = self.text.startswith(word, self.at)
        self.at += len(word) if found else 0
        return found

    def line(self) -> float:
        """All that is joined inside something else stands in brackets."""
        value = self.exclusive()
        return self.joined(", and ", ", or ") if value is None else value

    def joined(self, and_: str, or_: str) -> float:
        values = [self.atom()]
        for word, function in ((and_, min), (or_, max)):
            while self.skip(word):
                values.append(self.atom())
            if len(values) > 1:
                return float(function(values))
        return float(values[0])

    def exclusive(self) -> float | None:
        """An exclusive or, if one begins here."""
        if self.skip("either "):
            values = self.pair(" or ", ", but not both")
            is_odd = True
        elif self.skip("both "):
            values = self.pair(" and ", ", or neither")
            is_odd = False
        elif parity := re.compile("an (odd|even) number of these holds: ").match(
            self.text, self.at
        ):
            self.at, is_odd = parity.end(), parity[1] == "odd"
            values = [self.atom()]
            while self.skip("; "):
                values.append(self.atom())
        elif count := COUNT.match(self.text, self.at):
            self.at = count.end() + 1
            values = [self.atom()]
            while self.skip("; "):
                values.append(self.atom())
            return counted(count, values)
        else:
            return None
        return odd(values) if is_odd else 1 - odd(values)

    def pair(self, between: str, after: str) -> list[float]:
        first = self.atom()
        assert self.skip(between), self.text
        second = self.atom()
        assert self.skip(after), self.text
        return [first, second]

    def atom(self) -> float:
        if not self.skip("("):
            return self.literal()
        value = self.exclusive()
        value = self.joined(" and ", " or ") if value is None else value
        assert self.skip(")"), self.text[self.at :]
        return value

    def literal(self) -> float:
        for word, value in (("true", TRUE), ("false", FALSE), ("unknown", UNKNOWN)):
            if re.compile(rf"{word}(?=$|,|;|\)| and | or )").match(self.text, self.at):
                self.at += len(word)
                return value
        name = re.compile(rf'({QUOTED}|[^"(),;:]+?) is ').match(self.text, self.at)
        assert name, self.text[self.at :]
        self.at = name.end()
        column = unquoted(name[1])
        cell = self.row.get(column)
        if isinstance(cell, float) and math.isnan(cell):
            cell = None
        negative = self.skip("not ")
        value = self.said(column, cell)
        return 1 - value if negative else value

    def said(self, column: str, cell: object) -> float:
        """How true is what stands after "is"."""
        for word in COMPARISONS:
            if number := re.compile(rf"{word} ({NUMBER})").match(self.text, self.at):
                self.at = number.end()
                return UNKNOWN if cell is None else compare(word, float(cell), float(number[1]))  # type: ignore[arg-type]
        end = r"(?=$|,|;|\)| and | or )"
        value = re.compile(rf'(?:{QUOTED}|[^",;()]+?){end}').match(self.text, self.at)
        assert value, self.text[self.at :]
        self.at = value.end()
        if value[0] == "missing":
            return float(cell is None)
        groups = self.known[column]
        shown = str(cell)
        if set(groups) == {"yes", "no"} and "1" in groups["yes"]:
            shown = shown.lower().removesuffix(".0")
        if cell is None or not any(shown in words for words in groups.values()):
            return UNKNOWN
        return float(shown in groups[value[0]])


def compare(word: str, number: float, threshold: float) -> float:
    return float(
        {
            "above": number > threshold,
            "at most": number <= threshold,
            "at least": number >= threshold,
            "below": number < threshold,
        }[word]
    )
