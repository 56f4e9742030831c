"""Rules that predict, print and travel with numpy alone."""

from crisplogic.rules.analysis.all_rows import AllRows
from crisplogic.rules.analysis.conflicts import Conflicts
from crisplogic.rules.analysis.counterfactual import Change, Counterfactual, Goal
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
from crisplogic.rules.checklist import Checklist, Item, NumberCard, ScoreCard, normal_form
from crisplogic.rules.classification import ClassificationRules
from crisplogic.rules.frontier import Frontier, Point
from crisplogic.rules.held_out_errors import HeldOutErrors
from crisplogic.rules.history import Note
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
from crisplogic.rules.simple_logic import simplify_checklist
from crisplogic.rules.snap_report import (
    ClassSnapReport,
    LevelMoves,
    NumberSnapReport,
    SnapReport,
)
from crisplogic.tables.unseen import UnseenColumn, UnseenValues

__all__ = [
    "AllRows",
    "Change",
    "Checklist",
    "ClassEvidence",
    "ClassExplanation",
    "ClassSnapReport",
    "ClassificationRules",
    "Conflicts",
    "Counterfactual",
    "Direction",
    "Evidence",
    "Explanation",
    "Flag",
    "Frontier",
    "Goal",
    "HeldOutErrors",
    "Importance",
    "Importances",
    "Indicator",
    "Item",
    "Level",
    "LevelMoves",
    "Membership",
    "Missing",
    "Note",
    "NumberCard",
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
    "ScoreCard",
    "Shape",
    "SnapReport",
    "Stability",
    "Step",
    "UnseenColumn",
    "UnseenValues",
    "every_indicator",
    "normal_form",
    "simplify_checklist",
]
