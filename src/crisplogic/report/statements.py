"""Statements of rules beside rows: where each holds, how pure it is there, what it adds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crisplogic.export.from_rules import exported_form
from crisplogic.export.program import GradedStatement, Greatest, Program, Sum, Threshold
from crisplogic.expr import Expr
from crisplogic.expr.walk import inputs_in
from crisplogic.rules import RegressionRules, RuleSet
from crisplogic.rules.analysis.accumulator import share, unknown_inputs
from crisplogic.rules.metrics import root_mean_squared_error
from crisplogic.rules.scoring import Scorer
from crisplogic.rules.targets import Targets

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
    known.
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


def measure_statements(
    rules: RuleSet, program: Program, matrix: Floats, targets: Targets[np.float64]
) -> tuple[StatementSummary, ...]:
    """Measure all statements of a program, in its order. Shape: ``matrix`` (rows, features)."""
    values = _values(rules, program, matrix)
    missing = unknown_inputs(rules.memberships, rules.used, matrix)
    everywhere = slice(0, len(matrix))
    error = _error(rules, program, values, targets)
    found = []
    for at, (statement, expr) in enumerate(
        zip(program.statements, _expressions(rules, program), strict=True)
    ):
        holds = values[at] > 0
        gaps = [missing[index] for index in inputs_in([expr]) if index in missing]
        unknown = np.logical_or.reduce(gaps) & (values[at] == 0) if gaps else np.zeros(0, bool)
        points = tuple(
            dict((n, p) for p, n in each.terms).get(at, 0.0) for each in program.sums
        )
        label = _label(program, points)
        rest = values.copy()
        rest[at] = 0.0
        rows = targets.total(everywhere, holds)
        there, elsewhere = (_mean(targets, where, label) for where in (holds, ~holds))
        found.append(
            StatementSummary(
                text=statement.words or f"statement {at + 1}",
                points=points,
                rows=rows,
                share=share(rows, targets.sum_of_weights),
                unknown=share(
                    targets.total(everywhere, unknown) if len(unknown) else 0.0,
                    targets.sum_of_weights,
                ),
                label=label,
                there=there,
                elsewhere=elsewhere,
                effect=_error(rules, program, rest, targets) - error,
            )
        )
    return tuple(found)


def _expressions(rules: RuleSet, program: Program) -> list[Expr]:
    """What statements compute, in the order of the program."""
    if rules.crisp:
        return [item.expression for item in exported_form(rules).items]
    return [each.expression for each in program.statements if isinstance(each, GradedStatement)]


def _values(rules: RuleSet, program: Program, matrix: Floats) -> Floats:
    """The values of all statements, from -1 to 1. Shape: returns (statements, rows)."""
    exprs = _expressions(rules, program)
    values = np.zeros((len(exprs), len(matrix)))
    if exprs:
        zeros = [0.0] * len(exprs)
        for chunk, found in Scorer(rules.memberships, exprs, zeros, crisp=rules.crisp).scores(
            matrix
        ):
            values[:, chunk] = found
    return values


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


def _error(
    rules: RuleSet, program: Program, values: Floats, targets: Targets[np.float64]
) -> float:
    """Wrong classes in percent, or the root mean squared error. Shape: (statements, rows)."""
    truth = targets.values
    if truth is None:
        return math.nan
    counted = (values + 1) / 2 if program.crisp else values
    sums = list(_sums(program, counted))
    if isinstance(rules, RegressionRules):
        return root_mean_squared_error(truth, rules.numbers(sums[0]), targets.weights)
    match program.outcome:
        case Threshold(needed=needed, labels=labels, positive=positive):
            at = labels.index(positive)
            predicted = np.where(sums[0] >= needed, at, 1 - at)
        case _:
            predicted = np.argmax(sums, axis=0)
    return 100 * float(np.average(predicted != truth, weights=targets.weights))


def _sums(program: Program, counted: Floats) -> Iterator[Floats]:
    for total in program.sums:
        yield _sum(total, counted)


def _sum(total: Sum, counted: Floats) -> Floats:
    points = np.full(counted.shape[1], total.start)
    for factor, at in total.terms:
        points += factor * counted[at]
    return np.asarray(total.base + total.factor * points)
