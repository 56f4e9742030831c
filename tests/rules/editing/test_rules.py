"""Whole rules, their numbers and names, changed by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from crisplogic.errors import RuleError
from crisplogic.expr import PAPER, parse
from crisplogic.rules import (
    RuleSet,
)
from tests.rules.editing.samples import DIABETES, bodies, some_rows
from tests.rules.rule_sets import (
    PRICE,
    rules_of,
)
from tests.strategies import HOSTILE_NAMES

# --- whole rules ------------------------------------------------------------------------------


def test_a_rule_is_replaced_with_its_intercept_and_nothing_else() -> None:
    changed = DIABETES.with_rule("positive", '(glucose>127 & "body mass">30) + pedigree - 0.4')
    assert changed.expressions == (parse("(0 & 1) + 3"), DIABETES.expressions[1])
    assert changed.intercepts == (-0.4, -0.25)
    assert replace(changed, rules=DIABETES.rules, intercepts=DIABETES.intercepts) == DIABETES


def test_changed_rules_predict_print_save_and_load() -> None:
    changed = DIABETES.with_rule("positive", "(glucose>140 & age<45) + weight>90 + 0.1")
    assert str(changed).splitlines()[0] == (
        "positive = (glucose>140±20 & age<45±10) + weight>90 + 0.1"
    )
    again = RuleSet.from_json(changed.to_json())
    table = some_rows()
    assert again == changed
    assert again.predict(table).tolist() == changed.predict(table).tolist()
    assert again.with_rule("positive", bodies(again, PAPER)[0]) == changed


def test_only_classes_that_there_are_can_have_rules() -> None:
    with pytest.raises(RuleError, match="the classes are 'positive', 'negative'"):
        DIABETES.with_rule("Positve", "pedigree")


def test_changed_rules_predict_save_and_load() -> None:
    changed = PRICE.with_rule("price", "20 + 3.5 × (rooms>7 - crime>3)")
    again = RuleSet.from_json(changed.to_json())
    assert again == changed
    assert again.predict([[9, 0, 0], [0, 0, 9]]).tolist() == [27.0, 13.0]


def test_edits_leave_the_rules_they_start_from_as_they_were() -> None:
    before = DIABETES.to_json()
    DIABETES.with_rule("positive", "weight>90 + 3")
    DIABETES.with_threshold("glucose>127", 3)
    DIABETES.without_term("pedigree")
    DIABETES.rename({"age": "years"})
    assert DIABETES.to_json() == before


# --- numbers ----------------------------------------------------------------------------------


def test_an_intercept_is_replaced() -> None:
    changed = DIABETES.with_intercept("negative", 0.3)
    assert changed.intercepts == (0.4, 0.3)
    assert replace(changed, intercepts=DIABETES.intercepts) == DIABETES
    assert rules_of("0", "1").with_intercept(1, -2).intercepts == (0.0, -2.0)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_intercepts_are_finite(value: float) -> None:
    with pytest.raises(RuleError, match="finite"):
        DIABETES.with_intercept("negative", value)


def test_base_and_worth_are_changed_alone() -> None:
    assert PRICE.with_intercept("price", 20) == replace(PRICE, intercepts=(20.0,))
    assert PRICE.with_scale(3) == replace(PRICE, scale=3.0)
    assert isinstance(PRICE.with_scale(np.float64(3)).scale, float)


def test_the_scale_of_classes_is_how_sure_they_are() -> None:
    surer, rows = DIABETES.with_scale(9), some_rows()
    assert surer.predict(rows).tolist() == DIABETES.predict(rows).tolist()
    assert surer.predict_proba(rows).max(axis=1).mean() > (
        DIABETES.predict_proba(rows).max(axis=1).mean()
    )


@pytest.mark.parametrize("scale", [0, -1, float("nan"), float("inf"), 1e101])
def test_a_scale_that_makes_no_sense_is_refused(scale: float) -> None:
    for rules in (PRICE, DIABETES):
        with pytest.raises(RuleError, match="the scale must lie between 0 and"):
            rules.with_scale(scale)


# --- names ------------------------------------------------------------------------------------


def test_columns_are_renamed_and_predict_the_same() -> None:
    changed = DIABETES.rename({"glucose": "blood sugar", "weight": "glucose"})
    assert changed.features == ("blood sugar", "body mass", "age", "pedigree", "glucose")
    assert changed.to_text() == DIABETES.to_text().replace("glucose", '"blood sugar"')
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


def test_numbers_and_classes_are_renamed() -> None:
    renamed = PRICE.rename({"crime": "offences"}, labels={"price": "house price"})
    assert renamed.to_text() == (
        '"house price" = 22.5 + 4.125 × (rooms>6.5±1 + ¬(poverty>9.7±2 & offences>3±1))'
    )
    assert PRICE.rename() == PRICE
    turned = DIABETES.rename(labels={"positive": "negative", "negative": "positive"})
    assert turned.labels == ("negative", "positive")
    assert turned.expressions == DIABETES.expressions


def test_names_that_are_not_there_or_there_twice_are_refused() -> None:
    with pytest.raises(RuleError, match="no number 'prize'; these rules predict 'price'; did"):
        PRICE.rename(labels={"prize": "x"})
    with pytest.raises(RuleError, match="no class 'good'; the classes are 'positive', 'neg"):
        DIABETES.rename(labels={"good": "x"})
    with pytest.raises(RuleError, match="every class has one rule"):
        DIABETES.rename(labels={"positive": "negative"})
    edits: list[Callable[[], RuleSet]] = [
        lambda: PRICE.with_rule("cost", "20"),
        lambda: PRICE.with_term("cost", "crime>3"),
        lambda: PRICE.with_intercept("cost", 1),
        lambda: PRICE.without_term("rooms>6.5", label="cost"),
    ]
    for edit in edits:
        with pytest.raises(RuleError, match="no number 'cost'; these rules predict 'price'"):
            edit()
