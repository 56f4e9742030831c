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
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from crisplogic.constraints import find_forbidden
from crisplogic.errors import ColumnWarning, TableError
from crisplogic.estimators.comparing import (
    keep_comparison,
    sizes_ignored,
    with_other_literals,
)
from crisplogic.estimators.window_stream import WINDOW_ROWS, WindowStream
from crisplogic.group import ALONE, Group, merge_results
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
from crisplogic.rules.metrics import unit_of
from crisplogic.rules.outliers import FENCE, robust_centre_and_spread
from crisplogic.search import Classification, TrainingSet, calibrate
from crisplogic.streaming import (
    Examples,
    PrioritySample,
    StreamedTable,
    TableStatistics,
    describe_table,
    in_threads,
    is_identifier,
    part_of,
    uniform,
)
from crisplogic.streaming.statistics import MOST_CLASSES, NumberStatistics
from crisplogic.tables import Columns, Numbers, Text
from crisplogic.training import Checkpoint, TrainingConfig
from crisplogic.weights import sample_rows

if TYPE_CHECKING:
    from crisplogic.estimators.base import LogicEstimator
    from crisplogic.estimators.views import Source

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
# standard error of a share of them is 2 % at most. In a small sample it is a share of it.
ROWS_OF_CLASS = 500
SHARE_OF_CLASS = 0.05
# The sample of a wide table has fewer rows: so many cells are 256 MiB.
SAMPLE_CELLS = 2**25
# Rules of sizes that are not chosen are measured on about so many rows: the standard error of
# a share is 0.02 % at most.
COMPARED_ROWS = 10_000_000
# Not the seed of the sample: rows that are not in it have small random numbers under that.
COMPARED_SEED = 1


@dataclass(frozen=True)
class Roles:
    """What to learn from what: names of the columns, the target and the weight.

    Columns that are ``asked`` for are kept even if they seem to identify rows.
    """

    names: tuple[str, ...]
    target: str
    weight: str | None = None
    asked: frozenset[str] = frozenset()

    def ask_for(self, names: Sequence[str]) -> Roles:
        """The same with these columns kept, whatever they hold."""
        return replace(self, asked=self.asked.union(names))


@dataclass(frozen=True, eq=False)
class Learned:
    """What the first pass found: statistics, a sample, and the columns that say something."""

    roles: Roles
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
) -> tuple[StreamedTable, Roles]:
    """The columns to learn from; those that are forbidden are not read."""
    target = table.find(target)
    weight = None if weight is None else table.find(weight)
    apart = [target, *([] if weight is None else [weight])]
    if weight == target:
        raise TableError(f"column {target!r} cannot be the target and the weight as well")
    left_out = {*apart, *map(table.find, drop)}
    asked = None if columns is None else list(map(table.find, columns))
    names = tuple(
        asked or (name for name in table.names if name.strip() and name not in left_out)
    )
    if not names:
        raise TableError(f"{table.where}: no column is left to learn from")
    both = sorted(left_out.intersection(names))
    if both:
        raise TableError(f"column {both[0]!r} cannot be one to learn from and left out as well")
    excluded = [names[at] for at in find_forbidden(list(names), forbidden or ())]
    table = table.without(excluded)
    table.check_columns([*names, *apart])
    return table, Roles(names, target, weight, frozenset(asked or ()))


@dataclass(frozen=True, eq=False)
class FirstPass:
    """What one pass over some rows found: statistics of all of them, and a sample."""

    statistics: TableStatistics
    sample: PrioritySample

    @classmethod
    def of(
        cls, parts: Iterable[Examples], columns: int, sample_rows: int, classes: bool
    ) -> FirstPass | None:
        """Look at all parts; None if there are none."""
        size = max(1, min(sample_rows, SAMPLE_CELLS // columns))
        least = min(ROWS_OF_CLASS, int(SHARE_OF_CLASS * size))
        sample = PrioritySample(size, least if classes else 0)

        def sampled() -> Iterator[Examples]:
            for part in parts:
                sample.add(part)
                yield part

        seen = sampled()
        first = next(seen, None)
        if first is None:
            return None
        return cls(TableStatistics.of(chain([first], seen)), sample)

    def merge(self, other: FirstPass) -> FirstPass:
        """What was found in the rows of both."""
        return FirstPass(self.statistics + other.statistics, self.sample.merge(other.sample))


def from_first_pass(found: FirstPass | None, roles: Roles, where: str = "") -> Learned:
    """What to learn from, given the statistics and the sample of all rows.

    Columns that identify rows are left out, with a remark.
    """
    if found is None or not found.sample.rows:
        raise TableError(
            f"{where}: no row is left to learn from: the target {roles.target!r} is missing "
            "in all of them" + ("" if roles.weight is None else ", or their weight is 0")
        )
    statistics, sample = found.statistics, found.sample
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
    statistics: TableStatistics, sample: Examples, roles: Roles
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
        # Words that no row has any more, as where all their rows weigh nothing, have no label.
        nobody = next(iter(self.labels.values()))
        words = [self.labels.get(word, nobody) for word in part.target.uniques]
        return np.array(words)[part.target.codes]

    def positions(self, part: Examples, labels: Sequence[Any]) -> NDArray[Any]:
        """Numbers, or the positions of classes among ``labels``. Shape: (rows,)."""
        if isinstance(part.target, Numbers):
            return part.target.values
        place = {label: at for at, label in enumerate(labels)}
        places = [place.get(self.labels.get(word), -1) for word in part.target.uniques]
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
    table: StreamedTable | None = None,
    group: Group = ALONE,
) -> Uses:
    """Learn from the sample, networks also from the whole table if it is given.

    All processes of a group do this alike, and end with what the first one has learned.
    Returns what rows were used for.
    """
    sample = learned.sample
    y = reader.read(sample)
    if reader.is_number:
        y = NamedNumbers.of(y, reader.name)
    if learned.is_whole:
        estimator._fit(sample.columns, y, sample.weights, checkpoint, group)
        _keep_one(estimator, group)
        return Uses(sample.numbers, sample.numbers[:0])
    source, numbers = estimator._read(
        sample.columns, y, sample.weights, learned.statistics.schema()
    )
    tests = _held_out(estimator, source.targets)
    uses = Uses(
        np.delete(sample.numbers[numbers], tests),
        sample.numbers[numbers][tests],
        source.targets.task.robust,
    )

    def learn_as(one: LogicEstimator, seed: int, kept: Checkpoint | None) -> None:
        stream = None
        if table is not None and not one.validation_fraction:
            stream = _stream(one, table, learned, reader, source, uses, seed, group)
        one._learn(source, config_of(one, stream), seed, kept, tests, group, stream)

    def config_of(one: LogicEstimator, stream: WindowStream | None) -> TrainingConfig:
        config = one._training_config(source, len(source.targets) - len(tests))
        return replace(config if stream is None else _in_windows(config, one, stream), folds=0)

    seed = group.broadcast(check_random_state(estimator.random_state).randint(2**31))
    kept = None
    if checkpoint is not None:
        kept = estimator._open(checkpoint, source, config_of(estimator, None), seed, group)
        seed = kept.seed
    learn_as(estimator, seed, kept)
    if estimator.compare_literals:
        other = with_other_literals(estimator)
        with sizes_ignored():
            learn_as(other, seed, None)
        keep_comparison(estimator, other)
    if kept is not None:
        kept.remove()
    _keep_one(estimator, group)
    return uses


def _keep_one(estimator: LogicEstimator, group: Group) -> None:
    """Keep what the first process has learned, whatever the others' processors are."""
    estimator.__dict__.update(group.broadcast(dict(vars(estimator))))


def _stream(
    estimator: LogicEstimator,
    table: StreamedTable,
    learned: Learned,
    reader: TargetReader,
    source: Source,
    uses: Uses,
    seed: int,
    group: Group,
) -> WindowStream:
    """Windows of the whole table, of as many rows as networks learn from in memory."""
    roles, statistics, targets = learned.roles, learned.statistics, source.targets
    factors = None
    if isinstance(targets.task, Classification):
        factors = _class_factors(estimator, statistics, reader, targets.labels)
    total = statistics.weight
    if factors is not None:
        of_word = statistics.class_weights
        places = [list(targets.labels).index(reader.labels[word]) for word in of_word]
        total = float(factors[places] @ np.array(list(of_word.values())))
    # Rows that are tested on have no weight; the others make up for them.
    share = total / statistics.rows * (1 - len(uses.chosen_on) / statistics.rows)

    def weigh(y: NDArray[Any], weights: Floats | None) -> Floats:
        own = np.ones(len(y)) if weights is None else weights
        return own / share if factors is None else own * factors[y] / share

    def read_targets(part: Examples) -> NDArray[Any]:
        return estimator._transformed(reader.positions(part, targets.labels))

    return WindowStream(
        table,
        roles.names,
        roles.target,
        roles.weight,
        reader.is_number,
        np.sort(np.concatenate([uses.learned, uses.chosen_on])),
        read_targets,
        estimator._scale_targets,
        weigh,
        seed=seed,
        n_rows=min(WINDOW_ROWS, len(uses.learned)),
        group=group,
    )


def _in_windows(
    config: TrainingConfig, estimator: LogicEstimator, stream: WindowStream
) -> TrainingConfig:
    """An epoch is a window; epochs that a user asks for are passes over all rows."""
    if estimator.epochs == "auto":
        return config
    windows = math.ceil(stream.table.rows / stream.n_rows)
    soft, snapped = (
        phase and replace(phase, epochs=phase.epochs * windows)
        for phase in (config.soft, config.snapped)
    )
    assert soft is not None
    return replace(config, soft=soft, snapped=snapped)


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
        return ClassMeasure(rules, points, factors)
    assert isinstance(rules, RegressionRules)
    sample, fence = learned.sample, (0.0, math.inf)
    numbers = reader.read(sample)
    if uses.robust:
        y = rules.transformed(numbers)
        centre, spread = robust_centre_and_spread(y, sample.weights)
        fence = (centre, FENCE * spread if spread else math.inf)
    return NumberMeasure(rules, points, unit_of(numbers), fence)


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
    parts: Iterable[Examples],
    reader: TargetReader,
    used: Uses,
    all_rows: int,
) -> AllRowsMeasure:
    """The last pass: add rows to the measure, of a table of so many rows.

    Threads measure batches side by side. What they find is added in the order of the batches,
    so that sums are the same to the last bit, however many threads there are.
    """
    share = min(1.0, COMPARED_ROWS / max(all_rows, 1))

    def measured(part: Examples) -> AllRowsMeasure:
        own = measure.empty()
        own.add(_batch(measure, part, reader, used, share))
        return own

    for own in in_threads(measured, (part for part in parts if len(part))):
        measure.merge(own)
    return measure


def _batch(
    measure: AllRowsMeasure, part: Examples, reader: TargetReader, used: Uses, share: float
) -> Batch:
    uses = np.zeros(len(part), dtype=np.int8)
    for rows, use in ((used.learned, LEARNED), (used.chosen_on, CHOSEN_ON)):
        first, last = np.searchsorted(rows, [part.numbers[0], part.numbers[-1] + 1])
        uses[np.searchsorted(part.numbers, rows[first:last])] = use
    compared = uniform(part.numbers, COMPARED_SEED) < share
    y = reader.positions(part, measure.rules.labels)
    return Batch(measure.matrix(part.columns), y, part.weights, uses, compared)


def finish(estimator: LogicEstimator, measure: AllRowsMeasure) -> None:
    """Keep the figures of all rows, and the probabilities that they show."""
    found = measure.result()
    frontier: Frontier = estimator.frontier_
    chosen = estimator.rules_
    size = chosen.size
    if isinstance(measure, ClassMeasure) and found.compared:
        points = [
            replace(point, rules=_calibrated(point.rules, measure, at))
            for at, point in enumerate(frontier)
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


def _calibrated(rules: RuleSet, measure: ClassMeasure, at: int) -> RuleSet:
    """Rules of two classes with the probabilities that all rows show."""
    even = isinstance(rules, ClassificationRules) and rules.decision_threshold == EVEN
    if not even or not rules.crisp or len(measure.tables[at]) < 2:
        return rules
    assert isinstance(rules, ClassificationRules)
    differences, counts = measure.class_table(at)
    both = bool(counts.sum(axis=0).all())
    return calibrate(rules, differences, counts) if both else rules


def first_pass(
    table: StreamedTable,
    roles: Roles,
    number: bool,
    sample_rows: int = SAMPLE_ROWS,
    on_progress: OnProgress = lambda what, share: None,
    group: Group = ALONE,
) -> Learned:
    """Find statistics and a sample of a table in files, whose target is a ``number`` or not.

    Of a group of processes each reads a part of the files, and all know what was found.
    """
    table = table.with_number_target(roles.target) if number else table

    def look() -> FirstPass | None:
        parts = _read(table, roles, roles.names, number, "reading", on_progress, group)
        return FirstPass.of(parts, len(roles.names), sample_rows, not number)

    found = merge_results(group, look, FirstPass.merge)
    return from_first_pass(found, roles, table.where)


def fit_learned(
    estimator: LogicEstimator,
    table: StreamedTable,
    learned: Learned,
    checkpoint: Any = None,
    on_progress: OnProgress = lambda what, share: None,
    group: Group = ALONE,
) -> None:
    """Learn from the sample of a table, and measure on all of its rows."""
    reader = TargetReader(learned.statistics, learned.roles.target)
    number, roles = reader.is_number, learned.roles
    table = table.with_number_target(roles.target) if number else table
    used = learn(estimator, learned, reader, checkpoint, table, group)
    if learned.is_whole:
        return
    measure = make_measure(estimator, learned, reader, used)
    names = measure.columns or list(roles.names[:1])

    def look() -> AllRowsMeasure:
        parts = _read(table, roles, names, number, "measuring", on_progress, group)
        return measure_all_rows(measure, parts, reader, used, table.rows)

    total = merge_results(group, look, merge_measures)
    assert total is not None
    finish(estimator, total)


def merge_measures(one: AllRowsMeasure, other: AllRowsMeasure) -> AllRowsMeasure:
    """What was measured on the rows of both; it is kept in the first."""
    one.merge(other)
    return one


def _read(
    table: StreamedTable,
    roles: Roles,
    names: Sequence[str],
    number: bool,
    what: str,
    on_progress: OnProgress,
    group: Group,
) -> Iterator[Examples]:
    """The rows that this process of a group reads."""
    shards = part_of(table.shards, group.rank, group.size)
    last = max(sum(map(len, shards)), 1)
    first = shards[0].first_row if shards else 0
    for part in table.examples(names, roles.target, roles.weight, shards, number=number):
        yield part
        if len(part):
            on_progress(what, (int(part.numbers[-1]) + 1 - first) / last)


def warn_of(remarks: Sequence[Remark]) -> None:
    """Warn of columns that were left out."""
    for each in remarks:
        if each.kind == "left_out":
            warnings.warn(
                f"{each.message}; name the columns to learn from to keep them",
                ColumnWarning,
                stacklevel=3,
            )


def describe_run(
    estimator: LogicEstimator, table: StreamedTable, roles: Roles, sample_rows: int
) -> dict[str, object]:
    """All that the processes of a group have to agree on."""
    settings = {f"parameter {name}": value for name, value in estimator.get_params().items()}
    return {
        "estimator": type(estimator).__name__,
        **settings,
        "target": roles.target,
        "weight": roles.weight,
        "columns": roles.names,
        "sample_rows": sample_rows,
        **describe_table(table),
    }
