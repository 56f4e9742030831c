"""Terms of rules, added and dropped by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from crisplogic.errors import RuleError
from crisplogic.expr import Expr, Sum, total
from crisplogic.expr.equivalence import Forms
from crisplogic.expr.walk import unique_nodes
from crisplogic.rules.editing.hints import did_you_mean, listed, position_of
from crisplogic.rules.editing.reading import read
from crisplogic.rules.formatting import Wording, terms_of, written_label
from crisplogic.rules.rule import Label, Rule

if TYPE_CHECKING:
    from crisplogic.rules.ruleset import RuleSet


def with_term(rules: RuleSet, label: Label, term: str, width: float | None = None) -> RuleSet:
    """The rules with one more term, or several, at the end of the rule of a class.

    Thresholds that do not exist yet are made as by :func:`with_rule`.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import Ramp, Rule, RuleSet
    >>> rules = RuleSet(("bmi",), (Ramp(0, 25.0, 35.0),), (Rule("ill", parse("unknown")),))
    >>> print(rules.with_term("ill", "bmi>30").with_term("ill", "~(bmi>40)"))
    ill = bmi>30 + bmi<40
    """
    position = position_of(rules, label)
    added = read(term, rules, width=width)
    expression = total([*terms_of(rules.expressions[position]), *terms_of(added.expression)])
    rules = replace(rules, memberships=added.memberships)
    return replace(rules, rules=_with(rules, {position: expression}))


def without(rules: RuleSet, term: str, of: Label | None = None) -> RuleSet:
    """The rules without a term, of one class or of all.

    The ``term`` may be written in any way that says the same: in another order, with its
    negations in other places, by the name of a part that rules share. Of all classes it goes
    wherever it counts, for a class or, negated, against it; ``of`` one class it goes as it
    is written. Several terms with plus signs between them go together.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import Ramp, Rule, RuleSet
    >>> ramps = Ramp(0, 107.0, 147.0), Ramp(1, 30.0, 50.0)
    >>> ill, well = Rule("ill", parse("(0 & ~1) + 0")), Rule("well", parse("~(0 & ~1)"))
    >>> rules = RuleSet(("glucose", "age"), ramps, (ill, well), intercepts=(0.0, 0.5))
    >>> print(rules.without("~(age>40 | glucose<127)"))
    ill  = glucose>127
    well = 0.5
    """
    positions = range(len(rules.rules)) if of is None else [position_of(rules, of)]
    forms = Forms(rules.names)
    wanted = terms_of(read(term, rules, new=False).expression)
    if not wanted:
        raise RuleError(f"{term!r} says nothing, so there is nothing to drop")
    there = {
        forms.of(each) for place in positions for each in terms_of(rules.expressions[place])
    }
    for each in wanted:
        if forms.of(each) not in there:
            raise RuleError(_absent(rules, term, each, forms, of))
    gone = {forms.of(each) for each in wanted}
    if of is None:
        gone |= {forms.of(each, negated=True) for each in wanted}
    kept = {
        place: total(x for x in terms_of(rules.expressions[place]) if forms.of(x) not in gone)
        for place in positions
    }
    return replace(rules, rules=_with(rules, kept))


def _with(rules: RuleSet, expressions: dict[int, Expr]) -> tuple[Rule, ...]:
    return tuple(
        Rule(rule.label, expressions.get(position, rule.expression))
        for position, rule in enumerate(rules.rules)
    )


def _absent(rules: RuleSet, text: str, term: Expr, forms: Forms, of: Label | None) -> str:
    """Why there is no such term, and which terms there are."""
    wording = Wording(rules)
    written = {
        rule.label: [wording.whole(each) for each in terms_of(rule.expression)]
        for rule in rules.rules
        if of in (None, rule.label)
    }
    every = [each for terms in written.values() for each in terms]
    terms = "; ".join(
        f"{written_label(label)} has {listed(texts) or 'none'}"
        for label, texts in written.items()
    )
    return (
        f"{text!r} is no term of {'any rule' if of is None else f'the rule of {of!r}'}: "
        f"{terms}{_inside(rules, term, forms, wording, of) or did_you_mean(text, every)}"
    )


def _inside(
    rules: RuleSet, part: Expr, forms: Forms, wording: Wording, of: Label | None
) -> str:
    """A hint, if what is no term is the contrary of one, or a part of one."""
    for rule in rules.rules:
        for term in terms_of(rule.expression) if of in (None, rule.label) else ():
            if forms.of(term) == forms.of(part, negated=True):
                return f"; its contrary is one: {wording.whole(term)}"
            if any(forms.of(node) == forms.of(part) for node in _logic_in(term)):
                return (
                    f"; it is a part of the term {wording.whole(term)}: drop all of that, or "
                    "write the rule anew by with_rule"
                )
    return ""


def _logic_in(term: Expr) -> list[Expr]:
    return [node for node in unique_nodes([term]) if not isinstance(node, Sum)]
