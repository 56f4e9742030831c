"""Table I: the models, their errors fold by fold, and the section of the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Literal

from experiments.harness.evaluation import REPEATS, SPLIT_SEED, SPLITS, corrected_p_value
from experiments.harness.pages import markdown_table, plus_minus
from experiments.harness.store import Document
from experiments.harness.tasks import Task
from experiments.reproduction.network_tasks import BaselineTask, PaperTask
from experiments.reproduction.paper_network import Reading
from experiments.reproduction.published import TABLE_ONE
from experiments.reproduction.scale import QUICK_SETTINGS, Scale
from experiments.rules_table.tasks import RulesTask, tasks_for

BASELINES: tuple[Literal["tanh", "efc"], ...] = ("tanh", "efc")
QUICK_EPOCHS = 2
# Models in the order of the paper's columns, then ours.
MODELS = {
    "tanh": "tanh network (DNN)",
    "efc": "ensemble of ANFIS (EFC)",
    "network": "the paper's network",
    "snapped": "its rules, snapped to the nearest",
    "our network": "our network",
    "our graded rules": "our graded rules",
    "our rules": "our crisp rules",
    "majority": "majority class",
}
ROWS = """The rows:

- *tanh network*: four fully connected layers with biases, tanh after each, as many parameters
  as the paper's network, trained like it: one row per step, learning rate 0.01, 100 epochs,
  squared error.
- *ensemble of ANFIS*: ten five-layer ANFIS, each over four columns drawn at random (two
  memberships each, 16 rules) and a bootstrap sample of the training rows, trained by gradient
  descent (Adam), outputs averaged. The paper gives no details of the ensemble whose figures it
  quotes; this is our reading of such an ensemble.
- *the paper's network*: its ten layers exactly as described (learning rate 0.01, L1 0.0001,
  depth 2); the last section lists what had to be chosen. *Its rules*: every alpha and weight
  rounded to the nearest whole value.
- *our network*, *our crisp rules*: `LogicClassifier()` with its defaults: rules of yes/no
  statements. *Our graded rules*: `LogicClassifier(literals="graded")`, trained through the
  rounding, then searched. All are measured by `make rules-table`."""
SIGNIFICANT = 0.05
RULES = ("snapped", "our graded rules", "our rules")
OURS = {"crisp": "our rules", "graded": "our graded rules"}


def tasks(scale: Scale) -> list[Task]:
    """The paper's network and the two baselines; those that take longest come first."""
    baselines = [
        BaselineTask(model, table, scale.folds, scale.quick, scale.networks_on)
        for model in BASELINES
        for table in scale.tables
    ]
    return [*paper_tasks(scale), *baselines]


def paper_tasks(scale: Scale) -> list[PaperTask]:
    """The paper's network in our reading of the paper."""
    reading = Reading(epochs=QUICK_EPOCHS) if scale.quick else Reading()
    return [
        PaperTask(table, scale.folds, reading, device=scale.networks_on)
        for table in scale.tables
    ]


def rules_tasks(scale: Scale) -> list[RulesTask]:
    """The default classifier: the same tasks, and results, as those of the rules table."""
    changes = QUICK_SETTINGS if scale.quick else {}
    return tasks_for(scale.tables, scale.folds, changes)


@dataclass
class Column:
    """The figures of one table by model, in the order of the folds.

    ``errors`` are shares of test rows. For rules there are also the rows on which classes
    tie, the folds on which only one class is predicted, and literals.
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
        """The error of a model minus that of another in points, and its p-value."""
        ours, theirs = self.percent(model), self.percent(other)
        return fmean(ours) - fmean(theirs), corrected_p_value(ours, theirs)

    def add(self, model: str, fold: int, error: float) -> None:
        """Add the error of one model on one fold."""
        self.errors.setdefault(model, {})[fold] = error

    def add_rules(self, model: str, tied: int, classes: int, literals: int) -> None:
        """Add what the rules of one fold are like."""
        self.tied[model] = self.tied.get(model, 0) + tied
        self.constant[model] = self.constant.get(model, 0) + (classes == 1)
        self.literals.setdefault(model, []).append(literals)


def collect_columns(documents: Iterable[Document]) -> list[Column]:
    """The table, column by column; documents of the rules table have no model."""
    found: dict[str, Column] = {}
    for document in documents:
        column = found.setdefault(document["table"], Column(document["table"]))
        if "model" in document:
            for fold, figures in enumerate(document["figures"]["folds"]):
                _ADD[document["model"]](column, fold, figures)
        else:
            ours = OURS[document["settings"]["literals"]]
            _add_ours(column, ours, document["fold"], document["figures"])
    return list(found.values())


def _add_paper(column: Column, fold: int, figures: Mapping[str, float]) -> None:
    column.add("majority", fold, figures["majority_error"])
    column.add("network", fold, figures["network_error"])
    column.add("snapped", fold, figures["snapped_error"])
    counts = [int(figures[f"snapped_{what}"]) for what in ("tied", "classes", "literals")]
    column.add_rules("snapped", *counts)


def _add_ours(column: Column, ours: str, fold: int, figures: Mapping[str, float]) -> None:
    if ours == OURS["crisp"]:  # those of the default settings
        column.rows += int(figures["rows"])
        column.add("our network", fold, figures["network_error"])
    column.add(ours, fold, figures["rules_error"])
    counts = [int(figures[f"rules_{what}"]) for what in ("tied", "classes", "literals")]
    column.add_rules(ours, *counts)


def _add_baseline(model: str) -> Callable[[Column, int, Mapping[str, float]], None]:
    return lambda column, fold, figures: column.add(model, fold, figures["error"])


_ADD = {"paper": _add_paper, "tanh": _add_baseline("tanh"), "efc": _add_baseline("efc")}


def section(documents: Sequence[Document]) -> str:
    """The whole section."""
    columns = collect_columns(documents)
    return "\n\n".join(
        [
            "## Table I: errors",
            f"Error %, mean ± standard deviation over {_folds(columns)} folds"
            f" (`RepeatedStratifiedKFold(n_splits={SPLITS}, n_repeats={REPEATS},"
            f" random_state={SPLIT_SEED})`; the paper states no split). *Published* rows are"
            " the paper's own figures. All models of a table are tested on the same rows.",
            ROWS,
            _errors(columns),
            "**Against the paper's network as reproduced**, in points (p of the corrected"
            f" resampled t-test; bold where p < {SIGNIFICANT}):",
            _differences(columns, "network"),
            "**Against the paper's snapped rules as reproduced:**",
            _differences(columns, "snapped", only=(*OURS.values(), "majority")),
            "**Have the rules learned something?** Rules that predict a single class have not,"
            " and where two scores are equal the order of the classes decides:",
            _rules(columns),
            verdict(documents),
        ]
    )


def _folds(columns: Sequence[Column]) -> int:
    return min(len(column.errors["network"]) for column in columns)


def _errors(columns: Sequence[Column]) -> str:
    lines = []
    for model, title in MODELS.items():
        if model in TABLE_ONE[columns[0].table]:
            published = [TABLE_ONE[column.table][model] for column in columns]
            cells = ["-" if error is None else f"{error:.2f}" for error in published]
            lines.append([f"{title}, *published*", *cells])
        lines.append([title, *[plus_minus(column.percent(model)) for column in columns]])
    return markdown_table(["error %", *[column.table for column in columns]], lines)


def _differences(columns: Sequence[Column], base: str, only: Sequence[str] = ()) -> str:
    lines = [
        [title, *[_difference(column, model, base) for column in columns]]
        for model, title in MODELS.items()
        if model != base and (not only or model in only)
    ]
    return markdown_table(["points", *[column.table for column in columns]], lines)


def _difference(column: Column, model: str, base: str) -> str:
    points, p = column.difference(model, base)
    text = f"{points:+.2f} (p {_p(p)})"
    return f"**{text}**" if p < SIGNIFICANT else text


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"= {value:.3f}"


def _rules(columns: Sequence[Column]) -> str:
    lines = []
    for model in RULES:
        title = MODELS[model]
        ties = [f"{100 * column.tied[model] / column.rows:.1f}" for column in columns]
        single = [f"{column.constant[model]} of {_folds([column])}" for column in columns]
        sizes = [plus_minus(column.literals[model], digits=1) for column in columns]
        lines += [
            [f"{title}: rows tied, %", *ties],
            [f"{title}: folds with one class only", *single],
            [f"{title}: literals", *sizes],
        ]
    return markdown_table(["", *[column.table for column in columns]], lines)


def verdict(documents: Sequence[Document]) -> str:
    """What follows from the figures, in sentences."""
    return "\n".join(f"- {sentence}" for sentence in _sentences(collect_columns(documents)))


def _sentences(columns: Sequence[Column]) -> Iterator[str]:
    near = [c.table for c in columns if abs(_gap(c, "network")) <= 2]
    gaps = [f"{_gap(c, 'network'):+.1f} ({c.table})" for c in columns]
    yield (
        "The paper's network, reproduced, is within two points of its published error on"
        f" {_listed(near)}; the gaps are {_listed(gaps)}."
    )
    worse = [
        c.table for c in columns if fmean(c.percent("snapped")) > fmean(c.percent("network"))
    ]
    yield f"Snapping to the nearest makes it worse on {_listed(worse)}."
    for model in OURS.values():
        title = MODELS[model].capitalize()
        gaps = [f"{c.difference(model, 'our network')[0]:+.2f}" for c in columns]
        yield f"{title} against our own network: {', '.join(gaps)} points."
        better = [c.table for c in columns if _better(c, model, "network")]
        lost = [c.table for c in columns if _better(c, "network", model)]
        yield (
            f"{title} are significantly better than the paper's soft network on"
            f" {_listed(better)}, and significantly worse on {_listed(lost)}."
        )


def _gap(column: Column, model: str) -> float:
    return fmean(column.percent(model)) - float(TABLE_ONE[column.table][model] or 0)


def _better(column: Column, model: str, other: str) -> bool:
    points, p = column.difference(model, other)
    return points < 0 and p < SIGNIFICANT


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words) if words else "none"
