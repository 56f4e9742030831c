"""A yes/no statement in plain words: ``age is above 40, or smoker is yes``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from crisplogic.algebra import TRUE, UNKNOWN
from crisplogic.expr import And, Const, Expr, Or, Var, Xor, split_sign
from crisplogic.expr.counts import Count, read_count
from crisplogic.expr.notation import MISSING, OTHER, quoted
from crisplogic.rules.markup import Listing
from crisplogic.rules.memberships import Flag, Level, Missing, Step
from crisplogic.rules.number_format import all_digits
from crisplogic.tables import TRUTH

if TYPE_CHECKING:
    from crisplogic.rules.rule import Label
    from crisplogic.rules.ruleset import RuleSet

# Words that join statements. A name that holds one of them stands in quotes.
KEYWORDS = frozenset({"is", "not", "and", "or", "either", "both", "but", "neither", "if"})
# Words that say something else than a value after "is".
AFTER_IS = frozenset({"above", "below", "at", MISSING, OTHER})
# A longer statement becomes a list of its parts.
MOST_IN_A_LINE = 80
_WORD = r"[^\W_][\w.%/°²³'-]*|_[\w.]*"
_NAME = re.compile(rf"(?:{_WORD})(?: (?:{_WORD}))*")


def name_in_words(name: str) -> str:
    """A name of a column or a class: as it is, in quotes if it could be misread.

    >>> name_in_words("clump thickness"), name_in_words("x is red"), name_in_words("")
    ('clump thickness', '"x is red"', '""')
    """
    plain = _NAME.fullmatch(name) and KEYWORDS.isdisjoint(name.casefold().split(" "))
    return name if plain and name.isprintable() else quoted(name)


def value_in_words(value: str) -> str:
    """A value of a category; a value called *missing* or *other* is none of those words.

    >>> [value_in_words(value) for value in ("light blue", "18-25", "missing", "a, b")]
    ['light blue', '18-25', '"missing"', '"a, b"']
    """
    return quoted(value) if value.split(" ")[0] in AFTER_IS else name_in_words(value)


def cell_in_words(column: str, cell: float | str | None, new: bool = False) -> str:
    """What a row has in a column; ``new`` marks a value that was not in the training rows.

    >>> cell_in_words("age", 41.0), cell_in_words("eye colour", None)
    ('age = 41', 'eye colour is missing')
    """
    name = name_in_words(column)
    if cell is None:
        return f"{name} is missing"
    if not isinstance(cell, str):
        return f"{name} = {cell:.12g}"
    return f"{name} is {value_in_words(cell)}{' (never seen before)' if new else ''}"


def labels_in_words(labels: Sequence[Label]) -> list[str]:
    """The classes, no two of them written alike.

    >>> labels_in_words(["light blue", 7, "7", True, "True"])
    ['light blue', '7', '"7"', 'True', '"True"']
    """
    words = [name_in_words(each) if isinstance(each, str) else str(each) for each in labels]
    counts = Counter(words)
    return [
        quoted(label) if isinstance(label, str) and counts[word] > 1 else word
        for word, label in zip(words, labels, strict=True)
    ]


class Words:
    """Writes statements of one rule set in words, in a line or as a list of parts.

    Negations stand at the literals; see :func:`crisplogic.expr.negations.push_negations`.
    What is joined inside something else stands in brackets.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Rule
    >>> both = Rule("ill", parse("0 & (~1 | 2)")), Rule("well", parse("unknown"))
    >>> steps = Step(0, 40.0), Step(1, 6.5), Flag(2)
    >>> rules = ClassificationRules(("age", "body mass", "smoker"), steps, both, crisp=True)
    >>> Words(rules).statement(rules.expressions[0])
    'age is above 40, and (body mass is at most 6.5 or smoker is yes)'
    >>> Words(rules).statement(parse("0 ^ 2"))
    'either age is above 40 or smoker is yes, but not both'
    """

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules

    def outline(self, expr: Expr) -> str | Listing:
        """A statement as a line, or as the list of its parts if the line would be long."""
        parts = self.parts(expr)
        if not parts:
            return self.statement(expr)
        return Listing(self.heading(expr), [self.outline(part) for part in parts])

    def parts(self, expr: Expr) -> Sequence[Expr]:
        """The parts that a statement is a list of; none where it stands in one line.

        Two literals always do.
        """
        count = read_count(expr)
        inside = split_sign(expr)[0].parts if count is None else count.parts
        simple = len(inside) == 2 and all(
            isinstance(split_sign(part)[0], Var) for part in inside
        )
        short = simple or len(self.statement(expr)) <= MOST_IN_A_LINE
        return () if short else inside

    def heading(self, expr: Expr) -> str:
        """What stands before the parts of a statement.

        >>> from crisplogic.expr import parse
        >>> from crisplogic.rules import ClassificationRules, Rule
        >>> words = Words(ClassificationRules(("a",), (Flag(0),), (Rule("b", parse("0")),)))
        >>> words.heading(parse("0 & 1")), words.heading(parse("~(0 ^ 1)"))
        ('both of these hold:', 'both of these hold, or neither:')
        """
        if (count := read_count(expr)) is not None:
            return f"{_count_in_words(count)}:"
        bare, sign = split_sign(expr)
        pair = len(bare.parts) == 2
        if isinstance(bare, And):
            return "both of these hold:" if pair else "all of these hold:"
        if isinstance(bare, Or):
            return "any of these holds:"
        if not pair:
            return f"an {'even' if sign < 0 else 'odd'} number of these holds:"
        return (
            "both of these hold, or neither:" if sign < 0 else "exactly one of these two holds:"
        )

    def statement(self, expr: Expr, level: int = 0) -> str:
        """An expression in words. At level 0 it is a line, inside another it is 1."""
        if (count := read_count(expr)) is not None:
            parts = "; ".join(self.statement(each, 1) for each in count.parts)
            text = f"{_count_in_words(count)}: {parts}"
            return f"({text})" if level else text
        match expr:
            case And(operands=operands):
                return self._joined("and", operands, level)
            case Or(operands=operands):
                return self._joined("or", operands, level)
            case Const(value=value):
                return {TRUE: "true", UNKNOWN: "unknown"}.get(value, "false")
        bare, sign = split_sign(expr)
        if isinstance(bare, Xor):
            return self._exclusive(bare.operands, sign < 0, level)
        if not isinstance(bare, Var):
            raise TypeError(f"a negated {type(bare).__name__} has no words")
        return self.literal(bare.index, sign < 0)

    def _joined(self, word: str, operands: Sequence[Expr], level: int) -> str:
        joint = f", {word} " if level == 0 else f" {word} "
        text = joint.join(self.statement(each, 1) for each in operands)
        return f"({text})" if level else text

    def _exclusive(self, operands: Sequence[Expr], negated: bool, level: int) -> str:
        parts = [self.statement(each, 1) for each in operands]
        if len(parts) > 2:
            text = (
                f"an {'even' if negated else 'odd'} number of these holds: {'; '.join(parts)}"
            )
        elif negated:
            text = f"both {parts[0]} and {parts[1]}, or neither"
        else:
            text = f"either {parts[0]} or {parts[1]}, but not both"
        return f"({text})" if level else text

    def literal(self, index: int, negated: bool = False) -> str:
        """What a literal says of its column."""
        membership = self._rules.memberships[index]
        column = name_in_words(self._rules.features[membership.feature])
        match membership:
            case Step():
                sign, number = membership.bound
                words = {">": ("above", "at most"), ">=": ("at least", "below")}[sign]
                return f"{column} is {words[negated]} {all_digits(number)}"
            case Flag():
                return f"{column} is {'no' if negated else 'yes'}"
            case Level(code=code) if self._rules.levels[membership.feature] == TRUTH:
                return f"{column} is {'yes' if (code == 1) != negated else 'no'}"
            case Missing():
                value = MISSING
            case Level(value=None):
                value = OTHER
            case Level(value=str(text)):
                value = value_in_words(text)
            case _:
                raise TypeError(f"a {type(membership).__name__} is neither true nor false")
        return f"{column} is {'not ' if negated else ''}{value}"


def _count_in_words(count: Count) -> str:
    """How many of some parts have to hold.

    >>> a, b, c, d = map(Var, range(4))
    >>> _count_in_words(Count(2, 4, (a, b, c, d))), _count_in_words(Count(1, 3, (a, b, c, d)))
    ('at least 2 of these 4 hold', '1 to 3 of these 4 hold')
    """
    least, most, n = count.least, count.most, len(count.parts)
    many = f"exactly {least}" if least == most else f"{least} to {most}"
    return f"{f'at least {least}' if most == n else many} of these {n} hold"
