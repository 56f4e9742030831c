"""Rules that predict, print and travel with numpy alone."""

from crisplogic.rules.analysis.conflicts import Conflicts
from crisplogic.rules.analysis.directions import Direction
from crisplogic.rules.analysis.evidence import ClassEvidence, Evidence, NumberEvidence
from crisplogic.rules.analysis.explanation import (
    ClassExplanation,
    Explanation,
    NumberExplanation,
)
from crisplogic.rules.analysis.importance import Importance, Importances
from crisplogic.rules.analysis.reasons import Reason, Reasons
from crisplogic.rules.analysis.shape import Shape
from crisplogic.rules.analysis.stability import Stability
from crisplogic.rules.classification import ClassificationRules
from crisplogic.rules.frontier import Frontier, Point
from crisplogic.rules.held_out_errors import HeldOutErrors
from crisplogic.rules.memberships import (
    Flag,
    Indicator,
    Level,
    Membership,
    Missing,
    Ramp,
    Step,
    every_indicator,
)
from crisplogic.rules.regression import RegressionRules
from crisplogic.rules.rule import Rule
from crisplogic.rules.ruleset import RuleSet
from crisplogic.rules.snap_report import (
    ClassSnapReport,
    LevelMoves,
    NumberSnapReport,
    SnapReport,
)
from crisplogic.tables.unseen import UnseenColumn, UnseenValues

__all__ = [
    "ClassEvidence",
    "ClassExplanation",
    "ClassSnapReport",
    "ClassificationRules",
    "Conflicts",
    "Direction",
    "Evidence",
    "Explanation",
    "Flag",
    "Frontier",
    "HeldOutErrors",
    "Importance",
    "Importances",
    "Indicator",
    "Level",
    "LevelMoves",
    "Membership",
    "Missing",
    "NumberEvidence",
    "NumberExplanation",
    "NumberSnapReport",
    "Point",
    "Ramp",
    "Reason",
    "Reasons",
    "RegressionRules",
    "Rule",
    "RuleSet",
    "Shape",
    "SnapReport",
    "Stability",
    "Step",
    "UnseenColumn",
    "UnseenValues",
    "every_indicator",
]
