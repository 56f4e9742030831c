"""Tasks, and a run that performs those whose figures are not stored yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, as_completed
from dataclasses import asdict
from typing import Protocol

from crisplogic.errors import CrisplogicError
from experiments.harness.command_line import progress
from experiments.harness.origin import Origin, now
from experiments.harness.store import Document, Store


class Task(Protocol):
    """Something to measure. It travels to other processes: plain data, no open files."""

    @property
    def name(self) -> str:
        """The name under which the figures are stored."""

    def question(self) -> Document:
        """What a stored document must agree with: settings, seed, rows and all."""

    def perform(self) -> Document:
        """Measure and return the figures, as plain lists and dictionaries."""

    def line(self, figures: Document) -> str:
        """A line about the figures, for the person who waits."""


class TaskError(CrisplogicError):
    """A task failed; the cause says why."""


def run_tasks(
    tasks: Sequence[Task], store: Store, origin: Origin, executor: Executor, what: str
) -> list[Document]:
    """Return a document for every task: stored ones as they are, all others measured now.

    Every document is stored as soon as it is there. A run that is stopped loses only the
    tasks that are under way.
    """
    # All are read before anything is measured, so that a mismatch costs no hours.
    known = find_stored(tasks, store)
    missing = [task for task in tasks if task.name not in known]
    with progress(what, len(missing)) as on_step:
        for task, figures in _perform(missing, executor):
            document = make_document(task, figures, origin, now())
            store.add(task.name, document)
            known[task.name] = document
            on_step(task.line(figures))
    return [known[task.name] for task in tasks]


def find_stored(tasks: Sequence[Task], store: Store) -> dict[str, Document]:
    """The stored documents of the tasks, by name; other settings are an error."""
    return store.find({task.name: task.question() for task in tasks})


def make_document(task: Task, figures: Document, origin: Origin, date: str) -> Document:
    """The question, when and how it was answered, and the figures."""
    return {**task.question(), "date": date, **asdict(origin), "figures": figures}


def _perform(tasks: Sequence[Task], executor: Executor) -> Iterator[tuple[Task, Document]]:
    """Yield tasks and their figures, in the order in which they finish."""
    futures = {executor.submit(task.perform): task for task in tasks}
    for future in as_completed(futures):
        task = futures[future]
        try:
            yield task, future.result()
        except Exception as error:
            raise TaskError(f"{task.name}: {error}") from error
