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

    A number at the end is the intercept; without one it is 0. Parts that rules share can be
    called by the names that they are printed with. A new threshold is as gradual as the
    nearest one of its column; if the column has none, it is a crisp step. With a ``width``,
    it is as gradual as :func:`with_threshold` says. The text may have one as well:
    ``age>50+/-10``. ``2 × (age>50)``, or ``2 * ...``, is a term that counts twice.

    The rule of a number has its intercept and what a term is worth before its terms. Terms
    alone change neither. If the text has one of the two numbers, the other is replaced as
    well: the intercept by 0, the factor by 1. A minus subtracts a term.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Ramp, RegressionRules
    >>> features, ramps = ("glucose", "age"), (Ramp(0, 107.0, 147.0),)
    >>> both = Rule("ill", parse("0")), Rule("well", parse("~0"))
    >>> rules = ClassificationRules(features, ramps, both)
    >>> changed = rules.with_rule("ill", "(glucose>140 & age>50) + glucose>127 - 0.4")
    >>> print(changed.to_text())
    ill  = (glucose>140±20 & age>50) + glucose>127±20 - 0.4
    well = glucose<127±20
    >>> print(changed.legend())
    glucose>127±20  false up to 107, true from 147
    glucose>140±20  false up to 120, true from 160
    age>50          false below 50, true above 50

    >>> costs = Rule("costs", parse("0"))
    >>> rules = RegressionRules(features, ramps, (costs,), 5.0, (20.0,))
    >>> print(rules.with_rule("costs", "glucose>127 - age>50").to_text())
    costs = 20 + 5 × (glucose>127±20 + age<50)
    >>> print(rules.with_rule("costs", "18 + 3.5 * (glucose>127 - age>50)").to_text())
    costs = 18 + 3.5 × (glucose>127±20 + age<50)
    """
    position = position_of(rules, label)
    parsed = parse_rule(text, rules, width)
    others = list(rules.rules)
    others[position] = Rule(rules.labels[position], parsed.expression)
    changed = replace(rules, memberships=parsed.memberships, rules=tuple(others))
    if rules.predicts == "number":
        return _with_numbers(changed, label, parsed)
    return with_intercept(changed, label, parsed.intercept or 0.0)


def _with_numbers(rules: AnyRules, label: Label, parsed: ParsedRule) -> AnyRules:
    """The numbers of a text for the rule of a number; a text without any changes none."""
    if parsed.intercept is None and parsed.factor is None:
        return rules
    rules = with_intercept(rules, label, parsed.intercept or 0.0)
    if parsed.factor is None and parsed.expression == Const(UNKNOWN):
        return rules  # without terms, the text does not say what they are worth
    return with_scale(rules, 1.0 if parsed.factor is None else parsed.factor)


def with_intercept(rules: AnyRules, label: Label, intercept: float) -> AnyRules:
    """The rules with another intercept of one rule.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Membership
    >>> old = Rule("old", parse("0"))
    >>> rules = ClassificationRules(("age",), (Membership(0, 0.0, 9.0),), (old,))
    >>> print(rules.with_intercept("old", 0.3).to_text())
    old = age + 0.3
    """
    if not math.isfinite(intercept):
        raise RuleError(f"an intercept must be a finite number, got {intercept}")
    intercepts = list(rules.intercepts)
    intercepts[position_of(rules, label)] = float(intercept)
    return replace(rules, intercepts=tuple(intercepts))


def with_scale(rules: AnyRules, scale: float) -> AnyRules:
    """The rules with another scale.

    For classes, it says how sure they are: probabilities change, predictions do not. For a
    number, it is what a term is worth.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import Membership, RegressionRules
    >>> ages, years = (Membership(0, 0.0, 9.0),), Rule("years", parse("0"))
    >>> rules = RegressionRules(("age",), ages, (years,))
    >>> print(rules.with_scale(2.5).to_text())
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
    >>> print(rules.rename({"x0": "age"}).to_text())
    old = age
    >>> print(rules.rename({"x0": "age"}, labels={"old": "senior"}).to_text())
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
        **rules.renamed_labels(labels),
    )


def position_of(rules: RuleSet, label: Label) -> int:
    """The position of the rule of a class, or of the number."""
    if label in rules.labels:
        return rules.labels.index(label)
    if rules.predicts == "number":
        known = f"these rules predict {rules.labels[0]!r}"
    else:
        known = f"the classes are {list_some(rules.labels)}"
    hint = did_you_mean(label, map(written_label, rules.labels), show=str)
    raise RuleError(f"there is no {rules.predicts} {label!r}; {known}{hint}")
