"""SnapReport: what snapping did, in a few lines for a person."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from crisplogic.rules import ClassSnapReport, LevelMoves, NumberSnapReport

REPORT = ClassSnapReport(
    levels=(
        LevelMoves(alpha=np.array([0.25, -0.5]), weight=np.array([[0.0, -1.0], [0.5, 0.5]])),
        LevelMoves(alpha=np.array([0.125]), weight=np.array([[-0.25]])),
    ),
    rows=200,
    network_error=0.035,
    rules_error=0.05,
    agreement=0.985,
    classes_predicted=2,
)
TEXT = """\
error on the 200 training rows: network 3.50%, rules 5.00%
network and rules agree on 98.50% of them
level 1: 2 alphas moved by 0.375 on average, 0.500 at most; \
4 weights moved by 0.500 on average, 1.000 at most
level 2: 1 alphas moved by 0.125 on average, 0.125 at most; \
1 weights moved by 0.250 on average, 0.250 at most"""


def test_it_prints_errors_agreement_and_how_far_each_level_moved() -> None:
    assert str(REPORT) == REPORT.to_text() == TEXT


def test_rules_that_predict_one_class_only_say_that_snapping_lost_what_was_learned() -> None:
    lines = str(replace(REPORT, classes_predicted=1)).splitlines()
    assert lines[:-1] == TEXT.splitlines()
    assert lines[-1] == "the rules predict one class only: snapping lost what was learned"


def test_snapping_is_not_blamed_where_the_network_knew_no_more() -> None:
    report = replace(REPORT, classes_predicted=1, network_error=0.5, rules_error=0.5)
    advice = "more epochs, or columns that tell more about the target"
    assert str(report).endswith(f"the network learned no more; try less depth, {advice}")
    shallow = replace(report, levels=report.levels[:1])
    assert str(shallow).endswith(f"the network learned no more; try {advice}")


def test_a_report_can_be_compared_and_kept_in_a_set_in_spite_of_its_arrays() -> None:
    other = replace(REPORT, rows=1)
    assert REPORT == REPORT
    assert other != REPORT
    assert len({REPORT, other, *REPORT.levels}) == 4


def test_copies_say_the_same() -> None:
    assert str(pickle.loads(pickle.dumps(REPORT))) == str(copy.deepcopy(REPORT)) == TEXT


def test_a_report_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        REPORT.rows = 3  # type: ignore[misc]


def test_predictions_are_compared_row_by_row() -> None:
    network, rules, truth = np.array([[0, 1, 1, 2], [0, 0, 0, 2], [0, 1, 2, 1]])
    report = ClassSnapReport.compare(REPORT.levels, network, rules, truth)
    assert (report.rows, report.levels, report.classes_predicted) == (4, REPORT.levels, 2)
    assert (report.network_error, report.rules_error, report.agreement) == (0.5, 0.75, 0.5)


def test_a_row_of_some_weight_is_compared_as_so_many_rows() -> None:
    rng = np.random.default_rng(0)
    predictions, weights = rng.integers(0, 3, (3, 20)), rng.integers(1, 5, 20)
    network, rules, truth = predictions
    one = ClassSnapReport.compare((), network, rules, truth, weights.astype(float))
    network, rules, truth = predictions.repeat(weights, axis=1)
    other = ClassSnapReport.compare((), network, rules, truth)
    for name in ("network_error", "rules_error", "agreement", "classes_predicted"):
        assert getattr(one, name) == pytest.approx(getattr(other, name))
    assert (one.rows, other.rows) == (20, weights.sum())


# --- numbers ----------------------------------------------------------------------------------

NETWORK, RULES, TRUTH = np.array([[1.0, 2, 3, 5], [1, 2, 4, 4], [2, 2, 3, 4]])


def test_numbers_are_compared_row_by_row() -> None:
    report = NumberSnapReport.compare(REPORT.levels, NETWORK, RULES, TRUTH)
    assert (report.rows, report.levels, report.numbers_predicted) == (4, REPORT.levels, 3)
    assert report.network_error == pytest.approx((2 / 4) ** 0.5)
    assert report.rules_error == pytest.approx((2 / 4) ** 0.5)
    assert report.difference == pytest.approx((2 / 4) ** 0.5)
    assert report.network_r2 == report.rules_r2 == pytest.approx(1 - 2 / 2.75)


def test_it_prints_errors_the_difference_and_how_far_each_level_moved() -> None:
    report = NumberSnapReport.compare(REPORT.levels, NETWORK, RULES + 1, TRUTH)
    assert str(report).splitlines() == [
        "root mean squared error on the 4 training rows: network 0.7071, rules 1.225",
        "network and rules differ by 1.225, in root mean square",
        "R²: network 0.2727, rules -1.182",
        *TEXT.splitlines()[2:],
    ]


@pytest.mark.parametrize(
    ("network", "said"),
    [(NETWORK, "snapping lost what was learned"), (TRUTH + 9, "the network learned no more")],
)
def test_rules_that_predict_one_number_only_say_so(network: np.ndarray, said: str) -> None:
    report = NumberSnapReport.compare((), network, np.full(4, 2.75), TRUTH)
    assert f"the rules predict one number only: {said}" in str(report).splitlines()[-1]
    assert report.rules_r2 == 0


def test_a_row_of_some_weight_is_compared_as_so_many_rows_of_numbers() -> None:
    rng = np.random.default_rng(0)
    numbers, weights = rng.normal(size=(3, 20)), rng.integers(1, 5, 20)
    network, rules, truth = numbers
    one = NumberSnapReport.compare((), network, rules, truth, weights.astype(float))
    network, rules, truth = numbers.repeat(weights, axis=1)
    other = NumberSnapReport.compare((), network, rules, truth)
    for name in ("network_error", "rules_error", "difference", "network_r2", "rules_r2"):
        assert getattr(one, name) == pytest.approx(getattr(other, name))


def test_a_constant_number_is_explained_or_not() -> None:
    report = NumberSnapReport.compare((), NETWORK, np.full(4, 0.1), np.full(4, 0.1))
    assert (report.network_r2, report.rules_r2, report.rules_error) == (0.0, 1.0, 0.0)
    assert "R²: network 0, rules 1.000" in str(report)


def test_copies_of_a_report_on_numbers_say_the_same() -> None:
    report = NumberSnapReport.compare(REPORT.levels, NETWORK, RULES, TRUTH)
    assert str(pickle.loads(pickle.dumps(report))) == str(copy.deepcopy(report)) == str(report)
