"""WindowStream: windows of a table in files, as networks train on them.

A window has rows from several places of the table, which are read side by side. Who reads which
place does not change what a window holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from crisplogic.estimators.views import EncodedView, ScaleTargets
from crisplogic.group import ALONE, Group
from crisplogic.streaming import (
    Examples,
    Shard,
    StreamedTable,
    fold_numbers,
    join_examples,
    shuffle_shards,
)
from crisplogic.training import Part, ShownRows, StreamedRows

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

# Rows of a window, and the places of the table that they come from.
WINDOW_ROWS, LANES = 2**17, 16
# Rows that are read at once from a place.
READ_ROWS = 2**13
# The fold of rows that no network sees.
HIDDEN = -2


@dataclass(frozen=True)
class Lane:
    """Shards that one process reads, one after the other, and so many rows of each window."""

    shards: tuple[Shard, ...]
    rows: int
    first: int


def make_lanes(
    shards: Sequence[Shard], n_rows: int, seed: int, most: int = LANES
) -> list[Lane]:
    """Deal shards to lanes, which have a part of each window in proportion to their rows.

    It does not depend on how many processes there are.

    >>> from crisplogic.streaming.shards import FileStamp, with_first_rows
    >>> stamp = FileStamp("a.parquet", 0, 0)
    >>> shards = with_first_rows((stamp, "parquet", 100, group) for group in range(5))
    >>> [(len(lane.shards), lane.first, lane.rows) for lane in make_lanes(shards, 50, 0, 2)]
    [(3, 0, 30), (2, 30, 20)]
    """
    shuffled = shuffle_shards([each for each in shards if len(each)], seed)
    dealt = [tuple(shuffled[at::most]) for at in range(min(most, len(shuffled)))]
    upto = np.cumsum([0, *(sum(map(len, each)) for each in dealt)])
    ends = np.rint(upto * (n_rows / upto[-1])).astype(int).tolist()
    parts = zip(dealt, pairwise(ends), strict=True)
    return [Lane(each, end - start, start) for each, (start, end) in parts if end > start]


@dataclass(eq=False)
class WindowStream:
    """Windows of a table, in all processes of a group.

    ``sample`` are the numbers of the rows that are in memory, of which training knows what they
    are for: rows of a fold, or to be tested on. Other rows belong to folds by their numbers.
    ``columns``, ``target`` and ``weight`` are names. ``read_targets`` makes class numbers or
    numbers of examples; ``scale`` scales them for a view; ``weigh`` makes weights, with
    a mean of 1 over the whole table, of targets and of what the file says.
    """

    table: StreamedTable
    columns: Sequence[str]
    target: str
    weight: str | None
    number: bool
    sample: NDArray[np.int64]
    read_targets: Callable[[Examples], NDArray[Any]]
    scale: ScaleTargets
    weigh: Callable[[NDArray[Any], Floats | None], Floats]
    seed: int
    n_rows: int
    group: Group = ALONE
    _lanes: list[tuple[Lane, Iterator[Examples]]] = field(default_factory=list, repr=False)
    _next: int = field(default=0, repr=False)

    def read(self, number: int, part: Part) -> StreamedRows:
        """Own rows of a window, for every view of a part: all rows, then each fold."""
        if not self._lanes or self._next > number:
            self._start()
        while self._next < number:  # after an interruption
            self._read_own()
        places, examples = self._read_own()
        return StreamedRows(places, self._show(examples, part))

    def _start(self) -> None:
        lanes = make_lanes(self.table.shards, self.n_rows, self.seed)
        own = lanes[self.group.rank :: self.group.size]
        self._lanes = [(lane, self._parts(lane)) for lane in own]
        self._next = 0

    def _read_own(self) -> tuple[Rows, Examples | None]:
        self._next += 1
        read = [(lane, next(parts, None)) for lane, parts in self._lanes]
        found = [(lane, examples) for lane, examples in read if examples is not None]
        if not found:
            return np.empty(0, np.intp), None
        places = [lane.first + np.arange(len(examples)) for lane, examples in found]
        return np.concatenate(places), join_examples([examples for _, examples in found])

    def _parts(self, lane: Lane) -> Iterator[Examples]:
        """The rows of a lane, in parts of one window each, for ever."""
        waiting: list[Examples] = []
        held = 0
        for examples in self._passes(lane):
            waiting.append(examples)
            held += len(examples)
            while held >= lane.rows:
                joined = join_examples(waiting)
                yield joined.take(np.arange(lane.rows))
                waiting, held = [joined.take(np.arange(lane.rows, held))], held - lane.rows

    def _passes(self, lane: Lane) -> Iterator[Examples]:
        """The rows of a lane, pass after pass; none if no row of it has a target."""
        found, number = 1, 0
        while found:
            found = 0
            for shard in shuffle_shards(lane.shards, self.seed + number):
                for examples in self._examples(shard):
                    found += len(examples)
                    yield examples
            number += 1

    def _examples(self, shard: Shard) -> Iterator[Examples]:
        return self.table.examples(
            self.columns,
            self.target,
            self.weight,
            [shard],
            number=self.number,
            batch_rows=READ_ROWS,
            ahead=0,  # whole windows are read ahead
        )

    def _show(self, examples: Examples | None, part: Part) -> list[ShownRows]:
        views = [cast(EncodedView, view) for view in part.views]
        if examples is None:
            empty = np.empty(0)
            return [
                ShownRows(np.empty((0, view.inputs.shape[1])), view.targets[:0], empty)
                for view in views
            ]
        targets = self.read_targets(examples)
        weights = self.weigh(targets, examples.weights)
        folds = self._folds(examples.numbers, part)
        encoded: dict[Any, Floats] = {}
        shown = []
        for number, view in enumerate(views):
            key = view.encoder.groups
            if key not in encoded:
                encoded[key] = view.encoder.transform(view.encoder.matrix(examples.columns))
            hidden = (folds == HIDDEN) | (folds == number - 1)
            own = np.where(hidden, 0.0, weights)
            if number:  # the others make up for the rows of a fold
                own *= len(views[1:]) / (len(views[1:]) - 1)
            shown.append(ShownRows(encoded[key], self.scale(targets, view.known), own))
        return shown

    def _folds(self, numbers: NDArray[np.int64], part: Part) -> NDArray[np.int64]:
        """The fold of every row; ``HIDDEN`` if no network may see it."""
        folds = max(len(part.views) - 1, 1)
        found = fold_numbers(numbers, folds, self.seed)
        of_sample = np.full(len(self.sample), HIDDEN, dtype=np.int64)
        of_sample[part.rows] = part.fold_of_row
        places = np.searchsorted(self.sample, numbers).clip(max=len(self.sample) - 1)
        known = self.sample[places] == numbers
        found[known] = of_sample[places[known]]
        return found
