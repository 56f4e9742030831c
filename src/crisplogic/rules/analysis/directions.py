"""Directions: whether predictions rise or fall as a column rises, from the rules' structure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from crisplogic.expr.monotonicity import monotonicity
from crisplogic.rules.memberships import Flag, Indicator, Level, Membership, Step
from crisplogic.tables import Levels

if TYPE_CHECKING:
    from crisplogic.rules import ClassificationRules, RegressionRules, RuleSet
    from crisplogic.rules.rule import Label

Direction = Literal["up", "down", "both", "none"]


class _Change(NamedTuple):
    """What something may do as a column rises."""

    may_rise: bool
    may_fall: bool

    def union(self, other: _Change) -> _Change:
        return _Change(self.may_rise or other.may_rise, self.may_fall or other.may_fall)

    @property
    def direction(self) -> Direction:
        if self.may_rise and self.may_fall:
            return "both"
        return "up" if self.may_rise else "down" if self.may_fall else "none"


_NO_CHANGE = _Change(may_rise=False, may_fall=False)


def class_directions(rules: ClassificationRules) -> dict[str, dict[Label, Direction]]:
    """How the probability of each class changes as a column rises.

    "up" guarantees that it never falls, "down" that it never rises, "none" that it stays the
    same, whatever the other columns are. "both" guarantees nothing.

    The probability of a class never falls if its score never falls and no other score ever
    rises. Only numbers and truth values have an order. So columns that are categories are left
    out, and so is what rules say of missing values.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Ramp, Rule
    >>> ramps = Ramp(0, 90.0, 164.0), Ramp(1, 20.0, 60.0)
    >>> exprs = parse("unknown"), parse("0 & ~1")
    >>> both = Rule("well", exprs[0]), Rule("ill", exprs[1])
    >>> ClassificationRules(("glucose", "age"), ramps, both).directions()
    {'glucose': {'well': 'down', 'ill': 'up'}, 'age': {'well': 'up', 'ill': 'down'}}
    """
    return {
        name: {
            label: change.direction
            for label, change in zip(rules.labels, _probability_changes(scores), strict=True)
        }
        for name, scores in _score_changes(rules).items()
    }


def number_directions(rules: RegressionRules) -> dict[str, dict[Label, Direction]]:
    """How the number changes as a column rises; see :meth:`ClassificationRules.directions`.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import Ramp, RegressionRules, Rule
    >>> price = Rule("price", parse("~0"))
    >>> RegressionRules(("crime",), (Ramp(0, 2.0, 4.0),), (price,)).directions()
    {'crime': {'price': 'down'}}
    """
    return {
        name: {rules.labels[0]: score.direction}
        for name, (score,) in _score_changes(rules).items()
    }


def _probability_changes(scores: Sequence[_Change]) -> list[_Change]:
    """The change of the probability of each class, from the changes of all scores."""
    if len(scores) == 1:  # the only class always has probability 1
        return [_NO_CHANGE]
    rising = sum(each.may_rise for each in scores)
    falling = sum(each.may_fall for each in scores)
    return [own.union(_Change(falling > own.may_fall, rising > own.may_rise)) for own in scores]


def _score_changes(rules: RuleSet) -> dict[str, list[_Change]]:
    """For every column that has an order, the change of every score as the column rises."""
    levels = rules.levels or (None,) * len(rules.features)
    by_rule = [
        _by_column(rules.memberships, levels, monotonicity(each)) for each in rules.expressions
    ]
    return {
        name: [changes.get(column, _NO_CHANGE) for changes in by_rule]
        for column, name in enumerate(rules.features)
        if (groups := levels[column]) is None or groups.are_ordered
    }


def _by_column(
    memberships: Sequence[Membership],
    levels: Sequence[Levels | None],
    signs: dict[int, int],
) -> dict[int, _Change]:
    """The change of a score as each column rises, from the signs of its inputs."""
    found: dict[int, _Change] = {}
    for index, sign in signs.items():
        membership = memberships[index]
        groups = levels[membership.feature]
        if isinstance(membership, Level) and groups is not None and groups.are_ordered:
            sign = sign if membership.code else -sign  # the code of the smaller number is 0
        elif isinstance(membership, Indicator) and not isinstance(membership, Flag | Step):
            continue
        change = _Change(sign >= 0, sign <= 0)
        if membership.low == membership.high:  # a column that never varied stays unknown
            change = _NO_CHANGE
        found[membership.feature] = found.get(membership.feature, _NO_CHANGE).union(change)
    return found
