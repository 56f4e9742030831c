"""All that a run has to tell, and as one JSON document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from experiments.harness.origin import Origin
from experiments.harness.store import Document
from experiments.rules_table.records import FoldRecord, to_document
from experiments.rules_table.summary import TableSummary, Verdict, summarised, verdicts
from experiments.rules_table.targets import PEERS, TARGETS
from experiments.rules_table.timing import Timing
from experiments.rules_table.timing import to_document as timing_document


@dataclass(frozen=True)
class Report:
    """The folds, what follows from them, the timings if there are any, and the run itself."""

    origin: Origin
    date: str
    records: Sequence[FoldRecord]
    summaries: Sequence[TableSummary]
    verdicts: Sequence[Verdict]
    timings: Sequence[Timing]


def reported(
    records: Sequence[FoldRecord], timings: Sequence[Timing], origin: Origin, date: str
) -> Report:
    """Draw the conclusions."""
    summaries = summarised(records)
    known = [each for one in summaries for each in verdicts(one, TARGETS[one.table])]
    return Report(origin, date, records, summaries, known, timings)


def report_document(report: Report) -> Document:
    """The report as plain lists and dictionaries."""
    return {
        "date": report.date,
        **asdict(report.origin),
        "summary": [asdict(summary) for summary in report.summaries],
        "targets": [_with_outcome(verdict) for verdict in report.verdicts],
        "peers": {one.table: asdict(PEERS[one.table]) for one in report.summaries},
        "timing": [timing_document(timing) for timing in report.timings],
        "folds": [to_document(record) for record in report.records],
    }


def _with_outcome(verdict: Verdict) -> Document:
    return {**asdict(verdict), "reached": verdict.reached, "missed_by": verdict.missed_by}
