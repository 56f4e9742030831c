"""Cross-validation and grids as tasks: every fit and every score is one of a cluster's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from dask.delayed import delayed
from sklearn.base import clone, is_regressor
from sklearn.model_selection import ParameterGrid

from crisplogic.dask.fitting import fit_task
from crisplogic.dask.partitions import Partitions
from crisplogic.dask.scoring import score_task
from crisplogic.parameters import require


def cross_validate(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: int = 5,
    grid: Mapping[str, Sequence[Any]] | None = None,
    sample_weight: Any = None,
    return_estimator: bool = False,
) -> dict[str, Any]:
    """Cross-validate an estimator on Dask collections, at every point of a ``grid``.

    The numbers of rows decide which of ``cv`` folds they are in. Rows stay on their workers;
    all fits and all scores are tasks of one graph, which a cluster computes side by side.
    ``estimator`` is one of this module or of :mod:`crisplogic` itself, and stays unfitted.

    Returns a dictionary of arrays with a value for every fold of the first point of the grid,
    then for those of the second, and so on: ``test_score``, the accuracy or R² of the rules,
    ``literals`` in all rules together, and ``expected_error``, what the fit itself expected.
    With a grid also ``params``, with ``return_estimator`` also ``estimator``, lists.

    >>> import dask.dataframe, pandas
    >>> from crisplogic import LogicClassifier
    >>> rows = pandas.DataFrame({"age": [41, 50, 30, 66] * 50, "ill": ["no", "yes"] * 100})
    >>> frame = dask.dataframe.from_pandas(rows, npartitions=2)
    >>> quick = LogicClassifier(epochs=2, folds=2, random_state=0)
    >>> found = cross_validate(quick, frame[["age"]], frame["ill"], cv=2)
    >>> found["test_score"].tolist()
    [1.0, 1.0]
    """
    require(cv > 1, "cv", "a number of folds above 1", cv)
    partitions = Partitions.of(X, y, sample_weight)
    points = list(ParameterGrid(dict(grid or {})))
    kind = _local_kind(estimator)
    tasks = []
    for point in points:
        local = kind(**{**clone(estimator).get_params(), **point})
        local._check_parameters()
        tasks += [_fold_task(local, partitions, fold, cv) for fold in range(cv)]
    computed = delayed(list)(tasks).compute()
    found: dict[str, Any] = {
        "test_score": np.array([score.value for _, score in computed]),
        "literals": np.array([one.rules_.size for one, _ in computed]),
        "expected_error": np.array([one.expected_error_ for one, _ in computed]),
    }
    if grid is not None:
        found["params"] = [point for point in points for _ in range(cv)]
    if return_estimator:
        found["estimator"] = [one for one, _ in computed]
    return found


def _fold_task(local: Any, partitions: Partitions, fold: int, cv: int) -> Any:
    """A task that fits on all folds but one. It returns the estimator and its score there."""
    fitted = fit_task(local, partitions.of_fold(fold, cv, inside=False))[0]
    tests = partitions.of_fold(fold, cv, inside=True)
    return delayed(tuple)([fitted, score_task(fitted, tests, number=is_regressor(local))])


def _local_kind(estimator: Any) -> Any:
    """The class for tables in memory, from which parts of a cluster's tasks are made."""
    from crisplogic.estimators import LogicClassifier, LogicRegressor

    return LogicRegressor if isinstance(estimator, LogicRegressor) else LogicClassifier
