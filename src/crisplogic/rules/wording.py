"""Wording: what the parts of a rule set are called, as print shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crisplogic.algebra import UNKNOWN
from crisplogic.expr import Const, Expr, Not, Sum
from crisplogic.expr.lexicon import written_name
from crisplogic.render import named_parts, to_text

if TYPE_CHECKING:
    from crisplogic.rules.rule import Label
    from crisplogic.rules.ruleset import RuleSet


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
    >>> from crisplogic.rules import Ramp, Rule, RuleSet
    >>> exprs = parse("(0 & ~1) + 0"), parse("~(0 & ~1)")
    >>> ramps = Ramp(0, 90.0, 164.0), Ramp(1, 40.0, 60.0)
    >>> rules = RuleSet(("glucose", "age"), ramps, (Rule("a", exprs[0]), Rule("b", exprs[1])))
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
        own = {expr, expr.operand if isinstance(expr, Not) else expr}
        others = {part: name for part, name in self.shared.items() if part not in own}
        return to_text(expr, self.names, shared=others)

    def rule(self, position: int) -> str:
        """The rule of a class as it is printed, without the class."""
        labels = [written_label(label) for label in self.rules.labels]
        width = max(map(len, (*self.shared.values(), *labels)))
        lines = self.rules.to_text().split("\n")[-len(labels) :]
        return lines[position][width + len(" = ") :]
