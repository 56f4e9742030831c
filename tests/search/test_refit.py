"""Refitting edited rules: other numbers, the same logic, never a greater loss."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from crisplogic import compare, refit
from crisplogic.errors import TableError
from crisplogic.expr import And, Const, Expr, Not, Var, parse
from crisplogic.rules import (
    ClassificationRules,
    Membership,
    Ramp,
    RegressionRules,
    Rule,
    RuleSet,
)
from tests.rules.editing.samples import DIABETES, some_rows
from tests.rules.rule_sets import PATIENTS, rules_of
from tests.strategies import INPUTS, expressions

Labels = NDArray[np.str_]


def by_glucose(table: NDArray[np.float64], threshold: float = 150.0) -> Labels:
    """Who is ill by one column, every tenth by lot."""
    rng = np.random.default_rng(3)
    ill = np.nan_to_num(table[:, 0], nan=100.0) > threshold
    ill ^= rng.random(len(table)) < 0.1
    return np.where(ill, "positive", "negative")


def check(
    rules: ClassificationRules, table: object, y: object, weights: object = None
) -> ClassificationRules:
    """Refit, and see that only numbers changed and that no loss rose."""
    after = refit(rules, table, y, weights)
    compared = compare(rules, after, table, y, weights)
    assert compared.after.log_loss <= compared.before.log_loss
    assert after.expressions == rules.expressions
    assert (after.labels, after.features, after.levels) == (
        rules.labels, rules.features, rules.levels,
    )  # fmt: skip
    for old, new in zip(rules.memberships, after.memberships, strict=True):
        assert (type(old), old.feature) == (type(new), new.feature)
        assert isinstance(old, Ramp) or old == new
    assert RuleSet.from_json(after.to_json()) == after
    return after


def test_thresholds_intercepts_and_scale_follow_the_rows() -> None:
    table = some_rows(400)
    y = by_glucose(table)
    after = check(DIABETES, table, y)
    compared = compare(DIABETES, after, table, y)
    assert compared.after.log_loss < 0.8 * compared.before.log_loss
    assert compared.after.error < compared.before.error
    assert after.scale != DIABETES.scale
    assert after.memberships[4] == DIABETES.memberships[4]  # no rule uses it


def test_numbers_are_those_that_are_printed() -> None:
    table = some_rows(400)
    after = check(DIABETES, table, by_glucose(table))
    assert all(round(value, 2) == value for value in after.intercepts)
    for number in (0, 1, 2):
        ramp = after.memberships[number]
        assert round(ramp.low, 2) == ramp.low
        assert round(ramp.high, 2) == ramp.high


def test_refitted_rules_are_as_good_as_they_get_this_way() -> None:
    table = some_rows(400)
    y = by_glucose(table)
    once = check(DIABETES, table, y)
    twice = check(once, table, y)
    assert (
        compare(once, twice, table, y).after.log_loss
        > 0.97 * compare(DIABETES, once, table, y).after.log_loss
    )


def test_an_edit_that_cost_something_is_mended() -> None:
    table = some_rows(400)
    y = by_glucose(table)
    good = refit(DIABETES, table, y)
    ramp = good.memberships[0]
    assert isinstance(ramp, Ramp)
    moved = good.with_threshold(f"glucose>{ramp.threshold:.12g}", 110)
    spoiled = compare(good, moved, table, y)
    mended = compare(moved, check(moved, table, y), table, y)
    assert mended.after.log_loss < spoiled.after.log_loss
    assert mended.after.log_loss < 1.1 * spoiled.before.log_loss


def test_linear_memberships_stay_and_their_intercepts_and_scale_move() -> None:
    columns = tuple(Membership(number, 0.0, 200.0) for number in range(5))
    rules = replace(DIABETES, memberships=columns)
    table = some_rows(300)
    after = check(rules, table, by_glucose(table))
    assert after.memberships == rules.memberships
    assert (after.intercepts, after.scale) != (rules.intercepts, rules.scale)


def test_beside_linear_memberships_thresholds_move() -> None:
    rules = DIABETES.with_rule("positive", "glucose>120 + pedigree")
    rules = rules.with_rule("negative", "~pedigree")
    table = some_rows(400)
    after = check(rules, table, by_glucose(table))
    assert after.memberships[-1] != rules.memberships[-1]


def test_rules_with_tanh_are_refitted_in_full() -> None:
    rules = DIABETES.with_rule("positive", "(glucose>127 + age>40 + pedigree) & ~h1")
    assert "Squash" in repr(rules.expressions[0])
    table = some_rows(400)
    y = by_glucose(table)
    after = check(rules, table, y)
    assert after.memberships[0] != rules.memberships[0]


def test_constant_rules_learn_how_frequent_the_classes_are() -> None:
    always, never = Rule("a", Const(1.0)), Rule("b", Not(Const(1.0)))
    rules = ClassificationRules(("x",), (), (always, never))
    y = np.array(["a"] * 30 + ["b"] * 70)
    after = check(rules, np.zeros((100, 1)), y)
    assert after.predict_proba([[0.0]])[0] == pytest.approx([0.3, 0.7], abs=0.01)


def test_one_class_has_nothing_to_fit() -> None:
    rules = rules_of("0 + 1", labels=("only",))
    assert refit(rules, np.zeros((4, INPUTS)), ["only"] * 4) == rules


def test_where_nothing_better_is_found_the_rules_come_back() -> None:
    table = some_rows(300)
    y = by_glucose(table)
    best, after = DIABETES, refit(DIABETES, table, y)
    for _ in range(30):
        if after is best:
            break
        best, after = after, refit(after, table, y)
    assert after is best


def test_steps_can_be_refitted() -> None:
    rules = DIABETES.with_rule("positive", "glucose>120 & weight>60", width=0)
    table = some_rows(400)
    check(rules, table, by_glucose(table))


def test_categories_and_gaps_stay_as_they_are() -> None:
    rng = np.random.default_rng(0)
    rows = 300
    glucose = rng.uniform(60, 220, rows)
    table = [
        [value if keep else None, smokes, colour]
        for value, keep, smokes, colour in zip(
            glucose, rng.random(rows) > 0.1, rng.random(rows) > 0.5,
            rng.choice(["red", "light blue", "teal", "new"], rows), strict=True,
        )
    ]  # fmt: skip
    y = np.where((glucose > 160) | (rng.random(rows) < 0.1), "ill", "well")
    after = check(PATIENTS, table, y)
    assert after.memberships[1:] == PATIENTS.memberships[1:]
    assert after.memberships[0] != PATIENTS.memberships[0]


def test_weights_count() -> None:
    table = some_rows(300)
    y = by_glucose(table)
    weights = np.where(y == "positive", 5.0, 0.5)
    weights[:20] = 0.0
    heavy = check(DIABETES, table, y, weights)
    light = check(DIABETES, table, y)
    for_positive = [rules.predict_proba(table)[:, 0].mean() for rules in (heavy, light)]
    assert for_positive[0] > for_positive[1] + 0.05


@given(st.lists(expressions, min_size=2, max_size=3), st.integers(0, 2**16), st.booleans())
@settings(max_examples=25)
def test_no_rules_are_worse_afterwards(exprs: list[Expr], seed: int, ramps: bool) -> None:
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(40, INPUTS))
    table[rng.random(table.shape) < 0.1] = np.nan
    kind = Ramp if ramps else Membership
    rules = ClassificationRules(
        tuple(f"x{number}" for number in range(INPUTS)),
        tuple(kind(number, -1.0, 1.5) for number in range(INPUTS)),
        tuple(Rule(number, expr) for number, expr in enumerate(exprs)),
    )
    check(rules, table, rng.integers(len(exprs), size=40))


def test_deep_rules_take_no_longer_than_their_parts() -> None:
    deep: Expr = Var(0)
    for _ in range(25):  # written out, it would have 2^25 literals
        deep = And((deep, Not(deep)))
    rules = ClassificationRules(("x",), (Ramp(0, -1, 1),), (Rule("a", deep), Rule("b", Var(0))))
    table = np.linspace(-2, 2, 50)[:, None]
    after = refit(rules, table, np.where(table[:, 0] > 0.5, "b", "a"))
    assert after.expressions[0] is deep


def test_columns_that_do_not_vary_or_are_missing_are_no_trouble() -> None:
    table = some_rows(100)
    y = by_glucose(table)
    table[:, 1] = 7.0
    table[:, 3] = np.nan
    table[::7, 0] = np.inf
    check(DIABETES, table, y)


def test_more_rows_than_are_needed_are_sampled() -> None:
    table = some_rows(30_000)
    check(DIABETES, table, by_glucose(table))


def test_what_cannot_be_fitted_is_refused() -> None:
    with pytest.raises(TableError, match="without rows"):
        refit(DIABETES, np.empty((0, 5)), [])
    with pytest.raises(TableError, match="y must hold the class of every row"):
        refit(DIABETES, some_rows(2), None)
    with pytest.raises(TableError, match="classes of the rules"):
        refit(DIABETES, some_rows(2), ["positive", "maybe"])
    with pytest.raises(TableError, match="y must have one class a row"):
        refit(DIABETES, some_rows(2), [["positive"], ["negative"]])


# --- numbers ------------


Floats = NDArray[np.float64]

PRICE = RegressionRules(
    ("rooms", "area"),
    (Ramp(0, 2.0, 8.0), Ramp(1, 40.0, 120.0)),
    (Rule("price", parse("(0 & 1) + ~1")),),
    scale=10.0,
    intercepts=(100.0,),
)


def houses(rows: int = 300, seed: int = 0) -> tuple[Floats, Floats]:
    """Large houses of many rooms cost more; nothing is as the rules have it."""
    rng = np.random.default_rng(seed)
    table = np.column_stack([rng.integers(1, 10, rows), rng.uniform(20, 200, rows)]).astype(
        float
    )
    price = 300 + 80.0 * ((table[:, 0] > 4) & (table[:, 1] > 90)) - 30.0 * (table[:, 1] > 90)
    return table, price + rng.normal(0, 5, rows)


def test_thresholds_base_and_scale_follow_the_rows() -> None:
    table, price = houses()
    after = refit(PRICE, table, price)
    compared = compare(PRICE, after, table, price)
    assert compared.after.rmse < 0.2 * compared.before.rmse
    assert compared.after.r2 > 0.6
    assert after.expressions == PRICE.expressions
    assert after.predicts == "number"
    new, truth = houses(seed=1)
    assert compare(PRICE, after, new, truth).after.r2 > 0.5


def test_the_numbers_of_a_price_are_those_that_are_printed() -> None:
    table, price = houses()
    after = refit(PRICE, table, price)
    assert after.with_rule("price", after.to_text().removeprefix("price = ")).predict(
        table
    ).tolist() == pytest.approx(after.predict(table).tolist())
    assert len(f"{after.scale:g}") <= 5


def test_rows_count_as_much_as_they_weigh() -> None:
    table, price = houses()
    both = np.concatenate([table, table]), np.concatenate([price, -price])
    weights = np.repeat([1.0, 0.0], len(table))
    assert refit(PRICE, *both, weights) == refit(PRICE, table, price)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 999), st.sampled_from([1e-9, 1.0, 1e9]), st.sampled_from([0.0, 1e6]))
def test_the_error_never_rises(seed: int, unit: float, base: float) -> None:
    table, price = houses(40, seed)
    price = np.random.default_rng(seed).permutation(price) * unit + base
    rules = replace(PRICE, scale=unit, intercepts=(base,))
    after = refit(rules, table, price)
    compared = compare(rules, after, table, price)
    assert compared.after.rmse <= compared.before.rmse
    assert np.isfinite(after.predict(table)).all()


def test_rules_without_terms_become_the_mean() -> None:
    table, price = houses()
    bare = replace(PRICE, rules=(Rule("price", parse("unknown")),))
    assert refit(bare, table, price).predict(table[:1])[0] == pytest.approx(
        price.mean(), rel=0.01
    )


def test_what_is_no_number_is_refused() -> None:
    table, price = houses()
    with pytest.raises(TableError, match="number"):
        refit(PRICE, table, ["dear"] * len(price))
    with pytest.raises(TableError, match="y must"):
        refit(PRICE, table, None)
