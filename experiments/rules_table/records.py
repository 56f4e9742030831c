"""Figures together with what they answer and where they come from, as JSON documents."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from experiments.rules_table.origin import Origin, origin_from
from experiments.rules_table.reliability import Reliability
from experiments.rules_table.store import Document
from experiments.rules_table.tasks import Figures, Task


@dataclass(frozen=True)
class FoldRecord:
    """What one fold gave, when, and how to have it again."""

    task: Task
    figures: Figures
    origin: Origin
    date: str

    @property
    def name(self) -> str:
        """The name under which it is stored."""
        return name_of(self.task)


def name_of(task: Task) -> str:
    """The name under which a fold is stored."""
    return f"folds/{task.table}/{task.fold:02d}"


def question_of(task: Task) -> Document:
    """What a stored fold must agree with to count as an answer to the task."""
    return {
        "table": task.table,
        "fold": task.fold,
        "seed": task.seed,
        "small_limit": task.small_limit,
        "settings": dict(task.settings),
    }


def to_document(record: FoldRecord) -> Document:
    """A record as plain lists and dictionaries."""
    return {
        **question_of(record.task),
        "date": record.date,
        **asdict(record.origin),
        "figures": asdict(record.figures),
    }


def from_document(document: Document) -> FoldRecord:
    """What :func:`to_document` was given."""
    task = Task(
        document["table"], document["fold"], document["small_limit"], document["settings"]
    )
    sums = document["figures"]["reliability"]
    told = Reliability(
        tuple(sums["rows"]), tuple(sums["confidence"]), tuple(sums["right"]), sums["surprise"]
    )
    figures = Figures(**{**document["figures"], "reliability": told})
    return FoldRecord(task, figures, origin_from(document), document["date"])
