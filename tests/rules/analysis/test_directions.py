"""Directions: what is claimed of a column holds when the column is raised."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from crisplogic.expr import parse
from crisplogic.rules import (
    ClassificationRules,
    Flag,
    Membership,
    Missing,
    Ramp,
    RegressionRules,
    Rule,
    RuleSet,
)
from tests.rules.rule_sets import (
    HEALTH,
    LEARNED,
    PATIENTS,
    as_number,
    coded_tables,
    mixed_rule_sets,
    rule_sets,
    rules_of,
)

TOLERANCE = 1e-12


def raised(
    rules: RuleSet, table: NDArray[np.float64], column: int, value: float
) -> NDArray[np.float64]:
    """The table with one column at least this high, where it is known; its gaps stay gaps."""
    higher = table.copy()
    higher[:, column] = np.maximum(higher[:, column], value)  # NaN stays NaN
    return higher


@given(st.data(), rule_sets() | mixed_rule_sets())
def test_no_probability_goes_against_what_is_claimed(
    data: st.DataObject, any: ClassificationRules
) -> None:
    rules = replace(any, scale=data.draw(st.floats(0.1, 10.0)))
    table = data.draw(coded_tables(rules))
    claims = rules.directions()
    for column, name in enumerate(rules.features):
        levels = rules.levels[column] if rules.levels else None
        if levels is not None and not levels.are_ordered:
            assert name not in claims  # its codes have no order
            continue
        values = st.floats(allow_nan=False) if levels is None else st.just(1.0)
        higher = raised(rules, table, column, data.draw(values))
        change = rules.predict_proba(higher, coded=True) - rules.predict_proba(
            table, coded=True
        )
        claimed = claims.get(name, dict.fromkeys(rules.labels, "none"))
        for number, label in enumerate(rules.labels):
            if claimed[label] in ("up", "none"):
                assert (change[:, number] >= -TOLERANCE).all()
            if claimed[label] in ("down", "none"):
                assert (change[:, number] <= TOLERANCE).all()


@given(st.data(), rule_sets())
def test_no_number_goes_against_what_is_claimed(data: st.DataObject, any: RuleSet) -> None:
    scale = data.draw(st.floats(0.1, 10.0))
    rules = as_number(any, any.labels[0], intercept=0.0, scale=scale)
    table = data.draw(coded_tables(rules))
    for column, name in enumerate(rules.features):
        higher = raised(rules, table, column, data.draw(st.floats(allow_nan=False)))
        change = rules.predict(higher) - rules.predict(table)
        claimed = rules.directions().get(name, {}).get(rules.labels[0], "none")
        if claimed in ("up", "none"):
            assert (change >= -TOLERANCE).all()
        if claimed in ("down", "none"):
            assert (change <= TOLERANCE).all()


def test_by_hand() -> None:
    assert HEALTH.directions() == {
        "glucose": {"ill": "up", "well": "down"},
        "age": {"ill": "up", "well": "down"},
    }
    assert LEARNED.directions() == {
        "glucose": {"ill": "up", "well": "both", 3: "down"},
        "body mass": {"ill": "down", "well": "up", 3: "up"},
    }


def test_a_column_may_speak_for_some_classes_both_ways() -> None:
    rules = rules_of("0 + 1", "~0 + 1", "unknown", labels=("a", "b", "c"))
    nothing = {"a": "none", "b": "none", "c": "none"}
    assert rules.directions() == {
        "x0": {"a": "up", "b": "down", "c": "both"},
        "x1": {"a": "both", "b": "both", "c": "down"},
        **dict.fromkeys(rules.features[2:], nothing),  # no rule mentions them
    }


def test_levels_and_gaps_have_no_direction_and_truth_values_have() -> None:
    assert PATIENTS.directions() == {
        "glucose": {"ill": "up", "well": "down"},
        "smoker": {"ill": "up", "well": "down"},
    }
    gap = ClassificationRules(
        ("x",), (Missing(0),), (Rule("a", parse("0")), Rule("b", parse("~0")))
    )
    assert gap.directions() == {"x": {"a": "none", "b": "none"}}
    flag = ClassificationRules(
        ("x",), (Flag(0),), (Rule("a", parse("0 ^ 0")), Rule("b", parse("true")))
    )
    assert flag.directions() == {"x": {"a": "both", "b": "both"}}


def test_several_thresholds_of_a_column_count_together() -> None:
    ramps = Ramp(0, 0.0, 1.0), Ramp(0, 5.0, 6.0)
    either = Rule("a", parse("0 | 1")), Rule("b", parse("unknown"))
    between = Rule("a", parse("0 & ~1")), Rule("b", parse("unknown"))
    assert ClassificationRules(("x",), ramps, either).directions() == {
        "x": {"a": "up", "b": "down"}
    }
    assert ClassificationRules(("x",), ramps, between).directions() == {
        "x": {"a": "both", "b": "both"}
    }


@pytest.mark.parametrize("text", ["0", "~0"])
def test_what_nothing_depends_on_stays_as_it_is(text: str) -> None:
    one_class = rules_of(text)
    assert one_class.directions()["x0"] == {0: "none"}
    constant = ClassificationRules(
        ("x",), (Membership(0, 3.0, 3.0),), (Rule("a", parse(text)), Rule("b", parse("true")))
    )
    assert constant.directions() == {"x": {"a": "none", "b": "none"}}


def test_of_a_number_it_is_how_the_number_acts() -> None:
    rule = Rule("price", parse("0 + ~1 + (2 ^ 3)"))
    memberships = tuple(Membership(number, 0.0, 1.0) for number in range(4))
    rules = RegressionRules(tuple("abcd"), memberships, (rule,), scale=7.0)
    assert rules.directions() == {
        "a": {"price": "up"},
        "b": {"price": "down"},
        "c": {"price": "both"},
        "d": {"price": "both"},
    }
