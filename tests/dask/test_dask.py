"""Dask collections: learned from and predicted where they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from crisplogic import LogicClassifier, LogicRegressor
from crisplogic.errors import TableError

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")

from crisplogic.dask import (  # noqa: E402  # dask is an extra
    DaskLogicClassifier,
    DaskLogicRegressor,
    cross_validate,
    on_partitions,
)

QUICK: dict[str, Any] = {"epochs": 2, "folds": 2, "max_literals": 4, "random_state": 0}
ROWS = 600


def some_rows(rows: int = ROWS) -> pd.DataFrame:
    """Rows with gaps, a category that only the last partition knows, classes and a number."""
    draw = np.random.default_rng(0)
    age, colour = draw.integers(20, 80, rows), draw.choice(["red", "blue"], rows)
    colour[-rows // 6 :] = draw.choice(["red", "green"], rows // 6)
    ill = (age > 50) & (colour != "blue")
    frame = pd.DataFrame({"age": age.astype(float), "colour": colour, "smoker": age % 2 == 0})
    frame.loc[::17, "age"] = np.nan
    frame["ill"] = np.where(ill ^ (draw.random(rows) < 0.05), "yes", "no")
    frame["cost"] = 10.0 * ill + draw.normal(size=rows)
    frame["weight"] = draw.integers(0, 3, rows).astype(float)
    return frame


FEATURES = ["age", "colour", "smoker"]


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return some_rows()


@pytest.fixture(scope="module")
def frame(table: pd.DataFrame) -> Any:
    return dd.from_pandas(table, npartitions=3)


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    """No cluster: threads of Dask itself."""
    with dask.config.set(scheduler="threads"):
        yield


def test_rules_of_partitions_are_those_of_the_table_in_memory(
    table: pd.DataFrame, frame: Any
) -> None:
    alone = LogicClassifier(**QUICK).fit(table[FEATURES], table["ill"], table["weight"])
    clf = DaskLogicClassifier(**QUICK).fit(frame[FEATURES], frame["ill"], frame["weight"])
    assert clf.rules_ == alone.rules_
    assert clf.classes_.tolist() == ["no", "yes"]
    found = clf.predict(frame[FEATURES])
    assert found.npartitions == 3
    assert found.compute().tolist() == alone.predict(table[FEATURES]).tolist()
    assert found.compute().index.equals(table.index)
    shares = clf.predict_proba(frame[FEATURES]).compute()
    assert np.array_equal(shares.to_numpy(), alone.predict_proba(table[FEATURES]))
    assert shares.columns.tolist() == ["no", "yes"]
    expected = alone.score(table[FEATURES], table["ill"], table["weight"])
    assert clf.score(frame[FEATURES], frame["ill"], frame["weight"]) == pytest.approx(expected)


def test_a_number_is_learned_from_a_sample_and_measured_on_all_rows(
    table: pd.DataFrame, frame: Any, tmp_path: Path
) -> None:
    columns = [*FEATURES, "cost"]
    model = DaskLogicRegressor(**QUICK).fit(frame[columns], "cost", sample_rows=300)
    assert model.all_rows_.rows == ROWS
    assert model.all_rows_.learned < 300
    known = table["cost"]
    expected = model.to_local().score(table[FEATURES], known)
    assert model.score(frame[columns], "cost") == pytest.approx(expected)
    model.save(tmp_path / "model.npz")
    again = LogicRegressor.load(tmp_path / "model.npz")
    assert np.array_equal(again.predict(table[FEATURES]), model.predict(frame).compute())


def test_rules_of_a_sample_do_not_depend_on_the_partitions_it_came_from(frame: Any) -> None:
    fits = [
        DaskLogicClassifier(**QUICK).fit(each[FEATURES], each["ill"], sample_rows=200)
        for each in (frame, frame.persist())
    ]
    assert fits[0].rules_ == fits[1].rules_
    assert fits[0].all_rows_ == fits[1].all_rows_


def test_folds_and_points_of_a_grid_are_tasks(frame: Any) -> None:
    found = cross_validate(
        DaskLogicClassifier(**QUICK),
        frame[FEATURES],
        frame["ill"],
        cv=2,
        grid={"max_literals": [1, 3]},
        return_estimator=True,
    )
    assert [point["max_literals"] for point in found["params"]] == [1, 1, 3, 3]
    assert found["test_score"].shape == (4,)
    assert (found["literals"] <= [1, 1, 3, 3]).all()
    assert (found["test_score"] > 0.6).all()
    assert all(isinstance(one, LogicClassifier) for one in found["estimator"])


def test_arrays_are_tables_without_names(table: pd.DataFrame) -> None:
    matrix = table[["age", "smoker"]].to_numpy(dtype=float)
    array = dask.array.from_array(matrix, chunks=(250, 1))
    y = dask.array.from_array((matrix[:, 1] > 0).astype(int), chunks=250)
    clf = DaskLogicClassifier(**QUICK).fit(array, y)
    assert clf.classes_.tolist() == [0, 1]
    assert clf.predict(array).compute().tolist() == y.compute().tolist()
    assert clf.predict_proba(array).compute().shape == (ROWS, 2)


def test_classes_are_what_the_target_holds(frame: Any) -> None:
    truth = DaskLogicClassifier(**QUICK).fit(frame[["age", "colour"]], frame["smoker"])
    assert truth.classes_.tolist() == [False, True]
    words = frame["smoker"].astype(int).astype(str)
    clf = DaskLogicClassifier(**QUICK).fit(frame[["age", "colour"]], words)
    assert clf.classes_.tolist() == ["0", "1"]
    assert 0 < clf.score(frame[["age", "colour"]], words) <= 1


def test_empty_partitions_and_missing_targets_do_no_harm(frame: Any) -> None:
    some = frame[frame["age"] > 1e9]
    clf = DaskLogicClassifier(**QUICK).fit(frame[FEATURES], frame["ill"])
    assert on_partitions(clf.to_local(), "predict", some[FEATURES]).compute().tolist() == []
    old = frame[frame["age"] > 60]
    target = old["ill"].where(old["smoker"])
    known = DaskLogicClassifier(**QUICK).fit(old[["age", "colour"]], target)
    assert known.frontier_.rows == int((~target.isna()).sum().compute())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: (f[FEATURES], f["ill"].repartition(npartitions=1)), "y must have the part"),
        (lambda f: (f.compute(), f["ill"]), "X must be a Dask frame or array, got DataFrame"),
        (lambda f: (f[FEATURES], [1, 2]), "y must be a Dask series or array"),
        (lambda f: (f, "price"), "there is no column 'price'"),
        (lambda f: (f[FEATURES], f["ill"].where(f["age"] > 1e9)), "no row is left to learn"),
    ],
)
def test_what_cannot_be_learned_from_is_refused(frame: Any, change: Any, message: str) -> None:
    with pytest.raises(TableError, match=message):
        DaskLogicClassifier(**QUICK).fit(*change(frame))


def test_forbidden_columns_are_not_even_read(frame: Any) -> None:
    dates = frame[FEATURES].assign(day=pd.Timestamp("2026-11-18"))
    options = {**QUICK, "forbidden_columns": ["day"]}
    clf = DaskLogicClassifier(**options).fit(dates, frame["ill"])
    assert "day" not in {clf.rules_.features[at] for at in clf.rules_.used}
