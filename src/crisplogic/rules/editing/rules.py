"""Whole rules, their numbers and the names of columns and classes, changed by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from crisplogic.algebra import UNKNOWN
from crisplogic.errors import RuleError
from crisplogic.expr import Const
from crisplogic.messages import did_you_mean, list_some
from crisplogic.rules.editing.grammar import ParsedRule, parse_rule
from crisplogic.rules.editing.inputs import no_column
from crisplogic.rules.formatting import written_label
from crisplogic.rules.rule import AnyRules, Label, Rule

if TYPE_CHECKING:
    from crisplogic.rules.ruleset import RuleSet


def with_rule(rules: AnyRules, label: Label, text: str, width: float | None = None) -> AnyRules:
    """The rules with another rule for a class, written as rules are printed.

    A number at the end is the intercept, which is 0 without one. Parts that rules share can
    be called by the names that they are printed with. A threshold that does not exist yet
    turns as gradually as the nearest one of its column, or, where there is none, as a crisp
    step; or as ``width`` says, see :func:`with_threshold`.

    The rule of a number has its base and what a term is worth before its terms. Terms alone
    change neither. With one of both, the text is taken for all there is, as it is for a class:
    no base is 0 then, no factor is 1. A minus takes a term away.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Ramp, RegressionRules
    >>> features, ramps = ("glucose", "age"), (Ramp(0, 107.0, 147.0),)
    >>> both = Rule("ill", parse("0")), Rule("well", parse("~0"))
    >>> rules = ClassificationRules(features, ramps, both)
    >>> changed = rules.with_rule("ill", "(glucose>140 & age>50) + glucose>127 - 0.4")
    >>> print(changed)
    ill  = (glucose>140 & age>50) + glucose>127 - 0.4
    well = glucose<127
    >>> print(changed.legend())
    glucose>127  false up to 107, true from 147
    glucose>140  false up to 120, true from 160
    age>50       false up to 50, true from 50

    >>> costs = Rule("costs", parse("0"))
    >>> rules = RegressionRules(features, ramps, (costs,), 5.0, (20.0,))
    >>> print(rules.with_rule("costs", "glucose>127 - age>50"))
    costs = 20 + 5 × (glucose>127 + age<50)
    >>> print(rules.with_rule("costs", "18 + 3.5 * (glucose>127 - age>50)"))
    costs = 18 + 3.5 × (glucose>127 + age<50)
    """
    position = position_of(rules, label)
    parsed = parse_rule(text, rules, width)
    others = list(rules.rules)
    others[position] = Rule(rules.labels[position], parsed.expression)
    changed = replace(rules, memberships=parsed.memberships, rules=tuple(others))
    with_numbers = _with_numbers if rules.predicts == "number" else _with_its_intercept
    return with_numbers(changed, label, parsed)


def _with_its_intercept(rules: AnyRules, label: Label, parsed: ParsedRule) -> AnyRules:
    return with_intercept(rules, label, parsed.intercept or 0.0)


def _with_numbers(rules: AnyRules, label: Label, parsed: ParsedRule) -> AnyRules:
    if parsed.intercept is None and parsed.factor is None:
        return rules
    rules = with_intercept(rules, label, parsed.intercept or 0.0)
    if parsed.factor is None and parsed.expression == Const(UNKNOWN):
        return rules  # where there are no terms, nothing is said of what they are worth
    return with_scale(rules, 1.0 if parsed.factor is None else parsed.factor)


def with_intercept(rules: AnyRules, label: Label, intercept: float) -> AnyRules:
    """The rules with another number that a class has for it, or that a number is, anyway.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Membership
    >>> old = Rule("old", parse("0"))
    >>> rules = ClassificationRules(("age",), (Membership(0, 0.0, 9.0),), (old,))
    >>> print(rules.with_intercept("old", 0.3))
    old = age + 0.3
    """
    if not math.isfinite(intercept):
        raise RuleError(f"an intercept must be a finite number, got {intercept}")
    intercepts = list(rules.intercepts)
    intercepts[position_of(rules, label)] = float(intercept)
    return replace(rules, intercepts=tuple(intercepts))


def with_scale(rules: AnyRules, scale: float) -> AnyRules:
    """The rules with another scale.

    For classes, it says how sure they are: predictions stay, probabilities do not. For a
    number, it is what a term is worth.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import Membership, RegressionRules
    >>> ages, years = (Membership(0, 0.0, 9.0),), Rule("years", parse("0"))
    >>> rules = RegressionRules(("age",), ages, (years,))
    >>> print(rules.with_scale(2.5))
    years = 2.5 × (age)
    """
    return replace(rules, scale=float(scale))


def rename(
    rules: AnyRules,
    columns: Mapping[str, str] | None = None,
    labels: Mapping[Label, Label] | None = None,
) -> AnyRules:
    """The same rules with other names for columns, and for classes or the number.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Membership
    >>> old = Rule("old", parse("0"))
    >>> rules = ClassificationRules(("x0",), (Membership(0, 0.0, 9.0),), (old,))
    >>> print(rules.rename({"x0": "age"}))
    old = age
    >>> print(rules.rename({"x0": "age"}, labels={"old": "senior"}))
    senior = age
    """
    columns, labels = columns or {}, labels or {}
    for column in columns:
        if column not in rules.features:
            raise RuleError(no_column(column, rules.features))
    for label in labels:
        position_of(rules, label)
    return replace(
        rules,
        features=tuple(columns.get(column, column) for column in rules.features),
        rules=tuple(
            Rule(labels.get(rule.label, rule.label), rule.expression) for rule in rules.rules
        ),
    )


def position_of(rules: RuleSet, label: Label) -> int:
    """Which of the rules is that of a class, or of the number."""
    if label in rules.labels:
        return rules.labels.index(label)
    if rules.predicts == "number":
        known = f"these rules predict {rules.labels[0]!r}"
    else:
        known = f"the classes are {list_some(rules.labels)}"
    hint = did_you_mean(label, map(written_label, rules.labels), show=str)
    raise RuleError(f"there is no {rules.predicts} {label!r}; {known}{hint}")
