"""Rule sets to test with: a small one that a person can compute, and strategies for any."""

from __future__ import annotations

import math

from hypothesis import strategies as st

from crisplogic.expr import parse
from crisplogic.rules import Membership, Ramp, Rule, RuleSet
from crisplogic.rules.rule import Label
from strategies import INPUTS, expressions, names

NAN, INF = math.nan, math.inf

HEALTH = RuleSet(
    features=("glucose", "age"),
    memberships=(Membership(0, 0.0, 200.0), Membership(1, 20.0, 80.0)),
    rules=(Rule("ill", parse("0 & 1")), Rule("well", parse("~0"))),
    scale=2.0,
)
# Learned thresholds, and classes that are not equally likely to begin with.
LEARNED = RuleSet(
    features=("glucose", "body mass"),
    memberships=(Ramp(0, 90.0, 164.0), Ramp(1, 25.5, 37.5)),
    rules=(Rule("ill", parse("0 & ~1")), Rule("well", parse("unknown")), Rule(3, parse("~0"))),
    scale=2.0,
    intercepts=(0.0, 0.25, -1.5),
)


def rules_of(
    *texts: str, labels: tuple[Label, ...] | None = None, features: tuple[str, ...] = ()
) -> RuleSet:
    """Rules over columns whose values already are logic values: each from -1 to 1."""
    features = features or tuple(f"x{number}" for number in range(INPUTS))
    return RuleSet(
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
def rule_sets(draw: st.DrawFn) -> RuleSet:
    """Any rule set, one membership a column."""
    kinds = st.lists(st.sampled_from([Membership, Ramp]), min_size=INPUTS, max_size=INPUTS)
    ranges = [sorted(draw(st.tuples(finite, finite))) for _ in range(INPUTS)]
    rules = tuple(Rule(label, draw(expressions)) for label in draw(label_lists))
    return RuleSet(
        tuple(draw(names)),
        tuple(
            kind(number, *bounds)
            for number, (kind, bounds) in enumerate(zip(draw(kinds), ranges, strict=True))
        ),
        rules,
        draw(st.floats(1e-6, 1e6)),
        tuple(draw(st.tuples(*[intercepts] * len(rules)))),
    )
