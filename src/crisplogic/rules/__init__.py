"""Rules that predict, print and travel with numpy alone."""

from crisplogic.rules.membership import Membership
from crisplogic.rules.rule import Rule
from crisplogic.rules.ruleset import RuleSet
from crisplogic.rules.snap_report import LevelMoves, SnapReport

__all__ = ["LevelMoves", "Membership", "Rule", "RuleSet", "SnapReport"]
