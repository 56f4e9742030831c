"""The command line: ``python -m experiments.ablation``."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from crisplogic import LogicClassifier
from crisplogic.files import atomic_writer
from experiments.ablation.tables import NAMES, table
from experiments.rules_table.origin import Origin, here, now
from experiments.rules_table.pool import worker_processes
from experiments.rules_table.progress import progress
from experiments.rules_table.store import Document, Store
from experiments.rules_table.threads import one_thread

RESULTS = Path(__file__).parents[1] / "results" / "ablation"
SPLITS = 5

# What is changed, in words and in parameters. One thing at a time.
VARIANTS: dict[str, Mapping[str, Any]] = {
    "default": {},
    "rounded to the nearest, as in the paper": {"snapping": "nearest"},
    "trained through the snap, not polished": {"snapping": "unpolished"},
    "no bound on size": {"max_literals": None},
    "largest rules, no held-out rows asked": {"folds": 0},
    "one restart": {"restarts": 1},
    "one membership a column": {"memberships": 1},
    "the paper's linear memberships": {"memberships": "linear"},
    "pure: no intercepts, no scale": {"pure": True},
    "three times the price of a literal": {"literal_price": 7e-4 * 3},
    "a twentieth of the L1 price": {"l1": 1e-4},
    "two levels of logic": {"depth": 2},
}


@dataclass(frozen=True)
class Task:
    """A variant on one fold of a table."""

    variant: str
    table: str
    fold: int

    @property
    def name(self) -> str:
        """The name under which the result is stored."""
        return f"folds/{self.table}/{self.fold}-{list(VARIANTS).index(self.variant):02d}"


@dataclass(frozen=True)
class Figures:
    """Errors on the rows of the fold, literals in all rules, seconds of the fit."""

    rules_error: float
    network_error: float
    literals: int
    seconds: float


def perform(task: Task) -> Figures:
    """Fit and judge, in one thread; the seed is the number of the fold."""
    data = table(task.table)
    folds = StratifiedKFold(SPLITS, shuffle=True, random_state=0).split(data.X, data.y)
    train, test = list(folds)[task.fold]
    clf = LogicClassifier(random_state=task.fold, **VARIANTS[task.variant])
    with one_thread():
        started = time.perf_counter()
        clf.fit(data.X[train], data.y[train])
        seconds = time.perf_counter() - started
        by_rules = clf.predict(data.X[test])
        by_network = clf.set_params(predict_with="network").predict(data.X[test])
    return Figures(
        rules_error=float(np.mean(by_rules != data.y[test])),
        network_error=float(np.mean(by_network != data.y[test])),
        literals=clf.rules_.size,
        seconds=seconds,
    )


def question_of(task: Task) -> Document:
    """What a stored result must agree with; changed defaults are another question."""
    settings = LogicClassifier(random_state=task.fold, **VARIANTS[task.variant]).get_params()
    return {**asdict(task), "settings": settings}


def measured(
    tasks: Sequence[Task], store: Store, origin: Origin, workers: int
) -> dict[Task, Figures]:
    """Stored results as they are, all others measured now and stored at once."""
    stored = {task: store.read(task.name, question_of(task)) for task in tasks}
    known = {task: Figures(**found["figures"]) for task, found in stored.items() if found}
    missing = [task for task in tasks if task not in known]
    with worker_processes(workers) as executor, progress("fit", len(missing)) as on_step:
        futures = {executor.submit(perform, task): task for task in missing}
        for future in as_completed(futures):
            task, figures = futures[future], future.result()
            document = {**question_of(task), "date": now(), **asdict(origin)}
            store.write(task.name, {**document, "figures": asdict(figures)})
            known[task] = figures
            on_step(f"{task.variant}, {task.table}: rules {figures.rules_error:.1%}")
    return known


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
    versions = ", ".join(f"{name} {number}" for name, number in origin.versions.items())
    where = f"{origin.processor}, {origin.cores} cores; {versions}"
    return "\n".join([*lines, "", f"`{origin.command}`, {date}; {where}.", ""])


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


def main(arguments: Sequence[str]) -> None:
    """Run the experiment; a run that was stopped goes on where it stopped."""
    parser = argparse.ArgumentParser(prog="python -m experiments.ablation")
    parser.add_argument("--folds", type=int, default=2, choices=range(1, SPLITS + 1))
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--again", action="store_true", help="measure anew what is stored")
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="FOLDER")
    options = parser.parse_args(arguments)
    store = Store(options.output)
    tasks = [
        Task(variant, name, fold)
        for fold in range(options.folds)
        for variant in VARIANTS
        for name in NAMES
    ]
    if options.again:
        store.forget(task.name for task in tasks)
    origin = replace(here(arguments), command=" ".join([parser.prog, *arguments]))
    figures = measured(tasks, store, origin, options.workers)
    page = to_markdown({task: figures[task] for task in tasks}, origin, now())
    with atomic_writer(options.output / "ablation.md") as file:
        file.write(page)
    print(page)


if __name__ == "__main__":
    main(sys.argv[1:])
