"""The folds of the tables, measured where they are not measured yet."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor

from experiments.harness.origin import Origin
from experiments.harness.run import answered
from experiments.harness.store import Store
from experiments.rules_table.records import FoldRecord, from_document
from experiments.rules_table.targets import TARGETS
from experiments.rules_table.tasks import Task, task_for


def tasks_for(tables: Sequence[str], folds: int) -> list[Task]:
    """The first folds of the tables, the first of each, then the second of each and so on.

    In this order the time left can be told early, and a run that is stopped has something
    about every table.
    """
    return [
        task_for(table, fold, TARGETS[table].small_limit)
        for fold in range(folds)
        for table in tables
    ]


def measured(
    tasks: Sequence[Task], store: Store, origin: Origin, executor: Executor
) -> list[FoldRecord]:
    """A record for every task: stored ones as they are, all others measured now."""
    return [from_document(found) for found in answered(tasks, store, origin, executor, "fold")]
