"""Rule: one class and the expression that speaks for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar

from crisplogic.expr import Expr

if TYPE_CHECKING:
    from crisplogic.rules.ruleset import RuleSet

# For functions that return rules of the same kind as they take.
AnyRules = TypeVar("AnyRules", bound="RuleSet")

Label = str | int | float | bool
# What rules are for: to tell classes apart, or to say how large a number is.
Predicts = Literal["class", "number"]


@dataclass(frozen=True)
class Rule:
    """The expression whose value is the score of one class.

    >>> from crisplogic.expr import parse
    >>> Rule("ill", parse("0 & 1")).label
    'ill'
    """

    label: Label
    expression: Expr
