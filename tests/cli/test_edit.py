"""``crisplogic edit``: what is wrong is told before anything is served."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from crisplogic.cli import edit as command
from crisplogic.io import Layout
from crisplogic.rules import ClassificationRules, RegressionRules
from tests.cli.running import Run, assert_refused
from tests.workbench.models import bench, classes
from tests.workbench.test_browser import write_table


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    classes().save("rules.json")
    write_table(Path("rows.csv"), {})
    return tmp_path


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "give a MODEL to change, or --new"),
        (["rules.json", "--new"], "give a MODEL to change, or --new"),
        (["--new"], "--new needs --target"),
        (["rules.json", "--out", "x.txt"], "named like edited.json"),
        (["rules.json", "--out", "none/x.json"], "does not exist"),
        (["rules.json", "--target", "smoker"], "the rules know no class"),
    ],
)
def test_mistakes_are_told(run: Run, folder: Path, options: list[str], message: str) -> None:
    assert_refused(run("edit", *options, "--data", "rows.csv"), message)


def test_all_columns_of_a_model_are_read_mentioned_or_not(folder: Path) -> None:
    rules, rows, target = command._load(
        folder / "rules.json", folder / "rows.csv", None, Layout(), 0.3
    )
    assert (rules, target) == (classes(), "diagnosis")
    np.testing.assert_array_equal(rows.matrix, bench().rows.matrix)
    assert rows.y.tolist() == bench().rows.y.tolist()
    np.testing.assert_array_equal(rows.held_out, bench().rows.held_out)


def test_new_rules_know_the_columns_and_predict_what_is_usual(folder: Path) -> None:
    begun, rows = command._begin(folder / "rows.csv", "diagnosis", Layout(), 0.3)
    assert isinstance(begun, ClassificationRules)
    assert begun.features == classes().features
    assert begun.predict(rows.matrix, coded=True).tolist() == ["well"] * len(rows.y)
    number, rows = command._begin(folder / "rows.csv", "glucose", Layout(), 0.0)
    assert isinstance(number, RegressionRules)
    np.testing.assert_allclose(
        number.predict(rows.matrix, coded=True), rows.y.mean(), rtol=0.01
    )
    assert len(rows.measured) == len(rows.fitted) == len(rows.y)
