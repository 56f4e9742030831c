"""The formulas behind printed rules, so that a reader can compute every number."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from crisplogic.expr import And, Expr, Not, Notation, Or, Squash, Sum, Var, Xor
from crisplogic.expr.nodes import Operation
from crisplogic.expr.notation import Comparison, Statement
from crisplogic.expr.printer import Printer
from crisplogic.expr.walk import unique_nodes
from crisplogic.rules.decision import EVEN
from crisplogic.rules.memberships import Indicator
from crisplogic.rules.number_format import all_digits

if TYPE_CHECKING:
    from crisplogic.rules import ClassificationRules, RegressionRules, RuleSet


def format_formulas(rules: RuleSet, notation: Notation, numbered: bool) -> str:
    """How values follow from literals, and predictions from values; what occurs, and no more.

    >>> from crisplogic.expr import PAPER, parse
    >>> from crisplogic.rules import ClassificationRules, Ramp, Rule
    >>> ramps = Ramp(0, 107.0, 147.0), Ramp(1, 30.0, 50.0)
    >>> both = Rule("well", parse("unknown")), Rule("ill", parse("(0 & ~1) + 0"))
    >>> rules = ClassificationRules(("glucose", "age"), ramps, both, 2.5, (0.4, 0.0))
    >>> print(format_formulas(rules, PAPER, numbered=False))
    False is -1, true is 1, and in between a literal rises evenly. A missing value is 0.
    a<5±1 = -(a>5±1)
    a & b = (1 + a) × (1 + b) / 2 - 1
    The class with the greatest score is predicted, in a tie the first.
    Its probability is e^(2.5 × score), divided by the sum of this over all classes.
    """
    nodes = list(unique_nodes(rules.expressions))
    lines = [_values(rules)] if rules.used else []
    lines += _negations(nodes, Printer(None if numbered else rules.names), notation)
    lines += _crisp_operations(nodes, notation) if rules.crisp else _operations(nodes, notation)
    lines += rules.format_prediction(notation)
    return "\n".join(lines)


def _values(rules: RuleSet) -> str:
    used = [rules.memberships[index] for index in rules.used]
    graded = any(not isinstance(each, Indicator) for each in used)
    between = ", and in between a literal rises evenly" if graded else ""
    steps = " So is one on a step." if any(each.is_step for each in used) else ""
    return f"False is -1, true is 1{between}. A missing value is 0.{steps}"


def _negations(nodes: Sequence[Expr], printer: Printer, notation: Notation) -> Iterator[str]:
    """Negations, in each of the ways in which they are written."""
    opposites = [
        printer.opposite(node.operand.index) if isinstance(node.operand, Var) else None
        for node in nodes
        if isinstance(node, Not)
    ]
    if None in opposites:
        yield f"{notation.not_}a = -a"
    if any(isinstance(name, Comparison) for name in opposites):
        yield f"a{notation.at_most}5 = -(a>5)"
    elif any(name is not None and not isinstance(name, Statement) for name in opposites):
        width = f"{notation.plus_minus}1"
        yield f"a<5{width} = -(a>5{width})"
    if any(
        isinstance(name, Statement) and not isinstance(name, Comparison) for name in opposites
    ):
        yield "a is not b = -(a is b)"


def _operations(nodes: Sequence[Expr], notation: Notation) -> Iterator[str]:
    times = notation.times
    formulas: dict[type[Operation], str] = {
        And: f"a {notation.and_} b = (1 + a) {times} (1 + b) / 2 - 1",
        Or: f"a {notation.or_} b = 1 - (1 - a) {times} (1 - b) / 2",
        Xor: f"a {notation.xor} b = -a {times} b",
    }
    kinds = {type(node) for node in nodes}
    yield from (formula for kind, formula in formulas.items() if kind in kinds)
    if any(isinstance(node, Operation) and len(node.operands) > 2 for node in nodes):
        yield "Several operands are joined from left to right."
    if any(map(_hides_tanh, nodes)):
        yield f"A sum inside logic is its tanh: {notation.not_}(a + b) = -tanh(a + b)"


def _crisp_operations(nodes: Sequence[Expr], notation: Notation) -> Iterator[str]:
    """Kleene's logic, in which every value is -1, 0 or 1."""
    formulas: dict[type[Operation], str] = {
        And: f"a {notation.and_} b is the lesser of a and b.",
        Or: f"a {notation.or_} b is the greater of a and b.",
        Xor: f"a {notation.xor} b = -a {notation.times} b",
    }
    kinds = {type(node) for node in nodes}
    yield from (formula for kind, formula in formulas.items() if kind in kinds)
    if Squash in kinds:
        yield (
            "A sum inside logic, or its tanh, is true if more than half of its terms are, and "
            "false if more than half are false."
        )


def _hides_tanh(node: Expr) -> bool:
    """Whether the tanh of a sum is left out in print."""
    return isinstance(node, Operation | Not) and any(
        isinstance(part, Squash) and isinstance(part.operand, Sum) for part in node.parts
    )


def format_class_prediction(rules: ClassificationRules, notation: Notation) -> list[str]:
    """How scores become a class and its probability."""
    if len(rules.rules) == 1:
        return ["There is one class only, so its probability is 1."]
    power = f"e^({all_digits(rules.scale)} {notation.times} score)"
    lines = [
        "The class with the greatest score is predicted, in a tie the first.",
        f"Its probability is {power}, divided by the sum of this over all classes.",
    ]
    threshold = rules.decision_threshold
    if rules.positive is not None and threshold != EVEN:
        positive = rules.heads()[rules.labels.index(rules.positive)]
        tie = rules.probability_of_a_tie
        odds = f"{all_digits(tie)} / {all_digits(1 - tie)}"
        lines.append(
            f"For {positive} this is multiplied by {odds}: it is predicted from a probability "
            f"of {all_digits(threshold)} on."
        )
    return lines


def format_number_prediction(rules: RegressionRules, notation: Notation) -> list[str]:
    """What a term is worth, and how the number follows from the rule."""
    if not rules.size:
        return ["The same number is predicted for every row."]
    amount = all_digits(rules.scale)
    what = "number" if rules.transform is None else "logarithm"
    lines = [
        f"A term adds {amount} to the {what} where it is true, and takes {amount} away "
        "where it is false."
    ]
    if rules.transform is not None:
        minus, plus = ("", "") if rules.transform == "log" else (" - 1", " plus 1")
        factor = math.exp(min(rules.scale, 700.0))  # a file may hold any scale
        lines.append(
            f"The number is e^logarithm{minus}. So a term multiplies or divides the "
            f"number{plus} by {factor:.4g}."
        )
    return lines
