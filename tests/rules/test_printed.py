"""What is printed can be computed: an evaluator of the text agrees with the rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crisplogic import LogicClassifier, LogicRegressor
from crisplogic.expr import ASCII, And, Not, Sum, Var
from crisplogic.rules import (
    ClassificationRules,
    Flag,
    Level,
    Membership,
    Missing,
    RegressionRules,
    Rule,
    RuleSet,
)
from crisplogic.rules.editing.thresholds import ramp_at
from crisplogic.rules.rule import Label
from crisplogic.tables import Levels
from tests.printed_text import PrintedRules
from tests.rules.rule_sets import levels_of_a_column
from tests.strategies import INPUTS, columns, expressions, logic_values

# Rows hold values that no training row had.
pytestmark = pytest.mark.filterwarnings("ignore::crisplogic.errors.UnseenValuesWarning")

Row = dict[str, Any]

# Columns, thresholds and labels that could be taken for something else.
COLUMNS = (
    "x",
    "x>5",
    "x<5",
    "x>5+/-1",
    "x is red",
    "h1",
    "h2",
    "",
    ">5",
    "true",
    "two  blanks",
)
CENTRES = (0.0, 5.0, 2.34, 2.3400000000001, 1 / 3, -3.0, 1e12 + 0.5, 1.7e18, 1e-9)
WIDTHS = (0.5, 1.0, 0.25, 1 / 3, 0.0)
LABELS: tuple[Label, ...] = (
    "yes",
    "no",
    "h1",
    "h3",
    "True",
    True,
    7,
    "7",
    -2.5,
    "a = b",
    "light blue",
    "unknown",
)

some_columns = st.lists(st.sampled_from(COLUMNS) | columns, min_size=1, max_size=4, unique=True)
labels: st.SearchStrategy[list[Label]] = st.lists(
    st.sampled_from(LABELS), min_size=1, max_size=4, unique=True
)
numbers = st.sampled_from([0.0, 0.25, -1.5, 0.1 + 0.2, 260.0, 1e-7]) | st.floats(-1e3, 1e3)


@st.composite
def memberships_of(
    draw: st.DrawFn, feature: int, levels: Levels | None, flag: bool
) -> Membership:
    """Anything that can be said of a column."""
    if flag:
        return draw(st.sampled_from([Flag(feature), Missing(feature)]))
    if levels is not None:
        every = [Level.of(feature, code, levels) for code in range(len(levels))]
        return draw(st.sampled_from([Missing(feature), *every]))
    centre, width = draw(st.sampled_from(CENTRES)), draw(st.sampled_from(WIDTHS))
    wide = max(width, abs(centre) * 1e-6)
    return draw(
        st.sampled_from(
            [
                ramp_at(feature, centre, width and wide),
                ramp_at(feature, 5.0, width),
                Membership(feature, centre - wide - 1, centre + wide),
                Membership(feature, 5.0, 5.0),
                Missing(feature),
            ]
        )
    )


@st.composite
def models(draw: st.DrawFn) -> RuleSet:
    """Rules over columns with confusing names, which share parts and inputs."""
    features = draw(some_columns)
    flags = [draw(st.integers(0, 3)) == 0 for _ in features]
    levels = [None if flag else draw(st.none() | levels_of_a_column) for flag in flags]
    inputs = [
        draw(memberships_of(feature, levels[feature], flags[feature]))
        for feature in draw(
            st.lists(st.integers(0, len(features) - 1), min_size=INPUTS, max_size=INPUTS)
        )
    ]
    shared, other = draw(logic_values), draw(logic_values)
    exprs = expressions | st.sampled_from(
        [
            Not(shared),
            And((shared, other)),
            Sum((shared, shared, other)),
            Sum((Not(shared), other, Not(shared))),
            Sum((Var(0),) * 120),
        ]
    )
    scale, every = draw(st.sampled_from([1.0, 2.5, 0.1 + 0.2, 1e-3])), tuple(levels)
    if draw(st.booleans()):
        rule = Rule(draw(st.sampled_from(LABELS)), draw(exprs))
        return RegressionRules(features, inputs, (rule,), scale, (draw(numbers),), every)  # type: ignore[arg-type]
    rules = tuple(Rule(label, draw(exprs)) for label in draw(labels))
    intercepts = tuple(draw(numbers) for _ in rules)
    return ClassificationRules(features, inputs, rules, scale, intercepts, every)  # type: ignore[arg-type]


@st.composite
def rows_of(draw: st.DrawFn, rules: RuleSet) -> Row:
    """A row with missing and unseen values, and values on thresholds."""
    row: Row = {}
    for feature, name in enumerate(rules.features):
        own = [each for each in rules.memberships if each.feature == feature]
        levels = rules.levels[feature] if rules.levels else None
        if any(isinstance(each, Flag) for each in own):
            row[name] = draw(st.sampled_from([True, False, None, 1.0, "no"]))
        elif levels is not None:
            known = [*levels.names, *levels.others, "never seen", None]
            row[name] = draw(st.sampled_from(known))
        else:
            ends = [end for each in own for end in (each.low, each.high)]
            near = [value for end in ends for value in (end, end + 0.3, end - 1.0)]
            middles = [each.low / 2 + each.high / 2 for each in own]
            row[name] = draw(st.sampled_from([*near, *middles, None, 5.0, 0.0, 1e6]))
    return row


def assert_computable(rules: RuleSet, rows: Sequence[Row], text: str | None = None) -> None:
    """A reader of the text computes what the rules compute."""
    printed = PrintedRules(str(rules) if text is None else text)
    assert len(printed.labels) == len(set(printed.labels)) == len(rules.labels)
    for row in rows:
        table = pd.DataFrame({name: pd.Series([row[name]], dtype=object) for name in row})
        scores = rules.scores(table)[0]
        assert printed.scores(row) == pytest.approx(scores.tolist(), rel=1e-9, abs=1e-9)
        if isinstance(rules, ClassificationRules):
            shares = rules.predict_proba(table)[0].tolist()
            assert printed.probabilities(row) == pytest.approx(shares, rel=1e-6, abs=1e-9)
            predicted = rules.labels.index(rules.predict(table)[0])
            assert printed.scores(row)[predicted] == pytest.approx(max(printed.scores(row)))
        else:
            assert printed.number(row) == pytest.approx(rules.predict(table)[0], rel=1e-7)


@given(models(), st.data())
@settings(max_examples=120)
def test_a_reader_of_the_text_computes_what_the_rules_compute(
    rules: RuleSet, data: st.DataObject
) -> None:
    rows = [data.draw(rows_of(rules)) for _ in range(3)]
    assert_computable(rules, rows)
    ascii_ = [rules.to_text(ASCII), rules.legend(notation=ASCII), rules.formulas(ASCII)]
    assert_computable(rules, rows, "\n\n".join(filter(None, ascii_)))


@given(models())
@settings(max_examples=50)
def test_inputs_that_differ_are_called_differently(rules: RuleSet) -> None:
    meant: dict[tuple[type, str], Membership] = {}
    for index in rules.used:
        name, membership = rules.names[index], rules.memberships[index]
        first = meant.setdefault((type(name), name), membership)
        assert first.reading() == membership.reading()
    assert RuleSet.from_json(rules.to_json()) == rules


def table_of_every_kind(rows: int) -> tuple[list[list[Any]], list[str]]:
    """Numbers, truth values and categories, some of them missing, and a class."""
    rng = np.random.default_rng(0)
    table: list[list[Any]] = []
    classes = []
    for _ in range(rows):
        age, sick = float(rng.integers(20, 80)), bool(rng.random() < 0.5)
        colour = str(rng.choice(["red", "light blue", "other", "missing"]))
        classes.append("h1" if (age > 50) != (sick and colour == "red") else "h2")
        table.append([age if rng.random() < 0.9 else None, sick, colour])
    return table, classes


@pytest.mark.parametrize("depth", [1, 2])
def test_fitted_rules_can_be_computed_from_their_text(depth: int) -> None:
    table, classes = table_of_every_kind(60)
    options: dict[str, Any] = {"epochs": 3, "folds": 2, "restarts": 1, "random_state": 0}
    options |= {"depth": depth, "width": 3}
    rows = [*table[:8], [None, None, "never seen"], [50.0, True, None]]
    number = [age or 50.0 for age, *_ in table]
    for estimator, y in ((LogicClassifier, classes), (LogicRegressor, number)):
        options["literals"] = "graded"  # crisp rules are printed in words
        fitted = estimator(missing_literals=True, **options).fit(table, y)
        for point in list(fitted.frontier_)[::3]:
            named = [dict(zip(point.rules.features, row, strict=True)) for row in rows]
            assert_computable(point.rules, named)
