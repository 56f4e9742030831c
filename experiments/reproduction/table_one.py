"""Table I: which models are measured on which folds, and their errors, fold by fold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import Literal

from experiments.harness.run import Task
from experiments.harness.significance import corrected_p_value
from experiments.harness.store import Document
from experiments.reproduction.baseline_task import BaselineTask
from experiments.reproduction.paper_task import PaperTask
from experiments.reproduction.reading import Reading
from experiments.reproduction.scale import Scale
from experiments.rules_table.run import tasks_for
from experiments.rules_table.tasks import Task as OurTask

BASELINES: tuple[Literal["tanh", "efc"], ...] = ("tanh", "efc")
QUICK_EPOCHS = 2


def tasks(scale: Scale) -> list[Task]:
    """The paper's network and the two baselines; first those that take longest."""
    baselines = [
        BaselineTask(model, table, scale.folds, scale.quick, scale.networks_on)
        for model in BASELINES
        for table in scale.tables
    ]
    return [*paper_tasks(scale), *baselines]


def paper_tasks(scale: Scale) -> list[PaperTask]:
    """The paper's network as we read the paper."""
    reading = Reading(epochs=QUICK_EPOCHS) if scale.quick else Reading()
    return [
        PaperTask(table, scale.folds, reading, device=scale.networks_on)
        for table in scale.tables
    ]


def our_tasks(scale: Scale) -> list[OurTask]:
    """The default classifier: the same tasks, and results, as those of the rules table."""
    return tasks_for(scale.tables, scale.folds)


@dataclass
class Column:
    """All that is known of one table: by model what was found, in the order of the folds.

    ``errors`` are shares of test rows. Of rules also: the rows on which classes tie, the
    folds on which only one class is predicted, and literals.
    """

    table: str
    rows: int = 0
    errors: dict[str, dict[int, float]] = field(default_factory=dict)
    tied: dict[str, int] = field(default_factory=dict)
    constant: dict[str, int] = field(default_factory=dict)
    literals: dict[str, list[int]] = field(default_factory=dict)

    def percent(self, model: str) -> list[float]:
        """Errors of a model, in percent."""
        return [100 * error for _, error in sorted(self.errors[model].items())]

    def difference(self, model: str, other: str) -> tuple[float, float]:
        """How many points a model errs more than another, and how likely by chance."""
        ours, theirs = self.percent(model), self.percent(other)
        return fmean(ours) - fmean(theirs), corrected_p_value(ours, theirs)

    def add(self, model: str, fold: int, error: float) -> None:
        """One fold of one model."""
        self.errors.setdefault(model, {})[fold] = error

    def add_rules(self, model: str, tied: int, classes: int, literals: int) -> None:
        """What one fold's rules are like."""
        self.tied[model] = self.tied.get(model, 0) + tied
        self.constant[model] = self.constant.get(model, 0) + (classes == 1)
        self.literals.setdefault(model, []).append(literals)


def columns(documents: Iterable[Document], ours: Iterable[Document]) -> list[Column]:
    """The table, column by column, from what is stored."""
    found: dict[str, Column] = {}
    for document in documents:
        column = found.setdefault(document["table"], Column(document["table"]))
        for fold, figures in enumerate(document["figures"]["folds"]):
            _ADD[document["model"]](column, fold, figures)
    for document in ours:
        _add_ours(found[document["table"]], document["fold"], document["figures"])
    return list(found.values())


def _add_paper(column: Column, fold: int, figures: Mapping[str, float]) -> None:
    column.add("majority", fold, figures["majority_error"])
    column.add("network", fold, figures["network_error"])
    column.add("snapped", fold, figures["snapped_error"])
    told = [int(figures[f"snapped_{what}"]) for what in ("tied", "classes", "literals")]
    column.add_rules("snapped", *told)


def _add_ours(column: Column, fold: int, figures: Mapping[str, float]) -> None:
    column.rows += int(figures["rows"])
    column.add("our network", fold, figures["network_error"])
    column.add("our rules", fold, figures["rules_error"])
    told = [int(figures[f"rules_{what}"]) for what in ("tied", "classes", "literals")]
    column.add_rules("our rules", *told)


def _add_baseline(model: str) -> Callable[[Column, int, Mapping[str, float]], None]:
    return lambda column, fold, figures: column.add(model, fold, figures["error"])


_ADD = {"paper": _add_paper, "tanh": _add_baseline("tanh"), "efc": _add_baseline("efc")}
