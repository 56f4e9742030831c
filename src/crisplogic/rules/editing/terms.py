"""Terms of rules, added and dropped by hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from crisplogic.errors import RuleError
from crisplogic.expr import Expr, Sum, total
from crisplogic.expr.equivalence import EquivalenceClasses
from crisplogic.expr.walk import unique_nodes
from crisplogic.messages import did_you_mean, list_some
from crisplogic.rules.editing.grammar import parse_terms
from crisplogic.rules.editing.rules import position_of
from crisplogic.rules.formatting import Wording, terms_of, written_label
from crisplogic.rules.rule import AnyRules, Label, Rule

if TYPE_CHECKING:
    from crisplogic.rules.ruleset import RuleSet


def with_term(rules: AnyRules, label: Label, term: str, width: float | None = None) -> AnyRules:
    """The rules with one more term, or several, at the end of the rule of a class.

    Thresholds that do not exist yet are made as by :func:`with_rule`.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Ramp, Rule
    >>> ill = Rule("ill", parse("unknown"))
    >>> rules = ClassificationRules(("bmi",), (Ramp(0, 25.0, 35.0),), (ill,))
    >>> print(rules.with_term("ill", "bmi>30").with_term("ill", "~(bmi>40)").to_text())
    ill = bmi>30±5 + bmi<40±5
    """
    position = position_of(rules, label)
    added = parse_terms(term, rules, width=width)
    expression = total([*terms_of(rules.expressions[position]), *terms_of(added.expression)])
    rules = replace(rules, memberships=added.memberships)
    return _with_expressions(rules, {position: expression})


def without_term(rules: AnyRules, term: str, label: Label | None = None) -> AnyRules:
    """The rules without a term, of the class ``label`` or of all classes.

    The ``term`` may be written in any way that says the same: in another order, with its
    negations in other places, by the name of a part that rules share. Of all classes it is
    dropped wherever it counts, for a class or, negated, against it. Of one class it is dropped
    as it is written. Several terms with plus signs between them are dropped together.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Ramp, Rule
    >>> ramps = Ramp(0, 107.0, 147.0), Ramp(1, 30.0, 50.0)
    >>> ill, well = Rule("ill", parse("(0 & ~1) + 0")), Rule("well", parse("~(0 & ~1)"))
    >>> rules = ClassificationRules(
    ...     ("glucose", "age"), ramps, (ill, well), intercepts=(0.0, 0.5)
    ... )
    >>> print(rules.without_term("~(age>40 | glucose<127)").to_text())
    ill  = glucose>127±20
    well = 0.5
    """
    positions = range(len(rules.rules)) if label is None else [position_of(rules, label)]
    dropped = terms_of(parse_terms(term, rules, new=False).expression)
    if not dropped:
        raise RuleError(f"{term!r} says nothing, so there is nothing to drop")
    classes = EquivalenceClasses(rules.names, rules.crisp)
    terms = {position: terms_of(rules.expressions[position]) for position in positions}
    there = {classes.of(each) for some in terms.values() for each in some}
    for each in dropped:
        if classes.of(each) not in there:
            raise RuleError(_absent(rules, term, each, classes, positions))
    gone = {classes.of(each) for each in dropped}
    if label is None:
        gone |= {classes.of(each, negated=True) for each in dropped}
    kept = {
        position: total(each for each in some if classes.of(each) not in gone)
        for position, some in terms.items()
    }
    return _with_expressions(rules, kept)


def _with_expressions(rules: AnyRules, expressions: dict[int, Expr]) -> AnyRules:
    changed = (
        Rule(rule.label, expressions.get(position, rule.expression))
        for position, rule in enumerate(rules.rules)
    )
    return replace(rules, rules=tuple(changed))


def _absent(
    rules: RuleSet,
    text: str,
    term: Expr,
    classes: EquivalenceClasses,
    positions: Iterable[int],
) -> str:
    """Why there is no such term, and which terms there are."""
    wording = Wording(rules)
    searched = [rules.rules[position] for position in positions]
    terms = [each for rule in searched for each in terms_of(rule.expression)]
    written = {
        rule.label: list(dict.fromkeys(map(wording.whole, terms_of(rule.expression))))
        for rule in searched
    }
    known = "; ".join(
        f"{written_label(label)} has {list_some(texts, show=str) or 'none'}"
        for label, texts in written.items()
    )
    every = [each for texts in written.values() for each in texts]
    hint = _related(term, terms, classes, wording) or did_you_mean(text, every, show=str)
    where = "any rule" if len(searched) > 1 else f"the rule of {searched[0].label!r}"
    return f"{text!r} is no term of {where}: {known}{hint}"


def _related(
    part: Expr, terms: Iterable[Expr], classes: EquivalenceClasses, wording: Wording
) -> str:
    """A hint, if what is no term is the negation of one, or a part of one."""
    for term in terms:
        if classes.of(term) == classes.of(part, negated=True):
            return f"; its negation is one: {wording.whole(term)}"
        logic = (node for node in unique_nodes([term]) if not isinstance(node, Sum))
        if any(classes.of(node) == classes.of(part) for node in logic):
            return (
                f"; it is a part of the term {wording.whole(term)}: drop all of that, or "
                "write the rule anew by with_rule"
            )
    return ""
