"""Inner folds that the splits of a cross-validation share, to choose the size of rules.

A fit holds out rows, fold by fold, to measure rules of each size on rows that they have not
seen. In a cross-validation of their own, splits would search five times each for that. Instead
the table is divided into groups. For each pair of groups, rules are learned from all others.
Their errors on one group choose sizes for the splits that test the other group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from crisplogic.training import TrainedNetworks

Rows = NDArray[np.intp]
# Rows to learn from, and rows to test on.
Split = tuple[Rows, Rows]

# With fewer groups, too few rows are left to learn from without two of them.
LEAST_GROUPS = 5


@dataclass(frozen=True)
class SharedFolds:
    """Inner folds of all splits.

    ``parts`` are sets of rows to learn from. ``folds`` has for each split the number of a part
    and the rows to test it on, fold by fold. A part holds neither these rows nor the test rows
    of the split.
    """

    parts: list[Rows]
    folds: list[list[tuple[int, Rows]]]

    def map_rows(self, change: Callable[[Rows], Rows]) -> SharedFolds:
        """The same folds of rows that have other numbers."""
        return SharedFolds(
            list(map(change, self.parts)),
            [[(number, change(rows)) for number, rows in own] for own in self.folds],
        )

    @property
    def n_tests(self) -> int:
        """How many folds all splits have, those that learn from the same part counted each."""
        return sum(map(len, self.folds))

    def first_users(self) -> list[int]:
        """For each part, the first split whose folds learn from it."""
        users: dict[int, int] = {}
        for split, own in enumerate(self.folds):
            for number, _ in own:
                users.setdefault(number, split)
        return [users[number] for number in range(len(self.parts))]

    def distribute(
        self, of_splits: Sequence[TrainedNetworks], of_parts: Sequence[TrainedNetworks]
    ) -> list[TrainedNetworks]:
        """The networks of each split, with those of shared parts as its folds."""
        return [
            replace(each, folds=[of_parts[number].as_fold(rows) for number, rows in own])
            for each, own in zip(of_splits, self.folds, strict=True)
        ]


def find_shared_folds(splits: Sequence[Split], n_rows: int, n_folds: int) -> SharedFolds | None:
    """Inner folds for splits that test every row of a table once, or several times in turn.

    Test rows are joined to ``n_folds`` groups. None where splits or groups are too few, or
    where test rows overlap.

    >>> rows = np.arange(10)
    >>> tests = np.split(rows, 5)
    >>> shared = find_shared_folds([(np.setdiff1d(rows, test), test) for test in tests], 10, 5)
    >>> len(shared.parts)
    10
    >>> number, test = shared.folds[0][0]
    >>> shared.parts[number].tolist(), test.tolist()
    ([4, 5, 6, 7, 8, 9], [2, 3])
    """
    shared = SharedFolds([], [])
    for block in _partitions(splits, n_rows):
        if block is None or len(block) < n_folds or n_folds < LEAST_GROUPS:
            return None
        _add_folds(shared, block, n_rows, n_folds)
    return shared


def _partitions(splits: Sequence[Split], n_rows: int) -> Iterator[list[Split] | None]:
    """Splits one after the other that test every row once; None for some that do not."""
    block: list[Split] = []
    times = np.zeros(n_rows, dtype=np.intp)
    for train, test in splits:
        block.append((train, test))
        times += np.bincount(test, minlength=n_rows)
        seen = np.bincount(train, minlength=n_rows) + np.bincount(test, minlength=n_rows)
        if (times > 1).any() or (seen != 1).any():
            yield None
        if times.all():
            yield block
            block, times = [], np.zeros(n_rows, dtype=np.intp)
    if block:
        yield None


def _add_folds(shared: SharedFolds, block: Sequence[Split], n_rows: int, n_groups: int) -> None:
    """The folds of splits that test every row once."""
    group_of_split = np.arange(len(block)) * n_groups // len(block)
    group_of_row = np.empty(n_rows, dtype=np.intp)
    for (_, test), group in zip(block, group_of_split, strict=True):
        group_of_row[test] = group
    number = {}
    for pair in combinations(range(n_groups), 2):
        number[frozenset(pair)] = len(shared.parts)
        shared.parts.append(np.flatnonzero(~np.isin(group_of_row, pair)))
    shared.folds.extend(
        [
            (number[frozenset((own, other))], np.flatnonzero(group_of_row == other))
            for other in range(n_groups)
            if other != own
        ]
        for own in group_of_split.tolist()
    )
