"""Graded rules read as they are printed: yes or no."""

from __future__ import annotations

from dataclasses import replace

from crisplogic.algebra import UNKNOWN
from crisplogic.expr import Const, Expr, Var
from crisplogic.expr.walk import map_children, unique_nodes
from crisplogic.rules.memberships import Indicator, Membership, Ramp, Step
from crisplogic.rules.rule import AnyRules, Rule


def as_crisp(rules: AnyRules) -> AnyRules:
    """The rules with every threshold read as yes or no, in Kleene's logic.

    A ramp becomes the step at its threshold, as it is printed. "Is high" becomes the step in
    the middle. The intercepts stay, so predictions may change a lot. Rules with a tanh cannot
    be read so.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules
    >>> both = Rule("ill", parse("0")), Rule("well", parse("~0"))
    >>> rules = ClassificationRules(("glucose",), (Ramp(0, 107.0, 147.0),), both)
    >>> print(rules.as_crisp().to_text())
    ill  = glucose>127
    well = glucose≤127
    >>> rules.scores([[127], [132]]).tolist(), rules.as_crisp().scores([[127], [132]]).tolist()
    ([[0.0, 0.0], [0.25, -0.25]], [[-1.0, 1.0], [1.0, -1.0]])
    """
    memberships = tuple(map(_read, rules.memberships))
    expressions = _without_constants(rules)
    crisp = (Rule(label, expr) for label, expr in zip(rules.labels, expressions, strict=True))
    return replace(rules, memberships=memberships, rules=tuple(crisp), crisp=True)


def _read(membership: Membership) -> Indicator:
    """A membership as yes or no."""
    if isinstance(membership, Indicator):
        return membership
    if isinstance(membership, Ramp) and not _is_constant(membership):
        return Step(membership.feature, float(membership.shown))
    return Step(membership.feature, membership.low / 2 + membership.high / 2)


def _without_constants(rules: AnyRules) -> list[Expr]:
    """The expressions, *unknown* in place of what never varied and is unknown everywhere."""
    made: dict[Expr, Expr] = {}
    for node in unique_nodes(rules.expressions):
        if isinstance(node, Var) and _is_constant(rules.memberships[node.index]):
            made[node] = Const(UNKNOWN)
        else:
            made[node] = map_children(node, made.__getitem__)
    return [made[expr] for expr in rules.expressions]


def _is_constant(membership: Membership) -> bool:
    return membership.low == membership.high
