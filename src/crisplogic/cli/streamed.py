"""Tables in several files, or in a large one: read in batches, learned from by a sample."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from crisplogic.cli.options import ColumnOptions, StreamOptions, Task
from crisplogic.cli.output import progress_bar
from crisplogic.cli.performance import (
    ClassPerformance,
    Confusion,
    NumberPerformance,
    Performance,
)
from crisplogic.cli.tables import TrainingTable, are_several, check_varies
from crisplogic.errors import TargetWarning
from crisplogic.group import ALONE, Group, on_first, require_agreement, together
from crisplogic.io import Layout, Remark, check_classes
from crisplogic.io.infer_types import MOST_FRACTIONS, MOST_WHOLE
from crisplogic.streaming import StreamedTable, describe_table
from crisplogic.tables import Numbers
from crisplogic.tables.kinds import as_text, parse_number

if TYPE_CHECKING:
    from crisplogic.cli.training import FitResult
    from crisplogic.estimators.base import LogicEstimator
    from crisplogic.estimators.streamed import Learned, Roles
    from crisplogic.rules import AllRows, RuleSet

# A larger file is read in batches. In memory a table takes several times as much.
LARGE = 2**30


@dataclass(frozen=True, eq=False)
class SampledTable:
    """A table in files, what the first pass over it found, and its sample to learn from."""

    table: StreamedTable
    learned: Learned
    data: TrainingTable

    @property
    def is_whole(self) -> bool:
        """Whether the sample is all of the table."""
        return self.learned.is_whole

    def as_table(self) -> TrainingTable:
        """The sample, with a remark that it is one."""
        if self.is_whole:
            return self.data
        rows, of_rows = len(self.data.columns), self.learned.statistics.rows
        message = f"evaluated on a sample of {rows:,} of {of_rows:,} rows"
        remarks = (*self.data.remarks, Remark("sample", message, count=rows))
        return replace(self.data, remarks=remarks)


def is_streamed(paths: Sequence[Path], options: StreamOptions, group: Group) -> bool:
    """Whether a table is read in batches: one of several files, a large one, or by several."""
    first, many = paths[0], are_several(paths)
    if group.size > 1 and options.stream is False:
        raise typer.BadParameter("--no-stream needs one process; several read in batches")
    if group.size > 1:
        return True
    if options.stream is not None:
        if many and not options.stream:
            raise typer.BadParameter(
                "--no-stream needs one file; several are read in batches (--stream)"
            )
        return options.stream
    return many or (first.is_file() and first.stat().st_size > LARGE)


def _names(paths: Sequence[Path]) -> list[str]:
    return list(map(str, paths))


def read_sampled_table(
    paths: Sequence[Path],
    options: ColumnOptions,
    layout: Layout,
    stream: StreamOptions,
    quiet: bool,
    group: Group = ALONE,
) -> SampledTable:
    """The first pass over a table in files; show progress unless ``quiet``."""
    from crisplogic.estimators.streamed import TargetReader, first_pass

    table, roles = together(group, lambda: _open(paths, options, layout))
    known = {"columns to learn from": roles, "--sample-rows": stream.sample_rows}
    require_agreement(group, {**describe_table(table), **known})
    task = on_first(group, lambda: _task(table, roles.target, options.task))
    number = task == Task.REGRESSION
    with progresses(quiet) as on_progress:
        learned = first_pass(table, roles, number, stream.sample_rows, on_progress, group)
    reader = TargetReader(learned.statistics, roles.target)
    y = reader.read(learned.sample)
    if not number:
        check_classes(y, roles.target)
    check_varies(table.where, learned.sample.columns)
    remarks = (*table.remarks, *learned.remarks)
    data = TrainingTable(
        columns=learned.sample.columns,
        y=y,
        weights=learned.sample.weights,
        target=roles.target,
        task=task,
        inferred=options.task == Task.AUTO,
        left_out=tuple(n for each in remarks if each.kind == "left_out" for n in each.columns),
        remarks=remarks,
    )
    return SampledTable(table, learned, data)


def _open(
    paths: Sequence[Path], options: ColumnOptions, layout: Layout
) -> tuple[StreamedTable, Roles]:
    from crisplogic.estimators.streamed import choose_columns

    table = StreamedTable.open(_names(paths), layout, options.category or ())
    table, roles = choose_columns(
        table, options.target, options.weight, None, options.drop or (), None
    )
    asked = [table.find(name) for name in (*(options.keep or ()), *(options.category or ()))]
    return table, roles.ask_for(asked)


@contextmanager
def progresses(quiet: bool) -> Iterator[Callable[[str, float], None]]:
    """A function to call with what is being done, and the share that is done."""
    with ExitStack() as stack:
        bars: dict[str, Callable[[float], None]] = {}

        def update(what: str, share: float) -> None:
            if what not in bars:
                bars[what] = stack.enter_context(progress_bar(f"{what} all rows", quiet))
            bars[what](share)

        yield update


def _task(table: StreamedTable, target: str, task: Task) -> Task:
    """The task itself, for ``auto`` the one that the target looks like in all rows."""
    if task != Task.AUTO:
        return task
    different: set[float] = set()
    for rows in table.read([target]):
        column = rows.columns.columns[0]
        if isinstance(column, Numbers) and column.boolean:
            return Task.CLASSIFICATION
        words = as_text(column)
        counted = zip(words.uniques, words.counts().tolist(), strict=True)
        numbers = [parse_number(word) for word, count in counted if count]
        if any(number is None for number in numbers):
            return Task.CLASSIFICATION
        different.update(number for number in numbers if number is not None)
        whole = all(number.is_integer() for number in different)
        if len(different) > (MOST_WHOLE if whole else MOST_FRACTIONS):
            return Task.REGRESSION
    return Task.CLASSIFICATION


def fit_sampled(
    estimator: LogicEstimator,
    sampled: SampledTable,
    checkpoint: Path | None,
    quiet: bool,
    group: Group = ALONE,
) -> FitResult:
    """Fit an estimator to the sample, and measure its rules on all rows."""
    from crisplogic.cli.training import FitResult, result_of
    from crisplogic.estimators.streamed import describe_run, fit_learned

    table, learned = sampled.table, sampled.learned
    require_agreement(group, describe_run(estimator, table, learned.roles, len(learned.sample)))
    with warnings.catch_warnings(), progresses(quiet) as on_progress:
        warnings.simplefilter("ignore", TargetWarning)  # remarks say the same
        fit_learned(estimator, table, learned, checkpoint, on_progress, group)
    if sampled.is_whole:
        return result_of(estimator, sampled.data)
    fitted: Any = estimator
    found: AllRows = fitted.all_rows_
    rules, frontier = fitted.rules_, fitted.frontier_
    if sampled.data.task == Task.REGRESSION:
        names = {rules.labels[0]: sampled.data.target}
        rules = rules.rename(labels=names)
        frontier = frontier.map_rules(lambda each: each.rename(labels=names))
    return FitResult(
        rules,
        frontier,
        fitted.snap_report_,
        _performance(rules, found),
        fitted.held_out_errors_,
        all_rows=found,
    )


def _performance(rules: RuleSet, found: AllRows) -> Performance:
    """The figures on all rows, as those of a table in memory."""
    if not found.confusion:
        return NumberPerformance(
            found.error, found.mae, found.r2, found.baseline, found.left_out
        )
    import numpy as np

    counts = np.array(found.confusion)
    most = int(counts.sum(axis=1).argmax())
    return ClassPerformance(
        error=float(1 - np.trace(counts) / counts.sum()),
        baseline=found.baseline,
        most_frequent=rules.labels[most],
        auc=found.auc,
        confusion=Confusion(tuple(rules.labels), counts),
    )
