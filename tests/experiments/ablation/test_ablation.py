"""The ablation: every variant differs, results are kept, and the page says what they are."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from crisplogic import LogicClassifier
from experiments.ablation import tasks
from experiments.ablation.__main__ import measured
from experiments.ablation.page import to_markdown
from experiments.ablation.tables import Table
from experiments.ablation.tasks import VARIANTS, Figures, Task
from experiments.harness.origin import here
from experiments.harness.store import SettingsChangedError, Store

ORIGIN = here("experiments.ablation", [])
TASKS = [Task(variant, name, 0) for variant in VARIANTS for name in ("one", "two")]


def made_up(task: Task) -> Figures:
    wrong = 0.1 if task.table == "one" else 0.3
    return Figures(wrong, 0.2, list(VARIANTS).index(task.variant), 1.5)


def stored(folder: Path) -> Store:
    store = Store(folder)
    for task in TASKS:
        document = {**task.question(), "figures": asdict(made_up(task))}
        store.write(task.name, document)
    return store


def test_every_variant_is_another_classifier() -> None:
    settings = [str(LogicClassifier(**changes).get_params()) for changes in VARIANTS.values()]
    assert len(set(settings)) == len(VARIANTS)
    assert VARIANTS["default"] == {}


def test_what_is_stored_is_not_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Task, "perform", lambda task: pytest.fail("it was measured"))
    found = measured(TASKS, stored(tmp_path), ORIGIN, workers=1)
    assert found == {task: made_up(task) for task in TASKS}


def test_results_of_other_settings_are_refused(tmp_path: Path) -> None:
    store = stored(tmp_path)
    task = TASKS[0]
    document = {**task.question(), "figures": asdict(made_up(task))}
    document["settings"]["epochs"] = 1
    store.write(task.name, document)
    with pytest.raises(SettingsChangedError, match="epochs was 1 and is 30"):
        measured(TASKS, store, ORIGIN, workers=1)


def test_the_page_shows_means_over_tables() -> None:
    page = to_markdown({task: made_up(task) for task in TASKS}, ORIGIN, "today")
    lines = page.splitlines()
    assert any(line.startswith("| | one | two | mean |") for line in lines)
    default = next(line for line in lines if line.startswith("| default |"))
    assert default == "| default | 10.0 (0) | 30.0 (0) | **20.00** (0) | 20.00 | 1.5 |"
    assert len([line for line in lines if line.startswith("| ")]) == len(VARIANTS) + 2


def test_one_fit_is_judged_on_rows_it_did_not_see(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(0).normal(size=(60, 2))
    table = Table(X, np.where(X[:, 0] > 0, "a", "b"))
    monkeypatch.setattr(tasks, "table", lambda name: table)
    monkeypatch.setitem(VARIANTS, "default", {"epochs": 5, "folds": 0})
    figures = Figures(**Task("default", "any", 0).perform())
    assert figures.rules_error < 0.3
    assert figures.literals > 0
    assert figures.seconds > 0
