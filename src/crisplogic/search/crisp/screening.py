"""Screening: of all statements of one or two literals, those that would lower a loss most.

A quadratic estimate of the gain needs two sums a statement: of the gradients of the rows that
it holds for, and of their curvatures. For all pairs these are two products of matrices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crisplogic.search.crisp.statements import Literal, Literals, Statement

Floats = NDArray[np.float64]

# How many statements are looked at exactly, of each kind.
N_SINGLES, N_PAIRS = 16, 24
# With more literals than this, one side of a pair is among the most promising ones.
ALL_PAIRS = 96
MOST_PARTNERS = 64
# Gains are compared with so many digits: the last ones differ between processors.
DIGITS = 9
_TINY = 1e-9


@dataclass(frozen=True, eq=False)
class Slope:
    """How a loss changes with the scores of the rows.

    ``unit`` is by how much a score rises where a statement holds, if that is known.
    Shape: ``gradient`` (rows, outputs), below 0 where a score should rise; ``curvature``
    the same, or (rows, 1) if it is the same for all outputs.
    """

    gradient: Floats
    curvature: Floats
    unit: float | None = None

    def gains(self, sums: Floats, curvatures: Floats) -> Floats:
        """By how much the loss would fall. Shape: (..., outputs) each, to (...).

        As much as it would with the best points, or with one unit.
        """
        total = self.curvature.sum(axis=0)
        share = curvatures / np.maximum(total, _TINY)
        spread = np.maximum(total * share * (1 - share), _TINY)
        centred = sums - self.gradient.sum(axis=0) * share
        if self.unit is None:
            gains = centred**2 / (2 * spread)
        else:
            gains = self.unit * np.abs(centred) - self.unit**2 * spread / 2
        return np.asarray(gains.sum(axis=-1))


def promising(literals: Literals, slope: Slope, sizes: tuple[int, ...]) -> list[Statement]:
    """The statements of these sizes that promise most, none of them the negation of another."""
    if not len(literals.cut):
        return []
    sums = literals.holds.T @ slope.gradient
    curvatures = literals.holds.T @ slope.curvature
    found: list[Statement] = []
    if 1 in sizes:
        gains = slope.gains(sums, curvatures)
        found += [Statement((_literal(literals, at),)) for at in _greatest(gains, N_SINGLES)]
    if 2 in sizes:
        partners = _partners(literals, slope.gains(sums, curvatures))
        found += _promising_pairs(literals, slope, sums, curvatures, partners)
    return found


def _literal(literals: Literals, at: int, negated: bool = False) -> Literal:
    return Literal(int(literals.feature[at]), float(literals.cut[at]), negated)


def _greatest(gains: Floats, count: int) -> NDArray[np.intp]:
    """The places of the greatest gains; of equal ones the first. Shape: (n,) to (count,)."""
    scale = float(np.abs(gains).max(initial=0.0)) or 1.0
    rounded = np.round(gains / scale, DIGITS)
    if len(gains) > 4 * count:
        least = np.partition(rounded, len(gains) - count)[len(gains) - count]
        places = np.flatnonzero(rounded >= least)
    else:
        places = np.arange(len(gains))
    return places[np.argsort(-rounded[places], kind="stable")][:count]


def _partners(literals: Literals, gains: Floats) -> NDArray[np.intp]:
    """The literals that one side of a pair is taken from.

    All of them if there are few. Else those that promise most alone, and the middle cut of
    every column: an exclusive or promises nothing alone.
    """
    n = len(gains)
    if n <= ALL_PAIRS:
        return np.arange(n)
    _, starts, counts = np.unique(literals.feature, return_index=True, return_counts=True)
    middles = starts + counts // 2
    chosen = np.concatenate([_greatest(gains, MOST_PARTNERS), middles[:MOST_PARTNERS]])
    return np.unique(chosen)


def _promising_pairs(
    literals: Literals,
    slope: Slope,
    sums: Floats,
    curvatures: Floats,
    partners: NDArray[np.intp],
) -> list[Statement]:
    """The most promising pairs of a partner and any literal."""
    holds = literals.holds
    place = np.full(len(sums), len(sums))
    place[partners] = np.arange(len(partners))
    # Two partners meet twice; they are taken once, in the order of the literals.
    rows, columns = np.meshgrid(np.arange(len(partners)), np.arange(len(sums)), indexing="ij")
    once = (partners[rows] < columns) | (place[columns] == len(sums))
    rows, columns = rows[once], columns[once]
    joint = [_joint(holds, partners, each)[once] for each in slope.gradient.T]
    curved = [_joint(holds, partners, each)[once] for each in slope.curvature.T]
    both, both_curved = np.stack(joint, axis=-1), np.stack(curved, axis=-1)
    first, second = sums[partners][rows], sums[columns]
    first_curved, second_curved = curvatures[partners][rows], curvatures[columns]
    every, every_curved = slope.gradient.sum(axis=0), slope.curvature.sum(axis=0)
    # x & y, x & ~y, ~x & y, ~x & ~y and x ^ y; an *or* is the negation of one of them.
    gains = np.stack(
        [
            slope.gains(both, both_curved),
            slope.gains(first - both, first_curved - both_curved),
            slope.gains(second - both, second_curved - both_curved),
            slope.gains(
                every - first - second + both,
                every_curved - first_curved - second_curved + both_curved,
            ),
            slope.gains(
                first + second - 2 * both, first_curved + second_curved - 2 * both_curved
            ),
        ]
    )
    found = []
    for flat in _greatest(gains.ravel(), N_PAIRS):
        kind, at = divmod(int(flat), len(rows))
        x = _literal(literals, int(partners[rows[at]]), negated=kind in (2, 3))
        y = _literal(literals, int(columns[at]), negated=kind in (1, 3))
        if kind == 4:
            found.append(Statement((x, y), "^"))
        else:
            found.append(Statement((x, y), "&"))
    return found


def _joint(holds: Floats, partners: NDArray[np.intp], by_row: Floats) -> Floats:
    """Sums over the rows that two literals hold for. Shape: (partners, literals)."""
    joint: Floats = (holds[:, partners] * by_row[:, None]).T @ holds
    return joint


def negation(statement: Statement) -> Statement:
    """The statement that holds where this one does not.

    >>> pair = Statement((Literal(0, 5.0), Literal(1, 2.0, negated=True)), "&")
    >>> negation(pair).operator, [each.negated for each in negation(pair).literals]
    ('|', [True, False])
    """
    literals, operator = statement.literals, statement.operator
    if operator == "^":
        first, second = literals
        return Statement((first, second._replace(negated=not second.negated)), "^")
    turned = tuple(each._replace(negated=not each.negated) for each in literals)
    return Statement(turned, {"": "", "&": "|", "|": "&"}[operator])
