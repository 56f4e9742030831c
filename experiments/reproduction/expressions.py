"""Section III-A at the next size: networks that learn random expressions of two levels.

The paper's claim about *simple boolean logical expressions* is tested on
``(a op b) op (c op d)`` with the paper's own topology, which can hold each of them exactly:
two hidden units for the pairs, and one operator over these.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
import torch

from crisplogic import LogicClassifier
from crisplogic.expr import Expr, Not, Xor, evaluate, to_text
from crisplogic.training import PAPER_CONFIG
from experiments.harness.pages import BLUE, GREEN, ORANGE
from experiments.harness.processes import one_thread
from experiments.harness.store import Document
from experiments.reproduction.expression_networks import (
    ExpressionNetworks,
    draw,
    patterns,
    train,
)
from experiments.reproduction.scale import Scale

EQUATIONS = (1, 2, 3)
VARIABLES = (3, 4, 5, 6)
# Our usual width, and as few hidden units as an expression needs.
WIDTHS = (8, 2)
DEPTHS = (1, 2)
# How often each pattern stands in the table that LogicClassifier learns from.
REPEATS = 8
# Networks are tested so often, each time after twice as many presentations.
CHECKS = 8
KINDS = ("soft", "snapped")
LINES = {1: (ORANGE, "--"), 2: (BLUE, "-"), 3: (GREEN, ":")}


@dataclass(frozen=True)
class NetworkTask:
    """Networks of one equation that learn expressions, each from several starts."""

    equation: int
    variables: int
    width: int
    expressions: int
    starts: int
    presentations: int
    seed: int = 0

    @property
    def name(self) -> str:
        """The name under which the figures are stored."""
        return f"expressions/width-{self.width}/eq{self.equation}-{self.variables}"

    def question(self) -> Document:
        """What stored figures must agree with."""
        drawn = draw(self.variables, self.expressions, self.seed)
        settings = {"rate": PAPER_CONFIG.learning_rate, "l1": PAPER_CONFIG.l1}
        return {**asdict(self), **settings, "drawn": [to_text(expr) for expr in drawn]}

    def perform(self) -> Document:
        """The share of right networks, soft and rounded, as they learn."""
        rows = patterns(self.variables)
        drawn = draw(self.variables, self.expressions, self.seed)
        tables = np.array([evaluate(expr, rows) for expr in drawn])
        truth = torch.tensor(tables.repeat(self.starts, axis=0), dtype=torch.float32)
        inputs = torch.tensor(rows, dtype=torch.float32)
        size = self.variables, self.width, len(truth)
        moments = [self.presentations >> halvings for halvings in reversed(range(CHECKS))]
        with one_thread():
            networks = ExpressionNetworks(self.equation, *size, self.seed)
            checks = list(train(networks, inputs, truth, PAPER_CONFIG, moments, self.seed))
        shares = torch.tensor(checks).double().unflatten(-1, (self.expressions, -1)).mean(-1)
        figures: Document = {"presentations": moments}
        for kind, found in zip(KINDS, shares.unbind(1), strict=True):
            figures[kind] = found.mean(-1).tolist()
            figures[f"{kind}_by_expression"] = found[-1].tolist()
        return figures

    def line(self, figures: Document) -> str:
        """The shares at the end."""
        soft, snapped = (figures[kind][-1] for kind in KINDS)
        return f"{self.name}: {soft:.1%} right, rounded {snapped:.1%}"


@dataclass(frozen=True)
class RulesTask:
    """The rules of :class:`LogicClassifier` for the first of the same expressions."""

    depth: int
    variables: int
    expressions: int
    seed: int = 0

    @property
    def name(self) -> str:
        """The name under which the figures are stored."""
        return f"expressions/rules/depth-{self.depth}-{self.variables}"

    def question(self) -> Document:
        """What stored figures must agree with, today's defaults included."""
        drawn = draw(self.variables, self.expressions, self.seed)
        settings = self._classifier(None).get_params()
        seeds = list(range(self.expressions))
        return {
            **asdict(self),
            "repeats": REPEATS,
            "settings": {**settings, "random_state": seeds},
            "drawn": [to_text(expr) for expr in drawn],
        }

    def perform(self) -> Document:
        """The figures of each expression's rules; the seed of a fit is its number."""
        drawn = draw(self.variables, self.expressions, self.seed)
        with one_thread():
            found = [
                learn(expr, self.variables, self._classifier(seed))
                for seed, expr in enumerate(drawn)
            ]
        return {"rules": found}

    def line(self, figures: Document) -> str:
        """How many are right."""
        number = sum(found["right"] for found in figures["rules"])
        return f"{self.name}: {number} of {len(figures['rules'])} right"

    def _classifier(self, seed: int | None) -> LogicClassifier:
        return LogicClassifier(depth=self.depth, literals="graded", random_state=seed)


def learn(expr: Expr, variables: int, clf: LogicClassifier) -> Document:
    """Fit to every pattern, several times each: are the chosen rules right, or any others?"""
    rows = patterns(variables)
    truth = evaluate(expr, rows) > 0
    clf.fit(np.tile(rows, (REPEATS, 1)), np.tile(truth, REPEATS))
    sizes = [
        point.size
        for point in clf.frontier_
        if (clf.classes_[point.rules.scores(rows).argmax(axis=1)] == truth).all()
    ]
    return {
        "outer_xor": isinstance(expr.operand if isinstance(expr, Not) else expr, Xor),
        "right": bool((clf.predict(rows) == truth).all()),
        "literals": clf.rules_.size,
        "least_right": min(sizes, default=None),
    }


def tasks(scale: Scale) -> list[NetworkTask | RulesTask]:
    """Networks of every equation, width and number of variables, and our rules beside them."""
    expressions, starts, presentations = (4, 2, 200) if scale.quick else (40, 3, 5000)
    numbers, fitted = (VARIABLES[:2], 1) if scale.quick else (VARIABLES, 8)
    networks = [
        NetworkTask(equation, variables, width, expressions, starts, presentations)
        for width in WIDTHS
        for variables in numbers
        for equation in EQUATIONS
    ]
    rules = [RulesTask(depth, variables, fitted) for depth in DEPTHS for variables in numbers]
    return [*networks, *rules]
