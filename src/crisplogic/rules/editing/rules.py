"""Whole rules, their numbers and the names of columns and classes, changed by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from crisplogic.algebra import UNKNOWN
from crisplogic.errors import RuleError
from crisplogic.expr import Const
from crisplogic.rules.editing.hints import no_column, position_of
from crisplogic.rules.editing.reading import Reading, read
from crisplogic.rules.rule import Label, Rule

if TYPE_CHECKING:
    from crisplogic.rules.ruleset import RuleSet


def with_rule(rules: RuleSet, label: Label, text: str, width: float | None = None) -> RuleSet:
    """The rules with another rule for a class, written as rules are printed.

    A number at the end is the intercept, which is 0 without one. Parts that rules share can
    be called by the names that they are printed with. A threshold that does not exist yet
    turns as gradually as the nearest one of its column, or, where there is none, as a crisp
    step; or as ``width`` says, see :func:`with_threshold`.

    The rule of a number has its base and what a term is worth before its terms. Terms alone
    change neither. With one of both, the text is taken for all there is, as it is for a class:
    no base is 0 then, no factor is 1. A minus takes a term away.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import Ramp, RuleSet
    >>> features, ramps = ("glucose", "age"), (Ramp(0, 107.0, 147.0),)
    >>> rules = RuleSet(features, ramps, (Rule("ill", parse("0")), Rule("well", parse("~0"))))
    >>> changed = rules.with_rule("ill", "(glucose>140 & age>50) + glucose>127 - 0.4")
    >>> print(changed)
    ill  = (glucose>140 & age>50) + glucose>127 - 0.4
    well = glucose<127
    >>> print(changed.legend())
    glucose>127  false up to 107, true from 147
    glucose>140  false up to 120, true from 160
    age>50       false up to 50, true from 50

    >>> costs = Rule("costs", parse("0"))
    >>> rules = RuleSet(features, ramps, (costs,), 5.0, (20.0,), predicts="number")
    >>> print(rules.with_rule("costs", "glucose>127 - age>50"))
    costs = 20 + 5 × (glucose>127 + age<50)
    >>> print(rules.with_rule("costs", "18 + 3.5 * (glucose>127 - age>50)"))
    costs = 18 + 3.5 × (glucose>127 + age<50)
    """
    position = position_of(rules, label)
    said = read(text, rules, number=True, width=width)
    others = list(rules.rules)
    others[position] = Rule(rules.labels[position], said.expression)
    changed = replace(rules, memberships=said.memberships, rules=tuple(others))
    with_numbers = _with_numbers if rules.predicts == "number" else _with_its_intercept
    return with_numbers(changed, label, said)


def _with_its_intercept(rules: RuleSet, label: Label, said: Reading) -> RuleSet:
    return with_intercept(rules, label, said.intercept or 0.0)


def _with_numbers(rules: RuleSet, label: Label, said: Reading) -> RuleSet:
    if said.intercept is None and said.factor is None:
        return rules
    rules = with_intercept(rules, label, said.intercept or 0.0)
    if said.factor is None and said.expression == Const(UNKNOWN):
        return rules  # where there are no terms, nothing is said of what they are worth
    return with_scale(rules, 1.0 if said.factor is None else said.factor)


def with_intercept(rules: RuleSet, label: Label, intercept: float) -> RuleSet:
    """The rules with another number that a class has for it, or that a number is, anyway.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import Membership, RuleSet
    >>> rules = RuleSet(("age",), (Membership(0, 0.0, 9.0),), (Rule("old", parse("0")),))
    >>> print(rules.with_intercept("old", 0.3))
    old = age + 0.3
    """
    if not math.isfinite(intercept):
        raise RuleError(f"an intercept must be a finite number, got {intercept}")
    intercepts = list(rules.intercepts)
    intercepts[position_of(rules, label)] = float(intercept)
    return replace(rules, intercepts=tuple(intercepts))


def with_scale(rules: RuleSet, scale: float) -> RuleSet:
    """The rules with another scale.

    For classes, it says how sure they are: predictions stay, probabilities do not. For a
    number, it is what a term is worth.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import Membership, RuleSet
    >>> ages, years = (Membership(0, 0.0, 9.0),), Rule("years", parse("0"))
    >>> rules = RuleSet(("age",), ages, (years,), predicts="number")
    >>> print(rules.with_scale(2.5))
    years = 2.5 × (age)
    """
    return replace(rules, scale=float(scale))


def renamed(
    rules: RuleSet,
    columns: Mapping[str, str] | None = None,
    labels: Mapping[Label, Label] | None = None,
) -> RuleSet:
    """The same rules with other names for columns, and for classes or the number.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import Membership, RuleSet
    >>> rules = RuleSet(("x0",), (Membership(0, 0.0, 9.0),), (Rule("old", parse("0")),))
    >>> print(rules.renamed({"x0": "age"}))
    old = age
    >>> print(rules.renamed({"x0": "age"}, labels={"old": "senior"}))
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
