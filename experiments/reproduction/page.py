"""The parts of the reproduction, and the page that they make."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from experiments.harness.pages import origins_list
from experiments.harness.store import Document
from experiments.harness.tasks import Task
from experiments.reproduction import (
    activation_figures,
    choices,
    deep_rules,
    expressions,
    expressions_page,
    operators,
    operators_page,
    table_one,
    table_two,
)
from experiments.reproduction.scale import Scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Documents = Sequence[Document]

HEAD = """# The paper, reproduced

Luke B. Godfrey and Michael S. Gashler, *A parameterized activation function for learning fuzzy
logic operations in deep neural networks* (2017): its figures, tables and claims, reproduced.
`make reproduce` writes this page from the measurements in
[experiments/results](../experiments/results/reproduction). Each has its complete question,
seed, command, versions and date; [experiments/README.md](../experiments/README.md) says how.
Sentences with figures in them are computed from the same measurements. [paper.md](paper.md)
goes through the paper line by line."""


@dataclass(frozen=True)
class Part:
    """A part: what is measured, and its section, pictures and summary.

    ``rules_tasks`` are tasks of the rules table, whose results the part shares. ``section``
    takes the documents of all tasks and the folder of the pictures as the page sees it;
    ``verdict`` is what the beginning of the page says about the part.
    """

    section: Callable[[Documents, str], str]
    tasks: Callable[[Scale], Sequence[Task]] = lambda scale: []
    rules_tasks: Callable[[Scale], Sequence[Task]] = lambda scale: []
    pictures: Callable[[Documents], Mapping[str, Figure]] = lambda documents: {}
    verdict: Callable[[Documents], str] = lambda documents: ""


PARTS: dict[str, Part] = {
    "figures": Part(
        section=lambda documents, folder: activation_figures.section(folder),
        pictures=lambda documents: activation_figures.pictures(),
    ),
    "operators": Part(
        section=operators_page.section,
        tasks=operators.tasks,
        pictures=operators_page.pictures,
        verdict=operators_page.verdict,
    ),
    "expressions": Part(
        section=expressions_page.section,
        tasks=expressions.tasks,
        pictures=expressions_page.pictures,
        verdict=expressions_page.verdict,
    ),
    "table-one": Part(
        section=lambda documents, folder: table_one.section(documents),
        tasks=table_one.tasks,
        rules_tasks=table_one.rules_tasks,
        verdict=table_one.verdict,
    ),
    "depth-two": Part(
        section=lambda documents, folder: deep_rules.section(documents),
        tasks=deep_rules.tasks,
        verdict=deep_rules.verdict,
    ),
    "table-two": Part(
        section=table_two.section,
        tasks=table_two.tasks,
        pictures=table_two.pictures,
    ),
    "choices": Part(
        section=lambda documents, folder: choices.section(documents),
        tasks=choices.tasks,
        verdict=choices.verdict,
    ),
}


def to_markdown(found: Mapping[str, Documents], folder: str, scale: Scale) -> str:
    """The whole page, from the documents of the parts that are measured."""
    sections = [HEAD]
    if scale.quick:
        sections.append("**A trial run with `--quick`: the figures here mean nothing.**")
    sections += ["## In short", _in_short(found)]
    for name, part in PARTS.items():
        if name in found:
            sections.append(part.section(found[name], folder))
        else:
            sections.append(f"## {name}\n\nNot measured yet: `make reproduce` measures it.")
    sections += ["## Where the figures come from", _origins(found)]
    return "\n\n".join(sections) + "\n"


def _in_short(found: Mapping[str, Documents]) -> str:
    """The verdicts of the parts, a line each."""
    verdicts = [PARTS[name].verdict(documents) for name, documents in found.items()]
    return "\n".join(
        text if text.startswith("- ") else f"- {text}" for text in verdicts if text
    )


def _origins(found: Mapping[str, Documents]) -> str:
    """Part by part: they may come from different machines."""
    return "\n\n".join(
        f"**{name}**\n\n{origins_list(documents, 'measurements')}"
        for name, documents in found.items()
        if documents
    )
