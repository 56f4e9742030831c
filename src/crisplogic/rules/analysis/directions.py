"""Directions: how what rules predict acts as a column rises, by their structure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from crisplogic.expr.monotonicity import polarity
from crisplogic.rules.memberships import Flag, Indicator, Membership

if TYPE_CHECKING:
    from crisplogic.rules.rule import Label
    from crisplogic.rules.ruleset import RuleSet

Direction = Literal["up", "down", "both", "none"]


class _May(NamedTuple):
    """What something may do as a column rises."""

    rise: bool
    fall: bool

    def either(self, other: _May) -> _May:
        return _May(self.rise or other.rise, self.fall or other.fall)

    @property
    def turned(self) -> _May:
        return _May(self.fall, self.rise)

    @property
    def direction(self) -> Direction:
        if self.rise and self.fall:
            return "both"
        return "up" if self.rise else "down" if self.fall else "none"


_NOTHING = _May(rise=False, fall=False)


def directions_of(rules: RuleSet) -> dict[str, dict[Label, Direction]]:
    """How the probability of each class acts as a column rises.

    "up" is a guarantee that it never falls, "down" that it never rises, "none" that it stays as
    it is, whatever the other columns are. "both" guarantees nothing: it may do either. Of rules
    that predict a number, it is how the number acts.

    The probability of a class never falls if its score never does and no other score ever
    rises. Only what has an order can rise: numbers and truth values. What rules say of the
    values of a category has none, nor has *that* a value is missing: such statements are left
    out, and so are the columns that are categories.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Ramp, Rule
    >>> ramps = Ramp(0, 90.0, 164.0), Ramp(1, 20.0, 60.0)
    >>> exprs = parse("unknown"), parse("0 & ~1")
    >>> both = Rule("well", exprs[0]), Rule("ill", exprs[1])
    >>> ClassificationRules(("glucose", "age"), ramps, both).directions()
    {'glucose': {'well': 'down', 'ill': 'up'}, 'age': {'well': 'up', 'ill': 'down'}}
    """
    of_scores = [_by_column(rules.memberships, polarity(each)) for each in rules.expressions]
    levels = rules.levels or (None,) * len(rules.features)
    columns = [column for column, its in enumerate(levels) if its is None]
    return {
        rules.features[column]: {
            label: _of_class(number, [each.get(column, _NOTHING) for each in of_scores], rules)
            for number, label in enumerate(rules.labels)
        }
        for column in columns
    }


def _of_class(number: int, scores: Sequence[_May], rules: RuleSet) -> Direction:
    """Of one class, from what all scores may do."""
    if rules.predicts == "number":
        return scores[number].direction
    if len(scores) == 1:  # of one class everybody is sure, whatever its score
        return "none"
    may = scores[number]
    for other in (*scores[:number], *scores[number + 1 :]):
        may = may.either(other.turned)
    return may.direction


def _by_column(memberships: Sequence[Membership], signs: dict[int, int]) -> dict[int, _May]:
    """What a score may do as each column rises, from how it acts on its inputs."""
    found: dict[int, _May] = {}
    for index, sign in signs.items():
        membership = memberships[index]
        if isinstance(membership, Indicator) and not isinstance(membership, Flag):
            continue
        may = _May(sign >= 0, sign <= 0)
        if membership.low == membership.high:  # a column that never varied stays unknown
            may = _NOTHING
        found[membership.feature] = found.get(membership.feature, _NOTHING).either(may)
    return found
