"""LogicClassifier: every kind of table and target, learned from or refused."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.exceptions import NotFittedError

from crisplogic import LogicClassifier, RuleSet
from crisplogic.errors import TableError
from crisplogic.estimators.reading import read_for_rules
from tests.estimators.samples import (
    NEW,
    Floats,
    X,
    Y,
    digest_of,
    quick,
    some_labels,
    some_table,
)

# --- tables that work -------------------------------------------------------------------------


def test_missing_values_are_learned_from_and_predicted() -> None:
    table = X.copy()
    table[::7, 0] = math.nan
    table[::5, 1] = math.nan
    clf = quick().fit(table, Y)
    assert clf.score(table, Y) > 0.8
    assert np.isfinite(clf.predict_proba(np.full((2, 3), math.nan))).all()


@pytest.mark.parametrize("value", [math.nan, 0.0, -7.5], ids=["missing", "zero", "constant"])
def test_a_column_that_says_nothing_changes_no_prediction(value: float) -> None:
    table = X.copy()
    table[:, 1] = value
    clf = quick(folds=0).fit(table, Y)
    assert clf.score(table, Y) > 0.85
    other = table.copy()
    other[:, 1] = 123.0
    assert np.array_equal(clf.predict_proba(other), clf.predict_proba(table))


@pytest.mark.parametrize("value", [math.nan, 3.0])
def test_where_no_column_says_anything_the_rules_say_unknown(value: float) -> None:
    clf = quick(epochs=2).fit(np.full((20, 2), value), np.arange(20) % 2)
    assert np.isfinite(clf.predict_proba([[1.0, 2.0]])).all()
    assert clf.rules_.size == 0
    assert set(clf.predict(some_table(9, 2))) == {0}


RECORDS: dict[str, Callable[[Floats], Any]] = {
    "rows": lambda table: [dict(zip("abc", row, strict=True)) for row in table.tolist()],
    "lists": lambda table: dict(zip("abc", table.T.tolist(), strict=True)),
    "structured": lambda table: np.array(
        list(map(tuple, table)), dtype=[(name, float) for name in "abc"]
    ),
    "tuples": lambda table: tuple(map(tuple, table.tolist())),
    "matrix": np.matrix,
}


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("make", RECORDS.values(), ids=RECORDS)
def test_tables_of_pythons_own_kinds_are_learned_from(make: Callable[[Floats], Any]) -> None:
    plain = quick(epochs=2, snapping="nearest").fit(X, Y)
    clf = quick(epochs=2, snapping="nearest").fit(make(X), Y)
    assert clf.predict(make(NEW)).tolist() == plain.predict(NEW).tolist()
    assert clf.rules_.predict(make(NEW)).tolist() == plain.predict(NEW).tolist()
    assert clf.n_features_in_ == 3


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (([value] for value in (1.0, 2.0)), "got a generator"),
        ("people.csv", "read the file first"),
        ([[1.0, 2.0], [3.0]], "rows of equal length"),
        ([["a"], [datetime.date(2024, 1, 31)]], "dates or times"),
        (np.array([["2024-01-31"], ["2024-02-01"]], dtype="datetime64[D]"), "dates or times"),
        (np.array([[datetime.date(2024, 1, 31)], [None]], dtype=object), "dates or times"),
        ([(1.0, {}), (2.0, {})], "values with parts"),
        (["a", "b"], r"rows and columns, got shape \(2,\)"),
    ],
)
def test_what_cannot_be_a_table_is_refused_by_name(
    fitted: LogicClassifier, table: Any, said: str
) -> None:
    with pytest.raises(TableError, match=said):
        quick().fit(table, ["a", "b"])
    if not isinstance(table, Iterator):
        with pytest.raises(TableError):
            fitted.predict(table)


def test_infinity_is_refused_by_all_the_columns_that_hold_it() -> None:
    table = pd.DataFrame({"a": [1.0, math.inf], "b": ["x", "y"], "c": [-math.inf, 0.0]})
    with pytest.raises(TableError, match="columns 'a', 'c'"):
        quick().fit(table, ["a", "b"])


def test_columns_of_any_scale_give_the_same_rules(fitted: LogicClassifier) -> None:
    scales = (1e7, 1.0, 1e-7)  # powers of ten: thresholds are rounded to decimal digits
    clf = quick().fit(X * scales, Y)
    assert clf.rules_.expressions == fitted.rules_.expressions
    np.testing.assert_allclose(
        clf.decision_function(NEW * scales), fitted.decision_function(NEW), atol=1e-9
    )


@pytest.mark.parametrize("scale", [1e300, 1e-300])
def test_columns_near_the_limits_of_numbers_work(scale: float) -> None:
    assert quick(folds=0).fit(X * scale, Y).score(X * scale, Y) > 0.85


def test_more_columns_than_rows_work() -> None:
    table = some_table(20, 200)
    clf = quick(epochs=5).fit(table, some_labels(table))
    assert clf.score(table, some_labels(table)) > 0.7


def test_a_single_column_works() -> None:
    clf = quick().fit(X[:, :1], Y)
    assert clf.score(X[:, :1], Y) > 0.9
    assert str(clf.rules_).count("x0") >= 1


def test_two_rows_are_enough() -> None:
    clf = quick(epochs=20).fit([[0.0], [1.0]], ["no", "yes"])
    assert clf.predict([[0.0], [1.0]]).tolist() == ["no", "yes"]


def test_many_classes_work() -> None:
    table = some_table(100)
    clf = quick(epochs=3).fit(table, some_labels(table, 10))
    assert clf.classes_.tolist() == list("abcdefghij")
    assert clf.predict_proba(NEW).shape == (len(NEW), 10)
    assert set(clf.predict(NEW)) <= set(clf.classes_)


def test_a_class_of_a_single_row_works_with_validation_too() -> None:
    labels = Y.copy()
    labels[7] = "c"
    clf = quick(epochs=1, validation_fraction=0.2).fit(X, labels)
    assert clf.classes_.tolist() == ["a", "b", "c"]


TABLES_OF_ANY_TYPE: dict[str, Callable[[Floats], Any]] = {
    "list": lambda table: table.tolist(),
    "fortran order": np.asfortranarray,
    "read only": lambda table: np.frombuffer(table.tobytes()).reshape(table.shape),
    "objects": lambda table: table.astype(object),
    "frame": pd.DataFrame,
    "nullable": lambda table: pd.DataFrame(table).astype("Float64"),
}


@pytest.mark.parametrize("made", TABLES_OF_ANY_TYPE.values(), ids=TABLES_OF_ANY_TYPE)
def test_tables_of_any_type_are_the_same_table(
    made: Callable[[Floats], Any], fitted: LogicClassifier
) -> None:
    clf = quick().fit(made(X), Y)
    assert digest_of(clf) == digest_of(fitted)
    assert np.array_equal(clf.predict(made(NEW)), fitted.predict(NEW))


def test_pandas_na_is_a_missing_value() -> None:
    frame = pd.DataFrame({"p": pd.array([1, None, 3] * 9, dtype="Int64"), "q": [1, 2, 3] * 9})
    clf = quick(epochs=2).fit(frame, ["a", "b", "c"] * 9)
    plain = frame.astype("float64").to_numpy()
    assert np.array_equal(clf.predict(frame), clf.rules_.predict(plain))


# --- labels -----------------------------------------------------------------------------------

LABELS: dict[str, tuple[Any, Any]] = {
    "text": ("no", "yes"),
    "whole numbers": (0, 1),
    "negative numbers": (-5, 70),
    "truth values": (False, True),
    "floats": (1.0, 2.0),
}
TARGETS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "array": np.array,
    "objects": lambda labels: np.array(labels, dtype=object),
    "series": pd.Series,
    "series of objects": lambda labels: pd.Series(labels, dtype=object),
    "nullable series": lambda labels: pd.Series(pd.array(labels)),
    "categories": lambda labels: pd.Series(labels, dtype="category"),
}


@pytest.mark.parametrize("classes", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("made", TARGETS.values(), ids=TARGETS)
def test_labels_of_any_type_come_back_as_they_were(
    classes: tuple[Any, Any], made: Callable[[list[Any]], Any], fitted: LogicClassifier
) -> None:
    clf = quick(epochs=1, folds=0).fit(X, made([classes[int(label == "b")] for label in Y]))
    assert clf.classes_.tolist() == list(classes)
    assert clf.rules_.labels == classes
    assert [type(label) for label in clf.rules_.labels] == [type(label) for label in classes]
    assert set(clf.predict(NEW).tolist()) <= set(classes)
    assert clf.rules_.predict(NEW).tolist() == clf.predict(NEW).tolist()
    assert RuleSet.from_json(clf.rules_.to_json()).labels == classes


def test_labels_of_mixed_types_are_refused_with_advice() -> None:
    labels = np.array([1, "b"] * 30, dtype=object)
    with pytest.raises(TableError, match=r"got int and str; .*y\.astype\(str\)"):
        quick().fit(X, labels)


MISSING = {"None": None, "NaN": math.nan, "NA": pd.NA}
WITH_MISSING: dict[str, Callable[[Any], Any]] = {
    "list of texts": lambda gap: ["a", "b", gap, "a"],
    "list of numbers": lambda gap: [0, 1, gap, 0],
    "array of objects": lambda gap: np.array(["a", "b", gap, "a"], dtype=object),
    "series": lambda gap: pd.Series(["a", "b", gap, "a"]),
    "categories": lambda gap: pd.Series(["a", "b", gap, "a"], dtype="category"),
    "nullable numbers": lambda gap: pd.Series(
        [0, 1, None if gap is not pd.NA else gap, 0], dtype="Int64"
    ),
}


@pytest.mark.parametrize("gap", MISSING.values(), ids=MISSING)
@pytest.mark.parametrize("made", WITH_MISSING.values(), ids=WITH_MISSING)
def test_a_missing_target_is_refused_with_its_row(made: Callable[[Any], Any], gap: Any) -> None:
    with pytest.raises(TableError, match=r"missing in 1 row.*the first is row 2"):
        quick().fit(X[:4], made(gap))


def test_a_missing_date_is_a_missing_target_too() -> None:
    dates = np.array(["2020", "2021", "NaT", "2020"], dtype="datetime64[Y]")
    with pytest.raises(TableError, match="the first is row 2"):
        quick().fit(X[:4], dates)


def test_dates_are_no_classes() -> None:
    dates = np.array(["2020", "2021"] * 2, dtype="datetime64[Y]")
    with pytest.raises(TableError, match="text or numbers, got dates"):
        quick().fit(X[:4], dates)


def test_a_frame_of_dates_alone_is_refused_too() -> None:
    frame = pd.DataFrame({"born": pd.to_datetime(["2020-01-01", "2021-01-01"] * 2)})
    with pytest.raises(TableError, match="column 'born' must hold numbers or text, got dates"):
        quick().fit(frame, Y[:4])


def test_rules_read_the_frame_with_numbered_columns_that_they_were_learned_from() -> None:
    frame = pd.DataFrame(X)
    clf = quick().fit(frame, Y)
    assert np.array_equal(clf.rules_.predict(frame), clf.predict(frame))


# --- tables that cannot work ------------------------------------------------------------------

REFUSED: dict[str, tuple[Any, Any, type[Exception], str]] = {
    "no rows": (np.empty((0, 3)), np.empty(0), ValueError, "0 sample"),
    "no columns": (np.empty((60, 0)), Y, ValueError, "0 feature"),
    "one row": (X[:1], Y[:1], TableError, "needs at least 2 classes, got 1 class: '[ab]'"),
    "one class": (X, np.full(60, 7), TableError, "needs at least 2 classes, got 1 class: 7$"),
    "infinity": (np.where(X > 25, np.inf, X), Y, ValueError, "infinity"),
    "sparse": (csr_matrix(X), Y, TypeError, "[Ss]parse"),
    "sparse target": (X, csr_matrix([[0, 1] * 30]), TypeError, "[Ss]parse"),
    "one dimension": (X[:, 0], Y, ValueError, "Expected 2D array"),
    "three dimensions": (X[:, :, None], Y, ValueError, "dim 3"),
    "no target": (X, None, ValueError, "requires y"),
    "short target": (X, Y[:-1], ValueError, r"\[60, 59\]"),
    "two targets": (X, [[0, 1]] * 60, ValueError, "1d array"),
    "continuous target": (X, X[:, 0], ValueError, "continuous"),
    "complex": (X * 1j, Y, ValueError, "[Cc]omplex"),
    "same names": (
        pd.DataFrame(X, columns=["p", "q", "p"]),
        Y,
        TableError,
        "must differ from each other.*repeated: 'p'",
    ),
    "names that only differ in type": (
        pd.DataFrame(X, columns=["1", "q", 1]),
        Y,
        TableError,
        "repeated: '1'",
    ),
}


@pytest.mark.parametrize(("table", "labels", "error", "says"), REFUSED.values(), ids=REFUSED)
def test_a_table_that_cannot_work_is_refused_with_the_reason(
    table: Any, labels: Any, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        quick().fit(table, labels)


NOT_NUMBERS: dict[str, Any] = {
    "dates": pd.to_datetime(["2020-01-01", "2021-01-01"] * 30),
    "spans of time": pd.to_timedelta([1, 2] * 30),
    "complex numbers": [1j, 2.0] * 30,
    "lists": [[1], [2]] * 30,
    "names": [f"name {number}" for number in range(60)],
}


@pytest.mark.parametrize("column", NOT_NUMBERS.values(), ids=NOT_NUMBERS)
def test_a_column_without_numbers_is_refused_by_name_with_advice(column: Any) -> None:
    frame = pd.DataFrame({"age": X[:, 0], "home town": column})
    with pytest.raises(TableError, match=r"column 'home town' must hold .*leave "):
        quick().fit(frame, Y)


def test_a_column_without_numbers_is_refused_by_name_when_predicting_too() -> None:
    frame = pd.DataFrame(X, columns=list("pqr"))
    clf = quick(epochs=1).fit(frame, Y)
    with pytest.raises(TableError, match="column 'q' must hold numbers"):
        clf.predict(frame.assign(q="x"))


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
def test_nothing_is_predicted_before_fitting(method: str) -> None:
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(LogicClassifier(), method)(X)


@pytest.mark.parametrize("columns", [1, 2, 4])
def test_a_table_of_other_columns_is_not_predicted(
    columns: int, fitted: LogicClassifier
) -> None:
    says = f"X has {columns} features, but LogicClassifier is expecting 3"
    with pytest.raises(ValueError, match=says):
        fitted.predict(some_table(5, columns))


@pytest.mark.parametrize("bad", [np.full((2, 3), np.inf), np.empty((0, 3))])
def test_what_cannot_be_learned_from_cannot_be_predicted(
    bad: Floats, fitted: LogicClassifier
) -> None:
    with pytest.raises(ValueError, match=r"infinity|0 sample"):
        fitted.predict(bad)


def test_a_forbidden_column_of_an_array_may_hold_anything() -> None:
    table = np.array([[*row, "notes"] for row in X.tolist()], dtype=object)
    clf = quick(epochs=2, snapping="nearest", forbidden_columns=[3]).fit(table, Y)
    table[:, 3] = datetime.date(2024, 1, 31)
    assert clf.predict(table).shape == Y.shape


def test_a_table_in_single_precision_is_predicted_without_a_copy() -> None:
    table = np.random.default_rng(0).normal(size=(60, 3))
    clf = quick(epochs=1, folds=0).fit(table, table[:, 0] > 0)
    single = np.random.default_rng(1).normal(size=(50, 3)).astype(np.float32)
    expected = clf.predict(single.astype(np.float64))
    table, is_coded = read_for_rules(clf, single)
    assert table is single
    assert not is_coded
    assert clf.predict(single).tolist() == expected.tolist()
    assert clf.predict_proba(single).tolist() == clf.predict_proba(single.tolist()).tolist()


@pytest.mark.parametrize("literals", ["crisp", "graded"])
def test_single_precision_is_read_as_what_it_holds(literals: Any) -> None:
    """No copy in double precision is needed for the same rules and the same network."""
    table = np.random.default_rng(0).normal(size=(120, 3)).astype(np.float32)
    table[::17, 1] = np.nan
    y = np.where(table[:, 0] > table[:, 2] / 3, "yes", "no")
    single, double = (
        LogicClassifier(
            literals=literals, epochs=2, restarts=1, max_literals=3, random_state=0
        ).fit(X, y)
        for X in (table, table.astype(np.float64))
    )
    assert single.rules_ == double.rules_
    assert [p.held_out_loss for p in single.frontier_] == [
        p.held_out_loss for p in double.frontier_
    ]
    assert (single.predict_proba(table) == double.predict_proba(table)).all()
