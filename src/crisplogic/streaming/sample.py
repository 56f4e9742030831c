"""PrioritySample: some rows that stand for all, the same whoever reads which rows.

Every row has a random number u, made of a seed and the number of the row. Its priority is its
weight over u. The rows of the highest priorities are the sample, so samples of parts can be
merged, and nothing depends on how rows were split. A row of the sample counts as much as it
weighs, but at least as much as the highest priority left out: then sums over the sample are
right on average, whatever is summed, and vary as little as any sample of so many rows can
(N. Duffield, C. Lund and M. Thorup, Priority sampling for estimation of arbitrary subset sums,
Journal of the ACM 54, 2007). Without weights all rows of the sample count the same: it is a
uniform sample without replacement.

Rows of a rare class have a sample of their own beside it, so that no class is missing. They
count accordingly less.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from crisplogic.streaming.random_numbers import uniform
from crisplogic.streaming.rows import Examples, Floats, join_examples
from crisplogic.tables import Text


@dataclass(eq=False)
class PrioritySample:
    """At most ``size`` rows, and at least ``per_class`` of every class, if it has as many.

    >>> from crisplogic.tables import read_columns
    >>> table = read_columns({"x": range(1000)})
    >>> target = Text.from_values(["no"] * 999 + ["yes"])
    >>> sample = PrioritySample(size=10, per_class=1)
    >>> sample.add(Examples(np.arange(1000), table, target))
    >>> found = sample.examples()
    >>> len(found), found.target.values.tolist().count("yes")
    (11, 1)
    """

    size: int
    per_class: int = 0
    seed: int = 0
    rows: int = 0
    _kept: list[tuple[Floats, Examples]] = field(default_factory=list, repr=False)
    _least: float = 0.0
    _least_of: dict[str, float] = field(default_factory=dict, repr=False)

    @property
    def is_whole(self) -> bool:
        """Whether all rows are in the sample."""
        return self.rows <= self.size

    def add(self, part: Examples) -> None:
        """Add some rows, each of which is added once."""
        self.rows += len(part)
        priority = 1.0 / uniform(part.numbers, self.seed)
        if part.weights is not None:
            priority *= part.weights
        high = np.flatnonzero(priority >= self._least_of_rows(part))
        if len(high) < len(part):
            part, priority = part.take(high), priority[high]
        if len(part):
            self._kept.append((priority, part))
        if sum(len(own) for own, _ in self._kept) > self._room:
            self._shrink()

    def merge(self, other: PrioritySample) -> PrioritySample:
        """The sample of the rows of both."""
        both = PrioritySample(self.size, self.per_class, self.seed, self.rows + other.rows)
        both._kept = [*self._kept, *other._kept]
        both._shrink()
        return both

    def examples(self) -> Examples:
        """The rows of the sample in the order of the table, with what each counts."""
        self._shrink()
        priority, rows = self._kept[0]
        if self.is_whole:
            return rows.take(np.argsort(rows.numbers, kind="stable"))
        # The first priorities that are left out are kept, too: they say what rows count.
        least = self._least_of_rows(rows)
        counts = np.maximum(1.0 if rows.weights is None else rows.weights, least)
        chosen = np.flatnonzero(priority > least)
        order = chosen[np.argsort(rows.numbers[chosen], kind="stable")]
        found = rows.take(order)
        counts = counts[order]
        same = rows.weights is None and bool((counts == counts[0]).all())
        return Examples(found.numbers, found.columns, found.target, None if same else counts)

    @property
    def _room(self) -> int:
        """Rows that are held before some of them are dropped."""
        return 2 * self.size + 2 * self.per_class * len(self._least_of) + 1000

    def _shrink(self) -> None:
        """Keep the rows of the highest priorities, and the next one of each kind."""
        if not self._kept:
            return
        priority = np.concatenate([own for own, _ in self._kept])
        rows = join_examples([part for _, part in self._kept])
        self._least = _rank(priority, self.size)
        if self.per_class and isinstance(rows.target, Text):
            for code, label in enumerate(rows.target.uniques):
                own = priority[rows.target.codes == code]
                if len(own):
                    self._least_of[label] = _rank(own, self.per_class)
        kept = np.flatnonzero(priority >= self._least_of_rows(rows))
        self._kept = [(priority[kept], rows.take(kept))]

    def _least_of_rows(self, rows: Examples) -> Any:
        """The priority that each row has to surpass. Shape: (rows,)."""
        least = np.full(len(rows), self._least)
        if not self.per_class or not isinstance(rows.target, Text):
            return least
        of_class = [self._least_of.get(label, 0.0) for label in rows.target.uniques]
        return np.minimum(least, np.array([*of_class, 0.0])[rows.target.codes])


def _rank(priority: Floats, size: int) -> float:
    """The highest priority that is not among the first so many; 0 if all are."""
    if len(priority) <= size:
        return 0.0
    place = len(priority) - size - 1
    return float(np.partition(priority, place)[place])


def sample_of(parts: Iterable[Examples], size: int, per_class: int = 0) -> PrioritySample:
    """The sample of all parts together."""
    sample = PrioritySample(size, per_class)
    for part in parts:
        sample.add(part)
    return sample
