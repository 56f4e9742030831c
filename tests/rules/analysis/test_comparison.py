"""Comparing rules before and after a change."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss

from crisplogic import compare
from crisplogic.errors import RuleError, TableError
from crisplogic.expr import parse
from crisplogic.expr.program import CHUNK_ROWS
from crisplogic.rules import ClassificationRules, Ramp, Rule
from crisplogic.rules.analysis.comparison import Comparison
from tests.rules.editing.samples import DIABETES, some_rows
from tests.rules.rule_sets import PATIENTS

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
) -> tuple[Comparison, ClassificationRules, ClassificationRules, np.ndarray, np.ndarray]:
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
    for figures, rules in ((compared.before, before), (compared.after, after)):
        shares = rules.predict_proba(table)
        assert figures.error == pytest.approx((rules.predict(table) != truth).mean())
        order = [rules.labels.index(label) for label in sorted(rules.labels)]
        assert figures.log_loss == pytest.approx(log_loss(truth, shares[:, order]))
        truths = truth[:, None] == np.array(rules.labels)
        assert figures.brier == pytest.approx(((shares - truths) ** 2).sum(axis=1).mean())
        assert figures.literals == rules.size


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


def test_the_diff_shows_rules_and_legend() -> None:
    lines = compare(BEFORE, AFTER, ROWS, TRUTH).diff.splitlines()
    assert lines[:2] == ["--- before", "+++ after"]
    assert "-ill  = glucose>127" in lines
    assert "+glucose>140  false up to 120, true from 160" in lines


def test_a_longer_name_changes_no_other_line_of_the_legend() -> None:
    after = DIABETES.with_term("positive", "glucose>123.456789")
    added = [
        line
        for line in compare(DIABETES, after, some_rows(), ["positive"] * 200).diff.splitlines()
        if line.startswith("+") and "true from" in line
    ]
    assert added == ["+glucose>123.456789  false up to 103.456789, true from 143.456789"]


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
        compare(BEFORE, AFTER, ROWS, TRUTH).rows = 3
