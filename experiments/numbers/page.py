"""The page: R², differences that can be believed and others, sizes, times, and an example."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from statistics import fmean, median

from experiments.harness.markdown import markdown_table, origins_list, plus_minus
from experiments.harness.origin import Origin
from experiments.harness.store import Document
from experiments.numbers.folds import SPLIT_SEED, SPLITS
from experiments.numbers.summary import (
    LEVEL,
    Difference,
    Mean,
    TableFigures,
    difference,
    gathered,
    learners,
    mean,
)
from experiments.numbers.tables import CHOSEN_ON
from experiments.numbers.tasks import SMALL_LIMIT

LEARNERS = {
    "rules": "**rules**",
    "small": f"rules, at most {SMALL_LIMIT} literals",
    "network": "soft network of the rules",
    "tree": "decision tree, as large as the rules",
    "ridge": "ridge regression",
    "EBM": "EBM without interactions",
    "forest": "random forest",
    "boosting": "gradient boosting",
    "noiseless": "the truth without its noise",
}
PEERS = ("tree", "ridge", "EBM", "forest", "boosting")
EXAMPLE = "diabetes"
LINE = 92

Tables = Mapping[str, TableFigures]


def to_markdown(documents: Sequence[Document], origin: Origin, date: str) -> str:
    """The whole page."""
    tables = gathered(documents)
    parts = [
        "# Numbers",
        _what(),
        *_incomplete(tables),
        "## R²",
        "Means over folds ± their standard errors, corrected for rows that folds share.",
        _r2(tables),
        _seen(),
        "## The rules beside the others",
        _how_compared(tables),
        _differences(tables),
        _verdicts(tables),
        "## How large the rules are, and what snapping costs",
        _sizes(tables),
        _how_sized(),
        "## Time to fit",
        "Times of fits as multiples of gradient boosting's on the same rows, one after the"
        " other in one process with one thread: medians over folds. EBM was fitted"
        " by itself, with a boosting of its own beside it.",
        _times(tables),
        *_example(documents),
        "## Where the figures come from",
        f"This page: `{origin.command}`, {date}.",
        origins_list(documents, "measurements"),
    ]
    return "\n\n".join(parts) + "\n"


def _what() -> str:
    return (
        f"`LogicRegressor` with its default settings beside other learners, on {SPLITS} folds"
        f" (`KFold({SPLITS}, shuffle=True, random_state={SPLIT_SEED})`; the seed of every"
        " learner is the number of the fold). The others have scikit-learn's defaults, but that"
        " the decision tree has as many leaves as the rules of the same fold have literals;"
        " ridge regression chooses its price among seven by cross-validation, on standardised"
        " columns; the explainable boosting machine (EBM) is interpret's, without interactions."
        " Friedman's three tables are scikit-learn's, of 600 rows (noise 1, 100 and 0.1; seed"
        " 0); `diabetes` is scikit-learn's; `vehicle` predicts the hollows ratio from the other"
        " 17 columns, `yeast` predicts mcg from the other 7, both without the class."
    )


def _seen() -> str:
    return (
        "**What was chosen on these tables:** how much a regressor pays of two prices (of"
        " weights and of literals), and that terms count in points, was chosen on three folds"
        " of"
        f" {', '.join(CHOSEN_ON)}, with other seeds of folds. The rows are the same, so that"
        " the figures of these tables may be a little too good. Nothing was chosen on the"
        " other tables."
    )


def _incomplete(tables: Tables) -> list[str]:
    """A warning, if this is not the whole experiment."""
    if all(len(values) == SPLITS for table in tables.values() for values in table.r2.values()):
        return []
    return [f"**Not all {SPLITS} folds were measured: the figures are preliminary.**"]


def _r2(tables: Tables) -> str:
    rows = [
        [LEARNERS[name], *(_mean_of(table.r2.get(name)) for table in tables.values())]
        for name in LEARNERS
        if name in learners(tables)
    ]
    return markdown_table(["R²", *tables], rows)


def _mean_of(values: Sequence[float] | None) -> str:
    return "" if values is None else _with_error(mean(values))


def _with_error(value: Mean, sign: str = "") -> str:
    told = f"{value.mean:{sign}.3f}"
    return told if value.error is None else f"{told} ± {value.error:.3f}"


def _how_compared(tables: Tables) -> str:
    names = _peers(tables)
    return (
        "R² of the rules less that of each other learner, fold by fold, ± the corrected"
        " standard error of the mean difference. *Better* and *worse* are said where a"
        f" corrected resampled t-test gives p < {LEVEL:g}; all else is too near to tell on"
        f" {SPLITS} folds. Of {len(names) * len(tables)} comparisons"
        f" {LEVEL * len(names) * len(tables):.1f} would come out so by chance."
    )


def _differences(tables: Tables) -> str:
    rows = [
        [
            f"less {LEARNERS[name]}",
            *(
                _told(found) if (found := _less(table, name)) else ""
                for table in tables.values()
            ),
        ]
        for name in _peers(tables)
    ]
    return markdown_table(["rules", *tables], rows)


def _less(table: TableFigures, name: str) -> Difference | None:
    return difference(table.r2["rules"], table.r2[name]) if name in table.r2 else None


def _told(found: Difference) -> str:
    told = _with_error(found.by, sign="+")
    return told if found.verdict == "alike" else f"{told}, *{found.verdict}*"


def _verdicts(tables: Tables) -> str:
    """A line a peer: where it is beaten and where not."""
    lines = []
    for name in _peers(tables):
        where: dict[str, list[str]] = {"better": [], "worse": [], "alike": []}
        for table, figures in tables.items():
            if found := _less(figures, name):
                where[found.verdict].append(table)
        said = [
            f"{words} on {', '.join(where[verdict])}"
            for verdict, words in (
                ("better", "beaten"),
                ("worse", "not reached"),
                ("alike", "too near to tell"),
            )
            if where[verdict]
        ]
        lines.append(f"- {LEARNERS[name]}: {'; '.join(said)}")
    return "\n".join(lines)


def _sizes(tables: Tables) -> str:
    head = [
        "table",
        "literals",
        f"literals, at most {SMALL_LIMIT}",
        "error, rules",
        "error, boosting",
        "error, mean",
        "R², rules less network",
    ]
    rows = [
        [
            name,
            plus_minus(table.literals, digits=1),
            plus_minus(table.small_literals, digits=1),
            *(f"{fmean(table.rmse[who]):.4g}" for who in ("rules", "boosting")),
            f"{fmean(_deviations(table)):.4g}",
            _told(difference(table.r2["rules"], table.r2["network"])),
        ]
        for name, table in tables.items()
    ]
    return markdown_table(head, rows)


def _how_sized() -> str:
    return (
        "Literals: mean ± standard deviation over folds. The rules of at most"
        f" {SMALL_LIMIT} literals fit the training rows best, and may be larger than the rules"
        " that held-out rows chose. Errors are root mean squared errors in the units of the"
        " number; that of the mean is its standard deviation in the rows of a fold. The last"
        " column is R² of the rules less that of the soft network."
    )


def _deviations(table: TableFigures) -> list[float]:
    """How far rows are from their mean, fold by fold: what R² compares errors with."""
    pairs = zip(table.rmse["rules"], table.r2["rules"], strict=True)
    return [error / (1 - r2) ** 0.5 for error, r2 in pairs]


def _times(tables: Tables) -> str:
    rows = [
        [LEARNERS[name], *(_median_of(table.times.get(name)) for table in tables.values())]
        for name in LEARNERS
        if any(name in table.times for table in tables.values())
    ]
    return markdown_table(["times boosting's", *tables], rows)


def _median_of(values: Sequence[float] | None) -> str:
    return "" if values is None else f"{median(values):.2g}"


def _example(documents: Sequence[Document]) -> list[str]:
    """The rules of the first fold of one table, whatever they are like."""
    for document in documents:
        figures = document["figures"]
        if document["table"] == EXAMPLE and document["fold"] == 0 and "text" in figures:
            rules = textwrap.fill(figures["text"], LINE, subsequent_indent="    ")
            return [
                "## An example",
                f"The rules of the first fold of {EXAMPLE}, {figures['literals']} literals, R²"
                f" {figures['scores']['rules']['r2']:.3f}. A term counts +1 where it is true,"
                " -1 where it is false, and something between on the way.",
                f"```text\n{rules}\n\n{figures['legend']}\n```",
            ]
    return []


def _peers(tables: Tables) -> list[str]:
    return [name for name in PEERS if name in learners(tables)]
