"""Held-out figures: whoever is tested on rows has learned nothing from them.

Each test plants what could be learned from held-out rows alone, and looks whether it was.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from crisplogic import LogicClassifier, LogicRegressor, cross_validate
from crisplogic.estimators.base import LogicEstimator
from crisplogic.estimators.encoder import FeatureEncoder, align_encoders
from crisplogic.estimators.views import EncodedView
from crisplogic.tables import infer_schema, read_columns

ROWS = 200
KNOWN = np.arange(0, ROWS, 2)
HELD_OUT = np.arange(1, ROWS, 2)


def a_table(seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "size": rng.normal(size=ROWS),
            "colour": rng.choice(["red", "blue", "teal"], ROWS),
            "code": rng.choice([f"c{n}" for n in range(12)], ROWS, p=[0.2] * 4 + [0.025] * 8),
            "gap": np.where(rng.random(ROWS) < 0.2, np.nan, rng.normal(size=ROWS)),
        }
    )


def views(
    estimator: LogicEstimator, table: pd.DataFrame, y: Any, *row_sets: NDArray[np.intp]
) -> list[EncodedView]:
    source, _ = estimator._read(table, y, None)
    return source.views(row_sets, estimator._scale_targets)


def spoil(table: pd.DataFrame, rows: NDArray[np.intp], **values: Any) -> pd.DataFrame:
    """The table with other values in some rows."""
    spoiled = table.copy()
    for name, value in values.items():
        spoiled.loc[rows, name] = value
    return spoiled


PLANTS: dict[str, dict[str, Any]] = {
    "a value that is common only there": {"colour": "grey"},
    "a value that is rare elsewhere": {"code": "c11"},
    "no rare value": {"code": "c0"},
    "a range that is larger there": {"size": 1e9},
    "gaps only there": {"gap": np.nan},
}


@pytest.mark.parametrize("plant", PLANTS)
def test_what_a_view_knows_of_its_rows_does_not_depend_on_others(plant: str) -> None:
    table, y = a_table(), np.arange(ROWS) // 2 % 2
    spoiled = spoil(table, HELD_OUT, **PLANTS[plant])
    estimator = LogicClassifier(missing_literals=True)
    (before,) = views(estimator, table, y, KNOWN)
    (after,) = views(estimator, spoiled, y, KNOWN)
    assert before.encoder.names == after.encoder.names
    assert before.encoder.levels == after.encoder.levels
    np.testing.assert_array_equal(before.data.X, after.data.X)
    np.testing.assert_array_equal(before.inputs[KNOWN], after.inputs[KNOWN])


def test_a_value_that_a_view_never_saw_is_unknown_to_it() -> None:
    table, y = a_table(), np.arange(ROWS) // 2 % 2
    spoiled = spoil(table, HELD_OUT, colour="grey")
    whole, part = views(LogicClassifier(), spoiled, y, np.arange(ROWS), KNOWN)
    about_colour = [name.startswith("colour") for name in part.encoder.names]
    assert any(about_colour)
    assert np.isnan(part.inputs[HELD_OUT][:, about_colour]).all()
    assert np.isfinite(whole.inputs[HELD_OUT][:, about_colour]).all()


def test_a_view_weighs_classes_and_scales_targets_by_its_own_rows() -> None:
    table = a_table()
    classes = np.where(np.isin(np.arange(ROWS), HELD_OUT), 1, np.arange(ROWS) % 8 == 0)
    (view,) = views(LogicClassifier(class_weight="balanced"), table, classes, KNOWN)
    assert view.weights is not None
    shares = [view.weights[classes[KNOWN] == each].sum() for each in (0, 1)]
    assert shares[0] == pytest.approx(shares[1], rel=1e-5)
    numbers = np.random.default_rng(0).normal(size=ROWS)
    numbers[HELD_OUT] = 1e6
    (view,) = views(LogicRegressor(), table, numbers, KNOWN)
    assert np.asarray(view.targets)[KNOWN].mean() == pytest.approx(0, abs=0.5)
    assert np.asarray(view.targets)[KNOWN].std() == pytest.approx(1, abs=0.5)


def zip_codes(seed: int, rows: int) -> tuple[pd.DataFrame, NDArray[np.intp]]:
    """Half of the rows have frequent codes, the others one of 400 rare ones, mostly class 1.

    Nothing is known of a rare code that was never seen. But someone who knows all codes knows
    that they are rare.
    """
    rng = np.random.default_rng(seed)
    frequent = rng.random(rows) < 0.5
    codes = np.where(frequent, rng.integers(0, 4, rows), 100 + rng.integers(0, 400, rows))
    y = ~frequent ^ (rng.random(rows) < 0.1)
    table = pd.DataFrame({"zip": [f"z{code}" for code in codes], "x": rng.normal(size=rows)})
    return table, y.astype(np.intp)


@pytest.mark.filterwarnings("ignore::crisplogic.errors.UnseenValuesWarning")
def test_held_out_figures_hold_on_new_rows_though_levels_are_rare() -> None:
    """By figures of many folds: one rare code is predicted by chance."""
    estimates: list[tuple[float, float, float]] = []
    for seed in range(2):
        X, y = zip_codes(seed, 240)
        new_X, new_y = zip_codes(seed + 100, 4000)
        clf = LogicClassifier(epochs=4, restarts=1, folds=2, random_state=seed).fit(X, y)
        told = clf.frontier_.choose().held_out_error
        scores = cross_validate(clf.set_params(folds=0), X, y, cv=3)
        estimates.append((told, 1 - scores["test_score"].mean(), 1 - clf.score(new_X, new_y)))
    told, validated, new = np.mean(estimates, axis=0)
    # Levels of all rows would make both figures 0.1, however bad new rows are predicted.
    assert told > new - 0.08
    assert validated > new - 0.08
    assert new > 0.15


@pytest.mark.filterwarnings("ignore::crisplogic.errors.UnseenValuesWarning")
def test_every_part_of_a_cross_validation_knows_its_own_levels() -> None:
    table, y = a_table(), np.arange(ROWS) // 2 % 2
    spoiled = spoil(table, HELD_OUT, colour="grey")
    quick = LogicClassifier(epochs=2, restarts=1, folds=2, random_state=0)
    first, second = quick.fit_parts(spoiled, y, [KNOWN, HELD_OUT])
    known = [one.rules_.levels[1] for one in (first, second)]
    expected = [{"red", "blue", "teal"}, {"grey"}]
    assert [set(levels.names) for levels in known if levels] == expected
    # Both predict every row, whatever they know of it.
    for one in (first, second):
        assert set(one.predict(spoiled)) <= {0, 1}
        assert np.isfinite(one.predict_proba(spoiled)).all()
        one.set_params(predict_with="network")
        assert np.isfinite(one.predict_proba(spoiled)).all()


def test_parts_that_know_different_levels_learn_as_if_alone() -> None:
    """The other part's levels are columns that never vary."""
    table, y = a_table(), (a_table()["colour"] == "red").to_numpy().astype(np.intp)
    spoiled = spoil(table, HELD_OUT, colour="grey")
    clf = LogicClassifier(epochs=20, restarts=1, folds=0, random_state=0)
    first, _ = clf.fit_parts(spoiled, np.where(np.arange(ROWS) % 2, 0, y), [KNOWN, HELD_OUT])
    assert first.score(table.iloc[KNOWN], y[KNOWN]) == 1.0


def test_aligned_encoders_agree_with_their_own_encoding() -> None:
    tables = [["red"], ["blue"], ["teal"]], [["grey"], ["blue"], ["teal"], ["red"], ["pink"]]
    schemas = [infer_schema(read_columns(table)) for table in tables]
    encoders = [FeatureEncoder.of(schema) for schema in schemas]
    for own, aligned, schema, table in zip(
        encoders, align_encoders(encoders), schemas, tables, strict=True
    ):
        places = [aligned.names.index(name) for name in own.names]
        encoded = aligned.transform(schema.matrix(table))
        np.testing.assert_array_equal(encoded[:, places], own.transform(schema.matrix(table)))
        assert not np.delete(encoded, places, axis=1).any()


# --- choosing a size --------------------------------------------------------------------------


@pytest.mark.slow
def test_the_expected_error_on_noise_is_that_of_guessing() -> None:
    """The held-out error of the chosen size is too good, because it was chosen."""
    told, expected = [], []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(120, 40)), rng.permutation(np.arange(120) % 2)
        clf = LogicClassifier(epochs=4, restarts=1, folds=4, max_columns=6, random_state=seed)
        frontier = clf.fit(X, y).frontier_
        told.append(frontier.choose(tolerance=0.0).held_out_error)
        expected.append(frontier.expected_error(tolerance=0.0))
    # The standard error of these means is about 0.02.
    assert np.mean(told) < np.mean(expected) - 0.01
    assert np.mean(expected) == pytest.approx(0.5, abs=0.07)


def test_the_expected_error_of_a_clear_table_is_its_held_out_error() -> None:
    X = np.random.default_rng(0).normal(size=(400, 3))
    clf = LogicClassifier(epochs=15, restarts=1, folds=4, random_state=0).fit(X, X[:, 0] > 0)
    told = clf.frontier_.choose().held_out_error
    assert told <= clf.frontier_.expected_error() <= told + 0.01
