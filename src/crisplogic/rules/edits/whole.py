"""Whole rules, intercepts and the names of columns, changed by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from crisplogic.errors import RuleError
from crisplogic.rules.edits.hints import no_column, position_of
from crisplogic.rules.edits.reading import read
from crisplogic.rules.rule import Label, Rule

if TYPE_CHECKING:
    from crisplogic.rules.ruleset import RuleSet


def with_rule(rules: RuleSet, label: Label, text: str, width: float | None = None) -> RuleSet:
    """The rules with another rule for a class, written as rules are printed.

    A number at the end is the intercept, which is 0 without one. Parts that rules share can
    be called by the names that they are printed with. A threshold that does not exist yet
    turns as gradually as the nearest one of its column, or, where there is none, as a crisp
    step; or as ``width`` says, see :func:`with_threshold`.

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
    """
    position = position_of(rules, label)
    said = read(text, rules, number=True, width=width)
    others = list(rules.rules)
    others[position] = Rule(rules.labels[position], said.expression)
    changed = replace(rules, memberships=said.memberships, rules=tuple(others))
    return with_intercept(changed, label, said.number or 0.0)


def with_intercept(rules: RuleSet, label: Label, intercept: float) -> RuleSet:
    """The rules with another number that a class has for it anyway.

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


def renamed(rules: RuleSet, columns: Mapping[str, str]) -> RuleSet:
    """The same rules over columns with other names.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import Membership, RuleSet
    >>> rules = RuleSet(("x0",), (Membership(0, 0.0, 9.0),), (Rule("old", parse("0")),))
    >>> print(rules.renamed({"x0": "age"}))
    old = age
    """
    for column in columns:
        if column not in rules.features:
            raise RuleError(no_column(column, rules.features))
    return replace(
        rules, features=tuple(columns.get(column, column) for column in rules.features)
    )
