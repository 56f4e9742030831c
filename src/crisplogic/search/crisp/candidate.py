"""Candidate: rules of a size on their way from the search to a frontier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from crisplogic.rules import ClassificationRules, RuleSet
from crisplogic.rules.decision import EVEN, log_odds
from crisplogic.rules.rule import Label
from crisplogic.search.crisp.convert import (
    intercepts_of,
    rules_from_statements,
    tie_probability,
)
from crisplogic.search.crisp.objective import Scored
from crisplogic.search.crisp.statement import UNKNOWN, size_of
from crisplogic.search.crisp.values import StatementValues
from crisplogic.search.tasks import Task
from crisplogic.search.training_set import TrainingSet

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Candidate:
    """Statements with points, and their ``loss`` on the rows that they are fitted to.

    They become rules when these are asked for. Most candidates are those of folds, which only
    have to predict. ``simple`` are shorter rules that decide alike, if there are such.
    """

    scored: Scored
    loss: float
    features: Sequence[str]
    labels: Sequence[Label]
    task: Task
    simple: ClassificationRules | None = None

    @cached_property
    def rules(self) -> RuleSet:
        """The rules."""
        if self.simple is not None:
            return self.simple
        return rules_from_statements(self.scored, self.features, self.labels, self.task)

    @cached_property
    def size(self) -> int:
        """How many literals the rules have: those of statements that have points."""
        if self.simple is not None:
            return self.simple.size
        has_points = np.asarray(self.scored.points.any(axis=1))
        scored = zip(self.scored.statements, has_points, strict=True)
        return size_of([statement for statement, counts in scored if counts])

    def logits(self, test: TrainingSet, values: StatementValues) -> Floats:
        """What is predicted of other rows, of which the values of statements are known.

        Shape: (outputs, rows).
        """
        if self.simple is not None:
            return np.ascontiguousarray(self.simple.logits(self.simple.scores(test.X)).T)
        scored, scale = self.scored, self.scored.scale
        of_number = self.task.rule_type is not ClassificationRules
        sums = np.zeros((len(self.labels), len(test)))
        for statement, points in zip(scored.statements, scored.points, strict=True):
            sums += points[:, None] * (values.of(statement) - float(UNKNOWN))  # -1, 0 or 1
        intercepts = np.array(intercepts_of(scored, self.task))[:, None]
        if of_number:
            return np.asarray(scale * sums + intercepts)
        logits = scale * (sums + intercepts)
        tie = tie_probability(scored.tie)
        if len(self.labels) == 2 and tie != EVEN:
            logits[self.task.positive] += log_odds(tie)
        return np.asarray(logits)
