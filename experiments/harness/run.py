"""Do what is not done yet, and keep every answer as soon as it is there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, as_completed
from dataclasses import asdict, dataclass
from typing import Protocol, TypeVar

from experiments.harness.origin import Origin, now
from experiments.harness.progress import progress
from experiments.harness.store import Document, Store


class Task(Protocol):
    """Something to find out. It travels to other processes: plain data, no open files."""

    @property
    def name(self) -> str:
        """The name under which the answer is stored."""

    def question(self) -> Document:
        """What a stored answer must agree with to count: settings, seed, rows and all."""

    def perform(self) -> Document:
        """The figures, as plain lists and dictionaries."""

    def line(self, figures: Document) -> str:
        """A line about the figures, for whoever waits."""


SomeTask = TypeVar("SomeTask", bound=Task)


class TaskError(RuntimeError):
    """A task could not be done; the cause says why."""


def answered(
    tasks: Sequence[SomeTask], store: Store, origin: Origin, executor: Executor, what: str
) -> list[Document]:
    """A document for every task: stored ones as they are, all others made now.

    Whoever stops a run loses no more than the tasks that are under way.
    """
    # All are read before anything is done, so that a mismatch costs no hours.
    known = {task.name: store.read(task.name, task.question()) for task in tasks}
    missing = [task for task in tasks if known[task.name] is None]
    with progress(what, len(missing)) as on_step:
        for task, figures in _performed(missing, executor):
            document = documented(task, figures, origin, now())
            store.write(task.name, document)
            known[task.name] = document
            on_step(task.line(figures))
    return [found for task in tasks if (found := known[task.name])]


def documented(task: Task, figures: Document, origin: Origin, date: str) -> Document:
    """The question, when and how it was answered, and the answer."""
    return {**task.question(), "date": date, **asdict(origin), "figures": figures}


def _performed(
    tasks: Sequence[SomeTask], executor: Executor
) -> Iterator[tuple[SomeTask, Document]]:
    """Tasks and what they gave, in the order in which they are done."""
    futures = {executor.submit(task.perform): task for task in tasks}
    for future in as_completed(futures):
        task = futures[future]
        try:
            yield task, future.result()
        except Exception as error:
            raise TaskError(f"{task.name}: {error}") from error


@dataclass(frozen=True)
class Within:
    """A task whose answer is kept in a folder of its own."""

    folder: str
    task: Task

    @property
    def name(self) -> str:
        """The name under which the answer is stored."""
        return f"{self.folder}/{self.task.name}"

    def question(self) -> Document:
        """The task's."""
        return self.task.question()

    def perform(self) -> Document:
        """The task's."""
        return self.task.perform()

    def line(self, figures: Document) -> str:
        """The task's."""
        return self.task.line(figures)
