"""Figures together with what they answer and where they come from, as JSON documents."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from experiments.harness.origin import Origin, origin_from
from experiments.harness.run import documented
from experiments.harness.store import Document
from experiments.rules_table.reliability import Reliability
from experiments.rules_table.tasks import Figures, Task


@dataclass(frozen=True)
class FoldRecord:
    """What one fold gave, when, and how to have it again."""

    task: Task
    figures: Figures
    origin: Origin
    date: str


def to_document(record: FoldRecord) -> Document:
    """A record as plain lists and dictionaries."""
    return documented(record.task, asdict(record.figures), record.origin, record.date)


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
