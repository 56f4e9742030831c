"""Rules that predict a number: what they compute, and how they are printed."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from crisplogic.errors import RuleError
from crisplogic.expr import ASCII, evaluate
from crisplogic.rules import ClassificationRules, RegressionRules, RuleSet
from crisplogic.rules.formatting import Wording
from tests.rules.rule_sets import NAN, PRICE, as_number, number_rule_sets, rules_of

ROWS = [[7.5, 0, 0], [5.5, 20, 9], [6.5, 20, 9], [NAN, NAN, NAN], [7.0, 20, NAN]]


def number(text: str, intercept: float = 22.5, scale: float = 4.125) -> RegressionRules:
    return as_number(rules_of(text), "y", intercept, scale)


# --- predicting -------------------------------------------------------------------------------


def test_a_true_term_adds_the_scale_and_a_false_one_takes_it_away() -> None:
    base, worth = 22.5, 4.125
    assert PRICE.predict(ROWS).tolist() == [
        base + 2 * worth,
        base - 2 * worth,
        base - worth,
        base + 0.5 * worth,  # two unknowns make an and that is rather false
        base + 0.5 * worth,
    ]


def test_no_rows_have_no_numbers() -> None:
    assert PRICE.predict(np.empty((0, 3))).shape == (0,)
    assert PRICE.predict(np.empty((0, 3))).dtype == np.float64


@given(number_rule_sets())
@settings(max_examples=50)
def test_the_number_is_the_intercept_and_the_scale_times_the_value(rules: RuleSet) -> None:
    degrees = np.random.default_rng(0).uniform(-1, 1, (5, len(rules.features)))
    table = np.where(degrees > 0.9, NAN, degrees)
    values = evaluate(rules.expressions[0], rules.degrees(table, coded=True))
    expected = rules.intercepts[0] + rules.scale * values
    assert rules.predict(table, coded=True) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_a_number_has_neither_probabilities_nor_conflicts() -> None:
    for name in ("predict_proba", "probabilities", "conflicts"):
        assert hasattr(ClassificationRules, name)
        assert not hasattr(PRICE, name)


def test_there_is_one_number() -> None:
    with pytest.raises(RuleError, match="one rule"):
        replace(PRICE, rules=rules_of("0", "1").rules, intercepts=())


# --- printing ---------------------------------------------------------------------------------


def test_the_base_comes_first_and_then_what_terms_are_worth() -> None:
    text = "22.5 + 4.125 × (rooms>6.5±1 + ¬(poverty>9.7±2 & crime>3±1))"
    assert PRICE.to_text() == f"price = {text}"
    assert Wording(PRICE).rule(0) == text
    assert PRICE.to_text(ASCII) == (
        "price = 22.5 + 4.125 * (rooms>6.5+/-1 + ~(poverty>9.7+/-2 & crime>3+/-1))"
    )
    assert PRICE.to_text(numbered=True) == "c_0 = 22.5 + 4.125 × (0 + ¬(1 & 2))"
    assert "poverty>9.7±2  false up to 7.7, true from 11.7" in PRICE.legend()


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("unknown", "22.5"),
        ("0", "22.5 + 4.125 × (x0)"),
        ("~0", "22.5 + 4.125 × (¬x0)"),
        ("0 & 1", "22.5 + 4.125 × (x0 & x1)"),
        ("~(0 & 1)", "22.5 + 4.125 × ¬(x0 & x1)"),
        ("0 + 0", "22.5 + 4.125 × (2 × (x0))"),
        ("true", "22.5 + 4.125 × true"),
        ("tanh(0 + 1)", "22.5 + 4.125 × tanh(x0 + x1)"),
    ],
)
def test_whatever_is_multiplied_cannot_be_misread(text: str, printed: str) -> None:
    assert number(text).to_text() == f"y = {printed}"


@pytest.mark.parametrize(
    ("intercept", "scale", "printed"),
    [
        (-3.0, 2.0, "-3 + 2 × (x0 + x1)"),
        (0.0, 2.0, "2 × (x0 + x1)"),
        (-0.0, 1.0, "1 × (x0 + x1)"),
        (5.0, 1.0, "5 + 1 × (x0 + x1)"),
        (123456789.5, 0.1 + 0.2, "123456789.5 + 0.30000000000000004 × (x0 + x1)"),
        (1e-9, 1e80, "1e-09 + 1e+80 × (x0 + x1)"),
    ],
)
def test_all_digits_of_both_numbers_are_printed(
    intercept: float, scale: float, printed: str
) -> None:
    assert number("0 + 1", intercept, scale).to_text() == f"y = {printed}"


@pytest.mark.parametrize(("intercept", "printed"), [(0.0, "0"), (-0.0, "0"), (-2.5, "-2.5")])
def test_without_terms_there_is_only_the_base(intercept: float, printed: str) -> None:
    assert number("unknown", intercept).to_text() == f"y = {printed}"


def test_numbered_printing_does_not_confuse_numbers_with_inputs() -> None:
    rules = number("0 + 3", 2.0, 1.0)
    assert rules.to_text(ASCII, numbered=True) == "c_0 = 2.0 + 1.0 * (0 + 3)"
    assert rules.legend(numbered=True).splitlines()[-1] == "c_0 = y"


def test_parts_that_terms_share_have_names() -> None:
    rules = number("((0 & 1) | 2) + ~(0 & 1)")
    assert rules.to_text().splitlines() == [
        "h1 = x0 & x1",
        "y  = 22.5 + 4.125 × ((h1 | x2) + ¬h1)",
    ]
    assert Wording(rules).rule(0) == "22.5 + 4.125 × ((h1 | x2) + ¬h1)"


def test_rules_for_a_number_simplify_like_others() -> None:
    rules = number("~(~0 & ~1) + (2 & true)")
    assert rules.simplified().to_text() == "y = 22.5 + 4.125 × ((x0 | x1) + x2)"
    assert math.isclose(rules.predict(np.ones((1, 5)))[0], 22.5 + 2 * 4.125)


# --- transforms -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("transform", "head", "invert"),
    [("log", "log(price)", np.exp), ("log1p", "log(1 + price)", np.expm1)],
)
def test_the_logarithm_is_printed_and_the_number_predicted(
    transform: str, head: str, invert: np.ufunc
) -> None:
    rules = replace(PRICE, transform=transform, scale=0.25, intercepts=(3.0,))
    same = replace(rules, transform=None)
    assert rules.to_text() == f"{head} ={same.to_text().removeprefix('price =')}"
    np.testing.assert_allclose(rules.predict(ROWS), invert(same.predict(ROWS)), rtol=1e-12)
    assert RuleSet.from_json(rules.to_json()) == rules
    explained = rules.explain(ROWS[0])
    assert explained.predicted == rules.predict(ROWS)[0]
    assert f"{head} = " in str(explained)


def test_errors_of_a_logarithm_are_in_the_units_of_the_number() -> None:
    rules = replace(PRICE, transform="log", scale=0.25, intercepts=(3.0,))
    exact = rules.predict(ROWS)
    whole = rules.evidence(ROWS, exact)[0]
    constant = math.exp(3.0)
    expected = math.sqrt(np.square(exact - constant).mean())
    assert whole.effect == pytest.approx(expected)


def test_a_transform_has_a_name() -> None:
    with pytest.raises(RuleError, match="a transform is one of 'log', 'log1p' or None"):
        replace(PRICE, transform="sqrt")
