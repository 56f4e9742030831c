"""Comparing rules that predict a number, before and after a change."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error

from crisplogic import compare
from crisplogic.errors import RuleError, TableError
from crisplogic.expr.program import CHUNK_ROWS
from crisplogic.rules.analysis.comparison import NumberComparison
from tests.rules.editing.samples import DIABETES
from tests.rules.rule_sets import NAN, PATIENTS, PRICE, as_number

AFTER = PRICE.with_threshold("rooms", 7).with_scale(5)
ROWS = [[7.5, 0, 0], [5.5, 20, 9], [6.5, 20, 9], [NAN, NAN, NAN], [7.0, 20, NAN]]
TRUTH = [30.0, 15.0, 20.0, 24.5625, 26.0]


def some_rows(rows: int = 300) -> Any:
    table = np.random.default_rng(0).uniform([4, 0, 0], [9, 20, 9], (rows, 3))
    return table, PRICE.predict(table) + np.random.default_rng(1).normal(0, 2, rows)


def test_figures_are_those_of_scikit_learn() -> None:
    for rows in (300, CHUNK_ROWS + 10):
        table, truth = some_rows(rows)
        compared = compare(PRICE, AFTER, table, truth)
        for figures, rules in ((compared.before, PRICE), (compared.after, AFTER)):
            predicted = rules.predict(table)
            assert figures.rmse == pytest.approx(root_mean_squared_error(truth, predicted))
            assert figures.mae == pytest.approx(mean_absolute_error(truth, predicted))
            assert figures.r2 == pytest.approx(r2_score(truth, predicted))
            assert figures.literals == rules.size


def test_rows_are_nearer_or_farther_or_as_they_were() -> None:
    # before: 30.75 14.25 18.375 24.5625 24.5625; after: 30 12.5 15 25 22.5
    compared = compare(PRICE, AFTER, ROWS, TRUTH)
    assert isinstance(compared, NumberComparison)
    assert PRICE.predict(ROWS).tolist()[:3] == [30.75, 14.25, 18.375]
    off = [np.abs(rules.predict(ROWS) - TRUTH) for rules in (PRICE, AFTER)]
    assert compared.changed.tolist() == [0, 1, 2, 3, 4]
    assert compared.better.tolist() == np.flatnonzero(off[1] < off[0]).tolist()
    assert compared.worse.tolist() == np.flatnonzero(off[1] > off[0]).tolist()
    assert 3 in compared.worse


def test_what_changes_without_being_nearer_or_farther_is_neither() -> None:
    before, after = (PRICE.with_rule("price", text) for text in ("20", "22"))
    compared = compare(before, after, ROWS, [21.0] * 5)
    assert len(compared.changed) == 5
    assert len(compared.better) == len(compared.worse) == 0


def test_it_prints_a_table_the_rows_and_the_diff() -> None:
    compared = compare(PRICE, PRICE.with_intercept("price", 23), ROWS, TRUTH)
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
        "-price = 22.5 + 4.125 × (rooms>6.5 + ¬(poverty>9.7 & crime>3))",
        "+price = 23 + 4.125 × (rooms>6.5 + ¬(poverty>9.7 & crime>3))",
        "",
        " rooms>6.5    false up to 5.5, true from 7.5",
        " poverty>9.7  false up to 7.7, true from 11.7",
        " crime>3      false up to 2, true from 4",
    ]


def test_the_same_rules_have_no_diff() -> None:
    text = str(compare(PRICE, PRICE, ROWS, TRUTH))
    assert "0 of 5 predictions changed" in text
    assert text.endswith("same rules")


def test_a_row_of_weight_two_counts_as_two_rows() -> None:
    weights = [1, 2, 1, 0, 3]
    rows = np.repeat(np.arange(5), weights)
    weighted = compare(PRICE, AFTER, ROWS, TRUTH, weights)
    repeated = compare(PRICE, AFTER, [ROWS[i] for i in rows], [TRUTH[i] for i in rows])
    for one, other in ((weighted.before, repeated.before), (weighted.after, repeated.after)):
        assert (one.rmse, one.mae, one.r2) == pytest.approx((other.rmse, other.mae, other.r2))
    assert weighted.rows == 5


def test_a_constant_number_and_a_single_row_are_compared_too() -> None:
    for rows in (ROWS, ROWS[:1]):
        compared = compare(PRICE, PRICE.with_rule("price", "20"), rows, [20.0] * len(rows))
        assert (compared.before.r2, compared.after.r2) == (0.0, 1.0)
        assert compared.after.rmse == 0


@pytest.mark.parametrize("factor", [1e-80, 1e80])
def test_huge_and_tiny_numbers_are_compared(factor: float) -> None:
    before, after = (
        rules.with_scale(rules.scale * factor).with_intercept("price", 22.5 * factor)
        for rules in (PRICE, AFTER)
    )
    compared = compare(before, after, ROWS, np.array(TRUTH) * factor)
    plain = compare(PRICE, AFTER, ROWS, TRUTH)
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
            compare(before, after, ROWS, TRUTH)


def test_a_number_may_have_another_name() -> None:
    renamed = PRICE.rename(labels={"price": "value"})
    assert len(compare(PRICE, renamed, ROWS, TRUTH).changed) == 0


@pytest.mark.parametrize(
    ("rows", "y", "said"),
    [
        (ROWS, None, "y must hold the number of every row, got None"),
        (ROWS, ["a"] * 5, "one number a row, got 'a'"),
        (ROWS, TRUTH[:3], "5 in all, got 3"),
        (np.empty((0, 3)), [], "a table without rows says nothing"),
    ],
)
def test_answers_are_needed(rows: Any, y: Any, said: str) -> None:
    with pytest.raises(TableError, match=said):
        compare(PRICE, AFTER, rows, y)


def test_a_comparison_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        compare(PRICE, AFTER, ROWS, TRUTH).rows = 3
