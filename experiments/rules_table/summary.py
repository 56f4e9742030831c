"""Figures by table, and verdicts on the targets. Nothing is read or written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from experiments.harness.store import Document
from experiments.rules_table.reliability import pool
from experiments.rules_table.targets import Targets
from experiments.rules_table.tasks import figures_from

# Means of decimal fractions are off in the last bits; that misses no target.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class TableSummary:
    """All figures of one table, one value per fold. Errors are percentages.

    ``calibration_error`` and ``log_loss`` are over the test rows of all folds together.
    """

    table: str
    folds: int
    small_limit: int
    rules_error: Sequence[float]
    rules_literals: Sequence[float]
    small_error: Sequence[float]
    small_literals: Sequence[float]
    network_error: Sequence[float]
    nearest_error: Sequence[float]
    fit_seconds: Sequence[float]
    calibration_error: float
    log_loss: float


@dataclass(frozen=True)
class Verdict:
    """One mean beside its target."""

    table: str
    measure: str
    mean: float
    target: float

    @property
    def missed_by(self) -> float:
        """How far the mean is above the target, or 0 if the target is reached.

        >>> Verdict("vehicle", "rules_error", 22.0, 21.0).missed_by
        1.0
        """
        excess = self.mean - self.target
        return excess if excess > TOLERANCE else 0.0

    @property
    def reached(self) -> bool:
        """Whether the mean is at most the target."""
        return self.missed_by == 0.0


def summarise(documents: Iterable[Document]) -> list[TableSummary]:
    """One summary per table, in the order in which the tables come."""
    by_table: dict[str, list[Document]] = {}
    for document in documents:
        by_table.setdefault(document["table"], []).append(document)
    return [_summary(table, folds) for table, folds in by_table.items()]


def judge(summary: TableSummary, targets: Targets) -> list[Verdict]:
    """A verdict for each of the four measures that have a target."""
    return [
        Verdict(summary.table, measure, fmean(values), target)
        for measure, values, target in (
            ("rules_error", summary.rules_error, targets.rules_error),
            ("rules_literals", summary.rules_literals, targets.rules_literals),
            ("small_error", summary.small_error, targets.small_error),
            ("network_error", summary.network_error, targets.network_error),
        )
    ]


def _summary(table: str, folds: Sequence[Document]) -> TableSummary:
    figures = [figures_from(fold["figures"]) for fold in folds]
    reliability = pool(each.reliability for each in figures)
    return TableSummary(
        table=table,
        folds=len(folds),
        small_limit=folds[0]["small_limit"],
        rules_error=[100 * each.rules_error for each in figures],
        rules_literals=[each.rules_literals for each in figures],
        small_error=[100 * each.small_error for each in figures],
        small_literals=[each.small_literals for each in figures],
        network_error=[100 * each.network_error for each in figures],
        nearest_error=[100 * each.nearest_error for each in figures],
        fit_seconds=[each.fit_seconds for each in figures],
        calibration_error=100 * reliability.calibration_error,
        log_loss=reliability.log_loss,
    )
