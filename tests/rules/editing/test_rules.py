"""Whole rules written by hand, intercepts and names of columns."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from crisplogic.errors import ExpressionError, RuleError
from crisplogic.expr import ASCII, PAPER, Notation, Var, parse
from crisplogic.rules import (
    ClassificationRules,
    Flag,
    Level,
    Membership,
    Missing,
    Ramp,
    Rule,
    RuleSet,
)
from tests.rules.editing.samples import DIABETES, bodies, some_rows
from tests.rules.rule_sets import (
    COLOURS,
    PATIENTS,
    distinct,
    mixed_rule_sets,
    rule_sets,
    rules_of,
)
from tests.strategies import HOSTILE_NAMES


def same_rules(one: RuleSet, other: RuleSet) -> bool:
    same = one.rules == other.rules and one.memberships == other.memberships
    return same and one.intercepts == pytest.approx(other.intercepts, rel=1e-14)


# --- rules as they are printed ----------------------------------------------------------------


@given(rule_sets() | mixed_rule_sets(), st.sampled_from([PAPER, ASCII]))
@settings(max_examples=120)
def test_a_rule_as_it_is_printed_is_the_rule_that_it_was(
    rules: RuleSet, notation: Notation
) -> None:
    assume(distinct(rules))
    for label, body in zip(rules.labels, bodies(rules, notation), strict=True):
        assert same_rules(rules.with_rule(label, body), rules)


@pytest.mark.parametrize(
    "name", [*HOSTILE_NAMES, "a>5", "x>", ">5", "is", "x is red", "h1", "and"]
)
@pytest.mark.parametrize("kind", [Ramp, Membership])
def test_hostile_names_are_written_as_they_are_printed(
    name: str, kind: type[Membership]
) -> None:
    columns = kind(0, 0.0, 1.0), kind(1, 0.0, 1.0)
    rules = ClassificationRules(
        (name, "b"), columns, (Rule(name, parse("0 & ~1")), Rule("y", parse("~0")))
    )
    turned = rules
    for label, body in zip(rules.labels, reversed(bodies(rules, ASCII)), strict=True):
        turned = turned.with_rule(label, body)
    assert turned.expressions == rules.expressions[::-1]
    assert RuleSet.from_json(turned.to_json()) == turned


def test_a_rule_is_replaced_with_its_intercept_and_nothing_else() -> None:
    changed = DIABETES.with_rule("positive", '(glucose>127 & "body mass">30) + pedigree - 0.4')
    assert changed.expressions == (parse("(0 & 1) + 3"), DIABETES.expressions[1])
    assert changed.intercepts == (-0.4, -0.25)
    assert replace(changed, rules=DIABETES.rules, intercepts=DIABETES.intercepts) == DIABETES


@pytest.mark.parametrize(
    ("text", "expression", "intercept"),
    [
        ("pedigree", "3", 0.0),
        ("pedigree + 3", "3", 3.0),
        ("pedigree - 1e-07", "3", -1e-7),
        ("pedigree+.5", "3", 0.5),
        ("0.25", "unknown", 0.25),
        ("-0.25", "unknown", -0.25),
        (" - 2 ", "unknown", -2.0),
        ("0", "unknown", 0.0),
        ("unknown + 1", "unknown", 1.0),
        ("true - 1", "true", -1.0),
        ("glucose<127", "~0", 0.0),
        ("glucose>127 - 5e-3", "0", -0.005),
        ("h1 + ~h1", "(0 & ~1) + ~(0 & ~1)", 0.0),
        ("not pedigree and (glucose > 127 xor h1)", "~3 & (0 ^ (0 & ~1))", 0.0),
        ("(pedigree + glucose>127) & age>40", "tanh(3 + 0) & 4", 0.0),
        ("pedigree\n  + glucose>127\n  + 1", "3 + 0", 1.0),
    ],
)
def test_the_number_at_the_end_is_the_intercept(
    text: str, expression: str, intercept: float
) -> None:
    changed = DIABETES.with_rule("negative", text)
    assert changed.expressions[1] == parse(expression)
    assert changed.intercepts[1] == intercept


def test_changed_rules_predict_print_save_and_load() -> None:
    changed = DIABETES.with_rule("positive", "(glucose>140 & age<45) + weight>90 + 0.1")
    assert str(changed).splitlines()[0] == "positive = (glucose>140 & age<45) + weight>90 + 0.1"
    again = RuleSet.from_json(changed.to_json())
    table = some_rows()
    assert again == changed
    assert again.predict(table).tolist() == changed.predict(table).tolist()
    assert again.with_rule("positive", bodies(again, PAPER)[0]) == changed


# --- what is new ------------------------------------------------------------------------------


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


def test_inputs_that_are_printed_alike_and_differ_cannot_be_told_apart() -> None:
    rules = ClassificationRules(
        ("glucose",),
        (Ramp(0, 107, 147), Ramp(0, 117, 137)),
        (Rule("a", parse("0")), Rule("b", parse("1"))),
    )
    with pytest.raises(ExpressionError, match=r"differ \(false up to 107"):
        rules.with_rule("a", "~(glucose>127)")
    same = rules.with_threshold("glucose>127", 127, width=15)
    assert str(same.with_rule("a", "glucose<127")) == "a = glucose<127\nb = glucose>127"


# --- errors -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said", "place"),
    [
        ("pedigree & glucos>127", "no column 'glucos'.*did you mean glucose", 11),
        ("pedigree & Age>40", "no column 'Age'.*did you mean age", 11),
        ("pedigree & glucose", "possible are glucose>127, glucose>160, glucose>NUMBER", 11),
        ('"body mas">3', "no column 'body mas'.*did you mean body mass", 0),
        ("h1 + h2", "no part is called h2; the shared parts are h1", 5),
        ("glucose>=127", "a threshold is written column>12.5", 7),
        ("glucose = 127", "a threshold is written column>12.5", 8),
        ("pedigree - glucose>127", r"write \+ ~", 9),
        ("3 & pedigree", "a number stands at the end of a rule", 0),
        ("0.5 + pedigree", "a number stands at the end of a rule", 0),
        ("pedigree 0.5", "a number stands at the end of a rule", 9),
        ("pedigree & (glucose>127", r"expected '\)'", 23),
        ("pedigree &", "expected an input", 10),
        ("pedigree pedigree", "expected an operator or the end", 9),
        ("", "nothing to read", 0),
        ("  ", "nothing to read", 0),
        ("glucose is red", "is no category", 0),
        ("glucose is", "expected a value, .* after 'is', found the end", 10),
        ('"body mass', "has to end in one", 0),
        (r'"\q">3', "follows JSON's escapes", 0),
        ("pedigree + $", r"expected an input, .* found '\$'", 11),
        ("pedigree <", "a threshold is written", 9),
    ],
)
def test_an_error_quotes_the_text_and_points_at_the_place(
    text: str, said: str, place: int
) -> None:
    with pytest.raises(ExpressionError, match=said) as raised:
        DIABETES.with_rule("positive", text)
    *_, shown, mark = str(raised.value).split("\n")
    assert mark == " " * (2 + place) + "^"
    assert shown.rstrip() == f"  {text}".rstrip()


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


def test_a_column_called_like_a_threshold_is_told_apart_by_its_quotes() -> None:
    ramps = Ramp(0, 0.0, 10.0), Membership(1, 0.0, 1.0)
    rules = ClassificationRules(
        ("a", "a>5"), ramps, (Rule("x", parse("0")), Rule("y", parse("~1")))
    )
    assert rules.with_rule("x", '"a>5"').expressions[0] == Var(1)
    assert rules.with_rule("x", '"a">5').expressions[0] == Var(0)
    assert rules.with_rule("x", '"a>5" & a>5').expressions[0] == parse("1 & 0")


def test_only_classes_that_there_are_can_have_rules() -> None:
    with pytest.raises(RuleError, match="the classes are 'positive', 'negative'"):
        DIABETES.with_rule("Positve", "pedigree")


# --- intercepts and names ---------------------------------------------------------------------


def test_an_intercept_is_replaced() -> None:
    changed = DIABETES.with_intercept("negative", 0.3)
    assert changed.intercepts == (0.4, 0.3)
    assert replace(changed, intercepts=DIABETES.intercepts) == DIABETES
    assert rules_of("0", "1").with_intercept(1, -2).intercepts == (0.0, -2.0)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_intercepts_are_finite(value: float) -> None:
    with pytest.raises(RuleError, match="finite"):
        DIABETES.with_intercept("negative", value)


def test_columns_are_renamed_and_predict_the_same() -> None:
    changed = DIABETES.rename({"glucose": "blood sugar", "weight": "glucose"})
    assert changed.features == ("blood sugar", "body mass", "age", "pedigree", "glucose")
    assert str(changed) == str(DIABETES).replace("glucose", '"blood sugar"')
    table = some_rows()
    assert changed.scores(table).tolist() == DIABETES.scores(table).tolist()
    assert changed.rename({"blood sugar": "glucose", "glucose": "weight"}) == DIABETES


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_columns_can_be_given_any_name(name: str) -> None:
    changed = DIABETES.rename({"glucose": name})
    assert RuleSet.from_json(changed.to_json()) == changed
    assert changed.rename({name: "glucose"}) == DIABETES


def test_columns_that_are_not_there_or_twice_are_refused() -> None:
    with pytest.raises(RuleError, match=r"no column 'glucos'.*did you mean glucose"):
        DIABETES.rename({"glucos": "x"})
    with pytest.raises(RuleError, match="must differ"):
        DIABETES.rename({"glucose": "age"})


def test_edits_leave_the_rules_they_start_from_as_they_were() -> None:
    before = DIABETES.to_json()
    DIABETES.with_rule("positive", "weight>90 + 3")
    DIABETES.with_threshold("glucose>127", 3)
    DIABETES.without_term("pedigree")
    DIABETES.rename({"age": "years"})
    assert DIABETES.to_json() == before
