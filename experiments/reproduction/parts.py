"""The parts of the reproduction, in the order of the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from experiments.harness.run import Task, Within
from experiments.harness.store import Document
from experiments.reproduction import (
    activation_figures,
    choices,
    expressions,
    expressions_page,
    operators,
    operators_page,
    table_one,
    table_one_page,
    table_two,
    table_two_page,
)
from experiments.reproduction.scale import Scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Documents = Sequence[Document]
# Where answers are kept, within the folder of all results.
FOLDER, RULES_FOLDER = "reproduction", "rules-table"


@dataclass(frozen=True)
class Part:
    """What is to be measured, and what to say and to draw of it.

    ``section`` is given the answers and the folder of the pictures as the page sees it;
    ``verdict`` is what the page says of it at the beginning.
    """

    tasks: Callable[[Scale], list[Task]]
    section: Callable[[Documents, str], str]
    pictures: Callable[[Documents], Mapping[str, Figure]] = lambda documents: {}
    verdict: Callable[[Documents], str] = lambda documents: ""


def _kept(tasks: Callable[[Scale], Sequence[Task]]) -> Callable[[Scale], list[Task]]:
    return lambda scale: [Within(FOLDER, task) for task in tasks(scale)]


def _table_one_tasks(scale: Scale) -> list[Task]:
    """Those of the rules table are shared with it, and so are their answers."""
    ours = [Within(RULES_FOLDER, task) for task in table_one.our_tasks(scale)]
    return [*_kept(table_one.tasks)(scale), *ours]


def _columns(documents: Documents) -> list[table_one.Column]:
    theirs = [document for document in documents if "model" in document]
    ours = [document for document in documents if "model" not in document]
    return table_one.columns(theirs, ours)


PARTS: dict[str, Part] = {
    "figures": Part(
        tasks=lambda scale: [],
        section=lambda documents, folder: activation_figures.section(folder),
        pictures=lambda documents: activation_figures.pictures(),
    ),
    "operators": Part(
        tasks=_kept(operators.tasks),
        section=operators_page.section,
        pictures=operators_page.pictures,
        verdict=operators_page.verdict,
    ),
    "expressions": Part(
        tasks=_kept(expressions.tasks),
        section=expressions_page.section,
        pictures=expressions_page.pictures,
        verdict=expressions_page.verdict,
    ),
    "table-one": Part(
        tasks=_table_one_tasks,
        section=lambda documents, folder: table_one_page.section(_columns(documents)),
        verdict=lambda documents: table_one_page.verdict(_columns(documents)),
    ),
    "table-two": Part(
        tasks=_kept(table_two.tasks),
        section=table_two_page.section,
        pictures=table_two_page.pictures,
    ),
    "choices": Part(
        tasks=_kept(choices.tasks),
        section=lambda documents, folder: choices.section(documents),
        verdict=choices.verdict,
    ),
}
