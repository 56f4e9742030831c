"""What makes no sense in a rule set is refused when it is made."""

from __future__ import annotations

from collections.abc import Sequence

from crisplogic.errors import RuleError
from crisplogic.rules.memberships import Level, Membership, Missing
from crisplogic.rules.rule import Label
from crisplogic.tables import Levels

# Greater scales would only make infinities of scores; probabilities are 0 or 1 long before.
MOST_SCALE = 1e100


def check_rules(labels: Sequence[Label], intercepts: Sequence[float], scale: float) -> None:
    """Every class has one rule and one intercept, and the scale turns nothing around."""
    if not labels:
        raise RuleError("a rule set needs at least one rule")
    if len(set(labels)) < len(labels):
        raise RuleError(f"every class has one rule, got rules for {labels}")
    bounded = all(abs(intercept) < MOST_SCALE for intercept in intercepts)
    if len(intercepts) != len(labels) or not bounded:
        raise RuleError(
            f"every class has one finite intercept, got {intercepts} "
            f"for {len(labels)} rules (in size below {MOST_SCALE:g})"
        )
    if not 0 < scale < MOST_SCALE:
        raise RuleError(f"the scale must lie between 0 and {MOST_SCALE:g}, got {scale}")


def check_columns(
    features: Sequence[str],
    levels: Sequence[Levels | None],
    memberships: Sequence[Membership],
) -> None:
    """Columns have names of their own, and memberships speak of what they hold."""
    if len(set(features)) < len(features):
        raise RuleError(f"column names must differ from each other, got {features}")
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
        if levels is not None:
            raise RuleError(
                f"column {column!r} has levels, so only they or missing values can be spoken "
                f"of; got a {type(membership).__name__}"
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
    """Rules use only inputs that there are; ``used`` is in order."""
    if used and used[-1] >= inputs:
        raise RuleError(
            f"a rule uses input {used[-1]}, but there are {inputs} inputs, counted from 0"
        )
