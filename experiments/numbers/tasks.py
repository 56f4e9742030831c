"""What is measured on one fold: the rules and their peers, one after another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from crisplogic import LogicRegressor
from crisplogic.rules import RuleSet
from experiments.harness.store import Document
from experiments.harness.threads import one_thread
from experiments.numbers.folds import SPLIT_SEED, SPLITS, Fold, fold_of
from experiments.numbers.judging import Score, fit_seconds, judged, score
from experiments.numbers.peers import (
    PEERS,
    additive,
    asked,
    asked_of_additive,
    boosting,
    cut_to_size,
)
from experiments.numbers.tables import Table, table

SMALL_LIMIT = 12
TREE_LEAVES = "as many as the rules have literals, at least 2"


@dataclass(frozen=True)
class Figures:
    """What was measured on a fold.

    ``scores`` and ``seconds`` are by learner; "small" are the best rules of at most
    ``SMALL_LIMIT`` literals, "network" is the soft network: both come with the fit of the
    rules. "noiseless" is the truth, which nothing can beat but by luck, where it is known.
    ``text`` and ``legend`` are the rules in print.
    """

    scores: Mapping[str, Score]
    seconds: Mapping[str, float]
    literals: int
    small_literals: int
    text: str
    legend: str


@dataclass(frozen=True)
class RulesTask:
    """Rules and peers on one fold of a table, and the complete settings of the rules."""

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
            "peers": {name: asked(make(self.fold)) for name, make in PEERS.items()},
            "tree_leaves": TREE_LEAVES,
        }

    def perform(self) -> Document:
        """Measure in one thread."""
        found = table(self.table)
        with one_thread():
            rules = LogicRegressor(**self.settings)
            return asdict(measure(found, fold_of(found, self.fold), rules, self.fold))

    def line(self, figures: Document) -> str:
        """R² and seconds, for whoever waits."""
        scores = figures["scores"]
        return (
            f"{self.table}, fold {self.fold}: R² of rules {scores['rules']['r2']:.3f}"
            f" ({figures['literals']} literals), of boosting {scores['boosting']['r2']:.3f},"
            f" {sum(figures['seconds'].values()):.1f} s"
        )


@dataclass(frozen=True)
class AdditiveTask:
    """An explainable boosting machine on one fold, with gradient boosting for its time."""

    table: str
    fold: int

    @property
    def name(self) -> str:
        """The name under which the figures are stored."""
        return f"ebm/{self.table}/{self.fold}"

    def question(self) -> Document:
        """What stored figures must agree with; the seed is the number of the fold."""
        peers = {"EBM": asked_of_additive(self.fold), "boosting": asked(boosting(self.fold))}
        return {**_where(self.table, self.fold), "peers": peers}

    def perform(self) -> Document:
        """Measure in one thread."""
        fold = fold_of(table(self.table), self.fold)
        with one_thread():
            peer = additive(self.fold)
            seconds = {
                "EBM": fit_seconds(peer, fold),
                "boosting": fit_seconds(boosting(self.fold), fold),
            }
            return {"scores": {"EBM": asdict(judged(peer, fold))}, "seconds": seconds}

    def line(self, figures: Document) -> str:
        """R² and seconds, for whoever waits."""
        return (
            f"{self.table}, fold {self.fold}: R² of EBM {figures['scores']['EBM']['r2']:.3f},"
            f" {figures['seconds']['EBM']:.1f} s"
        )


def rules_task(table: str, fold: int) -> RulesTask:
    """The task for a regressor with the default settings."""
    return RulesTask(table, fold, LogicRegressor(random_state=fold).get_params())


def measure(table: Table, fold: Fold, rules: LogicRegressor, seed: int) -> Figures:
    """Fit everyone to the same rows and judge on the same others."""
    seconds = {"rules": fit_seconds(rules, fold)}
    small = rules.rules_at(SMALL_LIMIT)
    scores = {
        "rules": judged(rules, fold),
        "small": judged(small, fold),
        "network": judged(rules.set_params(predict_with="network"), fold),
    }
    for name, make in PEERS.items():
        peer = make(seed)
        if name == "tree":
            cut_to_size(peer, rules.rules_.size)
        seconds[name] = fit_seconds(peer, fold)
        scores[name] = judged(peer, fold)
    if fold.test.noiseless is not None:
        scores["noiseless"] = score(fold.test.noiseless, fold.test.y)
    spoken = _spoken(rules.rules_, table)
    return Figures(
        scores, seconds, rules.rules_.size, small.size, spoken.to_text(), spoken.legend()
    )


def _where(table: str, fold: int) -> Document:
    return {
        "table": table,
        "fold": fold,
        "seed": fold,
        "splits": SPLITS,
        "split_seed": SPLIT_SEED,
    }


def _spoken(rules: RuleSet, table: Table) -> RuleSet:
    """Rules in the words of the table: they were learned from a mere array."""
    columns = dict(zip(rules.features, table.columns, strict=True))
    return rules.rename(columns, {rules.labels[0]: table.number})
