"""The statements of rules: what rules count, each of them once, and what it counts for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crisplogic.algebra import FALSE, TRUE
from crisplogic.expr import Const, Expr, Not, Size, split_sign
from crisplogic.expr.equivalence import EquivalenceClasses
from crisplogic.expr.size import measure_written
from crisplogic.rules.formatting import terms_of

if TYPE_CHECKING:
    from crisplogic.rules.ruleset import RuleSet


def count_votes(rules: RuleSet) -> dict[Expr, tuple[int, ...]]:
    """Every statement of some rules, and how often it counts for each rule.

    A statement that is written in several ways, or as its negation, is one: it stands here as
    it is written first, without a *not* before it. It counts less than 0 times where its
    negation counts. One that counts for no rule in the end is left out.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Flag, Rule
    >>> both = Rule("ill", parse("2 × (0 & ~1) + 1")), Rule("well", parse("(~0 | 1) + ~1"))
    >>> rules = ClassificationRules(("old", "fit"), (Flag(0), Flag(1)), both, crisp=True)
    >>> list(count_votes(rules).values())
    [(2, -1), (1, -1)]
    """
    # Numbers do here what names would: they are equal where the memberships are.
    numbers = {each: str(number) for number, each in enumerate(rules.memberships)}
    classes = EquivalenceClasses([numbers[each] for each in rules.memberships], rules.crisp)
    first: dict[int, Expr] = {}
    votes: dict[Expr, list[int]] = {}
    for position, expr in enumerate(rules.expressions):
        for term in terms_of(expr):
            positive, sign = (Const(TRUE), -1) if term == Const(FALSE) else split_sign(term)
            same, contrary = classes.of(positive), classes.of(positive, negated=True)
            if contrary in first and same not in first:
                same, sign = contrary, -sign
            statement = first.setdefault(same, positive)
            votes.setdefault(statement, [0] * len(rules.rules))[position] += sign
    return {statement: tuple(each) for statement, each in votes.items() if any(each)}


def measure_statements(rules: RuleSet) -> Size:
    """Literals, operators and depth of all statements, each written once and in full.

    A statement that only counts against is written as its negation, with a *not* before it.
    """
    sizes = []
    for statement, votes in count_votes(rules).items():
        sizes.append(measure_written(Not(statement) if max(votes) <= 0 else statement))
    return Size(
        literals=sum(size.literals for size in sizes),
        operators=sum(size.operators for size in sizes) + max(len(sizes) - 1, 0),
        depth=max((size.depth for size in sizes), default=0) + (len(sizes) > 1),
    )
