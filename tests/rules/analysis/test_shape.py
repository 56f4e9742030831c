"""Shapes: the average prediction for each value of a column."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from crisplogic.errors import RuleError, TableError
from crisplogic.rules import RuleSet
from crisplogic.rules.analysis import shape as module
from tests.rules.rule_sets import LEARNED, PATIENTS, PRICE, rules_of
from tests.strategies import INPUTS

HOUSES = np.random.default_rng(0).uniform([4, 0, 0], [9, 20, 6], (300, 3))
FRAME = pd.DataFrame(
    {
        "glucose": [100.0, None, 170.0, 130.0] * 5,
        "smoker": [True, False] * 10,
        "eye colour": ["red", "light blue", "teal", "red", "red"] * 4,
    }
)


def average(rules: RuleSet, table: np.ndarray, feature: int, value: float) -> np.ndarray:
    changed = table.copy()
    changed[:, feature] = value
    found: np.ndarray = rules.outputs(rules.scores(changed)).mean(axis=0)
    return found


def test_it_is_the_mean_prediction_with_one_value_in_all_rows() -> None:
    for column, feature in (("rooms", 0), ("poverty", 1)):
        found = PRICE.shape(column, HOUSES)
        for value in (*found.values[::20], PRICE.memberships[feature].low):
            expected = average(PRICE, HOUSES, feature, float(value))
            np.testing.assert_allclose(found.at([float(value)])[0], expected)


def test_probabilities_of_all_classes_add_up() -> None:
    found = LEARNED.shape("glucose", [[80, 30], [170, 40]])
    assert found.labels == LEARNED.labels
    np.testing.assert_allclose(found.averages.sum(axis=1), 1)
    assert found.values[0] == 80
    assert found.values[-1] == 170
    assert {90.0, 164.0} <= set(found.values)  # where the ramp begins and ends


def test_values_of_a_category_and_truth_values_have_names() -> None:
    colours = PATIENTS.shape("eye colour", FRAME)
    assert colours.values == ("red", "light blue", "other")
    assert colours.present.tolist() == pytest.approx([0.6, 0.2, 0.2])
    smoker = PATIENTS.shape("smoker", FRAME)
    assert smoker.values == ("false", "true")
    both = [PATIENTS.predict_proba(FRAME.assign(smoker=flag)).mean(axis=0) for flag in (0, 1)]
    np.testing.assert_allclose(smoker.averages, both)


def test_a_missing_value_has_an_average_if_the_table_has_one() -> None:
    assert PATIENTS.shape("smoker", FRAME).missing is None
    found = PATIENTS.shape("glucose", FRAME)
    assert found.missing is not None
    expected = PATIENTS.predict_proba(FRAME.assign(glucose=np.nan)).mean(axis=0)
    np.testing.assert_allclose(found.missing, expected)


def test_many_rows_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ROWS", 50)
    few = PRICE.shape("rooms", HOUSES)
    np.testing.assert_allclose(few.averages, PRICE.shape("rooms", HOUSES).averages)
    assert few.averages[-1, 0] > few.averages[0, 0]
    assert len(few.present) == len(HOUSES)  # what the table has is told of all rows


def test_it_is_read_as_text_and_as_json() -> None:
    lines = str(PATIENTS.shape("glucose", FRAME)).splitlines()
    assert lines[0].split() == ["glucose", "ill", "well"]
    assert lines[-1].split()[0] == "missing"
    assert str(PRICE.shape("rooms", HOUSES)).splitlines()[0].split() == ["rooms", "price"]
    found = json.loads(json.dumps(PATIENTS.shape("eye colour", FRAME).to_dict()))
    assert [entry["value"] for entry in found["values"]] == ["red", "light blue", "other"]
    assert found["classes"] == ["ill", "well"]


def test_a_column_that_is_not_there_or_not_mentioned_is_refused() -> None:
    with pytest.raises(RuleError, match=r"no column 'room'.*'rooms'"):
        PRICE.shape("room", HOUSES)
    rules = rules_of("0", "unknown")
    with pytest.raises(RuleError, match="no rule mentions column 'x1'"):
        rules.shape("x1", np.zeros((2, INPUTS)))
    with pytest.raises(TableError, match="no finite number"):
        rules.shape("x0", np.full((2, INPUTS), np.nan))
    with pytest.raises(TableError, match="with rows"):
        rules.shape("x0", np.empty((0, INPUTS)))
