"""The paper's two levels through our path: trained through the rounding, then searched."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from crisplogic import LogicClassifier
from crisplogic.datasets import load
from experiments.harness.evaluation import error_of, splits
from experiments.harness.pages import markdown_table
from experiments.harness.processes import one_thread
from experiments.harness.store import Document
from experiments.harness.tasks import Task
from experiments.reproduction.published import TABLE_ONE
from experiments.reproduction.scale import QUICK_SETTINGS, Scale
from experiments.reproduction.table_one import paper_tasks

# The first folds of those that the other models of Table I are tested on.
FOLDS = 2
# What differs from LogicClassifier's defaults, in all rows and by the title of a row.
SETTINGS: dict[str, Any] = {"literals": "graded", "depth": 2, "epochs": 30}
MODELS: dict[str, dict[str, Any]] = {
    "its topology, trained through the rounding and searched": {"memberships": "linear"},
    "two levels that see the columns, likewise": {},
}
TEXT = """How good are rules of the paper's ten layers, if these are trained through the
rounding, and the rules searched? The rows *its topology* are
`LogicClassifier(literals="graded", depth=2, epochs=30, memberships="linear")`: the paper's
memberships and topology, width 8, at most 60 literals. The last rows leave memberships at
their default: then thresholds are learned, and both levels see the columns. Mean error %
(literals) of the first {folds} of the folds above; *network* is that of the same fit before
the rounding."""


@dataclass(frozen=True)
class DeepTask:
    """A fit of two levels to one fold of a table; the number of the fold is the seed."""

    model: str
    table: str
    fold: int
    settings: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name under which the figures are stored."""
        kind = "paper" if self.settings["memberships"] == "linear" else "columns"
        return f"depth-two/{kind}/{self.table}/{self.fold:02d}"

    def question(self) -> Document:
        """What stored figures must agree with."""
        return {
            "model": self.model,
            "table": self.table,
            "fold": self.fold,
            "seed": self.fold,
            "settings": dict(self.settings),
        }

    def perform(self) -> Document:
        """Fit in one thread and test on the test rows of the fold."""
        table = load(self.table)
        split = splits(table)[self.fold]
        train, test = split.train, split.test
        clf = LogicClassifier(**self.settings)
        with one_thread(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # rules without literals and the like
            started = time.perf_counter()
            clf.fit(table.X[train], table.y[train])
            seconds = time.perf_counter() - started
            by_rules = clf.predict(table.X[test])
            by_network = clf.set_params(predict_with="network").predict(table.X[test])
        return {
            "rules_error": error_of(by_rules, table.y[test]),
            "network_error": error_of(by_network, table.y[test]),
            "literals": clf.rules_.size,
            "seconds": seconds,
        }

    def line(self, figures: Document) -> str:
        """Errors, size and time."""
        return (
            f"{self.name}: network {figures['network_error']:.1%}, rules"
            f" {figures['rules_error']:.1%}, {figures['literals']} literals,"
            f" {figures['seconds']:.0f} s"
        )


def tasks(scale: Scale) -> list[Task]:
    """The paper's network as Table I has it, and both models fold by fold."""
    return [*paper_tasks(scale), *deep_tasks(scale)]


def deep_tasks(scale: Scale) -> list[DeepTask]:
    """The first fold of each table, then the second."""
    changes = {**SETTINGS, **(QUICK_SETTINGS if scale.quick else {})}
    return [
        DeepTask(model, table, fold, _settings(fold, {**changes, **own}))
        for fold in range(min(FOLDS, scale.folds))
        for table in scale.tables
        for model, own in MODELS.items()
    ]


def _settings(fold: int, changes: Mapping[str, Any]) -> dict[str, Any]:
    settings: dict[str, Any] = LogicClassifier(random_state=fold, **changes).get_params()
    return settings


def section(documents: Sequence[Document]) -> str:
    """The section, from what is stored."""
    tables = list(dict.fromkeys(document["table"] for document in documents))
    folds = 1 + max(document["fold"] for document in documents if "fold" in document)
    lines = [
        ["the paper's rules, *published*", *[_published(table) for table in tables]],
        ["the paper's rules, reproduced", *[_snapped(documents, t, folds) for t in tables]],
    ]
    for model in MODELS:
        found = [_of(documents, model, table) for table in tables]
        lines.append([f"{model}: network", *[_mean(each, "network_error") for each in found]])
        lines.append([f"{model}: rules", *[_rules(each) for each in found]])
    return "\n\n".join(
        [
            "## Two levels, trained through the rounding",
            TEXT.format(folds=folds),
            markdown_table(["error %", *tables], lines),
            verdict(documents),
        ]
    )


def verdict(documents: Sequence[Document]) -> str:
    """How far rules are from their network, and from the paper's rounding."""
    tables = list(dict.fromkeys(document["table"] for document in documents))
    sentences = []
    for model in MODELS:
        gaps, gains = [], []
        for table in tables:
            found = _of(documents, model, table)
            rules, network = (_errors(found, f"{what}_error") for what in ("rules", "network"))
            snapped = _errors(_paper_folds(documents, table)[: len(found)], "snapped_error")
            gaps.append(f"{fmean(rules) - fmean(network):+.1f}")
            gains.append(f"{fmean(rules) - fmean(snapped):+.1f}")
        sentences.append(
            f"- Depth 2, *{model}*: rules differ from their network by {', '.join(gaps)}"
            f" points ({', '.join(tables)}), from the paper's rounding by {', '.join(gains)}."
        )
    return "\n".join(sentences)


def _of(documents: Sequence[Document], model: str, table: str) -> list[Document]:
    """The figures of a model, fold by fold."""
    return [
        document["figures"]
        for document in documents
        if (document["model"], document["table"]) == (model, table)
    ]


def _paper_folds(documents: Sequence[Document], table: str) -> list[Document]:
    (found,) = _of(documents, "paper", table)
    folds: list[Document] = found["folds"]
    return folds


def _published(table: str) -> str:
    error = TABLE_ONE[table]["snapped"]
    return "-" if error is None else f"{error:.1f}"


def _snapped(documents: Sequence[Document], table: str, folds: int) -> str:
    found = _paper_folds(documents, table)[:folds]
    literals = fmean(fold["snapped_literals"] for fold in found)
    return f"{_mean(found, 'snapped_error')} ({literals:.0f})"


def _rules(figures: Sequence[Document]) -> str:
    return (
        f"{_mean(figures, 'rules_error')} ({fmean(fold['literals'] for fold in figures):.0f})"
    )


def _mean(figures: Sequence[Document], what: str) -> str:
    return f"{fmean(_errors(figures, what)):.1f}"


def _errors(figures: Sequence[Document], what: str) -> list[float]:
    """In percent."""
    return [100 * fold[what] for fold in figures]
