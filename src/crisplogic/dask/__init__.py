"""Rules from Dask collections, which stay where they are: on the workers of a cluster.

Needs ``pip install 'crisplogic[dask]'``.
"""

from crisplogic.dask.estimators import DaskLogicClassifier, DaskLogicRegressor
from crisplogic.dask.predicting import on_partitions
from crisplogic.dask.validation import cross_validate

__all__ = ["DaskLogicClassifier", "DaskLogicRegressor", "cross_validate", "on_partitions"]
