"""Columns with two values get no threshold: they are truth values, or categories of two."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score

from crisplogic import LogicClassifier, LogicRegressor, RuleSet, cross_validate
from crisplogic.errors import UnseenValuesWarning
from crisplogic.estimators.encoder import FeatureEncoder
from crisplogic.expr import Not, Var
from crisplogic.expr.walk import unique_nodes
from crisplogic.rules import Flag, Level, Ramp
from crisplogic.tables import TRUTH, Levels, infer_schema, read_columns

SOON: dict[str, Any] = {"epochs": 15, "restarts": 1, "folds": 2, "random_state": 0}
# Without a search: where it does not matter which rules are found.
AT_ONCE: dict[str, Any] = {**SOON, "epochs": 2, "snapping": "nearest"}
ROWS = 120
RNG = np.random.default_rng(0)
BITS = RNG.integers(0, 2, size=(ROWS, 3))
NUMBERS = BITS + np.array([0.0, 1.0, 0.0])  # 0 and 1, 1 and 2, 0 and 1
Y = np.where(BITS[:, 0] & (1 - BITS[:, 1]), "a", "b")

# The same two columns, in every kind that a table may have.
SMOKER = BITS[:, 0]
KINDS: dict[str, Any] = {
    "whole numbers": SMOKER,
    "floats": SMOKER.astype(float),
    "single precision": SMOKER.astype(np.float32),
    "numpy's truth values": SMOKER.astype(bool),
    "truth values": pd.Series(SMOKER.astype(bool)),
    "nullable": pd.array(SMOKER.astype(bool), dtype="boolean"),
    "objects": np.array(SMOKER.astype(bool).tolist(), dtype=object),
    "yes and no": np.where(SMOKER, "yes", "no"),
    "Y and N": np.where(SMOKER, "Y", "N"),
    "a category": pd.Categorical(np.where(SMOKER, "true", "false")),
}


@pytest.mark.parametrize("values", KINDS.values(), ids=KINDS)
def test_truth_values_of_any_kind_are_learned_alike(values: Any) -> None:
    frame = pd.DataFrame({"smoker": values, "age": np.linspace(20, 80, ROWS)})
    schema = infer_schema(read_columns(frame))
    encoder = FeatureEncoder.of(schema)
    assert schema.kinds == ("boolean", "number")
    assert encoder.names == ("age", "smoker")
    assert encoder.crisp.tolist() == [False, True]
    assert encoder.transform(schema.matrix(frame))[:, 1].tolist() == SMOKER.tolist()


@pytest.mark.parametrize(
    ("values", "name"),
    [
        (BITS[:, 0] + 1, "x is 2"),
        (np.where(BITS[:, 0], 7.0, 3.5), "x is 7"),
        (np.where(BITS[:, 0], 1.0, -1.0), "x is 1"),
        (np.where(BITS[:, 0], "m", "f"), "x is "),
        (np.where(BITS[:, 0], 2.0, np.where(BITS[:, 2], 1.0, np.nan)), "x is 2"),
    ],
)
def test_any_other_two_values_are_a_category(values: Any, name: str) -> None:
    schema = infer_schema(read_columns(pd.DataFrame({"x": values})))
    (only,) = FeatureEncoder.of(schema).names
    assert only.startswith(name)


@pytest.fixture(scope="module")
def bits() -> LogicClassifier:
    """Learned from two columns of 0 and 1, and one of 1 and 2, as numpy has them."""
    return LogicClassifier(**SOON).fit(NUMBERS, Y)


def test_no_rule_of_any_size_has_a_threshold(bits: LogicClassifier) -> None:
    for point in bits.frontier_:
        used = [point.rules.memberships[index] for index in point.rules.used]
        assert not any(isinstance(each, Ramp) for each in used)
        assert {type(each) for each in used} <= {Flag, Level}
    assert bits.rules_.levels == (TRUTH, Levels(("1", "2"), values="numbers"), TRUTH)
    assert bits.score(NUMBERS, Y) > 0.9  # "x0 and x1 is 1" is always right


def test_the_value_that_holds_is_named_not_the_one_that_does_not(bits: LogicClassifier) -> None:
    for point in bits.frontier_:
        rules = point.rules
        negated = {
            node.operand.index
            for node in unique_nodes(rules.expressions)
            if isinstance(node, Not) and isinstance(node.operand, Var)
        }
        assert not any(isinstance(rules.memberships[index], Level) for index in negated)
        assert " is not " not in str(rules)


def test_values_are_matched_in_any_spelling(bits: LogicClassifier) -> None:
    expected = bits.predict(NUMBERS).tolist()
    for table in (NUMBERS.astype(np.float32), NUMBERS.astype(int).tolist()):
        assert bits.predict(table).tolist() == expected
    texts = [[["no", "yes"][a], f"{b}.0", str(c)] for a, b, c in NUMBERS.astype(int)]
    assert bits.predict(texts).tolist() == expected
    loaded = RuleSet.from_json(bits.rules_.to_json())
    assert loaded == bits.rules_
    assert loaded.predict(texts).tolist() == expected


@pytest.mark.parametrize("predict_with", ["rules", "network"])
def test_a_third_value_is_unknown_and_warned_of(
    bits: LogicClassifier, predict_with: Any
) -> None:
    third = np.array([[0.5, 3.0, 7.0]])
    unknown = bits.encoder_.transform(bits.encoder_.matrix(third))
    assert np.isnan(unknown).all()
    bits.set_params(predict_with=predict_with)
    try:
        for call in (bits.predict, bits.predict_proba):
            with pytest.warns(UnseenValuesWarning, match="of 1 rows in 'x"):
                call(third)
        with pytest.warns(UnseenValuesWarning):
            bits.score(third, ["a"])
    finally:
        bits.set_params(predict_with="rules")
    with pytest.warns(UnseenValuesWarning):
        bits.rules_.predict(third)


@pytest.mark.parametrize("low", [0, 1], ids=["0 and 1", "1 and 2"])
@pytest.mark.parametrize(("way", "sign"), [("up", 1), ("down", -1)])
def test_two_numbers_keep_to_a_direction(low: int, way: str, sign: int) -> None:
    table = BITS[:, :2] + low + 0.0
    y = BITS @ [2.0, -1.0, 0.0]
    model = LogicRegressor(**SOON, monotone={0: way, 1: way}).fit(table, y)
    changes = [
        model.predict([[low + 1, other]]) - model.predict([[low, other]])
        for other in (low, low + 1)
    ]
    assert (sign * np.array(changes) >= -1e-9).all()
    allowed = {"up": {"up", "none"}, "down": {"down", "none"}}[way]
    for directions in model.rules_.directions().values():
        assert set(directions.values()) <= allowed


def test_a_column_that_a_fold_knows_one_value_of_says_nothing_there() -> None:
    rare = np.zeros((ROWS, 2))
    rare[:3, 0] = 1.0
    rare[:, 1] = BITS[:, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnseenValuesWarning)
        scores = cross_val_score(LogicClassifier(**AT_ONCE), rare, Y, cv=3)
        one_row = LogicClassifier(**AT_ONCE).fit(rare[3:], Y[3:])
        one_row.predict(rare)
    assert np.isfinite(scores).all()
    assert one_row.encoder_.names == ("x0", "x1")


def test_cross_validation_with_rare_levels_does_not_warn() -> None:
    towns = np.array([f"t{number}" for number in range(6)])[RNG.integers(0, 6, ROWS)]
    towns[::40] = ["once", "twice", "thrice"]
    frame = pd.DataFrame({"town": towns, "smoker": SMOKER})
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnseenValuesWarning)
        assert np.isfinite(cross_val_score(LogicClassifier(**AT_ONCE), frame, Y, cv=3)).all()


def test_our_own_cross_validation_counts_what_a_fold_never_saw_without_a_warning() -> None:
    rng = np.random.default_rng(0)
    towns = [f"t{number}" for number in rng.integers(0, 50, ROWS)]
    frame = pd.DataFrame({"town": towns, "smoker": SMOKER})
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnseenValuesWarning)
        scores = cross_validate(LogicClassifier(**AT_ONCE), frame, Y, cv=3)
    assert np.isfinite(scores["network_test_score"]).all()
