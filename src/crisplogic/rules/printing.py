"""Rule sets as text: a line a rule, and a line for what each literal means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crisplogic.algebra import UNKNOWN
from crisplogic.expr import Const, Expr, Notation
from crisplogic.expr.lexicon import written_name
from crisplogic.expr.nodes import Operation
from crisplogic.render import definitions, named_parts, to_text

if TYPE_CHECKING:
    from crisplogic.rules.ruleset import RuleSet


def printed(rules: RuleSet, notation: Notation, numbered: bool) -> str:
    """One line a rule; see :meth:`RuleSet.to_text`."""
    names = None if numbered else rules.names
    classes = _heads(rules, numbered)
    shared = named_parts(rules.expressions, {*(names or ()), *classes})
    bodies = [
        *definitions(shared, names, notation).values(),
        *(
            _with_intercept(
                expr,
                to_text(expr, names, notation, shared),
                intercept,
                numbered,
                alone=isinstance(expr, Operation) and expr not in shared,
            )
            for expr, intercept in zip(rules.expressions, rules.intercepts, strict=True)
        ),
    ]
    heads = [*shared.values(), *classes]
    width = max(map(len, heads))
    lines = (f"{head:<{width}} = {body}" for head, body in zip(heads, bodies, strict=True))
    return "\n".join(lines)


def legend(rules: RuleSet, numbered: bool) -> str:
    """One line a membership that the rules use; see :meth:`RuleSet.legend`."""
    heads = [written_name(rules.names[index]) for index in rules.used]
    if numbered:
        heads = [f"{i} = {name}" for i, name in zip(rules.used, heads, strict=True)]
    readings = [_reading(rules, index) for index in rules.used]
    width = max(map(len, heads), default=0)
    lines = [f"{head:<{width}}  {text}" for head, text in zip(heads, readings, strict=True)]
    if numbered:
        pairs = zip(_heads(rules, True), _heads(rules, False), strict=True)
        lines += map(" = ".join, pairs)
    return "\n".join(lines)


def _reading(rules: RuleSet, index: int) -> str:
    membership = rules.memberships[index]
    return membership.reading(rules.levels[membership.feature] if rules.levels else None)


def _heads(rules: RuleSet, numbered: bool) -> list[str]:
    if numbered:
        return [f"c_{number}" for number in range(len(rules.rules))]
    return [
        written_name(label) if isinstance(label, str) else str(label) for label in rules.labels
    ]


def _with_intercept(
    expr: Expr, text: str, intercept: float, numbered: bool, alone: bool
) -> str:
    """A score as text: an expression that says nothing gives way to the number.

    Logic that is ``alone`` has no brackets yet, and needs them beside a number.
    """
    # Where inputs are numbers, a whole intercept would look like one of them.
    size = f"{abs(intercept)!r}" if numbered else f"{abs(intercept):.15g}"
    if expr == Const(UNKNOWN):
        return f"-{size}" if intercept < 0 else size
    if intercept == 0:
        return text
    text = f"({text})" if alone else text
    return f"{text} {'+' if intercept > 0 else '-'} {size}"
