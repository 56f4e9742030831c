"""Vocabulary: what rules about a table can speak of, and the numbers that a learner sees."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.expr import Expr, Var
from crisplogic.expr.walk import map_children
from crisplogic.rules import Indicator, Membership, Ramp, Rule, RuleSet, every_indicator
from crisplogic.tables import Levels, Schema, as_matrix

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Vocabulary:
    """The columns of a table as a learner sees them, and how rules speak of them.

    A learner sees numbers alone: first the columns ``numbers`` of the table, which are given
    thresholds; then, a column each, what others say outright (``indicators``): 1 where it is
    so, 0 where not, NaN where nobody knows.

    >>> from crisplogic.tables import learn_schema, read
    >>> table = [[41, "red"], [None, "blue"], [7, "red"], [3, "teal"]]
    >>> schema = learn_schema(read(table))
    >>> words = Vocabulary.of(schema)
    >>> words.names
    ('x0', 'x1 is red', 'x1 is blue', 'x1 is teal')
    >>> words.shown(schema.matrix([[7, "blue"], [None, "new"]])).tolist()
    [[7.0, 0.0, 1.0, 0.0], [nan, nan, nan, nan]]
    """

    features: tuple[str, ...]
    numbers: tuple[int, ...]
    indicators: tuple[Indicator, ...] = ()
    levels: tuple[Levels | None, ...] = ()

    @classmethod
    def of(cls, schema: Schema, missing: bool = False) -> Vocabulary:
        """All that can be said of a table, that values are ``missing`` if asked for."""
        numbers = (at for at, kind in enumerate(schema.kinds) if kind == "number")
        levels = schema.levels if any(schema.levels) else ()
        return cls(schema.names, tuple(numbers), every_indicator(schema, missing), levels)

    @property
    def all_numbers(self) -> bool:
        """Whether every column of the table is one of numbers."""
        return len(self.numbers) == len(self.features)

    def matrix(self, table: Any) -> Floats:
        """Any table with these columns as numbers, categories as codes.

        Shape: returns (rows, features).
        """
        return as_matrix(table, self.features, self.levels)

    @property
    def names(self) -> tuple[str, ...]:
        """What the columns that a learner sees are called."""
        of_numbers = [self.features[at] for at in self.numbers]
        said = [each.name(self.features[each.feature]) for each in self.indicators]
        return (*of_numbers, *said)

    @property
    def crisp(self) -> NDArray[np.bool_]:
        """Of which columns there is no threshold to learn. Shape: (columns,)."""
        return np.arange(len(self.names)) >= len(self.numbers)

    def shown(self, matrix: Floats) -> Floats:
        """What a learner sees. Shape: (rows, features) to (rows, columns)."""
        if self.all_numbers and not self.indicators:
            return matrix
        said = [each.indicated(matrix[:, each.feature]) for each in self.indicators]
        return np.column_stack([matrix[:, list(self.numbers)], *said])

    def crisped(self, rules: RuleSet) -> RuleSet:
        """Rules of a network without the thresholds that it learned where there are none.

        What is said outright is false at 0 and true at 1, however often it is a column's.
        """
        if not self.indicators:
            return rules
        crisp = self.crisp
        return _renamed(
            rules,
            tuple(
                Ramp(each.feature, 0.0, 1.0) if crisp[each.feature] else each
                for each in rules.memberships
            ),
        )

    def spoken(self, rules: RuleSet) -> RuleSet:
        """Rules about the columns that a learner sees, as rules about the table."""
        if self.all_numbers and not self.indicators:
            return replace(rules, features=self.features)
        memberships = tuple(map(self._of_table, rules.memberships))
        rules = replace(
            rules, features=self.features, levels=self.levels, memberships=memberships
        )
        return _renamed(rules, memberships)

    def _of_table(self, membership: Membership) -> Membership:
        place = membership.feature - len(self.numbers)
        if place >= 0:
            return self.indicators[place]
        return replace(membership, feature=self.numbers[membership.feature])


def _renamed(rules: RuleSet, memberships: tuple[Membership, ...]) -> RuleSet:
    """Rules over other memberships in the places of theirs, equal ones made one."""
    first = {each: at for at, each in reversed(list(enumerate(memberships)))}
    numbers = [first[each] for each in memberships]
    said = (Rule(rule.label, _renumbered(rule.expression, numbers)) for rule in rules.rules)
    return replace(rules, memberships=memberships, rules=tuple(said)).simplified()


def _renumbered(expr: Expr, numbers: list[int]) -> Expr:
    if isinstance(expr, Var):
        return Var(numbers[expr.index])
    return map_children(expr, lambda part: _renumbered(part, numbers))
