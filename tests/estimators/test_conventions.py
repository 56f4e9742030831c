"""LogicClassifier among scikit-learn's tools."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from crisplogic import LogicClassifier, RuleSet
from tests.estimators.samples import (
    NEW,
    X,
    Y,
    digest_of,
    quick,
    some_labels,
    some_table,
)
from tests.strategies import HOSTILE_NAMES

# --- names ------------------------------------------------------------------------------------


def test_column_names_flow_into_the_rules(fitted: LogicClassifier) -> None:
    frame = pd.DataFrame(X, columns=["age", "body mass", "not"])
    clf = quick().fit(frame, Y)
    assert clf.feature_names_in_.tolist() == list(frame.columns)
    assert clf.rules_.features == tuple(frame.columns)
    assert clf.rules_ == replace(fitted.rules_, features=tuple(frame.columns))
    assert "age" in str(clf.rules_)  # the column that decides it all
    assert np.array_equal(clf.predict(frame), fitted.predict(X))
    assert np.array_equal(
        clf.rules_.predict(frame[["not", "age", "body mass"]]), clf.predict(frame)
    )


def test_hostile_column_names_change_nothing_but_the_names() -> None:
    table = some_table(80, len(HOSTILE_NAMES))
    frame = pd.DataFrame(table, columns=HOSTILE_NAMES)
    labels = some_labels(table)
    named, numbered = (
        quick(epochs=1, folds=0, max_literals=3).fit(each, labels) for each in (frame, table)
    )
    assert named.rules_.features == HOSTILE_NAMES
    assert named.rules_.rules == numbered.rules_.rules
    assert RuleSet.from_json(named.rules_.to_json()) == named.rules_
    assert np.array_equal(named.predict(frame), numbered.predict(table))
    assert len(str(named.rules_).split("\n")) == len(str(numbered.rules_).split("\n"))


def test_class_names_flow_into_the_rules_however_hostile() -> None:
    labels = np.where(Y == "a", "two\nlines", 'x = "y"')
    clf = quick(epochs=2).fit(X, labels)
    assert set(clf.rules_.labels) == {"two\nlines", 'x = "y"'}
    assert np.array_equal(clf.rules_.predict(NEW), clf.predict(NEW))


def test_columns_in_another_order_are_refused_when_predicting() -> None:
    frame = pd.DataFrame(X, columns=list("pqr"))
    clf = quick(epochs=1).fit(frame, Y)
    with pytest.raises(ValueError, match="feature names should match"):
        clf.predict(frame[["r", "q", "p"]])


# --- scikit-learn's tools ---------------------------------------------------------------------


def test_a_clone_has_the_parameters_and_nothing_learned(fitted: LogicClassifier) -> None:
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    with pytest.raises(NotFittedError):
        copy.predict(NEW)
    assert digest_of(copy.fit(X, Y)) == digest_of(fitted)


def test_parameters_are_got_and_set_by_name() -> None:
    clf = LogicClassifier()
    changed = {name: object() for name in clf.get_params()}
    assert clf.set_params(**changed).get_params() == changed


def test_printing_shows_what_differs_from_the_defaults() -> None:
    assert repr(LogicClassifier(depth=2, random_state=0)) == (
        "LogicClassifier(depth=2, random_state=0)"
    )


def test_it_works_at_the_end_of_a_pipeline(fitted: LogicClassifier) -> None:
    pipeline = make_pipeline(SimpleImputer(), quick()).fit(X, Y)
    assert np.array_equal(pipeline.predict(NEW), fitted.predict(NEW))
    assert pipeline.set_params(logicclassifier__epochs=1).fit(X, Y).score(X, Y) <= 1


def test_a_pipeline_can_hand_on_names() -> None:
    frame = pd.DataFrame(X, columns=list("pqr"))
    pipeline = make_pipeline(SimpleImputer(), quick(epochs=1)).set_output(transform="pandas")
    assert pipeline.fit(frame, Y)[-1].rules_.features == ("p", "q", "r")


def test_it_can_be_searched_over_and_cross_validated() -> None:
    search = GridSearchCV(quick(epochs=1, folds=0), {"depth": [1, 2], "l1": [0, 1e-3]}, cv=2)
    search.fit(X, Y)
    assert search.best_params_.keys() == {"depth", "l1"}
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert cross_val_score(quick(epochs=1), X, Y, cv=2).mean() > 0.8
