"""Whatever table comes: a right answer or a clear error, and nothing else."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from crisplogic import LogicClassifier, LogicRegressor, RuleSet
from crisplogic.errors import RuleSizeWarning, TargetWarning
from crisplogic.estimators.base import LogicEstimator

MOST_ROWS = 12
NAMES = st.one_of(
    st.sampled_from(
        ['"; DROP TABLE', "a>1", "x is y", "", " ", "¬", "h1", "naïve\n", "1", "é" * 40]
    ),
    st.text(max_size=6),
)


def cells(kind: str) -> st.SearchStrategy[Any]:
    """Values of one kind of column, gaps included."""
    huge = st.sampled_from([1e300, -1e300, 1e-300, 5e-324, 0.0, -0.0, 2.0**53])
    kinds: dict[str, st.SearchStrategy[Any]] = {
        "number": st.one_of(st.floats(-100, 100), huge, st.just(np.nan)),
        "infinite": st.sampled_from([np.inf, -np.inf, 1.0, np.nan]),
        "integer": st.integers(-5, 5),
        "constant": st.just(7.0),
        "missing": st.just(None),
        "boolean": st.booleans(),
        "gappy boolean": st.sampled_from([True, False, None]),
        "text": st.one_of(st.sampled_from(["red", "blue", "", "other", "missing"]), st.none()),
        "any text": st.text(max_size=3),
        "mixed": st.sampled_from([1, "one", None, 2.5, True]),
        "date": st.just(pd.Timestamp("2020-02-02")),
    }
    return kinds[kind]


USUAL = ["number", "integer", "constant", "boolean", "gappy boolean", "text", "missing"]
ODD = ["infinite", "any text", "mixed", "date"]
# Most columns are of a kind that can be learned from, or nearly every table would be refused.
KINDS = 4 * USUAL + ODD


@st.composite
def frames(draw: st.DrawFn) -> tuple[pd.DataFrame, list[str]]:
    rows = draw(st.one_of(st.integers(4, MOST_ROWS), st.integers(0, MOST_ROWS)))
    unique = draw(st.booleans())
    names = draw(st.lists(NAMES, min_size=not unique, max_size=4, unique=unique))
    columns = []
    for _ in names:
        kind = draw(st.sampled_from(KINDS))
        columns.append(draw(st.lists(cells(kind), min_size=rows, max_size=rows)))
    frame = pd.DataFrame(dict(enumerate(columns)), index=range(rows))
    frame.columns = pd.Index(names, dtype=object)
    labels = draw(st.lists(st.sampled_from("abc"), min_size=rows, max_size=rows))
    return frame, labels


@st.composite
def constraints(draw: st.DrawFn, names: list[str]) -> dict[str, Any]:
    """What people may ask for, some of which makes no sense."""
    column = st.sampled_from([*names, *range(len(names)), "no such column"])
    way = st.sampled_from(["up", "down", {"b": "up"}, {"a": "down", "c": "up"}, "sideways"])
    pairs = st.lists(st.tuples(column, column), max_size=2)
    asked = st.fixed_dictionaries(
        {},
        optional={
            "forbidden_columns": st.lists(column, max_size=2),
            "monotone": st.dictionaries(column, way, max_size=2),
            "allowed_pairs": pairs,
            "forbidden_pairs": pairs,
        },
    )
    return draw(st.one_of(st.just({}), asked))


@given(st.data())
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_table_is_learned_from_or_refused_in_words(data: st.DataObject) -> None:
    frame, labels = data.draw(frames())
    missing, asked = data.draw(st.booleans()), data.draw(constraints(list(frame.columns)))
    clf = LogicClassifier(
        epochs=2, restarts=1, folds=0, random_state=0, missing_literals=missing, **asked
    )
    if learned(clf, frame, np.array(labels, dtype=str)):
        check_sound(clf, frame, labels)


@given(st.data())
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_number_is_learned_or_refused_in_words(data: st.DataObject) -> None:
    frame, _ = data.draw(frames())
    cell = st.one_of(
        st.floats(-100, 100),
        st.sampled_from([0.0, 1e99, -1e99, 1e-300, 5e-324]),
        st.sampled_from([0.0, 1.0]),
    )
    numbers = data.draw(st.lists(cell, min_size=len(frame), max_size=len(frame)))
    asked = data.draw(constraints(list(frame.columns)))
    reg = LogicRegressor(epochs=2, restarts=1, folds=0, random_state=0, **asked)
    if learned(reg, frame, np.array(numbers, dtype=float)):
        predicted = reg.predict(frame)
        assert np.isfinite(predicted).all()
        again = RuleSet.from_json(reg.rules_.to_json())
        np.testing.assert_array_equal(again.predict(frame), predicted)
        assert str(again) == str(reg.rules_)
        reg.set_params(predict_with="network")
        assert np.isfinite(reg.predict(frame)).all()


def learned(estimator: LogicEstimator, frame: pd.DataFrame, targets: Any) -> bool:
    """Whether a table was learned from; else it was refused in words, and nothing is left."""
    refused = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", RuleSizeWarning)
            warnings.simplefilter("ignore", TargetWarning)
            estimator.fit(frame, targets)
    except ValueError as error:  # every error of ours is one
        refused = str(error)
    event("learned" if refused is None else "refused")
    if refused is not None:
        assert len(refused) > 20
        assert not hasattr(estimator, "rules_")
    return refused is None


def check_sound(clf: LogicClassifier, frame: pd.DataFrame, labels: list[str]) -> None:
    """Predictions are classes, probabilities are probabilities, and rules survive a file."""
    predicted, probabilities = clf.predict(frame), clf.predict_proba(frame)
    assert set(predicted) <= set(labels)
    assert np.isfinite(probabilities).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    again = RuleSet.from_json(clf.rules_.to_json())
    np.testing.assert_array_equal(again.predict(frame), predicted)
    assert str(again) == str(clf.rules_)
    assert clf.rules_.legend() == again.legend()


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_very_few_rows_are_learned_from_or_refused_in_words(rows: int) -> None:
    frame = pd.DataFrame({"colour": ["red", "blue", "red"][:rows]})
    labels = np.array(["a", "b", "b"][:rows])
    clf = LogicClassifier(random_state=0, epochs=2)
    if rows == 1:
        with pytest.raises(ValueError, match="at least 2 classes"):
            clf.fit(frame, labels)
    else:
        check_sound(clf.fit(frame, labels), frame, labels.tolist())
