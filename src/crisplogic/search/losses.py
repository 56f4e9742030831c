"""What the polish makes small, of classes and of numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crisplogic.search import log_loss as surprise
from crisplogic.search import squared_error as distance
from crisplogic.search.sample import Sample

Floats = NDArray[np.float64]


def losses(logits: Floats, sample: Sample) -> Floats:
    """The mean loss over the rows. Shape: ``logits`` (..., classes, rows); returns (...)."""
    if sample.of_numbers:
        return distance.losses(logits, sample)
    return surprise.losses(logits, sample)


def slopes(logits: Floats, sample: Sample) -> Floats:
    """Derivatives of the loss by the logits, in the sample's unit.

    Shape: (classes, rows) to (classes, rows).
    """
    if sample.of_numbers:
        return distance.slopes(logits, sample)
    return surprise.slopes(logits, sample)


def curvatures(logits: Floats, sample: Sample) -> Floats:
    """How fast slopes change with their own logits, in the sample's unit.

    Shape: (classes, rows) to (classes, rows).
    """
    if sample.of_numbers:
        return distance.curvatures(logits, sample)
    return surprise.curvatures(logits, sample)
