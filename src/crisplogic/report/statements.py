"""Statements of rules beside rows: where each holds, how pure it is there, what it adds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crisplogic.algebra import UNKNOWN
from crisplogic.export.from_rules import exported_form
from crisplogic.export.program import GradedStatement, Greatest, Program, Sum, Threshold
from crisplogic.expr import Expr
from crisplogic.expr.walk import inputs_in
from crisplogic.rules import RegressionRules, RuleSet
from crisplogic.rules.analysis.accumulator import share, unknown_inputs
from crisplogic.rules.describe import has_words
from crisplogic.rules.markup import Listing
from crisplogic.rules.metrics import root_mean_squared_error
from crisplogic.rules.scoring import Scorer
from crisplogic.rules.targets import Targets
from crisplogic.rules.words import Words

Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]


@dataclass(frozen=True)
class StatementSummary:
    """What a statement says, what it is worth, and what it does on some rows.

    ``points`` are what each sum gets where it holds: that of a checklist, of every class, or of
    the number. It holds in ``rows`` rows, a ``share`` of all; a share of ``unknown`` lacks a
    value that it asks for. ``there`` is the share of the class ``label`` where it holds, and
    ``elsewhere`` in all other rows; of a number these are means. ``effect`` is by how much the
    error would be greater without it: percentage points, or the unit of the number. NaN is not
    known. A long statement is also there as ``lines``: how deep each stands, and its text.
    """

    text: str
    points: tuple[float, ...]
    rows: float
    share: float
    unknown: float
    label: int | None
    there: float
    elsewhere: float
    effect: float
    lines: tuple[tuple[int, str], ...] = ()


def measure_statements(
    rules: RuleSet, program: Program, matrix: Floats, targets: Targets[np.float64]
) -> tuple[StatementSummary, ...]:
    """Measure all statements of a program, in its order. Shape: ``matrix`` (rows, features)."""
    measured = _Measured(rules, program, matrix, targets)
    return tuple(measured.statement(at) for at in range(len(program.statements)))


class _Measured:
    """The values of all statements on some rows, and the sums that they make."""

    def __init__(
        self, rules: RuleSet, program: Program, matrix: Floats, targets: Targets[np.float64]
    ) -> None:
        self.rules, self.program, self.targets = rules, program, targets
        self.expressions = _expressions(rules, program)
        self.values = _values(rules, self.expressions, matrix)
        self.missing = unknown_inputs(rules.memberships, rules.used, matrix)
        self.points = [{at: points for points, at in each.terms} for each in program.sums]
        self.sums = np.array(
            [_add_up(each, self._counted, len(matrix)) for each in program.sums]
        )
        self.error = self._error(self.sums)

    def statement(self, at: int) -> StatementSummary:
        """One of them."""
        holds = self.values[at] > 0
        points = tuple(each.get(at, 0.0) for each in self.points)
        label = _label(self.program, points)
        rows = self._total(holds)
        return StatementSummary(
            text=self.program.statements[at].words or f"statement {at + 1}",
            points=points,
            rows=rows,
            share=share(rows, self.targets.sum_of_weights),
            unknown=share(self._total(self._unknown(at)), self.targets.sum_of_weights),
            label=label,
            there=_mean(self.targets, holds, label),
            elsewhere=_mean(self.targets, ~holds, label),
            effect=self._error(self._sums_without(at, points)) - self.error,
            lines=tuple(self._lines(at)),
        )

    def _lines(self, at: int) -> Iterator[tuple[int, str]]:
        """A statement with its parts below it, if it is long."""
        if has_words(self.rules):
            outline = Words(self.rules).outline(self.expressions[at])
            if isinstance(outline, Listing):
                yield from outline.lines()

    def _total(self, where: Truths) -> float:
        return self.targets.total(slice(0, len(where)), where)

    def _unknown(self, at: int) -> Truths:
        """Where a statement is unknown because a value is missing."""
        inputs = inputs_in([self.expressions[at]])
        gaps = [self.missing[index] for index in inputs if index in self.missing]
        is_open = self.values[at] == UNKNOWN
        return np.logical_or.reduce(gaps) & is_open if gaps else np.zeros_like(is_open)

    def _counted(self, at: int) -> Floats:
        """What a statement counts: 0, 1/2 or 1 if it is crisp, else its degree."""
        value: Floats = self.values[at]
        return (value + 1) / 2 if self.program.crisp else value

    def _sums_without(self, at: int, points: tuple[float, ...]) -> Floats:
        """The sums if a statement were unknown everywhere. Shape: returns (sums, rows)."""
        lost = self.values[at] / 2 if self.program.crisp else self.values[at]
        factors = np.array([total.factor for total in self.program.sums]) * points
        return np.asarray(self.sums - factors[:, None] * lost)

    def _error(self, sums: Floats) -> float:
        """Wrong classes in percent, or the root mean squared error. Shape: (sums, rows)."""
        truth, weights = self.targets.values, self.targets.weights
        if truth is None:
            return math.nan
        if isinstance(self.rules, RegressionRules):
            return root_mean_squared_error(truth, self.rules.numbers(sums[0]), weights)
        match self.program.outcome:
            case Threshold(needed=needed, labels=labels, positive=positive):
                at = labels.index(positive)
                predicted = np.where(sums[0] >= needed, at, 1 - at)
            case _:
                predicted = np.argmax(sums, axis=0)
        return 100 * float(np.average(predicted != truth, weights=weights))


def _expressions(rules: RuleSet, program: Program) -> list[Expr]:
    """What statements compute, in the order of the program."""
    if rules.crisp:
        return [item.expression for item in exported_form(rules).items]
    return [each.expression for each in program.statements if isinstance(each, GradedStatement)]


def _values(rules: RuleSet, exprs: list[Expr], matrix: Floats) -> Floats:
    """The values of all statements, from -1 to 1. Shape: returns (statements, rows)."""
    values = np.zeros((len(exprs), len(matrix)))
    if exprs:
        scorer = Scorer(rules.memberships, exprs, [0.0] * len(exprs), crisp=rules.crisp)
        for chunk, found in scorer.scores(matrix):
            values[:, chunk] = found
    return values


def _add_up(total: Sum, counted: Callable[[int], Floats], rows: int) -> Floats:
    """A sum of a program. Shape: returns (rows,)."""
    points = np.full(rows, total.start)
    for factor, at in total.terms:
        points += factor * counted(at)
    return np.asarray(total.base + total.factor * points)


def _label(program: Program, points: tuple[float, ...]) -> int | None:
    """The class that a statement speaks for; None for a number."""
    match program.outcome:
        case Threshold(labels=labels, positive=positive):
            return labels.index(positive)
        case Greatest():
            return int(np.argmax(points))
    return None


def _mean(targets: Targets[np.float64], where: Truths, label: int | None) -> float:
    """The share of a class in some rows, or their mean number."""
    if targets.values is None or not where.any():
        return math.nan
    kept = targets.values[where]
    weights = None if targets.weights is None else targets.weights[where]
    if weights is not None and not weights.sum():
        return math.nan
    return float(np.average(kept if label is None else kept == label, weights=weights))
