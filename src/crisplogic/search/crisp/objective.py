"""Objective: how well statements fit the rows of a table, whatever is to be predicted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crisplogic.expr import And, Expr, Not, Or, Var, Xor
from crisplogic.search.crisp.compiled import statements_loss
from crisplogic.search.crisp.literals import Literals
from crisplogic.search.crisp.scan import Scan
from crisplogic.search.crisp.screening import Slope
from crisplogic.search.crisp.statement import Literal, Statement, fold
from crisplogic.search.training_set import TrainingSet

Floats = NDArray[np.float64]

# What an exclusive or has to gain beyond other pairs, in the loss of one row: it is harder to
# read.
XOR_PENALTY = 3.0
# The same for every literal of a statement beyond two.
LONG_PENALTY = 3.0
# Losses are compared with so many digits after the point: less is a matter of rounding.
DIGITS = 6
# More levels of logic than this are not read.
MOST_LEVELS = 3
# Statements of at most so many literals are looked for as wholes.
MOST_SCREENED = 4


@dataclass(frozen=True, eq=False)
class Scored:
    """Statements with whole points, and the numbers that make predictions of them.

    The score of an output is its intercept plus its points times the values of the
    statements, which are -1, 0 or 1. ``scale`` times the scores are logits; a number is the
    intercept plus the scale times the points.

    Of two classes, ``tie`` is the logit of the positive one at equal scores, which never are.

    Shape: ``points`` (statements, outputs), ``intercepts`` (outputs,).
    """

    statements: tuple[Statement, ...]
    points: Floats
    intercepts: Floats
    scale: float
    tie: float = 0.0


class Objective(ABC):
    """The loss of statements on some rows, in nats of one row each: the less, the better.

    A statement should have at most ``longest`` literals, two a level of logic. Those of at most
    ``screened`` literals are looked for as wholes; longer ones have to grow from them.
    """

    longest: int = 2
    screened: int = 2

    def __init__(self, data: TrainingSet) -> None:
        self.data = data
        self.literals = Literals(data)
        self.weights = np.ones(len(data)) if data.weights is None else data.weights

    def set_longest(self, depth: int | None, degree: int) -> None:
        """From the levels of logic, if they are known, and what a smooth model needs.

        Where products of two inputs predict best, no statement of more than two literals has
        to be looked for as a whole: it can grow.
        """
        self.longest = 2 ** min(depth or MOST_LEVELS, MOST_LEVELS)
        deep = degree > 2 if depth is None else depth > 1
        self.screened = min(self.longest, MOST_SCREENED if deep else 2)

    @cached_property
    def kernel(self) -> Any | None:
        """The same as a compiled kernel, which remembers statements; None if there is none."""
        return None

    def _copy(self) -> Self:
        """A copy for other targets: what is known of these is left out."""
        other = copy(self)
        for name in ("kernel", "unsmoothed"):
            other.__dict__.pop(name, None)
        return other

    @abstractmethod
    def loss(self, statements: Sequence[Statement]) -> float:
        """The loss of statements with the best numbers for them."""

    def rounded_loss(self, statements: Sequence[Statement]) -> float:
        """The loss with as many digits as losses are compared by."""
        if self.kernel is None:
            return round(self.loss(statements), DIGITS)
        return round(statements_loss(self.kernel, tuple(statements)), DIGITS)

    @abstractmethod
    def slope(self, statements: Sequence[Statement]) -> Slope:
        """How that loss changes with the scores."""

    @abstractmethod
    def losses(
        self,
        rest: Sequence[Statement],
        options: Sequence[Statement],
        scans: Sequence[Scan] = (),
        needed: Sequence[Floats] | None = None,
        limit: float = np.inf,
    ) -> Floats:
        """The loss with each of the options beside the rest, then with each cut of the scans.

        ``needed`` is added to the losses of cuts, one array a scan. The loss is infinite where
        a cut is not allowed, and where a bound says that another option has the least. It may
        be where it is not below ``limit``.
        Shape: (options and cuts,).
        """

    @abstractmethod
    def finish(self, statements: Sequence[Statement]) -> Scored:
        """The statements with whole points, those first that matter most."""

    @cached_property
    @abstractmethod
    def unsmoothed(self) -> Self:
        """The same with the targets of the rows themselves."""

    def oriented(self, options: Sequence[Statement], slope: Slope) -> list[Statement]:
        """The options, or their negations, as they may enter."""
        return [each for each in options if self.permits(each)]

    def permits(self, statement: Statement) -> bool:
        """Whether the user allows the columns of a statement to stand together."""
        limits = self.data.limits
        if limits is None:
            return True
        feature = np.array([each.feature for each in statement.literals])
        none = np.zeros(self.data.n_outputs)
        return limits.permit(as_expression(statement), none, feature)

    def penalties(
        self,
        rest: Sequence[Statement],
        options: Sequence[Statement],
        scans: Sequence[Scan],
        needed: Sequence[Floats] | None,
    ) -> Floats:
        """What options have to gain, and statements beside them; infinite if not allowed.

        Shape: (options and cuts,).
        """
        own = [np.array([self.penalty(each) for each in options])]
        for at, scan in enumerate(scans):
            more = 0.0 if needed is None else needed[at]
            own.append(np.where(scan.allowed, self.penalty(scan.statement) + more, np.inf))
        return np.concatenate(own) + sum(map(self.penalty, rest))

    def penalty(self, statement: Statement) -> float:
        """What a statement has to gain beyond its literals."""
        longer = max(statement.size - 2, 0)
        return XOR_PENALTY * statement.shape.count("^") + LONG_PENALTY * longer


def as_expression(statement: Statement, first: int = 0) -> Expr:
    """A statement as logic over inputs, one a literal, counted from ``first``.

    >>> three = Statement(tuple(Literal(feature, 0.5) for feature in range(3)), "..&.&")
    >>> as_expression(three)
    And(operands=(Var(index=0), Var(index=1), Var(index=2)))
    """
    inputs = count(first)

    def leaf(literal: Literal) -> Expr:
        own = Var(next(inputs))
        return Not(own) if literal.negated else own

    return fold(statement, leaf, _join)


def _join(operator: str, *sides: Expr) -> Expr:
    """One node for sides that are joined in the same way."""
    kind = {"&": And, "|": Or, "^": Xor}[operator]
    parts = [each.operands if isinstance(each, kind) else (each,) for each in sides]
    return kind(tuple(chain.from_iterable(parts)))
