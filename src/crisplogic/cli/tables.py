"""Tables from files: to learn from, and to predict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import typer
from numpy.typing import NDArray

from crisplogic.cli.model import Origin
from crisplogic.cli.options import ColumnOptions, Task, with_options
from crisplogic.cli.output import progress_bar
from crisplogic.errors import TableError
from crisplogic.io import (
    Cells,
    Layout,
    Remark,
    check_classes,
    column_kinds,
    looks_continuous,
    open_chunks,
    read_table,
)
from crisplogic.messages import list_some
from crisplogic.rules.memberships import Flag
from crisplogic.tables import Column, Columns, Text

if TYPE_CHECKING:
    from crisplogic.io.chunks import FractionRead, OnRemarks
    from crisplogic.io.kept import KeptColumns
    from crisplogic.rules import RuleSet
    from crisplogic.rules.rule import Label


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """A table whose target is read for its task: classes, or numbers.

    ``remarks`` say what was not read as it stands, and ``left_out`` which columns were left
    out. ``inferred`` says that the task was found from the target.

    Shape: ``y`` (rows,); ``weights`` (rows,), or None.
    """

    columns: Columns
    y: NDArray[Any]
    weights: NDArray[np.float64] | None
    target: str
    task: Task
    inferred: bool = False
    left_out: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.columns.names or ()

    @property
    def classes(self) -> list[Label]:
        """The classes in sorted order; none for regression."""
        return [] if self.task == Task.REGRESSION else np.unique(self.y).tolist()

    @property
    def class_weights(self) -> list[float]:
        """How much all rows of each class weigh together."""
        positions = np.unique(self.y, return_inverse=True)[1]
        weights: list[float] = np.bincount(positions, self.weights).tolist()
        return weights

    @property
    def origin(self) -> Origin:
        """What rules of this table are about."""
        if self.task == Task.REGRESSION:
            return Origin.of("number", [self.target], self.names)
        return Origin.of("class", self.classes, self.names)

    def without_zero_weights(self) -> TrainingTable:
        """Leave out rows of weight 0, unless all rows are."""
        if self.weights is None or not self.weights.any():
            return self
        rows = np.flatnonzero(self.weights)
        columns, weights = self.columns.take(rows), self.weights[rows]
        return replace(self, columns=columns, y=self.y[rows], weights=weights)


def read_training_table(
    path: Path, options: ColumnOptions, layout: Layout, quiet: bool
) -> TrainingTable:
    """Read a file to learn from; show progress unless ``quiet``."""
    with progress_bar(f"reading {path.name}", quiet) as on_progress:
        table = read_table(
            path,
            options.target,
            drop=options.drop or (),
            categories=options.category or (),
            keep=options.keep or (),
            weight=options.weight,
            layout=layout,
            on_progress=on_progress,
        )
    assert table.target is not None
    task = _task(table.target, options.task)
    y = _targets(table.target, options.target, task)
    check_varies(path, table.columns)
    return TrainingTable(
        columns=table.columns,
        y=y,
        weights=table.weights,
        target=options.target.strip(),
        task=task,
        inferred=options.task == Task.AUTO,
        left_out=table.left_out,
        remarks=table.remarks,
    )


def check_varies(where: object, columns: Columns) -> None:
    """Refuse a table whose columns, apart from the target, hold one value each."""
    if len(columns) < 2 or any(_varies(column) for column in columns.columns):
        return
    names = list_some(columns.names or ())
    raise TableError(
        f"{where}: nothing can be learned from columns that hold the same value in every row; "
        f"these are all there are beside the target: {names}"
    )


def _varies(column: Column) -> bool:
    values = column.codes if isinstance(column, Text) else column.values
    known = values[~np.isnan(values)]
    return 0 < len(known) < len(values) or bool((known != known[:1]).any())


def _task(cells: Cells, task: Task) -> Task:
    """The task itself, for ``auto`` the one that the target looks like."""
    if task != Task.AUTO:
        return task
    numbers = cells.numbers
    continuous = numbers is not None and looks_continuous(numbers)
    return Task.REGRESSION if continuous else Task.CLASSIFICATION


def _targets(cells: Cells, target: str, task: Task) -> NDArray[Any]:
    """Numbers, or the names of classes. Shape: (rows,)."""
    if task == Task.REGRESSION:
        return cells.require_numbers(
            advice="; correct it, or learn classes (--task classification)"
        )
    labels = cells.labels
    check_classes(labels, target)
    return labels


def are_several(paths: Sequence[Path]) -> bool:
    """Whether paths stand for several files: a folder and a pattern do."""
    first = paths[0]
    pattern = has_magic(str(first)) and not first.exists()
    return len(paths) > 1 or first.is_dir() or pattern


def table_files(paths: Sequence[Path]) -> list[Path]:
    """The files of a table that was named by files, folders or patterns."""
    if not are_several(paths):
        return list(paths)
    from crisplogic.streaming import list_files

    return [Path(path) for path in list_files(list(map(str, paths)))]


# More remarks than this are counted, not printed.
MOST_REMARKS = 20


def print_remarks(remarks: Sequence[Remark], *more: str) -> None:
    """Print remarks on standard error, and a blank line after them."""
    lines = [with_options(each.message, each.remedies) for each in remarks]
    left = len(lines) - MOST_REMARKS
    lines = lines[:MOST_REMARKS] + ([f"and {left} more remarks"] if left > 0 else [])
    if lines or more:
        typer.echo("\n".join([*lines, *more]) + "\n", err=True)


@contextmanager
def open_for_rules(
    path: Path,
    rules: RuleSet,
    layout: Layout,
    on_remarks: OnRemarks | None = None,
    kept: KeptColumns | None = None,
    also: Sequence[RuleSet] = (),
) -> Iterator[tuple[Iterator[Columns], FractionRead]]:
    """The columns that rules need, in chunks, of the kinds that the rules were learned from.

    ``on_remarks`` is called with remarks about the file once it has been read. ``kept``
    columns are read as they stand. Rules of the same table are ``also`` asked what they need.
    """
    used = [each.memberships[index] for each in (rules, *also) for index in each.used]
    flags = {each.feature for each in used if isinstance(each, Flag)}
    kinds = column_kinds(rules.features, rules.levels, flags)
    mentioned = {rules.features[each.feature] for each in used}
    unused = [name for name in rules.features if name not in mentioned]
    with open_chunks(path, kinds, unused, layout, on_remarks, kept) as opened:
        yield opened
