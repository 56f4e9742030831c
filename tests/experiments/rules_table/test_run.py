from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from experiments.harness.pool import worker_processes
from experiments.harness.store import Store
from experiments.rules_table.records import from_document, to_document
from experiments.rules_table.run import measured, tasks_for
from tests.experiments.rules_table.samples import ORIGIN, SOON_DONE, record, task


def test_a_worker_process_measures_what_this_one_would(tmp_path: Path) -> None:
    wanted = task("breast-cancer-wisconsin", fold=5, **SOON_DONE)
    with worker_processes(1) as executor:
        (found,) = measured([wanted], Store(tmp_path), ORIGIN, executor)
    document = {**to_document(found), "figures": wanted.perform()}
    seconds = found.figures.fit_seconds
    assert found.figures == replace(from_document(document).figures, fit_seconds=seconds)
    stored = json.loads((tmp_path / "folds/breast-cancer-wisconsin/05.json").read_text())
    assert stored["figures"]["rules_error"] == found.figures.rules_error
    assert stored["settings"]["epochs"] == SOON_DONE["epochs"]


def test_a_fold_comes_back_as_it_was_stored(tmp_path: Path) -> None:
    store, fold = Store(tmp_path), record(fold=3)
    store.write(fold.task.name, to_document(fold))
    assert (tmp_path / "folds" / "vehicle" / "03.json").is_file()
    document = store.read(fold.task.name, fold.task.question())
    assert document is not None
    assert from_document(document) == fold


def test_a_fold_file_says_how_to_have_the_figures_again() -> None:
    document = to_document(record(fold=3))
    keys = ["command", "settings", "versions", "seed", "date", "figures"]
    assert [key for key in keys if key not in document] == []
    assert document["seed"] == document["settings"]["random_state"] == 3


def test_tables_take_turns_and_yeast_may_have_larger_small_rules() -> None:
    tasks = tasks_for(["vehicle", "yeast"], folds=2)
    assert [(task.table, task.fold, task.small_limit) for task in tasks] == [
        ("vehicle", 0, 12),
        ("yeast", 0, 30),
        ("vehicle", 1, 12),
        ("yeast", 1, 30),
    ]
