"""Fuzzy networks that snap to crisp logic: learn small logic rules from tables.

``LogicClassifier`` learns classes and ``LogicRegressor`` numbers; ``RuleSet`` is what they
learned, and needs numpy alone. All are loaded when they are first used, so that importing the
package is quick and brings in no torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crisplogic.cross_validation import cross_validate
    from crisplogic.estimators import LogicClassifier, LogicRegressor
    from crisplogic.rules import RuleSet

__all__ = ["LogicClassifier", "LogicRegressor", "RuleSet", "__version__", "cross_validate"]

_HOMES = {
    "LogicClassifier": "crisplogic.estimators",
    "LogicRegressor": "crisplogic.estimators",
    "RuleSet": "crisplogic.rules",
    "cross_validate": "crisplogic.cross_validation",
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
