"""Distance from numbers: the surprise of a bell curve as wide as the distances are.

Its logarithm makes a row count the same, whatever the unit of the number and however much of
it is noise: prices in the surprise of one row mean the same here as they do for classes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crisplogic.search.log_loss import DOUBT
from crisplogic.search.sample import Sample

Floats = NDArray[np.float64]


def losses(numbers: Floats, sample: Sample) -> Floats:
    """Half the logarithm of the mean squared distance, plus the doubt.

    Shape: ``numbers`` (..., 1, rows); returns (...).

    >>> sample = Sample(np.zeros((1, 4)), np.array([1.0, 2.0, 3.0, 4.0]), classes=1)
    >>> near, far = np.array([[1.0, 2.0, 3.0, 5.0]]), np.full((1, 4), 2.5)
    >>> bool(losses(near, sample) < losses(far, sample))
    True
    """
    doubt = DOUBT / sample.total
    loss: Floats = np.log(sample.mean(np.square(_distances(numbers, sample))) + doubt) / 2
    return loss[..., 0]


def slopes(numbers: Floats, sample: Sample) -> Floats:
    """Derivatives of the loss by the numbers, in the sample's unit. Shape: (1, rows)."""
    distances = _distances(numbers, sample)
    return sample.counted(distances) / _size(distances, sample)


def curvatures(numbers: Floats, sample: Sample) -> Floats:
    """How fast slopes change with their own number, in that unit. Shape: (1, rows)."""
    distances = _distances(numbers, sample)
    return sample.counted(np.full_like(distances, 1 / _size(distances, sample)))


def _distances(numbers: Floats, sample: Sample) -> Floats:
    """In the sample's own unit, so that no square is too large or too small a number."""
    distances: Floats = (numbers - sample.targets) / sample.spread
    return distances


def _size(distances: Floats, sample: Sample) -> float:
    return sample.total * float(sample.mean(np.square(distances))[0]) + DOUBT
