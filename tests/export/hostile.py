"""Rules in which everything has a hostile name: columns, values and classes."""

from __future__ import annotations

from collections.abc import Sequence

from crisplogic.expr import parse
from crisplogic.rules import (
    ClassificationRules,
    Level,
    Membership,
    Missing,
    Ramp,
    RegressionRules,
    Rule,
    RuleSet,
    Step,
)
from crisplogic.tables import Levels


def hostile_rules(task: str, crisp: bool, names: Sequence[str]) -> RuleSet:
    """Rules over four columns, a text one among them, for two classes, several or a number."""
    a, b, c, d, *_ = names
    levels = Levels((a, b, c), (d,))
    inputs: tuple[Membership, ...] = (
        Step(0, 6.5) if crisp else Ramp(0, 5.5, 7.5),
        Step(1, 2.5) if crisp else Ramp(1, 2.0, 3.5),
        Level(2, 0, a),
        Level(2, 3, None),
        Missing(3),
    )
    texts = ["(0 & 2) + ~3 + 4", "(1 | ~2) + (0 ^ 3)", "~0 + 3"]
    columns, kinds = (a, b, c, d), (None, None, levels, None)
    if task == "number":
        rule = (Rule(a, parse(texts[0])),)
        return RegressionRules(columns, inputs, rule, 0.75, (1.5,), kinds, crisp=crisp)
    count = 2 if task == "two" else 3
    pairs = zip((b, a, d)[:count], texts[:count], strict=True)
    rules = tuple(Rule(label, parse(text)) for label, text in pairs)
    intercepts = (0.5, 0.0, -0.5)[:count]
    return ClassificationRules(columns, inputs, rules, 0.75, intercepts, kinds, crisp=crisp)
