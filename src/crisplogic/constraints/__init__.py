"""Constraints: what a user demands of rules, and the limits that learners keep to."""

from crisplogic.constraints.limits import Limits
from crisplogic.constraints.spec import Column, Constraints, Monotone, find_forbidden

__all__ = ["Column", "Constraints", "Limits", "Monotone", "find_forbidden"]
