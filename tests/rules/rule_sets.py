"""Rule sets to test with: a small one that a person can compute, and strategies for any."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from crisplogic.expr import parse
from crisplogic.rules import (
    ClassificationRules,
    Flag,
    Level,
    Membership,
    Missing,
    Ramp,
    RegressionRules,
    Rule,
    RuleSet,
)
from crisplogic.rules.rule import Label
from crisplogic.tables import Levels
from tests.strategies import INPUTS, columns, expressions, names, values

NAN, INF = math.nan, math.inf

HEALTH = ClassificationRules(
    features=("glucose", "age"),
    memberships=(Membership(0, 0.0, 200.0), Membership(1, 20.0, 80.0)),
    rules=(Rule("ill", parse("0 & 1")), Rule("well", parse("~0"))),
    scale=2.0,
)
# Learned thresholds, and classes that are not equally likely to begin with.
LEARNED = ClassificationRules(
    features=("glucose", "body mass"),
    memberships=(Ramp(0, 90.0, 164.0), Ramp(1, 25.5, 37.5)),
    rules=(Rule("ill", parse("0 & ~1")), Rule("well", parse("unknown")), Rule(3, parse("~0"))),
    scale=2.0,
    intercepts=(0.0, 0.25, -1.5),
)
# Every kind of column, and everything that can be said of it.
COLOURS = Levels(("red", "light blue"), ("mauve", "teal"))
PATIENTS = ClassificationRules(
    features=("glucose", "smoker", "eye colour"),
    memberships=(
        Ramp(0, 90.0, 164.0),
        Missing(0),
        Flag(1),
        Level(2, 0, "red"),
        Level(2, 1, "light blue"),
        Level(2, 2, None),
        Missing(2),
    ),
    rules=(
        Rule("ill", parse("(0 & 2) + ~1 + (3 | 4)")),
        Rule("well", parse("~5 + ~2 + ~4 + ~6")),
    ),
    intercepts=(0.0, 0.25),
    levels=(None, None, COLOURS),
)
# What a house costs: a number, in thousands.
PRICE = RegressionRules(
    features=("rooms", "poverty", "crime"),
    memberships=(Ramp(0, 5.5, 7.5), Ramp(1, 7.7, 11.7), Ramp(2, 2.0, 4.0)),
    rules=(Rule("price", parse("0 + ~(1 & 2)")),),
    scale=4.125,
    intercepts=(22.5,),
)


def rules_of(
    *texts: str, labels: tuple[Label, ...] | None = None, features: tuple[str, ...] = ()
) -> ClassificationRules:
    """Rules over columns whose values already are logic values: each from -1 to 1."""
    features = features or tuple(f"x{number}" for number in range(INPUTS))
    return ClassificationRules(
        features,
        tuple(Membership(number, -1.0, 1.0) for number in range(len(features))),
        tuple(
            Rule(label, parse(text))
            for label, text in zip(labels or range(len(texts)), texts, strict=True)
        ),
    )


finite = st.floats(allow_nan=False, allow_infinity=False)
intercepts = st.just(0.0) | st.sampled_from([0.5, -0.01, 12.0]) | st.floats(-1e6, 1e6)
label_lists = st.lists(
    st.text(max_size=5) | st.integers() | st.booleans() | finite,
    min_size=1,
    max_size=4,
    unique=True,
)


@st.composite
def rule_sets(draw: st.DrawFn) -> ClassificationRules:
    """Any rule set, one membership a column."""
    kinds = st.lists(st.sampled_from([Membership, Ramp]), min_size=INPUTS, max_size=INPUTS)
    ranges = [sorted(draw(st.tuples(finite, finite))) for _ in range(INPUTS)]
    rules = tuple(Rule(label, draw(expressions)) for label in draw(label_lists))
    return ClassificationRules(
        tuple(draw(names)),
        tuple(
            kind(number, *bounds)
            for number, (kind, bounds) in enumerate(zip(draw(kinds), ranges, strict=True))
        ),
        rules,
        draw(st.floats(1e-6, 1e6)),
        tuple(draw(st.tuples(*[intercepts] * len(rules)))),
    )


def as_number(
    rules: RuleSet, label: Label = "price", intercept: float = 22.5, scale: float = 4.125
) -> RegressionRules:
    """The first of some rules as one that predicts a number."""
    only = Rule(label, rules.expressions[0])
    return RegressionRules(
        rules.features, rules.memberships, (only,), scale, (intercept,), rules.levels
    )


@st.composite
def number_rule_sets(draw: st.DrawFn) -> RegressionRules:
    """Any rules that predict a number, over columns of any kind."""
    scale = draw(st.sampled_from([1.0, 4.125, 1e-7]) | st.floats(1e-6, 1e6))
    rules = draw(rule_sets() | mixed_rule_sets())
    return as_number(rules, rules.labels[0], draw(intercepts), scale)


# A table's values have no blanks around them: those say nothing.
levels_of_a_column = st.builds(
    lambda values, own: Levels(values[:own], values[own:]),
    st.lists(values.map(str.strip), max_size=5, unique=True),
    st.integers(0, 5),
)


@st.composite
def mixed_rule_sets(draw: st.DrawFn) -> ClassificationRules:
    """Any rule set over columns of any kind, no membership twice."""
    features = draw(st.lists(columns, min_size=INPUTS, max_size=INPUTS, unique=True))
    levels = [draw(st.none() | levels_of_a_column) for _ in features]
    possible: list[Membership] = []
    for feature, its in enumerate(levels):
        possible.append(Missing(feature))
        if its is None:
            ends = sorted(draw(st.tuples(finite, finite)))
            possible += [draw(st.sampled_from([Flag(feature), Ramp(feature, *ends)]))]
        else:
            possible += [Level.of(feature, code, its) for code in range(len(its))]
    inputs = draw(st.permutations(possible))[:INPUTS]
    rules = tuple(Rule(label, draw(expressions)) for label in draw(label_lists))
    return ClassificationRules(tuple(features), tuple(inputs), rules, levels=tuple(levels))


@st.composite
def coded_tables(draw: st.DrawFn, rules: RuleSet, rows: int = 4) -> NDArray[np.float64]:
    """A table as the rules read it: codes where there are levels, any numbers elsewhere."""
    table = np.empty((rows, len(rules.features)))
    for feature, its in enumerate(rules.levels or [None] * len(rules.features)):
        codes = st.integers(-1, len(its or ()) - 1).map(float) | st.just(NAN)
        cells = st.floats() if its is None else codes
        table[:, feature] = draw(hnp.arrays(np.float64, rows, elements=cells))
    return table


def distinct(rules: RuleSet) -> bool:
    """Whether no two inputs are called the same, so that a name says which is meant."""
    names = [(type(name), name) for name in rules.names]
    return len(set(names)) == len(names)
