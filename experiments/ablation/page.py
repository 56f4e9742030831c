"""The page: one line per variant."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from experiments.ablation.tasks import SPLITS, VARIANTS
from experiments.harness.pages import markdown_table, origins_list
from experiments.harness.store import Document


def to_markdown(documents: Sequence[Document]) -> str:
    """The page: one line per variant, means over folds and then over tables."""
    tables = list(dict.fromkeys(document["table"] for document in documents))
    folds = len({document["fold"] for document in documents})
    parts = [
        "# Ablation",
        "`LogicClassifier(literals='graded')` with one thing changed at a time: error % of the "
        f"rules (literals in all rules) on {folds} of {SPLITS} folds of tables on which "
        "defaults may be chosen. Means over folds, then over tables.",
        markdown_table(
            ["", *tables, "mean", "network, mean", "fit, s"],
            [[variant, *_cells(variant, tables, documents)] for variant in VARIANTS],
        ),
        origins_list(documents, "measurements"),
    ]
    return "\n\n".join(parts) + "\n"


def _cells(variant: str, tables: Sequence[str], documents: Sequence[Document]) -> list[str]:
    of_variant = [document for document in documents if document["variant"] == variant]

    def mean(figure: str, table: str) -> float:
        return fmean(each["figures"][figure] for each in of_variant if each["table"] == table)

    def mean_of_means(figure: str) -> float:
        return fmean(mean(figure, table) for table in tables)

    return [
        *(
            f"{100 * mean('rules_error', table):.1f} ({mean('literals', table):.0f})"
            for table in tables
        ),
        f"**{100 * mean_of_means('rules_error'):.2f}** ({mean_of_means('literals'):.0f})",
        f"{100 * mean_of_means('network_error'):.2f}",
        f"{mean_of_means('seconds'):.1f}",
    ]
