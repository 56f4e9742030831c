"""Which targets can be classes, and which are numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crisplogic.data.words import Floats, is_number
from crisplogic.errors import TableError

# More classes than this, most of them seen only once, are numbers rather than classes.
MOST_CLASSES = 50
# The same of values such as 3.75: people rarely name classes so.
MOST_FRACTIONS = 20


def are_amounts(values: Floats) -> bool:
    """Whether numbers say how much there is of something: classes have few names.

    >>> are_amounts(np.arange(50.0)), are_amounts(np.arange(51.0))
    (False, True)
    >>> are_amounts(np.arange(20) / 4), are_amounts(np.arange(21) / 4)
    (False, True)
    """
    different = np.unique(values)
    whole = bool((different == np.trunc(different)).all())
    return len(different) > (MOST_CLASSES if whole else MOST_FRACTIONS)


def check_classes(labels: NDArray[np.str_], target: str) -> None:
    """Refuse a target that cannot be a class: one value only, or nearly all different.

    >>> check_classes(np.array(["yes", "no"]), "ill")
    """
    classes = np.unique(labels)
    if len(classes) < 2:
        raise TableError(
            f"the target {target!r} must have at least 2 classes; "
            f"it is {str(classes[0])!r} in all {len(labels)} rows"
        )
    if len(classes) > MOST_CLASSES and len(classes) > len(labels) / 2:
        mostly = sum(map(is_number, classes.tolist())) > len(classes) / 2
        otherwise = ", or learn it as a number (--task number)" if mostly else ""
        raise TableError(
            f"the target {target!r} has {len(classes)} different values in {len(labels)} rows, "
            "too many for classes: choose a column with few values, or group its values"
            f"{otherwise}"
        )
