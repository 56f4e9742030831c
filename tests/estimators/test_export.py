"""An estimator exports its rules, and its soft network to ONNX, which predicts the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from crisplogic import LogicClassifier, LogicRegressor
from crisplogic.errors import ExportError
from crisplogic.estimators.base import LogicEstimator
from tests.estimators.samples import X, Y, quick

pytestmark = pytest.mark.filterwarnings("ignore::crisplogic.errors.UnseenValuesWarning")

TOLERANCE = 1e-5  # the network computes in single precision
BRIEF: dict[str, Any] = {"epochs": 3, "restarts": 1, "folds": 0, "max_literals": 2}


def mixed(rows: int = 90, seed: int = 0) -> pd.DataFrame:
    """Numbers, truth values, categories and two numbers, some of them missing."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.normal(50, 15, rows),
            'body "mass"': rng.normal(25, 4, rows),
            "smoker": rng.random(rows) < 0.4,
            "town": rng.choice(["Bern", "Rome", "Oslo", "a b", "é"], rows),
            "label": rng.choice([1.0, 2.0], rows),
        }
    ).astype({"smoker": object, "town": object})
    for name in table.columns:
        table.loc[rng.random(rows) < 0.1, name] = None
    return table


TABLE = mixed()
WAVES = np.nan_to_num(np.sin(TABLE["age"] / 9)) + (TABLE["town"] == "Rome")
CLASSES = np.array(["a", "b", "c"])[np.digitize(WAVES, [0.0, 0.7])]


def rows_to_try() -> pd.DataFrame:
    """Other rows, with values far away and categories that were never seen."""
    table = mixed(120, seed=1)
    table.loc[:5, "age"] = 1e300
    table.loc[3:8, "age"] = -1e9
    table.loc[6:9, "town"] = "Quito"
    table.loc[9:12, "label"] = 3.0
    return table


def run_onnx(model: str | bytes, table: pd.DataFrame) -> list[Any]:
    runtime = pytest.importorskip("onnxruntime", reason="the extra export is not installed")
    session = runtime.InferenceSession(model, providers=["CPUExecutionProvider"])
    given = {}
    for node in session.get_inputs():
        # The name of an output is taken.
        column = table["label" if node.name.startswith("column_label") else node.name]
        if node.type == "tensor(string)":
            texts = ["" if pd.isna(each) else str(each).strip() for each in column]
            given[node.name] = np.array(texts, dtype=object)[:, None]
        else:
            numbers = [np.nan if pd.isna(each) else float(each) for each in column]
            given[node.name] = np.array(numbers)[:, None]
    found: list[Any] = session.run(None, given)
    return found


def assert_same(estimator: LogicEstimator, table: pd.DataFrame) -> None:
    """Probabilities agree, and classes wherever the two greatest are not the same number."""
    pytest.importorskip("onnx", reason="the extra export is not installed")
    found = run_onnx(estimator.export("onnx", network=True), table)
    estimator.set_params(predict_with="network")
    if isinstance(estimator, LogicRegressor):
        wanted = estimator.predict(table)
        np.testing.assert_allclose(found[0][:, 0], wanted, rtol=TOLERANCE, atol=TOLERANCE)
        return
    assert isinstance(estimator, LogicClassifier)
    np.testing.assert_allclose(found[1], estimator.predict_proba(table), atol=TOLERANCE)
    scores = estimator._decision_scores(table)
    first, second = np.sort(scores, axis=1)[:, -1], np.sort(scores, axis=1)[:, -2]
    clear = first - second > TOLERANCE
    assert clear.mean() > 0.9
    assert (np.asarray(found[0])[clear] == estimator.predict(table)[clear]).all()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"depth": 2, "width": 3, "literals": "graded"},
        {"memberships": "linear", "literals": "graded"},
        {"memberships": 3, "missing_literals": True},
        {"max_columns": 3},
        {"monotone": {"age": {"a": "down"}, "smoker": {"b": "up"}}},
        {"forbidden_columns": ["town"], "operators": ["and", "or"]},
    ],
    ids=lambda options: "-".join(options) or "default",
)
def test_a_network_in_onnx_predicts_what_it_predicts_here(options: dict[str, Any]) -> None:
    clf = LogicClassifier(random_state=0, **{**BRIEF, **options}).fit(TABLE, CLASSES)
    assert_same(clf, rows_to_try())


def test_a_decision_threshold_is_in_the_network_of_two_classes() -> None:
    y = np.where(CLASSES == "a", 7, -3)
    clf = LogicClassifier(random_state=0, decision_threshold=0.2, **BRIEF).fit(TABLE, y)
    assert_same(clf, rows_to_try())


@pytest.mark.parametrize("transform", [None, "log1p"])
def test_a_network_in_onnx_predicts_the_same_number(transform: Any) -> None:
    reg = LogicRegressor(random_state=0, target_transform=transform, **BRIEF)
    assert_same(reg.fit(TABLE, 30 + 5 * WAVES), rows_to_try())


def test_a_part_that_never_saw_a_category_exports_its_network_too() -> None:
    clf = LogicClassifier(random_state=0, **BRIEF)
    rows = np.flatnonzero(TABLE["town"] != "Oslo")
    others = np.arange(0, len(TABLE), 2)
    for part in clf.fit_parts(TABLE, CLASSES, [rows, others]):
        assert_same(part, rows_to_try())


def test_rules_are_exported_as_they_export_themselves() -> None:
    clf = quick().fit(X, Y)
    written = str(clf.export("python"))
    assert f"# learned from {len(X)} rows, held-out error " in written
    about = {"rows": len(X), "error": clf.expected_error_}
    assert written == clf.rules_.export("python", about=about)
    with pytest.raises(ExportError, match="a network is exported to 'onnx', without options"):
        clf.export("sql", network=True)
    with pytest.raises(ExportError, match="got to 'onnx' with missing"):
        clf.export("onnx", network=True, missing=False)
