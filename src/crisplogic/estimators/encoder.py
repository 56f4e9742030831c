"""FeatureEncoder: what rules about a table can speak of, and the numbers that a learner
sees.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.constraints.limits import Limits
from crisplogic.constraints.spec import Constraints
from crisplogic.expr import Expr, Not, Var, negate, split_sign, total
from crisplogic.expr.simplify import with_fewer_nots
from crisplogic.expr.walk import map_children
from crisplogic.rules import Flag, Indicator, Membership, Ramp, Rule, RuleSet, every_indicator
from crisplogic.rules.formatting import terms_of
from crisplogic.tables import Levels, Schema, as_matrix

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class FeatureEncoder:
    """The columns of a table as a learner sees them, and how rules speak of them.

    A learner sees numbers alone: first the columns ``numbers`` of the table, which are given
    thresholds; then, a column each, what others say outright (``indicators``): 1 where it is
    so, 0 where not, NaN where nobody knows.

    Some columns may be kept from a learner: those of numbers among them are ``unsaid``. Others,
    ``falling``, are shown the other way round, -x for x and 0 for 1: a network can join two
    inputs by *and*, but not one with the negation of the other. Rules that are
    :meth:`spoken` know nothing of it.

    >>> from crisplogic.tables import infer_schema, read_columns
    >>> table = [[41, "red"], [None, "blue"], [7, "red"], [3, "teal"]]
    >>> schema = infer_schema(read_columns(table))
    >>> words = FeatureEncoder.of(schema)
    >>> words.names
    ('x0', 'x1 is red', 'x1 is blue', 'x1 is teal')
    >>> words.shown(schema.matrix([[7, "blue"], [None, "new"]])).tolist()
    [[7.0, 0.0, 1.0, 0.0], [nan, nan, nan, nan]]
    """

    features: tuple[str, ...]
    numbers: tuple[int, ...]
    indicators: tuple[Indicator, ...] = ()
    levels: tuple[Levels | None, ...] = ()
    unsaid: tuple[int, ...] = ()
    falling: tuple[int, ...] = ()

    @classmethod
    def of(
        cls,
        schema: Schema,
        missing: bool = False,
        forbidden: Collection[int] = (),
        falling: Collection[int] = (),
    ) -> FeatureEncoder:
        """All that can be said of a table, that values are ``missing`` if asked for.

        Nothing is said of columns that are ``forbidden``, by their numbers; they stay columns
        of the table. Those that are ``falling`` are shown the other way round.

        >>> from crisplogic.tables import infer_schema, read_columns
        >>> schema = infer_schema(read_columns([[41, 3, True], [7, 5, False]]))
        >>> words = FeatureEncoder.of(schema, forbidden=[1], falling=[0, 2])
        >>> words.shown(schema.matrix([[41, 3, True], [7, 5, None]])).tolist()
        [[-41.0, 0.0], [-7.0, nan]]
        """
        numbers = [at for at, kind in enumerate(schema.kinds) if kind == "number"]
        said = every_indicator(schema, missing)
        return cls(
            schema.names,
            tuple(at for at in numbers if at not in forbidden),
            tuple(each for each in said if each.feature not in forbidden),
            schema.levels,
            tuple(at for at in numbers if at in forbidden),
            tuple(sorted(falling)),
        )

    @property
    def all_numbers(self) -> bool:
        """Whether every column of the table is one of numbers."""
        return len(self.numbers) + len(self.unsaid) == len(self.features)

    def matrix(self, table: Any) -> Floats:
        """Any table with these columns as numbers, categories as codes.

        Columns of which nothing may be said need not be there. Shape: returns (rows, features).
        """
        needed = set(range(len(self.features))).difference(self.unsaid)
        return as_matrix(table, self.features, self.levels, needed)

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
        if self._as_it_is:
            return matrix
        numbers = matrix[:, list(self.numbers)]
        numbers = np.where(np.isin(self.numbers, self.falling), -numbers, numbers)
        said = [self._indicated(each, matrix) for each in self.indicators]
        return np.column_stack([numbers, *said])

    def limits(self, asked: Constraints) -> Limits | None:
        """What was asked for, in the columns that a learner sees; None if they are all free.

        What is said of a category, and that a value is missing, has no direction; where it may
        stand beside other columns is that of its column.

        >>> words = FeatureEncoder(("age", "bmi"), numbers=(0, 1), falling=(0,))
        >>> kinds = "number", "number"
        >>> asked = Constraints.read(words.features, kinds, None, monotone={"age": "down"})
        >>> words.limits(asked).rises.tolist(), words.limits(asked).falls.tolist()
        ([[True], [True]], [[False], [True]])
        """
        if asked.limits is None:
            return None
        shown = [*(Membership(at, 0.0, 1.0) for at in self.numbers), *self.indicators]
        columns = [each.feature for each in shown]
        free = ~np.array([_has_direction(each) for each in shown], dtype=bool)[:, None]
        turned = np.array([self._is_turned(each) for each in shown], dtype=bool)[:, None]
        rises, falls = asked.limits.rises[columns], asked.limits.falls[columns]
        pairs = asked.limits.pairs
        limits = Limits(
            np.where(turned, falls, rises) | free,
            np.where(turned, rises, falls) | free,
            None if pairs is None else pairs[np.ix_(columns, columns)],
        )
        return None if limits.is_free else limits

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
        if self._as_it_is:
            return replace(rules, features=self.features)
        memberships = tuple(map(self._of_table, rules.memberships))
        rules = replace(
            rules, features=self.features, levels=self.levels, memberships=memberships
        )
        return _renamed(rules, memberships, [self._is_turned(each) for each in memberships])

    @property
    def _as_it_is(self) -> bool:
        """Whether a learner sees the table itself."""
        plain = len(self.numbers) == len(self.features) and not self.indicators
        return plain and not self.falling

    def _is_turned(self, membership: Membership) -> bool:
        """Whether what a membership of the table's speaks of is shown the other way round."""
        return membership.feature in self.falling and _has_direction(membership)

    def _indicated(self, indicator: Indicator, matrix: Floats) -> Floats:
        values = indicator.indicated(matrix[:, indicator.feature])
        return 1 - values if self._is_turned(indicator) else values

    def _of_table(self, membership: Membership) -> Membership:
        place = membership.feature - len(self.numbers)
        if place >= 0:
            return self.indicators[place]
        spoken = replace(membership, feature=self.numbers[membership.feature])
        if not self._is_turned(spoken):
            return spoken
        # "-x is high" is "x is not high", with the ends of the ramp in each other's places.
        # Adding zero turns -0.0 into 0.0.
        return replace(spoken, low=-spoken.high + 0.0, high=-spoken.low + 0.0)


def _has_direction(membership: Membership) -> bool:
    """Whether there is something to rise: a number, or a truth value."""
    return isinstance(membership, Flag) or not isinstance(membership, Indicator)


def _renamed(
    rules: RuleSet, memberships: tuple[Membership, ...], turned: Sequence[bool] = ()
) -> RuleSet:
    """Rules over other memberships in the places of theirs, equal ones made one.

    Those that are ``turned`` say the opposite of what the former said.
    """
    first = {each: at for at, each in reversed(list(enumerate(memberships)))}
    inputs: list[Expr] = [Var(first[each]) for each in memberships]
    if any(turned):
        pairs = zip(inputs, turned, strict=True)
        inputs = [Not(each) if turns else each for each, turns in pairs]
        exprs = _retold(rules.expressions, inputs)
    else:
        exprs = [_substituted(each, inputs) for each in rules.expressions]
    said = (Rule(label, expr) for label, expr in zip(rules.labels, exprs, strict=True))
    rules = replace(rules, memberships=memberships, rules=tuple(said))
    return rules if any(turned) else rules.simplified()


def _retold(exprs: Sequence[Expr], inputs: Sequence[Expr]) -> list[Expr]:
    """The same rules over inputs some of which are negations, with few negations.

    Terms stay in their order, so that no score changes by a single bit. And what one rule adds
    and another takes away stays one part: where its negations go is decided for both at once.
    """
    signed = [[split_sign(term) for term in terms_of(expr)] for expr in exprs]
    parts = {part for terms in signed for part, _ in terms}
    added = {part for terms in signed for part, sign in terms if sign > 0}
    plain = {part: with_fewer_nots(_substituted(part, inputs)) for part in parts}

    def told(part: Expr, sign: int) -> Expr:
        if sign > 0:
            return plain[part]
        if part not in added:
            return with_fewer_nots(Not(plain[part]))
        return negate(plain[part])

    return [total(told(*term) for term in terms) for terms in signed]


def _substituted(expr: Expr, inputs: Sequence[Expr]) -> Expr:
    if isinstance(expr, Var):
        return inputs[expr.index]
    return map_children(expr, lambda part: _substituted(part, inputs))
