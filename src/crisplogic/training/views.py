"""Views: a table as a network sees it that learns from some of its rows alone.

A network that is tested on held-out rows must not learn anything from them, not even which
values a category has, how a target is scaled or how much a class weighs. So every network has
a view of the table that was made from its own rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crisplogic.constraints.limits import Limits
from crisplogic.training.losses import Targets

Floats = NDArray[np.float64]
RowNumbers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class View:
    """A table as it is encoded by someone who knows only the rows ``rows``.

    Views with the same encoding should share one array of inputs. Weights are above 0. Networks
    keep to ``limits``, which are the same in all views.

    Shape: ``rows`` (n,) row numbers; ``inputs`` (all rows, features); ``targets`` (all rows,);
    ``weights`` (n,), None if all rows weigh the same.
    """

    rows: RowNumbers
    inputs: Floats
    targets: Targets
    weights: Floats | None = None
    limits: Limits | None = None


# From the rows of every network to its view of the table; all views have the same columns.
MakeViews = Callable[[Sequence[RowNumbers]], Sequence[View]]


def fixed_views(
    table: Floats,
    targets: Targets,
    weights: Floats | None = None,
    limits: Limits | None = None,
) -> MakeViews:
    """Views of a table of numbers: all rows are encoded already.

    Shape: ``table`` (rows, features), ``targets`` and ``weights`` (rows,).

    >>> make_views = fixed_views(np.eye(3), np.array([0, 1, 1]), np.array([1.0, 2.0, 3.0]))
    >>> [view] = make_views([np.array([0, 2])])
    >>> view.weights.tolist()
    [1.0, 3.0]
    """

    def make_views(row_sets: Sequence[RowNumbers]) -> list[View]:
        return [
            View(rows, table, targets, None if weights is None else weights[rows], limits)
            for rows in row_sets
        ]

    return make_views
