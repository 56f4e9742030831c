"""The page: R², differences between learners, sizes, times, and an example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, median

from experiments.harness.origin import Origin
from experiments.harness.pages import markdown_table, origins_list, plus_minus
from experiments.harness.store import Document
from experiments.regression.summary import (
    LEVEL,
    Difference,
    Mean,
    TableFigures,
    collect,
    difference,
    learner_names,
    mean,
)
from experiments.regression.tables import CHOSEN_ON, SPLIT_SEED, SPLITS
from experiments.regression.tasks import SMALL_LIMIT

LEARNERS = {
    "rules": "**crisp rules**",
    "small": f"crisp rules, at most {SMALL_LIMIT} literals",
    "graded": "graded rules",
    "network": "soft network behind the rules",
    "tree": "decision tree, as large as the rules",
    "ridge": "ridge regression",
    "EBM": "EBM without interactions",
    "forest": "random forest",
    "boosting": "gradient boosting",
    "noiseless": "the target without its noise",
}
PEERS = ("graded", "tree", "ridge", "EBM", "forest", "boosting")
EXAMPLE = "diabetes"

Tables = Mapping[str, TableFigures]


def to_markdown(documents: Sequence[Document], origin: Origin, date: str) -> str:
    """The whole page."""
    tables = collect(documents)
    parts = [
        "# The regression table",
        _setup(),
        *_incomplete(tables),
        "## R²",
        "Means over folds ± standard errors, corrected for the rows that folds share.",
        _r2(tables),
        _chosen(),
        "## The rules compared with the others",
        _how_compared(tables),
        _differences(tables),
        _verdicts(tables),
        "## How large the rules are, and what snapping costs",
        _sizes(tables),
        _how_sized(),
        "## Time to fit",
        "Times of fits as multiples of gradient boosting's on the same rows: medians over"
        " folds. All were fitted one after the other, in one process with one thread. EBM was"
        " fitted in a separate run, with its own gradient boosting to compare with.",
        _times(tables),
        *_example(documents),
        "## Where the figures come from",
        f"This page: `{origin.command}`, {date}.",
        origins_list(documents, "measurements"),
    ]
    return "\n\n".join(parts) + "\n"


def _setup() -> str:
    return (
        "`LogicRegressor` with its default settings, crisp rules, beside other learners, on"
        f" {SPLITS} folds (`KFold({SPLITS}, shuffle=True, random_state={SPLIT_SEED})`; the"
        " seed of every learner is the number of the fold). The others have scikit-learn's"
        " defaults, with two exceptions. The decision tree has as many leaves as the rules of"
        " the same fold have literals. Ridge regression chooses its penalty among seven by"
        " cross-validation, on standardised columns. The explainable boosting machine (EBM) is"
        " interpret's, without interactions. Friedman's three tables are scikit-learn's, with"
        " 600 rows (noise 1, 100 and 0.1; seed 0). `diabetes` is scikit-learn's. `vehicle`"
        " predicts the hollows ratio from the other 17 columns, `yeast` predicts mcg from the"
        " other 7, both without the class."
    )


def _chosen() -> str:
    return (
        "**PhaseConfig chosen on these tables:** the regressor's scale of two penalties (on"
        " weights and on literals), and that terms count in whole points, were chosen on three"
        f" folds of {', '.join(CHOSEN_ON)}, with other seeds of folds. The rows are the same,"
        " so the figures of these tables may be slightly optimistic. Nothing was chosen on the"
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
        if name in learner_names(tables)
    ]
    return markdown_table(["R²", *tables], rows)


def _mean_of(values: Sequence[float] | None) -> str:
    return "" if values is None else _with_error(mean(values))


def _with_error(value: Mean, sign: str = "") -> str:
    text = f"{value.mean:{sign}.3f}"
    return text if value.error is None else f"{text} ± {value.error:.3f}"


def _how_compared(tables: Tables) -> str:
    names = _peers(tables)
    return (
        "R² of the rules minus that of each other learner, fold by fold, ± the corrected"
        " standard error of the mean difference. *Better* and *worse* mean that a corrected"
        f" resampled t-test gives p < {LEVEL:g}; the other differences are not significant on"
        f" {SPLITS} folds. Of {len(names) * len(tables)} comparisons about"
        f" {LEVEL * len(names) * len(tables):.1f} would be significant by chance."
    )


def _differences(tables: Tables) -> str:
    rows = [
        [
            f"minus {LEARNERS[name]}",
            *(
                _marked(found) if (found := _minus(table, name)) else ""
                for table in tables.values()
            ),
        ]
        for name in _peers(tables)
    ]
    return markdown_table(["rules", *tables], rows)


def _minus(table: TableFigures, name: str) -> Difference | None:
    return difference(table.r2["rules"], table.r2[name]) if name in table.r2 else None


def _marked(found: Difference) -> str:
    text = _with_error(found.by, sign="+")
    return text if found.verdict == "alike" else f"{text}, *{found.verdict}*"


def _verdicts(tables: Tables) -> str:
    """A line per peer: on which tables the rules are better and worse."""
    lines = []
    for name in _peers(tables):
        where: dict[str, list[str]] = {"better": [], "worse": [], "alike": []}
        for table, figures in tables.items():
            if found := _minus(figures, name):
                where[found.verdict].append(table)
        verdicts = [
            f"{words} on {', '.join(where[verdict])}"
            for verdict, words in (
                ("better", "the rules are better"),
                ("worse", "the rules are worse"),
                ("alike", "no significant difference"),
            )
            if where[verdict]
        ]
        lines.append(f"- {LEARNERS[name]}: {'; '.join(verdicts)}")
    return "\n".join(lines)


def _sizes(tables: Tables) -> str:
    head = [
        "table",
        "literals",
        f"literals, at most {SMALL_LIMIT}",
        "error, rules",
        "error, boosting",
        "error, mean",
        "R², rules minus network",
    ]
    rows = [
        [
            name,
            plus_minus(table.literals, digits=1),
            plus_minus(table.small_literals, digits=1),
            *(f"{fmean(table.rmse[who]):.4g}" for who in ("rules", "boosting")),
            f"{fmean(_deviations(table)):.4g}",
            _marked(difference(table.r2["rules"], table.r2["network"])),
        ]
        for name, table in tables.items()
    ]
    return markdown_table(head, rows)


def _how_sized() -> str:
    return (
        "Literals: mean ± standard deviation over folds. The rules of at most"
        f" {SMALL_LIMIT} literals fit the training rows best, and may be larger than the rules"
        " chosen on held-out rows. Errors are root mean squared errors in the units of the"
        " target; that of the mean is the target's standard deviation in the test rows of a"
        " fold. The last column is R² of the rules minus that of the soft network."
    )


def _deviations(table: TableFigures) -> list[float]:
    """Standard deviations of the target, fold by fold: R² compares errors with them."""
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
    """The rules of the first fold of one table, not selected."""
    for document in documents:
        figures = document["figures"]
        if document["table"] == EXAMPLE and document["fold"] == 0 and "text" in figures:
            return [
                "## An example",
                f"The rules of the first fold of {EXAMPLE}, {figures['literals']} literals, R²"
                f" {figures['scores']['rules']['r2']:.3f}.",
                f"```text\n{figures['text']}\n```",
            ]
    return []


def _peers(tables: Tables) -> list[str]:
    return [name for name in PEERS if name in learner_names(tables)]
