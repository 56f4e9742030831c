"""Random numbers of rows: each is made of a seed and the number of the row alone.

So it does not matter who reads a row, when, and beside which others. The generator is
SplitMix64 (G. Steele, D. Lea and C. Flood, Fast Splittable Pseudorandom Number Generators,
OOPSLA 2014), used as a function of its counter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
RowNumbers = NDArray[np.int64]

_STEP = 0x9E3779B97F4A7C15
_FACTORS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
_SHIFTS = (30, 27, 31)
_MASK = 2**64 - 1
# The highest 53 bits of a number make a float below 1.
_BITS = 53


def random_bits(rows: RowNumbers, seed: int = 0) -> NDArray[np.uint64]:
    """64 random bits of every row. Shape: (rows,) to (rows,).

    >>> random_bits(np.array([0, 1])).tolist()
    [16294208416658607535, 7960286522194355700]
    """
    start = _mix(seed & _MASK) if seed else 0
    bits = rows.astype(np.uint64)
    bits += np.uint64(1)
    bits *= np.uint64(_STEP)
    bits += np.uint64(start)
    for shift, factor in zip(_SHIFTS, (*_FACTORS, None), strict=True):
        bits ^= bits >> np.uint64(shift)
        if factor is not None:
            bits *= np.uint64(factor)
    return bits


def uniform(rows: RowNumbers, seed: int = 0) -> Floats:
    """A number of every row, evenly spread between 0 and 1, without the two.

    Shape: (rows,) to (rows,).

    >>> numbers = uniform(np.arange(100_000))
    >>> round(float(numbers.mean()), 2), bool((numbers > 0).all() and (numbers < 1).all())
    (0.5, True)
    """
    floats = (random_bits(rows, seed) >> np.uint64(64 - _BITS)).astype(np.float64)
    floats += 0.5
    floats *= 2.0**-_BITS
    return np.minimum(floats, 1 - 2.0**-_BITS, out=floats)


def fold_numbers(rows: RowNumbers, folds: int, seed: int = 0) -> NDArray[np.int64]:
    """The fold that every row belongs to, of so many. Shape: (rows,) to (rows,).

    >>> np.bincount(fold_numbers(np.arange(9000), 3)).round(-3).tolist()
    [3000, 3000, 3000]
    """
    return (uniform(rows, seed) * folds).astype(np.int64)


def _mix(number: int) -> int:
    """One number well mixed, as :func:`random_bits` does it for many."""
    number = (number + 1) * _STEP & _MASK
    for shift, factor in zip(_SHIFTS, (*_FACTORS, 1), strict=True):
        number = (number ^ (number >> shift)) * factor & _MASK
    return number
