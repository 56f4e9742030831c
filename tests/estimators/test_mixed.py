"""Tables as people have them: words, truth values and gaps beside numbers."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from crisplogic import LogicClassifier, RuleSet, cross_validate
from crisplogic.errors import TableError, UnseenValuesWarning
from crisplogic.tables import read_columns

ROWS = 150


def passengers() -> tuple[pd.DataFrame, Any]:
    """Women and children first; one port hardly occurs, and some ages are not known."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "sex": rng.choice(["female", "male"], ROWS),
            "age": rng.uniform(0, 80, ROWS).round(1),
            "port": rng.choice(["S", "C", "Q"], ROWS, p=[0.6, 0.39, 0.01]),
            "alone": rng.random(ROWS) < 0.4,
        }
    )
    saved = (frame.sex == "female") | (frame.age < 15)
    frame.loc[rng.random(ROWS) < 0.1, "age"] = np.nan
    return frame, np.where(saved, "yes", "no")


FRAME, Y = passengers()
SOON: dict[str, Any] = {"epochs": 3, "restarts": 1, "folds": 0, "random_state": 0}


@pytest.fixture(scope="module")
def fitted() -> LogicClassifier:
    return LogicClassifier(**SOON).fit(FRAME, Y)


def test_words_and_numbers_end_up_in_readable_rules(fitted: LogicClassifier) -> None:
    assert fitted.score(FRAME, Y) > 0.85  # sex alone is right in 9 of 10 rows
    text = str(fitted.rules_)
    assert "sex is " in text or "sex is not " in text
    assert fitted.rules_.features == ("sex", "age", "port", "alone")
    assert fitted.feature_names_in_.tolist() == ["sex", "age", "port", "alone"]
    assert fitted.n_features_in_ == 4


@pytest.mark.parametrize("library", ["polars", "arrow", "columns", "objects"])
def test_every_kind_of_table_is_learned_from_and_predicted_alike(
    fitted: LogicClassifier, library: str
) -> None:
    objects = FRAME.astype(object).to_numpy()
    tables: dict[str, Any] = {
        "polars": pl.from_pandas(FRAME),
        "arrow": pa.Table.from_pandas(FRAME),
        "columns": read_columns(FRAME),
        "objects": np.where(pd.isna(FRAME), None, objects),
    }
    table = tables[library]
    np.testing.assert_array_equal(fitted.predict(table), fitted.predict(FRAME))
    again = clone(fitted).fit(table, Y)
    named = RuleSet.from_json(again.rules_.to_json().replace('"x0"', '"sex"'))
    assert named.rules == fitted.rules_.rules


def test_rules_and_classifier_predict_the_same_from_words(fitted: LogicClassifier) -> None:
    np.testing.assert_array_equal(fitted.rules_.predict(FRAME), fitted.predict(FRAME))
    loaded = RuleSet.from_json(fitted.rules_.to_json())
    np.testing.assert_array_equal(loaded.predict(FRAME), fitted.predict(FRAME))


def test_columns_may_come_in_any_order_and_with_others(fitted: LogicClassifier) -> None:
    other = FRAME[["alone", "port", "age", "sex"]].assign(cabin="C85")
    np.testing.assert_array_equal(fitted.predict(other), fitted.predict(FRAME))


def test_a_value_that_was_never_seen_is_unknown(fitted: LogicClassifier) -> None:
    unseen = FRAME.assign(sex="unheard of").head(5)
    missing = FRAME.assign(sex=None).head(5)
    with pytest.warns(UnseenValuesWarning, match="5 of 5 rows in 'sex'"):
        scores = fitted.decision_function(unseen)
    np.testing.assert_array_equal(scores, fitted.decision_function(missing))


def test_the_network_reads_words_as_well(fitted: LogicClassifier) -> None:
    by_network = clone(fitted).set_params(predict_with="network", epochs=15).fit(FRAME, Y)
    assert by_network.score(FRAME, Y) > 0.85


def test_every_size_of_the_frontier_speaks_of_the_table(fitted: LogicClassifier) -> None:
    for point in fitted.frontier_:
        assert point.rules.features == ("sex", "age", "port", "alone")
        assert np.mean(point.rules.predict(FRAME) != Y) == pytest.approx(point.error)


def test_that_a_value_is_missing_can_be_what_counts() -> None:
    rng = np.random.default_rng(0)
    age = rng.uniform(0, 80, ROWS)
    gone = rng.random(ROWS) < 0.3
    frame = pd.DataFrame({"age": np.where(gone, np.nan, age), "noise": rng.random(ROWS)})
    y = np.where(gone, "lost", "found")
    clf = LogicClassifier(**SOON, missing_literals=True).fit(frame, y)
    assert "age is missing" in str(clf.rules_) or "age is not missing" in str(clf.rules_)
    assert clf.score(frame, y) == 1.0
    as_array = LogicClassifier(**SOON, missing_literals=True).fit(frame.to_numpy(), y)
    assert as_array.score(frame.to_numpy(), y) == 1.0


def test_all_folds_of_a_mixed_table_train_at_once() -> None:
    scores = cross_validate(LogicClassifier(**SOON), FRAME, Y, cv=3, return_estimator=True)
    assert scores["test_score"].mean() > 0.8
    assert all("sex" in est.rules_.features for est in scores["estimator"])


def test_a_table_of_words_alone_is_enough() -> None:
    frame = pd.DataFrame({"colour": ["red", "blue", "green"] * 20})
    clf = LogicClassifier(**SOON).fit(frame, frame.colour == "red")
    assert clf.score(frame, frame.colour == "red") == 1.0
    assert re.search(r"colour is (not )?(red|blue|green)", str(clf.rules_))


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (FRAME.head(0), "at least one row"),
        (FRAME.assign(age=np.inf), "column 'age': numbers must be finite"),
        (FRAME.assign(name=[f"name {number}" for number in range(ROWS)]), "column 'name'"),
        (FRAME.assign(born=pd.Timestamp(0)), "column 'born' must hold numbers or text"),
    ],
    ids=["no rows", "infinity", "names", "dates"],
)
def test_what_no_rule_can_speak_of_is_refused(frame: pd.DataFrame, says: str) -> None:
    with pytest.raises(TableError, match=says):
        LogicClassifier(**SOON).fit(frame, Y[: len(frame)])


def test_texts_where_numbers_were_learned_are_refused() -> None:
    clf = LogicClassifier(**{**SOON, "epochs": 1}).fit(FRAME[["age"]], Y)
    with pytest.raises(TableError, match="column 'age' must hold numbers"):
        clf.predict(FRAME[["age"]].astype(object).assign(age="old"))


def test_rules_over_words_can_be_kept_as_json(fitted: LogicClassifier) -> None:
    document = json.loads(fitted.rules_.to_json())
    assert document["levels"]["sex"]["names"]


@pytest.fixture(scope="module")
def held_out_scores() -> Any:
    """Of the two folds of the data frame."""
    return cross_validate(LogicClassifier(**{**SOON, "epochs": 2}), FRAME, Y, cv=2)


@pytest.mark.parametrize("library", ["polars", "arrow", "columns"])
def test_cross_validation_takes_every_kind_of_table(library: str, held_out_scores: Any) -> None:
    tables: dict[str, Any] = {
        "polars": pl.from_pandas(FRAME),
        "arrow": pa.Table.from_pandas(FRAME),
        "columns": read_columns(FRAME),
    }
    quick = LogicClassifier(**{**SOON, "epochs": 2})
    found = cross_validate(quick, tables[library], Y, cv=2)
    np.testing.assert_array_equal(found["test_score"], held_out_scores["test_score"])


def test_of_rows_that_count_for_nothing_no_value_is_known() -> None:
    """As if they were not there: neither are their levels, nor the order of these."""
    counts = np.arange(ROWS) % 3 > 0
    spoiled = FRAME.copy()
    spoiled.loc[~counts, "port"] = "secret"
    with_zeros = LogicClassifier(**SOON).fit(spoiled, Y, sample_weight=counts.astype(float))
    without = LogicClassifier(**SOON).fit(FRAME[counts], Y[counts])
    assert with_zeros.rules_ == without.rules_
    assert "secret" not in with_zeros.rules_.to_json()
