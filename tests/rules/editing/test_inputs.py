"""What names in written rules stand for: inputs that there are, or new ones."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from crisplogic.errors import ExpressionError
from crisplogic.expr import Var, parse
from crisplogic.rules import (
    ClassificationRules,
    Flag,
    Level,
    Membership,
    Missing,
    Ramp,
    Rule,
    RuleSet,
    Step,
)
from tests.rules.crisp_rules import CLINIC
from tests.rules.editing.samples import DIABETES
from tests.rules.rule_sets import (
    COLOURS,
    PATIENTS,
    PRICE,
    as_number,
)


def test_a_new_threshold_is_as_gradual_as_the_nearest_of_its_column() -> None:
    near_127, near_160 = (DIABETES.with_rule("positive", f"glucose>{at}") for at in (140, 150))
    assert near_127.memberships[-1] == Ramp(0, 120.0, 160.0)
    assert near_160.memberships[-1] == Ramp(0, 140.0, 160.0)


def test_a_new_threshold_of_a_column_without_any_is_a_step_unless_a_width_is_given() -> None:
    step = DIABETES.with_rule("positive", "weight<90")
    assert step.degrees([[0, 0, 0, 0, 89.99], [0, 0, 0, 0, 90.01]])[:, -1].tolist() == [-1, 1]
    given = DIABETES.with_rule("positive", "weight<90 & glucose>140", width=10)
    assert given.memberships[-2:] == (Ramp(4, 80.0, 100.0), Ramp(0, 130.0, 150.0))
    linear = DIABETES.with_term("positive", "pedigree>1")  # has a range, but no threshold
    assert linear.degrees([[0, 0, 0, 0.99, 0], [0, 0, 0, 1.01, 0]])[:, -1].tolist() == [-1, 1]


def test_a_threshold_that_exists_is_no_new_one() -> None:
    assert DIABETES.with_rule("positive", "glucose>127.0").memberships == DIABETES.memberships
    assert DIABETES.with_term("positive", "age<40").memberships == DIABETES.memberships


def test_a_new_threshold_is_made_once() -> None:
    changed = DIABETES.with_rule("positive", "(weight>90 & pedigree) + weight<90.0 + 0.5")
    assert len(changed.memberships) == len(DIABETES.memberships) + 1
    assert changed.expressions[0] == parse("(5 & 3) + ~5")
    assert len(changed.with_term("negative", "weight>90").memberships) == 6


def test_new_statements_of_categories_and_gaps_can_be_made() -> None:
    bare = replace(
        PATIENTS, memberships=(Flag(1),), rules=(Rule("ill", Var(0)),), intercepts=()
    )
    changed = bare.with_rule(
        "ill", '"eye colour" is "light blue" + glucose is missing + "eye colour" is not other'
    )
    assert changed.memberships[1:] == (
        Level.of(2, 1, COLOURS),
        Missing(0),
        Level.of(2, 2, COLOURS),
    )
    assert changed.expressions[0] == parse("1 + 2 + ~3")
    assert RuleSet.from_json(changed.to_json()) == changed


def test_statements_that_exist_are_no_new_ones() -> None:
    changed = PATIENTS.with_rule(
        "well", '"eye colour" is "red" & smoker & glucose is not missing'
    )
    assert changed.memberships == PATIENTS.memberships
    assert changed.expressions[1] == parse("3 & 2 & ~1")


def test_new_thresholds_and_statements_are_made() -> None:
    changed = PRICE.with_rule("price", "10 + 2 × (rooms>7 - crime is missing)")
    assert changed.memberships[-2] == Ramp(0, 6.0, 8.0)
    rules = as_number(PATIENTS)
    changed = rules.with_rule("price", '1 + 2 × ("eye colour" is not red)')
    assert changed.memberships == rules.memberships
    assert Level.of(2, 0, COLOURS) in changed.memberships


def test_shared_parts_are_called_by_their_names() -> None:
    rules = PRICE.with_rule(
        "price", "1 × ((rooms>6.5 & crime>3 | poverty>9.7) + ~(rooms>6.5 & crime>3))"
    )
    assert rules.to_text().startswith("h1    = rooms>6.5±1 & crime>3±1\n")
    assert rules.with_rule("price", "5 + 2 × (h1 - poverty>9.7)").to_text() == (
        "price = 5 + 2 × ((rooms>6.5±1 & crime>3±1) + poverty<9.7±2)"
    )


def test_thresholds_that_differ_in_width_are_told_apart_by_it() -> None:
    rules = ClassificationRules(
        ("glucose",),
        (Ramp(0, 107, 147), Ramp(0, 117, 137)),
        (Rule("a", parse("0")), Rule("b", parse("1"))),
    )
    assert rules.names == ("glucose>127+/-20", "glucose>127+/-10")
    with pytest.raises(ExpressionError, match=r"one of several inputs: glucose>127\+/-20"):
        rules.with_rule("a", "~(glucose>127)")
    changed = rules.with_rule("a", "glucose<127+/-10 + glucose > 127 ± 20")
    assert changed.expressions[0] == parse("~1 + 0")
    same = rules.with_threshold("glucose>127", 127, width=15)
    assert (
        same.with_rule("a", "glucose<127").to_text() == "a = glucose<127±15\nb = glucose>127±15"
    )
    one = rules.with_threshold("glucose>127+/-10", 140)
    assert one.names == ("glucose>127+/-20", "glucose>140+/-10")


def test_a_new_threshold_may_say_its_width() -> None:
    changed = DIABETES.with_rule("positive", "weight>90+/-10")
    assert changed.memberships[-1] == Ramp(4, 80.0, 100.0)
    assert changed.with_rule("positive", "weight>90+/-10").memberships == changed.memberships


def test_a_column_called_like_a_threshold_is_told_apart_by_its_quotes() -> None:
    ramps = Ramp(0, 0.0, 10.0), Membership(1, 0.0, 1.0)
    rules = ClassificationRules(
        ("a", "a>5"), ramps, (Rule("x", parse("0")), Rule("y", parse("~1")))
    )
    assert rules.with_rule("x", '"a>5"').expressions[0] == Var(1)
    assert rules.with_rule("x", '"a">5').expressions[0] == Var(0)
    assert rules.with_rule("x", '"a>5" & a>5').expressions[0] == parse("1 & 0")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('"eye colour" is purple', "is never 'purple'; possible are \"eye colour\" is red"),
        ('"eye colour" is rad', "did you mean red"),
        ('"eye colour">3', "is a category, without thresholds; possible are"),
        ('"eye colour"', "alone is not true or false"),
        ("smoker is yes", "is no category"),
    ],
)
def test_errors_about_categories_say_what_is_possible(text: str, said: str) -> None:
    with pytest.raises(ExpressionError, match=said):
        PATIENTS.with_rule("ill", text)


def test_truth_values_can_be_named_even_where_no_rule_has_them_yet() -> None:
    nothing = tuple(Rule(label, parse("unknown")) for label in PATIENTS.labels)
    rules = replace(PATIENTS, memberships=PATIENTS.memberships[:1], rules=nothing)
    assert (
        rules.with_rule("ill", "glucose>127 & ~smoker")
        .to_text()
        .startswith("ill  = glucose>127±37 & ¬smoker")
    )
    with pytest.raises(ExpressionError, match="is true or false, without thresholds"):
        rules.with_rule("ill", "smoker>0.5")


# Crisp rules


@pytest.mark.parametrize(
    ("text", "row", "truth"),
    [
        ("age>40", 40.0, -1),
        ("age<=40", 40.0, 1),
        ("age≤40", 40.5, -1),
        ("age>=40", 40.0, 1),
        ("age ≥ 40", 39.999, -1),
        ("age<40", 40.0, -1),
        ("age<40", 39.999, 1),
        ("~(age<40)", 40.0, 1),
        ("age>=-0.5", -0.5, 1),
        ("age>40 & age<=41", 41.0, 1),
        ("age<40", math.nan, 0),
    ],
)
def test_a_comparison_in_crisp_rules_means_exactly_what_it_says(
    text: str, row: float, truth: int
) -> None:
    changed = CLINIC.with_rule("ill", text)
    assert changed.crisp
    [[score, _]] = changed.scores([[100.0, row, 0, "red"]])
    assert score == truth


def test_a_step_that_is_there_is_used_again() -> None:
    changed = CLINIC.with_term("ill", "age<40 & glucose ≤ 127.0 & smoker")
    assert changed.memberships == CLINIC.memberships
    assert CLINIC.with_term("ill", "age>40").memberships == (*CLINIC.memberships, Step(1, 40.0))


@pytest.mark.parametrize("text", ["age>40±3", "age > 40 +/- 3", "age<=40±3"])
def test_crisp_rules_have_no_widths(text: str) -> None:
    with pytest.raises(ExpressionError, match="crisp rules has no width; graded rules have"):
        CLINIC.with_term("ill", text)
    with pytest.raises(ExpressionError, match="crisp rules has no width"):
        CLINIC.with_term("ill", "age>40", width=3.0)


def test_graded_rules_have_widths_in_either_spelling() -> None:
    ramps = DIABETES.with_term("positive", "weight>80±5").memberships
    assert ramps == DIABETES.with_term("positive", "weight>80+/-5").memberships
    assert ramps[-1] == Ramp(4, 75.0, 85.0)


@pytest.mark.parametrize("text", ["smoker>=1", "eye colour", '"eye colour">=1'])
def test_what_has_no_threshold_gets_no_step(text: str) -> None:
    with pytest.raises(ExpressionError):
        CLINIC.with_term("ill", text)


def test_terms_and_names_of_crisp_rules_change_and_they_stay_crisp() -> None:
    without = CLINIC.without_term("age<40 & glucose>127 & age<40")
    assert without.crisp
    assert without.size == CLINIC.size - 2
    renamed = CLINIC.rename({"age": "years"}, {"ill": "sick"})
    assert renamed.crisp
    assert "years>=40" in renamed.names
    assert CLINIC.with_intercept("ill", 1.5).with_scale(2.0).crisp


def test_a_column_that_is_called_like_a_step_is_meant_where_no_step_is() -> None:
    both = Rule("a", parse("0")), Rule("b", parse("unknown"))
    flags = Flag(0), Flag(1)
    rules = ClassificationRules(("x>5", "y>=5"), flags, both, crisp=True)
    assert rules.with_rule("a", "x>5").expressions[0] == parse("0")
    assert rules.with_rule("a", '"y>=5"').expressions[0] == parse("1")
