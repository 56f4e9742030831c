from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from experiments.rules_table.pool import worker_processes
from experiments.rules_table.run import FoldError, measured, tasks_for
from experiments.rules_table.store import SettingsChangedError, Store
from experiments.rules_table.tasks import Figures, Task, perform
from rules_table.samples import FIGURES, ORIGIN, SOON_DONE, task


class Performer:
    """Gives the same figures for every task, but for one that it fails at."""

    def __init__(self, fails_at: int | None = None) -> None:
        self.performed: list[int] = []
        self.fails_at = fails_at

    def __call__(self, task: Task) -> Figures:
        if task.fold == self.fails_at:
            raise ZeroDivisionError("by nothing")
        self.performed.append(task.fold)
        return FIGURES


@pytest.fixture
def executor() -> Iterator[Executor]:
    """A single thread: tasks are done in order."""
    with ThreadPoolExecutor(1) as executor:
        yield executor


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def test_every_task_has_a_record_in_the_order_of_the_tasks(
    store: Store, executor: Executor
) -> None:
    tasks = [task(fold=fold) for fold in (2, 0, 1)]
    records = measured(tasks, store, ORIGIN, executor, Performer())
    assert [record.task for record in records] == tasks
    assert all(record.figures == FIGURES for record in records)


def test_a_second_run_computes_nothing_anew(store: Store, executor: Executor) -> None:
    tasks = [task(fold=fold) for fold in range(3)]
    first = measured(tasks, store, ORIGIN, executor, Performer())
    again = Performer()
    assert measured(tasks, store, ORIGIN, executor, again) == first
    assert again.performed == []


def test_a_run_that_failed_goes_on_where_it_stopped(store: Store, executor: Executor) -> None:
    tasks = [task(fold=fold) for fold in range(4)]
    with pytest.raises(FoldError, match="vehicle, fold 2: by nothing"):
        measured(tasks, store, ORIGIN, executor, Performer(fails_at=2))
    rest = Performer()
    assert len(measured(tasks, store, ORIGIN, executor, rest)) == 4
    assert 2 in rest.performed
    assert not {0, 1} & set(rest.performed)


def test_folds_of_other_settings_stop_a_run_before_anything_is_measured(
    store: Store, executor: Executor
) -> None:
    measured([task(fold=1)], store, ORIGIN, executor, Performer())
    changed = Performer()
    tasks = [task(fold=fold, epochs=7) for fold in range(3)]
    with pytest.raises(SettingsChangedError, match="--again"):
        measured(tasks, store, ORIGIN, executor, changed)
    assert changed.performed == []


def test_without_a_terminal_every_fold_is_a_line(
    store: Store, executor: Executor, capsys: pytest.CaptureFixture[str]
) -> None:
    measured([task(fold=0), task(fold=1)], store, ORIGIN, executor, Performer())
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(": rules ")[0] for line in lines] == [
        "fold 1 of 2: vehicle, fold 0",
        "fold 2 of 2: vehicle, fold 1",
    ]


def test_a_worker_process_measures_what_this_one_would(store: Store) -> None:
    wanted = task("breast-cancer-wisconsin", fold=5, **SOON_DONE)
    with worker_processes(1) as executor:
        (record,) = measured([wanted], store, ORIGIN, executor)
    seconds = record.figures.fit_seconds
    assert record.figures == replace(perform(wanted), fit_seconds=seconds)
    stored = json.loads((store.folder / "folds/breast-cancer-wisconsin/05.json").read_text())
    assert stored["figures"]["rules_error"] == record.figures.rules_error
    assert stored["settings"]["epochs"] == SOON_DONE["epochs"]


def test_tables_take_turns_and_yeast_may_have_larger_small_rules() -> None:
    tasks = tasks_for(["vehicle", "yeast"], folds=2)
    assert [(task.table, task.fold, task.small_limit) for task in tasks] == [
        ("vehicle", 0, 12),
        ("yeast", 0, 30),
        ("vehicle", 1, 12),
        ("yeast", 1, 30),
    ]
