"""Constraints: what people know of a domain, and the limits that learners keep to."""

from crisplogic.constraints.limits import NO_DEMANDS, Demands, Limits, permitted
from crisplogic.constraints.spec import Column, Constraints, Monotone, forbidden_among

__all__ = [
    "NO_DEMANDS",
    "Column",
    "Constraints",
    "Demands",
    "Limits",
    "Monotone",
    "forbidden_among",
    "permitted",
]
