"""Which targets can be classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crisplogic.errors import TableError

# More classes than this, most of them seen only once, are numbers rather than classes.
MOST_CLASSES = 50


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
        raise TableError(
            f"the target {target!r} has {len(classes)} different values in {len(labels)} rows; "
            "crisplogic learns classes: choose a column with few values, or group its values"
        )
