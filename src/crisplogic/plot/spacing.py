"""Rows for places: operators amid their operands, lines straight, nothing too close."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise
from statistics import fmean

import numpy as np

Place = tuple[int, int]  # node, layer
Step = tuple[Place, Place]  # from a layer to the next

APART = 1.0  # from one row to the next
GROUPS_APART = 1.3  # where the operands of one operator end
ENDS_APART = 1.5
CLEAR = 0.5  # from a line that leads elsewhere
ROUNDS = 3


def rows_of(columns: Sequence[Sequence[Place]], steps: Iterable[Step]) -> dict[Place, float]:
    """A row for each place, the topmost in row 0; what stands in a column keeps its order.

    >>> steps = [((0, 0), (2, 1)), ((1, 0), (2, 1)), ((2, 1), (3, 2))]
    >>> rows_of([[(0, 0), (1, 0)], [(2, 1)], [(3, 2)]], steps)
    {(0, 0): 0.0, (1, 0): 1.0, (2, 1): 0.5, (3, 2): 0.5}
    """
    before: dict[Place, list[Place]] = defaultdict(list)
    after: dict[Place, list[Place]] = defaultdict(list)
    for left, right in steps:
        before[right].append(left)
        after[left].append(right)
    *inner, ends = columns
    rows = _inner_rows(inner, before, after)
    rows |= zip(ends, _end_rows(ends, rows, before, after), strict=True)
    top = min(rows.values())
    return {place: row - top for place, row in rows.items()}


def _inner_rows(
    columns: Sequence[Sequence[Place]],
    before: Mapping[Place, Sequence[Place]],
    after: Mapping[Place, Sequence[Place]],
) -> dict[Place, float]:
    """All rows but those of the ends: columns follow each other to the right and back."""
    rows = {place: 0.0 for column in columns for place in column}

    def settle(column: Sequence[Place], linked: Mapping[Place, Sequence[Place]]) -> None:
        wanted = [
            fmean(rows[other] for other in linked.get(place) or [place]) for place in column
        ]
        apart = [_apart(one, other, after) for one, other in pairwise(column)]
        rows.update(zip(column, spread(wanted, apart), strict=True))

    for _ in range(ROUNDS):
        for column in columns:
            settle(column, before)
        for column in columns[-2::-1]:
            settle(column, after)
    for column in columns:
        settle(column, before)
    return rows


def _apart(one: Place, other: Place, after: Mapping[Place, Sequence[Place]]) -> float:
    """Operands of one operator stand closer than others do; so do links that pass by."""
    passing = all(next_[0] == place[0] for place in (one, other) for next_ in after[place])
    same = not set(after[one]).isdisjoint(after[other])
    return APART if same or passing or one[1] else GROUPS_APART


def spread(wanted: Sequence[float], apart: Sequence[float]) -> list[float]:
    """Rows as near to those ``wanted`` as they can be, each ``apart`` from the one before.

    The sum of squared distances is the least there is: neighbours that want too much of the
    same place are pooled, and stand around the mean of what they want.

    >>> spread([0.0, 0.0, 5.0], apart=[1.0, 1.0])
    [-0.5, 0.5, 5.0]
    """
    offsets = np.concatenate([[0.0], np.cumsum(apart)])[: len(wanted)].tolist()
    pools: list[list[float]] = []
    for want, offset in zip(wanted, offsets, strict=True):
        pools.append([want - offset])
        while len(pools) > 1 and fmean(pools[-2]) > fmean(pools[-1]):
            last = pools.pop()
            pools[-1] += last
    levels = [level for pool in pools for level in [fmean(pool)] * len(pool)]
    return [level + offset for level, offset in zip(levels, offsets, strict=True)]


def _end_rows(
    ends: Sequence[Place],
    rows: Mapping[Place, float],
    before: Mapping[Place, Sequence[Place]],
    after: Mapping[Place, Sequence[Place]],
) -> list[float]:
    """Ends amid what comes to them, but on no level with what goes on to another."""
    arriving = [[rows[place] for place in before.get(end, ())] for end in ends]
    wanted = spread(_wishes(arriving), [ENDS_APART] * (len(ends) - 1))
    own = [[rows[p] for p in before.get(end, ()) if len(after[p]) == 1] for end in ends]
    return between(wanted, sorted(set(chain(*arriving))), own)


def _wishes(arriving: Sequence[Sequence[float]]) -> list[float]:
    """Where ends want to be; those without links, beside the others and in nobody's way.

    >>> _wishes([[], [3.0, 4.0], []])
    [2.0, 3.5, 5.0]
    """
    wishes = [fmean(some) if some else None for some in arriving]
    known = [number for number, wish in enumerate(wishes) if wish is not None]

    def beside(number: int) -> float:
        nearest = min(known, key=lambda other: abs(other - number), default=number)
        return (wishes[nearest] or 0.0) + (number - nearest) * ENDS_APART

    return [beside(number) for number in range(len(wishes))]


def between(
    wanted: Sequence[float], taken: Sequence[float], own: Sequence[Sequence[float]]
) -> list[float]:
    """Rows near those ``wanted``, in their order, none too close to one that is ``taken``.

    One that is taken will do, too, for whoever it is listed for in ``own``.

    >>> between([0.9, 3.1], taken=[0.0, 1.0, 3.0], own=[[], [3.0]])
    [0.5, 3.0]
    >>> between([1.6, 3.1], taken=[0.0, 1.0, 3.0], own=[[], []])
    [1.6, 3.5]
    """
    halfway = _halfway(taken, outside=len(wanted))
    rows: list[float] = []
    for want, mine in zip(wanted, own, strict=True):
        least = rows[-1] + APART if rows else -math.inf
        clear = all(abs(want - row) >= CLEAR for row in taken)
        free = [row for row in (*[want] * clear, *mine, *halfway) if row >= least]
        rows.append(min(free, key=lambda row: abs(row - want), default=max(want, least)))
    return rows


def _halfway(taken: Sequence[float], outside: int) -> list[float]:
    """Rows halfway between those taken, and so many above and below.

    >>> _halfway([0.0, 2.0], outside=2)
    [-1.5, -0.5, 1.0, 2.5, 3.5]
    """
    if not taken:
        return []
    far = [(step + 0.5) * APART for step in range(outside)]
    above = [taken[0] - step for step in reversed(far)]
    below = [taken[-1] + step for step in far]
    return [*above, *((one + other) / 2 for one, other in pairwise(taken)), *below]
