"""Outliers among numbers: a centre and a spread that they do not move, and how far is far."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crisplogic.weights import weighted_mean

Floats = NDArray[np.float64]

# A number is far from the others beyond so many spreads from the centre. A robust loss counts
# it as if it lay there.
FENCE = 10.0
# Errors of more than so many spreads count by their size, smaller ones by their square (P. J.
# Huber, Robust Estimation of a Location Parameter, 1964).
DELTA = 1.35
# Rows beyond the fence are outliers if they are at most this share of all rows and have at
# least this share of all squared deviations.
FEW, MOST = 0.01, 0.75
# Shares below and above which numbers are left out to find the spread, and the range that is
# left of a Gaussian, in standard deviations. The first are the quartiles; others are for
# numbers most of which are the same.
_TAILS = ((0.25, 1.349), (0.1, 2.563), (0.05, 3.290), (0.01, 4.653))
# Fewer numbers than this have no tail to speak of.
ROWS_WITH_TAIL = 50


def robust_centre_and_spread(
    numbers: Floats, weights: Floats | None = None
) -> tuple[float, float]:
    """The median, and the range between the quartiles in units of a Gaussian's.

    Where the quartiles are the same, the spread is that of a wider range. It is 0 if nearly
    all numbers are the same. Shape: ``numbers`` and ``weights`` (rows,).

    >>> centre, spread = robust_centre_and_spread(np.array([1.0, 2, 3, 4, 5, 6, 1e9]))
    >>> centre, round(spread, 3)
    (4.0, 2.595)
    """
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    counts = np.ones(len(numbers)) if weights is None else weights[order]
    places = (counts.cumsum() - counts / 2) / counts.sum()

    def quantile(share: float) -> float:
        return float(np.interp(share, places, ordered))

    for tail, width in _TAILS:
        low, high = quantile(tail), quantile(1 - tail)
        if high > low:
            return quantile(0.5), high / width - low / width
    return quantile(0.5), 0.0


def is_far(numbers: Floats, weights: Floats | None = None) -> NDArray[np.bool_]:
    """Which numbers lie beyond the fence. Shape: (rows,) to (rows,).

    >>> is_far(np.array([1.0, 2, 3, 4, 5, 6, 1e9])).tolist()
    [False, False, False, False, False, False, True]
    """
    centre, spread = robust_centre_and_spread(numbers, weights)
    if spread == 0:
        return np.zeros(len(numbers), dtype=bool)
    far: NDArray[np.bool_] = np.abs(numbers - centre) > FENCE * spread
    return far


def count_outliers(numbers: Floats, weights: Floats | None = None) -> int:
    """How many rows there are that decide a squared error alone; 0 if they are not few.

    >>> some = np.tile(np.arange(10.0), 20)
    >>> count_outliers(some), count_outliers(np.append(some, 1e6))
    (0, 1)
    """
    far = is_far(numbers, weights)
    few = 0 < weighted_mean(far, weights) <= FEW
    return int(far.sum()) if few and _share_of_variance(numbers, weights, far) >= MOST else 0


def asks_for_logarithm(numbers: Floats, weights: Floats | None = None) -> bool:
    """Whether numbers have a long tail that a logarithm makes short.

    >>> long, short = np.exp(np.linspace(-4, 8, 200)), np.arange(1.0, 99.0)
    >>> asks_for_logarithm(long), asks_for_logarithm(short)
    (True, False)
    """
    if len(numbers) < ROWS_WITH_TAIL or numbers.min() < 0:
        return False
    far = is_far(numbers, weights)
    if not far.any() or _share_of_variance(numbers, weights, far) < MOST:
        return False
    return not is_far(
        np.log1p(numbers) if numbers.min() == 0 else np.log(numbers), weights
    ).any()


def describe_tail(numbers: Floats, weights: Floats | None = None) -> str | None:
    """What is to be said about the tail of some numbers, if anything.

    >>> describe_tail(np.append(np.tile(np.arange(10.0), 20), 1e6))
    '1 of 201 numbers to predict is far from all others (the greatest is 1e+06)'
    """
    far = is_far(numbers, weights)
    if not (count_outliers(numbers, weights) or asks_for_logarithm(numbers, weights)):
        return None
    count, most = int(far.sum()), float(numbers[np.abs(numbers).argmax()])
    extreme, are = "greatest" if most > 0 else "least", "is" if count == 1 else "are"
    return (
        f"{count} of {len(numbers)} numbers to predict {are} far from all others "
        f"(the {extreme} is {most:.6g})"
    )


def _share_of_variance(
    numbers: Floats, weights: Floats | None, rows: NDArray[np.bool_]
) -> float:
    """The share of the squared deviations from the median that some rows have."""
    deviations = numbers - robust_centre_and_spread(numbers, weights)[0]
    squares = np.square(deviations / np.abs(deviations).max())
    return float(weighted_mean(squares * rows, weights) / weighted_mean(squares, weights))
