"""From statements with points to rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from crisplogic.expr import Expr, Not, Var, total
from crisplogic.expr.walk import map_children
from crisplogic.rules import ClassificationRules, Rule, RuleSet, Step
from crisplogic.rules.decision import DIGITS, EVEN, probability_of
from crisplogic.rules.rule import Label
from crisplogic.search.convert import plain_numbers
from crisplogic.search.crisp.objective import Scored, as_expression
from crisplogic.search.crisp.statement import Statement, negation
from crisplogic.search.tasks import Task


def rules_from_statements(
    scored: Scored, features: Sequence[str], labels: Sequence[Label], task: Task
) -> RuleSet:
    """The crisp rules of statements with points, in their order."""
    steps: dict[Step, int] = {}
    counts = np.asarray(
        scored.points.any(axis=1)
    )  # limits may leave a statement without points
    terms, points = [], scored.points[counts]
    statements = [each for each, own in zip(scored.statements, counts, strict=True) if own]
    for at, statement in enumerate(statements):
        if (points[at] <= 0).all() and (points[at] < 0).any():
            statement, points[at] = negation(statement), -points[at]
        terms.append(_expression(statement, steps))
    rules = tuple(
        Rule(label, total(_repeat(terms, own)))
        for label, own in zip(labels, points.T, strict=True)
    )
    kind, intercepts = task.rule_type, intercepts_of(scored, task)
    made = kind(tuple(features), tuple(steps), rules, scored.scale, intercepts, crisp=True)
    if not isinstance(made, ClassificationRules) or len(labels) != 2:
        return made
    return with_tie(made, labels[task.positive], scored.tie)


def intercepts_of(scored: Scored, task: Task) -> tuple[float, ...]:
    """The intercepts as rules have them. Of a number, the scale is part of each score."""
    unit = 1.0 if task.rule_type is ClassificationRules else scored.scale
    return plain_numbers(scored.intercepts, [unit] * len(scored.intercepts))


def with_tie(rules: ClassificationRules, positive: Label, tie: float) -> ClassificationRules:
    """Rules of two classes with the logit of the positive one at equal scores."""
    probability = tie_probability(tie)
    even = probability == EVEN
    return replace(rules, positive=positive, tie_probability=None if even else probability)


def tie_probability(tie: float) -> float:
    """The probability of the positive class at equal scores, as rules have it."""
    return float(f"{probability_of(tie):.{DIGITS}g}")


def _expression(statement: Statement, steps: dict[Step, int]) -> Expr:
    inputs = [
        steps.setdefault(Step(each.feature, each.cut), len(steps))
        for each in statement.literals
    ]

    def renumbered(expr: Expr) -> Expr:
        if isinstance(expr, Var):
            return Var(inputs[expr.index])
        return map_children(expr, renumbered)

    return renumbered(as_expression(statement))


def _repeat(terms: Sequence[Expr], points: np.ndarray) -> list[Expr]:
    """Each term as often as it counts, negated if it counts against. Shape: (terms,)."""
    return [
        term if own > 0 else Not(term)
        for term, own in zip(terms, points, strict=True)
        for _ in range(int(abs(own)))
    ]
