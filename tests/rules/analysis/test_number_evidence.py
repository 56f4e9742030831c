"""Evidence for rules that predict a number: what terms are worth, in its units."""

from __future__ import annotations

import math
import tracemalloc
from dataclasses import asdict
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from crisplogic.errors import TableError
from crisplogic.expr.program import CHUNK_ROWS
from crisplogic.rules import NumberEvidence, RuleSet
from crisplogic.rules.metrics import root_mean_squared_error
from tests.rules.rule_sets import NAN, PATIENTS, PRICE, as_number, intercepts, rule_sets
from tests.strategies import INPUTS

ROWS = [[7.5, 0, 0], [5.5, 20, 9], [6.5, 20, 9], [NAN, 20, 9], [7.0, 20, NAN]]
# rooms>6.5:  1          -1            0             0               0.5
# the other:  1          -1           -1            -1               0
TRUTH = [30.0, 15.0, 20.0, 19.0, 26.0]


def error(rules: RuleSet, rows: Any = ROWS, truth: Any = TRUTH) -> float:
    return root_mean_squared_error(np.array(truth), rules.predict(rows))


def test_the_rule_and_every_term_have_a_record() -> None:
    found = PRICE.evidence(ROWS, TRUTH)
    assert all(isinstance(each, NumberEvidence) for each in found)
    assert [
        (each.label, each.kind, each.text, each.literals, each.weight) for each in found
    ] == [
        ("price", "rule", "22.5 + 4.125 × (rooms>6.5 + ¬(poverty>9.7 & crime>3))", 3, 1),
        ("price", "term", "rooms>6.5", 1, 1),
        ("price", "term", "¬(poverty>9.7 & crime>3)", 2, 1),
    ]


def test_means_are_those_of_the_rows_where_it_is_true_and_of_the_others() -> None:
    rule, rooms, other = PRICE.evidence(ROWS, TRUTH)
    assert (rooms.rows, rooms.support) == (2, 0.4)
    assert (rooms.mean, rooms.mean_elsewhere) == (28.0, 18.0)
    assert (other.rows, other.mean, other.mean_elsewhere) == (1, 30.0, 20.0)
    assert (rule.rows, rule.mean) == (2, 28.0)  # where the terms add to the base
    assert rooms.unknown == 0.2


def test_contribution_is_what_is_added_to_the_number_on_average() -> None:
    rule, rooms, other = PRICE.evidence(ROWS)
    assert rooms.contribution == pytest.approx(4.125 * 0.5 / 5)
    assert other.contribution == pytest.approx(4.125 * -2 / 5)
    assert rule.contribution == pytest.approx(rooms.contribution + other.contribution)
    assert rule.contribution + 22.5 == pytest.approx(PRICE.predict(ROWS).mean())


def test_effect_is_by_how_much_the_error_grows_without_it() -> None:
    rule, *terms = PRICE.evidence(ROWS, TRUTH)
    for each in terms:
        assert each.effect == pytest.approx(error(PRICE.without_term(each.text)) - error(PRICE))
    assert rule.effect == pytest.approx(error(PRICE.with_rule("price", "22.5")) - error(PRICE))


def test_without_answers_what_needs_them_is_nan() -> None:
    for each in PRICE.evidence(ROWS):
        assert all(map(math.isnan, (each.mean, each.mean_elsewhere, each.effect)))
        assert not math.isnan(each.contribution)


def test_without_rows_everything_is_nan() -> None:
    for each in PRICE.evidence(np.empty((0, 3)), []):
        shares = each.support, each.mean, each.contribution, each.effect, each.unknown
        assert all(map(math.isnan, shares))
        assert each.rows == 0


def test_one_row_is_enough() -> None:
    rule, rooms, _ = PRICE.evidence([[9, 0, 0]], [31.0])
    assert (rooms.mean, rule.support) == (31.0, 1.0)
    assert math.isnan(rooms.mean_elsewhere)
    assert rooms.effect == pytest.approx(4.375 - 0.25)


def test_a_term_that_stands_twice_counts_twice() -> None:
    rules = PRICE.with_rule("price", "10 + 2 × (rooms>6.5 + crime>3 + rooms>6.5)")
    _, twice, _ = rules.evidence([[9, 0, 9]], [16.0])
    assert (twice.text, twice.weight, twice.contribution) == ("rooms>6.5", 2, 4.0)
    assert twice.effect == pytest.approx(4.0)


def test_rules_without_terms_have_one_record() -> None:
    [rule] = PRICE.with_rule("price", "20").evidence(ROWS, TRUTH)
    assert (rule.text, rule.rows, rule.contribution, rule.effect) == ("20", 0, 0.0, 0.0)
    assert math.isnan(rule.mean)
    assert rule.mean_elsewhere == pytest.approx(np.mean(TRUTH))


def test_a_row_of_weight_two_counts_as_two_rows() -> None:
    weights = [2, 1, 0, 3, 1]
    rows = np.repeat(np.arange(5), weights)
    weighted = PRICE.evidence(ROWS, TRUTH, weights)
    repeated = PRICE.evidence([ROWS[row] for row in rows], [TRUTH[row] for row in rows])
    for one, other in zip(weighted, repeated, strict=True):
        for name, value in asdict(one).items():
            same = getattr(other, name)
            assert value == same if isinstance(value, str) else value == pytest.approx(same)


@pytest.mark.parametrize("factor", [1e-90, 1e90])
def test_huge_and_tiny_numbers_are_summed_up(factor: float) -> None:
    rules = PRICE.with_scale(PRICE.scale * factor).with_intercept("price", 22.5 * factor)
    found = rules.evidence(ROWS, np.array(TRUTH) * factor)
    for one, other in zip(found, PRICE.evidence(ROWS, TRUTH), strict=True):
        for name in ("mean", "mean_elsewhere", "contribution", "effect"):
            assert getattr(one, name) == pytest.approx(getattr(other, name) * factor, rel=1e-9)


def test_categories_and_gaps_are_told_of() -> None:
    rules = as_number(PATIENTS)
    rows = [[150.0, True, "red"], [None, False, "new"], [100.0, None, None]]
    found = {each.text: each for each in rules.evidence(rows, [1, 2, 3])}
    assert (
        found['"eye colour" is red | "eye colour" is "light blue"'].rows == 3
    )  # of two unknowns
    assert found["glucose is not missing"].rows == 2
    assert found["glucose is not missing"].mean == 2.0


@given(
    st.builds(as_number, rule_sets(), st.just("y"), intercepts, st.floats(1e-6, 1e6)),
    hnp.arrays(np.float64, (4, INPUTS), elements=st.floats()),
)
@settings(max_examples=60)
def test_all_of_it_follows_from_the_rows(rules: RuleSet, table: NDArray[np.float64]) -> None:
    truth = np.array([1.0, -2.0, 3.0, 100.0])
    rule, *terms = rules.evidence(table, truth)
    predicted = rules.predict(table)
    size = abs(rules.intercepts[0]) + rules.scale * 5
    assert rule.contribution + rules.intercepts[0] == pytest.approx(
        predicted.mean(), abs=1e-9 * size
    )
    base = root_mean_squared_error(truth, np.full(4, rules.intercepts[0]))
    assert rule.effect == pytest.approx(
        base - root_mean_squared_error(truth, predicted), abs=1e-9 * (size + 100)
    )
    added = sum(each.contribution for each in terms)
    assert added == pytest.approx(rule.contribution, abs=1e-9 * size)


def test_many_rows_are_told_of_as_all_at_once_in_bounded_memory() -> None:
    rows = np.random.default_rng(0).uniform([4, 0, 0], [9, 20, 9], (4 * CHUNK_ROWS + 5, 3))
    truth = PRICE.predict(rows) + np.random.default_rng(1).normal(size=len(rows))
    tracemalloc.start()
    _, rooms, _ = PRICE.evidence(rows, truth)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * rows.nbytes
    assert rooms.mean == pytest.approx(truth[rows[:, 0] > 6.5].mean())
    without = error(PRICE.without_term("rooms>6.5"), rows, truth)
    assert rooms.effect == pytest.approx(without - error(PRICE, rows, truth))


# --- answers ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "said"),
    [
        (["30", "15", "20", "19", "26"], "one number a row, got '30'"),
        ([30.0, 15.0, "20", 19.0, 26.0], "one number a row, got '"),
        (np.array(TRUTH, dtype=object).astype(str), "one number a row, got '30.0'"),
        ([30.0, NAN, 20.0, 19.0, 26.0], "a finite number in every row, got nan in row 1"),
        ([30.0, None, 20.0, 19.0, 26.0], "a finite number in every row, got nan in row 1"),
        ([30.0, math.inf, 20.0, 19.0, 26.0], "got inf in row 1"),
        (TRUTH[:4], "one number a row, 5 in all, got 4"),
        ([], "one number a row, 5 in all, got 0"),
        (np.array(TRUTH)[:, None], r"got an array of \(5, 1\)"),
        (pd.DataFrame({"price": TRUTH}), r"got an array of \(5, 1\)"),
        (30.0, r"got an array of \(\)"),
        ([[30.0], [15.0, 2.0], [20.0], [19.0], [26.0]], "one number a row, got"),
        ([30.0, 10**400, 20.0, 19.0, 26.0], "one number a row, got 1000"),
        ([1j] * 5, "one number a row, got 1j"),
        (pd.date_range("2020", periods=5), "one number a row"),
        (pd.Series([1, None, 3, 4, 5], dtype="Int64"), "got nan in row 1"),
    ],
)
def test_answers_that_are_no_numbers_are_refused(y: Any, said: str) -> None:
    with pytest.raises(TableError, match=said):
        PRICE.evidence(ROWS, y)


@pytest.mark.parametrize(
    "y",
    [
        tuple(TRUTH),
        np.array(TRUTH, dtype=np.float32),
        np.array(TRUTH, dtype=np.int8),
        pd.Series(TRUTH, index=range(7, 12)),
        pd.Series(TRUTH, dtype="Float64"),
        [Decimal(str(number)) for number in TRUTH],
        np.array(TRUTH, dtype=object),
    ],
)
def test_any_numbers_will_do(y: Any) -> None:
    assert PRICE.evidence(ROWS, y) == PRICE.evidence(ROWS, TRUTH)


def test_weights_are_checked() -> None:
    with pytest.raises(TableError, match="sample_weight"):
        PRICE.evidence(ROWS, TRUTH, [1, 2])


# --- frames and conflicts ---------------------------------------------------------------------


def test_a_frame_has_the_same_and_calls_the_label_number() -> None:
    frame = PRICE.to_frame(ROWS, TRUTH)
    records = PRICE.evidence(ROWS, TRUTH)
    assert list(frame.columns) == ["number", *list(asdict(records[0]))[1:]]
    assert frame["number"].tolist() == ["price"] * 3
    assert frame["mean"].tolist() == [each.mean for each in records]
