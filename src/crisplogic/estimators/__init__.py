"""The scikit-learn estimators, and what lies between a table and the learner."""

from crisplogic.estimators.classifier import LogicClassifier
from crisplogic.estimators.regressor import LogicRegressor

__all__ = ["LogicClassifier", "LogicRegressor"]
