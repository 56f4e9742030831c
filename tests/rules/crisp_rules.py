"""Crisp rule sets to test with: one to compute by hand, strategies, and a naive judge."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from crisplogic.expr import Const, Expr, Sum, parse
from crisplogic.rules import (
    ClassificationRules,
    Flag,
    Level,
    Membership,
    Missing,
    RegressionRules,
    Rule,
    RuleSet,
    Step,
)
from crisplogic.tables import Levels
from tests.expr.by_node import Truth, kleene_truth
from tests.rules.rule_sets import levels_of_a_column
from tests.strategies import INPUTS, columns, kleene_expressions

# Ill, if at least 3 of 5 points: the first statement counts twice.
CLINIC = ClassificationRules(
    features=("glucose", "age", "smoker", "eye colour"),
    memberships=(
        Step(0, 127.0),
        Step.at_least(1, 40.0),
        Flag(2),
        Level(3, 1, "light blue"),
        Missing(0),
    ),
    rules=(
        Rule("ill", parse("2 × (0 & ~1) + (2 | 3) + (0 ^ 2) + ~4")),
        Rule("well", parse("unknown")),
    ),
    scale=0.8,
    intercepts=(-0.5, 0.0),
    levels=(None, None, None, Levels(("red", "light blue"), ("mauve",))),
    crisp=True,
)

# Numbers with many digits and few, neighbours of such numbers, and the ends of what there is.
awkward = st.sampled_from(
    [0.0, -0.0, 5e-324, 0.1, 0.1 + 0.2, 1 / 3, 40.0, 40.5, 1e16, 1e22, -7.0, 1.7e308, -1.7e308]
)
thresholds = awkward | st.floats(allow_nan=False, allow_infinity=False)
steps = thresholds | thresholds.map(lambda least: math.nextafter(least, -math.inf)).filter(
    math.isfinite
)
_terms = st.lists(kleene_expressions | st.sampled_from([Const(1.0), Const(-1.0)]), max_size=4)


def _sum(terms: list[Expr]) -> Expr:
    twice = [*terms[:1], *terms]  # a term that counts several times
    return Sum(tuple(twice)) if terms else Const(0.0)


def _memberships(draw: st.DrawFn, feature: int, levels: Levels | None) -> list[Membership]:
    if levels is not None:
        return [Missing(feature), *(Level.of(feature, at, levels) for at in range(len(levels)))]
    if draw(st.booleans()):
        return [Missing(feature), Flag(feature)]
    return [Missing(feature), Step(feature, draw(steps)), Step(feature, draw(steps))]


@st.composite
def crisp_rule_sets(draw: st.DrawFn) -> RuleSet:
    """Any crisp rules, for classes or for a number, over columns of any kind and name."""
    features = draw(st.lists(columns, min_size=INPUTS, max_size=INPUTS, unique=True))
    levels = [draw(st.none() | levels_of_a_column) for _ in features]
    possible = [each for at, its in enumerate(levels) for each in _memberships(draw, at, its)]
    inputs = tuple(draw(st.permutations(possible))[:INPUTS])
    exprs = [_sum(draw(_terms)) for _ in range(draw(st.integers(1, 3)))]
    intercepts = tuple(draw(st.integers(-9, 9)) / 2 for _ in exprs)
    if len(exprs) > 1:
        rules = tuple(Rule(f"c{at}", expr) for at, expr in enumerate(exprs))
        return ClassificationRules(
            tuple(features), inputs, rules, 0.5, intercepts, tuple(levels), crisp=True
        )
    price = (Rule("price", exprs[0]),)
    return RegressionRules(
        tuple(features), inputs, price, 0.25, intercepts, tuple(levels), crisp=True
    )


@st.composite
def tables_of(draw: st.DrawFn, rules: RuleSet, rows: int = 6) -> NDArray[np.float64]:
    """A table as the rules read it: at thresholds, beside them and far from them, with gaps."""
    table = np.empty((rows, len(rules.features)))
    for feature, its in enumerate(rules.levels or [None] * len(rules.features)):
        mine = [each for each in rules.memberships if each.feature == feature]
        ends = [each.threshold for each in mine if isinstance(each, Step)]
        near = [math.nextafter(end, to) for end in ends for to in (-math.inf, math.inf)]
        said = st.sampled_from([math.nan, 0.0, 1.0, math.inf, -math.inf, *ends, *near])
        codes = st.integers(-1, len(its or ()) - 1).map(float) | st.just(math.nan)
        cells = said | st.floats() if its is None else codes
        table[:, feature] = draw(hnp.arrays(np.float64, rows, elements=cells))
    return table


def says(membership: Membership, value: float) -> Truth:
    """What a membership says of one value, by its definition."""
    match membership:
        case Missing():
            return math.isnan(value)
        case Step(threshold=threshold):
            return None if math.isnan(value) else value > threshold
        case Flag():
            return bool(value) if value in (0, 1) else None
        case Level(code=code):
            return value == code if value >= 0 else None
    raise AssertionError(membership)


def points_of(truth: Truth) -> int:
    return 0 if truth is None else 1 if truth else -1


def naive_scores(rules: RuleSet, table: NDArray[np.float64]) -> list[list[float]]:
    """The scores of every row by the definition: exact sums of -1, 0 and 1."""
    scores = []
    for row in table.tolist():
        truths = [says(each, row[each.feature]) for each in rules.memberships]
        own = []
        for expr, intercept, factor in zip(
            rules.expressions, rules.intercepts, rules.factors, strict=True
        ):
            terms = expr.terms if isinstance(expr, Sum) else (expr,)
            total = sum(points_of(kleene_truth(term, truths)) for term in terms)
            own.append(float(Fraction(intercept) + Fraction(factor) * total))
        scores.append(own)
    return scores
