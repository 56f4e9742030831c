"""Cuts: the few thresholds of a column that crisp rules may have.

Cuts are made from the rows alone, at quantiles, and moved to the roundest number that parts
the rows alike. So the literals of a table are a finite set, the same on every machine.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Rows on each side of a cut: fewer say little about new rows.
LEAST_ROWS = 3
LEAST_SHARE = 0.004
# Powers of ten beyond these are no floats, or not exact.
MOST_EXPONENT, TINY = 308, 1e-307


def make_cuts(column: Floats, most: int) -> Floats:
    """At most so many cuts of a column, in order. Shape: (rows,).

    A cut lies between two values that are neighbours in the column. A column of whole numbers
    may be cut at its lower neighbour, since a value has to be above a cut.

    >>> make_cuts(np.array([1.0, 2.0, 2.0, 7.0, 8.0, np.nan] * 9), most=3).tolist()
    [1.0, 5.0, 7.0]
    >>> make_cuts(np.array([0.1, 0.2, 0.4] * 9), most=3).tolist()
    [0.15, 0.3]
    """
    known = np.isfinite(column)
    values, counts = np.unique(column[known], return_counts=True)
    if len(values) < 2:
        return np.empty(0)
    below = np.cumsum(counts)[:-1]
    n = int(known.sum())
    least = min(max(LEAST_ROWS, LEAST_SHARE * n), n / 4)
    places = _quantile_places(below, n, most)
    places = places[(below[places] >= least) & (n - below[places] >= least)]
    whole = bool((values == np.rint(values)).all())
    cuts = [round_between(values[place], values[place + 1], whole) for place in places]
    return np.array(cuts, dtype=np.float64)


def _quantile_places(below: NDArray[np.intp], n: int, most: int) -> NDArray[np.intp]:
    """After which of the distinct values to cut. Shape: ``below`` (values - 1,)."""
    if len(below) <= most:
        return np.arange(len(below))
    wanted = np.arange(1, most + 1) * (n / (most + 1))
    return np.unique(np.searchsorted(below, wanted).clip(0, len(below) - 1))


def round_between(low: float, high: float, whole: bool = False) -> float:
    """The number with the fewest digits between two others; it may be ``low`` if ``whole``.

    >>> round_between(123.4, 131.0), round_between(27.2, 27.3), round_between(6.0, 7.0, True)
    (130.0, 27.25, 6.0)
    """
    if low == 0:  # what is above 0 is there at all
        return 0.0
    magnitude = max(abs(low), abs(high))
    exponent = math.floor(math.log10(magnitude)) + 1 if magnitude else 0
    for digits in range(min(exponent, MOST_EXPONENT), exponent - 18, -1):
        for step in (1.0, 0.5):
            unit = step * 10.0**digits
            if unit < TINY:  # the least numbers of all are what they are
                break
            first = math.floor(low / unit)
            # Where low is a multiple, rounding may put the quotient just below a whole number.
            for multiple in (math.ceil(low / unit), first + 1, first + 2):
                found = float(f"{multiple * unit:.12g}")
                if low < found < high or (whole and found == low):
                    return found
    middle = low / 2 + high / 2
    return middle if low < middle < high else low
