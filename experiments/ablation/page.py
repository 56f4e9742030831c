"""The page: one line a variant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from experiments.ablation.tasks import SPLITS, VARIANTS, Figures, Task
from experiments.harness.markdown import origin_text
from experiments.harness.origin import Origin


def to_markdown(figures: Mapping[Task, Figures], origin: Origin, date: str) -> str:
    """The page: one line a variant, means over folds and then over tables."""
    tables = list(dict.fromkeys(task.table for task in figures))
    folds = len({task.fold for task in figures})
    lines = [
        "# Ablation",
        "",
        f"The default `LogicClassifier` with one thing changed at a time: error % of the rules "
        f"(literals in all rules) on {folds} of {SPLITS} folds of tables on which defaults may "
        "be chosen. Means over folds, then over tables.",
        "",
        f"| | {' | '.join(tables)} | mean | network, mean | fit, s |",
        f"| --- | {' | '.join(['---:'] * (len(tables) + 3))} |",
    ]
    lines += [_line(variant, tables, figures) for variant in VARIANTS]
    return "\n".join([*lines, "", f"{date}: {origin_text(origin)}.", ""])


def _line(variant: str, tables: Sequence[str], figures: Mapping[Task, Figures]) -> str:
    of_variant = {task: found for task, found in figures.items() if task.variant == variant}

    def mean(field: str, name: str) -> float:
        values = [getattr(f, field) for task, f in of_variant.items() if task.table == name]
        return float(np.mean(values))

    def means(field: str) -> float:
        return float(np.mean([mean(field, name) for name in tables]))

    cells = [
        f"{100 * mean('rules_error', name):.1f} ({mean('literals', name):.0f})"
        for name in tables
    ]
    cells.append(f"**{100 * means('rules_error'):.2f}** ({means('literals'):.0f})")
    cells += [f"{100 * means('network_error'):.2f}", f"{means('seconds'):.1f}"]
    return f"| {variant} | {' | '.join(cells)} |"
