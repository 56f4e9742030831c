"""Rules that predict, print and travel with numpy alone."""

from crisplogic.rules.frontier import Frontier, Point
from crisplogic.rules.membership import Membership, Ramp
from crisplogic.rules.rule import Rule
from crisplogic.rules.ruleset import RuleSet
from crisplogic.rules.snap_report import LevelMoves, SnapReport

__all__ = [
    "Frontier",
    "LevelMoves",
    "Membership",
    "Point",
    "Ramp",
    "Rule",
    "RuleSet",
    "SnapReport",
]
