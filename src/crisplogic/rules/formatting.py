"""Rule sets as text: a line a rule, and a line for what each literal means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from types import UnionType
from typing import TYPE_CHECKING, NamedTuple

from crisplogic.algebra import UNKNOWN
from crisplogic.expr import PAPER, Const, Expr, Not, Notation, Sum, Var, split_sign
from crisplogic.expr.nodes import Operation
from crisplogic.expr.notation import quoted, written_column, written_name
from crisplogic.expr.printer import Printer, is_part_name, named_parts
from crisplogic.rules.memberships import Level, lists_values, read_levels
from crisplogic.rules.number_format import all_digits
from crisplogic.tables import Levels

if TYPE_CHECKING:
    from crisplogic.rules.rule import Label
    from crisplogic.rules.ruleset import RuleSet


# Longer names are not aligned: one of them should not widen every line.
MOST_ALIGNED = 60
# A part of crisp rules of so many literals is written out wherever it stands. So a statement
# says all that it means, and an edit can quote it.
MOST_WRITTEN_OUT = 4


def format_rules(rules: RuleSet, notation: Notation, numbered: bool) -> str:
    """One line a rule; see :meth:`RuleSet.to_text`."""
    wording = Wording(rules, notation, numbered)
    heads = [*wording.shared.values(), *wording.heads]
    bodies = [*map(wording.whole, wording.shared), *wording.bodies]
    width = aligned_width(heads)
    lines = zip(heads, bodies, strict=True)
    return "\n".join(f"{head:<{width}} = {body}" for head, body in lines)


def format_legend(rules: RuleSet, notation: Notation, numbered: bool) -> str:
    """One line a membership that the rules use; see :meth:`RuleSet.legend`."""
    entries = legend_entries(rules, notation, numbered)
    width = aligned_width([head for head, _ in entries])
    lines = [f"{head:<{width}}  {reading}" for head, reading in entries]
    if numbered:
        pairs = zip(write_heads(rules, True), write_heads(rules, False), strict=True)
        lines += map(" = ".join, pairs)
    return "\n".join(lines)


def legend_entries(
    rules: RuleSet, notation: Notation = PAPER, numbered: bool = False
) -> list[tuple[str, str]]:
    """Each membership that the rules use, and what it means; then columns of many values."""
    entries = []
    for index in rules.used:
        name = written_name(rules.names[index], notation)
        entries.append((f"{index} = {name}" if numbered else name, _reading(rules, index)))
    long = [(written_column(name), read_levels(its)) for name, its in _long_levels(rules)]
    return entries + long


def _reading(rules: RuleSet, index: int) -> str:
    membership = rules.memberships[index]
    return membership.reading(rules.levels[membership.feature] if rules.levels else None)


def _long_levels(rules: RuleSet) -> Iterator[tuple[str, Levels]]:
    """The columns whose levels the rules use, if they are too many for a reading."""
    used = (rules.memberships[index] for index in rules.used)
    for feature in dict.fromkeys(each.feature for each in used if isinstance(each, Level)):
        levels = rules.levels[feature]
        if levels is not None and not lists_values(levels):
            yield rules.features[feature], levels


def aligned_width(heads: Iterable[str]) -> int:
    """How wide the heads of lines are made, so that what follows is aligned."""
    return min(max(map(len, heads), default=0), MOST_ALIGNED)


def distinct_labels(labels: Sequence[Label]) -> list[str]:
    """Labels as they stand at the beginning of rules; no two are the same.

    A class may be called like a shared part, h1, or True beside another one that is true.

    >>> distinct_labels(["well", "h1", True, "True"])
    ['well', '"h1"', 'True', '"True"']
    """
    heads = [written_label(label) for label in labels]
    counts = Counter(heads)
    return [
        quoted(label)
        if isinstance(label, str) and (counts[head] > 1 or is_part_name(label))
        else head
        for head, label in zip(heads, labels, strict=True)
    ]


def write_heads(rules: RuleSet, numbered: bool) -> list[str]:
    """What each rule is called."""
    if numbered:
        return [f"c_{number}" for number in range(len(rules.rules))]
    return rules.heads()


class RuleText(NamedTuple):
    """The expression of a rule as text, whether that is the name of a shared part, and numbers.

    Where inputs are ``numbered``, other numbers are written so that they look different.
    """

    expr: Expr
    text: str
    named: bool
    intercept: float
    scale: float
    numbered: bool

    @property
    def is_empty(self) -> bool:
        """Whether there are no terms."""
        return self.expr == Const(UNKNOWN)

    def bracketed(self, kinds: type[Expr] | UnionType) -> str:
        """The text beside a number: some kinds need brackets, unless they have a name."""
        loose = isinstance(self.expr, kinds) and not self.named
        return f"({self.text})" if loose else self.text

    def number(self, number: float) -> str:
        """The text of a number."""
        return f"{number!r}" if self.numbered else all_digits(number)


def format_class_rule(rule: RuleText, notation: Notation) -> str:
    """A sum and the intercept: ``age>40 + 0.5``. An empty sum is left out."""
    intercept = rule.intercept
    size = rule.number(abs(intercept))
    if rule.is_empty:
        return f"-{size}" if intercept < 0 else size
    if intercept == 0:
        return rule.text
    return f"{rule.bracketed(Operation)} {'+' if intercept > 0 else '-'} {size}"


def format_number_rule(rule: RuleText, notation: Notation) -> str:
    """The intercept, and the scale times a sum: ``22.5 + 4 × (age>40)``.

    The scale is there even if it is 1, to say what a term is worth.
    """
    base = rule.number(rule.intercept + 0.0)  # 0, never -0
    if rule.is_empty:
        return base
    # Without brackets 4 × age>41 would look as if 4 × age were compared.
    literal = isinstance(rule.expr, Not) and isinstance(rule.expr.operand, Var)
    text = rule.bracketed(Not if literal else Operation | Sum | Var)
    terms = f"{rule.number(rule.scale)} {notation.times} {text}"
    return f"{base} + {terms}" if rule.intercept else terms


def terms_of(expr: Expr) -> tuple[Expr, ...]:
    """The terms that an expression adds up; *unknown* has none.

    >>> from crisplogic.expr import parse
    >>> len(terms_of(parse("0 + 1"))), len(terms_of(parse("0 & 1"))), terms_of(parse("unknown"))
    (2, 1, ())
    """
    if expr == Const(UNKNOWN):
        return ()
    return expr.terms if isinstance(expr, Sum) else (expr,)


def written_label(label: Label) -> str:
    """A label as it stands at the beginning of its rule.

    >>> written_label("light blue"), written_label(7)
    ('"light blue"', '7')
    """
    return written_name(label) if isinstance(label, str) else str(label)


class Wording:
    """Writes parts of one rule set with the names of its inputs and shared parts.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Ramp, Rule
    >>> exprs = parse("(0 & ~1) + 0"), parse("~(0 & ~1)")
    >>> ramps = Ramp(0, 90.0, 164.0), Ramp(1, 40.0, 60.0)
    >>> both = Rule("a", exprs[0]), Rule("b", exprs[1])
    >>> rules = ClassificationRules(("glucose", "age"), ramps, both)
    >>> wording = Wording(rules)
    >>> [(wording.part(term), wording.whole(term)) for term in terms_of(exprs[0])]
    [('h1', 'glucose>127±37 & age<50±10'), ('glucose>127±37', 'glucose>127±37')]
    """

    def __init__(
        self, rules: RuleSet, notation: Notation = PAPER, numbered: bool = False
    ) -> None:
        self.rules = rules
        self.notation = notation
        self.numbered = numbered
        self.heads = write_heads(rules, numbered)
        taken = () if numbered else {*rules.names, *rules.features, *map(str, rules.labels)}
        longest = MOST_WRITTEN_OUT if rules.crisp else 0
        self.shared = named_parts(rules.expressions, taken, longest)
        names = None if numbered else rules.names
        self._printer = Printer(names, notation, self.shared)

    def part(self, expr: Expr) -> str:
        """An expression as it stands in a rule: shared parts by their names."""
        return self._printer.text(expr)

    def whole(self, expr: Expr) -> str:
        """An expression written out, even if it is shared; shared parts inside by name."""
        return self._printer.text(expr, {expr, split_sign(expr)[0]})

    def rule(self, position: int) -> str:
        """A rule as it is printed, without its label."""
        return self.bodies[position]

    @cached_property
    def bodies(self) -> list[str]:
        """Every rule as it is printed, without its label."""
        rules = self.rules
        texts = [
            RuleText(
                expr,
                self._printer.text(expr),
                expr in self.shared,
                intercept,
                rules.scale,
                self.numbered,
            )
            for expr, intercept in zip(rules.expressions, rules.intercepts, strict=True)
        ]
        return [rules.format_rule(text, self.notation) for text in texts]
