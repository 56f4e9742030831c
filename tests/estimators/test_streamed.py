"""Tables in files: the same rules as in memory, or figures of all rows beside a sample's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crisplogic import LogicClassifier, LogicRegressor, load_estimator
from crisplogic.errors import ColumnWarning, TableError
from crisplogic.rules.analysis.all_rows import ClassMeasure
from tests.estimators.samples import quick
from tests.streaming.tables import NAMES, make_table, write_file, write_files

ROWS = 1200


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(tmp_path_factory.mktemp("big"), make_table(ROWS), 3)


def columns_of(table: Any, name: str) -> Any:
    return np.array(table.column(name).to_pylist())


def classifier(**changes: Any) -> LogicClassifier:
    return quick(**changes)


def regressor() -> LogicRegressor:
    return LogicRegressor(epochs=3, restarts=1, folds=2, max_literals=3, random_state=0)


@pytest.fixture(scope="module")
def streamed(folder: Path) -> LogicClassifier:
    """Rules of a sample, measured on all rows."""
    return classifier().fit_dataset(folder, "ill", columns=NAMES, sample_rows=500)


@pytest.mark.parametrize("weight", [None, "w"])
def test_where_the_sample_is_the_table_the_fit_is_that_in_memory(
    tmp_path: Path, weight: str | None
) -> None:
    made = make_table(200)
    files = write_files(tmp_path, made, 3)
    weights = None if weight is None else columns_of(made, "w")
    own = classifier().fit_dataset(files, "ill", weight=weight, columns=NAMES)
    expected = classifier().fit(made.select(NAMES), columns_of(made, "ill"), weights)
    assert own.rules_ == expected.rules_
    assert own.frontier_ == expected.frontier_
    assert own.encoder_ == expected.encoder_
    assert own.expected_error_ == expected.expected_error_
    assert own.feature_names_in_.tolist() == list(NAMES)
    assert not hasattr(own, "all_rows_")


def test_a_number_is_learned_as_in_memory(tmp_path: Path) -> None:
    made = make_table(200)
    files = write_files(tmp_path, made, 2)
    own = regressor().fit_dataset(files, "score", columns=NAMES)
    expected = regressor().fit(made.select(NAMES), columns_of(made, "score"))
    renamed = expected.rules_.rename(labels={"y": "score"})
    assert own.rules_ == renamed
    assert own.expected_error_ == expected.expected_error_


def test_figures_are_those_of_all_rows(streamed: LogicClassifier, folder: Path) -> None:
    made = make_table(ROWS)
    found, y = streamed.all_rows_, columns_of(made, "ill")
    predicted = streamed.predict(made.select(NAMES))
    assert (found.rows, found.learned) == (ROWS, 300)
    assert found.error == pytest.approx(float(np.mean(predicted != y)))
    table = [
        [int(np.sum((y == a) & (predicted == b))) for b in ("no", "yes")] for a in ("no", "yes")
    ]
    assert [list(map(int, row)) for row in found.confusion] == table
    assert list(found.evidence) == streamed.rules_.evidence(made.select(NAMES), y)
    assert found.new_error == pytest.approx(found.error, abs=0.05)
    assert found.errors[found.sizes.index(streamed.rules_.size)] == pytest.approx(
        found.new_error, abs=0.05
    )
    assert found.new_error <= streamed.expected_error_ < found.new_error + 0.05


def test_rules_do_not_depend_on_files_and_row_groups(
    streamed: LogicClassifier, tmp_path: Path
) -> None:
    path = write_file(tmp_path / "all.parquet", make_table(ROWS), group_rows=ROWS)
    other = classifier().fit_dataset(path, "ill", columns=NAMES, sample_rows=500)
    assert other.rules_ == streamed.rules_
    assert other.all_rows_ == streamed.all_rows_
    assert other.expected_error_ == streamed.expected_error_


def test_probabilities_are_those_of_all_rows(streamed: LogicClassifier) -> None:
    made = make_table(ROWS)
    y = columns_of(made, "ill") == "yes"
    found = streamed.predict_proba(made.select(NAMES))[:, 1]
    assert found.mean() == pytest.approx(y.mean(), abs=0.08)
    for value in np.unique(found):
        rows = found == value
        if rows.sum() > 150:
            assert value == pytest.approx(y[rows].mean(), abs=0.12)


def test_everything_of_a_fitted_estimator_works(
    streamed: LogicClassifier, tmp_path: Path
) -> None:
    path = tmp_path / "fitted.npz"
    streamed.save(path)
    loaded = load_estimator(path)
    assert loaded.all_rows_ == streamed.all_rows_
    assert loaded.rules_ == streamed.rules_
    assert "select" in streamed.export("sql", dialect="duckdb", table="t").lower()
    assert str(streamed.all_rows_).startswith("1,200 rows, 300 of them learned from: error ")
    made = make_table(40)
    again = streamed.fit(made.select(NAMES), columns_of(made, "ill"))
    assert not hasattr(again, "all_rows_")


def test_a_number_has_figures_of_all_rows_too(folder: Path) -> None:
    made = make_table(ROWS)
    fitted = regressor().fit_dataset(folder, "score", columns=NAMES, sample_rows=400)
    found, y = fitted.all_rows_, columns_of(made, "score")
    errors = fitted.predict(made.select(NAMES)) - y
    assert found.error == pytest.approx(float(np.sqrt(np.mean(errors**2))))
    assert found.mae == pytest.approx(float(np.abs(errors).mean()))
    assert found.r2 == pytest.approx(1 - float((errors**2).mean() / y.var()))
    assert fitted.rules_.labels == ("score",)


def test_rows_without_a_target_or_a_weight_are_left_out(tmp_path: Path) -> None:
    made = make_table(200).to_pydict()
    made["ill"][5] = None
    made["w"][7] = 0.0
    import pyarrow as arrow

    files = write_files(tmp_path, arrow.table(made), 2)
    own = classifier().fit_dataset(files, "ill", weight="w", columns=NAMES)
    kept = np.delete(np.arange(200), [5, 7])
    table = arrow.table(made).take(kept)
    expected = classifier().fit(
        table.select(NAMES), columns_of(table, "ill"), columns_of(table, "w")
    )
    assert own.rules_ == expected.rules_


def test_forbidden_columns_are_not_read(tmp_path: Path) -> None:
    import pyarrow as arrow

    made = make_table(200)
    made = made.append_column("list", arrow.array([[1]] * 200))
    files = write_files(tmp_path, made, 2)
    names = [*NAMES, "list"]
    own = classifier(forbidden_columns=["list", "age"])
    own.fit_dataset(files, "ill", columns=names)
    assert own.n_features_in_ == len(names)
    assert "age" not in own.rules_.mentioned_columns


def test_identifiers_are_left_out_with_a_warning_unless_asked_for(tmp_path: Path) -> None:
    import pyarrow as arrow

    made = make_table(200).append_column("row id", arrow.array(range(200)))
    path = write_file(tmp_path / "a.parquet", made)
    with pytest.warns(ColumnWarning, match="'row id'"):
        found = classifier().fit_dataset(path, "ill", drop=["score", "w"])
    assert "row id" not in found.feature_names_in_
    asked = classifier().fit_dataset(path, "ill", columns=["age", "row id"])
    assert "row id" in asked.feature_names_in_


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": "sick"}, "no column 'sick'"),
        ({"target": "ill", "weight": "ill"}, "cannot be the target and the weight"),
        ({"target": "ill", "columns": ["age", "ill"]}, "'ill' cannot be one to learn from"),
        ({"target": "ill", "drop": ["agee"]}, "no column 'agee'; did you mean 'age'"),
        ({"target": "ill", "weight": "age"}, "the weight 'age' must be a finite number"),
    ],
)
def test_wrong_columns_are_named(folder: Path, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TableError, match=message):
        classifier().fit_dataset(folder, **arguments)


def test_a_fit_that_fails_leaves_the_estimator_as_it_was(
    streamed: LogicClassifier, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = dict(vars(streamed))

    def fail(*arguments: object) -> None:
        raise TableError("part-001.parquet: this file has vanished")

    monkeypatch.setattr(ClassMeasure, "add", fail)
    with pytest.raises(TableError, match="vanished"):
        streamed.fit_dataset(folder, "ill", columns=NAMES, sample_rows=500)
    assert vars(streamed) == before


def test_balanced_classes_are_balanced_by_those_of_all_rows(folder: Path) -> None:
    balanced = classifier(class_weight="balanced")
    balanced.fit_dataset(folder, "ill", columns=NAMES, sample_rows=400)
    found = np.array(balanced.all_rows_.confusion)
    recalls = np.diag(found) / found.sum(axis=1)
    assert balanced.all_rows_.error == pytest.approx(float(1 - recalls.mean()), abs=1e-9)


def test_a_target_of_too_many_classes_says_what_to_try(tmp_path: Path) -> None:
    import pyarrow as arrow

    many = arrow.table({"x": np.arange(3000) % 5, "y": [f"c{n}" for n in range(3000)]})
    path = write_file(tmp_path / "a.parquet", many)
    with pytest.raises(TableError, match="more than 1,000 different values"):
        classifier().fit_dataset(path, "y")


def test_progress_is_told_from_reading_to_measuring(folder: Path) -> None:
    told: list[tuple[str, float]] = []
    fitted = classifier(folds=0)
    fitted.fit_dataset(
        folder,
        "ill",
        columns=["age", "flag"],
        sample_rows=300,
        on_progress=lambda what, share: told.append((what, share)),
    )
    assert (told[0][0], told[-1]) == ("reading", ("measuring", 1.0))
    assert fitted.expected_error_ == fitted.all_rows_.new_error


@pytest.mark.slow
def test_memory_does_not_grow_with_rows(tmp_path: Path) -> None:
    import subprocess
    import sys

    made = make_table(50_000)
    peaks = []
    for parts in (4, 40):
        for number in range(parts):
            write_file(tmp_path / f"{number}.parquet", made, 10_000)
        code = (
            "import resource; from crisplogic import LogicClassifier; "
            "clf = LogicClassifier(max_literals=2, random_state=0, n_jobs=1); "
            f"clf.fit_dataset({str(tmp_path)!r}, 'ill', sample_rows=20_000); "
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        peaks.append(int(done.stdout.split()[-1]))
    assert peaks[1] < 1.25 * peaks[0]
