"""Fuzzy networks that snap to crisp logic: learn small logic rules from tables.

``LogicClassifier`` learns ``ClassificationRules`` and ``LogicRegressor`` learns
``RegressionRules``. Both are a ``RuleSet``, which needs numpy alone. All are loaded when they
are first used, so that importing the package is quick and brings in no torch.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = (
    False  # as type checkers know it; to import typing takes longer than all of this
)
if TYPE_CHECKING:
    from typing import Any

    from crisplogic.estimators import LogicClassifier, LogicRegressor, load_estimator
    from crisplogic.estimators.cross_validation import cross_validate
    from crisplogic.rules import ClassificationRules, RegressionRules, RuleSet
    from crisplogic.rules.analysis.comparison import compare
    from crisplogic.search.refit import refit

__all__ = [
    "ClassificationRules",
    "LogicClassifier",
    "LogicRegressor",
    "RegressionRules",
    "RuleSet",
    "__version__",
    "compare",
    "cross_validate",
    "load_estimator",
    "refit",
]

_HOMES = {
    "LogicClassifier": "crisplogic.estimators",
    "LogicRegressor": "crisplogic.estimators",
    "load_estimator": "crisplogic.estimators",
    "RuleSet": "crisplogic.rules",
    "ClassificationRules": "crisplogic.rules",
    "RegressionRules": "crisplogic.rules",
    "compare": "crisplogic.rules.analysis.comparison",
    "refit": "crisplogic.search",
    "cross_validate": "crisplogic.estimators.cross_validation",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib import metadata  # takes longer to load than all the rest of this file

        return metadata.version("crisplogic")
    if name not in _HOMES:
        raise AttributeError(f"module 'crisplogic' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
