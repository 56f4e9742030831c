"""The variants, and what is measured of each on one fold."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sklearn.model_selection import StratifiedKFold

from crisplogic import LogicClassifier
from experiments.ablation.tables import NAMES, table
from experiments.harness.evaluation import error_of
from experiments.harness.processes import one_thread
from experiments.harness.store import Document

SPLITS = 5

# Crisp rules are searched without the network, so that its training changes nothing of them.
BASE: Mapping[str, Any] = {"literals": "graded"}
# What is changed, in words and as parameters. One thing at a time.
VARIANTS: dict[str, Mapping[str, Any]] = {
    "graded rules": {},
    "rounded to the nearest, as in the paper": {"snapping": "nearest"},
    "trained through the rounding, not searched": {"snapping": "straight_through"},
    "no bound on size": {"max_literals": None},
    "largest rules, chosen without held-out rows": {"folds": 0},
    "smallest rules within one standard error": {"tolerance": 1.0},
    "sixty epochs at a learning rate of 0.02": {"epochs": 60, "learning_rate": 0.02},
    "one restart": {"restarts": 1},
    "one membership a column": {"memberships": 1},
    "the paper's linear memberships": {"memberships": "linear"},
    "pure: no intercepts, no scale": {"pure": True},
    "three times the literal penalty": {"literal_penalty": 7e-4 * 3},
    "a twentieth of the L1 penalty": {"l1": 1e-4},
    "two levels of logic": {"depth": 2},
    "crisp rules, the default": {"literals": "crisp"},
}


@dataclass(frozen=True)
class VariantTask:
    """A variant on one fold of a table."""

    variant: str
    table: str
    fold: int

    @property
    def name(self) -> str:
        """The name under which the result is stored."""
        return f"folds/{self.table}/{self.fold}-{list(VARIANTS).index(self.variant):02d}"

    def question(self) -> Document:
        """What a stored result must agree with, today's defaults included."""
        return {**asdict(self), "settings": self._classifier().get_params()}

    def perform(self) -> Document:
        """Errors on the test rows, literals in all rules and seconds of the fit.

        Everything runs in one thread; the seed is the number of the fold.
        """
        data = table(self.table)
        folds = StratifiedKFold(SPLITS, shuffle=True, random_state=0).split(data.X, data.y)
        train, test = list(folds)[self.fold]
        clf = self._classifier()
        with one_thread():
            started = time.perf_counter()
            clf.fit(data.X[train], data.y[train])
            seconds = time.perf_counter() - started
            by_rules = clf.predict(data.X[test])
            by_network = clf.set_params(predict_with="network").predict(data.X[test])
        return {
            "rules_error": error_of(by_rules, data.y[test]),
            "network_error": error_of(by_network, data.y[test]),
            "literals": clf.rules_.size,
            "seconds": seconds,
        }

    def line(self, figures: Document) -> str:
        """The error."""
        return f"{self.variant}, {self.table}: rules {figures['rules_error']:.1%}"

    def _classifier(self) -> LogicClassifier:
        return LogicClassifier(random_state=self.fold, **{**BASE, **VARIANTS[self.variant]})


def tasks_for(folds: int) -> list[VariantTask]:
    """All variants on the first fold of each table, then on the second and so on."""
    return [
        VariantTask(variant, name, fold)
        for fold in range(folds)
        for variant in VARIANTS
        for name in NAMES
    ]
