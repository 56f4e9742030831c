"""The ablation: every variant differs, and the page shows the stored figures."""

from __future__ import annotations

import numpy as np
import pytest

from crisplogic import LogicClassifier
from experiments.ablation import tasks
from experiments.ablation.page import to_markdown
from experiments.ablation.tables import NAMES, Table
from experiments.ablation.tasks import VARIANTS, VariantTask, tasks_for
from tests.experiments.ablation.samples import document


def test_every_variant_is_another_classifier() -> None:
    settings = [VariantTask(variant, "any", 0).question()["settings"] for variant in VARIANTS]
    assert len({str(each) for each in settings}) == len(VARIANTS)
    default = LogicClassifier(random_state=0).get_params()
    assert settings[-1] == default
    assert settings[0] == {**default, "literals": "graded"}


def test_every_variant_is_measured_on_every_table() -> None:
    names = {task.name for task in tasks_for(folds=2)}
    assert len(names) == 2 * len(VARIANTS) * len(NAMES)


def test_the_page_shows_means_over_tables() -> None:
    documents = [
        document(VariantTask(variant, table, 0), rules_error=error)
        for variant in VARIANTS
        for table, error in (("one", 0.1), ("two", 0.3))
    ]
    lines = to_markdown(documents).splitlines()
    assert any(line.startswith("|  | one | two | mean |") for line in lines)
    base = next(line for line in lines if line.startswith("| graded rules |"))
    assert base == "| graded rules | 10.0 (5) | 30.0 (5) | **20.00** (5) | 20.00 | 1.5 |"
    assert len([line for line in lines if line.startswith("| ")]) == len(VARIANTS) + 2
    assert f"{len(documents)} of {len(documents)} measurements" in lines[-1]


def test_one_fit_is_measured_on_rows_it_did_not_see(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(0).normal(size=(60, 2))
    table = Table(X, np.where(X[:, 0] > 0, "a", "b"))
    monkeypatch.setattr(tasks, "table", lambda name: table)
    monkeypatch.setitem(VARIANTS, "graded rules", {"epochs": 5, "folds": 0})
    figures = VariantTask("graded rules", "any", 0).perform()
    test_rows = 12
    for error in (figures["rules_error"], figures["network_error"]):
        assert 0 <= error <= 1
        assert error * test_rows == pytest.approx(round(error * test_rows))
    assert figures["literals"] >= 0
    assert figures["seconds"] > 0
