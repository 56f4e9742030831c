"""From a report to a page that says plainly which targets are reached and which are missed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from statistics import median

from experiments.harness.folds import FOLDS, REPEATS, SPLIT_SEED, SPLITS
from experiments.harness.markdown import markdown_table, origins_list
from experiments.rules_table.records import FoldRecord
from experiments.rules_table.report import Report
from experiments.rules_table.summary import Spread, TableSummary, Verdict
from experiments.rules_table.targets import PEERS
from experiments.rules_table.timing import Timing

HEADS = {
    "rules_error": "rules, error %",
    "rules_literals": "rules, literals",
    "small_error": "small rules, error %",
    "network_error": "network, error %",
}


def to_markdown(report: Report) -> str:
    """The whole page."""
    parts = [
        "# The rules table",
        f"`LogicClassifier` with its default settings on {SPLITS}-fold cross-validation,"
        f" {REPEATS} times (`RepeatedStratifiedKFold(n_splits={SPLITS}, n_repeats={REPEATS},"
        f" random_state={SPLIT_SEED})`). Figures are means ± standard deviations over folds.",
        *_incomplete(report.summaries),
        "## Against the targets",
        _outcome(report.verdicts),
        _against_targets(report),
        _small_rules(report.summaries),
        "## For orientation",
        _orientation(report.summaries),
        "Nearest rounding is the paper's: the same soft network, each parameter rounded."
        " Calibration error is the expected one over ten equal-width bins of the top class's"
        " probability; it and the log loss are those of the default rules, pooled over the"
        " rows of all folds. The figures of the peers were measured separately, on the same"
        " folds.",
        *_timing_section(report.timings),
        "## Where the figures come from",
        _origins(report),
    ]
    return "\n\n".join(parts) + "\n"


def _incomplete(summaries: Sequence[TableSummary]) -> list[str]:
    """A warning, if this is not the whole experiment."""
    if all(summary.folds == FOLDS for summary in summaries):
        return []
    return [f"**Not all {FOLDS} folds were measured: the figures are preliminary.**"]


def _outcome(verdicts: Sequence[Verdict]) -> str:
    """How many targets are reached, and each that is missed."""
    missed = [verdict for verdict in verdicts if not verdict.reached]
    reached = f"{len(verdicts) - len(missed)} of {len(verdicts)} targets are reached"
    if not missed:
        return f"{reached}."
    lines = [
        f"- {verdict.table}, {HEADS[verdict.measure]}: {verdict.mean:.2f} against"
        f" {verdict.target:g}, {_missed(verdict)}"
        for verdict in missed
    ]
    return "\n".join([f"{reached}, {len(missed)} are missed:", "", *lines])


def _against_targets(report: Report) -> str:
    head = ["data set", "folds", *HEADS.values()]
    rows = []
    for summary in report.summaries:
        cells = [
            _beside_target(getattr(summary, verdict.measure), verdict)
            for verdict in report.verdicts
            if verdict.table == summary.table
        ]
        rows.append([summary.table, str(summary.folds), *cells])
    return markdown_table(head, rows)


def _beside_target(spread: Spread, verdict: Verdict) -> str:
    told = "reached" if verdict.reached else f"**{_missed(verdict)}**"
    digits = 1 if verdict.measure.endswith("literals") else 2
    return f"{_plus_minus(spread, digits)} (target ≤ {verdict.target:g}: {told})"


def _missed(verdict: Verdict) -> str:
    if verdict.missed_by < 0.01:  # "by 0.00" would read as if it were reached
        return "missed by less than 0.01"
    return f"missed by {verdict.missed_by:.2f}"


def _small_rules(summaries: Sequence[TableSummary]) -> str:
    limits = ", ".join(
        f"{summary.table} {summary.small_limit} (on average {summary.small_literals.mean:.1f})"
        for summary in summaries
    )
    return f"The most literals that the small rules may have: {limits}."


def _orientation(summaries: Sequence[TableSummary]) -> str:
    head = [
        "data set",
        "nearest rounding, error %",
        "calibration error, %",
        "log loss",
        "fit, s",
        "best of all peers, error %",
        "best crisp rules of a peer, error %",
        "majority class, error %",
    ]
    rows = []
    for summary in summaries:
        peers = PEERS[summary.table]
        rows.append(
            [
                summary.table,
                _plus_minus(summary.nearest_error, digits=2),
                f"{summary.calibration_error:.2f}",
                f"{summary.log_loss:.3f}",
                _plus_minus(summary.fit_seconds, digits=1),
                f"{peers.best:.2f}",
                f"{peers.best_rules:.1f}",
                f"{peers.majority:.2f}",
            ]
        )
    return markdown_table(head, rows)


def _timing_section(timings: Sequence[Timing]) -> list[str]:
    if not timings:
        return []
    head = ["data set", "LogicClassifier, s", "EBM, s", "ratio"]
    rows = [
        [
            timing.table,
            f"{median(timing.logic_seconds):.1f}",
            f"{median(timing.boosting_seconds):.1f}",
            f"{timing.ratio:.2f}",
        ]
        for timing in timings
    ]
    return [
        "## Time to fit",
        "Medians of three fits on the whole table, by turns in one process with one thread;"
        " EBM is interpret's `ExplainableBoostingClassifier(interactions=0, n_jobs=1)`.",
        markdown_table(head, rows),
    ]


def _origins(report: Report) -> str:
    measured: list[FoldRecord | Timing] = [*report.records, *report.timings]
    found = origins_list(
        [{**asdict(each.origin), "date": each.date} for each in measured],
        "measurements (folds and timings)",
    )
    return f"This page: `{report.origin.command}`, {report.date}.\n\n{found}"


def _plus_minus(spread: Spread, digits: int) -> str:
    if spread.deviation is None:
        return f"{spread.mean:.{digits}f}"
    return f"{spread.mean:.{digits}f} ± {spread.deviation:.{digits}f}"
