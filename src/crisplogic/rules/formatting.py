"""Rule sets as text: a line a rule, and a line for what each literal means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import UnionType
from typing import TYPE_CHECKING, NamedTuple

from crisplogic.algebra import UNKNOWN
from crisplogic.expr import PAPER, Const, Expr, Not, Notation, Sum, Var, split_sign, to_text
from crisplogic.expr.nodes import Operation
from crisplogic.expr.notation import written_name
from crisplogic.expr.printer import definitions, named_parts

if TYPE_CHECKING:
    from crisplogic.rules.rule import Label
    from crisplogic.rules.ruleset import RuleSet


def format_rules(rules: RuleSet, notation: Notation, numbered: bool) -> str:
    """One line a rule; see :meth:`RuleSet.to_text`."""
    names = None if numbered else rules.names
    labels = _heads(rules, numbered)
    shared = named_parts(rules.expressions, {*(names or ()), *labels}, rules.counted)
    bodies = [
        *definitions(shared, names, notation).values(),
        *_bodies(rules, names, notation, shared),
    ]
    heads = [*shared.values(), *labels]
    width = max(map(len, heads))
    lines = (f"{head:<{width}} = {body}" for head, body in zip(heads, bodies, strict=True))
    return "\n".join(lines)


def _bodies(
    rules: RuleSet,
    names: Sequence[str] | None,
    notation: Notation,
    shared: Mapping[Expr, str],
) -> list[str]:
    """Every rule as text, without its label."""
    texts = [
        RuleText(
            expr,
            to_text(expr, names, notation, shared, rules.counted),
            expr in shared,
            intercept,
            rules.scale,
            numbered=names is None,
        )
        for expr, intercept in zip(rules.expressions, rules.intercepts, strict=True)
    ]
    return [rules.format_rule(text, notation) for text in texts]


def format_legend(rules: RuleSet, numbered: bool) -> str:
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
        return f"{number!r}" if self.numbered else f"{number:.15g}"


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
    [('h1', 'glucose>127 & age<50'), ('glucose>127', 'glucose>127')]
    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.names = rules.names
        taken = {*rules.names, *map(written_label, rules.labels)}
        self.shared = named_parts(rules.expressions, taken, rules.counted)

    def part(self, expr: Expr) -> str:
        """An expression as it stands in a rule: shared parts by their names."""
        return to_text(expr, self.names, shared=self.shared)

    def whole(self, expr: Expr) -> str:
        """An expression written out, even if it is shared; shared parts inside by name."""
        own = {expr, split_sign(expr)[0]}
        others = {part: name for part, name in self.shared.items() if part not in own}
        return to_text(expr, self.names, shared=others)

    def rule(self, position: int) -> str:
        """A rule as it is printed, without its label."""
        return _bodies(self.rules, self.names, PAPER, self.shared)[position]
