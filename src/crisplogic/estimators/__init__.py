"""The scikit-learn estimators, and what lies between a table and the learner."""

import os

from crisplogic.estimators.classifier import LogicClassifier
from crisplogic.estimators.regressor import LogicRegressor
from crisplogic.estimators.saving import read_estimator

__all__ = ["LogicClassifier", "LogicRegressor", "load_estimator"]


def load_estimator(path: str | os.PathLike[str]) -> LogicClassifier | LogicRegressor:
    """Read whichever estimator is in a file that its ``save`` wrote."""
    return read_estimator(path, [LogicClassifier, LogicRegressor])
