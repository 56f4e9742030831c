"""From folds to means, deviations and verdicts on the targets. Nothing is read or written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from experiments.rules_table.records import FoldRecord
from experiments.rules_table.reliability import pooled
from experiments.rules_table.targets import Targets

# Means of decimal fractions are off in the last bits; that misses no target.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Spread:
    """The mean and the standard deviation over folds; a single fold deviates from nothing."""

    mean: float
    deviation: float | None


@dataclass(frozen=True)
class TableSummary:
    """All figures of one table. Errors are percentages; calibration is over all rows pooled."""

    table: str
    folds: int
    small_limit: int
    rules_error: Spread
    rules_literals: Spread
    small_error: Spread
    small_literals: Spread
    network_error: Spread
    nearest_error: Spread
    calibration_error: float
    log_loss: float
    fit_seconds: Spread


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


def summarised(records: Iterable[FoldRecord]) -> list[TableSummary]:
    """One summary a table, in the order in which the tables come."""
    by_table: dict[str, list[FoldRecord]] = {}
    for record in records:
        by_table.setdefault(record.task.table, []).append(record)
    return [_summary(table, folds) for table, folds in by_table.items()]


def verdicts(summary: TableSummary, targets: Targets) -> list[Verdict]:
    """The four measures that have a target."""
    return [
        Verdict(summary.table, measure, spread.mean, target)
        for measure, spread, target in (
            ("rules_error", summary.rules_error, targets.rules_error),
            ("rules_literals", summary.rules_literals, targets.rules_literals),
            ("small_error", summary.small_error, targets.small_error),
            ("network_error", summary.network_error, targets.network_error),
        )
    ]


def spread(values: Sequence[float]) -> Spread:
    """Mean and sample standard deviation.

    >>> spread([1.0, 3.0]).mean, spread([2.0])
    (2.0, Spread(mean=2.0, deviation=None))
    """
    return Spread(fmean(values), stdev(values) if len(values) > 1 else None)


def _summary(table: str, folds: Sequence[FoldRecord]) -> TableSummary:
    figures = [record.figures for record in folds]
    told = pooled(each.reliability for each in figures)
    return TableSummary(
        table=table,
        folds=len(folds),
        small_limit=folds[0].task.small_limit,
        rules_error=spread([100 * each.rules_error for each in figures]),
        rules_literals=spread([each.rules_literals for each in figures]),
        small_error=spread([100 * each.small_error for each in figures]),
        small_literals=spread([each.small_literals for each in figures]),
        network_error=spread([100 * each.network_error for each in figures]),
        nearest_error=spread([100 * each.nearest_error for each in figures]),
        calibration_error=100 * told.calibration_error,
        log_loss=told.log_loss,
        fit_seconds=spread([each.fit_seconds for each in figures]),
    )
