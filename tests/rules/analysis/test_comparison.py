"""Comparing rules before and after a change."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import (
    log_loss,
    mean_absolute_error,
    r2_score,
    root_mean_squared_error,
)

from crisplogic import compare
from crisplogic.errors import RuleError, TableError
from crisplogic.expr import parse
from crisplogic.expr.program import CHUNK_ROWS
from crisplogic.rules import ClassificationRules, Ramp, Rule
from crisplogic.rules.analysis.comparison import Comparison
from crisplogic.rules.analysis.evaluation import ClassMetrics, NumberMetrics
from tests.rules.editing.samples import DIABETES, some_rows
from tests.rules.rule_sets import NAN, PATIENTS, PRICE, as_number

BEFORE = ClassificationRules(
    ("glucose",),
    (Ramp(0, 107.0, 147.0),),
    (Rule("well", parse("~0")), Rule("ill", parse("0"))),
    scale=2.0,
)
AFTER = BEFORE.with_threshold("glucose", 140)
ROWS = [[90], [130], [150], [135], [None]]
TRUTH = ["well", "well", "ill", "ill", "ill"]


def a_comparison(
    rows: int = 300,
) -> tuple[
    Comparison[ClassMetrics], ClassificationRules, ClassificationRules, np.ndarray, np.ndarray
]:
    table = some_rows(rows)
    truth = np.random.default_rng(1).choice(["positive", "negative"], rows)
    after = DIABETES.with_threshold("glucose>127", 110).without_term("pedigree")
    return compare(DIABETES, after, table, truth), DIABETES, after, table, truth


def test_rows_that_changed_are_told_by_their_numbers() -> None:
    compared = compare(BEFORE, AFTER, ROWS, TRUTH)
    assert compared.changed.tolist() == [1, 3]
    assert compared.better.tolist() == [1]
    assert compared.worse.tolist() == [3]
    assert compared.rows == 5
    assert (compared.before.error, compared.after.error) == (0.4, 0.4)


def test_errors_and_losses_are_those_of_scikit_learn() -> None:
    compared, before, after, table, truth = a_comparison()
    for metrics, rules in ((compared.before, before), (compared.after, after)):
        shares = rules.predict_proba(table)
        assert metrics.error == pytest.approx((rules.predict(table) != truth).mean())
        order = [rules.labels.index(label) for label in sorted(rules.labels)]
        assert metrics.log_loss == pytest.approx(log_loss(truth, shares[:, order]))
        truths = truth[:, None] == np.array(rules.labels)
        assert metrics.brier == pytest.approx(((shares - truths) ** 2).sum(axis=1).mean())
        assert metrics.literals == rules.size


def test_many_rows_are_compared_as_all_at_once() -> None:
    compared, before, after, table, truth = a_comparison(CHUNK_ROWS + 500)
    changed = before.predict(table) != after.predict(table)
    assert compared.changed.tolist() == np.flatnonzero(changed).tolist()
    right = after.predict(table) == truth
    assert compared.better.tolist() == np.flatnonzero(changed & right).tolist()
    assert len(compared.better) + len(compared.worse) == len(compared.changed)  # two classes
    assert compared.after.error == pytest.approx(1 - right.mean())


def test_a_row_of_weight_two_counts_as_two_rows() -> None:
    weights = [1, 2, 1, 0, 1]
    weighted = compare(BEFORE, AFTER, ROWS, TRUTH, weights)
    repeated = np.repeat(np.arange(5), weights)
    twice = compare(
        BEFORE, AFTER, [ROWS[row] for row in repeated], [TRUTH[row] for row in repeated]
    )
    assert weighted.before.error == pytest.approx(twice.before.error)
    assert weighted.after.log_loss == pytest.approx(twice.after.log_loss)
    assert weighted.after.brier == pytest.approx(twice.after.brier)
    assert weighted.changed.tolist() == [1, 3]  # rows are rows


def test_the_same_rules_are_the_same() -> None:
    compared = compare(BEFORE, BEFORE, ROWS, TRUTH)
    assert compared.diff == ""
    assert len(compared.changed) == 0
    assert str(compared).endswith("for the worse\n\nsame rules")
    text = str(compare(PRICE, PRICE, HOUSES, PRICES))
    assert "0 of 5 predictions changed" in text
    assert text.endswith("same rules")


def test_the_diff_shows_rules_and_legend() -> None:
    lines = compare(BEFORE, AFTER, ROWS, TRUTH).diff.splitlines()
    assert lines[:2] == ["--- before", "+++ after"]
    assert "-ill  = glucose>127±20" in lines
    assert "+glucose>140±20  false up to 120, true from 160" in lines


def test_a_longer_name_changes_no_other_line_of_the_legend() -> None:
    after = DIABETES.with_term("positive", "glucose>123.456789")
    added = [
        line
        for line in compare(DIABETES, after, some_rows(), ["positive"] * 200).diff.splitlines()
        if line.startswith("+") and "true from" in line
    ]
    assert added == ["+glucose>123.456789±20  false up to 103.456789, true from 143.456789"]


def test_the_text_is_a_small_table() -> None:
    lines = str(compare(BEFORE, AFTER, ROWS, TRUTH)).splitlines()
    assert lines[0].split() == ["before", "after", "change"]
    assert lines[1].split() == ["error,", "%", "40.00", "40.00", "+0.00"]
    assert "2 of 5 predictions changed: 1 for the better, 1 for the worse" in lines
    assert "  better: row 1" in lines
    assert "  worse: row 3" in lines


def test_many_rows_are_not_all_printed() -> None:
    compared, *_ = a_comparison(2000)
    assert len(compared.changed) > 50
    assert max(map(len, str(compared).splitlines())) < 150
    assert " more" in str(compared)


def test_frames_and_categories_are_compared() -> None:
    table = pd.DataFrame(
        {"smoker": [True, False], "eye colour": ["red", None], "glucose": [150.0, None]}
    )
    after = PATIENTS.without_term("smoker & glucose>127")
    compared = compare(PATIENTS, after, table, pd.Series(["ill", "well"], index=[7, 9]))
    assert compared.rows == 2


def test_classes_in_another_order_are_the_same_classes() -> None:
    turned = replace(BEFORE, rules=BEFORE.rules[::-1])
    compared = compare(BEFORE, turned, ROWS[:4], TRUTH[:4])
    assert len(compared.changed) == 0
    assert compared.before.log_loss == pytest.approx(compared.after.log_loss)


def test_what_cannot_be_compared_is_refused() -> None:
    other = replace(BEFORE, rules=(Rule("a", parse("0")), Rule("b", parse("~0"))))
    with pytest.raises(RuleError, match="same classes"):
        compare(BEFORE, other, ROWS, TRUTH)
    with pytest.raises(TableError, match="y must hold the classes of the rules"):
        compare(BEFORE, AFTER, ROWS, ["healthy"] * 5)
    with pytest.raises(TableError, match="one class a row, 5 in all, got 2"):
        compare(BEFORE, AFTER, ROWS, ["well", "ill"])
    with pytest.raises(TableError, match="sample_weight"):
        compare(BEFORE, AFTER, ROWS, TRUTH, [1, 2])
    with pytest.raises(TableError, match="without rows"):
        compare(BEFORE, AFTER, np.empty((0, 1)), [])


def test_a_comparison_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        compare(BEFORE, AFTER, ROWS, TRUTH).rows = 3  # type: ignore[misc]


# --- numbers ----------------------------------------------------------------------------------

NEW_PRICE = PRICE.with_threshold("rooms", 7).with_scale(5)
HOUSES = [[7.5, 0, 0], [5.5, 20, 9], [6.5, 20, 9], [NAN, NAN, NAN], [7.0, 20, NAN]]
PRICES = [30.0, 15.0, 20.0, 24.5625, 26.0]


def some_houses(rows: int = 300) -> Any:
    table = np.random.default_rng(0).uniform([4, 0, 0], [9, 20, 9], (rows, 3))
    return table, PRICE.predict(table) + np.random.default_rng(1).normal(0, 2, rows)


def test_metrics_of_numbers_are_those_of_scikit_learn() -> None:
    for rows in (300, CHUNK_ROWS + 10):
        table, truth = some_houses(rows)
        compared = compare(PRICE, NEW_PRICE, table, truth)
        for metrics, rules in ((compared.before, PRICE), (compared.after, NEW_PRICE)):
            predicted = rules.predict(table)
            assert metrics.rmse == pytest.approx(root_mean_squared_error(truth, predicted))
            assert metrics.mae == pytest.approx(mean_absolute_error(truth, predicted))
            assert metrics.r2 == pytest.approx(r2_score(truth, predicted))
            assert metrics.literals == rules.size


def test_rows_are_nearer_or_farther_or_as_they_were() -> None:
    # before: 30.75 14.25 18.375 24.5625 24.5625; after: 30 12.5 15 25 22.5
    compared = compare(PRICE, NEW_PRICE, HOUSES, PRICES)
    assert isinstance(compared.before, NumberMetrics)
    assert PRICE.predict(HOUSES).tolist()[:3] == [30.75, 14.25, 18.375]
    off = [np.abs(rules.predict(HOUSES) - PRICES) for rules in (PRICE, NEW_PRICE)]
    assert compared.changed.tolist() == [0, 1, 2, 3, 4]
    assert compared.better.tolist() == np.flatnonzero(off[1] < off[0]).tolist()
    assert compared.worse.tolist() == np.flatnonzero(off[1] > off[0]).tolist()
    assert 3 in compared.worse


def test_what_changes_without_being_nearer_or_farther_is_neither() -> None:
    before, after = (PRICE.with_rule("price", text) for text in ("20", "22"))
    compared = compare(before, after, HOUSES, [21.0] * 5)
    assert len(compared.changed) == 5
    assert len(compared.better) == len(compared.worse) == 0


def test_it_prints_a_table_the_rows_and_the_diff() -> None:
    compared = compare(PRICE, PRICE.with_intercept("price", 23), HOUSES, PRICES)
    assert str(compared).splitlines() == [
        "                            before     after    change",
        "root mean squared error      1.080    0.8966   -0.1834",
        "mean absolute error         0.9125    0.8125   -0.1000",
        "R²                          0.9563    0.9699   +0.0136",
        "literals                         3         3        +0",
        "",
        "5 of 5 predictions changed: 3 nearer to the truth, 2 farther from it",
        "  better: rows 1, 2, 4",
        "  worse: rows 0, 3",
        "",
        "--- before",
        "+++ after",
        "-price = 22.5 + 4.125 × (rooms>6.5±1 + ¬(poverty>9.7±2 & crime>3±1))",
        "+price = 23 + 4.125 × (rooms>6.5±1 + ¬(poverty>9.7±2 & crime>3±1))",
        "",
        " rooms>6.5±1    false up to 5.5, true from 7.5",
        " poverty>9.7±2  false up to 7.7, true from 11.7",
        " crime>3±1      false up to 2, true from 4",
    ]


def test_a_house_of_weight_two_counts_as_two() -> None:
    weights = [1, 2, 1, 0, 3]
    rows = np.repeat(np.arange(5), weights)
    weighted = compare(PRICE, NEW_PRICE, HOUSES, PRICES, weights)
    repeated = compare(PRICE, NEW_PRICE, [HOUSES[i] for i in rows], [PRICES[i] for i in rows])
    for one, other in ((weighted.before, repeated.before), (weighted.after, repeated.after)):
        assert (one.rmse, one.mae, one.r2) == pytest.approx((other.rmse, other.mae, other.r2))
    assert weighted.rows == 5


def test_a_constant_number_and_a_single_row_are_compared_too() -> None:
    for rows in (HOUSES, HOUSES[:1]):
        compared = compare(PRICE, PRICE.with_rule("price", "20"), rows, [20.0] * len(rows))
        assert (compared.before.r2, compared.after.r2) == (0.0, 1.0)
        assert compared.after.rmse == 0


@pytest.mark.parametrize("factor", [1e-80, 1e80])
def test_huge_and_tiny_numbers_are_compared(factor: float) -> None:
    before, after = (
        rules.with_scale(rules.scale * factor).with_intercept("price", 22.5 * factor)
        for rules in (PRICE, NEW_PRICE)
    )
    compared = compare(before, after, HOUSES, np.array(PRICES) * factor)
    plain = compare(PRICE, NEW_PRICE, HOUSES, PRICES)
    assert compared.after.rmse == pytest.approx(plain.after.rmse * factor, rel=1e-9)
    assert compared.after.r2 == pytest.approx(plain.after.r2)
    assert {len(line) for line in str(compared).splitlines()[:5]} == {54}


def test_rules_over_categories_are_compared() -> None:
    rules = as_number(PATIENTS)
    rows = [[150.0, True, "red"], [None, False, "new"], [100.0, None, None]]
    compared = compare(rules, rules.without_term("glucose is not missing"), rows, [1, 2, 3])
    assert len(compared.changed) == 3


def test_a_number_and_classes_cannot_be_compared() -> None:
    for before, after in ((PRICE, DIABETES), (DIABETES, PRICE)):
        with pytest.raises(RuleError, match=r"if they predict the same, got rules for a "):
            compare(before, after, HOUSES, PRICES)


def test_a_number_may_have_another_name() -> None:
    renamed = PRICE.rename(labels={"price": "value"})
    assert len(compare(PRICE, renamed, HOUSES, PRICES).changed) == 0


@pytest.mark.parametrize(
    ("rows", "y", "said"),
    [
        (HOUSES, None, "y must hold the number of every row, got None"),
        (HOUSES, ["a"] * 5, "one number a row, got 'a'"),
        (HOUSES, PRICES[:3], "5 in all, got 3"),
        (np.empty((0, 3)), [], "a table without rows says nothing"),
    ],
)
def test_answers_are_needed(rows: Any, y: Any, said: str) -> None:
    with pytest.raises(TableError, match=said):
        compare(PRICE, NEW_PRICE, rows, y)
