"""TrainingSet: the rows that rules are learned from, on the way from estimator to search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.constraints import Limits
from crisplogic.expr import Expr
from crisplogic.rules.rule import Label
from crisplogic.search.losses import Loss
from crisplogic.weights import normalize_weights, sample_rows, weighted_mean

if TYPE_CHECKING:
    from crisplogic.search.tasks import Task

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

N_QUANTILES = 256


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Rows to learn from, what is to be predicted, and what rules have to keep to.

    ``y`` are numbers of classes, or the numbers to predict; ``task`` says which, and what is
    done otherwise for either. ``labels`` name the outputs: the classes, or the one number.
    A row of weight 2 counts as two such rows; without ``weights`` every row counts 1. If
    classes are ``balanced``, all of them weigh the same. ``crisp`` columns are 0 or 1: they
    need no thresholds.

    Shape: ``X`` (rows, features), NaN where a value is missing; ``y`` and ``weights`` (rows,);
    ``crisp`` (features,).
    """

    X: Floats
    y: NDArray[Any]
    labels: Sequence[Label]
    task: Task
    weights: Floats | None = None
    crisp: NDArray[np.bool_] | None = None
    limits: Limits | None = None
    balanced: bool = False

    def __len__(self) -> int:
        return len(self.y)

    @property
    def n_outputs(self) -> int:
        """How many sums rules are made of: one a class, or one."""
        return len(self.labels)

    @cached_property
    def columns(self) -> Floats:
        """The columns, each in one piece of memory. Shape: (features, rows)."""
        return np.ascontiguousarray(self.X.T, dtype=np.float64)

    @cached_property
    def loss(self) -> Loss:
        """What the search minimises on these rows."""
        return self.task.loss(self)

    @property
    def total_weight(self) -> float:
        """The sum of the weights, or the number of rows."""
        return self.loss.total_weight

    def mean(self, values: Floats) -> Floats:
        """The weighted mean over the rows. Shape: (..., rows) to (...).

        >>> from crisplogic.search.tasks import CLASSIFICATION
        >>> weights = np.array([3.0, 1.0])
        >>> y, labels = np.array([0, 1]), ("no", "yes")
        >>> data = TrainingSet(np.zeros((2, 1)), y, labels, CLASSIFICATION, weights)
        >>> float(data.mean(np.array([0.0, 8.0])))
        2.0
        """
        return weighted_mean(values, self.weights)

    def take(self, rows: Rows) -> TrainingSet:
        """Some of the rows, with the weights that they have."""
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, X=self.X[rows], y=self.y[rows], weights=weights)

    def part(self, rows: Rows) -> TrainingSet:
        """Some of the rows as a training set of its own: weights are compared within it."""
        data = self.take(rows).with_normalized_weights()
        return replace(data, task=self.task.learn_from(data))

    def with_normalized_weights(self) -> TrainingSet:
        """The same rows with weights of a mean of 1, and balanced classes if asked for."""
        return replace(self, weights=normalize_weights(self.weights, self.y, self.balanced))

    def subsample(self, max_rows: int, seed: int = 0) -> TrainingSet:
        """At most so many rows, drawn at random, with every class in its proportion.

        A row is drawn the more often the more it weighs. A large table may have columns of
        single precision; what is drawn is of double precision.
        """
        if len(self) <= max_rows:
            return self._in_double_precision()
        drawn = sample_rows(self.y, self.weights, max_rows, seed)
        if self.weights is None:
            return self.take(drawn)._in_double_precision()
        rows, times = np.unique(drawn, return_counts=True)
        taken = self.take(rows)._in_double_precision()
        return replace(taken, weights=times.astype(np.float64))

    def _in_double_precision(self) -> TrainingSet:
        if self.X.dtype == np.float64:
            return self
        return replace(self, X=self.X.astype(np.float64))

    def evenly(self, max_rows: int) -> TrainingSet:
        """At most so many rows, evenly spaced, with the weights that they have."""
        if len(self) <= max_rows:
            return self
        return self.take(np.linspace(0, len(self) - 1, max_rows).round().astype(np.intp))

    def can_move(self, features: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which of these columns have thresholds to learn. Shape: (ramps,) to (ramps,)."""
        if self.crisp is None:
            return np.ones(len(features), dtype=bool)
        return np.logical_not(self.crisp[features])

    def cuts_of(self, feature: int) -> Floats:
        """The only thresholds that a column may have; none if it may have any."""
        cuts = None if self.limits is None else self.limits.cuts
        return np.array(() if cuts is None else cuts[feature], dtype=np.float64)

    def permits(self, term: Expr, votes: Floats, feature: NDArray[np.intp]) -> bool:
        """Whether a term may have these votes.

        Shape: ``votes`` (outputs,), ``feature`` (ramps,), the column of every ramp.
        """
        return self.limits is None or self.limits.permit(term, votes, feature)

    @property
    def max_literals(self) -> Floats | None:
        """The most literals in the rule of each output, if bounded. Shape: (outputs,)."""
        return None if self.limits is None else self.limits.max_literals

    def ranges(self) -> tuple[Floats, Floats]:
        """The least and the greatest value of every column; 0 where all are missing."""
        known = np.isfinite(self.columns)
        low = np.where(known, self.columns, np.inf).min(axis=1)
        high = np.where(known, self.columns, -np.inf).max(axis=1)
        seen = known.any(axis=1)
        return np.where(seen, low, 0.0), np.where(seen, high, 0.0)

    @cached_property
    def inner_ranges(self) -> tuple[Floats, Floats]:
        """Between which thresholds part the rows of every column.

        The middle between its two least values, and between its two greatest. Where all
        values are the same, that is the value. Shape: two of (features,).
        """
        known = np.isfinite(self.columns)
        low, high = self.ranges()
        above = np.where(known & (self.columns > low[:, None]), self.columns, np.inf)
        below = np.where(known & (self.columns < high[:, None]), self.columns, -np.inf)
        varies = high > low
        second = np.where(varies, above.min(axis=1), low)
        last_but_one = np.where(varies, below.max(axis=1), high)
        return low / 2 + second / 2, high / 2 + last_but_one / 2

    @cached_property
    def quantiles(self) -> Floats:
        """Some values of every column, evenly spread over its rows; NaN where all are missing.

        The first and the last are the least and the greatest. Shape: (features, 256).
        """
        found = np.full((len(self.columns), N_QUANTILES), np.nan)
        weights = np.ones(len(self)) if self.weights is None else self.weights
        for own, column in zip(found, self.columns, strict=True):
            order = np.argsort(column)[: np.isfinite(column).sum()]
            if len(order):
                upto = weights[order].cumsum()
                at = (np.arange(N_QUANTILES) + 0.5) * (upto[-1] / N_QUANTILES)
                at[0], at[-1] = 0.0, upto[-1]
                own[:] = column[order[np.searchsorted(upto, at).clip(0, len(order) - 1)]]
        return found
