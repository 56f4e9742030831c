"""What is measured on one fold: the rules and the other learners, one after another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from crisplogic import LogicRegressor
from crisplogic.rules import RuleSet
from experiments.harness.processes import one_thread
from experiments.harness.store import Document
from experiments.harness.tasks import Task
from experiments.regression.learners import (
    PEERS,
    Score,
    describe,
    describe_ebm,
    fit_seconds,
    limit_leaves,
    make_boosting,
    make_ebm,
    make_rules,
    score,
    score_on_test,
)
from experiments.regression.tables import SPLIT_SEED, SPLITS, Fold, Table, fold_of, table

SMALL_LIMIT = 12
TREE_LEAVES = "as many as the rules have literals, at least 2"


@dataclass(frozen=True)
class Figures:
    """The figures of a fold.

    ``scores`` and ``seconds`` are by learner. "small" are the best rules of at most
    ``SMALL_LIMIT`` literals and "network" is the soft network: both come with the fit of the
    rules. "noiseless" is the target without its noise, where it is known. ``text`` is the
    rules in print.
    """

    scores: Mapping[str, Score]
    seconds: Mapping[str, float]
    literals: int
    small_literals: int
    text: str


@dataclass(frozen=True)
class RulesTask:
    """The rules, with their complete settings, and their peers on one fold of a table."""

    table: str
    fold: int
    settings: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name under which the figures are stored."""
        return f"folds/{self.table}/{self.fold}"

    def question(self) -> Document:
        """What stored figures must agree with; the seed is the number of the fold."""
        return {
            **_where(self.table, self.fold),
            "settings": dict(self.settings),
            "small_limit": SMALL_LIMIT,
            "peers": {name: describe(make(self.fold)) for name, make in PEERS.items()},
            "tree_leaves": TREE_LEAVES,
        }

    def perform(self) -> Document:
        """Measure in one thread."""
        found = table(self.table)
        with one_thread():
            rules = LogicRegressor(**self.settings)
            return asdict(measure(found, fold_of(found, self.fold), rules, self.fold))

    def line(self, figures: Document) -> str:
        """R² and seconds."""
        scores = figures["scores"]
        return (
            f"{self.table}, fold {self.fold}: R² of rules {scores['rules']['r2']:.3f}"
            f" ({figures['literals']} literals), of boosting {scores['boosting']['r2']:.3f},"
            f" {sum(figures['seconds'].values()):.1f} s"
        )


@dataclass(frozen=True)
class EbmTask:
    """An explainable boosting machine on one fold, with gradient boosting for its time."""

    table: str
    fold: int

    @property
    def name(self) -> str:
        """The name under which the figures are stored."""
        return f"ebm/{self.table}/{self.fold}"

    def question(self) -> Document:
        """What stored figures must agree with; the seed is the number of the fold."""
        peers = {"EBM": describe_ebm(self.fold), "boosting": describe(make_boosting(self.fold))}
        return {**_where(self.table, self.fold), "peers": peers}

    def perform(self) -> Document:
        """Measure in one thread."""
        fold = fold_of(table(self.table), self.fold)
        with one_thread():
            peer = make_ebm(self.fold)
            seconds = {
                "EBM": fit_seconds(peer, fold),
                "boosting": fit_seconds(make_boosting(self.fold), fold),
            }
            return {"scores": {"EBM": asdict(score_on_test(peer, fold))}, "seconds": seconds}

    def line(self, figures: Document) -> str:
        """R² and seconds."""
        return (
            f"{self.table}, fold {self.fold}: R² of EBM {figures['scores']['EBM']['r2']:.3f},"
            f" {figures['seconds']['EBM']:.1f} s"
        )


def tasks_for(tables: Sequence[str], folds: int, ebm: bool) -> list[Task]:
    """The first fold of each table, then the second of each and so on; all of EBM at the end.

    In this order the time left is known early, and a run that is stopped has something
    about every table.
    """
    where = [(table, fold) for fold in range(folds) for table in tables]
    rules: list[Task] = [rules_task(table, fold) for table, fold in where]
    return [*rules, *[EbmTask(table, fold) for table, fold in where if ebm]]


def rules_task(table: str, fold: int) -> RulesTask:
    """The task for a regressor with the default settings."""
    return RulesTask(table, fold, make_rules(fold).get_params())


def measure(table: Table, fold: Fold, rules: LogicRegressor, seed: int) -> Figures:
    """Fit all learners to the same training rows and score them on the same test rows."""
    seconds = {"rules": fit_seconds(rules, fold)}
    small = rules.rules_at(SMALL_LIMIT)
    scores = {
        "rules": score_on_test(rules, fold),
        "small": score_on_test(small, fold),
        "network": score_on_test(rules.set_params(predict_with="network"), fold),
    }
    for name, make in PEERS.items():
        peer = make(seed)
        if name == "tree":
            limit_leaves(peer, rules.rules_.size)
        seconds[name] = fit_seconds(peer, fold)
        scores[name] = score_on_test(peer, fold)
    if fold.test.noiseless is not None:
        scores["noiseless"] = score(fold.test.noiseless, fold.test.y)
    text = str(_named(rules.rules_, table))
    return Figures(scores, seconds, rules.rules_.size, small.size, text)


def _where(table: str, fold: int) -> Document:
    return {
        "table": table,
        "fold": fold,
        "seed": fold,
        "splits": SPLITS,
        "split_seed": SPLIT_SEED,
    }


def _named(rules: RuleSet, table: Table) -> RuleSet:
    """The rules with the column names of the table: they were learned from an array."""
    columns = dict(zip(rules.features, table.columns, strict=True))
    return rules.rename(columns, {rules.labels[0]: table.target})
