"""Thresholds moved by hand: which literal is meant, and what becomes of it."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crisplogic.errors import RuleError
from crisplogic.expr import parse
from crisplogic.expr.notation import parse_comparison
from crisplogic.rules import ClassificationRules, Membership, Ramp, Rule, RuleSet
from crisplogic.rules.editing.thresholds import ramp_at
from tests.rules.crisp_rules import CLINIC
from tests.rules.editing.samples import DIABETES, some_rows
from tests.rules.rule_sets import PATIENTS, PRICE
from tests.strategies import HOSTILE_NAMES

HOSTILE = (*HOSTILE_NAMES, "a>5", "x>", ">5", "h1", "glucose>127", "glucose is missing")


def of_columns(*names: str) -> RuleSet:
    ramps = tuple(Ramp(number, 0.0, 10.0) for number in range(len(names)))
    return ClassificationRules(names, ramps, (Rule("a", parse("0")), Rule("b", parse("~0"))))


def test_a_threshold_changes_in_all_rules_and_keeps_its_width() -> None:
    changed = DIABETES.with_threshold("glucose>127", 130)
    assert changed.to_text() == DIABETES.to_text().replace("127", "130")
    assert changed.memberships[0] == Ramp(0, 110.0, 150.0)
    assert changed == replace(DIABETES, memberships=changed.memberships)
    assert changed.memberships[1:] == DIABETES.memberships[1:]


@pytest.mark.parametrize(
    "literal",
    ["glucose>127", "glucose<127", "glucose>127.0", "glucose > 1.27e2", '"glucose">127'],
)
def test_any_writing_of_a_literal_names_it(literal: str) -> None:
    assert DIABETES.with_threshold(literal, 130) == DIABETES.with_threshold("glucose>127", 130)


@pytest.mark.parametrize(
    "literal",
    ["body mass", '"body mass"', "body mass>30", '"body mass" < 30', "body mass<30.0"],
)
def test_a_column_with_one_threshold_is_name_enough(literal: str) -> None:
    assert DIABETES.with_threshold(literal, 31).memberships[1] == Ramp(1, 26.0, 36.0)


def test_of_a_column_that_rules_do_not_use_the_threshold_can_be_named_as_well() -> None:
    assert DIABETES.with_threshold("age", 41).memberships[4] == Ramp(2, 31.0, 51.0)


def test_a_threshold_that_is_used_goes_before_one_that_is_not() -> None:
    rules = replace(DIABETES, memberships=(*DIABETES.memberships, Ramp(1, 0.0, 1.0)))
    assert rules.with_threshold("body mass", 31).memberships[5] == Ramp(1, 0.0, 1.0)


def test_literals_that_are_printed_alike_change_together() -> None:
    rules = replace(
        DIABETES, memberships=(Ramp(0, 107, 147), Ramp(0, 117, 137), *[Ramp(1, 0, 1)] * 3)
    )
    changed = rules.with_threshold("glucose>127", 130)
    assert changed.memberships[:2] == (Ramp(0, 110, 150), Ramp(0, 120, 140))


def test_a_width_can_be_given() -> None:
    changed = DIABETES.with_threshold("glucose>127", 130, width=5)
    assert changed.memberships[0] == Ramp(0, 125.0, 135.0)


@pytest.mark.parametrize("threshold", [130, -0.5, 0.0, 1e-9, 2460000.912, 1e15, 0.1, -1e300])
def test_a_width_of_0_is_a_crisp_step(threshold: float) -> None:
    rules = of_columns("x").with_threshold("x", threshold, width=0)
    assert rules.names == (f"x>{threshold:.12g}",)
    nearby = abs(threshold) * 1e-12 or 1e-6
    table = [[threshold - nearby], [threshold + nearby], [threshold], [-1.7e308], [1.7e308]]
    assert rules.degrees(table)[:, 0].tolist() == [-1, 1, 0, -1, 1]
    assert rules.scores(table)[:, 0].tolist() == [-1, 1, 0, -1, 1]
    assert RuleSet.from_json(rules.to_json()) == rules
    ends = re.findall(r"false \w+ ?t?o? (\S+), true \w+ (\S+)$", rules.legend())
    assert [float(end) for end in ends[0]] == pytest.approx(
        [threshold] * 2, rel=1e-13, abs=1e-11
    )


def test_a_step_stays_one_wherever_it_is_moved() -> None:
    rules = of_columns("x").with_threshold("x", 1e-6, width=0).with_threshold("x", 1e9)
    assert rules.degrees([[1e9 - 1e-3], [1e9 + 1e-3]])[:, 0].tolist() == [-1, 1]


@given(
    st.floats(-1e6, 1e6).map(lambda value: float(f"{value:.12g}")),
    st.floats(1e-9, 1e6),
)
def test_a_ramp_by_hand_is_called_and_turns_as_it_should(
    threshold: float, width: float
) -> None:
    ramp = ramp_at(0, threshold, width)
    assert ramp.low < ramp.high
    _, shown, shown_width = parse_comparison(ramp.name("x")[1:])
    assert shown == pytest.approx(threshold, abs=1e-5 * max(width, 1e-9))
    assert shown_width is None or shown_width == pytest.approx(
        (ramp.high - ramp.low) / 2, rel=1e-9
    )
    least = 8 * math.ulp(max(abs(threshold), 1e-300))
    assert (ramp.high - ramp.low) / 2 == pytest.approx(max(width, least), rel=1e-5, abs=least)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_columns_can_be_named_as_they_are_and_as_they_are_printed(name: str) -> None:
    rules = of_columns(name, "other")
    printed = rules.legend().rsplit("  ", 1)[0]
    for literal in (name, f"{name}>5", printed):
        changed = rules.with_threshold(literal, 7)
        assert changed.memberships == (Ramp(0, 2.0, 12.0), Ramp(1, 0.0, 10.0)), literal
        assert RuleSet.from_json(changed.to_json()) == changed


def test_what_is_not_there_is_answered_by_what_is() -> None:
    with pytest.raises(RuleError, match="did you mean glucose>127") as raised:
        DIABETES.with_threshold("glucos>127", 130)
    assert '"body mass">30' in str(raised.value)
    with pytest.raises(
        RuleError, match=r"there are glucose>127\+/-20, glucose>160\+/-10; did you mean"
    ):
        DIABETES.with_threshold("glucose>128", 130)
    with pytest.raises(
        RuleError, match=r"several thresholds; name one of glucose>127\+/-20, glucose>160\+/-10"
    ):
        DIABETES.with_threshold("glucose", 130)


@pytest.mark.parametrize(
    "literal", ["pedigree", "weight", "", "glucose>127 & age>40", '"', "h1"]
)
def test_whatever_has_no_threshold_is_refused(literal: str) -> None:
    with pytest.raises(RuleError, match="no literal with a threshold is called"):
        DIABETES.with_threshold(literal, 1)


@pytest.mark.parametrize("literal", ["smoker", "eye colour", "eye colour is red"])
def test_categories_and_truth_values_have_no_thresholds(literal: str) -> None:
    with pytest.raises(RuleError, match="there are glucose>127"):
        PATIENTS.with_threshold(literal, 1)


def test_rules_without_any_threshold_say_so() -> None:
    rules = ClassificationRules(("x",), (Membership(0, 0, 1),), (Rule("a", parse("0")),))
    with pytest.raises(RuleError, match="these rules have no thresholds"):
        rules.with_threshold("x", 1)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_thresholds_are_finite_numbers(value: float) -> None:
    with pytest.raises(RuleError, match="finite"):
        DIABETES.with_threshold("glucose>127", value)
    with pytest.raises(ValueError, match="width must be a finite number, 0 or more"):
        DIABETES.with_threshold("glucose>127", 130, width=value)


def test_a_negative_width_is_refused() -> None:
    with pytest.raises(ValueError, match="width must be"):
        DIABETES.with_threshold("glucose>127", 130, width=-1)


@given(st.floats(-1e3, 1e3))
@settings(max_examples=30)
def test_only_the_membership_of_the_literal_changes_on_any_row(threshold: float) -> None:
    table = some_rows(50)
    changed = DIABETES.with_threshold("glucose>127", threshold, width=10)
    before, after = DIABETES.degrees(table), changed.degrees(table)
    assert after[:, 1:].tolist() == before[:, 1:].tolist()
    expected = np.clip((table[:, 0] - threshold) / 10, -1, 1)
    assert after[:, 0] == pytest.approx(np.nan_to_num(expected, nan=0.0), abs=1e-6)


def test_thresholds_of_a_number_move() -> None:
    moved = PRICE.with_threshold("rooms", 7)
    assert str(moved).startswith("price = 22.5 + 4.125 × (rooms>7±1 + ")
    assert moved.predict([[7, 0, 0]]).tolist() == [22.5 + 4.125]


# Steps of crisp rules


@pytest.mark.parametrize(
    ("literal", "moved"),
    [
        ("glucose>127", "glucose>130"),
        ("glucose<=127", "glucose>130"),
        ("glucose ≤ 127.0", "glucose>130"),
        ("glucose", "glucose>130"),
        ("age>=40", "age>=130"),
        ("age<40", "age>=130"),
        ("age≥40", "age>=130"),
        ('"age"', "age>=130"),
    ],
)
def test_a_step_keeps_its_sign(literal: str, moved: str) -> None:
    changed = CLINIC.with_threshold(literal, 130)
    assert moved in changed.names
    assert sum(x != y for x, y in zip(changed.names, CLINIC.names, strict=True)) == 1
    assert changed.crisp
    assert changed == replace(CLINIC, memberships=changed.memberships)


@pytest.mark.parametrize("literal", ["age>40", "age<=40", "glucose>=127", "glucose>127±3"])
def test_a_step_is_called_by_what_it_says(literal: str) -> None:
    with pytest.raises(RuleError, match=r"there are (age>=40|glucose>127)"):
        CLINIC.with_threshold(literal, 130)


def test_a_step_gets_no_width() -> None:
    with pytest.raises(RuleError, match="crisp rules has no width; graded rules"):
        CLINIC.with_threshold("age", 45, width=3)


def test_a_ramp_is_not_called_by_a_step() -> None:
    with pytest.raises(RuleError, match="no literal with a threshold is called age>=40"):
        DIABETES.with_threshold("age>=40", 45)
