"""Learn from a table in files: from a sample, and then measure on all rows.

1. One pass finds the statistics of all columns, and the sample.
2. Rules are learned from the sample, as from any table; a part of it is held out to choose
   their size. If the sample is the whole table, this is the fit, and there is nothing more.
3. One pass over all rows measures the errors of the rules of all sizes, fits the probabilities
   of those that count, and collects the evidence of the chosen ones.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor
from sklearn.utils import check_random_state

from crisplogic.constraints import find_forbidden
from crisplogic.errors import ColumnWarning, TableError
from crisplogic.estimators.comparing import (
    keep_comparison,
    sizes_ignored,
    with_other_literals,
)
from crisplogic.io import Cells, Remark
from crisplogic.messages import list_some
from crisplogic.rules import ClassificationRules, Frontier, RegressionRules, RuleSet
from crisplogic.rules.analysis.all_rows import (
    CHOSEN_ON,
    LEARNED,
    AllRows,
    AllRowsMeasure,
    Batch,
    ClassMeasure,
    NumberMeasure,
)
from crisplogic.rules.decision import EVEN
from crisplogic.rules.outliers import FENCE, robust_centre_and_spread
from crisplogic.search import TrainingSet, calibrate
from crisplogic.streaming import (
    Examples,
    PrioritySample,
    StreamedTable,
    TableStatistics,
    is_identifier,
)
from crisplogic.streaming.statistics import MOST_CLASSES, NumberStatistics
from crisplogic.tables import Columns, Numbers, Text
from crisplogic.weights import sample_rows

if TYPE_CHECKING:
    from crisplogic.estimators.base import LogicEstimator

Floats = NDArray[np.float64]
# Called with what is being done, and the share of it that is done, from 0 to 1.
OnProgress = Callable[[str, float], None]

# Rows of the sample. The search of crisp rules looks at 10,000 of them and networks at 128,000,
# as they do of tables in memory; so many are left to tell sizes apart: the standard error of a
# share of 100,000 rows is 0.16 % at most.
SAMPLE_ROWS = 256_000
HELD_OUT_ROWS = 100_000
# Of small samples this share is held out.
HELD_OUT_SHARE = 0.4
# Of each class there are at least so many rows in the sample, if the table has them: the
# standard error of a share of them is 2 % at most.
ROWS_OF_CLASS = 500
# The sample of a wide table has fewer rows: so many cells are 256 MiB.
SAMPLE_CELLS = 2**25
# Rules of sizes that are not chosen are measured on so many rows: the standard error of a share
# is 0.02 % at most.
COMPARED_ROWS = 10_000_000


@dataclass(frozen=True)
class Columnar:
    """What to learn from what: names of the columns, the target and the weight.

    Columns that are ``asked`` for are kept even if they seem to identify rows.
    """

    names: tuple[str, ...]
    target: str
    weight: str | None = None
    asked: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class Learned:
    """What the first pass found: statistics, a sample, and the columns that say something."""

    roles: Columnar
    statistics: TableStatistics
    sample: Examples
    is_whole: bool
    remarks: tuple[Remark, ...] = ()


def choose_columns(
    table: StreamedTable,
    target: str,
    weight: str | None,
    columns: Sequence[str] | None,
    drop: Sequence[str],
    forbidden: Sequence[Any] | None,
) -> tuple[StreamedTable, Columnar]:
    """The columns to learn from; those that are forbidden are not read."""
    apart = [target, *([] if weight is None else [weight])]
    if weight is not None and weight == target:
        raise TableError(f"column {target!r} cannot be the target and the weight as well")
    table.check_exist([*apart, *drop])
    left_out = {*apart, *drop}
    names = tuple(columns or (name for name in table.names if name not in left_out))
    if not names:
        raise TableError(f"{table.files[0].path}: no column is left to learn from")
    both = sorted(left_out.intersection(names))
    if both:
        raise TableError(f"column {both[0]!r} cannot be one to learn from and left out as well")
    excluded = [names[at] for at in find_forbidden(list(names), forbidden or ())]
    table = table.without(excluded)
    table.check_columns([*names, *apart])
    return table, Columnar(names, target, weight, frozenset(columns or ()))


def look_through(
    parts: Iterator[Examples], roles: Columnar, size: int, classes: bool, where: str
) -> Learned:
    """The first pass: statistics of all rows, and the sample."""
    size = max(1, min(size, SAMPLE_CELLS // len(roles.names)))
    sample = PrioritySample(size, ROWS_OF_CLASS if classes else 0)

    def sampled() -> Iterator[Examples]:
        for part in parts:
            sample.add(part)
            yield part

    return from_first_pass(TableStatistics.of(sampled()), sample, roles, where)


def from_first_pass(
    statistics: TableStatistics, sample: PrioritySample, roles: Columnar, where: str = ""
) -> Learned:
    """What to learn from, given the statistics and the sample of all rows.

    Columns that identify rows are left out, with a remark.
    """
    rows = sample.examples()
    left_out = _identifiers(statistics, rows, roles)
    if left_out:
        kept = [at for at, name in enumerate(roles.names) if name not in left_out]
        if not kept:
            raise TableError(
                f"{where}: its columns hold only values that identify rows "
                f"({list_some(left_out)}); nothing can be learned from them"
            )
        names = tuple(roles.names[at] for at in kept)
        columns = tuple(rows.columns.columns[at] for at in kept)
        rows = replace(rows, columns=Columns(names, columns, len(rows)))
        roles = replace(roles, names=names)
        statistics = replace(
            statistics, columns={name: statistics.columns[name] for name in names}
        )
    statistics.check(f"{where}: ")
    remarks = [] if not left_out else [_left_out_remark(left_out)]
    return Learned(roles, statistics, rows, sample.is_whole, tuple(remarks))


def _identifiers(
    statistics: TableStatistics, sample: Examples, roles: Columnar
) -> tuple[str, ...]:
    """Columns that identify rows, and that nobody asked for."""
    pairs = zip(roles.names, sample.columns.columns, strict=True)
    return tuple(
        name
        for name, values in pairs
        if name not in roles.asked and is_identifier(name, statistics.columns[name], values)
    )


def _left_out_remark(names: tuple[str, ...]) -> Remark:
    message = f"left out, values that identify rows: {list_some(names)}"
    return Remark("left_out", message, names, remedies={"keep": names[0]})


class TargetReader:
    """Targets of batches as an estimator takes them: names of classes, or numbers.

    Whole numbers that name classes are numbers, as ``crisplogic fit`` reads them.
    """

    def __init__(self, statistics: TableStatistics, target: str) -> None:
        self.name, self.labels = target, {}
        found = statistics.target
        self.is_number = isinstance(found, NumberStatistics)
        if isinstance(found, NumberStatistics):
            if found.range is not None and not np.isfinite(found.range).all():
                raise TableError(
                    f"the target {target!r} must hold finite numbers, got infinity"
                )
            return
        if found.counts is None:
            raise TableError(
                f"the target {target!r} has more than {MOST_CLASSES:,} different values, too "
                "many for classes: group its values, or predict it as a number",
                {"task": "regression"},
            )
        words = sorted(found.counts)
        cells = Cells(f"the target {target!r}", Text.from_values(words), str)
        self.labels = dict(zip(words, cells.labels.tolist(), strict=True))

    def read(self, part: Examples) -> NDArray[Any]:
        """The targets of some rows. Shape: (rows,)."""
        if isinstance(part.target, Numbers):
            return part.target.values
        words = [self.labels[word] for word in part.target.uniques]
        return np.array(words)[part.target.codes]

    def positions(self, part: Examples, labels: Sequence[Any]) -> NDArray[Any]:
        """Numbers, or the positions of classes among ``labels``. Shape: (rows,)."""
        if isinstance(part.target, Numbers):
            return part.target.values
        place = {label: at for at, label in enumerate(labels)}
        places = [place[self.labels[word]] for word in part.target.uniques]
        return np.array(places, dtype=np.intp)[part.target.codes]


class NamedNumbers(np.ndarray[Any, Any]):
    """An array that knows what its numbers are called, as a column of a data frame does."""

    name: str = "y"

    @classmethod
    def of(cls, numbers: NDArray[Any], name: str) -> NamedNumbers:
        """The same numbers with a name."""
        named = numbers.view(cls)
        named.name = name
        return named


class Uses(NamedTuple):
    """The numbers of the rows that rules were ``learned`` from, and their size ``chosen_on``.

    ``robust`` errors leave out rows whose number is far from all others. Shape: (rows,) each,
    sorted.
    """

    learned: NDArray[np.int64]
    chosen_on: NDArray[np.int64]
    robust: bool = False


def learn(
    estimator: LogicEstimator,
    learned: Learned,
    reader: TargetReader,
    checkpoint: Any = None,
) -> Uses:
    """Learn from the sample. Returns what rows were used for."""
    sample = learned.sample
    y = reader.read(sample)
    if reader.is_number:
        y = NamedNumbers.of(y, reader.name)
    if learned.is_whole:
        estimator.fit(sample.columns, y, sample.weights, checkpoint)
        return Uses(sample.numbers, sample.numbers[:0])
    source, numbers = estimator._read(
        sample.columns, y, sample.weights, learned.statistics.schema()
    )
    tests = _held_out(estimator, source.targets)
    config = estimator._training_config(source, len(source.targets) - len(tests))
    config = replace(config, folds=0)
    seed = check_random_state(estimator.random_state).randint(2**31)
    kept = None if checkpoint is None else estimator._open(checkpoint, source, config, seed)
    seed = seed if kept is None else kept.seed
    estimator._learn(source, config, seed, kept, tests)
    if estimator.compare_literals:
        other = with_other_literals(estimator)
        config = other._training_config(source, len(source.targets) - len(tests))
        with sizes_ignored():
            other._learn(source, replace(config, folds=0), seed, None, tests)
        keep_comparison(estimator, other)
    if kept is not None:
        kept.remove()
    rows = sample.numbers[numbers]
    return Uses(np.delete(rows, tests), rows[tests], source.targets.task.robust)


def _held_out(estimator: LogicEstimator, targets: TrainingSet) -> NDArray[np.intp]:
    """The rows of the sample that the size of rules is chosen on; none without folds."""
    if not estimator.folds:
        return np.empty(0, dtype=np.intp)
    rows = min(HELD_OUT_ROWS, int(HELD_OUT_SHARE * len(targets)))
    return np.unique(sample_rows(targets.y, None, rows, seed=0))


def make_measure(
    estimator: LogicEstimator, learned: Learned, reader: TargetReader, uses: Uses
) -> AllRowsMeasure:
    """What adds up how the rules of an estimator do on all rows."""
    rules, points = estimator.rules_, [point.rules for point in estimator.frontier_]
    if isinstance(rules, ClassificationRules):
        factors = _class_factors(estimator, learned.statistics, reader, rules.labels)
        return ClassMeasure(rules, points, COMPARED_ROWS, factors)
    assert isinstance(rules, RegressionRules)
    fence = (0.0, math.inf)
    if uses.robust:
        sample = learned.sample
        y = rules.transformed(reader.read(sample))
        centre, spread = robust_centre_and_spread(y, sample.weights)
        fence = (centre, FENCE * spread if spread else math.inf)
    return NumberMeasure(rules, points, COMPARED_ROWS, fence)


def _class_factors(
    estimator: LogicEstimator,
    statistics: TableStatistics,
    reader: TargetReader,
    labels: Sequence[Any],
) -> Floats | None:
    """How much more a row of each class counts than its own weight says."""
    given = estimator.class_weight
    if given is None:
        return None
    if not isinstance(given, str):
        return np.array([float(given[label]) for label in labels])
    weights = dict.fromkeys(labels, 0.0)
    for word, weight in statistics.class_weights.items():
        weights[reader.labels[word]] += weight
    totals = np.array([weights[label] for label in labels])
    factors: Floats = totals.sum() / (len(totals) * totals)
    return factors


def measure_all_rows(
    measure: AllRowsMeasure,
    parts: Iterator[Examples],
    reader: TargetReader,
    used: Uses,
) -> None:
    """The last pass: add all rows to the measure."""
    labels = measure.rules.labels
    for part in parts:
        if not len(part):
            continue
        uses = np.zeros(len(part), dtype=np.int8)
        for rows, use in ((used.learned, LEARNED), (used.chosen_on, CHOSEN_ON)):
            first, last = np.searchsorted(rows, [part.numbers[0], part.numbers[-1] + 1])
            uses[np.searchsorted(part.numbers, rows[first:last])] = use
        y = reader.positions(part, labels)
        measure.add(Batch(measure.matrix(part.columns), y, part.weights, uses))


def finish(estimator: LogicEstimator, measure: AllRowsMeasure) -> None:
    """Keep the figures of all rows, and the probabilities that they show."""
    found = measure.result()
    frontier: Frontier = estimator.frontier_
    chosen = estimator.rules_
    size = chosen.size
    if isinstance(measure, ClassMeasure) and found.compared:
        points = [
            replace(point, rules=_calibrated(point.rules, counts, measure.factors))
            for point, counts in zip(frontier, measure.tables, strict=True)
        ]
        frontier = replace(frontier, points=tuple(points))
        same = next((each.rules for each in points if each.size == size), chosen)
        estimator.rules_ = same
    estimator.frontier_ = frontier
    estimator.all_rows_ = found
    if math.isfinite(found.new_error):
        estimator.expected_error_ = _expected_error(estimator, measure, found)


def _expected_error(
    estimator: LogicEstimator, measure: AllRowsMeasure, found: AllRows
) -> float:
    """The error on rows that were not learned from, and what it owes to the choice of a size.

    The choice flatters only the rows that it was made on, and those that they stand for.
    """
    held_out = estimator.frontier_.held_out
    if held_out is None:
        return found.new_error
    within = _sizes_within(estimator)
    share = float((measure.weight[LEARNED] + measure.weight[CHOSEN_ON]) / measure.weight.sum())
    optimism = share * held_out.optimism(within, estimator.tolerance)
    if estimator.frontier_.predicts == "class":
        return min(found.new_error + optimism, 1.0)
    return float(np.hypot(found.new_error, held_out.unit * math.sqrt(optimism)))


def _sizes_within(estimator: LogicEstimator) -> int:
    """How many sizes the chosen one was chosen among."""
    most = estimator.max_literals
    sizes = [point.size for point in estimator.frontier_]
    return max(1, sum(most is None or size <= most for size in sizes))


def _calibrated(rules: RuleSet, counts: dict[float, Floats], factors: Floats | None) -> RuleSet:
    """Rules of two classes with the probabilities that all rows show."""
    even = isinstance(rules, ClassificationRules) and rules.decision_threshold == EVEN
    if not even or not rules.crisp or len(counts) < 2:
        return rules
    assert isinstance(rules, ClassificationRules)
    differences = np.array(sorted(counts))
    table = np.array([counts[value] for value in differences.tolist()])
    return calibrate(rules, differences, table if factors is None else table * factors)


def fit_dataset(
    estimator: LogicEstimator,
    table: StreamedTable,
    roles: Columnar,
    sample_rows: int,
    checkpoint: Any,
    on_progress: OnProgress,
) -> tuple[Remark, ...]:
    """Learn from a table in files; returns remarks on columns that were left out."""
    number = is_regressor(estimator)
    table = table.with_number_target(roles.target) if number else table

    def read(names: Sequence[str], what: str) -> Iterator[Examples]:
        parts = table.examples(names, roles.target, roles.weight, number=number)
        for part in parts:
            yield part
            if len(part):
                on_progress(what, (int(part.numbers[-1]) + 1) / table.rows)

    where = table.files[0].path
    reading = read(roles.names, "reading")
    learned = look_through(reading, roles, sample_rows, not number, where)
    reader = TargetReader(learned.statistics, roles.target)
    on_progress("learning", 0.0)
    used = learn(estimator, learned, reader, checkpoint)
    if not learned.is_whole:
        measure = make_measure(estimator, learned, reader, used)
        columns = measure.columns or list(learned.roles.names[:1])
        measure_all_rows(measure, read(columns, "measuring"), reader, used)
        finish(estimator, measure)
    return (*table.remarks, *learned.remarks)


def warn_of(remarks: Sequence[Remark]) -> None:
    """Warn of columns that were left out."""
    for each in remarks:
        if each.kind == "left_out":
            warnings.warn(
                f"{each.message}; name the columns to learn from to keep them",
                ColumnWarning,
                stacklevel=3,
            )
