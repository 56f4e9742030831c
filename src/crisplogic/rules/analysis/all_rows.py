"""AllRows: how rules do on all rows of a table that is read in batches.

Rules are learned from a sample, their size is chosen on another, and all other rows are new to
them. The rows that were learned from are no test. But rows of the second sample are like them
in all but that, so these count for both: then every row of the table is stood for.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from crisplogic.rules.analysis.accumulator import ClassAccumulator, NumberAccumulator
from crisplogic.rules.analysis.evidence import ClassEvidence, NumberEvidence
from crisplogic.rules.classification import ClassificationRules
from crisplogic.rules.regression import RegressionRules
from crisplogic.rules.ruleset import RuleSet
from crisplogic.rules.scoring import winners
from crisplogic.rules.targets import Targets
from crisplogic.tables import Columns, as_matrix

Floats = NDArray[np.float64]

# What a row was used for: nothing yet, to learn rules from, to choose their size.
NEW, LEARNED, CHOSEN_ON = range(3)
# A score of which more different values occur is put into so many bins to rank rows by it.
MOST_SCORES = 100_000


@dataclass(frozen=True)
class AllRows:
    """How good rules are on all ``rows`` of a table, ``learned`` of which they came from.

    ``error`` and ``baseline`` are on all rows; ``new_error`` is to be expected of new rows,
    with its ``standard_error``, measured on rows that were not learned from. ``errors`` are
    those of the rules of all ``sizes``, on ``compared`` such rows. ``evidence`` is that of
    :meth:`RuleSet.evidence <crisplogic.RuleSet.evidence>` on all rows. An error is the share of
    wrong classes or, for a number, the root mean squared error.

    Only classes have a ``confusion``, the rows of each class (first axis) predicted as each
    class; ``auc`` is that of two classes. Only numbers have ``mae`` and ``r2``, and rows that
    are ``left_out`` because they are far from all others.
    """

    rows: int
    learned: int
    error: float
    new_error: float
    standard_error: float
    baseline: float
    sizes: tuple[int, ...] = ()
    errors: tuple[float, ...] = ()
    compared: int = 0
    confusion: tuple[tuple[float, ...], ...] = ()
    auc: float = math.nan
    mae: float = math.nan
    r2: float = math.nan
    left_out: int = 0
    evidence: tuple[ClassEvidence, ...] | tuple[NumberEvidence, ...] = field(
        default=(), repr=False
    )

    def to_dict(self) -> dict[str, Any]:
        """The figures for JSON, which has no NaN."""
        figures = {
            "rows": self.rows,
            "learned": self.learned,
            "error": self.error,
            "new_error": self.new_error,
            "standard_error": self.standard_error,
            "error_of_guessing": self.baseline,
            "auc": self.auc,
            "mae": self.mae,
            "r2": self.r2,
            "left_out": self.left_out,
            "compared": self.compared,
        }
        finite = {name: each for name, each in figures.items() if each == each}
        sizes = zip(self.sizes, self.errors, strict=False)
        return {
            **finite,
            "confusion": [list(row) for row in self.confusion],
            "sizes": [{"literals": size, "error": error} for size, error in sizes],
        }

    def __str__(self) -> str:
        show = "{:.2%}".format if self.confusion else "{:.4g}".format
        return (
            f"{self.rows:,} rows, {self.learned:,} of them learned from: error "
            f"{show(self.error)}, on new rows {show(self.new_error)} ± "
            f"{show(self.standard_error)}"
        )


class Batch(NamedTuple):
    """Rows of a table with what they are known to be.

    Rules of all sizes are compared on rows that are ``compared``, and not learned from.

    Shape: ``matrix`` (rows, features); ``y``, positions of classes or numbers, ``weights``,
    ``uses``, what each row was used for, and ``compared`` (rows,).
    """

    matrix: Floats
    y: NDArray[Any]
    weights: Floats | None
    uses: NDArray[np.int8]
    compared: NDArray[np.bool_]

    def take(self, rows: NDArray[np.intp]) -> Batch:
        """Take rows by their positions here."""
        if len(rows) == len(self.y):
            return self
        weights = None if self.weights is None else self.weights[rows]
        return Batch(
            self.matrix[rows], self.y[rows], weights, self.uses[rows], self.compared[rows]
        )

    @property
    def counts(self) -> Floats:
        """What every row counts. Shape: (rows,)."""
        return np.ones(len(self.y)) if self.weights is None else self.weights


class AllRowsMeasure(ABC):
    """Adds up how the rules of all sizes do, batch by batch; ``rules`` are the chosen ones.

    Measures of other rows can be merged, in any order.
    """

    # Attributes that are sums over rows.
    sums_of_rows: ClassVar[tuple[str, ...]] = (
        *("rows", "weight", "losses", "squares"),
        *("of_stratum", "compared_rows", "compared_weight", "compared"),
    )
    evidence: ClassAccumulator | NumberAccumulator

    def __init__(self, rules: RuleSet, points: Sequence[RuleSet]) -> None:
        self.rules, self.points = rules, list(points)
        used = [rules.memberships, *(each.memberships for each in points)]
        every = (rules, *points)
        self.needed = sorted(
            {
                memberships[index].feature
                for memberships, each in zip(used, every, strict=True)
                for index in each.used
            }
        )
        self.rows = np.zeros(3, dtype=np.int64)
        self.weight = np.zeros(3)
        self.losses = np.zeros(3)
        self.squares = np.zeros(3)
        self.compared_rows = 0
        self.of_stratum = np.zeros(self.strata)
        self.compared_weight = np.zeros(self.strata)
        self.compared = np.zeros((len(self.points), self.strata))

    def empty(self) -> Self:
        """The same before any row was added, to add other rows to."""
        made = copy(self)
        for name in self.sums_of_rows:
            setattr(made, name, 0 * getattr(self, name))
        made.evidence = self.evidence.empty()
        return made

    def merge(self, other: Self) -> None:
        """Add what another measure found on other rows."""
        for name in self.sums_of_rows:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.evidence.merge(other.evidence)  # type: ignore[arg-type]

    @property
    def columns(self) -> list[str]:
        """The columns that rules of any size mention."""
        return [self.rules.features[at] for at in self.needed]

    def matrix(self, columns: Columns) -> Floats:
        """Columns as rules take them. Shape: returns (rows, features)."""
        rules = self.rules
        return as_matrix(columns, rules.features, rules.levels, self.needed)

    def add(self, batch: Batch) -> None:
        """Add a batch; each row is added once."""
        losses = self._judge(batch)
        self.rows += np.bincount(batch.uses, minlength=3)
        counts = self._counts(batch)
        for sums, values in (
            (self.weight, counts),
            (self.losses, counts * losses),
            (self.squares, counts * losses**2),
        ):
            sums += np.bincount(batch.uses, values, 3)
        self.of_stratum += self._by_stratum(batch, counts)
        self._compare(batch.take(np.flatnonzero(batch.compared & (batch.uses != LEARNED))))

    def _compare(self, part: Batch) -> None:
        """Judge the rules of all sizes, on rows that were not learned from."""
        if not len(part.y):
            return
        self.compared_rows += len(part.y)
        counts = self._counts(part)
        self.compared_weight += self._by_stratum(part, counts)
        for at, rules in enumerate(self.points):
            losses = self._losses(rules, part, at)
            self.compared[at] += self._by_stratum(part, counts * losses)

    @property
    def strata(self) -> int:
        """Groups of rows of which different shares may be compared: classes."""
        return 1

    def _by_stratum(self, batch: Batch, values: Floats) -> Floats:
        """The sum of some values in each stratum. Shape: (rows,) to (strata,)."""
        return np.array([values.sum()])

    def _counts(self, batch: Batch) -> Floats:
        """How much the loss of every row counts. Shape: (rows,)."""
        return batch.counts

    def means(self) -> tuple[float, float, float]:
        """The mean loss on all rows, that to expect on new rows, and its standard error."""
        total = float(self.weight.sum())
        overall = float(self.losses.sum()) / total
        if not self.rows[NEW] + self.rows[CHOSEN_ON]:
            return overall, math.nan, math.nan
        factor = np.array([1.0, 0.0, 1.0])
        if self.weight[CHOSEN_ON]:
            factor[CHOSEN_ON] += self.weight[LEARNED] / self.weight[CHOSEN_ON]
        weight = float(self.weight @ factor)
        new = float(self.losses @ factor) / weight
        variance = max(float(self.squares @ factor) / weight - new**2, 0.0)
        tested = int(self.rows[NEW] + self.rows[CHOSEN_ON])
        return overall, new, math.sqrt(variance / tested)

    @abstractmethod
    def _judge(self, batch: Batch) -> Floats:
        """Add what is known of the chosen rules, and return their losses. Shape: (rows,)."""

    @abstractmethod
    def _losses(self, rules: RuleSet, batch: Batch, at: int) -> Floats:
        """The losses of the rules of one size. Shape: (rows,)."""

    @abstractmethod
    def result(self) -> AllRows:
        """The figures of all rows that were added."""

    def _common(self) -> dict[str, Any]:
        known = self.compared_weight > 0
        means = self.compared[:, known] / self.compared_weight[known]
        weights = self.of_stratum[known]
        share = means @ (weights / weights.sum()) if known.any() else None
        return {
            "rows": int(self.rows.sum()),
            "learned": int(self.rows[LEARNED]),
            "sizes": tuple(each.size for each in self.points),
            "errors": () if share is None else tuple(map(self._error, share.tolist())),
            "compared": self.compared_rows,
        }

    def _error(self, loss: float) -> float:
        """The error that is a mean loss."""
        return loss


class ClassMeasure(AllRowsMeasure):
    """Wrong classes, how often each is predicted as each, and how scores rank two classes.

    ``tables`` counts, for the rules of two classes of every size, how often each class has each
    difference of its score to the other's: from these, probabilities can be fitted. Losses of
    each class count as often as ``factors`` say; all else counts rows as they are.
    """

    rules: ClassificationRules
    evidence: ClassAccumulator
    sums_of_rows = (*AllRowsMeasure.sums_of_rows, "confusion")

    def __init__(
        self,
        rules: ClassificationRules,
        points: Sequence[RuleSet],
        factors: Floats | None = None,
    ) -> None:
        super().__init__(rules, points)
        self.factors = factors
        classes = len(rules.labels)
        self.confusion = np.zeros((classes, classes))
        self.ranking: dict[float, Floats] = {}
        self.tables: list[dict[float, Floats]] = [{} for _ in self.points]
        self.evidence = ClassAccumulator(rules, judged=True)

    def empty(self) -> Self:
        """The same before any row was added."""
        made = super().empty()
        made.ranking, made.tables = {}, [{} for _ in self.points]
        return made

    def merge(self, other: Self) -> None:
        """Add what another measure found on other rows."""
        super().merge(other)
        _merge_counts(self.ranking, other.ranking)
        for own, more in zip(self.tables, other.tables, strict=True):
            _merge_counts(own, more)

    def _judge(self, batch: Batch) -> Floats:
        scores = self.rules.scores(batch.matrix, coded=True).T
        predicted = winners(scores)
        classes = len(self.confusion)
        both = batch.y * classes + predicted
        counted = np.bincount(both, batch.weights, classes**2)
        self.confusion += counted.reshape(classes, classes)
        if classes == 2 and len(self.ranking) < MOST_SCORES:
            _tabulate(scores[1] - scores[0], batch.y, batch.weights, self.ranking)
        self.evidence.count(batch.matrix, Targets(len(batch.y), batch.y, batch.weights))
        return np.asarray(predicted != batch.y, dtype=np.float64)

    @property
    def strata(self) -> int:
        """The classes: of a rare one, more rows are learned from than of others."""
        return len(self.rules.labels)

    def _by_stratum(self, batch: Batch, values: Floats) -> Floats:
        return np.asarray(np.bincount(batch.y, values, self.strata), dtype=np.float64)

    def class_table(self, at: int) -> tuple[Floats, Floats]:
        """How much of each class has each difference of scores, with the rules of one size.

        Classes weigh what all of their rows do. Shape: (values,), (values, classes).
        """
        differences = sorted(self.tables[at])
        counts = np.array([self.tables[at][each] for each in differences]).reshape(-1, 2)
        totals = counts.sum(axis=0)
        share = self.confusion.sum(axis=1) / np.where(totals > 0, totals, 1.0)
        factors = share if self.factors is None else share * self.factors
        return np.array(differences), counts * factors

    def _counts(self, batch: Batch) -> Floats:
        return batch.counts if self.factors is None else batch.counts * self.factors[batch.y]

    def _losses(self, rules: RuleSet, batch: Batch, at: int) -> Floats:
        scores = rules.scores(batch.matrix, coded=True).T
        if len(scores) == 2 and rules.crisp and len(self.tables[at]) < MOST_SCORES:
            _tabulate(scores[1] - scores[0], batch.y, batch.weights, self.tables[at])
        return np.asarray(winners(scores) != batch.y, dtype=np.float64)

    def result(self) -> AllRows:
        """The figures of all rows that were added."""
        overall, new, standard_error = self.means()
        of_class = self.confusion.sum(axis=1)
        return AllRows(
            error=overall,
            new_error=new,
            standard_error=standard_error,
            baseline=float(1 - of_class.max() / of_class.sum()),
            confusion=tuple(map(tuple, self.confusion.tolist())),
            auc=_area(self.ranking),
            evidence=tuple(self.evidence.records()),
            **self._common(),
        )


class NumberMeasure(AllRowsMeasure):
    """Errors of numbers; ``fence`` is a centre and how far from it a number may be.

    Squares are added up in a ``unit`` in which none is too large.
    """

    rules: RegressionRules
    evidence: NumberAccumulator
    sums_of_rows = (*AllRowsMeasure.sums_of_rows, "sums", "left_out")

    def __init__(
        self,
        rules: RegressionRules,
        points: Sequence[RuleSet],
        unit: float,
        fence: tuple[float, float] = (0.0, math.inf),
    ) -> None:
        super().__init__(rules, points)
        self.fence = fence
        self.sums = np.zeros(4)  # of weights, numbers, squares of numbers, sizes of errors
        self.left_out = 0
        self.evidence = NumberAccumulator(rules, judged=True, unit=unit)

    def add(self, batch: Batch) -> None:
        """Add a batch, without the rows beyond the fence."""
        centre, most = self.fence
        if math.isfinite(most):
            transformed = self.rules.transformed(batch.y)
            kept = np.abs(transformed - centre) <= most
            self.left_out += int(len(kept) - np.count_nonzero(kept))
            batch = batch.take(np.flatnonzero(kept))
        if len(batch.y):
            super().add(batch)

    def _judge(self, batch: Batch) -> Floats:
        errors = self.rules.predict(batch.matrix, coded=True) - batch.y
        y, counts = batch.y, batch.counts
        self.sums += counts.sum(), counts @ y, counts @ y**2, counts @ np.abs(errors)
        self.evidence.count(batch.matrix, Targets(len(y), y, batch.weights))
        return np.asarray(errors**2)

    def _losses(self, rules: RuleSet, batch: Batch, at: int) -> Floats:
        return np.asarray((rules.predict(batch.matrix, coded=True) - batch.y) ** 2)

    def _error(self, loss: float) -> float:
        return math.sqrt(loss)

    def result(self) -> AllRows:
        """The figures of all rows that were added."""
        overall, new, standard_error = self.means()
        weight, y, squares, sizes = self.sums.tolist()
        variance = max(squares / weight - (y / weight) ** 2, 0.0)
        return AllRows(
            error=math.sqrt(overall),
            new_error=math.sqrt(new) if new == new else math.nan,
            standard_error=standard_error / (2 * math.sqrt(new)) if new > 0 else math.nan,
            baseline=math.sqrt(variance),
            mae=sizes / weight,
            r2=1 - overall / variance if variance else math.nan,
            left_out=self.left_out,
            evidence=tuple(self.evidence.records()),
            **self._common(),
        )


def _tabulate(
    difference: Floats, y: NDArray[np.intp], weights: Floats | None, into: dict[float, Floats]
) -> None:
    """Count how much of either class has each difference. Shape: (rows,) each."""
    twice = np.rint(4 * difference)
    if np.array_equal(twice, 4 * difference) and np.abs(twice).max(initial=0) < MOST_SCORES:
        # Nearly always they are quarters: these are counted without sorting.
        low = int(twice.min(initial=0))
        places = (twice - low).astype(np.intp)
        values = (np.arange(places.max(initial=0) + 1) + low) / 4
    else:
        values, places = np.unique(difference, return_inverse=True)
    counts = np.bincount(2 * places + y, weights, 2 * len(values)).reshape(-1, 2)
    found = zip(values.tolist(), counts.astype(np.float64), strict=True)
    _merge_counts(into, {value: both for value, both in found if both.any()})


def _merge_counts(into: dict[float, Floats], more: dict[float, Floats]) -> None:
    for value, counts in more.items():
        into[value] = into[value] + counts if value in into else counts


def _area(ranking: dict[float, Floats]) -> float:
    """The area under the ROC curve of two classes; NaN if there are more.

    >>> _area({0.0: np.array([3.0, 1.0]), 1.0: np.array([1.0, 3.0])})
    0.75
    """
    if not ranking:
        return math.nan
    counts = np.array([ranking[value] for value in sorted(ranking)])
    below = counts[:, 0].cumsum() - counts[:, 0] / 2
    first, second = counts.sum(axis=0).tolist()
    return float(below @ counts[:, 1] / (first * second)) if first and second else math.nan
