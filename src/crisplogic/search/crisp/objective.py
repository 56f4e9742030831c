"""Objective: how well statements fit the rows of a table, whatever is to be predicted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Self

import numpy as np
from numpy.typing import NDArray

from crisplogic.expr import And, Expr, Not, Or, Var, Xor
from crisplogic.search.crisp.literals import Literals
from crisplogic.search.crisp.screening import Slope
from crisplogic.search.crisp.statement import Literal, Statement, fold
from crisplogic.search.training_set import TrainingSet

Floats = NDArray[np.float64]

# What an exclusive or has to gain beyond other pairs, in the loss of one row: it is harder to
# read.
XOR_PENALTY = 3.0
# More levels of logic than this are not read.
MOST_LEVELS = 3


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

    A statement should have at most ``longest`` literals: two a level of logic, if it is known
    how many levels there are, or what the rows ask for.
    """

    longest: int = 2

    def __init__(self, data: TrainingSet) -> None:
        self.data = data
        self.literals = Literals(data)
        self.weights = np.ones(len(data)) if data.weights is None else data.weights

    def set_longest(self, depth: int | None, degree: int) -> None:
        """From the levels of logic, or else from the products that a smooth model needs."""
        levels = depth if depth is not None else (1 if degree <= 2 else MOST_LEVELS)
        self.longest = 2 ** min(levels, MOST_LEVELS)

    @abstractmethod
    def loss(self, statements: Sequence[Statement]) -> float:
        """The loss of statements with the best numbers for them."""

    @abstractmethod
    def slope(self, statements: Sequence[Statement]) -> Slope:
        """How that loss changes with the scores."""

    @abstractmethod
    def losses(self, rest: Sequence[Statement], options: Sequence[Statement]) -> Floats:
        """The loss of some statements with each of the options. Shape: (options,)."""

    @abstractmethod
    def finish(self, statements: Sequence[Statement]) -> Scored:
        """The statements with whole points, those first that matter most."""

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

    def penalty(self, statement: Statement) -> float:
        """What a statement has to gain beyond its literals."""
        return XOR_PENALTY * statement.shape.count("^")


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
