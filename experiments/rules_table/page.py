"""The page: which targets are reached and which are missed."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median

from experiments.harness.evaluation import FOLDS, REPEATS, SPLIT_SEED, SPLITS
from experiments.harness.origin import Origin
from experiments.harness.pages import markdown_table, origins_list, plus_minus
from experiments.harness.store import Document
from experiments.rules_table.summary import TOLERANCE, TableSummary, Verdict, judge, summarise
from experiments.rules_table.targets import MARGIN, PEERS, TARGETS
from experiments.rules_table.timing import MAKERS

HEADS = {
    "crisp_error": "crisp rules, error %",
    "crisp_literals": "crisp rules, literals",
    "small_error": "small crisp rules, error %",
    "graded_error": "graded rules, error %",
    "network_error": "network, error %",
}


def to_markdown(
    folds: Sequence[Document], timings: Sequence[Document], origin: Origin, date: str
) -> str:
    """The whole page, from the documents of folds and timings."""
    summaries = summarise(folds)
    verdicts = [each for one in summaries for each in judge(one, TARGETS[one.table])]
    parts = [
        "# The rules table",
        f"`LogicClassifier` with its default settings on {SPLITS}-fold cross-validation,"
        f" {REPEATS} times (`RepeatedStratifiedKFold(n_splits={SPLITS}, n_repeats={REPEATS},"
        f" random_state={SPLIT_SEED})`; the seed of the classifier is the number of the fold)."
        " Its rules are crisp. Graded rules are those of `LogicClassifier(literals='graded')`."
        " Figures are means ± standard deviations over folds.",
        *_incomplete(summaries),
        "## Against the targets",
        _outcome(verdicts),
        _against_targets(summaries, verdicts),
        _small_rules(summaries),
        *_behind_network(summaries),
        "## For orientation",
        _orientation(summaries),
        "Nearest rounding is the paper's: the same soft network, each parameter rounded. The"
        " calibration error is the expected one, over ten equal-width bins of the top class's"
        " probability. It and the log loss are those of the crisp rules, pooled over the rows"
        " of all folds. The figures of the peers were measured separately, on the same folds.",
        *_timing_section(timings),
        "## Where the figures come from",
        f"This page: `{origin.command}`, {date}.",
        origins_list([*folds, *timings], "measurements (folds and timings)"),
    ]
    return "\n\n".join(parts) + "\n"


def _incomplete(summaries: Sequence[TableSummary]) -> list[str]:
    """A warning, if this is not the whole experiment."""
    if all(kind.folds == FOLDS for one in summaries for kind in (one.crisp, one.graded)):
        return []
    counts = ", ".join(
        f"{one.table} {one.crisp.folds} and {one.graded.folds}" for one in summaries
    )
    return [
        f"**Not all {FOLDS} folds were measured: the figures are preliminary.** Folds of crisp"
        f" and of graded rules: {counts}."
    ]


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


def _against_targets(summaries: Sequence[TableSummary], verdicts: Sequence[Verdict]) -> str:
    head = ["data set", "folds", *HEADS.values()]
    rows = []
    for summary in summaries:
        cells = [
            _beside_target(summary.values(verdict.measure), verdict)
            for verdict in verdicts
            if verdict.table == summary.table
        ]
        rows.append([summary.table, str(summary.crisp.folds), *cells])
    return markdown_table(head, rows)


def _beside_target(values: Sequence[float], verdict: Verdict) -> str:
    outcome = "reached" if verdict.reached else f"**{_missed(verdict)}**"
    digits = 1 if verdict.measure.endswith("literals") else 2
    return f"{plus_minus(values, digits)} (target ≤ {verdict.target:g}: {outcome})"


def _missed(verdict: Verdict) -> str:
    if verdict.missed_by < 0.01:  # "by 0.00" would read as if it were reached
        return "missed by less than 0.01"
    return f"missed by {verdict.missed_by:.2f}"


def _small_rules(summaries: Sequence[TableSummary]) -> str:
    limits = ", ".join(
        f"{one.table} {one.crisp.small_limit}"
        f" (on average {fmean(one.crisp.small_literals):.1f})"
        for one in summaries
    )
    return f"The most literals that the small crisp rules may have: {limits}."


def _behind_network(summaries: Sequence[TableSummary]) -> list[str]:
    """Whether crisp rules of two classes are nearly as good as the network."""
    parts = [
        f"{one.table} {one.behind_network:+.2f}"
        f" ({'reached' if one.behind_network <= MARGIN + TOLERANCE else '**missed**'})"
        for one in summaries
        if one.two_classes
    ]
    if not parts:
        return []
    return [
        f"With two classes crisp rules should err at most {MARGIN:g} point more than the"
        f" network. Differences in points: {', '.join(parts)}."
    ]


def _orientation(summaries: Sequence[TableSummary]) -> str:
    head = [
        "data set",
        "nearest rounding, error %",
        "calibration error, %",
        "log loss",
        "graded rules, literals",
        "fit of crisp rules, s",
        "fit of graded rules, s",
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
                plus_minus(summary.crisp.nearest_error),
                f"{summary.crisp.calibration_error:.2f}",
                f"{summary.crisp.log_loss:.3f}",
                plus_minus(summary.graded.rules_literals, digits=1),
                plus_minus(summary.crisp.fit_seconds, digits=1),
                plus_minus(summary.graded.fit_seconds, digits=1),
                f"{peers.best:.2f}",
                f"{peers.best_rules:.1f}",
                f"{peers.majority:.2f}",
            ]
        )
    return markdown_table(head, rows)


def _timing_section(timings: Sequence[Document]) -> list[str]:
    if not timings:
        return []
    head = ["data set", "LogicClassifier, s", "EBM, s", "ratio"]
    rows = []
    for timing in timings:
        ours, theirs = (median(timing["figures"][name]) for name in MAKERS)
        rows.append([timing["table"], f"{ours:.1f}", f"{theirs:.1f}", f"{ours / theirs:.2f}"])
    return [
        "## Time to fit",
        "Medians of three fits on the whole table, by turns in one process with one thread;"
        " EBM is interpret's `ExplainableBoostingClassifier(interactions=0, n_jobs=1)`.",
        markdown_table(head, rows),
    ]
