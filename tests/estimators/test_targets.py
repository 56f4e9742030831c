"""What estimators make of targets: positive classes, thresholds, outliers and logarithms."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.compose import TransformedTargetRegressor
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV

from crisplogic import LogicClassifier, LogicRegressor, RuleSet
from crisplogic.errors import TargetWarning
from crisplogic.expr import Const
from tests.estimators.samples import quick

RNG = np.random.default_rng(0)
ROWS = 160
TABLE = RNG.normal(size=(ROWS, 3))
SCORE = TABLE[:, 0] + 0.5 * (TABLE[:, 1] > 0) + 0.3 * RNG.normal(size=ROWS)
ILL = np.quantile(SCORE, 0.85) < SCORE


def labelled(positive: str, negative: str) -> np.ndarray:
    return np.where(ILL, positive, negative)


def quick_regressor(**changes: Any) -> LogicRegressor:
    options = {"epochs": 8, "restarts": 1, "folds": 2, "random_state": 0}
    return LogicRegressor(**{**options, **changes})


def has_terms(clf: LogicClassifier) -> dict[Any, bool]:
    return {rule.label: rule.expression != Const(0.0) for rule in clf.rules_.rules}


# --- the positive class -----------------------------------------------------------------------


def test_rules_of_two_classes_speak_of_the_positive_one() -> None:
    y = labelled("heart disease", "no disease")
    clf = quick().fit(TABLE, y)
    assert has_terms(clf) == {"heart disease": True, "no disease": False}
    assert clf.classes_.tolist() == ["heart disease", "no disease"]
    other = quick(positive="no disease").fit(TABLE, y)
    assert has_terms(other) == {"heart disease": False, "no disease": True}
    assert all(point.rules.rules[0].expression == Const(0.0) for point in other.frontier_)
    for each in (clf, other):
        shares = each.predict_proba(TABLE)
        assert shares[ILL, 0].mean() > shares[~ILL, 0].mean()
        assert (each.classes_[shares.argmax(axis=1)] == each.predict(TABLE)).all()
        ahead = each.decision_function(TABLE) > 0
        assert (each.classes_[ahead.astype(int)] == each.predict(TABLE)).all()


def test_a_monotone_column_raises_the_positive_class() -> None:
    y = labelled("heart disease", "no disease")
    clf = quick(monotone={0: "up"}).fit(TABLE, y)
    direction = clf.rules_.directions()["x0"]["heart disease"]
    assert direction in ("up", "none")
    assert has_terms(clf)["heart disease"]


def test_a_positive_class_has_to_be_one_of_two() -> None:
    with pytest.raises(ValueError, match=r"there is no class 'sick'.*did you mean|there is no"):
        quick(positive="sick").fit(TABLE, labelled("ill", "well"))
    three = np.array(["a", "b", "c"])[np.arange(ROWS) % 3]
    with pytest.raises(ValueError, match="positive needs two classes, got 3"):
        quick(positive="a").fit(TABLE, three)
    with pytest.raises(ValueError, match="decision_threshold needs two classes, got 3"):
        quick(decision_threshold=0.2).fit(TABLE, three)


# --- thresholds -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [("prevalence", 0.15), ({"ill": 4}, 0.2), ({"ill": 1, "well": 4}, 0.8)],
)
def test_a_threshold_decides_for_rules_and_network_alike(
    threshold: Any, expected: float
) -> None:
    clf = quick(decision_threshold=threshold).fit(TABLE, labelled("ill", "well"))
    assert clf.rules_.decision_threshold == pytest.approx(expected)
    for by in ("rules", "network"):
        clf.set_params(predict_with=by)
        likely = clf.predict_proba(TABLE)[:, 0] >= expected
        assert (clf.predict(TABLE) == "ill").tolist() == likely.tolist()
    loaded = RuleSet.from_json(clf.rules_.to_json())
    clf.set_params(predict_with="rules")
    assert (loaded.predict(TABLE) == clf.predict(TABLE)).all()


def test_figures_are_those_of_the_decisions() -> None:
    y = labelled("ill", "well")
    clf = quick(decision_threshold=0.1).fit(TABLE, y)
    for point in clf.frontier_:
        assert point.error == pytest.approx((point.rules.predict(TABLE) != y).mean())
    assert clf.snap_report_.rules_error == pytest.approx((clf.predict(TABLE) != y).mean())


@pytest.mark.parametrize(("literals", "more"), [("graded", 1), ("crisp", 0)])
def test_a_low_threshold_finds_more_of_a_rare_class(literals: str, more: int) -> None:
    """Crisp rules know few probabilities: the threshold may lie between the same two."""
    y = labelled("ill", "well")
    found = []
    for threshold in (None, "prevalence"):
        clf = quick(decision_threshold=threshold, literals=literals).fit(TABLE, y)
        found.append(int((clf.predict(TABLE) == "ill").sum()))
    assert found[1] - found[0] >= more


def test_thresholds_of_scikit_learn_work_as_well() -> None:
    y = ILL.astype(int)
    fixed = FixedThresholdClassifier(quick(folds=0), threshold=0.2).fit(TABLE, y)
    own = quick(folds=0, decision_threshold=0.2).fit(TABLE, y)
    agree = fixed.predict(TABLE) == own.predict(TABLE)
    assert agree.mean() > 0.95  # the search may drop other votes for another threshold
    tuned = TunedThresholdClassifierCV(
        quick(epochs=1, folds=0), cv=2, scoring="balanced_accuracy"
    )
    assert 0 <= tuned.fit(TABLE, y).best_threshold_ <= 1


@pytest.mark.parametrize("threshold", [0, 1, 1.5, "half", True])
def test_a_threshold_is_a_probability(threshold: Any) -> None:
    with pytest.raises(ValueError, match="decision_threshold must be None, a number above 0"):
        quick(decision_threshold=threshold).fit(TABLE, ILL)


def test_pure_rules_have_no_intercept_to_shift() -> None:
    with pytest.raises(
        ValueError, match="decision_threshold must be None where rules are pure"
    ):
        quick(pure=True, literals="graded", decision_threshold=0.2).fit(TABLE, ILL)


# --- whole numbers as classes -----------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::crisplogic.errors.RuleSizeWarning")
def test_many_whole_numbers_are_rather_counts_and_a_warning_says_so() -> None:
    counts = np.arange(ROWS) % 16
    with pytest.warns(TargetWarning, match=r"16 different whole numbers.*LogicRegressor"):
        quick(epochs=1, folds=0).fit(TABLE, counts)
    with warnings.catch_warnings():
        warnings.simplefilter("error", TargetWarning)
        quick(epochs=1, folds=0).fit(TABLE, counts.astype(str))
        quick(epochs=1, folds=0).fit(TABLE, counts % 15)


# --- outliers ---------------------------------------------------------------------------------


def easy_numbers() -> np.ndarray:
    noise = np.random.default_rng(1).normal(size=ROWS)
    return np.asarray(20 + 5 * (TABLE[:, 0] > 0) + 3 * (TABLE[:, 1] > 0) + 0.2 * noise)


def r_squared(truth: np.ndarray, predicted: np.ndarray) -> float:
    return float(1 - np.square(truth - predicted).mean() / truth.var())


@pytest.mark.parametrize("outlier", [1e5, -1e12])
def test_one_outlier_does_not_ruin_a_regression(outlier: float) -> None:
    y = easy_numbers()
    spoiled = y.copy()
    spoiled[7] = outlier
    with pytest.warns(TargetWarning, match=r"1 of 160 numbers .*loss='huber' is used"):
        reg = quick_regressor().fit(TABLE, spoiled)
    others = np.arange(ROWS) != 7
    for by in ("rules", "network"):
        predicted = reg.set_params(predict_with=by).predict(TABLE)
        assert r_squared(y[others], predicted[others]) > 0.6
    assert reg.snap_report_.rules_r2 > 0.6
    assert reg.snap_report_.rows == ROWS - 1
    assert max(point.held_out_error for point in reg.frontier_) < 1.1 * y.std()
    assert max(point.held_out_error for point in reg.frontier_ if point.size) < y.std()


def test_the_message_about_an_outlier_does_not_blame_snapping() -> None:
    y = easy_numbers()
    y[7] = 1e9
    reg = quick_regressor(loss="squared_error", epochs=3).fit(TABLE, y)
    assert "snapping lost" not in str(reg.snap_report_)


def test_parts_of_a_table_bear_outliers_too() -> None:
    y = easy_numbers()
    y[7] = 1e9
    with pytest.warns(TargetWarning, match="loss='huber' is used"):
        parts = quick_regressor().fit_parts(TABLE, y, [np.arange(100), np.arange(60, ROWS)])
    for reg in parts:
        assert r_squared(y[10:], reg.predict(TABLE)[10:]) > 0.5


def test_a_table_without_outliers_is_learned_as_ever() -> None:
    y = easy_numbers()
    auto, squared = (
        quick_regressor(loss=loss).fit(TABLE, y) for loss in ("auto", "squared_error")
    )
    assert auto.rules_ == squared.rules_


# --- logarithms -------------------------------------------------------------------------------


@pytest.mark.parametrize("transform", ["log", "log1p"])
def test_a_logarithm_is_learned_and_the_number_predicted(transform: str) -> None:
    y = np.exp(easy_numbers() - 20)
    reg = quick_regressor(target_transform=transform).fit(TABLE, y)
    for by in ("rules", "network"):
        predicted = reg.set_params(predict_with=by).predict(TABLE)
        assert r_squared(np.log1p(y), np.log1p(predicted)) > 0.5
    reg.set_params(predict_with="rules")
    assert str(reg.rules_).startswith("log(")
    for point in reg.frontier_:
        error = np.sqrt(np.square(point.rules.predict(TABLE) - y).mean())
        assert point.error == pytest.approx(error)
    alone = RuleSet.from_json(reg.rules_.to_json())
    assert alone.predict(TABLE).tolist() == reg.predict(TABLE).tolist()


def test_a_long_tail_gets_a_hint() -> None:
    with pytest.warns(TargetWarning, match="target_transform='log' or 'log1p' may suit y"):
        quick_regressor(epochs=1, folds=0).fit(TABLE, np.exp(RNG.normal(3, 2.5, ROWS)))


def test_numbers_without_a_logarithm_are_refused() -> None:
    y = easy_numbers()
    y[4] = 0.0
    with pytest.raises(ValueError, match=r"'log'.* needs numbers above 0, got 0 in row 4"):
        quick_regressor(target_transform="log").fit(TABLE, y)


def test_a_transformed_target_regressor_works_as_well() -> None:
    y = np.exp(easy_numbers() - 20)
    wrapped = TransformedTargetRegressor(quick_regressor(), func=np.log, inverse_func=np.exp)
    own = quick_regressor(target_transform="log").fit(TABLE, y)
    np.testing.assert_allclose(wrapped.fit(TABLE, y).predict(TABLE), own.predict(TABLE))
