"""Scan: a statement with each of many cuts of one of its literals, in one pass over the rows.

A cut only decides which rows lie above it. So the rows are counted once, by how many of the
cuts they lie above, and running sums of these counts tell about every cut.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.search.crisp.statement import FALSE, TRUE, Halves, Statement, with_literal

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scan:
    """A statement with each of many cuts of the literal at a place.

    ``ranks`` says how many of the cuts a row lies above. ``above`` is what the statement counts
    on a row under these cuts, ``below`` what it counts under all others. ``allowed`` are the
    cuts that may be chosen.

    Shape: ``cuts`` and ``allowed`` (cuts,), ascending; ``ranks``, ``above``, ``below`` (rows,).
    """

    statement: Statement
    place: int
    cuts: Floats
    allowed: NDArray[np.bool_]
    ranks: NDArray[np.intp]
    above: Halves
    below: Halves

    def __len__(self) -> int:
        return len(self.cuts)

    def with_cut(self, at: int) -> Statement:
        """The statement with one of the cuts."""
        literal = self.statement.literals[self.place]
        moved = literal._replace(cut=float(self.cuts[at]))
        return with_literal(self.statement, self.place, moved)

    def values(self, at: int) -> Halves:
        """What the statement counts with one of the cuts, in halves. Shape: (rows,)."""
        return np.where(self.ranks > at, self.above, self.below)

    def sums(self, above: Floats, below: Floats) -> Floats:
        """Sums over all rows, for every cut, of what they add above it and below it.

        Shape: (rows, sums) each; returns (cuts, sums).
        """
        n, width = len(self.cuts) + 1, above.shape[1]
        places = (self.ranks[:, None] * width + np.arange(width)).ravel()
        found = np.bincount(places, (above - below).ravel(), n * width).reshape(n, width)
        return np.asarray(below.sum(axis=0) + _after(found))

    def tables(
        self, above: NDArray[np.intp], below: NDArray[np.intp], size: int, *by_row: Floats
    ) -> list[Floats]:
        """How much of something has each count, for every cut.

        Shape: the counts of rows above a cut and below it, less than ``size``, (rows,) each;
        ``by_row`` (rows,) each; returns (cuts, counts) for each of them.
        """
        n, start = len(self.cuts) + 1, self.ranks * size
        found = []
        for own in by_row:
            high, low = (
                np.bincount(start + counts, own, n * size).reshape(n, size)
                for counts in (above, below)
            )
            found.append(np.maximum(_after(high) + low.cumsum(axis=0)[:-1], 0.0))
        return found

    def changed(self, weights: Floats) -> Floats:
        """How much the rows weigh on which a cut changes what the statement counts.

        Shape: (rows,) to (cuts,).
        """
        differ = np.where(self.above != self.below, weights, 0.0)
        up_to = np.bincount(self.ranks, differ, len(self.cuts) + 1).cumsum()
        own = self.statement.literals[self.place].cut
        place = int(np.searchsorted(self.cuts, own, side="right")) - 1
        before = up_to[place] if place >= 0 else 0.0
        return np.asarray(np.abs(up_to[:-1] - before))


def _after(found: NDArray[Any]) -> Floats:
    """Sums of all later ones. Shape: (n, ...) to (n - 1, ...)."""
    return np.asarray(found[::-1].cumsum(axis=0)[::-1][1:])


def parts_rows(
    ranks: NDArray[np.intp], above: Halves, below: Halves, n_cuts: int
) -> NDArray[np.bool_]:
    """Under which cuts a statement holds for some rows and fails for others.

    Shape: (rows,) each; returns (cuts,).
    """
    at = np.arange(n_cuts)

    def occurs(value: int) -> NDArray[np.bool_]:
        highest = int(ranks[above == value].max(initial=-1))
        lowest = int(ranks[below == value].min(initial=n_cuts + 1))
        return np.asarray((at < highest) | (at >= lowest))

    return np.asarray(occurs(TRUE) & occurs(FALSE))
