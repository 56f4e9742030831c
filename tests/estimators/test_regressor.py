"""LogicRegressor: rules that say how large a number is, from tables of all kinds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.typing import NDArray
from sklearn.datasets import make_friedman1
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from crisplogic import (
    ClassificationRules,
    LogicClassifier,
    LogicRegressor,
    RuleSet,
    cross_validate,
)
from crisplogic.errors import TableError, UnseenValuesWarning
from tests.estimators.samples import digest_of, some_table

Floats = NDArray[np.float64]


def quick(**changes: Any) -> LogicRegressor:
    options = {"epochs": 4, "restarts": 1, "folds": 2, "max_literals": 8, "random_state": 0}
    return LogicRegressor(**{**options, **changes})


def brief(**changes: Any) -> LogicRegressor:
    """Everything once, as short as can be: what is compared here need not be good."""
    return quick(**{"epochs": 2, "max_literals": 4, **changes})


def some_numbers(table: Floats, noise: float = 0.5, seed: int = 0) -> Floats:
    """10, 5 more where the first two columns are high, 3 less where the third is."""
    high = table > 20
    drawn = np.random.default_rng(seed).normal(0, noise, len(table))
    return 10 + 5.0 * (high[:, 0] & high[:, 1]) - 3.0 * high[:, 2] + drawn


X = some_table(300)
Y = some_numbers(X)
NEW = some_table(500, seed=1)
TRUTH = some_numbers(NEW, noise=0)


@pytest.fixture(scope="module")
def fitted() -> LogicRegressor:
    return LogicRegressor(max_literals=12, random_state=0).fit(X, Y)


# --- what is learned --------------------------------------------------------------------------


def test_the_rule_that_made_the_numbers_is_found(fitted: LogicRegressor) -> None:
    assert fitted.score(NEW, TRUTH) > 0.85
    assert fitted.score(NEW, TRUTH) > LinearRegression().fit(X, Y).score(NEW, TRUTH) + 0.05
    assert fitted.rules_.size < 20


def test_the_rules_are_as_good_as_the_network(fitted: LogicRegressor) -> None:
    by_rules = fitted.score(NEW, TRUTH)
    by_network = fitted.set_params(predict_with="network").score(NEW, TRUTH)
    fitted.set_params(predict_with="rules")
    assert by_rules > by_network - 0.05


def test_smooth_numbers_are_learned_better_than_by_a_straight_line() -> None:
    table, numbers = make_friedman1(400, noise=1.0, random_state=0)
    train, test = slice(0, 300), slice(300, None)
    reg = LogicRegressor(literals="graded", random_state=0).fit(table[train], numbers[train])
    line = LinearRegression().fit(table[train], numbers[train])
    assert reg.score(table[test], numbers[test]) > line.score(table[test], numbers[test])


def test_predictions_are_those_of_the_rules_and_of_what_is_printed(
    fitted: LogicRegressor,
) -> None:
    rules = fitted.rules_
    np.testing.assert_array_equal(fitted.predict(NEW), rules.predict(NEW))
    assert rules.predicts == "number"
    base, scale = rules.intercepts[0], rules.scale
    assert f"y = {base:.15g} + {scale:.15g} × " in rules.to_text()
    parts = rules.features, rules.memberships, rules.rules
    values = ClassificationRules(*parts, crisp=rules.crisp).scores(NEW)[:, 0]
    np.testing.assert_allclose(fitted.predict(NEW), base + scale * values, rtol=1e-12)


def test_rules_are_kept_in_a_file(fitted: LogicRegressor, tmp_path: Path) -> None:
    fitted.rules_.save(tmp_path / "rules.json")
    loaded = RuleSet.load(tmp_path / "rules.json")
    assert loaded == fitted.rules_
    np.testing.assert_array_equal(loaded.predict(NEW), fitted.predict(NEW))


def test_errors_of_the_frontier_are_root_mean_squares(fitted: LogicRegressor) -> None:
    for point in fitted.frontier_:
        error = np.sqrt(np.square(point.rules.predict(X) - Y).mean())
        assert point.error == pytest.approx(error)
        assert point.held_out_error == pytest.approx(np.sqrt(point.held_out_loss))
    sizes = [point.size for point in fitted.frontier_]
    assert sizes == sorted(sizes)
    assert fitted.rules_at(3).size <= 3
    held_out = fitted.frontier_.at(fitted.rules_.size).held_out_error
    fresh = np.sqrt(np.square(fitted.predict(NEW) - some_numbers(NEW, seed=2)).mean())
    assert 0.6 * fresh < held_out < 3 * fresh  # folds have fewer rows to find the rule in


def test_the_report_compares_network_and_rules(fitted: LogicRegressor) -> None:
    report = fitted.snap_report_
    by_rules = np.sqrt(np.square(fitted.predict(X) - Y).mean())
    fitted.set_params(predict_with="network")
    by_network = np.sqrt(np.square(fitted.predict(X) - Y).mean())
    fitted.set_params(predict_with="rules")
    assert (report.rules_error, report.network_error) == pytest.approx((by_rules, by_network))


@pytest.mark.parametrize("snapping", ["straight_through", "nearest"])
def test_rounding_alone_gives_rules_that_are_worse(
    snapping: Any, fitted: LogicRegressor
) -> None:
    reg = LogicRegressor(snapping=snapping, random_state=0).fit(X, Y)
    assert len(reg.frontier_) == 1
    assert np.isfinite(reg.predict(NEW)).all()
    assert reg.score(NEW, TRUTH) < fitted.score(NEW, TRUTH)


def test_deep_networks_learn_numbers_as_well() -> None:
    assert quick(depth=2, width=4).fit(X, Y).score(NEW, TRUTH) > 0.2


# --- units ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("factor", "shift"), [(1.0, 1e7), (1e80, 0.0)])
def test_in_another_unit_about_as_much_is_learned(factor: float, shift: float) -> None:
    """Not quite the same: the last digit of a number may decide which way training goes."""
    reg = quick().fit(X, Y * factor + shift)
    assert reg.score(NEW, TRUTH * factor + shift) > 0.8


@pytest.mark.parametrize("number", [0.0, -7.25, 1e80])
def test_one_number_everywhere_is_what_is_predicted(number: float) -> None:
    reg = quick().fit(X, np.full(len(X), number))
    assert reg.predict(NEW).tolist() == pytest.approx([number] * len(NEW), rel=1e-6, abs=1e-2)


def test_whole_numbers_and_truth_values_are_numbers() -> None:
    assert quick().fit(X, Y.round().astype(int)).score(NEW, TRUTH) > 0.7
    # The mean of truth values lies between 0 and 1; a sum of terms may overshoot.
    assert 0 < quick().fit(X, Y > 10).predict(NEW).mean() < 1


@pytest.mark.filterwarnings("ignore::crisplogic.errors.UnseenValuesWarning")
@pytest.mark.parametrize("rows", [1, 2, 3, 7])
def test_very_few_rows_are_enough(rows: int) -> None:
    reg = quick().fit(X[:rows], Y[:rows])
    assert np.isfinite(reg.predict(NEW)).all()


# --- tables of every kind ---------------------------------------------------------------------


def mixed(rows: int = 400, seed: int = 0) -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "rooms": rng.integers(1, 9, rows).astype(float),
            "town": rng.choice(["bern", "rome", "oslo"], rows),
            "garden": rng.random(rows) < 0.4,
        }
    )
    price = 100 + 40 * (table.rooms > 4) + 60 * (table.town == "rome") + 20 * table.garden
    price = price + rng.normal(0, 5, rows)
    table.loc[rng.random(rows) < 0.1, "rooms"] = np.nan
    return table, price.rename("price")


def test_categories_truth_values_and_gaps_are_learned_from() -> None:
    table, price = mixed()
    new, truth = mixed(seed=1)
    reg = quick().fit(table, price)
    assert reg.score(new, truth) > 0.8
    text = str(reg.rules_)
    assert text.startswith("price = ")
    assert "town is rome" in text
    with pytest.warns(UnseenValuesWarning, match="400 of 400 rows in 'town'"):
        assert np.isfinite(reg.predict(new.assign(town="paris", rooms=np.nan))).all()
    polars = pl.from_pandas(table)
    np.testing.assert_array_equal(reg.predict(polars), reg.predict(table))


def test_a_column_of_polars_has_a_name_too() -> None:
    table, price = mixed(60)
    rules = brief().fit(pl.from_pandas(table), pl.Series("rent", price.to_numpy())).rules_
    assert rules.labels == ("rent",)


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        (["cheap"] * 300, "must hold numbers"),
        ([float("nan"), *Y[1:]], "missing in 1 row"),
        ([np.inf, *Y[1:]], "infinity"),
        ([1e200, *Y[1:]], "too large"),
        (Y[:-1], "inconsistent numbers"),
        (np.stack([Y, Y], 1), "1d array"),
    ],
)
def test_what_is_no_number_is_refused(targets: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        quick().fit(X, targets)


def test_what_failed_leaves_what_was_there() -> None:
    reg = brief().fit(X, Y)
    before = digest_of(reg)
    with pytest.raises(TableError):
        reg.fit(X, ["cheap"] * len(X))
    assert digest_of(reg) == before


# --- weights, seeds, checkpoints --------------------------------------------------------------


def test_rows_count_as_much_as_they_weigh() -> None:
    table, wrong = np.concatenate([X, X]), np.concatenate([Y, 30 - Y])
    weights = np.repeat([1.0, 1e-6], len(X))
    assert quick().fit(table, wrong, sample_weight=weights).score(NEW, TRUTH) > 0.6
    assert quick().fit(table, wrong, sample_weight=weights[::-1]).score(NEW, TRUTH) < 0


def test_a_row_without_weight_is_as_if_it_were_not_there() -> None:
    there = np.arange(len(X)) % 4 > 0
    numbers = np.where(there, Y, 1e9)
    with_zeros = brief().fit(X, numbers, sample_weight=there.astype(float))
    assert digest_of(with_zeros) == digest_of(brief().fit(X[there], Y[there]))


def test_the_same_seed_gives_the_same_rules() -> None:
    first, again, other = (digest_of(brief(random_state=seed).fit(X, Y)) for seed in (0, 0, 1))
    assert first == again != other


def test_a_checkpoint_changes_nothing_and_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "fit.npz"
    assert digest_of(brief().fit(X, Y, checkpoint=path)) == digest_of(brief().fit(X, Y))
    assert not path.exists()


@pytest.mark.parametrize("changes", [{"validation_fraction": 0.2}, {"max_columns": 2}])
def test_rows_set_aside_and_columns_not_looked_at_are_fine(changes: dict[str, Any]) -> None:
    assert quick(**changes).fit(X, Y).score(NEW, TRUTH) > 0.3


# --- beside others of scikit-learn ------------------------------------------------------------


def test_it_stands_in_pipelines_searches_and_cross_validation() -> None:
    pipe = make_pipeline(StandardScaler(), brief())
    assert cross_val_score(pipe, X, Y, cv=2).shape == (2,)
    found = GridSearchCV(brief(), {"max_literals": [2, 20]}, cv=2).fit(X, Y)
    assert found.best_params_["max_literals"] in (2, 20)


def test_all_folds_at_once() -> None:
    scores = cross_validate(quick(), X, Y, cv=3, return_estimator=True)
    assert (scores["test_score"] > 0.5).all()
    assert (scores["train_score"] > scores["test_score"] - 0.2).all()
    for reg, literals in zip(scores["estimator"], scores["literals"], strict=True):
        assert reg.rules_.size == literals


def test_a_fold_does_not_depend_on_the_rows_left_out() -> None:
    """Neither on their numbers nor on their values, however extreme."""
    parts = [np.arange(0, 300, 2), np.arange(1, 300, 2)]
    spoiled, turned = X.copy(), Y.copy()
    spoiled[1::2] = 1e6 * spoiled[1::2] - 7
    turned[1::2] = 1e5 - 1e3 * turned[1::2]
    before, after = (brief().fit_parts(*each, parts)[0] for each in ((X, Y), (spoiled, turned)))
    np.testing.assert_allclose(before.predict(X[::2]), after.predict(X[::2]), atol=1e-6)


def test_what_only_classes_have_is_not_there() -> None:
    others = set(LogicClassifier().get_params()) - set(LogicRegressor().get_params())
    of_classes = {"class_weight", "max_literals_per_class", "positive", "decision_threshold"}
    assert others == of_classes | {"pure", "training"}
    assert not hasattr(LogicRegressor(), "predict_proba")
