"""Rule: a label and its expression; and the checks that the parts of a rule set fit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np

from crisplogic.errors import ExpressionError, RuleError
from crisplogic.expr import Expr, Squash
from crisplogic.expr.counts import check_vote
from crisplogic.expr.walk import unique_nodes
from crisplogic.messages import shorten
from crisplogic.rules.memberships import Flag, Indicator, Level, Membership, Missing, Step
from crisplogic.tables import TRUTH, Levels, Range

if TYPE_CHECKING:
    from crisplogic.rules.ruleset import RuleSet

# For functions that return rules of the same kind as they take.
AnyRules = TypeVar("AnyRules", bound="RuleSet")

Label = str | int | float | bool
# What rules predict.
Predicts = Literal["class", "number"]


@dataclass(frozen=True)
class Rule:
    """The expression whose value is the score of a class, or makes a number.

    >>> from crisplogic.expr import parse
    >>> Rule("ill", parse("0 & 1")).label
    'ill'
    """

    label: Label
    expression: Expr


def as_plain(label: Label) -> Label:
    """A label as a value of Python: JSON cannot hold those of numpy."""
    plain: Label = label.item() if isinstance(label, np.generic) else label
    return plain


# Greater scales would only make scores infinite; probabilities are 0 or 1 long before.
MOST_SCALE = 1e100


def _some(values: Sequence[object]) -> str:
    return shorten(str(values), 400)


def check_rules(labels: Sequence[Label], intercepts: Sequence[float], scale: float) -> None:
    """Check that every class has one rule and one intercept, and that the scale is positive."""
    if not labels:
        raise RuleError("a rule set needs at least one rule")
    if not _are_distinct(labels):
        raise RuleError(f"every class has one rule, got rules for {_some(labels)}")
    bounded = all(abs(intercept) < MOST_SCALE for intercept in intercepts)
    if len(intercepts) != len(labels) or not bounded:
        raise RuleError(
            f"every class has one finite intercept, got {_some(intercepts)} "
            f"for {len(labels)} rules (in size below {MOST_SCALE:g})"
        )
    if not 0 < scale < MOST_SCALE:
        raise RuleError(f"the scale must lie between 0 and {MOST_SCALE:g}, got {scale}")


def _are_distinct(labels: Sequence[Label]) -> bool:
    """Whether no two labels are the same.

    Numbers are sorted: a file can hold many that all have the same hash, and a set of those
    takes the square of their number.
    """
    texts = [label for label in labels if isinstance(label, str)]
    numbers = sorted(label for label in labels if not isinstance(label, str))
    return len(set(texts)) == len(texts) and all(a < b for a, b in pairwise(numbers))


def with_truth_levels(
    features: Sequence[str],
    levels: Sequence[Levels | None],
    memberships: Sequence[Membership],
) -> tuple[Levels | None, ...]:
    """The levels of all columns; those with a :class:`Flag` are truth values.

    >>> with_truth_levels(["age", "smoker"], (), [Flag(1)]) == (None, TRUTH)
    True
    """
    flags = {each.feature for each in memberships if isinstance(each, Flag)}
    if not flags:
        return tuple(levels)
    every = levels or (None,) * len(features)
    return tuple(TRUTH if its is None and at in flags else its for at, its in enumerate(every))


def check_ranges(features: Sequence[str], ranges: Sequence[Range | None]) -> None:
    """Check that every column has a range or None."""
    if ranges and len(ranges) != len(features):
        raise RuleError(
            f"every column has a range or None, got {len(ranges)} entries for "
            f"{len(features)} columns"
        )
    for name, ends in zip(features, ranges, strict=False):
        if ends is not None and not -math.inf < ends[0] <= ends[1] < math.inf:
            raise RuleError(
                f"the range of column {name!r} must be two finite numbers in their order, "
                f"got {ends}"
            )


def check_columns(
    features: Sequence[str],
    levels: Sequence[Levels | None],
    memberships: Sequence[Membership],
) -> None:
    """Check that the names of columns differ, and that memberships fit their columns."""
    if len(set(features)) < len(features):
        raise RuleError(f"column names must differ from each other, got {_some(features)}")
    if levels and len(levels) != len(features):
        raise RuleError(
            f"every column has levels or None, got {len(levels)} entries "
            f"for {len(features)} columns"
        )
    for membership in memberships:
        if not 0 <= membership.feature < len(features):
            raise RuleError(
                f"a membership is about column {membership.feature}, "
                f"but there are {len(features)} columns, counted from 0"
            )
        its = levels[membership.feature] if levels else None
        _check_membership(membership, its, features[membership.feature])


def _check_membership(membership: Membership, levels: Levels | None, column: str) -> None:
    if isinstance(membership, Missing):
        return
    if not isinstance(membership, Level):
        if levels is not None and not (isinstance(membership, Flag) and levels == TRUTH):
            raise RuleError(
                f"column {column!r} has levels, so its memberships must be of the kinds Level "
                f"or Missing, or Flag if they are truth values, got a "
                f"{type(membership).__name__}"
            )
        return
    groups = () if levels is None else levels.groups
    if not 0 <= membership.code < len(groups):
        raise RuleError(
            f"a membership is about level {membership.code} of column {column!r}, "
            f"but it has {len(groups)} levels, counted from 0"
        )
    if groups[membership.code] != membership.value:
        raise RuleError(
            f"level {membership.code} of column {column!r} is {groups[membership.code]!r}, "
            f"a membership says {membership.value!r}"
        )


def check_inputs(used: Sequence[int], inputs: int) -> None:
    """Check that rules use existing inputs only; ``used`` is sorted."""
    if used and used[-1] >= inputs:
        raise RuleError(
            f"a rule uses input {used[-1]}, but there are {inputs} inputs, counted from 0"
        )


def check_logic(
    crisp: bool, memberships: Sequence[Membership], expressions: Sequence[Expr]
) -> None:
    """Check that crisp rules are yes or no throughout, and that others have no steps."""
    if not crisp:
        if any(isinstance(each, Step) for each in memberships):
            raise RuleError(
                "graded rules have no Step; use Ramp, or make the rules crisp with crisp=True"
            )
        return
    for membership in memberships:
        if not isinstance(membership, Indicator):
            raise RuleError(
                f"crisp rules need memberships of the kinds Step, Flag, Level or Missing, got "
                f"a {type(membership).__name__}; as_crisp() reads graded rules as crisp ones"
            )
    try:
        for node in unique_nodes(expressions):
            if isinstance(node, Squash):
                check_vote(node)
    except ExpressionError as error:
        raise RuleError(str(error)) from None
