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
class RulesSummary:
    """All figures of one kind of rules on one table, one value per fold.

    Errors are percentages. ``calibration_error`` and ``log_loss`` are over the test rows of
    all folds together.
    """

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
class TableSummary:
    """Crisp and graded rules on one table. The network is that of the default settings."""

    table: str
    two_classes: bool
    crisp: RulesSummary
    graded: RulesSummary

    def values(self, measure: str) -> Sequence[float]:
        """One value per fold of a measure that has a target."""
        return {
            "crisp_error": self.crisp.rules_error,
            "crisp_literals": self.crisp.rules_literals,
            "small_error": self.crisp.small_error,
            "graded_error": self.graded.rules_error,
            "network_error": self.crisp.network_error,
        }[measure]

    @property
    def behind_network(self) -> float:
        """How many points more crisp rules err than the network."""
        return fmean(self.crisp.rules_error) - fmean(self.crisp.network_error)


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

        >>> Verdict("vehicle", "crisp_error", 22.0, 21.0).missed_by
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
    by_table: dict[str, dict[str, list[Document]]] = {}
    for document in documents:
        kinds = by_table.setdefault(document["table"], {})
        kinds.setdefault(document["settings"]["literals"], []).append(document)
    return [
        TableSummary(
            table,
            kinds["crisp"][0]["figures"]["classes"] == 2,
            _summary(kinds["crisp"]),
            _summary(kinds["graded"]),
        )
        for table, kinds in by_table.items()
    ]


def judge(summary: TableSummary, targets: Targets) -> list[Verdict]:
    """A verdict for each of the five measures that have a target."""
    return [
        Verdict(summary.table, measure, fmean(summary.values(measure)), target)
        for measure, target in (
            ("crisp_error", targets.crisp_error),
            ("crisp_literals", targets.crisp_literals),
            ("small_error", targets.small_error),
            ("graded_error", targets.graded_error),
            ("network_error", targets.network_error),
        )
    ]


def _summary(folds: Sequence[Document]) -> RulesSummary:
    figures = [figures_from(fold["figures"]) for fold in folds]
    reliability = pool(each.reliability for each in figures)
    return RulesSummary(
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
