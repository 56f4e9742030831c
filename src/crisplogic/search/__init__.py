"""The search after the snap: rules are improved, fitted and made smaller, with numpy alone."""

from crisplogic.search.crisp.calibrate import calibrate
from crisplogic.search.crisp.resampling import find_rules_of_parts
from crisplogic.search.crisp.search import CrispFold, search_crisp
from crisplogic.search.refit import refit
from crisplogic.search.search import HeldOutFold, search
from crisplogic.search.tasks import (
    CLASSIFICATION,
    REGRESSION,
    Classification,
    HeldOutRows,
    Regression,
    Task,
)
from crisplogic.search.training_set import TrainingSet

__all__ = [
    "CLASSIFICATION",
    "REGRESSION",
    "Classification",
    "CrispFold",
    "HeldOutFold",
    "HeldOutRows",
    "Regression",
    "Task",
    "TrainingSet",
    "calibrate",
    "find_rules_of_parts",
    "refit",
    "search",
    "search_crisp",
]
