"""Rules that predict, print and travel with numpy alone."""

from crisplogic.rules.conflicts import Conflicts
from crisplogic.rules.directions import Direction
from crisplogic.rules.evidence import Evidence, NumberEvidence
from crisplogic.rules.explanation import Explanation
from crisplogic.rules.frontier import Frontier, Point
from crisplogic.rules.indicators import Flag, Indicator, Level, Missing, every_indicator
from crisplogic.rules.membership import Membership, Ramp
from crisplogic.rules.number_explanation import NumberExplanation
from crisplogic.rules.rule import Rule
from crisplogic.rules.ruleset import RuleSet
from crisplogic.rules.snap_report import LevelMoves, NumberSnapReport, SnapReport

__all__ = [
    "Conflicts",
    "Direction",
    "Evidence",
    "Explanation",
    "Flag",
    "Frontier",
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
    "Rule",
    "RuleSet",
    "SnapReport",
    "every_indicator",
]
