"""Fuzzy logic between -1 and +1: the activation, its derivatives and the eight operators."""

from crisplogic.algebra.activation import (
    fuzzy,
    fuzzy_gradients,
    fuzzy_root,
    fuzzy_root_nary,
    fuzzy_squared,
)
from crisplogic.algebra.membership import linear_membership
from crisplogic.algebra.operators import (
    FALSE,
    OPERATORS,
    TRUE,
    UNKNOWN,
    Operator,
    to_signed,
    to_unit,
)

__all__ = [
    "FALSE",
    "OPERATORS",
    "TRUE",
    "UNKNOWN",
    "Operator",
    "fuzzy",
    "fuzzy_gradients",
    "fuzzy_root",
    "fuzzy_root_nary",
    "fuzzy_squared",
    "linear_membership",
    "to_signed",
    "to_unit",
]
