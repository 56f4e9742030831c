"""The scikit-learn estimators, and what lies between a table and the learner."""

from crisplogic.estimators.classifier import LogicClassifier

__all__ = ["LogicClassifier"]
