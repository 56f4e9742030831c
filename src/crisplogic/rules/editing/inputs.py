"""Finds the input of a rule set that a name in a text stands for, or makes a new one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from crisplogic.errors import ExpressionError
from crisplogic.expr import Expr, Not, Var
from crisplogic.expr.inputs import Mention
from crisplogic.expr.notation import (
    Statement,
    opposite,
    parse_comparison,
    written_column,
    written_name,
)
from crisplogic.messages import did_you_mean, list_some
from crisplogic.rules.editing.thresholds import NO_WIDTH, ramp_at, step_at, width_of
from crisplogic.rules.formatting import Wording
from crisplogic.rules.memberships import Flag, Level, Membership, Missing, Ramp
from crisplogic.tables import TRUTH, Levels

if TYPE_CHECKING:
    from crisplogic.rules.ruleset import RuleSet


class Inputs:
    """Resolves the names in a text: to inputs of a rule set, or to inputs that it adds.

    Where ``new`` inputs are allowed, thresholds and statements that do not exist yet are
    added. A new ramp has the width that the text says, ``age>41+/-5``, or this ``width``, or
    that of the nearest threshold of its column, or it is a step if the column has none. In
    crisp rules every threshold is a step, and none has a width.
    """

    def __init__(self, rules: RuleSet, new: bool = True, width: float | None = None) -> None:
        self.rules = rules
        self.new = new
        self.width = width
        self.memberships = list(rules.memberships)
        self.names = list(rules.names)
        self._used = set(rules.used)
        self._parts = {name: part for part, name in Wording(rules).shared.items()}

    def __call__(self, mention: Mention) -> Expr:
        """The expression that is meant."""
        if mention.comparison:
            return self._compared(mention)
        if mention.statement is not None:
            return Var(self._stated(mention, mention.statement))
        return self._named(mention)

    def _compared(self, mention: Mention) -> Expr:
        if self.rules.crisp:
            return self._stepped(mention)
        name = written_column(mention.name) + mention.comparison
        if same := self._called(name):
            return Var(self._only(same, mention))
        if same := self._called(name, negated=True):
            return Not(Var(self._only(same, mention)))
        sign, threshold, width = parse_comparison(mention.comparison)
        if sign not in "<>":
            raise ExpressionError(
                "a threshold of graded rules is written column>12.5 or column<12.5, without ="
            )
        same = [
            number
            for number, each in enumerate(self.memberships)
            if isinstance(each, Ramp)
            and self._column(each) == mention.name
            and float(each.shown) == threshold
            and each.is_wide(width)
        ]
        if not same and (column := self._column_called(mention)):
            return column
        number = self._only(same, mention) if same else self._new_ramp(mention)
        return Var(number) if sign == ">" else Not(Var(number))

    def _stepped(self, mention: Mention) -> Expr:
        """A yes/no threshold, or its negation."""
        sign, threshold, width = parse_comparison(mention.comparison)
        if width is not None or self.width is not None:
            raise ExpressionError(NO_WIDTH)
        if mention.name not in self.rules.features and (named := self._column_called(mention)):
            return named
        step = step_at(self._number_column(mention.name), sign, threshold)
        same = [number for number, each in enumerate(self.memberships) if each == step]
        if not same and (column := self._column_called(mention)):
            return column
        number = self._only(same, mention) if same else self._add(mention, step)
        return Var(number) if sign.startswith(">") else Not(Var(number))

    def _column_called(self, mention: Mention) -> Expr | None:
        """The column that is called like a comparison, or like the opposite of one."""
        name = mention.name + mention.comparison
        if columns := self._called(written_column(name)):
            return Var(self._only(columns, mention))
        if columns := self._called(written_column(str(opposite(name)))):
            return Not(Var(self._only(columns, mention)))
        return None

    def _called(self, written: str, negated: bool = False) -> list[int]:
        """The inputs whose names, or those of their negations, are written like this."""
        names = list(map(opposite, self.names)) if negated else self.names
        return [
            at
            for at, name in enumerate(names)
            if name is not None and written_name(name) == written
        ]

    def _stated(self, mention: Mention, statement: Statement) -> int:
        same = self._called(statement)
        return self._only(same, mention) if same else self._new_indicator(mention, statement)

    def _named(self, mention: Mention) -> Expr:
        name = mention.name
        if name in self._parts and not mention.quoted:
            return self._parts[name]
        # "a>5" in quotes is rather the column of this name than the threshold of another.
        same = self._called(written_column(name)) or self._called(written_name(name))
        if same:
            return Var(self._only(same, mention))
        if name in self.rules.features:
            feature = self._feature(name)
            if self._levels(feature) == TRUTH:
                return Var(self._add(mention, Flag(feature)))
            raise self._impossible(name, "alone is not true or false")
        raise ExpressionError(self._unknown(name))

    def _only(self, numbers: list[int], mention: Mention) -> int:
        """The one input that is meant: rather one that rules use."""
        used = [number for number in numbers if number in self._used] or numbers
        different = {self.memberships[number] for number in used}
        if len(different) > 1:
            names = list_some((written_name(self.names[number]) for number in used), show=str)
            raise ExpressionError(f"{mention.text} may be one of several inputs: {names}")
        return used[0]

    # New inputs

    def _new_ramp(self, mention: Mention) -> int:
        column = mention.name
        _, threshold, width = parse_comparison(mention.comparison)
        feature = self._number_column(column)
        if width is None:
            width = self._width(feature, threshold) if self.width is None else self.width
        return self._add(mention, ramp_at(feature, threshold, width))

    def _width(self, feature: int, threshold: float) -> float:
        ramps = [
            each
            for each in self.memberships
            if isinstance(each, Ramp) and each.feature == feature and each.low < each.high
        ]
        nearest = min(ramps, key=lambda ramp: abs(ramp.threshold - threshold), default=None)
        return 0.0 if nearest is None else width_of(nearest)

    def _new_indicator(self, mention: Mention, statement: Statement) -> int:
        column, value = mention.name, mention.value
        feature = self._feature(column)
        if statement == Statement.missing(column):
            return self._add(mention, Missing(feature))
        levels = self._levels(feature)
        if levels is None or levels == TRUTH:
            raise self._impossible(column, "is no category")
        group = None if statement == Statement.other(column) else value
        if group not in levels.groups:
            hint = did_you_mean(value, levels.names, show=str)
            raise self._impossible(column, f"is never {value!r}", hint)
        return self._add(mention, Level.of(feature, levels.groups.index(group), levels))

    def _number_column(self, column: str) -> int:
        """The number of a column that may have thresholds."""
        feature = self._feature(column)
        if (levels := self._levels(feature)) is not None:
            what = "true or false" if levels == TRUTH else "a category"
            raise self._impossible(column, f"is {what}, without thresholds")
        return feature

    def _feature(self, column: str) -> int:
        if column not in self.rules.features:
            raise ExpressionError(self._unknown(column))
        return self.rules.features.index(column)

    def _add(self, mention: Mention, membership: Membership) -> int:
        if not self.new:
            raise self._impossible(mention.name, f"is not in these rules as {mention.text}")
        self.memberships.append(membership)
        self.names.append(membership.name(mention.name))
        return len(self.names) - 1

    # What is possible

    def _impossible(self, column: str, what: str, hint: str = "") -> ExpressionError:
        return ExpressionError(f"{written_name(column)} {what}{self._possible(column)}{hint}")

    def _unknown(self, name: str) -> str:
        if self._parts and name.startswith("h") and name[1:].isdigit():
            parts = list_some(self._parts, show=str)
            return f"no part is called {name}; the shared parts are {parts}"
        return no_column(name, self.rules.features)

    def _possible(self, column: str) -> str:
        """What can be said of a column."""
        feature = self.rules.features.index(column)
        known = [
            written_name(self.names[number])
            for number, each in enumerate(self.memberships)
            if each.feature == feature
        ]
        levels = self._levels(feature)
        if levels == TRUTH and self.new:
            known = [written_name(column)]
        elif levels is not None and self.new:
            known = [
                Level.of(feature, code, levels).name(column) for code in range(len(levels))
            ]
        elif self.new:
            known.append(f"{written_name(column)}>NUMBER")
        return f"; possible are {list_some(dict.fromkeys(known), show=str)}" if known else ""

    def _levels(self, feature: int) -> Levels | None:
        return self.rules.levels[feature] if self.rules.levels else None

    def _column(self, membership: Membership) -> str:
        return self.rules.features[membership.feature]


def no_column(column: str, features: Sequence[str]) -> str:
    """The problem with a name that no column has."""
    return (
        f"there is no column {column!r}; the columns are {list_some(features)}"
        f"{did_you_mean(column, features, show=str)}"
    )
