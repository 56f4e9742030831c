"""Rule sets as text: a line a rule, and a line for what each literal means."""

from __future__ import annotations

from types import UnionType
from typing import TYPE_CHECKING, NamedTuple

from crisplogic.algebra import UNKNOWN
from crisplogic.expr import Const, Expr, Not, Notation, Sum, Var, split_sign, to_text
from crisplogic.expr.nodes import Operation
from crisplogic.expr.notation import written_name
from crisplogic.expr.printer import definitions, named_parts

if TYPE_CHECKING:
    from crisplogic.rules.rule import Label
    from crisplogic.rules.ruleset import RuleSet


def printed(rules: RuleSet, notation: Notation, numbered: bool) -> str:
    """One line a rule; see :meth:`RuleSet.to_text`."""
    names = None if numbered else rules.names
    classes = _heads(rules, numbered)
    shared = named_parts(rules.expressions, {*(names or ()), *classes}, rules.counted)
    written = _score_of_number if rules.predicts == "number" else _score_of_class
    bodies = [
        *definitions(shared, names, notation).values(),
        *(
            written(
                _Said(
                    expr, to_text(expr, names, notation, shared, rules.counted), expr in shared
                ),
                _Figures(intercept, rules.scale, numbered),
                notation,
            )
            for expr, intercept in zip(rules.expressions, rules.intercepts, strict=True)
        ),
    ]
    heads = [*shared.values(), *classes]
    width = max(map(len, heads))
    lines = (f"{head:<{width}} = {body}" for head, body in zip(heads, bodies, strict=True))
    return "\n".join(lines)


def legend(rules: RuleSet, numbered: bool) -> str:
    """One line a membership that the rules use; see :meth:`RuleSet.legend`."""
    heads = [written_name(rules.names[index]) for index in rules.used]
    if numbered:
        heads = [f"{i} = {name}" for i, name in zip(rules.used, heads, strict=True)]
    readings = [_reading(rules, index) for index in rules.used]
    width = max(map(len, heads), default=0)
    lines = [f"{head:<{width}}  {text}" for head, text in zip(heads, readings, strict=True)]
    if numbered:
        pairs = zip(_heads(rules, True), _heads(rules, False), strict=True)
        lines += map(" = ".join, pairs)
    return "\n".join(lines)


def _reading(rules: RuleSet, index: int) -> str:
    membership = rules.memberships[index]
    return membership.reading(rules.levels[membership.feature] if rules.levels else None)


def _heads(rules: RuleSet, numbered: bool) -> list[str]:
    if numbered:
        return [f"c_{number}" for number in range(len(rules.rules))]
    return [
        written_name(label) if isinstance(label, str) else str(label) for label in rules.labels
    ]


class _Said(NamedTuple):
    """What a rule says without its numbers, and whether that is the name of a shared part."""

    expr: Expr
    text: str
    named: bool

    @property
    def is_nothing(self) -> bool:
        return self.expr == Const(UNKNOWN)

    def bracketed(self, if_it_is: type[Expr] | UnionType) -> str:
        """The text beside a number: some kinds need brackets, unless they have a name."""
        loose = isinstance(self.expr, if_it_is) and not self.named
        return f"({self.text})" if loose else self.text


class _Figures(NamedTuple):
    """The numbers of a rule. Inputs that are numbers, too, look like no other whole number."""

    intercept: float
    scale: float
    numbered: bool

    def written(self, number: float) -> str:
        return f"{number!r}" if self.numbered else f"{number:.15g}"


def _score_of_class(said: _Said, figures: _Figures, _: Notation) -> str:
    """A sum and the number that is added to it; one that says nothing gives way to it."""
    intercept = figures.intercept
    size = figures.written(abs(intercept))
    if said.is_nothing:
        return f"-{size}" if intercept < 0 else size
    if intercept == 0:
        return said.text
    return f"{said.bracketed(Operation)} {'+' if intercept > 0 else '-'} {size}"


def _score_of_number(said: _Said, figures: _Figures, notation: Notation) -> str:
    """What the number is anyway, and what a true term adds to it, times the sum of terms.

    The factor is there even if it is 1: what terms are worth is nothing to guess.
    """
    base = figures.written(figures.intercept + 0.0)  # no base is 0, never -0
    if said.is_nothing:
        return base
    # Without brackets 4 × age>41 would look as if 4 × age were compared.
    literal = isinstance(said.expr, Not) and isinstance(said.expr.operand, Var)
    text = said.bracketed(Not if literal else Operation | Sum | Var)
    terms = f"{figures.written(figures.scale)} {notation.times} {text}"
    return f"{base} + {terms}" if figures.intercept else terms


def terms_of(expr: Expr) -> tuple[Expr, ...]:
    """What an expression adds up; an expression that says nothing has no terms.

    >>> from crisplogic.expr import parse
    >>> len(terms_of(parse("0 + 1"))), len(terms_of(parse("0 & 1"))), terms_of(parse("unknown"))
    (2, 1, ())
    """
    if expr == Const(UNKNOWN):
        return ()
    return expr.terms if isinstance(expr, Sum) else (expr,)


def written_label(label: Label) -> str:
    """A class as it stands at the beginning of its rule.

    >>> written_label("light blue"), written_label(7)
    ('"light blue"', '7')
    """
    return written_name(label) if isinstance(label, str) else str(label)


class Wording:
    """The names of inputs and of shared parts in one rule set, worked out once.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Ramp, Rule
    >>> exprs = parse("(0 & ~1) + 0"), parse("~(0 & ~1)")
    >>> ramps = Ramp(0, 90.0, 164.0), Ramp(1, 40.0, 60.0)
    >>> both = Rule("a", exprs[0]), Rule("b", exprs[1])
    >>> rules = ClassificationRules(("glucose", "age"), ramps, both)
    >>> wording = Wording(rules)
    >>> [(wording.part(term), wording.whole(term)) for term in terms_of(exprs[0])]
    [('h1', 'glucose>127 & age<50'), ('glucose>127', 'glucose>127')]
    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.names = rules.names
        taken = {*rules.names, *map(written_label, rules.labels)}
        self.shared = named_parts(rules.expressions, taken, rules.counted)

    def part(self, expr: Expr) -> str:
        """An expression as it stands in a rule: what is shared by its name."""
        return to_text(expr, self.names, shared=self.shared)

    def whole(self, expr: Expr) -> str:
        """An expression written out, even if it has a name; what is shared inside has one."""
        own = {expr, split_sign(expr)[0]}
        others = {part: name for part, name in self.shared.items() if part not in own}
        return to_text(expr, self.names, shared=others)

    def rule(self, position: int) -> str:
        """The rule of a class as it is printed, without the class."""
        labels = [written_label(label) for label in self.rules.labels]
        width = max(map(len, (*self.shared.values(), *labels)))
        lines = self.rules.to_text().split("\n")[-len(labels) :]
        return lines[position][width + len(" = ") :]
