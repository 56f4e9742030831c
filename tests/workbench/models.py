"""A bench with rules and rows that every test of the workbench knows."""

from __future__ import annotations

import numpy as np

from crisplogic.expr import parse
from crisplogic.rules import ClassificationRules, Level, RegressionRules, Rule, RuleSet, Step
from crisplogic.tables import TRUTH, Levels
from crisplogic.workbench import Bench, Rows, Session

NAMES = ("age", "glucose", "colour", "smoker")
LEVELS = (None, None, Levels(("red", "blue", "green")), TRUTH)
RANGES = ((20.0, 80.0), (60.0, 200.0), None, None)
INPUTS = (Step(0, 40.0), Step(1, 127.0), Level(2, 0, "red"))


def table(rows: int = 300) -> np.ndarray:
    """Rows as rules read them, some values missing."""
    rng = np.random.default_rng(0)
    found = np.stack(
        [
            rng.integers(20, 81, rows),
            rng.normal(125, 30, rows).round(),
            rng.integers(0, 3, rows),
            rng.integers(0, 2, rows),
        ],
        axis=1,
    ).astype(float)
    found[rng.random(found.shape) < 0.05] = np.nan
    return found


def classes(needed: int = 2) -> ClassificationRules:
    both = Rule("ill", parse("0 + 1 + 2")), Rule("well", parse("unknown"))
    intercepts = (3 - 2 * needed + 0.5, 0.0)
    return ClassificationRules(NAMES, INPUTS, both, 1.0, intercepts, LEVELS, RANGES, crisp=True)


def number() -> RegressionRules:
    rule = (Rule("price", parse("0 + 1")),)
    return RegressionRules(NAMES, INPUTS, rule, 5.0, (20.0,), LEVELS, RANGES, crisp=True)


def bench(rules: RuleSet | None = None) -> Bench:
    rules = rules or classes()
    matrix = table()
    if rules.predicts == "number":
        y = np.nan_to_num(10 + 0.1 * matrix[:, 1])
    else:
        y = np.where((matrix[:, 0] > 45) | (matrix[:, 1] > 140), "ill", "well")
    return Bench(Session.start(rules), Rows.split(matrix, y, 0.3))
