"""The result of every loader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas


# No generated ==: the truth value of an array comparison is ambiguous.
@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A classification table and its source.

    ``X``: (rows, features), a missing cell is NaN. ``y``: (rows,), class names.

    >>> Dataset("toy", np.zeros((2, 1)), np.array(["no", "yes"]), ("size",), "class", "", "")
    Dataset('toy': 2 rows, 1 features, 2 classes)
    """

    name: str
    X: NDArray[np.float64]
    y: NDArray[np.str_]
    feature_names: tuple[str, ...]
    target_name: str
    citation: str
    licence: str

    def to_frame(self) -> pandas.DataFrame:
        """The features as a pandas data frame, whose column names appear in rules."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError(
                "to_frame needs pandas: pip install 'crisplogic[pandas]'; "
                "without it use X and feature_names"
            ) from error
        return pandas.DataFrame(self.X, columns=list(self.feature_names))

    def __repr__(self) -> str:
        rows, features = self.X.shape
        classes = len(np.unique(self.y))
        return f"Dataset({self.name!r}: {rows} rows, {features} features, {classes} classes)"
