"""What is measured: one fit to a problem, to an expression or to a fold of a table."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from crisplogic import LogicClassifier
from crisplogic.expr import Expr, to_text
from experiments.deep.problems import PROBLEMS, SETTINGS, Problem, draw, succeeds
from experiments.deep.tables import SPLIT_SEED, SPLITS, TIC_TAC_TOE, Table, split_of, table
from experiments.harness.evaluation import Split, error_of
from experiments.harness.processes import one_thread
from experiments.harness.store import Document
from experiments.harness.tasks import Task
from experiments.reproduction.expression_networks import draw as draw_expressions
from experiments.reproduction.expressions import REPEATS, VARIABLES, learn

SEEDS = 100
# As many expressions of each number of variables as docs/reproduction.md has.
EXPRESSIONS = 40
Depth = int | str
DEPTHS: tuple[Depth, ...] = (1, "auto", 2)


@dataclass(frozen=True)
class ProblemTask:
    """A fit to rows of a problem; the seed draws the rows and is the classifier's, too."""

    problem: str
    noise: float
    seed: int
    settings: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name under which the figures are stored."""
        return f"problems/{self.problem}/noise-{self.noise:g}/{self.seed:02d}"

    def question(self) -> Document:
        """What stored figures must agree with."""
        return {
            "part": "problems",
            "problem": self.problem,
            "formula": PROBLEMS[self.problem].formula,
            "noise": self.noise,
            "seed": self.seed,
            "settings": dict(self.settings),
        }

    def perform(self) -> Document:
        """Fit in one thread."""
        clf = LogicClassifier(**self.settings)
        with one_thread(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # rules without literals and the like
            return measure_problem(PROBLEMS[self.problem], self.noise, self.seed, clf)

    def line(self, figures: Document) -> str:
        """Whether the rules are right."""
        problem = PROBLEMS[self.problem]
        success = succeeds(problem, figures["error"], figures["literals"])
        return (
            f"{self.name}: {'success' if success else 'no success'},"
            f" {figures['error']:.1%} wrong, {figures['literals']} literals"
        )


@dataclass(frozen=True)
class ExpressionTask:
    """A fit to one of the random expressions of the reproduction; its number is the seed."""

    variables: int
    number: int
    settings: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name under which the figures are stored."""
        return f"expressions/{self.variables}/{self.number:02d}"

    def question(self) -> Document:
        """What stored figures must agree with."""
        expr = _expressions(self.variables)[self.number]
        return {
            "part": "expressions",
            "variables": self.variables,
            "number": self.number,
            "drawn": to_text(expr),
            "repeats": REPEATS,
            "settings": dict(self.settings),
        }

    def perform(self) -> Document:
        """Fit in one thread."""
        expr = _expressions(self.variables)[self.number]
        with one_thread(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return learn(expr, self.variables, LogicClassifier(**self.settings))

    def line(self, figures: Document) -> str:
        """Whether the chosen rules are right."""
        right = "right" if figures["right"] else "wrong"
        return f"{self.name}: {right}, {figures['literals']} literals"


@dataclass(frozen=True)
class TableTask:
    """A fit to one fold of a table at a depth; the number of the fold is the seed."""

    table: str
    fold: int
    settings: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name under which the figures are stored."""
        return f"tables/{self.table}/{self.fold}/depth-{self.settings['depth']}"

    def question(self) -> Document:
        """What stored figures must agree with."""
        return {
            "part": "tables",
            "table": self.table,
            "fold": self.fold,
            "splits": SPLITS,
            "split_seed": SPLIT_SEED,
            "settings": dict(self.settings),
        }

    def perform(self) -> Document:
        """Fit in one thread."""
        found = table(self.table)
        clf = LogicClassifier(**self.settings)
        with one_thread(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return measure_table(found, split_of(found, self.fold), clf)

    def line(self, figures: Document) -> str:
        """Error, size and time."""
        return (
            f"{self.name}: {figures['error']:.1%}, {figures['literals']} literals,"
            f" {figures['seconds']:.1f} s"
        )


def measure_problem(
    problem: Problem, noise: float, seed: int, clf: LogicClassifier
) -> Document:
    """The error on the known truth, free of noise, literals and processor seconds."""
    drawn, labels = draw(problem, noise, seed)
    seconds = _fit_seconds(clf, drawn.X, labels)
    return {
        "error": error_of(clf.predict(drawn.known), drawn.known_truth),
        "literals": clf.rules_.size,
        "seconds": seconds,
    }


def measure_table(table: Table, split: Split, clf: LogicClassifier) -> Document:
    """Errors of rules and network on the test rows, literals and processor seconds."""
    train, test = table.take(split.train), table.take(split.test)
    seconds = _fit_seconds(clf, train.X, train.y)
    by_rules = clf.predict(test.X)
    by_network = clf.set_params(predict_with="network").predict(test.X)
    return {
        "error": error_of(by_rules, test.y),
        "network_error": error_of(by_network, test.y),
        "literals": clf.rules_.size,
        "seconds": seconds,
    }


def logic_tasks(seeds: int) -> list[Task]:
    """Problems, expressions and end games, at most so many of each, taking turns."""
    tasks: list[Task] = []
    for seed in range(seeds):
        settings = LogicClassifier(random_state=seed).get_params()
        tasks += [ProblemTask(each.problem, each.noise, seed, settings) for each in SETTINGS]
        if seed < EXPRESSIONS:
            tasks += [ExpressionTask(number, seed, settings) for number in VARIABLES]
        if seed < SPLITS:
            tasks.append(TableTask(TIC_TAC_TOE, seed, settings))
    return tasks


def table_tasks(tables: Sequence[str], folds: int) -> list[Task]:
    """The first fold of each table at each depth, then the second of each and so on."""
    return [
        table_task(name, fold, depth)
        for fold in range(folds)
        for name in tables
        for depth in DEPTHS
    ]


def table_task(name: str, fold: int, depth: Depth) -> TableTask:
    """The task with default settings but for the depth."""
    clf = LogicClassifier(random_state=fold).set_params(depth=depth)
    return TableTask(name, fold, clf.get_params())


@lru_cache
def _expressions(variables: int) -> list[Expr]:
    return draw_expressions(variables, EXPRESSIONS)


def _fit_seconds(clf: LogicClassifier, X: Any, y: Any) -> float:
    """Of the processor, which do not depend on what else the machine does."""
    started = time.process_time()
    clf.fit(X, y)
    return time.process_time() - started
