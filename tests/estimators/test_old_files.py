"""Estimator files that were written once are loaded by every later version."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from crisplogic import LogicClassifier, LogicRegressor, load_estimator

FILES = Path(__file__).parent / "files"
DOCUMENT: dict[str, Any] = json.loads((FILES / "expected.json").read_text("utf-8"))
EXPECTED, ROWS = DOCUMENT["estimators"], pd.DataFrame(DOCUMENT["rows"])


def test_every_file_is_checked() -> None:
    assert {path.name for path in FILES.glob("*.npz")} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_an_estimator_predicts_what_it_did_and_can_be_saved_again(
    name: str, tmp_path: Path
) -> None:
    estimator, expected = load_estimator(FILES / name), EXPECTED[name]
    assert [point.size for point in estimator.frontier_] == expected["sizes"]
    check(estimator, expected)
    estimator.save(tmp_path / name)
    check(load_estimator(tmp_path / name), expected)


def check(estimator: LogicClassifier | LogicRegressor, expected: dict[str, Any]) -> None:
    for predict_with in ("rules", "network"):
        estimator.set_params(predict_with=predict_with)
        predicted = estimator.predict(ROWS)
        if isinstance(estimator, LogicClassifier):
            assert predicted.tolist() == expected[predict_with]
            shares = estimator.predict_proba(ROWS)
            np.testing.assert_allclose(shares, expected[f"{predict_with}_proba"], atol=1e-4)
        else:
            np.testing.assert_allclose(predicted, expected[predict_with], rtol=1e-4)
