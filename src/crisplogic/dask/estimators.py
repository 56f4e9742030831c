"""DaskLogicClassifier and DaskLogicRegressor: the estimators, for collections of Dask."""

from __future__ import annotations

import os
import warnings
from typing import Any, Self

from sklearn.base import is_regressor
from sklearn.utils.validation import check_is_fitted

from crisplogic.dask.fitting import fit_task
from crisplogic.dask.partitions import Partitions
from crisplogic.dask.predicting import on_partitions
from crisplogic.dask.scoring import score_task
from crisplogic.estimators import LogicClassifier, LogicRegressor
from crisplogic.estimators.streamed import SAMPLE_ROWS, warn_of
from crisplogic.parameters import COUNT


class DaskLogicClassifier(LogicClassifier):
    """Learn logic rules that separate classes, from Dask frames or arrays of any size.

    Parameters and attributes are those of :class:`crisplogic.LogicClassifier`. Partitions stay
    where they are. Each is read twice: once for statistics and a sample, from which rules are
    learned, and once to measure these rules on all rows. Tasks run on the current client of
    ``distributed``, or on threads without one. Partitions that are not persisted are
    computed twice: ``X = X.persist()`` keeps them on the workers.

    >>> import dask.dataframe, pandas
    >>> rows = pandas.DataFrame({"age": [41, 50, 30, 66] * 50, "ill": ["no", "yes"] * 100})
    >>> frame = dask.dataframe.from_pandas(rows, npartitions=2)
    >>> clf = DaskLogicClassifier(random_state=0).fit(frame[["age"]], frame["ill"])
    >>> clf.rules_.size
    1
    >>> clf.predict(frame[["age"]]).compute().tolist()[:4]
    ['no', 'yes', 'no', 'yes']
    """

    def fit(  # type: ignore[override]  # a fit on a cluster keeps no checkpoint
        self, X: Any, y: Any, sample_weight: Any = None, sample_rows: int = SAMPLE_ROWS
    ) -> Self:
        """Learn from collections with the same partitions, by a sample of so many rows.

        ``y`` and ``sample_weight`` may be names of columns of ``X``.
        """
        local = LogicClassifier(**self.get_params())
        _fit(self, local, Partitions.of(X, y, sample_weight), sample_rows)
        return self

    def predict(self, X: Any) -> Any:
        """The class of every row, partition by partition: a Dask series or array."""
        return on_partitions(self.to_local(), "predict", X)

    def predict_proba(self, X: Any) -> Any:
        """The probability of every class: a Dask frame with a column a class, or an array."""
        return on_partitions(self.to_local(), "predict_proba", X)

    def decision_function(self, X: Any) -> Any:
        """The scores of every row, of two classes one: a Dask series, frame or array."""
        return on_partitions(self.to_local(), "decision_function", X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy on these rows."""
        return _score(self.to_local(), X, y, sample_weight)

    def to_local(self) -> LogicClassifier:
        """The same estimator for tables in memory, which can be saved and shared."""
        check_is_fitted(self)
        local = LogicClassifier(**self.get_params())
        local.__dict__.update(vars(self))
        return local

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the estimator for tables in memory to a file."""
        self.to_local().save(path)


class DaskLogicRegressor(LogicRegressor):
    """Learn logic rules that predict a number, from Dask frames or arrays of any size.

    Parameters and attributes are those of :class:`crisplogic.LogicRegressor`; see
    :class:`DaskLogicClassifier` for what happens where.
    """

    def fit(  # type: ignore[override]  # a fit on a cluster keeps no checkpoint
        self, X: Any, y: Any, sample_weight: Any = None, sample_rows: int = SAMPLE_ROWS
    ) -> Self:
        """Learn from collections with the same partitions, by a sample of so many rows.

        ``y`` and ``sample_weight`` may be names of columns of ``X``.
        """
        local = LogicRegressor(**self.get_params())
        _fit(self, local, Partitions.of(X, y, sample_weight), sample_rows)
        return self

    def predict(self, X: Any) -> Any:
        """The number of every row, partition by partition: a Dask series or array."""
        return on_partitions(self.to_local(), "predict", X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of the variance that is explained (R²) on these rows."""
        return _score(self.to_local(), X, y, sample_weight)

    def to_local(self) -> LogicRegressor:
        """The same estimator for tables in memory, which can be saved and shared."""
        check_is_fitted(self)
        local = LogicRegressor(**self.get_params())
        local.__dict__.update(vars(self))
        return local

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the estimator for tables in memory to a file."""
        self.to_local().save(path)


def _fit(
    own: DaskLogicClassifier | DaskLogicRegressor,
    local: LogicClassifier | LogicRegressor,
    partitions: Partitions,
    sample_rows: int,
) -> None:
    local._check_parameters()
    COUNT.check("sample_rows", sample_rows)
    fitted, remarks, said = fit_task(local, partitions, sample_rows).compute()
    warn_of(remarks)
    for each in said:  # of the worker that learned
        warnings.warn(each, stacklevel=3)
    parameters = own.get_params()
    learned = {name: each for name, each in vars(fitted).items() if name not in parameters}
    own.__dict__.update(learned)


def _score(
    local: LogicClassifier | LogicRegressor, X: Any, y: Any, sample_weight: Any
) -> float:
    partitions = Partitions.of(X, y, sample_weight)
    found = score_task(local, partitions, number=is_regressor(local)).compute()
    return float(found.value)
