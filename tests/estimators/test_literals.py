"""Crisp and graded literals: what either costs, and how stable statements are."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from crisplogic import LogicClassifier, LogicRegressor
from crisplogic.errors import RuleError, RuleSizeWarning, TableError
from crisplogic.estimators.base import LogicEstimator
from crisplogic.rules import HeldOutErrors
from tests.estimators import samples
from tests.estimators.samples import X, Y, some_labels, some_table

NUMBERS = np.where(X[:, 0] > 20, 7.0, 3.0) + 0.01 * X[:, 1]


def quick(**changes: Any) -> LogicClassifier:
    return samples.quick(**{"epochs": 2, "max_literals": 3, **changes})


def regressor(**changes: Any) -> LogicRegressor:
    options = {"epochs": 2, "max_literals": 3, "restarts": 1, "folds": 2, "random_state": 0}
    return LogicRegressor(**{**options, **changes})


@pytest.fixture(scope="module")
def compared() -> LogicClassifier:
    return quick(compare_literals=True).fit(X, Y)


# The price of being crisp


def test_every_fit_says_what_network_and_rules_reach_on_held_out_rows(
    fitted: LogicClassifier,
) -> None:
    errors = fitted.held_out_errors_
    assert errors.crisp == fitted.expected_error_
    assert 0 <= errors.network <= 1
    assert math.isnan(errors.graded)
    assert "graded rules not known" in str(errors)
    assert fitted.frontier_.network_error == errors.network


def test_the_error_of_a_number_is_in_its_units() -> None:
    fitted = regressor(literals="graded").fit(X, 1000 * NUMBERS)
    errors = fitted.held_out_errors_
    assert errors.predicts == "number"
    assert errors.graded == fitted.expected_error_
    assert math.isnan(errors.crisp)
    assert errors.network == pytest.approx(
        1000 * regressor(literals="graded").fit(X, NUMBERS).held_out_errors_.network, rel=0.5
    )


def test_without_held_out_rows_nothing_is_known() -> None:
    fitted = quick(folds=0).fit(X, Y)
    assert list(fitted.held_out_errors_.to_dict().values()) == [None, None, None]


def test_compared_literals_are_those_of_a_fit_of_their_own(compared: LogicClassifier) -> None:
    crisp = quick().fit(X, Y)
    graded = quick(literals="graded").fit(X, Y)
    assert compared.rules_ == crisp.rules_
    expected = HeldOutErrors(
        crisp.held_out_errors_.network, crisp.expected_error_, graded.expected_error_
    )
    assert compared.held_out_errors_ == expected
    assert not graded.rules_.crisp


def test_literals_are_compared_for_graded_rules_and_numbers_too() -> None:
    fitted = regressor(literals="graded", compare_literals=True).fit(X, NUMBERS)
    crisp = regressor().fit(X, NUMBERS)
    assert fitted.held_out_errors_.crisp == crisp.expected_error_
    assert not fitted.rules_.crisp


def test_literals_are_compared_for_every_part() -> None:
    parts = [np.arange(0, 50), np.arange(10, 60)]
    fitted = quick(compare_literals=True).fit_parts(X, Y, parts)
    others = quick(literals="graded").fit_parts(X, Y, parts)
    for one, other in zip(fitted, others, strict=True):
        assert one.held_out_errors_.graded == other.expected_error_


def test_a_checkpoint_is_kept_until_literals_are_compared(
    compared: LogicClassifier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "fit.npz"

    def stop(*_: object) -> None:
        assert path.exists()
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("crisplogic.estimators.base.keep_comparison", stop)
        with pytest.raises(KeyboardInterrupt):
            quick(compare_literals=True).fit(X, Y, checkpoint=path)
    resumed = quick(compare_literals=True).fit(X, Y, checkpoint=path)
    assert resumed.held_out_errors_ == compared.held_out_errors_
    assert not path.exists()


def test_rules_that_are_only_compared_come_without_warnings() -> None:
    noise = np.random.default_rng(0).integers(0, 2, len(X))
    with warnings.catch_warnings(record=True) as alone:
        warnings.simplefilter("always", RuleSizeWarning)
        quick().fit(X, noise)
    with warnings.catch_warnings(record=True) as both:
        warnings.simplefilter("always", RuleSizeWarning)
        quick(compare_literals=True).fit(X, noise)
    assert len(both) == len(alone)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"snapping": "nearest"}, "snapping must be"),
        ({"folds": 0}, "folds must be"),
        ({"literals": "graded", "pure": True}, "pure must be"),
    ],
)
def test_literals_that_cannot_be_compared_are_refused(
    changes: dict[str, Any], expected: str
) -> None:
    with pytest.raises(ValueError, match=expected):
        quick(compare_literals=True, **changes).fit(X, Y)


def test_what_was_compared_is_saved(compared: LogicClassifier, tmp_path: Path) -> None:
    compared.save(tmp_path / "it")
    assert LogicClassifier.load(tmp_path / "it").held_out_errors_ == compared.held_out_errors_


def test_before_a_fit_there_is_nothing_to_tell() -> None:
    with pytest.raises(NotFittedError):
        _ = quick().held_out_errors_
    with pytest.raises(NotFittedError):
        quick().measure_stability(X, Y)


# Stability


@pytest.mark.parametrize("kind", ["classes", "three", "number"])
def test_a_threshold_that_tells_everything_comes_back_every_time(kind: str) -> None:
    table = some_table(rows=90)
    y = some_labels(table, classes=3 if kind == "three" else 2)
    most = 2 if kind == "three" else 1
    estimator: LogicEstimator = quick(folds=0, max_literals=most)
    if kind == "number":
        estimator, y = regressor(folds=0, max_literals=most), 5.0 * (y == "b")
    stability = estimator.fit(table, y).measure_stability(table, y, resamples=3)
    assert stability is estimator.stability_
    assert stability.counts == (3,) * len(stability.statements)
    assert len(stability.statements) == most
    assert stability.dice == 1.0


def test_it_is_the_same_every_time_and_saved(tmp_path: Path) -> None:
    noisy = np.where(np.random.default_rng(1).random(len(Y)) < 0.3, "a", Y)
    weights = np.linspace(0.5, 2.0, len(Y))
    fitted = quick(folds=0, max_literals=3).fit(X, noisy, weights)
    first = fitted.measure_stability(X, noisy, weights, resamples=3)
    assert fitted.measure_stability(X, noisy, weights, resamples=3) == first
    assert (first.resamples, first.wanted) == (3, 3)
    fitted.save(tmp_path / "it")
    assert LogicClassifier.load(tmp_path / "it").stability_ == first


def test_it_is_forgotten_with_the_rules_that_it_is_about() -> None:
    fitted = quick(folds=0, max_literals=1).fit(X, Y)
    fitted.measure_stability(X, Y, resamples=1)
    fitted.fit(X, Y)
    assert not hasattr(fitted, "stability_")


def test_the_table_may_have_categories_gaps_and_limits() -> None:
    draw = np.random.default_rng(0)
    columns = {
        "colour": draw.choice(["red", "blue", "green"], 80).tolist(),
        "age": np.where(draw.random(80) < 0.1, np.nan, draw.integers(20, 60, 80)).tolist(),
    }
    y = [each == "red" for each in columns["colour"]]
    fitted = quick(folds=0, max_literals=2, monotone={"age": "down"}).fit(columns, y)
    found = fitted.measure_stability(columns, y, resamples=2)
    assert found.statements[0] == "colour is red"
    assert found.counts[0] == 2


def test_rules_without_statements_have_none_to_come_back() -> None:
    noise = np.random.default_rng(0).integers(0, 2, len(X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuleSizeWarning)
        fitted = quick(max_literals=1, tolerance=50).fit(X, noise)
    assert fitted.rules_.size == 0
    found = fitted.measure_stability(X, noise, resamples=2)
    assert (found.statements, found.counts, found.dice) == ((), (), 1.0)


def test_graded_rules_and_other_tables_are_refused(fitted: LogicClassifier) -> None:
    graded = quick(folds=0, literals="graded").fit(X, Y)
    with pytest.raises(RuleError, match="these rules are graded; fit with literals='crisp'"):
        graded.measure_stability(X, Y)
    with pytest.raises(TableError, match="the table of the fit, with the columns"):
        fitted.measure_stability(X[:, :2], Y)
    with pytest.raises(TableError, match="with the classes 'a', 'b'; got"):
        fitted.measure_stability(X, np.where(Y == "a", "c", Y))
    with pytest.raises(ValueError, match="resamples must be"):
        fitted.measure_stability(X, Y, resamples=0)
    with pytest.raises(ValueError, match="max_seconds must be"):
        fitted.measure_stability(X, Y, max_seconds=-1)
    assert not hasattr(fitted, "stability_")
