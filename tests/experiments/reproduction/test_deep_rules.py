from __future__ import annotations

import pytest

from experiments.harness.store import Document
from experiments.reproduction import deep_rules
from experiments.reproduction.deep_rules import FOLDS, MODELS, deep_tasks, section, tasks
from experiments.reproduction.published import TABLES
from experiments.reproduction.scale import Scale
from tests.experiments.reproduction.samples import SPLITS, document, paper_fold, tiny_table


def documents() -> list[Document]:
    """The second model is a point better than the first, and rules a point worse than both."""
    paper = [
        document({"folds": [paper_fold(0.2, 0.6)] * 3}, model="paper", table=table)
        for table in TABLES
    ]
    deep = [
        document(
            {
                "network_error": 0.10 - number / 100,
                "rules_error": 0.11 - number / 100,
                "literals": 20 + fold,
                "seconds": 1.0,
            },
            model=model,
            table=table,
            fold=fold,
        )
        for fold in range(2)
        for table in TABLES
        for number, model in enumerate(MODELS)
    ]
    return [*paper, *deep]


def test_the_section_has_the_papers_rules_and_both_models_beside_each_other() -> None:
    page = section(documents())
    first, second = MODELS
    assert "| the paper's rules, *published* | 2.8 | 35.1 | 67.8 |" in page
    assert "| the paper's rules, reproduced | 60.0 (3) |" in page
    assert f"| {first}: network | 10.0 |" in page
    assert f"| {first}: rules | 11.0 (20) |" in page
    assert f"| {second}: rules | 10.0 (20) |" in page
    assert "rules differ from their network by +1.0, +1.0" in page
    assert "from the paper's rounding by -49.0, -49.0" in page


def test_every_fit_is_a_task_with_a_name_and_settings_of_its_own() -> None:
    scale = Scale(device="cpu")
    found = deep_tasks(scale)
    assert len(found) == FOLDS * len(TABLES) * len(MODELS)
    names = {task.name for task in tasks(scale)}
    assert len(names) == len(found) + len(TABLES)
    for task in found:
        assert task.settings["depth"] == 2
        assert task.settings["literals"] == "graded"
        assert task.question()["seed"] == task.fold


def test_rules_and_network_are_tested_on_the_rows_of_the_fold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(deep_rules, "load", lambda name: tiny_table())
    monkeypatch.setattr(deep_rules, "splits", lambda table: SPLITS)
    task = deep_tasks(Scale(quick=True, device="cpu"))[0]
    figures = task.perform()
    assert set(figures) == {"rules_error", "network_error", "literals", "seconds"}
    assert 0 <= figures["rules_error"] <= 1
    assert task.name in task.line(figures)
