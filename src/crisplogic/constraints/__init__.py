"""Constraints: what a user demands of rules, and the limits that learners keep to."""

from crisplogic.constraints.limits import Limits
from crisplogic.constraints.spec import Column, Constraints, Cuts, Monotone, find_forbidden

__all__ = ["Column", "Constraints", "Cuts", "Limits", "Monotone", "find_forbidden"]
