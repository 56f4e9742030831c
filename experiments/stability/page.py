"""The page: Dice indices between seeds and between samples, and the targets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from crisplogic.rules import RuleSet
from experiments.harness.origin import Origin
from experiments.harness.pages import markdown_table, origins_list
from experiments.harness.store import Document
from experiments.stability.similarity import dice_of_statements, dice_of_texts, statement_texts
from experiments.stability.tasks import SAMPLES, SEEDS, SHARE

# The least Dice index between seeds, and between samples.
TARGETS = {"seeds": 0.8, "samples": 0.6}


@dataclass(frozen=True)
class Alikeness:
    """How alike the rules of several fits on one table are. Both Dice indices are means."""

    table: str
    kind: str
    fits: int
    dice: float
    dice_of_texts: float
    least_literals: int
    most_literals: int
    distinct: int

    @property
    def reached(self) -> bool:
        """Whether statements are as alike as they should be."""
        return self.dice >= TARGETS[self.kind]


# From the name of a table to its matrix of numbers and codes.
ReadMatrix = Callable[[str], Any]


def compare(documents: Sequence[Document], read_matrix: ReadMatrix) -> list[Alikeness]:
    """One line for each table and kind of fits."""
    groups: dict[tuple[str, str], list[Document]] = {}
    for document in documents:
        groups.setdefault((document["kind"], document["table"]), []).append(document)
    return [
        _compare(kind, table, fits, read_matrix(table))
        for (kind, table), fits in groups.items()
    ]


def _compare(kind: str, table: str, fits: Sequence[Document], matrix: Any) -> Alikeness:
    rules = [RuleSet.from_json(fit["figures"]["rules"]) for fit in fits]
    sizes = [each.size for each in rules]
    return Alikeness(
        table,
        kind,
        len(rules),
        dice_of_statements(rules, matrix),
        dice_of_texts(rules),
        min(sizes),
        max(sizes),
        len({tuple(statement_texts(each)) for each in rules}),
    )


def to_markdown(
    documents: Sequence[Document], read_matrix: ReadMatrix, origin: Origin, date: str
) -> str:
    """The whole page."""
    found = compare(documents, read_matrix)
    parts = [
        "# Stability",
        f"How much of crisp rules comes back: with {SEEDS} seeds on all rows, and on {SAMPLES}"
        f" samples of {SHARE:.0%} of the rows, every class in its proportion, with the same"
        " seed. Default settings; held-out rows choose the size of each.",
        "The Dice index of two rule sets is the share of their statements that they have in"
        " common. Statements are the same if they have the same columns, operators and"
        " direction, and if at most one row in twenty lies between thresholds of a column."
        " *Equal text* counts only statements that are equal to the letter. Both are means over"
        " all pairs.",
        *_section("## Other seeds", "seeds", found),
        *_section("## Other rows", "samples", found),
        "## Where the figures come from",
        f"This page: `{origin.command}`, {date}.",
        origins_list(documents, "fits"),
    ]
    return "\n\n".join(parts) + "\n"


def _section(title: str, kind: str, found: Sequence[Alikeness]) -> list[str]:
    chosen = [each for each in found if each.kind == kind]
    if not chosen:
        return []
    head = ["table", "fits", "Dice index", "equal text", "literals", "different rule sets"]
    rows = [
        [
            each.table,
            str(each.fits),
            f"{each.dice:.2f} ({'reached' if each.reached else '**missed**'})",
            f"{each.dice_of_texts:.2f}",
            f"{each.least_literals} to {each.most_literals}",
            str(each.distinct),
        ]
        for each in chosen
    ]
    means = [f"{fmean(each.dice for each in chosen):.2f}"]
    means.append(f"{fmean(each.dice_of_texts for each in chosen):.2f}")
    number = sum(each.reached for each in chosen)
    return [
        title,
        f"The target is a Dice index of at least {TARGETS[kind]:g}:"
        f" {number} of {len(chosen)} tables reach it.",
        markdown_table(head, [*rows, ["**mean**", "", *means, "", ""]]),
    ]
