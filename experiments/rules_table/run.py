"""Measure what is not measured yet, and keep every fold as soon as it is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, as_completed

from experiments.rules_table.origin import Origin, now
from experiments.rules_table.progress import progress
from experiments.rules_table.records import (
    FoldRecord,
    from_document,
    name_of,
    question_of,
    to_document,
)
from experiments.rules_table.store import Store
from experiments.rules_table.targets import TARGETS
from experiments.rules_table.tasks import Figures, Task, perform, task_for

Perform = Callable[[Task], Figures]


class FoldError(RuntimeError):
    """A fold could not be measured; the cause says why."""


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
    tasks: Sequence[Task],
    store: Store,
    origin: Origin,
    executor: Executor,
    perform: Perform = perform,
) -> list[FoldRecord]:
    """A record for every task: stored ones as they are, all others measured now."""
    # All are read before anything is measured, so that a mismatch costs no hours.
    known = {record.name: record for task in tasks if (record := _stored(task, store))}
    missing = [task for task in tasks if name_of(task) not in known]
    with progress("fold", len(missing)) as on_step:
        for task, figures in _performed(missing, executor, perform):
            record = FoldRecord(task, figures, origin, now())
            store.write(record.name, to_document(record))
            known[record.name] = record
            on_step(_line(record))
    return [known[name_of(task)] for task in tasks]


def _stored(task: Task, store: Store) -> FoldRecord | None:
    document = store.read(name_of(task), question_of(task))
    return None if document is None else from_document(document)


def _performed(
    tasks: Sequence[Task], executor: Executor, perform: Perform
) -> Iterator[tuple[Task, Figures]]:
    """Tasks and what they gave, in the order in which they are done."""
    futures = {executor.submit(perform, task): task for task in tasks}
    for future in as_completed(futures):
        task = futures[future]
        try:
            yield task, future.result()
        except Exception as error:
            raise FoldError(f"{task.table}, fold {task.fold}: {error}") from error


def _line(record: FoldRecord) -> str:
    """Errors and seconds of a fold, for whoever waits."""
    figures = record.figures
    return (
        f"{record.task.table}, fold {record.task.fold}:"
        f" rules {figures.rules_error:.1%} ({figures.rules_literals} literals),"
        f" network {figures.network_error:.1%}, {figures.fit_seconds:.1f} s"
    )
